# SPDX-License-Identifier: GPL-2.0-only
"""The answer on threads: shared CPUs first, then the best number, then caches."""
from __future__ import annotations

import random

import pytest
from made import KIB, put_values, Study, THREADS

from analysis.answer import Answer
from analysis.metric import NAN
from analysis.tables import MODES, ONECOPY, TWOCOPY


def asked(cpu_sender: str = "", cpus: int = 0, recv: bool = False) -> tuple[Answer, str]:
    """Two-copy with 1, 2 and 8 threads: 10, 16 and 12 Gbit/s in total, with misses. The answer, and all of its text."""
    s = Study()
    for threads, gbps in ((1, 10), (2, 16), (8, 12)):
        s.put_rounds(TWOCOPY, 4 * KIB, threads, gbps, 0.01, RX_BYTES=1e9, CYCLES=1e9 * threads,
                     LLC_MISSES=1e6 * threads, RECV_P50=(6000 if threads == 8 else 2000) if recv else NAN)
    if cpu_sender:
        s.dataset.conditions = {"cpu_sender": cpu_sender}
    if cpus:
        s.dataset.environment = {"cpus": cpus}
    return s.finish(1).answers[THREADS], s.text(THREADS)


@pytest.mark.parametrize(("cpu_sender", "cpus", "words"), [
    ("0", 2, "8 sender threads share 1 CPU: a sender thread has at most 1/8 (0.125) of a CPU"),
    ("0-1,3", 64, "8 sender threads share 3 CPUs: a sender thread has at most 3/8 (0.375) of a CPU"),
    ("", 4, "8 sender and as many receiver threads share 4 CPUs of the machine: a sender thread has at most 4/8 (0.5) "
     "of a CPU"),
    ("", 12, "8 sender and as many receiver threads share 12 CPUs of the machine: not each of them has a CPU of its "
     "own.")])
def test_more_threads_than_cpus_are_named_first_and_caches_explain_nothing(cpu_sender: str, cpus: int,
                                                                           words: str) -> None:
    answer, text = asked(cpu_sender, cpus)
    assert answer.answered and answer.headline.startswith(words)
    assert "Not shown: cache contention, because threads wait for a CPU as well." in text


def test_threads_with_a_cpu_each_have_no_limit() -> None:
    answer, text = asked("0-7", 16)
    assert answer.headline.startswith("Up to 8 threads there are as many CPUs as sender threads (8).")
    assert "wait for a CPU" not in text


def test_an_unknown_number_of_cpus_is_named() -> None:
    assert "because the number of usable CPUs is unknown" in asked()[1]
    assert "Not shown: cache contention, because threads may wait for a CPU as well" in asked()[1]


def test_the_best_thread_count_and_the_factors_of_the_most() -> None:
    text = asked("0", 2)[1]
    assert "The total is best with 2 threads: x 1.60 with 2 threads, of that with 1 thread (median of the" in text
    assert "With 8 threads throughput per thread is x 0.150 of that with 1" in text
    for row in ("two-copy, 4 KiB | 10.00 Gbit/s | +60.0 %", "LLC misses per KiB | x 8.00",
                "LLC misses per thread | x 1.00", "bytes per cycle | x 0.125"):
        assert f"\n{row}" in text


def test_threads_that_gain_nothing_are_not_the_best() -> None:
    s = Study()
    s.put_rounds(TWOCOPY, 4 * KIB, 1, 10, 0.1)
    s.put_rounds(TWOCOPY, 4 * KIB, 2, 10.1, 0.1)
    assert ("No thread count has a higher total than another for certain: x 1.01 with 2 threads, of that with 1 thread "
            "(median of the modes and sizes).") in s.finish(1).text(THREADS)


@pytest.mark.parametrize("seed", range(4))
def test_thread_counts_with_equal_totals_are_named_together(seed: int) -> None:
    """2, 4 and 8 threads have twice the total of 1 thread."""
    s, rng = Study(), random.Random(seed)
    for r in range(12):
        for mode in MODES[:3]:
            for threads in (1, 2, 4, 8):
                s.put(mode, KIB, threads, r, (10 if threads == 1 else 20) * (1 + rng.gauss(0, 0.1)))
    assert "The total is best with 2, 4 or 8 threads (which of these, the rounds do not show): x " in (
        s.finish(1).text(THREADS))


@pytest.mark.parametrize(("sender", "receiver", "path", "words"), [
    ("0-7", "8-15", "loopback", "Up to 8 threads there are as many CPUs as sender threads (8). The total"),
    ("0-7", "8-9", "loopback", "as many CPUs as sender threads (8). 8 receiver threads share 2 CPUs. The total"),
    ("0-7", "0-7", "loopback", "8 sender and as many receiver threads share 8 CPUs: not each of them has"),
    ("0-7", "4-11", "loopback", "8 sender and as many receiver threads share 12 CPUs: not each of them has"),
    ("0-7", "0-7", "remote", "Up to 8 threads there are as many CPUs as sender threads (8). The total")])
def test_receivers_use_cpus_as_well(sender: str, receiver: str, path: str, words: str) -> None:
    s = Study()
    for threads, gbps in ((1, 10), (8, 12)):
        s.put_rounds(TWOCOPY, 4 * KIB, threads, gbps, 0.01, RX_BYTES=1e9, LLC_MISSES=1e6)
    s.dataset.conditions = {"cpu_sender": sender, "cpu_receiver": receiver}
    s.dataset.environment = {"path": path}
    assert words in s.finish(1).answers[THREADS].headline
    waits = "threads wait for a CPU as well" in s.text(THREADS)
    assert waits == ("share" in words)

def test_recv_calls_are_compared_where_the_data_has_them() -> None:
    text = asked(recv=True)[1]
    assert "\nrecv call | x 3.00" in text and "recv call, n/a" not in text
    assert "a receiver thread with one connection waits for data in it." in text
    text = asked()[1]
    assert "Not shown: recv call, n/a (the data set has no such number)." in text and "recv call |" not in text


def test_a_mode_without_numbers_has_no_factor() -> None:
    s = Study()
    for threads in (1, 2):
        s.put(TWOCOPY, KIB, threads, 0, 10, RX_BYTES=1e9, LLC_MISSES=1e6 * threads)
        s.put(ONECOPY, KIB, threads, 0, 10, RX_BYTES=1e9)
    text = s.finish(1).text(THREADS)
    for row in ("LLC misses per KiB | x 2.00 | n/a", "LLC misses per thread | x 1.00 | n/a",
                "throughput per thread | x 0.500 | x 0.500"):
        assert f"\n{row}\n" in text


def test_one_thread_count_or_no_setting_with_two_answers_nothing() -> None:
    s = Study()
    row = s.put(ONECOPY, KIB, 1, 0, 10)
    s.finish()
    assert s.answers[THREADS].headline == "Not measured: the data has one thread count only."
    s = Study()
    s.put(TWOCOPY, KIB, 8, 0, 10)
    s.rows.append(row)
    put_values(row, GBPS=10)
    assert not s.finish().answers[THREADS].answered
    assert s.answers[THREADS].headline.endswith("above 0 with both 1 and 8 threads.")
