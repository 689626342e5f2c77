# SPDX-License-Identifier: GPL-2.0-only
"""Wide tables: columns whose names hold a mode, round, thread count or size beside a number, as "twocopy_gbps_seed1".

A row of such a table becomes a row for each mode, round and so on of the names.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from .csv_names import Match, match_name, mode_by_name, mode_by_word
from .csv_units import find_unit, flat_unit, missing, number_of
from .tables import Mode

_BEFORE, _AFTER = r"(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]))", r"(?![a-z0-9])"
# Field -> the levels in a name; the first group that is there is the value.
_LEVELS = {field: re.compile(_BEFORE + pattern + _AFTER) for field, pattern in (
    ("mode", r"((?i:two|one|zero|[210])[ _-]?(?i:copy)|(?i:sendfile|splice|uring[ _-]?zc|uring|ktls)|[Aa][123])"),
    ("round", r"(?i:seed|round|run|repetition|rep|trial|iteration|iter|r)[ _=#-]?([0-9]{1,9})"),
    ("threads", r"(?:(?i:threads|thread|t)[ _=-]?([0-9]{1,6})|([0-9]{1,6})[ _-]?(?i:threads|thread|t))"),
    ("size", r"([0-9]{1,12} ?(?i:[kmg]i?b|[kmg]|bytes|b))"))}


def _split(name: str) -> tuple[dict[str, str], str]:
    """The levels in a name, and what is left of it."""
    levels = {}
    for field, pattern in _LEVELS.items():
        match = pattern.search(name)
        if match:
            levels[field] = next(group for group in match.groups() if group)
            name = f"{name[:match.start()].rstrip(' _.:/-')} {name[match.end():].lstrip(' _.:/-')}".strip()
    return levels, name


def _level(field: str, text: str, scale: float, decimal_comma: bool) -> float | Mode | None:
    """None: unclear."""
    if field == "mode":
        return None if text.isdigit() else mode_by_name(text) or mode_by_word(text)  # 1 may be A1 or A2
    try:
        value, rest = number_of(text, decimal_comma)
    except ValueError:
        return None
    unit = find_unit(flat_unit(rest), field) if rest and field == "size" else (scale, "")
    return None if value is None or unit is None else value * unit[0]


class Wide:
    """How the records of a wide table become rows. header: the names of the columns of these rows."""

    def __init__(self, names: Sequence[str], told_field: Callable[[str], str | None]) -> None:
        self.nameless: list[str] = []  # columns that are named after levels, and after no number
        self._names = names
        self._shared: list[int] = []
        self._places: dict[tuple[str, ...], dict[str, int]] = {}  # levels -> number -> column
        told = [told_field(name) for name in names]
        known = {m.key for m in map(self._match, names, told) if m}
        found: list[tuple[dict[str, str], str, int]] = []
        self._repeated: list[tuple[int, str, str]] = []  # columns, and levels in their names that a column has too
        same: dict[Match, str] = {}  # the first name of each number
        for at, name in enumerate(names):
            levels, rest = _split(name) if told[at] != "ignore" else ({}, name)
            of_columns = {field: level for field, level in levels.items() if field.capitalize() in known}
            levels = {field: level for field, level in levels.items() if field not in of_columns}
            number = told[at] or rest
            match = match_name(number)
            if levels and match and match.is_number and (told[at] or not match_name(name)):
                found.append((levels, same.setdefault(match, number), at))
                self._repeated += [(at, field, level) for field, level in of_columns.items()]
            else:
                self._shared.append(at)
                if levels and not match_name(name):
                    self.nameless.append(name)
        fields = list(found[0][0]) if found else []
        for levels, number, at in found:
            self._places.setdefault(tuple(levels.values()), {})[number] = at
        if ((len(self._places) < 2 and "mode" not in fields) or any(list(levels) != fields for levels, _, _ in found)
                or sum(map(len, self._places.values())) < len(found)):
            self._places, self._repeated, self._shared, fields, found = {}, [], list(range(len(names))), [], []
        self._columns = {field: (at, match) for field in _LEVELS for at in self._shared[::-1]
                         if (match := self._match(names[at], told[at])) and match.key == field.capitalize()}
        self._numbers = list(dict.fromkeys(number for numbers in self._places.values() for number in numbers))
        self.spread = [names[at] for _, _, at in found]  # columns that become rows
        self.originals: dict[str, list[str]] = {}  # number -> names of the file
        for _, number, at in found:
            self.originals.setdefault(number, []).append(names[at])
        self.header = [names[at] for at in self._shared] + fields + self._numbers
        self.levels = [" ".join(map(" ".join, zip(fields, levels))) for levels in self._places]

    @staticmethod
    def _match(name: str, told: str | None) -> Match | None:
        return match_name(told or name) if not told or not _split(name)[0] else None

    def contradiction(self, cells: list[str], decimal_comma: bool) -> str | None:
        """A sentence, if the name of a column with a cell says another level than the column of this level."""
        for at, field, level in self._repeated:
            column, match = self._columns.get(field, (at, None))
            if match is None or missing(cells[at]) or missing(cells[column]):
                continue
            told = _level(field, level, 1, False)
            value = _level(field, cells[column], match.scale, decimal_comma)
            if told is not None and value is not None and told != value:
                return (f"the name of column '{self._names[at][:60]}' says {field} {level}, and column "
                        f"'{self._names[column][:60]}' has '{cells[column][:60]}'.")
        return None

    def rows(self, cells: list[str]) -> Iterator[list[str]]:
        """A record with a cell for each name, as rows; one for levels without a cell is none."""
        if not self._places:
            yield cells
        for levels, numbers in self._places.items():
            values = [cells[numbers[n]] if n in numbers else "" for n in self._numbers]
            if any(values):
                yield [*(cells[at] for at in self._shared), *levels, *values]
