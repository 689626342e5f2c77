# SPDX-License-Identifier: GPL-2.0-only
"""What changed between two sides, cell by cell and number by number, and what --fail-on-regression decides.

A side is a data set, or several of the same settings. Two data sets are compared by the rule of stats.py, more by that
of sweeps.py.
"""
from __future__ import annotations

import enum
import itertools
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from . import conditions, metric, stats, sweeps
from .metric import Better, Metric, NAN
from .stats import Difference, Estimate
from .study import Analysis, Cell, Finding
from .units import plural

CHANGE_MIN = 0.001  # smaller changes are not called changes, however little the rounds differ
_RUN_LENGTHS_ALIKE = 0.1  # as stats.relative(): a run ends with its last message
_GATED = (metric.GBPS, metric.CPU_NS_PER_KIB, metric.COPIES)
_COUNTED = (metric.COPIES, metric.COPIED_FRACTION)  # whatever the load
# Other machines, or settings of theirs that no kernel brings along.
_MACHINE = ("host", "cpu", "cpus", "virtualization", "governor", "receiver.host", "receiver.cpu")
# With one sweep a side: a program that runs all the time adds 1 to the load, and what ended a minute ago 0.37.
_LOAD_APART = 0.5
# Shares of CPU time: as much more time goes to others, half of what the gate looks for.
_SHARE_OF_LIMIT = 0.5
_IN_TURN = "; sweep again without, or compare several sweeps a side, made in turn (A1,A2 B1,B2)"


class Kind(enum.Enum):
    """A change in words: the verdict of the document."""

    MISSING = "missing"  # only one side has a value
    CANNOT_SAY = "cannot_say"  # one round on a side, or too few rounds to show a difference
    NOISE = "noise"  # no difference, or less than CHANGE_MIN
    BETTER = "better"  # these three: different by the rule of stats.py
    WORSE = "worse"
    OTHER = "different"  # no better direction


@dataclass
class Change:
    """One number of a cell that both data sets have."""

    before: Cell
    after: Cell
    metric: Metric
    f: Finding  # of after (a) against before (b); p is NaN without a test
    kind: Kind = Kind.MISSING
    gated: bool = False  # getting worse is a regression
    gate_p: float = NAN  # p x comparisons of the metric, at most 1; NaN: not gated
    reason: str = ""  # of MISSING: why the other side has none

    def is_regression(self, limit: float) -> bool:
        """Gated, worse, and by more than limit (0.05: 5 %). From 0 to anything is more."""
        if not self.gated or self.kind is not Kind.WORSE:
            return False
        return limit < math.inf if math.isnan(self.f.change) else abs(self.f.change) > limit

    def may_exceed(self, limit: float) -> bool:
        """Does the interval hold a worsening by more than limit? The end of one that reaches from 0 to more is NaN."""
        if self.metric.better is Better.HIGHER:
            return -self.f.low > limit
        return self.f.high > limit or (math.isnan(self.f.high) and self.f.a.high > 0)


class Untestable(enum.Enum):
    """Why the gate of --fail-on-regression cannot test a cell of the old data set."""

    ABSENT = "no run"
    FAILED = "every run failed"
    NULL = "no "  # metric follows
    FEW = "too few rounds of "
    OTHER_SIDES = "of other sides: "


class Gate(enum.Enum):
    """The result of --fail-on-regression for the whole comparison."""

    NONE = None  # none was asked for
    PASSED = "passed"
    FAILED = "failed"  # there is a regression
    CANNOT_TELL = "cannot_tell"  # none is seen, and not every cell could be judged


def has_direction(m: Metric) -> bool:
    """Can it be better or worse?"""
    return m.better is not Better.NEITHER and m is not metric.IPC


def _kind(m: Metric, f: Finding) -> Kind:
    if f.difference is Difference.UNKNOWN:
        return Kind.MISSING
    if f.difference.untested:
        return Kind.CANNOT_SAY
    if f.difference is Difference.NOISE or abs(f.change) < CHANGE_MIN:
        return Kind.NOISE
    # Instructions per cycle have no better direction: fewer instructions for the same work also lower them. Copies
    # per byte, cycles and CPU time show what improved.
    if not has_direction(m):
        return Kind.OTHER
    higher = f.difference is Difference.HIGHER
    return Kind.BETTER if higher == (m.better is Better.HIGHER) else Kind.WORSE


