# SPDX-License-Identifier: GPL-2.0-only
"""Medians, intervals, and the one rule by which run, report and compare call two things different.

1. Divide each of the n rounds of A by each of the m rounds of B, and sort the n x m quotients.
2. The interval of A / B runs from the k-th smallest to the k-th largest quotient. k is the largest rank with
   2 P(U < k) <= 5 % / T, where U is Mann and Whitney's U of n and m rounds.
3. A and B differ only if the whole interval is above 1 or the whole interval is below 1.
4. T is the number of simultaneous comparisons; a single comparison has T = 1.
5. If no k is possible, there are too few rounds. One round a side is a point without interval.
6. Rounds that depend on each other count as fewer: of a share s of n, k - 1 is that of s n rounds, scaled to all
   quotients.

As user/base/rank_test.c and stats.c compute it, in the same order: the doubles are the same.
"""
from __future__ import annotations

import bisect
import enum
import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NAN = math.nan
RANK_LEVEL = 0.05
RANK_EXACT_MAX = 20  # up to this many rounds on both sides U has its exact distribution, above the normal one
ESTIMATE_LEVEL = 0.95  # of the interval of a median; fewer than 6 values cannot reach it
_EXACT_TERMS_MAX = 1000  # above: by the logarithm of the gamma function, to 1e-9
_PAIRS_MAX = 1 << 20  # of a shift: of more, a part is taken
_PAIRS_SORTED = 1 << 12  # of more, single ones are found by bisection
_PAIRS_LEFT = 4  # for each round: so few are sorted then
_ROUNDING = 1e-12  # in sums of probabilities
_LARGE = 1e300  # below it twice a difference is finite


def order(a: float, b: float) -> int:
    """Below 0, 0 or above 0."""
    return (a > b) - (a < b)


def least(a: float, b: float) -> float:
    """The lower one of those that are known; as fmin()."""
    return b if math.isnan(a) or b < a else a


def most(a: float, b: float) -> float:
    """The higher one of those that are known; as fmax()."""
    return b if math.isnan(a) or b > a else a


def _finite(values: Iterable[float]) -> list[float]:
    return sorted(v for v in values if math.isfinite(v))


def median_of(ordered: Sequence[float]) -> float:
    """Of sorted values; NaN: there is none."""
    n = len(ordered)
    return ordered[(n - 1) // 2] / 2 + ordered[n // 2] / 2 if n else NAN


def median(values: Iterable[float]) -> float:
    """Of the finite values; NaN: there is none."""
    return median_of(_finite(values))


# ---- the median of one cell


class Estimate(NamedTuple):
    """A median of n finite values, and a confidence interval (NaN: none) with its coverage."""

    median: float = NAN
    low: float = NAN
    high: float = NAN
    coverage: float = NAN
    n: int = 0

    @property
    def has_interval(self) -> bool:
        return self.n >= 2 and not math.isnan(self.low)


def _term(n: int, k: int) -> float:
    """P(Binomial(n, 1/2) = k)."""
    if n <= _EXACT_TERMS_MAX:
        return math.comb(n, k) / (1 << n)
    return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))


