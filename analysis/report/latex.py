# SPDX-License-Identifier: GPL-2.0-only
"""The cells of a report as tables for LaTeX: as wide as a page, which needs the package booktabs for them."""

from __future__ import annotations

from markupsafe import Markup

from .. import metric, phrases
from ..metric import Metric
from ..study import Analysis, Cell
from .page import latex, render

# What a paper compares: the outcome, the latencies, the causes; so many numbers fit on a page.
_GROUPS = (
    (metric.GBPS, metric.CPU_NS_PER_KIB, metric.COPIES),
    (metric.SEND_P50, metric.RECV_P50, metric.DELIVERY_P50),
    (metric.CYCLES_PER_BYTE, metric.L1D_MISSES_PER_KIB, metric.LLC_MISSES_PER_KIB),
)


def tables(a: Analysis, system: str) -> str:
    """A row for each cell, two columns for each number that the data has. system: the line about the machine."""

    def scale(m: Metric) -> float:
        return 1e3 if m.unit == "ns" else 1.0

    def median(c: Cell, m: Metric) -> str:
        """Without its unit, which the head has."""
        e = a.estimate(c, m)
        return phrases.number(e.median / scale(m)) if e.n else "n/a"

    def interval(c: Cell, m: Metric) -> str:
        e = a.estimate(c, m)
        if e.n < 2 or not e.low < e.high:
            return ""
        return f"{phrases.number(e.low / scale(m))}--{phrases.number(e.high / scale(m))}"

    groups = [[m for m in group if a.has(m)] for group in _GROUPS]
    caption = f"Medians of up to {a.rounds_max} rounds, with intervals. "
    return render(
        "cells.tex",
        latex,
        cells=a.cells,
        groups=[group for group in groups if group],
        caption=caption if a.rounds_max > 1 else "One run of each cell. ",
        system=system,
        unit=lambda m: Markup(r"\textmu s") if m.unit == "ns" else m.unit,
        size=lambda c: phrases.size(c.size),
        median=median,
        interval=interval,
    )
