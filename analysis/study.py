# SPDX-License-Identifier: GPL-2.0-only
"""A data set as cells (one mode, size and thread count) with medians and intervals, and comparisons of two cells.

The machine is faster in some rounds of a sweep than in others. Such drift would hide differences between modes, so a
comparison divides each value by the pace of its round: the median, over the runs of the other modes in this round, of
value / median of its cell. Runs of the compared modes have no part in it, so that the pace cannot invent a difference.
There is no pace where a round has fewer than PACE_RUNS_MIN such runs, and none between two data sets: there, rounds
that differ as a whole can be the only sign that the two machines or days differ.

Rounds that depend on each other count as fewer, by the correlation of consecutive rounds that all cells show together:
in the interval of a median by that of the values, in a comparison by that of the values without what the cells of a
round have in common. Neither is applied between two data sets.
"""
from __future__ import annotations

import enum
import functools
import itertools
import math
from dataclasses import dataclass, field

from . import metric, stats
from .dataset import Dataset, Row
from .metric import Metric, NAN
from .stats import Dependence, Difference, Estimate, RankTest
from .tables import Mode, MODES

PACE_RUNS_MIN = 4

SOFTIRQ_DECIDES = "; softirq work on other tasks can change it"
SOFTIRQ_UNKNOWN = "softirq work on other tasks was not sampled or can change the order"


class Family(enum.Enum):
    """Kinds of comparisons: those of one kind share the level."""

    MODES = 0  # two modes, at one size and thread count
    THREADS = 1  # a thread count against the fewest
    SIZES = 2  # a size against the next smaller one
    ALONE = 3  # any other two cells: a comparison on its own


@dataclass(eq=False)
class Cell:
    """Runs of one mode, size and thread count."""

    mode: Mode
    size: int
    threads: int
    index: int  # among the cells
    rows: list[Row] = field(default_factory=list)
    estimates: dict[Metric, Estimate] = field(default_factory=dict)  # computed when first asked for


@dataclass
class Finding:
    """Whether the number of one cell is higher or lower than that of another, with the evidence. NaN: none."""

    a: Estimate  # over all rounds of each
    b: Estimate
    change: float = NAN  # of the medians, a / b - 1; NaN: unknown, or b is 0
    low: float = NAN  # interval of the change
    high: float = NAN
    coverage: float = NAN
    sign: int = 0  # of the difference of the medians
    p: float = NAN  # of this comparison alone
    tests: int = 1  # simultaneous comparisons
    difference: Difference = Difference.UNKNOWN
    # Of CPU time of the processes, within one data set: softirq work on other tasks is unknown or can change what is
    # found. Imported data without a figure of it is taken as it is.
    softirq_decides: bool = False


