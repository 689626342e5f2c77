# SPDX-License-Identifier: GPL-2.0-only
"""The cells of a report as tables for LaTeX, each as large as a page at most, which needs booktabs for them."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from .. import metric, units, wording
from ..metric import Metric
from ..study import Analysis, Cell
from .page import latex, render

# What a paper compares: the outcome, the latencies, the causes; so many numbers fit on a page.
_GROUPS = ((metric.GBPS, metric.CPU_NS_PER_KIB, metric.COPIES),
           (metric.SEND_P50, metric.RECV_P50, metric.DELIVERY_P50),
           (metric.CYCLES_PER_BYTE, metric.L1D_MISSES_PER_KIB, metric.LLC_MISSES_PER_KIB))
ROWS_MAX, COLUMNS_MAX = 40, 78  # rows, and characters of a row, that fit on a page


def _parts(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """A table for each thread count, or several."""
    for threads in sorted({c.threads for c in cells}):
        those = [c for c in cells if c.threads == threads]
        tables = -(-len(those) // ROWS_MAX)
        rows = -(-len(those) // tables)
        yield from (those[i : i + rows] for i in range(0, len(those), rows))


def tables(a: Analysis, system: str) -> str:
    """A row for each cell, two columns for each number that the data has. system: the line about the machine."""

    def scale(m: Metric) -> float:
        return 1e3 if m.unit == "ns" else 1.0

    def median(c: Cell, m: Metric) -> str:
        """Without its unit, which the head has."""
        e = a.estimate(c, m)
        return wording.number(e.median / scale(m)) if e.n else "n/a"

    def interval(c: Cell, m: Metric) -> str:
        e = a.estimate(c, m)
        if e.n < 2 or not e.low < e.high:
            return ""
        return f"{wording.number(e.low / scale(m), units.least)}--{wording.number(e.high / scale(m), units.most)}"

    def width(m: Metric) -> int:
        return max(len(m.words), 3 + max(len(median(c, m)) + len(interval(c, m)) for c in a.cells))

    groups: list[list[Metric]] = []
    for group in _GROUPS:
        room = 0
        for m in filter(a.has, group):
            room -= width(m)
            if room < 0:
                groups.append([])
                room = COLUMNS_MAX - 10 - max(len(mode.words) for mode in a.modes) - width(m)
            groups[-1].append(m)
    caption = f"Medians of up to {a.rounds_max} rounds, with intervals. "
    return render("cells.tex", latex, tables=[(part, group) for part in _parts(a.cells) for group in groups],
                  caption=caption if a.rounds_max > 1 else "One run of each cell. ", system=system,
                  unit=lambda m: Markup(r"\textmu s") if m.unit == "ns" else m.unit, threads=wording.threads,
                  size=lambda c: wording.size(c.size), median=median, interval=interval)
