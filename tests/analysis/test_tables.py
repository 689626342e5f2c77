# SPDX-License-Identifier: GPL-2.0-only
"""The tables have the rows of the C headers."""
from __future__ import annotations

import re

import pytest
from goldens import REPO

from analysis import metric, tables


def rows(path: str, macro: str) -> list[list[str]]:
    """The arguments of each X() of a list of rows, texts without quotes."""
    text = (REPO / path).read_text().split(f"#define {macro}")[1].split("\n\n")[0]
    text = re.sub(r"\\\n|/\*.*?\*/", " ", text, flags=re.DOTALL)
    found = re.findall(r"\b[XF]\(((?:\"[^\"]*\"|\([^()]*\)|[^()\"])*)\)", text)
    return [[part.strip().strip('"') for part in re.findall(r"\"[^\"]*\"|[^,\"]+", row) if part.strip()]
            for row in found]


@pytest.mark.parametrize(("path", "macro", "table", "members"), [
    ("common/mode.h", "MODES", tables.MODES, ("name", "words")),
    ("bpf/netiotrace.h", "NIO_STAGES", tables.STAGES, ("id", "key", "heading")),
    ("bpf/netiotrace.h", "NIO_PATH_PARTS", tables.PATH_PARTS[1:], ("id", "key", "heading")),
    ("user/model/cpu_time.h", "CPU_CLASSES", tables.CPU_CLASSES, ("id", "key", "heading")),
    ("user/model/counter.h", "PERF_COUNTERS_WITH(F, X)", tables.COUNTERS, ("id", "key", "heading")),
    ("user/model/result.h", "LATENCIES", tables.LATENCIES, ("id", "key"))])
def test_rows_of_c(path: str, macro: str, table: tuple[object, ...], members: tuple[str, ...]) -> None:
    found = rows(path, macro)
    assert len(found) == len(table)
    for row, entry in zip(found, table):
        for member in members:
            assert getattr(entry, member) in row, (row, member)


def test_every_row_has_its_metrics() -> None:
    paths = {m.path for m in metric.READ}
    assert len(paths) == len(metric.READ)
    assert paths >= {f"ledger.{s.key}.{what}" for s in tables.STAGES for what in ("bytes", "ns", "timed_bytes")}
    assert paths >= {f"path_ns.{p.key}" for p in tables.PATH_PARTS}
    assert paths >= {f"perf.{side}.{c.key}.value" for side in ("sender", "receiver") for c in tables.COUNTERS}
    assert paths >= {f"cpu.{side}.ns_per_kib.{c.key}.value" for c in tables.CPU_CLASSES
                     for side in ("sender", "receiver", "elsewhere", "receiver_elsewhere")}


def test_ways_to_write_a_mode() -> None:
    for mode in tables.MODES:
        for text in (mode.name, mode.name.upper(), f"{mode.name[:3]}-_ {mode.name[3:]}", str(mode.index),
                     f"A{mode.index + 1}"):
            assert tables.parse_mode(text) is mode
    for text in ("", "8", "A0", "A9", "two copies", "01"):
        assert tables.parse_mode(text) is None
