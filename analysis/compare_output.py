# SPDX-License-Identifier: GPL-2.0-only
"""A comparison as text and as JSON (docs/reference/compare.md)."""
from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from . import conditions, json_text, stats, units, wording
from .changes import Change, Changes, Gate, Kind
from .stats import Difference, Estimate
from .units import plural

_SCHEMA = "netiotrace.compare/1"
_WORDS = {Kind.MISSING: "n/a", Kind.CANNOT_SAY: "too few rounds", Kind.NOISE: "no difference", Kind.BETTER: "better",
          Kind.WORSE: "worse", Kind.OTHER: "different"}

# Where 5 % was simulated (docs/measurements/sweeps-in-turn.md).
_DRIFTS = (",\nif all cells, or those of a mode or number of threads, drift alike; in more if other groups or single "
           "cells do")


def _reason(c: Change) -> str | None:
    if c.kind is Kind.MISSING:
        return c.reason
    if c.f.difference is Difference.POINT:
        return "one round on a side has no interval"
    if c.kind is Kind.CANNOT_SAY:
        return "too few rounds to show a difference"
    return "a change from 0 has no ratio" if math.isnan(c.f.change) else None


def _verdict(c: Change, is_regression: bool) -> str:
    """ "too few rounds" has its cause, a difference its interval, and no difference no figure."""
    if c.kind is Kind.MISSING:
        return units.cut(f"n/a: {units.clip(units.printable(c.reason), 255)}", 191)
    if c.f.difference is Difference.POINT:
        return "one round"
    return _WORDS[c.kind] + (", REGRESSION" if is_regression else "")


def _change_words(c: Change) -> str:
    interval = wording.change_interval(c.f.low, c.f.high)
    if c.kind in (Kind.NOISE, Kind.MISSING):
        return ""
    return wording.change(c.f.change) + (f" ({interval})" if interval else "")


def _row(*cells: str) -> str:
    return "{:<8} {:>6} {:>7}  {:<24} {:>12} {:>12}  {:<26}  {}\n".format(*cells)


def _changes(c: Changes, failures: Collection[Change], all_: bool) -> str:
    lines = [_row("mode", "size", "threads", "metric", "before", "after", "change (interval)", "verdict")]
    for x in c.list:
        if all_ or x.kind in (Kind.BETTER, Kind.WORSE, Kind.OTHER):
            lines.append(_row(x.before.mode.name, units.size_short(x.before.size), str(x.before.threads or "n/a"),
                              x.metric.name, wording.value(x.metric, x.f.b.median),
                              wording.value(x.metric, x.f.a.median), _change_words(x),
                              _verdict(x, any(x is f for f in failures))))
    return "".join(lines) + "\n"


def _side(c: Changes, side: int, name: str) -> str:
    of = c.sides[side]
    runs, cells, failures = (sum(len(s.dataset.rows) for s in of), len(c.cells_of[side]),
                             sum(len(s.dataset.failures) for s in of))
    least, most, only_here = min(s.rounds_min for s in of), max(s.rounds_max for s in of), c.only_in(side)
    text = f"{('before', 'after')[side]:<7} {name}: {runs} run{plural(runs)} of {cells} cell{plural(cells)}"
    if len(of) > 1:
        text += f" in {len(of)} sweeps"
    text += f", {most} round{plural(most)}" if least == most else f", {least} to {most} rounds"
    if failures:
        text += f", {failures} failed"
    if only_here:
        text += f"; {only_here} cell{' is' if only_here == 1 else 's are'} only here"
    partly = c.not_in_each(side)
    if partly:
        text += f"; {partly} cell{' is' if partly == 1 else 's are'} not in each sweep"
    others = sorted({name for s in of for name in s.dataset.others})
    others += ["an unknown congestion control"] * any(s.dataset.unnamed for s in of)
    if others:
        text += f"; runs with {wording.items(others)} are left out"
    return text + "\n"


def _environment(c: Changes, across: Collection[str]) -> str:
    text = ""
    for key, (before, after) in c.environment().items():
        name, b, a = (units.clip(units.printable(t), n) for t, n in ((key, 63), (before, 511), (after, 511)))
        text += f"differs {name}: {b} -> {a}{' (of the first run each)' if conditions.passes(key) else ''}\n"
    differs = c.made_otherwise(across)
    if differs is not None:
        text += f"The two differ in the setting {differs}, which can cause any of the changes below.\n"
    if c.emulated():
        text += "A machine is emulated: no time, rate or counter of it is compared.\n"
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
                    (c.of_kind[Kind.MISSING], "not in each sweep" if c.several else "a value on one side only")):
        if n:
            text += f"{n:7}  {what}\n"
    if c.noise:
        order = c.order()
        text += f"Standard deviation between sweeps of one side{f', made in the order {order}' if order else ''}:\n"
        text += "".join(f"  {m.name}: all cells together {n.drift * 100:.1f} %, a cell by itself "
                        f"{f'{n.own * 100:.1f} %' if c.tests[m] > 1 else 'n/a'}\n"
                        for m, n in c.noise.items() if m in c.gates)
    else:
        text += ("With one sweep a side, a drift of the machine between the two looks like a change: compare several, "
                 "made in turn (A1,A2 B1,B2).\n")
    if c.different:
        text += (f"Where nothing differs, a metric shows any difference in at most {stats.RANK_LEVEL * 100:.0f} % of "
                 f"comparisons{_DRIFTS if c.several else ''};\nmetrics tested: {len(c.tests)}.\n")
    return text


