# SPDX-License-Identifier: GPL-2.0-only
"""Everything that this package opens: results to read, and documents to write.

docs/SECURITY.md: files that only root may read are opened before root is given up. Nothing else in the package calls
open(), so that a caller who holds descriptors has one place to give them to.
"""
from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile

FILE_MAX = 1 << 28  # bytes of a CSV file: larger than a hundred thousand rows of ours


def is_directory(path: str) -> bool:
    """OSError: there is nothing."""
    return stat.S_ISDIR(os.stat(path).st_mode)


def read(path: str, most: int | None = None) -> bytes:
    """A whole file. OSError: it cannot be read, or is larger."""
    with open(path, "rb") as stream:
        data = stream.read() if most is None else stream.read(most + 1)
    if most is not None and len(data) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return data


def documents(directory: str) -> list[str]:
    """The visible .json files of a directory, by name. OSError."""
    return sorted((n for n in os.listdir(directory) if n.endswith(".json") and not n.startswith(".")), key=os.fsencode)


class Output:
    """A document that is written whole or not at all; "-" is stdout. Opened early: nothing is computed in vain."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._made = ""
        if path == "-":
            self._stream = sys.stdout.buffer
        elif os.path.exists(path) and not os.path.isfile(path):
            self._stream = open(path, "wb")  # noqa: SIM115
        else:
            target = os.path.realpath(path)
            mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o666 & ~_umask()
            fd, self._made = tempfile.mkstemp(prefix=".", dir=os.path.dirname(target))
            self.target = target
            os.fchmod(fd, mode)
            self._stream = os.fdopen(fd, "wb")

    def write(self, text: str) -> None:
        """All of it. OSError."""
        self._stream.write(text.encode("utf-8", "surrogateescape"))
        self._stream.flush()
        if self._made:
            os.replace(self._made, self.target)
            self._made = ""

    def discard(self) -> None:
        """Removes what was not finished."""
        if self._made:
            with contextlib.suppress(OSError):
                os.unlink(self._made)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
