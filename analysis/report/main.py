# SPDX-License-Identifier: GPL-2.0-only
"""`netiotrace report`: reads results, analyses and draws them, and writes a directory that appears when complete."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence

from .. import answers, load
from ..command_line import error, EXIT_DONE, EXIT_RUN_FAILED, EXIT_USAGE, UsageError
from ..dataset import Dataset
from ..documents import Refused
from ..study import Analysis
from ..tables import MODES, TWOCOPY, ZEROCOPY
from . import diagram, figure_lines, figure_stacks, flame, latex, page
from .body import blocks, Drawing, Report
from .figure import Draft, Figure, reference_size, reference_threads, system_line
from .options import Options, parse
from .plotter import Plotter, PlotterError, script
from .report_dir import ReportDir

EXIT_SIGNAL_BASE = 128
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# In the order of the report: name of the files, template, what makes it.
_FIGURES: tuple[tuple[str, str, Callable[[Draft], None]], ...] = (
    ("relative-throughput", "lines", figure_lines.relative),
    ("relative-cpu", "lines", figure_lines.relative),
    ("throughput-size", "lines", figure_lines.medians),
    ("latency-threads", "lines", figure_lines.medians),
    ("recv-threads", "lines", figure_lines.medians),
    ("cache-size", "lines", figure_lines.medians),
    ("cache-threads", "lines", figure_lines.medians),
    ("cycles-size", "lines", figure_lines.medians),
    ("bytes-per-cycle", "lines", figure_lines.medians),
    ("copies", "stacks", figure_stacks.copies),
    ("copy-times", "histograms", figure_lines.copy_times),
    ("send-call", "stacks", figure_stacks.send_call),
    ("cpu-class", "stacks", figure_stacks.classes),
    ("completion", "lines", figure_lines.medians),
)


class _Stopped(BaseException):
    """A signal: nothing was written yet."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _Failed(Exception):
    """A sentence, and the exit code."""

    def __init__(self, message: str, code: int = EXIT_RUN_FAILED) -> None:
        super().__init__(message)
        self.code = code


def _stop(number: int, _: object) -> None:
    raise _Stopped(number)


def _catch_signals() -> None:
    for number in _SIGNALS:
        # nohup: ignore the signal.
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


@contextlib.contextmanager
def _undisturbed(*, too_late: bool = False) -> Iterator[None]:
    """Signals wait; or they come too late: the report appears, or the failure is reported."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        while too_late and signal.sigtimedwait(_SIGNALS, 0):
            pass
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _figures(a: Analysis, system: str) -> dict[str, Figure]:
    figures = {}
    for name, template, make in _FIGURES:
        draft = Draft(name, template, a, system)
        make(draft)
        figures[name] = draft.finish()
    return figures


def _diagrams(a: Analysis) -> list[Drawing]:
    drawings = []
    for mode in MODES:
        cell = a.cell(mode, reference_size(a), reference_threads(a))
        if cell and diagram.possible(a, cell):
            drawings.append(Drawing(f"diagram-{mode.name}", mode.words, diagram.draw(a, cell)))
    return drawings


def _flames(a: Analysis) -> list[Drawing]:
    """A flame graph for each mode, and one of two-copy beside zero-copy."""
    inputs = {mode: flame.find(a, mode) for mode in MODES}
    drawings = [
        Drawing(f"diagram-flame-{mode.name}", mode.words, flame.draw(given)) for mode, given in inputs.items() if given
    ]
    two, zero = inputs[TWOCOPY], inputs[ZEROCOPY]
    if two and zero:
        drawings.append(Drawing("diagram-flame-difference", "two-copy and zero-copy", flame.draw(two, zero)))
    return drawings


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _files(o: Options, d: Dataset, plotter: Plotter) -> dict[str, bytes]:
    """All files of the report. PlotterError."""
    a = Analysis(d)
    system = system_line(d)
    report = Report(
        a=a,
        answers=answers.make_all(a),
        figures=_figures(a, system),
        diagrams=_diagrams(a),
        flames=_flames(a),
        source=", ".join(re.sub(r".*/(?=.)", "", path) for path in o.inputs),
        system=system,
        command=o.command(),
        raw="../" if o.is_in_input else "",
    )
    files: dict[str, bytes] = {}
    for f in report.figures.values():
        if f.no_data:
            continue
        files[f"data/{f.name}.csv"] = _bytes(f.data)
        files[f"data/{f.name}.plot"] = _bytes(script(f))
        for term in ("svg", "png", "pdf"):
            files[f"{f.name}.{term}"] = plotter.draw(f, term)
        f.svg = files[f"{f.name}.svg"].decode("utf-8", "surrogateescape")
    for drawing in (*report.diagrams, *report.flames):
        files[f"{drawing.name}.svg"] = _bytes(drawing.svg)
    body = list(blocks(report))
    title = f"netiotrace report: {report.source}"
    files["report.html"] = _bytes(page.render_page("page.html", page.html, title, body))
    files["report.md"] = _bytes(page.render_page("page.md", page.markdown, title, body))
    files["cells.tex"] = _bytes(latex.tables(a, system))
    return files


def _cannot_write(o: Options, problem: OSError, code: int) -> _Failed:
    return _Failed(f"cannot write the report to {o.output}: {problem.strerror}.", code)


def _load(o: Options) -> Dataset:
    d = load.load_files(o.inputs, o.duration_s, o.names)
    why = load.answerable(d, o.inputs[0])
    if why:
        raise _Failed(why)
    return d


def _make_one(o: Options, d: Dataset, plotter: Plotter) -> None:
    """A report of d in o.output."""
    try:
        with _undisturbed():
            directory = ReportDir(o.output)
    except OSError as problem:
        raise _cannot_write(o, problem, EXIT_USAGE) from None
    with directory:
        files = _files(o, d, plotter)
        try:
            with _undisturbed(too_late=True):
                directory.publish(files)
        except OSError as problem:
            raise _cannot_write(o, problem, EXIT_RUN_FAILED) from None
    if not o.quiet:
        print(f"{o.output}/report.html", flush=True)


def _make_all(o: Options) -> None:
    """A report per congestion control, or for the named one."""
    d = _load(o)
    plotter = Plotter()
    if o.names.congestion is not None or not d.others:
        _make_one(o, d, plotter)
        return
    for name in (d.congestion or "", *d.others):
        output = f"{o.output}-{re.sub('[^A-Za-z0-9-]', '_', name)}"
        names = dataclasses.replace(o.names, congestion=name)
        one = dataclasses.replace(o, output=output, names=names, is_one_of_several=True)
        _make_one(one, _load(one), plotter)


def _run(o: Options) -> None:
    if not o.explain:
        _make_all(o)
        return
    # Also of refused files; then why the data is refused.
    load.explain(o.inputs, o.names, sys.stdout)
    sys.stdout.flush()
    _load(o)


def main(argv: Sequence[str]) -> int:
    """argv: the arguments behind "report". An exit code."""
    _catch_signals()
    try:
        _run(parse(argv))
    except UsageError as problem:
        message, code = str(problem), EXIT_USAGE
    except Refused as problem:
        message, code = str(problem), EXIT_USAGE if problem.is_option else EXIT_RUN_FAILED
    except _Failed as problem:
        message, code = str(problem), problem.code
    except PlotterError as problem:
        message, code = str(problem), EXIT_RUN_FAILED
    except _Stopped as stopped:
        message, code = "ended by a signal: no report was written.", EXIT_SIGNAL_BASE + stopped.number
    else:
        return EXIT_DONE
    error(message)
    return code
