# SPDX-License-Identifier: GPL-2.0-only
"""What a report says first: whether zero-copy was zero-copy, and what else than copying shapes the figures.

best_modes.py has which mode is fastest.
"""
from __future__ import annotations

import re
from typing import Any, NamedTuple

from . import answer, metric, units, wording
from .conditions import is_emulated
from .dataset import Dataset
from .study import Analysis
from .tables import Mode, paces, PINS

_CPUS_MAX = 8192  # of any Linux


def _text(o: dict[str, Any] | None, key: str) -> str:
    """A member as text; "": it is not there, or null. CSV files have no numbers."""
    value = (o or {}).get(key)
    if isinstance(value, str):
        return units.clip(units.printable(value), 191)
    return f"{value:.15g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _number(o: dict[str, Any] | None, key: str) -> float:
    """At the beginning of the text; 0: there is none."""
    match = re.match(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)", _text(o, key))
    return float(match[1]) if match else 0.0


def _congestion(d: Dataset) -> str:
    name, system = _text(d.environment, "congestion_control"), _text(d.environment, "system_congestion_control")
    if not name:
        return ""
    if paces(name):
        return (f"The senders pace: their congestion control {name} holds packets back by a timer, and throughput can "
                "be limited by that before it is by copying. Who copies faster is to be asked of runs with "
                "--congestion cubic (or reno). ")
    unpaced = system and _text(d.environment, "congestion_choice") == "unpaced"
    return (f"The congestion control is {name}" + (f", since the system's {system} paces" if unpaced else "")
            + ("; whether it paces is not known. " if paces(name) is None else ". "))


class Cpus(NamedTuple):
    """How many CPUs the threads have; 0: unknown."""

    senders: int
    receivers: int
    pinned: bool  # the senders, to CPUs of theirs
    shared: bool  # senders and receivers have the same CPUs

    def suffice(self, threads: int) -> bool:
        """Does each of so many sender and receiver threads have a CPU?"""
        return (self.senders >= threads * (2 if self.shared else 1)
                and (self.shared or not self.receivers or self.receivers >= threads))


def cpus(d: Dataset) -> Cpus:
    """Senders that are not pinned share all CPUs of the machine with the receivers."""
    senders, receivers = (units.cpus_in(_text(dict(d.conditions), key), _CPUS_MAX)
                          for key in ("cpu_sender", "cpu_receiver"))
    remote = _text(d.environment, "path") == "remote"
    if senders:
        shared = bool(senders & receivers) and not remote
        return Cpus(len(senders | receivers if shared else senders), len(receivers), True, shared)
    nr = _number(d.environment, "cpus")
    return Cpus(int(nr) if 1 <= nr <= _CPUS_MAX else 0, 0, False, not remote)


def _machine(d: Dataset) -> str:
    """What else was on the machine; imported data sets say little of it."""
    settings = dict(d.conditions)
    senders, receivers, receive = (_text(settings, key) for key in ("cpu_sender", "cpu_receiver", "receive"))
    governor, load = _text(d.environment, "governor"), _number(d.environment, "load_average")
    cpus = _number(d.environment, "cpus")
    text = "The machine is emulated: this report has no time, rate or counter. " if is_emulated(d.conditions) else ""
    text += f"Senders ran on CPU {senders}. " if senders else ""
    text += f"Receivers ran on CPU {receivers}. " if receivers else ""
    if receive and receive != "recv":
        text += f"Receivers took the bytes with --receive {receive}. "
    if load > cpus > 0:
        text += (f"The machine was busy with other work when the first run began (load average {load:.1f} on "
                 f"{cpus:.0f} CPUs), which makes intervals wider and can move medians. ")
    throttled, periods = (sum(d.load.get(key, [])) for key in ("cpu_throttled_periods", "cpu_periods"))
    if throttled:
        text += (f"A CPU quota throttled the runs in {throttled:.0f} of {periods:.0f} periods: it limits throughput "
                 "and latency. ")
    if governor and governor != "performance":
        text += f"The CPUs' frequency is governed by {governor} and moves with the load. "
    return text


def conditions(d: Dataset) -> str:
    """What else than copying shapes the figures: first whether the senders pace, then the congestion control, the CPUs,
    and other load, as far as the data says. "" where it says nothing."""
    text = _congestion(d)
    if d.others:
        text += f"Runs with {wording.items(d.others)} are not in this report. "
    text += _machine(d)
    unsent = sum(row[metric.UNSENT] > 0 for row in d.rows)
    if unsent:
        text += (f"In {unsent} of {len(d.rows)} runs, messages were due and not sent: delivery and half round trip are "
                 "lower bounds there.")
    return text.rstrip(" ")


def _verdict(low: float, high: float) -> str:
    """By the lowest and the highest share of copied sends; -1: unknown."""
    if high < 0:
        return "Unknown"
    return "Yes" if high == 0 else "No" if low == 1 else "Not always"


def _evidence(a: Analysis, mode: Mode, own: bool, named: bool) -> str:
    """On a mode, after an answer of its own if that of another mode is unknown."""
    copied, (fraction, _) = answer.copied(a, mode), answer.copied_fraction(a, mode)
    text = ""
    if own:
        text = _verdict(fraction, fraction) + (f" for {mode.words}" if named else "") + (":" if copied is None else ".")
    return f"{text} {answer.why_uncounted(a, mode) + '.' if copied is None else copied}"


def zerocopy(a: Analysis) -> str:
    """ "No. The kernel copied all 1 204 113 sends after all: ..."."""
    modes = [mode for mode in a.modes if mode.has(PINS)]
    fractions = [answer.copied_fraction(a, mode)[0] for mode in modes]
    if not modes:
        return "Not measured: the data has no zero-copy run."
    unknown = any(fraction < 0 for fraction in fractions)
    parts = [_evidence(a, mode, unknown, len(modes) > 1) for mode in modes]
    if unknown:
        return " ".join(parts)
    first, colon, cause = parts[0].partition(": ")
    others = [part.replace(colon + cause, ", for the same reason.") if colon else part for part in parts[1:]]
    return "".join([_verdict(min(1.0, *fractions), max(-1.0, *fractions)), ".", first, colon, cause, *others])


def origin(d: Dataset) -> str:
    """When, by which version and seed, and the machine's caches and memory; "": unknown."""
    started, caches = _text(d.environment, "started"), _text(d.environment, "caches")
    memory = _number(d.environment, "memory")
    text = ""
    if started:
        text = (f"Measured from {started}" + (f" with netiotrace {d.version}" if d.version is not None else "")
                + (f", in an order of runs by seed {d.seed}" if d.seed is not None else "") + ". ")
    if caches or memory > 0:
        text += f"Caches: {caches or 'n/a'}. Memory: {units.size(int(memory)) if 0 < memory < 2 ** 63 else 'n/a'}."
    return text
