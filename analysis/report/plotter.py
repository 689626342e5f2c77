# SPDX-License-Identifier: GPL-2.0-only
"""Draws with gnuplot and the templates.

gnuplot reads everything from its standard input and writes the picture to its standard output. It opens no file by
name, works in /, has no environment except locale and PATH, has its own session, and ends with this process, or after
half a minute. It runs without root, and no shell starts it.
"""
from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import resource as limits
import signal
import stat
import subprocess
from collections.abc import Callable

from .figure import Figure
from .page import resource

TIME_MAX_S = 30
CPU_MAX_S = 20
LINKS_MAX = 40
DATA_END = "END_OF_DATA_OF_NETIOTRACE"
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38  # prctl(2)

_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}


class PlotterError(Exception):
    """A sentence."""


def _is_trusted(st: os.stat_result) -> bool:
    """Can only root change it, and nobody replace what is root's in it?"""
    sticky = stat.S_ISDIR(st.st_mode) and st.st_mode & stat.S_ISVTX
    return not st.st_uid and bool(stat.S_ISLNK(st.st_mode) or sticky or not st.st_mode & 0o022)


def _open_trusted(program: str) -> int:
    """A file that only root can replace or change: so are all directories and links on the way to it. OSError: it is
    not, or a part of the path is closed or gone."""
    words, links = ["/", *program.split("/")][::-1], 0
    with contextlib.ExitStack() as opened:
        at = -1
        while words:
            word = words.pop() or "."
            fd = os.open(word, os.O_PATH | os.O_NOFOLLOW, dir_fd=None if word == "/" else at)
            opened.callback(os.close, fd)
            st = os.fstat(fd)
            if not _is_trusted(st):
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), program)
            if not stat.S_ISLNK(st.st_mode):
                at = fd
                continue
            links += 1
            if links > LINKS_MAX:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), program)
            target = os.readlink("", dir_fd=fd)
            words += target.split("/")[::-1] + ["/"] * target.startswith("/")
        return os.dup(at)


def find_gnuplot(for_root: bool = False) -> int | None:
    """A descriptor of the first in PATH: what runs is the file that was looked at, whatever its path leads to later.

    A relative entry would be searched in the working directory and is skipped. for_root: root called, and gave up root:
    only one that no other user could replace. So it is where there is no other user (a container).
    """
    trusted = for_root or not os.geteuid()
    for directory in os.environ.get("PATH", "/usr/bin:/bin").split(":"):
        if not directory.startswith("/"):
            continue
        with contextlib.suppress(OSError):
            program = directory + "/gnuplot"
            fd = _open_trusted(program) if trusted else os.open(program, os.O_PATH)
            if stat.S_ISREG(os.fstat(fd).st_mode) and os.access(f"/proc/self/fd/{fd}", os.X_OK):
                return fd
            os.close(fd)
    return None


def _child_setup() -> Callable[[], None]:
    """What gnuplot's process does before it becomes gnuplot; made before the fork, as it may import nothing."""
    prctl, parent = ctypes.CDLL(None, use_errno=True).prctl, os.getpid()

    def setup() -> None:
        limits.setrlimit(limits.RLIMIT_CPU, (CPU_MAX_S, CPU_MAX_S))
        limits.setrlimit(limits.RLIMIT_CORE, (0, 0))
        if prctl(PR_SET_PDEATHSIG, signal.SIGKILL) or prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
        if os.getppid() != parent:
            os._exit(1)

    return setup


def _run(program: int, option: str, script: str) -> tuple[bytes, str]:
    """Its output, and what it says on stderr if it fails (else "")."""
    try:
        done = subprocess.run(["gnuplot", option], executable=f"/proc/self/fd/{program}", pass_fds=(program,),
                              input=script.encode("utf-8", "replace"), capture_output=True, cwd="/", env=_ENVIRONMENT,
                              start_new_session=True, preexec_fn=_child_setup(), timeout=TIME_MAX_S, check=False)
    except subprocess.TimeoutExpired:
        return b"", os.strerror(errno.ETIMEDOUT)
    except (OSError, subprocess.SubprocessError):
        return b"", os.strerror(errno.EIO)
    errors = done.stderr.decode("utf-8", "replace").strip() or os.strerror(errno.EIO)
    return done.stdout, errors if done.returncode else ""


def _expand(template: str, settings: str) -> str:
    """A template, whose lines `load ...` become the settings or another template."""

    def replace(match: re.Match[str]) -> str:
        return _expand(resource(f"templates/{match[1]}.gp"), settings) if match[1] else settings

    return re.sub(r'^load (?:ARG1|"(\w+)\.gp")\n', replace, template, flags=re.MULTILINE)


def script(f: Figure) -> str:
    """Draws a picture by itself, for `gnuplot NAME.plot`: templates, settings and data in one text."""
    name = f.name
    return (f"# Draws {name} again: `gnuplot {name}.plot` writes {name}.svg into the working directory,\n"
            f"# `gnuplot -e \"term='pdf'\" {name}.plot` a PDF; png is the third form. Call it from another\n"
            "# directory: report replaces none with files that it did not make.\n"
            'if (!exists("term")) { term = "svg" }\n'
            f'if (!exists("out")) {{ out = "{name}.".term }}\n'
            f"$data << {DATA_END}\n{f.data}\n{DATA_END}\n"
            'ARG2 = "$data"; ARG3 = out; ARG4 = term\n' + _expand(resource(f"templates/{f.template}.gp"), f.settings))


class Plotter:
    """gnuplot, once it was found to run."""

    def __init__(self, for_root: bool = False) -> None:
        """As find_gnuplot(). PlotterError: there is none that runs."""
        program = find_gnuplot(for_root)
        if program is None:
            raise PlotterError("gnuplot is not installed, which draws the pictures: install the package gnuplot (or "
                               "gnuplot-nox).")
        if _run(program, "--version", "")[1]:
            raise PlotterError("gnuplot does not run: is it installed properly?")
        self._program = program

    def draw(self, f: Figure, term: str) -> bytes:
        """A picture; term is "svg", "png" or "pdf". PlotterError, with the reason."""
        output, errors = _run(self._program, "-d", f'term = "{term}"; out = ""\n{script(f)}')
        if errors:
            # The last line, after the offending one and a marker.
            raise PlotterError(f"gnuplot failed on {f.template}.gp: {errors.splitlines()[-1][:300]}")
        if not output:
            raise PlotterError(f"gnuplot drew nothing with {f.template}.gp.")
        if term == "pdf":  # equal data gives equal files: cairo writes the time of drawing; the file's offsets stay
            output = re.sub(rb"/CreationDate \([^)]*\)", lambda m: b" " * len(m[0]), output, count=1)
        return output
