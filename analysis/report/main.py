# SPDX-License-Identifier: GPL-2.0-only
"""`netiotrace report`: reads results, analyses and draws them, and writes a directory that appears when complete."""
from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from .. import answers, command_line, files, load, units
from ..command_line import error, Failed, UsageError
from ..dataset import Dataset, Names
from ..study import Analysis
from ..tables import MODES, TWOCOPY, ZEROCOPY
from . import diagram, figure_lines, figure_stacks, flame, latex, page
from .content import blocks, Drawing, Report
from .figure import Draft, Figure, reference_size, reference_threads, system_line
from .plotter import Plotter, PlotterError, script

_OPTIONS = ("output=", "duration=", "explain", "in-input", "for-root", "command=", "quiet")


@dataclasses.dataclass
class Options:
    """The command line. duration_s: of runs that do not say; NaN: none."""

    inputs: list[str] = dataclasses.field(default_factory=list)
    output: str = ""
    in_input: bool = False  # the output is in the input, a directory
    for_root: bool = False  # root called
    given: str = ""  # the command line
    names: Names = dataclasses.field(default_factory=Names)
    duration_s: float = math.nan
    explain: bool = False
    quiet: bool = False
    is_one_of_several: bool = False  # reports, one for each congestion control

    def command(self) -> str:
        """As given. Of one of several reports: with options that name it."""
        if not self.is_one_of_several:
            return self.given
        return (f"{self.given} --congestion {units.shell_word(self.names.congestion or '')} "
                f"-o {units.shell_word(self.output)}")


def _seconds(text: str) -> float:
    ns = units.parse_duration(text)
    if not ns:
        raise UsageError(f"--duration takes a time above 0 such as 5s, not '{text}'.")
    return ns / 1e9


def _parse(argv: Sequence[str]) -> Options:
    """Of the words that user/analysis/report.c made of its command line. UsageError: one sentence."""
    o = Options()
    pairs, o.inputs = command_line.parse("report", _OPTIONS, {"o": "output", "q": "quiet"}, argv, o.names)
    for name, value in pairs:
        if name == "duration":
            o.duration_s = _seconds(value)
        elif name == "command":
            o.given = value
        else:
            setattr(o, name.replace("-", "_"), value or True)
    return o


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


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals come too late: the report appears, or the failure is reported."""
    signal.pthread_sigmask(signal.SIG_BLOCK, command_line.SIGNALS)
    try:
        yield
    finally:
        while signal.sigtimedwait(command_line.SIGNALS, 0):
            pass
        signal.pthread_sigmask(signal.SIG_UNBLOCK, command_line.SIGNALS)


def _figures(a: Analysis, system: str) -> dict[str, Figure]:
    figures = {}
    for name, template, make in _FIGURES:
        draft = Draft(name, template, a, system)
        make(draft)
        figures[name] = draft.finish()
    return figures


def _diagrams(a: Analysis) -> list[Drawing]:
    cells = (a.cell(mode, reference_size(a), reference_threads(a)) for mode in MODES)
    return [Drawing(f"diagram-{cell.mode.name}", cell.mode.words, diagram.draw(a, cell)) for cell in cells
            if cell and diagram.possible(a, cell)]


def _flames(a: Analysis) -> list[Drawing]:
    """A flame graph for each mode, and one of two-copy beside zero-copy."""
    inputs = {mode: flame.find(a, mode) for mode in MODES}
    drawings = [Drawing(f"diagram-flame-{mode.name}", mode.words, flame.draw(given))
                for mode, given in inputs.items() if given]
    two, zero = inputs[TWOCOPY], inputs[ZEROCOPY]
    if two and zero:
        drawings.append(Drawing("diagram-flame-difference", "two-copy and zero-copy", flame.draw(two, zero)))
    return drawings


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _draw(figures: Iterable[Figure], o: Options) -> tuple[dict[str, bytes], str]:
    """The files of all pictures, and why there are none. The first failure ends it: gnuplot may not fail, but hang."""
    try:
        plotter = Plotter(o.for_root)
        return {f"{f.name}.{term}": plotter.draw(f, term) for f in figures for term in ("svg", "png", "pdf")}, ""
    except PlotterError as problem:
        return {}, str(problem)


def _files(o: Options, d: Dataset) -> dict[str, bytes]:
    """All files of the report."""
    a = Analysis(d)
    system = system_line(d)
    report = Report(a, answers.make_all(a), _figures(a, system), _diagrams(a), _flames(a),
                    source=", ".join(os.path.basename(path.rstrip("/")) or path for path in o.inputs), system=system,
                    command=o.command(), raw="../" if o.in_input else "")
    with_data = [f for f in report.figures.values() if not f.no_data]
    made, report.undrawn = _draw(with_data, o)
    for f in with_data:
        made[f"data/{f.name}.csv"] = _bytes(f.data)
        made[f"data/{f.name}.plot"] = _bytes(script(f))
        f.svg = made.get(f"{f.name}.svg", b"").decode("utf-8", "surrogateescape")
    if report.undrawn:
        error(f"the report has no pictures: {report.undrawn}")
    for drawing in (*report.diagrams, *report.flames):
        made[f"{drawing.name}.svg"] = _bytes(drawing.svg)
    content = list(blocks(report))
    title = f"netiotrace report: {report.source}"
    made["report.html"] = _bytes(page.render_page("page.html", page.html_of_page, title, content))
    made["report.md"] = _bytes(page.render_page("page.md", page.markdown, title, content))
    made["cells.tex"] = _bytes(latex.tables(a, system))
    return made


def _load(o: Options) -> Dataset:
    d = load.load_files(o.inputs, o.duration_s, o.names)
    why = load.answerable(d, o.inputs[0])
    if why:
        raise Failed(why)
    return d


def _make_one(o: Options, d: Dataset) -> None:
    """A report of d in o.output."""
    why, code = files.check_report(o.output), command_line.EXIT_USAGE
    if not why:
        made = _files(o, d)
        with _undisturbed():
            why, code = files.publish_report(o.output, made), command_line.EXIT_RUN_FAILED
    if why:
        raise Failed(f"cannot write the report to {o.output}: {why}.", code)
    if not o.quiet:
        print(f"{o.output}/report.html", flush=True)


def _make_all(o: Options) -> None:
    """A report per congestion control, or for the named one."""
    d = _load(o)
    if o.names.congestion is not None or not d.others:
        _make_one(o, d)
        return
    for name in (d.congestion or "", *d.others):
        output = f"{o.output}-{re.sub('[^A-Za-z0-9-]', '_', name)}"
        names = dataclasses.replace(o.names, congestion=name)
        one = dataclasses.replace(o, output=output, names=names, is_one_of_several=True)
        _make_one(one, _load(one))


def main(argv: Sequence[str]) -> int:
    """argv: the arguments behind "report". An exit code."""
    try:
        o = _parse(argv)
        if o.explain:  # also of refused files; then why the data is refused
            load.explain(o.inputs, o.names, sys.stdout)
            sys.stdout.flush()
            _load(o)
        else:
            _make_all(o)
    except Failed as problem:
        return command_line.fail(problem)
    return command_line.EXIT_DONE
