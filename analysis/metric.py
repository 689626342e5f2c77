# SPDX-License-Identifier: GPL-2.0-only
"""The numbers of a run: name, path in a run of the result document, unit, better direction, where each is shown.

A number is a float; NaN is "not measured", never 0. Names of families:
BYTES_<stage>, NS_, TIMED_ and CPB_ (copies per byte); PATH_<part>; <counter> of both sides, S_ and R_<counter>;
CLASS_<class> of both sides, CLASS_S_, CLASS_R_, ELSEWHERE_S_ and ELSEWHERE_R_<class>.
"""
from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .tables import COUNTERS, CPU_CLASSES, CpuClass, Part, PATH_PARTS, Stage, STAGES

NAN = math.nan
KIB = 1024.0


class Better(enum.Enum):
    """The direction in which a number improves."""

    NEITHER = 0
    LOWER = 1
    HIGHER = 2


NEITHER, LOWER, HIGHER = Better.NEITHER, Better.LOWER, Better.HIGHER

# Where a number is shown: the report's table of cells; there with its interval; compare; compare only when it is
# asked for by name; the report says why, when it is missing.
REPORT, INTERVAL, COMPARE, ASKED, EXPECTED = 2, 4, 8, 32, 16


@dataclass(frozen=True, eq=False)
class Metric:
    """A number of a run. path: in a run of the document, "": derived; formula: in words, "": read from the data."""

    index: int
    id: str
    path: str
    formula: str
    words: str
    unit: str
    better: Better
    shown: int
    key: str  # on compare's command line and in its JSON, where it is compared

    @property
    def name(self) -> str:
        """compare's name for it; "": it is not compared."""
        return self.key if self.shown & COMPARE else ""

    @property
    def is_compared(self) -> bool:
        """Unless others are asked for by name."""
        return bool(self.name) and not self.shown & ASKED


METRICS: dict[str, Metric] = {}  # by id, in order


def _add(id_: str, path_: str, words: str, unit: str = "", better: Better = NEITHER, shown: int = 0, key: str = "",
         formula: str = "") -> Metric:
    METRICS[id_] = Metric(len(METRICS), id_, path_, formula, words, unit, better, shown, key)
    return METRICS[id_]


def _latency(id_: str, name: str, words: str, shown: int, median: int = 0,
             better: Better = LOWER) -> tuple[Metric, Metric]:
    """Median and 99th percentile of a latency. median: where the median alone is shown as well."""
    p50, p99 = (_add(f"{id_}_{p.upper()}", f"app.latency_ns.{name}.{p}", f"{words}, {what}", "ns", better, shown | also,
                     f"{name}_{p}") for p, what, also in (("p50", "median", median), ("p99", "p99", 0)))
    return p50, p99


# Read from the data. LATENCY is a latency of unknown kind, in imported data only.
DURATION = _add("DURATION", "duration_s", "measured time", "s")
TX_BYTES = _add("TX_BYTES", "app.tx_bytes", "bytes sent", "B")
TX_MESSAGES = _add("TX_MESSAGES", "app.tx_messages", "messages sent")
RX_BYTES = _add("RX_BYTES", "app.rx_bytes", "bytes received", "B")
RX_MESSAGES = _add("RX_MESSAGES", "app.rx_messages", "messages received")
REPLY_BYTES = _add("REPLY_BYTES", "app.replies.rx_bytes", "bytes of replies received", "B")
GBPS = _add("GBPS", "app.throughput_gbps", "throughput", "Gbit/s", HIGHER, REPORT | INTERVAL | COMPARE | EXPECTED,
            "throughput_gbps")
COPIES = _add("COPIES", "ledger.copies_per_byte", "copies per byte", "", LOWER, REPORT | COMPARE, "copies_per_byte")
COPIES_AT_MOST = _add("COPIES_AT_MOST", "ledger.copies_per_byte_at_most", "copies per byte, at most")
COPIED_FRACTION = _add("COPIED_FRACTION", "verdict.copied_fraction", "zero-copy sends copied", "", LOWER,
                       REPORT | COMPARE, "copied_fraction")
CPU_SENDER = _add("CPU_SENDER", "app.cpu_s.sender", "sender's CPU time", "s")
CPU_RECEIVER = _add("CPU_RECEIVER", "app.cpu_s.receiver", "receiver's CPU time", "s")
CPU_PER_GB = _add("CPU_PER_GB", "app.cpu_s_per_gb", "CPU time", "s/GB", LOWER)
SOFTIRQ = _add("SOFTIRQ", "cpu.softirq.ns_per_kib", "softirq work on other tasks", "ns/KiB")
SOFTIRQ_AT_MOST = _add("SOFTIRQ_AT_MOST", "cpu.softirq.ns_per_kib_at_most", "softirq work on other tasks, at most",
                       "ns/KiB")
