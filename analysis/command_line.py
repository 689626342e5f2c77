# SPDX-License-Identifier: GPL-2.0-only
"""Command lines of report and compare, and messages on stderr."""
from __future__ import annotations

import getopt
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from . import units
from .dataset import Names

EXIT_DONE, EXIT_RUN_FAILED, EXIT_USAGE, EXIT_ASSERTION = 0, 1, 2, 5
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # end a command
_COLUMNS_MAX = 64


class Failed(Exception):
    """What ends a command: one sentence, and the exit status."""

    def __init__(self, sentence: str, code: int = EXIT_RUN_FAILED) -> None:
        super().__init__(sentence)
        self.code = code


class UsageError(Failed):
    """A command line that cannot be followed."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, EXIT_USAGE)


def discard(stream: TextIO) -> None:
    """What the stream holds and could not write: Python would try again at its end, and change the exit status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def error(sentence: str) -> None:
    """The sentence on stderr; the exit status has to tell where that cannot be written."""
    try:
        print("netiotrace: " + units.printable_lines(sentence), file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def fail(problem: Failed) -> int:
    """Its exit status, after its sentence."""
    error(str(problem))
    return problem.code


def refuse(problem: object) -> int:
    """The sentence for netiotrace, which prints it. An exit status."""
    print(units.printable_lines(str(problem)), file=sys.stderr)
    return EXIT_RUN_FAILED


def parse(command: str, options: Sequence[str], letters: Mapping[str, str], argv: Sequence[str],
          names: Names) -> tuple[Iterator[tuple[str, str]], list[str]]:
    """Options by name with their values, in order, and operands. Those on how CSV files are read are kept in names.

    options: those that take a value have a "=" behind their names; letters: of their short forms.
    """
    short = "".join(letter + ":" * (name + "=" in options) for letter, name in letters.items())
    try:
        pairs, operands = getopt.gnu_getopt(list(argv), short, [*options, *_CSV_OPTIONS])
    except getopt.GetoptError as problem:
        raise UsageError(f"{command}: {problem.msg}; 'netiotrace {command} --help' lists its options.") from None
    return _without_csv_options(((letters.get(name[1:], name[2:]), value) for name, value in pairs), names), operands


_CSV_OPTIONS = ("columns=", "column=", "modes=", "congestion=", "rounds-from-repeats")


def _without_csv_options(pairs: Iterable[tuple[str, str]], names: Names) -> Iterator[tuple[str, str]]:
    for name, value in pairs:
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
            yield name, value
