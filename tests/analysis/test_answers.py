# SPDX-License-Identifier: GPL-2.0-only
"""The answers to the eight questions: planted effects are found, noise and missing data give no claim."""
from __future__ import annotations

import random

import goldens
import pytest
from made import (
    CACHE,
    CHEAPEST,
    KIB,
    Knobs,
    made,
    ONE_OVER_TWO,
    PAIRS,
    put_values,
    ROUNDS,
    Study,
    THREADS,
    UNEXPECTED,
    WHY_ZEROCOPY,
    ZERO_OVER_TWO,
)

from analysis import answer, first_screen, metric
from analysis.answer import Tally
from analysis.metric import NAN
from analysis.stats import Difference, Estimate
from analysis.study import Finding
from analysis.tables import Mode, MODES, ONECOPY, TWOCOPY, ZEROCOPY

SENDFILE, SPLICE, URING = MODES[3:6]


def of(s: Study) -> str:
    return "".join(map(s.text, range(8)))


# ---- whole texts


def test_every_sentence_and_table_on_complete_data() -> None:
    goldens.check("answers.txt", of(made()))


def test_data_with_gaps() -> None:
    """Irregular numbers, missing cells, different numbers of rounds."""
    goldens.check_digest("answers on irregular data", of(made(Knobs(wild=1))).encode())


@pytest.mark.parametrize(("knobs", "words", "faster"), [
    (Knobs(0.1, larger=0.2, rounds=1), "One run per cell, so no difference is certain.", 4),
    (Knobs(0.1, rounds=3, no_counters=True, bare=True), "3 rounds are too few (6 are needed), so no difference", 2)])
def test_too_few_rounds_claim_nothing_and_their_medians_are_shown(knobs: Knobs, words: str, faster: int) -> None:
    s = made(knobs)
    for q in range(8):
        text = s.text(q)
        assert (q == UNEXPECTED) == s.answers[q].answered
        assert words in text or s.answers[q].headline.startswith("Not measured")
        assert "%; +" not in text and "%; -" not in text  # no interval
        assert "certain):" in text or not s.answers[q].tables or q == CACHE
    assert ("Zero-copy, by the medians alone, is slower than the faster copying mode in 4 of 6 settings, faster in 2."
            in s.text(WHY_ZEROCOPY))
    assert (f"One-copy, by the medians alone, is faster in {faster} of 6 settings, slower in {6 - faster}."
            in s.text(ONE_OVER_TWO))


def test_no_throughput_answers_nothing() -> None:
    s = Study()
    s.put(TWOCOPY, 4 * KIB, 1, 0)
    s.put(ZEROCOPY, 4 * KIB, 2, 0)
    s.finish()
    assert all(not a.answered and a.headline for a in s.answers)


# ---- one mode against two-copy


def test_a_planted_crossover_is_found() -> None:
    s = Study()
    s.put_crossing(0.02)
    text = s.finish().text(ONE_OVER_TWO)
    assert s.answers[ONE_OVER_TWO].answered
    assert "faster in 2 of 5 settings, slower in 2, no difference in 1; first shown at 32 KiB with 1 thread (+" in text
    for row in ("8 KiB | -", "16 KiB | no difference", "32 KiB | +"):
        assert f"\n{row}" in text


def test_noise_hides_the_crossover() -> None:
    s = Study()
    s.put_crossing(0.3)
    text = s.finish().text(ONE_OVER_TWO)
    assert "At no size up to 64 KiB: one-copy is faster in 0 of 5 settings, slower in 0, no difference in 5." in text
    assert "intervals of throughput wider than 20 % (10 of 10)" in s.text(UNEXPECTED)


def test_modes_that_share_no_setting_are_not_compared() -> None:
    s = Study()
    for mode, size in ((TWOCOPY, 4), (ONECOPY, 8), (ZEROCOPY, 16)):
        s.put_rounds(mode, size * KIB, 1, 10, 0.01)
    s.finish()
    for q in (ONE_OVER_TWO, ZERO_OVER_TWO, WHY_ZEROCOPY, PAIRS):
        assert s.answers[q].headline.startswith("Not measured: no size and thread count has")
        assert not s.answers[q].answered


