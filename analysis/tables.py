# SPDX-License-Identifier: GPL-2.0-only
"""What results are made of: modes, stages of the ledger, classes of CPU time, counters, latencies; a row each.

As in common/mode.h, bpf/netiotrace.h and user/model/; tests/analysis/test_tables.py compares them.
"""
from __future__ import annotations

from dataclasses import dataclass

# Features of a mode, as far as results show them.
GATHERS, COPIES, PINS, SPLICES, NOTIFIES = 1, 2, 4, 8, 128

SENDER, RECEIVER = 0, 1
OWNERS = ("sender", "receiver", "elsewhere", "receiver_elsewhere")  # of samples; the first two are the sides


@dataclass(frozen=True, eq=False)
class Mode:
    """A way to send. Colour, point types (full, open) and dash type are gnuplot's."""

    index: int
    name: str
    words: str
    features: int
    colour: str
    point: int
    open_point: int
    dash: int

    def has(self, feature: int) -> bool:
        return bool(self.features & feature)


@dataclass(frozen=True, eq=False)
class Stage:
    """A stage of the copy ledger; covers: application bytes that it counts, or "neither"."""

    index: int
    id: str
    key: str
    heading: str
    side: int
    is_copy: bool
    covers: str
    help: str


@dataclass(frozen=True, eq=False)
class CpuClass:
    """A class of sampled CPU time."""

    index: int
    id: str
    key: str
    heading: str
    colour: str
    help: str


@dataclass(frozen=True, eq=False)
class Counter:
    """A performance counter of one side."""

    id: str
    key: str
    words: str


@dataclass(frozen=True, eq=False)
class PathPart:
    """A part of a send call; the first one is the whole."""

    id: str
    key: str
    heading: str


@dataclass(frozen=True, eq=False)
class Latency:
    """A latency that the load generator times; none: why a run may lack it."""

    id: str
    key: str
    side: int
    heading: str
    none: str
    help: str


MODES = (
    Mode(0, "twocopy", "two-copy", GATHERS | COPIES, "#0072B2", 7, 6, 1),
    Mode(1, "onecopy", "one-copy", COPIES, "#D55E00", 5, 4, 2),
    Mode(2, "zerocopy", "zero-copy", COPIES | PINS, "#009E73", 9, 8, 4),
    Mode(3, "sendfile", "sendfile", SPLICES, "#CC79A7", 13, 12, 5),
    Mode(4, "splice", "splice", GATHERS | SPLICES, "#E69F00", 11, 10, 3),
    Mode(5, "uring", "io_uring", COPIES, "#56B4E9", 15, 14, 6),
    Mode(6, "uringzc", "io_uring zero-copy", COPIES | PINS | NOTIFIES, "#000000", 2, 1, 7),
    Mode(7, "ktls", "kTLS", 0, "#999999", 3, 3, 8),
)
TWOCOPY, ONECOPY, ZEROCOPY = MODES[:3]

STAGES = (
    Stage(0, "USER_GATHER", "user_gather", "gather", SENDER, True, "neither",
          "the application packs its fields into a buffer or a pipe (twocopy, splice)"),
    Stage(1, "TX_COPY", "tx_copy", "send", SENDER, True, "sent",
          "user memory to socket buffer, inside the send call"),
    Stage(2, "TX_PIN", "tx_pin", "pin", SENDER, False, "sent",
          "MSG_ZEROCOPY, io_uring's SEND_ZC: pages pinned and referenced, no copy"),
    Stage(3, "TX_SPLICE", "tx_splice", "splice", SENDER, False, "sent",
          "page references: sendfile, splice, MSG_SPLICE_PAGES; no copy"),
    Stage(4, "DEFERRED_COPY", "deferred_copy", "deferred", SENDER, True, "neither",
          "zero-copy pages copied after all (skb_copy_ubufs)"),
    Stage(5, "RX_COPY", "rx_copy", "receive", RECEIVER, True, "received",
          "socket buffer to user memory, inside the receive call"),
    Stage(6, "RX_MAP", "rx_map", "map", RECEIVER, False, "received",
          "pages mapped into the application by TCP_ZEROCOPY_RECEIVE; no copy"),
    Stage(7, "RX_DISCARD", "rx_discard", "discard", RECEIVER, False, "received",
          "thrown away by a receive call with MSG_TRUNC; no copy"),
    Stage(8, "RX_SPLICE", "rx_splice", "rx splice", RECEIVER, False, "received",
          "page references: received by splice into a pipe; no copy"),
    Stage(9, "OTHER_COPY", "other_copy", "other", RECEIVER, True, "neither",
          "unexpected copies: collapse, linearize, skb_copy"),
    Stage(10, "TLS_COPY", "tls_copy", "tls", SENDER, True, "neither",
          "plaintext that the cipher of kTLS reads or writes"),
)

