# SPDX-License-Identifier: GPL-2.0-only
"""Which gnuplot runs: report/plotter.py. Files of other users are in tests/e2e/security.bats."""
from __future__ import annotations

import os
import pathlib

import pytest

pytest.importorskip("jinja2")

from analysis.report import plotter
from analysis.report.figure import Figure


def program(path: pathlib.Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_program_that_was_found_draws_whatever_takes_its_path(
        tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin/one", "echo the first")
    (tmp_path / "gnuplot").symlink_to("bin/one")
    found = plotter.Plotter()
    program(tmp_path / "bin/two", "echo the second")
    (tmp_path / "bin/two").rename(tmp_path / "bin/one")
    (tmp_path / "gnuplot").unlink()
    assert found.draw(Figure("x", "lines"), "svg") == b"the first\n"


def test_only_programs_of_absolute_directories_are_found(
        tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("relative", "directory", "closed", "last"):
        (tmp_path / name).mkdir()
    program(tmp_path / "relative/gnuplot", "echo wrong")
    (tmp_path / "directory/gnuplot").mkdir()
    program(tmp_path / "closed/gnuplot", "echo wrong")
    (tmp_path / "closed/gnuplot").chmod(0o644)
    path = f"relative::{tmp_path}/directory:{tmp_path}/closed:{tmp_path}/none"
    monkeypatch.setenv("PATH", path)
    assert plotter.find_gnuplot() is None
    program(tmp_path / "last/gnuplot", "echo right")
    monkeypatch.setenv("PATH", f"{path}:{tmp_path}/last")
    fd = plotter.find_gnuplot()
    assert fd is not None and os.path.samefile(f"/proc/self/fd/{fd}", tmp_path / "last/gnuplot")
    os.close(fd)


def test_endless_links_are_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "gnuplot").symlink_to("gnuplot")
    with pytest.raises(OSError):
        plotter._open_trusted(f"{tmp_path}/gnuplot")
