# SPDX-License-Identifier: GPL-2.0-only
"""The part of a send call that a stack belongs to, in recordings of several kernels (tests/fixtures/stacks).

test_report_rules.py has example stacks.
"""
from __future__ import annotations

import pathlib
from collections import Counter

import pytest
from goldens import REPO

pytest.importorskip("jinja2")

from analysis.report import stack_rules
from analysis.tables import Mode, MODES, parse_mode, PINS

RECORDINGS = sorted((REPO / "tests/fixtures/stacks").glob("*.folded"))


@pytest.mark.parametrize(("frames", "part"), [
    ("tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter;rep_movs_alternative", "copy"),
    ("tcp_sendmsg;tcp_sendmsg_locked;skb_zerocopy_iter_stream;__zerocopy_sg_from_iter", "pin"),
    ("tcp_sendmsg;tcp_sendmsg_locked;sk_page_frag_refill", "other"),
    ("tcp_sendmsg;tcp_sendmsg_locked;__tcp_push_pending_frames;tcp_write_xmit;__tcp_transmit_skb", "transmit"),
    # A part lasts as long as its function, except for receive softirqs on top of it.
    ("tcp_sendmsg;tcp_sendmsg_locked;sk_stream_wait_memory;release_sock;_raw_spin_lock_bh", "wait"),
    ("tcp_sendmsg_locked;tcp_write_xmit;do_softirq;net_rx_action;tcp_v4_rcv;lock_sock_nested", "inline_receive"),
    ("tcp_sendmsg;bpf_trampoline_1;tcp_sendmsg;release_sock", "release"),
    ("do_syscall_64;__x64_sys_sendto;__sys_sendto;inet_sendmsg", "send_total"),
    ("entry_SYSCALL_64_after_hwframe;do_syscall_64", None),
    ("asm_sysvec_apic_timer_interrupt;net_rx_action;tcp_v4_rcv", None), ("[libc.so.6]", None)])
def test_part_of_a_stack(frames: str, part: str | None) -> None:
    found = stack_rules.call_part(frames)
    assert (found.key if found else None) == part


def parts(path: pathlib.Path) -> dict[Mode, Counter[str]]:
    """The sender's samples of a recording by mode and part; "": in no send call."""
    result: dict[Mode, Counter[str]] = {mode: Counter() for mode in MODES[:3]}
    for line in path.read_text().splitlines():
        name, side, stack = line.split(";", 2)
        frames, _, count = stack.rpartition(" ")
        mode = parse_mode(name)
        if side == "sender" and mode:
            part = stack_rules.call_part(frames)
            result[mode][part.key if part else ""] += int(count)
    return result


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recorded_stacks_of_each_mode_have_their_parts(path: pathlib.Path) -> None:
    """Loopback: each mode transmits and runs the peer's receive work; one pins, two copy."""
    for mode, samples in parts(path).items():
        of = sum(samples.values())
        assert samples[""] * 2 < of, mode
        assert samples["transmit"] and samples["inline_receive"], mode
        assert bool(samples["pin"]) == mode.has(PINS), mode
        assert (samples["copy"] * 50 > of) != mode.has(PINS), mode