def test_a_missing_mode_is_named() -> None:
    s = Study()
    s.put_rounds(TWOCOPY, 4 * KIB, 1, 10, 0.01)
    s.put_rounds(ONECOPY, 4 * KIB, 1, 12, 0.01)
    assert "the data has no zero-copy run" in s.finish().text(WHY_ZEROCOPY)
    assert not s.answers[WHY_ZEROCOPY].answered
    assert "Not measured" in s.text(ZERO_OVER_TWO)


def test_a_missing_number_is_left_out_and_its_neighbours_are_compared() -> None:
    s = Study()
    for size, gbps in ((4, 5.0), (8, NAN), (16, 15.0)):
        s.put_rounds(TWOCOPY, size * KIB, 1, 10, 0.01)
        s.put_rounds(ONECOPY, size * KIB, 1, gbps, 0.01)
    assert "faster in 1 of 2 settings" in s.finish().text(ONE_OVER_TWO)
    assert s.table_cell(ONE_OVER_TWO, "Throughput", "8 KiB", "1 thread") == "n/a"


def test_headline_and_table_use_the_change_of_the_medians() -> None:
    """One-copy is faster in two of three rounds, and has the lower median."""
    s = Study()
    for r, (two, one) in enumerate(((0.56, 3.7), (4.8, 4.4), (5.2, 5.9))):
        for mode, gbps in ((TWOCOPY, two), (ONECOPY, one), (ZEROCOPY, one)):
            s.put(mode, KIB, 1, r, gbps)
    assert "One-copy, by the medians alone, is faster in 0 of 1 setting, slower in 1." in s.finish(1).text(ONE_OVER_TWO)
    assert s.table_cell(ONE_OVER_TWO, "Throughput of one-copy", "1 KiB", "1 thread") == "-8.3 %; too few rounds"
    assert "slower than the faster copying mode in 1 of 1 setting" in s.text(WHY_ZEROCOPY)


def test_equal_modes_are_neither_faster_nor_slower() -> None:
    s = Study()
    for mode in MODES[:3]:
        s.put(mode, KIB, 1, 0, 16)
    assert "One-copy, by the medians alone, is faster in 0 of 1 setting" in s.finish().text(ONE_OVER_TWO)
    assert "slower than the faster copying mode in 0 of 1 setting" in s.text(WHY_ZEROCOPY)


def test_cost_is_compared_where_the_throughput_does_not_differ() -> None:
    s = Study()
    for size, cost in ((4, 200), (8, 100), (16, 50)):
        for mode in (TWOCOPY, ONECOPY):
            for row in s.put_rounds(mode, size * KIB, 1, 10, 0.01, RX_BYTES=1024e9, CPU_RECEIVER=0):
                put_values(row, CPU_SENDER=(cost if mode is ONECOPY else 100)
                           + (size * 5 + row.round * 3 + mode.index * 3) % 7 / 100)
    s.finish(1)
    for size, begin in ((4, "+100.0 %; +"), (8, "no difference"), (16, "-50.0 %; -")):
        assert s.table_cell(ONE_OVER_TWO, "CPU time of the processes of one-copy against two-copy", f"{size} KiB",
                            "1 thread").startswith(begin)


# ---- why zero-copy is slower


def test_copied_zero_copy_explains_why_it_is_slower() -> None:
    s = Study()
    s.put_rounds(ONECOPY, 64 * KIB, 1, 40, 0.01, CPU_SENDER=0.2, BYTES_TX_PIN=0, BYTES_DEFERRED_COPY=0)
    s.put_rounds(ZEROCOPY, 64 * KIB, 1, 20, 0.01, CPU_SENDER=0.4, BYTES_TX_PIN=1e9, BYTES_DEFERRED_COPY=1e9,
                 ZC_COMPLETED=100, ZC_COPIED=100)
    for row in s.rows:
        put_values(row, RX_BYTES=1e9, BYTES_RX_COPY=1e9, CPU_RECEIVER=0.1)
    text = s.finish().text(WHY_ZEROCOPY)
    assert s.answers[WHY_ZEROCOPY].answered
    for words in ("slower than the faster copying mode in 1 of 1 setting",
                  "The kernel copied all 700 zero-copy sends after all. ",
                  "Largest deficit of the medians, zero-copy, 64 KiB, 1 thread:",
                  "pin, references per byte | 1.00 (1.00 to 1.00) | 0.00",
                  "deferred, copies per byte | 1.00 (1.00 to 1.00) | 0.00",
                  "CPU time of the processes | 512.0 ns/KiB (512.0 to 512.0) | 307.2 ns/KiB"):
        assert words in text


