# SPDX-License-Identifier: GPL-2.0-only
"""sweep --preset sigcomm21: one flow between two machines beside the published table of "Understanding Host Network
Stack Overheads" (SIGCOMM 2021). Each row of the table adds a setting to the one before."""
from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from . import command_line, load, metric, stats, units
from .conditions import at
from .dataset import Dataset, Json, Row
from .documents import Refused
from .metric import Metric, NAN
from .tables import CPU_CLASS, CPU_CLASSES, CpuClass, SIDES

_MARGIN, _TEXT_MIN = 11, 20  # of the notes
_NOT_MEASURED = "not measured"


class Figures(NamedTuple):
    """Gbit/s; throughput / CPUs of the busier side; then per cent by side."""

    gbps: float
    per_core: float
    cpu: tuple[float, ...]
    copy: tuple[float, ...]


class Published(NamedTuple):
    """A row. offloads: TSO and GRO."""

    name: str
    offloads: bool
    arfs: bool
    mtu: int
    figures: Figures


PUBLISHED = (
    Published("none", False, False, 1500, Figures(9.0, 4.8, (102, 186), (5.9, 7.4))),
    Published("TSO/GRO", True, False, 1500, Figures(26.6, 15.0, (80, 175), (28.6, 29.8))),
    Published("+ jumbo", True, False, 9000, Figures(32.5, 27.6, (67, 114), (36.8, 44.5))),
    Published("+ aRFS", True, True, 9000, Figures(42.2, 41.2, (60, 100), (48.0, 54.3))),
)

# Data goes from the sender's TSO to the receiver's GRO; aRFS also steers acknowledgements. Words, path in the
# environment, and what a row has there.
_SETTINGS: tuple[tuple[str, str, Callable[[Published], bool | int]], ...] = (
    ("sender's TSO", "offloads.tso", lambda p: p.offloads),
    ("receiver's GRO", "receiver.gro", lambda p: p.offloads),
    ("sender's MTU", "mtu", lambda p: p.mtu),
    ("receiver's MTU", "receiver.mtu", lambda p: p.mtu),
    ("sender's aRFS", "arfs", lambda p: p.arfs),
    ("receiver's aRFS", "receiver.arfs", lambda p: p.arfs),
)

_COPIES = tuple(CPU_CLASS[k] for k in ("gather", "tx_copy", "deferred_copy", "rx_copy", "other_copy"))
# The classes of a line of the lower table; the paper's names.
_LINES: dict[str, tuple[CpuClass, ...]] = {"data copy": _COPIES}
_LINES.update((words, (CPU_CLASS[key],)) for words, key in (
    ("TCP/IP", "tcp_ip"), ("netdev", "netdev"), ("skb", "skb"), ("memory", "memory"), ("lock", "lock"),
    ("scheduling", "scheduling")))
_LINES["rest"] = tuple(c for c in CPU_CLASSES if not any(c in named for named in _LINES.values()))


def _at(environment: Json, path: str) -> tuple[Any, str]:
    """A value and, where it is unknown, the reason."""
    value, parent, name = at(environment, path)
    if not isinstance(parent, dict):
        return None, _NOT_MEASURED
    return value, next((parent[k] for k in (f"{name}_reason", "reason") if isinstance(parent.get(k), str)),
                       _NOT_MEASURED)


def find_row(environment: Json) -> Published | None:
    """The row with the settings in the environment of a result document; None: none, or a setting is unknown."""
    def agrees(value: Any, wanted: bool | int) -> bool:
        return type(value) is type(wanted) and value == wanted

    return next((p for p in PUBLISHED
                 if all(agrees(_at(environment, path)[0], of(p)) for _, path, of in _SETTINGS)), None)


def _elsewhere(row: Row, side: int, classes: Sequence[CpuClass]) -> float:
    """ns per KiB on top of other tasks."""
    return sum(row[metric.elsewhere(side, c)] for c in classes)