ZC_SENDS = _add("ZC_SENDS", "app.zerocopy.sends", "zero-copy sends")
ZC_COMPLETED = _add("ZC_COMPLETED", "app.zerocopy.completed", "completions")
ZC_COPIED = _add("ZC_COPIED", "app.zerocopy.copied", "completed as copied")
KERNEL_ZC_COPIED = _add("KERNEL_ZC_COPIED", "kernel_zerocopy.copied", "seen copied")
KERNEL_ZC_COPIED_AT_MOST = _add("KERNEL_ZC_COPIED_AT_MOST", "kernel_zerocopy.copied_at_most",
                                "seen copied, or not seen")
SEND_P50, SEND_P99 = _latency("SEND", "send_call", "send call", REPORT | COMPARE)
SLOT_WAIT_P50, SLOT_WAIT_P99 = _latency("SLOT_WAIT", "slot_wait", "wait for a zero-copy buffer", COMPARE)
DELIVERY_P50, DELIVERY_P99 = _latency("DELIVERY", "delivery", "delivery", REPORT | COMPARE, EXPECTED)
RECV_P50, RECV_P99 = _latency("RECV", "recv_call", "recv call", REPORT, better=NEITHER)
HALF_TRIP_P50, HALF_TRIP_P99 = _latency("HALF_TRIP", "half_round_trip", "half round trip", COMPARE)
COMPLETION_P50, COMPLETION_P99 = _latency("COMPLETION", "completion", "completion", COMPARE, EXPECTED)
UNSENT = _add("UNSENT", "app.latency_ns.missed.count", "messages due and not sent")
LATENCY = _add("LATENCY", "latency_ns", "latency (kind unnamed)", "ns", LOWER, REPORT | COMPARE, "latency")
UNACCOUNTED_TX = _add("UNACCOUNTED_TX", "ledger.unaccounted_tx", "unaccounted, sent", "B")
UNACCOUNTED_RX = _add("UNACCOUNTED_RX", "ledger.unaccounted_rx", "unaccounted, received", "B")
TIMES_MESSAGES = _add("TIMES_MESSAGES", "times.messages", "messages sent while times were taken")
MISSED = _add("MISSED", "health.missed", "events missed")
S_KERNEL_CYCLES = _add("S_KERNEL_CYCLES", "perf.sender.cycles.kernel", "sender's cycles in the kernel")
R_KERNEL_CYCLES = _add("R_KERNEL_CYCLES", "perf.receiver.cycles.kernel", "receiver's cycles in the kernel")
PATH_TOTAL = _add("PATH_TOTAL", "path_ns.send_total", "send call, whole", "ns")
S_SAMPLES = _add("S_SAMPLES", "cpu.sender.samples", "sender's CPU samples")
R_SAMPLES = _add("R_SAMPLES", "cpu.receiver.samples", "receiver's CPU samples")

for _s in STAGES:
    _add(f"BYTES_{_s.id}", f"ledger.{_s.key}.bytes", _s.key, "B", shown=EXPECTED)
for _s in STAGES:
    _add(f"NS_{_s.id}", f"ledger.{_s.key}.ns", f"time in {_s.key}", "ns", shown=EXPECTED * _s.is_copy)
for _s in STAGES:
    _add(f"TIMED_{_s.id}", f"ledger.{_s.key}.timed_bytes", f"bytes timed in {_s.key}", "B")
for _p in PATH_PARTS[1:]:
    _add(f"PATH_{_p.id}", f"path_ns.{_p.key}", f"send call: {_p.heading}", "ns", shown=EXPECTED)
for _prefix, _side in (("S", "sender"), ("R", "receiver")):
    for _c in COUNTERS:
        _add(f"{_prefix}_{_c.id}", f"perf.{_side}.{_c.key}.value", f"{_side}'s {_c.heading}")
for _c in COUNTERS:
    _add(_c.id, f"perf.{_c.key}", _c.heading, shown=EXPECTED)
for _prefix, _side, _whose in (
        ("CLASS_S", "sender", "sender's CPU time"), ("CLASS_R", "receiver", "receiver's CPU time"),
        ("ELSEWHERE_S", "elsewhere", "CPU time elsewhere"),
        ("ELSEWHERE_R", "receiver_elsewhere", "receiver's CPU time elsewhere")):
    for _k in CPU_CLASSES:
        _add(f"{_prefix}_{_k.id}", f"cpu.{_side}.ns_per_kib.{_k.key}.value", f"{_whose}: {_k.heading}", "ns/KiB", LOWER)
