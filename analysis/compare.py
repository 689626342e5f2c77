# SPDX-License-Identifier: GPL-2.0-only
"""The compare command: what changed between two result sets, and is it outside the noise."""
from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import command_line, compare_output, conditions, files, json_text, metric, stats, units, wording
from .changes import Change, Changes, Gate, has_direction, Untestable
from .command_line import error, UsageError
from .dataset import Names
from .documents import Refused
from .load import load_files
from .metric import Metric, NAN
from .study import Analysis, Cell
from .units import plural

_PERCENT_MAX = 1000.0
_NAMED_MAX = 8  # cells that are named; of more there is a count
_OPTIONS = ("metrics=", "all", "fail-on-regression=", "json=", "across=", "quiet")


@dataclass
class Options:
    """The command line. limit: of --fail-on-regression, 0.05 for 5 %; NaN: none."""

    before: str = ""  # a data set, or several with commas between them
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
    by_name = {m.name: m for m in metric.ALL if m.name}
    for name in text.split(","):
        if name not in by_name:
            raise UsageError(f"--metrics has no metric '{name}': see netiotrace compare --help.")
    return [by_name[name] for name in text.split(",")]


def _parse_limit(text: str) -> float:
    """ "5%" or "5"."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?)%?", text)
    if not match or float(match[1]) > _PERCENT_MAX:
        raise UsageError(f"--fail-on-regression takes 0 to 1000 percent, not '{text}'.")
    return float(match[1]) / 100


def parse_options(argv: Sequence[str]) -> Options:
    """UsageError: one sentence."""
    o = Options()
    pairs, operands = command_line.parse("compare", _OPTIONS, {"q": "quiet"}, argv, o.names)
    for name, value in pairs:
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
        raise UsageError("compare takes two results directories or CSV files, or several a side with commas between "
                         "them: netiotrace compare BEFORE AFTER.")
    o.before, o.after = operands
    o.metrics = [m for m in metric.ALL if m.is_compared] if o.gate is None else o.gate
    if o.gate and not math.isnan(o.limit) and not any(map(has_direction, o.gate)):
        raise UsageError(f"--fail-on-regression cannot test {o.gate[0].name}: neither more nor less of it is worse.")
    return o


def _cell(cell: Cell) -> str:
    return f"{cell.mode.name} {units.size_short(cell.size)}" + (f" t{cell.threads}" if cell.threads else "")


def _report_untestable(c: Changes, o: Options) -> None:
    """The cells that the gate cannot test, the first of them named."""
    found = [f"{_cell(cell)} ({why[0].value}{why[1].name if why[1] else ''})"
             for cell in c.cells_of[0] if (why := c.untestable(cell))]
    if not found:
        return
    more = f" and {len(found) - _NAMED_MAX} more" if len(found) > _NAMED_MAX else ""
    of = len(c.cells_of[0])
    error(f"--fail-on-regression cannot tell whether {len(found)} of {of} cell{plural(of)} of {o.before} got worse in "
          f"{o.after}: {', '.join(found[:_NAMED_MAX])}{more}.")


def _report_regression(c: Change) -> None:
    interval = wording.change_interval(c.f.low, c.f.high)
    error(f"regression: {_cell(c.before)} {c.metric.name}: {wording.value(c.metric, c.f.b.median)} -> "
          f"{wording.value(c.metric, c.f.a.median)}, {wording.change(c.f.change)}"
          + (f" ({interval})." if interval else "."))


def _exit_code(c: Changes, o: Options) -> int:
    """EXIT_ASSERTION for a regression, EXIT_RUN_FAILED if some cell of the first data set could not be tested; says
    why."""
    gate, failures = c.gate(o.limit, o.across), c.failures(o.limit, o.across)
    of = "throughput or CPU time" if o.gate is None else wording.items([m.name for m in c.gates])
    if gate is Gate.FAILED:
        _report_untestable(c, o)
        for change in failures:
            _report_regression(change)
        error(compare_output.failed_words(c, failures, o.limit))
        return command_line.EXIT_ASSERTION
    if gate is not Gate.CANNOT_TELL:
        return command_line.EXIT_DONE
    differs = c.made_otherwise(o.across)
    if differs is not None:
        allowed = list(o.across)
        while (other := c.made_otherwise(allowed)) is not None:
            allowed.append(other)
        error(f"--fail-on-regression cannot tell: {o.before} and {o.after} differ in the setting {differs}; if you "
              f"compare just that, add --across {','.join(allowed)}.")
    elif not c.gated and c.several:
        error(f"--fail-on-regression cannot tell: not every sweep has {of}.")
    elif not c.gated and any(c.untestable(cell) == (Untestable.OTHER_SIDES, metric.COPIES) for cell in c.cells_of[0]):
        _report_untestable(c, o)
    elif not c.gated:
        most = max((c.tests[m] for m in c.gates), default=1)
        error(f"--fail-on-regression cannot tell: it needs {of} of "
              f"{stats.rounds_needed(max(most, 1))} rounds on each side.")
    else:
        _report_untestable(c, o)
        for doubt in c.doubts(o.limit, o.across):
            error(f"--fail-on-regression cannot tell: {doubt}.")
    return command_line.EXIT_RUN_FAILED


def _load(name: str, names: Names) -> Analysis:
    d = load_files([name], names=names)
    if d.others and names.congestion is None:
        raise UsageError(f"{name} has runs with {d.congestion} and with {d.others[0]}: say --congestion {d.congestion} "
                         "to compare those.")
    return Analysis(d)


def _load_side(text: str, names: Names) -> list[tuple[str, Analysis]]:
    """The sweeps of one side, with commas between them; a path may have some too."""
    paths = [text] if files.exists(text) else text.split(",")
    side = [(path, _load(path, names)) for path in paths]
    for nr, (path, s) in enumerate(side):
        differs = conditions.difference(conditions.merged(of.dataset.conditions for _, of in side[:nr]),
                                        s.dataset.conditions)
        if differs is not None:
            other = next(name for name, of in side if differs in of.dataset.conditions)
            raise Refused(f"{other} and {path} differ in {differs}: sweeps of one side have the same settings.")
    return side


def _refuse_copies(sweeps: Sequence[tuple[str, Analysis]]) -> None:
    """Each sweep of both sides together counts once. A run of a CSV file of others may have the figures of another run,
    a whole file has not."""
    seen: dict[object, int] = {}
    for nr, (path, s) in enumerate(sweeps):
        imported = tuple(sorted(row.figures() for row in s.dataset.rows if row.imported))
        found: list[object] = [imported] if imported else []
        for of in found + [row.figures() for row in s.dataset.rows if not row.imported]:
            if seen.setdefault(of, nr) != nr:
                raise Refused(f"{path}: it is a copy of {sweeps[seen[of]][0]}; give each sweep once.")


def _compare(before: Sequence[Analysis], after: Sequence[Analysis], o: Options) -> int:
    c = Changes(before, after, o.metrics, o.gate)
    code = command_line.EXIT_DONE
    if o.json is not None:
        document = compare_output.document(c, o.before, o.after, o.limit, o.across)
        why = files.publish((json_text.document(document) + "\n").encode("utf-8", "surrogateescape"))
        if why:
            error(f"cannot write {o.json}: {why}.")
            code = command_line.EXIT_RUN_FAILED
    if not o.quiet and o.json != "-":
        print(compare_output.text(c, o.before, o.after, o.limit, o.across, o.all), end="")
    if not code and not c.cells:
        error(f"{o.before} and {o.after} have no cell in common: nothing can be compared.")
        code = command_line.EXIT_RUN_FAILED
    return code or _exit_code(c, o)


def main(argv: Sequence[str]) -> int:
    """The exit status."""
    try:
        o = parse_options(argv)
        given = _load_side(o.before, o.names), _load_side(o.after, o.names)
        if len(given[0]) + len(given[1]) > 2:  # one data set may be compared with itself
            _refuse_copies([*given[0], *given[1]])
        before, after = ([s for _, s in side] for side in given)
        for name, side in ((o.before, before), (o.after, after)):
            if not o.quiet and side[0].dataset.unread is not None:
                error(f"{name}: {side[0].dataset.unread}")
        return _compare(before, after, o)
    except command_line.Failed as problem:
        return command_line.fail(problem)
