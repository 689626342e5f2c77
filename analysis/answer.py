# SPDX-License-Identifier: GPL-2.0-only
"""The six questions of the experiment, and two on all ways to send, answered from a data set.

An answer is a headline (the answer, no difference, or "Not measured" with the reason), tables with the numbers, and one
line on what the data cannot show. answers.py and answer_*.py have the content.
"""
from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from . import metric, phrases, stats, units
from .dataset import Row
from .metric import Metric
from .stats import Difference
from .study import Analysis, Family, Finding, SOFTIRQ_DECIDES
from .tables import Mode, NOTIFIES
from .units import plural


@dataclass
class Tally:
    """How findings of one kind ended."""

    of: int = 0
    higher: int = 0
    lower: int = 0
    untested: int = 0  # of one round, or of too few to find anything
    untested_higher: int = 0  # of these, by the medians
    untested_lower: int = 0

    def add(self, f: Finding) -> None:
        """Counts a finding, unless it is unknown."""
        self.of += f.difference is not Difference.UNKNOWN
        self.higher += f.difference is Difference.HIGHER
        self.lower += f.difference is Difference.LOWER
        self.untested += f.untested
        self.untested_higher += f.untested and f.sign > 0
        self.untested_lower += f.untested and f.sign < 0

    @property
    def is_untested(self) -> bool:
        return self.untested == self.of

    def words(self, higher: str, lower: str, lower_first: bool = False) -> str:
        """ "faster in 5 of 16 settings, slower in 4, no difference in 7"; untested, by the medians: "faster in 9 of 16
        settings, slower in 7"."""
        first = (higher, self.untested_higher if self.is_untested else self.higher)
        second = (lower, self.untested_lower if self.is_untested else self.lower)
        if lower_first:
            first, second = second, first
        text = f"{first[0]} in {first[1]} of {self.of} setting{plural(self.of)}, {second[0]} in {second[1]}"
        return text if self.is_untested else f"{text}, no difference in {self.of - self.higher - self.lower}"


@dataclass
class Table:
    """The first row has the headings."""

    title: str
    rows: list[list[str]] = field(default_factory=list)

    def put(self, *cells: str) -> None:
        """A row."""
        self.rows.append(list(cells))


def _capitalised(text: str) -> str:
    """Sentences and titles may begin with the words of a mode; io_uring stays as it is."""
    return text if "_" in text.split(" ", 1)[0] else text[:1].upper() + text[1:]


@dataclass
class Answer:
    """answered: False: the headline says why not. cannot: what the data cannot show, and why."""

    a: Analysis
    question: str
    answered: bool = False
    headline: str = ""
    cannot: str = ""
    tables: list[Table] = field(default_factory=list)

    def say(self, sentence: str) -> None:
        """Adds a sentence to the headline."""
        self.headline += (" " if self.headline else "") + _capitalised(sentence)

    def lack(self, sentence: str) -> None:
        """Adds a sentence to what the data cannot show."""
        self.cannot += (" " if self.cannot else "") + _capitalised(sentence)

    def table(self, title: str, *headings: str) -> Table:
        """A new table."""
        t = Table(_capitalised(title))
        t.put(*headings)
        self.tables.append(t)
        return t

    def end_table(self) -> None:
        """Drops the last one if it has no row."""
        if len(self.tables[-1].rows) < 2:
            self.tables.pop()

    def threads_headings(self, what: str) -> list[str]:
        """What, then each thread count."""
        return [what, *map(phrases.threads, self.a.threads)]

    def unless_certain(self) -> str:
        """A warning in titles."""
        return "" if can_claim(self.a) else " (no change is certain)"

    def compare(self, first: Mode, second: Mode, m: Metric) -> Tally:
        """Adds a table of a metric of one mode against another: a row for each size, a column for each thread count.
        Adds nothing where no setting has both. Returns how the findings ended."""
        a, tally = self.a, Tally()
        for x in a.cells:
            if x.mode is first:
                tally.add(a.compare(x, a.peer(x, second), m))
        if not tally.of:
            return tally
        t = self.table(f"{m.words} of {first.words} against {second.words}{self.unless_certain()}:",
                       *self.threads_headings("Message size"))
        for size in a.sizes:
            t.put(phrases.size(size), *(finding_cell(a.compare(a.cell(first, size, n), a.cell(second, size, n), m))
                                        for n in a.threads))
        self.end_table()
        return tally

    def lack_cost(self, or_where: str = "") -> None:
        """Why settings lack a comparison of the cost of two modes. or_where: another reason."""
        cost = self.a.cost()
        if self.a.has(cost):
            self.lack(f"Not shown: {cost.words} where one of two modes lacks it{or_where}.")
        else:
            self.lack("Not shown: CPU time, which the data set does not have.")


