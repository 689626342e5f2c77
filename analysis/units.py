# SPDX-License-Identifier: GPL-2.0-only
"""Sizes, counts and times as text, and text that is safe to print. As common/units.c and base/printable.c."""
from __future__ import annotations

import math
import re
from collections.abc import Sequence


def plural(n: int) -> str:
    """The ending after a number: "0 runs", "1 run"."""
    return "" if n == 1 else "s"


def _digits_3(v: float) -> str:
    """Three significant digits, or all digits of the whole part; no trailing zeros."""
    size = abs(v)
    text = f"{v:.{2 if size < 9.995 else 1 if size < 99.95 else 0}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scaled(v: float, step: float, units: Sequence[str]) -> str:
    """With the largest fitting unit: 1023.9 KiB rounds up to 1 MiB."""
    if not math.isfinite(v):
        return "n/a"
    unit = 0
    while unit + 1 < len(units) and abs(v) >= step - 0.5:
        v /= step
        unit += 1
    return _digits_3(v) + units[unit]


def size(n: int) -> str:
    """ "64 KiB", "1000 B", "16 MiB"."""
    return f"{n} B" if n < 1024 else _scaled(float(n), 1024, (" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"))


def size_short(n: int) -> str:
    """ "64k", "1000", "16m": for axes."""
    return str(n) if n < 1024 else _scaled(float(n), 1024, ("", "k", "m", "g", "t", "p", "e"))


def bytes_si(n: float) -> str:
    """ "22.1 GB", "613 MB": powers of ten."""
    return _scaled(n, 1000, (" B", " kB", " MB", " GB", " TB", " PB", " EB"))


def ns(n: float) -> str:
    """ "812 ns", "14.2 us", "3.1 ms", "1.25 s"."""
    return _scaled(n, 1000, (" ns", " us", " ms", " s"))


def count(n: int) -> str:
    """ "92 113": thousands separated by spaces."""
    return f"{n:,}".replace(",", " ")


_NS = {"": 10**9, "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


def parse_duration(text: str) -> int | None:
    """A time such as "500ms" or "1.5s" (a plain number is seconds) in ns; None: it is none, or no whole number."""
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]+))?([a-z]*)", text)
    if not match or match[3] not in _NS:
        return None
    fraction = match[2] or ""
    whole, rest = divmod(int(match[1] + fraction) * _NS[match[3]], 10 ** len(fraction))
    return whole if not rest and whole < 1 << 64 else None


def cpus_in(text: str, most: int) -> int:
    """CPUs in a list of the kernel's format, "0-3,8", each time it names one; 0: it is no such list."""
    n = 0
    for item in text.split(","):
        match = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", item)
        if not match:
            return 0
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < most:
            return 0
        n += last - first + 1
    return n


# Controls, C1 controls, surrogates (bytes that are no UTF-8), and what changes how other text looks.
_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def printable(text: str) -> str:
    """One line for a terminal: "?" for each byte that could change how other text looks."""
    return _CONTROLS.sub(_marks, text)


def _marks(match: re.Match[str]) -> str:
    return "?" * len(match[0].encode("utf-8", "surrogateescape"))


def printable_lines(text: str) -> str:
    """The same, but line breaks and tabs stay."""
    return re.sub("[^\n\t]+", lambda match: printable(match[0]), text)


def cut(text: str, most: int) -> str:
    """At most so many bytes of it."""
    encoded = text.encode("utf-8", "surrogateescape")
    return text if len(encoded) <= most else encoded[:most].decode("utf-8", "surrogateescape")


def clip(text: str, most: int) -> str:
    """Text that is printable: at most so many bytes of it, in whole characters."""
    encoded = text.encode()
    return text if len(encoded) <= most else encoded[:most].decode(errors="ignore")