def test_a_mode_ahead_everywhere_has_a_smallest_gain_and_one_send_that_was_not_copied_is_not_all() -> None:
    s = Study()
    s.put_rounds(TWOCOPY, KIB, 1, 10, 0)
    for row in s.put_rounds(ZEROCOPY, KIB, 1, 20, 0, ZC_COMPLETED=100000):
        put_values(row, ZC_COPIED=100000 if row.round else 99999)
    text = s.finish(1).text(WHY_ZEROCOPY)
    assert "slower than the faster copying mode in 0 of 1 setting, faster in 1," in text
    assert "Smallest gain of the medians, zero-copy, 1 KiB, 1 thread:" in text
    assert "The kernel copied 699 999 of 700 000 zero-copy sends after all." in text
    assert "deficit" not in text


def test_the_first_of_equal_deficits_is_shown_against_the_faster_copying_mode() -> None:
    s = Study()
    for size, zero in ((1, 8), (16, 8), (256, 32)):
        for mode, gbps in ((TWOCOPY, 16), (ONECOPY, 12), (ZEROCOPY, zero), (SENDFILE, 99)):
            s.put(mode, size * KIB, 1, 0, gbps)
    text = s.finish().text(WHY_ZEROCOPY)
    assert "Largest deficit of the medians, zero-copy, 1 KiB, 1 thread:" in text
    assert "Number | zero-copy | two-copy | Change" in text
    assert "throughput | 8.000 Gbit/s | 16.00 Gbit/s | -50.0 %" in text
    assert "slower than the faster copying mode in 2 of 3 settings, faster in 1." in text


@pytest.mark.parametrize("copied", range(3))
def test_copied_sends_are_a_cause_only_if_all_were_copied(copied: int) -> None:
    s = Study()
    for r in range(4):
        s.put(TWOCOPY, KIB, 1, r, 10)
        s.put(ZEROCOPY, KIB, 1, r, 10, ZC_COMPLETED=2, ZC_COPIED=copied)
    assert ("because the kernel copied every send" in s.finish().text(ZERO_OVER_TWO)) == (copied == 2)


def test_copied_sends_are_counted_over_the_runs_with_both_counts() -> None:
    s = Study()
    s.put(TWOCOPY, KIB, 1, 0, 10)
    for completed, copied in ((0, 0), (NAN, 50), (50, NAN)):
        s.put(ZEROCOPY, KIB, 1, 0, ZC_COMPLETED=completed, ZC_COPIED=copied)
    s.put(ONECOPY, KIB, 1, 0, ZC_COMPLETED=1000, ZC_COPIED=1000)
    assert answer.copied_fraction(s.finish().a, ZEROCOPY) == (-1, 0)
    for copied in (25, 0):
        s.put(ZEROCOPY, KIB, 1, 0, ZC_COMPLETED=200, ZC_COPIED=copied)
    assert answer.copied_fraction(s.a, ZEROCOPY) == (0.0625, 400)
    assert answer.copied(s.a, ZEROCOPY) == ("The kernel copied 25 of 400 zero-copy sends in the 3 of 5 runs that count "
                                            "them after all.")


@pytest.mark.parametrize(("shares", "share", "verdict"), [
    ((1, 1), "all zero-copy", "No"), ((0, 0), "none of the zero-copy", "Yes"),
    ((1, 0.5), "75.0 % of the zero-copy", "Not always"), ((1, 0.99999), "99.9 % of the zero-copy", "Not always"),
    ((1, NAN), "all zero-copy sends in the 1 of 2 runs that state it", "No"), ((NAN, 2), None, "Unknown")])
def test_without_counts_the_share_that_runs_state_answers(shares: tuple[float, ...], share: str | None,
                                                          verdict: str) -> None:
    s = Study()
    for r, copied in enumerate(shares):
        s.put(TWOCOPY, KIB, 1, r, 10)
        s.put(ZEROCOPY, KIB, 1, r, 10, COPIED_FRACTION=copied)
    screen, text = first_screen.zerocopy(s.finish().a), answer.copied(s.a, ZEROCOPY)
    assert screen.startswith(verdict)
    if share is None:
        assert text is None
    else:
        assert text and f"copied {share}" in text and text.endswith("The number of sends is not in the file.")
        assert text in screen


