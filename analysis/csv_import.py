# SPDX-License-Identifier: GPL-2.0-only
"""CSV files, of other programs or of netiotrace itself, as result documents (netiotrace.result/1).

Several files are one experiment: their rows are joined by mode, size, threads and round. There is one document, unless
the rows of a file of netiotrace differ in their environment. docs/reference/report.md describes the rules. No files.
"""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, TextIO

from .csv_names import FIELDS, same
from .csv_records import printable
from .csv_rows import CsvRow, Described, File
from .documents import Refused, RESULT_SCHEMA
from .units import items, printable_lines

_CONTRADICTION = 0.02  # of two numbers that should be one
_RUNS_MAX = 10000  # of a document
_ALIKE = 1e-3  # two files may round one number differently

# ---- several files of one experiment


def _join(rows: list[CsvRow], part: File, notes: list[str]) -> None:
    """Adds the rows of another file: numbers to the row with the same mode, size, threads and round, else a row."""
    def refuse(sentence: str) -> NoReturn:
        raise Refused(f"{part.name}{sentence}")

    threads = any(row.threads for row in part.rows)
    if any(row.threads for row in rows) != threads:
        refuse(f": it has {'a' if threads else 'no'} column threads, and the files before it have "
               f"{'none' if threads else 'one'}: they cannot be joined.")
    same_numbers = rows[0].values.keys() == part.rows[0].values.keys()
    partners, before, new_number = {row.key: row for row in rows}, len(rows), False
    added: list[CsvRow] = []
    for row in part.rows:
        partner = partners.get(row.key)
        if partner is None:
            added.append(row)
            continue
        for key, value in row.values.items():
            other = partner.values.setdefault(key, value)
            new_number |= other is value
            if abs(other - value) > _ALIKE * max(abs(other), abs(value)):
                field = next((f.name for f in FIELDS if f.key == key), key)
                refuse(f", line {row.line}: {field} of {row.words()} differs from that of a file before it: are these "
                       "rounds? Then give them in one file with a column round; else say --column NAME=ignore.")
    joined = len(part.rows) - len(added)
    if not joined and not same_numbers:
        refuse(f": no row has the mode, size and threads of a row of the files before it (it begins with "
               f"{added[0].words()}): they are not of one experiment.")
    if not added and not new_number:
        refuse(": it holds no number that the files before it lack: leave it out.")
    if added:
        notes.append(f"{part.base_name}: {len(added)} of {len(part.rows)} rows have no partner in the files before it, "
                     f"the first {added[0].words()}; {before - joined} rows of these files have none in it.")
    else:
        notes.append(f"{part.base_name}: all {joined} rows are joined by mode, size and threads; {before - joined} "
                     "rows of the files before it have no partner in it.")
    rows += added


def _over(a: float | None, b: float | None) -> float | None:
    """a / b; None: unknown."""
    return None if a is None or b is None or b <= 0 else a / b


def _contradictions(rows: list[CsvRow], quotients: list[float | None], what: str) -> Iterator[str]:
    """A note on rows in which two numbers differ that should be one, and the worst of them."""
    apart = [(q - 1, row.line) for row, q in zip(rows, quotients) if q is not None and abs(q - 1) > _CONTRADICTION]
    if apart:
        worst, line = max(apart, key=lambda of: abs(of[0]))
        yield (f"In {len(apart)} of {len(rows)} rows {what} by more than {100 * _CONTRADICTION:.0f} % (the most in "
               f"line {line}: {100 * worst:+.1f} %).")


def _settle_rate(rows: list[CsvRow], files: Sequence[File], notes: list[str]) -> None:
    """A unit that leaves bits and bytes open (mb_s) is read as bytes, unless bytes / time of every row say bits."""
    columns = [column for file in files for column in file.columns if column.holds("app.throughput_gbps")]
    match = columns[0].match if len(columns) == 1 else None
    quotients = [q for q in (_over(row.values.get("app.throughput_gbps"), _rate(row.values)) for row in rows)
                 if q is not None]
    if (not match or not match.assumed or not match.unit.endswith("B/s") or not quotients
            or any(abs(q / 8 - 1) > _CONTRADICTION for q in quotients)):
        return
    for row in rows:
        if "app.throughput_gbps" in row.values:
            row.values["app.throughput_gbps"] /= 8
    columns[0].match = match._replace(unit=match.unit.replace("B/s", "bit/s"), assumed=False)
    notes.append(f"'{columns[0].name[:40]}' is in {columns[0].match.unit}, as bytes / time show in {len(quotients)} of "
                 f"{len(rows)} rows.")


