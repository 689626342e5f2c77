# SPDX-License-Identifier: GPL-2.0-only
"""Result documents read back: runs, histograms, stacks, settings; damage is refused."""
from __future__ import annotations

import math
from typing import Any

import pytest
from reading import add, ONECOPY, refusal

from analysis import conditions, documents, first_screen, metric, tables
from analysis.dataset import Dataset, Failure, Names
from analysis.metric import Metric

IDENTITY = "x: a run without a possible mode, size, thread count or round: it is damaged."
NO_NUMBER = "x: a run with a figure that is not a number: it is damaged."
TX_COPY = next(s for s in tables.STAGES if s.key == "tx_copy")
RECV_CALL = next(p for p in tables.LATENCIES if p.key == "recv_call")


def buckets(d: Dataset) -> list[tuple[float, float, float]]:
    """Of the only histogram."""
    (of,) = d.hists.values()
    return [(b.low, b.high, b.count) for b in of]


def run(**members: Any) -> dict[str, Any]:
    return {**ONECOPY, **members}


# ---- runs


@pytest.mark.parametrize("document", [
    {}, [], {"schema": "other/1", "runs": []}, {"schema": "netiotrace.result/2", "runs": []}], ids=str)
def test_other_documents_are_refused(document: Any) -> None:
    text = refusal(documents.add_document, Dataset(), "x", document)
    assert text == "x: not a result document of netiotrace (schema netiotrace.result/1)."


def test_document_without_runs_is_refused() -> None:
    text = refusal(documents.add_document, Dataset(), "x", {"schema": documents.RESULT_SCHEMA, "runs": {}})
    assert text == "x: the result document has no list of runs."


@pytest.mark.parametrize("damaged", [
    7, {}, {"mode": "x", "size": 1}, {"mode": "onecopy"}, {"size": 64}, run(size=0), run(size=1e15), run(size=64.5),
    run(threads=-1), run(threads=1000001), run(threads=1.5), run(threads="2"), run(round=-5), run(round="2"),
    run(round=True)], ids=str)
def test_run_of_no_possible_cell_is_refused(damaged: Any) -> None:
    assert refusal(add, Dataset(), damaged) == IDENTITY


@pytest.mark.parametrize(("given", "cell", "round_"), [
    (run(size=1, threads=0), (1, 1, 0), 0), (run(threads=None, round=2.0), (1, 64, 0), 2),
    (run(threads=1000000, round=10**9), (1, 64, 1000000), 10**9), (run(size=10**15 - 1), (1, 10**15 - 1, 0), 0)],
    ids=str)
def test_cells_up_to_their_limits(given: Any, cell: tuple[int, int, int], round_: int) -> None:
    row = add(Dataset(), given).rows[0]
    assert (row.cell, row.round) == (cell, round_)


@pytest.mark.parametrize("value", ["4096", True, [4096], {}], ids=str)
def test_figures_are_numbers_or_null(value: Any) -> None:
    assert refusal(add, Dataset(), run(app={"rx_bytes": value})) == NO_NUMBER
    assert math.isnan(add(Dataset(), run(app={"rx_bytes": None})).rows[0][metric.RX_BYTES])


@pytest.mark.parametrize(("app", "is_refused"), [("4096", True), (4096, True), ([], True), (None, False), ({}, False)])
def test_figures_are_in_an_object_or_null(app: Any, is_refused: bool) -> None:
    if is_refused:
        assert refusal(add, Dataset(), run(app=app)) == NO_NUMBER
    else:
        assert math.isnan(add(Dataset(), run(app=app)).rows[0][metric.RX_BYTES])


def test_only_unaccounted_bytes_may_be_below_0() -> None:
    assert add(Dataset(), run(ledger={"unaccounted_tx": -1})).rows[0][metric.UNACCOUNTED_TX] == -1
    for damaged in (run(duration_s=-1), run(ledger={"copies_per_byte": -0.5})):
        assert refusal(add, Dataset(), damaged) == "x: a run with a figure below 0: it is damaged."


@pytest.mark.parametrize("value", [1.01e18, 1.7e308, 9e-19, 5e-324])
def test_figures_that_overflow_sums_or_quotients_are_refused(value: float) -> None:
    damaged: list[dict[str, Any]] = [
        {"app": {"cpu_s": {"sender": value}}}, {"app": {"zerocopy": {"completed": value, "copied": value}}},
        {"ledger": {"unaccounted_tx": -value}}, {"ledger": {"tx_copy": {"ns_buckets": [[1, 2, value]]}}}]
    for members in damaged:
        assert refusal(add, Dataset(), run(**members)).startswith("x: a run with a figure beyond 1e+18")
    for figure in (0, 1e18, 1e-18):
        assert add(Dataset(), run(app={"rx_bytes": figure})).rows[0][metric.RX_BYTES] == figure


