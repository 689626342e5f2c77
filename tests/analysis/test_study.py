# SPDX-License-Identifier: GPL-2.0-only
"""Cells, axes and blocks of a data set; which comparisons are a family; the pace of a round; missing numbers."""
from __future__ import annotations

import math
import random

import pytest
from made import KIB, Knobs, made, put_values, Study
from simulated import Noise, Plan, sweep

from analysis import answer, answers, metric
from analysis.dataset import Row
from analysis.metric import Metric, NAN
from analysis.report import main
from analysis.stats import Difference
from analysis.study import Analysis, Family
from analysis.tables import Mode, MODES, ONECOPY, TWOCOPY, ZEROCOPY


def test_a_round_has_the_same_number_in_all_cells_and_a_repeated_one_another() -> None:
    s = Study()
    s.put(TWOCOPY, 4 * KIB, 1, 5, 10)
    for round_, gbps in ((0, 10), (5, 10), (5, 11), (5, 12)):
        s.put(ONECOPY, 4 * KIB, 1, round_, gbps)
    assert [s.finish().a.block(row) for row in s.rows] == [1, 0, 1, 2, 3]


@pytest.mark.parametrize(("rounds", "difference", "words"), [
    (1, Difference.POINT, "One run per cell"), (2, Difference.FEW, "2 rounds are too few (4 are needed)"),
    (3, Difference.FEW, "3 rounds are too few (4 are needed)"), (4, Difference.HIGHER, "")])
def test_one_round_is_a_point_and_four_show_a_difference(rounds: int, difference: Difference, words: str) -> None:
    s = Study()
    for r in range(rounds):
        s.put(TWOCOPY, 4 * KIB, 1, r, 10 + r)
        s.put(ONECOPY, 4 * KIB, 1, r, 20 + r)
    f = s.finish().compare(ONECOPY, TWOCOPY, 4 * KIB)
    assert f.difference is difference
    assert (f.difference.holds, f.difference.untested) == (rounds == 4, rounds < 4)
    assert answer.can_claim(s.a) == (rounds == 4)
    assert not words or answer.cannot_claim(s.a).startswith(words)


def test_cells_with_few_values_among_enough_rounds_are_no_question_of_rounds() -> None:
    s = Study()
    s.put_modes(4 * KIB, 1, 10, 11, 12)
    s.put(TWOCOPY, 8 * KIB, 1, 0, 10)
    assert answer.can_claim(s.finish().a)
    assert answer.cannot_claim(s.a) == "Too few runs have this number, so no difference is certain"


# ---- what is compared


def test_a_missing_cell_gives_no_finding_and_the_estimate_of_the_other() -> None:
    s = Study()
    s.put_crossing(0.02)
    a, x = s.finish().a, s.cell(ONECOPY, 8 * KIB)
    assert a.cell(ONECOPY, 8 * KIB, 2) is a.cell(ONECOPY, 9 * KIB, 1) is a.peer(x, ZEROCOPY) is None
    for first, second in ((x, None), (None, x), (None, None)):
        f = a.compare(first, second, metric.GBPS)
        assert (f.a.n, f.b.n) == (7 if first else 0, 7 if second else 0)
        assert f.difference is Difference.UNKNOWN
        assert math.isnan(f.p) and math.isnan(f.change)
    assert a.compare(None, x, metric.GBPS).b.median == pytest.approx(16)


def test_swapped_cells_give_the_inverse_comparison() -> None:
    s = Study()
    s.put_crossing(0.02)
    f = s.finish().compare(ONECOPY, TWOCOPY, 64 * KIB)
    back = s.compare(TWOCOPY, ONECOPY, 64 * KIB)
    assert (f.tests, f.p, f.a, f.b) == (5, back.p, back.b, back.a)
    assert (f.difference, back.difference, back.tests) == (Difference.HIGHER, Difference.LOWER, 5)
    assert (1 + f.change) * (1 + back.change) == pytest.approx(1)


