# SPDX-License-Identifier: GPL-2.0-only
"""Pictures with a line per mode: medians with their intervals, the modes relative to two-copy, and histograms."""
from __future__ import annotations

import functools
import math
from collections.abc import Sequence, Set
from typing import NamedTuple

from .. import metric, units, wording
from ..dataset import Bucket
from ..metric import Better, Metric
from ..stats import Difference
from ..study import Analysis, Finding
from ..tables import CPU_CLASS, Mode, MODES, PINS, SENDER, Stage, STAGES, TWOCOPY
from .figure import Draft, groups, PANELS_MAX, pick, reference_size, reference_threads, stage_words

NS_PER_US = 1000.0
LOG_WORTH_RATIO = 20  # highest / lowest above which an axis is logarithmic
WIDTH, MARGIN, TIC_CHARACTER = 900, 76, 7.0  # px: of a picture, beside each of its panels, of a label
_HEAD = "panel,mode,series,x,median,low,high,rounds\n"
SIZES, THREADS = False, True  # the horizontal axis; the other variable is fixed, or varies by panel


def _put_point(d: Draft, mode: Mode, series: int, x: float, y: Sequence[float], rounds: int) -> None:
    """A point of the panel in hand: y, and the bounds of its interval, NaN if it has none. Series from 1."""
    bounds = "".join("," if math.isnan(v) else f",{v:.10g}" for v in y[1:])
    d.rows.append(f"{len(d.panels)},{mode.name},{series},{x:.10g},{y[0]:.10g}{bounds},{rounds}\n")
    d.modes.add(mode)
    d.panel_modes[-1].add(mode)
    d.has_intervals |= not math.isnan(y[1])
    d.points += 1
    d.xs.append(x)
    d.ys += (v for v in y if not math.isnan(v))


def _put_gap(d: Draft, mode: Mode, series: int, x: float) -> None:
    """A value that is not known: the line does not go on over it."""
    d.rows.append(f"{len(d.panels)},{mode.name},{series},{x:.10g},,,,0\n")
    d.has_gaps = True
    d.xs.append(x)


def _add_lines(d: Draft, m: Metric, scale: float, series: int, axis: bool, fixed: int, modes: Set[Mode],
               seen: bool = False) -> None:
    """A line of each mode over its cells with the fixed thread count or size. scale: a unit of the axis.

    seen: of samples, where 0 means that none fell on it.
    """
    for mode in (mode for mode in MODES if mode in modes):
        estimates = [(float(n or 1), d.a.estimate(d.a.cell(mode, *((fixed, n) if axis else (n, fixed))), m))
                     for n in (d.a.threads if axis else d.a.sizes)]
        known = [bool(e.n) and not (seen and e.median == 0) for _, e in estimates]
        for (x, e), is_known in zip(estimates, known):
            if is_known:
                _put_point(d, mode, series, x, (e.median / scale, e.low / scale, e.high / scale), e.n)
                d.rounds.append(e.n)
                d.coverages += [e.coverage] if e.has_interval else []
            elif any(known):
                _put_gap(d, mode, series, x)


def _modes_of(d: Draft, metrics: Sequence[Metric], seen: bool = False) -> set[Mode]:
    """That have a value; seen: one above 0."""
    estimates = [(c, d.a.estimate(c, m)) for c in d.a.cells for m in metrics]
    return {c.mode for c, e in estimates if e.n and not (seen and e.median == 0)}


def _title(*words: str) -> str:
    return ", ".join(filter(None, words))


def _add_panels(d: Draft, axis: bool, metrics: Sequence[tuple[str, Metric]], scale: float) -> None:
    """Panels for some of the thread counts or sizes, the one that is not the axis, and for each metric with its words:
    a row for each metric and group of modes."""
    values, reference = (d.a.sizes, reference_size(d.a)) if axis else (d.a.threads, reference_threads(d.a))
    with_value = {c.size if axis else c.threads for c in d.a.cells for _, m in metrics if d.a.estimate(c, m).n}
    known = [v for v in values if v in with_value]
    parts = [(number, words, m, group, modes) for group, modes in groups(_modes_of(d, [m for _, m in metrics]))
             for number, (words, m) in enumerate(metrics, 1) if d.a.has(m)]
    most = {1: PANELS_MAX, 2: 3}.get(len(parts))
    picked = pick(known, most) if most else [reference] if reference in known else known[:1]
    d.shows(picked, values, *(("sizes", units.size) if axis else ("thread counts", str)))
    d.columns = 2 if len(picked) == 1 or len(parts) * len(picked) == PANELS_MAX else len(picked)
    for number, words, m, group, modes in parts:
        for fixed in picked:
            with d.panel(_title(words, units.size(fixed) if axis else wording.threads(fixed), group)):
                _add_lines(d, m, scale, number, axis, fixed, modes)


