# SPDX-License-Identifier: GPL-2.0-only
"""Runs the built C program and the package on the same command line."""
from __future__ import annotations

import io
import os
import pathlib
import subprocess
import sys
from collections.abc import Sequence
from unittest import mock

from analysis import compare

REPO = pathlib.Path(__file__).parents[2]
NETIOTRACE = os.environ.get("NETIOTRACE", str(REPO / "netiotrace"))
COMMANDS = {"compare": compare.main}


def c_program(command: str, *args: str) -> tuple[int, bytes, bytes]:
    """Exit status, stdout and stderr."""
    done = subprocess.run([NETIOTRACE, command, *args], capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def package(command: str, *args: str) -> tuple[int, bytes, bytes]:
    """The same, in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape", newline="\n") for _ in range(2))
    with mock.patch.object(sys, "stdout", out), mock.patch.object(sys, "stderr", err):
        code = COMMANDS[command](args)
        out.flush()
        err.flush()
    return code, out.buffer.getvalue(), err.buffer.getvalue()


def check_equal(command: str, *args: str | os.PathLike[str]) -> tuple[int, int]:
    """Both give the same status and the same bytes. Returns the status and the number of bytes."""
    line: Sequence[str] = [os.fspath(arg) for arg in args]
    code, out, err = c_program(command, *line)
    assert package(command, *line) == (code, out, err), line
    return code, len(out) + len(err)
