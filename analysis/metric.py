# SPDX-License-Identifier: GPL-2.0-only
"""The numbers of a run: name, path in a run of the result document, unit, better direction, where each is shown.

A number is a float; NaN is "not measured", never 0. The names are those of user/study/metric.h without METRIC_:
BYTES_<stage>, NS_, TIMED_ and CPB_ (copies per byte); PATH_<part>; <counter> of both sides, S_ and R_<counter>;
CLASS_<class> of both sides, CLASS_S_, CLASS_R_, ELSEWHERE_S_ and ELSEWHERE_R_<class>.
"""
from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterator
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


# Read from the data: id, path, label, unit, better direction, where it is shown, name. latency_ns is a latency of
# unknown kind, in imported data only.
_READ = (
("DURATION", "duration_s", "measured time", "s", NEITHER, 0, ""),
    ("TX_BYTES", "app.tx_bytes", "bytes sent", "B", NEITHER, 0, ""),
    ("TX_MESSAGES", "app.tx_messages", "messages sent", "", NEITHER, 0, ""),
    ("RX_BYTES", "app.rx_bytes", "bytes received", "B", NEITHER, 0, ""),
    ("RX_MESSAGES", "app.rx_messages", "messages received", "", NEITHER, 0, ""),
    ("REPLY_BYTES", "app.replies.rx_bytes", "bytes of replies received", "B", NEITHER, 0, ""),
    ("GBPS", "app.throughput_gbps", "throughput",
     "Gbit/s", HIGHER, REPORT | INTERVAL | COMPARE | EXPECTED, "throughput_gbps"),
    ("COPIES", "ledger.copies_per_byte", "copies per byte", "", LOWER, REPORT | COMPARE, "copies_per_byte"),
    ("COPIES_AT_MOST", "ledger.copies_per_byte_at_most", "copies per byte, at most", "", NEITHER, 0, ""),
    ("COPIED_FRACTION", "verdict.copied_fraction", "zero-copy sends copied",
     "", LOWER, REPORT | COMPARE, "copied_fraction"),
    ("CPU_SENDER", "app.cpu_s.sender", "sender's CPU time", "s", NEITHER, 0, ""),
    ("CPU_RECEIVER", "app.cpu_s.receiver", "receiver's CPU time", "s", NEITHER, 0, ""),
    ("CPU_PER_GB", "app.cpu_s_per_gb", "CPU time", "s/GB", LOWER, 0, ""),
    ("SOFTIRQ", "cpu.softirq.ns_per_kib", "softirq work on other tasks", "ns/KiB", NEITHER, 0, ""),
    ("SOFTIRQ_AT_MOST", "cpu.softirq.ns_per_kib_at_most", "softirq work on other tasks, at most",
     "ns/KiB", NEITHER, 0, ""),
    ("ZC_SENDS", "app.zerocopy.sends", "zero-copy sends", "", NEITHER, 0, ""),
    ("ZC_COMPLETED", "app.zerocopy.completed", "completions", "", NEITHER, 0, ""),
    ("ZC_COPIED", "app.zerocopy.copied", "completed as copied", "", NEITHER, 0, ""),
    ("KERNEL_ZC_COPIED", "kernel_zerocopy.copied", "seen copied", "", NEITHER, 0, ""),
    ("KERNEL_ZC_COPIED_AT_MOST", "kernel_zerocopy.copied_at_most", "seen copied, or not seen", "", NEITHER, 0, ""),
    ("SEND_P50", "app.latency_ns.send_call.p50", "send call, median", "ns", LOWER, REPORT | COMPARE, "send_call_p50"),
    ("SEND_P99", "app.latency_ns.send_call.p99", "send call, p99", "ns", LOWER, REPORT | COMPARE, "send_call_p99"),
    ("SLOT_WAIT_P50", "app.latency_ns.slot_wait.p50", "wait for a zero-copy buffer, median",
     "ns", LOWER, COMPARE, "slot_wait_p50"),
    ("SLOT_WAIT_P99", "app.latency_ns.slot_wait.p99", "wait for a zero-copy buffer, p99",
     "ns", LOWER, COMPARE, "slot_wait_p99"),
    ("DELIVERY_P50", "app.latency_ns.delivery.p50", "delivery, median",
     "ns", LOWER, REPORT | COMPARE | EXPECTED, "delivery_p50"),
    ("DELIVERY_P99", "app.latency_ns.delivery.p99", "delivery, p99", "ns", LOWER, REPORT | COMPARE, "delivery_p99"),
    ("RECV_P50", "app.latency_ns.recv_call.p50", "recv call, median", "ns", NEITHER, REPORT, ""),
    ("RECV_P99", "app.latency_ns.recv_call.p99", "recv call, p99", "ns", NEITHER, REPORT, ""),
    ("HALF_TRIP_P50", "app.latency_ns.half_round_trip.p50", "half round trip, median",
     "ns", LOWER, COMPARE, "half_round_trip_p50"),
    ("HALF_TRIP_P99", "app.latency_ns.half_round_trip.p99", "half round trip, p99",
     "ns", LOWER, COMPARE, "half_round_trip_p99"),
    ("COMPLETION_P50", "app.latency_ns.completion.p50", "completion, median",
     "ns", LOWER, COMPARE | EXPECTED, "completion_p50"),
    ("COMPLETION_P99", "app.latency_ns.completion.p99", "completion, p99", "ns", LOWER, COMPARE, "completion_p99"),
    ("UNSENT", "app.latency_ns.missed.count", "messages due and not sent", "", NEITHER, 0, ""),
    ("LATENCY", "latency_ns", "latency (kind unnamed)", "ns", LOWER, REPORT | COMPARE, "latency"),
    ("UNACCOUNTED_TX", "ledger.unaccounted_tx", "unaccounted, sent", "B", NEITHER, 0, ""),
    ("UNACCOUNTED_RX", "ledger.unaccounted_rx", "unaccounted, received", "B", NEITHER, 0, ""),
    ("TIMES_MESSAGES", "times.messages", "messages sent while times were taken", "", NEITHER, 0, ""),
    ("MISSED", "health.missed", "events missed", "", NEITHER, 0, ""),
    ("S_KERNEL_CYCLES", "perf.sender.cycles.kernel", "sender's cycles in the kernel", "", NEITHER, 0, ""),
    ("R_KERNEL_CYCLES", "perf.receiver.cycles.kernel", "receiver's cycles in the kernel", "", NEITHER, 0, ""),
    ("PATH_TOTAL", "path_ns.send_total", "send call, whole", "ns", NEITHER, 0, ""),
)

