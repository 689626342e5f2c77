# SPDX-License-Identifier: GPL-2.0-only
"""A page as a sequence of blocks, which templates write as HTML, Markdown and LaTeX.

Text is plain everywhere: the format escapes each value that a template prints. Jinja2's autoescape is on, so a
value that is printed without our escaping function would still be escaped as HTML.
"""
from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Union

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from ..units import printable

WINNER = "\u2605 "  # before the best mode's number in a table

_UNIT = re.compile(r"(?<=\d) (?=(?:%|[KMG]iB|Gbit/s|[num]s)(?![\w-]))")
_LATEX_WORDS = {"<": "less", ">": "greater", "|": "bar"}
_OF_SVG = re.compile(r""" id=["']|href=["']#|url\(["']?#""")


class Link(NamedTuple):
    """To the heading with this text, unless it names a picture or a file (a path without special characters)."""

    text: str
    picture: str = ""
    file: str = ""


class Heading(NamedTuple):
    level: int
    text: str


class Paragraph(NamedTuple):
    text: str
    strong: bool = False
    small: bool = False


class Links(NamedTuple):
    """Where to see what a paragraph says."""

    links: Sequence[Link]


class Table(NamedTuple):
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


class Picture(NamedTuple):
    """name: of its files, without suffix; svg: the picture itself; alt: its replacement."""

    name: str
    svg: str
    alt: str


class Pair(NamedTuple):
    """Two pictures beside each other, where there is space."""

    blocks: Sequence[Picture]


class Fold(NamedTuple):
    """Blocks that are closed at first."""

    title: str
    blocks: Sequence[Any]  # of Block


class Contents(NamedTuple):
    """Links to the headings of level 2."""


Block = Union[Contents, Heading, Paragraph, Links, Table, Picture, Pair, Fold]


def html(text: str) -> str:
    """Text for an element or attribute of HTML or SVG. XML allows no control characters."""
    text = "\n".join(map(printable, text.split("\n"))).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")


def html_of_page(text: str) -> str:
    """The same with each number on one line with its unit."""
    return _UNIT.sub("\u00a0", html(text))


def markdown(text: str) -> str:
    """Escapes the characters of Markdown's syntax; "|" would end a table's cell."""
    return re.sub(r"[\\`*_{}\[\]<>#|~&]", r"\\\g<0>", " ".join(map(printable, text.split("\n"))))


def latex(text: str) -> str:
    """For fonts of any encoding: some have other characters in the place of < > and |."""
    text = re.sub(r"[~^\\]|([&%$#_{}])", lambda m: "\\" + m[0] if m[1] else rf"\char`\{m[0]}{{}}", printable(text))
    return re.sub("[<>|]", lambda m: rf"\text{_LATEX_WORDS[m[0]]}{{}}", text)


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
    environment = Environment(block_start_string=begin + "%", block_end_string="%" + end,
                              variable_start_string=2 * begin, variable_end_string=2 * end,
                              comment_start_string=begin + "#", comment_end_string="#" + end,
                              autoescape=True, finalize=finalize, undefined=StrictUndefined,
                              keep_trailing_newline=True, lstrip_blocks=True, trim_blocks=True,
                              loader=FunctionLoader(lambda name: resource("templates/" + name)))
    environment.filters["slug"] = slug
    environment.filters["kind"] = lambda block: type(block).__name__.lower()
    environment.filters["of_picture"] = lambda svg, name: Markup(of_picture(svg, name))
    environment.globals["WINNER"] = WINNER
    return environment


def render(template: str, escape: Callable[[str], str], **values: object) -> str:
    """A template with its values; all of these that are not Markup are escaped."""
    signs = "<>" if template.endswith(".tex") else "{}"
    return _environment(escape, signs).get_template(template).render(**values)


def render_page(template: str, escape: Callable[[str], str], title: str, blocks: Sequence[Block]) -> str:
    contents = [Link(b.text) for b in blocks if isinstance(b, Heading) and b.level == 2]
    style = Markup(resource("templates/page.css"))
    return render(template, escape, title=title, contents=contents, blocks=blocks, style=style)
