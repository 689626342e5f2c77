# SPDX-License-Identifier: GPL-2.0-only
"""cells.tar.xz: read as the directory that it was, and nothing else is taken from an archive."""
from __future__ import annotations

import io
import json
import lzma
import os
import pathlib
import resource
import subprocess
import sys
import tarfile
from collections.abc import Callable

import outputs
import pytest
from goldens import PUBLISHED, REPO
from reading import refusal

from analysis import archive, json_text, load
from analysis.dataset import Dataset

Change = Callable[[tarfile.TarInfo], object]
RUN = {"mode": "onecopy", "size": 64, "threads": 1}
DOCUMENT = json.dumps({"schema": "netiotrace.result/1", "runs": [RUN]}).encode()


def pack(path: pathlib.Path, *members: tuple[str, bytes], change: Change = lambda member: None,
         form: int = tarfile.GNU_FORMAT) -> str:
    """change: of every member, after its size was set."""
    with tarfile.open(path, "w:xz", format=form) as tar:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            change(member)
            tar.addfile(member, io.BytesIO(data))
    return str(path)


def read(path: str) -> Dataset:
    return load.load_files([path])


def test_archive_and_directory_are_one_data_set(published: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/cells.tar.xz").symlink_to(PUBLISHED)
    (tmp_path / "set/sweep.json").write_text('{"settings": {"seed": 7}}')
    whole = read(str(published))
    for path in (tmp_path / "set", tmp_path / "set/cells.tar.xz"):
        d = read(str(path))
        assert [row.figures() for row in d.rows] == [row.figures() for row in whole.rows]
        assert json_text.equal(d.environment, whole.environment) and d.hists and len(d.hists) == len(whole.hists)
    assert read(str(tmp_path / "set")).seed == "7"
    assert sorted(os.listdir(tmp_path / "set")) == ["cells.tar.xz", "sweep.json"]


def test_cells_beside_an_archive_are_read_instead(tmp_path: pathlib.Path) -> None:
    pack(tmp_path / "cells.tar.xz", ("cells/a.json", DOCUMENT.replace(b"64", b"1")))
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells/a.json").write_bytes(DOCUMENT)
    assert [row.size for row in read(str(tmp_path)).rows] == [64]


def test_archives_are_compared(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.tar.xz").symlink_to(PUBLISHED)
    done = outputs.compare("a.tar.xz", str(PUBLISHED.parent))
    assert done.code == 0 and b"\n0 of " in done.out


@pytest.mark.parametrize("names", [("a.json", "b.json"), ("./cells/a.json", "cells/b.json")])
def test_members_may_have_the_name_of_the_directory(tmp_path: pathlib.Path, names: tuple[str, ...]) -> None:
    def grow(member: tarfile.TarInfo) -> None:
        member.type = tarfile.DIRTYPE if member.name == "cells" else member.type

    path = pack(tmp_path / "x.tar.xz", ("cells", b""), *((name, DOCUMENT.replace(b"64", b"%d" % (i + 1)))
                                                        for i, name in enumerate(names)), change=grow)
    assert [row.size for row in read(path).rows] == [1, 2]


@pytest.mark.parametrize("name", [
    "/etc/a.json", "../a.json", "cells/../a.json", "cells/b/a.json", "cells/.a.json", "cells/..json", "a.txt", "cells/",
    "sub/a.json", "a.json\n", "cells//a.json", "C:\\a", "x" * 5000 + "/a.json"])
def test_other_names_are_refused(tmp_path: pathlib.Path, name: str) -> None:
    sentence = refusal(read, pack(tmp_path / "x.tar.xz", (name, DOCUMENT)))
    assert "is no regular file cells/NAME.json" in sentence


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE,
                                  tarfile.DIRTYPE, tarfile.CONTTYPE, b"V"])
def test_links_devices_and_directories_are_refused(tmp_path: pathlib.Path, kind: bytes) -> None:
    def change(member: tarfile.TarInfo) -> None:
        member.type, member.linkname, member.size = kind, "/etc/passwd", 0

    assert "is no regular file" in refusal(read, pack(tmp_path / "x.tar.xz", ("cells/a.json", DOCUMENT), change=change))


def test_sparse_files_are_refused(tmp_path: pathlib.Path) -> None:
    """A header of 512 bytes can stand for a terabyte of holes."""
    def change(member: tarfile.TarInfo) -> None:
        member.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(1 << 40), "GNU.sparse.name": "a.json"}

    path = pack(tmp_path / "x.tar.xz", ("cells/a.json", DOCUMENT), change=change, form=tarfile.PAX_FORMAT)
    assert "it has a sparse file" in refusal(read, path)


def test_a_name_that_is_there_twice_is_refused(tmp_path: pathlib.Path) -> None:
    path = pack(tmp_path / "x.tar.xz", ("cells/a.json", DOCUMENT), ("a.json", DOCUMENT))
    assert refusal(read, path) == f"{path}: 'a.json' is there twice."


