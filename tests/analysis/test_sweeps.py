# SPDX-License-Identifier: GPL-2.0-only
"""Several sweeps a side: the rule of sweeps.py, and how often the gate fails on equal sweeps of a machine that drifts.

NETIOTRACE_CLAIM_SETS=2000 python3 -m pytest -s tests/analysis/test_sweeps.py prints docs/measurements/sweeps-in-turn.md
"""
from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from made import KIB, Study
from simulated import at_least, at_most, NOISE, SETS, SWEEP_ROUNDS

from analysis import metric, sweeps
from analysis.changes import Changes, Gate, Kind
from analysis.stats import Difference, RANK_LEVEL
from analysis.study import Analysis
from analysis.tables import MODES, ONECOPY, TWOCOPY, ZEROCOPY

LIMIT = 0.05
GATED = (metric.GBPS, metric.CPU_NS_PER_KIB)


@pytest.mark.parametrize(("level", "freedom", "t"), [
    (0.05, 1, 12.7062), (0.05, 2, 4.30265), (0.01, 3, 5.84091), (0.05, 22, 2.07387), (0.001, 60, 3.46020),
    (0.00005, 94, 4.25181)])
def test_quantiles_are_those_of_the_tables_of_student(level: float, freedom: int, t: float) -> None:
    assert sweeps.quantile(level, freedom) == pytest.approx(t, abs=1e-5)


def test_the_interval_by_hand() -> None:
    """Two cells of one mode, one round a sweep, in percent of 100: rests of +-2 and +-4 before, 0 and +-2 after."""
    e = math.exp
    of = [((ONECOPY,), [[e(-0.02)], [e(0.02)]], [[e(0.3)], [e(0.3)]]),
          ((ONECOPY,), [[e(-0.04)], [e(0.04)]], [[e(0.08)], [e(0.12)]])]
    # Drift: -+3 and -+1; own: +-1 in all but the first cell after, there +1 and -1.
    drift, own = 2 * (0.03 ** 2 + 0.01 ** 2) / 2, 4 * 0.01 ** 2 / 2
    half = math.sqrt(sweeps.quantile(0.05, 2) ** 2 * drift + sweeps.quantile(0.025, 2) ** 2 * own)
    (x, y), noise = sweeps.compare(of)
    assert (x.change, x.low, x.high) == pytest.approx([math.expm1(v) for v in (0.3, 0.3 - half, 0.3 + half)])
    assert (y.change, y.low) == pytest.approx([math.expm1(v) for v in (0.1, 0.1 - half)])
    assert (x.difference, y.difference) == (Difference.HIGHER, Difference.NOISE)
    assert (x.b.median, x.b.low, x.b.high, x.b.n) == pytest.approx((1, e(-0.02), e(0.02), 2))
    assert (noise.drift, noise.own) == pytest.approx((math.sqrt(drift), math.sqrt(own)))


def test_sweeps_that_agree_by_chance_are_no_more_certain_than_their_rounds() -> None:
    of = [((ONECOPY,), [[9, 10, 11.0]] * 2, [[9.5, 10.5, 11.5]] * 2)]
    assert sweeps.compare(of)[0][0].difference is Difference.NOISE
    (f,), _ = sweeps.compare([((ONECOPY,), [[10.0] * 3] * 2, [[10.5] * 3] * 2)])
    assert f.difference is Difference.HIGHER and f.low == pytest.approx(0.05)


@pytest.mark.parametrize(("before", "after", "difference", "change"), [
    ([0.0, 0.0], [1.0, 1.0], Difference.HIGHER, math.nan), ([1.0, 1.0], [0.0, 0.0], Difference.LOWER, -1),
    ([0.0, 0.0], [0.0, 0.0], Difference.NOISE, math.nan), ([0.0, 1.0], [0.0, 1.0], Difference.NOISE, 0)])
def test_numbers_of_0_have_no_logarithm(before: list[float], after: list[float], difference: Difference,
                                        change: float) -> None:
    (f,), _ = sweeps.compare([((ZEROCOPY,), [[v] * 3 for v in before], [[v] * 3 for v in after])])
    assert f.difference is difference and f.change == pytest.approx(change, nan_ok=True)


def test_a_mode_that_drifts_by_itself_is_not_judged_by_the_others() -> None:
    still = [((TWOCOPY,), [[10.0], [10.01]], [[10.0], [10.01]])] * 5
    moving = [((ZEROCOPY,), [[10.0], [11.0]], [[8.9], [9.8]])] * 2
    found = sweeps.compare(still + moving)[0]
    assert {f.difference for f in found} == {Difference.NOISE}
    alone = sweeps.compare([((TWOCOPY,), *c[1:]) for c in still + moving])[0]
    assert alone[-1].high - alone[-1].low < found[-1].high - found[-1].low


