# SPDX-License-Identifier: GPL-2.0-only
"""What netiotrace opens for the package, and how the package lets it write: files.py."""
from __future__ import annotations

import errno
import os
import pathlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest

from analysis import compare, documents, files, load

CSV = b"mode,size,round,gbps\n0,64,0,1\n1,64,0,2\n"
Hold = Callable[[str, int, str], None]


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hold]:
    """hold(path, fd, "f" or "d"): one more held file, taken over as from netiotrace. All are closed at the end."""
    monkeypatch.setattr(files, "_held", {})
    monkeypatch.setattr(files, "_publisher", files._publisher)

    def make(path: str, fd: int, kind: str) -> None:
        files.inherit(memory(b"-1\0%s\0%d\0%s\0" % (os.fsencode(path), fd, kind.encode())))

    yield make
    for fd, _ in files._held.values():
        os.close(fd)


def memory(data: bytes) -> int:
    fd = os.memfd_create("data")
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def test_held_file_is_read_from_its_beginning_each_time(hold: Hold) -> None:
    hold("/nowhere/x.csv", memory(CSV), "f")
    assert [files.read("/nowhere/x.csv") for _ in range(2)] == [CSV, CSV]
    assert not files.is_directory("/nowhere/x.csv")
    assert not os.get_inheritable(files._held["/nowhere/x.csv"][0])


def test_held_file_takes_the_place_of_the_one_at_its_path(hold: Hold, tmp_path: pathlib.Path) -> None:
    """The path may lead elsewhere by then."""
    path = tmp_path / "x.csv"
    path.write_bytes(b"another")
    hold(str(path), memory(CSV), "f")
    assert files.read(str(path)) == CSV
    assert files.read(f"{tmp_path}/./x.csv") == b"another"  # as it was held


def test_held_pipe_is_read_whole(hold: Hold) -> None:
    ends = os.pipe()
    data = CSV * 10000

    def write() -> None:
        with open(ends[1], "wb", buffering=0) as stream:
            stream.write(data[:9])
            stream.write(data[9:])

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    hold("/dev/fd/63", ends[0], "f")
    assert files.read("/dev/fd/63") == data
    writer.join(30)


def test_two_held_pipes_are_compared(hold: Hold, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("/dev/fd/62", "/dev/fd/63"):
        ends = os.pipe()
        os.write(ends[1], CSV)
        os.close(ends[1])
        hold(name, ends[0], "f")
    assert compare.main(["/dev/fd/62", "/dev/fd/63"]) == 0
    assert "before  /dev/fd/62: 2 runs of 2 cells" in capsys.readouterr().out


def test_held_directory_is_listed_each_time_and_its_files_are_held_too(hold: Hold, tmp_path: pathlib.Path) -> None:
    cells = tmp_path / "cells"
    cells.mkdir()
    for n in range(2):
        (cells / f"{n}.json").write_text('{"schema": "netiotrace.result/1", "runs": [{"mode": "onecopy", "size": 64, '
                                         f'"round": {n}}}]}}')
    (cells / ".hidden.json").write_text("{")
    (cells / "x.txt").write_text("")
    for path in (tmp_path, cells):
        hold(f"/nowhere/{path.relative_to(tmp_path.parent)}", os.open(path, os.O_RDONLY), "d")
    held = f"/nowhere/{tmp_path.name}"
    assert [files.documents(f"{held}/cells") for _ in range(2)] == [["0.json", "1.json"]] * 2
    for n in range(2):
        hold(f"{held}/cells/{n}.json", os.open(cells / f"{n}.json", os.O_RDONLY), "f")
    for _ in range(2):
        assert [row.round for row in load.load_files([held]).rows] == [0, 1]


def test_larger_file_is_refused(hold: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    hold("x", memory(b"12345"), "f")
    monkeypatch.setattr(files, "FILE_MAX", 5)
    assert files.read("x") == b"12345"
    monkeypatch.setattr(files, "FILE_MAX", 4)
    with pytest.raises(OSError) as caught:
        files.read("x")
    assert caught.value.errno == errno.EFBIG
    for name in ("x.csv", "x.json"):
        hold(name, memory(b"12345"), "f")
        with pytest.raises(documents.Refused, match="larger than"):
            load.load_files([name])


def test_only_regular_files_of_a_directory_are_read(hold: Hold, tmp_path: pathlib.Path) -> None:
    """Also if netiotrace holds them; a reader would wait for a writer."""
    (tmp_path / "cells").mkdir()
    path = f"{tmp_path}/cells/one.json"
    os.mkfifo(path)
    for _ in range(2):
        with pytest.raises(documents.Refused, match="not a regular file"):
            load.load_files([str(tmp_path)])
        hold(path, os.open(path, os.O_RDONLY | os.O_NONBLOCK), "f")


def test_no_such_file() -> None:
    for call in (files.stream, files.documents, files.is_directory):
        with pytest.raises(FileNotFoundError):
            call("/nowhere/x")


# ---- output


def serve(end: socket.socket, answer: bytes) -> list[bytes]:
    """Takes one request, and answers in two parts."""
    stream = end.makefile("rb")
    (length,) = struct.unpack("=Q", stream.read(8))
    data = stream.read(length)
    end.sendall(answer[:3])
    end.sendall(answer[3:])
    end.close()
    return [data]


@pytest.mark.parametrize(("answer", "why"), [
    (struct.pack("=i512s", 0, b""), None), (struct.pack("=i512s", -errno.ENOSPC, b""), os.strerror(errno.ENOSPC)),
    (struct.pack("=i512s", -errno.EPERM, b"it is a link"), "it is a link"), (b"abc", os.strerror(errno.EPIPE))])
def test_netiotrace_writes_the_output(hold: Hold, answer: bytes, why: str | None) -> None:
    ours, theirs = socket.socketpair()
    theirs.settimeout(30)
    files.inherit(memory(b"%d\0" % ours.detach()))
    seen: list[bytes] = []
    server = threading.Thread(target=lambda: seen.extend(serve(theirs, answer)), daemon=True)
    server.start()
    data = bytes(range(256)) * 5000
    assert files.publish(data) == why
    server.join(30)
    assert seen == [data]


def test_without_netiotrace_nothing_is_written(hold: Hold) -> None:
    hold("x", memory(b""), "f")
    assert files.publish(b"x") == "the package was not started by netiotrace, which writes its output"
