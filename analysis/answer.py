# SPDX-License-Identifier: GPL-2.0-only
"""The six questions of the experiment, and two on all ways to send, answered from a data set.

An answer is a headline (the answer, no difference, or "Not measured" with the reason), tables with the numbers, and one
line on what the data cannot show. answers.py and answer_*.py have the content.
"""
from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from . import metric, stats, units, wording
from .dataset import Row
from .metric import Metric
from .stats import Difference
from .study import Analysis, Family, Finding, SOFTIRQ_DECIDES
from .tables import Mode, PINS_BY_URING
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
        self.untested += f.difference.untested
        self.untested_higher += f.difference.untested and f.sign > 0
        self.untested_lower += f.difference.untested and f.sign < 0

    @property
    def is_untested(self) -> bool:
        return self.untested == self.of

    def words(self, higher: str, lower: str, lower_first: bool = False) -> str:
        """ " is faster in 5 of 16 settings, slower in 4, no difference in 7"; untested: ", by the medians alone, is
        faster in 9 of 16 settings, slower in 7"."""
        untested = self.is_untested
        first = (higher, self.untested_higher if untested else self.higher)
        second = (lower, self.untested_lower if untested else self.lower)
        if lower_first:
            first, second = second, first
        return (f"{', by the medians alone,' if untested else ''} is {first[0]} in {first[1]} of {self.of} "
                f"setting{plural(self.of)}, {second[0]} in {second[1]}"
                + ("" if untested else f", no difference in {self.of - self.higher - self.lower - self.untested}")
                + (f", too few rounds in {self.untested}" if self.untested and not untested else ""))


