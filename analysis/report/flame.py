# SPDX-License-Identifier: GPL-2.0-only
"""Flame graphs (SVG) of the CPU time of a cell.

A box is a function, as wide as the CPU time of its samples per KiB of payload, with its callees above.
"""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .. import metric
from ..dataset import Stacks
from ..study import Analysis
from ..tables import CPU_CLASSES, CpuClass, GATHERS, Mode, OWNERS, RECEIVER, SENDER
from .figure import mean, reference_size, reference_threads
from .page import html
from .stack_rules import stack_class, SYSCALL, user_class

WIDTH = 960.0
ROW = 17.0
HEAD = 46.0
FOOT = 40.0  # two rows of a legend
OPACITY = "0.6"  # black on the darkest colour can be read: a contrast of 4.5 to 1
CHAR_WIDTH = 6.3  # of the font below, 10.5 px
NARROWEST = 0.4  # of a box, px
DEPTH_MAX = 140
NAME_MAX = 120


class Input(NamedTuple):
    """The stacks of one mode, and what a sample of either side weighs: ns per KiB."""

    mode: Mode
    stacks: Stacks
    weight: dict[int, float]


@dataclass
class _Node:
    name: str
    weight: list[float] = field(default_factory=lambda: [0.0, 0.0])  # of each input, callees included
    children: dict[str, _Node] = field(default_factory=dict)

    def child(self, name: str) -> _Node:
        return self.children.setdefault(name, _Node(name))

    @property
    def both(self) -> float:
        return self.weight[0] + self.weight[1]


def find(a: Analysis, mode: Mode) -> Input | None:
    """The stacks of a mode at the reference size and thread count; None: there are none."""
    size, threads = reference_size(a), reference_threads(a)
    cell, stacks = a.cell(mode, size, threads), a.dataset.stacks.get((mode, size, threads))
    if not cell or not stacks:
        return None
    weight = {}
    for side, cpu in ((SENDER, metric.CPU_S_NS_PER_KIB), (RECEIVER, metric.CPU_R_NS_PER_KIB)):
        samples = float(sum(count for (owner, _), count in stacks.items() if owner == side))
        ns = mean(cell, cpu)
        if samples > 0 and ns > 0:
            weight[side] = ns / samples
    return Input(mode, stacks, weight) if weight else None


def _below_syscall(names: list[str]) -> list[str]:
    """Without the system call's entry: modes use different calls, which would split the functions they share."""
    return names[next((i for i, name in enumerate(names) if stack_class([name]) is not SYSCALL), -1):]


