# SPDX-License-Identifier: GPL-2.0-only
"""What results are made of: modes, stages of the ledger, classes of CPU time, counters, latencies; a row each.

As in common/mode.h, bpf/netiotrace.h and user/model/; tests/analysis/test_tables.py compares them.
"""
from __future__ import annotations

from dataclasses import dataclass

# Features of a mode, as far as results show them.
GATHERS, COPIES, PINS, SPLICES, PINS_BY_URING = 1, 2, 4, 8, 128

SENDER, RECEIVER = SIDES = 0, 1
OWNERS = ("sender", "receiver", "elsewhere", "receiver_elsewhere")  # of samples; the first two are the sides


@dataclass(frozen=True, eq=False)
class Mode:
    """A way to send. Colour, point and dash type are gnuplot's."""

    index: int
    name: str
    words: str
    features: int
    colour: str
    point: int
    dash: int

    def has(self, feature: int) -> bool:
        return bool(self.features & feature)


@dataclass(frozen=True, eq=False)
class Stage:
    """A stage of the copy ledger."""

    index: int
    id: str
    key: str
    heading: str
    side: int
    is_copy: bool


@dataclass(frozen=True, eq=False)
class CpuClass:
    """A class of sampled CPU time."""

    index: int
    id: str
    key: str
    heading: str
    colour: str


@dataclass(frozen=True, eq=False)
class Part:
    """A performance counter of one side, a part of a send call, or a latency that the load generator times."""

    id: str
    key: str
    heading: str


PathPart = Part


MODES = (
    Mode(0, "twocopy", "two-copy", GATHERS | COPIES, "#0072B2", 7, 1),
    Mode(1, "onecopy", "one-copy", COPIES, "#D55E00", 5, 2),
    Mode(2, "zerocopy", "zero-copy", COPIES | PINS, "#009E73", 9, 4),
    Mode(3, "sendfile", "sendfile", SPLICES, "#CC79A7", 13, 5),
    Mode(4, "splice", "splice", GATHERS | SPLICES, "#E69F00", 11, 3),
    Mode(5, "uring", "io_uring", COPIES, "#56B4E9", 15, 6),
    Mode(6, "uringzc", "io_uring zero-copy", COPIES | PINS | PINS_BY_URING, "#000000", 2, 7),
    Mode(7, "ktls", "kTLS", 0, "#999999", 3, 8),
)
TWOCOPY, ONECOPY, ZEROCOPY = MODES[:3]

STAGES = (
    Stage(0, "USER_GATHER", "user_gather", "gather", SENDER, True),
    Stage(1, "TX_COPY", "tx_copy", "send", SENDER, True),
    Stage(2, "TX_PIN", "tx_pin", "pin", SENDER, False),
    Stage(3, "TX_SPLICE", "tx_splice", "splice", SENDER, False),
    Stage(4, "DEFERRED_COPY", "deferred_copy", "deferred", SENDER, True),
    Stage(5, "RX_COPY", "rx_copy", "receive", RECEIVER, True),
    Stage(6, "RX_MAP", "rx_map", "map", RECEIVER, False),
    Stage(7, "RX_DISCARD", "rx_discard", "discard", RECEIVER, False),
    Stage(8, "RX_SPLICE", "rx_splice", "rx splice", RECEIVER, False),
    Stage(9, "OTHER_COPY", "other_copy", "other", RECEIVER, True),
    Stage(10, "TLS_COPY", "tls_copy", "tls", SENDER, True),
)

CPU_CLASSES = (
    CpuClass(0, "GATHER", "gather", "gather", "#FBD3A1"),
    CpuClass(1, "TX_COPY", "tx_copy", "send copy", "#F5A14B"),
    CpuClass(2, "TX_PIN", "tx_pin", "pin", "#08519C"),
    CpuClass(3, "DEFERRED_COPY", "deferred_copy", "deferred copy", "#8C3B00"),
    CpuClass(4, "RX_COPY", "rx_copy", "receive copy", "#D55E00"),
    CpuClass(5, "OTHER_COPY", "other_copy", "other copy", "#3D1800"),
    CpuClass(6, "COMPLETION", "completion", "completion", "#6A51A3"),
    CpuClass(7, "TCP_IP", "tcp_ip", "TCP/IP", "#A6CEE3"),
    CpuClass(8, "TIMERS", "timers", "pacing/timers", "#F0E442"),
    CpuClass(9, "NETDEV", "netdev", "net device", "#7FB8A4"),
    CpuClass(10, "SKB", "skb", "skb", "#44AA99"),
    CpuClass(11, "MEMORY", "memory", "memory", "#117733"),
    CpuClass(12, "LOCK", "lock", "lock", "#332288"),
    CpuClass(13, "SCHEDULING", "scheduling", "scheduling", "#B07AA1"),
    CpuClass(14, "SYSCALL", "syscall", "system call", "#666666"),
    CpuClass(15, "IRQ", "irq", "interrupts", "#661100"),
    CpuClass(16, "TRACING", "tracing", "tracing", "#A6761D"),
    CpuClass(17, "FILE_READ", "file_read", "file read", "#B8860B"),
    CpuClass(18, "USER", "user", "application", "#BBBBBB"),
    CpuClass(19, "OTHER", "other", "unclassified", "#DDDDDD"),
)
CPU_CLASS = {c.key: c for c in CPU_CLASSES}  # by key

COUNTERS = tuple(Part(key.upper(), key, words) for key, words in (
    ("cycles", "cycles"), ("instructions", "instructions"), ("l1d_misses", "L1D misses"),
    ("llc_references", "LLC references"), ("llc_misses", "LLC misses"), ("dtlb_misses", "dTLB misses"),
    ("branches", "branches"), ("branch_misses", "branch misses"), ("context_switches", "context switches"),
    ("cpu_migrations", "CPU migrations"), ("page_faults", "page faults"), ("task_clock_ns", "CPU time on task")))

LATENCIES = tuple(Part(key.upper(), key, key.replace("_", " ")) for key in (
    "send_call", "slot_wait", "delivery", "recv_call", "half_round_trip", "completion", "missed"))

# The first one is the whole.
PATH_PARTS = (Part("TOTAL", "send_total", "send call"), *(Part(key.upper(), key, key.replace("_", " ")) for key in (
    "lock", "copy", "pin", "wait", "transmit", "inline_receive", "release", "preempted", "other")))


def parse_mode(text: str) -> Mode | None:
    """A mode as data sets write it: "twocopy", "two-copy", "0", "A1" (a part of the exercise); None: no mode."""
    word = text if not text.isascii() else text.translate(_IGNORED).lower()
    return next((mode for mode in MODES if word == mode.name or text == str(mode.index)
                 or (text[:1] in ("A", "a") and text[1:] == str(mode.index + 1))), None)


_IGNORED = str.maketrans("", "", "-_ ")


def paces(congestion: str) -> bool | None:
    """Does a congestion control pace packets by itself? None: it is not in the kernel tree. Only bbr does."""
    if congestion.startswith("bbr"):
        return True
    return False if congestion in _UNPACED else None


_UNPACED = frozenset("cubic reno dctcp htcp vegas veno westwood bic illinois hybla highspeed scalable yeah cdg lp nv"
                     .split())
