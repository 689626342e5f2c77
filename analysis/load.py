# SPDX-License-Identifier: GPL-2.0-only
"""Data sets from paths: a results directory, one result document (*.json), or CSV files of one experiment."""
from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Sequence
from typing import Any, TextIO

from . import conditions, documents, files, json_text, metric, units
from .dataset import Dataset, Names
from .documents import Refused
from .metric import NAN

_ARCHIVE = ".tar.xz"


def _describe(path: str, error: OSError) -> Refused:
    return Refused(f"{path}: {error.strerror}.")


def _load_json(path: str, entry: bool = False, data: bytes | None = None) -> Any:
    """entry: as files.read(). data: the content, where the path is within an archive."""
    try:
        return json_text.loads(files.read(path, entry) if data is None else data)
    except OSError as error:
        raise _describe(path, error) from None
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        what = error.msg if isinstance(error, json.JSONDecodeError) else error
        raise Refused(f"{path}: not JSON, or truncated (line {line}: {what}).") from None


def _load_entry(d: Dataset, path: str, optional: bool, data: bytes | None = None) -> None:
    """One file of a directory or archive. optional: a document that is none of ours is passed over, as a results
    directory has others beside its cells."""
    try:
        document = _load_json(path, True, data)
    except Refused:
        if optional:
            return
        raise
    if path.endswith(".failed.json"):
        if not documents.add_failure(d, document):
            raise Refused(f"{path}: not a record of a failed run.")
    elif not optional or documents.text_of(document, "schema") == documents.RESULT_SCHEMA:
        documents.add_document(d, path, document)


def _load_documents(d: Dataset, directory: str, optional: bool) -> None:
    """All documents in a directory, sorted by name; none if there is no such directory."""
    try:
        names = files.documents(directory)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _describe(directory, error) from None
    for name in names:
        _load_entry(d, f"{directory}/{name}", optional)


def _load_archive(d: Dataset, path: str, optional: bool) -> None:
    """All documents of cells.tar.xz, sorted by name. optional: none if there is no such file."""
    from . import archive  # compiled in the time of all other modules: only if needed

    try:
        with files.stream(path, optional) as stream:
            found = archive.documents(stream)
    except OSError as error:
        if optional and isinstance(error, FileNotFoundError):
            return
        raise _describe(path, error) from None
    except archive.Damaged as damage:
        raise Refused(f"{path}: {damage}.") from None
    for name in sorted(found, key=os.fsencode):
        _load_entry(d, f"{path}/{name}", False, found.pop(name))


def _load_directory(d: Dataset, path: str) -> None:
    def is_empty() -> bool:
        return not (d.rows or d.failures or d.others or d.unnamed)

    _load_documents(d, f"{path}/cells", False)
    if is_empty():
        _load_archive(d, f"{path}/cells{_ARCHIVE}", True)
    if is_empty():
        _load_documents(d, path, True)
    if is_empty():
        raise Refused(f"{path}: no result documents (cells/*.json) are in this directory.")
    with contextlib.suppress(Refused):  # the seed is in no document of a run
        sweep = _load_json(f"{path}/sweep.json", True)
        seed = conditions.at(sweep, "settings.seed")[0]
        if isinstance(seed, int) and not isinstance(seed, bool):
            d.seed = str(seed)


def _load_csv(d: Dataset, paths: Sequence[str], stream: TextIO | None) -> None:
    """Rows of several files are joined by mode, size, threads and round. stream: they are explained there instead."""
    from . import csv_columns, csv_import, csv_rows  # compiled in the time of all other modules: only if needed

    options = csv_columns.Options(d.names)
    opened = []
    for path in paths:
        try:
            opened.append(csv_rows.File(path, files.read(path), options))
        except OSError as error:
            raise _describe(path, error) from None
    if stream:
        csv_import.explain(opened, stream)
    else:
        for document in csv_import.documents(opened):
            documents.add_document(d, paths[0], document)


def _load_paths(d: Dataset, paths: Sequence[str], stream: TextIO | None) -> None:
    try:
        _load_each(d, paths, stream)
    except MemoryError:
        raise Refused(f"{paths[0]}: it needs more memory than there is.") from None
    except RecursionError:
        raise Refused(f"{paths[0]}: it is nested too deeply.") from None


def _load_each(d: Dataset, paths: Sequence[str], stream: TextIO | None) -> None:
    directory = False
    for path in paths:
        try:
            directory = files.is_directory(path)
        except OSError as error:
            raise _describe(path, error) from None
        if directory or path.endswith((".json", _ARCHIVE)):
            if len(paths) > 1:
                raise Refused(f"{path}: only CSV files of others can be joined; give one directory, archive or "
                              "document.")
            if stream:
                stream.write(f"{path}: result documents: every field has its own name.\n")
            elif directory:
                _load_directory(d, path)
            elif path.endswith(_ARCHIVE):
                _load_archive(d, path, False)
            else:
                documents.add_document(d, path, _load_json(path))
            return
    _load_csv(d, paths, stream)


def load_files(paths: Sequence[str], default_duration_s: float = NAN, names: Names | None = None) -> Dataset:
    """Reads one directory or document, or CSV files of one experiment. default_duration_s: of runs without a duration.

    Refused: one sentence.
    """
    d = Dataset(names or Names())
    path = paths[0]
    _load_paths(d, paths, None)
    if not d.rows and d.others:
        raise Refused(f"{path}: no run was made with {d.names.congestion}, but with {d.others[0]}.")
    if not d.rows and d.unnamed:
        raise Refused(f"{path}: {d.unnamed} run{units.plural(d.unnamed)}, none of which says its congestion control: "
                      "leave out --congestion.")
    if not d.rows:
        raise Refused(f"{path}: not one run succeeded: there is nothing to report.")
    if d.unnamed:
        d.notes.append(f"Left out: {d.unnamed} run{units.plural(d.unnamed)} without a known congestion control.")
    documents.finish(d, default_duration_s)
    row = documents.copied_row(d)
    if row:  # a run counted twice would narrow every interval
        raise Refused(f"{path}: round {row.round} of mode {row.mode.name}, size {row.size}, threads {row.threads} is "
                      "there twice, the same to the last digit: a file or a line is a copy of another, remove it.")
    return d


def explain(paths: Sequence[str], names: Names, stream: TextIO) -> None:
    """Writes how each column of CSV files is read, also of a refused one. Refused: as load_files()."""
    _load_paths(Dataset(names), paths, stream)


def answerable(d: Dataset, name: str) -> str | None:
    """Why a report can answer no question with it: what was read, what was missing, and the remedy. None: it can."""
    needed = (metric.GBPS, metric.L1D_MISSES, metric.LLC_MISSES, metric.CYCLES)
    if d.lacking is None or any(not math.isnan(row[m]) for row in d.rows for m in needed):
        return None
    unread = f" {units.cut(d.unread, 250)}" if d.unread else ""
    return (f"{units.cut(name, 100)}: no column holds a throughput, cycles or cache misses, so no question can be "
            f"answered.{unread} A file with the throughput can be given before this one.")
