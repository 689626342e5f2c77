# SPDX-License-Identifier: GPL-2.0-only
"""Data sets from paths: a directory of results, a document, CSV files."""
from __future__ import annotations

import io
import json
import math
import pathlib
from typing import Any

import pytest
from goldens import REPO
from reading import refusal

from analysis import load, metric
from analysis.dataset import Names
from analysis.documents import Refused

FAILURE = {"schema": "netiotrace.failure/1", "mode": "onecopy", "size": 64, "threads": 1, "round": 0, "reason": "x"}
NOT_JSON = "not JSON, or truncated (line 1: "


def result(size: int = 64, **members: Any) -> dict[str, Any]:
    return {"schema": "netiotrace.result/1", "runs": [{"mode": "onecopy", "size": size, "threads": 1, **members}]}


def write(directory: pathlib.Path, **documents: Any) -> str:
    """NAME: a document, or text; "cells__x" is cells/x.json, "x_failed" x.failed.json."""
    for name, document in documents.items():
        path = directory / (name.replace("__", "/").replace("_failed", ".failed") + ".json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(document if isinstance(document, str) else json.dumps(document))
    return str(directory)


def sizes(*paths: str, **names: Any) -> list[int]:
    return [row.size for row in load.load_files(list(paths), names=Names(**names)).rows]


def test_cells_of_a_directory_are_read_in_order_of_their_names(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path, cells__b=result(1, verdict={"text": "b"}), cells__a=result(2), other=result(4),
                 cells__a_failed=FAILURE, sweep={"settings": {"seed": 7}})
    (tmp_path / "cells/.c.json").write_text("{")
    d = load.load_files([path])
    assert [row.size for row in d.rows] == [1, 2]
    assert (d.seed, len(d.failures)) == ("7", 1)


@pytest.mark.parametrize("sweep", [None, "{", {}, {"settings": {"seed": "7"}}, [1], {"settings": None},
                                   {"settings": []}, {"settings": "x"}], ids=str)
def test_seed_is_unknown_without_the_document_of_the_sweep(tmp_path: pathlib.Path, sweep: Any) -> None:
    path = write(tmp_path, cells__a=result(), **({} if sweep is None else {"sweep": sweep}))
    assert load.load_files([path]).seed is None


def test_directory_without_cells_may_hold_other_files(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path, a=result(1), b={"schema": "other/1"}, c="{", d=[1], e=result(2), f_failed=FAILURE)
    d = load.load_files([path])
    assert [row.size for row in d.rows] == [1, 2] and len(d.failures) == 1


@pytest.mark.parametrize(("documents", "words"), [
    ({"cells__a": result(), "cells__b": "{"}, "cells/b.json: " + NOT_JSON),
    ({"cells__a": result(), "cells__b": {"schema": "other/1"}}, "cells/b.json: not a result document"),
    ({"cells__a": result(), "cells__b_failed": result()}, "cells/b.failed.json: not a record of a failed run."),
    ({}, "no result documents (cells/*.json) are in this directory."),
    ({"x": {"schema": "other/1"}}, "no result documents (cells/*.json) are in this directory."),
    ({"cells__a_failed": FAILURE}, "not one run succeeded: there is nothing to report."),
    ({"a": {"schema": "netiotrace.result/1", "runs": []}}, "no result documents"),
    ({"cells__a": result(duration_s=1, app={"rx_bytes": 5}), "cells__b": result(duration_s=1, app={"rx_bytes": 5})},
     "round 0 of mode onecopy, size 64, threads 1 is there twice, the same to the last digit")])
def test_damaged_directories_are_refused(tmp_path: pathlib.Path, documents: dict[str, Any], words: str) -> None:
    assert words in refusal(load.load_files, [write(tmp_path, **documents)])


def test_another_congestion_control_is_named(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path, cells__a={**result(1), "environment": {"congestion_control": "reno"}},
                 cells__b={**result(2), "environment": {"congestion_control": "cubic"}})
    assert sizes(path) == [1]
    assert sizes(path, congestion="cubic") == [2]
    assert refusal(sizes, path, congestion="bbr") == f"{path}: no run was made with bbr, but with reno."


def test_runs_without_a_congestion_control_are_not_said_to_have_failed(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path, a=result(1), b={**result(2), "environment": {}})
    (tmp_path / "x.csv").write_text("mode,size\n0,64\n1,64\n")
    for source in (path, f"{path}/x.csv"):
        assert refusal(sizes, source, congestion="cubic") == (
            f"{source}: 2 runs, none of which says its congestion control: leave out --congestion.")
    write(tmp_path, c={**result(3), "environment": {"congestion_control": "cubic"}})
    d = load.load_files([path], names=Names(congestion="cubic"))
    assert ([row.size for row in d.rows], d.notes) == ([3], ["Left out: 2 runs without a known congestion control."])


@pytest.mark.parametrize(("text", "words"), [
    *((f'{{"a": {"[" * n}1{"]" * n}}}', words) for n, words in ((63, "not a result document"), (64, "parsing depth"),
                                                              (900, "parsing depth"), (950, "parsing depth"))),
    ("", NOT_JSON), ("{", NOT_JSON), ("[1]\n}", "(line 2: "), ('{"a": NaN}', "invalid token near 'NaN'"),
    ('{"a": 1, "a": 2}', "duplicate object key"), ('{"a": 1e999}', "real number overflow"),
    ('{"a": 99999999999999999999}', "too big integer"), ('{"a": "\\u0000"}', "invalid Unicode escape"),
    ('{"a": "\\ud800"}', "invalid Unicode escape"), ("7", "'[' or '{' expected"), ("[" * 100000, "parsing depth"),
    ("[1]", "not a result document")])
def test_files_that_are_no_documents_are_refused(tmp_path: pathlib.Path, text: str, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    sentence = refusal(load.load_files, [str(path)])
    assert sentence.startswith(f"{path}: ") and words in sentence


def test_a_document_is_read_by_its_name_and_anything_else_is_csv(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path, x=result(5))
    assert sizes(f"{path}/x.json") == [5]
    (tmp_path / "x").write_text("mode,size\n0,64\n")
    assert sizes(f"{path}/x") == [64]
    assert refusal(sizes, f"{path}/none.csv") == f"{path}/none.csv: No such file or directory."
    for paths in ([f"{path}/x", f"{path}/x.json"], [f"{path}/x", path]):
        assert refusal(sizes, *paths).endswith(": only CSV files of others can be joined; give one directory, archive "
                                               "or document.")


def test_duration_is_that_of_runs_without_one(tmp_path: pathlib.Path) -> None:
    (tmp_path / "x.csv").write_text("mode,size,gbps,duration_s\n0,64,8,\n1,64,8,2\n")
    d = load.load_files([str(tmp_path / "x.csv")], 5)
    assert [row[metric.DURATION] for row in d.rows] == [5, 2]


def test_wrong_option_is_told_from_a_wrong_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "x.csv").write_text("mode,size\n0,64\n")
    for column, code in (("size=nothing", 2), ("other=size", 1)):
        with pytest.raises(Refused) as caught:
            sizes(str(tmp_path / "x.csv"), column=[column])
        assert caught.value.code == code


def test_names_of_files_and_values_in_refusals_are_printable(tmp_path: pathlib.Path) -> None:
    (tmp_path / "\x1b[2J.csv").write_text("mode,size\n\x1b]0;owned\x07,64\n")
    sentence = refusal(sizes, str(tmp_path / "\x1b[2J.csv"))
    assert "?[2J.csv, line 2: '?]0;owned?' is not a mode" in sentence


def test_explanation_of_documents_and_files(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path, x=result())
    (tmp_path / "x.csv").write_text("mode,size,x\n0,64,5\n")
    for name, text in (("x.json", "x.json: result documents: every field has its own name.\n"),
                       ("x.csv", "x                      not read                   5\n")):
        stream = io.StringIO()
        load.explain([f"{path}/{name}"], Names(), stream)
        assert text in stream.getvalue()


def test_published_sweep_and_its_csv_file_have_the_same_numbers(published: pathlib.Path) -> None:
    """results.csv as it was before columns were appended."""
    a = load.load_files([str(published)])
    b = load.load_files([str(REPO / "tests/fixtures/results-13-columns.csv")])
    assert [(row.cell, row.round) for row in a.rows] == [(row.cell, row.round) for row in b.rows]
    for m in (metric.GBPS, metric.COPIES, metric.CPU_NS_PER_KIB, metric.SEND_P50, metric.DELIVERY_P50):
        assert [row[m] for row in a.rows] == pytest.approx([row[m] for row in b.rows], nan_ok=True)
    assert a.hists and not any(math.isnan(row[metric.COPIES]) for row in a.rows)
