# SPDX-License-Identifier: GPL-2.0-only
"""The document, the CSV file and the row of results.csv of one result are read as the same data set, each number from
its own place.

They are golden files of tests/unit/write/test_document.c and tests/unit/sweep/test_sweep.c, of a result in which every
number is another one.
"""
from __future__ import annotations

import math

import pytest
from goldens import REPO
from reading import full_csv, full_document, read_csv, results_csv

from analysis import conditions, csv_names, documents, metric, tables
from analysis.dataset import Dataset, Row
from analysis.tables import PATH_PARTS, STAGES

# Numbers that only the data of other tools has.
FOREIGN = {metric.LATENCY, *(metric.perf_both(c) for c in tables.COUNTERS)}
OWN = [m for m in metric.READ if m not in FOREIGN]


@pytest.fixture(scope="module")
def document() -> Dataset:
    d = Dataset()
    documents.add_document(d, "full.json", full_document())
    documents.finish(d)
    return d


def of_csv(mode: str = "zerocopy") -> Dataset:
    """The CSV file's run of zerocopy as one of another mode."""
    header, _, run = full_csv()
    assert run.startswith("zerocopy,")
    return read_csv(header + run.replace("zerocopy", mode, 1))


def differences(a: Row, b: Row) -> list[tuple[str, float, float]]:
    return [(m.id, a[m], b[m]) for m in metric.ALL
            if not (math.isclose(a[m], b[m], rel_tol=1e-9) or (math.isnan(a[m]) and math.isnan(b[m])))]


def expected() -> dict[str, float]:
    """Of tests/unit/support/full_result.h, by the ids of the metrics."""
    values: dict[str, float] = {
        "DURATION": 1, "TX_BYTES": 1000000001, "TX_MESSAGES": 15258, "RX_BYTES": 1000000000, "RX_MESSAGES": 15257,
        "REPLY_BYTES": 0, "GBPS": 8, "COPIES": 2.25, "COPIES_AT_MOST": 2.5, "COPIED_FRACTION": 0.75,
        "CPU_SENDER": 0.1, "CPU_RECEIVER": 0.15, "CPU_PER_GB": 0.25, "ZC_SENDS": 101, "ZC_COMPLETED": 100,
        "ZC_COPIED": 75, "KERNEL_ZC_COPIED": 150, "KERNEL_ZC_COPIED_AT_MOST": 150, "SEND_P50": 10, "SEND_P99": 20,
        "SLOT_WAIT_P50": 11, "SLOT_WAIT_P99": 21, "DELIVERY_P50": 12, "DELIVERY_P99": 22, "RECV_P50": 13,
        "RECV_P99": 23, "HALF_TRIP_P50": 14, "HALF_TRIP_P99": 24, "COMPLETION_P50": 15, "COMPLETION_P99": 25,
        "UNSENT": 2, "UNACCOUNTED_TX": -12, "UNACCOUNTED_RX": 0, "TIMES_MESSAGES": 15258, "MISSED": 0,
        "S_KERNEL_CYCLES": 30200, "R_KERNEL_CYCLES": 40200, "PAYLOAD": 1e9}
    values.update((f"BYTES_{s.id}", 1000 + s.index) for s in STAGES)
    values.update((f"NS_{s.id}", 10000 + s.index) for s in STAGES)
    values.update((f"CPB_{s.id}", (1000 + s.index) / 1e9) for s in STAGES)
    values.update((f"PATH_{p.id}", 20000 + n) for n, p in enumerate(PATH_PARTS))
    for n, c in enumerate(tables.COUNTERS):
        values.update({f"S_{c.id}": 30000 + n, f"R_{c.id}": 40000 + n, c.id: 70000 + 2 * n})
    return values


def test_each_number_is_read_from_its_own_place(document: Dataset) -> None:
    for d in (document, of_csv()):
        row = d.rows[0]
        assert {id_: row[metric.METRICS[id_]] for id_ in expected()} == pytest.approx(expected())
        assert (row.mode, row.size, row.threads, row.round, row.imported) == (tables.ZEROCOPY, 65536, 1, 1, False)
        assert row.verdict == 'copied, "local"'
        for k in tables.CPU_CLASSES:
            assert row[metric.class_both(k)] == row[metric.class_(0, k)] + row[metric.class_(1, k)]
    classes = [document.rows[0][metric.class_(side, k)] for side in tables.SIDES for k in tables.CPU_CLASSES]
    assert len(set(classes)) == len(classes)


