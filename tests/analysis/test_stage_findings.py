# SPDX-License-Identifier: GPL-2.0-only
"""The classes of CPU time behind a difference: found on made-up samples, and nothing on noise."""
from __future__ import annotations

import random

import pytest
from false_claims import autoregressive
from made import CACHE, KIB, put_values, Study
from simulated import at_most, SETS

from analysis.stage_findings import StageFinding, StageFindings
from analysis.stats import Difference, RANK_LEVEL
from analysis.tables import CPU_CLASSES, Mode, MODES, ONECOPY, TWOCOPY, ZEROCOPY

SIZES = (KIB, 64 * KIB)
GATHER = 50.0  # ns per KiB, of two-copy


def _times(mode: Mode, size: int, alike: bool) -> dict[str, float]:
    """ns per KiB of a class."""
    of = TWOCOPY if alike else mode
    return {"GATHER": GATHER * (of is TWOCOPY), "TX_COPY": 40 * (of is not ZEROCOPY), "TX_PIN": 12 * (of is ZEROCOPY),
            "RX_COPY": 80, "TCP_IP": 100 if size == SIZES[0] else 50}


def sampled(rng: random.Random, rounds: int = 15, every: int = 3, noise: float = 0.02, alike: bool = False,
            away: bool = False, correlation: float = 0) -> Study:
    """One round in `every` is sampled. alike: modes do not differ; away: the receiver is on another machine;
    correlation: of all times of a cell in a round with those of the next round."""
    s, series = Study(), autoregressive(correlation)
    of_cell = {(size, mode): series(rounds, rng) for size in SIZES for mode in MODES[:3]} if correlation else {}
    for r in range(rounds):
        for size in SIZES:
            for mode in MODES[:3]:
                row = s.put(mode, size, 1, r, 10, RX_BYTES=1e9, S_SAMPLES=100, R_SAMPLES=40)
                times = _times(mode, size, alike)
                speed = 1 + noise * of_cell[size, mode][r] if correlation else 1
                if correlation:
                    put_values(row, CPU_SENDER=0.3 * speed, CPU_RECEIVER=0)
                for k in CPU_CLASSES if r % every == 0 else ():
                    ns = max(0.0, times.get(k.id, 0) * speed * (1 + noise * rng.gauss(0, 1)))
                    put_values(row, **{f"CLASS_S_{k.id}": 0 if k.id == "RX_COPY" else ns})
                    if not away:
                        put_values(row, **{f"CLASS_R_{k.id}": ns if k.id == "RX_COPY" else 0})
    return s.finish(1)


def finding(found: StageFindings, mode: Mode, class_: str) -> StageFinding | None:
    return next((f for f in found.list if f.mode is mode and f.class_.id == class_), None)


def test_classes_that_differ_are_found() -> None:
    """5 of 15 rounds are sampled: too few in one setting, enough in both together."""
    s = sampled(random.Random(3))
    found = StageFindings(s.a)
    assert found.both
    for mode, class_, difference, ns in (
            (ONECOPY, "GATHER", Difference.LOWER, -GATHER), (ZEROCOPY, "GATHER", Difference.LOWER, -GATHER),
            (ZEROCOPY, "TX_COPY", Difference.LOWER, -40), (ZEROCOPY, "TX_PIN", Difference.HIGHER, 12),
            (ONECOPY, "TX_COPY", Difference.NOISE, 0), (ONECOPY, "RX_COPY", Difference.NOISE, 0)):
        f = finding(found, mode, class_)
        assert f and f.test.n == 10
        assert f.test.difference is difference
        assert f.difference == pytest.approx(ns, abs=2.5)
    # A class that neither mode has is left out.
    assert not finding(found, ONECOPY, "TX_PIN") and not finding(found, ZEROCOPY, "DEFERRED_COPY")
    assert not finding(found, TWOCOPY, "GATHER")
    text = s.text(CACHE)
    begin = "CPU samples of the processes, without softirq work on other tasks (0 to 0 ns/KiB), show: one-copy takes "
    assert f"{begin}less in gather, -" in text
    assert " ns/KiB. Zero-copy takes less in gather, -" in text
    assert " ns/KiB; more in pin, +" in text
    row = next(row for row in s.answers[CACHE].tables[0].rows if row[:2] == ["one-copy", "gather"])
    assert row[2] == "0" and row[4:] == ["0 (310)", row[5], "less"]
    f = finding(found, ONECOPY, "GATHER")
    assert f and f.low <= -GATHER <= f.high < 0 and row[5] == f.change()
    assert "\none-copy | 3 classes |  |  | " in text and " |  | no difference\n" in text


