# SPDX-License-Identifier: GPL-2.0-only
"""Which of several is the best over all settings: one that is better than each other, or else a group.

A round of a setting in which two have a value is compared as one number for each of the two: the median over the
settings of that round, so that settings that vary together in a round count once. All pairs are one family.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from . import stats
from .metric import Metric, NAN
from .study import Analysis, Cell

K = TypeVar("K")
Values = dict[tuple[Cell, int], float]  # by setting (its first cell) and block


def values(a: Analysis, cell: Cell, setting: Cell, scale: dict[int, float], m: Metric) -> Values:
    """The rounds of a cell in a setting, each divided by the scale of its block; those that can be."""
    found = ((row, scale.get(a.block(row), NAN)) for row in cell.rows)
    return {(setting, a.block(row)): row[m] / by for row, by in found if row[m] >= 0 and by > 0}


def _rounds(x: Values, y: Values) -> tuple[list[float], list[float]]:
    """The medians of each round, over the settings of which both have that round."""
    blocks: dict[int, list[tuple[float, float]]] = {}
    for key in x:
        if key in y:
            blocks.setdefault(key[1], []).append((x[key], y[key]))
    medians = [[stats.median(pair[i] for pair in pairs) for pairs in blocks.values()] for i in (0, 1)]
    return medians[0], medians[1]


def best(of: Sequence[tuple[K, Values]], lower: bool, share: float) -> list[K]:
    """Those than which no other is better for certain. lower: is lower better; share: of the rounds that count."""
    tests = len(of) * (len(of) - 1) // 2
    worse = set()
    for i, (_, x) in enumerate(of):
        for j, (_, y) in enumerate(of[:i]):
            t = stats.rank_test(*_rounds(x, y), tests, share)
            if t.difference.holds:
                worse.add(i if (t.sign > 0) == lower else j)
    return [key for i, (key, _) in enumerate(of) if i not in worse]