def test_counts_of_copied_sends_come_before_a_share() -> None:
    s = Study()
    s.put(ZEROCOPY, KIB, 1, 0, 10, ZC_COMPLETED=4, ZC_COPIED=1, COPIED_FRACTION=1)
    assert answer.copied_fraction(s.finish(1).a, ZEROCOPY) == (0.25, 4)


def test_a_mode_is_faster_than_the_copying_modes_only_if_it_is_faster_than_each() -> None:
    """One-copy has the higher median, and two-copy varies so much that nothing is certain of it."""
    s = Study()
    s.put_rounds(TWOCOPY, KIB, 1, 10, 0.9)
    s.put_rounds(ONECOPY, KIB, 1, 11, 0.01)
    s.put_rounds(ZEROCOPY, KIB, 1, 12, 0.01)
    assert s.finish(1).compare(ZEROCOPY, ONECOPY, KIB).difference is Difference.HIGHER
    assert "faster in 0, no difference in 1" in s.text(WHY_ZEROCOPY)


def test_counts_of_foreign_data_may_be_as_large_as_a_number_can_be() -> None:
    s = Study()
    for r in range(2):
        s.put(ZEROCOPY, KIB, 1, r, 10, ZC_COMPLETED=1e308, ZC_COPIED=0)
    assert answer.copied(s.finish(1).a, ZEROCOPY) == "The kernel copied none of n/a zero-copy sends."


# ---- caches


def test_rising_misses_are_named() -> None:
    s = made(Knobs(misses=4))
    assert s.answers[CACHE].answered
    assert "None: the misses of all levels rise against two-copy in most settings." in s.text(CACHE)


@pytest.mark.parametrize("noise", [0, 1])
def test_misses_without_a_difference_do_not_fall(noise: int) -> None:
    s = Study()
    s.put_rounds(TWOCOPY, 4 * KIB, 1, 20, 0.01, LLC_MISSES=100, L1D_MISSES=100)
    for row, off in zip(s.put_rounds(ONECOPY, 4 * KIB, 1, 20, 0.01), (3, -2, 1, -1, 2, -3, 0.5)):
        put_values(row, LLC_MISSES=100 + noise * (0.4 + off), L1D_MISSES=100 + noise * (0.4 + off))
    text = s.finish().text(CACHE)
    assert not s.answers[CACHE].answered
    assert "None outside the noise: no level has fewer misses than with two-copy in most settings." in text


@pytest.mark.parametrize(("factor", "settings", "answered"), [(2, 1, False), (2, 2, True), (0.5, 1, False),
                                                              (0.5, 2, True)])
def test_misses_rise_or_fall_if_they_do_in_more_than_half_of_the_settings(factor: float, settings: int,
                                                                          answered: bool) -> None:
    s = Study()
    for r in range(ROUNDS):
        for size in range(2):
            for mode in (TWOCOPY, ONECOPY):
                s.put(mode, KIB << size, 1, r, 10,
                      L1D_MISSES=(factor if mode is ONECOPY and size < settings else 1) * (100 + r))
    text = s.finish().text(CACHE)
    assert s.answers[CACHE].answered == answered
    falls = "fall most against two-copy, in the median setting: L1D with one-copy (-50.0 %)."
    assert (falls in text) == (answered and factor < 1)


def test_misses_that_rise_with_one_of_two_modes_are_no_rule() -> None:
    s = Study()
    for r in range(ROUNDS):
        for mode, factor in ((TWOCOPY, 1), (ONECOPY, 2), (ZEROCOPY, 1)):
            s.put(mode, KIB, 1, r, 10, L1D_MISSES=factor * (100 + r))
    assert "None outside the noise:" in s.finish().text(CACHE)
    assert not s.answers[CACHE].answered


