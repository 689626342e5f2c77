# SPDX-License-Identifier: GPL-2.0-only
"""Medians, intervals, and the one rule by which run, report and compare call two things different.

1. Divide each of the n rounds of A by each of the m rounds of B, and sort the n x m quotients.
2. The interval of A / B runs from the k-th smallest to the k-th largest quotient. k is the largest rank with
   2 P(U < k) <= 5 % / T, where U is Mann and Whitney's U of n and m rounds.
3. A and B differ only if the whole interval is above 1 or the whole interval is below 1.
4. T is the number of simultaneous comparisons; a single comparison has T = 1.
5. If no k is possible, there are too few rounds. One round a side is a point without interval.

As user/base/rank_test.c and stats.c compute it, in the same order: the doubles are the same.
"""
from __future__ import annotations

import enum
import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NAN = math.nan
RANK_LEVEL = 0.05
RANK_EXACT_MAX = 20  # up to this many rounds on both sides U has its exact distribution, above the normal one
ESTIMATE_LEVEL = 0.95  # of the interval of a median; fewer than 6 values cannot reach it
_ROUNDING = 1e-12  # in sums of probabilities


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


@dataclass(frozen=True)
class Estimate:
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
    return math.comb(n, k) / (1 << n)


@functools.cache
def _estimate_rank(n: int) -> tuple[int, float]:
    """The largest rank, from 1, whose interval covers ESTIMATE_LEVEL, and its coverage."""
    outside, k = 2 * _term(n, 0), 1
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


def estimate(values: Iterable[float]) -> Estimate:
    """The median of the finite values, between order statistics (David and Nagaraja, Order Statistics, 7.1)."""
    ordered = _finite(values)
    n = len(ordered)
    if n < 2:
        return Estimate(median=median_of(ordered), n=n)
    k, coverage = _estimate_rank(n)
    return Estimate(median_of(ordered), ordered[k - 1], ordered[n - k], coverage, n)


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


def _decide(t: RankTest, pairs: list[float], tests: int) -> None:
    """pairs: sorted relative() of each round of A and each round of B."""
    not_above, not_below = sum(p <= 0 for p in pairs), sum(p >= 0 for p in pairs)
    t.p = _two_sided(t.n, t.m, min(not_above, not_below))
    t.difference = Difference.POINT if t.n < 2 or t.m < 2 else Difference.FEW
    k, coverage = _rank(t.n, t.m, _level(tests))
    if not k or t.difference is Difference.POINT:
        return
    t.coverage = coverage
    # Widens the rare interval that does not hold the quotient of the medians.
    middle = relative(t.a, t.b)
    low, high = min(pairs[k - 1], middle), max(pairs[len(pairs) - k], middle)
    t.low, t.high = as_change(low), as_change(high)
    t.difference = Difference.HIGHER if low > 0 else Difference.LOWER if high < 0 else Difference.NOISE


def rank_test(a: Iterable[float], b: Iterable[float], tests: int) -> RankTest:
    """Compares the finite rounds of A with those of B, as one of `tests` comparisons."""
    first, second = _finite(a), _finite(b)
    t = RankTest(len(first), len(second), median_of(first), median_of(second))
    if first and second:
        t.sign = order(t.a, t.b)
        t.change = NAN if t.b == 0 else t.a / t.b - 1
        _decide(t, _finite(relative(x, y) for x in first for y in second), tests)
    return t
