# SPDX-License-Identifier: GPL-2.0-only
"""A comparison as text and as JSON (docs/reference/compare.md)."""
from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from . import conditions, json_text, phrases, stats, units
from .changes import Change, Changes, Gate, Kind
from .stats import Difference, Estimate
from .study import Analysis
from .units import plural

_SCHEMA = "netiotrace.compare/1"
_WORDS = {Kind.MISSING: "n/a", Kind.CANNOT_SAY: "too few rounds", Kind.NOISE: "no difference", Kind.BETTER: "better",
          Kind.WORSE: "worse", Kind.OTHER: "different"}


def _reason(c: Change) -> str | None:
    if c.kind is Kind.MISSING:
        return c.reason
    if c.f.difference is Difference.POINT:
        return "one round on a side has no interval"
    if c.kind is Kind.CANNOT_SAY:
        return "too few rounds to show a difference"
    return "a change from 0 has no ratio" if math.isnan(c.f.change) else None


def _verdict(c: Change, limit: float) -> str:
    """ "too few rounds" has its cause, a difference its interval, and no difference no figure."""
    if c.kind is Kind.MISSING:
        return units.cut(f"n/a: {units.clip(units.printable(c.reason), 255)}", 191)
    if c.f.difference is Difference.POINT:
        return "one round"
    return _WORDS[c.kind] + (", REGRESSION" if c.is_regression(limit) else "")


def _change_words(c: Change) -> str:
    interval = phrases.change_interval(c.f.low, c.f.high)
    if c.kind in (Kind.NOISE, Kind.MISSING):
        return ""
    return phrases.change(c.f.change) + (f" ({interval})" if interval else "")


def _row(*cells: str) -> str:
    return "{:<8} {:>6} {:>7}  {:<24} {:>12} {:>12}  {:<26}  {}\n".format(*cells)


def _changes(c: Changes, limit: float, all_: bool) -> str:
    lines = [_row("mode", "size", "threads", "metric", "before", "after", "change (interval)", "verdict")]
    for x in c.list:
        if all_ or x.kind in (Kind.BETTER, Kind.WORSE, Kind.OTHER):
            lines.append(_row(x.before.mode.name, units.size_short(x.before.size), str(x.before.threads or "n/a"),
                              x.metric.name, phrases.value(x.metric, x.f.b.median),
                              phrases.value(x.metric, x.f.a.median), _change_words(x), _verdict(x, limit)))
    return "".join(lines) + "\n"


def _side(side: str, name: str, a: Analysis, only_here: int) -> str:
    runs, cells, failures = len(a.dataset.rows), len(a.cells), len(a.dataset.failures)
    text = f"{side:<7} {name}: {runs} run{plural(runs)} of {cells} cell{plural(cells)}"
    if a.rounds_min == a.rounds_max:
        text += f", {a.rounds_max} round{plural(a.rounds_max)}"
    else:
        text += f", {a.rounds_min} to {a.rounds_max} rounds"
    if failures:
        text += f", {failures} failed"
    if only_here:
        text += f"; {only_here} cell{' is' if only_here == 1 else 's are'} only here"
    return text + "\n"


def _environment(c: Changes, across: Collection[str]) -> str:
    text = ""
    for key, (before, after) in c.environment().items():
        name, b, a = (units.clip(units.printable(t), n) for t, n in ((key, 63), (before, 511), (after, 511)))
        text += f"differs {name}: {b} -> {a}{' (of the first run each)' if conditions.passes(key) else ''}\n"
    differs = c.made_otherwise(across)
    if differs is not None:
        text += f"The two differ in the setting {differs}, which can cause any of the changes below.\n"
    return text


