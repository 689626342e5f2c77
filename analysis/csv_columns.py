# SPDX-License-Identifier: GPL-2.0-only
"""The columns of a CSV file: what the user says of them, their values, and the modes that these name."""
from __future__ import annotations

from .command_line import EXIT_USAGE
from .csv_names import FIELDS, is_numbered, Match, match_name, mode_by_name, mode_by_word, mode_number, NAME_LEN
from .csv_units import missing, number_of
from .dataset import Names
from .documents import Refused
from .tables import Mode, MODES
from .units import items

_LEVELS_MAX = 8  # different values of a column that are kept


def _told_column(text: str) -> tuple[str, str]:
    theirs, equals, name = text.rpartition("=")
    if not equals or not theirs or len(theirs) > NAME_LEN:
        raise Refused(f"--column '{text}': it takes NAME=FIELD.", EXIT_USAGE)
    if name != "ignore" and not match_name(name):
        raise Refused(f"--column '{text}': fields are {', '.join(f.name for f in FIELDS)}, or ignore.", EXIT_USAGE)
    return theirs, name


class Options:
    """The user's options, split up. Of two entries for a name the first holds. Refused: an option is wrong."""

    def __init__(self, names: Names) -> None:
        self.columns_list = [entry.partition("=")[::2] for entry in (names.columns or "").split(",") if entry]
        self.columns = {theirs: ours for ours, theirs in self.columns_list[::-1]}
        modes = [entry.partition("=") for entry in (names.modes or "").split(",")]
        self.modes = {theirs: ours for theirs, equals, ours in modes[::-1] if equals}
        self.column = [_told_column(text) for text in names.column]  # (theirs, ours)
        self.rounds_from_repeats = names.rounds_from_repeats


class Column:
    """A column of a file: its name, values and field."""

    def __init__(self, name: str, at: int) -> None:
        self.name, self.at = name, at
        self.match: Match | None = None  # not read
        self.told = False  # the command line names it
        self.why = ""      # it is not read
        self.levels: list[str] = []
        self.more = False  # values than these
        self.low: float | None = None
        self.high: float | None = None
        self.unknown = 0
        self._one_based = False

    def holds(self, key: str) -> bool:
        """Is it read as this key of a run?"""
        return self.match is not None and self.match.key == key

    def leave(self, instead: Column) -> None:
        """It is not read, since another column holds the same number."""
        assert self.match
        self.why, self.match = f"{self.match.field} is read from '{instead.name[:60]}'", None

    def add(self, text: str, decimal_comma: bool) -> None:
        if missing(text):
            self.unknown += 1
            return
        if text not in self.levels:
            if len(self.levels) < _LEVELS_MAX:
                self.levels.append(text[:NAME_LEN])
            else:
                self.more = True
        try:
            value = number_of(text, decimal_comma)[0]
        except ValueError:
            return
        if value is not None:
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)

    def find_base(self) -> None:
        """0, 1, 2 are two-copy, one-copy, zero-copy; so are 1, 2, 3. After letters numbers begin with 1 unless there
        is a 0."""
        if is_numbered(self.levels):
            numbers = [n for n in map(mode_number, self.levels) if n]
            seen = {n for n, _ in numbers}
            self._one_based = 0 not in seen and (not numbers[-1][1] or seen >= {1, 2, 3})

    def values(self) -> str:
        return items([level[:24] for level in self.levels], "nothing") + (" and others" if self.more else "")

    def mode_of(self, text: str, options: Options, ours: bool = False) -> Mode | None:
        """The mode that a value means; None: none."""
        if text in options.modes:
            return mode_by_name(options.modes[text])
        number, bare = mode_number(text) or (None, False)
        if self.match and self.match.field == "copies" and number is not None and number < 3:
            return MODES[2 - number]
        if self._one_based and number:
            return MODES[number - 1]
        mode = mode_by_name(text)
        if mode is None and not ours:
            mode = mode_by_word(text)
        if mode is None and number is not None and number < 3 and not bare and is_numbered(self.levels):
            mode = MODES[number]
        return mode

    def holds_modes(self, options: Options) -> bool:
        return bool(self.levels) and not self.more and all(
            self.mode_of(level, options) is not None for level in self.levels)

    def holds_mode_names(self) -> bool:
        """Is each value the name of another mode? Numbers and numbered words are not enough."""
        modes = [None if level.isdigit() else mode_by_name(level) or mode_by_word(level) for level in self.levels]
        return len(modes) > 1 and not self.more and None not in modes and len(set(modes)) == len(modes)
