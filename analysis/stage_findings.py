# SPDX-License-Identifier: GPL-2.0-only
"""The stages behind a difference in CPU time: each class of sampled CPU time of each mode against two-copy.

Few rounds of a cell are sampled, one of three in a sweep, so a finding covers all settings. The values of A and B are
those of the rounds in which a setting has both. A round has few samples of a class, so the means are shown, with the
number of samples. Settings differ, so each value is scaled to the mean setting:
multiplied by the mean CPU time of all settings and divided by that of its own, over all modes alike. The factor is
common to A and B, and each setting has as many rounds of either: where nothing differs, neither ranks higher. All
classes of all modes are one family. Rounds that depend on each other count as fewer, by the CPU time of all rounds: a
cell has too few sampled ones to show it, which are not nearer to each other.
"""
from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from . import metric, stats, units, wording
from .answer import Answer
from .dataset import Row
from .metric import Metric, NAN
from .stats import Difference, RankTest
from .study import Analysis, Cell
from .tables import CPU_CLASS, CPU_CLASSES, CpuClass, Mode, MODES, RECEIVER, SENDER, TWOCOPY

_VERDICTS = {Difference.LOWER: "less", Difference.HIGHER: "more", Difference.NOISE: "no difference"}


class StageFinding(NamedTuple):
    """A class of a mode against two-copy: means in ns per KiB, and the interval of their difference."""

    mode: Mode
    class_: CpuClass
    test: RankTest
    mean: float
    of_two: float
    samples: tuple[float, float]  # of the mode, and of two-copy; NaN: unknown
    low: float
    high: float

    @property
    def difference(self) -> float:
        return self.mean - self.of_two

    def change(self) -> str:
        """ "-54.1 (-60.2 to -48.0)"."""
        low, high = min(self.low, self.difference), max(self.high, self.difference)
        ends = f"{wording.signed(low, units.least)} to {wording.signed(high, units.most)}"
        return f"{wording.signed(self.difference)} ({ends})"


