# SPDX-License-Identifier: GPL-2.0-only
"""The median of a cell, and its interval between two rounds."""
from __future__ import annotations

import math
import random

import pytest

from analysis import stats


@pytest.mark.parametrize(("n", "coverage"), [
    (2, 0.5), (3, 0.75), (4, 0.875), (5, 0.9375), (6, 0.96875), (7, 0.984375), (9, 0.9609375), (10, 0.978515625)])
def test_coverage_equals_the_binomial_table(n: int, coverage: float) -> None:
    assert stats.estimate([float(i) for i in range(n)]).coverage == pytest.approx(coverage, abs=1e-9)


@pytest.mark.parametrize("n", [*range(6, 60), 200, 1029, 1030, 2000])
def test_coverage_reaches_the_level(n: int) -> None:
    assert stats.ESTIMATE_LEVEL <= stats.estimate([float(i) for i in range(n)]).coverage < 1


@pytest.mark.parametrize("n", [1000, 1001, 15000])
def test_ranks_of_many_values_are_those_of_whole_numbers(n: int) -> None:
    k, coverage = stats._estimate_rank(n)
    ways, outside = 1, 0
    for i in range(k):
        outside += ways
        ways = ways * (n - i) // (i + 1)
    assert coverage == pytest.approx(1 - 2 * outside / (1 << n), abs=1e-9)
    assert 2 * (outside + ways) / (1 << n) > 1 - stats.ESTIMATE_LEVEL


def test_interval_runs_between_ranks() -> None:
    two, nine = stats.estimate([7, 3]), stats.estimate([float(i * 5 % 9) for i in range(9)])
    assert (two.n, two.median, two.low, two.high) == (2, 5, 3, 7)
    assert (nine.median, nine.low, nine.high) == (4, 1, 7)


def test_no_value_and_one_value_have_no_interval() -> None:
    none, one = stats.estimate([]), stats.estimate([5, math.nan, math.inf])
    assert (none.n, one.n, one.median) == (0, 1, 5)
    assert all(map(math.isnan, (none.median, none.coverage, one.low, one.high, one.coverage)))


@pytest.mark.parametrize("n", [3, 5, 6, 8, 12, 30])
@pytest.mark.parametrize("tail", [False, True])
def test_intervals_hold_the_median_as_often_as_they_claim(n: int, tail: bool) -> None:
    """Simulated, with a normal and with a heavy-tailed, skewed distribution."""
    rng, held, sets = random.Random(20), 0, 2000
    for _ in range(sets):
        e = stats.estimate([math.exp(2 * x) if tail else x for x in (rng.gauss(0, 1) for _ in range(n))])
        held += e.low <= tail <= e.high
    claimed = stats.estimate([float(i) for i in range(n)]).coverage
    assert held / sets == pytest.approx(claimed, abs=4 * math.sqrt(claimed * (1 - claimed) / sets))