class Analysis:
    """The cells of a data set, which must not change afterwards."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.cells: list[Cell] = []  # in order of mode, size, threads
        self.by_key: dict[tuple[Mode, int, int], Cell] = {}
        for row in dataset.rows:
            key = (row.mode, row.size, row.threads)
            if key not in self.by_key:
                self.by_key[key] = Cell(*key, index=len(self.cells))
                self.cells.append(self.by_key[key])
            self.by_key[key].rows.append(row)
        self.sizes = sorted({c.size for c in self.cells})
        self.threads = sorted({c.threads for c in self.cells})
        self.modes = [m for m in MODES if any(c.mode is m for c in self.cells)]
        rounds = [len(c.rows) for c in self.cells]
        self.rounds_min, self.rounds_max = min(rounds, default=0), max(rounds, default=0)
        self._blocks = _find_blocks(dataset.rows)
        self._blocks_nr = len(set(self._blocks.values()))
        # Computed when first asked for.
        self.dependence = functools.cache(self._dependence)
        self.tests = functools.cache(self._tests)
        self._pace = functools.cache(self._find_pace)
        self._test = functools.cache(self._rank_test)

    def block(self, row: Row) -> int:
        """All runs measured in one round, over all cells, have the same block number."""
        return self._blocks[row]

    def cell(self, mode: Mode | None, size: int, threads: int) -> Cell | None:
        return self.by_key.get((mode, size, threads)) if mode else None

    def peer(self, cell: Cell, mode: Mode) -> Cell | None:
        """The cell of another mode at the same size and thread count."""
        return self.cell(mode, cell.size, cell.threads)

    def smaller(self, size: int) -> int:
        """The next smaller size there is; 0: it is the smallest."""
        at = self.sizes.index(size) if size in self.sizes else 0
        return self.sizes[at - 1] if at else 0

    def estimate(self, cell: Cell | None, m: Metric) -> Estimate:
        """Median and interval of a metric in a cell; of n 0 when there is no cell."""
        if cell is None:
            return Estimate()
        if m not in cell.estimates:
            cell.estimates[m] = stats.estimate((row[m] for row in cell.rows), self.dependence(m, False).share)
        return cell.estimates[m]

    def _dependence(self, m: Metric, compared: bool) -> Dependence:
        """Of a cell's rounds on each other, each value in relation to the median of its cell. compared: less the median
        of all cells in its round."""
        if self.rounds_max < stats.DEPENDENCE_ROUNDS_MIN:
            return Dependence()
        series: list[list[tuple[int, float]]] = []
        rounds: dict[int, list[float]] = {}
        for cell in self.cells:
            middle = stats.median(row[m] for row in cell.rows)
            if middle > 0:
                series.append(sorted((self._blocks[row], row[m] / middle) for row in cell.rows
                                     if math.isfinite(row[m])))
                for block, v in series[-1]:
                    rounds.setdefault(block, []).append(v)
        if not compared:
            return stats.dependence([[v for _, v in cell] for cell in series], len(series))
        common = {block: stats.median_of(sorted(values)) for block, values in rounds.items() if len(values) > 1}
        return stats.dependence([[v - common[block] for block, v in cell if block in common] for cell in series],
                                len(series) - 1)

    def has(self, m: Metric) -> bool:
        """Has any run a value?"""
        return m in self._with_value

    @functools.cached_property
    def _with_value(self) -> set[Metric]:
        lacking = {bytes(map(math.isnan, row.values)) for row in self.dataset.rows}  # few: most runs have the same
        return {m for m in metric.ALL if not all(of[m.index] for of in lacking)}

    def compare(self, x: Cell | None, y: Cell | None, m: Metric) -> Finding:
        """x against y, as one comparison of its kind. UNKNOWN when one is None."""
        return self.compare_across(x, self, y, m, self.tests(self.family(x, y), m) if x and y else 1)

    def compare_across(self, x: Cell | None, other: Analysis, y: Cell | None, m: Metric, tests: int) -> Finding:
        """A cell of this data set against a cell of another, as one of `tests` comparisons."""
        ex, ey = self.estimate(x, m), other.estimate(y, m)
        if not x or not y or not ex.n or not ey.n:
            return Finding(ex, ey)
        t = self._test(x, other, y, m, tests)
        f = Finding(ex, ey, t.change, t.low, t.high, t.coverage, t.sign, t.p, tests, t.difference)
        if other is self and self._pace(x.mode, y.mode, m):
            _change_of_medians(f)
        f.softirq_decides = other is self and self._softirq_decides(x, y, m, f)
        return f

    def _rank_test(self, x: Cell, other: Analysis, y: Cell, m: Metric, tests: int) -> RankTest:
        pace = self._pace(x.mode, y.mode, m) if other is self else None
        a, b = ([row[m] / (pace[self._blocks[row]] if pace else 1) for row in c.rows] for c in (x, y))
        return stats.rank_test(a, b, tests, self.dependence(m, True).share if other is self else 1)

    def compare_modes(self, x: Cell | None, y: Cell | None, m: Metric) -> Finding:
        """As compare(), where one mode may be called better than another: UNKNOWN (SOFTIRQ_UNKNOWN says why) if softirq
        work decides."""
        f = self.compare(x, y, m)
        if f.softirq_decides:
            f.difference = Difference.UNKNOWN
        return f

    def _softirq_decides(self, x: Cell, y: Cell, m: Metric, f: Finding) -> bool:
        """Can softirq work remove or turn a difference, or does it make one for certain, or leave open more than the
        rounds do? Also if it is unknown: its ends are NaN."""
        if (f.difference is Difference.UNKNOWN or m not in (metric.CPU_NS_PER_KIB, metric.CPU_S_NS_PER_KIB)
                or (x.rows[0].imported and not self.has(metric.SOFTIRQ))):
            return False
        low = f.change if math.isnan(f.low) else f.low
        high = f.change if math.isnan(f.high) else f.high
        less = _divide(self._softirq(x, False) - self._softirq(y, True), f.b.median)
        more = _divide(self._softirq(x, True) - self._softirq(y, False), f.b.median)
        if low > 0:
            return not low + less > 0
        if high < 0:
            return not high + more < 0
        return not (low + less <= 0 <= high + more and more - less <= high - low)

    def _softirq(self, cell: Cell, at_most: bool) -> float:
        """The end of the interval of a cell's softirq work; its only round without one."""
        e = self.estimate(cell, metric.SOFTIRQ_AT_MOST if at_most else metric.SOFTIRQ)
        end = e.high if at_most else e.low
        return e.median if math.isnan(end) else end

    def _find_pace(self, x: Mode, y: Mode, m: Metric) -> dict[int, float] | None:
        """The pace of each block for a comparison of two modes; None: there is none."""
        shares: dict[int, list[float]] = {}
        for cell in self.cells:
            middle = self.estimate(cell, m).median
            if cell.mode in (x, y) or not middle > 0:
                continue
            for row in cell.rows:
                if row[m] > 0:
                    shares.setdefault(self._blocks[row], []).append(row[m] / middle)
        if len(shares) < self._blocks_nr or any(len(s) < PACE_RUNS_MIN for s in shares.values()):
            return None
        return {block: stats.median_of(sorted(s)) for block, s in shares.items()}

    def family(self, x: Cell, y: Cell) -> Family:
        """The kind of a comparison, independent of its direction."""
        same_size, same_threads = x.size == y.size, x.threads == y.threads
        if x.mode is not y.mode:
            return Family.MODES if same_size and same_threads else Family.ALONE
        if same_size and not same_threads and self.threads[0] in (x.threads, y.threads):
            return Family.THREADS
        follow = self.smaller(x.size) == y.size or self.smaller(y.size) == x.size
        return Family.SIZES if same_threads and not same_size and follow else Family.ALONE

    def _tests(self, family: Family, m: Metric) -> int:
        """The number of comparisons of this kind with two or more rounds on both sides; at least 1."""
        if family is Family.ALONE:
            return 1
        return sum(self._is_test(x, y, m) for x in self.cells for y in self._partners(x, family)) or 1

    def _partners(self, x: Cell, family: Family) -> list[Cell | None]:
        """Those that come before a cell, and are compared with it."""
        if family is Family.THREADS:
            return [self.cell(x.mode, x.size, self.threads[0])]
        if family is Family.SIZES:
            return [self.cell(x.mode, self.smaller(x.size), x.threads)]
        return [self.peer(x, mode) for mode in MODES[:x.mode.index]]

    def _is_test(self, x: Cell, y: Cell | None, m: Metric) -> bool:
        """With one round of either nothing is claimed."""
        return y is not None and y is not x and self.estimate(x, m).n >= 2 and self.estimate(y, m).n >= 2

    def cost(self) -> Metric:
        """The cost of a byte: CPU time of both sides or of the sender, or cycles, as measured."""
        costs = (metric.CPU_NS_PER_KIB, metric.CPU_S_NS_PER_KIB, metric.CYCLES_PER_BYTE)
        return next((m for m in costs if self.has(m)), costs[0])

    def peak(self, mode: Mode | None, m: Metric) -> Cell | None:
        """The cell with the highest median, of one mode or of all."""
        known = [c for c in self.cells if mode in (None, c.mode) and self.estimate(c, m).n]
        return max(known, key=lambda c: self.estimate(c, m).median, default=None)

    def reason(self, m: Metric) -> str:
        """Why a metric is missing, in words."""
        d = self.dataset
        for source in (m, metric.source(m)):
            if source in d.reason:
                return d.reason[source]
        if m.formula and m in self._known_by_duration:
            return "the data says neither how many bytes were moved nor for how long: give --duration"
        return d.lacking if d.lacking is not None else "the data set has no such number"

    def not_measured(self, m: Metric, lacking: str) -> str:
        """The sentence for an answer that needs m: `lacking`, if the data has m at all, or why it has none."""
        return f"Not measured: {lacking if self.has(m) else self.reason(m)}."

    @functools.cached_property
    def _known_by_duration(self) -> set[Metric]:
        """The numbers that any run would have if it were known how long the run was."""
        found: set[Metric] = set()
        for row in self.dataset.rows:
            if math.isnan(row[metric.DURATION]):
                values = list(row.values)
                values[metric.DURATION.index] = 1.0
                metric.derive(values, row.threads)
                found.update(m for m in metric.ALL if m.formula and not math.isnan(values[m.index]))
        return found


def _divide(a: float, b: float) -> float:
    """a / b as IEEE has it."""
    if b:
        return a / b
    return NAN if a == 0 or math.isnan(a) else math.copysign(math.inf, a)


def _find_blocks(rows: list[Row]) -> dict[Row, int]:
    """By round, and by which run of that round in the cell: data may lack round numbers."""
    keys: dict[Row, tuple[int, int]] = {}
    for _, group in itertools.groupby(rows, key=lambda row: (row.cell, row.round)):
        for repeat, row in enumerate(group):
            keys[row] = (row.round, repeat)
    numbers = {key: n for n, key in enumerate(sorted(set(keys.values())))}
    return {row: numbers[key] for row, key in keys.items()}


def _change_of_medians(f: Finding) -> None:
    """The change is that of the displayed medians, and lies inside the interval."""
    if not f.b.median > 0:
        return
    f.change = f.a.median / f.b.median - 1
    f.sign = stats.order(f.change, 0)
    if not math.isnan(f.low) and not math.isnan(f.high):
        f.low, f.high = min(f.low, f.change), max(f.high, f.change)
    if ((f.difference is Difference.HIGHER and f.low <= 0) or (f.difference is Difference.LOWER and f.high >= 0)):
        f.difference = Difference.NOISE