def test_misses_of_single_runs_are_named_and_from_zero_misses_there_is_no_change() -> None:
    s = Study()
    for mode, l1d, llc in ((TWOCOPY, 10, 4), (ONECOPY, 5, 4)):
        s.put(mode, KIB, 1, 0, 10, L1D_MISSES=l1d, LLC_MISSES=llc)
    for mode, l1d in ((TWOCOPY, 0), (ONECOPY, 5)):
        s.put(mode, 2 * KIB, 1, 0, 10, L1D_MISSES=l1d)
    s.finish()
    cells = [s.table_cell(CACHE, f"{level} misses of one-copy", f"{size} KiB", "1 thread")
             for level, size in (("L1D", 1), ("L1D", 2), ("LLC", 1))]
    assert cells == ["-50.0 %", "n/a", "+0.0 %"]
    assert ("Misses of a whole run against two-copy, by the medians alone, in the median setting: L1D with one-copy "
            "(-50.0 %), LLC with one-copy (+0.0 %).") in s.text(CACHE)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("least", [None, ("L1D", ONECOPY)])
def test_the_level_that_falls_most_is_named_only_if_it_falls_more_than_each_other(
        seed: int, least: tuple[str, Mode] | None) -> None:
    """All misses fall by 30 %, those of `least` by 60 %."""
    s, rng = Study(), random.Random(seed)
    for r in range(12):
        for mode in MODES[:3]:
            for size in (KIB, 16 * KIB):
                factors = [1 if mode is TWOCOPY else 0.4 if (level, mode) == least else 0.7 for level in ("L1D", "LLC")]
                l1d, llc = (1e6 * factor * (1 + rng.gauss(0, 0.03)) for factor in factors)
                s.put(mode, size, 1, r, 10, RX_BYTES=1e9, L1D_MISSES=l1d, LLC_MISSES=llc)
    headline = s.finish(1).answers[CACHE].headline
    named = [f"{level} with {mode.words}" in headline for mode in (ONECOPY, ZEROCOPY) for level in ("L1D", "LLC")]
    assert named == ([True, False, False, False] if least else [True] * 4)
    assert ("Which of all levels and modes falls most is not certain." in headline) == (least is None)


def test_no_counters_give_no_answer_on_caches() -> None:
    s = Study()
    s.put_crossing(0.01)
    s.dataset.reason[metric.METRICS["S_L1D_MISSES"]] = "virtual machine without a PMU"
    assert "Not measured: virtual machine without a PMU." in s.finish().text(CACHE)
    assert not s.answers[CACHE].answered


# ---- what is unexpected


def test_collapses_and_falls_are_named_with_their_cells() -> None:
    text = made(Knobs(0.1, larger=0.2)).text(UNEXPECTED)
    assert "collapse with more threads (9 of 9), fall with larger messages (6 of 12)" in text
    assert "\nLarger messages, lower throughput | two-copy, 256 KiB, 1 thread |" in text


@pytest.mark.parametrize(("gbps", "collapses"), [(9.975, False), (9.01, False), (8.9, True)])
def test_a_collapse_is_a_fall_by_more_than_a_tenth(gbps: float, collapses: bool) -> None:
    s = Study()
    for r in range(ROUNDS):
        off = 0.0001 * (r * 3 % ROUNDS)
        s.put(TWOCOPY, 4 * KIB, 1, r, 10 + off)
        s.put(TWOCOPY, 4 * KIB, 2, r, gbps + off)
    assert ("\nCollapse with more threads |" in s.finish().text(UNEXPECTED)) == collapses


def test_the_twelve_largest_collapses_are_shown_the_largest_first() -> None:
    s = Study()
    for i in range(14):
        s.put(TWOCOPY, KIB << i, 1, 0, 100)
        s.put(TWOCOPY, KIB << i, 2, 0, 80 - 5 * i)
    rows = [row for row in s.finish().answers[UNEXPECTED].tables[0].rows if row[0] == "Collapse with more threads"]
    assert [row[4] for row in rows] == [f"-{85 - 5 * i}.0 %, one run" for i in range(12)]


@pytest.mark.parametrize(("gbps", "falls"), [(7.1, False), (6.9, True)])
def test_a_fall_with_size_is_one_to_below_seven_tenths(gbps: float, falls: bool) -> None:
    s = Study()
    s.put_rounds(TWOCOPY, 4 * KIB, 1, 10, 0.001)
    s.put_rounds(TWOCOPY, 8 * KIB, 1, gbps, 0.001)
    assert ("\nLarger messages, lower throughput |" in s.finish().text(UNEXPECTED)) == falls


