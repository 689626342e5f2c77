# SPDX-License-Identifier: GPL-2.0-only
"""How often reports on equal modes claim something, also where rounds depend on each other, on made-up data.

As a program: writes the table of docs/measurements/false-claims.md. Arguments: the number of data sets a row, and
"own" or "shared" for one half of the table.
"""
from __future__ import annotations

import math
import pathlib
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

from made import KIB, Study

from analysis import answers, best_modes, metric, overall
from analysis.answer_threads import totals
from analysis.study import Analysis
from analysis.tables import MODES, TWOCOPY

NOISE = 0.05  # standard deviation of a run, relative
SETTINGS = (1, 8)  # one, or two sizes with 1, 2, 4 and 8 threads
Series = Callable[[int, random.Random], "list[float]"]


def autoregressive(correlation: float) -> Series:
    def series(n: int, rng: random.Random) -> list[float]:
        values = [rng.gauss(0, 1)]
        while len(values) < n:
            values.append(correlation * values[-1] + math.sqrt(1 - correlation ** 2) * rng.gauss(0, 1))
        return values
    return series


def two_speeds(n: int, rng: random.Random) -> list[float]:
    """Each kept for 4 rounds on average."""
    fast, values = rng.random() < 0.5, []
    for _ in range(n):
        values.append((1 if fast else -1) + 0.1 * rng.gauss(0, 1))
        fast ^= rng.random() < 0.25
    return values


NOISES: dict[str, Series] = {"independent": autoregressive(0), "AR(1) 0.5": autoregressive(0.5),
                             "AR(1) 0.8": autoregressive(0.8), "two speeds": two_speeds}


@dataclass(frozen=True)
class Case:
    """shared: three times as much noise is common to all cells of a round."""

    noise: str
    modes: int = 3
    rounds: int = 12
    settings: int = 8
    shared: bool = False


def equal(c: Case, rng: random.Random) -> Study:
    """Throughput, CPU time and cache misses of all modes and thread counts are equal, but two-copy has twice the
    misses."""
    s, series = Study(), NOISES[c.noise]
    common = series(c.rounds, rng)
    settings = [(KIB << 4 * (i // 4), 1 << i % 4) for i in range(c.settings)]
    for mode in MODES[:c.modes]:
        for size, threads in settings:
            off = [[NOISE * (own + 3 * c.shared * all_) for own, all_ in zip(series(c.rounds, rng), common)]
                   for _ in range(4)]
            for r in range(c.rounds):
                gbps, cpu_s, l1d, llc = (max(0.01, 1 + numbers[r]) for numbers in off)
                times = 2 if mode is TWOCOPY else 1
                s.put(mode, size, threads, r, 10 * gbps, RX_BYTES=1e9, CPU_SENDER=0.3 * cpu_s, CPU_RECEIVER=0,
                      L1D_MISSES=1e6 * times * l1d, LLC_MISSES=1e6 * times * llc)
    return s.finish(1)


def _names_a_mode(a: Analysis, m: metric.Metric) -> bool:
    rankings = (best_modes.rank(a, size, threads, m) for size in a.sizes for threads in a.threads)
    return any(r.best < len(r.modes) for r in rankings)


def _names_threads(a: Analysis) -> bool:
    return len(a.threads) > 1 and len(overall.best(list(totals(a).items()), False,
                                                 a.dependence(metric.GBPS, True).share)) < len(a.threads)


def _names_level(a: Analysis) -> bool:
    known = answers.misses(a)
    return len(answers.falls_most(a, known)) < len(known)


CLAIMS: dict[str, Callable[[Analysis], bool]] = {
    "fastest": lambda a: _names_a_mode(a, metric.GBPS), "cheapest": lambda a: _names_a_mode(a, a.cost()),
    "threads": _names_threads, "cache level": _names_level}


def false_claims(c: Case, sets: int, seed: int = 1) -> tuple[dict[str, int], int, int]:
    """In how many data sets a claim leaves anything out; then how many intervals of a median of throughput hold the
    true one, in percent, and should, by what the report says."""
    rng, found = random.Random(seed), dict.fromkeys(CLAIMS, 0)
    held = of = claimed = 0.0
    for _ in range(sets):
        a = equal(c, rng).a
        for name, claims in CLAIMS.items():
            found[name] += claims(a)
        estimates = [a.estimate(cell, metric.GBPS) for cell in a.cells]
        held += sum(e.low <= 10 <= e.high for e in estimates)
        claimed += sum(e.coverage for e in estimates)
        of += len(estimates)
    return found, round(100 * held / of), round(100 * claimed / of)


def main(sets: int, kinds: tuple[bool, ...]) -> None:
    print("| noise | modes | rounds | settings |", *(f"{name} |" for name in CLAIMS), "median held (said) |")
    print("|---|---|---|---|" + "---|" * (len(CLAIMS) + 1))
    for shared in kinds:
        for noise in NOISES:
            for modes in (3, 8):
                for rounds in (5, 12):
                    for settings in SETTINGS:
                        c = Case(noise, modes, rounds, settings, shared)
                        found, held, claimed = false_claims(c, sets)
                        print(f"| {noise}{', shared' if shared else ''} | {modes} | {rounds} | {settings} |",
                              *(f"{100 * n / sets:.1f} |" for n in found.values()), f"{held} ({claimed}) |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200,
         (sys.argv[2] == "shared",) if len(sys.argv) > 2 else (False, True))
