# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of a report as data for gnuplot: for each a CSV and a settings file, as texts.

templates/*.gp say what each takes; figure_lines.py and figure_stacks.py have what each figure shows.
"""
from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .. import stats, units
from ..dataset import Dataset, Json
from ..metric import Metric
from ..study import Analysis, Cell
from ..tables import Mode, MODES, PINS, SPLICES, Stage, TWOCOPY

PANELS_MAX = 4
LINES_MAX = 5  # in a panel
CAPTION_COLUMNS = 112  # of its small print
NARROW_COLUMNS = 58  # the same in a narrow picture

_T = TypeVar("_T")


@dataclass
class Figure:
    """name: of its files, without suffix; template: its file, without suffix.

    note: its content, and what replaces missing data. no_data: why there is nothing to draw; "": there is.
    """

    name: str
    template: str
    title: str = ""
    note: str = ""
    no_data: str = ""
    data: str = ""  # CSV with a header
    settings: str = ""  # gnuplot assignments
    svg: str = ""  # as gnuplot drew it; "": it did not

    @property
    def is_drawn(self) -> bool:
        return bool(self.svg) and not self.no_data


class Draft:
    """A figure while it is made. system: one line about the machine, for the caption."""

    def __init__(self, name: str, template: str, a: Analysis, system: str) -> None:
        self.figure = Figure(name, template)
        self.a = a
        self.system = system
        self.rows: list[str] = []
        self.settings: list[str] = []
        self.modes: set[Mode] = set()  # that have data
        self.panels: list[str] = []  # their titles; the last one is in hand
        self.panel_modes: list[set[Mode]] = []  # that have points in each
        self.columns = 1  # of panels
        self.xs: list[float] = []
        self.ys: list[float] = []
        self.points = 0
        self.rounds: list[int] = []  # of each median
        self.coverages: list[float] = []  # of the intervals
        self.has_bars = False  # intervals are drawn, where points have them
        self.has_intervals = False  # a point has one
        self.pooled = False  # all rounds added up, no medians
        self.partial = ""  # which sizes or thread counts are shown, if not all
        self.has_gaps = False  # a value that is not known is marked
        self.width = 0  # px; 0: the usual
        self.panel_height = 0
        self.about_rounds = ""  # replaces the caption's sentence on rounds

    def shows(self, picked: Sequence[int], of: Sequence[int], what: str, word: Callable[[int], str]) -> None:
        """The caption says which sizes or thread counts, unless it is all. Each of them must get a panel or a bar."""
        if 0 < len(picked) < len(of):
            self.partial = f"Of {len(of)} {what}, shown: {', '.join(map(word, picked))}."

    def set_text(self, name: str, text: str) -> None:
        """Quoted, so that gnuplot interprets nothing in it."""
        self.settings.append(f"{name} = {quoted(text)}\n")

    def set_number(self, name: str, value: float) -> None:
        self.settings.append(f"{name} = {value:.10g}\n")

    def set_array(self, name: str, texts: Sequence[str]) -> None:
        items = ", ".join(map(quoted, texts or [""]))
        self.settings.append(f"array {name}[{len(texts) or 1}] = [{items}]\n")

    @contextlib.contextmanager
    def panel(self, title: str) -> Iterator[None]:
        """The next panel; taken back when it gets no point."""
        before, rows = self.points, len(self.rows)
        self.panels.append(title)
        self.panel_modes.append(set())
        yield
        if self.points == before:
            self.panels.pop()
            self.panel_modes.pop()
            del self.rows[rows:]

    def set_panels(self) -> None:
        """Which modes and panels there are."""
        self.set_text("modes", _names(self.modes))
        self.set_number("modes_longest", max((len(m.words) for m in self.modes), default=0))
        self.set_number("panels", len(self.panels))
        self.set_number("columns", min(self.columns, len(self.panels) or 1))
        self.set_array("panel_title", self.panels)
        self.set_array("panel_modes", [_names(modes) for modes in self.panel_modes])

    def _set_all_modes(self) -> None:
        """The names, words and styles of all modes."""
        self.set_text("all_modes", " ".join(m.name for m in MODES))
        for name, values in (("words", [f"'{m.words}'" for m in MODES]), ("colors", [m.colour for m in MODES]),
                             ("points", [m.point for m in MODES]), ("dashes", [m.dash for m in MODES])):
            self.settings.append(f'all_mode_{name} = "{" ".join(map(str, values))}"\n')

    def _rounds_words(self) -> str:
        """Medians and bars, as far as there are any."""
        low = min(self.rounds, default=self.a.rounds_min)
        high = max(self.rounds, default=self.a.rounds_max)
        none = ": no intervals" if self.has_bars else ""
        if self.pooled:
            return "All rounds of a cell added up."
        if high < 2:
            return f"Of one round of each cell{none}." if self.a.rounds_max > 1 else f"One run per cell{none}."
        covered = min(self.coverages, default=stats.coverage(max(low, 2)))
        bars = f"; bars: intervals of {100 * covered:.1f} %" if self.has_bars else ""
        if low == high:
            return f"Medians of {high} rounds{bars}."
        return f"Medians of {low} to {high} rounds{bars}{' and more' if bars else ''}."

    def _set_caption(self) -> None:
        paragraphs = (self.system, self.about_rounds or self._rounds_words(),
                      self.partial,
                      "n/a: not measured." if self.has_gaps else "", self.figure.note)
        columns = NARROW_COLUMNS if self.width else CAPTION_COLUMNS
        lines = [line for text in paragraphs for line in wrap(text, columns)]
        self.set_text("caption", "\n".join(lines))
        self.set_number("caption_lines", len(lines))

    def finish(self) -> Figure:
        """The figure, with all that the templates take."""
        if self.width:
            self.set_number("width", self.width)
        if self.panel_height:
            self.set_number("panel_height", self.panel_height)
        self.set_text("title", self.figure.title)
        self._set_all_modes()
        self._set_caption()
        self.figure.data = "".join(self.rows)
        self.figure.settings = "".join(self.settings)
        return self.figure


def _names(modes: set[Mode]) -> str:
    return " ".join(m.name for m in MODES if m in modes)


def groups(modes: set[Mode]) -> list[tuple[str, set[Mode]]]:
    """The modes, with words for each group; apart if one panel would have too many lines: then two-copy is in both."""
    if len(modes) <= LINES_MAX:
        return [("", modes)]
    copying = {m for m in modes if not m.has(PINS | SPLICES)}
    return [("by copying", copying), ("by reference", (modes - copying) | (modes & {TWOCOPY}))]


def quoted(text: str) -> str:
    """For gnuplot, which executes backquoted text in double quotes, and interprets backslashes and quotes."""
    text = "\n".join(map(units.printable, text.split("\n"))).replace("`", "'").replace("\\", "\\\\")
    return '"' + text.replace('"', '\\"').replace("\n", "\\n") + '"'


def wrap(text: str, columns: int) -> Iterator[str]:
    """Lines of at most so many columns. A number and its unit ("92 113 sends") are one word."""
    text = text.lstrip(" \n")
    while text:
        line = text.partition("\n")[0]
        if len(line) > columns:
            breaks = (i for i in range(columns, 0, -1) if line[i] == " " and line[i - 1] not in "0123456789")
            line = line[: next(breaks, columns)]
        yield line.rstrip(" ")
        text = text[len(line) :].lstrip(" \n")


def pick(items: Sequence[_T], most: int) -> list[_T]:
    """Up to so many of the items, evenly spaced, including the first and the last."""
    n = len(items)
    return list(items) if n <= most else [items[i * (n - 1) // (most - 1)] for i in range(most)]


def stage_words(stage: Stage) -> str:
    """As people read it: "gather", "send copy", "pin", "deferred", "receive"."""
    return "send copy" if stage.key == "tx_copy" else stage.heading


def mean(cell: Cell, m: Metric) -> float:
    """Over the rounds: parts of one whole add up as means, as medians do not. NaN: no value."""
    total = n = 0.0
    for row in cell.rows:
        if not math.isnan(row[m]):
            total += row[m]
            n += 1
    return total / n if n else math.nan


def reference_threads(a: Analysis) -> int:
    """The thread count of pictures and diagrams that show only one."""
    return a.threads[0] if a.threads else 0


def reference_size(a: Analysis) -> int:
    """The size of those: of the sizes that most modes have, the one nearest to 64 KiB."""
    threads = reference_threads(a)

    def rank(size: int) -> tuple[int, float]:
        return sum(a.cell(m, size, threads) is not None for m in MODES), -abs(math.log2(size / 65536))

    return max(a.sizes, key=rank, default=0)


def _part(of: Json | None, key: str, before: str, after: str) -> list[str]:
    value = of.get(key) if isinstance(of, dict) else None
    if isinstance(value, str) and value:
        return [before + units.clip(units.printable(value), 159) + after]
    if isinstance(value, int) and not isinstance(value, bool):
        return [f"{before}{value}{after}"]
    return []


def system_line(d: Dataset) -> str:
    """The line about the machine: kernel, CPU, path and so on."""
    environment = d.environment or {}
    receiver = environment.get("receiver")
    parts: list[str] = []
    for key, before, after in (("kernel", "Linux ", ""), ("cpu", "", ""), ("cpus", "", " CPUs"),
                               ("virtualization", "virtualization: ", ""), ("path", "path ", ""), ("mtu", "MTU ", ""),
                               ("clocksource", "clock ", "")):
        parts += _part(environment, key, before, after)
    if isinstance(receiver, dict) and isinstance(receiver.get("host"), str):
        parts += _part(environment, "host", "sent by ", "")
    for key, before in (("host", "received by "), ("kernel", "Linux "), ("device", "device ")):
        parts += _part(receiver, key, before, "")
    text = ", ".join(parts) or "System: the data does not say"
    return text + (" (the first run's; it is not the same in all)." if d.environment_varies else ".")
