# SPDX-License-Identifier: GPL-2.0-only
"""Command lines of report and compare, and messages on stderr."""
from __future__ import annotations

import getopt
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from . import units
from .dataset import Names

EXIT_DONE, EXIT_RUN_FAILED, EXIT_USAGE, EXIT_ASSERTION = 0, 1, 2, 5
_COLUMNS_MAX = 64


class UsageError(Exception):
    """A command line that cannot be followed: one sentence."""


@dataclass(frozen=True)
class Option:
    """arg: the placeholder of its value; "": it has none."""

    name: str
    arg: str = ""
    letter: str = ""


# How CSV files of other tools are read.
CSV_OPTIONS = (Option("columns", "LIST"), Option("column", "NAME=FIELD"), Option("modes", "LIST"),
               Option("congestion", "NAME"), Option("rounds-from-repeats"))


def error(sentence: str) -> None:
    """The sentence on stderr."""
    print("netiotrace: " + units.printable_lines(sentence), file=sys.stderr)


def parse(command: str, options: Sequence[Option], argv: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Options by name with their values, in order, and operands."""
    letters = "".join(o.letter + ":" * bool(o.arg) for o in options if o.letter)
    names = [o.name + "=" * bool(o.arg) for o in options]
    try:
        pairs, operands = getopt.gnu_getopt(list(argv), letters, names)
    except getopt.GetoptError as problem:
        raise UsageError(f"{command}: {problem.msg}; 'netiotrace {command} --help' lists its options.") from None
    by_letter = {"-" + o.letter: o.name for o in options if o.letter}
    return [(by_letter.get(name) or name[2:], value) for name, value in pairs], operands


def take_csv_option(names: Names, name: str, value: str) -> bool:
    """Keeps one of CSV_OPTIONS; False: it is another."""
    if name == "column":
        if len(names.column) == _COLUMNS_MAX:
            raise UsageError(f"more than {_COLUMNS_MAX} times --column.")
        if value.rfind("=") < 1:
            raise UsageError(f"--column takes NAME=FIELD, not '{value}'.")
        names.column.append(value)
    elif name in ("columns", "modes", "congestion"):
        setattr(names, name, value)
    elif name == "rounds-from-repeats":
        names.rounds_from_repeats = True
    else:
        return False
    return True