@dataclass
class Table:
    """The first row has the headings."""

    title: str
    rows: list[list[str]] = field(default_factory=list)

    def put(self, *cells: str) -> None:
        """A row."""
        self.rows.append(list(cells))


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
        self.headline += (" " if self.headline else "") + wording.capitalised(sentence)

    def lack(self, sentence: str) -> None:
        """Adds a sentence to what the data cannot show."""
        self.cannot += (" " if self.cannot else "") + wording.capitalised(sentence)

    def table(self, title: str, *headings: str) -> Table:
        """A new table."""
        t = Table(wording.capitalised(title))
        t.put(*headings)
        self.tables.append(t)
        return t

    def end_table(self) -> None:
        """Drops the last one if it has no row."""
        if len(self.tables[-1].rows) < 2:
            self.tables.pop()

    def threads_headings(self, what: str) -> list[str]:
        """What, then each thread count."""
        return [what, *map(wording.threads, self.a.threads)]

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
            t.put(wording.size(size), *(finding_cell(a.compare(a.cell(first, size, n), a.cell(second, size, n), m))
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
    """The change, "no difference", "+4.4 %; too few rounds" or "n/a"."""
    text = wording.change_of(f) if f.difference is Difference.POINT else wording.finding(f)
    return text + (SOFTIRQ_DECIDES if f.softirq_decides else "")


# ---- was zero-copy zero-copy?


def _copied_of(row: Row) -> float:
    """NaN: not counted. The kernel reports io_uring's requests as copied also if they share a packet, so those that
    were are known from kernel_zerocopy alone, unless none was reported."""
    reported, seen = row[metric.ZC_COPIED], row[metric.KERNEL_ZC_COPIED]
    if not row.mode.has(PINS_BY_URING) or reported == 0:
        return reported
    return math.nan if row[metric.KERNEL_ZC_COPIED_AT_MOST] > seen else seen


def _counts_completions(row: Row) -> bool:
    return not math.isnan(row[metric.ZC_COMPLETED]) and not math.isnan(_copied_of(row))


def _only_reports(row: Row) -> bool:
    """Has the run reports of copies, and nothing that tells which of them are true?"""
    return row[metric.ZC_COPIED] > 0 and math.isnan(_copied_of(row))


def _rows(a: Analysis, mode: Mode) -> Iterable[Row]:
    return (row for row in a.dataset.rows if row.mode is mode)


def _share_of(row: Row) -> float:
    """The share of copied sends where the data has no counts; NaN: unknown. Of io_uring's, only 0 is sure."""
    share = row[metric.COPIED_FRACTION]
    return share if share == 0 or (0 < share <= 1 and not row.mode.has(PINS_BY_URING)) else math.nan


def _shares(a: Analysis, mode: Mode) -> list[float]:
    """Of the runs, where no run counts copied sends; else none."""
    if any(_counts_completions(row) or not math.isnan(row[metric.ZC_COPIED]) for row in _rows(a, mode)):
        return []
    if any(row[metric.COPIED_FRACTION] > 0 and math.isnan(_share_of(row)) for row in _rows(a, mode)):
        return []  # what is sure of some must not speak for the others
    return [share for share in map(_share_of, _rows(a, mode)) if not math.isnan(share)]


def copied_fraction(a: Analysis, mode: Mode) -> tuple[float, float]:
    """The share of completions of a mode that pins which were copied, over all runs that count them, and the number of
    completions; -1 when none does, or when the counts contradict each other. Without any count: the mean of the
    shares that the runs state, and NaN."""
    shares = _shares(a, mode)
    if shares:
        return sum(shares) / len(shares), math.nan
    counted = [row for row in _rows(a, mode) if _counts_completions(row)]
    completed, copied = sum(row[metric.ZC_COMPLETED] for row in counted), sum(map(_copied_of, counted))
    # Runs without any report must not speak for the others.
    seen = any(not math.isnan(row[metric.KERNEL_ZC_COPIED]) for row in counted)
    if not seen and any(map(_only_reports, _rows(a, mode))):
        return -1, completed
    return (copied / completed if completed > 0 and copied <= completed else -1), completed


def _count(n: float) -> str:
    """A sum of counts of imported data can be infinite."""
    return units.count(int(n)) if math.isfinite(n) else "n/a"


def why_uncounted(a: Analysis, mode: Mode) -> str:
    """ "the data set does not count the completions of zero-copy sends"."""
    counted = [row for row in _rows(a, mode) if not math.isnan(row[metric.ZC_COMPLETED])]
    if any(row[metric.ZC_COPIED] > row[metric.ZC_COMPLETED] for row in counted):
        return f"the data set counts more copied {mode.words} sends than completed ones"
    if counted and not any(row[metric.ZC_COMPLETED] for row in counted):
        return f"by the data set, no {mode.words} send completed"
    reports = [row for row in counted if _only_reports(row)]
    if not reports:
        return f"the data set does not count the completions of {mode.words} sends"
    reported, completed = (sum(row[m] for row in reports) for m in (metric.ZC_COPIED, metric.ZC_COMPLETED))
    return (f"the kernel reported {_count(reported)} of {_count(completed)} {mode.words} sends as "
            "copied, and also reports requests that share a packet")


def counted_runs(a: Analysis, mode: Mode) -> str:
    """ "", or for sentences on completions " in the 3 of 4 runs that count them"."""
    shares, rows = _shares(a, mode), list(_rows(a, mode))
    n = len(shares) or sum(map(_counts_completions, rows))
    return "" if n == len(rows) else f" in the {n} of {len(rows)} runs that {'state it' if shares else 'count them'}"


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
    of, runs = _count(completed), counted_runs(a, mode)
    if math.isnan(completed):
        # Not all and not none, also where it is rounded.
        share = {0.0: "none of the", 1.0: "all"}.get(fraction, f"{min(max(100 * fraction, 0.1), 99.9):.1f} % of the")
        cause = f" after all{_copy_cause(a, mode)}" if fraction else ""
        return f"The kernel copied {share} {mode.words} sends{runs}{cause}. The number of sends is not in the file."
    if fraction == 0:
        return f"The kernel copied none of {of} {mode.words} sends{runs}."
    how_many = f"all {of}" if fraction == 1 else f"{_count(completed * fraction + 0.5)} of {of}"
    return f"The kernel copied {how_many} {mode.words} sends{runs} after all{_copy_cause(a, mode)}."


# ---- can the data claim anything?


def _rounds_needed(a: Analysis) -> int:
    return stats.rounds_needed(a.tests(Family.MODES, metric.GBPS))


def _counting(a: Analysis, compared: bool = True) -> int:
    """How many rounds count of the cell that has most."""
    return stats.counting(a.rounds_max, a.dependence(metric.GBPS, compared).share)


def can_claim(a: Analysis) -> bool:
    """Has any cell the rounds that a finding needs?"""
    return _counting(a) >= _rounds_needed(a)


def cannot_claim(a: Analysis) -> str:
    """Why not: "One run per cell, so no difference is certain"."""
    if a.rounds_max < 2:
        return "One run per cell, so no difference is certain"
    if can_claim(a):  # other cells have enough
        return "Too few runs have this number, so no difference is certain"
    counting = _counting(a)
    depend = f" that depend on each other count as {counting}, which" if counting < a.rounds_max else ""
    return f"{a.rounds_max} rounds{depend} are too few ({_rounds_needed(a)} are needed), so no difference is certain"


def rounds_words(a: Analysis) -> str:
    """What brackets are, and whether rounds that depend on each other make them wider."""
    found, compared = (a.dependence(metric.GBPS, of) for of in (False, True))
    rounds, counting = a.rounds_max, _counting(a, False)
    covered = 100 * stats.estimate(range(rounds), found.share).coverage
    text = ("Numbers are medians over the rounds. Brackets, and the bars of the pictures, are the interval between two "
            f"rounds that holds the true median in {covered:.1f} % of cases with {rounds} rounds")
    if math.isnan(found.correlation):
        return (f"{text}, if no round depends on the one before, which so few rounds cannot show. If they do, it is in "
                "fewer cases, and differences are false more often.")
    text += (f" that count as {counting}" if counting < rounds else "") + (
        f". Consecutive rounds of a cell correlate by {found.correlation:.2f} in throughput (by chance up to "
        f"{units.most(found.chance, 2):.2f})")
    if not math.isnan(compared.correlation):
        text += (f", without what the cells of a round have in common by {compared.correlation:.2f} (by chance up to "
                 f"{units.most(compared.chance, 2):.2f}): in comparisons, {rounds} rounds count as {_counting(a)}")
    return f"{text}. Each number is treated by its own correlation."
