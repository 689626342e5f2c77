# SPDX-License-Identifier: GPL-2.0-only
"""python3 -I -m analysis report|compare ..., or a zipapp of this package."""
from __future__ import annotations

import contextlib
import io
import os
import resource
import signal
import sys
from collections.abc import Sequence

from . import command_line, compare

_MEMORY_MAX = 4 << 30


def _report(argv: Sequence[str]) -> int:
    """Only this command needs templates."""
    try:
        from .report.main import main as report
    except ModuleNotFoundError as problem:
        if problem.name not in ("jinja2", "markupsafe"):
            raise
        command_line.error("Jinja2 is not installed, which writes the report: install the package python3-jinja2.")
        return command_line.EXIT_RUN_FAILED
    return report(argv)


_COMMANDS = {"compare": compare.main, "report": _report}


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # without a traceback
    with contextlib.suppress(ValueError):  # the caller's limit is lower
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_MAX, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    name, argv = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if name not in _COMMANDS:
        command_line.error(f"give a command: {', '.join(_COMMANDS)}.")
        return command_line.EXIT_USAGE
    try:
        code = _COMMANDS[name](argv)
        sys.stdout.flush()
    except OSError as problem:
        command_line.error(f"cannot write to stdout: {problem.strerror}.")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it again at the end
        return command_line.EXIT_RUN_FAILED
    return code


def run() -> None:
    """The entry of a zipapp."""
    sys.exit(main())


if __name__ == "__main__":
    run()
