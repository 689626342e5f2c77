# SPDX-License-Identifier: GPL-2.0-only
"""cells.tar.xz of a published sweep: its documents, in memory and bounded. Nothing is written, and no link followed."""
from __future__ import annotations

import lzma
import re
import tarfile
from typing import BinaryIO, NoReturn

MEMBERS_MAX = 100000
MEMBER_MAX = 1 << 26  # bytes: a document of a run has 150 kB
HEADER_MAX = 1 << 16  # bytes of an extended header, which tarfile reads whole
TOTAL_MAX = 1 << 30  # bytes, unpacked: 8000 documents of runs
_XZ_MEMORY = 1 << 28  # xz -9 needs 64 MiB
_NAME = re.compile(r"(?:\./)?(?:cells/)?([^./\0][^/\0]*\.json)", re.DOTALL)


class Damaged(Exception):
    """Why an archive is not read, in words."""


class _Unpacked:
    """What tarfile reads: the content of an .xz file, of one or more streams, up to a limit."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._left = stream, TOTAL_MAX
        self._start(b"")

    def _start(self, packed: bytes) -> None:
        self._packed = packed
        self._xz = lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)

    def _next_stream(self) -> bool:
        """Behind a stream stand zeros, a multiple of four bytes, and then another stream or the end."""
        packed = self._xz.unused_data
        zeros = len(packed)
        while not (rest := packed.lstrip(b"\0")) and (packed := self._stream.read(1 << 16)):
            zeros += len(packed)
        if (zeros - len(rest)) % 4:
            raise Damaged("what stands behind its end is not an xz stream")
        if rest:
            self._start(rest)
        return bool(rest)

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (not self._xz.eof or self._next_stream()):
            packed, self._packed = self._packed, b""
            if self._xz.needs_input and not packed:
                packed = self._stream.read(1 << 16)
                if not packed:
                    raise EOFError("it ends early")
            data += self._xz.decompress(packed, size - len(data))
        self._left -= len(data)
        if self._left < 0:
            raise Damaged(f"it is larger than {TOTAL_MAX >> 20} MiB unpacked")
        return data


class _Member(tarfile.TarInfo):
    """A header. tarfile takes a damaged one, or none, for the end of the archive: only a block of zeros is the end."""

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> tarfile.TarInfo:  # type: ignore[override]
        try:
            member = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as problem:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                raise
            raise Damaged(f"it ends early, or a header in it is damaged ({problem})") from None
        if member.type in b"xgXLK" and member.size > HEADER_MAX:
            raise Damaged(f"it has an extended header larger than {HEADER_MAX >> 10} KiB")
        return member


    def _refuse_sparse(self, *_: object) -> NoReturn:
        """A map of holes has no bound of its own."""
        raise Damaged("it has a sparse file")

    _proc_sparse = _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse


def _check_end(tar: tarfile.TarFile) -> None:
    """Behind the first block of zeros are a second one and nothing but zeros, up to the check sum of the xz stream."""
    size = 0
    for block in iter(lambda: tar.fileobj.read(1 << 16), b""):
        if any(block):
            raise Damaged("it goes on behind its end")
        size += len(block)
    if size < tarfile.BLOCKSIZE:
        raise Damaged("it ends early")


def _add_member(documents: dict[str, bytes], tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    if member.isdir() and member.name in ("cells", "./cells", "."):
        return
    match = _NAME.fullmatch(member.name)
    stream = tar.extractfile(member) if match and member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) else None
    if match is None or stream is None or member.issparse():
        raise Damaged(f"'{member.name[:60]}' is no regular file cells/NAME.json")
    if match[1] in documents:
        raise Damaged(f"'{member.name[:60]}' is there twice")
    if member.size > MEMBER_MAX:
        raise Damaged(f"'{member.name[:60]}' is larger than {MEMBER_MAX >> 20} MiB")
    documents[match[1]] = stream.read()
    if len(documents[match[1]]) < member.size:
        raise EOFError("it ends early")


def documents(stream: BinaryIO) -> dict[str, bytes]:
    """The documents by name. Damaged: something else is in it, or too much."""
    found: dict[str, bytes] = {}
    unpacked = _Unpacked(stream)
    try:
        with tarfile.open(mode="r|", fileobj=unpacked, tarinfo=_Member) as tar:  # type: ignore[call-overload]
            for n, member in enumerate(tar):
                if n == MEMBERS_MAX:
                    raise Damaged(f"it has more than {MEMBERS_MAX} members")
                tar.members.clear()  # kept for getmember()
                _add_member(found, tar, member)
            _check_end(tar)
    except (tarfile.TarError, lzma.LZMAError, EOFError, ValueError, OverflowError, RecursionError, OSError) as problem:
        raise Damaged(f"not a tar.xz archive, or damaged ({problem})") from None
    return found
