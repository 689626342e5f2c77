# SPDX-License-Identifier: GPL-2.0-only
"""The content and order of a report, as blocks: independent of HTML and Markdown."""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .. import answer, answers, best_modes, first_screen, metric, stats, units, wording
from ..metric import Metric
from ..study import Analysis, Cell, Family
from ..tables import COUNTERS, MODES, TWOCOPY
from .figure import Figure
from .page import Block, Contents, Fold, Heading, Link, Links, Pair, Paragraph, Picture, Table, WINNER

ROWS_MAX = 500  # of a table

CELLS_TITLE = "All cells"
METHOD_TITLE = "How this was measured"
DIAGRAMS_TITLE = "What the kernel did"
FLAMES_TITLE = "Where the CPU time goes"

_COST = {metric.CPU_NS_PER_KIB: ("Cheapest (CPU time of the processes)", " and CPU time of the processes"),
         metric.CPU_S_NS_PER_KIB: ("Cheapest for the sender (CPU time)", " and CPU time of the sender"),
         metric.CYCLES_PER_BYTE: ("Cheapest (CPU cycles)", " and CPU cycles")}

# The pictures that show each answer, in the order of the questions.
_SHOWN_BY = (("copies", "cpu-class", "send-call"),
             ("cache-size", "cpu-class"),
             ("throughput-size", "latency-threads", "cache-threads"),
             ("relative-throughput", "relative-cpu"),
             ("relative-throughput", "relative-cpu"),
             ("throughput-size", "cycles-size"),
             ("relative-throughput", "relative-cpu"),
             ("relative-cpu", "cpu-class"))
WITHOUT_TWOCOPY = "throughput-size"  # nothing is relative to it
_SIX = 6  # the experiment's questions come first

DIAGRAM_LEGEND = ("Drawn from the measured ledger. Solid arrows copy, the wider the more; dashed ones only reference "
                  "the sender's pages; grey ones pass on.")
FLAME_LEGEND = ("Flame graphs of sampled kernel stacks, at the size and thread count of the diagrams. A box is a "
                "function, as wide as the CPU time spent in the function and in its callees, which stand above it. The "
                "colour is the class of the time spent in the function itself. Times are means over the rounds; the "
                "tables have medians. The last graph shows two modes in one: red or blue is what only one of them "
                "does, white what both do alike.")

_RULE = (
    ("Divide each value by the pace of its round. The pace is the median, over the runs of the other modes in that "
     "round, of value / median of its cell. With fewer than 4 such runs in a round, no value is divided. run and "
     "compare do not divide."),
    "Divide each of the n rounds of A by each of the m rounds of B, and sort the n x m quotients.",
    ("The interval of A / B runs from the k-th smallest to the k-th largest quotient. k is the largest rank with "
     "2 P(U < k) <= 5 % / T, where U is Mann and Whitney's U of n and m rounds."),
    "There is a difference only if the whole interval is above 1 or the whole interval is below 1.",
    ("T is the number of comparisons that are made together: here all of one number between modes, between thread "
     "counts, or between sizes."),
    "If no k is possible, there are too few rounds; one round each has no interval.",
)


class Drawing(NamedTuple):
    """A picture that gnuplot does not draw. name: of its file, without suffix; of: the mode, or both modes."""

    name: str
    of: str
    svg: str


@dataclass
class Report:
    """What a report shows. raw: the data, from the report's directory; "": not beside it."""

    a: Analysis
    answers: list[answer.Answer]
    figures: dict[str, Figure]
    diagrams: list[Drawing]
    flames: list[Drawing]
    source: str  # name of the directory or file
    system: str
    command: str  # that repeats the report
    raw: str = ""
    undrawn: str = ""  # why gnuplot drew no picture

    @property
    def first(self) -> list[str]:
        """Figures of the first screen: the modes relative to two-copy; without two-copy, the throughput."""
        relative = not self.figures["relative-throughput"].no_data
        names = ("relative-throughput", "relative-cpu") if relative else (WITHOUT_TWOCOPY,)
        return [name for name in names if self.figures[name].is_drawn]


