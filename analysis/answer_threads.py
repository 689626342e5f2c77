# SPDX-License-Identifier: GPL-2.0-only
"""The effect of more threads: the limit by CPUs, the best thread count, then counters."""
from __future__ import annotations

import math

from . import answer, best_modes, first_screen, metric, overall, stats, wording
from .answer import Answer, finding_cell, Tally
from .first_screen import Cpus
from .metric import Metric
from .stats import Difference
from .study import Analysis
from .tables import Mode
from .units import plural

# Metrics that may change with the thread count; whether their inverse is stated, and whether they are of all threads
# together.
_FACTORS = (("throughput per thread", metric.GBPS_PER_THREAD, False, False),
            ("L1D misses per KiB", metric.L1D_MISSES_PER_KIB, False, False),
            ("LLC misses per KiB", metric.LLC_MISSES_PER_KIB, False, False),
            ("L1D misses per thread", metric.L1D_MISSES, False, True),
            ("LLC misses per thread", metric.LLC_MISSES, False, True),
            ("bytes per cycle", metric.CYCLES_PER_BYTE, True, False),
            ("context switches per GiB", metric.CONTEXT_SWITCHES_PER_GIB, False, False),
            ("delivery latency", metric.DELIVERY_P50, False, False),
            ("recv call", metric.RECV_P50, False, False))


def _factor(a: Analysis, mode: Mode | None, m: Metric, threads: int) -> tuple[float, Tally]:
    """A metric with many threads as a multiple of that with the fewest, where a setting has both: the median over the
    settings. mode: None of all."""
    values, tally = [], Tally()
    for many in a.cells:
        if many.threads == threads and mode in (None, many.mode):
            f = a.compare(many, a.cell(many.mode, many.size, a.threads[0]), m)
            if f.difference is not Difference.UNKNOWN and f.change > -1:
                values.append(f.change + 1)
                tally.add(f)
    return stats.median(values), tally


def _say_ceiling(out: Answer, cpus: Cpus) -> None:
    many = out.a.threads[-1]
    if not cpus.senders:
        out.lack("Not shown: the ceiling of the throughput per thread, because the number of usable CPUs is unknown.")
        return
    who = "sender and as many receiver" if cpus.shared else "sender"
    nr, where = cpus.senders, " of the machine" if cpus.shared and not cpus.pinned else ""
    threads = many * (2 if cpus.shared else 1)
    if many > nr:
        out.say(f"{many} {who} threads share {nr} CPU{plural(nr)}{where}: a sender thread has at most {nr}/{many} "
                f"({nr / many:.3g}) of a CPU, which is the ceiling of its throughput.")
    elif threads > nr:
        out.say(f"{many} {who} threads share {nr} CPUs{where}: not each of them has a CPU of its own.")
    else:
        out.say(f"Up to {many} threads there are as many CPUs as {who} threads ({nr}).")
    if not cpus.shared and 0 < cpus.receivers < many:
        out.say(f"{many} receiver threads share {cpus.receivers} CPU{plural(cpus.receivers)}.")


def totals(a: Analysis) -> dict[int, overall.Values]:
    """The throughput of each thread count. Divided by the sum of the medians of all, which has no side: by that of one
    thread count alone, this one would have less noise than the others."""
    values: dict[int, overall.Values] = {t: {} for t in a.threads}
    for cell in a.cells:
        setting = [c for t in a.threads if (c := a.cell(cell.mode, cell.size, t))]
        sum_ = sum(v for c in setting if not math.isnan(v := a.estimate(c, metric.GBPS).median))
        scale = dict.fromkeys(map(a.block, cell.rows), sum_)
        values[cell.threads].update(overall.values(a, cell, setting[0], scale, metric.GBPS))
    return values