def _set_tics(d: Draft, axis: bool) -> None:
    """Labels that do not touch, the first and the last one among them."""
    word = str if axis else units.size_short
    tics = [(n, word(n)) for n in (d.a.threads if axis else d.a.sizes) if n]
    panel = (d.width or WIDTH) / max(min(d.columns, len(d.panels)), 1) - MARGIN

    def apart(x: tuple[int, str], y: tuple[int, str]) -> bool:
        span = math.log2(tics[-1][0] / tics[0][0]) + 1  # the axis is longer than its values
        return math.log2(y[0] / x[0]) * panel / span > TIC_CHARACTER * (len(x[1] + y[1]) + 2) / 2

    shown = tics[:1]
    for tic in tics[1:-1]:
        if apart(shown[-1], tic) and apart(tic, tics[-1]):
            shown.append(tic)
    d.set_text("xtics", ",".join(f"'{text}' {n}" for n, text in shown + tics[1:][-1:]) or "'n/a' 1")


def _set_scale(d: Draft, ys: Sequence[float], is_ratio: bool) -> None:
    """One for all panels. On a logarithmic axis the bounds and tics are 1, 2 and 5 times a power of ten."""
    low, high = min(ys, default=0), max(ys, default=0)
    is_log = low > 0 and (is_ratio or high / low > LOG_WORTH_RATIO)
    tics = ""
    if is_log:
        first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
        steps = [n * 10.0**i for i in range(first, last + 1) for n in (1, 2, 5)]
        low, high = max(n for n in steps if n <= low * 1.001), min(n for n in steps if n >= high * 0.999)
        if low == high:
            low, high = low / 2, high * 2
        few = high / low <= 500
        tics = ",".join(f"{n:g}" for n in steps if low <= n <= high and (few or f"{n:e}"[0] == "1"))
    else:
        low, high = 0, high * 1.06 or 1
    d.set_number("ylog", is_log)
    d.set_number("ymin", low)
    d.set_number("ymax", high)
    d.set_text("ytics", tics)


def _finish(d: Draft, axis: bool, ylabel: str, ys: Sequence[float] = ()) -> None:
    """ys: what the scale holds besides the points; of quotients."""
    _set_tics(d, axis)
    d.set_text("xlabel", "threads" if axis else "message size" if d.width else "message size (bytes)")
    d.set_text("ylabel", ylabel)
    d.set_panels()
    _set_scale(d, [*d.ys, *ys], bool(ys))
    d.set_number("bars", d.has_intervals)
    d.has_bars = True
    d.set_number("xmin", min(d.xs, default=1))
    d.set_number("xmax", max(d.xs, default=1))


# ---- medians


class _Choice(NamedTuple):
    """What a picture shows: the first of its choices that the data has; if none, the last."""

    title: str
    note: str
    ylabel: str
    metrics: tuple[Metric, ...]
    panels: tuple[str, ...] = ()  # words before the titles of the panels of each metric
    is_time: bool = False  # in ns; the label gets the unit
    replaces: bool = False  # the note goes on with the reason that the metric is missing


class _Lines(NamedTuple):
    metric: Metric  # that it is about
    choices: tuple[_Choice, ...]
    axis: bool = SIZES
    words: str = ""  # that CPU time replaces; "": nothing replaces it
    of_zerocopy: bool = False  # only modes that pin have it


def _times(title: str, note: str, ylabel: str, *metrics: Metric) -> _Choice:
    return _Choice(title, note, ylabel, metrics, ("median", "p99") if len(metrics) > 1 else (), is_time=True)


def _misses(by: str) -> tuple[_Choice, _Choice]:
    title, panels = f"Cache misses by {by}", ("L1D", "LLC")
    return (_Choice(title, "", "misses per KiB", (metric.L1D_MISSES_PER_KIB, metric.LLC_MISSES_PER_KIB), panels),
            _Choice(title, "Misses of a whole run", "misses in a run", (metric.L1D_MISSES, metric.LLC_MISSES), panels,
                    replaces=True))


_LATENCY = "Latency by number of threads"

_MEDIANS = {
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
                ("sender", "receiver"), replaces=True))),
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
}


def _needs_ms(a: Analysis, c: _Choice) -> bool:
    """The unit of a time axis: milliseconds if microseconds needed five digits."""
    return any(a.estimate(a.peak(None, m), m).median >= 1e4 * NS_PER_US for m in c.metrics)


