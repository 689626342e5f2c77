# SPDX-License-Identifier: GPL-2.0-only
"""Numbers, changes, cells and lists in the text of a report."""
from __future__ import annotations

import pytest

from analysis import metric, wording
from analysis.metric import Metric, NAN
from analysis.stats import Difference, Estimate
from analysis.study import Cell, Finding
from analysis.tables import ONECOPY, STAGES

TX_COPY_CPB = metric.stage_cpb(STAGES[1])


@pytest.mark.parametrize(("change", "words"), [
    (0.125, "+12.5 %"), (-0.5, "-50.0 %"), (0.0, "+0.0 %"), (8.99, "+899.0 %"), (9.0, "x 10.0"), (99.5, "x 100"),
    (NAN, "n/a")])
def test_changes_are_percent_and_from_ten_times_on_a_factor(change: float, words: str) -> None:
    assert wording.change(change) == words


@pytest.mark.parametrize(("low", "high", "words"), [
    (0.021, 0.06, "+2.1 % to +6.0 %"), (0.0219, 0.0601, "+2.1 % to +6.1 %"), (-0.0211, -0.0009, "-2.2 % to -0.0 %"),
    (0.0, 0.0, "+0.0 % to +0.0 %"), (-0.5, 8.99, "-50.0 % to +899.0 %"), (-0.5, 9.0, "x 0.500 to x 10.0"),
    (6.66, 16.2, "x 7.66 to x 17.2"), (-1.0, 9.0, "-100.0 % to x 10.0"), (NAN, NAN, ""), (0.5, NAN, "+50.0 % to n/a")])
def test_both_ends_of_an_interval_are_factors_if_the_higher_is_one(low: float, high: float, words: str) -> None:
    assert wording.change_interval(low, high) == words


@pytest.mark.parametrize(("low", "high", "words", "bounds"), [
    (-0.744, -0.744, "-74 %", "-74 to -74"), (-0.744, -0.6, "-75 to -60 %", "-75 to -60"),
    (0.0449, 0.131, "+4.4 to +14 %", "+4.4 to +14"), (0.0994, 0.0996, "+9.9 to +10 %", "+9.9 to +10"),
    (0.5, 8.99, "+50 to +899 %", "+50 to +899"), (0.5, 9.0, "x 1.50 to x 10.0", "x 1.50 to x 10.0"),
    (-1.0, 11.0, "-100 to +1100 %", "-100 to +1100")])
def test_ranges_have_few_digits_and_one_unit(low: float, high: float, words: str, bounds: str) -> None:
    assert wording.range_(low, high) == words
    assert wording.bounds(low, high) == bounds
    assert wording.range_(NAN, high) == "n/a"


@pytest.mark.parametrize(("from_", "to", "words"), [(4, 10, "x 2.50"), (0, 10, "n/a"), (1, NAN, "n/a"), (NAN, 1, "n/a"),
                                                   (10, 0, "x 0")])
def test_factors(from_: float, to: float, words: str) -> None:
    assert wording.factor(from_, to) == words


@pytest.mark.parametrize(("m", "value", "words"), [
    (metric.GBPS, NAN, "n/a"), (metric.GBPS, 12.345678, "12.35 Gbit/s"), (metric.GBPS, 999.96, "1000.0 Gbit/s"),
    (metric.GBPS, 12.1, "12.10 Gbit/s"), (metric.GBPS, 0.00123456, "0.001235 Gbit/s"), (metric.GBPS, 0, "0 Gbit/s"),
    (metric.GBPS, 1000.6, "1 001 Gbit/s"), (metric.GBPS, 9999, "9 999 Gbit/s"), (metric.GBPS, -1234.4, "-1234 Gbit/s"),
    (metric.GBPS, -20000, "-20000 Gbit/s"), (metric.GBPS, 12345.5, "12 346 Gbit/s"),
    (metric.GBPS, 1e15, "1000000000000000 Gbit/s"), (metric.CONTEXT_SWITCHES, 34, "34"),
    (metric.CONTEXT_SWITCHES, 34.5, "34.50"), (metric.SEND_P50, 1500, "1.5 us"), (metric.RX_BYTES, 1500, "1.5 kB"),
    (TX_COPY_CPB, 1.239, "1.24"), (metric.ZC_SENDS, 123456, "123 456")], ids=lambda value: str(value)[:30])
def test_values_have_their_unit_and_four_digits(m: Metric, value: float, words: str) -> None:
    assert wording.value(m, value) == words


@pytest.mark.parametrize(("m", "words", "interval"), [
    (metric.GBPS, "3.000 Gbit/s (2.500 to 1 500)", "2.500 to 1 500"),
    (metric.SEND_P50, "3 ns (2.5 ns to 1.5 us)", "2.5 ns to 1.5 us"),
    (TX_COPY_CPB, "3.00 (2.50 to 1500.00)", "2.50 to 1500.00"),
    (metric.ZC_SENDS, "3 (2.500 to 1 500)", "2.500 to 1 500")],
    ids=lambda value: str(value)[:30])
def test_bounds_have_no_unit_where_the_median_beside_them_has_the_same(m: Metric, words: str, interval: str) -> None:
    e = Estimate(3, 2.5, 1500, 0.95, 7)
    assert (wording.estimate(m, e), wording.interval(m, e)) == (words, interval)


def test_one_run_has_no_interval() -> None:
    assert wording.estimate(metric.GBPS, Estimate(3, n=1)) == "3.000 Gbit/s"
    assert wording.interval(metric.GBPS, Estimate(3, n=1)) == "one run"
    assert wording.estimate(metric.GBPS, Estimate()) == wording.interval(metric.GBPS, Estimate()) == "n/a"


@pytest.mark.parametrize(("difference", "words"), [
    (Difference.HIGHER, "x 1.18; x 1.10 to x 13.0"), (Difference.NOISE, "no difference"),
    (Difference.POINT, "+18.1 %, one run"), (Difference.FEW, "+18.1 %; too few rounds"), (Difference.UNKNOWN, "n/a")])
def test_a_finding_has_its_interval_or_why_it_has_none(difference: Difference, words: str) -> None:
    f = Finding(Estimate(), Estimate(), change=0.181, low=0.1, high=12, difference=difference)
    assert wording.finding(f) == words


def test_signs_sizes_and_threads() -> None:
    assert (wording.signed(-1234.5), wording.signed(62.49), wording.signed(0)) == ("-1234", "+62.5", "+0")
    for threads, words in ((1, "1 thread"), (2, "2 threads"), (0, "threads n/a")):
        assert wording.cell(Cell(ONECOPY, 65536, threads, 0)) == f"one-copy, 64 KiB, {words}"


def test_lists_have_twelve_items_and_the_number_of_the_others() -> None:
    numbers = [str(n) for n in range(1, 15)]
    assert wording.items([]) == "nowhere"
    assert wording.items(numbers[:12]) == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"
    assert wording.items(numbers) == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more"


@pytest.mark.parametrize(("m", "low", "high", "words"), [
    (metric.GBPS, 11.8049, 12.4001, "11.80 to 12.41"), (metric.GBPS, 1234.9, 1500.1, "1 234 to 1 501"),
    (TX_COPY_CPB, 0.675, 1.001, "0.67 to 1.01"), (metric.SEND_P50, 999.7, 1501, "999 ns to 1.51 us"),
    (metric.RX_BYTES, 6759, 999.1e3, "6.75 kB to 1 MB")], ids=lambda value: str(value)[:30])
def test_intervals_are_rounded_outwards(m: Metric, low: float, high: float, words: str) -> None:
    assert wording.interval(m, Estimate(12, low, high, 0.95, 7)) == words