def test_first_reason_of_a_missing_number_is_kept() -> None:
    d = add(Dataset(), run(ledger={"tx_copy": {"bytes": None, "reason": "no hook"}},
                           perf={"sender": {"cycles": {"value": None, "scaled": None, "reason": "no PMU"}}},
                           app={"throughput_gbps": None, "throughput_gbps_reason": "its own", "reason": "of all"}))
    add(d, run(round=1, ledger={"tx_copy": {"bytes": None, "reason": "another"}}))
    wanted: list[Metric] = [metric.stage_bytes(TX_COPY), metric.METRICS["S_CYCLES"], metric.GBPS]
    assert [d.reason[m] for m in wanted] == ["no hook", "no PMU", "its own"]
    assert d.reason[metric.RX_BYTES] == "of all"


def test_facts_of_the_ledger_and_of_the_end_of_a_run() -> None:
    d = add(Dataset(), run(interrupted=True, verdict={"text": "why"},
                           ledger={"copies_per_byte_side": "both", "copies_per_byte_excludes": ["rx_copy", "x"]}),
            run(round=1, interrupted="yes", ledger={"copies_per_byte_side": "sender"}), run(round=2))
    assert (d.interrupted, d.copies_of) == (1, {"sender", "both"})
    assert [s.key for s in d.copies_exclude] == ["rx_copy"]
    assert [row.verdict for row in d.rows] == ["why", "", ""]


def test_runs_without_a_duration_have_the_one_that_is_given() -> None:
    d = add(Dataset(), run(app={"throughput_gbps": 8}), run(round=1, duration_s=2, app={"throughput_gbps": 8}))
    documents.finish(d, 5)
    assert [row[metric.PAYLOAD] for row in d.rows] == [5e9, 2e9]


def test_rows_are_in_order_of_cell_and_round() -> None:
    d = add(Dataset(), {"mode": "zerocopy", "size": 1}, run(size=128), run(threads=2), run(round=1), run())
    documents.finish(d)
    assert [(*row.cell, row.round) for row in d.rows] == [(1, 64, 0, 0), (1, 64, 0, 1), (1, 64, 2, 0), (1, 128, 0, 0),
                                                          (2, 1, 0, 0)]


def test_copied_run_is_found() -> None:
    def figures(round_: int, rx_bytes: int | None, gbps: int | None) -> dict[str, Any]:
        return run(round=round_, app={"rx_bytes": rx_bytes, "throughput_gbps": gbps})

    # A repeated round number alone is no copy: two programs may each have counted from 1. Nor are runs without data.
    d = add(Dataset(), figures(1, 4096, 1), figures(1, 4096, 2), figures(2, 4096, 1), figures(3, None, None),
            figures(3, None, None))
    documents.finish(d)
    assert documents.copied_row(d) is None
    # Other runs of the same round in between do not matter.
    add(d, figures(2, 4095, 1), figures(2, 4096, 3), figures(2, 4096, 1))
    documents.finish(d)
    copy = documents.copied_row(d)
    assert copy and copy.round == 2
    for row in d.rows:  # another format may have rounded numbers
        row.imported = True
    assert documents.copied_row(d) is None


# ---- histograms and stacks


def test_buckets_have_bounds_and_a_count() -> None:
    """One with count 0 is left out. The last has no upper bound."""
    d = add(Dataset(), run(threads=2, ledger={"tx_copy": {"ns_buckets": [[8, 15, 3], [0, 1, 5], [16, None, 2],
                                                                        [32, 63, 0]]}}))
    assert buckets(d) == [(0, 1, 5), (8, 15, 3), (16, 16, 2)]
    assert list(d.hists) == [(tables.ONECOPY, 64, 2, TX_COPY)]


@pytest.mark.parametrize("damaged", [
    [[64, 63, 1]], [[-1, 2, 1]], [[1, 2, -1]], [[1]], [[1, 2]], [7], [[None, 3, 4]], [["5", 9, 2]], [[6, 7, "1"]],
    [[6, "7", 1]], 7, "x", {}], ids=str)
def test_damaged_bucket_is_refused(damaged: Any) -> None:
    assert refusal(add, Dataset(), run(ledger={"tx_copy": {"ns_buckets": damaged}})) == NO_NUMBER


def test_no_buckets_are_no_histogram() -> None:
    d = add(Dataset(), run(ledger={"tx_copy": {"ns_buckets": None}}), run(ledger={"tx_copy": {"ns_buckets": []}}))
    assert not d.hists