class Changes:
    """Every number of the metrics (of those with a name) that a side has, in every cell of both, in order of mode,
    size, threads and metric. All cells of a metric are compared together.

    gate: the metrics whose worsening is a regression; None: throughput, CPU time, and copies per byte where both sides
    know it, of those that are compared.
    """

    def __init__(self, before: Sequence[Analysis], after: Sequence[Analysis], metrics: Collection[Metric],
                 gate: Collection[Metric] | None = None) -> None:
        self.sides, self.by_name = (before, after), gate is not None
        self.before, self.after = before[0], after[0]
        self.several = len(before) + len(after) > 2
        compared = [m for m in metric.ALL if m in metrics and m.name]
        self.gates = [m for m in compared if has_direction(m) and m in (_GATED if gate is None else gate)]
        self.cells_of = _cells(before), _cells(after)
        pairs = [(b, a) for b in self.cells_of[0]
                 if (a := after[0].peer(b, b.mode)) and all(s.peer(b, b.mode) for side in self.sides for s in side)]
        self.cells = len(pairs)
        of = [(b, a, m, self._rounds(0, b, m), self._rounds(1, b, m)) for b, a in pairs for m in compared]
        # With one round on a side there is no test.
        self.tests = Counter(m for _, _, m, b, a in of if (
            min(b) > 0 < min(a) if self.several else b[0] >= 2 <= a[0]) and not self._other_sides(m))
        self.noise: dict[Metric, sweeps.Noise] = {}
        findings = {m: self._findings(m, [b for b, _, of_m, nb, na in of if of_m is m and min(nb) > 0 < min(na)])
                    for m in self.tests if self.several}
        self.list = [self._change(b, a, m, findings.get(m, {}).get(b)) for b, a, m, nb, na in of if any(nb) or any(na)]
        self.of_kind = Counter(c.kind for c in self.list)
        # Comparisons that the gate can test; 0: it can never fire.
        self.gated = sum(c.gated and c.kind not in (Kind.MISSING, Kind.CANNOT_SAY) for c in self.list)

    def only_in(self, side: int) -> int:
        """Cells that no sweep of the other side has."""
        return sum(not any(s.peer(c, c.mode) for s in self.sides[1 - side]) for c in self.cells_of[side])

    def not_in_each(self, side: int) -> int:
        """Cells of both sides that some sweep lacks."""
        return len(self.cells_of[side]) - self.cells - self.only_in(side)

    def _rounds(self, side: int, cell: Cell, m: Metric) -> list[int]:
        """The rounds with a value in each sweep of a side."""
        return [s.estimate(s.peer(cell, cell.mode), m).n for s in self.sides[side]]

    def _findings(self, m: Metric, cells: Sequence[Cell]) -> dict[Cell, Finding]:
        """Of a metric that every sweep has in these cells."""

        def rounds(side: int, cell: Cell) -> list[list[float]]:
            found = (s.peer(cell, cell.mode) for s in self.sides[side])
            return [[row[m] for row in c.rows if math.isfinite(row[m])] for c in found if c]

        found, self.noise[m] = sweeps.compare([((c.mode, c.size, c.threads), rounds(0, c), rounds(1, c))
                                               for c in cells])
        return dict(zip(cells, found))

    @property
    def different(self) -> int:
        return sum(self.of_kind[k] for k in (Kind.BETTER, Kind.WORSE, Kind.OTHER))

    def _other_sides(self, m: Metric) -> bool:
        """Copies of the sender's side are fewer than copies of both sides of the same transfer."""
        of = [set().union(*(s.dataset.copies_of for s in side)) for side in self.sides]
        return m is metric.COPIES and any(a != b for a in of[0] for b in of[1])

    def _may_be_unseen(self, c: Change) -> bool:
        """Could more copies be copies that were there before, unseen? Those of BEFORE are the least that is certain,
        and leave out stages that its hooks did not see."""
        excluded = [set().union(*(s.dataset.copies_exclude for s in side)) for side in self.sides]
        most = [s.estimate(s.peer(c.before, c.before.mode), metric.COPIES_AT_MOST).median for s in self.sides[0]]
        return c.metric is metric.COPIES and bool(excluded[0] - excluded[1] or any(c.f.a.median <= of for of in most))

    def _change(self, before: Cell, after: Cell, m: Metric, f: Finding | None) -> Change:
        """f: of several sweeps a side."""
        tests = self.tests[m] or 1
        if f is None and self.several:  # some sweep has no value
            b, a = (Estimate(n=sum(self._rounds(side, before, m))) for side in (0, 1))
            f = Finding(a, b)
        elif f is None:
            f = self.after.compare_across(after, self.before, before, m, tests)
        c = Change(before, after, m, f)
        if f.a.n < 2 or f.b.n < 2:
            f.p = NAN
        lacking = [s for side in self.sides for s in side if not s.estimate(s.peer(before, before.mode), m).n]
        if lacking:
            c.reason = lacking[0].reason(m)
        elif self._other_sides(m):
            c.f = Finding(f.a, f.b)
            c.reason = "one data set has the sender's copies, the other those of both sides"
        c.kind = _kind(m, c.f)
        c.gated = m in self.gates and not (c.kind is Kind.WORSE and self._may_be_unseen(c))
        if c.gated:
            c.gate_p = NAN if self.several else 1.0 if math.isnan(c.f.p) else min(1.0, c.f.p * tests)
        return c

    def undecided(self, limit: float) -> int:
        """Gated comparisons that show no regression, and whose intervals hold one."""
        return sum(c.gated and c.kind in (Kind.NOISE, Kind.WORSE) and not c.is_regression(limit)
                   and c.may_exceed(limit) for c in self.list)

    def environment(self) -> dict[str, tuple[str, str]]:
        """Settings and members of the environments that differ, and the length of a run: before and after, as text."""
        result = _differences(*(conditions.merged(conditions.flat(s.dataset.environment or {}) for s in side)
                                for side in self.sides))
        result.update(_differences(*self._conditions()))
        lengths = _run_length(self.sides[0]), _run_length(self.sides[1])
        if all(n > 0 for n in lengths) and abs(stats.relative(*lengths)) >= _RUN_LENGTHS_ALIKE:
            # Measured lengths are never equal, so with two digits, and of those that are far apart.
            result["duration_s"] = f"{lengths[0]:.2g}", f"{lengths[1]:.2g}"
        return result

    def _conditions(self) -> list[dict[str, str]]:
        """Of each side: a setting that one sweep does not name is that of the others."""
        return [conditions.merged(s.dataset.conditions for s in side) for side in self.sides]

    def made_otherwise(self, across: Collection[str]) -> str | None:
        """The first differing setting of the traffic (not of the machine), which may explain differences. across:
        allowed settings."""
        before, after = self._conditions()
        return conditions.difference(before, after, across, True)

    def untestable(self, before: Cell) -> tuple[Untestable, Metric | None] | None:
        """Why the gate cannot test a cell, and which metric. Metrics that the old cells lack are ignored."""
        key = before.mode.name, before.size, before.threads
        for s in (*self.sides[0], *self.sides[1]):
            if not s.peer(before, before.mode):
                failed = any((f.mode, f.size, f.threads) == key for f in s.dataset.failures)
                return (Untestable.FAILED if failed else Untestable.ABSENT), None
        for m in self.gates:
            b, a = self._rounds(0, before, m), self._rounds(1, before, m)
            if not any(b) or (m is metric.COPIES and not self.by_name):
                continue
            if not all(b + a):
                return Untestable.NULL, m
            if self._other_sides(m):
                return Untestable.OTHER_SIDES, m
            if not self.several and (a[0] < 2 or b[0] < 2 or not stats.can_differ(a[0], b[0], self.tests[m])):
                return Untestable.FEW, m
        return None

    def order(self) -> str | None:
        """ "ABAB": the sweeps of BEFORE (A) and AFTER (B) in the order in which they began; None: not known."""
        began = [(text, name) for name, side in zip("AB", self.sides) for s in side
                 if (text := conditions.text((s.dataset.environment or {}).get("started")))]
        if len(began) < len(self.sides[0]) + len(self.sides[1]):
            return None
        return "".join(name for _, name in sorted(began))

    def emulated(self) -> bool:
        """Is a machine emulated, so that its documents have no time, rate or counter to compare?"""
        return any(conditions.is_emulated(s.dataset.conditions) for side in self.sides for s in side)

    def doubts(self, limit: float, across: Collection[str]) -> list[str]:
        """What a worse throughput or time may come from, besides what is compared."""
        result = ["a machine is emulated, so that no time or rate is compared"] if self.emulated() else []
        for key in _MACHINE:
            b, a = (sorted({s.dataset.conditions[key] for s in side if key in s.dataset.conditions})
                    for side in self.sides)
            if b and a and b != a and key not in across:
                result.append(f"the machines differ in {key} ({', '.join(b)} -> {', '.join(a)}); if you compare just "
                              f"that, add --across {key}")
        order = self.order()
        if self.several:
            if order and len(list(itertools.groupby(order))) == 2:
                result.append(f"the sweeps were made in the order {order}, where a slow drift of the machine looks "
                              "like a change: make them in turn, A B A B")
            return result
        return result + _other_load(self.before.dataset.load, self.after.dataset.load, limit)

    def failures(self, limit: float, across: Collection[str]) -> list[Change]:
        """The regressions that make the gate fail."""
        if self.made_otherwise(across) is not None or not self.gated:
            return []
        found = [c for c in self.list if c.is_regression(limit)]
        return [c for c in found if c.metric in _COUNTED] if found and self.doubts(limit, across) else found

    def gate(self, limit: float, across: Collection[str]) -> Gate:
        """The decision behind text, JSON and exit status. limit: of --fail-on-regression; NaN: none."""
        if math.isnan(limit):
            return Gate.NONE
        if self.failures(limit, across):
            return Gate.FAILED
        cannot = (self.made_otherwise(across) is not None or not self.gated
                  or any(map(self.untestable, self.cells_of[0]))
                  or (any(m not in _COUNTED for m in self.gates) and self.doubts(limit, across)))
        return Gate.CANNOT_TELL if cannot else Gate.PASSED