def _say_best(out: Answer) -> None:
    """The thread counts than which no other has a higher total, over all modes and sizes; by medians alone all of
    them."""
    a, first = out.a, out.a.threads[0]
    best = overall.best(list(totals(a).items()), False, a.dependence(metric.GBPS, True).share)
    none = len(best) == len(a.threads)
    factors = best_modes.join([f"{wording.factor(1, _factor(a, None, metric.GBPS, t)[0])} with {wording.threads(t)}"
                            for t in a.threads[1:] if none or t in best], "and")
    shown = f": {factors}, of that with {wording.threads(first)} (median of the modes and sizes)" if factors else ""
    if not answer.can_claim(a):
        out.say(f"The total by the medians alone{shown}.")
    elif none:
        out.say(f"No thread count has a higher total than another for certain{shown}.")
    else:
        names = f"{best_modes.join(list(map(str, best)), 'or')} thread{plural(best[-1])}"
        unsure = " (which of these, the rounds do not show)" if len(best) > 1 else ""
        out.say(f"The total is best with {names}{unsure}{shown}.")


def _put_totals(out: Answer) -> None:
    """The total of each mode and size with more threads against that with the fewest."""
    a = out.a
    t = out.table(f"Throughput in total against {wording.threads(a.threads[0])}{out.unless_certain()}:",
                  *out.threads_headings("Mode and size"))
    for few in a.cells:
        if few.threads == a.threads[0]:
            t.put(f"{few.mode.words}, {wording.size(few.size)}",
                  wording.value(metric.GBPS, a.estimate(few, metric.GBPS).median),
                  *(finding_cell(a.compare(a.cell(few.mode, few.size, n), few, metric.GBPS)) for n in a.threads[1:]))
    out.end_table()


def _put_factors(out: Answer) -> None:
    """ "throughput per thread | x 0.130 | x 0.141 | x 0.120"."""
    a = out.a
    few, many = a.threads[0], a.threads[-1]
    t = out.table(f"With {many} threads as a multiple of {few}, median of the sizes:", "Number",
                  *(mode.words for mode in a.modes))
    for what, m, inverse, per_thread in _FACTORS:
        if not _factor(a, None, m, many)[1].of:
            continue
        row = [what]
        for mode in a.modes:
            median, tally = _factor(a, mode, m, many)
            if tally.of:
                median = (1 / median if inverse else median) * (few / many if per_thread else 1)
            row.append(wording.factor(1, median) if tally.of and math.isfinite(median) else "n/a")
        t.put(*row)
    out.end_table()


def _say_what_lacks(out: Answer, cpus: Cpus) -> None:
    a = out.a
    if not a.has(metric.LLC_MISSES):
        out.lack(f"Not shown: cache contention, because LLC misses were not measured ({a.reason(metric.LLC_MISSES)}).")
    elif not cpus.suffice(a.threads[-1]):
        why = "wait for a CPU as well" if cpus.senders else "may wait for a CPU as well (the number of CPUs is unknown)"
        out.lack(f"Not shown: cache contention, because threads {why}.")
    else:
        out.lack("Misses that change with the thread count are no proof of contention: the data shows that they change "
                 "together.")
    if a.has(metric.RECV_P50):
        out.lack("The time of a recv call is not copy time alone: a receiver thread with one connection waits for data "
                 "in it.")
    else:
        out.lack(f"Not shown: recv call, n/a ({a.reason(metric.RECV_P50)}).")


def make(out: Answer) -> None:
    """Fills in the answer."""
    a = out.a
    if len(a.threads) < 2:
        out.say("Not measured: the data has one thread count only.")
        return
    few, many = a.threads[0], a.threads[-1]
    own, tally = _factor(a, None, metric.GBPS_PER_THREAD, many)
    if not tally.of:
        out.say(a.not_measured(metric.GBPS, f"no mode and size has a throughput above 0 with both {few} and {many} "
                                            "threads"))
        return
    cpus = first_screen.cpus(a.dataset)
    _say_ceiling(out, cpus)
    if not answer.can_claim(a):
        out.say(f"{answer.cannot_claim(a)}.")
    _say_best(out)
    out.say(f"With {many} threads throughput per thread is x {own:.3f} of that with {few} (median).")
    out.answered = answer.can_claim(a)
    _put_totals(out)
    _put_factors(out)
    _say_what_lacks(out, cpus)
