# SPDX-License-Identifier: GPL-2.0-only
"""The package as the program contains it (scripts/make-zip)."""
from __future__ import annotations

import ast
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

REPO = pathlib.Path(__file__).parents[2]


def make_zip(path: pathlib.Path, **environment: str) -> pathlib.Path:
    subprocess.run([sys.executable, REPO / "scripts/make-zip", path, REPO / "analysis"], check=True, env=environment)
    return path


@pytest.fixture
def made(tmp_path: pathlib.Path) -> pathlib.Path:
    return make_zip(tmp_path / "one.zip")


def test_equal_sources_give_equal_files(made: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert make_zip(tmp_path / "two.zip", PYTHONHASHSEED="7").read_bytes() == made.read_bytes()


def test_every_source_has_its_bytecode(made: pathlib.Path) -> None:
    with zipfile.ZipFile(made) as archive:
        names = set(archive.namelist())
        for name in names:
            if name.endswith(".py") and "/" in name:
                assert archive.read(name + "c").startswith(importlib.util.MAGIC_NUMBER)
    assert {f"analysis/{p.relative_to(REPO / 'analysis')}" for p in (REPO / "analysis").rglob("*.py")} <= names


def test_another_python3_compiles_the_sources(made: pathlib.Path, tmp_path: pathlib.Path) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(made) as archive, zipfile.ZipFile(other, "w") as changed:
        for name in archive.namelist():
            data = archive.read(name)
            changed.writestr(name, b"\0\0\r\n" + data[4:] if name.endswith(".pyc") else data)
    for path in (made, other):
        done = subprocess.run([sys.executable, "-I", path, "metrics"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("Metrics: throughput_gbps ") and done.stderr == ""


@pytest.mark.parametrize("path", sorted((REPO / "analysis").rglob("*.py")), ids=lambda path: path.name)
def test_syntax_is_that_of_the_oldest_python(path: pathlib.Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 9))


@pytest.mark.skipif(not shutil.which("vermin"), reason="vermin is not installed: pip install vermin")
def test_oldest_python_has_all_that_the_package_uses() -> None:
    done = subprocess.run(["vermin", "-t=3.9-", "--no-tips", "--violations", str(REPO / "analysis")],
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 8, 20)])
@pytest.mark.parametrize(("command", "head"), [("report", "netiotrace: report needs"), ("baseline", "this needs")])
def test_older_python_is_refused_with_one_sentence_before_the_package_is_imported(
        made: pathlib.Path, version: tuple[int, ...], command: str, head: str) -> None:
    pretend = ("import runpy, sys; sys.version_info = {0}; sys.modules['analysis'] = None; "
               "sys.argv = ['zip', '--inherited=9', '{1}']; runpy.run_path('{2}', run_name='__main__')")
    with zipfile.ZipFile(made) as archive:
        ast.parse(archive.read("__main__.py"), feature_version=(3, 4))
    words = [sys.executable, "-c", pretend.format(version, command, made)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{head} Python 3.9 or later; {os.path.realpath(sys.executable)} is "
                                  f"{version[0]}.{version[1]}: ") and done.stderr.count("\n") == 1