def _cells(side: Sequence[Analysis]) -> list[Cell]:
    """Those that any sweep has, each once."""
    found = {(c.mode.index, c.size, c.threads): c for s in reversed(side) for c in s.cells}
    return [found[key] for key in sorted(found)]


def _other_load(before: Mapping[str, list[float]], after: Mapping[str, list[float]], limit: float) -> list[str]:
    """Of one sweep a side: what else the machine did, if more in one than in the other. Means over the runs."""
    known = {key: (sum(before[key]) / len(before[key]), sum(after[key]) / len(after[key])) for key in before
             if before[key] and after.get(key)}
    result = [f"{who} took {b * 100:.1f} % -> {a * 100:.1f} % of the CPU time ({key}){_IN_TURN}"
              for key, who in (("cpu_steal", "the host"), ("cpu_others", "other programs")) if key in known
              for b, a in [known[key]] if abs(a - b) > _SHARE_OF_LIMIT * limit]
    cpus, loads = known.get("cpus", (NAN, NAN)), known.get("load_average")
    if loads and "cpu_others" not in known and (
            abs(loads[1] - loads[0]) > _LOAD_APART or any(load > nr for load, nr in zip(loads, cpus))):
        on = f" on {cpus[0]:.0f} CPU{plural(int(cpus[0]))}" if cpus[0] > 0 else ""
        result.append(f"other programs ran (load average {loads[0]:.1f} -> {loads[1]:.1f}{on}){_IN_TURN}")
    return result


def _differences(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, tuple[str, str]]:
    """The members that both have with different values; last what changes while a machine stays the same."""
    texts = ((key, conditions.member(before, key), conditions.member(after, key)) for key in
             sorted(before, key=conditions.passes))
    return {key: (b, a) for key, b, a in texts if b is not None and a is not None and a != b
            and not conditions.is_reason(key)}


def _run_length(side: Sequence[Analysis]) -> float:
    """Median length of a run in seconds; NaN: unknown."""
    return stats.median(row[metric.DURATION] for s in side for row in s.dataset.rows)