def test_histograms_of_rounds_are_added() -> None:
    d = Dataset()
    for n in (10, 11):
        add(d, run(round=n, ledger={"tx_copy": {"ns_buckets": [[8, 8, n], [100, 109, 5]]}}))
    add(d, run(size=128, ledger={"tx_copy": {"ns_buckets": [[8, 8, 1]]}}))
    assert [[b.count for b in of] for of in d.hists.values()] == [[21, 10], [1]]


def test_documents_with_and_without_recv_call_are_read_together() -> None:
    """A run of an earlier version, one whose receiver did not report it, and one with it."""
    d = Dataset()
    latencies: list[dict[str, Any]] = [
        {}, {"recv_call": {"p50": None, "buckets": [], "reason": "another machine"}},
        {"recv_call": {"p50": 700, "p99": 900, "buckets": [[700, 700, 2]]}}]
    for n, latency in enumerate(latencies):
        add(d, run(round=n, app={"latency_ns": {"delivery": {"p50": 50}, **latency}}))
    assert [row[metric.DELIVERY_P50] for row in d.rows] == [50, 50, 50]
    assert [row[metric.RECV_P50] for row in d.rows][2] == 700 and d.rows[2][metric.RECV_P99] == 900
    assert math.isnan(d.rows[0][metric.RECV_P50]) and math.isnan(d.rows[1][metric.RECV_P50])
    assert d.reason[metric.RECV_P50] == "another machine"
    assert list(d.hists) == [(tables.ONECOPY, 64, 0, RECV_CALL)] and buckets(d) == [(700, 700, 2)]


def test_stacks_are_added_and_malformed_ones_left_out() -> None:
    stacks = ["sender;a;b 3", "receiver;c d 4", "sender;a;b 2", "elsewhere;e 1", "nobody;a 3", "sender;a", "sender a 3",
              "sender;a 0", "sender;a 3x", "", 7]
    d = add(Dataset(), run(threads=2, cpu={"stacks": stacks}))
    assert d.stacks == {(tables.ONECOPY, 64, 2): {(0, "a;b"): 5, (1, "c d"): 4, (2, "e"): 1}}


@pytest.mark.parametrize("digits", [20, 400, 5000])
def test_count_of_a_stack_is_a_possible_figure(digits: int) -> None:
    assert "a figure beyond 1e+18" in refusal(add, Dataset(), run(cpu={"stacks": [f"sender;a {'9' * digits}"]}))
    d = add(Dataset(), run(cpu={"stacks": [f"sender;a {'0' * digits}7", f"sender;b {'0' * digits}"]}))
    assert list(d.stacks.values()) == [{(0, "a"): 7}]


def test_stacks_belong_to_their_cells() -> None:
    d = add(Dataset(), run(cpu={"stacks": ["sender;a 1"]}), run(threads=2, cpu={"stacks": ["sender;b 2"]}),
            {"mode": "zerocopy", "size": 64, "cpu": {"stacks": ["sender;c 4"]}},
            run(round=1, cpu={"stacks": ["sender;a 8"]}), run(size=128, cpu={"stacks": []}))
    assert d.stacks == {(tables.ONECOPY, 64, 0): {(0, "a"): 9}, (tables.ONECOPY, 64, 2): {(0, "b"): 2},
                        (tables.ZEROCOPY, 64, 0): {(0, "c"): 4}}


# ---- what runs have in common


def test_settings_are_collected_from_all_runs() -> None:
    d = add(Dataset(), run(fields=8))
    add(d, run(round=1, fields=8), environment={"mtu": 1500})
    # With several, the first one present.
    text = refusal(add, d, run(round=2, fields=9), environment={"mtu": 9000})
    assert text == ("x: made with fields 9, other runs here with 8: runs of different settings are not pooled; give "
                    "each a directory or file of its own.")
    assert "made with mtu 9000, other runs here with 1500:" in refusal(add, d, run(), environment={"mtu": 9000})
    assert d.conditions == {"fields": "8", "mtu": "1500"}


def test_runs_of_one_document_with_other_fields_are_refused() -> None:
    text = refusal(add, Dataset(), run(fields=8), run(round=1, fields="8"), run(round=2), run(round=3, fields=9))
    assert text.startswith("x: made with fields 9, other runs here with 8:")


def test_settings_are_read_once_for_each_number_of_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    read, of = [], conditions.of
    monkeypatch.setattr(conditions, "of", lambda *args: read.append(args[2]) or of(*args))
    d = add(Dataset(), *[run(round=i) for i in range(100)], *[run(round=i, fields=8) for i in range(100, 200)])
    assert read == [None, "8"]
    assert len(d.rows) == 200 and d.conditions == {"fields": "8"}


