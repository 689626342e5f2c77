# SPDX-License-Identifier: GPL-2.0-only
"""The rule by which two things are different, on the vectors of user/base/rank_test.c and by its properties."""
from __future__ import annotations

import itertools
import json
import math
import random
from typing import Any

import pytest
from both import REPO

from analysis import stats
from analysis.stats import Difference

VECTORS = json.loads((REPO / "tests/fixtures/rank-test.json").read_text())


def known(value: float) -> float | None:
    return None if math.isnan(value) else value


@pytest.mark.parametrize("case", VECTORS["rank_test"])
def test_the_same_doubles_as_in_c(case: dict[str, Any]) -> None:
    t = stats.rank_test(case["a"], case["b"], case["tests"])
    for name in ("change", "low", "high", "coverage", "p"):
        assert known(getattr(t, name)) == case[name], name
    assert (t.difference.value, t.sign) == (case["difference"], case["sign"])


@pytest.mark.parametrize("case", VECTORS["estimate"])
def test_the_same_medians_and_intervals_as_in_c(case: dict[str, Any]) -> None:
    e = stats.estimate(case["values"])
    assert [known(v) for v in (e.median, e.low, e.high)] == [case[name] for name in ("median", "low", "high")]
    assert known(e.coverage) == (case["coverage"] and pytest.approx(case["coverage"], rel=1e-13))


@pytest.mark.parametrize(("tests", "rounds"), VECTORS["rounds_needed"])
def test_the_rounds_that_are_needed(tests: int, rounds: int) -> None:
    assert stats.rounds_needed(tests) == rounds


@pytest.mark.parametrize(("n", "m"), [(4, 4), (5, 3), (2, 6)])
def test_p_is_the_share_of_all_orders(n: int, m: int) -> None:
    """The first n of n + m places, and how many of all choices of n places are at most as extreme."""
    a, b = list(range(1, n + 1)), list(range(11, 11 + m))
    assert stats.rank_test(a, b, 1).p == pytest.approx(2 / math.comb(n + m, n), rel=1e-12)


def test_without_a_difference_few_of_many_comparisons_show_one() -> None:
    rng = random.Random(1)
    samples = [([rng.gauss(10, 1) for _ in range(7)], [rng.gauss(10, 1) for _ in range(7)]) for _ in range(1000)]
    assert sum(stats.rank_test(a, b, 1).difference.holds for a, b in samples) <= 70


def test_the_order_of_the_sides_only_changes_the_sign() -> None:
    rng = random.Random(2)
    opposite = {Difference.HIGHER: Difference.LOWER, Difference.LOWER: Difference.HIGHER}
    for _ in range(100):
        a, b = ([rng.gauss(10, 1) for _ in range(6)] for _ in range(2))
        t, back = stats.rank_test(a, b, 1), stats.rank_test(b, a, 1)
        assert (t.p, t.sign) == (back.p, -back.sign)
        assert opposite.get(t.difference, t.difference) is back.difference


def test_values_that_are_not_finite_are_no_rounds() -> None:
    t = stats.rank_test([1, math.nan, 2], [math.inf], 1)
    assert (t.n, t.m, t.difference) == (2, 0, Difference.UNKNOWN)


def test_the_interval_holds_the_change() -> None:
    for a, b in itertools.product(([5, 6, 7, 8, 9, 10], [1, 1, 1, 9, 9, 9]), repeat=2):
        t = stats.rank_test(a, b, 1)
        assert t.low <= t.change <= t.high