def medians(d: Draft) -> None:
    f = _MEDIANS[d.figure.name]
    c = next((c for c in f.choices if any(map(d.a.has, c.metrics))), f.choices[-1])
    reason = d.a.reason(f.metric)
    ms = c.is_time and _needs_ms(d.a, c)
    scale = 1.0 if not c.is_time else 1000 * NS_PER_US if ms else NS_PER_US
    d.figure.title = c.title
    d.figure.note = f"{c.note}: {reason}." if c.replaces else c.note
    d.rows.append(_HEAD)
    _add_panels(d, f.axis, list(zip(c.panels or ("",), c.metrics)), scale)
    unit = "" if not c.is_time else " (ms)" if ms else " (us)"
    _finish(d, f.axis, c.ylabel + unit)
    lacking = [m.words for m in d.a.modes if m not in d.modes and (m.has(PINS) or not f.of_zerocopy)]
    if d.points:
        d.figure.note += f" Without a value: {wording.items(lacking)}." if lacking else ""
        return
    if f.words:
        d.figure.no_data = f"neither {f.words} ({reason}) nor CPU time ({d.a.reason(metric.CPU_NS_PER_KIB)})"
    elif f.of_zerocopy and not any(m.has(PINS) for m in d.a.modes):
        d.figure.no_data = "the data has no zero-copy run"
    else:
        d.figure.no_data = reason


# ---- CPU time of copies

_NS_TX_COPY = metric.METRICS["NS_TX_COPY"]


def _copy_cpu(d: Draft) -> bool:
    """The CPU time of copies, from samples. False: the data has none."""
    both = d.a.has(metric.class_both(CPU_CLASS["tx_copy"]))
    metric_of = metric.class_both if both else functools.partial(metric.class_, SENDER)
    threads = reference_threads(d.a)
    if not d.a.has(metric_of(CPU_CLASS["tx_copy"])):
        return False
    d.figure.template = "lines"
    d.figure.title = "CPU time of each copy by message size, from samples, instead of how long a copy takes"
    whose = "" if both else "; the sender's alone"
    d.figure.note = (f"With {wording.threads(threads)}{whose}. Single copies are not timed "
                     f"({d.a.reason(_NS_TX_COPY)}). n/a: no sample fell on that copy, which is not to say that there "
                     "was none.")
    d.rows.append(_HEAD)
    # Those that most of the time goes to come first: there is room for four.
    for key in ("tx_copy", "rx_copy", "deferred_copy", "gather"):
        m = metric_of(CPU_CLASS[key])
        for words, modes in groups(_modes_of(d, [m], seen=True)):
            with d.panel(_title(CPU_CLASS[key].heading, words)):
                _add_lines(d, m, 1, 1, SIZES, threads, modes, seen=True)
    d.columns = 2 if len(d.panels) <= PANELS_MAX else 3
    d.has_gaps = False  # its own words
    _finish(d, SIZES, "CPU time (ns per KiB)")
    if not d.points:
        d.figure.no_data = f"no sample was taken with {wording.threads(threads)}"
    return True


# ---- relative to two-copy

RELATIVE_WIDTH, RELATIVE_HEIGHTS, RELATIVE_PANELS = 470, (170, 120), 2

_COSTS = {metric.GBPS: "Throughput",
          metric.CPU_NS_PER_KIB: "Process CPU time per KiB",
          metric.CPU_S_NS_PER_KIB: "Sender's CPU time per KiB",
          metric.CYCLES_PER_BYTE: "CPU cycles per byte"}


class _Ratio(NamedTuple):
    """A mode as a share of two-copy in the same setting; UNKNOWN also where one of them was not run."""

    mode: Mode
    size: int
    threads: int
    f: Finding


def _ratios(d: Draft, m: Metric, threads: Sequence[int]) -> list[_Ratio]:
    return [_Ratio(mode, size, t, d.a.compare(d.a.cell(mode, size, t), d.a.cell(TWOCOPY, size, t), m))
            for mode in d.a.modes if mode is not TWOCOPY for t in threads for size in d.a.sizes]


def _is_known(f: Finding) -> bool:
    return f.difference is not Difference.UNKNOWN and not math.isnan(f.change)


def _add_ratios(d: Draft, ratios: Sequence[_Ratio]) -> bool:
    """Lines in the panel in hand. Returns whether the rule has an interval for one."""
    known = {r.mode for r in ratios if _is_known(r.f)}
    for mode, size, _, f in ratios:
        if _is_known(f):
            _put_point(d, mode, 1, float(size), (1 + f.change, 1 + f.low, 1 + f.high), min(f.a.n, f.b.n))
        elif mode in known:
            _put_gap(d, mode, 1, float(size))
    return any(r.f.difference is Difference.NOISE or r.f.difference.holds for r in ratios if _is_known(r.f))


