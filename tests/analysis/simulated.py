# SPDX-License-Identifier: GPL-2.0-only
"""Made-up sweeps with known effects: rounds of cells differ by noise only, apart from a planted effect. Fixed seeds.

A rate is measured on SETS data sets, or $NETIOTRACE_CLAIM_SETS; its bound is wider by three standard deviations.
"""
from __future__ import annotations

import enum
import math
import os
import random
from dataclasses import dataclass

from made import KIB, Study

from analysis import metric
from analysis.metric import Metric
from analysis.stats import Difference
from analysis.tables import Mode, MODES, ONECOPY

SETS = int(os.environ.get("NETIOTRACE_CLAIM_SETS", "100"))
ROUNDS = 7
SWEEP_ROUNDS = 12  # default of a sweep
NOISE = 0.05  # standard deviation of a run's throughput, relative
SIZES = tuple(KIB << 2 * i for i in range(4))
THREADS = (1, 2, 4, 8)
SETTINGS = len(SIZES) * len(THREADS)


class Noise(enum.Enum):
    PLAIN = "plain"
    DRIFT = "drifting"  # all cells of a round together, by as much as the noise, and a slope
    HEAVY = "heavy-tailed"  # Student's t with 3 degrees of freedom
    UNEQUAL = "unequal"  # cells with very different noise


@dataclass
class Plan:
    """effect: a factor on the throughput of one-copy, less 1, in cells of this size and thread count (None: all)."""

    noise: Noise = Noise.PLAIN
    rounds: int = ROUNDS
    effect: float = 0.0
    size: int | None = None
    threads: int | None = None
    settings: int = SETTINGS  # fewer: the first so many


def draw(noise: Noise, rng: random.Random) -> float:
    """With a standard deviation of 1."""
    x = rng.gauss(0, 1)
    if noise is not Noise.HEAVY:
        return x
    return x / math.sqrt(sum(rng.gauss(0, 1) ** 2 for _ in range(3)) / 3) / math.sqrt(3)


def sweep(p: Plan, rng: random.Random) -> Study:
    """The next data set."""
    s = Study()
    settings = [(size, threads) for size in SIZES for threads in THREADS][:p.settings]
    for round_ in range(p.rounds):
        drift = NOISE * rng.gauss(0, 1) + 0.02 * round_ if p.noise is Noise.DRIFT else 0
        for mode in MODES[:3]:
            for i, (size, threads) in enumerate(settings):
                scale = NOISE * ((0.3, 1, 3, 0.5, 2)[i % 5] if p.noise is Noise.UNEQUAL else 1)
                gbps = 10 * (SIZES.index(size) + 1) * (1 + max(-0.9, drift + scale * draw(p.noise, rng)))
                if mode is ONECOPY and p.size in (None, size) and p.threads in (None, threads):
                    gbps *= 1 + p.effect
                s.put(mode, size, threads, round_, gbps, RX_BYTES=1e9, CPU_RECEIVER=0.2,
                      CPU_SENDER=0.3 * (1 + drift + scale * draw(p.noise, rng)))
    return s.finish(1)


def _chance(n: int, share: float) -> float:
    return 3 * math.sqrt(n * share * (1 - share))


def at_most(found: int, n: int, share: float) -> None:
    print(f"{found} of {n}, at most {share:.3f}")
    assert found <= n * share + _chance(n, share)


def at_least(found: int, n: int, share: float) -> None:
    print(f"{found} of {n}, at least {share:.3f}")
    assert found >= n * share - _chance(n, share)


def finds(p: Plan, x: Mode, y: Mode, sets: int, m: Metric = metric.GBPS) -> int:
    """In how many sets x is higher than y in the cell of the planted effect."""
    rng = random.Random(9)
    assert p.size and p.threads
    return sum(sweep(p, rng).compare(x, y, p.size, m, p.threads).difference is Difference.HIGHER for _ in range(sets))
