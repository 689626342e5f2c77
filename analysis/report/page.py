# SPDX-License-Identifier: GPL-2.0-only
"""A page as a sequence of blocks, which templates write as HTML, Markdown and LaTeX.

Text is plain everywhere: the format escapes each value that a template prints. Jinja2's autoescape is on, so a
value that is printed without our escaping function would still be escaped as HTML.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Union

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from ..units import printable

WINNER = "\u2605 "  # before the best mode's number in a table

_OF_SVG = re.compile(r""" id=["']|href=["']#|url\(["']?#""")


@dataclass(frozen=True)
class Link:
    """To the heading with this text, unless it names a picture or a file (a path without special characters)."""

    text: str
    picture: str = ""
    file: str = ""


@dataclass(frozen=True)
class Heading:
    kind: ClassVar[str] = "heading"
    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    kind: ClassVar[str] = "paragraph"
    text: str
    strong: bool = False


@dataclass(frozen=True)
class Links:
    """Where to see what a paragraph says."""

    kind: ClassVar[str] = "links"
    links: Sequence[Link]


@dataclass(frozen=True)
class Table:
    kind: ClassVar[str] = "table"
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """name: of its files, without suffix; svg: the picture itself; alt: its replacement."""

    kind: ClassVar[str] = "picture"
    name: str
    svg: str
    alt: str


@dataclass(frozen=True)
class Pair:
    """Two pictures beside each other, where there is space."""

    kind: ClassVar[str] = "pair"
    blocks: Sequence[Picture]


@dataclass(frozen=True)
class Fold:
    """Blocks that are closed at first."""

    kind: ClassVar[str] = "fold"
    title: str
    blocks: Sequence[Block]


Block = Union[Heading, Paragraph, Links, Table, Picture, Pair, Fold]


def html(text: str) -> str:
    """Text for an element or attribute of HTML or SVG. XML allows no control characters."""
    text = "\n".join(map(printable, text.split("\n"))).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")


def markdown(text: str) -> str:
    """Escapes the characters of Markdown's syntax; "|" would end a table's cell."""
    return re.sub(r"[\\`*_{}\[\]<>#|~&]", r"\\\g<0>", " ".join(map(printable, text.split("\n"))))


def latex(text: str) -> str:
    return re.sub(r"[~^\\]|([&%$#_{}])", lambda m: "\\" + m[0] if m[1] else rf"\char`\{m[0]}{{}}", printable(text))


def slug(text: str) -> str:
    """ "All cells" -> "all-cells": the anchor of a heading, as GitHub makes it of Markdown."""
    return re.sub(r"[^A-Za-z0-9_-]", "", text.replace(" ", "-")).lower()[:255]


def of_picture(svg: str, name: str) -> str:
    """A picture for one page with others: gnuplot gives the parts of each picture the same ids.

    So they and the references to them get the picture's name before them.
    """
    start = svg.find("<svg")
    return _OF_SVG.sub(rf"\g<0>{name}-", svg[max(start, 0) :])


def resource(path: str) -> str:
    """A file of the package, also where this is an archive."""
    data = pkgutil.get_data(__name__, path)
    if data is None:
        raise FileNotFoundError(path)
    return data.decode("utf-8")


def _environment(escape: Callable[[str], str], signs: str) -> Environment:
    """signs: what begins a statement, a value and a comment, and ends them."""

    def finalize(value: object) -> object:
        return value if isinstance(value, Markup) else Markup(escape(str(value)))

    begin, end = signs[0], signs[1]
    environment = Environment(
        block_start_string=begin + "%",
        block_end_string="%" + end,
        variable_start_string=2 * begin,
        variable_end_string=2 * end,
        comment_start_string=begin + "#",
        comment_end_string="#" + end,
        autoescape=True,
        finalize=finalize,
        keep_trailing_newline=True,
        loader=FunctionLoader(lambda name: resource("templates/" + name)),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["slug"] = slug
    environment.filters["of_picture"] = lambda svg, name: Markup(of_picture(svg, name))
    environment.globals["WINNER"] = WINNER
    return environment


def render(template: str, escape: Callable[[str], str], **values: object) -> str:
    """A template with its values; all of these that are not Markup are escaped."""
    signs = "<>" if template.endswith(".tex") else "{}"
    return _environment(escape, signs).get_template(template).render(**values)


def render_page(template: str, escape: Callable[[str], str], title: str, blocks: Sequence[Block]) -> str:
    """The table of contents has the headings of level 2."""
    contents = [Link(b.text) for b in blocks if isinstance(b, Heading) and b.level == 2]
    style = Markup(resource("templates/page.css"))
    return render(template, escape, title=title, contents=contents, blocks=blocks, style=style)