@pytest.mark.parametrize("mode", tables.MODES, ids=lambda mode: mode.name)
def test_csv_of_a_mode_is_read_as_its_document(document: Dataset, mode: tables.Mode) -> None:
    d = of_csv(mode.name)
    assert d.rows[0].mode is mode
    assert not differences(d.rows[0], document.rows[0])


def test_results_csv_of_a_sweep_has_every_number_that_compare_compares(document: Dataset) -> None:
    """Classes of CPU time are compared only when they are asked for."""
    d = read_csv(results_csv())
    row, whole = d.rows[0], document.rows[0]
    compared = [m for m in metric.ALL if m.is_compared and m is not metric.LATENCY]
    assert not [m for m, value, _ in differences(row, whole) if not math.isnan(value)]
    assert [row[m] for m in compared] == pytest.approx([whole[m] for m in compared])
    for m in (metric.DURATION, metric.SOFTIRQ, metric.SOFTIRQ_AT_MOST, metric.COPIES_AT_MOST, metric.METRICS[
            "DTLB_MISSES_PER_KIB"], metric.METRICS["LLC_MISS_RATIO"]):
        assert row[m] == pytest.approx(whole[m])
    assert (row.cell, row.round, row.imported, d.congestion) == (whole.cell, whole.round, False, "cubic")
    assert not d.notes and d.unread is None


def test_columns_of_results_csv_that_are_not_read_follow_from_others() -> None:
    header = results_csv().splitlines()[0].split(",")
    read = csv_names.results_columns(header)
    assert read and [name for name in header if name not in read] == ["cycles_per_byte", "ipc", "llc_miss_ratio"]


def test_each_column_of_results_csv_is_documented_with_its_unit() -> None:
    """The unit of the name, and of shares and quotients none."""
    lines = (REPO / "docs/reference/sweep.md").read_text().partition("## results.csv")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in lines.splitlines() if line.startswith("| ")]
    documented = {name: row[1:] for row in rows[1:] for name in row[0].split(", ")}
    assert list(documented) == results_csv().splitlines()[0].split(",")
    units = {"_us": "us", "_gbps": "Gbit/s", "_bytes": "B", "_s": "s", "_ns_per_kib": "ns/KiB", "_at_most": "ns/KiB",
             "_misses": "count", "_switches": "count", "_references": "count", "cycles": "count",
             "instructions": "count"}
    for name, (unit, words) in documented.items():
        expected = next((u for end, u in units.items() if name.endswith(end)), "")
        assert words and unit == (expected if name != "copies_per_byte_at_most" else ""), name


def test_both_have_the_settings_that_a_csv_file_has(document: Dataset) -> None:
    d = of_csv()
    assert d.conditions and d.conditions.items() <= document.conditions.items()
    assert document.conditions["sndbuf"] == "1048576"  # a setting that is in no CSV file
    assert d.environment and document.environment
    for name, value in d.environment.items():
        path = next((p + name[len(p):].replace("_", ".", 1) for p in ("offloads", "receiver")
                     if name.startswith(p + "_")), name)
        assert conditions.text(conditions.at(document.environment, path)[0]) == value, name


def test_only_the_document_has_histograms_and_reasons(document: Dataset) -> None:
    d = of_csv()
    assert not d.hists and not d.reason
    kinds = [kind for *_, kind in document.hists]
    assert set(kinds) == {*STAGES, *tables.LATENCIES} and len(kinds) == len(set(kinds))
    by_kind = {kind: [(b.low, b.high, b.count) for b in of] for (*_, kind), of in document.hists.items()}
    assert by_kind[STAGES[5]] == [(6, 6, 95)]
    assert by_kind[tables.LATENCIES[5]] == [(15, 15, 1), (25, 25, 1)]
    assert {document.reason[metric.METRICS[f"ELSEWHERE_R_{k.id}"]] for k in tables.CPU_CLASSES} == {
        "no other machine has sampled"}


def test_every_path_that_is_read_is_written_to_both() -> None:
    """A renamed member would be missing without a message."""
    run = full_document()["runs"][0]
    assert not [m.path for m in OWN for _, parent, name in [conditions.at(run, m.path)] if name not in parent]
    columns = full_csv()[0].rstrip("\n").split(",")
    assert not [m.path for m in OWN if m.path.replace(".", "_") not in columns]