class StageFindings:
    """Classes that occur; those of a mode with the largest difference first."""

    def __init__(self, a: Analysis) -> None:
        self.both = a.has(metric.class_both(CPU_CLASS["tx_copy"]))  # of sender and receiver; else of the sender alone
        self._metrics = {k: metric.class_both(k) if self.both else metric.class_(SENDER, k) for k in CPU_CLASSES}
        self.list: list[StageFinding] = []
        scales, share = self._scales(a), a.dependence(a.cost(), True).share
        found = [(mode, k, pairs) for mode in MODES if mode is not TWOCOPY for k in CPU_CLASSES
                 if (pairs := _collect(a, scales, mode, self._metrics[k]))]
        for mode, k, pairs in found:
            rows = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            x, y = ([row[self._metrics[k]] * by for row, by in side] for side in rows)
            samples = [_sum([self._samples(row, k) for row, _ in side]) for side in rows]
            means, shift = (_sum(x) / len(x), _sum(y) / len(y)), stats.shift(x, y, len(found), share)
            t = stats.rank_test(x, y, len(found), share)
            grows = means[0] - means[1]
            if t.difference.holds and (grows >= 0 if t.difference is Difference.LOWER else grows <= 0):
                t = replace(t, difference=Difference.NOISE)  # a few rounds decide the means, and all of them the ranks
            self.list.append(StageFinding(mode, k, t, *means, (samples[0], samples[1]), *shift))
        self._scope = self._words(a)
        self.list.sort(key=lambda f: (f.mode.index, -abs(f.difference), f.class_.index))

    def _total(self, row: Row) -> float:
        """The sampled CPU time of a round, ns per KiB; NaN: it was not sampled."""
        ns = {k: row[m] for k, m in self._metrics.items()}
        return _sum([ns.pop(CPU_CLASS["tx_copy"]), *(v for v in ns.values() if not math.isnan(v))])

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

    def _samples(self, row: Row, k: CpuClass) -> float:
        """How many samples of a round fell into a class."""
        n = 0.0
        for side, m in ((SENDER, metric.S_SAMPLES), (RECEIVER, metric.R_SAMPLES))[:2 if self.both else 1]:
            total = _sum([ns for each in CPU_CLASSES if not math.isnan(ns := row[metric.class_(side, each)])])
            n += row[m] * row[metric.class_(side, k)] / total if total > 0 else 0
        return n

    def _words(self, a: Analysis) -> str:
        """ " of the processes, without softirq work on other tasks (0 to 12 ns/KiB)"."""
        least = [e.median for c in a.cells if (e := a.estimate(c, metric.SOFTIRQ)).n]
        most = [e.median for c in a.cells if (e := a.estimate(c, metric.SOFTIRQ_AT_MOST)).n]
        known = (f"{wording.number(min(least), units.least)} to {wording.number(max(most), units.most)} ns/KiB"
                 if least and most else "unknown")
        whose = "the processes" if self.both else "the sender's process"
        return f" of {whose}, without softirq work on other tasks ({known}),"

    def sentences(self) -> list[str]:
        """ "CPU samples of the processes, ..., show: one-copy takes less in gather, -54.1 (-60.2 to -48.0) ns/KiB.":
        one for each mode, with all that was found."""
        result: list[str] = []
        for mode in MODES:
            of_mode = [f for f in self.list if f.mode is mode]
            words = [f"{_VERDICTS[difference]} in " + wording.items([f"{f.class_.heading}, {f.change()} ns/KiB"
                                                                     for f in found])
                     for difference in (Difference.LOWER, Difference.HIGHER)
                     if (found := [f for f in of_mode if f.test.difference is difference])]
            if words:
                begin = "" if result else f"CPU samples{self._scope} show: "
                result.append(f"{begin}{mode.words} takes {'; '.join(words)}.")
        return result

    def put_table(self, answer: Answer) -> None:
        """Adds a table with a row for each difference that was found, and for each mode one of the classes without a
        difference and one of those with too few samples; nothing without samples."""
        t = answer.table(f"CPU time by class{self._scope} against two-copy: means of the sampled rounds of all "
                         "settings, scaled to the mean setting:", "Mode", "Class", "ns/KiB", "two-copy",
                         "Samples (two-copy)", "Difference, ns/KiB", "By the rule")
        for mode in MODES:
            of_mode = [f for f in self.list if f.mode is mode]
            for f in of_mode:
                if f.test.difference.holds:
                    t.put(mode.words, f.class_.heading, wording.number(f.mean), wording.number(f.of_two),
                          _samples_words([f]), f.change(), _VERDICTS[f.test.difference])
            for verdict, found in (("no difference", [f for f in of_mode if f.test.difference is Difference.NOISE]),
                                   ("too few samples", [f for f in of_mode if f.test.difference.untested])):
                if found:
                    names = found[0].class_.heading if len(found) == 1 else f"{len(found)} classes"
                    t.put(mode.words, names, "", "", _samples_words(found), "", verdict)
        answer.end_table()


def _samples_words(found: list[StageFinding]) -> str:
    """ "61 (58)"."""
    counts = [_sum([f.samples[i] for f in found]) for i in (0, 1)]
    return "n/a" if any(map(math.isnan, counts)) else f"{counts[0]:.0f} ({counts[1]:.0f})"


def _sum(values: list[float]) -> float:
    """In order: sum() of Python 3.12 and later rounds in another way."""
    total = 0.0
    for v in values:
        total += v
    return total


def _collect(a: Analysis, scales: list[tuple[Cell, float]], mode: Mode,
             m: Metric) -> list[tuple[tuple[Row, float], tuple[Row, float]]]:
    """The rounds that both a mode and two-copy have, each with its scale; [] where all are 0."""
    pairs = [((row, scale), (base, scale)) for two, scale in scales if (cell := a.peer(two, mode)) for base in two.rows
             for row in cell.rows if a.block(row) == a.block(base) and not (math.isnan(base[m]) or math.isnan(row[m]))]
    return pairs if any(x[m] > 0 or y[m] > 0 for (x, _), (y, _) in pairs) else []
