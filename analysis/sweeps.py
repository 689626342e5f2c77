# SPDX-License-Identifier: GPL-2.0-only
"""What several sweeps a side, made in turn, show of one metric: changes beyond what sweeps of one side differ by.

1. The level of a cell in a sweep is the logarithm of its median. The change is the difference of the mean levels of the
   two sides. The rest of a sweep is its level less the mean of its side.
2. The drift of a sweep is the median of the rests of all cells. Its variance is the sum of squares over the sweeps,
   divided by the degrees of freedom: the number of sweeps less 2. Where the cells of the same mode, size or number of
   threads drift more together, the largest of these counts.
3. What drift leaves of a rest is the cell's own. Its variance is the largest of three: of this cell, the mean of all
   cells, and that of a median of its rounds (pi/2 x their variance / their number).
4. The interval is change +- sqrt((t1^2 x drift's + t2^2 x own variance) x (1/sweeps before + 1/sweeps after)). t1 and
   t2 are Student's, of 5 % and of 5 % / cells: drift is common to the cells, what is a cell's own is not.

Sweeps in turn (A B A B) make this safe under slow drift: sweeps of one side are further apart than those compared.
"""
from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from . import stats
from .stats import Difference, Estimate, NAN
from .study import Finding

_SPREAD = 1.482602218505602  # of a normal distribution: deviation / median of absolute deviations
Rounds = Sequence[Sequence[float]]  # the values of each sweep; none may be empty


def _inside(t: float, n: int) -> float:
    """P(|T| < t) of n degrees of freedom (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    cosine2, term, total = 1 / (1 + t * t / n), 1.0, 0.0
    sine = math.sqrt(1 - cosine2)
    for i in range(2 + n % 2, n + 1, 2):
        total += term
        term *= cosine2 * (i - 1) / i
    if n % 2 == 0:
        return sine * total
    return 2 / math.pi * (math.atan(t / math.sqrt(n)) + sine * math.sqrt(cosine2) * total)


@functools.cache
def quantile(level: float, n: int) -> float:
    """Student's t that is exceeded, in both directions together, with probability `level`."""
    low, high = 0.0, 1.0
    while 1 - _inside(high, n) > level:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 1 - _inside(middle, n) > level else (low, middle)
    return high


class Noise(NamedTuple):
    """How far sweeps of one side differ, as standard deviations: 0.02 is 2 %."""

    drift: float  # of all cells together
    own: float  # of a cell by itself, on average


class _Cell:
    """Levels of one cell: logarithms; where a median is 0, values / the mean of all medians."""

    def __init__(self, groups: Sequence[object], before: Rounds, after: Rounds) -> None:
        self.groups = [*enumerate(groups)]
        medians = [[stats.median(rounds) for rounds in side] for side in (before, after)]
        every = [*medians[0], *medians[1]]
        self.is_log = min(every) > 0
        self.unit = sum(every) / len(every) or 1.0
        levels = [[math.log(m) if self.is_log else m / self.unit for m in side] for side in medians]
        means = [sum(side) / len(side) for side in levels]
        self.rests = [level - mean for side, mean in zip(levels, means) for level in side]
        self.change = means[1] - means[0]
        self.b, self.a = (Estimate(math.exp(mean) if self.is_log else mean * self.unit, min(side), max(side), NAN,
                                   sum(map(len, of))) for mean, side, of in zip(means, medians, (before, after)))
        rounds = [*before, *after]
        off = sorted(abs(v - m) / (m if self.is_log else self.unit) for m, of in zip(every, rounds) for v in of)
        self.freedom = len(off) - len(rounds)  # of the rounds
        spread = _SPREAD * stats.median_of(off)
        self.of_rounds = (spread * spread * len(off) / self.freedom * math.pi / 2
                          * sum(1 / len(of) for of in rounds) / len(rounds)) if self.freedom else 0.0

    def quotient(self, change: float) -> float:
        """A change of the level as after / before - 1. Nothing falls below 0."""
        if self.is_log:
            return math.expm1(change)
        return max(-1.0, change * self.unit / self.b.median) if self.b.median else NAN

    def finding(self, half: float, tests: int) -> Finding:
        low, high = self.change - half, self.change + half
        difference = Difference.HIGHER if low > 0 else Difference.LOWER if high < 0 else Difference.NOISE
        return Finding(self.a, self.b, self.quotient(self.change), self.quotient(low), self.quotient(high),
                       1 - stats.RANK_LEVEL, stats.order(self.change, 0), NAN, tests, difference)


def _variance(cells: Sequence[_Cell], freedom: int) -> tuple[list[float], float]:
    """The drift of each sweep, and its variance."""
    drift = [stats.median(rests) for rests in zip(*(c.rests for c in cells))]
    return drift, sum(d * d for d in drift) / freedom


def compare(of: Sequence[tuple[Sequence[object], Rounds, Rounds]]) -> tuple[list[Finding], Noise]:
    """All cells of one metric, each with its mode, size and threads (cells that are equal in one may drift together)
    and its rounds before and after; three sweeps or more."""
    cells = [_Cell(*c) for c in of]
    freedom = len(cells[0].rests) - 2
    drift, of_all = _variance(cells, freedom)
    of_group: dict[object, float] = {}
    for group in {group for c in cells for group in c.groups}:
        together = [c for c in cells if group in c.groups]
        # One cell of a size or number of threads is no drift of several; a mode may have a way of its own.
        of_group[group] = _variance(together, freedom)[1] if len(together) > 1 or group[0] == 0 else 0.0
    own = [sum((rest - d) ** 2 for rest, d in zip(c.rests, drift)) / freedom for c in cells]
    mean = sum(own) / len(own)
    both = 1 / len(of[0][1]) + 1 / len(of[0][2])
    findings = []
    for c, alone in zip(cells, own):
        t1 = quantile(stats.RANK_LEVEL, freedom)
        t2 = quantile(stats.RANK_LEVEL / len(cells), freedom * (len(cells) - 1) or c.freedom or 1)
        most = max(of_all, *(of_group[group] for group in c.groups))
        half = math.sqrt((t1 * t1 * most + t2 * t2 * max(alone, mean, c.of_rounds)) * both)
        findings.append(c.finding(half, len(cells)))
    return findings, Noise(math.sqrt(of_all), math.sqrt(mean))
