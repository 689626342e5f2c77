# SPDX-License-Identifier: GPL-2.0-only
"""Names in CSV files: which number a column holds, and which mode a word means.

docs/reference/report.md describes the rules; the tables below are the rules.
"""
from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

from . import tables
from .csv_units import find_unit, flat, flat_unit, OPEN_UNITS
from .tables import COUNTERS, LATENCIES, Mode, MODES, ONECOPY, parse_mode, PATH_PARTS, TWOCOPY, ZEROCOPY

NAME_LEN = 127
ENVIRONMENT = "environment_"
_WORD_LEN = 63

# Words for a mode, without case and punctuation. First whole values, then parts of a value, in this order.
_WHOLE_WORDS = ((ZEROCOPY, "zc"), (TWOCOPY, "send write standard"), (ONECOPY, "sendmsg writev iovec scattergather"))
_PART_WORDS = ((ZEROCOPY, "zerocopy zcopy 0copy"), (ONECOPY, "onecopy 1copy singlecopy"),
               (TWOCOPY, "twocopy 2copy doublecopy baseline traditional"))

# What names no mode: no_zerocopy, nonzerocopy, without zc, zerocopy=off.
_NEGATED = re.compile(r"(?<![a-z])(?:no|non|not|without)(?:[\W_]|(?=(?:zero|one|single|two|double|[z012])[\W_]?c)).*"
                      r"|.*(?<![a-z])(?:off|false|disabled)\W*$", re.DOTALL)


class Field(NamedTuple):
    """What a column can hold.

    key: where a run of the document has it; without a dot and with a capital it is a key of the row, not a number.
    assumed: the unit where the header states none. names: preferred ones first. bare: names that need a unit after
    them ("." is the unit alone).
    """

    name: str
    key: str
    dimension: str | None
    assumed: str | None
    names: str
    bare: str


