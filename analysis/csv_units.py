# SPDX-License-Identifier: GPL-2.0-only
"""Numbers of CSV files of other tools: notations, units, and words for a missing number."""
from __future__ import annotations

import functools
import math
import re

_NUMBER_LEN = 63

_MISSING = frozenset(("", "n/a", "na", "nan", "null", "none", "-", "--", "<not supported>", "<not counted>",
                      "not supported", "not counted"))

# Units after a name or a number: names, dimension, scale to the unit of the dimension, how it is shown. Only case
# distinguishes bits from bytes: names with a capital letter, and rates in B, are compared exactly and come first.
# "mb_s" and "MB_S" can be either: OPEN_UNITS. Dimensions: rate Gbit/s, ns, size (bytes, K is 1024), bytes (K is 1000),
# count.
UNITS = (
    ("GBps GBs gBps gBs", "rate", 8, "GB/s"), ("MBps MBs mBps mBs", "rate", 8e-3, "MB/s"),
    ("KBps KBs kBps kBs", "rate", 8e-6, "kB/s"), ("Bps Bs", "rate", 8e-9, "B/s"),
    ("GiBps GiBs", "rate", 8.589934592, "GiB/s"), ("MiBps MiBs", "rate", 8.388608e-3, "MiB/s"),
    ("KiBps KiBs kiBps kiBs", "rate", 8.192e-6, "KiB/s"), ("Gibps Gibs", "rate", 1.073741824, "Gibit/s"),
    ("Mibps Mibs", "rate", 1.048576e-3, "Mibit/s"), ("Kibps Kibs", "rate", 1.024e-6, "Kibit/s"),
    ("Gb", "bytes", 1e9 / 8, "Gbit"), ("Mb", "bytes", 1e6 / 8, "Mbit"), ("Kb", "bytes", 1e3 / 8, "kbit"),
    ("Gbs", "rate", 1, "Gbit/s"), ("Mbs", "rate", 1e-3, "Mbit/s"), ("Kbs", "rate", 1e-6, "kbit/s"),
    ("Gib", "bytes", (1 << 30) / 8, "Gibit"), ("Mib", "bytes", (1 << 20) / 8, "Mibit"), ("Kib", "bytes", 128, "Kibit"),
    ("gibps gibs", "rate", 8.589934592, "GiB/s"), ("mibps mibs", "rate", 8.388608e-3, "MiB/s"),
    ("gibitps gibits", "rate", 1.073741824, "Gibit/s"), ("mibitps mibits", "rate", 1.048576e-3, "Mibit/s"),
    ("bytespersec bytesps bytess", "rate", 8e-9, "B/s"),
    ("gbs", "rate", 8, "GB/s"), ("mbs", "rate", 8e-3, "MB/s"), ("kbs", "rate", 8e-6, "kB/s"),
    ("gbitps gbits gbitsps gbps", "rate", 1, "Gbit/s"), ("mbitps mbits mbitsps mbps", "rate", 1e-3, "Mbit/s"),
    ("kbitps kbits kbps", "rate", 1e-6, "kbit/s"), ("bitps bps", "rate", 1e-9, "bit/s"),
    ("milliseconds msecs msec ms", "ns", 1e6, "ms"), ("microseconds usecs usec us", "ns", 1e3, "us"),
    ("nanoseconds nsecs nsec ns", "ns", 1, "ns"), ("seconds secs sec s", "ns", 1e9, "s"),
    ("bytes byte b", "size", 1, "B"), ("kib kbytes kb k", "size", 1024, "KiB"),
    ("mib mbytes mb m", "size", 1 << 20, "MiB"), ("gib gb g", "size", 1 << 30, "GiB"),
    ("bytes byte b", "bytes", 1, "B"), ("kib", "bytes", 1024, "KiB"), ("mib", "bytes", 1 << 20, "MiB"),
    ("gib", "bytes", 1 << 30, "GiB"), ("gbit", "bytes", 1e9 / 8, "Gbit"), ("mbit", "bytes", 1e6 / 8, "Mbit"),
    ("kb", "bytes", 1e3, "kB"), ("mb", "bytes", 1e6, "MB"), ("gb", "bytes", 1e9, "GB"),
    ("billions billion g", "count", 1e9, "10^9"), ("millions million m", "count", 1e6, "10^6"),
    ("thousands thousand k", "count", 1e3, "10^3"),
    ("count", "count", 1, ""),
)

