# SPDX-License-Identifier: GPL-2.0-only
"""The package as a process: signals, closed and full streams, little memory, and what nobody expected."""
from __future__ import annotations

import importlib
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("jinja2")

from analysis import __main__ as process

REPO = pathlib.Path(__file__).parents[2]
CSV = b"mode,size,round,gbps\n0,64,0,1\n1,64,0,2\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WAIT_S = 60

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("zip") / "analysis.zip"
    subprocess.run([sys.executable, REPO / "scripts/make-zip", path, REPO / "analysis"], check=True)
    return path


@pytest.fixture
def start(made: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """start(*arguments): the package in a directory with a.csv. What still runs at the end is killed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_bytes(CSV)
    running: list[subprocess.Popen[bytes]] = []

    def call(*arguments: str, preexec_fn: Callable[[], object] | None = None,
             **options: Any) -> subprocess.Popen[bytes]:
        def prepare() -> None:
            for number in SIGNALS:  # a job in the background of a shell ignores SIGINT, and so do its children
                signal.signal(number, signal.SIG_DFL)
            if preexec_fn:
                preexec_fn()

        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        running.append(subprocess.Popen([sys.executable, "-I", made, *arguments], preexec_fn=prepare, **streams))
        return running[-1]

    yield call
    for child in running:
        child.kill()
        child.communicate()


def ended(child: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    """Its status, stdout and stderr."""
    out, err = child.communicate(timeout=WAIT_S)
    return child.returncode, (out or b"").decode(), (err or b"").decode()


def signals_of(child: subprocess.Popen[bytes], key: str) -> set[int]:
    """SigCgt, SigIgn or SigBlk of /proc."""
    match = re.search(rf"^{key}:\s+(\w+)$", pathlib.Path(f"/proc/{child.pid}/status").read_text(), re.MULTILINE)
    assert match
    return {n for n in SIGNALS if int(match[1], 16) >> (n - 1) & 1}


def open_writer(path: str) -> int:
    """The writing end of a pipe, once the child reads it."""
    for _ in range(WAIT_S * 100):
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.01)
    raise TimeoutError(path)


def block(*numbers: int) -> Callable[[], None]:
    def setup() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    return setup


def close(fd: int, closed: bool) -> Callable[[], None] | None:
    return (lambda: os.close(fd)) if closed else None


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("blocked", [(), SIGNALS])
@pytest.mark.parametrize("command", [("compare", "x.json", "a.csv"), ("report", "--output=out", "x.json")])
def test_signal_ends_a_reader_by_its_default_action(
        start: Start, command: tuple[str, ...], blocked: tuple[int, ...], number: int) -> None:
    """A handler would wait for the C functions of the parser."""
    os.mkfifo("x.json")
    child = start(*command, preexec_fn=block(*blocked))
    writer = open_writer("x.json")
    try:
        assert not signals_of(child, "SigCgt") and not signals_of(child, "SigBlk")
        child.send_signal(number)
        assert ended(child) == (-number, "", "")
    finally:
        os.close(writer)


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_while_python_starts_ends_it_without_a_traceback(start: Start, number: int) -> None:
    """It is pending when the interpreter begins, as netiotrace blocks it until the package is ready."""

    def setup() -> None:
        block(*SIGNALS)()
        os.kill(os.getpid(), number)

    assert ended(start("compare", "a.csv", "a.csv", preexec_fn=setup)) == (-number, "", "")


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_that_the_caller_ignores_is_ignored(start: Start, number: int) -> None:
    os.mkfifo("x.csv")
    child = start("compare", "x.csv", "a.csv", preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
    with open(open_writer("x.csv"), "wb") as writer:
        assert signals_of(child, "SigIgn") == {number}
        child.send_signal(number)
        writer.write(CSV)
    code, out, err = ended(child)
    assert code == 0 and "before  x.csv: 2 runs of 2 cells" in out and err == ""


def test_pipe_in_a_results_directory_is_refused(start: Start) -> None:
    os.makedirs("results/cells")
    os.mkfifo("results/cells/a.json")
    code, out, err = ended(start("compare", "results", "a.csv"))
    assert (code, out, err) == (1, "", "netiotrace: results/cells/a.json: not a regular file.\n")


@pytest.mark.parametrize("command", [("compare", "a.csv", "a.csv"), ("metrics",)])
@pytest.mark.parametrize("closed", [True, False])
def test_output_that_cannot_be_written_is_one_sentence(start: Start, command: tuple[str, ...], closed: bool) -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = ended(start(*command, stdout=full, preexec_fn=close(1, closed)))
    why = os.strerror(9 if closed else 28)
    assert (code, err) == (1, f"{'netiotrace: ' * (len(command) > 1)}cannot write to stdout: {why}.\n")


@pytest.mark.parametrize("closed", [True, False])
def test_exit_status_is_right_where_stderr_cannot_be_written(start: Start, closed: bool) -> None:
    for command, status in ((("compare", "a.csv", "none"), 1), (("compare", "--none"), 2)):
        with open("/dev/full", "wb") as full:
            code, out, _ = ended(start(*command, stderr=full, preexec_fn=close(2, closed)))
        assert (code, out) == (status, "")


@pytest.mark.parametrize(("name", "head", "line", "tail"), [("x.json", b"[", b"[],", b"0]"),
                                                            ("x.csv", CSV, b"0" * 64, b"")])
def test_too_little_memory_is_one_sentence(start: Start, name: str, head: bytes, line: bytes, tail: bytes) -> None:
    pathlib.Path(name).write_bytes(head + line * 1000000 + tail)  # more than the limit, as it is or parsed
    limit = 64 << 20
    child = start("compare", name, name, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    code, out, err = ended(child)
    assert (code, out) == (1, "") and "needs more memory than there is" in err and err.count("\n") == 1


@pytest.mark.parametrize(("name", "head"), [("compare", "netiotrace: compare failed: "),
                                            ("baseline", "baseline failed: ")])
def test_unexpected_error_is_one_sentence_with_its_place(
        name: str, head: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"analysis.{name}")
    for problem in (KeyError("a\nb"), AttributeError("x"), FileNotFoundError(2, "No such file", "y")):

        def fail(_: object, problem: Exception = problem) -> int:
            raise problem

        monkeypatch.setattr(module, "main", fail)
        assert process._execute(name, []) == 1
        err = capsys.readouterr().err
        assert err.startswith(f"{head}{type(problem).__name__} in ") and err.count("\n") == 1
        assert f"test_process.py, line {fail.__code__.co_firstlineno + 1}" in err


@pytest.mark.parametrize(("module", "package"), [("jinja2", "python3-jinja2"), ("markupsafe", "python3-jinja2"),
                                                 ("json", "python3")])
def test_missing_module_is_one_sentence_with_its_package(
        module: str, package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:

    def fail(_: object) -> int:
        raise ModuleNotFoundError(f"No module named '{module}'", name=module)

    monkeypatch.setattr(importlib.import_module("analysis.report.main"), "main", fail)
    assert process._execute("report", []) == 1
    err = capsys.readouterr().err
    assert module in err and err.endswith(f" install the package {package}.\n") and err.count("\n") == 1
