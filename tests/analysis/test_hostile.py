# SPDX-License-Identifier: GPL-2.0-only
"""Damaged and hostile files for each reader: a data set, or one sentence that is safe to print; never anything else.

Mutations are drawn from fixed seeds: each case is the same in every run.
"""
from __future__ import annotations

import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import time
import zlib
from typing import Any

import outputs
import pytest
from goldens import PUBLISHED, REPO
from reading import full_csv, full_document, read_csv, refusal, results_csv

from analysis import files, load, metric, units
from analysis.dataset import Dataset
from analysis.documents import Refused
from analysis.study import Analysis

FOREIGN = sorted((REPO / "tests/fixtures/foreign").glob("*.csv"))
TOKENS = [
    b"NaN", b"Infinity", b"-Infinity", b"nan", b"inf", b"1e400", b"-1e400", b"1e308", b"9" * 30, b"9" * 5000, b"-1",
    b"-0", b"1e-400", b"0x10", b"1_000", b"\xd9\xa1", b"\0", b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    b"\r", b"\r\n", b"\n\n", b'"', b'""', b"'", b",", b";", b"\t", b"#", b"[", b"]", b"{", b"}", b":", b"null",
    b"true", b"\\u0000", b"\\ud800", b"\x1b[2J", b"\xe2\x80\xae", b"<script>", b"=cmd|'!A0", b"../", b"%s%n",
    b"," * 300, b"[" * 3000, b'{"a":' * 1500, b"(" * 2000, b" " * 5000, b"a" * 5000, b"1,234", b"1.234,5", b"64K",
    b"5 mb/s", b"seed1", b"twocopy"]