# Computed from those: id, formula, then as above.
_DERIVED = (
("PAYLOAD", "bytes received, replies too; or throughput x time / 8", "payload", "B", NEITHER, 0, ""),
    ("GBPS_PER_THREAD", "throughput / threads", "throughput per thread", "Gbit/s", HIGHER, 0, ""),
    ("CPU_NS_PER_KIB", "(sender + receiver CPU time) / payload", "CPU time of the processes",
     "ns/KiB", LOWER, REPORT | INTERVAL | COMPARE | EXPECTED, "cpu_ns_per_kib"),
    ("BYTES_PER_CYCLE", "payload / cycles", "bytes per cycle", "B", HIGHER, 0, ""),
    ("CPU_S_NS_PER_KIB", "sender CPU time / payload", "sender's CPU time", "ns/KiB", LOWER, 0, ""),
    ("CPU_R_NS_PER_KIB", "receiver CPU time / payload", "receiver's CPU time", "ns/KiB", LOWER, 0, ""),
    ("KERNEL_CYCLES", "sender's + receiver's", "cycles in the kernel", "", NEITHER, 0, ""),
)

# Figures of counters: id; name; quantity; per what; better direction; of, by and factor: the figure is
# factor * of / by; where it is shown; the formula as text.
_FIGURES = (
    ("IPC", "ipc", "instructions", "per cycle", HIGHER, "INSTRUCTIONS", "CYCLES", 1,
     REPORT | COMPARE, "instructions / cycles"),
    ("CYCLES_PER_BYTE", "cycles_per_byte", "cycles", "per byte", LOWER, "CYCLES", "PAYLOAD", 1,
     REPORT | INTERVAL | COMPARE, "cycles / payload"),
    ("KERNEL_SHARE", "kernel_share", "kernel share", "of the cycles", NEITHER, "KERNEL_CYCLES",
     "CYCLES", 1, 0, "cycles in the kernel / cycles"),
    ("L1D_MISSES_PER_KIB", "l1d_misses_per_kib", "L1D misses", "per KiB", LOWER, "L1D_MISSES",
     "PAYLOAD", 1024, REPORT | COMPARE, "L1D misses / payload"),
    ("LLC_MISSES_PER_KIB", "llc_misses_per_kib", "LLC misses", "per KiB", LOWER, "LLC_MISSES",
     "PAYLOAD", 1024, REPORT | COMPARE, "LLC misses / payload"),
    ("DTLB_MISSES_PER_KIB", "dtlb_misses_per_kib", "dTLB misses", "per KiB", LOWER, "DTLB_MISSES",
     "PAYLOAD", 1024, REPORT, "dTLB misses / payload"),
    ("BRANCH_MISSES_PER_KIB", "branch_misses_per_kib", "branch misses", "per KiB", LOWER,
     "BRANCH_MISSES", "PAYLOAD", 1024, REPORT, "branch misses / payload"),
    ("CONTEXT_SWITCHES_PER_GIB", "context_switches_per_gib", "context switches", "per GiB", LOWER,
     "CONTEXT_SWITCHES", "PAYLOAD", 1 << 30, REPORT | COMPARE, "context switches / payload"),
    ("CPU_MIGRATIONS_PER_GIB", "cpu_migrations_per_gib", "CPU migrations", "per GiB", LOWER,
     "CPU_MIGRATIONS", "PAYLOAD", 1 << 30, REPORT, "CPU migrations / payload"),
    ("PAGE_FAULTS_PER_GIB", "page_faults_per_gib", "page faults", "per GiB", LOWER, "PAGE_FAULTS",
     "PAYLOAD", 1 << 30, REPORT, "page faults / payload"),
    ("LLC_MISS_RATIO", "llc_miss_ratio", "LLC misses", "per LLC reference", LOWER, "LLC_MISSES",
     "LLC_REFERENCES", 1, 0, "LLC misses / LLC references"),
    ("BRANCH_MISS_RATIO", "branch_miss_ratio", "branch misses", "per branch", LOWER,
     "BRANCH_MISSES", "BRANCHES", 1, 0, "branch misses / branches"),
    ("SWITCHES_PER_S", "switches_per_s", "context switches", "per s", NEITHER, "CONTEXT_SWITCHES",
     "DURATION", 1, 0, "context switches / measured time"),
)

