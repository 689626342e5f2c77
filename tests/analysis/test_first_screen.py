# SPDX-License-Identifier: GPL-2.0-only
"""What a report says first: whether zero-copy was zero-copy, and what else than copying shapes the figures."""
from __future__ import annotations

from typing import Any

import goldens
import pytest
from made import KIB, Study

from analysis import first_screen
from analysis.dataset import Dataset
from analysis.first_screen import Cpus
from analysis.metric import NAN
from analysis.tables import Mode, MODES, ONECOPY, ZEROCOPY

URINGZC = MODES[6]


def zerocopy(*runs: tuple[Mode, float, float], verdict: str = "", **values: float) -> str:
    """Runs with completed and copied sends; verdict and other values: of the first one."""
    s = Study()
    for mode, completed, copied in runs:
        s.put(mode, 4 * KIB, 1, 0, 10, ZC_COMPLETED=completed, ZC_COPIED=copied, **values)
        s.rows[0].verdict, values = verdict, {}
    return first_screen.zerocopy(s.finish().a)


@pytest.mark.parametrize(("completed", "copied", "verdict", "text"), [
    (2000, 2000, "2 000 of 2 000 sends were copied after all: the path is local (lo). More.",
     "No. The kernel copied all 2 000 zero-copy sends after all: the path is local (lo)."),
    (20000, 20000, "No colon here.", "No. The kernel copied all 20 000 zero-copy sends after all."),
    (2000, 500, "500 of 2 000 sends were copied: a tap",
     "Not always. The kernel copied 500 of 2 000 zero-copy sends after all: a tap."),
    (2000, 0, "fine", "Yes. The kernel copied none of 2 000 zero-copy sends."),
    (NAN, NAN, "", "Unknown: the data set does not count the completions of zero-copy sends."),
    # More copied than completed sends are not a count.
    (10, 20, "", "Unknown: the data set counts more copied zero-copy sends than completed ones.")])
def test_copied_sends_decide_whether_zero_copy_was_zero_copy(completed: float, copied: float, verdict: str,
                                                             text: str) -> None:
    assert zerocopy((ZEROCOPY, completed, copied), verdict=verdict) == text


def test_what_was_seen_counts_for_io_uring_not_its_own_flags() -> None:
    assert zerocopy((URINGZC, 8, 7), KERNEL_ZC_COPIED=0) == "Yes. The kernel copied none of 8 io_uring zero-copy sends."
    # A run without reports does not answer for one with them, of which some may not have been seen.
    assert zerocopy((URINGZC, 8, 7), (URINGZC, 8, 0), KERNEL_ZC_COPIED=0, KERNEL_ZC_COPIED_AT_MOST=1) == (
        "Unknown: the kernel reported 7 of 8 io_uring zero-copy sends as copied, and also reports requests that share "
        "a packet.")
    # Where some runs were seen, runs with reports alone do not count.
    assert zerocopy((URINGZC, 8, 7), (URINGZC, 8, 7), KERNEL_ZC_COPIED=0) == (
        "Yes. The kernel copied none of 8 io_uring zero-copy sends in the 1 of 2 runs that count them.")


def test_each_zero_copy_mode_answers_for_itself_if_another_is_unknown() -> None:
    assert zerocopy((ZEROCOPY, 10, 10), (URINGZC, 8, 0), verdict="all: the path is local") == (
        "Not always. The kernel copied all 10 zero-copy sends after all: the path is local. The kernel copied none of "
        "8 io_uring zero-copy sends.")
    assert zerocopy((ZEROCOPY, 10, 0), (URINGZC, NAN, NAN)) == (
        "Yes for zero-copy. The kernel copied none of 10 zero-copy sends. Unknown for io_uring zero-copy: the data set "
        "does not count the completions of io_uring zero-copy sends.")


def test_a_cause_that_two_modes_share_is_said_once() -> None:
    s = Study()
    for mode in (ZEROCOPY, URINGZC):
        s.put(mode, 4 * KIB, 1, 0, 10, ZC_COMPLETED=10, ZC_COPIED=10, KERNEL_ZC_COPIED=10)
        s.rows[-1].verdict = "10 of 10 sends were copied after all: the path is local."
    assert first_screen.zerocopy(s.finish().a) == (
        "No. The kernel copied all 10 zero-copy sends after all: the path is local. The kernel copied all 10 io_uring "
        "zero-copy sends after all, for the same reason.")


def test_data_without_a_zero_copy_run_says_so() -> None:
    assert zerocopy((ONECOPY, NAN, NAN)) == "Not measured: the data has no zero-copy run."


# ---- conditions

BBR, RENO = {"congestion_control": "bbr"}, {"congestion_control": "reno"}