def finding_cell(f: Finding) -> str:
    """The change, "no difference" or "n/a"."""
    shown = f.difference not in (Difference.UNKNOWN, Difference.NOISE)
    return (phrases.change_of(f) if shown else phrases.finding(f)) + (SOFTIRQ_DECIDES if f.softirq_decides else "")


# ---- was zero-copy zero-copy?


def _copied_of(row: Row) -> float:
    """NaN: not counted. The kernel reports io_uring's requests as copied also if they share a packet, so those that
    were are known from kernel_zerocopy alone, unless none was reported."""
    reported, seen = row[metric.ZC_COPIED], row[metric.KERNEL_ZC_COPIED]
    if not row.mode.has(NOTIFIES) or reported == 0:
        return reported
    return math.nan if row[metric.KERNEL_ZC_COPIED_AT_MOST] > seen else seen


def _counts_completions(row: Row) -> bool:
    return not math.isnan(row[metric.ZC_COMPLETED]) and not math.isnan(_copied_of(row))


def _only_reports(row: Row) -> bool:
    """Has the run reports of copies, and nothing that tells which of them are true?"""
    return row[metric.ZC_COPIED] > 0 and math.isnan(_copied_of(row))


def _rows(a: Analysis, mode: Mode) -> Iterable[Row]:
    return (row for row in a.dataset.rows if row.mode is mode)


def copied_fraction(a: Analysis, mode: Mode) -> tuple[float, float]:
    """The share of completions of a mode that pins which were copied, over all runs that count them, and the number of
    completions; -1 when none does, or when the counts contradict each other."""
    counted = [row for row in _rows(a, mode) if _counts_completions(row)]
    completed = copied = 0.0
    for row in counted:
        completed += row[metric.ZC_COMPLETED]
        copied += _copied_of(row)
    # Runs without any report must not speak for the others.
    seen = any(not math.isnan(row[metric.KERNEL_ZC_COPIED]) for row in counted)
    if not seen and any(map(_only_reports, _rows(a, mode))):
        return -1, completed
    return (copied / completed if completed > 0 and copied <= completed else -1), completed


def why_uncounted(a: Analysis, mode: Mode) -> str:
    """ "the data set does not count the completions of zero-copy sends"."""
    reported = completed = 0.0
    for row in _rows(a, mode):
        if _only_reports(row) and not math.isnan(row[metric.ZC_COMPLETED]):
            reported += row[metric.ZC_COPIED]
            completed += row[metric.ZC_COMPLETED]
    if not reported:
        return f"the data set does not count the completions of {mode.words} sends"
    return (f"the kernel reported {units.count(int(reported))} of {units.count(int(completed))} {mode.words} sends as "
            "copied, and also reports requests that share a packet")


def counted_runs(a: Analysis, mode: Mode) -> str:
    """ "", or for sentences on completions " in the 3 of 4 runs that count them"."""
    counts = [_counts_completions(row) for row in _rows(a, mode)]
    return "" if all(counts) else f" in the {sum(counts)} of {len(counts)} runs that count them"


def _copy_cause(a: Analysis, mode: Mode) -> str:
    """ ": the path is local": what follows the counts in the first sentence of the first verdict."""
    verdict = next((row.verdict for row in _rows(a, mode) if row.verdict), "")
    _, colon, cause = verdict.partition(": ")
    return colon + cause.split(". ", 1)[0].removesuffix(".") if colon else ""


def copied(a: Analysis, mode: Mode) -> str | None:
    """ "The kernel copied all 4 zero-copy sends after all: the path is local.", with the first cause that a run has.
    None: copied_fraction() is unknown."""
    fraction, completed = copied_fraction(a, mode)
    if fraction < 0:
        return None
    of, runs = units.count(int(completed)), counted_runs(a, mode)
    if fraction == 0:
        return f"The kernel copied none of {of} {mode.words} sends{runs}."
    how_many = f"all {of}" if fraction == 1 else f"{units.count(int(completed * fraction + 0.5))} of {of}"
    return f"The kernel copied {how_many} {mode.words} sends{runs} after all{_copy_cause(a, mode)}."


# ---- can the data claim anything?


def _rounds_needed(a: Analysis) -> int:
    return stats.rounds_needed(a.tests(Family.MODES, metric.GBPS))


def can_claim(a: Analysis) -> bool:
    """Has any cell the rounds that a finding needs?"""
    return a.rounds_max >= _rounds_needed(a)


def cannot_claim(a: Analysis) -> str:
    """Why not: "One run per cell, so no difference is certain"."""
    if a.rounds_max < 2:
        return "One run per cell, so no difference is certain"
    if can_claim(a):  # other cells have enough
        return "Too few runs have this number, so no difference is certain"
    return f"{a.rounds_max} rounds are too few ({_rounds_needed(a)} are needed), so no difference is certain"
