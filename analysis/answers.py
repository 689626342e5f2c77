# SPDX-License-Identifier: GPL-2.0-only
"""The questions and their answers; answer_threads.py and answer_unexpected.py have two of them."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from . import answer, answer_threads, answer_unexpected, leaders, metric, phrases, stats
from .answer import Answer, finding_cell, Table, Tally
from .metric import Better, Metric
from .stage_findings import StageFindings
from .stats import Difference
from .study import Analysis, Cell, Finding, SOFTIRQ_UNKNOWN
from .tables import COPIES, COUNTERS, Mode, MODES, ONECOPY, PINS, STAGES, TWOCOPY, ZEROCOPY
from .units import plural

# ---- why zero-copy is not always the fastest: its cost, and whether it was copied


@dataclass
class _Standing:
    """A mode that pins against the faster of those that copy, over all settings."""

    tally: Tally = field(default_factory=Tally)
    worst: tuple[Cell, Cell] | None = None  # the setting with the lowest change, and the rival's cell
    change: float = math.nan  # there


def _rival(a: Analysis, zc: Cell) -> Cell | None:
    """The copying mode with the highest median throughput."""
    cells = (a.peer(zc, mode) for mode in MODES if mode.has(COPIES) and not mode.has(PINS))
    return max((c for c in cells if a.estimate(c, metric.GBPS).n), key=lambda c: a.estimate(c, metric.GBPS).median,
               default=None)


def _put_setting(a: Analysis, zc: Cell | None, s: _Standing) -> str:
    rival = _rival(a, zc) if zc else None
    f = a.compare(zc, rival, metric.GBPS)
    s.tally.add(f)
    if zc and rival and not math.isnan(f.change) and not (s.worst and f.change >= s.change):
        s.worst, s.change = (zc, rival), f.change
    if not rival or f.difference in (Difference.UNKNOWN, Difference.NOISE):
        return finding_cell(f)
    return f"{phrases.change_of(f)} ({rival.mode.words})"


def _why_unexplained(a: Analysis) -> str:
    """Counters of whole runs cannot be compared before it is known how many bytes they are for."""
    if any(a.has(metric.perf_both(c)) for c in COUNTERS) and not a.has(metric.PAYLOAD):
        return ("Not shown: why, because the data has no ledger, and costs per byte need the length of the runs: give "
                "--duration.")
    return "Not shown: why, because the data has neither a ledger nor CPU times nor counters."


def _put_costs(out: Answer, cell: Cell, rival: Cell, change: float) -> bool:
    """What may explain the worst setting. Returns whether anything does."""
    t = out.table(f"{'Largest deficit' if change < 0 else 'Smallest gain'}, {phrases.cell(cell)}:",
                  "Number", cell.mode.words, rival.mode.words, "Change")
    costs = [(metric.stage_cpb(s), f"{s.heading}, {'copies' if s.is_copy else 'references'} per byte") for s in STAGES]
    costs += [(m, m.words) for m in (metric.CPU_NS_PER_KIB, metric.CYCLES_PER_BYTE, metric.LLC_MISSES_PER_KIB,
                                     metric.CONTEXT_SWITCHES_PER_GIB)]
    known = False
    for m, what in [(metric.GBPS, metric.GBPS.words), *costs]:
        f = out.a.compare(cell, rival, m)
        # Either is unknown, or both 0.
        if f.difference is Difference.UNKNOWN or f.a.median == f.b.median == 0:
            continue
        t.put(what, phrases.estimate(m, f.a), phrases.estimate(m, f.b), finding_cell(f))
        known |= m is not metric.GBPS
    out.end_table()
    return known


def _pinning_mode(out: Answer, mode: Mode) -> None:
    """The answer for one mode that pins."""
    a, s = out.a, _Standing()
    copied = answer.copied(a, mode)
    t = out.table(f"Throughput of {mode.words} against the faster copying mode{out.unless_certain()}:",
                  *out.threads_headings("Message size"))
    for size in a.sizes:
        t.put(phrases.size(size), *(_put_setting(a, a.cell(mode, size, n), s) for n in a.threads))
    if not s.tally.of:
        out.tables.pop()
        out.say(f"Not measured: no size and thread count has the throughput of {mode.words} and of a mode that copies.")
        return
    # The cause first: the kernel's action, if the data has it.
    if copied is not None:
        out.say(copied)
    else:
        out.lack(f"Not shown: whether the kernel copied after all, because {answer.why_uncounted(a, mode)}.")
    if s.tally.is_untested:
        out.say(f"{answer.cannot_claim(a)}.")
    out.say(f"{mode.words} is {s.tally.words('faster', 'slower than the faster copying mode', True)}.")
    known = copied is not None
    if s.worst:
        known |= _put_costs(out, *s.worst, s.change)
    if not known:
        out.lack(_why_unexplained(a))
    out.answered |= not s.tally.is_untested and known


def _zerocopy(out: Answer) -> None:
    for mode in out.a.modes:
        if mode.has(PINS):
            _pinning_mode(out, mode)
    if not out.headline:
        out.say("Not measured: the data has no zero-copy run.")


# ---- at which sizes one mode is ahead of two-copy


def _first_lead(a: Analysis, first: Mode) -> str:
    """ "; first at 4 KiB with 1 thread (+13.3 %; +10.1 % to +16.0 %)"; "": nowhere for certain."""
    for size in a.sizes:
        for n in a.threads:
            f = a.compare(a.cell(first, size, n), a.cell(TWOCOPY, size, n), metric.GBPS)
            if f.difference is Difference.HIGHER:
                return f"; first at {phrases.size(size)} with {phrases.threads(n)} ({phrases.change_of(f)})"
    return ""


def _over_two(out: Answer, first: Mode, because: str = "") -> None:
    """because: a cause, for where the first mode is nowhere ahead."""
    a = out.a
    t = out.compare(first, TWOCOPY, metric.GBPS)
    out.answered = not t.is_untested
    if t.of and not out.answered:
        out.say(f"{answer.cannot_claim(a)}.")
    counts = t.words("faster", "slower")
    if not t.of:
        out.say(f"Not measured: no size and thread count has the throughput of both {first.words} and two-copy.")
    elif out.answered and not t.higher:
        out.say(f"At no size up to {phrases.size(a.sizes[-1])}{because}: {first.words} is {counts}.")
    else:
        out.say(f"{first.words} is {counts}{_first_lead(a, first)}.")
    disagreement = leaders.disagreement(a, first, metric.GBPS)
    if disagreement is not None:
        out.say(disagreement)
    if not out.compare(first, TWOCOPY, a.cost()).of:
        out.lack_cost()


def _one_over_two(out: Answer) -> None:
    _over_two(out, ONECOPY)


def _zero_over_two(out: Answer) -> None:
    all_copied = answer.copied_fraction(out.a, ZEROCOPY)[0] == 1
    runs = answer.counted_runs(out.a, ZEROCOPY)
    _over_two(out, ZEROCOPY, f", because the kernel copied every send{runs}" if all_copied else "")


# ---- counters: misses by mode and level; CPU time by class from samples


@dataclass
class _Misses:
    """The misses of a mode, by level, compared with two-copy in all settings."""

    mode: Mode
    level: str
    of_what: str
    change: float  # in the median setting
    tally: Tally


# A cache level: its misses in a run as counted, and for each KiB where the payload is known.
_LEVELS = (("L1D", metric.L1D_MISSES, metric.L1D_MISSES_PER_KIB), ("LLC", metric.LLC_MISSES, metric.LLC_MISSES_PER_KIB))


def _misses(a: Analysis, mode: Mode, level: str, raw: Metric, per_kib: Metric) -> _Misses:
    known, tally, changes = a.has(per_kib), Tally(), []
    for cell in a.cells:
        if cell.mode is mode:
            f = a.compare(cell, a.peer(cell, TWOCOPY), per_kib if known else raw)
            if not math.isnan(f.change):
                changes.append(f.change)
                tally.add(f)
    return _Misses(mode, level, "per KiB" if known else "of a whole run", stats.median(changes), tally)


def _say_best(out: Answer, best: _Misses, all_rise: bool) -> None:
    """Most settings have to fall, or all levels to rise in most settings."""
    t = best.tally
    falls = best.change < 0 and t.lower * 2 > t.of
    counts = t.words("higher", "lower", lower_first=True)
    out.answered = falls or all_rise
    if t.is_untested:
        out.say(f"{answer.cannot_claim(out.a)}.")
    if falls or (t.is_untested and best.change < 0):
        out.say(f"{best.level}, with {best.mode.words}: {phrases.change(best.change)} of the misses of two-copy "
                f"{best.of_what} in the median setting, {counts}.")
        return
    why = (": the misses of all levels rise against two-copy in most settings" if all_rise else
           " outside the noise: no level has fewer misses than with two-copy in most settings")
    out.say(f"None{why}. The nearest is {best.level} with {best.mode.words}: {counts}.")


def _put_levels(out: Answer) -> None:
    """Puts the best of all levels and modes first."""
    others = [(mode, level) for mode in MODES if mode is not TWOCOPY for level in _LEVELS]
    known = [x for x in (_misses(out.a, mode, *level) for mode, level in others) if x.tally.of]
    if not known:
        out.say("Not measured: no setting has the misses of two-copy and of another mode.")
        return
    _say_best(out, min(known, key=lambda x: x.change), all(x.tally.higher * 2 > x.tally.of for x in known))
    for mode, level in others:
        out.compare(mode, TWOCOPY, level[1])
    out.lack("Not shown: misses by stage, because the counters count a whole side.")


def _put_copies(out: Answer) -> bool:
    """From the ledger, at the setting of two-copy that received most bytes."""
    a = out.a
    two = a.peak(TWOCOPY, metric.RX_BYTES)
    if not two:
        return False
    t = out.table(f"Copies per byte by stage, from the ledger, at {phrases.size(two.size)}, "
                  f"{phrases.threads(two.threads)}:", "Stage", *(mode.words for mode in a.modes))
    known = False
    for stage in STAGES:
        m = metric.stage_cpb(stage)
        if stage.is_copy and a.has(m):
            estimates = [a.estimate(a.peer(two, mode), m) for mode in a.modes]
            t.put(stage.heading, *(phrases.value(m, e.median) for e in estimates))
            known |= any(e.n for e in estimates)
    out.end_table()
    return known


def _cache(out: Answer) -> None:
    a = out.a
    stages = StageFindings(a)
    savings = stages.savings()
    if a.has(metric.L1D_MISSES) or a.has(metric.LLC_MISSES):
        _put_levels(out)
    else:
        out.say(f"Not measured: {a.reason(metric.L1D_MISSES)}.")
    if savings:
        out.say(f"CPU samples show: {phrases.items(savings)}.")
    stages.put_table(out)
    if not _put_copies(out) and not stages.list:
        out.lack("Not shown: from which stage the reduction comes, because the data has neither a ledger nor CPU "
                 "samples.")


# ---- each pair of modes by size, and the cheapest mode of each setting

_BETTER, _WORSE, _NEITHER, _UNTESTED = range(4)  # sides: the first mode is better...


def _side(f: Finding, m: Metric, by_medians: bool) -> int:
    if f.untested and not by_medians:
        return _UNTESTED
    return {1: _BETTER, -1: _WORSE, 0: _NEITHER}[leaders.better(f, m)]


def _put_pair(a: Analysis, t: Table, first: Mode, second: Mode, m: Metric, by_medians: bool, sides: int) -> bool:
    """A row of the table, with the lists of so many sides: sizes of which a thread count is on that side. False: no
    size has both modes."""
    lists: list[list[str]] = [[] for _ in range(4)]
    known = False
    for size in a.sizes:
        found = [f for n in a.threads
                 if (f := a.compare_modes(a.cell(first, size, n), a.cell(second, size, n), m)).difference
                 is not Difference.UNKNOWN]
        known |= bool(found)
        for side, words in enumerate(lists):
            changes = [f.change for f in found if _side(f, m, by_medians) == side]
            if not changes:
                continue
            counts = f" with {len(changes)} of {len(found)} thread counts" if len(changes) < len(found) else ""
            low = high = math.nan
            for change in changes:
                low, high = stats.least(low, change), stats.most(high, change)
            words.append(phrases.size(size) + counts + (f" ({phrases.range_(low, high)})" if side < _NEITHER else ""))
    if known:
        t.put(first.words, second.words, *map(phrases.items, lists[:sides]))
    return known


def _tally_pairs(a: Analysis, m: Metric) -> Tally:
    """How the comparisons of all pairs end."""
    t = Tally()
    for cell in a.cells:
        for second in MODES[:cell.mode.index]:
            t.add(a.compare_modes(cell, a.peer(cell, second), m))
    return t


def _put_pairs(out: Answer, m: Metric, tally: Tally) -> int:
    """Returns the number of pairs."""
    cost, by_medians = m.better is Better.LOWER, tally.is_untested
    sides = _UNTESTED + 1 if tally.untested and not by_medians else _UNTESTED
    t = out.table(f"Each pair by {m.words}, at each message size{' (no change is certain)' if by_medians else ''}:",
                  "Way to send", "Against", "Cheaper at" if cost else "Faster at",
                  "Costs more at" if cost else "Slower at", "No difference at",
                  *(["Too few rounds at"] if sides > _UNTESTED else []))
    nr = sum(_put_pair(out.a, t, first, second, m, by_medians, sides)
             for first in MODES for second in MODES[:first.index])
    out.end_table()
    return nr


def _pairs(out: Answer) -> None:
    a, cost = out.a, out.a.cost()
    t, costs = _tally_pairs(a, metric.GBPS), _tally_pairs(a, cost)
    nr = _put_pairs(out, metric.GBPS, t)
    if not nr:
        out.say("Not measured: no size and thread count has the throughput of two modes.")
        return
    out.answered = not t.is_untested
    out.say(f"{nr} pair{plural(nr)} of ways to send {'is' if nr == 1 else 'are'} compared.")
    if not out.answered:
        out.say(f"{answer.cannot_claim(a)}.")
    if not _put_pairs(out, cost, costs) or costs.of < t.of:
        out.lack_cost(f", or where {SOFTIRQ_UNKNOWN}")


def _put_cheapest(a: Analysis, t: Table, size: int, threads: int, best: Mode, m: Metric) -> Finding:
    """The two cheapest modes of a setting. Returns how the second one compares with the first."""
    cell = a.cell(best, size, threads)
    second = leaders.best_median(a, size, threads, m, best)
    after = a.cell(second, size, threads)
    f = a.compare_modes(after, cell, m)
    runner_up = ("none", "", "")
    if second:
        runner_up = second.words, phrases.value(m, a.estimate(after, m).median), finding_cell(f)
    t.put(phrases.size(size), phrases.threads(threads), best.words, phrases.value(m, a.estimate(cell, m).median),
          *runner_up)
    return f


def _cheapest(out: Answer) -> None:
    a, m, tally, withheld = out.a, out.a.cost(), Tally(), False
    if not a.has(m):
        out.say(f"Not measured: {a.reason(m)}.")
        return
    t = out.table(f"The cheapest way to send a message, by the median{out.unless_certain()}:", "Message size",
                  "Threads", "Cheapest", m.words, "Runner-up", m.words, "Runner-up costs")
    for size in a.sizes:
        for n in a.threads:
            best = leaders.best_median(a, size, n, m)
            if best is None:
                continue
            if leaders.rank(a, size, n, m).withheld:
                withheld = True
                t.put(phrases.size(size), phrases.threads(n), "not known", "", "", "", SOFTIRQ_UNKNOWN)
            else:
                tally.add(_put_cheapest(a, t, size, n, best, m))
    out.end_table()
    out.answered = not tally.is_untested
    if not out.answered and withheld:
        out.say(f"Not known: {SOFTIRQ_UNKNOWN}.")
    elif not tally.of:
        out.say(f"Not measured: no size and thread count has the {m.words} of two modes.")
    elif not out.answered:
        out.say(f"{answer.cannot_claim(a)}.")
    else:
        out.say(f"The runner-up costs more for certain in {tally.higher} of {tally.of} setting{plural(tally.of)}.")


# ---- all of them

QUESTIONS: tuple[tuple[str, Callable[[Answer], None]], ...] = (
    ("Why does zero-copy not always give the best throughput?", _zerocopy),
    ("Which cache level shows the most reduction in misses, and from which stage does it come?", _cache),
    ("How does the thread count interact with cache contention?", answer_threads.make),
    ("At which message size does one-copy outperform two-copy on this system?", _one_over_two),
    ("At which message size does zero-copy outperform two-copy on this system?", _zero_over_two),
    ("What is unexpected in this data, and which measurement explains it?", answer_unexpected.make),
    ("At which size is one way to send ahead of another?", _pairs),
    ("What is the cheapest way to send here?", _cheapest))


def make_all(a: Analysis) -> list[Answer]:
    """In the order of QUESTIONS."""
    answers = []
    for question, make in QUESTIONS:
        answers.append(Answer(a, question))
        make(answers[-1])
    return answers
