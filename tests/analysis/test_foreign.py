# SPDX-License-Identifier: GPL-2.0-only
"""Result files of other programs (tests/fixtures): the numbers are those of the columns, by their places."""
from __future__ import annotations

import csv
import math
import re
from typing import NamedTuple

import pytest
from goldens import REPO
from reading import column, refusal

from analysis import load, metric
from analysis.answer import Tally
from analysis.dataset import Dataset
from analysis.metric import METRICS
from analysis.study import Analysis
from analysis.tables import ONECOPY, TWOCOPY

FIXTURES = REPO / "tests/fixtures"


class Foreign(NamedTuple):
    """Columns of mode, size and threads, then of each number that must be read, from 0; unread: may be ignored."""

    cell: tuple[int, int, int]
    numbers: dict[str, int]
    unread: str = ""
    fields: int = 1  # the size is that of one of so many fields


USUAL = {"GBPS": 3, "LATENCY": 4, "CYCLES": 5, "L1D_MISSES": 6, "LLC_MISSES": 7, "CONTEXT_SWITCHES": 8}
FILES = {
    "foreign/cache-and-llc": Foreign((0, 1, 2), {
        "GBPS": 9, "CYCLES": 3, "L1D_MISSES": 5, "LLC_MISSES": 6, "CONTEXT_SWITCHES": 7, "DURATION": 8, "LATENCY": 10,
        "RX_BYTES": 11}, "CacheMisses"),
    "foreign/client-2copy": Foreign((0, 2, 1), {"GBPS": 3, "LATENCY": 4, "CONTEXT_SWITCHES": 5, "PAGE_FAULTS": 6}),
    "foreign/field-size": Foreign((0, 1, 2), {
        "GBPS": 3, "LATENCY": 4, "CYCLES": 5, "LLC_MISSES": 7, "CONTEXT_SWITCHES": 8}, "cache_misses", 8),
    "foreign/latency-cs": Foreign((0, 1, 2), USUAL),
    "foreign/llc-cache-misses": Foreign((0, 1, 2), {
        "GBPS": 3, "LATENCY": 4, "CYCLES": 5, "PAGE_FAULTS": 6, "LLC_MISSES": 7, "CONTEXT_SWITCHES": 8}),
    "foreign/min_two": Foreign((0, 1, 2), {"GBPS": 5, "LLC_MISSES": 4}, "cache_misses"),
    "foreign/min_unread": Foreign((0, 1, 2), {"GBPS": 3, "LATENCY": 4, "CONTEXT_SWITCHES": 5}),
    "foreign/min_workers": Foreign((0, 1, 2), {"GBPS": 3}),
    "foreign/three-files-latency": Foreign((0, 1, 2), {"LATENCY": 3}, "min_us max_us"),
    "foreign/three-files-perf": Foreign((0, 1, 2), {
        "CYCLES": 3, "INSTRUCTIONS": 4, "L1D_MISSES": 6, "LLC_REFERENCES": 7, "LLC_MISSES": 8, "CONTEXT_SWITCHES": 9},
        "l1_loads"),
    "foreign/three-files-throughput": Foreign((0, 1, 2), {"GBPS": 5, "RX_BYTES": 3, "DURATION": 4}),
    "foreign/total-gbps": Foreign((0, 1, 2), {
        "GBPS": 6, "DURATION": 3, "RX_BYTES": 4, "RX_MESSAGES": 5, "LATENCY": 7, "CYCLES": 8, "CONTEXT_SWITCHES": 9,
        "L1D_MISSES": 11, "LLC_MISSES": 12}, "cache_misses"),
    "foreign/type-cs": Foreign((0, 1, 2), USUAL), "foreign/version": Foreign((0, 1, 2), USUAL),
    "foreign/workers": Foreign((0, 1, 2), USUAL), "pa02-mt25014-results": Foreign((0, 1, 2), USUAL)}
THREE = tuple(f"foreign/three-files-{kind}" for kind in ("throughput", "latency", "perf"))


def scale(name: str, id_: str) -> float:
    """Of the file's unit: latencies are in us, one file has Gbit."""
    return 1e3 if id_ == "LATENCY" else 1.25e8 if (name, id_) == (THREE[0], "RX_BYTES") else 1


def lines_of(name: str) -> list[list[str]]:
    """Without the header."""
    with open(FIXTURES / f"{name}.csv", newline="") as stream:
        return list(csv.reader(stream))[1:]


