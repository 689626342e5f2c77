# SPDX-License-Identifier: GPL-2.0-only
"""The files that report writes for given data: report.md of the published set, and digests (goldens.py).

Those of the first version are what the program in C wrote before this package replaced it. gnuplot is a script here
whose pictures depend on what it reads; one test draws with the real one.
"""
from __future__ import annotations

import copy
import json
import os
import pathlib
import shutil
import tarfile
import time
import xml.dom.minidom
from collections import Counter
from collections.abc import Callable
from typing import Any

import goldens
import pytest
from goldens import PUBLISHED, REPO

pytest.importorskip("jinja2")

import outputs

from analysis.report import plotter, stack_rules
from analysis.tables import MODES, PINS

FIXTURES = REPO / "tests/fixtures"
SET = PUBLISHED.parent
FOREIGN = sorted((FIXTURES / "foreign").glob("*.csv"))
# Characters of one byte where they are shown: captions are broken by characters.
HOSTILE = "<script>&\"'`|*_[x](y)\\ %$#{}~^\n\u202e\x1b =1+1"

Documents = list[dict[str, Any]]
Report = Callable[..., dict[str, bytes]]


@pytest.fixture
def report(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """report(*arguments, NAME=file or directory): the files of the report, which have a digest."""
    (tmp_path / "bin").mkdir()
    outputs.fake_gnuplot(str(tmp_path / "bin"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)

    def report(name: str, *arguments: str, inputs: dict[str, pathlib.Path], code: int = 0) -> dict[str, bytes]:
        for path, source in inputs.items():
            (tmp_path / path).symlink_to(source)
        done = outputs.report(*arguments)
        assert done.code == code, done.err
        goldens.check_digest(f"report {name}", done.all())
        return done.files

    return report


def documents(most: int | None = None) -> Documents:
    """Those of the published set."""
    with tarfile.open(PUBLISHED) as tar:
        members = [m for m in tar.getmembers() if m.isfile()][:most]
        return [json.load(tar.extractfile(m)) for m in members]  # type: ignore[arg-type]


def results(directory: pathlib.Path, all_documents: Documents) -> pathlib.Path:
    """A results directory with them."""
    (directory / "cells").mkdir(parents=True)
    for i, document in enumerate(all_documents):
        (directory / f"cells/{i:02}.json").write_text(json.dumps(document))
    return directory


def test_published_set(report: Report, tmp_path: pathlib.Path) -> None:
    files = report("the published set", "results", inputs={"results": results(tmp_path / "r", documents())})
    goldens.check("report.md", files["results/report/report.md"].decode())
    assert {"results/report/data/copies.csv", "results/report/diagram-flame-difference.svg"} <= files.keys()


def test_a_title_names_a_directory_without_the_slashes_at_its_end(tmp_path: pathlib.Path) -> None:
    results(tmp_path / "r", documents(1))
    assert outputs.report("-o", "out", f"{tmp_path}/r//").files["out/report.md"].startswith(b"# netiotrace report: r\n")


def test_files_of_the_published_set(report: Report) -> None:
    report("results.csv", "results.csv", inputs={"results.csv": FIXTURES / "results-13-columns.csv"})
    assert report("sweep.json", "sweep.json", inputs={"sweep.json": SET / "sweep.json"}, code=1) == {}


@pytest.mark.parametrize("arguments", [(), ("--duration", "5s"), ("-q", "-o", "a b", "--modes", "0=onecopy,1=twocopy")],
                         ids=" ".join)
def test_published_csv_file_of_another_tool(report: Report, arguments: tuple[str, ...]) -> None:
    assert report(f"p.csv {' '.join(arguments)}", *arguments, "p.csv",
                  inputs={"p.csv": FIXTURES / "pa02-mt25014-results.csv"})


@pytest.mark.parametrize("file", FOREIGN, ids=lambda file: file.stem)
def test_foreign_csv(report: Report, file: pathlib.Path) -> None:
    report(file.name, "f.csv", inputs={"f.csv": file}, code=1 if file.stem == "three-files-latency" else 0)


def test_explained_columns_and_three_files_of_one_experiment(report: Report) -> None:
    three = {f"{name}.csv": FIXTURES / f"foreign/three-files-{name}.csv" for name in ("throughput", "latency", "perf")}
    assert report("three files", "-o", "out", *three, inputs=three)
    assert report("explained columns", "--explain", *three, inputs={}) == {}
    assert report("a wrong column", "--column", "Size=nothing", "perf.csv", inputs={}, code=2) == {}


def _hostile(run: dict[str, Any], document: dict[str, Any]) -> None:
    environment = document["environment"]
    environment.update(cpu=HOSTILE * 9, kernel=HOSTILE, device=HOSTILE, path=HOSTILE)
    run["verdict"]["text"] = HOSTILE


def _timed(run: dict[str, Any], _: dict[str, Any]) -> None:
    """Times of stages and of the parts of a send call, by their documented names."""
    zero, n = run["mode"] == "zerocopy", run["app"]["tx_messages"]
    for i, stage in enumerate(("tx_copy", "rx_copy", "deferred_copy")):
        low = 500 << i
        if zero != (stage == "tx_copy"):
            buckets = [[low, low * 2 - 1, 80], [low * 2, low * 4 - 1, 20], [low * 9, None, 1]]
            run["ledger"][stage].update(ns=low * 100, ns_buckets=buckets)
    run["path_ns"].update(send_total=9999 * n, lock=101 * n, copy=3001 * n, transmit=2999 * n, release=203 * n)


def _counted(run: dict[str, Any], _: dict[str, Any]) -> None:
    for i, side in enumerate(("sender", "receiver")):
        for j, name in enumerate(("cycles", "instructions", "l1d_misses", "llc_misses", "llc_references")):
            run["perf"][side][name] = {"value": 10 ** (9 - j) + 1000 * i + 7 * run["app"]["tx_messages"]}


def _other_modes(run: dict[str, Any], _: dict[str, Any]) -> None:
    """Without two-copy there is nothing to be relative to."""
    run["mode"] = {"twocopy": "uring", "onecopy": "ktls", "zerocopy": "uringzc"}[run["mode"]]


def _many_sizes(run: dict[str, Any], _: dict[str, Any]) -> None:
    run["size"] *= 3 ** (run["app"]["tx_bytes"] % 5) + 1


def _interrupted(run: dict[str, Any], document: dict[str, Any]) -> None:
    run["interrupted"] = True
    document["environment"]["receiver"] = {"host": "r", "kernel": "6.1", "device": "eth0"}
    document["environment"]["host"] = "s"


@pytest.mark.parametrize("change", [_hostile, _timed, _counted, _other_modes, _many_sizes, _interrupted])
def test_changed_documents(report: Report, tmp_path: pathlib.Path,
                           change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    changed = documents(18)
    for document in changed:
        for run in document["runs"]:
            change(run, document)
    directory = results(tmp_path / "r", changed)
    failure = {"schema": "netiotrace.failure/1", "mode": "onecopy", "size": 4096, "threads": 1, "round": 1,
               "exit_code": 1, "reason": "died of <old> | age"}
    (directory / "cells/x.failed.json").write_text(json.dumps(failure))
    report(f"changed{change.__name__}", "results", inputs={"results": directory})


def test_a_report_for_each_congestion_control(report: Report, tmp_path: pathlib.Path) -> None:
    changed = documents(4)
    for name in ("cubic", "bbr/2"):
        for document in copy.deepcopy(changed[:4]):
            document["settings"] = {**document.get("settings", {}), "congestion": name}
            document["environment"]["congestion_control"] = name
            changed.append(document)
    files = report("congestion controls", "-o", "out", "results", inputs={"results": results(tmp_path / "r", changed)})
    assert {name.split("/")[0] for name in files} == {"out-bbr_2", "out-cubic", "out-reno"}


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_pictures_by_gnuplot(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("f.csv").symlink_to(FIXTURES / "foreign/min_two.csv")
    assert outputs.report("f.csv").files["f-report/throughput-size.png"].startswith(b"\x89PNG")


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_names_from_outside_are_text_in_pictures_by_gnuplot(tmp_path: pathlib.Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    changed = documents(6)
    text = f"`touch {tmp_path}/run` \"; system 'touch {tmp_path}/run'; x = \" <script>alert(1)</script> %s {{/=99 big}}"
    for document in changed:
        document["environment"].update(cpu=text, kernel=text, device=text, path=text)
    results(tmp_path / "results", changed)
    files = outputs.report("results").files
    svgs = {name: data.decode() for name, data in files.items() if name.endswith(".svg")}
    assert "results/report/throughput-size.svg" in svgs
    for svg in svgs.values():
        xml.dom.minidom.parseString(svg)
        assert "<script" not in svg
    assert "<script" not in files["results/report/report.html"].decode()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("gnuplot", ["", "exit 1", "[ \"$1\" = --version ] || exit 1", "exec sleep 60",
                                     "[ \"$1\" = --version ] || exec sleep 60"])
def test_without_gnuplot_a_report_has_its_answers_and_tables(tmp_path: pathlib.Path, gnuplot: str,
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    """None, one that fails, and one that never ends: which is waited for once."""
    (tmp_path / "bin").mkdir()
    if gnuplot:
        (tmp_path / "bin/gnuplot").write_text(f"#!/bin/sh\n{gnuplot}\n")
        (tmp_path / "bin/gnuplot").chmod(0o755)
    monkeypatch.setattr(plotter, "TIME_MAX_S", 1)
    monkeypatch.setattr(plotter, "_ENVIRONMENT", {"PATH": "/usr/bin:/bin"})
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    results(tmp_path / "results", documents(18))
    begun = time.monotonic()
    done = outputs.report("results")
    assert time.monotonic() - begun < 20
    assert done.code == 0 and done.err.count(b"\n") == 1 and b"gnuplot" in done.err
    page = done.files["results/report/report.md"].decode()
    assert done.err.decode().strip().partition("no pictures: ")[2].partition(" ")[0] in page
    for words in ("| Fastest", "## The six questions", "## All cells"):
        assert words in page
    names = {name.rpartition("/")[2] for name in done.files}
    assert {"report.html", "cells.tex", "copies.csv", "copies.plot", "diagram-twocopy.svg"} <= names
    assert not any(name.endswith(".png") for name in names) and ".png" not in page


# ---- stacks, as several kernels have them

RECORDINGS = pytest.mark.parametrize("recording", sorted((FIXTURES / "stacks").glob("*.folded")), ids=lambda f: f.stem)


@RECORDINGS
def test_classes_and_parts_of_recorded_stacks(recording: pathlib.Path) -> None:
    stacks = [line.split(";", 2)[2].rpartition(" ")[0] for line in recording.read_text().splitlines()]
    parts = [part.key if part else "none" for part in map(stack_rules.call_part, stacks)]
    classes = [(stack_rules.user_class(s[1:], True) if s[0] == "[" else stack_rules.stack_class(s.split(";")[::-1])).key
               for s in stacks]
    goldens.check_digest(f"parts of {recording.name}", " ".join(parts).encode())
    goldens.check_digest(f"classes of {recording.name}", " ".join(classes).encode())


@RECORDINGS
def test_each_mode_transmits_runs_the_peers_receive_work_and_copies_or_pins(recording: pathlib.Path) -> None:
    """Of the sender's samples on loopback."""
    samples: dict[str, Counter[str]] = {mode.name: Counter() for mode in MODES[:3]}
    for line in recording.read_text().splitlines():
        name, owner, rest = line.split(";", 2)
        if owner == "sender":
            frames, _, count = rest.rpartition(" ")
            part = stack_rules.call_part(frames)
            samples[name][part.key if part else "none"] += int(count)
    for mode in MODES[:3]:
        parts, pins = samples[mode.name], mode.has(PINS)
        assert parts["none"] * 2 < sum(parts.values())
        assert parts["transmit"] and parts["inline_receive"]
        assert bool(parts["pin"]) == pins
        assert (parts["copy"] * 50 > sum(parts.values())) is not pins
