# SPDX-License-Identifier: GPL-2.0-only
"""The rule by which two things are different, on the vectors of user/base/rank_test.c and by its properties."""
from __future__ import annotations

import itertools
import json
import math
import random
from typing import Any

import pytest
from false_claims import autoregressive
from goldens import REPO

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


def test_an_interval_that_does_not_hold_the_quotient_of_the_medians_is_widened() -> None:
    """9 x 9 pairs are equal, and the rank of the interval is 87."""
    a, b = [10] * 9 + [100] * 8, [10] * 9 + [1] * 8
    t = stats.rank_test(a, b, 1)
    assert (t.change, t.low, t.difference) == (0, 0, Difference.NOISE)
    t = stats.rank_test(b, a, 1)
    assert (t.change, t.high, t.difference) == (0, 0, Difference.NOISE)


@pytest.mark.parametrize("draw", [
    lambda rng: rng.gauss(10, 1), lambda rng: math.exp(rng.gauss(0, 3)), lambda rng: float(rng.randrange(4)),
    lambda rng: rng.gauss(0, 1)], ids=["normal", "lognormal", "zeros", "signs"])
def test_ranks_of_many_pairs_are_those_of_all_pairs(draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by bisection, with few or with many pairs left: the same findings to the last bit."""
    rng = random.Random(3)
    for _ in range(50):
        a, b = ([draw(rng) * f for _ in range(rng.randrange(2, 40))] for f in (1, rng.choice((1, 1.5))))
        t = stats.rank_test(a, b, 1)
        for left in (0, 1, stats._PAIRS_LEFT):
            with monkeypatch.context() as patch:
                patch.setattr(stats, "_PAIRS_SORTED", 0)
                patch.setattr(stats, "_PAIRS_LEFT", left)
                assert repr(stats.rank_test(a, b, 1)) == repr(t)


def test_many_rounds_need_no_memory_for_all_pairs() -> None:
    rng = random.Random(4)
    a, b = ([rng.gauss(mean, 1) for _ in range(15000)] for mean in (10.5, 10))
    t = stats.rank_test(a, b, 1)
    assert (t.difference, t.change) == (Difference.HIGHER, pytest.approx(0.05, abs=0.01))
    assert 0.04 < t.low < t.change < t.high < 0.06


class Counted(float):
    """A number that counts how often it is subtracted or compared."""

    uses = 0

    def __sub__(self, other: float) -> float:
        Counted.uses += 1
        return float(self) - other

    def __lt__(self, other: float) -> bool:
        Counted.uses += 1
        return float(self) < other


@pytest.mark.parametrize("factor", [1, -1], ids=["positive", "signs"])
def test_the_work_of_a_comparison_grows_as_the_rounds_do(factor: int) -> None:
    """Eight times as many: all pairs would be 64 times the work; sorting adds a logarithm."""
    def uses(n: int) -> int:
        rng = random.Random(5)
        a, b = ([Counted(rng.gauss(10, 1) * rng.choice((1, factor))) for _ in range(n)] for _ in range(2))
        Counted.uses = 0
        stats.rank_test(a, b, 1)
        return Counted.uses

    few, many = uses(125), uses(1000)
    assert 8 * 0.5 < many / few < 8 * 1.5


def test_the_interval_holds_the_change() -> None:
    for a, b in itertools.product(([5, 6, 7, 8, 9, 10], [1, 1, 1, 9, 9, 9]), repeat=2):
        t = stats.rank_test(a, b, 1)
        assert t.low <= t.change <= t.high


# ---- rounds that depend on each other


def _series(correlation: float, n: int, nr: int) -> list[list[float]]:
    rng = random.Random(2)
    return [autoregressive(correlation)(n, rng) for _ in range(nr)]


@pytest.mark.parametrize(("correlation", "n", "low", "high"), [
    (0, 12, -0.05, 0.05), (0, 5, -0.1, 0.1), (0.5, 12, 0.38, 0.55), (0.5, 50, 0.43, 0.53), (0.8, 50, 0.7, 0.85)])
def test_the_correlation_of_rounds_is_measured_on_many_series(correlation: float, n: int, low: float,
                                                              high: float) -> None:
    d = stats.dependence(_series(correlation, n, 200), 200)
    assert low < d.correlation < high
    assert d.is_found or not correlation


def test_few_rounds_or_equal_ones_have_no_correlation() -> None:
    for series in (_series(0.8, 4, 50), [[1.0] * 12] * 9, []):
        d = stats.dependence(series, len(series))
        assert math.isnan(d.correlation) and d.share == 1 and not d.is_found


def test_below_8_rounds_only_a_correlation_beyond_chance_counts() -> None:
    one = [[1.0, 2, 3, 5, 4, 6, 7]]
    assert stats.dependence(one, 1).correlation > 0.5 and stats.dependence(one, 1).share == 1
    assert stats.dependence(one * 20, 20).share < 0.5
    assert stats.dependence([[*one[0], 8]], 1).share < 0.5


def test_rounds_that_count_as_fewer_have_wider_intervals_and_claim_less() -> None:
    a, b = [10 + i / 100 for i in range(12)], [9 + i / 100 for i in range(12)]
    for share, rank, coverage in ((1, 3, 0.961), (0.5, 1, 0.969), (0.34, 1, 0.875), (0.01, 1, 0.5)):
        e = stats.estimate(a, share)
        assert (e.low, e.high, round(e.coverage, 3)) == (a[rank - 1], a[-rank], coverage)
    whole, half = stats.rank_test(a, b, 1), stats.rank_test(a, b, 1, 0.5)
    assert half.low < whole.low and half.high > whole.high and half.p > whole.p
    assert whole.difference is half.difference is Difference.HIGHER
    assert stats.rank_test(a, b, 48, 0.5).difference is Difference.FEW


def test_the_interval_of_a_sum_lies_on_the_side_of_the_difference() -> None:
    low, high = stats.shift([1, 2, 3, 4, 5, 6], [0] * 6, 1)
    assert 0 < low < 3.5 < high
    assert all(map(math.isnan, stats.shift([1, 2], [0, 0], 1)))
