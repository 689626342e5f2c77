# SPDX-License-Identifier: GPL-2.0-only
"""How report and compare write numbers, cells and differences."""
from __future__ import annotations

import math

from . import units
from .metric import Metric, NAN
from .stats import Difference, Estimate
from .study import Cell, Finding
from .units import least, most, nearest, plural, Rounding

_DECIMALS_MAX = 6  # smaller numbers show as 0.000000: none of our units has any
_TENFOLD = 9  # from this change on it is a factor
size, items = units.size, units.items


def capitalised(text: str) -> str:
    """Sentences and titles may begin with the words of a mode; io_uring stays as it is."""
    return text if "_" in text.split(" ", 1)[0] else text[:1].upper() + text[1:]


def threads(n: int) -> str:
    """ "1 thread", "threads n/a"."""
    return f"{n} thread{plural(n)}" if n else "threads n/a"


def cell(c: Cell) -> str:
    """ "two-copy, 64 KiB, 8 threads"."""
    return f"{c.mode.words}, {size(c.size)}, {threads(c.threads)}"


def _decimals(v: float) -> int:
    """Digits after the point that show 4 digits of a value."""
    of, n = abs(v), 3
    if not of > 0:
        return 0
    while of >= 10 and n > 0:
        of /= 10
        n -= 1
    while of < 1 and n < _DECIMALS_MAX:
        of *= 10
        n += 1
    return n


def _few_decimals(v: float) -> int:
    """The same for 3 digits."""
    return max(_decimals(v) - 1, 0)


def _with_decimals(v: float, decimals: int, rounding: Rounding = nearest) -> str:
    if 1000 <= v < 1e15:
        return units.count(int(rounding(v, 0) + 0.5))
    return f"{rounding(v, decimals):.{decimals}f}"


def number(v: float, rounding: Rounding = nearest) -> str:
    """4 digits and no exponent: "12.10", "0.01234"; full digits from 1 000 on, grouped. For finite numbers."""
    return _with_decimals(v, _decimals(v), rounding)


def signed(v: float, rounding: Rounding = nearest) -> str:
    """With sign and 3 digits: "+62.5", "-1234"."""
    return f"{rounding(v, _few_decimals(v)):+.{_few_decimals(v)}f}"


def _decimals_in(unit: str, v: float) -> int:
    """A count has no digits after the point."""
    return 0 if not unit and v == math.floor(v) else _decimals(v)


def value(m: Metric, v: float, rounding: Rounding = nearest) -> str:
    """With unit: "365.3 Gbit/s", "12.4 us", "1 345 183 760"; "n/a" for NaN."""
    if math.isnan(v):
        return "n/a"
    if m.unit == "B/B":
        return f"{rounding(v, 2):.2f}"
    if m.unit == "ns":
        return units.ns(v, rounding)
    if m.unit == "B" and v >= 0:
        return units.bytes_si(v, rounding)
    return _with_decimals(v, _decimals_in(m.unit, v)) + (f" {m.unit}" if m.unit else "")


def _bound(m: Metric, middle: float, v: float, rounding: Rounding) -> str:
    """The median beside it has the unit and as many digits; times and bytes need a unit each."""
    if m.unit == "ns" or m.unit.startswith("B") or math.isnan(v):
        return value(m, v, rounding)
    digits = _decimals_in(m.unit, middle) or _decimals_in(m.unit, v)  # a count may have an interval of fractions
    return _with_decimals(v, digits, rounding)


def interval(m: Metric, e: Estimate) -> str:
    """Alone, without unit, rounded outwards as every interval: "11.80 to 12.40", "one run", "n/a"."""
    if not e.has_interval:
        return "one run" if e.n else "n/a"
    return f"{_bound(m, e.median, e.low, least)} to {_bound(m, e.median, e.high, most)}"


def estimate(m: Metric, e: Estimate) -> str:
    """ "12.10 Gbit/s (11.80 to 12.40)"; of one run "12.10 Gbit/s"; "n/a"."""
    middle = value(m, e.median if e.n else NAN)
    return f"{middle} ({interval(m, e)})" if e.has_interval else middle


def _times(factor: float, rounding: Rounding = nearest) -> str:
    return f"x {rounding(factor, _few_decimals(factor)):.{_few_decimals(factor)}f}"


def factor(from_: float, to: float) -> str:
    """ "x 12.0"; "n/a"."""
    return "n/a" if math.isnan(from_) or math.isnan(to) or from_ <= 0 else _times(to / from_)


def change(c: float, rounding: Rounding = nearest) -> str:
    """ "+4.4 %", "x 12.0" from tenfold on; "n/a"."""
    if math.isnan(c):
        return "n/a"
    return _times(c + 1, rounding) if c >= _TENFOLD else f"{rounding(c * 100, 1):+.1f} %"


def change_interval(low: float, high: float) -> str:
    """ "+2.1 % to +6.0 %", "x 7.66 to x 17.2" from tenfold on; "" without an interval."""
    if math.isnan(low) and math.isnan(high):
        return ""
    if low > -1 and high >= _TENFOLD:
        return f"{_times(low + 1, least)} to {_times(high + 1, most)}"
    return f"{change(low, least)} to {change(high, most)}"


def _percent(c: float, rounding: Rounding) -> str:
    decimals = int(abs(c) < 0.0995)
    return f"{rounding(c * 100, decimals):+.{decimals}f}"


def _between(low: float, high: float, unit: str) -> str:
    is_factor = high >= _TENFOLD and low > -1
    directions = (least, most) if low < high else (nearest, nearest)
    a, b = (_times(c + 1, r) if is_factor else _percent(c, r) for c, r in zip((low, high), directions))
    return (a if unit and a == b else f"{a} to {b}") + ("" if is_factor else unit)


def range_(low: float, high: float) -> str:
    """Of changes: "-74 %", "-74 to -60 %", "x 3.20 to x 12.0" from tenfold on. From 10 % on without decimals."""
    return "n/a" if math.isnan(low) or math.isnan(high) else _between(low, high, " %")


def bounds(low: float, high: float) -> str:
    """The same without unit, for an interval behind it: "-84 to -39"."""
    return _between(low, high, "")


def change_of(f: Finding) -> str:
    """The change, with its interval if there is a difference, both as percent or both as factors: "+4.4 %; +2.1 % to
    +6.0 %"."""
    of = change_interval(f.low, f.high) if f.difference.holds else ""
    middle = _times(f.change + 1) if of.startswith("x") else change(f.change)
    return f"{middle}; {of}" if of else middle


def finding(f: Finding) -> str:
    """With its certainty: "no difference" (without a figure), "+4.4 %, one run", "+4.4 %; too few rounds", "n/a"."""
    if f.difference is Difference.UNKNOWN:
        return "n/a"
    if f.difference is Difference.NOISE:
        return "no difference"
    return change_of(f) + {Difference.POINT: ", one run", Difference.FEW: "; too few rounds"}.get(f.difference, "")