def blocks(r: Report) -> Iterator[Block]:
    """The whole report. What a newcomer asks is on the first screen."""
    yield from _conditions(r)
    yield from _questions(r)
    if r.undrawn:
        yield Paragraph(f"No pictures: {r.undrawn}")
    first = [_picture(r.figures[name]) for name in r.first]
    yield from first if r.first == [WITHOUT_TWOCOPY] else [Pair(first)]
    yield Contents()
    yield from _about(r)
    yield from _mode_table(r.a)
    yield Heading(2, "The six questions")
    for i in range(_SIX):
        yield Heading(3, f"{i + 1}. {r.answers[i].question}")
        yield from _answer(r, i)
    yield from _pictures(r)
    yield from _drawings(DIAGRAMS_TITLE, DIAGRAM_LEGEND, r.diagrams)
    yield from _drawings(FLAMES_TITLE, FLAME_LEGEND, r.flames)
    yield from _cells(r.a)
    yield from _failures(r.a)
    yield from _missing(r.a)
    yield from _method(r)
    for i in range(_SIX, len(r.answers)):
        yield Heading(2, r.answers[i].question)
        yield from _answer(r, i)


def _conditions(r: Report) -> Iterator[Block]:
    """Before any answer: what they hold for, and whether they are certain."""
    conditions = first_screen.conditions(r.a.dataset)
    yield Paragraph(" ".join(filter(None, (r.system, conditions))), small=True)
    if not answer.can_claim(r.a):
        yield Paragraph(answer.cannot_claim(r.a) + ".", strong=True)


def _about(r: Report) -> Iterator[Block]:
    """The data, how columns of imported files were read, and where the answers depend on the thread count."""
    d = r.a.dataset
    for mode in MODES:
        disagreement = None if mode is TWOCOPY else best_modes.disagreement(r.a, mode, metric.GBPS)
        if disagreement:
            yield Paragraph(disagreement)
    origin = first_screen.origin(d)
    if origin:
        yield Paragraph(origin)
    if r.raw:
        yield Links([Link("raw data", file=r.raw)])
    if d.interrupted:
        was, its, it = ("was", "its", "it") if d.interrupted == 1 else ("were", "their", "they")
        yield Paragraph(f"{d.interrupted} of the runs {was} ended early; {its} numbers are of the time {it} had.")
    for note in d.notes:
        yield Paragraph(note)


def _questions(r: Report) -> Iterator[Block]:
    """Three questions that everybody has."""
    cost = r.a.cost()
    yield Table(["Question", "Answer"], [["Was zero-copy zero-copy?", first_screen.zerocopy(r.a)],
                                         *([question, best_modes.summary(r.a, m)] for question, m in
                                           (("Fastest", metric.GBPS), (_COST[cost][0], cost)))])
    yield Paragraph("A setting is a message size and a thread count. Fastest, cheapest: no mode is better for certain; "
                    "alone: better than each other mode.", small=True)
    yield Links([Link(answers.CHEAPEST_QUESTION), *map(Link, (CELLS_TITLE, METHOD_TITLE))])


def _medians(a: Analysis, size: int, threads: int, m: Metric) -> Iterator[str]:
    """The medians of a metric in a setting, the best marked."""
    ranking = best_modes.rank(a, size, threads, m)
    for mode in a.modes:
        e = a.estimate(a.cell(mode, size, threads), m)
        best = WINNER if ranking.is_best(mode) else ""
        yield best + (wording.number(e.median) if e.n else "n/a")


