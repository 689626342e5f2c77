# SPDX-License-Identifier: GPL-2.0-only
"""Stacked bars, a group per mode and a bar per size: copies by stage, the send call by part, CPU time by class."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from .. import metric, phrases, units
from ..metric import Metric
from ..study import Analysis, Cell
from ..tables import CPU_CLASSES, Mode, MODES, PATH_PARTS, PathPart, SENDER, STAGES
from .figure import Draft, mean, pick, reference_threads, stage_words
from .stack_rules import CALL, call_part

BARS_MAX = 8  # in a group

_TX_COPY, _PATH_COPY, _SAMPLED = (metric.METRICS[id_] for id_ in ("BYTES_TX_COPY", "PATH_COPY", "CLASS_S_TX_COPY"))


@dataclass(frozen=True)
class _Part:
    """A part of a bar: its names in the data and in the legend; colour "": the template's; value NaN: unknown."""

    key: str
    words: str
    value: float
    colour: str = ""


_Fill = Callable[[Analysis, Cell], "list[_Part]"]


def _is_known(bar: list[_Part]) -> bool:
    """A bar without any known part is not drawn."""
    return any(not math.isnan(part.value) for part in bar)


class _Stacks:
    def __init__(self, d: Draft, fill: _Fill) -> None:
        self.d = d
        self.fill = fill
        self.seen: set[str] = set()
        self.last_bar: list[_Part] = []  # all bars have its parts
        self.position = 1.0
        self.last = 0.0
        self.tics: list[str] = []
        self.groups: list[str] = []

    def _add_bar(self, bar: list[_Part], cell: Cell) -> None:
        begin = 0.0
        self.last_bar = bar
        for part in bar:
            if not part.value > 0:
                continue
            self.seen.add(part.key)
            end = begin + part.value
            self.d.rows.append(f"{cell.mode.name},{cell.size},{self.position:g},{part.key},{begin:.10g},{end:.10g}\n")
            begin = end
            self.d.points += 1
        self.tics.append(f"'{units.size_short(cell.size)}' {self.position:g}")
        self.last = self.position
        self.position += 1

    def add_group(self, mode: Mode, threads: int) -> None:
        picked = pick(self.d.a.sizes, BARS_MAX)
        first = self.position
        self.d.is_partial |= len(picked) < len(self.d.a.sizes)
        for size in picked:
            cell = self.d.a.cell(mode, size, threads)
            bar = self.fill(self.d.a, cell) if cell else []
            if cell and _is_known(bar):
                self._add_bar(bar, cell)
        if self.position > first:
            self.groups.append(f"'{mode.words}' {(first + self.last) / 2:g}")
            self.position += 1  # a gap between the groups

    def make(self, ylabel: str) -> None:
        self.d.rows.append("mode,size,position,part,from,to\n")
        for mode in MODES:
            self.add_group(mode, reference_threads(self.d.a))
        parts = [part for part in self.last_bar if part.key in self.seen]
        self.d.set_text("ylabel", ylabel)
        self.d.set_text("xtics", ",".join(self.tics))
        self.d.set_text("groups", " ".join(self.groups))
        self.d.set_number("positions", self.last)
        self.d.set_text("parts", " ".join(part.key for part in parts))
        self.d.set_text("part_colors", " ".join(part.colour for part in parts if part.colour))
        self.d.set_array("part_words", [part.words for part in parts])


def copies(d: Draft) -> None:
    def fill(a: Analysis, cell: Cell) -> list[_Part]:
        return [_Part(s.key, stage_words(s), a.estimate(cell, metric.stage_cpb(s)).median) for s in STAGES if s.is_copy]

    # Copying stages that no run could measure; older results lack the stage of kTLS.
    missing = [
        stage_words(s)
        for s in STAGES
        if s.is_copy
        and not d.a.has(metric.stage_bytes(s))
        and (s.key != "tls_copy" or any(m.name == "ktls" for m in d.a.modes))
    ]
    not_measured = f" Not measured, so not in the bars: {', '.join(missing)}." if missing else ""
    d.figure.title = "Where the bytes were copied"
    d.figure.note = f"With {phrases.threads(reference_threads(d.a))}.{not_measured}"
    _Stacks(d, fill).make("copies per payload byte")
    if not d.points:
        d.figure.no_data = d.a.reason(_TX_COPY)


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
    bar = [_Part(p.key, p.heading, _per_message(cell, metric.path(p))) for p in PATH_PARTS[1:]]
    for part in bar:
        rest -= 0 if math.isnan(part.value) else part.value
    return [*bar, _Part("rest", "rest", rest)] if _is_known(bar) else bar


def _fill_sampled_path(a: Analysis, cell: Cell) -> list[_Part]:
    """The sender's CPU time by parts of its send calls; time outside them is left out."""
    profile = a.dataset.profile(cell.mode, cell.size, cell.threads)
    us = _per_message(cell, metric.CPU_SENDER) * 1e9
    samples: Counter[PathPart | None] = Counter()
    for (owner, frames), count in profile.stacks.items() if profile else ():
        if owner == SENDER:
            samples[call_part(frames)] += count
    total = sum(samples.values())
    if not total or math.isnan(us):
        return []
    bar = [_Part(p.key, p.heading, us * samples[p] / total) for p in PATH_PARTS[1:]]
    return [*bar, _Part("rest", "rest", us * samples[CALL] / total)]


def send_call(d: Draft) -> None:
    threads, reason = phrases.threads(reference_threads(d.a)), d.a.reason(_PATH_COPY)
    d.pooled = True
    if any(d.a.has(metric.path(p)) for p in PATH_PARTS[1:]):
        d.figure.title = "Where the time of a send call goes"
        d.figure.note = (
            f"With {threads}. inline receive: the peer's receive work, run inside the call on loopback and veth. "
            "preempted: other tasks ran meanwhile. rest: of the whole call, what no part has."
        )
        _Stacks(d, _fill_path).make("time per message (us)")
    else:
        d.figure.title = "Where the sender's CPU time in a send call goes, from samples"
        d.figure.note = (
            f"With {threads}. By samples, because the parts of a call are not timed ({reason}). CPU time only, so "
            "without what a call sleeps. inline receive: the peer's receive work, run inside the call on loopback "
            "and veth. rest: of the system call, what is outside of tcp_sendmsg."
        )
        _Stacks(d, _fill_sampled_path).make("CPU time per message (us)")
    if not d.points:
        d.figure.no_data = f"neither times ({reason}) nor samples ({d.a.reason(_SAMPLED)})"


def classes(d: Draft) -> None:
    """Both sides together: the tables and the data have the sides."""

    def fill(_: Analysis, cell: Cell) -> list[_Part]:
        return [_Part(c.key, c.heading, mean(cell, metric.class_both(c)), c.colour) for c in CPU_CLASSES]

    d.pooled = True
    d.figure.title = "CPU time by class"
    d.figure.note = (
        f"With {phrases.threads(reference_threads(d.a))}. Sender and receiver together, by samples of rounds of their "
        "own; means over the rounds, which add up to the CPU time."
    )
    _Stacks(d, fill).make("CPU time, ns per KiB")
    if not d.points:
        d.figure.no_data = d.a.reason(_SAMPLED)
