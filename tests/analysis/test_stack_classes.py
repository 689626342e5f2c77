# SPDX-License-Identifier: GPL-2.0-only
"""run (user/model/stack_rules.c) and the package (report/stack_rules.py) give each stack the same class."""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
from collections.abc import Iterator

import pytest

from analysis import tables
from analysis.report import stack_rules

REPO = pathlib.Path(__file__).parents[2]
CLASSIFY = REPO / os.environ.get("O", "build") / "tests/e2e/classify_stacks"
RULES = REPO / "user/model"
RECORDINGS = sorted((REPO / "tests/fixtures/stacks").glob("*.folded"))

pytestmark = pytest.mark.skipif(not os.access(CLASSIFY, os.X_OK), reason="tests/e2e/classify_stacks is not built")


def class_by_package(mode: tables.Mode, side: str, stack: str) -> str:
    """The key of the class of "outermost;...;innermost" or "[LIBRARY]", as flame.py finds it."""
    if stack.startswith("["):
        gathers = mode.has(tables.GATHERS) and side == "sender"
        return stack_rules.user_class(stack[1:].partition("]")[0], gathers).key
    return stack_rules.stack_class(stack.split(";")[::-1][: stack_rules.FRAMES_MAX]).key


def check_equal(mode: tables.Mode, stacks: list[tuple[str, str]]) -> set[str]:
    """Both give each side and stack one class. Returns all classes."""
    text = "".join(f"{side};{stack} 1\n" for side, stack in stacks)
    done = subprocess.run([CLASSIFY, mode.name], input=text, capture_output=True, text=True, timeout=60, check=True)
    classes = [line.split()[1] for line in done.stdout.splitlines()]
    assert len(classes) == len(stacks)
    differ = [(stack, key, found) for (side, stack), key in zip(stacks, classes)
              if (found := class_by_package(mode, side, stack)) != key]
    assert not differ, differ[:10]
    return set(classes)


def rule_names() -> list[str]:
    """Every name with a rule: in the table, and in stack_rules.c."""
    table = re.sub("#.*", "", (RULES / "stack_rules.txt").read_text())
    code = " ".join(re.findall(r'"([a-z0-9_$ ]+)"', (RULES / "stack_rules.c").read_text()))
    return sorted({word for word in f"{table} {code}".split() if not word.endswith(":")})


def stacks_of(name: str) -> Iterator[str]:
    """The function alone, as caller and as callee of functions whose rules depend on others."""
    plain = name.rstrip("$")
    for form in (plain, plain + ".isra.0", plain + "_x", plain[:-1]):
        yield form
        for other in ("_copy_from_iter", "memcpy", "handle_softirqs", "_raw_spin_unlock_irqrestore",
                      "iov_iter_get_pages2", "security_socket_sendmsg", "virtqueue_add", "unknown_function"):
            yield f"{form};{other}"
            yield f"tcp_write_xmit;{form};{other}"
        for other in ("tcp_sendmsg_locked", "tcp_write_xmit", "vfs_read", "skb_try_coalesce", "tcp_pacing_check"):
            yield f"{other};{form}"
            yield f"{other};{form};memcpy"


def test_every_name_with_a_rule() -> None:
    names = rule_names()
    assert len(names) > 500 and {"tcp_sendmsg", "virtqueue_", "tcp_write_xmit$"} <= set(names)
    classes = check_equal(tables.ONECOPY, [("sender", stack) for name in names for stack in stacks_of(name)])
    assert classes >= {c.key for c in tables.CPU_CLASSES} - {"user", "gather"}


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recorded_stacks(path: os.PathLike[str]) -> None:
    with open(path) as lines:
        recorded = [line.rsplit(" ", 1)[0].split(";", 2) for line in lines]
    modes = {m.name: m for m in tables.MODES}
    for name in {row[0] for row in recorded}:
        assert len(check_equal(modes[name], [(side, stack) for mode, side, stack in recorded if mode == name])) > 5


@pytest.mark.parametrize("mode", tables.MODES, ids=lambda mode: mode.name)
def test_user_mode(mode: tables.Mode) -> None:
    check_equal(mode, [(side, f"[{library}]") for side in ("sender", "receiver")
                       for library in ("libc.so.6", "libc-2.31.so", "netio-loadgen", "vdso", "libcrypto.so.3", "")])


def test_frames_beyond_those_of_a_sample_do_not_count() -> None:
    for depth in (stack_rules.FRAMES_MAX - 1, stack_rules.FRAMES_MAX):
        check_equal(tables.ONECOPY, [("sender", "tcp_sendmsg" + ";unknown_function" * depth)])