def _mode_table(a: Analysis) -> Iterator[Block]:
    """The modes by thread count and size, the best of each setting marked."""
    cost = a.cost()
    metrics = [m for m in (metric.GBPS, cost) if a.has(m)]
    if not metrics:
        return
    heads = ["Threads", "Size"] + [f"{mode.words}, {m.unit or 'cycles/B'}" for m in metrics for mode in a.modes]
    settings = [(t, s) for t in a.threads for s in a.sizes if any(a.cell(mode, s, t) for mode in MODES)]
    rows = [[str(t or "n/a"), wording.size(s), *(text for m in metrics for text in _medians(a, s, t, m))]
            for t, s in settings[:ROWS_MAX]]
    yield Table(heads, rows)
    marked = any(text.startswith(WINNER) for row in rows for text in row)
    yield Paragraph(f"Median throughput{_COST[cost][1] if cost in metrics else ''} by thread count and message size."
                    + (f" {WINNER}no mode is better, and another one is worse, outside the noise." if marked else ""))


def _picture(f: Figure) -> Picture:
    return Picture(f.name, f.svg, f.title)


# ---- the answers


def _answer(r: Report, i: int) -> Iterator[Block]:
    """The first table is open, the others are folded."""
    given = r.answers[i]
    tables = [(Paragraph(t.title), Table(t.rows[0], t.rows[1:])) for t in given.tables]
    yield Paragraph(given.headline)
    for pair in tables[:1]:
        yield from pair
    if tables[1:]:
        yield Fold("More numbers", [block for pair in tables[1:] for block in pair])
    if given.cannot:
        yield Paragraph(given.cannot)
    figures = [r.figures[name] for name in _SHOWN_BY[i] if r.figures[name].is_drawn]
    yield Links([*(Link(f.title, picture=f.name) for f in figures), Link(CELLS_TITLE)])


# ---- pictures


def _pictures(r: Report) -> Iterator[Block]:
    if r.undrawn:
        return
    yield Heading(2, "Pictures")
    for name, f in r.figures.items():
        if f.is_drawn and name not in r.first:
            yield _picture(f)
    undrawn: dict[str, list[str]] = {}  # titles by reason
    for f in r.figures.values():
        if f.no_data:
            undrawn.setdefault(f.no_data, []).append(f.title)
    if not r.diagrams:
        undrawn[f"no copy ledger: {r.a.reason(metric.METRICS['BYTES_RX_COPY'])}"] = [DIAGRAMS_TITLE]
    if not r.flames:
        undrawn[f"no sampled stacks: {r.a.reason(metric.METRICS['CLASS_S_TX_COPY'])}"] = [FLAMES_TITLE]
    if undrawn:
        yield Table(["Not drawn", "Why"], [["; ".join(titles), reason] for reason, titles in undrawn.items()])


def _drawings(title: str, legend: str, drawings: list[Drawing]) -> Iterator[Block]:
    if not drawings:
        return
    yield Heading(2, title)
    yield Paragraph(legend)
    for d in drawings:
        yield Picture(d.name, d.svg, f"{title}: {d.of}")


# ---- tables


def cell_columns(a: Analysis) -> list[Metric]:
    """The numbers that the data has; each of its counters, as a figure ("L1D misses per KiB") or as its count."""
    shown = [m for m in metric.ALL if m.shown & metric.REPORT and a.has(m)]
    counters = [c for c in map(metric.perf_both, COUNTERS)
                if a.has(c) and not any(m is not c and m.words.startswith(c.words) for m in shown)]
    return sorted({*shown, *counters}, key=lambda m: m.index)


def _value(a: Analysis, c: Cell, m: Metric) -> str:
    e = a.estimate(c, m)
    return wording.estimate(m, e) if m.shown & metric.INTERVAL and a.rounds_max > 1 else wording.value(m, e.median)


def _cells(a: Analysis) -> Iterator[Block]:
    metrics = cell_columns(a)
    yield Heading(2, CELLS_TITLE)
    if len(a.cells) > ROWS_MAX:
        yield Paragraph(f"The first {ROWS_MAX} of {len(a.cells)} cells.")
    yield Table(["Mode", "Size", "Threads", "Rounds", *(m.words for m in metrics)],
                [[c.mode.words, units.size(c.size), str(c.threads or "n/a"), str(len(c.rows)),
                  *(_value(a, c, m) for m in metrics)] for c in a.cells[:ROWS_MAX]])


