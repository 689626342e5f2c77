# SPDX-License-Identifier: GPL-2.0-only
"""The package and the C program give the same bytes and exit statuses on the same results."""
from __future__ import annotations

import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import zipapp
from collections.abc import Callable
from typing import Any

import pytest
from both import c_program, check_equal, NETIOTRACE, package, REPO

from analysis import metric

pytestmark = pytest.mark.skipif(not os.access(NETIOTRACE, os.X_OK), reason="netiotrace is not built")

FOREIGN = [*sorted((REPO / "tests/fixtures/foreign").glob("*.csv")), REPO / "tests/fixtures/pa02-mt25014-results.csv"]
EVERY_METRIC = [m.name for m in metric.ALL if m.name]


def check_all_forms(*args: str | os.PathLike[str]) -> int:
    """As a document, and as text with a gate; returns the exit status of the latter."""
    check_equal("compare", "--json", "-", *args)
    return check_equal("compare", "--all", "--fail-on-regression", "5%", *args)[0]


def test_the_published_set_with_itself_and_its_csv_file(published: pathlib.Path) -> None:
    results = next((REPO / "docs/results").glob("*/results.csv"))
    assert check_all_forms(published, published) == 0
    assert check_all_forms(results, results) == 0
    check_all_forms(published, results)
    check_equal("compare", results, published)
    cells = sorted((published / "cells").iterdir())
    assert check_all_forms(cells[0], cells[1]) == 1


@pytest.mark.parametrize("path", FOREIGN, ids=lambda path: path.name)
def test_files_of_other_tools(path: pathlib.Path) -> None:
    check_all_forms(path, path)


def test_files_of_other_tools_with_each_other() -> None:
    for before, after in zip(FOREIGN[::3], FOREIGN[1::3]):
        check_equal("compare", "--all", "--json", "-", before, after)


@pytest.mark.parametrize("case", range(6))
def test_changed_copies_of_the_published_set(changed: Callable[..., pathlib.Path], case: int) -> None:
    before = changed("before", case, 1, 0.02)
    after = changed("after", 100 + case, 0.7 + 0.1 * (case % 6), 0.02 * (1 + case))
    check_all_forms(before, after)
    check_equal("compare", "--metrics", ",".join(EVERY_METRIC), "--all", "--json", "-", "--fail-on-regression", "0",
                before, after)


def edits() -> dict[str, Callable[[dict[str, Any], str], bool]]:
    """Ways in which results differ from those before."""

    def settings(**members: Any) -> Callable[[dict[str, Any], str], bool]:
        return lambda document, name: not document["settings"].update(members)

    def run(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any], str], bool]:
        def edit(document: dict[str, Any], name: str) -> bool:
            change(document["runs"][0])
            return True

        return edit

    def without_numbers(document: dict[str, Any], name: str) -> bool:
        if name.startswith("onecopy"):
            document["runs"][0]["app"].update(throughput_gbps=None, throughput_gbps_reason="why\u202e \u20ac" * 40)
        return True

    return {
        "other settings": settings(mtu=1500, fields=3), "other machine": settings(kernel="6.1"),
        "an old document": lambda document, name: not document.pop("settings"),
        "of the sender": run(lambda r: r["ledger"].update(copies_per_byte_side="sender")),
        "left out": run(lambda r: r["ledger"].update(copies_per_byte_excludes=["deferred_copy", "rx_copy"])),
        "from nothing": run(lambda r: r["ledger"].update(copies_per_byte=0)),
        "longer": run(lambda r: r.update(duration_s=9.5)),
        "no cell of a mode": lambda document, name: not name.startswith("zerocopy"),
        "one round": lambda document, name: name.endswith("r0.json") or name.startswith("twocopy"),
        "three rounds": lambda document, name: name[-6] in "012", "no throughput": without_numbers,
        "interrupted": run(lambda r: r.update(interrupted=True)),
        "another environment": lambda document, name: not document["environment"].update(
            host="\u00e9\U0001f600\u0085" * 40, memory=1e12, started="2026", cpus=2.5, offloads={"b": [True, 1]}),
        "no such congestion control": lambda document, name: not document["environment"].update(
            congestion_control="bbr" if name[-6] in "01" else "cubic"),
        "damaged": run(lambda r: r["app"].update(throughput_gbps="fast")),
        "below 0": run(lambda r: r["app"].update(throughput_gbps=-1)),
        "no size": run(lambda r: r.update(size=1.5)), "no run": lambda document, name: False}


@pytest.mark.parametrize("edit", edits().values(), ids=edits().keys())
def test_edited_copies_of_the_published_set(changed: Callable[..., pathlib.Path],
                                            edit: Callable[[dict[str, Any], str], bool]) -> None:
    before, after = changed("before", 6), changed("after", 7, 1, 0.01, edit)
    check_all_forms(before, after)
    check_all_forms(after, before)
    check_equal("compare", "--across", "mtu,fields", "--fail-on-regression", "1", before, after)
    check_equal("compare", "--congestion", "cubic", "--quiet", after, before)


def test_failed_runs_and_other_documents_beside_cells(changed: Callable[..., pathlib.Path]) -> None:
    published = changed("before", 2)
    after = changed("after", 3, 1, 0.01, lambda document, name: not name.startswith("onecopy-4096"))
    failure = {"schema": "netiotrace.failure/1", "mode": "onecopy", "size": 4096, "threads": 1, "reason": "x"}
    (after / "cells/onecopy.failed.json").write_text(json.dumps(failure))
    (after / "cells/.hidden.json").write_text("{")
    assert check_all_forms(published, after) == 1
    for cell in (after / "cells").iterdir():  # documents without cells/ are found too
        cell.rename(after / cell.name)
    (after / "other.json").write_text('{"schema": "other/1"}')
    check_all_forms(published, after)
    (after / "copy.json").write_text((after / "twocopy-4096-t1-r0.json").read_text())
    assert check_equal("compare", published, after)[0] == 1


