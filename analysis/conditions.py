# SPDX-License-Identifier: GPL-2.0-only
"""The settings that shape the traffic of a run, and its machine, so that different runs are not pooled in silence.

Read from a document's "settings"; without it, from other members: the fields of a run, and those of the environment
that change results. Mode, size, threads and rounds vary within a data set and are not settings.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from . import json_text

OF_ENVIRONMENT = ("path", "mtu", "ipv6", "congestion_control", "paces", "qdisc", "offloads", "kernel", "cpu", "cpus",
                   "host", "governor", "mitigations", "virtualization", "receiver.host", "receiver.kernel",
                   "receiver.cpu", "tcp_rmem", "tcp_wmem", "rmem_max", "wmem_max", "rps_cpus", "cpu_quota",
                   "irq_time_accounting", "receiver.mtu", "receiver.qdisc", "receiver.tso", "receiver.gso",
                   "receiver.gro", "receiver.system_congestion_control", "receiver.tcp_rmem", "receiver.tcp_wmem",
                   "receiver.rmem_max", "receiver.wmem_max", "receiver.rps_cpus", "receiver.cpu_quota",
                   "receiver.mitigations", "receiver.irq_time_accounting", "receiver.virtualization")
# Of these, a property of the machine.
_OF_MACHINE = frozenset(("kernel", "cpu", "cpus", "host", "governor", "mitigations", "virtualization",
                         "irq_time_accounting", "receiver.host", "receiver.kernel", "receiver.cpu",
                         "receiver.mitigations", "receiver.irq_time_accounting", "receiver.virtualization"))
# Members of "settings" that a data set varies, or that do not shape the traffic.
_VARIED = frozenset(("mode", "modes", "size", "sizes", "threads", "round", "rounds", "duration_s", "warmup_s",
                     "round_duration_s", "messages", "seed", "interval_s", "fingerprint", "argv"))
# Settings that older results lack, and the value that these results had.
_ADDED = (("receive", "recv"), ("tls", "1.3"), ("fixed_buffers", "false"), ("uring_depth", "1"))
# Members of the environment that change while a machine stays the same. The kernel computes tcp_mem from the memory
# that is free at boot.
_PASSING = frozenset(("started", "load_average", "load_average_end", "cpu_steal", "cpu_others", "cpu_periods",
                      "cpu_throttled_periods", "cpu_throttled_s", "packet_taps", "taps", "memory", "tcp_mem"))
_EMULATED = "vm, emulated"  # environment.virtualization
_UNLIMITED = "unlimited"  # the reason of a null that is no gap: there is no such limit


def at(o: Any, path: str) -> tuple[Any, Any, str]:
    """The member at a path such as "app.tcp.bytes_acked" (None: null, or none), with its parent and name.

    Where there is none, parent is the last member that there is, and name the rest of the path.
    """
    parent, name = o, path
    while True:
        key, _, rest = name.partition(".")
        value = parent.get(key) if isinstance(parent, dict) else None
        if value is None and not (rest and isinstance(parent, dict) and key in parent):
            return None, parent, name
        if not rest:
            return value, parent, name
        parent, name = value, rest


def is_reason(key: str) -> bool:
    """Words about a number, no data."""
    return key == "reason" or key.endswith("_reason")


def is_emulated(settings: Mapping[str, str]) -> bool:
    """Does software execute the instructions of either machine? Its times, rates and counters are the emulator's."""
    return _EMULATED in (settings.get("virtualization"), settings.get("receiver.virtualization"))


def passes(key: str) -> bool:
    """Is it one of the environment's members that change?"""
    return key.removeprefix("receiver.") in _PASSING


def flat(environment: Mapping[str, Any]) -> dict[str, Any]:
    """With the members of the receiver's machine as "receiver.NAME", and whether a remote one has any."""
    receiver = environment.get("receiver")
    members = receiver.items() if isinstance(receiver, dict) else ()
    known = any(value is not None and not is_reason(key) for key, value in members)
    described = ("described" if known else "not described") if environment.get("path") == "remote" else None
    return {**environment, "receiver": described, **{f"receiver.{key}": value for key, value in members}}


def steady(environment: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in environment.items() if key.removesuffix("_reason") not in _PASSING}


def member(o: Any, key: str) -> str | None:
    """A member as text; "unlimited" where there is no such limit."""
    if not isinstance(o, dict):
        return None
    value = o.get(key)
    return _UNLIMITED if value is None and o.get(f"{key}_reason") == _UNLIMITED else text(value)


def text(value: Any) -> str | None:
    """A value as text, as in a CSV file; None: there is nothing to compare (null, or empty)."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json_text.line(value, sort_keys=True, ascii_only=False)


def of(settings: Any, environment: Any, fields: Any) -> dict[str, str]:
    """The settings of a run by name."""
    values = {"fields": fields}
    values.update((name, member(*at(environment, name)[1:])) for name in OF_ENVIRONMENT)
    if isinstance(settings, dict):
        values.update((name, value) for name, value in settings.items()
                      if text(value) is not None and not is_reason(name) and name not in _VARIED)
    result = {name: words for name, words in ((name, text(value)) for name, value in values.items())
              if words is not None}
    if isinstance(settings, dict) and "rcvlowat" in settings:
        for name, value in _ADDED:
            result.setdefault(name, value)
    return result


def merged(members: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Of several sweeps of one side, as text: the known values of each member with " or " between; of what changes
    while a machine stays the same, the first."""
    result: dict[str, list[str]] = {}
    for of_sweep in members:
        for key in of_sweep:
            value = member(of_sweep, key)
            if value is not None and value not in result.get(key, []) and not (key in result and passes(key)):
                result.setdefault(key, []).append(value)
    return {key: " or ".join(sorted(values)) for key, values in result.items()}


def difference(a: Mapping[str, str], b: Mapping[str, str], ignored: Collection[str] = (),
               of_traffic: bool = False) -> str | None:
    """The first member of a that b has with another value. ignored: names that do not count; of_traffic: nor does
    what describes the machine, across which sweeps may be compared."""
    return next((name for name, value in a.items() if b.get(name, value) != value and name not in ignored
                 and not (of_traffic and name in _OF_MACHINE)), None)
