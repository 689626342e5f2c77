# SPDX-License-Identifier: GPL-2.0-only
"""Which modes are fastest or cheapest in each setting (a size and a thread count), and in all for the first screen.

Every number is a finding of Analysis.compare(), as in all tables and pictures: thread counts are never pooled.
"""
from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from . import wording
from .metric import Better, Metric
from .stats import Difference, least, most
from .study import Analysis, Finding, SOFTIRQ_UNKNOWN
from .tables import Mode, MODES, TWOCOPY

_UNTESTED_WORTH_TELLING = 0.05  # a change without interval


@dataclass
class Ranking:
    """The modes of a setting with a value: first those than which none is better, then the others, both in the order
    of tables.MODES."""

    modes: list[Mode] = field(default_factory=list)
    best: int = 0  # the first so many are the group of the best
    # Each against the best median; one than which only another mode is better, against that.
    behind: list[Finding] = field(default_factory=list)
    than: list[Mode | None] = field(default_factory=list)  # the mode that is better; None in the group of the best
    withheld: bool = False  # no mode is ranked: SOFTIRQ_UNKNOWN
    # Why no mode is ranked, where too few rounds test nothing: all are in the group, each against the first.
    untested: str = ""

    @property
    def is_comparison(self) -> bool:
        return self.withheld or len(self.modes) > 1

    def is_best(self, mode: Mode) -> bool:
        """Is the mode in the group of the best, and another mode certainly worse?"""
        return mode in self.modes[:self.best] and any(f.difference.holds for f in self.behind[self.best:])

    @property
    def is_tested(self) -> bool:
        return not self.withheld and not self.untested

    @property
    def winner(self) -> Mode | None:
        """The mode that is better than each other one: one than which none is better may be so of some only."""
        return self.modes[0] if len(self.modes) > 1 and all(than is self.modes[0] for than in self.than[1:]) else None


def better(f: Finding, m: Metric) -> int:
    """1: the first is certainly better; -1: the second; 0: neither."""
    if not f.difference.holds:
        return 0
    return -f.sign if m.better is Better.LOWER else f.sign


def best_median(a: Analysis, size: int, threads: int, m: Metric, without: Mode | None = None) -> Mode | None:
    """Of all modes but one; None: none has a value."""
    sign = -1 if m.better is Better.LOWER else 1
    medians = ((mode, a.estimate(a.cell(mode, size, threads), m).median) for mode in MODES if mode is not without)
    return max(((mode, v) for mode, v in medians if not math.isnan(v)), key=lambda known: sign * known[1],
               default=(None, 0))[0]


def _better_mode(a: Analysis, size: int, threads: int, m: Metric, mode: Mode,
                 best: Mode) -> tuple[Mode | None, Finding]:
    """The mode that is better than `mode`: that with the best median, or else the first of the others; None: none.
    With the finding against it, or against the best median."""
    cell = a.cell(mode, size, threads)
    f = a.compare_modes(cell, a.cell(best, size, threads), m)
    if better(f, m) < 0:
        return best, f
    for other in MODES:
        against = a.compare_modes(cell, a.cell(other, size, threads), m)
        if other is not mode and better(against, m) < 0:
            return other, against
    return None, f


def rank(a: Analysis, size: int, threads: int, m: Metric) -> Ranking:
    """m: a metric with a better direction."""
    best = best_median(a, size, threads, m)
    r = Ranking()
    if best is None:
        return r
    against = {mode: _better_mode(a, size, threads, m, mode, best) for mode in MODES}
    for is_behind in (False, True):
        for mode, (than, f) in against.items():
            if mode is not best and f.difference is Difference.UNKNOWN:
                r.withheld |= f.a.n > 0
            elif (mode is not best and than is not None) == is_behind:
                r.modes.append(mode)
                r.behind.append(f)
                r.than.append(than)
        if not is_behind:
            r.best = len(r.modes)
    if not r.withheld and 1 < len(r.modes) == r.best:
        _leave_untested(a, size, threads, m, r)
    return Ranking(withheld=True) if r.withheld else r


def _leave_untested(a: Analysis, size: int, threads: int, m: Metric, r: Ranking) -> None:
    """No mode of a group is better: is that shown by enough rounds?"""
    cells = [a.cell(mode, size, threads) for mode in r.modes]
    behind = [a.compare_modes(cell, cells[0], m) for cell in cells]
    if any(f.difference.untested for f in behind[1:]):
        r.untested = "one run each" if any(f.difference is Difference.POINT for f in behind[1:]) else "too few rounds"
        r.behind, r.than = behind, [r.modes[0]] * len(behind)


# ---- changes of several settings


def _range_words(of: Sequence[Finding]) -> str:
    """ "-74 % (-84 to -39)": their extremes, and the interval that holds all of theirs."""
    changes, lows, highs = zip(*((f.change, f.low, f.high) for f in of))
    words = wording.range_(functools.reduce(least, changes), functools.reduce(most, changes))
    return words + ("" if any(map(math.isnan, lows + highs)) else f" ({wording.bounds(min(lows), max(highs))})")


