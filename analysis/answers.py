# SPDX-License-Identifier: GPL-2.0-only
"""The questions and their answers; answer_threads.py and answer_unexpected.py have two of them."""
from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from . import answer, answer_threads, answer_unexpected, best_modes, metric, overall, stats, wording
from .answer import Answer, finding_cell, Table, Tally
from .best_modes import Ranking
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


def _put_setting(a: Analysis, zc: Cell | None, s: _Standing) -> str:
    """Against the copying mode with the highest median. It is faster only if it is faster than each."""
    rivals = [c for mode in MODES if zc and mode.has(COPIES) and not mode.has(PINS) and (c := a.peer(zc, mode))
              and a.estimate(c, metric.GBPS).n]
    rival = max(rivals, key=lambda c: a.estimate(c, metric.GBPS).median, default=None)
    f = a.compare(zc, rival, metric.GBPS)
    if f.difference is Difference.HIGHER and any(a.compare(zc, c, metric.GBPS).difference is not Difference.HIGHER
                                                 for c in rivals):
        f.difference = Difference.NOISE
    s.tally.add(f)
    if zc and rival and not math.isnan(f.change) and not (s.worst and f.change >= s.change):
        s.worst, s.change = (zc, rival), f.change
    if not rival or f.difference in (Difference.UNKNOWN, Difference.NOISE):
        return finding_cell(f)
    return f"{wording.change_of(f)} ({rival.mode.words})"


def _why_unexplained(a: Analysis) -> str:
    """Counters of whole runs cannot be compared before it is known how many bytes they are for."""
    if any(a.has(metric.perf_both(c)) for c in COUNTERS) and not a.has(metric.PAYLOAD):
        return ("Not shown: why, because the data has no ledger, and costs per byte need the length of the runs: give "
                "--duration.")
    return "Not shown: why, because the data has neither a ledger nor CPU times nor counters."


