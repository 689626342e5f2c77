# SPDX-License-Identifier: GPL-2.0-only
"""What a sampled stack of kernel functions was doing: its class of CPU time, and its part of a send call.

The rules on names are those of user/model/stack_rules.txt, for Linux 5.10 to 7.x, x86 and arm64.
"""
from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from ..tables import CPU_CLASS, CpuClass, PATH_PARTS, PathPart
from .page import resource

FRAMES_MAX = 127  # of a sample

_PART = {p.key: p for p in PATH_PARTS}
USER, GATHER, SYSCALL, OTHER = (CPU_CLASS[key] for key in ("user", "gather", "syscall", "other"))
_OF_NETWORK = frozenset(
    CPU_CLASS[key]
    for key in ["tx_copy", "tx_pin", "deferred_copy", "rx_copy", "other_copy", "completion", "tcp_ip", "netdev", "skb"]
)

# Disks and other devices also call these functions: a rule counts only if a caller belongs to the network.
# Otherwise the callers decide.
_SHARED = (("tx_pin", ("iov_iter_get_pages __iov_iter_get_pages iov_iter_extract_pages gup_ internal_get_user_pages "
                      "get_user_pages __get_user_pages pin_user_pages try_grab_ try_get_folio lockless_pages_from_mm "
                      "iov_iter_revert undo_dev_pagemap follow_page get_compound_page")),
           ("tcp_ip", "__cgroup_bpf_run selinux_ apparmor_ security_"),
           ("netdev", "virtqueue_ vring_"))

# Functions whose copies, or whose last call, belong to a class other than their own; "": the same. hrtimer_start()
# ends in a tail call of the function that releases its lock, and is then not in the stack; its callers here take no
# such lock themselves.
_CALLERS = (("tcp_ip", "tcp_sendmsg", "tx_copy", ""),
            ("tx_copy", "skb_do_copy_data_nocache skb_add_data", "tx_copy", ""),
            ("skb", "skb_try_coalesce skb_condense", "other_copy", ""),
            ("tcp_ip", "tcp_write_xmit$ __tcp_transmit_skb$", "", "timers"),
            ("timers", "tcp_pacing_check", "", "timers"))


class _Rule(NamedTuple):
    """class_ None: the function copies, and its callers decide the stage; or it lets interrupts in again (shifts),
    and its callers count."""

    class_: CpuClass | None
    shifts: bool = False
    shared: bool = False
    copy: CpuClass | None = None
    tail_call: CpuClass | None = None


@functools.cache
def _rules() -> dict[str, _Rule]:
    """By name: "tcp_recvmsg$" is that function alone, "tcp_recvmsg" all whose names begin so."""
    rules: dict[str, _Rule] = {}
    rule = _Rule(None)
    for word in re.sub("#.*", "", resource("templates/stack_rules.txt")).split():
        if word.endswith(":"):
            rule = _Rule(CPU_CLASS.get(word[:-1]), shifts=word == "shifts:")
        else:
            rules.setdefault(word, rule)
    for key, names in _SHARED:
        for name in names.split():
            rules.setdefault(name, _Rule(CPU_CLASS[key], shared=True))
    for key, names, copy, tail_call in _CALLERS:
        for name in names.split():
            rules.setdefault(name, _Rule(CPU_CLASS[key], copy=CPU_CLASS.get(copy), tail_call=CPU_CLASS.get(tail_call)))
    return rules


@functools.cache
def _rule_of(name: str) -> _Rule | None:
    """The longest rule that fits a name, without what the compiler appended."""
    rules = _rules()
    name = name.split(".", 1)[0]
    keys = (name + "$", *(name[:length] for length in range(len(name), 0, -1)))
    return next((rules[key] for key in keys if key in rules), None)


def _is_of_network(name: str) -> bool:
    rule = _rule_of(name)
    return rule is not None and not rule.shared and rule.class_ in _OF_NETWORK


def stack_class(frames: Sequence[str]) -> CpuClass:
    """Of names of functions, innermost first.

    The first one with a rule decides; a copy belongs to the stage of its first caller with one.
    """
    copies = shifted = False
    for i, name in enumerate(frames):
        rule = _rule_of(name)
        if not rule or (rule.shared and not any(map(_is_of_network, frames[i + 1 :]))):
            continue
        if rule.shifts:
            shifted = shifted or i == 0
        elif not rule.class_:
            copies = True
        elif copies and rule.copy:
            return rule.copy
        elif shifted and i == 1 and rule.tail_call:
            return rule.tail_call
        else:
            return rule.class_
    return OTHER


def user_class(library: str, gathers: bool) -> CpuClass:
    """Of a sample in user mode, in this library, of a mode that gathers or not."""
    return GATHER if gathers and library.startswith("libc") else USER


# Functions whose names begin like this. The first fit counts. A part lasts as long as its function, with all calls
# in it, except for receive softirqs on top: the peer's work on loopback and veth.
_PARTS = tuple((name, _PART[key]) for name, key in (
    ("net_rx_action", "inline_receive"), ("__napi_poll", "inline_receive"), ("process_backlog", "inline_receive"),
    ("lock_sock", "lock"), ("skb_zerocopy_iter_stream", "pin"), ("sk_stream_wait_memory", "wait"),
    ("tcp_write_xmit", "transmit"), ("release_sock", "release"),
))
_RECEIVES, _OTHER_PART, _COPY, CALL = (_PART[key] for key in ("inline_receive", "other", "copy", "send_total"))


def _enter(now: PathPart | None, name: str) -> PathPart | None:
    """The part after one more frame."""
    if now is None or now is CALL:
        if name.startswith("tcp_sendmsg"):
            return _OTHER_PART
        return CALL if name.startswith("_") and "sys_send" in name else now
    following = next((part for begin, part in _PARTS if name.startswith(begin)), _OTHER_PART)
    return following if now is _OTHER_PART or following is _RECEIVES else now


def call_part(frames: str) -> PathPart | None:
    """The part of a send call that a stack belongs to, by names separated by ";", outermost first.

    The parts are as for exact times, which samples replace where these are unavailable. CALL: in a send system call,
    outside of tcp_sendmsg. None: in no send call, or unknown.
    """
    names = frames.split(";")[-FRAMES_MAX:]
    now: PathPart | None = None
    for name in names:
        now = _enter(now, name)
        if now is _RECEIVES:
            break
    # No function is the copying alone: it is inlined, or called from several places.
    if now is _OTHER_PART and stack_class(names[::-1]).key == "tx_copy":
        return _COPY
    return now