# ---- words


def join(words: Sequence[str], last: str) -> str:
    return ", ".join(words[:-1]) + (f" {last} " if len(words) > 1 else "") + "".join(words[-1:])


def _threads_words(of: Collection[int]) -> str:
    """ "1, 2 and 4 threads"."""
    counts = sorted(of)
    return wording.threads(counts[0]) if len(counts) == 1 else join([str(t) for t in counts], "and") + " threads"


def _behind(of: Sequence[Ranking], mode: Mode) -> str:
    """ "zero-copy, -74 % (-84 to -39)"."""
    return f"{mode.words}, {_range_words([f for r in of for who, f in zip(r.modes, r.behind) if who is mode])}"


def _places(tested: Sequence[Ranking], m: Metric, modes: Sequence[Mode], nr: int) -> Iterator[str]:
    """The sentences of summary() on settings that are tested."""
    best = {mode: sum(mode in r.modes[:r.best] for r in tested) for mode in modes}
    alone = {mode: sum(r.winner is mode for r in tested) for mode in modes}
    leading = sorted((mode for mode in modes if best[mode]), key=lambda mode: -best[mode])
    behind = [mode for mode in modes if not best[mode] and any(mode in r.modes for r in tested)]
    if nr == 1 or (not behind and all(best[mode] == len(tested) for mode in leading)):
        words = [mode.words for mode in leading]
        yield ((join(words, "or") if behind else f"no difference between {join(words, 'and')}")
               + (f" in {len(tested)} of {nr} settings" if nr > 1 else ""))
    else:
        run = {mode: sum(mode in r.modes for r in tested) for mode in leading}
        yield ", ".join(f"{mode.words} in {best[mode]}" + (f" of {nr} settings" if mode is leading[0] else "")
                        + (f" of its {run[mode]}" if run[mode] < len(tested) else "")
                        + (f" (alone in {alone[mode]})" if alone[mode] else "") for mode in leading)
    if behind:
        yield (("costs more" if m.better is Better.LOWER else "slower") + (" wherever tested: " if nr > 1 else ": ")
               + "; ".join(_behind(tested, mode) for mode in behind))


def summary(a: Analysis, m: Metric) -> str:
    """In how many settings each mode is in the group of the best: "Two-copy in 12 of 16 settings (alone in 3), one-copy
    in 9. Slower wherever tested: zero-copy, -74 to -60 % (-84 to -39)." The interval holds those of all settings."""
    rankings = [r for t in a.threads for s in a.sizes if (r := rank(a, s, t, m)).is_comparison]
    if not rankings:
        return a.not_measured(m, "no size and thread count has two modes")
    nr, tested = len(rankings), [r for r in rankings if r.is_tested]
    parts = list(_places(tested, m, a.modes, nr)) if tested else []
    untested = [r for r in rankings if r.untested]
    withheld = nr - len(tested) - len(untested)
    if withheld:
        parts.append(f"not known{f' in {withheld} of {nr}' if nr > 1 else ''}: {SOFTIRQ_UNKNOWN}")
    for first, why in dict.fromkeys((r.modes[0], r.untested) for r in untested):
        of = [r for r in untested if r.modes[0] is first and r.untested == why]
        against = [_behind(alike, mode) for mode in a.modes if mode is not first
                   and (alike := [r for r in of if mode in r.modes])]
        parts.append(f"not tested{f' in {len(of)} of {nr}' if nr > 1 else ''} ({why}); medians against {first.words}: "
                     f"{'; '.join(against)}")
    return " ".join(f"{wording.capitalised(part)}." for part in parts)


# ---- disagreement


def _side(f: Finding) -> int:
    """1: higher for certain, or so much higher by untested medians that it is worth naming; -1: lower."""
    if f.difference.holds:
        return f.sign
    return 0 if not f.difference.untested or abs(f.change) < _UNTESTED_WORTH_TELLING else f.sign


def disagreement(a: Analysis, mode: Mode, m: Metric) -> str | None:
    """ "Thread counts disagree on one-copy against two-copy: at 64 KiB +13 to +14 % with 1, 2 and 4 threads, -34 % with
    8 threads." Of rounds that cannot be tested, changes under 5 % do not count, and the sentence begins with "By the
    medians alone". None: they do not disagree."""
    said, untested = [], False
    for size in a.sizes:
        found = {t: a.compare(a.cell(mode, size, t), a.cell(TWOCOPY, size, t), m) for t in a.threads}
        sides = [{t: f for t, f in found.items() if _side(f) == side} for side in (1, -1)]
        if all(sides):
            untested |= any(f.difference.untested for side in sides for f in side.values())
            said.append(f"at {wording.size(size)} " + ", ".join(
                f"{_range_words(list(side.values()))} with {_threads_words(side)}" for side in sides))
    begin = "By the medians alone, thread counts" if untested else "Thread counts"
    return f"{begin} disagree on {mode.words} against two-copy: {'; '.join(said)}." if said else None
