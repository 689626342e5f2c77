# SPDX-License-Identifier: GPL-2.0-only
"""attach --baseline: at which sizes zero-copy costs more than one-copy on this machine, by a sweep of it."""
from __future__ import annotations

import math
from collections.abc import Sequence

from . import command_line, load, metric
from .documents import Refused
from .metric import Metric
from .study import Analysis
from .tables import ONECOPY, ZEROCOPY


def point(a: Analysis, size: int, m: Metric) -> tuple[int, float]:
    """Zero-copy's cost against one-copy's: 1 more, -1 less, and by how much.

    The smallest difference that is certain at a thread count; 0 where thread counts disagree, or none is certain.
    """
    compared = (a.compare_modes(a.cell(ZEROCOPY, size, n), a.cell(ONECOPY, size, n), m) for n in a.threads)
    found = [f for f in compared if f.difference.holds]
    if len({f.sign for f in found}) != 1:
        return 0, math.nan
    return found[0].sign, min((f.change for f in found), key=abs)


def text_of(a: Analysis) -> str:
    """A line for each size: SIZE ORDER CHANGE."""
    m = metric.CPU_NS_PER_KIB if a.has(metric.CPU_NS_PER_KIB) else metric.CPU_S_NS_PER_KIB
    return "".join("{} {} {!r}\n".format(size, *point(a, size, m)) for size in a.sizes)


def main(argv: Sequence[str]) -> int:
    """PATH: the text on stdout. An exit status."""
    try:
        a = Analysis(load.load_files(argv))
        if not {ZEROCOPY, ONECOPY} <= set(a.modes):
            raise Refused(f"{argv[0]}: it has no runs of both zerocopy and onecopy.")
    except Refused as problem:
        return command_line.refuse(problem)
    print(text_of(a), end="")
    return command_line.EXIT_DONE