def mutate(rng: random.Random, data: bytes) -> bytes:
    """Up to four changes: bytes or tokens put in, cut out, doubled, exchanged, or the end cut off."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + int(rng.expovariate(1 / 8)))
        kind = rng.randrange(7)
        if kind < 3:
            data = data[:at] + rng.choice(TOKENS) + data[end if kind else at:]
        elif kind == 3:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1:]
        elif kind == 4:
            data = data[:at] + data[end:]
        elif kind == 5:
            lines = data.splitlines(keepends=True) or [b""]
            data = b"".join([*lines, rng.choice(lines), lines[0]])
        elif rng.random() < 0.3:
            data = data[:at]
    return data


def run_of(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode()


def sources() -> dict[str, bytes]:
    header, two, zero = full_csv()
    made = {"document.json": run_of(full_document()), "run.csv": (header + two + zero).encode(),
            "results.csv": results_csv().encode(), "cells.tar.xz": PUBLISHED.read_bytes()[:4000]}
    return made | {path.name: path.read_bytes() for path in FOREIGN}


def check(path: pathlib.Path) -> Dataset | None:
    """Reads it as report and compare do."""
    try:
        d = load.load_files([str(path)])
    except Refused as problem:
        text = str(problem)
        assert text and text == units.printable(text) and len(text.encode()) < 512
        return None
    assert d.rows and all(row.size > 0 for row in d.rows)
    assert not any(math.isinf(row[m]) or not metric.is_possible(m, row[m]) for row in d.rows for m in metric.READ)
    return d


@pytest.mark.parametrize("name", sources())
def test_mutated_files_are_read_or_refused(name: str, tmp_path: pathlib.Path) -> None:
    rng = random.Random(zlib.crc32(name.encode()))
    source, path, read, begin = sources()[name], tmp_path / name, 0, time.process_time()
    for _ in range(60):
        path.write_bytes(mutate(rng, source))
        d = check(path)
        if d:
            read += 1
            Analysis(d)
    assert time.process_time() - begin < 60
    assert read or name == "cells.tar.xz"  # which has check sums


@pytest.fixture
def workplace(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory, and a gnuplot that draws nothing."""
    pytest.importorskip("jinja2")
    (tmp_path / "bin").mkdir()
    outputs.fake_gnuplot(str(tmp_path / "bin"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("workplace")
def test_mutated_files_are_compared_and_reported_or_refused() -> None:
    rng, codes = random.Random(1), []
    for name in ("document.json", "run.csv", "results.csv", "workers.csv", "total-gbps.csv", "three-files-perf.csv"):
        source = sources()[name]
        pathlib.Path(f"whole-{name}").write_bytes(source)
        for _ in range(4):
            pathlib.Path(name).write_bytes(mutate(rng, source))
            for done in (outputs.compare("--all", "--json", "-", f"whole-{name}", name),
                         outputs.report("-o", "out", name)):
                assert done.code in (0, 1) and done.err.count(b"\n") <= 3
                codes.append(done.code)
    assert 0 in codes and 1 in codes


# ---- one case each


def document(**members: Any) -> bytes:
    run = {"mode": "onecopy", "size": 64, "threads": 1, "app": {"throughput_gbps": 5}}
    return run_of({"schema": "netiotrace.result/1", "runs": [run], **members})


def nested(opening: str, closing: str, depth: int) -> bytes:
    text = document(settings={"x": 0}).decode()
    return text.replace('"x": 0', f'"x": {opening * depth}0{closing * depth}').encode()


@pytest.mark.parametrize(("data", "words"), [
    (nested("[", "]", 100000), "parsing depth"), (nested('{"a":', "}", 100000), "parsing depth"),
    (document().replace(b"64", b"9" * 5000), "too big integer"), (document().replace(b"64", b"1e400"), "overflow"),
    (document().replace(b"64", b"1" + b"0" * 5000 + b".5"), "overflow"), (b"\xef\xbb\xbf" + document(), "BOM"),
    (document().replace(b"64", b"NaN"), "'NaN'"), (document().replace(b"64", b"-Infinity"), "'-Infinity'"),
    (document().replace(b'"size"', b'"mode"'), "duplicate"), (document().replace(b"onecopy", b"\xff"), "not JSON"),
    (document().replace(b"onecopy", b"\0"), "not JSON"), (document().replace(b"64", b"1e300"), "damaged"),
    (document()[:-1], "truncated")], ids=lambda value: value if isinstance(value, str) else "")
def test_hostile_documents_are_refused(tmp_path: pathlib.Path, data: bytes, words: str) -> None:
    (tmp_path / "x.json").write_bytes(data)
    assert words in refusal(load.load_files, [str(tmp_path / "x.json")])


def test_nesting_that_the_parser_takes_ends_in_a_sentence_too(tmp_path: pathlib.Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for depth in range(100, 1000, 30):
        pathlib.Path("x.json").write_bytes(nested("[", "]", depth))
        check(pathlib.Path("x.json"))


def test_line_ends_of_other_systems_are_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "x.json").write_bytes(json.dumps(json.loads(document()), indent=1).replace("\n", "\r\n").encode())
    assert check(tmp_path / "x.json")
    assert read_csv("\ufeffmode,size\r\n0,64\r\n1,64\r\n").rows[1].size == 64


@pytest.mark.parametrize("cell", ["9" * 5000, "1e400", "-1e400", "1" + "0" * 62 + ".5e9999", "\u0661", "NaN0", "1__0"])
def test_numbers_beyond_all_bounds_are_no_numbers(cell: str) -> None:
    assert "which is not a number" in refusal(read_csv, f"mode,size,cycles\n0,64,{cell}\n")
    assert "64" not in refusal(read_csv, f"mode,size\n0,{cell}\n").partition("'")[0]


# A large file, or one without an end: what is read of it, in how much memory.
LARGE = """import sys
from analysis import documents, load
try:
    print(len(load.load_files([sys.argv[1]]).rows))
except documents.Refused as problem:
    print(problem)
"""


def read_large(path: pathlib.Path, mib: int) -> str:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))

    done = subprocess.run([sys.executable, "-c", LARGE, str(path)], cwd=REPO, capture_output=True, text=True,
                          timeout=300, preexec_fn=limit, check=True)
    assert done.stdout.count("\n") == 1
    return done.stdout


