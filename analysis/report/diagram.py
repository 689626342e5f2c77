# SPDX-License-Identifier: GPL-2.0-only
"""One mode's path through the kernel as a drawing (SVG), made from the measured ledger of a cell.

An arrow for each stage that ran, with its bytes per payload byte and its time. The sender's memory is top left, the
receiver's top right, the kernel's below; data flows from left to right.
"""
from __future__ import annotations

import math
from collections.abc import Iterator

from .. import metric, units, wording
from ..study import Analysis, Cell
from ..tables import Stage, STAGES
from .figure import stage_words
from .page import html, resource

WIDTH = 920
BOX_WIDTH, BOX_HEIGHT = 150, 54
USER_Y, KERNEL_Y = 58, 222
BELOW = 318  # the first line of text
RAN_BYTES = 0.005  # bytes per payload byte below which a stage did not run in earnest
LINE_MAX = 255
REASON_MAX = 111
DEVICE_MAX = 63

_STAGE = {s.key: s for s in STAGES}
GATHER, DEFERRED, RECEIVE = _STAGE["user_gather"], _STAGE["deferred_copy"], _STAGE["rx_copy"]
_ENTRIES = tuple(_STAGE[key] for key in ("tx_copy", "tx_pin", "tx_splice"))
_WITH_ARROW = (GATHER, *_ENTRIES, DEFERRED, RECEIVE)
_OLDER_LACK = tuple(_STAGE[key] for key in ("rx_map", "rx_discard", "rx_splice", "tls_copy"))


def possible(a: Analysis, cell: Cell | None) -> bool:
    """Does the cell have a ledger to draw?"""
    return any(a.estimate(cell, metric.stage_cpb(s)).n for s in STAGES if s is not GATHER)


def _text(x: int, y: int, anchor: str, class_: str, text: str) -> str:
    text = html(units.clip(units.printable(text), LINE_MAX))
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" class="{class_}">{text}</text>\n'


def _box(x: int, y: int, name: str, small: str = "", width: int = BOX_WIDTH) -> str:
    middle = x + width // 2
    box = f'<rect x="{x}" y="{y}" width="{width}" height="{BOX_HEIGHT}" rx="5" class="box"/>\n'
    box += _text(middle, y + (23 if small else 32), "middle", "name", name)
    return box + (_text(middle, y + 41, "middle", "small", small) if small else "")


def _arrow(kind: str, width: float, x1: int, y1: int, x2: int, y2: int) -> str:
    """kind: a class of the style, and its arrowhead."""
    return (f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" class="{kind}" stroke-width="{width:.1f}" '
            f'marker-end="url(#{kind})"/>\n')


def _flow(x1: int, x2: int, y: int) -> str:
    """Payload passed on without a stage of the ledger."""
    return _arrow("flow", 1.5, x1, y, x2, y)


