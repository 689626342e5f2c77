# SPDX-License-Identifier: GPL-2.0-only
"""Sizes, counts and times as text, and text that is safe to print. As common/units.c and base/printable.c."""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

_ITEMS_MAX = 12  # of a list in a sentence


def plural(n: int) -> str:
    """The ending after a number: "0 runs", "1 run"."""
    return "" if n == 1 else "s"


def items(words: Sequence[str], empty: str = "nowhere") -> str:
    """A list in a sentence, "a, b, c and 3 more": as many items as one reads. empty: of none."""
    more = f" and {len(words) - _ITEMS_MAX} more" if len(words) > _ITEMS_MAX else ""
    return (", ".join(words[:_ITEMS_MAX]) or empty) + more


_ARITHMETIC = 1e-12  # the error of a few operations on floats


def nearest(v: float, decimals: int) -> float:
    """The value, which a format with so many decimals rounds to nearest."""
    del decimals
    return v


def least(v: float, decimals: int) -> float:
    """A lower bound for a format with so many decimals: rounded down, but for the error of arithmetic."""
    by = 10.0 ** decimals
    return math.floor(v * by + abs(v * by) * _ARITHMETIC) / by if math.isfinite(v * by) else v


def most(v: float, decimals: int) -> float:
    """An upper bound likewise. It keeps the sign of a value that it makes 0."""
    return -least(-v, decimals) if v else 0.0


Rounding = Callable[[float, int], float]


def _digits_3(v: float, rounding: Rounding) -> str:
    """Three significant digits, or all digits of the whole part; no trailing zeros."""
    size = abs(v)
    decimals = 2 if size < 9.995 else 1 if size < 99.95 else 0
    text = f"{rounding(v, decimals):.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scaled(v: float, step: float, units: Sequence[str], rounding: Rounding = nearest) -> str:
    """With the largest fitting unit: 1023.9 KiB rounds up to 1 MiB."""
    if not math.isfinite(v):
        return "n/a"
    unit = 0
    while unit + 1 < len(units) and abs(rounding(v, 0)) >= step - (0.5 if rounding is nearest else 0):
        v /= step
        unit += 1
    return _digits_3(v, rounding) + units[unit]


def size(n: int) -> str:
    """ "64 KiB", "1000 B", "16 MiB"."""
    return f"{n} B" if n < 1024 else _scaled(float(n), 1024, (" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"))


def size_short(n: int) -> str:
    """ "64k", "1000", "16m": for axes."""
    return str(n) if n < 1024 else _scaled(float(n), 1024, ("", "k", "m", "g", "t", "p", "e"))


def bytes_si(n: float, rounding: Rounding = nearest) -> str:
    """ "22.1 GB", "613 MB": powers of ten."""
    return _scaled(n, 1000, (" B", " kB", " MB", " GB", " TB", " PB", " EB"), rounding)


def ns(n: float, rounding: Rounding = nearest) -> str:
    """ "812 ns", "14.2 us", "3.1 ms", "1.25 s"."""
    return _scaled(n, 1000, (" ns", " us", " ms", " s"), rounding)


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


def cpus_in(text: str, most: int) -> set[int]:
    """CPUs in a list of the kernel's format, "0-3,8"; none: it is no such list."""
    cpus: set[int] = set()
    for item in text.split(","):
        match = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", item)
        if not match:
            return set()
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < most:
            return set()
        cpus.update(range(first, last + 1))
    return cpus


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


_PLAIN = re.compile("[A-Za-z0-9_./,:=@%+-]+")  # words that a shell takes as they are


def shell_word(text: str) -> str:
    """Quoted where a shell would not take it as it is."""
    return text if _PLAIN.fullmatch(text) else "'" + text.replace("'", r"'\''") + "'"