def test_members_and_sizes_are_limited(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pack(tmp_path / "x.tar.xz", *((f"{i}.json", DOCUMENT) for i in range(4)))
    assert len(read(path).rows) == 4
    monkeypatch.setattr(archive, "MEMBERS_MAX", 3)
    assert "it has more than 3 members" in refusal(read, path)
    large = pack(tmp_path / "y.tar.xz", ("a.json", bytes((64 << 20) + 1)))
    assert "'a.json' is larger than 64 MiB" in refusal(read, large)
    monkeypatch.setattr(archive, "TOTAL_MAX", 1 << 20)
    assert "larger than 1 MiB unpacked" in refusal(read, pack(tmp_path / "z.tar.xz", ("a.json", bytes(1 << 21))))


BOMB = """import sys; from analysis import archive, load, documents
archive.TOTAL_MAX = int(sys.argv[2])
try:
    load.load_files([sys.argv[1]])
except documents.Refused as problem:
    print(problem)
"""


def bomb(path: pathlib.Path, head: bytes, size: int) -> str:
    """An .xz file of this and zeros."""
    xz = lzma.LZMACompressor(preset=0)
    with open(path, "wb") as f:
        f.write(xz.compress(head))
        for _ in range(size >> 24):
            f.write(xz.compress(bytes(1 << 24)))
        f.write(xz.flush())
    return str(path)


def header(**members: object) -> bytes:
    member = tarfile.TarInfo("cells/a.json")
    for name, value in members.items():
        setattr(member, name, value)
    return member.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize(("head", "words", "most"), [
    (header(size=1 << 33), "is larger than 64 MiB", 64),
    (header(type=tarfile.GNUTYPE_LONGNAME, size=1 << 33), "header larger than 64 KiB", 64),
    (header(type=tarfile.XHDTYPE, size=1 << 33), "header larger than 64 KiB", 64), (b"\0" * 1024, "256 MiB", 256),
    (header(type=tarfile.CHRTYPE, size=1 << 33), "is no regular file", 64)],
    ids=["member", "name", "pax", "end", "device"])
def test_bombs_are_refused_in_bounded_memory(tmp_path: pathlib.Path, head: bytes, words: str, most: int) -> None:
    path = bomb(tmp_path / "x.tar.xz", head, (most << 20) * 5 // 4)
    limit = 512 << 20
    done = subprocess.run([sys.executable, "-c", BOMB, path, str(most << 20)], cwd=REPO, capture_output=True, text=True,
                          timeout=120, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
                          check=True)
    assert words in done.stdout and done.stdout.count("\n") == 1


def test_xz_files_that_need_much_memory_are_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.tar.xz"
    path.write_bytes(lzma.compress(DOCUMENT, filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]))
    assert "not a tar.xz archive, or damaged" in refusal(read, str(path))


def test_damaged_archives_are_refused(tmp_path: pathlib.Path) -> None:
    """Each byte that is cut off or changed is noticed: an .xz file has check sums."""
    whole = pathlib.Path(pack(tmp_path / "x.tar.xz", ("cells/a.json", DOCUMENT))).read_bytes()
    path = tmp_path / "y.tar.xz"
    for data in (*(whole[:i] for i in range(0, len(whole), 5)), b"no archive", lzma.compress(b"x" * 5000),
                 *(whole[:i] + bytes([whole[i] ^ 0x40]) + whole[i + 1:] for i in range(0, len(whole), 3))):
        path.write_bytes(data)
        assert "x.tar.xz" not in refusal(read, str(path))


def padded(path: pathlib.Path, tar: bytes) -> str:
    path.write_bytes(lzma.compress(tar))
    return str(path)


def tar_of(tmp_path: pathlib.Path, *sizes: int) -> bytes:
    path = pack(tmp_path / "t.tar.xz", *((f"cells/{n}.json", DOCUMENT.replace(b"64", b"%d" % n)) for n in sizes))
    return lzma.decompress(pathlib.Path(path).read_bytes())


def test_a_tar_without_its_end_is_refused(tmp_path: pathlib.Path) -> None:
    """Cut anywhere within a correct .xz file: all documents, or none."""
    tar, members = tar_of(tmp_path, 1, 2, 3), 3 * 1024
    path = tmp_path / "x.tar.xz"
    for end in range(0, len(tar) + 1, 256):
        padded(path, tar[:end])
        if end < members + 1024:
            assert "damaged" in refusal(read, str(path)) or "ends early" in refusal(read, str(path))
        else:
            assert [row.size for row in read(str(path)).rows] == [1, 2, 3]


def test_damaged_headers_and_what_stands_behind_the_end_are_refused(tmp_path: pathlib.Path) -> None:
    tar, path = tar_of(tmp_path, 1, 2, 3), tmp_path / "x.tar.xz"
    damaged = tar[:1024] + b"y" + tar[1025:]
    blank = tar[:1024] + bytes(512) + tar[1536:]
    for data in (damaged, blank, tar + tar_of(tmp_path, 4), tar + b"x"):
        assert "x.tar.xz: it " in refusal(read, padded(path, data))


def test_streams_of_an_xz_file_are_one_tar(tmp_path: pathlib.Path) -> None:
    tar, path = tar_of(tmp_path, 1, 2, 3), tmp_path / "x.tar.xz"
    for cut in (0, 1000, 2048, len(tar)):
        first, second = lzma.compress(tar[:cut]), lzma.compress(tar[cut:])
        for zeros in (0, 4, 1 << 17):
            path.write_bytes(first + bytes(zeros) + second + bytes(zeros))
            assert [row.size for row in read(str(path)).rows] == [1, 2, 3]
        for wrong in (first + bytes(3) + second, first + second + bytes(6), first + second + b"garbage",
                      first + second[:-1], first + second + second[:9]):
            path.write_bytes(wrong)
            assert "damaged" in refusal(read, str(path)) or "not an xz stream" in refusal(read, str(path))


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME,
                                  tarfile.GNUTYPE_LONGLINK])
def test_large_extended_headers_are_refused_unread(tmp_path: pathlib.Path, kind: bytes) -> None:
    path = padded(tmp_path / "x.tar.xz", header(type=kind, size=(1 << 16) + 1))
    assert "it has an extended header larger than 64 KiB" in refusal(read, path)