def test_modes_sizes_and_thread_counts_are_a_family_each() -> None:
    s = Study()
    s.put_crossing(0.02)
    s.put(ZEROCOPY, 4 * KIB, 1, 0, 10)  # one round is a point, and no test
    s.put_rounds(ONECOPY, 4 * KIB, 2, 10, 0.01)
    s.put_rounds(TWOCOPY, 4 * KIB, 2, 10, 0.01)
    a = s.finish().a
    tests = {family: a.tests(family, metric.GBPS) for family in Family}
    assert tests == {Family.MODES: 6, Family.SIZES: 8, Family.THREADS: 2, Family.ALONE: 1}
    assert a.tests(Family.MODES, metric.LLC_MISSES) == 1  # none has it: only a division by the number
    x = s.cell(TWOCOPY, 4 * KIB)
    for mode, size, threads, family in (
            (ONECOPY, 4, 1, Family.MODES), (TWOCOPY, 8, 1, Family.SIZES), (TWOCOPY, 16, 1, Family.ALONE),
            (TWOCOPY, 4, 2, Family.THREADS), (ONECOPY, 4, 2, Family.ALONE), (ONECOPY, 8, 1, Family.ALONE)):
        y = s.cell(mode, size * KIB, threads)
        assert a.family(x, y) is a.family(y, x) is family
        assert a.compare(x, y, metric.GBPS).tests == tests[family]


def test_thread_counts_are_compared_with_the_fewest_only() -> None:
    s = Study()
    for threads in (2, 4, 8):
        s.put_rounds(TWOCOPY, 4 * KIB, threads, 10, 0.01)
    a = s.finish().a
    assert a.tests(Family.THREADS, metric.GBPS) == 2
    assert a.family(s.cell(TWOCOPY, 4 * KIB, 4), s.cell(TWOCOPY, 4 * KIB, 8)) is Family.ALONE


def test_axes_ascend_and_have_each_value_once() -> None:
    s = Study()
    for mode, size, threads, rounds in ((ONECOPY, 8, 4, 3), (ONECOPY, 4, 1, 1), (ZEROCOPY, 8, 1, 2)):
        for r in range(rounds):
            s.put(mode, size * KIB, threads, r, 1 + r)
    a = s.finish().a
    assert (a.sizes, a.threads, a.modes) == ([4 * KIB, 8 * KIB], [1, 4], [ONECOPY, ZEROCOPY])
    assert (len(a.cells), a.rounds_min, a.rounds_max) == (3, 1, 3)
    assert [a.smaller(size) for size in a.sizes] == [0, 4 * KIB]


def test_the_peak_is_the_highest_median_and_the_first_of_equal_cells() -> None:
    s = Study()
    for mode, size, gbps in ((TWOCOPY, 4, 30), (TWOCOPY, 8, 30), (TWOCOPY, 16, 20), (ONECOPY, 4, NAN), (ONECOPY, 8, 0),
                             (ZEROCOPY, 8, 40)):
        s.put(mode, size * KIB, 1, 0, gbps)
    a = s.finish().a

    peaks = [a.peak(mode, metric.GBPS) for mode in (TWOCOPY, ONECOPY, None)]
    assert peaks == [s.cell(TWOCOPY, 4 * KIB), s.cell(ONECOPY, 8 * KIB), s.cell(ZEROCOPY, 8 * KIB)]
    assert a.peak(None, metric.LLC_MISSES) is None


# ---- the pace of a round


def _slow_round(cells: int, lacking: int = -1) -> Analysis:
    """The third of four rounds is twice as slow in all modes; two modes, and so many cells of a third one, which lacks
    a round."""
    s = Study()
    for r in range(4):
        slow = 2 if r == 2 else 1
        s.put(TWOCOPY, KIB, 1, r, (10 + 0.1 * r) / slow)
        s.put(ONECOPY, KIB, 1, r, (11 + 0.1 * r) / slow)
        for size in range(cells if r != lacking else 0):
            s.put(ZEROCOPY, KIB << size, 1, r, 10 / slow)
    return s.finish().a


@pytest.mark.parametrize(("cells", "lacking", "difference"), [
    (4, -1, Difference.HIGHER), (3, -1, Difference.NOISE), (4, 0, Difference.NOISE)])
def test_a_round_is_divided_by_the_pace_of_four_runs_of_other_modes(cells: int, lacking: int,
                                                                    difference: Difference) -> None:
    a = _slow_round(cells, lacking)
    # Three comparisons at 1 KiB would need more than four rounds.
    f = a.compare_across(a.cell(ONECOPY, KIB, 1), a, a.cell(TWOCOPY, KIB, 1), metric.GBPS, 1)
    assert f.difference is difference
    assert f.low <= f.change <= f.high
    other = _slow_round(cells)  # between two data sets there is no pace
    f = a.compare_across(a.cell(ONECOPY, KIB, 1), other, other.cell(TWOCOPY, KIB, 1), metric.GBPS, 1)
    assert f.difference is Difference.NOISE