def _all_ns(row: Row, side: int) -> float:
    """ns per KiB of the process, and of softirq work on top of other tasks of its machine."""
    return row[(metric.CPU_S_NS_PER_KIB, metric.CPU_R_NS_PER_KIB)[side]] + _elsewhere(row, side, CPU_CLASSES)


def _divide(a: float, b: float) -> float:
    return a / b if b else NAN


def _cpu(row: Row, side: int) -> float:
    return _divide(_all_ns(row, side) * row[metric.PAYLOAD] / 1024 / 1e9, row[metric.DURATION]) * 100


def _per_core(row: Row) -> float:
    busy = [_cpu(row, side) for side in SIDES]
    return NAN if any(map(math.isnan, busy)) else _divide(row[metric.GBPS] * 100, max(busy))


def _share(row: Row, side: int, classes: Sequence[CpuClass]) -> float:
    ns = _elsewhere(row, side, classes) + sum(row[metric.class_(side, c)] for c in classes)
    return _divide(100 * ns, _all_ns(row, side))


def _median(d: Dataset, value: Callable[[Row], float]) -> float:
    """Of the rounds that have one."""
    return stats.median(value(row) for row in d.rows)


def measured(d: Dataset) -> Figures:
    """Medians of the rounds."""
    return Figures(_median(d, lambda row: row[metric.GBPS]), _median(d, _per_core),
                   tuple(_median(d, lambda row, s=side: _cpu(row, s)) for side in SIDES),  # type: ignore[misc]
                   tuple(_median(d, lambda row, s=side: _share(row, s, _COPIES)) for side in SIDES))  # type: ignore[misc]


def _number(width: int, digits: int, x: float) -> str:
    return f" {'n/a':>{width}}" if math.isnan(x) else f" {x:{width}.{digits}f}"


def _row(name: str, whose: str, m: Figures) -> str:
    return (f"{name:<8} {whose:<9}" + _number(7, 1, m.gbps) + _number(9, 1, m.per_core)
            + "".join(_number(w, 0, x) for w, x in zip((7, 8), m.cpu))
            + "".join(_number(w, 1, x) for w, x in zip((7, 8), m.copy)) + "\n")


def _tables(d: Dataset, here: Published | None) -> str:
    m = measured(d)
    text = (f"{'CPU %':>53}{'data copy %':>17}\n"
            "                   Gbit/s  per core  sender receiver  sender receiver\n")
    for p in PUBLISHED:
        text += _row(p.name, "published", p.figures)
        if p is here:
            text += _row("", "here", m)
    if here is None:
        text += _row("no row", "here", m)
    text += "\nhere, % of CPU  sender receiver\n"
    for words, classes in _LINES.items():
        shares = [_median(d, lambda row, s=side, c=classes: _share(row, s, c)) for side in SIDES]  # type: ignore[misc]
        text += f"{words:<14}" + "".join(_number(7 + side, 1, share) for side, share in zip(SIDES, shares)) + "\n"
    return text + "\n"


def _settings(d: Dataset, here: Published | None) -> str:
    said, parts = "", []
    for words, path, _ in _SETTINGS:
        value, reason = _at(d.environment, path)
        if isinstance(value, bool):
            parts.append(f"{words} {'on' if value else 'off'}")
        elif isinstance(value, int):
            parts.append(f"{words} {value}")
        else:  # a reason is said once
            parts.append(f"{words} n/a" + (f" ({reason})" if reason != said else ""))
            said = reason
    text = ", ".join(parts)
    if d.environment_varies:
        return text + ". The environment changed during the sweep: no row."
    if here is None:
        return text + ". No row of the table has these settings."
    return f"{text}: the row '{here.name}'."


