# SPDX-License-Identifier: GPL-2.0-only
"""Stacked bars, one or more per mode: copies by stage, the send call by part, CPU time by class."""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from .. import metric, units, wording
from ..metric import Metric
from ..study import Analysis, Cell
from ..tables import CPU_CLASS, CPU_CLASSES, Mode, MODES, PATH_PARTS, PathPart, SENDER, STAGES
from .figure import Draft, mean, pick, reference_size, reference_threads, stage_words
from .stack_rules import CALL, call_part

BARS_MAX = 24
DARK = 0.45  # share of light below which white can be read on a colour

_TX_COPY, _PATH_COPY, _SAMPLED = (metric.METRICS[id_] for id_ in ("BYTES_TX_COPY", "PATH_COPY", "CLASS_S_TX_COPY"))
_COLOUR = {c.key: c.colour for c in CPU_CLASSES}
# Stages and parts of a call have the colours of the class of their CPU time.
_COLOUR.update(user_gather=_COLOUR["gather"], copy=_COLOUR["tx_copy"], pin=_COLOUR["tx_pin"], tls_copy="#CC79A7",
               transmit=_COLOUR["tcp_ip"], inline_receive=_COLOUR["netdev"], wait="#DDDDDD", release="#BBBBBB",
               preempted="#5E5E5E", rest=_COLOUR["syscall"])

# The classes of CPU time as a picture can show them: the copies, and the rest in few pieces.
_PIECES = (*((key, "", (key,)) for key in ("gather", "tx_copy", "deferred_copy", "rx_copy", "other_copy")),
           ("tx_pin", "pin, completion", ("tx_pin", "completion")),
           ("tcp_ip", "TCP/IP, device", ("tcp_ip", "timers", "netdev", "skb")),
           ("scheduling", "", ("scheduling",)),
           ("syscall", "calls, memory, locks", ("memory", "lock", "syscall", "irq")),
           ("other", "other", ("tracing", "file_read", "user", "other")))


class _Part(NamedTuple):
    """A part of a bar: its names in the data and in the legend; value NaN: unknown."""

    key: str
    words: str
    value: float


_Fill = Callable[[Analysis, Cell], "list[_Part]"]


