# SPDX-License-Identifier: GPL-2.0-only
"""What changed between two data sets, cell by cell and number by number, and what --fail-on-regression decides."""
from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from . import conditions, metric, stats
from .dataset import Dataset
from .metric import Better, Metric, NAN
from .stats import Difference
from .study import Analysis, Cell, Finding

CHANGE_MIN = 0.001  # smaller changes are not called changes, however little the rounds differ
_RUN_LENGTHS_ALIKE = 0.1  # as stats.relative(): a run ends with its last message
_GATED = (metric.GBPS, metric.CPU_NS_PER_KIB, metric.COPIES)


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


class Untestable(enum.Enum):
    """Why the gate of --fail-on-regression cannot test a cell of the old data set."""

    ABSENT = "no run"
    FAILED = "every run failed"
    NULL = "no "  # metric follows
    FEW = "too few rounds of "


class Gate(enum.Enum):
    """The result of --fail-on-regression for the whole comparison."""

    NONE = None  # none was asked for
    PASSED = "passed"
    FAILED = "failed"  # there is a regression
    CANNOT_TELL = "cannot_tell"  # none is seen, and not every cell could be judged


def _kind(m: Metric, f: Finding) -> Kind:
    if f.difference is Difference.UNKNOWN:
        return Kind.MISSING
    if f.untested:
        return Kind.CANNOT_SAY
    if f.difference is Difference.NOISE or abs(f.change) < CHANGE_MIN:
        return Kind.NOISE
    # Instructions per cycle have no better direction: fewer instructions for the same work also lower them. Copies
    # per byte, cycles and CPU time show what improved.
    if m.better is Better.NEITHER or m is metric.IPC:
        return Kind.OTHER
    higher = f.difference is Difference.HIGHER
    return Kind.BETTER if higher == (m.better is Better.HIGHER) else Kind.WORSE