FIELDS = tuple(Field(*row) for row in (
    ("mode", "Mode", None, None, "mode implementation impl variant approach method copymode sendmode type version", ""),
    ("copies", "Mode", None, None, "copies numcopies copycount", ""),
    ("size", "Size", "size", None, "size messagesize msgsize msgbytes messagebytes messagelength msglen payloadsize "
     "buffersize bufsize", ""),
    ("field_size", "FieldSize", "size", None, "fieldsize fieldbytes fieldlength fieldlen bytesperfield", ""),
    ("threads", "Threads", "count", None, "threads threadcount numthreads nthreads nrthreads thread workers "
     "workercount numworkers nworkers clients clientcount numclients nclients connections connectioncount "
     "numconnections conns numconns nconns concurrency", ""),
    ("round", "Round", "count", None, "round roundid run runid runno iteration iter trial repetition repeat rep "
     "attempt", ""),
    ("fields", "Fields", "count", None, "fields numfields nfields fieldcount fieldspermessage", ""),
    ("interrupted", "Interrupted", None, None, "interrupted", ""),
    ("verdict_text", "Verdict", None, None, "verdicttext", ""),
    ("throughput", "app.throughput_gbps", "rate", "Gbit/s", "throughput totalthroughput aggregatethroughput "
     "avgthroughput meanthroughput averagethroughput goodput bandwidth bw", ". total aggregate avg mean average rate"),
    ("latency", "latency_ns", "ns", "us", "latency avglatency meanlatency averagelatency latencyavg latencymean "
     "medianlatency latencymedian latencyp50 p50latency latency50 onewaylatency avgoneway weightedavgoneway oneway rtt "
     "avgrtt lat avglat", "avg mean average median p50"),
    ("duration", "duration_s", "s", "s", "duration elapsed elapsedtime timeelapsed secondstimeelapsed runtime walltime "
     "testduration time totaltime", ""),
    ("bytes", "app.rx_bytes", "bytes", None, "bytes totalbytes bytesreceived receivedbytes rxbytes bytestransferred "
     "transferredbytes totaldata", "total received transferred data"),
    ("bytes_sent", "app.tx_bytes", "bytes", None, "bytessent sentbytes txbytes", "sent"),
    ("messages", "app.rx_messages", "count", None, "messages totalmessages msgs totalmsgs nummessages nummsgs "
     "messagecount msgcount messagesreceived msgsreceived rxmessages", ""),
    ("messages_sent", "app.tx_messages", "count", None, "messagessent msgssent txmessages sentmessages", ""),
    ("cycles", "perf.cycles", "count", None, "cycles cpucycles totalcycles", ""),
    ("instructions", "perf.instructions", "count", None, "instructions totalinstructions instr insns", ""),
    ("l1d_misses", "perf.l1d_misses", "count", None, "l1dmisses l1misses l1dcacheloadmisses l1dloadmisses l1miss "
     "l1dmiss l1cachemisses l1dcachemisses l1loadmisses l1cachemiss", ""),
    ("llc_references", "perf.llc_references", "count", None, "llcreferences llcrefs llcloads cachereferences cacherefs",
     ""),
    ("llc_misses", "perf.llc_misses", "count", None, "llcmisses llcloadmisses llcmiss llccachemisses llcloadmiss "
     "l3misses l3cachemisses lastlevelcachemisses cachemisses cachemiss", ""),
    ("dtlb_misses", "perf.dtlb_misses", "count", None, "dtlbmisses dtlbloadmisses dtlbmiss tlbmisses", ""),
    ("branches", "perf.branches", "count", None, "branches branchinstructions", ""),
    ("branch_misses", "perf.branch_misses", "count", None, "branchmisses branchmiss branchmispredicts", ""),
    ("context_switches", "perf.context_switches", "count", None, "contextswitches contextswitch ctxswitches ctxswitch "
     "ctxtswitches ctxsw cswitches csw cs", ""),
    ("cpu_migrations", "perf.cpu_migrations", "count", None, "cpumigrations cpumigration migrations", ""),
    ("page_faults", "perf.page_faults", "count", None, "pagefaults pagefault pgfaults faults", ""),
    ("task_clock", "perf.task_clock_ns", "ns", "ms", "taskclock", ""),
    ("zerocopy_sends", "app.zerocopy.sends", "count", None, "zerocopysends zcsends", ""),
    ("completions", "app.zerocopy.completed", "count", None, "completions zerocopycompletions zccompletions", ""),
    ("copied_completions", "app.zerocopy.copied", "count", None,
     "copiedcompletions completionscopied zerocopycopied zccopied", ""),
    ("enobufs", "app.zerocopy.enobufs", "count", None, "enobufs", ""),
))

# Read as unknown where they are 0 in a row without a cycle or an instruction.
HARDWARE = frozenset(f"perf.{c.key}" for c in COUNTERS
                     if c.key not in ("context_switches", "cpu_migrations", "page_faults", "task_clock_ns"))
MAY_BE_NEGATIVE = frozenset(("ledger.unaccounted_tx", "ledger.unaccounted_rx"))


def _any_of(parts: tuple[Any, ...]) -> str:
    return "|".join(p.key for p in parts)


# Columns of netiotrace's own CSV, known by their exact names: the groups are the keys of the path in a run.
OWN = re.compile("|".join((
    "(duration_s|latency_ns)", "(app)_([rt]x_(?:bytes|messages)|throughput_gbps|cpu_s_per_gb)",
    "(app)_(replies)_(rx_bytes)", "(app)_(cpu_s)_(sender|receiver)", "(app)_(tcp)_(bytes_retrans)",
    "(cpu)_(softirq)_(ns_per_kib(?:_at_most)?)", "(cpu)_(sender|receiver)_(samples)",
    "(app)_(zerocopy)_(sends|completed|copied|enobufs)",
    f"(app)_(latency_ns)_({_any_of(LATENCIES)})_(p50|p99|count)",
    "(ledger)_(copies_per_byte(?:_at_most)?|unaccounted_[rt]x)",
    f"(ledger)_({_any_of(tables.STAGES)})_(timed_bytes|bytes|ns)",
    "(kernel_zerocopy)_(copied(?:_at_most)?)", "(verdict)_(copied_fraction)", "(times)_(messages)",
    "(health)_(missed)", f"(path_ns)_({_any_of(PATH_PARTS)})",
    f"(perf)_(sender|receiver)_({_any_of(COUNTERS)})_(value|kernel)", f"(perf)_({_any_of(COUNTERS)})",
    f"(cpu)_(sender|receiver|(?:receiver_)?elsewhere)_(ns_per_kib)_({_any_of(tables.CPU_CLASSES)})_(value)")))
