# SPDX-License-Identifier: GPL-2.0-only
"""The records of a CSV text (RFC 4180; the separator may also be ';' or a tab), and texts for sentences on them."""
from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from .units import items

# A file beyond these is damaged or hostile.
LINE_MAX = 1 << 24  # characters of a record
_LINES_MAX = 1 << 22
CELL_MAX = 1 << 20
CELLS_MAX = 16384

TOO_LARGE = f"more than {CELLS_MAX} cells in a line, or {CELL_MAX} bytes in a cell: not a file of results."


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def named(names: Sequence[str]) -> str:
    return items([f"'{printable(name[:40])}'" for name in names])


class Records:
    """The records with their lines. comments: lines that begin with # are none. csv.Error, with a sentence: no CSV."""

    def __init__(self, data: bytes, separator: str, skip_lines: int = 0, comments: bool = False) -> None:
        csv.field_size_limit(CELL_MAX)
        self._stream = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "surrogateescape", newline="")
        self._separator, self._comments = separator, comments
        self._beginning = self._ended = False
        self._length = 0  # of the record
        self.read = self.line = 0  # lines read; where the record begins
        for _ in range(skip_lines):
            self.next_line()

    def next_line(self) -> str:
        line = self._stream.readline(LINE_MAX)
        self.read += bool(line)
        if self.read > _LINES_MAX:
            raise csv.Error(f"more than {_LINES_MAX} lines")
        return line

    def _lines(self) -> Iterator[str]:
        """Lines of one record after another; csv.reader asks for a line when it needs one."""
        while True:
            line = self.next_line()
            while self._beginning and self._comments and line.startswith("#"):
                line = self.next_line()
            if not line:
                self._ended = True
                return
            if self._beginning:
                self.line, self._length, self._beginning = self.read, 0, False
            self._length += len(line)
            if self._length >= LINE_MAX:
                raise csv.Error("field larger than field limit")
            yield line

    def __iter__(self) -> Iterator[list[str]]:
        reader = csv.reader(self._lines(), delimiter=self._separator)
        self._ended = False
        while True:
            self._beginning = True
            self.line = self.read + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise csv.Error(TOO_LARGE if "limit" in str(error) else f"{printable(str(error))}.") from None
            if cells is None:
                return
            if self._ended:
                raise csv.Error("a quoted cell never ends: is the file truncated?")
            if len(cells) > CELLS_MAX:
                raise csv.Error(TOO_LARGE)
            yield cells or [""]


def record_of(lines: Sequence[str], separator: str) -> tuple[list[str] | None, int]:
    """The record that begins with the first of these lines, and its number of lines. None: it is damaged."""
    records = Records("".join(lines).encode("utf-8", "surrogateescape"), separator)
    try:
        cells = next(iter(records), None)
    except csv.Error:
        return None, 1
    return cells, max(records.read, 1)