CONDITIONS: list[tuple[dict[str, Any], dict[str, str], str]] = [
    ({}, {}, ""), ({"congestion_control": None}, {}, ""),
    ({**BBR, "cpus": 2}, {}, "The senders pace: their congestion control bbr holds packets back"),
    ({"congestion_control": "cubic", "congestion_choice": "system"}, {}, "The congestion control is cubic."),
    ({**RENO, "congestion_choice": "unpaced", "system_congestion_control": "bbr"}, {},
     "The congestion control is reno, since the system's bbr paces."),
    ({"congestion_control": "homemade"}, {}, "The congestion control is homemade; whether it paces is not known."),
    ({}, {"cpu_sender": "0", "cpu_receiver": "1"}, "Senders ran on CPU 0. Receivers ran on CPU 1."),
    ({}, {"cpu_sender": "0"}, "Senders ran on CPU 0."), ({}, {"cpu_receiver": "1"}, "Receivers ran on CPU 1."),
    # A CSV file has no JSON numbers.
    ({"load_average": "7.7", "cpus": "2"}, {}, "The machine was busy with other work when the first run began (load "
     "average 7.7 on 2 CPUs)"), ({"load_average": 1.5, "cpus": 2}, {}, ""),
    ({"governor": "powersave"}, {}, "The CPUs' frequency is governed by powersave"),
    ({"governor": "performance"}, {}, "")]


def test_conditions_are_said_as_far_as_the_data_has_them() -> None:
    texts = [first_screen.conditions(Dataset(environment=environment, conditions=settings))
             for environment, settings, _ in CONDITIONS]
    for text, (_, _, begin) in zip(texts, CONDITIONS):
        assert text.startswith(begin) and bool(text) == bool(begin)
    goldens.check("conditions.txt", "".join(f"{text}\n" for text in texts))


def test_receivers_that_do_not_call_recv_are_named() -> None:
    for receive, text in (("recv", ""), ("mmap", "Receivers took the bytes with --receive mmap.")):
        assert first_screen.conditions(Dataset(conditions={"receive": receive})) == text


@pytest.mark.parametrize(("others", "words"), [(["cubic"], "cubic"), (["cubic", "bbr"], "cubic, bbr")])
def test_runs_left_out_are_named(others: list[str], words: str) -> None:
    assert first_screen.conditions(Dataset(others=others)) == f"Runs with {words} are not in this report."


def test_runs_that_missed_messages_are_counted() -> None:
    s = Study()
    for r, unsent in enumerate((0, 7, NAN)):
        s.put(ONECOPY, 64, 1, r, 1, UNSENT=unsent)
    assert first_screen.conditions(s.dataset) == ("In 1 of 3 runs, messages were due and not sent: delivery and half "
                                                  "round trip are lower bounds there.")


@pytest.mark.parametrize(("settings", "cpus", "expected"), [
    ({"cpu_sender": "0-2,5"}, 64, Cpus(4, 0, True, False)), ({}, 4, Cpus(4, 0, False, True)),
    ({}, 0, Cpus(0, 0, False, True)), ({"cpu_sender": "x"}, 2, Cpus(2, 0, False, True)),
    ({"cpu_sender": "0-1", "cpu_receiver": "1-3"}, 9, Cpus(4, 3, True, True))])
def test_cpus_of_the_threads(settings: dict[str, str], cpus: int, expected: Cpus) -> None:
    assert first_screen.cpus(Dataset(environment={"cpus": cpus}, conditions=settings)) == expected


@pytest.mark.parametrize("memory", [8589934592, "8589934592"])
def test_origin_has_date_version_seed_caches_and_memory(memory: object) -> None:
    environment = {"started": "2026-01-02T03:04:05Z", "caches": "L1d 32 KiB, L2 1 MiB", "memory": memory}
    assert first_screen.origin(Dataset(environment=environment, version="0.2.0", seed="7")) == (
        "Measured from 2026-01-02T03:04:05Z with netiotrace 0.2.0, in an order of runs by seed 7. Caches: L1d 32 KiB, "
        "L2 1 MiB. Memory: 8 GiB.")
    assert first_screen.origin(Dataset()) == ""


def test_memory_beyond_any_machine_is_unknown() -> None:
    assert first_screen.origin(Dataset(environment={"memory": "1e999"})) == "Caches: n/a. Memory: n/a."


def test_a_quota_that_stopped_the_runs_is_said() -> None:
    load = {"cpu_periods": [20.0, 23.0], "cpu_throttled_periods": [18.0, 20.0]}
    assert "throttled the runs in 38 of 43 periods" in first_screen.conditions(Dataset(load=load))
    assert "quota" not in first_screen.conditions(Dataset(load={**load, "cpu_throttled_periods": [0.0, 0.0]}))