READ = tuple(METRICS.values())
CYCLES, L1D_MISSES, LLC_MISSES, CONTEXT_SWITCHES = (
    METRICS[id_] for id_ in ("CYCLES", "L1D_MISSES", "LLC_MISSES", "CONTEXT_SWITCHES"))

# Computed from those.
PAYLOAD = _add("PAYLOAD", "", "payload", "B", formula="bytes received, replies too; or throughput x time / 8")
GBPS_PER_THREAD = _add("GBPS_PER_THREAD", "", "throughput per thread", "Gbit/s", HIGHER, formula="throughput / threads")
CPU_NS_PER_KIB = _add("CPU_NS_PER_KIB", "", "CPU time of the processes", "ns/KiB", LOWER,
                      REPORT | INTERVAL | COMPARE | EXPECTED, "cpu_ns_per_kib",
                      "(sender + receiver CPU time) / payload")
BYTES_PER_CYCLE = _add("BYTES_PER_CYCLE", "", "bytes per cycle", "B", HIGHER, formula="payload / cycles")
CPU_S_NS_PER_KIB, CPU_R_NS_PER_KIB = (
    _add(f"CPU_{prefix}_NS_PER_KIB", "", f"{side}'s CPU time", "ns/KiB", LOWER, formula=f"{side} CPU time / payload")
    for prefix, side in (("S", "sender"), ("R", "receiver")))
KERNEL_CYCLES = _add("KERNEL_CYCLES", "", "cycles in the kernel", formula="sender's + receiver's")

_FIGURES: list[tuple[Metric, Metric, Metric, float]] = []  # of counters: the figure is factor * of / by


def _figure(id_: str, words: str, of: Metric, by: Metric, factor: float, better: Better = LOWER,
            shown: int = 0) -> Metric:
    m = _add(id_, "", words, "", better, shown, id_.lower(), f"{of.words} / {by.words}")
    _FIGURES.append((m, of, by, factor))
    return m


IPC = _figure("IPC", "instructions per cycle", METRICS["INSTRUCTIONS"], CYCLES, 1, HIGHER, REPORT | COMPARE)
CYCLES_PER_BYTE = _figure("CYCLES_PER_BYTE", "cycles per byte", CYCLES, PAYLOAD, 1, LOWER, REPORT | INTERVAL | COMPARE)
_figure("KERNEL_SHARE", "kernel share of the cycles", KERNEL_CYCLES, CYCLES, 1, NEITHER)
L1D_MISSES_PER_KIB = _figure("L1D_MISSES_PER_KIB", "L1D misses per KiB", L1D_MISSES, PAYLOAD, 1024, LOWER,
                             REPORT | COMPARE)
LLC_MISSES_PER_KIB = _figure("LLC_MISSES_PER_KIB", "LLC misses per KiB", LLC_MISSES, PAYLOAD, 1024, LOWER,
                             REPORT | COMPARE)
_figure("DTLB_MISSES_PER_KIB", "dTLB misses per KiB", METRICS["DTLB_MISSES"], PAYLOAD, 1024, LOWER, REPORT)
_figure("BRANCH_MISSES_PER_KIB", "branch misses per KiB", METRICS["BRANCH_MISSES"], PAYLOAD, 1024, LOWER, REPORT)
CONTEXT_SWITCHES_PER_GIB = _figure("CONTEXT_SWITCHES_PER_GIB", "context switches per GiB", CONTEXT_SWITCHES, PAYLOAD,
                                   1 << 30, LOWER, REPORT | COMPARE)
_figure("CPU_MIGRATIONS_PER_GIB", "CPU migrations per GiB", METRICS["CPU_MIGRATIONS"], PAYLOAD, 1 << 30, LOWER, REPORT)
_figure("PAGE_FAULTS_PER_GIB", "page faults per GiB", METRICS["PAGE_FAULTS"], PAYLOAD, 1 << 30, LOWER, REPORT)
_figure("LLC_MISS_RATIO", "LLC misses per LLC reference", LLC_MISSES, METRICS["LLC_REFERENCES"], 1)
_figure("BRANCH_MISS_RATIO", "branch misses per branch", METRICS["BRANCH_MISSES"], METRICS["BRANCHES"], 1)
_figure("SWITCHES_PER_S", "context switches per s", CONTEXT_SWITCHES, DURATION, 1, NEITHER)

for _s in STAGES:
    _add(f"CPB_{_s.id}", "", _s.key, "B/B", formula=f"{_s.key} bytes / payload")
for _k in CPU_CLASSES:
    _add(f"CLASS_{_k.id}", "", f"CPU time: {_k.heading}", "ns/KiB", LOWER, COMPARE | ASKED, f"cpu_{_k.key}",
         f"sender's + receiver's {_k.key}")