@functools.cache
def _estimate_rank(n: int) -> tuple[int, float]:
    """The largest rank, from 1, whose interval covers ESTIMATE_LEVEL, and its coverage."""
    k = max(0, n // 2 - 5 * math.isqrt(n))  # 10 standard deviations: less than 1e-22 is outside
    outside, k = 2 * _term(n, k), k + 1
    while 2 * (k + 1) <= n:
        more = outside + 2 * _term(n, k)
        if 1 - more < ESTIMATE_LEVEL:
            break
        outside = more
        k += 1
    return k, 1 - outside


def coverage(n: int) -> float:
    """Of the interval of n values, 2 or more."""
    return _estimate_rank(n)[1]


def estimate(values: Iterable[float], share: float = 1) -> Estimate:
    """The median of the finite values, between order statistics (David and Nagaraja, Order Statistics, 7.1). share: as
    of rank_test()."""
    ordered = _finite(values)
    n = len(ordered)
    if n < 2:
        return Estimate(median=median_of(ordered), n=n)
    counted = max(counting(n, share), 2)
    k, coverage = _estimate_rank(counted)
    k = 1 + (k - 1) * n // counted
    return Estimate(median_of(ordered), ordered[k - 1], ordered[n - k], coverage, n)


# ---- rounds that depend on each other

DEPENDENCE_ROUNDS_MIN = 5  # of a series, to measure it
_ROUNDS_TO_SPARE = 8  # below it, one round less often means no claim at all: chance must not remove any
_ONE_SIDED = 1.645  # 5 % of a normal distribution are above


class Dependence(NamedTuple):
    """The correlation of a round with the next one, measured on ranks. NaN: not measured."""

    correlation: float = NAN
    chance: float = NAN  # independent rounds show more in 5 % of cases
    counts_from: float = NAN  # a higher correlation is taken as one

    @property
    def is_found(self) -> bool:
        return self.correlation > self.counts_from

    @property
    def share(self) -> float:
        """Which share of the rounds counts: the inverse of the variance of a mean of AR(1)."""
        return (1 - min(self.correlation, 1)) / (1 + self.correlation) if self.is_found else 1.0


def dependence(series: Iterable[Sequence[float]], independent: int) -> Dependence:
    """Of all series together, each in the order of its rounds. independent: how many of them are.

    The mean of a correlation r in n values is r - (1 + 3 r) / n (Marriott and Pope 1954).
    """
    total = weights = 0.0
    used = 0
    for values in series:
        n, ordered = len(values), sorted(values)
        ranks = [bisect.bisect_left(ordered, v) + bisect.bisect_right(ordered, v) - n for v in values]
        squares = sum(r * r for r in ranks)
        if n >= DEPENDENCE_ROUNDS_MIN and squares:
            used += 1
            weights += n
            total += n * sum(r * after for r, after in zip(ranks, ranks[1:])) / squares + 1
    independent = min(independent, used)
    if independent < 1:
        return Dependence()
    left = 1 - 3 * used / weights
    chance = _ONE_SIDED / math.sqrt(weights * independent / used) / left
    return Dependence(total / weights / left, chance, chance if weights < _ROUNDS_TO_SPARE * used else 0.0)


def counting(n: int, share: float) -> int:
    """How many of n rounds count; at least 1."""
    return max(1, int(n * share + 0.5))


# ---- two cells


class Difference(enum.Enum):
    """How a comparison ended."""

    UNKNOWN = "unknown"  # one side has no value
    POINT = "point"  # one side has one round only: no interval, no claim
    FEW = "few"  # too few rounds to show any difference
    NOISE = "noise"  # the interval holds 1
    HIGHER = "higher"  # the first is higher
    LOWER = "lower"

    @property
    def holds(self) -> bool:
        """Is a difference claimed, in either direction?"""
        return self in (Difference.HIGHER, Difference.LOWER)

    @property
    def untested(self) -> bool:
        return self in (Difference.POINT, Difference.FEW)


@dataclass
class RankTest:
    """n rounds of A with m of B. NaN is unknown, or none."""

    n: int = 0
    m: int = 0
    a: float = NAN  # medians
    b: float = NAN
    change: float = NAN  # a / b - 1
    low: float = NAN  # interval that holds the change
    high: float = NAN
    coverage: float = NAN  # share of such intervals that hold the true quotient
    p: float = NAN  # two-sided, of this comparison alone
    sign: int = 0  # of the difference of the medians, claimed or not
    difference: Difference = Difference.UNKNOWN


def relative(a: float, b: float) -> float:
    """(a - b) / mean(|a|, |b|): grows with a / b, changes its sign with the order, exists if one is 0."""
    if math.isnan(a) or math.isnan(b):
        return NAN
    return 0.0 if a == b else 2 * (a - b) / (abs(a) + abs(b))


def as_change(apart: float) -> float:
    """A relative difference as a / b - 1. NaN where b is 0."""
    return (2 + apart) / (2 - apart) - 1 if apart < 2 else NAN


def _normal_below(n: int, m: int, u: int) -> float:
    """P(U <= u) by the normal approximation, with continuity correction."""
    pairs = float(n) * float(m)
    deviation = math.sqrt(pairs * float(n + m + 1) / 12)
    return math.erfc((pairs / 2 - u - 0.5) / deviation / math.sqrt(2)) / 2


@functools.cache
def _exact(n: int, m: int, u: int) -> float:
    """P(U <= u) if the two groups do not differ.

    row[j][v] is P(U = v) of i and j rounds: the largest round is in the first group with probability i / (i + j),
    and then above all j others.
    """
    row = [[1.0] + [0.0] * u for _ in range(m + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            this, before, total = row[j], row[j - 1], float(i + j)
            for v in range(u, -1, -1):  # downward, so that entries below v still belong to i - 1
                this[v] = (i * (this[v - j] if v >= j else 0.0) + j * before[v]) / total
    below = 0.0
    for p in row[m]:
        below += p
    return below


def _two_sided(n: int, m: int, u: int) -> float:
    """2 P(U <= u), at most 1."""
    if 2 * u >= n * m:
        return 1.0
    below = _exact(n, m, u) if n <= RANK_EXACT_MAX and m <= RANK_EXACT_MAX else _normal_below(n, m, u)
    return min(1.0, 2 * below)


@functools.cache
def _rank(n: int, m: int, level: float) -> tuple[int, float]:
    """The rank k of rule 2 (0: none) and the coverage of its interval."""
    low, high = 0, n * m // 2
    while low < high:
        middle = low + (high - low + 1) // 2
        if _two_sided(n, m, middle - 1) <= level * (1 + _ROUNDING):
            low = middle
        else:
            high = middle - 1
    return low, 1 - _two_sided(n, m, low - 1) if low else NAN


def _level(tests: int) -> float:
    return RANK_LEVEL / (tests or 1)


def can_differ(n: int, m: int, tests: int) -> bool:
    """Can n and m rounds show any difference in one of `tests` comparisons?"""
    return bool(n and m) and _two_sided(n, m, 0) <= _level(tests) * (1 + _ROUNDING)


def rounds_needed(tests: int) -> int:
    """The fewest rounds a side with which `tests` comparisons can show a difference."""
    n = 2
    while not can_differ(n, n, tests):
        n += 1
    return n


def _decide(t: RankTest, first: Sequence[float], second: Sequence[float], tests: int, share: float) -> None:
    """Of sorted rounds."""
    not_above, not_below = sum(_ends(first, second, 0)), sum(_ends(second, first, 0))
    n, m, of = counting(t.n, share), counting(t.m, share), t.n * t.m
    t.p = _two_sided(n, m, -(-min(not_above, not_below) * n * m // of))
    t.difference = Difference.POINT if t.n < 2 or t.m < 2 else Difference.FEW
    k, coverage = _rank(n, m, _level(tests))
    if not k or t.difference is Difference.POINT:
        return
    k = 1 + (k - 1) * of // (n * m)
    t.coverage = coverage
    # Widens the rare interval that does not hold the quotient of the medians.
    middle = relative(t.a, t.b)
    lowest, highest = _ranked(first, second, k)
    low, high = min(lowest, middle), max(highest, middle)
    t.low, t.high = as_change(low), as_change(high)
    t.difference = Difference.HIGHER if low > 0 else Difference.LOWER if high < 0 else Difference.NOISE


def _pairs(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Sorted relative() of each pair of two sorted lists."""
    if first[0] > 0 < second[0] and first[-1] < _LARGE > second[-1]:
        return sorted([2 * (x - y) / (x + y) for x in first for y in second])
    return _finite(relative(x, y) for x in first for y in second)


def _ends(first: Sequence[float], second: Sequence[float], v: float) -> list[int]:
    """For each of the second, with how many of the first its relative() is v or less: but for rounding, it does not
    fall along the first, nor rise along the second. Most of the time of a report on many rounds is spent here."""
    ends, at, n = [], 0, len(first)
    if first[0] > 0 < second[0] and first[-1] < _LARGE > second[-1]:
        for y in second:
            while at < n and 2 * (first[at] - y) / (first[at] + y) <= v:
                at += 1
            ends.append(at)
    else:
        for y in second:
            while at < n and relative(first[at], y) <= v:
                at += 1
            ends.append(at)
    return ends


def _kth(first: Sequence[float], second: Sequence[float], k: int) -> float:
    """The k-th smallest relative() of all pairs, by bisection until few pairs are left, or equal ones."""
    ends = _ends(first, second, 0)
    if len(first) * len(second) - sum(_ends(second, first, 0)) < k <= sum(ends):
        return 0.0
    low, high, below, not_above, middle = -3.0, 2.0, [0] * len(second), [len(first)] * len(second), 0.0
    while True:
        if sum(ends) < k:
            low, below = middle, ends
        else:
            high, not_above = middle, ends
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        if sum(not_above) - sum(below) <= _PAIRS_LEFT * (len(first) + len(second)):
            left = sorted(relative(x, y) for y, begin, end in zip(second, below, not_above) for x in first[begin:end])
            return left[k - sum(below) - 1]
        ends = _ends(first, second, middle)


def _ranked(first: Sequence[float], second: Sequence[float], k: int) -> tuple[float, float]:
    """The k-th smallest and the k-th largest relative() of all pairs."""
    if len(first) * len(second) > _PAIRS_SORTED:
        return _kth(first, second, k), -_kth(second, first, k)
    pairs = _pairs(first, second)
    return pairs[k - 1], pairs[-k]


def rank_test(a: Iterable[float], b: Iterable[float], tests: int, share: float = 1) -> RankTest:
    """Compares the finite rounds of A with those of B, as one of `tests` comparisons. share: of the rounds that count,
    see Dependence."""
    first, second = _finite(a), _finite(b)
    t = RankTest(len(first), len(second), median_of(first), median_of(second))
    if first and second:
        t.sign = order(t.a, t.b)
        t.change = NAN if t.b == 0 else t.a / t.b - 1
        _decide(t, first, second, tests, share)
    return t


def shift(a: Iterable[float], b: Iterable[float], tests: int, share: float = 1) -> tuple[float, float]:
    """The interval of a difference A - B that adds, by the same ranks: where rank_test() finds one, without 0."""
    first, second = _finite(a), _finite(b)
    n, m = counting(len(first), share), counting(len(second), share)
    k = _rank(n, m, _level(tests))[0] if first and second else 0
    if not k:
        return NAN, NAN
    step = 1 + math.isqrt(len(first) * len(second) // _PAIRS_MAX)
    pairs = sorted(x - y for x in first[::step] for y in second[::step])
    k = 1 + (k - 1) * len(pairs) // (n * m)
    return pairs[k - 1], pairs[-k]