class _Picture:
    """One mode; or two in one, where a box is as wide as the time of both.

    Functions of only one mode are included, which a difference on one mode's scale would lose.
    """

    def __init__(self, inputs: list[Input]) -> None:
        self.root = _Node("all")
        self.merged = len(inputs) > 1
        self.gathers = inputs[0].mode.has(GATHERS)
        self.depth = 0
        self.drawn: set[CpuClass] = set()
        for i, given in enumerate(inputs):
            self._add(given, i)
        self.scale = WIDTH / self.root.both if self.root.both > 0 else 0
        self.height = HEAD + self.depth * ROW + FOOT

    def _add(self, given: Input, i: int) -> None:
        for (owner, frames), count in given.stacks.items():
            if owner not in given.weight:
                continue
            weight = count * given.weight[owner]
            names = frames.split(";")
            names = [OWNERS[owner], *(_below_syscall(names) if self.merged else names)][: DEPTH_MAX - 1]
            if "" in names:
                names = names[: names.index("")]
            node = self.root
            node.weight[i] += weight
            for name in names:
                node = node.child(name)
                node.weight[i] += weight
            self.depth = max(self.depth, len(names) + 1)

    def _colour(self, node: _Node, path: list[str]) -> str:
        """The two lowest rows, "all" and the side, are no functions: they are grey."""
        if self.merged:
            return _difference_colour(node)
        if len(path) < 3:
            return "#eeeeee"
        name = path[-1]
        # The class a sample with this box innermost would have.
        class_ = user_class(name[1:], self.gathers) if name.startswith("[") else stack_class(path[:1:-1])
        self.drawn.add(class_)
        return class_.colour

    def _tip(self, node: _Node) -> str:
        if self.merged:
            return f"{html(node.name)}: {node.weight[0]:.2f} and {node.weight[1]:.2f} ns/KiB"
        return f"{html(node.name)}: {node.weight[0]:.2f} ns/KiB, {100 * node.weight[0] / self.root.weight[0]:.1f} %"

    def boxes(self, node: _Node, above: list[str], x: float) -> Iterator[str]:
        width = node.both * self.scale
        y = self.height - FOOT - (len(above) + 1) * ROW
        if width < NARROWEST or len(above) >= DEPTH_MAX:
            return
        path = [*above, node.name]
        yield (f'<g><title>{self._tip(node)}</title><rect x="{x:.2f}" y="{y:.1f}" width="{width:.2f}" '
               f'height="{ROW - 1:.1f}" fill="{self._colour(node, path)}" fill-opacity="{OPACITY}" stroke="#fff" '
               f'stroke-width="0.4"/>{_name(node.name, x, y, width)}</g>\n')
        for child in node.children.values():
            yield from self.boxes(child, path, x)
            x += child.both * self.scale

    def legend(self) -> Iterator[str]:
        """The classes that are drawn, in as many rows as they take."""
        x, y = 4.0, self.height - FOOT + 14
        for class_ in CPU_CLASSES:
            width = 18 + len(class_.heading) * 5.6
            if class_ not in self.drawn:
                continue
            if x + width > WIDTH:
                x = 4.0
                y += 15
            yield (f'<rect x="{x:.1f}" y="{y - 8:.1f}" width="8" height="8" fill="{class_.colour}" '
                   f'fill-opacity="{OPACITY}"/><text font-size="9.5" x="{x + 10:.1f}" y="{y:.1f}">'
                   f"{html(class_.heading)}</text>\n")
            x += width


def _difference_colour(node: _Node) -> str:
    """From blue (all the first's) over white to red (all the second's)."""
    share = node.weight[1] / node.both if node.both > 0 else 0.5
    fade = math.floor(255 - abs(share - 0.5) * 2 * 175 + 0.5)
    return f"#ff{fade:02x}{fade:02x}" if share > 0.5 else f"#{fade:02x}{fade:02x}ff"


def _name(name: str, x: float, y: float, width: float) -> str:
    room = int((width - 4) / CHAR_WIDTH) if width > 2 * CHAR_WIDTH else 0
    if room < 3:
        return ""
    if len(name) > room:
        name = name[: min(room, NAME_MAX) - 2] + ".."
    return f'<text x="{x + 2:.1f}" y="{y + ROW - 5:.1f}">{html(name[: NAME_MAX + 7])}</text>'


def draw(given: Input, other: Input | None = None) -> str:
    """A standalone <svg> element, coloured by class of CPU time; of two modes, red for the other's share."""
    picture = _Picture([given, other] if other else [given])
    weights = picture.root.weight
    if other:
        title = (f"CPU time of {given.mode.words} (blue, on average {weights[0]:.0f} ns per KiB) and "
                 f"{other.mode.words} (red, {weights[1]:.0f})")
    else:
        title = f"CPU time of {given.mode.words}: on average {weights[0]:.0f} ns per KiB"
    return "".join((
        (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {picture.height:.0f}" width="{WIDTH:.0f}" '
        f'height="{picture.height:.0f}" font-family="sans-serif" font-size="10.5">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n'
        f'<text font-size="15" x="{WIDTH / 2:.0f}" y="22" text-anchor="middle">{html(title)}</text>\n'),
        *picture.boxes(picture.root, [], 0.0),
        *picture.legend(),
        "</svg>\n",
    ))