def test_settings_that_a_data_set_varies_are_none() -> None:
    d = Dataset()
    for size, sndbuf in ((64, 4096), (128, 4096)):
        add(d, run(size=size), settings={"size": size, "sndbuf": sndbuf, "rcvbuf": None})
    assert d.conditions == {"sndbuf": "4096"}
    assert "sndbuf 8192, other runs here with 4096" in refusal(add, d, run(), settings={"sndbuf": 8192})


@pytest.mark.parametrize(("wanted", "sizes", "kept"), [
    (None, [64, 65, 67], "bbr"), ("reno", [66], "reno"), ("dctcp", [], None)])
def test_congestion_controls_are_separate_data_sets(wanted: str | None, sizes: list[int], kept: str | None) -> None:
    """That of the first run with one, or the one that is asked for; then runs without a name are left out."""
    d = Dataset(Names(congestion=wanted))
    for size, control in ((64, None), (65, "bbr"), (66, "reno"), (67, "bbr"), (68, "cubic")):
        add(d, run(size=size), environment={"congestion_control": control})
    assert [row.size for row in d.rows] == sizes
    assert d.congestion == kept
    assert d.others == [c for c in ("bbr", "reno", "cubic") if c != kept]


@pytest.mark.parametrize(("environment", "varies"), [
    ({"kernel": "6.1", "started": "tuesday", "load_average": 0.75, "packet_taps": 2}, False),
    ({"kernel": "6.1", "host": "b"}, True), ({"kernel": "6.1", "cpus_online": 1}, True)])
def test_another_machine_is_not_the_same_at_another_time(environment: dict[str, Any], varies: bool) -> None:
    first = {"kernel": "6.1", "started": "monday", "load_average": 0.5, "packet_taps": 0}
    d = add(Dataset(), run(), environment=first)
    add(d, run(round=1), environment=environment)
    add(d, run(round=2), environment=first)
    assert d.environment == first
    assert d.environment_varies == varies


@pytest.mark.parametrize("environment", [
    {"virtualization": "vm, emulated"}, {"virtualization": "none", "receiver": {"virtualization": "vm, emulated"}}],
    ids=["sender", "receiver"])
def test_an_emulated_machine_has_bytes_and_no_rates(environment: dict[str, Any]) -> None:
    app = {"rx_bytes": 1024, "throughput_gbps": 5, "cpu_s": {"sender": 1, "receiver": 1}}
    d = add(Dataset(), run(app=app, ledger={"copies_per_byte": 2}), environment=environment)
    documents.finish(d)
    known = {m for m in metric.ALL if not math.isnan(d.rows[0][m])}
    assert known == {metric.RX_BYTES, metric.PAYLOAD, metric.COPIES}
    for m in (metric.GBPS, metric.CPU_NS_PER_KIB, metric.IPC):
        assert d.reason[m].startswith("the machine is emulated: only bytes")
    assert first_screen.conditions(d).startswith("The machine is emulated: this report has no time, rate or counter.")


def test_first_tool_is_kept() -> None:
    d = add(Dataset(), run())
    add(d, run(round=1), tool={"version": "1.2", "backend": "kprobe"})
    add(d, run(round=2), tool={"version": "1.3", "backend": "tracepoint"})
    assert (d.version, d.backend) == ("1.2", "kprobe")


# ---- failures


@pytest.mark.parametrize(("wanted", "congestion", "kept"), [
    (None, "reno", 1), ("reno", "reno", 1), ("cubic", "reno", 0), ("cubic", "system", 1), ("cubic", None, 1)])
def test_failed_runs_are_kept(wanted: str | None, congestion: str | None, kept: int) -> None:
    d = Dataset(Names(congestion=wanted))
    record = {"schema": documents.FAILURE_SCHEMA, "mode": "zerocopy", "size": 1024, "threads": 2, "round": 1,
              "reason": "the sender died", "congestion": congestion}
    assert documents.add_failure(d, record)
    assert d.failures == [Failure("zerocopy", 1024, 2, 1, "the sender died")] * kept


def test_record_of_a_failure_may_lack_members() -> None:
    d = Dataset()
    assert documents.add_failure(d, {"schema": documents.FAILURE_SCHEMA, "size": "x", "threads": True})
    assert d.failures == [Failure("?", 0, 0, 0, "no reason is recorded")]
    others: list[Any] = [{}, [], {"schema": documents.RESULT_SCHEMA}]
    for other in others:
        assert not documents.add_failure(d, other)
