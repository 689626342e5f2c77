# SPDX-License-Identifier: GPL-2.0-only
"""The lists of names in docs/reference/names.md are those of the tables."""
from __future__ import annotations

import re

import pytest
from goldens import REPO

from analysis import metric, tables
from analysis.metric import Better

LISTS = re.split(r"<!-- .*lists.* -->\n", (REPO / "docs/reference/names.md").read_text())[1]


def rows(first: str) -> list[list[str]]:
    """The cells of a list without its headings; first: the heading of its first column."""
    text = LISTS.partition(f"| {first} |")[2].partition("\n\n")[0]
    return [[cell.strip().strip("`") for cell in line.split("|")[1:-1]] for line in text.splitlines()[2:]]


@pytest.mark.parametrize(("heading", "names"), [
    ("stage", [s.key for s in tables.STAGES]), ("mode", [m.name for m in tables.MODES]),
    ("counter", [c.key for c in tables.COUNTERS]), ("class of CPU time", [k.key for k in tables.CPU_CLASSES])])
def test_names_of_a_list(heading: str, names: list[str]) -> None:
    assert [row[0] for row in rows(heading)] == names


def test_words_of_modes_and_counters_and_which_stages_copy() -> None:
    assert [row[1] for row in rows("mode")] == [m.words for m in tables.MODES]
    assert [row[1] for row in rows("counter")] == [c.heading for c in tables.COUNTERS]
    assert [row[2] == "yes" for row in rows("stage")] == [s.is_copy for s in tables.STAGES]
    parts = re.findall("`([a-z_]+)`", LISTS.partition("Parts of a send call:")[2].partition("\n")[0])
    assert parts == [p.key for p in tables.PATH_PARTS]


def test_metrics_of_compare() -> None:
    words = {Better.NEITHER: "", Better.LOWER: "lower", Better.HIGHER: "higher"}
    assert rows("metric of compare") == [[m.name, m.words, m.unit, words[m.better], m.path or m.formula]
                                         for m in metric.ALL if m.name]