def test_latency_is_no_explanation_of_throughput() -> None:
    """In a closed loop it follows from the throughput."""
    s = Study()
    for threads, gbps in ((1, 20), (4, 10)):
        for i, row in enumerate(s.put_rounds(TWOCOPY, 4 * KIB, threads, gbps, 0.01)):
            put_values(row, SEND_P99=threads * 1e6 + i, DELIVERY_P99=threads * 1e6 + i)
    text = s.finish().text(UNEXPECTED)
    assert "Collapse with more threads | two-copy, 4 KiB, 4 threads" in text
    assert "none in this direction" in text and "p99" not in text


@pytest.mark.parametrize(("switches", "words"), [
    (3000, "context switches per GiB, 1 049 to 3 146 (x 3.00)"), (1150, "none in this direction"),
    (500, "none in this direction")])
def test_a_collapse_is_explained_by_a_cost_that_rises_by_a_fifth_or_more(switches: float, words: str) -> None:
    s = Study()
    for threads, gbps, count in ((1, 20, 1000), (4, 10, switches)):
        for i, row in enumerate(s.put_rounds(TWOCOPY, 4 * KIB, threads, gbps, 0.01, RX_BYTES=1024e6)):
            put_values(row, CONTEXT_SWITCHES=count * (1 + i / 1e6))
    assert f"| {words}\n" in s.finish(1).text(UNEXPECTED)


def test_settings_against_the_rule_are_named() -> None:
    """The other modes are half as fast again as two-copy, except for one setting of each."""
    s = Study()
    odd = {(ONECOPY, 16, 8), (ZEROCOPY, 256, 1)}
    for mode in MODES[:3]:
        for size in (1, 16, 256):
            for threads in (1, 8):
                gbps = 12 if (mode, size, threads) in odd else 20 if mode is TWOCOPY else 30
                s.put_rounds(mode, size * KIB, threads, gbps, 0.01)
    text = s.finish().text(UNEXPECTED)
    assert "cells against the rule (2 of 12)" in text
    assert "\nAgainst the rule (1 of 6 settings) | one-copy, 16 KiB, 8 threads | 12.0" in text
    assert "\nAgainst the rule (1 of 6 settings) | zero-copy, 256 KiB, 1 thread | 12.0" in text


def test_a_rule_that_less_than_four_of_five_settings_follow_has_no_exceptions() -> None:
    for exceptions, nr in ((1, 1), (2, 0)):
        s = Study()
        for i in range(6):
            s.put(TWOCOPY, KIB << i, 1, 0, 20)
            s.put(ONECOPY, KIB << i, 1, 0, 30 if i < exceptions else 10)
        assert s.finish().text(UNEXPECTED).count("\nAgainst the rule (") == nr


def test_a_cost_that_falls_to_zero_has_no_factor() -> None:
    s = Study()
    for i in range(6):
        s.put(TWOCOPY, KIB << i, 1, 0, 20, RX_BYTES=1e9, CONTEXT_SWITCHES=1000)
        s.put(ONECOPY, KIB << i, 1, 0, 10 if i else 30, RX_BYTES=1e9, CONTEXT_SWITCHES=1000 if i else 0)
    assert ("Against the rule (1 of 6 settings) | one-copy, 1 KiB, 1 thread | 30.00 Gbit/s | two-copy: 20.00 Gbit/s | "
            "+50.0 %, one run | none in this direction") in s.finish(1).text(UNEXPECTED)


def test_only_runs_with_a_ledger_are_called_balanced() -> None:
    s = Study()
    s.put_crossing(0.01)
    s.finish()
    assert "Not shown: whether the books balance" in s.text(UNEXPECTED) and "unaccounted" not in s.text(UNEXPECTED)
    for wrong, words in ((0, "0 in all"), (3, "not 0 in 1")):
        s = Study()
        s.put_crossing(0.01)
        for row in s.rows:
            put_values(row, UNACCOUNTED_TX=0)
        put_values(s.rows[5], UNACCOUNTED_TX=wrong)
        text = s.finish().text(UNEXPECTED)
        assert f"Bytes sent that are unaccounted for | 70 runs | {words}" in text
        assert ("books that do not balance (1 of 1)" in text) == bool(wrong)
        assert "Bytes received" not in text and "Missed events" not in text


