# SPDX-License-Identifier: GPL-2.0-only
"""JSON read strictly, and written as user/write/json.c writes it: the same bytes."""
from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterator
from typing import Any

_DEPTH_MAX = 64  # of ours about 10
REAL_DIGITS = 12  # further ones are noise
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("duplicate object key")
    return result


def _integer(text: str) -> int:
    value = int(text) if len(text) < 32 else 1 << 64
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError("too big integer")
    return value


def _real(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("real number overflow")
    return value


def _constant(text: str) -> Any:
    raise ValueError(f"invalid token near '{text}'")


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_DEPTH_MAX):
        level = [member for v in level for member in (v.values() if isinstance(v, dict) else v)
                 if isinstance(member, (dict, list))]
    return bool(level)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for member in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
        yield from _texts(member)
    if isinstance(value, dict):
        yield from value


def loads(data: bytes) -> Any:
    """An object or a list. ValueError: no JSON, truncated, a key twice, or a number or text out of bounds."""
    text = data.decode("utf-8")
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_float=_real,
                           parse_constant=_constant)
    except RecursionError:
        raise ValueError("maximum parsing depth reached") from None
    if not isinstance(value, (dict, list)):
        raise ValueError("'[' or '{' expected")
    if _is_deep(value):
        raise ValueError("maximum parsing depth reached")
    if _SUSPECT.search(text) and any(re.search("[\0\ud800-\udfff]", t) for t in _texts(value)):
        raise ValueError("invalid Unicode escape")
    return value


def equal(a: Any, b: Any) -> bool:
    """Of the same types too: 1 is not 1.0, nor true."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def _string(value: str, ascii_only: bool) -> str:
    """With the digits of escapes as jansson has them."""
    return re.sub(r"\\(?:u([0-9a-f]{4})|.)", lambda m: f"\\u{m[1].upper()}" if m[1] else m[0],
                  json.dumps(value, ensure_ascii=ascii_only))


def real(value: float) -> str:
    """A finite number."""
    text = f"{value:.{REAL_DIGITS}g}"
    if "e" in text:
        digits, exponent = text.split("e")
        return f"{digits}e{int(exponent)}"
    return text if "." in text else text + ".0"


def line(value: Any, *, sort_keys: bool = False, ascii_only: bool = True) -> str:
    """In one line. A number that is not finite is null."""
    if isinstance(value, str):
        return _string(value, ascii_only)
    if isinstance(value, float):
        return real(value) if math.isfinite(value) else "null"
    of = functools.partial(line, sort_keys=sort_keys, ascii_only=ascii_only)
    if isinstance(value, list):
        return "[" + ", ".join(map(of, value)) + "]"
    if isinstance(value, dict):
        keys = sorted(value) if sort_keys else value
        return "{" + ", ".join(f"{of(key)}: {of(value[key])}" for key in keys) + "}"
    return json.dumps(value)


def document(value: Any, depth: int = 0) -> str:
    """Indented, but for lists of anything but objects: a histogram is a line, not a thousand."""
    is_object = isinstance(value, dict)
    if not is_object and not (isinstance(value, list) and value and isinstance(value[0], dict)):
        return line(value)
    indent = "\n" + "  " * (depth + 1)
    members = ([line(k) + ": " + document(v, depth + 1) for k, v in value.items()] if is_object else
               [document(v, depth + 1) for v in value])
    open_, close = "{}" if is_object else "[]"
    return open_ + ",".join(indent + m for m in members) + "\n" + "  " * depth + close


def text(value: str | None) -> str | None:
    """A member that is text from outside: bytes that are no UTF-8 leave only its ASCII."""
    if value is not None and re.search("[\ud800-\udfff]", value):
        return "".join("?" * len(c.encode("utf-8", "surrogateescape")) if ord(c) >= 0x80 else c for c in value)
    return value