class Changes:
    """Every number of the metrics (of those with a name) that a side has, in every cell of both, in order of mode,
    size, threads and metric. All cells of a metric are compared together.

    gate: the metrics whose worsening is a regression; None: throughput, CPU time, and copies per byte where both sides
    know it, of those that are compared.
    """

    def __init__(self, before: Analysis, after: Analysis, metrics: Collection[Metric],
                 gate: Collection[Metric] | None = None) -> None:
        self.before, self.after, self.by_name = before, after, gate is not None
        compared = [m for m in metric.ALL if m in metrics and m.name]
        self.gates = [m for m in compared
                      if m.better is not Better.NEITHER and m in (_GATED if gate is None else gate)]
        pairs = [(b, a) for b in before.cells if (a := after.peer(b, b.mode))]
        self.cells = len(pairs)
        self.cells_before, self.cells_after = (len(s.cells) - len(pairs) for s in (before, after))
        of = [(b, a, m, before.estimate(b, m).n, after.estimate(a, m).n) for b, a in pairs for m in compared]
        # With one round on a side there is no test.
        self.tests = Counter(m for _, _, m, b, a in of if b >= 2 and a >= 2 and not self._other_sides(m))
        self.list = [self._change(b, a, m) for b, a, m, nb, na in of if nb or na]
        self.of_kind = Counter(c.kind for c in self.list)
        # Comparisons that the gate can test; 0: it can never fire.
        self.gated = sum(c.gated and c.kind not in (Kind.MISSING, Kind.CANNOT_SAY) for c in self.list)

    @property
    def different(self) -> int:
        return sum(self.of_kind[k] for k in (Kind.BETTER, Kind.WORSE, Kind.OTHER))

    def _other_sides(self, m: Metric) -> bool:
        """Copies of the sender's side are fewer than copies of both sides of the same transfer."""
        b, a = self.before.dataset, self.after.dataset
        return m is metric.COPIES and ((b.copies_of_sender and a.copies_of_both)
                                       or (b.copies_of_both and a.copies_of_sender))

    def _may_be_unseen(self, c: Change) -> bool:
        """Could more copies be copies that were there before, unseen? Those of BEFORE are the least that is certain,
        and leave out stages that its hooks did not see."""
        most = self.before.estimate(c.before, metric.COPIES_AT_MOST)
        return c.metric is metric.COPIES and bool(
            self.before.dataset.copies_exclude - self.after.dataset.copies_exclude
            or (most.n and c.f.a.median <= most.median))

    def _change(self, before: Cell, after: Cell, m: Metric) -> Change:
        tests = self.tests[m] or 1
        f = self.after.compare_across(after, self.before, before, m, tests)
        c = Change(before, after, m, f)
        if f.a.n < 2 or f.b.n < 2:
            f.p = NAN
        if not f.a.n or not f.b.n:
            c.reason = (self.before if f.a.n else self.after).reason(m)
        elif self._other_sides(m):
            c.f = Finding(f.a, f.b)
            c.reason = "one data set has the sender's copies, the other those of both sides"
        c.kind = _kind(m, c.f)
        c.gated = m in self.gates and not (c.kind is Kind.WORSE and self._may_be_unseen(c))
        if c.gated:
            c.gate_p = 1.0 if math.isnan(c.f.p) else min(1.0, c.f.p * tests)
        return c

    def regressions(self, limit: float) -> int:
        return sum(c.is_regression(limit) for c in self.list)

    def environment(self) -> dict[str, tuple[str, str]]:
        """Settings and members of the environments that differ, and the length of a run: before and after, as text."""
        b, a = self.before.dataset, self.after.dataset
        result = _differences(b.environment or {}, a.environment or {})
        result.update(_differences(b.conditions, a.conditions))
        lengths = _run_length(b), _run_length(a)
        if all(n > 0 for n in lengths) and abs(stats.relative(*lengths)) >= _RUN_LENGTHS_ALIKE:
            # Measured lengths are never equal, so with two digits, and of those that are far apart.
            result["duration_s"] = f"{lengths[0]:.2g}", f"{lengths[1]:.2g}"
        return result

    def made_otherwise(self, across: Collection[str]) -> str | None:
        """The first differing setting of the traffic (not of the machine), which may explain differences. across:
        allowed settings."""
        return conditions.difference(self.before.dataset.conditions, self.after.dataset.conditions, across, True)

    def untestable(self, before: Cell) -> tuple[Untestable, Metric | None] | None:
        """Why the gate cannot test a cell, and which metric. Metrics that the old cell lacks are ignored."""
        after = self.after.peer(before, before.mode)
        if not after:
            failed = any((f.mode, f.size, f.threads) == (before.mode.name, before.size, before.threads)
                         for f in self.after.dataset.failures)
            return (Untestable.FAILED if failed else Untestable.ABSENT), None
        for m in self.gates:
            b, a = self.before.estimate(before, m).n, self.after.estimate(after, m).n
            if not b or (m is metric.COPIES and not self.by_name):
                continue
            if not a:
                return Untestable.NULL, m
            if a < 2 or b < 2 or not stats.can_differ(a, b, self.tests[m]):
                return Untestable.FEW, m
        return None

    def gate(self, limit: float, across: Collection[str]) -> Gate:
        """The decision behind text, JSON and exit status. limit: of --fail-on-regression; NaN: none."""
        if math.isnan(limit):
            return Gate.NONE
        if self.made_otherwise(across) is not None or not self.gated:
            return Gate.CANNOT_TELL
        if self.regressions(limit):
            return Gate.FAILED
        return Gate.CANNOT_TELL if any(map(self.untestable, self.before.cells)) else Gate.PASSED


def _differences(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, tuple[str, str]]:
    """The members that both have with different values."""
    texts = ((key, conditions.text(value), conditions.text(after.get(key))) for key, value in before.items())
    return {key: (b, a) for key, b, a in texts if b is not None and a is not None and a != b
            and not conditions.is_reason(key)}


def _run_length(d: Dataset) -> float:
    """Median length of a run in seconds; NaN: unknown."""
    return stats.median(row[metric.DURATION] for row in d.rows)


def parse_metric(name: str) -> Metric | None:
    """The metric that is compared under this name."""
    return next((m for m in metric.ALL if name and m.name == name), None)
