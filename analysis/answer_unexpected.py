# SPDX-License-Identifier: GPL-2.0-only
"""Unexpected findings: collapses, exceptions to a rule, unbalanced books, noise; each with the cost that changes most,
which does not prove a cause."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from . import answer, metric, phrases
from .answer import Answer, Table
from .metric import Metric
from .stats import Difference
from .study import Analysis, Cell, Finding, SOFTIRQ_DECIDES
from .tables import Mode, MODES, PINS, TWOCOPY
from .units import plural

_FALL_WORTH_TELLING = 0.7  # of the neighbour's throughput
_COLLAPSE_WORTH_TELLING = 0.9  # of the throughput of the fewest threads
_RULE_SHARE = 0.8  # of the cells, for the rest to be exceptions
_NOISE_WORTH_TELLING = 0.2  # interval / median
_FACTOR_WORTH_TELLING = 1.2
_ROWS_MAX = 12  # of one kind, the largest changes

# Costs that may change together with throughput. No latencies: in a closed loop, latency follows from throughput.
_COSTS = (metric.CONTEXT_SWITCHES_PER_GIB, metric.LLC_MISSES_PER_KIB, metric.L1D_MISSES_PER_KIB, metric.CYCLES_PER_BYTE,
          metric.CPU_NS_PER_KIB, metric.COPIES, metric.METRICS["CPB_DEFERRED_COPY"], metric.COPIED_FRACTION)
# Only where the payload, which they should be divided by, is unknown.
_RAW_COSTS = (metric.CONTEXT_SWITCHES, metric.LLC_MISSES, metric.L1D_MISSES)


@dataclass
class _Count:
    """How often something was found, and where it could have been."""

    nr: int = 0
    of: int = 0


@dataclass
class _Oddity:
    """Two cells that differ in a way that is worth a row."""

    cell: Cell
    other: Cell
    f: Finding


def _direction(f: Finding) -> int:
    """1: certainly higher, or higher in the only runs; -1: lower; 0: neither."""
    return f.sign if f.holds or f.difference is Difference.POINT else 0


def _explain(a: Analysis, x: Cell, y: Cell) -> str:
    """ "context switches per GiB x 12.3": the cost that changes most between x and y."""
    # Only a higher cost can explain a lower throughput, and vice versa.
    wanted = 1 if a.compare(x, y, metric.GBPS).change < 0 else -1
    text, strength = "none in this direction", math.log(_FACTOR_WORTH_TELLING)
    for m in _COSTS + (() if a.has(metric.PAYLOAD) else _RAW_COSTS):
        f = a.compare(x, y, m)
        if _direction(f) != wanted or not f.change > -1 or not abs(math.log1p(f.change)) > strength:
            continue
        strength = abs(math.log1p(f.change))
        text = (f"{m.words}, {phrases.value(m, f.b.median)} to {phrases.value(m, f.a.median)} "
                f"({phrases.factor(f.b.median, f.a.median)})" + (SOFTIRQ_DECIDES if f.softirq_decides else ""))
    return text


def _put_throughput(a: Analysis, t: Table, what: str, cell: Cell | None) -> None:
    if cell:
        t.put(what, phrases.cell(cell), phrases.estimate(metric.GBPS, a.estimate(cell, metric.GBPS)), "", "", "")


def _contrast(cell: Cell, other: Cell) -> str:
    """ "two-copy", "1 thread" or "16 KiB": in what the other cell differs."""
    if cell.mode is not other.mode:
        return other.mode.words
    return phrases.threads(other.threads) if cell.size == other.size else phrases.size(other.size)


def _put_oddities(a: Analysis, t: Table, what: str, m: Metric, found: list[_Oddity]) -> None:
    """Rows of one kind, the largest changes first."""
    for o in sorted(found, key=lambda o: (-abs(o.f.change), o.cell.index))[:_ROWS_MAX]:
        value = phrases.value(m, o.f.a.median)
        t.put(what, phrases.cell(o.cell), value if m is metric.GBPS else f"{value} {m.words}",
              f"{_contrast(o.cell, o.other)}: {phrases.value(m, o.f.b.median)}", phrases.finding(o.f),
              _explain(a, o.cell, o.other))


def _put_drops(a: Analysis, t: Table, what: str, find: Callable[[Cell], Cell | None], worth: float) -> _Count:
    """Cells whose throughput is below `worth` times that of another that should be slower."""
    found, of = [], 0
    for x in a.cells:
        other = find(x)
        f = a.compare(x, other, metric.GBPS)
        if not other or x is other or f.difference is Difference.UNKNOWN:
            continue
        of += 1
        if _direction(f) < 0 and f.change < worth - 1:
            found.append(_Oddity(x, other, f))
    _put_oddities(a, t, what, metric.GBPS, found)
    return _Count(len(found), of)


def _put_exceptions(a: Analysis, t: Table, mode: Mode, m: Metric, count: _Count) -> None:
    """Cells where a metric of a mode changes in another direction than in nearly all others."""
    found: dict[int, list[_Oddity]] = {1: [], -1: [], 0: []}
    for x in a.cells:
        two = a.peer(x, TWOCOPY)
        f = a.compare(x, two, m)
        if x.mode is mode and two and f.difference is not Difference.UNKNOWN:
            found[_direction(f)].append(_Oddity(x, two, f))
    ups, downs, of = found[1], found[-1], sum(map(len, found.values()))
    rare = ups if len(ups) < len(downs) else downs
    if max(len(ups), len(downs)) < _RULE_SHARE * of:
        rare = []
    _put_oddities(a, t, f"Against the rule ({len(rare)} of {of} setting{plural(of)})", m, rare)
    count.nr += len(rare)
    count.of += of


def _put_books(out: Answer, t: Table) -> _Count:
    count = _Count()
    for m, what in ((metric.UNACCOUNTED_TX, "Bytes sent that are unaccounted for"),
                    (metric.UNACCOUNTED_RX, "Bytes received that are unaccounted for"),
                    (metric.MISSED, "Missed events")):
        values = [row[m] for row in out.a.dataset.rows if not math.isnan(row[m])]
        wrong = sum(value != 0 for value in values)
        if values:
            t.put(what, f"{len(values)} run{plural(len(values))}", f"not 0 in {wrong}" if wrong else "0 in all", "", "",
                  "")
        count.nr += wrong != 0
        count.of += bool(values)
    if not count.of:
        out.lack("Not shown: whether the books balance, because the data has no ledger "
                 f"({out.a.reason(metric.UNACCOUNTED_TX)}).")
    return count


def _put_noise(a: Analysis, t: Table) -> _Count:
    wide, worst, widest = _Count(of=len(a.cells)), None, 0.0
    for cell in a.cells:
        e = a.estimate(cell, metric.GBPS)
        if not e.has_interval or e.high == e.low:
            continue
        width = (e.high - e.low) / e.median if e.median else math.inf
        wide.nr += width > _NOISE_WORTH_TELLING
        if width > widest:
            worst, widest = cell, width
    _put_throughput(a, t, "Widest interval of throughput", worst)
    return wide


def _put_zero(a: Analysis, t: Table) -> _Count:
    zero = _Count(sum(row[metric.GBPS] == 0 for row in a.dataset.rows), len(a.dataset.rows))
    if zero.nr:
        t.put("Nothing arrived", f"{zero.nr} of {zero.of} run{plural(zero.of)}", phrases.value(metric.GBPS, 0), "", "",
              "")
    return zero


def make(out: Answer) -> None:
    """Fills in the answer."""
    a = out.a
    if not a.has(metric.GBPS):
        out.say("Not measured: no run has a throughput.")
        return
    # Texts are empty where something does not apply.
    t = out.table(f"Peaks and findings{out.unless_certain()}:", "What", "Where", "Value", "Against", "Change",
                  "Cost that changes most with it")
    for mode in MODES:
        _put_throughput(a, t, f"Highest throughput of {mode.words}", a.peak(mode, metric.GBPS))
    zero = _put_zero(a, t)
    collapses = _put_drops(a, t, "Collapse with more threads", lambda c: a.cell(c.mode, c.size, a.threads[0]),
                           _COLLAPSE_WORTH_TELLING)
    falls = _put_drops(a, t, "Larger messages, lower throughput",
                       lambda c: a.cell(c.mode, a.smaller(c.size), c.threads), _FALL_WORTH_TELLING)
    exceptions = _Count()
    for mode in MODES:
        if mode is not TWOCOPY:
            _put_exceptions(a, t, mode, metric.GBPS, exceptions)
        if mode.has(PINS):
            _put_exceptions(a, t, mode, metric.LLC_MISSES, exceptions)
    noise = _put_noise(a, t)
    books = _put_books(out, t)
    out.end_table()
    out.answered = True
    _say_found(out, {"books that do not balance": books, "runs in which nothing arrived": zero,  # the gravest first
                     "collapse with more threads": collapses, "fall with larger messages": falls,
                     "cells against the rule": exceptions, "intervals of throughput wider than 20 %": noise})
    if collapses.nr or falls.nr or exceptions.nr:
        out.lack("The cost that changes most with a finding is no proof of its cause.")


def _say_found(out: Answer, found: dict[str, _Count]) -> None:
    can_claim = answer.can_claim(out.a)
    words = [f"{what} ({count.nr} of {count.of})" for what, count in found.items() if count.nr]
    if not can_claim:
        out.say(f"{answer.cannot_claim(out.a)}.")
    if words:
        out.say(f"Found: {phrases.items(words)}.")
    else:
        out.say(f"Nothing{' outside the noise' if can_claim else ''}: no collapse, no fall with size, no cell against "
                "the rule.")