def _counts(c: Changes) -> str:
    one = sum(x.f.difference is Difference.POINT for x in c.list)
    most = max(c.tests.values(), default=1)
    text = (f"{c.different} of {len(c.list)} comparison{plural(len(c.list))} in {c.cells} cell{plural(c.cells)} "
            f"differ{'s' if c.different == 1 else ''}: {c.of_kind[Kind.BETTER]} better, {c.of_kind[Kind.WORSE]} "
            "worse.\n")
    for n, what in ((c.of_kind[Kind.NOISE], "no difference"),
                    (one, "one round on a side and so no interval (--all lists them)"),
                    (c.of_kind[Kind.CANNOT_SAY] - one,
                     f"too few rounds ({stats.rounds_needed(most)} of each are needed)"),
                    (c.of_kind[Kind.MISSING], "a value on one side only")):
        if n:
            text += f"{n:7}  {what}\n"
    if c.different:
        text += (f"Where nothing differs, a metric shows any difference in at most {stats.RANK_LEVEL * 100:.0f} % of "
                 f"comparisons;\nmetrics tested: {len(c.tests)}.\n")
    return text


def failed_words(c: Changes, limit: float) -> str:
    """How many regressions there are."""
    n = c.regressions(limit)
    return (f"{n} of {c.gated} gated comparison{plural(c.gated)} {'is' if n == 1 else 'are'} worse by more than "
            f"{limit * 100:g} %.")


def _gate(c: Changes, limit: float, gate: Gate) -> str:
    """The same decision as the exit status."""
    if gate is Gate.FAILED:
        return f"Gate FAILED: {failed_words(c, limit)}\n"
    if gate is Gate.PASSED:
        return (f"Gate passed: none of {c.gated} gated comparison{plural(c.gated)} is worse by more than "
                f"{limit * 100:g} %.\n")
    return "Gate CANNOT TELL: see the message of --fail-on-regression.\n" if gate is Gate.CANNOT_TELL else ""


def _over(limit: float, gate: Gate) -> float:
    """Only what makes the gate fail is called a regression: no ratio is above infinity."""
    return limit if gate is Gate.FAILED else math.inf


def text(c: Changes, before: str, after: str, limit: float, across: Collection[str], all_: bool) -> str:
    """limit: of --fail-on-regression; NaN: none. all_: also what does not differ."""
    gate = c.gate(limit, across)
    shown = len(c.list) if all_ else c.different
    return (_side("before", before, c.before, c.cells_before) + _side("after", after, c.after, c.cells_after)
            + _environment(c, across) + "\n" + (_changes(c, _over(limit, gate), all_) if shown else "") + _counts(c)
            + _gate(c, limit, gate))


def _estimate(e: Estimate) -> dict[str, Any]:
    return {"median": e.median, "low": e.low, "high": e.high, "coverage": e.coverage, "n": e.n}


def _change(c: Change, limit: float) -> dict[str, Any]:
    o = {"mode": c.before.mode.name, "size": c.before.size, "threads": c.before.threads or None,
         "metric": c.metric.name, "unit": c.metric.unit, "before": _estimate(c.f.b), "after": _estimate(c.f.a),
         "change": c.f.change, "change_low": c.f.low, "change_high": c.f.high, "change_coverage": c.f.coverage,
         "p": c.f.p, "gate_p": c.gate_p, "verdict": c.kind.value, "regression": c.is_regression(limit)}
    reason = _reason(c)
    if reason is not None:
        o["reason"] = reason
    return o


def _side_document(name: str, a: Analysis, only_here: int) -> dict[str, Any]:
    return {"name": json_text.text(name), "version": a.dataset.version, "runs": len(a.dataset.rows),
            "failed": len(a.dataset.failures), "cells": len(a.cells), "cells_only_here": only_here}


def document(c: Changes, before: str, after: str, limit: float, across: Collection[str]) -> dict[str, Any]:
    """The same for --json."""
    gate = c.gate(limit, across)
    verdicts: dict[str, Any] = {kind.value: c.of_kind[kind] for kind in Kind}
    # Metrics that show a change by chance alone where nothing differs: at most so many.
    verdicts["false_expected"] = stats.RANK_LEVEL * len(c.tests)
    return {
        "schema": _SCHEMA, "before": _side_document(before, c.before, c.cells_before),
        "after": _side_document(after, c.after, c.cells_after),
        "environment_differs": {k: {"before": b, "after": a} for k, (b, a) in c.environment().items()},
        "cells_compared": c.cells, "fail_on_regression": limit,
        "regressions": c.regressions(limit) if gate in (Gate.PASSED, Gate.FAILED) else None, "gate": gate.value,
        "verdicts": verdicts, "changes": [_change(x, _over(limit, gate)) for x in c.list]}