def _rate(values: dict[str, float]) -> float | None:
    """Bytes / time in Gbit/s."""
    sent = values.get("app.rx_bytes", values.get("app.tx_bytes"))
    return _over(None if sent is None else sent * 8 / 1e9, values.get("duration_s"))


def _complete(rows: list[CsvRow], notes: list[str]) -> None:
    """Numbers that follow from others of their row, and notes on numbers that contradict each other."""
    rates: list[float | None] = []
    counts: list[float | None] = []
    computed = {"app.throughput_gbps": 0, "duration_s": 0, "bytes": 0}
    for row in rows:
        values = row.values
        sent = values.get("app.rx_bytes", values.get("app.tx_bytes"))
        messages = values.get("app.rx_messages", values.get("app.tx_messages"))
        by_messages = None if messages is None else messages * row.size
        gbps, seconds = values.get("app.throughput_gbps"), values.get("duration_s")
        rates.append(_over(_rate(values), gbps))
        counts.append(_over(sent, by_messages))
        if sent is None and by_messages is not None and not (gbps or 0) * (seconds or 0) > 0:
            sent = by_messages
            computed["bytes"] += 1
        if sent:
            values.setdefault("app.rx_bytes", sent)
        bits = None if sent is None else sent * 8 / 1e9
        for key, value in (("app.throughput_gbps", _over(bits, seconds)), ("duration_s", _over(bits, gbps))):
            if key not in values and value is not None and math.isfinite(value):
                values[key] = value
                computed[key] += 1
    notes += (f"{note} Throughput is read as it is given, costs per byte use the bytes."
              for note in _contradictions(rows, rates, "bytes / time differs from the throughput"))
    notes += _contradictions(rows, counts, "the bytes differ from messages x message size")
    for key, what, source in (("bytes", "The number of bytes", "messages x message size"),
                              ("app.throughput_gbps", "Throughput", "bytes / time"),
                              ("duration_s", "The time of a run", "bytes / throughput")):
        if computed[key]:
            notes.append(f"{what} is computed from {source} in {computed[key]} of {len(rows)} rows.")


# ---- the documents


def _column_notes(columns: Sequence[Described]) -> tuple[list[str], str | None]:
    """Sentences on modes, assumed units and unread columns; the last one also alone, or None."""
    notes = [f"Modes are read from '{c.column}': {c.values}." for c in columns if c.field in ("mode", "copies")][:1]
    assumed = [c for c in columns if c.assumed]
    if assumed:
        first = assumed[0]
        listed = items([f"'{c.column}' in {c.unit}" for c in assumed])
        other = "mbps" if first.field == "throughput" else "ms"
        clear = "clear " * any(c.unit.endswith("B/s") for c in assumed)
        told = " ".join(f"--column '{name}={first.field}_{other}'" for name in first.originals)
        notes.append(f"No {clear}unit is stated, and so assumed: {listed}. Another unit: {told}.")
    unread = [f"'{c.column}'" + (f" ({c.reason})" if c.reason else "") for c in columns if not c.field]
    sentence = (f"Columns that were not read: {items(unread)}. --column NAME=FIELD reads one; report --explain lists "
                "all.") if unread else None
    return notes + ([sentence] if sentence else []), sentence


def _described(files: Sequence[File]) -> list[Described]:
    return [column for file in files for column in file.described()]


def _imported(columns: Sequence[Described], notes: Sequence[str]) -> dict[str, Any]:
    """The member `imported` of a document."""
    sentences, unread_sentence = _column_notes(columns)
    unread = [f"'{c.column}'" for c in columns if not c.field]
    lacking = (f"no column is read as this number; not read: {items(unread)} (--column NAME=FIELD reads one)" if unread
               else "the data set has no such number")
    return {"assumptions": sentences + [printable(note) for note in notes], "unread": unread_sentence,
            "missing_reason": lacking}


def _encodable(text: str | None) -> str | None:
    """Without the bytes that are no UTF-8."""
    return text and text.encode("utf-8", "replace").decode("utf-8")