ALL = tuple(METRICS.values())
# What an emulator shapes: times, rates and counters, but not the bytes and events of the ledger.
EMULATED = tuple(m for m in ALL if m.path.partition(".")[0] in ("latency_ns", "path_ns", "perf", "cpu")
                 or m.path.startswith(("app.throughput", "app.cpu_s", "app.latency_ns")) or m.path.endswith(".ns")
                 or (m.formula and m is not PAYLOAD and m.unit != "B/B"))


def _family(prefix: str) -> Callable[[Stage | CpuClass | Part], Metric]:
    return lambda row: METRICS[f"{prefix}{row.id}"]


# Of a stage: its bytes, time, timed bytes, and bytes for each byte of payload.
stage_bytes, stage_ns, stage_timed, stage_cpb = map(_family, ("BYTES_", "NS_", "TIMED_", "CPB_"))
path, perf_both, class_both = map(_family, ("PATH_", "", "CLASS_"))


def class_(side: int, k: CpuClass) -> Metric:
    return METRICS[f"CLASS_{'SR'[side]}_{k.id}"]


def elsewhere(side: int, k: CpuClass) -> Metric:
    """Softirq work on top of other tasks of a side's machine."""
    return METRICS[f"ELSEWHERE_{'SR'[side]}_{k.id}"]


def source(m: Metric) -> Metric:
    """The measured metric behind m, which has the reason if m is missing; else m.

    A figure is missing because its counter is; a sum of both sides, because the sender's is.
    """
    return _SOURCES.get(m, m)


_SOURCES = {perf_both(c): METRICS[f"S_{c.id}"] for c in COUNTERS}
_SOURCES |= {KERNEL_CYCLES: S_KERNEL_CYCLES, BYTES_PER_CYCLE: METRICS["S_CYCLES"]}
_SOURCES |= {class_both(k): class_(0, k) for k in CPU_CLASSES}
_SOURCES |= {m: METRICS[f"S_{of.id}"] for m, of, _, _ in _FIGURES}

_BOTH = [(m.index, METRICS[f"S_{m.id}"].index, METRICS[f"R_{m.id}"].index) for m in map(perf_both, COUNTERS)]
_CLASSES = [(class_both(k).index, class_(0, k).index, class_(1, k).index) for k in CPU_CLASSES]
_CPB = [(stage_cpb(s).index, stage_bytes(s).index) for s in STAGES]


def _per(a: float, b: float) -> float:
    """Unknown where either is, and where the divisor is 0."""
    return a / b if b > 0 else NAN


def _payload(v: list[float]) -> float:
    """Gbit/s times seconds are 10^9 bits."""
    replies = v[REPLY_BYTES.index]
    if not math.isnan(v[RX_BYTES.index]):
        return v[RX_BYTES.index] + (0 if math.isnan(replies) else replies)
    return v[GBPS.index] * v[DURATION.index] * 1e9 / 8


def derive(v: list[float], threads: int) -> None:
    """Fills in sums and derived numbers of one run, if their inputs are known."""
    for both, s, r in _BOTH:
        if math.isnan(v[both]):
            v[both] = v[s] + v[r]
    for both, s, r in _CLASSES:
        v[both] = v[s] + v[r]
    v[KERNEL_CYCLES.index] = v[S_KERNEL_CYCLES.index] + v[R_KERNEL_CYCLES.index]
    v[PAYLOAD.index] = payload = _payload(v)
    v[GBPS_PER_THREAD.index] = _per(v[GBPS.index], threads)
    v[BYTES_PER_CYCLE.index] = _per(payload, v[CYCLES.index])
    v[CPU_S_NS_PER_KIB.index] = _per(v[CPU_SENDER.index] * 1e9, payload / KIB)
    v[CPU_R_NS_PER_KIB.index] = _per(v[CPU_RECEIVER.index] * 1e9, payload / KIB)
    v[CPU_NS_PER_KIB.index] = v[CPU_S_NS_PER_KIB.index] + v[CPU_R_NS_PER_KIB.index]
    if math.isnan(v[CPU_NS_PER_KIB.index]):  # seconds a gigabyte are nanoseconds a byte
        v[CPU_NS_PER_KIB.index] = v[CPU_PER_GB.index] * KIB
    for figure, of, by, factor in _FIGURES:
        v[figure.index] = factor * _per(v[of.index], v[by.index])
    for cpb, bytes_ in _CPB:
        v[cpb] = _per(v[bytes_], payload)


def is_possible(m: Metric, value: float) -> bool:
    """Can a metric have this value (or NaN)? Only unaccounted bytes can be below 0."""
    return not value < 0 or m in (UNACCOUNTED_TX, UNACCOUNTED_RX)


def main(_: Sequence[str]) -> int:
    """For compare's help."""
    print(f"Metrics: {' '.join(m.name for m in ALL if m.name)}.", end="")
    return 0
