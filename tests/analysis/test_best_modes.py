# SPDX-License-Identifier: GPL-2.0-only
"""The first lines of a report: the best modes, thread counts that disagree, and orders that softirq work can change."""
from __future__ import annotations

import pytest
from made import CHEAPEST, KIB, ONE_OVER_TWO, put_values, Study

from analysis import best_modes, metric, wording
from analysis.best_modes import Ranking
from analysis.metric import CPU_NS_PER_KIB, GBPS, Metric, NAN
from analysis.stats import Difference
from analysis.study import SOFTIRQ_DECIDES, SOFTIRQ_UNKNOWN
from analysis.tables import MODES, ONECOPY, TWOCOPY, ZEROCOPY

SENDFILE = MODES[3]


def line(s: Study, m: Metric = GBPS) -> str:
    return best_modes.summary(s.finish(1).a, m)


# ---- the line of the first screen


def test_the_group_of_the_fastest_is_named_with_what_is_slower() -> None:
    s = Study()
    s.put_modes(4 * KIB, 1, 10, 10.01, 2.5)
    assert line(s) == "Two-copy or one-copy. Slower: zero-copy, -75 % (-76 to -74)."
    assert line(s, CPU_NS_PER_KIB) == "Not measured: the data set has no such number."


def test_a_mode_behind_any_other_mode_is_no_leader() -> None:
    """The best median varies so much that no mode is slower; another mode is faster than the slow one."""
    s = Study()
    s.put_rounds(TWOCOPY, 4 * KIB, 1, 10, 0.01)
    s.put_rounds(ONECOPY, 4 * KIB, 1, 11, 0.9)
    s.put_rounds(ZEROCOPY, 4 * KIB, 1, 8, 0.01)
    assert line(s) == "Two-copy or one-copy. Slower: zero-copy, -20 % (-21 to -19)."


def test_a_name_alone_is_better_than_each_other_one() -> None:
    """two-copy is faster than one-copy, this than zero-copy, whose rounds are too wide for the first of these."""
    s = Study()
    for r, (two, zero) in enumerate(zip([10] * 5 + [2] + [10] * 4, [1, 1, 12, 1, 11, 1, 1, 11, 1, 1])):
        s.put(TWOCOPY, 4 * KIB, 1, r, two + r % 3 / 100)
        s.put(ONECOPY, 4 * KIB, 1, r, 5 + r % 4 / 100)
        s.put(ZEROCOPY, 4 * KIB, 1, r, zero + r % 2 / 100)
    ranking = best_modes.rank(s.finish().a, 4 * KIB, 1, GBPS)
    others = ranking.than[1:]
    assert (ranking.winner is TWOCOPY) == all(than is TWOCOPY for than in others)
    s = Study()
    s.put_modes(4 * KIB, 1, 10, 8, 5)
    assert best_modes.rank(s.finish().a, 4 * KIB, 1, GBPS).winner is TWOCOPY
    assert Ranking([TWOCOPY, ONECOPY, ZEROCOPY], 1, [], [None, TWOCOPY, ONECOPY]).winner is None


def test_settings_are_counted_by_mode() -> None:
    s = Study()
    for size, zero in ((4, 2.5), (16, 5), (64, 10)):
        s.put_modes(size * KIB, 1, 10, 10.01, zero)
    s.put_rounds(TWOCOPY, 256 * KIB, 1, 10, 0.01)
    assert line(s) == "Two-copy in 3 of 3 settings, one-copy in 3, zero-copy in 1."
    s = Study()
    for threads, two, one, zero in ((1, 8, 10, 2.5), (2, 10, 8, 2.5), (4, 10, 12, 5)):
        s.put_modes(4 * KIB, threads, two, one, zero)
    assert line(s) == ("One-copy in 2 of 3 settings (alone in 2), two-copy in 1 (alone in 1). Slower wherever tested: "
                       "zero-copy, -75 to -58 % (-76 to -57).")


def test_modes_that_differ_nowhere_are_named_together() -> None:
    s = Study()
    for size in (4, 16):
        s.put_modes(size * KIB, 1, 10, 10.01, 10)
    assert line(s) == "No difference between two-copy, one-copy and zero-copy in 2 of 2 settings."


def test_one_run_each_has_medians_and_no_leader() -> None:
    s = Study()
    for mode, cpu_s in ((TWOCOPY, 0.3), (ONECOPY, 0.1)):
        s.put(mode, 4 * KIB, 1, 0, 10, RX_BYTES=1e9, CPU_SENDER=cpu_s, CPU_RECEIVER=0.1)
    assert line(s, CPU_NS_PER_KIB) == "Not tested (one run each); medians against two-copy: one-copy, -50 %."
    assert line(s) == "Not tested (one run each); medians against two-copy: one-copy, +0.0 %."