# Columns of results.csv of a sweep, by their exact names: where a run of a document has the number, and the column's
# unit in the document's. Its other columns follow from these.
_RESULTS_BEGIN = ["mode", "size", "threads", "congestion_control", "round"]
_RESULTS = {f"{name}_{p}_us": (f"app.latency_ns.{kind}.{p}", 1e3) for p in ("p50", "p99") for name, kind in (
    ("send", "send_call"), *((kind, kind) for kind in ("delivery", "half_round_trip", "completion", "slot_wait")))}
_RESULTS |= {"throughput_gbps": ("app.throughput_gbps", 1), "copies_per_byte": ("ledger.copies_per_byte", 1),
             "copies_per_byte_at_most": ("ledger.copies_per_byte_at_most", 1), "duration_s": ("duration_s", 1),
             "copied_fraction": ("verdict.copied_fraction", 1), "payload_bytes": ("app.rx_bytes", 1),
             "cpu_ns_per_kib": ("app.cpu_s_per_gb", 1 / 1024), "softirq_ns_per_kib": ("cpu.softirq.ns_per_kib", 1),
             "softirq_ns_per_kib_at_most": ("cpu.softirq.ns_per_kib_at_most", 1)}
_RESULTS_ALONE = frozenset(_RESULTS) - {"throughput_gbps", "duration_s"}  # read in any file: a part of results.csv
PAYLOAD = "payload_bytes"  # in files of others that of a message: read only beside another name of results.csv
OF_RESULTS = _RESULTS_ALONE - {PAYLOAD}
_RESULTS |= {c.key: (f"perf.{c.key}", 1) for c in COUNTERS}
_SIDES = (("client", "sender"), ("sender", "sender"), ("server", "receiver"), ("receiver", "receiver"))


def same(a: str, b: str) -> bool:
    """Do names have the same letters and digits?"""
    return flat(a).lower() == flat(b).lower()


class Match(NamedTuple):
    """How a name of a header is understood. rank: of the name among those of its field, from 1; 0: an exact name."""

    field: str
    key: str
    dimension: str | None = None
    scale: float = 1.0
    unit: str = ""
    rank: int = 0
    assumed: bool = False  # the unit is

    @property
    def is_number(self) -> bool:
        return self.key[0].islower()


