# SPDX-License-Identifier: GPL-2.0-only
"""Made-up data sets with their analysis and answers."""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from analysis import answers, documents, metric
from analysis.answer import Answer
from analysis.dataset import Dataset, Row
from analysis.metric import Metric, NAN
from analysis.study import Analysis, Cell, Finding
from analysis.tables import Mode, MODES, ONECOPY, TWOCOPY, ZEROCOPY

KIB = 1024
ROUNDS = 7
# Questions, in the order of answers.QUESTIONS.
WHY_ZEROCOPY, CACHE, THREADS, ONE_OVER_TWO, ZERO_OVER_TWO, UNEXPECTED, PAIRS, CHEAPEST = range(8)


def put_values(row: Row, **values: float) -> None:
    """By the names in metric.py: put_values(row, RX_BYTES=1e9)."""
    for name, value in values.items():
        row.values[metric.METRICS[name].index] = value


def answer_text(answer: Answer) -> str:
    """All of an answer, a table's row as "cell | cell"."""
    lines = [answer.question, f"{'answered' if answer.answered else 'cannot say'}: {answer.headline}"]
    lines += [answer.cannot] if answer.cannot else []
    for table in answer.tables:
        lines += [table.title, *(" | ".join(row) for row in table.rows)]
    return "\n".join(lines) + "\n"


class Study:
    """A data set, empty at first. Rows are put before finish(), all else is asked after."""

    def __init__(self) -> None:
        self.dataset = Dataset()

    @property
    def rows(self) -> list[Row]:
        return self.dataset.rows

    def put(self, mode: Mode, size: int, threads: int, round_: int, gbps: float = NAN, **values: float) -> Row:
        """A run, sampled without softirq work on other tasks."""
        row = Row(mode, size, threads, round_)
        put_values(row, GBPS=gbps, SOFTIRQ=0, SOFTIRQ_AT_MOST=0)
        put_values(row, **values)
        self.rows.append(row)
        return row

    def put_rounds(self, mode: Mode, size: int, threads: int, gbps: float, noise: float, **values: float) -> list[Row]:
        """Seven rounds around a value, each off by up to this share of it."""
        off = (-1, 0.5, 0, -0.5, 1, 0.25, -0.25)
        turn = mode.index * 3 + size // KIB % 5  # a round is not 1 % faster as a whole
        return [self.put(mode, size, threads, r, gbps * (1 + noise * off[(r + turn) % ROUNDS]), **values)
                for r in range(ROUNDS)]

    def put_modes(self, size: int, threads: int, two: float, one: float, zero: float) -> None:
        """The throughputs of three modes, with little noise."""
        for mode, gbps in ((TWOCOPY, two), (ONECOPY, one), (ZEROCOPY, zero)):
            self.put_rounds(mode, size, threads, gbps, 0.01)

    def put_crossing(self, noise: float) -> None:
        """One-copy is 20 % slower below 16 KiB, equal there, 20 % faster above."""
        for i, factor in enumerate((0.8, 0.8, 1, 1.2, 1.2)):
            self.put_rounds(TWOCOPY, 4 * KIB << i, 1, 10.0 * (i + 1), noise)
            self.put_rounds(ONECOPY, 4 * KIB << i, 1, 10.0 * (i + 1) * factor, noise)

    def put_cost(self, mode: Mode, size: int, cpu_s: float, softirq: tuple[float, float] = (0, 0),
                 threads: int = 1) -> list[Row]:
        """Seven rounds with CPU time of about cpu_s + 0.1 s for 1 GB; softirq: least and most on other tasks, ns/KiB,
        NaN: not sampled."""
        off = (-1, 0.5, 0, -0.5, 1, 0.25, -0.25)
        rows = self.put_rounds(mode, size, threads, 10, 0, RX_BYTES=1e9, CPU_RECEIVER=0.1, SOFTIRQ=softirq[0],
                               SOFTIRQ_AT_MOST=softirq[1])
        for i, row in enumerate(rows):
            put_values(row, CPU_SENDER=cpu_s * (1 + off[(i + mode.index) % ROUNDS] / 100))
        return rows

    def finish(self, duration_s: float = NAN) -> Study:
        documents.finish(self.dataset, duration_s)
        return self

    @functools.cached_property
    def a(self) -> Analysis:
        return Analysis(self.dataset)

    @functools.cached_property
    def answers(self) -> list[Answer]:
        return answers.make_all(self.a)

    def text(self, question: int) -> str:
        return answer_text(self.answers[question])

    def table_cell(self, question: int, title: str, row: str, column: str) -> str:
        """The cell of the table whose title begins so."""
        table = next(t for t in self.answers[question].tables if t.title.startswith(title))
        found = next(r for r in table.rows[1:] if r[0] == row)
        return found[table.rows[0].index(column)]

    def cell(self, mode: Mode, size: int, threads: int = 1) -> Cell:
        found = self.a.cell(mode, size, threads)
        assert found
        return found

    def compare(self, x: Mode, y: Mode, size: int, m: Metric = metric.GBPS, threads: int = 1) -> Finding:
        """Two modes of one setting."""
        return self.a.compare(self.cell(x, size, threads), self.cell(y, size, threads), m)


# ---- complete data that answers every question, and variations

SIZES = (1 * KIB, 16 * KIB, 256 * KIB)
THREAD_COUNTS = (1, 8)
CELLS = 18  # of three modes