def test_the_leading_group_is_marked_where_another_mode_is_certainly_worse() -> None:
    s = Study()
    s.put_modes(4 * KIB, 1, 10, 10.01, 2.5)
    s.put_modes(16 * KIB, 1, 10, 10.01, 10)
    s.put(TWOCOPY, 64 * KIB, 1, 0, 10)
    s.put(ONECOPY, 64 * KIB, 1, 0, 5)
    for size, best, marked in ((4, 2, [TWOCOPY, ONECOPY]), (16, 3, []), (64, 2, [])):
        r = best_modes.rank(s.finish().a, size * KIB, 1, GBPS)
        assert r.best == best
        assert [mode for mode in MODES if r.is_best(mode)] == marked
    assert best_modes.rank(s.a, 4 * KIB, 1, GBPS).modes == [TWOCOPY, ONECOPY, ZEROCOPY]
    assert best_modes.rank(s.a, 4 * KIB, 1, metric.CYCLES).modes == []


# ---- thread counts that disagree


def test_thread_counts_that_disagree_are_named() -> None:
    s = Study()
    for size, threads, one in ((4, 1, 12), (4, 2, 12), (4, 8, 8), (16, 1, 10), (16, 8, 8)):
        s.put_modes(size * KIB, threads, 10, one, 5)
    assert best_modes.disagreement(s.finish().a, ONECOPY, GBPS) == (
        "Thread counts disagree on one-copy against two-copy: at 4 KiB +20 % (+17 to +24) with 1 and 2 threads, -20 % "
        "(-22 to -17) with 8 threads.")
    assert best_modes.disagreement(s.a, ZEROCOPY, GBPS) is None
    assert "Thread counts disagree on one-copy" in s.text(ONE_OVER_TWO)


@pytest.mark.parametrize(("gbps", "disagrees"), [(104, False), (106, True)])
def test_changes_of_single_runs_disagree_from_5_percent_on(gbps: float, disagrees: bool) -> None:
    s = Study()
    for threads, one in ((1, gbps), (2, 80)):
        s.put(TWOCOPY, 4 * KIB, threads, 0, 100)
        s.put(ONECOPY, 4 * KIB, threads, 0, one)
    assert (best_modes.disagreement(s.finish().a, ONECOPY, GBPS) is not None) == disagrees


def test_an_extreme_over_settings_has_an_interval_only_if_all_have_one() -> None:
    s = Study()
    s.put_modes(4 * KIB, 1, 10, 12, 5)
    s.put_modes(4 * KIB, 2, 10, 8, 5)
    for mode, gbps in ((TWOCOPY, 10), (ONECOPY, 14)):
        s.put(mode, 4 * KIB, 4, 0, gbps)
    text = best_modes.disagreement(s.finish().a, ONECOPY, GBPS)
    assert text and text.endswith("at 4 KiB +20 to +40 % with 1 and 4 threads, -20 % (-21 to -18) with 2 threads.")


# ---- softirq work on other tasks

UNSAMPLED = (NAN, NAN)


def rank_cost(s: Study, size: int = 4 * KIB) -> Ranking:
    return best_modes.rank(s.a, size, 1, CPU_NS_PER_KIB)


@pytest.mark.parametrize(("sendfile", "onecopy", "is_known"), [
    ((50, 50), (0, 0), True), ((200, 200), (150, 200), True), ((200, 200), (0, 0), False), ((0, 200), (0, 200), False),
    (UNSAMPLED, (0, 0), False), ((9, 9), UNSAMPLED, False)])
def test_the_cheapest_is_not_named_where_softirq_work_can_change_the_order(
        sendfile: tuple[float, float], onecopy: tuple[float, float], is_known: bool) -> None:
    """307 and 410 ns/KiB in the processes."""
    s = Study()
    s.put_cost(SENDFILE, 4 * KIB, 0.2, sendfile)
    s.put_cost(ONECOPY, 4 * KIB, 0.3, onecopy)
    s.finish(1)
    assert s.table_cell(CHEAPEST, "The cheapest way", "4 KiB", "Cheapest") == (
        "sendfile" if is_known else f"not known: {SOFTIRQ_UNKNOWN}")
    assert rank_cost(s).withheld is not is_known
    assert len(best_modes.rank(s.a, 4 * KIB, 1, GBPS).modes) == 2
    one = s.compare(SENDFILE, ONECOPY, 4 * KIB, CPU_NS_PER_KIB)
    modes = s.a.compare_modes(s.cell(SENDFILE, 4 * KIB), s.cell(ONECOPY, 4 * KIB), CPU_NS_PER_KIB)
    assert one.difference is Difference.LOWER  # of the processes
    assert modes.difference is (Difference.LOWER if is_known else Difference.UNKNOWN)
    if not is_known:
        assert line(s, CPU_NS_PER_KIB) == f"Not known: {SOFTIRQ_UNKNOWN}."
        assert s.answers[CHEAPEST].headline.startswith(f"Not known: {SOFTIRQ_UNKNOWN}.")