def _put_costs(out: Answer, cell: Cell, rival: Cell, change: float) -> bool:
    """What may explain the worst setting. Returns whether anything does."""
    t = out.table(f"{'Largest deficit' if change < 0 else 'Smallest gain'} of the medians, {wording.cell(cell)}:",
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
        t.put(what, wording.estimate(m, f.a), wording.estimate(m, f.b), finding_cell(f))
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
        t.put(wording.size(size), *(_put_setting(a, a.cell(mode, size, n), s) for n in a.threads))
    if not s.tally.of:
        out.tables.pop()
        out.say(a.not_measured(metric.GBPS, f"no size and thread count has the throughput of {mode.words} and of a "
                                            "mode that copies"))
        return
    # The cause first: the kernel's action, if the data has it.
    if copied is not None:
        out.say(copied)
    else:
        out.lack(f"Not shown: whether the kernel copied after all, because {answer.why_uncounted(a, mode)}.")
    if s.tally.is_untested:
        out.say(f"{answer.cannot_claim(a)}.")
    out.say(f"{mode.words}{s.tally.words('faster', 'slower than the faster copying mode', True)}.")
    known = bool(s.worst and _put_costs(out, *s.worst, s.change)) or copied is not None
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
    """ "; first shown at 4 KiB with 1 thread (+13.3 %; +10.1 % to +16.0 %)"; "": nowhere for certain."""
    for size in a.sizes:
        for n in a.threads:
            f = a.compare(a.cell(first, size, n), a.cell(TWOCOPY, size, n), metric.GBPS)
            if f.difference is Difference.HIGHER:
                return f"; first shown at {wording.size(size)} with {wording.threads(n)} ({wording.change_of(f)})"
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
        out.say(a.not_measured(metric.GBPS, f"no size and thread count has the throughput of both {first.words} and "
                                            "two-copy"))
    elif out.answered and not t.higher and not t.untested:
        out.say(f"At no size up to {wording.size(a.sizes[-1])}{because}: {first.words}{counts}.")
    else:
        out.say(f"{first.words}{counts}{_first_lead(a, first)}.")
    disagreement = best_modes.disagreement(a, first, metric.GBPS)
    if disagreement is not None:
        out.say(disagreement)
    if not out.compare(first, TWOCOPY, a.cost()).of:
        out.lack_cost()


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
    raw: Metric
    metric: Metric  # per KiB, or of a whole run if the payload is unknown
    change: float  # in the median setting
    tally: Tally
    values: overall.Values  # as a share of those of two-copy, round by round

    @property
    def falls(self) -> bool:
        """In most settings."""
        return self.change < 0 and self.tally.lower * 2 > self.tally.of

    def words(self) -> str:
        return f"{self.level} with {self.mode.words} ({wording.change(self.change)})"


# A cache level: its misses in a run as counted, and for each KiB where the payload is known.
_LEVELS = (("L1D", metric.L1D_MISSES, metric.L1D_MISSES_PER_KIB), ("LLC", metric.LLC_MISSES, metric.LLC_MISSES_PER_KIB))


def _misses(a: Analysis, mode: Mode, level: str, raw: Metric, per_kib: Metric) -> _Misses:
    m = per_kib if a.has(per_kib) else raw
    found = _Misses(mode, level, raw, m, math.nan, Tally(), {})
    changes = []
    for cell in a.cells:
        two = a.peer(cell, TWOCOPY)
        f = a.compare(cell, two, m)
        if cell.mode is mode and two and not math.isnan(f.change):
            changes.append(f.change)
            found.tally.add(f)
            of_two = {a.block(row): row[m] for row in two.rows}
            found.values.update(overall.values(a, cell, two, of_two, m))
    found.change = stats.median(changes)
    return found


def misses(a: Analysis) -> list[_Misses]:
    """Of each mode but two-copy and each level, where a setting has them."""
    found = (_misses(a, mode, *level) for mode in MODES if mode is not TWOCOPY for level in _LEVELS)
    return [x for x in found if x.tally.of]


def falls_most(a: Analysis, known: list[_Misses]) -> list[_Misses]:
    """Those of which no other one falls more for certain."""
    share = min(a.dependence(x.metric, True).share for x in known)
    return overall.best([(x, x.values) for x in known], True, share)


def _say_best(out: Answer, known: list[_Misses]) -> None:
    """Most settings have to fall, or all levels to rise in most settings."""
    falls = [x for x in known if x.falls]
    all_rise = all(x.tally.higher * 2 > x.tally.of for x in known)
    out.answered = bool(falls) or all_rise
    of = "per KiB" if any(x.metric.formula for x in known) else "of a whole run"
    if all(x.tally.is_untested for x in known):
        out.say(f"{answer.cannot_claim(out.a)}.")
        out.say(f"Misses {of} against two-copy, by the medians alone, in the median setting: "
                f"{wording.items([x.words() for x in known])}.")
        return
    if not falls:
        why = (": the misses of all levels rise against two-copy in most settings" if all_rise else
               " outside the noise: no level has fewer misses than with two-copy in most settings")
        out.say(f"None{why}.")
        return
    best = falls_most(out.a, known)
    named = wording.items([x.words() for x in best if x.falls] or [x.words() for x in falls])
    one = len(best) == 1 and best[0].falls
    out.say(f"Misses {of} fall {'most ' if one else ''}against two-copy, in the median setting: {named}.")
    if not one:
        out.say("Which of all levels and modes falls most is not certain.")


def _put_levels(out: Answer) -> None:
    """Those of all levels and modes that fall most first."""
    known = misses(out.a)
    if not known:
        out.say("Not measured: no setting has the misses of two-copy and of another mode.")
        return
    _say_best(out, known)
    for x in known:
        out.compare(x.mode, TWOCOPY, x.raw)
    out.lack("Not shown: misses by stage, because the counters count a whole side.")


def _put_copies(out: Answer) -> bool:
    """From the ledger, at the setting of two-copy that received most bytes."""
    a = out.a
    two = a.peak(TWOCOPY, metric.RX_BYTES)
    if not two:
        return False
    t = out.table(f"Copies per byte by stage, from the ledger, at {wording.size(two.size)}, "
                  f"{wording.threads(two.threads)}:", "Stage", *(mode.words for mode in a.modes))
    known = False
    for stage in STAGES:
        m = metric.stage_cpb(stage)
        if stage.is_copy and a.has(m):
            estimates = [a.estimate(a.peer(two, mode), m) for mode in a.modes]
            t.put(stage.heading, *(wording.value(m, e.median) for e in estimates))
            known |= any(e.n for e in estimates)
    out.end_table()
    return known


def _cache(out: Answer) -> None:
    a = out.a
    stages = StageFindings(a)
    if a.has(metric.L1D_MISSES) or a.has(metric.LLC_MISSES):
        _put_levels(out)
    else:
        out.say(f"Not measured: {a.reason(metric.L1D_MISSES)}.")
    for sentence in stages.sentences():
        out.say(sentence)
    stages.put_table(out)
    if not _put_copies(out) and not stages.list:
        out.lack("Not shown: from which stage the reduction comes, because the data has neither a ledger nor CPU "
                 "samples.")


# ---- each pair of modes by size, and the cheapest mode of each setting

# Sides: the first mode is better, worse... Where nothing is tested: its median is higher, lower.
_BETTER, _WORSE, _NEITHER, _UNTESTED = range(4)


def _side(f: Finding, m: Metric, by_medians: bool) -> int:
    if f.difference.untested and not by_medians:
        return _UNTESTED
    return {1: _BETTER, -1: _WORSE, 0: _NEITHER}[f.sign if by_medians else best_modes.better(f, m)]


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
            low, high = functools.reduce(stats.least, changes), functools.reduce(stats.most, changes)
            words.append(wording.size(size) + counts + (f" ({wording.range_(low, high)})" if side < _NEITHER else ""))
    if known:
        t.put(first.words, second.words, *map(wording.items, lists[:sides]))
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
    heads = (("Higher median at", "Lower median at", "Equal at") if by_medians else
             ("Cheaper at", "Costs more at", "No difference at") if cost else
             ("Faster at", "Slower at", "No difference at"))
    t = out.table(f"Each pair by {m.words}, at each message size{' (no change is certain)' if by_medians else ''}:",
                  "Way to send", "Against", *heads, *(["Too few rounds at"] if sides > _UNTESTED else []))
    nr = sum(_put_pair(out.a, t, first, second, m, by_medians, sides)
             for first in MODES for second in MODES[:first.index])
    out.end_table()
    return nr


def _pairs(out: Answer) -> None:
    a, cost = out.a, out.a.cost()
    t, costs = _tally_pairs(a, metric.GBPS), _tally_pairs(a, cost)
    nr = _put_pairs(out, metric.GBPS, t)
    if not nr:
        out.say(a.not_measured(metric.GBPS, "no size and thread count has the throughput of two modes"))
        return
    out.answered = not t.is_untested
    out.say(f"{nr} pair{plural(nr)} of ways to send {'is' if nr == 1 else 'are'} compared.")
    if not out.answered:
        out.say(f"{answer.cannot_claim(a)}.")
    if not _put_pairs(out, cost, costs) or costs.of < t.of:
        out.lack_cost(f", or where {SOFTIRQ_UNKNOWN}")


def _put_best(a: Analysis, t: Table, size: int, threads: int, m: Metric) -> Ranking:
    """The modes of a setting, those than which none is better first. Returns the ranking."""
    r = best_modes.rank(a, size, threads, m)
    if not r.modes and not r.withheld:
        return r
    medians = sorted(((a.estimate(a.cell(mode, size, threads), m).median, mode.words) for mode in r.modes),
                     reverse=m.better is Better.HIGHER)
    worse = [f"{mode.words} than {than.words}, {finding_cell(f)}" for mode, than, f in
             list(zip(r.modes, r.than, r.behind))[r.best:] if than]
    group_ = (f"not known: {SOFTIRQ_UNKNOWN}" if r.withheld else f"not tested: {r.untested}" if r.untested else
              "no difference" if 1 < len(r.modes) == r.best else " or ".join(mode.words for mode in r.modes[:r.best]))
    t.put(wording.size(size), wording.threads(threads), group_ + (", the only one" if len(r.modes) == 1 else ""),
          ", ".join(f"{words} {wording.value(m, v)}" for v, words in medians), "; ".join(worse))
    return r


def _best(out: Answer, m: Metric, better: str, best: str, worse: str) -> None:
    """A row for each setting, and how often one mode is better than each other one."""
    a = out.a
    if not a.has(m):
        out.say(f"Not measured: {a.reason(m)}.")
        return
    t = out.table(f"The {best} way to send a message{out.unless_certain()}:", "Message size", "Threads",
                  best.capitalize(), f"{m.words}, medians", f"{worse} for certain")
    rankings = [r for size in a.sizes for n in a.threads if (r := _put_best(a, t, size, n, m)).is_comparison]
    out.end_table()
    tested = [r for r in rankings if r.is_tested]
    out.answered |= bool(tested)
    if not rankings:
        out.say(a.not_measured(m, f"no size and thread count has the {m.words} of two modes"))
    elif tested:
        ones = sum(r.winner is not None for r in tested)
        others = ((sum(r.withheld for r in rankings), "known"), (sum(bool(r.untested) for r in rankings), "tested"))
        out.say(f"One way is {better} than each other in {ones} of {len(rankings)} setting{plural(len(rankings))}"
                + "".join(f", not {word} in {n}" for n, word in others if n) + ".")
    elif any(r.withheld for r in rankings):
        out.say(f"Not known: {SOFTIRQ_UNKNOWN}.")
    else:
        out.say(f"{answer.cannot_claim(a)}.")


def _cheapest(out: Answer) -> None:
    _best(out, out.a.cost(), "cheaper", "cheapest", "Costs more")
    _best(out, metric.GBPS, "faster", "fastest", "Slower")


# ---- all of them

CHEAPEST_QUESTION = "What is the cheapest and the fastest way to send here?"
QUESTIONS: tuple[tuple[str, Callable[[Answer], None]], ...] = (
    ("Why does zero-copy not always give the best throughput?", _zerocopy),
    ("Which cache level shows the most reduction in misses, and from which stage does it come?", _cache),
    ("How does the thread count interact with cache contention?", answer_threads.make),
    ("At which message size does one-copy outperform two-copy on this system?", lambda out: _over_two(out, ONECOPY)),
    ("At which message size does zero-copy outperform two-copy on this system?", _zero_over_two),
    ("What is unexpected in this data, and which measurement explains it?", answer_unexpected.make),
    ("At which size is one way to send ahead of another?", _pairs),
    (CHEAPEST_QUESTION, _cheapest))


def make_all(a: Analysis) -> list[Answer]:
    """In the order of QUESTIONS."""
    answers = [Answer(a, question) for question, _ in QUESTIONS]
    for out, (_, make) in zip(answers, QUESTIONS):
        make(out)
    return answers
