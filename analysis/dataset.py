# SPDX-License-Identifier: GPL-2.0-only
"""Results read back: the runs of a results directory, a result document or a CSV file as rows of numbers."""
from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import metric
from .metric import Metric
from .tables import Mode, Part, Stage

Json = Any  # a value of a JSON document


@dataclass
class Names:
    """The user's options for reading a CSV file of another program, and --congestion."""

    columns: str | None = None  # "mode=impl,size=msg_size": ours=theirs
    modes: str | None = None  # "A1=twocopy,A2=onecopy": theirs=ours
    congestion: str | None = None  # only runs with it; None: that of the first run with one
    column: list[str] = field(default_factory=list)  # NAME=FIELD, each from one --column
    rounds_from_repeats: bool = False


@dataclass(eq=False)
class Row:
    """One run."""

    mode: Mode
    size: int
    threads: int  # 0: the data does not say
    round: int
    imported: bool = False  # of another program: its figures may be rounded
    values: list[float] = field(default_factory=lambda: [metric.NAN] * len(metric.ALL))
    verdict: str = ""

    def __getitem__(self, m: Metric) -> float:
        return self.values[m.index]

    @property
    def cell(self) -> tuple[int, int, int]:
        """Mode, size and threads, which make a cell."""
        return self.mode.index, self.size, self.threads

    def figures(self) -> tuple[tuple[int, int, int], int, bytes]:
        """Sorts runs of one round by their figures, so that copies are adjacent."""
        return self.cell, self.round, struct.pack(f"<{len(self.values)}d", *self.values)


class Failure(NamedTuple):
    """A run that failed."""

    mode: str
    size: int
    threads: int
    round: int
    reason: str


@dataclass
class Bucket:
    """low and high in ns, both inclusive; high is low where the document has null."""

    low: float
    high: float
    count: float


Stacks = dict[tuple[int, str], int]  # samples by owner (tables.OWNERS) and frames, outermost first


@dataclass
class Dataset:
    """Rows are in order of mode, size, threads, round. hists and stacks are of all rounds of a mode, size and thread
    count together; buckets ascend."""

    names: Names = field(default_factory=Names)
    rows: list[Row] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    hists: dict[tuple[Mode, int, int, Stage | Part], list[Bucket]] = field(default_factory=dict)
    stacks: dict[tuple[Mode, int, int], Stacks] = field(default_factory=dict)
    environment: dict[str, Json] | None = None  # of the first run; values of a CSV are strings; None: unknown
    load: dict[str, list[float]] = field(default_factory=dict)  # what else the machine did: of each document
    environment_varies: bool = False  # not every run has the same
    conditions: dict[str, str] = field(default_factory=dict)  # of all runs: runs made otherwise are not pooled
    version: str | None = None  # of the tool; None: unknown
    backend: str | None = None
    seed: str | None = None  # of a sweep's order of runs
    reason: dict[Metric, str] = field(default_factory=dict)  # why a number is missing, from the data
    interrupted: int = 0  # runs that were ended early
    copies_of: set[str] = field(default_factory=set)  # whose ledger.copies_per_byte is: "sender", "both"; of some runs
    copies_exclude: set[Stage] = field(default_factory=set)  # stages that it leaves out in some run
    congestion: str | None = None  # the senders'; None: the data does not say
    others: list[str] = field(default_factory=list)  # congestion controls of runs that were left out, each once
    unnamed: int = 0  # runs that were left out since they do not say their congestion control
    notes: list[str] = field(default_factory=list)  # of imported data: how it was read, for the head of a report
    unread: str | None = None  # the note on columns that were not read; None: all were
    lacking: str | None = None  # of imported data: why a number is missing