def test_softirq_work_decides_by_the_ends_of_its_interval_not_by_its_medians() -> None:
    """By the medians, sendfile takes 307 + 150 ns/KiB and one-copy 410 + 60."""
    s = Study()
    for row, softirq in zip(s.put_cost(SENDFILE, 4 * KIB, 0.2), (50, 150, 150, 150, 250, 250, 250)):
        put_values(row, SOFTIRQ=softirq, SOFTIRQ_AT_MOST=softirq)
    s.put_cost(ONECOPY, 4 * KIB, 0.3, (60, 60))
    s.finish(1)
    assert rank_cost(s).withheld


@pytest.mark.parametrize(("sendfile", "onecopy", "withheld"), [
    ((9, 9), (9, 9), False), ((200, 200), (9, 9), True),
    # What is open must not exceed the noise of the rounds.
    ((0, 1), (0, 1), False), ((0, 100), (0, 100), True)])
def test_no_difference_is_not_known_either_where_softirq_work_can_make_one(
        sendfile: tuple[float, float], onecopy: tuple[float, float], withheld: bool) -> None:
    s = Study()
    s.put_cost(SENDFILE, 4 * KIB, 0.2, sendfile)
    s.put_cost(ONECOPY, 4 * KIB, 0.2001, onecopy)
    s.finish(1)
    assert rank_cost(s).withheld == withheld
    assert withheld or rank_cost(s).best == 2


@pytest.mark.parametrize(("softirq", "withheld"), [(NAN, False), (200, True)])
def test_imported_data_is_ranked_unless_it_has_softirq_work(softirq: float, withheld: bool) -> None:
    s = Study()
    s.put_cost(SENDFILE, 4 * KIB, 0.2, (softirq, softirq))
    s.put_cost(ONECOPY, 4 * KIB, 0.3, (softirq * 0, softirq * 0))
    for row in s.rows:
        row.imported = True
    s.finish(1)
    assert rank_cost(s).withheld == withheld
    assert withheld or rank_cost(s).best == 1


def test_softirq_work_decides_nothing_between_two_data_sets() -> None:
    """There, CPU time of the processes is compared and called so."""
    x, y = Study(), Study()
    for s, cpu_s in ((x, 0.2), (y, 0.3)):
        s.put_cost(ONECOPY, 4 * KIB, cpu_s, UNSAMPLED)
        s.finish(1)
    f = x.a.compare_across(x.cell(ONECOPY, 4 * KIB), y.a, y.cell(ONECOPY, 4 * KIB), CPU_NS_PER_KIB, 1)
    assert f.difference is Difference.LOWER and not f.softirq_decides


def test_settings_whose_order_is_not_known_are_counted() -> None:
    s = Study()
    for threads, softirq in ((1, 0), (2, 200)):
        s.put_cost(SENDFILE, 4 * KIB, 0.2, (softirq, softirq), threads)
        s.put_cost(ONECOPY, 4 * KIB, 0.3, threads=threads)
    assert line(s, CPU_NS_PER_KIB) == (
        "Sendfile in 1 of 2 settings (alone in 1). Costs more wherever tested: one-copy, +33 % (+32 to +35). Not known "
        f"in 1 of 2: {SOFTIRQ_UNKNOWN}.")


def test_a_single_comparison_is_shown_and_says_where_softirq_work_decides() -> None:
    s = Study()
    for size, softirq, of_two in ((4, 200, 0), (8, 9, 9)):
        s.put_cost(ONECOPY, size * KIB, 0.2, (softirq, softirq))
        s.put_cost(TWOCOPY, size * KIB, 0.3, (of_two, of_two))
    s.finish(1)
    for size, decides in ((4, True), (8, False)):
        cell = s.table_cell(ONE_OVER_TWO, "CPU time of the processes", wording.size(size * KIB), "1 thread")
        assert cell.startswith("-25.")
        assert cell.endswith(SOFTIRQ_DECIDES) == decides
