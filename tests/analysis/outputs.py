# SPDX-License-Identifier: GPL-2.0-only
"""Runs compare and report in this process, with all that they write as bytes."""
from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from unittest import mock

from analysis import compare as analysis_compare
from analysis import files, units
from analysis.report import main as analysis_report


@dataclass
class Output:
    """files: "DIRECTORY/NAME" of reports; "" is the document of compare."""

    code: int
    out: bytes
    err: bytes
    files: dict[str, bytes] = field(default_factory=dict)

    def all(self) -> bytes:
        """For a digest."""
        parts = [str(self.code).encode(), self.out, self.err]
        for name, data in sorted(self.files.items()):
            parts += [name.encode(), data]
        return b"".join(b"%d\n%b\n" % (len(part), part) for part in parts)


@contextlib.contextmanager
def _captured() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape", newline="\n") for _ in range(2))
    with mock.patch.object(sys, "stdout", out), mock.patch.object(sys, "stderr", err):
        yield out, err


def _bytes(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def compare(*args: str) -> Output:
    """A command line with files of the working directory."""
    made: dict[str, bytes] = {}

    def publish(data: bytes) -> None:
        made[""] = data

    with _captured() as (out, err), mock.patch.object(files, "publish", publish):
        code = analysis_compare.main(args)
        return Output(code, _bytes(out), _bytes(err), made)


def words_of(args: Sequence[str]) -> list[str]:
    """The words that user/analysis/report.c makes of a command line; its first file is args[-1]."""
    words = [*args, "--command=" + " ".join(map(units.shell_word, ("netiotrace", "report", *args)))]
    name, dot, suffix = args[-1].rpartition(".")
    if "-o" in args:
        return words
    return [*words, f"--output={name}-report"] if dot and suffix in ("csv", "json") else [
        *words, f"--output={args[-1]}/report", "--in-input"]


def report(*args: str) -> Output:
    """The same; the report goes to no directory, and gnuplot is the first in PATH."""
    made: dict[str, bytes] = {}

    def publish(directory: str, written: Mapping[str, bytes]) -> None:
        made.update({f"{directory}/{name}": data for name, data in written.items()})

    writer = mock.patch.multiple(files, check_report=lambda _: None, publish_report=publish)
    with _captured() as (out, err), writer:
        code = analysis_report.main(words_of(args))
        return Output(code, _bytes(out), _bytes(err), made)


def fake_gnuplot(directory: str) -> None:
    """Its pictures depend on what it reads, so that equal pictures mean equal input."""
    path = os.path.join(directory, "gnuplot")
    with open(path, "w", encoding="ascii") as script:
        script.write("#!/bin/sh\n[ \"$1\" = --version ] && { echo 'gnuplot 5.4'; exit; }\n"
                     "printf '<?xml version=\"1.0\"?>\\n<svg id=\"a\" x=\"url(#b)\">%s</svg>\\n' \"$(cksum)\"\n")
    os.chmod(path, 0o755)
