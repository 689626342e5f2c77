# SPDX-License-Identifier: GPL-2.0-only
"""Everything that this package opens: results to read, and documents to write.

docs/SECURITY.md: files that only root may read are opened by netiotrace before root is given up, and it writes the
output. Nothing else in the package opens a file.
"""
from __future__ import annotations

import contextlib
import errno
import os
import stat
import struct
from collections.abc import Mapping
from typing import BinaryIO

FILE_MAX = 1 << 28  # bytes of a file: larger than a hundred thousand rows of ours
_PART = 1 << 20  # bytes read at once
_ANSWER = struct.Struct("=i512s")  # of user/base/publisher.c

_held: dict[str, tuple[int, bool]] = {}
_publisher = -1  # a socket; -1: none


def inherit(fd: int) -> None:
    """Takes over what the caller has opened: "PUBLISHER NUL", then "PATH NUL FD NUL KIND NUL" for each held file."""
    global _publisher
    with os.fdopen(fd, "rb") as stream:
        words = [os.fsdecode(w) for w in stream.read().split(b"\0")]
    _publisher = int(words[0])
    if _publisher >= 0:
        os.set_inheritable(_publisher, False)
    for path, held, kind in zip(*(iter(words[1:-1]),) * 3):
        os.set_inheritable(int(held), False)
        _held[path] = int(held), kind == "d"


def is_directory(path: str) -> bool:
    """OSError: there is nothing."""
    return _held[path][1] if path in _held else stat.S_ISDIR(os.stat(path).st_mode)


def exists(path: str) -> bool:
    return path in _held or os.path.exists(path)


def _open(path: str, flags: int = 0) -> int:
    """A held file is read from its beginning again."""
    if path not in _held:
        return os.open(path, os.O_RDONLY | flags)
    fd = os.dup(_held[path][0])
    with contextlib.suppress(OSError):  # a pipe has no beginning
        os.lseek(fd, 0, os.SEEK_SET)
    return fd


def stream(path: str, entry: bool = False) -> BinaryIO:
    """A file to read. OSError. entry: of a directory, where only regular files are read: any other could make the
    reader wait."""
    fd = _open(path, os.O_NONBLOCK | os.O_NOCTTY if entry else 0)
    if entry and not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return os.fdopen(fd, "rb")


def read(path: str, entry: bool = False) -> bytes:
    """A whole file. OSError: it cannot be read, or is larger than FILE_MAX. entry: as stream()."""
    data = bytearray()
    with stream(path, entry) as opened:
        large = os.fstat(opened.fileno()).st_size > FILE_MAX  # of a pipe it is 0
        while not large and (part := opened.read(_PART)):
            data += part
            large = len(data) > FILE_MAX
    if large:
        raise OSError(errno.EFBIG, f"larger than {FILE_MAX >> 20} MiB", path)
    return bytes(data)


def _names(directory: str) -> list[str]:
    if directory not in _held:
        return os.listdir(directory)
    fd = _open(directory)
    try:
        return os.listdir(fd)
    finally:
        os.close(fd)


def documents(directory: str) -> list[str]:
    """The visible .json files of a directory, by name. OSError."""
    names = _names(directory)
    return sorted((n for n in names if n.endswith(".json") and not n.startswith(".")), key=os.fsencode)


def publish(data: bytes) -> str | None:
    """Lets netiotrace write a document or a directory, whole or not at all. Why it did not; None: it did."""
    if _publisher < 0:
        return "the package was not started by netiotrace, which writes its output"
    try:
        with open(_publisher, "wb", closefd=False) as stream:
            stream.write(struct.pack("=Q", len(data)) + data)
        with open(_publisher, "rb", closefd=False) as stream:
            answer = stream.read(_ANSWER.size)
    except OSError as problem:
        return problem.strerror
    if len(answer) < _ANSWER.size:
        return os.strerror(errno.EPIPE)
    err, why = _ANSWER.unpack(answer)
    if not err:
        return None
    return os.fsdecode(why.split(b"\0")[0]) or os.strerror(-err)


def _request(verb: str, directory: str, data: bytes = b"") -> str | None:
    """Of the directory of a report: user/analysis/report_output.h."""
    return publish(f"{verb}\0{directory}\0".encode("utf-8", "surrogateescape") + data)


def check_report(directory: str) -> str | None:
    """Why a report cannot be written there; None: it can. Asked before anything is drawn."""
    return _request("check", directory)


def publish_report(directory: str, made: Mapping[str, bytes]) -> str | None:
    """Lets netiotrace write all files of a report, "NAME" or "data/NAME". Why it did not; None: it did."""
    return _request("write", directory, b"".join(f"{name}\0{len(data)}\0".encode() + data
                                                 for name, data in made.items()))
