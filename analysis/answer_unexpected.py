# SPDX-License-Identifier: GPL-2.0-only
"""Unexpected findings: collapses, exceptions to a rule, unbalanced books, noise; each with the cost that changes most,
which does not prove a cause."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from . import answer, metric, wording
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


class _Count(NamedTuple):
    """How often something was found, and where it could have been."""

    nr: int
    of: int


class _Oddity(NamedTuple):
    """Two cells that differ in a way that is worth a row."""

    cell: Cell
    other: Cell
    f: Finding


def _direction(f: Finding) -> int:
    """1: certainly higher, or higher in the only runs; -1: lower; 0: neither."""
    return f.sign if f.difference.holds or f.difference is Difference.POINT else 0


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
        text = (f"{m.words}, {wording.value(m, f.b.median)} to {wording.value(m, f.a.median)} "
                f"({wording.factor(f.b.median, f.a.median)})" + (SOFTIRQ_DECIDES if f.softirq_decides else ""))
    return text


def _put_throughput(a: Analysis, t: Table, what: str, cell: Cell | None) -> None:
    if cell:
        t.put(what, wording.cell(cell), wording.estimate(metric.GBPS, a.estimate(cell, metric.GBPS)), "", "", "")


def _contrast(cell: Cell, other: Cell) -> str:
    """ "two-copy", "1 thread" or "16 KiB": in what the other cell differs."""
    if cell.mode is not other.mode:
        return other.mode.words
    return wording.threads(other.threads) if cell.size == other.size else wording.size(other.size)


def _put_oddities(a: Analysis, t: Table, what: str, m: Metric, found: list[_Oddity]) -> None:
    """Rows of one kind, the largest changes first."""
    for o in sorted(found, key=lambda o: (-abs(o.f.change), o.cell.index))[:_ROWS_MAX]:
        value = wording.value(m, o.f.a.median)
        t.put(what, wording.cell(o.cell), value if m is metric.GBPS else f"{value} {m.words}",
              f"{_contrast(o.cell, o.other)}: {wording.value(m, o.f.b.median)}", wording.finding(o.f),
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


def _put_exceptions(a: Analysis, t: Table, mode: Mode, m: Metric) -> _Count:
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
    return _Count(len(rare), of)


def _put_books(out: Answer, t: Table) -> _Count:
    known = []  # runs of each kind that are wrong
    for m, what in ((metric.UNACCOUNTED_TX, "Bytes sent that are unaccounted for"),
                    (metric.UNACCOUNTED_RX, "Bytes received that are unaccounted for"),
                    (metric.MISSED, "Missed events")):
        values = [row[m] for row in out.a.dataset.rows if not math.isnan(row[m])]
        wrong = sum(value != 0 for value in values)
        if values:
            t.put(what, f"{len(values)} run{plural(len(values))}", f"not 0 in {wrong}" if wrong else "0 in all", "", "",
                  "")
            known.append(wrong)
    if not known:
        out.lack("Not shown: whether the books balance, because the data has no ledger "
                 f"({out.a.reason(metric.UNACCOUNTED_TX)}).")
    return _Count(sum(map(bool, known)), len(known))


def _put_noise(a: Analysis, t: Table) -> _Count:
    widths = {cell: (e.high - e.low) / e.median if e.median else math.inf for cell in a.cells
              if (e := a.estimate(cell, metric.GBPS)).has_interval and e.high != e.low}
    _put_throughput(a, t, "Widest interval of throughput", max(widths, key=widths.__getitem__, default=None))
    return _Count(sum(width > _NOISE_WORTH_TELLING for width in widths.values()), len(a.cells))


def _put_zero(a: Analysis, t: Table) -> _Count:
    zero = _Count(sum(row[metric.GBPS] == 0 for row in a.dataset.rows), len(a.dataset.rows))
    if zero.nr:
        t.put("Nothing arrived", f"{zero.nr} of {zero.of} run{plural(zero.of)}", wording.value(metric.GBPS, 0), "", "",
              "")
    return zero


def make(out: Answer) -> None:
    """Fills in the answer."""
    a = out.a
    if not a.has(metric.GBPS):
        out.say(f"Not measured: {a.reason(metric.GBPS)}.")
        return
    # Texts are empty where something does not apply.
    t = out.table(f"Highest medians and findings{out.unless_certain()}:", "What", "Where", "Value", "Against", "Change",
                  "Cost that changes most with it")
    for mode in MODES:
        _put_throughput(a, t, f"Highest throughput of {mode.words}", a.peak(mode, metric.GBPS))
    zero = _put_zero(a, t)
    collapses = _put_drops(a, t, "Collapse with more threads", lambda c: a.cell(c.mode, c.size, a.threads[0]),
                           _COLLAPSE_WORTH_TELLING)
    falls = _put_drops(a, t, "Larger messages, lower throughput",
                       lambda c: a.cell(c.mode, a.smaller(c.size), c.threads), _FALL_WORTH_TELLING)
    of_modes = [_put_exceptions(a, t, mode, m) for mode in MODES for m, is_ruled in (
        (metric.GBPS, mode is not TWOCOPY), (metric.LLC_MISSES, mode.has(PINS))) if is_ruled]
    exceptions = _Count(*map(sum, zip(*of_modes)))
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
        out.say(f"Found: {wording.items(words)}.")
    else:
        kinds = ("collapse with more threads", "fall with larger messages", "cells against the rule")
        nothing = ", ".join(f"no {kind}" for kind in kinds if found[kind].of)
        out.say(f"Nothing{' outside the noise' if can_claim else ''}: {nothing or 'no two cells can be compared'}.")
