# SPDX-License-Identifier: GPL-2.0-only
"""Which modes are fastest or cheapest in each setting (a size and a thread count), in lines for the first screen.

Every number is a finding of Analysis.compare(), as in all tables and pictures: thread counts are never pooled.
"""
from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from . import phrases
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

    @property
    def is_comparison(self) -> bool:
        return self.withheld or len(self.modes) > 1

    def is_best(self, mode: Mode) -> bool:
        """Is the mode in the group of the best, and another mode certainly worse?"""
        return mode in self.modes[:self.best] and any(f.holds for f in self.behind[self.best:])

    def same_order(self, other: Ranking) -> bool:
        return (self.withheld, self.best, self.modes) == (other.withheld, other.best, other.modes)


def better(f: Finding, m: Metric) -> int:
    """1: the first is better, certainly or by the only rounds; -1: the second; 0: neither."""
    if not f.holds and not f.untested:
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
    """m: a metric with a better direction. Where no difference can be certain, medians decide."""
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
    return Ranking(withheld=True) if r.withheld else r


# ---- changes of several settings


class _Range:
    """Their extremes, the interval that holds all of theirs, and the mode that all are against."""

    def __init__(self) -> None:
        self.nr = 0
        self.min = self.max = self.low = self.high = math.nan
        self.than: Mode | None = None

    def add(self, f: Finding, than: Mode | None) -> None:
        self.nr += 1
        if self.nr == 1:
            self.min = self.max = f.change
            self.low, self.high, self.than = f.low, f.high, than
            return
        self.than = than if than is self.than else None
        self.min, self.max = least(self.min, f.change), most(self.max, f.change)
        interval = not math.isnan(f.low) and not math.isnan(f.high)
        self.low = min(self.low, f.low) if interval and not math.isnan(self.low) else math.nan
        self.high = max(self.high, f.high) if interval and not math.isnan(self.high) else math.nan

    def words(self) -> str:
        """ "-74 % (-84 to -39)"."""
        of = phrases.range_(self.min, self.max)
        return of if math.isnan(self.low) or math.isnan(self.high) else f"{of} ({phrases.bounds(self.low, self.high)})"


# ---- lines


def _join(words: Sequence[str], last: str) -> str:
    return ", ".join(words[:-1]) + (f" {last} " if len(words) > 1 else "") + "".join(words[-1:])


def _threads_words(of: Collection[int]) -> str:
    """ "1, 2 and 4 threads"."""
    counts = sorted(of)
    return phrases.threads(counts[0]) if len(counts) == 1 else _join([str(t) for t in counts], "and") + " threads"


def _group_words(m: Metric, like: Ranking, behind: dict[int, _Range]) -> str:
    if like.withheld:
        return f"not known: {SOFTIRQ_UNKNOWN}"
    equal = like.best == len(like.modes)
    text = "no difference between " if equal else ""
    text += _join([mode.words for mode in like.modes[:like.best]], "and" if equal else "or")
    verb = "costs more" if m.better is Better.LOWER else "is slower"
    for i in range(like.best, len(like.modes)):
        than = behind[i].than
        whom = "" if like.best == 1 else f" than {than.words if than else 'one of these'}"
        text += f"; {like.modes[i].words} {verb}{whom}, {behind[i].words()}"
    return text


def _line(a: Analysis, m: Metric, rankings: dict[tuple[int, int], Ranking], threads: Collection[int]) -> str:
    """The sizes of these thread counts, those that are alike together. "": none has two modes."""
    groups: list[str] = []
    done: set[int] = set()
    for size in a.sizes:
        like = next((r for t in threads if (r := rankings[t, size]).is_comparison), None)
        if size in done or like is None:
            continue
        behind = {i: _Range() for i in range(like.best, len(like.modes))}
        sizes = []
        for other in a.sizes[a.sizes.index(size):]:
            alike = [r for t in threads if (r := rankings[t, other]).is_comparison and r.same_order(like)]
            for r in alike:
                for i, of in behind.items():
                    of.add(r.behind[i], r.than[i])
            if alike:
                sizes.append(other)
        done.update(sizes)
        where = f"{phrases.items([phrases.size(s) for s in sizes])}: " if len(sizes) < len(a.sizes) else ""
        groups.append(where + _group_words(m, like, behind))
    return ". ".join(groups) + ("." if groups else "")


def lines(a: Analysis, m: Metric) -> list[tuple[str, str]]:
    """One line for each group of thread counts in which the same modes lead at the same sizes; at least one.

    Thread counts ("" of all, else "1 and 2 threads"), and the text: "two-copy or one-copy; zero-copy is slower than
    one-copy, -74 % (-84 to -39)". Over several settings: from the lowest to the highest change, and the interval that
    holds all of theirs.
    """
    rankings = {(t, s): rank(a, s, t, m) for t in a.threads for s in a.sizes}

    def agree(x: int, y: int) -> bool:
        """The same modes lead at each size. A size that one thread count lacks is no contradiction."""
        pairs = ((rankings[x, s], rankings[y, s]) for s in a.sizes)
        return all(rx.same_order(ry) for rx, ry in pairs if rx.is_comparison and ry.is_comparison)

    result = []
    left = list(a.threads)
    while left:
        group: list[int] = []
        for t in left:
            if all(agree(t, u) for u in group):
                group.append(t)
        left = [t for t in left if t not in group]
        text = _line(a, m, rankings, group)
        if text:
            result.append((_threads_words(group) if len(group) < len(a.threads) else "", text))
    if result:
        return result
    return [("", "Not measured: no size and thread count has two modes." if a.has(m)
             else f"Not measured: {a.reason(m)}.")]


# ---- disagreement


def _side(f: Finding) -> int:
    """1: higher for certain, or so much higher in untested rounds that it is worth naming; -1: lower."""
    if f.holds:
        return f.sign
    return 0 if not f.untested or abs(f.change) < _UNTESTED_WORTH_TELLING else f.sign


def disagreement(a: Analysis, mode: Mode, m: Metric) -> str | None:
    """ "Thread counts disagree on one-copy against two-copy: at 64 KiB +13 to +14 % with 1, 2 and 4 threads, -34 % with
    8 threads." Of rounds that cannot be tested, changes under 5 % do not count. None: they do not disagree."""
    said = []
    for size in a.sizes:
        threads: dict[int, list[int]] = {1: [], -1: []}
        ranges = {1: _Range(), -1: _Range()}
        for t in a.threads:
            cell = a.cell(mode, size, t)
            f = a.compare(cell, a.cell(TWOCOPY, size, t), m)
            side = _side(f)
            if side:
                threads[side].append(t)
                ranges[side].add(f, TWOCOPY)
        if all(threads.values()):
            said.append(f"at {phrases.size(size)} " + ", ".join(
                f"{ranges[side].words()} with {_threads_words(threads[side])}" for side in (1, -1)))
    return f"Thread counts disagree on {mode.words} against two-copy: {'; '.join(said)}." if said else None