def _document_run(row: CsvRow) -> dict[str, Any]:
    run: dict[str, Any] = {"mode": row.mode.name, "size": row.size, "threads": row.threads, "round": row.round,
                           "fields": _encodable(row.fields), "interrupted": row.interrupted}
    for path, value in row.values.items():
        at = run
        *parents, last = path.split(".")
        for key in parents:
            at = at.setdefault(key, {})
        at[last] = value
    if row.verdict:
        run.setdefault("verdict", {})["text"] = _encodable(row.verdict)
    return run


def _read_files(files: Sequence[File]) -> tuple[list[CsvRow], dict[str, Any] | None]:
    """The rows of all files, and how they were read; None: they are netiotrace's own."""
    for file in files:
        file.read()
    first = files[0]
    if len(files) > 1 and any(file.ours for file in files):
        bad = next(file for file in files[::-1] if file.ours)
        raise Refused(f"{bad.name}: only CSV files of others can be joined; give one directory, archive or document.")
    for theirs, _ in first.options.column:
        if not any(same(theirs, name) for file in files for name in file.names):
            raise Refused(f"{first.name}: there is no column '{theirs}', which --column names.")
    if first.ours:
        return first.rows, None
    rows, notes = first.rows, list(first.notes)
    for part in files[1:]:
        joined: list[str] = []
        _join(rows, part, joined)
        notes += joined + part.notes
    _settle_rate(rows, files, notes)
    _complete(rows, notes)
    return rows, _imported(_described(files), notes)


def documents(files: Sequence[File]) -> Iterator[dict[str, Any]]:
    """The documents of unread files of one experiment: for each environment, in the order of the rows. Refused: one
    sentence. Takes the rows: twice they would need a gigabyte."""
    rows, how = _read_files(files)
    groups: dict[tuple[tuple[str, str | None], ...], list[CsvRow]] = {}
    for row in rows:
        groups.setdefault(row.environment, []).append(row)
    rows.clear()
    for environment, members in groups.items():
        document: dict[str, Any] = {"schema": RESULT_SCHEMA}
        if environment:
            document["environment"] = {_encodable(key): _encodable(value) for key, value in environment}
        if how:
            document["imported"] = how
        while members:
            yield {**document, "runs": [_document_run(row) for row in members[:_RUNS_MAX]]}
            del members[:_RUNS_MAX]


# ---- --explain: a table of 80 columns

_WIDTHS = (22, 18, 7, 30)


def _take(text: str, width: int) -> tuple[str, str]:
    """As many words as fit, or a part of one; and the rest."""
    if len(text) <= width:
        return text, ""
    end = text.rfind(" ", 0, width + 1) + 1 or width
    return text[:end].rstrip(), text[end:].lstrip()


def _lines(cells: Sequence[str]) -> str:
    """A row of the table."""
    text, rest = "", list(cells)
    while not text or any(rest):
        for i, width in enumerate(_WIDTHS):
            part, rest[i] = _take(rest[i], width)
            text += f"{part}\n" if i + 1 == len(_WIDTHS) else part.ljust(width + 1)
    return text


def _table(files: Sequence[File]) -> str:
    text = ""
    for file in files:
        if file.ours:
            text += f"{printable(file.name)}: netiotrace's own results: every column has its own name.\n"
        elif file.columns:
            text += ("\n" if file is not files[0] else "") + f"{file.base_name}\n"
            text += _lines(("column", "read as", "unit", "values"))
            text += "".join(_lines((c.column, c.field or "not read", c.unit, c.reason or c.values))
                            for c in file.described())
    return text


def explain(files: Sequence[File], stream: TextIO) -> None:
    """Writes each column of unread files, and of refused ones what is known; then raises Refused."""
    refusal: Refused | None = None
    notes: list[str] = []
    try:
        notes = (_read_files(files)[1] or {}).get("assumptions", [])
    except Refused as error:
        refusal = error
        notes = _column_notes(_described(files))[0]
    text = _table(files) + ("\n" if notes else "")
    for note in notes:
        rest = note
        while rest:
            part, rest = _take(rest, 80)
            text += f"{part}\n"
    stream.write(printable_lines(text))
    if refusal:
        raise refusal