def _differences(environment: Json) -> str:
    def word(path: str) -> str:
        value = _at(environment, path)[0]
        return value if isinstance(value, str) else "n/a"

    drivers = word("driver"), word("receiver.driver")
    return (f"published: Linux 5.4 with three patches, ConnectX-5 (mlx5_core, 100 Gbit/s), no virtual machine. Here: "
            f"Linux {word('kernel')} and {word('receiver.kernel')}, drivers {drivers[0]} and {drivers[1]}, virtual "
            f"machine: {word('virtualization')} and {word('receiver.virtualization')}."
            + (" veth is a virtual path: no packet passes a NIC." if "veth" in drivers else "")
            + " GSO stays on in every row: a stock kernel cannot switch it off for TCP. CPU % is of the load "
            "generator's processes, and of TCP's softirq work for them, as sampled, on top of other tasks; the "
            "published one is of all CPUs. Where a kernel accounts interrupts apart (CONFIG_IRQ_TIME_ACCOUNTING), "
            "softirq work on top of the load generator is missing.")


def _reasons(d: Dataset) -> str:
    """Why figures are missing; each reason once."""
    causes: tuple[tuple[str, Metric], ...] = (
        ("the sender's CPU time", metric.CPU_SENDER), ("the receiver's CPU time", metric.CPU_RECEIVER),
        ("the sender's classes", metric.class_(0, CPU_CLASS["tx_copy"])),
        ("the receiver's classes", metric.class_(1, CPU_CLASS["rx_copy"])))
    return "; ".join(f"{words}: {d.reason.get(m, _NOT_MEASURED)}" for words, m in causes
                     if all(math.isnan(row[m]) for row in d.rows))


def _note(label: str, text: str, width: int) -> str:
    lines = textwrap.wrap(units.printable_lines(text), max(width - _MARGIN, _TEXT_MIN), break_long_words=False,
                          break_on_hyphens=False)
    return "".join(f"{label if not i else '':<{_MARGIN}}{line}\n" for i, line in enumerate(lines))


def _commands(p: Published, machine: str, environment: Json, ntuple: bool) -> str:
    """The device's name is a file's or another machine's word: it is printable, and quoted."""
    head = f"  {p.name:<8} {machine:<9} "
    word = _at(environment, "device")[0]
    if not isinstance(word, str):
        return head + "n/a: its device is not known\n"
    device = units.shell_word(units.clip(units.printable(word), 63))
    switch = "on" if p.offloads else "off"
    text = (f"{head}ip link set {device} mtu {p.mtu}; ethtool -K {device} tso {switch} gro {switch}"
            + (" ntuple on" if p.arfs else " ntuple off" if ntuple else "") + "\n")
    if p.arfs:
        text += (f"{'':21}echo 32768 >/proc/sys/net/core/rps_sock_flow_entries\n"
                 f"{'':21}echo 2048 | tee /sys/class/net/{device}/queues/rx-*/rps_flow_cnt\n")
    return text


def text_of(d: Dataset, width: int) -> str:
    """The tables, the settings, and the commands for other rows."""
    here = None if d.environment_varies else find_row(d.environment)
    receiver = _at(d.environment, "receiver")[0]
    ntuple = any(_at(e, "arfs")[0] is True for e in (d.environment, receiver))
    return ('\nsigcomm21: beside "Understanding Host Network Stack Overheads"\n\n' + _tables(d, here)
            + _note("settings", _settings(d, here), width) + _note("differs", _differences(d.environment), width)
            + _note("n/a", _reasons(d), width)
            + "\nThe settings of the other rows, for root, then the same sweep into another directory:\n"
            + "".join(_commands(p, machine, e, ntuple) for p in PUBLISHED if p is not here
                      for machine, e in (("sender", d.environment), ("receiver", receiver))))


def main(argv: Sequence[str]) -> int:
    """--width=N DIRECTORY: the text on stdout. An exit status."""
    try:
        print(text_of(load.load_files([argv[1]]), int(argv[0].partition("=")[2])), end="")
    except Refused as problem:
        return command_line.refuse(problem)
    return command_line.EXIT_DONE
