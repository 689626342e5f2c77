# SPDX-License-Identifier: GPL-2.0-only
"""Derived numbers, with formulas written out here; missing input; names."""
from __future__ import annotations

import math

import pytest

from analysis import metric, tables
from analysis.metric import METRICS, NAN


def derived(threads: int = 1, **changes: float) -> dict[str, float]:
    """Of a run with another number for each metric that is read, but for these; sums of both sides are unknown."""
    values = [1000.0 + 17 * m.index if m.path else NAN for m in metric.ALL]
    for c in tables.COUNTERS:
        values[metric.perf_both(c).index] = NAN
    for id_, value in changes.items():
        values[METRICS[id_].index] = value
    metric.derive(values, threads)
    return {m.id: values[m.index] for m in metric.ALL}


def is_known(value: float) -> bool:
    return not math.isnan(value)


def test_counters_and_classes_of_both_sides_are_added() -> None:
    v = derived()
    for id_ in (*(c.id for c in tables.COUNTERS), "KERNEL_CYCLES"):
        assert v[id_] == v[f"S_{id_}"] + v[f"R_{id_}"]
    for k in tables.CPU_CLASSES:
        assert v[f"CLASS_{k.id}"] == v[f"CLASS_S_{k.id}"] + v[f"CLASS_R_{k.id}"]
    assert derived(CYCLES=5)["CYCLES"] == 5  # a total that the data gives stays
    alone = derived(R_CYCLES=NAN, CLASS_S_TX_COPY=NAN)
    assert not is_known(alone["CYCLES"]) and not is_known(alone["CLASS_TX_COPY"])


@pytest.mark.parametrize(("values", "payload"), [
    ({"RX_BYTES": 1000, "REPLY_BYTES": 24}, 1024), ({"RX_BYTES": 1000, "REPLY_BYTES": NAN}, 1000),
    # Without bytes: 8 Gbit/s for 5 s are 5 GB.
    ({"RX_BYTES": NAN, "GBPS": 8, "DURATION": 5}, 5e9), ({"RX_BYTES": NAN, "GBPS": 8, "DURATION": NAN}, NAN)])
def test_payload_is_received_bytes_and_replies(values: dict[str, float], payload: float) -> None:
    assert derived(1, **values)["PAYLOAD"] == pytest.approx(payload, nan_ok=True)


def test_costs_are_per_byte_of_payload() -> None:
    v = derived(3, RX_BYTES=4096, REPLY_BYTES=0, GBPS=12, CPU_SENDER=0.5, CPU_RECEIVER=0.25, DURATION=4)
    expected = {"GBPS_PER_THREAD": 4, "CPU_S_NS_PER_KIB": 125e6, "CPU_R_NS_PER_KIB": 62.5e6, "CPU_NS_PER_KIB": 187.5e6,
                "IPC": v["INSTRUCTIONS"] / v["CYCLES"], "CYCLES_PER_BYTE": v["CYCLES"] / 4096,
                "BYTES_PER_CYCLE": 4096 / v["CYCLES"], "KERNEL_SHARE": v["KERNEL_CYCLES"] / v["CYCLES"],
                "LLC_MISSES_PER_KIB": v["LLC_MISSES"] / 4, "LLC_MISS_RATIO": v["LLC_MISSES"] / v["LLC_REFERENCES"],
                "CONTEXT_SWITCHES_PER_GIB": v["CONTEXT_SWITCHES"] * 2**18, "SWITCHES_PER_S": v["CONTEXT_SWITCHES"] / 4}
    expected.update({f"CPB_{s.id}": v[f"BYTES_{s.id}"] / 4096 for s in tables.STAGES})
    assert {id_: v[id_] for id_ in expected} == pytest.approx(expected)


def test_cost_of_an_unknown_side_is_that_of_the_whole_run() -> None:
    v = derived(0, CPU_SENDER=NAN, CPU_PER_GB=0.75)
    assert v["CPU_NS_PER_KIB"] == 768
    assert not is_known(v["GBPS_PER_THREAD"])


def test_no_payload_has_no_cost() -> None:
    v = derived(RX_BYTES=0, REPLY_BYTES=0)
    assert not is_known(v["CPU_S_NS_PER_KIB"]) and not is_known(v["CPB_TX_COPY"])
    assert not is_known(derived(S_CYCLES=0, R_CYCLES=0)["IPC"])


@pytest.mark.parametrize(("id_", "source"), [
    ("CYCLES", "S_CYCLES"), ("LLC_MISSES_PER_KIB", "S_LLC_MISSES"), ("KERNEL_CYCLES", "S_KERNEL_CYCLES"),
    ("CLASS_TX_PIN", "CLASS_S_TX_PIN"), ("GBPS", "GBPS"), ("BYTES_PER_CYCLE", "S_CYCLES")])
def test_reason_of_a_figure_is_that_of_its_counter(id_: str, source: str) -> None:
    assert metric.source(METRICS[id_]) is METRICS[source]


def test_only_unaccounted_bytes_can_be_below_0() -> None:
    assert [m.id for m in metric.ALL if metric.is_possible(m, -1)] == ["UNACCOUNTED_TX", "UNACCOUNTED_RX"]
    assert all(metric.is_possible(m, value) for m in metric.ALL for value in (0, NAN))


def test_every_metric_has_words_a_source_and_a_name_of_its_own() -> None:
    for m in metric.ALL:
        assert m.words and bool(m.path) != bool(m.formula), m.id
        assert m.key or not m.shown & metric.COMPARE, m.id
    names = [m.name for m in metric.ALL if m.name]
    paths = [m.path for m in metric.READ]
    assert len(set(names)) == len(names) and len(set(paths)) == len(paths)