def failed_words(c: Changes, failures: Collection[Change], limit: float) -> str:
    """How many regressions there are."""
    n = len(failures)
    return (f"{n} of {c.gated} gated comparison{plural(c.gated)} {'is' if n == 1 else 'are'} worse by more than "
            f"{limit * 100:g} %.")


def _gate(c: Changes, limit: float, across: Collection[str]) -> str:
    """The same decision as the exit status."""
    gate = c.gate(limit, across)
    if gate is Gate.FAILED:
        return f"Gate FAILED: {failed_words(c, c.failures(limit, across), limit)}\n"
    if gate is Gate.PASSED:
        n = c.undecided(limit)
        beyond = f"; {n} interval{plural(n)} reach{'es' if n == 1 else ''} beyond it" if n else ""
        return (f"Gate passed: none of {c.gated} gated comparison{plural(c.gated)} is shown to be worse by more than "
                f"{limit * 100:g} %{beyond}.\n")
    return "Gate CANNOT TELL: see the message of --fail-on-regression.\n" if gate is Gate.CANNOT_TELL else ""


def text(c: Changes, before: str, after: str, limit: float, across: Collection[str], all_: bool) -> str:
    """limit: of --fail-on-regression; NaN: none. all_: also what does not differ."""
    shown = len(c.list) if all_ else c.different
    return (_side(c, 0, before) + _side(c, 1, after) + _environment(c, across) + "\n"
            + (_changes(c, c.failures(limit, across), all_) if shown else "") + _counts(c) + _gate(c, limit, across))


def _estimate(e: Estimate) -> dict[str, Any]:
    return {"median": e.median, "low": e.low, "high": e.high, "coverage": e.coverage, "n": e.n}


def _change(c: Change, is_regression: bool) -> dict[str, Any]:
    o = {"mode": c.before.mode.name, "size": c.before.size, "threads": c.before.threads or None,
         "metric": c.metric.name, "unit": c.metric.unit, "before": _estimate(c.f.b), "after": _estimate(c.f.a),
         "change": c.f.change, "change_low": c.f.low, "change_high": c.f.high, "change_coverage": c.f.coverage,
         "p": c.f.p, "gate_p": c.gate_p, "verdict": c.kind.value, "regression": is_regression}
    reason = _reason(c)
    if reason is not None:
        o["reason"] = reason
    return o


def _side_document(c: Changes, side: int, name: str) -> dict[str, Any]:
    of = c.sides[side]
    return {"name": json_text.text(name), "version": of[0].dataset.version,
            "runs": sum(len(s.dataset.rows) for s in of), "failed": sum(len(s.dataset.failures) for s in of),
            "cells": len(c.cells_of[side]), "cells_only_here": c.only_in(side), "sweeps": len(of)}


def document(c: Changes, before: str, after: str, limit: float, across: Collection[str]) -> dict[str, Any]:
    """The same for --json."""
    gate, failures = c.gate(limit, across), c.failures(limit, across)
    verdicts: dict[str, Any] = {kind.value: c.of_kind[kind] for kind in Kind}
    # Metrics that show a change by chance alone where nothing differs: at most so many.
    verdicts["false_expected"] = stats.RANK_LEVEL * len(c.tests)
    return {
        "schema": _SCHEMA, "before": _side_document(c, 0, before), "after": _side_document(c, 1, after),
        "environment_differs": {k: {"before": b, "after": a} for k, (b, a) in c.environment().items()},
        "cells_compared": c.cells, "fail_on_regression": limit,
        "regressions": len(failures) if gate in (Gate.PASSED, Gate.FAILED) else None, "gate": gate.value,
        "verdicts": verdicts, "changes": [_change(x, any(x is f for f in failures)) for x in c.list],
        "undecided": None if gate is Gate.NONE else c.undecided(limit),
        "gate_doubts": c.doubts(limit, across), "order": c.order(),
        "noise": [{"metric": m.name, "drift": n.drift, "own": n.own} for m, n in c.noise.items()]}
