# SPDX-License-Identifier: GPL-2.0-only
"""The command line of `netiotrace report`."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .. import units
from ..command_line import CSV_OPTIONS, Option, take_csv_option, UsageError
from ..command_line import parse as parse_words
from ..dataset import Names

INPUTS_MAX = 16

_OPTIONS = (
    Option("output", "DIR", letter="o"),
    Option("duration", "TIME"),
    *CSV_OPTIONS,
    Option("explain"),
    Option("quiet", letter="q"),
)
_PLAIN = re.compile("[A-Za-z0-9_./,:=@%+-]+")  # words that a shell takes as they are


@dataclass
class Options:
    """The command line. duration_s: of runs that do not say; NaN: none."""

    argv: Sequence[str]  # the arguments as given
    inputs: list[str] = field(default_factory=list)
    output: str = ""
    is_in_input: bool = False  # the output is in the input, a directory
    names: Names = field(default_factory=Names)
    duration_s: float = math.nan
    explain: bool = False
    quiet: bool = False
    is_one_of_several: bool = False  # reports, one for each congestion control

    def command(self) -> str:
        """As given. Of one of several reports: with options that name it."""
        words = ["netiotrace", "report", *self.argv]
        if self.is_one_of_several:
            words += ["--congestion", self.names.congestion or "", "-o", self.output]
        return " ".join(w if _PLAIN.fullmatch(w) else "'" + w.replace("'", r"'\''") + "'" for w in words)


def _seconds(text: str) -> float:
    ns = units.parse_duration(text)
    if not ns:
        raise UsageError(f"--duration takes a time above 0 such as 5s, not '{text}'.")
    return ns / 1e9


def _set_default_output(o: Options) -> None:
    """results/ -> results/report; data/x.csv -> data/x-report."""
    stem, suffix = os.path.splitext(o.inputs[0])
    o.is_in_input = suffix not in (".csv", ".json")
    o.output = f"{o.inputs[0].rstrip('/')}/report" if o.is_in_input else f"{stem}-report"


def parse(argv: Sequence[str]) -> Options:
    """Of the arguments behind "report". UsageError: one sentence."""
    o = Options(argv)
    pairs, o.inputs = parse_words("report", _OPTIONS, argv)
    for name, value in pairs:
        if take_csv_option(o.names, name, value):
            continue
        if name == "duration":
            o.duration_s = _seconds(value)
        elif name == "output" and not value:
            raise UsageError("--output takes the name of a directory, not ''.")
        else:
            setattr(o, name, value or True)
    if len(o.inputs) > INPUTS_MAX:
        raise UsageError(f"report takes up to {INPUTS_MAX} files, not '{o.inputs[INPUTS_MAX]}'.")
    if not o.inputs or not o.inputs[0]:
        raise UsageError("report needs a results directory or a CSV file.")
    if not o.output:
        _set_default_output(o)
    return o
