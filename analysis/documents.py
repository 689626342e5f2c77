# SPDX-License-Identifier: GPL-2.0-only
"""A result document (docs/reference/run.md) as rows, histograms and stacks of a data set.

Unknown keys are ignored, missing ones are missing numbers. No files.
"""
from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from . import conditions, json_text, metric, units
from .command_line import EXIT_RUN_FAILED, Failed
from .dataset import Bucket, Dataset, Failure, Row
from .metric import Metric, NAN
from .tables import LATENCIES, OWNERS, parse_mode, Part, Stage, STAGES

RESULT_SCHEMA = "netiotrace.result/1"
FAILURE_SCHEMA = "netiotrace.failure/1"
CONGESTION_OF_SYSTEM = "system"

# Of the environment: what else the machine did, with the CPUs to which a load average refers.
_LOAD = ("load_average", "cpu_steal", "cpu_others", "cpus", "cpu_periods", "cpu_throttled_periods")
_IDENTITY = "a run without a possible mode, size, thread count or round: it is damaged."
_BELOW_0 = "a run with a figure below 0: it is damaged."
_MOST = 1e18  # of a figure: more is damage, and sums and quotients would overflow
_BEYOND = f"a run with a figure beyond {_MOST:.0e}, or nearer to 0 than {1 / _MOST:.0e}: it is damaged."
_NO_NUMBER = "a run with a figure that is not a number: it is damaged."


class Refused(Failed):
    """Data that is not read: one sentence."""

    def __init__(self, sentence: str, code: int = EXIT_RUN_FAILED) -> None:
        super().__init__(units.cut(units.printable(sentence), 511), code)


class _Damaged(Exception):
    """A run that is not read, in words."""


