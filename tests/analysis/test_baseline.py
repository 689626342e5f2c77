# SPDX-License-Identifier: GPL-2.0-only
"""attach --baseline: the results of a sweep become claims on zero-copy, by size."""
from __future__ import annotations

import math
import pathlib

import pytest

from analysis import baseline, command_line

HEADER = ("mode,size,threads,round,app_throughput_gbps,app_cpu_s_sender,ledger_copies_per_byte,"
          "app_rx_bytes,app_cpu_s_receiver,cpu_softirq_ns_per_kib,cpu_softirq_ns_per_kib_at_most\n")
OFF = (0, 0.5, -0.5, 0.25, -0.25, 0.1, -0.1)
Cells = list[tuple[str, int, int, float]]


def write(path: pathlib.Path, cells: Cells) -> str:
    """Seven rounds of each cell: mode, size, threads, and seconds of CPU time of the sender for a gigabyte."""
    rows = "".join(f"{mode},{size},{threads},{r},20,{cpu + 0.001 * off},1,1e9,0,0,0\n"
                   for mode, size, threads, cpu in cells for r, off in enumerate(OFF))
    path.write_text(HEADER + rows)
    return str(path)


def points(text: str) -> list[tuple[int, int, float]]:
    """As attach reads them (user/attach/baseline.c)."""
    return [(int(size), int(order), float(change)) for size, order, change in map(str.split, text.splitlines())]


def test_sweep_results_become_claims_by_size(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "x.csv", [
        ("onecopy", 1024, 1, 0.3), ("zerocopy", 1024, 1, 0.6),
        ("onecopy", 65536, 1, 0.3), ("zerocopy", 65536, 1, 0.3),
        ("onecopy", 1 << 20, 1, 0.3), ("zerocopy", 1 << 20, 1, 0.2),
        # Thread counts that disagree claim nothing.
        ("onecopy", 2 << 20, 1, 0.3), ("zerocopy", 2 << 20, 1, 0.2),
        ("onecopy", 2 << 20, 2, 0.3), ("zerocopy", 2 << 20, 2, 0.6),
        # Of those that agree, the smaller difference.
        ("onecopy", 4 << 20, 1, 0.3), ("zerocopy", 4 << 20, 1, 0.15),
        ("onecopy", 4 << 20, 2, 0.3), ("zerocopy", 4 << 20, 2, 0.2)])
    assert baseline.main([path]) == command_line.EXIT_DONE
    out, err = capfd.readouterr()
    assert err == ""
    found = points(out)
    assert [size for size, _, _ in found] == [1024, 65536, 1 << 20, 2 << 20, 4 << 20]
    assert [order for _, order, _ in found] == [1, 0, -1, 0, -1]
    assert found[0][2] == pytest.approx(1, abs=0.1)
    assert math.isnan(found[1][2]) and math.isnan(found[3][2])
    assert found[4][2] == pytest.approx(-1 / 3, abs=0.02)


@pytest.mark.parametrize(("cells", "reason"), [
    ([], "there is a header, but no run."),
    ([("onecopy", 1024, 1, 0.3)], "it has no runs of both zerocopy and onecopy."),
])
def test_other_results_are_refused_with_their_path(
        tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], cells: Cells, reason: str) -> None:
    path = write(tmp_path / "x.csv", cells)
    assert baseline.main([path]) == command_line.EXIT_RUN_FAILED
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(path) and err.endswith(reason + "\n") and err.count("\n") == 1


def test_missing_results_are_refused_with_their_path(capfd: pytest.CaptureFixture[str]) -> None:
    assert baseline.main(["/nothing/here"]) == command_line.EXIT_RUN_FAILED
    assert capfd.readouterr() == ("", "/nothing/here: No such file or directory.\n")
