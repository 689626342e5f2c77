# SPDX-License-Identifier: GPL-2.0-only
"""One CSV file: its header, columns and rows, and notes on how it was read."""
from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from . import conditions, csv_names
from .csv_columns import Column, Options
from .csv_names import ENVIRONMENT, HARDWARE, match_name, MAY_BE_NEGATIVE, mode_list, mode_number, NAME_LEN, same
from .csv_records import CELLS_MAX, LINE_MAX, named, printable, record_of, Records, TOO_LARGE
from .csv_units import comma_meaning, find_unit, flat_unit, missing, number_of, OPEN_UNITS, point_meaning
from .csv_wide import Wide
from .documents import Refused
from .tables import Mode, TWOCOPY
from .units import items, plural

_ROWS_MAX = 500000
_COLUMNS_READ = 256  # of a possible header
_HEADER_LINES = 20
_LIMITS = {"Size": 10**15, "FieldSize": 10**12, "Fields": 10**6, "Threads": 10**6, "Round": 10**9}
_FIELDS_DEFAULT = 8  # fields of a message where the data does not say: the usual number in this experiment
# Members of the environment that shape the results of a run.
_SETTINGS = frozenset(name for name in conditions.OF_ENVIRONMENT if "." not in name)


def _size_words(size: int) -> str:
    """In full: "1000 B", "64 KiB"."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


class CsvRow:
    """A run: what it is known by, and its numbers by path."""

    __slots__ = ("environment", "fields", "interrupted", "line", "mode", "round", "size", "threads", "values",
                 "verdict")

    def __init__(self, line: int) -> None:
        self.line = line
        self.mode: Mode = TWOCOPY
        self.size = self.threads = self.round = 0
        self.fields: str | None = None
        self.verdict: str | None = None
        self.interrupted = False
        self.environment: tuple[tuple[str, str | None], ...] = ()
        self.values: dict[str, float] = {}

    @property
    def cell(self) -> tuple[int, int, int]:
        return self.mode.index, self.size, self.threads

    @property
    def key(self) -> tuple[int, int, int, int]:
        return *self.cell, self.round

    @property
    def settings(self) -> tuple[str | None, tuple[tuple[str, str | None], ...]]:
        return self.fields, tuple(entry for entry in self.environment if entry[0] in _SETTINGS)

    def words(self) -> str:
        threads = f"{self.threads} thread{plural(self.threads)}" if self.threads else "threads unknown"
        return f"{self.mode.words}, {_size_words(self.size)}, {threads}"


class Described(NamedTuple):
    """A column, printable. field: None, it is not read; assumed: the unit is; reason: why it is not read, or ""."""

    column: str
    field: str | None
    unit: str
    assumed: bool
    values: str
    reason: str
    originals: tuple[str, ...]  # the names that the file has


class _Header(NamedTuple):
    """A possible header: how many of its names are known, and of its cells filled; its number from 0, and its lines."""

    known: int
    filled: int
    separator: str
    line: int
    cells: list[str]
    used: int


class File:
    """A CSV file: its columns, rows, and notes on how it was read. Refused, by every method: one sentence."""

    def __init__(self, name: str, data: bytes, options: Options) -> None:
        self.name, self.options = name, options
        self._data = data
        self.base_name = printable((os.path.basename(name) or name)[:80])
        self.names: list[str] = []  # of the header
        self.columns: list[Column] = []
        self.ours = False  # a file of netiotrace
        self._results: dict[str, csv_names.Match] | None = None  # it is results.csv of a sweep
        self.rows: list[CsvRow] = []
        self.notes: list[str] = []
        self._separator = ","
        self._body = 0  # lines before it
        self._line = 1  # for refusals
        self._decimal_comma = False
        self._field_sizes = self._stopped = 0

    def _refuse(self, sentence: str) -> NoReturn:
        raise Refused(f"{self.name}, line {self._line}: {sentence}")

    # -- the header

    def _told_field(self, name: str) -> str | None:
        """The field that the command line says a column holds; None: it does not say."""
        names = ([column.name for column in self.columns] if self.options.column else []) or [name]
        for theirs, field in self.options.column:
            if theirs == name or (same(theirs, name) and theirs not in names):
                return field
        return self.options.columns.get(name)

    def _find_header(self) -> None:
        head = Records(self._data, ",")
        lines: list[str] = []
        for _ in range(4 * _HEADER_LINES):
            lines.append(head.next_line())
            if sum(map(len, lines)) >= LINE_MAX:  # early, and before it is parsed in several ways
                self._refuse(TOO_LARGE)
        headers = (header for separator in ",;\t" for header in self._headers(lines, separator))
        # Known names decide; without one, filled cells, if there are several.
        header = max(headers, key=lambda h: (h.known, 0 if h.known else max(h.filled, 1)), default=None)
        if header is None:
            self._refuse("the file is empty.")
        self._separator = header.separator
        self._line, self._body = header.line + 1, header.line + header.used
        if len(header.cells) > CELLS_MAX:
            self._refuse(f"more than {CELLS_MAX} cells in a line.")
        self.names = header.cells
        self._results = csv_names.results_columns(self.names)
        self.ours = self._results is not None or "app_rx_bytes" in self.names
        self._wide = Wide(self.names if not self.ours else [], self._told_field)
        self.columns = [Column(name, at) for at, name in enumerate(self.names if self.ours else self._wide.header)]

    def _headers(self, lines: list[str], separator: str) -> Iterator[_Header]:
        """What the first lines can be with this separator. A comment has to have two known names."""
        at = 0
        for _ in range(_HEADER_LINES):
            if at >= len(lines) or not lines[at]:
                break
            comment = lines[at].startswith("#")
            cells, used = record_of([lines[at].lstrip("# "), *lines[at + 1:]], separator)
            if cells is not None:
                read = cells[:_COLUMNS_READ]
                filled = sum(bool(name) for name in read)
                known = sum(self._told_field(name) is not None or match_name(name) is not None for name in read)
                if known > 1 if comment else filled > 0:
                    yield _Header(known, filled, separator, at, cells, used)
            at += 1 if cells is None or comment else used

    def _records(self, check: bool = False) -> Iterator[list[str]]:
        """Each record in which a cell is not empty. check: levels in names against columns."""
        records, rows = Records(self._data, self._separator, self._body, comments=not self.ours), 0
        try:
            for cells in records:
                self._line = records.line
                if not any(cells) and not (self.ours and len(cells) > 1):
                    continue
                self._check_length(cells)
                rows += 1
                if rows > _ROWS_MAX:
                    self._refuse(f"more than {_ROWS_MAX} rows.")
                contradiction = self._wide.contradiction(cells, self._decimal_comma) if check else None
                if contradiction:
                    self._refuse(contradiction)
                yield from self._wide.rows(cells)
            self._line = records.line
        except csv.Error as error:
            self._line = records.line
            self._refuse(str(error))

    def _holds_number(self, column: Column) -> bool:
        match = match_name(self._told_field(column.name) or column.name)
        return match is not None and match.dimension is not None

    def _find_levels(self) -> None:
        numbers = [column.at for column in self.columns if self._holds_number(column)]
        commas: set[str | None] = set()
        points: set[str | None] = set()
        for cells in self._records():
            for cell in (cells[at] for at in numbers if at < len(cells)):
                if "," in cell or "." in cell:
                    commas.add(comma_meaning(cell))
                    points.add(point_meaning(cell))
        if "decimal" in commas and "thousands" not in commas:
            self._decimal_comma = True
            if points >= {"decimal", "unclear"}:
                self._refuse("some of its numbers have decimal commas and some decimal points, so other points may "
                             "group thousands: write all numbers with a point.")
        elif "unclear" in commas and "thousands" not in commas and self._separator != ",":
            self._refuse("the commas within its numbers may be decimal commas or group thousands: write these numbers "
                         "with a point, or without the commas.")
        if commas - {None}:
            what = "are decimal commas, points group digits" if self._decimal_comma else "group digits"
            self.notes.append(f"{self.base_name}: commas within numbers {what}.")
        for cells in self._records():
            for column, text in zip(self.columns, cells):
                column.add(text, self._decimal_comma)
            for column in self.columns[len(cells):]:
                column.unknown += 1
        for column in self.columns:
            column.find_base()

    # -- the columns

    def _classify_one(self, column: Column) -> None:
        field = self._told_field(column.name)
        column.told = field is not None
        if field is None and self._results is not None:
            column.match = self._results.get(column.name)
        elif field is None:
            column.match = match_name(column.name)
            if column.name == csv_names.PAYLOAD and not any(c.name in csv_names.OF_RESULTS for c in self.columns):
                column.match = None
            # Nothing in our own files is known by another name.
            if column.match and self.ours and column.match.rank > 1:
                column.match = None
        elif field == "ignore":
            column.why = "as the command line says"
        else:
            column.match = csv_names.match_told(field, column.name)
            if not column.match:
                self._refuse(f"--columns or --column names the field '{field[:60]}', which is not known: fields are "
                             "mode, size, threads, round, throughput, latency, cycles and others (man "
                             "netiotrace-report).")

    def _settle(self, a: Column, b: Column) -> None:
        """Of two columns for one field: the one the user names, else the more specific name."""
        assert a.match and b.match
        modes_a, modes_b = (c.holds_modes(self.options) for c in (a, b))
        if a.told != b.told:
            first = a.told
        elif a.told or same(a.name, b.name):
            self._refuse(f"columns '{a.name[:60]}' and '{b.name[:60]}' are the same number: say --column "
                         f"'{b.name[:60]}=ignore' or another field.")
        elif a.holds("Mode") and modes_a != modes_b:
            first = modes_a
        else:
            first = a.match.rank <= b.match.rank
        (b if first else a).leave(a if first else b)

    def _settle_all(self) -> None:
        first: dict[str, Column] = {}
        for column in self.columns:
            key = column.match.key if column.match else "Environment"
            if key != "Environment" and key in first:
                self._settle(first[key], column)
            if key != "Environment" and column.match:
                first[key] = column

    def _column(self, key: str) -> Column | None:
        return next((c for c in self.columns if c.holds(key)), None)

    def _check_told(self) -> None:
        for ours, theirs in self.options.columns_list:
            if not ours or not theirs:
                self._refuse(f"--columns takes OURS=THEIRS, not '{ours}{theirs}'.")
            if theirs not in self.names:
                self._refuse(f"there is no column '{theirs[:60]}', which --columns names.")

    def _find_modes(self) -> None:
        """A column that is not called mode, but holds the names of modes."""
        named = self._column("Mode")
        if named and (named.told or named.holds_modes(self.options)):
            return
        found = [c for c in self.columns if not c.match and not c.told and c.holds_mode_names()]
        if len(found) != 1:
            return
        if named:
            named.leave(found[0])
        found[0].match, found[0].why = match_name("mode"), ""

    def _refuse_without(self, field: str) -> NoReturn:
        for column in self.columns if field == "mode" else []:
            bare = any((mode_number(level) or (0, False))[1] for level in column.levels)
            if not column.match and not bare and len(column.levels) > 1 and column.holds_modes(self.options):
                self._refuse(f"there is no column 'mode', but '{column.name[:60]}' holds {column.values()}: say "
                             f"--column '{column.name[:60]}=mode'.")
        if self._wide.nameless:
            self._refuse(f"there is no column '{field}', and the names of {named(self._wide.nameless)} do "
                         f"not say what number they hold: say --column "
                         f"'{self._wide.nameless[0][:60]}=throughput_gbps', or another field, and so for each of them.")
        unread = [c.name[:20] for c in self.columns if not c.match and c.name]
        self._refuse(f"there is no column '{field}' (columns: {items(unread, 'all are other fields')}): say --column "
                     f"NAME={field} for the one that holds it.")

    def _classify(self) -> None:
        for column in self.columns:
            self._classify_one(column)
        self._settle_all()
        self._check_told()
        size = self._column("Size")
        for column in self.columns:
            if size and column.holds("FieldSize"):
                column.leave(size)
        if not self.ours:
            self._find_modes()
        if not self._column("Mode"):
            self._refuse_without("mode")
        if not size and not self._column("FieldSize"):
            self._refuse_without("size")

    # -- the rows

    def _number(self, column: Column, text: str) -> float | None:
        assert column.match
        try:
            value, rest = number_of(text, self._decimal_comma)
            unit = find_unit(flat_unit(rest), column.match.dimension) if rest else (column.match.scale, "")
            if rest and unit and flat_unit(rest) in OPEN_UNITS:
                column.match = column.match._replace(unit=unit[1], assumed=True)
            if unit is None:
                raise ValueError
        except ValueError:
            self._refuse(f"column '{column.name[:60]}' has '{text[:60]}', which is not a number.")
        return None if value is None else value * unit[0]

    def _count(self, column: Column, text: str, most: int) -> int | None:
        value = self._number(column, text)
        if value is not None and not (0 <= value <= most and value == int(value)):
            self._refuse(f"column '{column.name[:60]}' has '{text[:60]}', which is not a valid count.")
        return None if value is None else int(value)

    def _read_mode(self, column: Column, text: str) -> Mode:
        mode = column.mode_of(text, self.options, self.ours)
        if mode is None:
            self._refuse(f"'{text[:60]}' is not a mode: {mode_list()} are; --modes can say what others stand for. "
                         f"Column '{column.name[:60]}' holds {column.values() if column.levels else text[:24]}.")
        return mode

    def _read_number(self, row: CsvRow, column: Column, key: str, text: str) -> None:
        value = self._number(column, text)
        if value is None:
            return
        if value < 0 and key not in MAY_BE_NEGATIVE:
            self._refuse(f"column '{column.name[:60]}' holds '{text[:60]}', and can hold nothing below 0: what "
                         "was not measured is left empty.")
        row.values[key] = value

    def _check_length(self, cells: list[str]) -> None:
        n, named = len(cells), len(self.names)
        if not self.ours:
            while named and not self.names[named - 1]:
                named -= 1
            while n > len(self.names) and not cells[n - 1]:
                n -= 1
        if not named <= n <= len(self.names):
            self._refuse(f"{n} cells where the header has {named}: is the file truncated?")
        cells += [""] * (len(self.names) - n)

    def _read_row(self, cells: list[str]) -> None:
        if len(self.rows) == _ROWS_MAX:
            self._refuse(f"more than {_ROWS_MAX} rows.")
        row = CsvRow(self._line)
        counts: dict[str, int | None] = {}
        for column in self.columns[:len(cells)]:
            if column.match:
                self._read_cell(row, counts, column, cells[column.at])
        field_size, fields = counts.get("FieldSize"), counts.get("Fields")
        if counts.get("Size") is None and field_size is not None:
            self._field_sizes += fields is None
            counts["Size"] = field_size * (_FIELDS_DEFAULT if fields is None else fields)
        row.size, row.threads, row.round = (counts.get(key) or 0 for key in ("Size", "Threads", "Round"))
        if not row.size:
            self._refuse("a run without a message size.")
        if not self.ours:
            self._drop_stopped(row)
        self.rows.append(row)

    def _read_cell(self, row: CsvRow, counts: dict[str, int | None], column: Column, text: str) -> None:
        assert column.match
        key = column.match.key
        if column.match.is_number:
            self._read_number(row, column, key, text)
        elif key == "Mode":
            row.mode = self._read_mode(column, text)
        elif key == "Fields":
            row.fields = text or None
            if not self.ours:
                counts[key] = self._count(column, text, _LIMITS[key])
        elif key in _LIMITS:
            counts[key] = self._count(column, text, _LIMITS[key])
        elif key == "Interrupted":
            row.interrupted = text.lower() == "true"
        elif key == "Verdict":
            row.verdict = text or None
        elif key == "Environment":
            row.environment += ((column.name.removeprefix(ENVIRONMENT), text or None),)

    def _drop_stopped(self, row: CsvRow) -> None:
        """A run without one cycle is none: its counters did not count."""
        if row.values.get("perf.cycles") == 0 or row.values.get("perf.instructions") == 0:
            row.values = {k: v for k, v in row.values.items() if k not in HARDWARE or v != 0}
            self._stopped += 1

    def _take_notes(self) -> None:
        if self._wide.spread:
            self.notes.append(f"{self.base_name}: the names of {named(self._wide.spread)} are "
                              f"read as {items(self._wide.levels)}: each row of the file is a run of each.")
        if self._field_sizes:
            column = self._column("FieldSize")
            assert column
            self.notes.append(f"{self.base_name}: the message size is {column.name[:40]} x {_FIELDS_DEFAULT}, since "
                              "the data does not say how many fields a message has.")
        if self._stopped:
            self.notes.append(f"{self.base_name}: in {self._stopped} row{plural(self._stopped)} no cycle or no "
                              "instruction was counted: hardware counters of 0 in these rows are read as unknown.")
        if self.options.rounds_from_repeats:
            self.notes.append("Rows that agree in mode, size and threads are taken for rounds, as "
                              "--rounds-from-repeats says.")

    # -- rows that agree are rounds only if a column or the user says so: pooling others would give false intervals

    def _check_repeats(self) -> None:
        rows = sorted(self.rows, key=lambda row: (row.key, row.line))
        every = len(rows) > 1 and self._column("Round") is not None and len({row.round for row in rows}) == len(rows)
        # Rows of different settings are not pooled: the reader of the documents refuses them.
        repeated = next(((a, b) for a, b in zip(rows, rows[1:]) if a.key == b.key and a.settings == b.settings), None)
        if every and not self.options.rounds_from_repeats:
            self._refuse_mixed()
        if every or (repeated and self.options.rounds_from_repeats):
            before = None
            for row in rows:
                row.round = before.round + 1 if before and before.cell == row.cell else 0
                before = row
        elif repeated:
            self._refuse_repeat(*repeated, self._distinguishing())

    def _refuse_mixed(self) -> None:
        """Refuses rows of a cell between which an unread column of few repeated values differs: it may be a setting."""
        columns = [c for c in self.columns if not c.match and not c.why and len(c.levels) > 1 and not c.more]
        for column in columns:
            values = [cells[column.at] if column.at < len(cells) else "" for cells in self._records()]
            known = [(row, value) for row, value in zip(self.rows, values) if not missing(value)]
            first: dict[tuple[int, int, int], tuple[CsvRow, str]] = {}
            differ = next(((first[row.cell][0], row) for row, value in known
                           if first.setdefault(row.cell, (row, value))[1] != value), None)
            if differ and min(Counter(value for _, value in known).values()) > 1:
                self._refuse_repeat(*differ, column)

    def _distinguishing(self) -> Column | None:
        """The unread column that may tell repeated rows apart: few repeated values are settings."""
        columns = [c for c in self.columns if not c.match and len(c.levels) > 1]
        return min(columns, key=lambda c: (c.more, len(c.levels)), default=None)

    def _possible_field(self, column: Column) -> str | None:
        try:
            counts = [number_of(level, self._decimal_comma) for level in column.levels]
        except ValueError:
            return None
        if any(rest or value is None or value < 0 or value != int(value) for value, rest in counts):
            return None
        if column.more and column.low is not None and column.low < 0:
            return None
        return "threads" if not self._column("Threads") else "round" if not self._column("Round") else None

    def _refuse_repeat(self, a: CsvRow, b: CsvRow, column: Column | None) -> NoReturn:
        self._line = b.line
        if not column:
            self._refuse(f"this row and line {a.line} agree in mode, size and threads"
                         f"{' and round' if self._column('Round') else ''}: say --rounds-from-repeats if such rows are "
                         "rounds, or remove one.")
        field = self._possible_field(column)
        remedy = f"say --column '{column.name[:60]}={field}' if it is that, or " if field else ""
        self._refuse(f"this row and line {a.line} agree in mode, size and threads; the column '{column.name[:60]}' "
                     f"({column.values()[:120]}) may tell them apart, and is not read: {remedy}keep the rows of one "
                     "value, or say --rounds-from-repeats if such rows are rounds.")

    def _check_text(self) -> None:
        if b"\0" in self._data:
            wide = self._data[:2] in (b"\xff\xfe", b"\xfe\xff")
            raise Refused(f"{self.name}: "
                          f"{'this is UTF-16: save it as CSV in UTF-8' if wide else 'this is not a text file'}.")

    def read(self) -> None:
        """Columns, rows and notes."""
        self._check_text()
        self._find_header()
        if not self.ours:
            self._find_levels()
        self._line = self._body
        self._classify()
        for cells in self._records(check=True):
            self._read_row(cells)
        # Our files end their last line. A cut number would look complete.
        if self.ours and not self._data.endswith(b"\n"):
            self._refuse("the file ends within a line: it is truncated.")
        if not self.rows:
            self._refuse("there is a header, but no run.")
        if not self.ours:
            self._check_repeats()
            self._take_notes()

    # -- how it was read

    def described(self) -> Iterator[Described]:
        """The columns, as far as they are known."""
        for column in self.columns:
            if column.name or column.levels:
                match = column.match
                yield Described(printable(column.name[:NAME_LEN]), match.field if match else None,
                                match.unit if match else "", bool(match and match.assumed),
                                printable(self._values_of(column)), printable(column.why),
                                tuple(map(printable, self._wide.originals.get(column.name, [column.name]))))

    def _values_of(self, column: Column) -> str:
        if column.holds("Mode"):
            modes = [(level, column.mode_of(level, self.options)) for level in column.levels]
            text = items([f"{level[:40]} = {mode.words}" for level, mode in modes if mode], "")
        elif column.more and column.low is not None:
            text = f"{column.low:.15g} to {column.high:.15g}"
        else:
            text = column.values() if column.levels else ""
        return text + (f"{', ' if column.levels else ''}{column.unknown} unknown" if column.unknown else "")