def test_settings_are_scaled_to_their_mean() -> None:
    """All of the time of one setting is twice that of the other one."""
    s = Study()
    for r in range(6):
        for size, scale in ((KIB, 1), (64 * KIB, 2)):
            s.put(TWOCOPY, size, 1, r, 10, RX_BYTES=1e9, CLASS_S_TX_COPY=scale * (40 + r), CLASS_S_GATHER=scale * 20)
            s.put(ONECOPY, size, 1, r, 10, RX_BYTES=1e9, CLASS_S_TX_COPY=scale * (40 + r), CLASS_S_GATHER=scale * 10)
    f = finding(StageFindings(s.finish(1).a), ONECOPY, "GATHER")
    assert f and f.test.difference is Difference.LOWER
    assert [f.test.a, f.test.b] == pytest.approx([15, 30])


def test_noise_gives_no_findings() -> None:
    rng, wrong = random.Random(1), 0
    for _ in range(SETS):
        found = StageFindings(sampled(rng, 12, 3, 0.1, alike=True).a)
        wrong += any(f.test.difference.holds for f in found.list)
    at_most(wrong, SETS, RANK_LEVEL)


def test_rounds_that_depend_on_each_other_give_no_findings() -> None:
    """Counted in full, 28 % of such sets have a finding."""
    rng, wrong = random.Random(1), 0
    for _ in range(SETS // 2):
        found = StageFindings(sampled(rng, 24, 1, 0.1, alike=True, correlation=0.8).a)
        wrong += any(f.test.difference.holds for f in found.list)
    at_most(wrong, SETS // 2, RANK_LEVEL)


def test_few_samples_claim_nothing() -> None:
    s = sampled(random.Random(1), 3, 2, 0.001)
    f = finding(StageFindings(s.a), ONECOPY, "GATHER")
    assert f and f.test.difference is Difference.FEW
    assert f.difference == pytest.approx(-GATHER, abs=2.5)
    text = s.text(CACHE)
    assert "\none-copy | 4 classes |  |  | " in text and " |  | too few samples\n" in text
    assert "CPU samples" not in text and "gather" not in text.split("CPU time by class")[1]


def test_seldom_seen_classes_have_their_mean() -> None:
    """One sample in 10 rounds of 20: the median would be 0."""
    s = Study()
    for r in range(10):
        s.put(TWOCOPY, KIB, 1, r, 10, RX_BYTES=1e9, CLASS_S_TX_COPY=95, CLASS_S_GATHER=100 * (r == 3), S_SAMPLES=20)
        s.put(ONECOPY, KIB, 1, r, 10, RX_BYTES=1e9, CLASS_S_TX_COPY=95, CLASS_S_GATHER=0, S_SAMPLES=20)
    f = finding(StageFindings(s.finish(1).a), ONECOPY, "GATHER")
    assert f and f.of_two == pytest.approx(10, rel=0.1)
    assert f.samples == (0, pytest.approx(20 * 100 / 195))


def test_a_receiver_on_another_machine_is_left_out() -> None:
    s = sampled(random.Random(1), 10, 2, away=True)
    found = StageFindings(s.a)
    assert not found.both and finding(found, ONECOPY, "GATHER") and not finding(found, ONECOPY, "RX_COPY")
    assert "\nCPU time by class of the sender's process, without softirq work on other tasks" in s.text(CACHE)


def test_no_samples_give_no_findings() -> None:
    s = Study()
    s.put_modes(KIB, 1, 10, 11, 12)
    assert StageFindings(s.finish(1).a).list == []
    assert "CPU samples show" not in s.text(CACHE) and "CPU time by class" not in s.text(CACHE)


def test_a_round_that_a_mode_lacks_is_not_taken_from_another_setting() -> None:
    lacking = [(KIB, 2), (64 * KIB, 0), (64 * KIB, 1)]
    s = Study()
    s.dataset.rows = [row for row in sampled(random.Random(1), 3, 1).rows
                      if row.mode is TWOCOPY or (row.mode is ONECOPY and (row.size, row.round) not in lacking)]
    f = finding(StageFindings(s.a), ONECOPY, "RX_COPY")
    assert f and f.test.n == f.test.m == 3


def test_a_mean_that_one_round_decides_against_the_ranks_is_no_finding() -> None:
    s = Study()
    for r in range(16):
        s.put(TWOCOPY, KIB, 1, r, 10, RX_BYTES=1e9, CLASS_S_TX_COPY=100 + (r * 7) % 16, CLASS_S_GATHER=0)
        s.put(ONECOPY, KIB, 1, r, 10, RX_BYTES=1e9, CLASS_S_TX_COPY=900 if r == 5 else 80 + (r * 5) % 16,
              CLASS_S_GATHER=0)
    f = finding(StageFindings(s.finish(1).a), ONECOPY, "TX_COPY")
    assert f and f.difference > 0 and f.test.difference is Difference.NOISE