def rows(rng: random.Random, factor: float, noise: float, rounds: int) -> str:
    """A CSV file of three modes with CPU times, costs, and a round that is slower as a whole."""
    text = "mode,size,threads,round,app_throughput_gbps,app_cpu_s_sender,app_cpu_s_receiver,app_rx_bytes,"
    text += "cpu_softirq_ns_per_kib,cpu_softirq_ns_per_kib_at_most,environment_kernel\n"
    modes, sizes = ("twocopy", "onecopy", "zerocopy"), (1000, 4096, 65536)
    for mode, size, n, r in itertools.product(modes, sizes, (1, 4), range(rounds)):
        g = size / 4096 * rng.gauss(1, noise) * (factor if size == 4096 and mode != "twocopy" else 1) / (1 + (r == 2))
        text += f"{mode},{size},{n},{r},{g:.6f},{1 / g:.5f},{rng.random():.3f},1e9,{rng.random():.3g},2,6.1\n"
    return text


@pytest.mark.parametrize("case", range(12))
def test_rows_with_noise(tmp_path: pathlib.Path, case: int) -> None:
    rng = random.Random(case)
    for name, factor in (("before.csv", 1), ("after.csv", 1 - case / 50)):
        (tmp_path / name).write_text(rows(rng, factor, 0.01 * (1 + case % 5), (1, 2, 5, 7, 12, 21)[case % 6]))
    check_all_forms(tmp_path / "before.csv", tmp_path / "after.csv")


def test_the_metrics_are_those_of_the_help() -> None:
    listed = c_program("compare", "--help")[1].decode().split("Metrics:")[1].split(".")[0]
    assert listed.split() == EVERY_METRIC


@pytest.mark.parametrize("args", [
    (), ("x",), ("x", "y", "z"), ("x", "y", "--fail-on-regression", "-1"), ("x", "y", "--fail-on-regression=nan"),
    ("x", "y", "--fail-on-regression", "1001"), ("x", "y", "--metrics", "speed"), ("x", "y", "--metrics", ""),
    ("x", "y", "--json", "/nowhere/x"), ("x", "y", "--column", "=a")], ids=" ".join)
def test_wrong_command_lines(args: tuple[str, ...]) -> None:
    assert check_equal("compare", *args)[0] == 2


def test_an_unknown_option_has_the_exit_status_of_a_wrong_one() -> None:
    for option in ("--nothing", "--json", "--all=x", "-x"):
        assert package("compare", "x", "y", option)[0] == c_program("compare", "x", "y", option)[0] == 2


@pytest.mark.parametrize("text", [
    "", "{", "[1]", "{}", '{"schema": "something/else"}', '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": "\\ud800"}',
    '{"schema": "netiotrace.result/1"}', '{"a": 99999999999999999999}', '{"a": "\\u0000"}', '{"a": 1e999}',
    '{"schema": "netiotrace.result/1", "runs": [{}]}'])
def test_files_that_are_no_results(tmp_path: pathlib.Path, text: str) -> None:
    for name in ("x.json", "x.csv"):
        path = tmp_path / name
        path.write_text(text)
        code, out, err = package("compare", str(path), str(path))
        expected = c_program("compare", str(path), str(path))
        assert (code, out) == expected[:2] == (1, b"")
        if b"not JSON, or truncated" in expected[2]:  # in the words of another parser
            assert err.startswith(f"netiotrace: {path}: not JSON, or truncated (line 1: ".encode())
        else:
            assert err == expected[2]


@pytest.mark.parametrize("options", [
    ("--column", "speed=throughput"), ("--column", "speed=bogus"), ("--columns", "size=n"), ("--rounds-from-repeats",),
    ("--modes", "x=onecopy,y=twocopy"), ("--congestion", "c")], ids=" ".join)
def test_options_on_csv_files(tmp_path: pathlib.Path, options: tuple[str, ...]) -> None:
    text = "mode,size,threads,speed\nx,4096,1,2\nx,4096,1,3\ny,4096,1,1\ny,4096,1,2\n"
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "b.csv").write_text(text.replace("x", "onecopy").replace("y", "twocopy"))
    for name in ("a.csv", "b.csv"):
        check_equal("compare", *options, tmp_path / name, tmp_path / name)
        check_equal("compare", *options, "--column=speed=throughput_gbps", "--rounds-from-repeats", "--all",
                    tmp_path / name, tmp_path / name)


def test_a_zipapp_in_isolated_mode(tmp_path: pathlib.Path) -> None:
    """As the binary is to start it: no module of the working directory or the environment is found."""
    app = tmp_path / "analysis.pyz"
    shutil.copytree(REPO / "analysis", tmp_path / "app/analysis", ignore=shutil.ignore_patterns("__pycache__"))
    zipapp.create_archive(tmp_path / "app", app, main="analysis.__main__:run")
    (tmp_path / "json.py").write_text("raise SystemExit(99)")
    args = ["compare", "--all", str(FOREIGN[-1]), str(FOREIGN[-1])]
    done = subprocess.run([sys.executable, "-I", str(app), *args], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == c_program(*args)
    with open("/dev/full", "wb") as full:
        failed = subprocess.run([sys.executable, "-I", str(app), *args], stdout=full, stderr=subprocess.PIPE,
                                check=False)
    assert failed.returncode == 1
    assert failed.stderr.endswith(b"netiotrace: cannot write to stdout: No space left on device.\n")
