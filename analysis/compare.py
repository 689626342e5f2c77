# SPDX-License-Identifier: GPL-2.0-only
"""The compare command: what changed between two result sets, and is it outside the noise."""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import command_line, compare_output, files, json_text, metric, phrases, stats, units
from .changes import Change, Changes, Gate, parse_metric
from .command_line import error, Option, UsageError
from .dataset import Names
from .documents import Refused
from .load import load_files
from .metric import Metric, NAN
from .study import Analysis, Cell
from .units import plural

_PERCENT_MAX = 1000.0
_NAMED_MAX = 8  # cells that are named; of more there is a count
_OPTIONS = (Option("metrics", "LIST"), Option("all"), Option("fail-on-regression", "PERCENT"), Option("json", "FILE"),
            Option("across", "LIST"), *command_line.CSV_OPTIONS, Option("quiet", letter="q"))


@dataclass
class Options:
    """The command line. limit: of --fail-on-regression, 0.05 for 5 %; NaN: none."""

    before: str = ""
    after: str = ""
    across: list[str] = field(default_factory=list)  # settings that may differ
    names: Names = field(default_factory=Names)
    json: str | None = None
    limit: float = NAN
    metrics: list[Metric] = field(default_factory=list)
    gate: list[Metric] | None = None  # None: the default of Changes
    all: bool = False
    quiet: bool = False


def _parse_metrics(text: str) -> list[Metric]:
    metrics = []
    for name in text.split(","):
        m = parse_metric(name)
        if m is None:
            raise UsageError(f"--metrics has no metric '{name}': see netiotrace compare --help.")
        metrics.append(m)
    return metrics


def _parse_limit(text: str) -> float:
    """ "5%" or "5"."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?)%?", text)
    if not match or float(match[1]) > _PERCENT_MAX:
        raise UsageError(f"--fail-on-regression takes 0 to 1000 percent, not '{text}'.")
    return float(match[1]) / 100


def parse_options(argv: Sequence[str]) -> Options:
    """UsageError: one sentence."""
    o = Options()
    pairs, operands = command_line.parse("compare", _OPTIONS, argv)
    for name, value in pairs:
        if command_line.take_csv_option(o.names, name, value):
            continue
        if name == "metrics":
            o.gate = (o.gate or []) + _parse_metrics(value)
        elif name == "fail-on-regression":
            o.limit = _parse_limit(value)
        elif name == "across":
            o.across = value.split(",")
        else:
            setattr(o, name, value or True)
    if len(operands) > 2:
        raise UsageError(f"'{operands[2]}' is one argument too many: compare takes two.")
    if len(operands) < 2:
        raise UsageError("compare takes two results directories or CSV files: netiotrace compare BEFORE AFTER.")
    o.before, o.after = operands
    o.metrics = [m for m in metric.ALL if m.is_compared] if o.gate is None else o.gate
    return o


def _cell(cell: Cell) -> str:
    return f"{cell.mode.name} {units.size_short(cell.size)}" + (f" t{cell.threads}" if cell.threads else "")


def _report_untestable(c: Changes, o: Options) -> None:
    """The cells that the gate cannot test, the first of them named."""
    found = [f"{_cell(cell)} ({why[0].value}{why[1].name if why[1] else ''})"
             for cell in c.before.cells if (why := c.untestable(cell))]
    if not found:
        return
    more = f" and {len(found) - _NAMED_MAX} more" if len(found) > _NAMED_MAX else ""
    of = len(c.before.cells)
    error(f"--fail-on-regression cannot tell whether {len(found)} of {of} cell{plural(of)} of {o.before} got worse in "
          f"{o.after}: {', '.join(found[:_NAMED_MAX])}{more}.")


def _report_regression(c: Change) -> None:
    interval = phrases.change_interval(c.f.low, c.f.high)
    error(f"regression: {_cell(c.before)} {c.metric.name}: {phrases.value(c.metric, c.f.b.median)} -> "
          f"{phrases.value(c.metric, c.f.a.median)}, {phrases.change(c.f.change)}"
          + (f" ({interval})." if interval else "."))


def _exit_code(c: Changes, o: Options) -> int:
    """EXIT_ASSERTION for a regression, EXIT_RUN_FAILED if some cell of the first data set could not be tested; says
    why."""
    gate = c.gate(o.limit, o.across)
    if gate is Gate.FAILED:
        _report_untestable(c, o)
        for change in c.list:
            if change.is_regression(o.limit):
                _report_regression(change)
        error(compare_output.failed_words(c, o.limit))
        return command_line.EXIT_ASSERTION
    if gate is not Gate.CANNOT_TELL:
        return command_line.EXIT_DONE
    differs = c.made_otherwise(o.across)
    if differs is not None:
        error(f"--fail-on-regression cannot tell: {o.before} and {o.after} differ in the setting {differs}; if you "
              f"compare just that, add --across {differs}.")
    elif not c.gated:
        most = max((c.tests[m] for m in c.gates), default=1)
        error("--fail-on-regression cannot tell: it needs throughput or CPU time of "
              f"{stats.rounds_needed(max(most, 1))} rounds on each side.")
    else:
        _report_untestable(c, o)
    return command_line.EXIT_RUN_FAILED


def _load(name: str, names: Names) -> Analysis:
    d = load_files([name], names=names)
    if d.others and names.congestion is None:
        raise UsageError(f"{name} has runs with {d.congestion} and with {d.others[0]}: say --congestion {d.congestion} "
                         "to compare those.")
    return Analysis(d)


def _compare(before: Analysis, after: Analysis, o: Options, out: files.Output | None) -> int:
    c = Changes(before, after, o.metrics, o.gate)
    code = command_line.EXIT_DONE
    if out:
        document = compare_output.document(c, o.before, o.after, o.limit, o.across)
        try:
            out.write(json_text.document(document) + "\n")
        except OSError as problem:
            error(f"cannot write {o.json}: {problem.strerror}.")
            code = command_line.EXIT_RUN_FAILED
    if not o.quiet and o.json != "-":
        print(compare_output.text(c, o.before, o.after, o.limit, o.across, o.all), end="")
    if not code and not c.cells:
        error(f"{o.before} and {o.after} have no cell in common: nothing can be compared.")
        code = command_line.EXIT_RUN_FAILED
    return code or _exit_code(c, o)


def main(argv: Sequence[str]) -> int:
    """The exit status."""
    out = None
    try:
        o = parse_options(argv)
        if o.json is not None:
            try:
                out = files.Output(o.json)
            except OSError as problem:
                raise UsageError(f"cannot write {o.json}: {problem.strerror}.") from None
        before, after = _load(o.before, o.names), _load(o.after, o.names)
        for name, side in ((o.before, before), (o.after, after)):
            if not o.quiet and side.dataset.unread is not None:
                error(f"{name}: {side.dataset.unread}")
        return _compare(before, after, o, out)
    except UsageError as problem:
        error(str(problem))
        return command_line.EXIT_USAGE
    except Refused as problem:
        error(str(problem))
        return command_line.EXIT_USAGE if problem.is_option else command_line.EXIT_RUN_FAILED
    finally:
        if out:
            out.discard()