CPU_CLASSES = (
    CpuClass(0, "GATHER", "gather", "gather", "#56B4E9",
             "the application packs its fields into one buffer (two-copy mode)"),
    CpuClass(1, "TX_COPY", "tx_copy", "send copy", "#0072B2",
             "user memory to socket buffer"),
    CpuClass(2, "TX_PIN", "tx_pin", "pin", "#CC79A7",
             "user pages pinned for MSG_ZEROCOPY"),
    CpuClass(3, "DEFERRED_COPY", "deferred_copy", "deferred copy", "#D55E00",
             "pinned pages copied after all"),
    CpuClass(4, "RX_COPY", "rx_copy", "receive copy", "#009E73",
             "socket buffer to user memory"),
    CpuClass(5, "OTHER_COPY", "other_copy", "other copy", "#994F00",
             "payload copied elsewhere in the kernel"),
    CpuClass(6, "COMPLETION", "completion", "completion", "#882255",
             "MSG_ZEROCOPY notifications: made, queued, read"),
    CpuClass(7, "TCP_IP", "tcp_ip", "TCP/IP", "#E69F00",
             "TCP and IP processing, and the socket layer's"),
    CpuClass(8, "TIMERS", "timers", "pacing/timers", "#F0E442",
             "timers started, moved and run; pacing"),
    CpuClass(9, "NETDEV", "netdev", "net device", "#999933",
             "queueing disciplines, devices, their softirq"),
    CpuClass(10, "SKB", "skb", "skb", "#44AA99",
             "socket buffers made, cloned, freed"),
    CpuClass(11, "MEMORY", "memory", "memory", "#117733",
             "pages and slab objects got and given back, page faults"),
    CpuClass(12, "LOCK", "lock", "lock", "#332288",
             "locks taken, waited for, released"),
    CpuClass(13, "SCHEDULING", "scheduling", "scheduling", "#AA4499",
             "sleeping, waking others, switching tasks"),
    CpuClass(14, "SYSCALL", "syscall", "system call", "#888888",
             "entry, exit, arguments, descriptors"),
    CpuClass(15, "IRQ", "irq", "interrupts", "#661100",
             "hardware interrupts and softirq dispatch"),
    CpuClass(16, "TRACING", "tracing", "tracing", "#A6761D",
             "BPF programs and tracing, also of netiotrace itself"),
    CpuClass(17, "FILE_READ", "file_read", "file read", "#B8860B",
             "files read from the page cache, and into it"),
    CpuClass(18, "USER", "user", "application", "#BBBBBB",
             "the application itself, but gathering"),
    CpuClass(19, "OTHER", "other", "unclassified", "#DDDDDD",
             "files written, disks, and stacks that no rule knows"),
)

COUNTERS = (
    Counter("CYCLES", "cycles", "cycles"),
    Counter("INSTRUCTIONS", "instructions", "instructions"),
    Counter("L1D_MISSES", "l1d_misses", "L1D misses"),
    Counter("LLC_REFERENCES", "llc_references", "LLC references"),
    Counter("LLC_MISSES", "llc_misses", "LLC misses"),
    Counter("DTLB_MISSES", "dtlb_misses", "dTLB misses"),
    Counter("BRANCHES", "branches", "branches"),
    Counter("BRANCH_MISSES", "branch_misses", "branch misses"),
    Counter("CONTEXT_SWITCHES", "context_switches", "context switches"),
    Counter("CPU_MIGRATIONS", "cpu_migrations", "CPU migrations"),
    Counter("PAGE_FAULTS", "page_faults", "page faults"),
    Counter("TASK_CLOCK_NS", "task_clock_ns", "CPU time on task"),
)

LATENCIES = (
    Latency("SEND_CALL", "send_call", SENDER, "send call", "no event was timed",
            "time inside the send system call"),
    Latency("SLOT_WAIT", "slot_wait", SENDER, "slot wait", "no message waited for a zero-copy buffer",
            "until a zero-copy buffer was free, of messages that waited"),
    Latency("DELIVERY", "delivery", RECEIVER, "delivery", "no event was timed",
            "from before the send to the last byte read"),
    Latency("RECV_CALL", "recv_call", RECEIVER, "recv call", "no event was timed",
            "time inside recv(), with its wait for data if it blocks"),
    Latency("HALF_ROUND_TRIP", "half_round_trip", SENDER, "half round trip",
            "messages are answered only with --request-response",
            "half the time until a message was answered"),
    Latency("COMPLETION", "completion", SENDER, "completion", "no event was timed",
            "zero-copy send to its notification"),
    Latency("MISSED", "missed", SENDER, "missed", "with --rate only: every message was sent",
            "--rate: due and not sent; how long these waited, at least"),
)

PATH_PARTS = tuple(PathPart(*part) for part in (
    ("TOTAL", "send_total", "send call"), ("LOCK", "lock", "lock"), ("COPY", "copy", "copy"), ("PIN", "pin", "pin"),
    ("WAIT", "wait", "wait"), ("TRANSMIT", "transmit", "transmit"),
    ("INLINE_RECEIVE", "inline_receive", "inline receive"), ("RELEASE", "release", "release"),
    ("PREEMPTED", "preempted", "preempted"), ("OTHER", "other", "other")))


def parse_mode(text: str) -> Mode | None:
    """A mode as data sets write it: "twocopy", "two-copy", "0", "A1" (a part of the exercise); None: no mode."""
    word = text if not text.isascii() else text.translate(_IGNORED).lower()
    for mode in MODES:
        if word == mode.name or text == str(mode.index) or (text[:1] in ("A", "a") and text[1:] == str(mode.index + 1)):
            return mode
    return None


_IGNORED = str.maketrans("", "", "-_ ")


def paces(congestion: str) -> bool | None:
    """Does a congestion control pace packets by itself? None: it is not in the kernel tree. Only bbr does."""
    if congestion.startswith("bbr"):
        return True
    return False if congestion in _UNPACED else None


_UNPACED = frozenset("cubic reno dctcp htcp vegas veno westwood bic illinois hybla highspeed scalable yeah cdg lp nv"
                     .split())