def mode_of(word: str) -> int:
    return (0 if re.search("A1|a1|2copy|Two|^0$", word) else 1 if re.search("A2|a2|1copy|One|^1$", word) else 2)


def read(*names: str) -> Dataset:
    return load.load_files([str(FIXTURES / f"{name}.csv") for name in names])


def check_numbers(d: Dataset, name: str) -> None:
    """Each number of each cell is that of its line: a counter that stopped, 0, may be unknown."""
    of = FILES[name]
    by_cell = {row.cell: row for row in d.rows}
    for line in lines_of(name):
        mode, size, threads = (line[at] for at in of.cell)
        row = by_cell[mode_of(mode), int(float(size)) * of.fields, int(threads)]
        for id_, at in of.numbers.items():
            value, there = row[METRICS[id_]], float(line[at]) * scale(name, id_)
            assert math.isclose(value, there, rel_tol=1e-9) or (math.isnan(value) and there == 0), (row, id_)


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_read_in_its_units(name: str) -> None:
    """One run is one cell: no column is taken for a round. The ignored columns are named, and no other."""
    d, of = read(name), FILES[name]
    assert len(d.rows) == len({row.cell for row in d.rows}) == len(lines_of(name))
    check_numbers(d, name)
    for id_ in of.numbers:
        assert column(d, METRICS[id_])
    assert d.lacking is not None
    assert re.findall("'([^']*)'", d.lacking) == of.unread.split()
    assert all(f"'{column}'" in (d.unread or "") for column in of.unread.split())
    assert (d.unread is None) == (not of.unread)


@pytest.mark.parametrize("name", [name for name, of in FILES.items() if "GBPS" in of.numbers])
def test_faster_cells_and_the_peak_are_those_of_the_lines(name: str) -> None:
    a, of = Analysis(read(name)), FILES[name]
    gbps = {(mode_of(line[of.cell[0]]), int(float(line[of.cell[1]])) * of.fields, int(line[of.cell[2]])):
            float(line[of.numbers["GBPS"]]) for line in lines_of(name)}
    pairs = [(gbps[1, size, n], value) for (mode, size, n), value in gbps.items() if mode == 0 and (1, size, n) in gbps]
    ahead = Tally()
    for cell in a.cells:
        if cell.mode is ONECOPY:
            ahead.add(a.compare(cell, a.peer(cell, TWOCOPY), metric.GBPS))
    assert (ahead.untested_higher, ahead.of) == (sum(one > two for one, two in pairs), len(pairs))
    peak = a.peak(None, metric.GBPS)
    assert peak and (peak.mode.index, peak.size, peak.threads) == max(gbps, key=lambda key: gbps[key])


@pytest.mark.parametrize(("name", "words"), [
    ("field-size", "the message size is field_size x 8"), ("field-size", "'cache_misses'"),
    ("latency-cs", "'latency' in us"), ("three-files-latency", "'min_us', 'max_us'"),
    ("total-gbps", "bytes / time differs from the throughput"), ("llc-cache-misses", "in 4 rows"),
    ("client-2copy", "client_0copy = zero-copy")])
def test_notes_say_how_a_file_was_read(name: str, words: str) -> None:
    assert any(words in note for note in read(f"foreign/{name}").notes)


@pytest.mark.parametrize("name", FILES)
def test_duration_is_suggested_only_if_it_helps(name: str) -> None:
    path = str(FIXTURES / f"{name}.csv")
    a, with_duration = Analysis(load.load_files([path])), Analysis(load.load_files([path], 5.0))
    suggested = [m for m in metric.ALL if m.formula and not a.has(m) and "--duration" in a.reason(m)]
    assert all(with_duration.has(m) for m in suggested)
    assert not a.has(metric.GBPS) or a.has(metric.DURATION) or suggested


def test_three_files_of_one_experiment_are_joined() -> None:
    d = read(*THREE)
    assert len(d.rows) == len({row.cell for row in d.rows}) == 48
    for name in THREE:
        check_numbers(d, name)
    for m in (metric.GBPS, metric.LATENCY, metric.CYCLES_PER_BYTE):
        assert len(column(d, m)) == 48
    assert "total-gbps.csv, line" in refusal(read, THREE[0], "foreign/total-gbps")


@pytest.mark.parametrize("name", FILES)
def test_file_that_answers_no_question_is_refused(name: str) -> None:
    """A report on latencies alone would answer nothing six times."""
    text = load.answerable(read(name), name)
    assert (text is not None) == (name == "foreign/three-files-latency")
    assert text is None or "'max_us'" in text