OPEN_UNITS = frozenset(("gbs", "mbs", "kbs", "GBS", "MBS", "KBS"))
# The micro sign, also as a byte of Latin-1, which is no UTF-8; spaces and dashes.
_ASCII = str.maketrans("\u00b5\u03bc\udcb5\u00a0\u202f\u2010\u2011\u2013\u2014", "uuu  ----")
_PLAIN = re.compile(r"[+-]?\d{1,40}(?:\.\d{0,20})?(?:[eE][+-]?\d{1,4})?", re.ASCII)
_SWAPPED = str.maketrans(".,", ",.")
_BYTE_RATE = re.compile(r"B(?:ps|s)$")
_POINT_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)
_TAIL = {c: re.compile(rf"(?:{re.escape(c)}(\d*))?([eE][+-]?\d+)?", re.ASCII) for c in ".,"}
_DIGITS = re.compile(r"\d*", re.ASCII)
_GROUPED = {c: re.compile(rf"\d{{1,3}}(?:{re.escape(c)}\d{{3}}(?!\d))+" + ("" if c == " " else f"(?!{re.escape(c)})"),
                          re.ASCII) for c in ",.' "}


def flat(name: str) -> str:
    """Letters and digits of a name."""
    return "".join(c for c in name.translate(_ASCII) if c.isascii() and c.isalnum())


def flat_unit(text: str) -> str:
    """flat(); "" (no unit) where another character than ASCII could be a part of the unit."""
    return flat(text) if text.translate(_ASCII).isascii() else ""


def missing(text: str) -> bool:
    return text.strip().lower() in _MISSING


@functools.lru_cache(maxsize=4096)
def find_unit(name: str, dimension: str | None) -> tuple[float, str] | None:
    """Scale and words of a unit; None: the dimension has no such."""
    for names, of, scale, shown in UNITS:
        if of == ("ns" if dimension == "s" else dimension):
            exact = names != names.lower()
            if (name if exact or _BYTE_RATE.search(name) else name.lower()) in names.split(" "):
                return (scale / 1e9 if dimension == "s" else scale), shown
    return None


def point_meaning(text: str) -> str | None:
    """comma_meaning() of a point within a number."""
    return comma_meaning(text.translate(_SWAPPED)) if "." in text else None


def comma_meaning(text: str) -> str | None:
    """What a comma within a number shows: None, "unclear" (1,234), "thousands" (1,234.5), "decimal" (0,65)."""
    match = re.match(r"\s*[+-]?([\d.]+),\d", text, re.ASCII)
    if not match:
        return None
    number = text[match.start(1):]
    groups = _GROUPED[","].match(number)
    if not groups or number[0] == "0":
        return "decimal"
    end = groups.end()
    return "thousands" if end > len(match.group(1)) + 4 or number[end:end + 1] == "." else "unclear"


@functools.lru_cache(maxsize=1 << 16)
def number_of(text: str, decimal_comma: bool = False) -> tuple[float | None, str]:
    """The number at the start of a text (None: it is missing) and what follows it. ValueError: there is none."""
    if _PLAIN.fullmatch(text) and not (decimal_comma and _POINT_GROUPS.fullmatch(text)):
        value, rest = float(text), ""
    elif missing(text):
        return None, ""
    else:
        value, rest = _notation(text.strip(), decimal_comma)
    if not math.isfinite(value):
        raise ValueError
    return value, rest


def _notation(text: str, decimal_comma: bool) -> tuple[float, str]:
    """A number with grouped digits, a decimal comma or a unit."""
    sign = text[0] if text[0] in "+-" else ""
    text = text[len(sign):]
    digits, end = _whole_part(text, ".' " if decimal_comma else ",' ")
    tail = _TAIL["," if decimal_comma else "."].match(text, end)
    assert tail  # each part of the pattern is optional
    fraction, exponent = tail.groups()
    number = sign + digits + ("" if fraction is None else f".{fraction}") + (exponent or "")
    if not (digits or fraction) or len(number) > _NUMBER_LEN:
        raise ValueError
    return float(number), text[tail.end():].strip()


def _whole_part(text: str, separators: str) -> tuple[str, int]:
    """The digits without separators, and where they end."""
    for separator in separators:
        grouped = _GROUPED[separator].match(text)
        if grouped:
            return grouped.group().replace(separator, ""), grouped.end()
    digits = _DIGITS.match(text)
    assert digits
    return digits.group(), digits.end()