def _failures(a: Analysis) -> Iterator[Block]:
    if a.dataset.failures:
        yield Heading(2, "Runs that failed")
        yield Table(["Mode", "Size", "Threads", "Round", "Reason"],
                    [[f.mode, units.size(f.size) if f.size else "n/a", str(f.threads or "n/a"), str(f.round), f.reason]
                     for f in a.dataset.failures])


def _missing(a: Analysis) -> Iterator[Block]:
    """Numbers whose absence a reader should know the reason of, a row for each reason."""
    by_reason: dict[str, list[str]] = {}
    for m in metric.ALL:
        if m.shown & metric.EXPECTED and not a.has(m):
            by_reason.setdefault(a.reason(m), []).append(m.words)
    if by_reason:
        yield Heading(2, "What could not be measured")
        yield Table(["Not measured", "Why"], [[", ".join(words), reason] for reason, words in by_reason.items()])


def _rule(a: Analysis) -> Iterator[Block]:
    """The rule of stats.py in words, as docs/GUIDE.md has it, with the numbers of the data set."""
    tests = a.tests(Family.MODES, metric.GBPS)
    yield Paragraph("run, report and compare call two numbers different by this rule:")
    for i, text in enumerate(_RULE, 1):
        yield Paragraph(f"{i}. {text}")
    yield Paragraph(f"Here T is {tests} for throughput between modes, so that {stats.rounds_needed(tests)} rounds of "
                    "each are needed. Where nothing differs, any of the T comparisons is called different in at most "
                    f"{100 * stats.RANK_LEVEL:.0f} % of reports.")
    if a.rounds_max < 2:
        yield Paragraph("One run per cell: no number has an interval, and a difference may be chance.")
    else:
        yield Paragraph(answer.rounds_words(a))


def _example(a: Analysis) -> Iterator[Block]:
    """One figure worked out, so that it can be checked by hand."""
    peak = a.peak(None, metric.GBPS)
    if not peak:
        return
    row = peak.rows[0]
    cycles, payload = row[metric.CYCLES], row[metric.PAYLOAD]
    if not math.isnan(cycles) and payload > 0:
        yield Paragraph(f"For example, round {row.round} of {wording.cell(peak)}: "
                        f"{wording.value(metric.CYCLES, cycles)} cycles / {payload:.0f} bytes = "
                        f"{wording.number(cycles / payload)} cycles per byte.")


def _method(r: Report) -> Iterator[Block]:
    a, d = r.a, r.a.dataset
    runs, cells, rounds = len(d.rows), len(a.cells), a.rounds_max
    at_least = f"{a.rounds_min} to " if a.rounds_min < rounds else ""
    yield Heading(2, METHOD_TITLE)
    yield Paragraph(
        f"{runs} run{units.plural(runs)}: {cells} cell{units.plural(cells)} of mode, size and thread count, "
        f"{at_least}{rounds} round{units.plural(rounds)} each"
        + (f"; measured with netiotrace {d.version}" if d.version is not None else "")
        + (f", backend {d.backend}" if d.backend is not None else "")
        + "."
    )
    yield from _rule(a)
    yield Table(["Derived number", "Formula", "Unit"],
                [[m.words, m.formula, m.unit or "-"] for m in metric.ALL if m.formula and a.has(m)])
    yield from _example(a)
    yield Paragraph(
        f"Beside this report {'is' if r.undrawn else 'are each picture as SVG, PNG and PDF, and'} cells.tex, tables "
        "for LaTeX. Its directory data has the data of each picture as CSV, and a script that draws it: gnuplot "
        "NAME.plot. To make the report again: " + r.command
    )
