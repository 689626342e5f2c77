# SPDX-License-Identifier: GPL-2.0-only
"""python3 -I -m analysis report|compare ..., or a zipapp of this package."""
from __future__ import annotations

import contextlib
import importlib
import io
import os
import resource
import signal
import sys
from collections.abc import Sequence

from . import command_line, files, units

_MEMORY_MAX = 4 << 30


# Each imports only what it needs: python3 compiles what it imports each time, unless make-zip's bytecode is for it.
_MODULES = {"baseline": "baseline", "compare": "compare", "metrics": "metric", "report": "report.main",
            "sigcomm21": "sigcomm21"}


def _let_signals_end() -> None:
    """A signal that the caller does not ignore ends this process at once, also inside of a long C function: a handler
    of Python would wait. netiotrace blocks them until then."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, command_line.SIGNALS)


def _fill_closed_streams() -> None:
    """No file that is opened gets the number of a closed one. A closed stdout refuses what is written, as EBADF."""
    while (fd := os.open(os.devnull, os.O_RDONLY)) < 3:
        pass
    os.close(fd)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _unexpected(name: str, problem: Exception) -> str:
    import traceback  # takes the time of all other modules

    frame = traceback.extract_tb(problem.__traceback__)[-1]
    return (f"{name} failed: {type(problem).__name__} in {frame.filename}, line {frame.lineno} "
            f"({units.cut(str(problem), 200)}): this is a fault of netiotrace, please report it.")


def _execute(name: str, argv: Sequence[str]) -> int:
    try:
        code: int = importlib.import_module(f"{__package__}.{_MODULES[name]}").main(argv)
        sys.stdout.flush()
        return code
    except ImportError as problem:
        of_jinja = problem.name in ("jinja2", "markupsafe")
        what, package = ("Jinja2", "python3-jinja2") if of_jinja else ("Python's standard library", "python3")
        why = f"{name} needs {what}, which python3 cannot import ({problem}): install the package {package}."
    except OSError as problem:
        why = _unexpected(name, problem)
        if problem.filename is None:
            why = f"cannot write to stdout: {problem.strerror}."
            command_line.discard(sys.stdout)
    except MemoryError:
        why = f"{name} needs more memory than there is, or more than {_MEMORY_MAX >> 30} GiB: give it less data."
    except Exception as problem:
        why = _unexpected(name, problem)
    # Here the memory of the data is free again.
    if name in ("compare", "report"):
        command_line.error(why)
        return command_line.EXIT_RUN_FAILED
    return command_line.refuse(why)


def main() -> int:
    _let_signals_end()
    _fill_closed_streams()
    with contextlib.suppress(ValueError):  # the caller's limit is lower
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_MAX, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    argv = sys.argv[1:]
    if argv[:1] and argv[0].startswith("--inherited="):
        files.inherit(int(argv.pop(0).partition("=")[2]))
    name, argv = (argv[:1] or [""])[0], argv[1:]
    if name not in _MODULES:
        command_line.error(f"give a command: {', '.join(_MODULES)}.")
        return command_line.EXIT_USAGE
    return _execute(name, argv)


def run() -> None:
    """The entry of a zipapp."""
    sys.exit(main())


if __name__ == "__main__":
    run()