def test_runs_in_which_nothing_arrived_are_named() -> None:
    s = Study()
    for mode in MODES:
        for threads in (1, 2):
            s.put_rounds(mode, 4 * KIB, threads, 0, 0)
    assert "\nNothing arrived | 112 of 112 runs" in s.finish(5).text(UNEXPECTED)
    assert "Not measured" in s.text(THREADS)
    assert "At no size up to 4 KiB" in s.text(ONE_OVER_TWO)


# ---- all pairs, and the cheapest mode


def test_each_pair_has_the_sizes_at_which_it_is_faster_slower_or_neither() -> None:
    s = Study()
    s.put_crossing(0.01)
    s.put_rounds(URING, 64 * KIB, 1, 5, 0.01)
    s.finish()
    assert s.answers[PAIRS].headline == "3 pairs of ways to send are compared."
    assert s.answers[PAIRS].tables[0].rows[1:] == [
        ["one-copy", "two-copy", "32 KiB (+20 %), 64 KiB (+20 %)", "4 KiB (-20 %), 8 KiB (-20 %)", "16 KiB"],
        ["io_uring", "two-copy", "nowhere", "64 KiB (-90 %)", "nowhere"],
        ["io_uring", "one-copy", "nowhere", "64 KiB (-92 %)", "nowhere"]]


def test_a_pair_with_too_few_rounds_is_neither_faster_nor_slower() -> None:
    s = Study()
    for i in range(13):
        s.put_modes(KIB << i, 1, 10, 12 if i else 10.02, 8)
        s.put_rounds(URING, KIB << i, 1, 8, 0.01)
    next(row for row in s.rows if row.mode is ONECOPY).values[metric.GBPS.index] = NAN  # that run failed
    s.finish()
    table = s.answers[PAIRS].tables[0]
    assert "certain" not in table.title
    assert table.rows[0][-1] == "Too few rounds at"
    assert table.rows[1][0] == "one-copy"
    assert table.rows[1][2].startswith("2 KiB (+20 %)") and table.rows[1][3:] == ["nowhere", "nowhere", "1 KiB"]


def test_a_size_where_some_thread_counts_differ_says_how_many() -> None:
    s = Study()
    for threads, one in ((1, 12), (2, 10), (4, 14)):
        s.put_rounds(TWOCOPY, KIB, threads, 10, 0.01)
        s.put_rounds(ONECOPY, KIB, threads, one, 0.01)
    assert s.finish().answers[PAIRS].tables[0].rows[1][2:] == [
        "1 KiB with 2 of 3 thread counts (+20 to +40 %)", "nowhere", "1 KiB with 1 of 3 thread counts"]


def test_the_cheapest_mode_of_each_size_is_named_with_those_that_cost_more() -> None:
    s = Study()
    for mode, size, cpu_s in ((ONECOPY, 4, 0.3), (SENDFILE, 4, 0.2), (MODES[6], 4, 0.9), (ONECOPY, 64, 0.3),
                              (SENDFILE, 64, 0.3), (SPLICE, 256, 0.3)):
        s.put_cost(mode, size * KIB, cpu_s)
    s.finish(1)

    def row(size: str) -> list[str]:
        return next(row for row in s.answers[CHEAPEST].tables[0].rows if row[0] == size)[2:]

    assert row("4 KiB")[0] == "sendfile"
    assert row("4 KiB")[1].startswith("sendfile 307.") and "one-copy than sendfile, +33." in row("4 KiB")[2]
    assert row("64 KiB")[::2] == ["no difference", ""]
    assert row("256 KiB")[::2] == ["splice, the only one", ""]
    assert "One way is cheaper than each other in 1 of 2 settings." in s.text(CHEAPEST)


def test_settings_whose_order_is_not_known_or_not_tested_are_counted() -> None:
    """At 64 KiB softirq work can change the order, at 256 KiB one mode ran once."""
    s = Study()
    for mode, cpu_s in ((ONECOPY, 0.3), (SENDFILE, 0.2)):
        s.put_cost(mode, 4 * KIB, cpu_s)
        s.put_cost(mode, 64 * KIB, cpu_s, (0, 200))
    s.put_cost(ONECOPY, 256 * KIB, 0.3)
    s.rows.append(Study().put_cost(SENDFILE, 256 * KIB, 0.2)[0])
    assert s.finish(1).answers[CHEAPEST].headline.startswith(
        "One way is cheaper than each other in 1 of 3 settings, not known in 1, not tested in 1. ")