def _is_number(value: Any) -> bool:
    """_Damaged: it is beyond what a figure can be."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    if value and not 1 / _MOST <= abs(value) <= _MOST:
        raise _Damaged(_BEYOND)
    return True


def _member(o: Any, key: str) -> Any:
    return o.get(key) if isinstance(o, dict) else None


def text_of(o: Any, key: str) -> str | None:
    """A member that is text."""
    value = _member(o, key)
    return value if isinstance(value, str) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_Tree = dict[str, Any]  # by key of a path: a metric, or a tree
_TREE: _Tree = {}
for _m in metric.READ:
    *_parents, _name = _m.path.split(".")
    _at = _TREE
    for _key in _parents:
        _at = _at.setdefault(_key, {})
    _at[_name] = _m


def _leaves(tree: _Tree) -> Iterator[Metric]:
    for below in tree.values():
        yield from _leaves(below) if isinstance(below, dict) else (below,)


def _give_reason(d: Dataset, metrics: Iterable[Metric], *reasons: Any) -> None:
    """The first of the reasons that is text is that of these metrics, unless they have one."""
    for reason in [r for r in reasons if isinstance(r, str)][:1]:
        for m in metrics:
            d.reason.setdefault(m, reason)


def _read_metrics(d: Dataset, row: Row, o: dict[str, Any], tree: _Tree) -> None:
    """Refuses other values than numbers, and non-objects: only null or nothing is unmeasured."""
    for key, below in tree.items():
        value: Any = o.get(key)
        if isinstance(below, dict):
            if isinstance(value, dict):
                _read_metrics(d, row, value, below)
            elif value is not None:
                raise _Damaged(_NO_NUMBER)
            elif key not in o:
                _give_reason(d, _leaves(below), o.get("reason"))
        elif _is_number(value):
            row.values[below.index] = float(value)
            if not metric.is_possible(below, row[below]):
                raise _Damaged(_BELOW_0)
        elif value is not None:
            raise _Damaged(_NO_NUMBER)
        else:
            _give_reason(d, (below,), o.get(f"{key}_reason"), o.get("reason"))


def _bucket(item: Any) -> Bucket:
    """[low, high, count], high is null for the open bucket."""
    low, high, count = (_list(item) + [None] * 3)[:3]
    if not _is_number(low) or not _is_number(count) or not (_is_number(high) or (high is None and len(item) > 1)):
        raise _Damaged(_NO_NUMBER)
    b = Bucket(float(low), float(low if high is None else high), float(count))
    if not (b.count >= 0 and b.high >= b.low >= 0):
        raise _Damaged(_NO_NUMBER)
    return b


def _read_hist(d: Dataset, row: Row, kind: Stage | Part, buckets: Any) -> None:
    if buckets is not None and not isinstance(buckets, list):
        raise _Damaged(_NO_NUMBER)
    if not buckets:
        return
    key = row.mode, row.size, row.threads, kind
    # Buckets of one layout have one lower bound each: the counts of equal ones are added.
    by_low = {b.low: b for b in d.hists.get(key, [])}
    for b in map(_bucket, buckets):
        if b.count > 0:
            by_low.setdefault(b.low, Bucket(b.low, b.high, 0)).count += b.count
    d.hists[key] = [by_low[low] for low in sorted(by_low)]


def _read_hists(d: Dataset, row: Row, run: Any) -> None:
    for stage in STAGES:
        _read_hist(d, row, stage, _member(_member(_member(run, "ledger"), stage.key), "ns_buckets"))
    latencies = _member(_member(run, "app"), "latency_ns")
    for latency in LATENCIES:
        _read_hist(d, row, latency, _member(_member(latencies, latency.key), "buckets"))


_STACK = re.compile("(" + "|".join(OWNERS) + r");(.*) ([0-9]+)", re.DOTALL)


def _read_stacks(d: Dataset, row: Row, stacks: list[Any]) -> None:
    """Adds "owner;frames N" to the cell. Skips malformed lines."""
    known = d.stacks.setdefault((row.mode, row.size, row.threads), {}) if stacks else {}
    for item in stacks:
        match = _STACK.fullmatch(item) if isinstance(item, str) else None
        count = int(match[3].lstrip("0")[:20] or 0) if match else 0
        if match and count and _is_number(count):
            key = (OWNERS.index(match[1]), match[2])
            known[key] = known.get(key, 0) + count


def _read_count(run: Any, key: str, most: float) -> int:
    """The identity of a cell is a whole number or missing (0): otherwise runs are pooled wrongly."""
    value = run.get(key)
    if value is None:
        return 0
    if not _is_number(value) or not 0 <= value <= most or value != int(value):
        raise _Damaged(_IDENTITY)
    return int(value)


def _read_run(d: Dataset, run: Any, imported: bool) -> None:
    name = text_of(run, "mode")
    mode = parse_mode(name) if name is not None else None
    if mode is None:
        raise _Damaged(_IDENTITY)
    size = _read_count(run, "size", 1e15 - 1)
    if not size:
        raise _Damaged(_IDENTITY)
    row = Row(mode, size, _read_count(run, "threads", 1e6), _read_count(run, "round", 1e9), imported)
    d.rows.append(row)
    d.interrupted += run.get("interrupted") is True
    _read_metrics(d, row, run, _TREE)
    ledger = run.get("ledger")
    row.verdict = text_of(run.get("verdict"), "text") or ""
    d.copies_of |= {text_of(ledger, "copies_per_byte_side") or ""} & {"sender", "both"}
    excluded = _list(_member(ledger, "copies_per_byte_excludes"))
    d.copies_exclude.update(s for s in STAGES if s.key in excluded)
    _read_stacks(d, row, _list(_member(run.get("cpu"), "stacks")))
    _read_hists(d, row, run)


def _admits(d: Dataset, congestion: str | None) -> bool:
    """Is a run with this congestion control (None: it does not say) one of this data set?"""
    wanted = d.names.congestion if d.names.congestion is not None else d.congestion
    if congestion is None:
        return d.names.congestion is None
    if wanted is not None and congestion != wanted:
        if congestion not in d.others:
            d.others.append(congestion)
        return False
    if d.congestion is None:
        d.congestion = congestion
    return True


def _keep_settings(d: Dataset, name: str, settings: dict[str, str]) -> None:
    differs = conditions.difference(d.conditions, settings)
    if differs is not None:
        raise Refused(f"{units.cut(name, 200)}: made with {units.cut(differs, 40)} {units.cut(settings[differs], 60)}, "
                      f"other runs here with {units.cut(d.conditions[differs], 60)}: runs of different settings are "
                      "not pooled; give each a directory or file of its own.")
    for key, value in settings.items():  # adds values that only later runs have
        d.conditions.setdefault(key, value)


def add_document(d: Dataset, name: str, document: Any) -> None:
    """Adds its runs. name is what messages call the source. Refused: it is not such data, or is damaged."""
    environment, imported = _member(document, "environment"), _member(document, "imported")
    if text_of(document, "schema") != RESULT_SCHEMA:
        raise Refused(f"{name}: not a result document of netiotrace (schema {RESULT_SCHEMA}).")
    runs = document.get("runs")
    if not isinstance(runs, list):
        raise Refused(f"{name}: the result document has no list of runs.")
    congestion = text_of(environment, "congestion_control")
    if not _admits(d, congestion):
        d.unnamed += len(runs) if congestion is None else 0
        return
    kept: set[str | None] = set()  # of a run's settings only the fields may differ from those of its document
    for run in runs:
        try:
            _read_run(d, run, "imported" in document)
        except _Damaged as damage:
            raise Refused(f"{name}: {damage}") from None
        fields = conditions.text(_member(run, "fields"))
        if fields not in kept:
            _keep_settings(d, name, conditions.of(document.get("settings"), environment, fields))
            kept.add(fields)
    if not d.notes:  # documents of one import have the same
        d.notes = [units.printable(n) for n in _list(_member(imported, "assumptions")) if isinstance(n, str)]
        d.unread = text_of(imported, "unread") if d.unread is None else d.unread
        d.lacking = text_of(imported, "missing_reason") if d.lacking is None else d.lacking
    tool = document.get("tool")
    d.version = text_of(tool, "version") if d.version is None else d.version
    d.backend = text_of(tool, "backend") if d.backend is None else d.backend
    if isinstance(environment, dict):
        for key in _LOAD:
            with contextlib.suppress(TypeError, ValueError, OverflowError):  # null; of a CSV file it is a string
                value = float(environment.get(key, ""))
                d.load.setdefault(key, []).extend([value] * math.isfinite(value))
        if d.environment is None:
            d.environment = environment
        elif not json_text.equal(conditions.steady(d.environment), conditions.steady(environment)):
            d.environment_varies = True


def add_failure(d: Dataset, document: Any) -> bool:
    """The record of a failed run; False: it is none."""
    if text_of(document, "schema") != FAILURE_SCHEMA:
        return False
    congestion = text_of(document, "congestion")
    if congestion is not None and d.names.congestion not in (None, congestion) and congestion != CONGESTION_OF_SYSTEM:
        return True
    size, threads, round_ = (v if isinstance(v, int) and not isinstance(v, bool) else 0
                             for v in map(document.get, ("size", "threads", "round")))
    mode, reason = text_of(document, "mode"), text_of(document, "reason")
    d.failures.append(Failure("?" if mode is None else mode, size, threads, round_,
                              "no reason is recorded" if reason is None else reason))
    return True


def _round(row: Row) -> tuple[tuple[int, int, int], int]:
    return row.cell, row.round


def _remove_emulated(d: Dataset) -> None:
    """What an emulator shapes is no result of the system that is measured."""
    d.hists.clear()
    d.stacks.clear()
    d.reason.update((m, "the machine is emulated: only bytes, events and completions count") for m in metric.EMULATED)
    for row in d.rows:
        for m in metric.EMULATED:
            row.values[m.index] = metric.NAN  # those computed from them too


def finish(d: Dataset, default_duration_s: float = NAN) -> None:
    """Derived numbers, and rows in order; after the last document."""
    if conditions.is_emulated(d.conditions):
        _remove_emulated(d)
    for row in d.rows:
        if math.isnan(row[metric.DURATION]):
            row.values[metric.DURATION.index] = default_duration_s
        metric.derive(row.values, row.threads)
    # The figures of one round only: those of all rows at once take a gigabyte for 500 000 rows.
    d.rows.sort(key=_round)
    d.rows[:] = [row for _, rows in itertools.groupby(d.rows, _round) for row in sorted(rows, key=Row.figures)]


def copied_row(d: Dataset) -> Row | None:
    """A run that a finished data set has twice, by a file or line that is a copy: two runs agree in no nanosecond of
    their times and no count. Of our own formats only: others round."""
    return next((row for row, after in zip(d.rows, d.rows[1:]) if not row.imported and not after.imported
                 and not math.isnan(row[metric.PAYLOAD]) and row.figures() == after.figures()), None)