@pytest.mark.parametrize("alike", [1, 2])
def test_cells_of_one_size_or_number_of_threads_that_drift_together_are_not_judged_by_the_others(alike: int) -> None:
    still = [((mode, 4, 1), [[10.0], [10.01]], [[10.0], [10.01]]) for mode in MODES[:4]] * 2
    with_drift = [((mode, *((8, 1) if alike == 1 else (4, 2))), [[10.0], [10.5]], [[9.3], [9.8]]) for mode in MODES[:3]]
    apart = [((mode, 4, 1), *of) for mode, (_, *of) in zip(MODES[:3], with_drift)]
    wide, narrow = (sweeps.compare(still + of)[0][-1] for of in (with_drift, apart))
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)



# ---- simulated sweeps

Drift = Callable[[random.Random], Iterator[float]]


def none(_: random.Random) -> Iterator[float]:
    while True:
        yield 0


def slow(kept: float) -> Drift:
    """Of 5 %, kept for so many runs."""

    def drift(rng: random.Random) -> Iterator[float]:
        keep, value = math.exp(-1 / kept) if kept > 1 else 0.0, rng.gauss(0, NOISE)
        while True:
            yield value
            value = keep * value + math.sqrt(1 - keep * keep) * rng.gauss(0, NOISE)

    return drift


def two_speeds(kept: float) -> Drift:
    """10 % apart, each kept for so many runs on average."""

    def drift(rng: random.Random) -> Iterator[float]:
        is_slow = rng.random() < 0.5
        while True:
            yield math.log(0.9) * is_slow
            is_slow ^= rng.random() < 1 / kept

    return drift


@dataclass
class Machine:
    """A drift goes on through all sweeps, and is that of CPU time too."""

    drift: Drift = none
    mode: int | None = None  # the only one that drifts
    own: float = 0.0  # deviation between sweeps of a cell by itself
    cells: int = 12


def sweeps_of(machine: Machine, order: str, effect: float, rng: random.Random) -> tuple[list[Analysis], list[Analysis]]:
    """effect: on the throughput of one cell of B."""
    cells = [(mode, KIB << i) for i in range(machine.cells // 3 or 1) for mode in MODES[:3]][:machine.cells]
    drift, sides = machine.drift(rng), ([], [])
    for name in order:
        s, own = Study(), [rng.gauss(0, machine.own) for _ in cells]
        for r in range(SWEEP_ROUNDS):
            for i in rng.sample(range(len(cells)), len(cells)):
                mode, size = cells[i]
                now = next(drift) * (machine.mode in (None, mode.index)) + own[i]
                speed = math.exp(now + (math.log1p(effect) if name == "B" and i == 0 else 0))
                s.put(mode, size, 1, r, 10 * speed * max(0.1, rng.gauss(1, NOISE)), RX_BYTES=1e9, CPU_RECEIVER=0,
                      CPU_SENDER=0.3 * max(0.1, rng.gauss(1, NOISE)) / math.exp(now))
        sides["AB".index(name)].append(s.finish(1).a)
    return sides


def gate(machine: Machine, order: str, rng: random.Random, effect: float = 0) -> tuple[Gate, bool]:
    """The gate, and whether any throughput differs."""
    c = Changes(*sweeps_of(machine, order, effect, rng), GATED)
    return c.gate(LIMIT, ()), any(x.kind in (Kind.BETTER, Kind.WORSE) for x in c.list if x.metric is metric.GBPS)


def rates(machine: Machine, order: str, effect: float = 0, sets: int = SETS) -> tuple[int, int]:
    """In how many sets the gate fails, and in how many a throughput differs."""
    rng = random.Random(17)
    results = [gate(machine, order, rng, effect) for _ in range(sets)]
    return sum(g is Gate.FAILED for g, _ in results), sum(differs for _, differs in results)


MACHINES = {
    "no drift": Machine(), **{f"drift kept {kept} runs": Machine(slow(kept)) for kept in (1, 20, 144, 600)},
    **{f"two speeds kept {kept} runs": Machine(two_speeds(kept)) for kept in (40, 144, 600)},
    "drift of one mode kept 144 runs": Machine(slow(144), 2), "two speeds of one mode": Machine(two_speeds(144), 2),
    "each cell by itself": Machine(own=NOISE)}


@pytest.mark.parametrize("name", MACHINES)
def test_equal_sweeps_in_turn_fail_the_gate_in_5_percent_at_most(name: str) -> None:
    sets = SETS // 2
    failed, differ = rates(MACHINES[name], "ABAB", sets=sets)
    print(f"\n{name}: the gate failed; a throughput differs")
    at_most(failed, sets, RANK_LEVEL)
    at_most(differ, sets, RANK_LEVEL)


@pytest.mark.parametrize("cells", [1, 6, 12])
def test_a_change_of_10_percent_in_one_cell_is_found_with_two_sweeps_a_side(cells: int) -> None:
    sets = SETS // 2
    at_least(rates(Machine(cells=cells), "ABAB", -0.1, sets)[0], sets, 0.8)


def test_one_sweep_a_side_fails_the_gate_of_a_machine_that_drifts() -> None:
    """What the rule of several sweeps is for."""
    sets = SETS // 2
    at_least(rates(MACHINES["drift kept 144 runs"], "AB", sets=sets)[0], sets, 2 * RANK_LEVEL)
    at_least(rates(MACHINES["drift kept 144 runs"], "ABAB", -0.3, sets)[0], sets, 0.5)