@pytest.mark.parametrize(("slow", "change"), [(ONECOPY, -0.4), (TWOCOPY, 1.4)])
def test_an_interval_of_paced_values_is_widened_to_hold_the_change_of_the_medians(slow: Mode, change: float) -> None:
    """One-copy is faster by 20 % in each round, and one of the modes has the slow rounds."""
    s = Study()
    for r in range(7):
        pace = 1 if r < 4 else 0.5
        for mode, gbps in ((TWOCOPY, 10), (ONECOPY, 12)):
            if r >= 3 if mode is slow else r <= 3:
                s.put(mode, KIB, 1, r, gbps * pace)
        for size in range(4):
            s.put(ZEROCOPY, KIB << size, 1, r, 10 * pace)
    a = s.finish().a
    f = a.compare_across(a.cell(ONECOPY, KIB, 1), a, a.cell(TWOCOPY, KIB, 1), metric.GBPS, 1)
    assert f.change == pytest.approx(change)
    assert (f.low, f.high) == pytest.approx((min(change, 0.2), max(change, 0.2)))
    assert f.difference is (Difference.NOISE if change < 0 else Difference.HIGHER)


def test_the_change_is_that_of_the_displayed_medians() -> None:
    rng = random.Random(7)
    for _ in range(10):
        s = sweep(Plan(Noise.DRIFT), rng)
        for cell in s.a.cells:
            f = s.a.compare(cell, s.a.peer(cell, TWOCOPY), metric.GBPS)
            if cell.mode is not TWOCOPY:
                assert f.change == pytest.approx(f.a.median / f.b.median - 1)
                assert f.low <= f.change <= f.high
                assert f.difference is not Difference.HIGHER or (f.sign > 0 and f.low > 0)
                assert f.difference is not Difference.LOWER or (f.sign < 0 and f.high < 0)


# ---- missing numbers


def test_a_missing_number_has_its_own_reason_or_that_of_its_source() -> None:
    s = Study()
    s.put(TWOCOPY, 4 * KIB, 1, 0, 30)
    a = s.finish().a
    for m in (metric.SEND_P99, metric.CPU_NS_PER_KIB):  # for CPU time, the duration of the runs would not help
        assert a.reason(m) == "the data set has no such number"
    put_values(s.rows[0], CPU_SENDER=1, CPU_RECEIVER=1)
    a = Analysis(s.dataset)
    assert a.reason(metric.CPU_NS_PER_KIB).endswith("give --duration")
    a.dataset.reason[metric.METRICS["S_LLC_MISSES"]] = "no PMU"
    assert a.reason(metric.LLC_MISSES) == a.reason(metric.LLC_MISSES_PER_KIB) == "no PMU"
    a.dataset.reason[metric.LLC_MISSES] = "not asked for"
    assert a.reason(metric.LLC_MISSES) == "not asked for"
    a.dataset.lacking = "the CSV file has no such column"
    assert a.reason(metric.SEND_P99) == "the CSV file has no such column"


def test_the_cost_is_the_most_complete_that_was_measured() -> None:
    for values, cost in (({"CPU_SENDER": 1, "CPU_RECEIVER": 1, "CYCLES": 1}, metric.CPU_NS_PER_KIB),
                         ({"CPU_SENDER": 1, "CYCLES": 1}, metric.CPU_S_NS_PER_KIB),
                         ({"CYCLES": 1}, metric.CYCLES_PER_BYTE), ({}, metric.CPU_NS_PER_KIB)):
        s = Study()
        s.put(TWOCOPY, KIB, 1, 0, 1, RX_BYTES=1e9, **values)
        assert s.finish().a.cost() is cost


def test_zero_has_no_quotient() -> None:
    s = Study()
    for mode in MODES:
        for threads in (1, 2):
            s.put_rounds(mode, 4 * KIB, threads, 0, 0)
    a = s.finish(5).a
    assert not a.has(metric.CYCLES_PER_BYTE)
    f = s.compare(ONECOPY, TWOCOPY, 4 * KIB)
    assert math.isnan(f.change) and f.difference is Difference.NOISE and f.sign == 0


# ---- how much work it is


@pytest.mark.parametrize("rounds", [12, 24])
def test_answers_and_pictures_read_each_number_about_once(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Independent of the number of rounds: files may have 500 000 rows."""
    reads = 0
    read = Row.__getitem__

    def counted(row: Row, m: Metric) -> float:
        nonlocal reads
        reads += 1
        return read(row, m)

    s = made(Knobs(rounds=rounds))
    monkeypatch.setattr(Row, "__getitem__", counted)
    answers.make_all(s.a)
    main._figures(s.a, "system")
    assert 0.2 < reads / len(s.rows) / len(metric.ALL) < 1.2
