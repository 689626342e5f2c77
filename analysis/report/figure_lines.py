# SPDX-License-Identifier: GPL-2.0-only
"""Pictures with a line per mode: medians with their intervals, the modes relative to two-copy, and histograms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .. import metric, phrases, units
from ..dataset import Bucket, Hist
from ..metric import Better, Metric
from ..stats import Difference
from ..study import Analysis, Cell
from ..tables import CPU_CLASSES, CpuClass, Mode, PINS, SENDER, Stage, STAGES, TWOCOPY
from .figure import Draft, PANELS_MAX, pick, reference_size, reference_threads, stage_words

NS_PER_US = 1000.0
LOG_WORTH_RATIO = 20  # highest / lowest above which an axis is logarithmic
TICS_MAX = 7
_HEAD = "panel,mode,series,x,median,low,high,rounds\n"
SIZES, THREADS = False, True  # the horizontal axis; the other variable is fixed, or varies by panel


def _put_point(d: Draft, mode: Mode, series: int, x: float, y: Sequence[float], rounds: int) -> None:
    """A point of the panel in hand: y, and the bounds of its interval, NaN if it has none. Series from 1."""
    bounds = "".join("," if math.isnan(v) else f",{v:.10g}" for v in y[1:])
    d.rows.append(f"{len(d.panels)},{mode.name},{series},{x:.10g},{y[0]:.10g}{bounds},{rounds}\n")
    d.modes.add(mode)
    d.has_intervals |= not math.isnan(y[1])
    d.points += 1
    d.xs.append(x)
    d.ys += (v for v in y if not math.isnan(v))


def _add_lines(d: Draft, m: Metric, scale: float, series: int, axis: bool, fixed: int) -> None:
    """A line of each mode over its cells with the fixed thread count or size. scale: a unit of the axis."""
    for c in d.a.cells:
        e = d.a.estimate(c, m)
        if (c.size if axis else c.threads) != fixed or not e.n:
            continue
        x = float((c.threads or 1) if axis else c.size)
        _put_point(d, c.mode, series, x, (e.median / scale, e.low / scale, e.high / scale), e.n)
        d.rounds.append(e.n)


def _add_panels(d: Draft, axis: bool, before: str, most: int, series: Sequence[Metric], scale: float) -> None:
    """Panels for some of the thread counts or sizes, the one that is not the axis."""
    values = d.a.sizes if axis else d.a.threads
    picked = pick(values, most)
    d.is_partial |= len(picked) < len(values)
    for fixed in picked:
        with d.panel(before + (units.size(fixed) if axis else phrases.threads(fixed))):
            for number, m in enumerate(series, 1):
                _add_lines(d, m, scale, number, axis, fixed)


def _set_tics(d: Draft, axis: bool) -> None:
    if axis:
        tics = [f"'{n}' {n}" for n in pick(d.a.threads, TICS_MAX) if n]
    else:
        tics = [f"'{units.size_short(n)}' {n}" for n in pick(d.a.sizes, TICS_MAX)]
    d.set_text("xtics", ",".join(tics) or "'n/a' 1")


def _finish(d: Draft, axis: bool, ylabel: str, series: str) -> None:
    low, high = min(d.ys, default=0), max(d.ys, default=0)
    _set_tics(d, axis)
    d.set_text("xlabel", "threads" if axis else "message size" if d.width else "message size (bytes)")
    d.set_text("ylabel", ylabel)
    d.set_text("series", series)
    d.set_panels()
    d.set_number("ylog", low > 0 and high / low > LOG_WORTH_RATIO)
    d.set_number("bars", d.has_intervals)
    d.set_number("ymax", high if d.points else 0)
    d.has_bars = True
    d.set_number("xmin", min(d.xs, default=1))
    d.set_number("xmax", max(d.xs, default=1))


# ---- medians


@dataclass(frozen=True)
class _Choice:
    """What a picture shows: the first of its choices that the data has; if none, the last."""

    title: str
    note: str
    ylabel: str
    metrics: tuple[Metric, ...]
    panels: tuple[str, ...] = ()  # titles of the panels of each metric; else each panel has all
    is_time: bool = False  # in ns; the label gets the unit
    replaces: bool = False  # the note goes on with the reason that the metric is missing


@dataclass(frozen=True)
class _Lines:
    metric: Metric  # that it is about
    choices: tuple[_Choice, ...]
    axis: bool = SIZES
    words: str = ""  # that CPU time replaces; "": nothing replaces it
    of_zerocopy: bool = False  # only modes that pin have it


def _times(title: str, note: str, ylabel: str, *metrics: Metric) -> _Choice:
    return _Choice(title, note, ylabel, metrics, is_time=True)


def _misses(by: str) -> tuple[_Choice, _Choice]:
    title, panels = f"Cache misses by {by}", ("L1D, ", "LLC, ")
    return (
        _Choice(title, "", "misses per KiB", (metric.L1D_MISSES_PER_KIB, metric.LLC_MISSES_PER_KIB), panels),
        _Choice(title, "Misses of a whole run", "misses in a run", (metric.L1D_MISSES, metric.LLC_MISSES), panels,
                replaces=True),
    )  # fmt: skip


_LATENCY = "Latency by number of threads"

_FIGURES = {
    "throughput-size": _Lines(metric.GBPS, (
        _Choice("Throughput by message size", "", "throughput (Gbit/s)", (metric.GBPS,)),)),
    "latency-threads": _Lines(metric.DELIVERY_P50, axis=THREADS, choices=(
        _times(_LATENCY, "Delivery: from before the send to the last byte read.", "delivery",
               metric.DELIVERY_P50, metric.DELIVERY_P99),
        _times(_LATENCY, "Time inside the send call: the data has no delivery latency.", "send call",
               metric.SEND_P50, metric.SEND_P99),
        _times(_LATENCY, "The data does not say which latency this is.", "latency", metric.LATENCY))),
    "recv-threads": _Lines(metric.RECV_P50, axis=THREADS, choices=(
        _times("Receive call by number of threads", "Time inside the receive call, waiting included.",
               "receive call", metric.RECV_P50, metric.RECV_P99),)),
    "cache-size": _Lines(metric.L1D_MISSES_PER_KIB, words="cache misses", choices=(
        *_misses("message size"),
        _Choice("CPU time of either side by message size, instead of cache misses", "Cache misses are n/a",
                "CPU time (ns per KiB)", (metric.CPU_S_NS_PER_KIB, metric.CPU_R_NS_PER_KIB),
                ("sender, ", "receiver, "), replaces=True))),
    "cache-threads": _Lines(metric.L1D_MISSES_PER_KIB, axis=THREADS, choices=_misses("number of threads")),
    "cycles-size": _Lines(metric.CYCLES_PER_BYTE, words="cycles", choices=(
        _Choice("CPU cycles per byte by message size", "", "cycles per byte", (metric.CYCLES_PER_BYTE,)),
        _Choice("CPU time of the processes by message size, instead of cycles per byte", "Cycles per byte are n/a",
                "CPU time (ns per KiB)", (metric.CPU_NS_PER_KIB,), replaces=True))),
    "bytes-per-cycle": _Lines(metric.BYTES_PER_CYCLE, (
        _Choice("Payload bytes per CPU cycle by message size", "", "bytes per cycle", (metric.BYTES_PER_CYCLE,)),)),
    "completion": _Lines(metric.COMPLETION_P50, of_zerocopy=True, choices=(
        _times("Zero-copy completion: from the send to its notification", "", "completion",
               metric.COMPLETION_P50, metric.COMPLETION_P99),)),
}  # fmt: skip


def _needs_ms(a: Analysis, c: _Choice) -> bool:
    """The unit of a time axis: milliseconds if microseconds needed five digits."""
    return any(a.estimate(a.peak(None, m), m).median >= 1e4 * NS_PER_US for m in c.metrics)


def medians(d: Draft) -> None:
    f = _FIGURES[d.figure.name]
    c = next((c for c in f.choices if any(map(d.a.has, c.metrics))), f.choices[-1])
    reason = d.a.reason(f.metric)
    ms = c.is_time and _needs_ms(d.a, c)
    scale = 1.0 if not c.is_time else 1000 * NS_PER_US if ms else NS_PER_US
    d.figure.title = c.title
    d.figure.note = f"{c.note}: {reason}." if c.replaces else c.note
    d.rows.append(_HEAD)
    if not c.panels:
        _add_panels(d, f.axis, "", PANELS_MAX, c.metrics, scale)
    for before, m in zip(c.panels, c.metrics):
        _add_panels(d, f.axis, before, PANELS_MAX // 2, (m,), scale)
    unit = "" if not c.is_time else " (ms)" if ms else " (us)"
    _finish(d, f.axis, c.ylabel + unit, "median p99" if len(c.metrics) > 1 and not c.panels else "")
    if d.points:
        return
    if f.words:
        d.figure.no_data = f"neither {f.words} ({reason}) nor CPU time ({d.a.reason(metric.CPU_NS_PER_KIB)})"
    elif f.of_zerocopy and not any(m.has(PINS) for m in d.a.modes):
        d.figure.no_data = "the data has no zero-copy run"
    else:
        d.figure.no_data = reason


# ---- CPU time of copies

_CLASS = {c.key: c for c in CPU_CLASSES}
_NS_TX_COPY = metric.METRICS["NS_TX_COPY"]


def _copy_metric(class_: CpuClass, both: bool) -> Metric:
    return metric.class_both(class_) if both else metric.class_(SENDER, class_)


def _copy_cpu(d: Draft) -> bool:
    """The CPU time of copies, from samples. False: the data has none."""
    both = d.a.has(_copy_metric(_CLASS["tx_copy"], True))
    threads = reference_threads(d.a)
    if not both and not d.a.has(_copy_metric(_CLASS["tx_copy"], False)):
        return False
    d.figure.template = "lines"
    d.figure.title = "CPU time of each copy by message size, from samples, instead of how long a copy takes"
    whose = "" if both else "; the sender's alone"
    d.figure.note = (
        f"With {phrases.threads(threads)}{whose}. Single copies are not timed ({d.a.reason(_NS_TX_COPY)}). A point at "
        "0: no sample fell on that copy, not that there was none."
    )
    d.rows.append(_HEAD)
    # Those that most of the time goes to come first: there is room for four.
    for key in ("tx_copy", "rx_copy", "deferred_copy", "gather"):
        with d.panel(_CLASS[key].heading):
            _add_lines(d, _copy_metric(_CLASS[key], both), 1, 1, SIZES, threads)
    _finish(d, SIZES, "CPU time (ns per KiB)", "")
    if not d.points:
        d.figure.no_data = f"no sample was taken with {phrases.threads(threads)}"
    return True


# ---- relative to two-copy

RELATIVE_WIDTH = 470
RELATIVE_LOW_PANEL = 140  # of two rows of panels

_COSTS = {
    metric.GBPS: "Throughput",
    metric.CPU_NS_PER_KIB: "Process CPU time per KiB",
    metric.CPU_S_NS_PER_KIB: "Sender's CPU time per KiB",
    metric.CYCLES_PER_BYTE: "CPU cycles per byte",
}


def _add_ratio(d: Draft, cell: Cell, m: Metric) -> bool:
    """A mode in a setting, as a share of two-copy. Returns whether the rule has an interval for it."""
    f = d.a.compare(cell, d.a.peer(cell, TWOCOPY), m)
    if f.difference is Difference.UNKNOWN or math.isnan(f.change):
        return False
    _put_point(d, cell.mode, 1, float(cell.size), (1 + f.change, 1 + f.low, 1 + f.high), d.a.rounds_max)
    return f.difference is Difference.NOISE or f.holds


def relative(d: Draft) -> None:
    m = d.a.cost() if d.figure.name == "relative-cpu" else metric.GBPS
    picked = pick(d.a.threads, PANELS_MAX)
    bars = False
    d.width = RELATIVE_WIDTH
    d.figure.title = f"{_COSTS[m]} relative to two-copy"
    d.figure.note = f"Two-copy is 1; {'lower' if m.better is Better.LOWER else 'higher'} is better."
    if d.figure.name == "relative-cpu" and d.a.has(metric.SOFTIRQ):
        d.figure.note += " Softirq work on other tasks is not in it."
    d.rows.append(_HEAD)
    d.ys.append(1.0)
    d.is_partial = len(picked) < len(d.a.threads)
    for threads in picked:
        with d.panel(phrases.threads(threads)):
            for cell in d.a.cells:
                if cell.mode is not TWOCOPY and cell.threads == threads:
                    bars |= _add_ratio(d, cell, m)
    d.panel_height = RELATIVE_LOW_PANEL if len(d.panels) > 2 else 0
    d.about_rounds = "No intervals: too few rounds."
    if bars:
        d.about_rounds = 'Bars: the interval in which the quotient lies, by the rule under "How this was measured".'
    d.set_number("base", 1)
    _finish(d, SIZES, "two-copy = 1", "")
    if not d.points:
        d.figure.no_data = d.a.reason(m) if TWOCOPY in d.a.modes else "the data has no two-copy run"


# ---- histograms of the time of one copy, a panel per stage

BINS_PER_DECADE = 10
BINS = 13 * BINS_PER_DECADE  # up to 10^13 ns


def _bin_low(i: int) -> float:
    return math.pow(10, i / BINS_PER_DECADE)


def _spread(b: Bucket, bins: list[float]) -> None:
    """Spreads a bucket evenly over the bins it touches. Bucket bounds are inclusive."""
    low, high = max(b.low, 1.0), b.high + 1
    if high <= low:
        high = low + 1
    for i in range(BINS):
        begin, end = max(low, _bin_low(i)), min(high, _bin_low(i + 1))
        if end > begin:
            bins[i] += b.count * (end - begin) / (high - low)


def _add_hist(d: Draft, h: Hist) -> None:
    """From the bin before the first that has something to that after the last, so that both ends fall to 0."""
    bins, total = [0.0] * BINS, 0.0
    for bucket in h.buckets:
        _spread(bucket, bins)
        total += bucket.count
    full = [i for i, n in enumerate(bins) if n > 0]
    if not full:
        return
    for i in range(full[0] - 1, full[-1] + 2):
        share = 100 * bins[i] / total if 0 <= i < BINS else 0
        d.rows.append(f"{len(d.panels)},{h.mode.name},{_bin_low(i):.6g},{share:.6g}\n")
    d.modes.add(h.mode)
    d.points += 1
    d.xs += (_bin_low(full[0]), _bin_low(full[-1] + 1))


def _hists(d: Draft, stage: Stage | None, size: int, threads: int) -> list[Hist]:
    """Of one stage, or of all."""
    return [
        h
        for h in d.a.dataset.hists
        if isinstance(h.kind, Stage) and h.kind is (stage or h.kind) and (h.size, h.threads) == (size, threads)
    ]


def copy_times(d: Draft) -> None:
    size, threads = reference_size(d.a), reference_threads(d.a)
    if not any(h.buckets for h in _hists(d, None, size, threads)) and _copy_cpu(d):
        return
    d.pooled = True
    d.figure.title = "How long a copy takes, by stage"
    d.figure.note = f"Messages of {units.size(size)}, {phrases.threads(threads)}. Each step is a tenth of a decade."
    d.rows.append("panel,mode,ns,share\n")
    # Those that most of the time goes to come first: there is room for four.
    first = ["tx_copy", "rx_copy", "deferred_copy", "user_gather"]
    for stage in sorted(STAGES, key=lambda s: first.index(s.key) if s.key in first else len(first)):
        if len(d.panels) < PANELS_MAX:
            with d.panel(stage_words(stage)):
                for h in _hists(d, stage, size, threads):
                    _add_hist(d, h)
    d.set_text("xlabel", "time of one copy")
    d.set_text("ylabel", "share of events (%)")
    d.set_number("xmin", min(d.xs, default=1))
    d.set_number("xmax", max(d.xs, default=10))
    d.set_panels()
    tics = [f"{n}{unit}" for unit in (" ns", " us", " ms", " s") for n in (1, 10, 100)] + ["1000 s"]
    d.set_text("xtics", ",".join(f"'{text}' {f'1e{i}' if i else 1}" for i, text in enumerate(tics)))
    if not d.points:
        d.figure.no_data = f"the results have no histogram of the time of a copy: {d.a.reason(_NS_TX_COPY)}"
