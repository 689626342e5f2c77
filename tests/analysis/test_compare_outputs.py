# SPDX-License-Identifier: GPL-2.0-only
"""The bytes that compare prints for given data, as golden files; of most a digest (goldens.py).

Those of the first version are what the program in C printed before this package replaced it.
"""
from __future__ import annotations

import itertools
import json
import pathlib
import random
from collections.abc import Callable
from typing import Any

import goldens
import outputs
import pytest
from goldens import REPO
from reading import full_csv

from analysis import load, metric

FOREIGN = [*sorted((REPO / "tests/fixtures/foreign").glob("*.csv")), REPO / "tests/fixtures/pa02-mt25014-results.csv"]
RESULTS = REPO / "tests/fixtures/results-13-columns.csv"
EVERY_METRIC = ",".join(m.name for m in metric.ALL if m.name)

Edit = Callable[[dict[str, Any], str], bool]


@pytest.fixture(autouse=True)
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files are in messages: all are in the working directory."""
    monkeypatch.chdir(tmp_path)
    for path in (*FOREIGN, RESULTS):
        (tmp_path / path.name).symlink_to(path)


def check(name: str, *lines: tuple[str, ...]) -> list[int]:
    """Some command lines with one digest. Their exit statuses."""
    done = [outputs.compare(*line) for line in lines]
    goldens.check_digest(f"compare {name}", b"".join(output.all() for output in done))
    return [output.code for output in done]


def both_forms(before: str, after: str) -> list[tuple[str, ...]]:
    """As a document, and as text with a gate."""
    return [("--json", "-", before, after), ("--all", "--fail-on-regression", "5%", before, after)]


def test_text_and_document(changed: Callable[..., pathlib.Path]) -> None:
    """Whole texts: a copy of the published set with one slower mode, and a setting that differs."""

    def quiet(document: dict[str, Any], name: str) -> bool:
        document["environment"]["load_average"] = 0.2
        return True

    def slower(document: dict[str, Any], name: str) -> bool:
        document["environment"].update(mitigations="all", load_average=0.4)
        if name.startswith("zerocopy"):
            document["runs"][0]["app"]["throughput_gbps"] *= 0.5
        return not name.startswith("onecopy-65536")

    changed("before", 0, 1, 0.02, quiet)
    changed("after", 100, 1, 0.02, slower)
    text = outputs.compare("--fail-on-regression", "5", "before", "after")
    assert text.code == 5
    goldens.check("compare.txt", text.out.decode() + text.err.decode())
    document = outputs.compare("--metrics", "throughput_gbps", "--json", "-", "before", "after")
    assert (document.code, document.out, document.err) == (0, b"", b"")
    goldens.check("compare.json", document.files[""].decode())


def test_the_published_set_with_itself_and_its_csv_file(published: pathlib.Path) -> None:
    pathlib.Path("published").symlink_to(published)
    cells = sorted(f"published/cells/{cell.name}" for cell in (published / "cells").iterdir())
    pairs = [("published", "published"), (RESULTS.name, RESULTS.name), ("published", RESULTS.name),
             (RESULTS.name, "published"), (cells[0], cells[1])]
    codes = check("the published set", *(line for pair in pairs for line in both_forms(*pair)))
    assert codes[1] == codes[-1] == 1 and codes[3] == 0  # the published set was made under load


def test_several_sweeps_a_side(changed: Callable[..., pathlib.Path]) -> None:
    def slower(nr: int) -> Edit:
        def edit(document: dict[str, Any], name: str) -> bool:
            document["environment"]["started"] = f"2026-11-01T0{nr}:00:00Z"
            if nr % 2 and name.startswith("zerocopy"):
                document["runs"][0]["app"]["throughput_gbps"] *= 0.5
            return True

        return edit

    for nr, name in enumerate(("a1", "b1", "a2", "b2", "b,3")):
        changed(name, nr, 1 + 0.02 * nr, 0.02, slower(nr))
    text = outputs.compare("--fail-on-regression", "5", "a1,a2", "b1,b2")
    assert text.code == 5
    goldens.check("compare-sweeps.txt", text.out.decode() + text.err.decode())
    document = outputs.compare("--metrics", "throughput_gbps", "--fail-on-regression", "5", "--json", "-", "a1,a2",
                               "b1,b2")
    goldens.check("compare-sweeps.json", document.files[""].decode())
    assert outputs.compare("--fail-on-regression", "5", "a1,b1", "a2,b2").code == 1  # AABB
    assert outputs.compare("a1", "b,3").code == 0  # one path
    changed("other", 9, 1, 0.02, lambda document, name: not document["settings"].update(fields=3))
    for nr, members in enumerate(({}, {"other": 1}, {"other": 2})):
        changed(f"x{nr}", nr, 1, 0.02, lambda document, name, new=members: not document["settings"].update(new))
    for side, why in (("x0,x1,x2", "x1 and x2 differ in other"), ("a1,a1", "a1: it is a copy"),
                      ("a1,other", "a1 and other differ in fields"),
                      ("a1,none", "none: No such file"), ("a1,", ": No such file")):
        for line in ((side, "b1"), ("b1", side)):
            done = outputs.compare(*line)
            assert (done.code, done.out) == (1, b"") and done.err.decode().startswith(f"netiotrace: {why}"), done.err


def test_no_sweep_counts_twice(changed: Callable[..., pathlib.Path]) -> None:
    for nr, name in enumerate(("a1", "a2", "b1")):
        changed(name, nr, 1, 0.02)
    pathlib.Path("a.csv").write_text("mode,size,round,gbps\nonecopy,4096,0,10\nonecopy,4096,1,11\n")
    pathlib.Path("same.csv").write_bytes(pathlib.Path("a.csv").read_bytes())
    pathlib.Path("b.csv").write_text("mode,size,round,gbps\nonecopy,4096,0,10\nonecopy,4096,1,12\n")
    for line, name, of in ((("a1,a2", "a1,a2"), "a1", "a1"), (("a1,a2", "b1,a2"), "a2", "a2"),
                           (("a.csv,a.csv", "b.csv"), "a.csv", "a.csv"),
                           (("b.csv", "a.csv,same.csv"), "same.csv", "a.csv")):
        done = outputs.compare(*line)
        assert done.code == 1
        assert done.err.decode() == f"netiotrace: {name}: it is a copy of {of}; give each sweep once.\n"
    assert [outputs.compare(name, name).code for name in ("a1", "a.csv")] == [0, 0]


@pytest.mark.parametrize("path", FOREIGN, ids=lambda path: path.name)
def test_files_of_other_tools(path: pathlib.Path) -> None:
    other = FOREIGN[(FOREIGN.index(path) + 5) % len(FOREIGN)]
    check(path.name, *both_forms(path.name, path.name), ("--all", "--json", "-", path.name, other.name))


@pytest.mark.parametrize("case", range(6))
def test_changed_copies_of_the_published_set(changed: Callable[..., pathlib.Path], case: int) -> None:
    changed("before", case, 1, 0.02)
    changed("after", 100 + case, 0.7 + 0.1 * case, 0.02 * (1 + case))
    check(f"changed copies {case}", *both_forms("before", "after"), (
        "--metrics", EVERY_METRIC, "--all", "--json", "-", "--fail-on-regression", "0", "before", "after"))


def edits() -> dict[str, Edit]:
    """Ways in which results differ from those before."""

    def settings(**members: Any) -> Edit:
        return lambda document, name: not document["settings"].update(members)

    def run(change: Callable[[dict[str, Any]], Any]) -> Edit:
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
        "two congestion controls": lambda document, name: not document["environment"].update(
            congestion_control="bbr" if name[-6] in "01" else "cubic"),
        "damaged": run(lambda r: r["app"].update(throughput_gbps="fast")),
        "below 0": run(lambda r: r["app"].update(throughput_gbps=-1)),
        "no size": run(lambda r: r.update(size=1.5)), "no run": lambda document, name: False}


@pytest.mark.parametrize("name", edits())
def test_edited_copies_of_the_published_set(changed: Callable[..., pathlib.Path], name: str) -> None:
    changed("before", 6)
    changed("after", 7, 1, 0.01, edits()[name])
    check(name, *both_forms("before", "after"), *both_forms("after", "before"),
          ("--across", "mtu,fields", "--fail-on-regression", "1", "before", "after"),
          ("--congestion", "cubic", "--quiet", "after", "before"))


def test_failed_runs_and_other_documents_beside_cells(changed: Callable[..., pathlib.Path]) -> None:
    changed("before", 2)
    after = changed("after", 3, 1, 0.01, lambda document, name: not name.startswith("onecopy-4096"))
    failure = {"schema": "netiotrace.failure/1", "mode": "onecopy", "size": 4096, "threads": 1, "reason": "x"}
    (after / "cells/onecopy.failed.json").write_text(json.dumps(failure))
    (after / "cells/.hidden.json").write_text("{")
    codes = check("failed runs", *both_forms("before", "after"))
    for cell in (after / "cells").iterdir():  # documents without cells/ are found too
        cell.rename(after / cell.name)
    (after / "other.json").write_text('{"schema": "other/1"}')
    codes += check("no cells", *both_forms("before", "after"))
    (after / "copy.json").write_text((after / "twocopy-4096-t1-r0.json").read_text())
    assert [*codes, *check("a copied document", ("before", "after"))] == [0, 1, 0, 1, 1]


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
def test_rows_with_noise(case: int) -> None:
    rng = random.Random(case)
    for name, factor in (("before.csv", 1), ("after.csv", 1 - case / 50)):
        pathlib.Path(name).write_text(rows(rng, factor, 0.01 * (1 + case % 5), (1, 2, 5, 7, 12, 21)[case % 6]))
    check(f"rows with noise {case}", *both_forms("before.csv", "after.csv"))


@pytest.mark.parametrize("text", [
    '{"schema": "something/else"}', "[1]", "{}", '{"schema": "netiotrace.result/1"}',
    '{"schema": "netiotrace.result/1", "runs": [{}]}'])
def test_files_that_are_no_results(text: str) -> None:
    for name in ("x.json", "x.csv"):
        pathlib.Path(name).unlink(missing_ok=True)
        pathlib.Path(name).write_text(text)
    assert check(f"no results {text}", ("x.json", "x.json"), ("x.csv", "x.csv")) == [1, 1]


@pytest.mark.parametrize("text", ["", "{", '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": "\\ud800"}', '{"a": 1e999}',
                                  '{"a": "\\u0000"}', '{"a": 99999999999999999999}'])
def test_files_that_are_no_json(text: str) -> None:
    pathlib.Path("x.json").write_text(text)
    done = outputs.compare("x.json", "x.json")
    assert (done.code, done.out) == (1, b"")
    assert done.err.startswith(b"netiotrace: x.json: not JSON, or truncated (line 1: ")


@pytest.mark.parametrize("options", [
    ("--column", "speed=throughput"), ("--column", "speed=bogus"), ("--columns", "size=n"), ("--rounds-from-repeats",),
    ("--modes", "x=onecopy,y=twocopy"), ("--congestion", "c")], ids=" ".join)
def test_options_on_csv_files(options: tuple[str, ...]) -> None:
    text = "mode,size,threads,speed\nx,4096,1,2\nx,4096,1,3\ny,4096,1,1\ny,4096,1,2\n"
    pathlib.Path("a.csv").write_text(text)
    pathlib.Path("b.csv").write_text(text.replace("x", "onecopy").replace("y", "twocopy"))
    read = ("--column=speed=throughput_gbps", "--rounds-from-repeats", "--all")
    check(" ".join(options), *((*options, *more, name, name) for name in ("a.csv", "b.csv") for more in ((), read)))


def test_csv_of_a_run_in_five_modes_is_compared(tmp_path: pathlib.Path) -> None:
    """With three rounds each, and every number that a document gives compare."""
    header, _, row = full_csv()
    modes = ("twocopy", "sendfile", "splice", "uringzc", "ktls")
    text = header + "".join(row.replace("zerocopy,65536,8,1,0,1,", f"{mode},65536,8,1,0,{n},", 1)
                            for mode in modes for n in range(3))
    (tmp_path / "x.csv").write_text(text)
    done = outputs.compare("--json", "-", "x.csv", "x.csv")
    document = json.loads(done.files[""])
    assert done.code == 0 and not done.err
    names = {(row["mode"], row["metric"]) for row in document["changes"]}
    assert {mode for mode, _ in names} == set(modes)
    assert {name for _, name in names} == {m.name for m in metric.ALL if m.is_compared and m is not metric.LATENCY}
    assert load.load_files(["x.csv"]).rows[0][metric.KERNEL_ZC_COPIED] == 150