def _rows() -> Iterator[tuple[str, str, str, str, str, Better, int, str]]:
    """The members of each metric but its index."""
    for id_, path_, words, unit, better, shown, key in _READ:
        yield id_, path_, "", words, unit, better, shown, key
    for s in STAGES:
        yield f"BYTES_{s.id}", f"ledger.{s.key}.bytes", "", s.key, "B", NEITHER, EXPECTED, ""
    for s in STAGES:
        yield f"NS_{s.id}", f"ledger.{s.key}.ns", "", f"time in {s.key}", "ns", NEITHER, EXPECTED * s.is_copy, ""
    for s in STAGES:
        yield f"TIMED_{s.id}", f"ledger.{s.key}.timed_bytes", "", f"bytes timed in {s.key}", "B", NEITHER, 0, ""
    for p in PATH_PARTS[1:]:
        yield f"PATH_{p.id}", f"path_ns.{p.key}", "", f"send call: {p.heading}", "ns", NEITHER, EXPECTED, ""
    for prefix, side in (("S", "sender"), ("R", "receiver")):
        for c in COUNTERS:
            yield f"{prefix}_{c.id}", f"perf.{side}.{c.key}.value", "", f"{side}'s {c.heading}", "", NEITHER, 0, ""
    for c in COUNTERS:
        yield c.id, f"perf.{c.key}", "", c.heading, "", NEITHER, EXPECTED, ""
    for prefix, side, whose in (
            ("CLASS_S", "sender", "sender's CPU time"), ("CLASS_R", "receiver", "receiver's CPU time"),
            ("ELSEWHERE_S", "elsewhere", "CPU time elsewhere"),
            ("ELSEWHERE_R", "receiver_elsewhere", "receiver's CPU time elsewhere")):
        for k in CPU_CLASSES:
            path_ = f"cpu.{side}.ns_per_kib.{k.key}.value"
            yield f"{prefix}_{k.id}", path_, "", f"{whose}: {k.heading}", "ns/KiB", LOWER, 0, ""
    for id_, formula, words, unit, better, shown, key in _DERIVED:
        yield id_, "", formula, words, unit, better, shown, key
    for id_, key, what, each, better, _, _, _, shown, formula in _FIGURES:
        yield id_, "", formula, f"{what} {each}", "", better, shown, key
    for s in STAGES:
        yield f"CPB_{s.id}", "", f"{s.key} bytes / payload", s.key, "B/B", NEITHER, 0, ""
    for k in CPU_CLASSES:
        yield (f"CLASS_{k.id}", "", f"sender's + receiver's {k.key}", f"CPU time: {k.heading}", "ns/KiB", LOWER,
               COMPARE | ASKED, f"cpu_{k.key}")