def test_cost_that_no_setting_has_for_two_modes_is_not_compared() -> None:
    """A sweep that was interrupted."""
    s = Study()
    s.put_cost(ONECOPY, 4 * KIB, 0.3)
    s.put_cost(SENDFILE, 64 * KIB, 0.2)
    s.put_rounds(TWOCOPY, 4 * KIB, 1, 10, 0.01)
    s.finish(1)
    assert s.answers[CHEAPEST].headline == ("Not measured: no size and thread count has the CPU time of the processes "
                                            "of two modes. One way is faster than each other in 0 of 1 setting.")
    assert "one of two modes lacks it" in s.answers[PAIRS].cannot


# ---- counts


def _finding(difference: Difference, sign: int) -> Finding:
    return Finding(Estimate(), Estimate(), difference=difference, sign=sign)


def test_a_tally_counts_certain_differences_or_medians_where_none_can_be_certain() -> None:
    t = Tally()
    for difference, sign in ((Difference.HIGHER, 1), (Difference.LOWER, -1), (Difference.LOWER, -1),
                             (Difference.NOISE, 1), (Difference.POINT, 1), (Difference.UNKNOWN, 1)):
        t.add(_finding(difference, sign))
    assert t.words("up", "down") == " is up in 1 of 5 settings, down in 2, no difference in 1, too few rounds in 1"
    assert t.words("up", "down", lower_first=True) == (
        " is down in 2 of 5 settings, up in 1, no difference in 1, too few rounds in 1")
    t = Tally()
    t.add(_finding(Difference.FEW, 1))
    t.add(_finding(Difference.POINT, 0))
    assert t.words("up", "down") == ", by the medians alone, is up in 1 of 2 settings, down in 0"


@pytest.mark.parametrize("mode", [ONECOPY, MODES[5]], ids=lambda mode: mode.name)
def test_sentences_begin_with_a_capital_letter_except_for_names(mode: Mode) -> None:
    a = answer.Answer(Study().finish().a, "?")
    a.say(f"{mode.words} is fast.")
    assert a.headline == ("io_uring is fast." if mode.name == "uring" else "One-copy is fast.")


NOISE = (0.03, -0.05, 0.01, 0.04, -0.02, 0, -0.04)


def test_settings_of_one_run_are_not_counted_as_without_difference() -> None:
    s = Study()
    for r in range(ROUNDS):
        s.put(TWOCOPY, 1 * KIB, 1, r, 10 + NOISE[r])
        s.put(ONECOPY, 1 * KIB, 1, r, 8 + NOISE[-r])
    for size in (4, 16):
        s.put(TWOCOPY, size * KIB, 1, 0, 10)
        s.put(ONECOPY, size * KIB, 1, 0, 15)
    text = s.finish().text(ONE_OVER_TWO)
    assert "slower in 1, no difference in 0, too few rounds in 2" in text
    assert "At no size" not in text


def test_data_without_two_cells_to_compare_has_nothing_unexpected_to_claim() -> None:
    s = Study()
    for r in range(ROUNDS):
        s.put(ONECOPY, 4 * KIB, 1, r, 10 + NOISE[r])
    assert "no collapse" not in s.finish().text(UNEXPECTED)


@pytest.mark.parametrize(("completed", "copied", "says"), [
    (0, 0, "no zero-copy send completed"), (5, 6, "more copied zero-copy sends than completed"),
    (NAN, NAN, "does not count the completions")])
def test_why_completions_are_not_counted_is_what_the_data_has(completed: float, copied: float, says: str) -> None:
    s = Study()
    for r in range(ROUNDS):
        s.put(TWOCOPY, 4 * KIB, 1, r, 10)
        s.put(ZEROCOPY, 4 * KIB, 1, r, 10, ZC_COMPLETED=completed, ZC_COPIED=copied)
    assert says in s.finish().text(WHY_ZEROCOPY)