@dataclass
class Knobs:
    """What varies."""

    slower: float = 1  # factor on the throughput of 8 threads
    misses: float = 1  # on the misses of the modes that copy less
    larger: float = 1  # on the throughput of the largest messages
    rounds: int = ROUNDS
    no_counters: bool = False
    bare: bool = False  # throughput only
    wild: int = 0  # seed of independent numbers in each cell, some of them missing


class _Noise:
    """Factors up to 1.5 % off, the same in every run of the tests."""

    def __init__(self) -> None:
        self.state = 1

    def __call__(self) -> float:
        self.state = (self.state * 1103515245 + 12345) & 0xffffffff
        return 1 + 0.03 * ((self.state >> 16 & 0xfff) / 0xfff - 0.5)


def fill(row: Row, off: _Noise) -> None:
    """One-copy is slower for small and faster for large messages, zero-copy the reverse; it copies 3 of 4 sends."""
    size, n, zero = float(row.size), float(row.threads), row.mode is ZEROCOPY
    copies = 2 if row.mode is TWOCOPY else 1
    lead = 0.0 if row.mode is TWOCOPY else math.log2(size / 16384) * 0.12
    gbps = 10 * n / (1 + 0.08 * n * n) * size / (size + 8192) * (0.9 - lead / 2 if zero else 1 + lead) * off()
    moved = math.floor(gbps * 1e9 / 8)
    put_values(row, DURATION=1, GBPS=gbps, RX_BYTES=moved, TX_BYTES=moved, COPIES=copies + zero,
               CPU_SENDER=0.3 * n * copies * off(), CPU_RECEIVER=0.2 * n * off(), SOFTIRQ=0, SOFTIRQ_AT_MOST=0)
    send, send_p99 = size / 10 * copies * off(), 9 * off()
    delivery, delivery_p99 = size / 5 * n * off(), (40 if n > 4 else 8) * off()
    put_values(row, SEND_P50=send, SEND_P99=send * send_p99, DELIVERY_P50=delivery,
               DELIVERY_P99=delivery * delivery_p99, CYCLES=moved * copies * 0.5 * off(),
               L1D_MISSES=moved / 64 * copies * off(), LLC_MISSES=moved / 640 * (copies + n / 4) * off(),
               CONTEXT_SWITCHES=1000 * n * n * off(), BYTES_USER_GATHER=moved if row.mode is TWOCOPY else 0,
               BYTES_TX_COPY=0 if zero else moved, BYTES_RX_COPY=moved)
    if zero:
        sends = math.floor(moved / size)
        put_values(row, BYTES_DEFERRED_COPY=moved, ZC_SENDS=sends, ZC_COMPLETED=sends,
                   ZC_COPIED=math.floor(sends * 0.75), COPIED_FRACTION=0.75)
        row.verdict = "Delivered on this machine, so the kernel copied."


def _drawn(seed: int, cell: int, what: str, of: str) -> float:
    """0 to 1, a different one for each name: a new metric leaves the others unchanged."""
    x = (seed << 40) + (cell << 20) + 1
    for byte in (what + of).encode():
        x = (x ^ byte) * 0x100000001b3 & (1 << 64) - 1
    for shift, factor in ((30, 0xbf58476d1ce4e5b9), (27, 0x94d049bb133111eb)):
        x = (x ^ x >> shift) * factor & (1 << 64) - 1
    return float((x ^ x >> 31) >> 11) / 2.0 ** 53


def _make_wild(row: Row, seed: int, cell: int) -> None:
    """Each number is multiplied by 1/5 to 5; one in seven is missing. The last bit of exp() would depend on the CPU."""
    for m in metric.ALL:
        v = row[m]
        if not v > 0:
            v = 985 + 30 * _drawn(seed + 100 * (row.round + 1), cell, m.words, "")
        times = 8 * _drawn(seed, cell, m.words, " times") - 4
        v = v * (1 + times) if times > 0 else v / (1 - times)
        row.values[m.index] = NAN if _drawn(seed, cell, m.words, " lacks") < 1 / 7 else v


def _rounds_of(k: Knobs, cell: int) -> int:
    """Of wild data one cell in seven has none, and some have fewer."""
    if not k.wild:
        return k.rounds
    if _drawn(k.wild, cell, "rounds", " none") < 1 / 7:
        return 0
    return (k.rounds + 1) // 2 if _drawn(k.wild, cell, "rounds", " fewer") < 1 / 4 else k.rounds


def _vary(row: Row, k: Knobs, cell: int) -> None:
    gbps = row[metric.GBPS] * (k.slower if row.threads == 8 else 1) * (k.larger if row.size == SIZES[2] else 1)
    fewer = k.misses if row.mode is not TWOCOPY else 1
    put_values(row, GBPS=gbps, L1D_MISSES=row[metric.L1D_MISSES] * fewer, LLC_MISSES=row[metric.LLC_MISSES] * fewer)
    if k.no_counters:
        put_values(row, CYCLES=NAN, L1D_MISSES=NAN, LLC_MISSES=NAN)
    if k.bare:
        row.values[:] = [NAN] * len(row.values)
        put_values(row, GBPS=gbps)
        row.verdict = ""
    if k.wild:
        _make_wild(row, k.wild, cell)


def made(k: Knobs | None = None) -> Study:
    """Six cells of each of three modes, by size and threads."""
    k, s, off = k or Knobs(), Study(), _Noise()
    for cell in range(CELLS):
        for r in range(_rounds_of(k, cell)):
            row = s.put(MODES[cell // 6], SIZES[cell // 2 % 3], THREAD_COUNTS[cell % 2], r)
            fill(row, off)
            _vary(row, k, cell)
    return s.finish()