METRICS = {row[0]: Metric(index, *row) for index, row in enumerate(_rows())}  # by id, in order
ALL = tuple(METRICS.values())
READ = tuple(m for m in ALL if m.path)

# Those that have a name in this package.
(DURATION, TX_BYTES, TX_MESSAGES, RX_BYTES, RX_MESSAGES, REPLY_BYTES, GBPS, COPIES, COPIES_AT_MOST, COPIED_FRACTION,
 CPU_SENDER, CPU_RECEIVER, CPU_PER_GB, SOFTIRQ, SOFTIRQ_AT_MOST, ZC_SENDS, ZC_COMPLETED, ZC_COPIED, KERNEL_ZC_COPIED,
 KERNEL_ZC_COPIED_AT_MOST, SEND_P50, SEND_P99, SLOT_WAIT_P50, SLOT_WAIT_P99, DELIVERY_P50, DELIVERY_P99, RECV_P50,
 RECV_P99, HALF_TRIP_P50, HALF_TRIP_P99, COMPLETION_P50, COMPLETION_P99, UNSENT, LATENCY, UNACCOUNTED_TX,
 UNACCOUNTED_RX, TIMES_MESSAGES, MISSED, S_KERNEL_CYCLES, R_KERNEL_CYCLES, PATH_TOTAL) = ALL[:len(_READ)]
(PAYLOAD, GBPS_PER_THREAD, CPU_NS_PER_KIB, BYTES_PER_CYCLE, CPU_S_NS_PER_KIB, CPU_R_NS_PER_KIB, KERNEL_CYCLES) = (
    METRICS[row[0]] for row in _DERIVED)
(IPC, CYCLES_PER_BYTE, L1D_MISSES_PER_KIB, LLC_MISSES_PER_KIB, CONTEXT_SWITCHES_PER_GIB, CYCLES, L1D_MISSES, LLC_MISSES,
 CONTEXT_SWITCHES) = (METRICS[id_] for id_ in (
    "IPC", "CYCLES_PER_BYTE", "L1D_MISSES_PER_KIB", "LLC_MISSES_PER_KIB", "CONTEXT_SWITCHES_PER_GIB", "CYCLES",
    "L1D_MISSES", "LLC_MISSES", "CONTEXT_SWITCHES"))


def _family(prefix: str) -> Callable[[Stage | CpuClass | Part], Metric]:
    return lambda row: METRICS[f"{prefix}{row.id}"]


# Of a stage: its bytes, time, timed bytes, and bytes for each byte of payload.
stage_bytes, stage_ns, stage_timed, stage_cpb = map(_family, ("BYTES_", "NS_", "TIMED_", "CPB_"))
path, perf_both, class_both = map(_family, ("PATH_", "", "CLASS_"))


def class_(side: int, k: CpuClass) -> Metric:
    return METRICS[f"CLASS_{'SR'[side]}_{k.id}"]


def source(m: Metric) -> Metric:
    """The measured metric behind m, which has the reason if m is missing; else m.

    A figure is missing because its counter is; a sum of both sides, because the sender's is.
    """
    return _SOURCES.get(m, m)


_SOURCES = {perf_both(c): METRICS[f"S_{c.id}"] for c in COUNTERS}
_SOURCES |= {KERNEL_CYCLES: S_KERNEL_CYCLES, BYTES_PER_CYCLE: METRICS["S_CYCLES"]}
_SOURCES |= {class_both(k): class_(0, k) for k in CPU_CLASSES}
_SOURCES |= {METRICS[row[0]]: METRICS[f"S_{row[5]}"] for row in _FIGURES}

_BOTH = [(m.index, METRICS[f"S_{m.id}"].index, METRICS[f"R_{m.id}"].index) for m in map(perf_both, COUNTERS)]
_CLASSES = [(class_both(k).index, class_(0, k).index, class_(1, k).index) for k in CPU_CLASSES]
_FIGURE_ROWS = [(METRICS[row[0]].index, METRICS[row[5]].index, METRICS[row[6]].index, float(row[7]))
                for row in _FIGURES]
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
    for figure, of, by, factor in _FIGURE_ROWS:
        v[figure] = factor * _per(v[of], v[by])
    for cpb, bytes_ in _CPB:
        v[cpb] = _per(v[bytes_], payload)


def is_possible(m: Metric, value: float) -> bool:
    """Can a metric have this value (or NaN)? Only unaccounted bytes can be below 0."""
    return not value < 0 or m in (UNACCOUNTED_TX, UNACCOUNTED_RX)
