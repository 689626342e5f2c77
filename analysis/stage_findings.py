# SPDX-License-Identifier: GPL-2.0-only
"""The stages behind a difference in CPU time: each class of sampled CPU time of each mode against two-copy.

Few rounds of a cell are sampled, one of three in a sweep, so a finding covers all settings. The values of A and B are
those of the rounds in which a setting has both. Settings differ, so each value is scaled to the mean setting:
multiplied by the mean CPU time of all settings and divided by that of its own, over all modes alike. The factor is
common to A and B, and each setting has as many rounds of either: where nothing differs, neither ranks higher. All
classes of all modes are one family.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

from . import metric, phrases, stats
from .answer import Answer
from .dataset import Row
from .metric import Metric, NAN
from .stats import Difference, RankTest
from .study import Analysis, Cell
from .tables import CPU_CLASSES, CpuClass, Mode, MODES, SENDER, TWOCOPY

_TX_COPY = next(k for k in CPU_CLASSES if k.id == "TX_COPY")
_VERDICTS = {Difference.LOWER: "less", Difference.HIGHER: "more", Difference.NOISE: "no difference"}


@dataclass
class StageFinding:
    """A class of a mode against two-copy, ns per KiB."""

    mode: Mode
    class_: CpuClass
    test: RankTest

    @property
    def difference(self) -> float:
        return self.test.a - self.test.b

    def words(self) -> str:
        """ "gather -54.1 ns/KiB"."""
        return f"{self.class_.heading} {phrases.signed(self.difference)} ns/KiB"


class StageFindings:
    """Classes that occur; those of a mode with the largest difference first."""

    def __init__(self, a: Analysis) -> None:
        self.both = a.has(metric.class_both(_TX_COPY))  # of sender and receiver; else of the sender alone
        self._metrics = {k: metric.class_both(k) if self.both else metric.class_(SENDER, k) for k in CPU_CLASSES}
        self.list: list[StageFinding] = []
        scales = self._scales(a)
        found = [(mode, k, pairs) for mode in MODES if mode is not TWOCOPY for k in CPU_CLASSES
                 if (pairs := _collect(a, scales, mode, self._metrics[k]))]
        for mode, k, pairs in found:
            test = stats.rank_test([x for x, _ in pairs], [y for _, y in pairs], len(found))
            self.list.append(StageFinding(mode, k, test))
        self.list.sort(key=lambda f: (f.mode.index, -abs(f.difference), f.class_.index))

    def _total(self, row: Row) -> float:
        """The sampled CPU time of a round, ns per KiB; NaN: it was not sampled."""
        total = row[self._metrics[_TX_COPY]]
        for k in CPU_CLASSES:
            if k is not _TX_COPY and not math.isnan(row[self._metrics[k]]):
                total += row[self._metrics[k]]
        return total

    def _mean(self, a: Analysis, setting: Cell) -> float:
        """The mean CPU time of a setting, over the sampled rounds of all modes. NaN: none."""
        cells = [cell for mode in MODES if (cell := a.peer(setting, mode))]
        totals = [total for cell in cells for row in cell.rows if not math.isnan(total := self._total(row))]
        return _sum(totals) / len(totals) if totals and _sum(totals) > 0 else NAN

    def _scales(self, a: Analysis) -> list[tuple[Cell, float]]:
        """The cells of two-copy with a sample, and the factor of each."""
        means = [(cell, mean) for cell in a.cells
                 if cell.mode is TWOCOPY and not math.isnan(mean := self._mean(a, cell))]
        sum_ = _sum([mean for _, mean in means])
        return [(cell, sum_ / len(means) / mean) for cell, mean in means]

    def _largest(self, mode: Mode, difference: Difference) -> StageFinding | None:
        """The class of a mode with the largest difference of this kind."""
        return next((f for f in self.list if f.mode is mode and f.test.difference is difference), None)

    def savings(self) -> list[str]:
        """ "one-copy saves most: gather -54.1 ns/KiB": for a headline, each mode with a saving that was found, and its
        largest extra cost."""
        result = []
        for mode in MODES:
            less, more = self._largest(mode, Difference.LOWER), self._largest(mode, Difference.HIGHER)
            if less:
                result.append(f"{mode.words} saves most: {less.words()}"
                              + (f"; its largest extra cost: {more.words()}" if more else ""))
        return result

    def put_table(self, answer: Answer) -> None:
        """Adds a table with a row for each mode and class; nothing without samples."""
        t = answer.table(f"CPU time by class{'' if self.both else ' of the sender'} from samples, against two-copy: "
                         "medians of the sampled rounds of all settings, scaled to the mean setting:",
                         "Mode", "Class", "ns/KiB", "two-copy", "Difference", "By the rule", "Interval of the change")
        for mode in MODES:
            of_mode = [f for f in self.list if f.mode is mode]
            for f in of_mode:
                if f.test.difference is not Difference.NOISE:
                    t.put(mode.words, f.class_.heading, phrases.number(f.test.a), phrases.number(f.test.b),
                          phrases.signed(f.difference), _VERDICTS.get(f.test.difference, "too few samples"),
                          phrases.change_interval(f.test.low, f.test.high))
            # The classes of a mode that show nothing, in one row.
            others = sum(f.test.difference is Difference.NOISE for f in of_mode)
            if others:
                t.put(mode.words, f"{others} other class{'' if others == 1 else 'es'}", "", "", "",
                      _VERDICTS[Difference.NOISE], "")
        answer.end_table()


def _sum(values: list[float]) -> float:
    """In order: sum() of Python 3.12 and later rounds in another way."""
    total = 0.0
    for v in values:
        total += v
    return total


def _partner(a: Analysis, base: Row, mode: Mode) -> Row | None:
    """The row of a mode that was measured in the same round as this one of two-copy."""
    cell = a.cell(mode, base.size, base.threads)
    return next((row for row in cell.rows if a.block(row) == a.block(base)), None) if cell else None


def _collect(a: Analysis, scales: list[tuple[Cell, float]], mode: Mode, m: Metric) -> list[tuple[float, float]]:
    """The values of the rounds that both have; [] where all are 0."""
    pairs = [(row[m] * scale, base[m] * scale) for cell, scale in scales for base in cell.rows
             if not math.isnan(base[m]) and (row := _partner(a, base, mode)) and not math.isnan(row[m])]
    return pairs if any(x > 0 or y > 0 for x, y in pairs) else []
