# SPDX-License-Identifier: GPL-2.0-only
"""Data sets read from texts and documents, and the result in which everything is known that the C tests write."""
from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from goldens import REPO

from analysis import csv_columns, csv_import, csv_rows, documents, metric
from analysis.dataset import Dataset, Names, Row
from analysis.metric import Metric, NAN

GOLDEN = REPO / "tests/unit/support/golden"
ONECOPY = {"mode": "onecopy", "size": 64}


def read_csv(*texts: str | bytes, duration_s: float = NAN, **names: Any) -> Dataset:
    """Files x.csv, y.csv and z.csv of one experiment. names: members of Names."""
    d = Dataset(Names(**names))
    options = csv_columns.Options(d.names)
    files = [csv_rows.File(name, text if isinstance(text, bytes) else text.encode(), options)
             for name, text in zip(("x.csv", "y.csv", "z.csv"), texts)]
    for document in csv_import.documents(files):
        documents.add_document(d, "x.csv", document)
    documents.finish(d, duration_s)
    return d


def add(d: Dataset, *runs: Any, **members: Any) -> Dataset:
    """Adds a document called x with these runs and other members."""
    documents.add_document(d, "x", {"schema": documents.RESULT_SCHEMA, "runs": list(runs), **members})
    return d


def refusal(call: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The sentence with which it refuses: one line."""
    with pytest.raises(documents.Refused) as caught:
        call(*args, **kwargs)
    text = str(caught.value)
    assert text and "\n" not in text
    return text


def known(row: Row) -> dict[str, float]:
    """What was read, by the ids of the metrics."""
    return {m.id: row[m] for m in metric.READ if not math.isnan(row[m])}


def column(d: Dataset, m: Metric) -> list[float]:
    """The known numbers of all rows."""
    return [row[m] for row in d.rows if not math.isnan(row[m])]


_ROW_PATH = re.compile(r"(?:^|\.)([^.\[]+)(?:\[([0-9]+)\])?")
_MEMBER = re.compile(r" ?([^ =]+)=")


def full_document() -> dict[str, Any]:
    """document-full.txt (golden_document.h) without its summary: the run of zerocopy."""
    result: dict[str, Any] = {}
    text = (GOLDEN / "document-full.txt").read_text().replace("\n    ", " ")
    for line in text.partition("\nsummary")[0].splitlines():
        path, _, members = line.partition(":")
        at = result
        for key, index in _ROW_PATH.findall(path) if path != "document" else []:
            at = at.setdefault(key, [] if index else {})
            if isinstance(at, list):
                at += [{} for _ in range(int(index) + 1 - len(at))]
                at = at[int(index)]
        position = 0
        while match := _MEMBER.match(members, position):
            value, position = json.JSONDecoder().raw_decode(members, match.end())
            if not match[1].endswith("[]"):  # the length of a list that follows
                at[match[1]] = value
        assert position == len(members), line
    return result


def full_csv() -> list[str]:
    """csv-full.txt: the lines of the header, and of the runs of twocopy and zerocopy."""
    return (GOLDEN / "csv-full.txt").read_text().splitlines(keepends=True)


def results_csv() -> str:
    """results-csv.txt: a row of a sweep's results.csv, of the run of zerocopy."""
    return (GOLDEN / "results-csv.txt").read_text()
