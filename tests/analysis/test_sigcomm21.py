# SPDX-License-Identifier: GPL-2.0-only
"""sweep --preset sigcomm21: which row of the published table the settings match, and its figures."""
from __future__ import annotations

import json
import math
import pathlib
from typing import Any

import pytest

from analysis import command_line, documents, metric, sigcomm21, tables
from analysis.dataset import Dataset, Row


def environment(sender: tuple[Any, Any, Any], receiver: tuple[Any, Any, Any]) -> dict[str, Any]:
    """TSO, MTU and aRFS of the sender; GRO, MTU and aRFS of the receiver."""
    tso, mtu, arfs = sender
    gro, receiver_mtu, receiver_arfs = receiver
    return {
        "device": "eth0", "driver": "mlx5_core", "mtu": mtu, "arfs": arfs,
        "offloads": {"tso": tso, "gso": True, "gro": True},
        "receiver": {"device": "a b", "gro": gro, "mtu": receiver_mtu, "arfs": receiver_arfs,
                     "arfs_reason": "not read there"}}


@pytest.mark.parametrize(("row", "sender", "receiver"), [
    ("none", (False, 1500, False), (False, 1500, False)),
    ("TSO/GRO", (True, 1500, False), (True, 1500, False)),
    ("+ jumbo", (True, 9000, False), (True, 9000, False)),
    ("+ aRFS", (True, 9000, True), (True, 9000, True)),
    # Between two rows.
    (None, (True, 1500, False), (False, 1500, False)),
    (None, (False, 1500, False), (True, 1500, False)),
    (None, (True, 9000, False), (True, 1500, False)),
    (None, (True, 8900, False), (True, 8900, False)),
    (None, (True, 9000, True), (True, 9000, False)),
    (None, (True, 1500, True), (True, 1500, True)),
    (None, (False, 9000, False), (False, 9000, False)),
    # Unknown is neither on nor off, and a number is no switch.
    (None, (False, 1500, False), (None, 1500, False)),
    (None, (True, 9000, False), (True, 9000, None)),
    (None, (True, None, False), (True, 1500, False)),
    (None, (0, 1500, 0), (0, 1500, 0)),
    (None, (False, 1500.0, False), (False, 1500.0, False)),
])
def test_settings_of_both_devices_decide_the_row(
        row: str | None, sender: tuple[Any, Any, Any], receiver: tuple[Any, Any, Any]) -> None:
    found = sigcomm21.find_row(environment(sender, receiver))
    assert (found.name if found else None) == row


def test_nothing_is_known_of_the_settings() -> None:
    assert sigcomm21.find_row({}) is None


def dataset(settings: dict[str, Any]) -> Dataset:
    """Three rounds of 15, 20 and 25 Gbit/s for 2 s: the sender used 1 s of CPU time, the receiver 2.4 s.

    A third of the receiver's time is copying. A third as much again is softirq work on top of other tasks.
    """
    d = Dataset(environment=settings)
    for number, gbps in enumerate((15, 20, 25)):
        row = Row(tables.ONECOPY, 131072, 1, number)
        for m, value in ((metric.DURATION, 2), (metric.GBPS, gbps), (metric.CPU_SENDER, 1), (metric.CPU_RECEIVER, 2.4)):
            row.values[m.index] = float(value)
        d.rows.append(row)
    documents.finish(d)
    for row in d.rows:
        ns = row[metric.CPU_R_NS_PER_KIB]
        for c in tables.CPU_CLASSES:
            row.values[metric.class_(1, c).index] = {"rx_copy": ns / 3, "user": ns * 2 / 3}.get(c.key, 0.0)
            row.values[metric.elsewhere(0, c).index] = 0.0
            row.values[metric.elsewhere(1, c).index] = ns / 3 if c.key == "netdev" else 0.0
    d.reason[metric.class_(0, next(c for c in tables.CPU_CLASSES if c.key == "tx_copy"))] = "no samples here"
    return d


def test_figures_are_medians_of_the_rounds() -> None:
    """20 Gbit/s by 1.6 busy CPUs of the receiver, of which 0.4 are softirq work on top of other tasks."""
    m = sigcomm21.measured(dataset({}))
    assert (m.gbps, m.per_core) == pytest.approx((20, 12.5))
    assert m.cpu == pytest.approx((50, 160))
    assert math.isnan(m.copy[0])
    assert m.copy[1] == pytest.approx(25)


def test_figures_are_beside_the_row() -> None:
    text = sigcomm21.text_of(dataset(environment((True, 9000, False), (True, 9000, False))), 100)
    assert ("+ jumbo  published    32.5      27.6      67      114    36.8     44.5\n"
            "         here         20.0      12.5      50      160     n/a     25.0\n") in text
    assert "rest               n/a     50.0\n" in text
    assert "netdev             n/a     25.0\n" in text
    assert "the sender's classes: no samples here" in text
    assert "the row '+ jumbo'." in text


def test_commands_for_the_other_rows() -> None:
    text = sigcomm21.text_of(dataset(environment((True, 9000, False), (True, 9000, False))), 100)
    # A name of another machine is quoted; ntuple is off already.
    assert "  none     receiver  ip link set 'a b' mtu 1500; ethtool -K 'a b' tso off gro off\n" in text
    assert "  + aRFS   sender    ip link set eth0 mtu 9000; ethtool -K eth0 tso on gro on ntuple on\n" in text
    assert "/sys/class/net/eth0/queues/rx-*/rps_flow_cnt\n" in text
    assert "+ jumbo  sender" not in text


def test_settings_that_change_during_the_sweep_match_no_row() -> None:
    d = Dataset(environment=environment((True, 9000, True), (True, 9000, None)), environment_varies=True)
    text = sigcomm21.text_of(d, 100)
    assert "no row   here          n/a       n/a     n/a      n/a     n/a      n/a\n" in text
    assert "receiver's aRFS n/a (not read there)" in text
    assert "tso off gro off ntuple off\n" in text


def test_hostile_words_of_another_machine_stay_text() -> None:
    settings = environment((True, 9000, False), (True, 9000, False))
    settings["device"] = "$(id)\n`id`'\x1b[2J\u202e"
    settings["kernel"] = settings["receiver"]["driver"] = "\x1b[2J"
    settings["receiver"]["device"] = ["eth0"]
    text = sigcomm21.text_of(dataset(settings), 100)
    assert not any(c in text for c in "\x1b\u202e")
    assert "ip link set '$(id)" in text
    assert "receiver  n/a: its device is not known\n" in text


def test_command_reads_the_results_of_a_sweep(
        published: pathlib.Path, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert sigcomm21.main(["--width=100", str(published)]) == command_line.EXIT_DONE
    text = capfd.readouterr().out
    assert text.startswith("\nsigcomm21: beside ")
    assert text.count(" published  ") == 4 and text.count(" here  ") == 1
    (tmp_path / "one.json").write_text(json.dumps({"schema": "other"}))
    assert sigcomm21.main(["--width=100", str(tmp_path)]) == command_line.EXIT_RUN_FAILED
    out, err = capfd.readouterr()
    assert out == "" and err == f"{tmp_path}: no result documents (cells/*.json) are in this directory.\n"