def _by_name(rows: list[str]) -> dict[str, list[tuple[int, int]]]:
    """Name -> its fields: number in the table, and place among the names of the field."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, names in enumerate(rows):
        for place, name in enumerate(names.split(), 1):
            found.setdefault(name, []).append((number, place))
    return found


_NAMES, _BARE_NAMES = _by_name([f.names for f in FIELDS]), _by_name([f.bare for f in FIELDS])


def _unit_of(field: Field, unit: str | None) -> tuple[float, str] | None:
    if unit is not None:
        return find_unit(unit, field.dimension)
    if field.assumed:
        found = find_unit(flat(field.assumed), field.dimension)
        return (found[0], field.assumed) if found else None
    return 1.0, "B" if field.dimension in ("size", "bytes") else ""


def _match_whole(name: str, unit: str | None = None) -> Match | None:
    """A name without a unit, or with this one after it."""
    lower = name.lower()
    candidates = _NAMES.get(lower, [])
    if unit is not None:
        candidates = sorted(candidates + _BARE_NAMES.get(lower or ".", []))
    for number, rank in candidates:
        field = FIELDS[number]
        found = _unit_of(field, unit)
        if found:
            assumed = bool(field.assumed) if unit is None else unit in OPEN_UNITS
            return Match(field.name, field.key, field.dimension, *found, rank, assumed)
    return None


def _match_side(name: str) -> Match | None:
    """client_cycles, llc_misses_server: a counter of one side."""
    lower = name.lower()
    for word, side in _SIDES:
        rest = (name[len(word):] if lower.startswith(word) else name[:-len(word)] if lower.endswith(word) else "")
        match = _match_whole(rest) if rest else None
        if match:
            if not match.key.startswith("perf."):
                return None
            path = f"perf.{side}.{match.key.split('.')[1]}.value"
            return match._replace(key=path, field=path)
    return None


@functools.lru_cache(maxsize=4096)
def match_name(name: str) -> Match | None:
    """The match of a column's name; None: no field has this name."""
    own = OWN.fullmatch(name)
    if own:
        path = ".".join(group for group in own.groups() if group)
        return Match(path, path, "count", unit="s" if path == "duration_s" else "")
    if name in _RESULTS_ALONE:
        path, scale = _RESULTS[name]
        return Match(path, path, "count", scale)
    if name.startswith(ENVIRONMENT):
        return Match("environment", "Environment")
    brackets = re.fullmatch(r"([^(\[]*)[(\[]([^)\]]*)[)\]]\s*", name)
    if brackets:
        return _match_whole(flat(brackets.group(1)), flat_unit(brackets.group(2)))
    text = flat(name)
    if not 0 < len(text) <= NAME_LEN:
        return None
    match = _match_whole(text)
    for length in range(len(text) - 1, -1, -1) if flat_unit(name) else ():
        match = match or _match_whole(text[:length], text[length:])
    return match or _match_side(text)


def match_told(field: str, name: str) -> Match | None:
    """The match of a field that the user gives a column; a unit in brackets behind the column's name is the field's."""
    brackets = re.search(r"[(\[][^)\]]*[)\]]\s*$", name)
    return (match_name(field + brackets.group()) if brackets else None) or match_name(field)


def results_columns(names: list[str]) -> dict[str, Match] | None:
    """The matches of the columns of results.csv; None: the header is of another file."""
    if names[:len(_RESULTS_BEGIN)] != _RESULTS_BEGIN:
        return None
    matches = {name: match for name in _RESULTS_BEGIN if (match := match_name(name))}
    matches["congestion_control"] = Match("environment", "Environment")
    matches.update((name, Match(path, path, "count", scale)) for name, (path, scale) in _RESULTS.items())
    return matches


def mode_by_name(text: str) -> Mode | None:
    """A name of this program, a number, or a part of the exercise that this experiment is set as."""
    mode = parse_mode(text)
    return mode if mode and (mode in (TWOCOPY, ONECOPY, ZEROCOPY) or not text[-1].isdigit()) else None


def mode_by_word(text: str) -> Mode | None:
    word = flat(_NEGATED.sub("", text[:NAME_LEN].lower()))[:_WORD_LEN]
    return (next((mode for mode, words in _WHOLE_WORDS if word in words.split()), None)
            or next((mode for mode, words in _PART_WORDS if any(part in word for part in words.split())), None))


def mode_number(text: str) -> tuple[int, bool] | None:
    """The digit at the end of '2', 'A2', 'v2', 'part_2', and whether it is alone; None: there is none."""
    word = flat(text)[:_WORD_LEN]
    if not word or text.startswith("-") or word[-1] not in "0123" or word[-2:-1].isdigit():
        return None
    return int(word[-1]), len(word) == 1


def is_numbered(levels: list[str]) -> bool:
    """Have all values a number, with the same letters before it?"""
    heads = {flat(level).lower()[:_WORD_LEN][:-1] for level in levels}
    return len(levels) > 1 and len(heads) == 1 and all(mode_number(level) for level in levels)


def mode_list() -> str:
    """The ways to write a mode."""
    return (f"twocopy (0, A1), onecopy (1, A2), zerocopy (2, A3), {', '.join(m.name for m in MODES[3:-1])} and "
            f"{MODES[-1].name}")