@pytest.mark.parametrize("name", ["x.csv", "x.json"])
def test_a_line_of_a_gigabyte_is_refused_before_it_is_read(tmp_path: pathlib.Path, name: str) -> None:
    with open(tmp_path / name, "wb") as f:
        f.write(b"mode,size\n0,")
        f.truncate(1 << 30)
    assert f"{name}: larger than 256 MiB" in read_large(tmp_path / name, 128)


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.tar.xz"])
def test_a_file_without_an_end_is_refused(tmp_path: pathlib.Path, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    words = "not a tar.xz archive" if name.endswith("xz") else "larger than 256 MiB"
    assert words in read_large(tmp_path / name, 1024)


@pytest.mark.parametrize(("head", "body", "words"), [
    (b"mode,size\n", b"0" * (1 << 20), "or 1048576 bytes in a cell"), (b"", b"a" * (1 << 20), "bytes in a cell"),
    (b"mode,size\n0,64\n", b"\n" * (1 << 20), "more than 4194304 lines"),
    (b"mode,size\n0,64\n", b"#\n" * (1 << 19), "more than 4194304 lines"),
    (b'mode,size\n0,"', b"\n" * (1 << 20), "bytes in a cell")], ids=["cell", "header", "blank", "comments", "quoted"])
def test_large_files_are_refused_early(tmp_path: pathlib.Path, head: bytes, body: bytes, words: str) -> None:
    """Of 100 MiB."""
    with open(tmp_path / "x.csv", "wb") as f:
        f.write(head)
        for _ in range(100):
            f.write(body)
    assert words in read_large(tmp_path / "x.csv", 768)


def test_rows_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.csv_rows._ROWS_MAX", 3)
    rows = "".join(f"0,64,{n}\n" for n in range(3))
    assert len(read_csv(f"mode,size,round\n{rows}").rows) == 3
    assert "line 5: more than 3 rows" in refusal(read_csv, f"mode,size,round\n{rows}0,64,4\n")
    wide = "mode,size,cycles_run1,cycles_run2\n0,64,1,1\n1,64,1,1\n2,64,1,1\n"
    assert "line 3: more than 3 rows" in refusal(read_csv, wide)


def test_columns_of_one_field_are_settled_in_linear_time() -> None:
    names = ",".join(["mode", "size", *(f"environment_{n}" for n in range(8000)), *(f"c{n}" for n in range(8000))])
    begin = time.process_time()
    read_csv(f"{names}\n0,64{',1' * 16000}\n")
    assert time.process_time() - begin < 10


# ---- what is written


@pytest.mark.usefixtures("workplace")
def test_pages_and_data_have_no_markup_or_formula_from_data() -> None:
    """data/*.csv has numbers and our own words only, so that no spreadsheet executes anything."""
    bad = "=cmd|' /C calc'!A0<script>alert(1)</script>\"onload=\"x"
    whole = full_document()
    whole["environment"].update(kernel=bad, cpu=bad, host=bad, path=bad, congestion_control=bad)
    whole["runs"][0]["verdict"]["text"] = bad
    pathlib.Path("x.json").write_bytes(run_of(whole))
    done = outputs.report("-o", "out", "x.json")
    assert done.code == 0, done.err
    pages = {name: data for name, data in done.files.items() if name.endswith((".html", ".md"))}
    assert len(pages) == 2
    for data in pages.values():  # Markdown escapes it
        assert b"<script" not in data.replace(b"\\<", b"")
    assert b'"onload' not in done.files["out/report.html"]
    tables = [data for name, data in done.files.items() if name.endswith(".csv")]
    assert tables and all(b"cmd" not in data and b"=" not in data for data in tables)


def test_no_document_is_read_beyond_its_limit(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.json").write_bytes(document())
    monkeypatch.setattr(files, "FILE_MAX", len(document()) - 1)
    assert "x.json: larger than 0 MiB" in refusal(load.load_files, [str(tmp_path / "x.json")])
