# SPDX-License-Identifier: GPL-2.0-only
"""analysis/ and the C program make the same report: every file, every message and every exit code are equal.

NETIOTRACE: the C program, otherwise the one at the root of the tree. gnuplot is a script here whose pictures depend on
what it reads, so that equal pictures mean equal input; one test draws with the real one.
"""

from __future__ import annotations

import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipapp
from collections.abc import Callable, Iterator
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETIOTRACE = os.environ.get("NETIOTRACE", str(ROOT / "netiotrace"))
FIXTURES = ROOT / "tests/fixtures"
PUBLISHED = FIXTURES / "pa02-mt25014-results.csv"
SET = ROOT / "docs/results/2026-11-linux-6.18-vm"
FOREIGN = sorted((FIXTURES / "foreign").glob("*.csv"))
THREE = [FIXTURES / f"foreign/three-files-{name}.csv" for name in ("throughput", "latency", "perf")]
# Characters of one byte where they are shown: the C program breaks lines of captions by bytes, analysis/ by characters.
HOSTILE = "<script>&\"'`|*_[x](y)\\ %$#{}~^\n\u202e\x1b =1+1"

GNUPLOT = """#!/bin/sh
[ "$1" = --version ] && { echo 'gnuplot 5.4'; exit; }
printf '<?xml version="1.0"?>\\n<svg id="a" x="url(#b)">%s</svg>\\n' "$(cksum)"
"""

Documents = list[dict[str, Any]]

pytestmark = pytest.mark.skipif(not os.access(NETIOTRACE, os.X_OK), reason="the C program is not built")
pytest.importorskip("jinja2")


