# SPDX-License-Identifier: GPL-2.0-only
"""A published data set, 48 runs of 5 s with one per cell: every fact that an analysis of it must find."""
from __future__ import annotations

import pytest
from goldens import REPO

from analysis import answers, best_modes, load, metric
from analysis.answer import Answer
from analysis.metric import METRICS
from analysis.study import Analysis, Cell
from analysis.tables import Mode, MODES, ONECOPY, TWOCOPY, ZEROCOPY

KIB = 1024
SIZES = ("16 KiB", "64 KiB", "256 KiB", "1 MiB")
# In the order of answers.QUESTIONS.
WHY_ZEROCOPY, CACHE, THREADS, ONE_OVER_TWO, ZERO_OVER_TWO, UNEXPECTED = range(6)
PATH = str(REPO / "tests/fixtures/pa02-mt25014-results.csv")


@pytest.fixture(scope="module")
def a() -> Analysis:
    return Analysis(load.load_files([PATH], 5))


@pytest.fixture(scope="module")
def made(a: Analysis) -> list[Answer]:
    return answers.make_all(a)


def text_of(answer: Answer) -> str:
    """All of an answer, a table's row as "cell | cell"."""
    lines = [answer.headline, answer.cannot]
    for table in answer.tables:
        lines += [table.title, *(" | ".join(row) for row in table.rows)]
    return "\n".join(lines)


def cell(a: Analysis, mode: Mode, kib: int, threads: int) -> Cell:
    found = a.cell(mode, kib * KIB, threads)
    assert found
    return found


@pytest.mark.parametrize(("mode", "cell"), [
    (None, (0, 64 * KIB, 8)), (TWOCOPY, (0, 64 * KIB, 8)), (ZEROCOPY, (2, 256 * KIB, 4))])
def test_peaks(a: Analysis, mode: Mode | None, cell: tuple[int, int, int]) -> None:
    peak = a.peak(mode, metric.GBPS)
    assert peak and (peak.mode.index, peak.size, peak.threads) == cell


@pytest.mark.parametrize(("mode", "kib", "threads", "id_", "value"), [
    (TWOCOPY, 64, 8, "GBPS", 365.26), (ZEROCOPY, 256, 4, "GBPS", 283.32), (ZEROCOPY, 16, 8, "GBPS", 202.75),
    (TWOCOPY, 16, 8, "GBPS", 147.56), (ZEROCOPY, 1024, 4, "GBPS", 50.51), (ONECOPY, 1024, 2, "GBPS", 192.73),
    (ONECOPY, 1024, 4, "GBPS", 166.02), (TWOCOPY, 16, 4, "CYCLES_PER_BYTE", 0.44)])
def test_medians(a: Analysis, mode: Mode, kib: int, threads: int, id_: str, value: float) -> None:
    digits = 0.005 if id_ == "GBPS" else 0.0005
    assert a.estimate(cell(a, mode, kib, threads), METRICS[id_]).median == pytest.approx(value, abs=digits)


@pytest.mark.parametrize(("mode", "id_", "changes", "question", "title", "shown"), [
    (ONECOPY, "GBPS", (0.044, 0.133, 0.136, -0.343), ONE_OVER_TWO, "Throughput of one-copy",
     ("+4.4 %", "+13.3 %", "+13.6 %", "-34.3 %")),
    (ZEROCOPY, "LLC_MISSES", (-0.702, -0.388, 1.326, -0.935), CACHE, "LLC misses of zero-copy",
     ("-70.2 %", "-38.8 %", "+132.6 %", "-93.5 %"))])
def test_changes_against_twocopy_with_4_threads(a: Analysis, made: list[Answer], mode: Mode, id_: str,
                                                changes: tuple[float, ...], question: int, title: str,
                                                shown: tuple[str, ...]) -> None:
    pairs = [(cell(a, mode, kib, 4), cell(a, TWOCOPY, kib, 4)) for kib in (16, 64, 256, 1024)]
    assert [a.compare(x, y, METRICS[id_]).change for x, y in pairs] == pytest.approx(changes, abs=0.0005)
    table = next(t for t in made[question].tables if t.title.startswith(title))
    column = table.rows[0].index("4 threads")
    assert {row[0]: row[column] for row in table.rows[1:]} == dict(zip(SIZES, shown))


@pytest.mark.parametrize(("question", "words"), [
    (UNEXPECTED, "Highest throughput of two-copy | two-copy, 64 KiB, 8 threads | 365.3 Gbit/s"),
    (UNEXPECTED, "Highest throughput of zero-copy | zero-copy, 256 KiB, 4 threads | 283.3 Gbit/s"),
    # Pooled thread counts would hide this.
    (ONE_OVER_TWO, "By the medians alone, thread counts disagree on one-copy against two-copy: at 64 KiB +13 to +14 % "
                   "with 1, 2 and 4 threads, -34 % with 8 threads; at 256 KiB"),
    (ZERO_OVER_TWO, "Zero-copy, by the medians alone, is faster in 1 of 16 settings"),
    (WHY_ZEROCOPY, "15 of 16 settings, faster in 1"),
    (UNEXPECTED, "Against the rule (1 of 16 settings) | zero-copy, 16 KiB, 8 threads | 202.8 Gbit/s | two-copy: 147.6 "
                 "Gbit/s | +37.4 %, one run"),
    (CACHE, "Not shown: from which stage the reduction comes"),
    (UNEXPECTED, "Collapse with more threads | one-copy, 1 MiB, 8 threads | 47.19 Gbit/s | 1 thread: 102.6 Gbit/s | "
                 "-54.0 %, one run"),
    # The data lack the number of CPUs: no limit by CPUs, nothing on caches.
    (THREADS, "the number of usable CPUs is unknown"),
    (THREADS, "The total by the medians alone: x 1.92 with 2 threads, x 3.61 with 4 threads and x "),
    (THREADS, "Not shown: cache contention"), (CACHE, "One run per cell, so no difference is certain"),
    (WHY_ZEROCOPY, "One run per cell"), (THREADS, "One run per cell"), (ONE_OVER_TWO, "One run per cell"),
    (ZERO_OVER_TWO, "One run per cell")])
def test_answers(made: list[Answer], question: int, words: str) -> None:
    assert words in text_of(made[question])


def test_each_answer_has_a_table(a: Analysis, made: list[Answer]) -> None:
    assert a.rounds_max == 1
    assert all(answer.tables for answer in made)
    assert a.modes == list(MODES[:3])


def test_one_run_per_cell_has_no_best_mode(a: Analysis) -> None:
    assert best_modes.summary(a, metric.GBPS) == (
        "Not tested in 16 of 16 (one run each); medians against two-copy: one-copy, -35 to +45 %; zero-copy, -80 to "
        "+38 %.")


def test_cycles_per_byte_need_the_duration_of_the_runs() -> None:
    a = Analysis(load.load_files([PATH]))
    assert not a.has(metric.CYCLES_PER_BYTE)
    assert "for how long: give --duration" in a.reason(metric.CYCLES_PER_BYTE)
    made = answers.make_all(a)
    assert "context switches, 34 to 6 810" in text_of(made[UNEXPECTED])
    assert "LLC misses per thread" in text_of(made[THREADS])