class _Diagram:
    def __init__(self, a: Analysis, cell: Cell) -> None:
        self.a = a
        self.cell = cell

    def copies(self, stage: Stage) -> float:
        return self.a.estimate(self.cell, metric.stage_cpb(stage)).median

    def ran(self, stage: Stage) -> bool:
        """Unknown did not run, as far as the drawing goes: it is named below."""
        return self.copies(stage) > RAN_BYTES

    def _time(self, stage: Stage) -> str:
        """For each KiB of payload."""
        ns, timed, payload = (
            self.a.estimate(self.cell, m) for m in (metric.stage_ns(stage), metric.stage_timed(stage), metric.PAYLOAD)
        )
        # The bytes that were timed may be of another round than the payload: see times.
        if ns.n and timed.n and timed.median > 0:
            return f"{ns.median / timed.median * self.copies(stage) * 1024:.3g} ns per KiB"
        if ns.n and payload.n and payload.median > 0:
            return f"{ns.median / payload.median * 1024:.3g} ns per KiB"
        return "time n/a"

    def label(self, stage: Stage, x: int, y: int, anchor: str) -> str:
        """Three lines beside an arrow: the stage, its bytes, its time."""
        per_byte = f"{self.copies(stage):.2f} per byte{'' if stage.is_copy else ', no copy'}"
        return (_text(x, y, anchor, "stage", stage_words(stage))
                + _text(x, y + 17, anchor, "small", per_byte)
                + _text(x, y + 33, anchor, "small", self._time(stage)))

    def arrow(self, stage: Stage, x1: int, y1: int, x2: int, y2: int) -> str:
        """Copies are solid and as wide as their number; references are dashed."""
        if stage.is_copy:
            return _arrow("copy", 2 + 2 * min(self.copies(stage), 3), x1, y1, x2, y2)
        return _arrow("reference", 2.5, x1, y1, x2, y2)

    def head(self, height: int) -> str:
        """The title, and the line between user space and kernel."""
        title = f"What the kernel did: {wording.cell(self.cell)}"
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
                f'height="{height}" role="img" class="diagram">\n<title>{html(title)}</title>\n'
                f'{resource("templates/diagram-style.svg")}<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n'
                f'<rect x="8" y="196" width="{WIDTH - 16}" height="98" fill="#f1f3f5"/>\n'
                f'<line x1="8" y1="196" x2="{WIDTH - 8}" y2="196" stroke="#888" stroke-dasharray="3 3"/>\n'
                + _text(16, 22, "start", "title", title)
                + _text(16, 48, "start", "zone", "sender, user memory")
                + _text(WIDTH - 16, 48, "end", "zone", "receiver, user memory")
                + _text(WIDTH // 2, 290, "middle", "zone", "kernel"))

    def boxes(self) -> Iterator[str]:
        environment = self.a.dataset.environment or {}
        path, device = (environment.get(key) for key in ("path", "device"))
        yield _box(24, USER_Y, "fields", f"message of {units.size(self.cell.size)}")
        if self.ran(GATHER):
            yield _box(276, USER_Y, "one buffer")
        yield _box(self.skb_x, KERNEL_Y, "socket buffer", "sk_buff")
        small = units.clip(units.printable(device), DEVICE_MAX) if isinstance(device, str) else "n/a"
        yield _box(520, KERNEL_Y, path if isinstance(path, str) else "device", small, 130)
        yield _box(746, KERNEL_Y, "socket buffer", "receive queue")
        yield _box(746, USER_Y, "receive buffer")

    @property
    def skb_x(self) -> int:
        return 276 if self.ran(GATHER) else 24

    def stages(self) -> Iterator[str]:
        middle, low = KERNEL_Y + BOX_HEIGHT // 2, USER_Y + BOX_HEIGHT
        if self.ran(GATHER):
            yield self.arrow(GATHER, 174, USER_Y + 27, 274, USER_Y + 27)
            yield self.label(GATHER, 225, USER_Y + 74, "middle")
        # From user memory down into the socket buffer: copied, pinned, spliced, or more than one of them.
        for i, stage in enumerate(filter(self.ran, _ENTRIES)):
            x = self.skb_x + 28 + 170 * i
            yield self.arrow(stage, x, low, x, KERNEL_Y - 2)
            yield self.label(stage, x + 12, low + 32, "start")
        yield _flow(self.skb_x + BOX_WIDTH, 518, middle)
        if self.ran(DEFERRED):
            yield self.arrow(DEFERRED, 650, middle, 744, middle)
            yield self.label(DEFERRED, 640, low + 32, "middle")
            yield f'<path d="M660 182L690 {middle - 6}" stroke="#999" fill="none"/>\n'
        else:
            yield _flow(650, 744, middle)
        if self.ran(RECEIVE):
            yield self.arrow(RECEIVE, 856, KERNEL_Y, 856, low + 2)
            yield self.label(RECEIVE, 844, low + 32, "end")

    def absent(self) -> list[str]:
        """The stages that are not drawn: a line per unmeasured one, and one for the rest."""
        idle, lines = [], []
        for stage in STAGES:
            copies, name = self.copies(stage), stage_words(stage)
            if stage in _OLDER_LACK and not self.ran(stage):
                continue
            if math.isnan(copies):
                reason = units.clip(units.printable(self.a.reason(metric.stage_bytes(stage))), REASON_MAX)
                lines.append(f"{name} not available: {reason}")
            elif not self.ran(stage):
                idle.append(name)
            elif stage not in _WITH_ARROW:
                lines.append(f"{name}, wherever it happened: {copies:.2f} per byte")
        return lines + (["did not run: " + ", ".join(idle)] if idle else [])


def draw(a: Analysis, cell: Cell) -> str:
    """A standalone <svg> element. Stages that did not run are not drawn; unmeasured ones are named below."""
    d = _Diagram(a, cell)
    absent = d.absent()
    return "".join((d.head(BELOW + 18 * len(absent)), *d.boxes(), *d.stages(),
                    *(_text(16, BELOW + 18 * i, "start", "small", line) for i, line in enumerate(absent)),
                    "</svg>\n"))