@pytest.fixture(scope="session")
def work() -> Iterator[pathlib.Path]:
    """A directory that every user can enter: as root, both programs run gnuplot as another user."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield pathlib.Path(name)


@pytest.fixture(scope="session")
def archive(work: pathlib.Path) -> str:
    """The package as one file, without this tree beside it."""
    source = work / "source"
    shutil.copytree(ROOT / "analysis", source / "analysis", ignore=shutil.ignore_patterns("__pycache__"))
    (source / "__main__.py").write_text("import sys\nfrom analysis.__main__ import main\nsys.exit(main())\n")
    zipapp.create_archive(source, work / "analysis.pyz")
    return str(work / "analysis.pyz")


@pytest.fixture(scope="session")
def fake_gnuplot(work: pathlib.Path) -> str:
    """A PATH with it."""
    directory = work / "bin"
    directory.mkdir()
    (directory / "gnuplot").write_text(GNUPLOT)
    (directory / "gnuplot").chmod(0o755)
    return f"{directory}:{os.environ['PATH']}"


def files_of(directory: pathlib.Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in sorted(directory.rglob("*")) if p.is_file()}


@pytest.fixture
def compare(work: pathlib.Path, archive: str, fake_gnuplot: str) -> Iterator[Callable[..., dict[str, bytes]]]:
    """compare(*arguments, inputs={NAME: file or directory}): the files that both made, in equal directories."""
    made: list[pathlib.Path] = []

    def compare(
        *arguments: str, inputs: dict[str, pathlib.Path] | None = None, path: str = fake_gnuplot, code: int = 0
    ) -> dict[str, bytes]:
        begun = []
        for program in ([NETIOTRACE], [sys.executable, "-I", archive]):
            cwd = pathlib.Path(tempfile.mkdtemp(dir=work))
            made.append(cwd)
            cwd.chmod(0o755)
            for name, source in (inputs or {}).items():
                (shutil.copytree if source.is_dir() else shutil.copy)(source, cwd / name)
            command = [*program, "report", *arguments]
            pipe = subprocess.PIPE
            begun.append(
                (cwd, subprocess.Popen(command, cwd=cwd, env={**os.environ, "PATH": path}, stdout=pipe, stderr=pipe))
            )
        ended = [(*process.communicate(), process.returncode) for _, process in begun]
        assert ended[1] == ended[0]
        assert ended[0][2] == code, ended[0]
        c, python = (files_of(cwd) for cwd, _ in begun)
        assert python.keys() == c.keys()
        assert [name for name in c if python[name] != c[name]] == []
        return python

    yield compare
    for directory in made:
        shutil.rmtree(directory, ignore_errors=True)


def documents(most: int | None = None) -> Documents:
    """Those of the published set."""
    with tarfile.open(SET / "cells.tar.xz") as tar:
        members = [m for m in tar.getmembers() if m.isfile()][:most]
        return [json.load(tar.extractfile(m)) for m in members]  # type: ignore[arg-type]


def results(directory: pathlib.Path, all_documents: Documents) -> pathlib.Path:
    """A results directory with them."""
    (directory / "cells").mkdir(parents=True)
    for i, document in enumerate(all_documents):
        (directory / f"cells/{i}.json").write_text(json.dumps(document))
    return directory


def test_published_set(compare: Callable[..., dict[str, bytes]], tmp_path: pathlib.Path) -> None:
    files = compare("results", inputs={"results": results(tmp_path / "r", documents())})
    assert "results/report/data/copies.csv" in files
    assert "results/report/diagram-flame-difference.svg" in files
    assert b"](../)" in files["results/report/report.md"]


@pytest.mark.parametrize("name", ["results.csv", "sweep.json"])
def test_files_of_the_published_set(compare: Callable[..., dict[str, bytes]], name: str) -> None:
    compare(name, inputs={name: SET / name}, code=0 if name == "results.csv" else 1)


@pytest.mark.parametrize("arguments", [[], ["--duration", "5s"], ["-q", "-o", "a b", "--modes", "0=onecopy,1=twocopy"]])
def test_published_csv(compare: Callable[..., dict[str, bytes]], arguments: list[str]) -> None:
    assert compare(*arguments, "p.csv", inputs={"p.csv": PUBLISHED})


@pytest.mark.parametrize("file", FOREIGN, ids=lambda file: file.stem)
def test_foreign_csv(compare: Callable[..., dict[str, bytes]], file: pathlib.Path) -> None:
    compare("f.csv", inputs={"f.csv": file}, code=1 if file.stem == "three-files-latency" else 0)


def test_three_files_of_one_experiment(compare: Callable[..., dict[str, bytes]]) -> None:
    compare("-o", "out", *(f.name for f in THREE), inputs={f.name: f for f in THREE})


def test_run_of_this_machine(compare: Callable[..., dict[str, bytes]], tmp_path: pathlib.Path) -> None:
    """With the backend that this user and kernel have."""
    backend = ["--backend", "none"] if os.geteuid() else []
    command = [NETIOTRACE, "--mode", "zerocopy", "--size", "64k", "--duration", "50ms", "--warmup", "10ms", "-q"]
    subprocess.run([*command, *backend, "--json", str(tmp_path / "run.json")], check=True)
    compare("run.json", inputs={"run.json": tmp_path / "run.json"})


def test_sweep_of_this_machine(compare: Callable[..., dict[str, bytes]], tmp_path: pathlib.Path) -> None:
    backend = ["--backend", "none"] if os.geteuid() else []
    command = [NETIOTRACE, "sweep", "--modes", "twocopy,zerocopy", "--sizes", "64k", "--threads", "1,2"]
    few = ["--duration", "100ms", "--warmup", "10ms", "--rounds", "2", "--path", "loopback", "-q"]
    subprocess.run([*command, *few, *backend, "-o", str(tmp_path / "sweep")], check=True, capture_output=True)
    compare("sweep", inputs={"sweep": tmp_path / "sweep"})


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
            run["ledger"][stage]["ns"] = low * 100
            run["ledger"][stage]["ns_buckets"] = [
                [low, low * 2 - 1, 80],
                [low * 2, low * 4 - 1, 20],
                [low * 9, None, 1],
            ]
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
def test_changed_documents(
    compare: Callable[..., dict[str, bytes]],
    tmp_path: pathlib.Path,
    change: Callable[[dict[str, Any], dict[str, Any]], None],
) -> None:
    changed = documents(18)
    for document in changed:
        for run in document["runs"]:
            change(run, document)
    directory = results(tmp_path / "r", changed)
    failure = {"schema": "netiotrace.failure/1", "mode": "onecopy", "size": 4096, "threads": 1, "round": 1}
    failure.update(exit_code=1, reason="died of <old> | age")  # type: ignore[arg-type]
    (directory / "cells/x.failed.json").write_text(json.dumps(failure))
    compare("results", inputs={"results": directory})


def test_report_for_each_congestion_control(compare: Callable[..., dict[str, bytes]], tmp_path: pathlib.Path) -> None:
    changed = documents(4)
    for name in ("cubic", "bbr/2"):
        for document in copy.deepcopy(changed[:4]):
            document["settings"] = {**document.get("settings", {}), "congestion": name}
            document["environment"]["congestion_control"] = name
            changed.append(document)
    files = compare("-o", "out", "results", inputs={"results": results(tmp_path / "r", changed)})
    assert {name.split("/")[0] for name in files} == {"results", "out-bbr_2", "out-cubic", "out-reno"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["no-such.csv"], 1),
        (["--column", "Size=nothing", "p.csv"], 2),
        (["-o", "dir", "p.csv"], 2),  # a file that no report leaves is there
        (["-o", "no/such/place", "p.csv"], 2),
        (["-o", ".", "p.csv"], 2),
        (["-o", "p.csv", "p.csv"], 2),
        (["--duration", "0", "p.csv"], 2),
        (["--output", "", "p.csv"], 2),
        (["--explain", "p.csv"], 0),
        ([], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_refusals(
    compare: Callable[..., dict[str, bytes]], tmp_path: pathlib.Path, arguments: list[str], code: int
) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir/letter").write_text("not ours")
    compare(*arguments, inputs={"p.csv": PUBLISHED, "dir": tmp_path / "dir"}, code=code)


def test_no_gnuplot(compare: Callable[..., dict[str, bytes]], tmp_path: pathlib.Path) -> None:
    compare("r", inputs={"r": results(tmp_path / "r", documents(3))}, path=str(tmp_path), code=1)


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_pictures_by_gnuplot(compare: Callable[..., dict[str, bytes]]) -> None:
    files = compare("f.csv", inputs={"f.csv": FIXTURES / "foreign/min_two.csv"}, path=os.environ["PATH"])
    assert files["f-report/throughput-size.png"].startswith(b"\x89PNG")


@pytest.mark.parametrize("recording", sorted((FIXTURES / "stacks").glob("*.folded")), ids=lambda file: file.stem)
def test_classes_and_parts_of_recorded_stacks(recording: pathlib.Path) -> None:
    from analysis.report import stack_rules

    program = ROOT / "build/tests/e2e/classify_stacks"
    if not os.access(program, os.X_OK):
        pytest.skip("the test programs are not built")
    stacks = [line.split(";", 2)[2].rpartition(" ")[0] for line in recording.read_text().splitlines()]
    given = "".join(f"sender;{frames} 1\n" for frames in stacks)
    for arguments in (["twocopy"], ["zerocopy", "parts"]):
        output = subprocess.run(
            [program, *arguments], input=given, stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        expected = [line.split()[1] for line in output.splitlines()]
        if len(arguments) > 1:
            parts = map(stack_rules.call_part, stacks)
            assert [part.key if part else "none" for part in parts] == expected
        else:
            assert [
                (
                    stack_rules.user_class(s[1:], True) if s[0] == "[" else stack_rules.stack_class(s.split(";")[::-1])
                ).key
                for s in stacks
            ] == expected