def _light(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.3 * red + 0.59 * green + 0.11 * blue


def _looks(bar: list[_Part]) -> tuple[str, ...]:
    return tuple(f"{part.value:.2f}" for part in bar)


class _Stacks:
    """Lying bars, from the top: of each mode one for the given sizes, or for each run of sizes that look alike."""

    def __init__(self, d: Draft, fill: _Fill) -> None:
        self.d = d
        self.fill = fill
        self.bars: list[tuple[list[Cell], list[_Part]]] = []

    def _add_mode(self, mode: Mode, sizes: list[int]) -> None:
        before: tuple[str, ...] = ()
        for size in sizes:
            cell = self.d.a.cell(mode, size, reference_threads(self.d.a))
            bar = self.fill(self.d.a, cell) if cell else []
            if cell and before and _looks(bar) == before:
                self.bars[-1][0].append(cell)
            elif cell:
                self.bars.append(([cell], bar))
            before = _looks(bar)

    def _words(self, cells: list[Cell], sizes: list[int]) -> str:
        """The mode, and its sizes where they differ."""
        if len(sizes) == 1 or sum(c[0].mode is cells[0].mode for c, _ in self.bars) == 1:
            return cells[0].mode.words
        first, last = (units.size_short(c.size) for c in (cells[0], cells[-1]))
        return f"{cells[0].mode.words}, {first}" + (f" to {last}" if first != last else "")

    def _rows(self, position: int, cells: list[Cell], bar: list[_Part]) -> float:
        """The end of the bar. Sizes that look alike lie over each other."""
        end = 0.0
        for i, cell in enumerate(cells):
            end = 0.0
            for part in bar:
                if part.value > 0:
                    begin, end = end, end + part.value
                    self.d.rows.append(f"{cell.mode.name},{cell.size},{position},{part.key},{begin:.10g},{end:.10g},"
                                       f"{int(not i)}\n")
                    self.d.points += 1
        return end

    def make(self, xlabel: str, sizes: list[int]) -> None:
        d, a = self.d, self.d.a
        run = [s for s in sizes if any(a.cell(mode, s, reference_threads(a)) for mode in a.modes)]
        picked = pick(run, max(BARS_MAX // max(len(a.modes), 1), 2))
        d.shows(picked, sizes, "sizes", units.size)
        d.rows.append("mode,size,position,part,from,to,first\n")
        for mode in MODES:
            self._add_mode(mode, picked)
        known = {part.key for _, bar in self.bars for part in bar if not math.isnan(part.value)}
        ends, totals, tics = [], [], []
        for position, (cells, bar) in enumerate(self.bars, 1):
            end = self._rows(position, cells, bar)
            lacks = not bar or any(math.isnan(part.value) and part.key in known for part in bar)
            d.has_gaps |= lacks
            ends.append(end)
            total = [f"{end:.{2 if end < 9.95 else 0}f}"] if end else []
            totals.append(" + ".join(total + ["n/a"] * lacks))
            tics.append(f"'{self._words(cells, picked)}' {position}")
        seen = {row.split(",")[3] for row in d.rows[1:]}
        parts = next(([p for p in bar if p.key in seen] for _, bar in self.bars if bar), [])
        d.set_text("xlabel", xlabel)
        d.set_text("ytics", ",".join(tics))
        d.set_number("positions", len(self.bars))
        d.set_number("xmax", max(ends, default=0) or 1)
        d.settings.append(f"array bar_ends[{len(ends) or 1}] = [{', '.join(f'{end:.10g}' for end in ends) or 0}]\n")
        d.set_array("bar_totals", totals)
        d.set_text("parts", " ".join(part.key for part in parts))
        d.set_text("part_colors", " ".join(_COLOUR[part.key] for part in parts))
        d.set_text("part_is_dark", " ".join(str(int(_light(_COLOUR[part.key]) < DARK)) for part in parts))
        d.set_array("part_words", [part.words for part in parts])


def _at(a: Analysis) -> str:
    """Where a picture of one setting is."""
    return f"Messages of {units.size(reference_size(a))}, {wording.threads(reference_threads(a))}."


def _gaps(a: Analysis) -> list[str]:
    """Copying stages that only some of the bars lack: "send copy of zero-copy (4k, 64k)"."""
    gaps = []
    cells = [c for c in a.cells if c.threads == reference_threads(a)]
    for s in [s for s in STAGES if s.is_copy and a.has(metric.stage_bytes(s))]:
        lacking = {c for c in cells if math.isnan(a.estimate(c, metric.stage_cpb(s)).median)}
        for mode in [m for m in a.modes if s.key != "tls_copy" or m.name == "ktls"]:
            of = [c for c in cells if c.mode is mode]
            sizes = [units.size_short(c.size) for c in of if c in lacking]
            if sizes:
                at = f" ({' '.join(sizes)})" if len(sizes) < len(of) else ""
                gaps.append(f"{stage_words(s)} of {mode.words}{at}")
    return gaps


def copies(d: Draft) -> None:
    def fill(a: Analysis, cell: Cell) -> list[_Part]:
        return [_Part(s.key, stage_words(s), a.estimate(cell, metric.stage_cpb(s)).median) for s in STAGES if s.is_copy]

    # Copying stages that no run could measure; older results lack the stage of kTLS.
    missing = [stage_words(s) for s in STAGES if s.is_copy and not d.a.has(metric.stage_bytes(s))
               and (s.key != "tls_copy" or any(m.name == "ktls" for m in d.a.modes))]
    missing += _gaps(d.a)
    not_measured = f" Not measured, so not in the bars: {', '.join(missing)}." if missing else ""
    d.figure.title = "Where the bytes were copied"
    threads = wording.threads(reference_threads(d.a))
    d.figure.note = f"With {threads}; sizes in one bar where they are alike.{not_measured}"
    _Stacks(d, fill).make("copies per payload byte", d.a.sizes)
    if not d.points:
        d.figure.no_data = d.a.reason(_TX_COPY)


_PARTS = PATH_PARTS[1:-1]  # without the whole, and "other", which goes to the rest


def _per_message(cell: Cell, m: Metric) -> float:
    """us per message. Sums of the rounds are divided: parts of one whole add up so, medians do not."""
    ns = messages = 0.0
    for row in cell.rows:
        # Of the round that was timed, which may be a separate one: see times.
        sent = row[metric.TIMES_MESSAGES]
        if math.isnan(sent):
            sent = row[metric.TX_MESSAGES]
        if not math.isnan(row[m]) and sent > 0:
            ns += row[m]
            messages += sent
    return ns / messages / 1000 if messages > 0 else math.nan


def _fill_path(_: Analysis, cell: Cell) -> list[_Part]:
    rest = _per_message(cell, metric.PATH_TOTAL)
    bar = [_Part(p.key, p.heading, _per_message(cell, metric.path(p))) for p in _PARTS]
    known = [part.value for part in bar if not math.isnan(part.value)]
    return [*bar, _Part("rest", "rest", rest - sum(known))] if known else []


def _fill_sampled_path(a: Analysis, cell: Cell) -> list[_Part]:
    """The sender's CPU time by parts of its send calls; time outside them is left out."""
    us = _per_message(cell, metric.CPU_SENDER) * 1e9
    samples: Counter[PathPart | None] = Counter()
    for (owner, frames), count in a.dataset.stacks.get((cell.mode, cell.size, cell.threads), {}).items():
        if owner == SENDER:
            samples[call_part(frames)] += count
    total = sum(samples.values())
    if not total or math.isnan(us):
        return []
    bar = [_Part(p.key, p.heading, us * samples[p] / total) for p in _PARTS]
    return [*bar, _Part("rest", "rest", us * sum(samples[p] for p in (CALL, PATH_PARTS[-1])) / total)]


def send_call(d: Draft) -> None:
    at, reason = _at(d.a), d.a.reason(_PATH_COPY)
    d.pooled = True
    if any(d.a.has(metric.path(p)) for p in PATH_PARTS[1:]):
        d.figure.title = "Where the time of a send call goes"
        d.figure.note = (f"{at} inline receive: the peer's receive work, run inside the call on loopback and veth. "
                         "preempted: other tasks ran meanwhile. rest: all else of the call.")
        _Stacks(d, _fill_path).make("time per message (us)", [reference_size(d.a)])
    else:
        d.figure.title = "Where the sender's CPU time in a send call goes, from samples"
        d.figure.note = (f"{at} By samples, because the parts of a call are not timed ({reason}). CPU time only, so "
                         "without what a call sleeps. inline receive: the peer's receive work, run inside the call on "
                         "loopback and veth. rest: all else of the system call.")
        _Stacks(d, _fill_sampled_path).make("CPU time per message (us)", [reference_size(d.a)])
    if not d.points:
        d.figure.no_data = f"neither times ({reason}) nor samples ({d.a.reason(_SAMPLED)})"


def classes(d: Draft) -> None:
    """Both sides together: the tables and the data have the sides."""

    def fill(_: Analysis, cell: Cell) -> list[_Part]:
        means = {key: mean(cell, metric.class_both(c)) for key, c in CPU_CLASS.items()}
        if all(map(math.isnan, means.values())):
            return []
        return [_Part(key, text or CPU_CLASS[key].heading, sum(means[k] for k in keys if not math.isnan(means[k])))
                for key, text, keys in _PIECES]

    d.pooled = True
    d.figure.title = "CPU time by class"
    d.figure.note = (f"{_at(d.a)} Sender and receiver together, by samples of rounds of their own; means over the "
                     "rounds, which add up to the CPU time. A class without a piece: no sample fell on it.")
    _Stacks(d, fill).make("CPU time (ns per KiB)", [reference_size(d.a)])
    if not d.points:
        d.figure.no_data = d.a.reason(_SAMPLED)