def relative(d: Draft) -> None:
    """With the fewest and the most threads; throughput and cost have one scale, since they stand beside each other."""
    cost = d.a.cost()
    m = cost if d.figure.name == "relative-cpu" else metric.GBPS
    apart = groups(set(d.a.modes))
    known = {n: [r.threads for r in _ratios(d, n, d.a.threads) if _is_known(r.f)] for n in (metric.GBPS, cost)}
    picked = pick([t for t in d.a.threads if any(t in of for of in known.values())], RELATIVE_PANELS)
    d.shows([t for t in picked if t in known[m]], d.a.threads, "thread counts", str)
    bars = False
    d.width, d.panel_height, d.columns = RELATIVE_WIDTH, RELATIVE_HEIGHTS[len(apart) > 1], RELATIVE_PANELS
    better = "lower" if m.better is Better.LOWER else "higher"
    d.figure.title = f"{_COSTS[m]} relative to two-copy"
    if d.figure.name == "relative-cpu" and d.a.has(metric.SOFTIRQ):
        d.figure.note = "Softirq work on other tasks is not in it."
    d.rows.append(_HEAD)
    ratios = _ratios(d, m, picked)
    for words, modes in apart:
        for threads in picked:
            with d.panel(_title(wording.threads(threads), words)):
                bars |= _add_ratios(d, [r for r in ratios if r.mode in modes and r.threads == threads])
    d.about_rounds = "No intervals: too few rounds."
    if bars:
        d.about_rounds = 'Bars: the interval in which the quotient lies, by the rule under "How this was measured".'
    d.set_number("base", 1)
    both = [r.f for n in (metric.GBPS, cost) for r in _ratios(d, n, picked)]
    ends = [1 + v for f in both if _is_known(f) for v in (f.change, f.low, f.high) if v > -1]
    _finish(d, SIZES, f"x two-copy ({better} is better)", [1.0, *ends])
    if not d.points:
        d.figure.no_data = d.a.reason(m) if TWOCOPY in d.a.modes else "the data has no two-copy run"


# ---- histograms of the time of one copy, a panel per stage

HISTOGRAMS_MAX = 6
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


def _add_hist(d: Draft, mode: Mode, buckets: Sequence[Bucket]) -> None:
    """From the bin before the first that has something to that after the last, so that both ends fall to 0."""
    bins, total = [0.0] * BINS, 0.0
    for bucket in buckets:
        _spread(bucket, bins)
        total += bucket.count
    full = [i for i, n in enumerate(bins) if n > 0]
    if not full:
        return
    for i in range(full[0] - 1, full[-1] + 2):
        share = 100 * bins[i] / total if 0 <= i < BINS else 0
        d.rows.append(f"{len(d.panels)},{mode.name},{_bin_low(i):.6g},{share:.6g}\n")
        d.ys.append(share)
    d.modes.add(mode)
    d.panel_modes[-1].add(mode)
    d.points += 1
    d.xs += (_bin_low(full[0]), _bin_low(full[-1] + 1))


def copy_times(d: Draft) -> None:
    size, threads = reference_size(d.a), reference_threads(d.a)
    hists = {(kind, mode): buckets for (mode, *of, kind), buckets in d.a.dataset.hists.items()
             if isinstance(kind, Stage) and of == [size, threads] and buckets}
    if not hists and _copy_cpu(d):
        return
    d.pooled = True
    d.figure.title = "How long a copy takes, by stage"
    d.figure.note = f"Messages of {units.size(size)}, {wording.threads(threads)}. Each step is a tenth of a decade."
    d.rows.append("panel,mode,ns,share\n")
    # Those that most of the time goes to come first: there may not be room for all.
    first = ["tx_copy", "rx_copy", "deferred_copy", "user_gather"]
    for stage in sorted(STAGES, key=lambda s: first.index(s.key) if s.key in first else len(first)):
        of_stage = {mode: buckets for (kind, mode), buckets in hists.items() if kind is stage}
        for words, modes in groups(set(of_stage)):
            if len(d.panels) < HISTOGRAMS_MAX:
                with d.panel(_title(stage_words(stage), words)):
                    for mode, buckets in of_stage.items():
                        if mode in modes:
                            _add_hist(d, mode, buckets)
    d.columns = 2 if len(d.panels) <= PANELS_MAX else 3
    d.set_text("xlabel", "time of one copy")
    d.set_text("ylabel", "share of events (%)")
    d.set_number("xmin", min(d.xs, default=1))
    d.set_number("xmax", max(d.xs, default=10))
    d.set_number("ymax", 1.06 * max(d.ys, default=100))
    d.set_panels()
    tics = [f"{n}{unit}" for unit in (" ns", " us", " ms", " s") for n in (1, 10, 100)] + ["1000 s"]
    d.set_text("xtics", ",".join(f"'{text}' {f'1e{i}' if i else 1}" for i, text in enumerate(tics)))
    if not d.points:
        d.figure.no_data = f"the results have no histogram of the time of a copy: {d.a.reason(_NS_TX_COPY)}"
