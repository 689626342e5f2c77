# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of two made-up data sets: planted changes are found, noise is not; what the gate decides."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import goldens
import pytest
from made import KIB, Knobs, made, put_values, ROUNDS, Study

from analysis import compare, compare_output, documents, metric
from analysis.changes import Change, Changes, Gate, Kind, Untestable
from analysis.command_line import UsageError
from analysis.dataset import Failure
from analysis.metric import COPIED_FRACTION, COPIES, CPU_NS_PER_KIB, GBPS, IPC, Metric, NAN
from analysis.stats import Difference, Estimate, RANK_LEVEL
from analysis.study import Analysis, Cell, Finding
from analysis.tables import Mode, MODES, ONECOPY, STAGES, TWOCOPY, ZEROCOPY

OFF = (0, 0.5, -0.5, 0.25, -0.25, 0.1, -0.1)


def changes_of(before: Study, after: Study, gate: list[Metric] | None = None, by_name: bool = True) -> Changes:
    """Of all metrics; gate: all, unless they are given, or by_name is False."""
    return Changes([before.finish().a], [after.finish().a], metric.ALL, gate or (metric.ALL if by_name else None))


def find(c: Changes, mode: Mode, m: Metric) -> Change:
    return next(x for x in c.list if x.before.mode is mode and x.metric is m)


def rounds(mode: Mode, step: float = 0.0, **values: float) -> Study:
    """Seven rounds at 4 KiB; the last value grows by `step` in each."""
    s = Study()
    for r in range(ROUNDS):
        last = list(values)[-1]
        s.put(mode, 4 * KIB, 1, r, **{**values, last: values[last] + step * r})
    return s


def put_side(s: Study, mode: Mode, gbps: float, cpu_s: float, copies: float) -> None:
    for r in range(ROUNDS):
        s.put(mode, 4 * KIB, 1, r, gbps + OFF[r], CPU_SENDER=cpu_s + 0.06 * OFF[(r + 3) % ROUNDS], COPIES=copies,
              RX_BYTES=1e9, CPU_RECEIVER=0)


def side(slower: bool) -> Study:
    """One-copy: throughput 30 to 24, CPU time within its noise, copies the same. Zero-copy: faster, cheaper, more
    copies."""
    s = Study()
    put_side(s, ONECOPY, 24 if slower else 30, 0.29 if slower else 0.3, 2)
    put_side(s, ZEROCOPY, 12 if slower else 10, 0.7 if slower else 0.9, 2 if slower else 1)
    return s


# ---- whole texts


def compared(before: Study, after: Study) -> tuple[str, dict[str, Any]]:
    c = Changes([before.a], [after.a], {GBPS, metric.SEND_P50, COPIED_FRACTION})
    text = compare_output.text(c, "old.json", "new.json", 0.05, (), True)
    document: dict[str, Any] = compare_output.document(c, "old.json", "new.json", 0.05, ())
    return text, document


def test_a_lower_throughput_in_otherwise_equal_data() -> None:
    goldens.check("changes.txt", compared(made(), made(Knobs(0.8)))[0])


def test_other_machines_settings_failures_and_data_with_gaps() -> None:
    before, after = made(Knobs(wild=1)), made(Knobs(wild=2))
    before.dataset.environment = {"kernel": "6.1\x1b[2J", "cpus": 2, "load_average": 0.5, "virtual": True,
                                  "governor": None, "governor_reason": "none"}
    after.dataset.environment = {"kernel": "6.12", "cpus": 4, "load_average": 0.5, "virtual": False,
                                 "governor": "performance", "governor_reason": "some"}
    before.dataset.conditions, after.dataset.conditions = {"mtu": "1500"}, {"mtu": "9000"}
    after.dataset.failures.append(Failure("onecopy", 1024, 8, 2, "made up"))
    text, document = compared(before, after)
    goldens.check_digest("changes of irregular data", text.encode())
    assert "\x1b" not in text and ", 1 failed; " in text
    assert {key: of["before"] for key, of in document["environment_differs"].items()} == {
        "kernel": "6.1\x1b[2J", "cpus": "2", "virtual": "true", "mtu": "1500", "duration_s": "0.55"}


def test_differs_names_a_sysctl_a_quota_and_settings_of_the_receiver() -> None:
    before, after = made(Knobs()), made(Knobs())
    before.dataset.environment = {"tcp_wmem": "4096 16384 4194304", "cpu_quota": None, "cpu_quota_reason": "unlimited",
                                  "rmem_max": None, "rmem_max_reason": "permission was denied", "cpu_others": 0.25,
                                  "receiver": {"cpu_quota": 2, "rps_cpus": "0", "cpus": 4}}
    after.dataset.environment = {"tcp_wmem": "4096 4096 8192", "cpu_quota": 0.5, "rmem_max": 212992, "cpu_others": 0.5,
                                 "receiver": {"cpu_quota": None, "cpu_quota_reason": "unlimited", "rps_cpus": "3",
                                              "cpus": 4}}
    before.dataset.conditions, after.dataset.conditions = {"receiver.mtu": "1500"}, {"receiver.mtu": "9000"}
    assert list(Changes([before.a], [after.a], {GBPS}).environment().items()) == [
        ("tcp_wmem", ("4096 16384 4194304", "4096 4096 8192")), ("cpu_quota", ("unlimited", "0.5")),
        ("receiver.cpu_quota", ("2", "unlimited")), ("receiver.rps_cpus", ("0", "3")), ("cpu_others", ("0.25", "0.5")),
        ("receiver.mtu", ("1500", "9000"))]


@pytest.mark.parametrize(("knobs", "why"), [
    (Knobs(rounds=1), "42  one round on a side and so no interval"), (Knobs(rounds=2), "42  too few rounds")])
def test_too_few_rounds_have_no_verdict(knobs: Knobs, why: str) -> None:
    text, document = compared(made(knobs), made(Knobs(0, rounds=knobs.rounds)))
    assert "0 of 42 comparisons in 18 cells differ: 0 better, 0 worse." in text and why in text
    assert "Gate CANNOT TELL: see the message of --fail-on-regression." in text
    assert {c["verdict"] for c in document["changes"]} == {"cannot_say"}
    assert document["gate"] == "cannot_tell"


# ---- kinds of changes


def test_planted_changes_are_found() -> None:
    c = changes_of(side(False), side(True))
    assert (c.cells, len(c.list)) == (2, 6)
    kinds = {(x.before.mode, x.metric): x.kind for x in c.list}
    assert kinds == {(ONECOPY, GBPS): Kind.WORSE, (ONECOPY, CPU_NS_PER_KIB): Kind.NOISE, (ONECOPY, COPIES): Kind.NOISE,
                     # Lower is better for CPU time and copies.
                     (ZEROCOPY, GBPS): Kind.BETTER, (ZEROCOPY, CPU_NS_PER_KIB): Kind.BETTER,
                     (ZEROCOPY, COPIES): Kind.WORSE}
    f = find(c, ONECOPY, GBPS).f
    assert f.change == pytest.approx(-0.2)
    assert (f.b.low, f.b.high, f.tests) == (29.5, 30.5, 2)
    assert (c.of_kind[Kind.NOISE], c.different) == (2, 4)
    assert find(c, ONECOPY, GBPS).gate_p == pytest.approx(2 * 2 / math.comb(14, 7))  # p x comparisons of the metric
    assert find(c, ONECOPY, COPIES).gate_p == 1  # not 2
    assert set(x.kind for x in changes_of(side(True), side(True)).list) == {Kind.NOISE}


def test_one_round_is_no_difference() -> None:
    before, after = Study(), Study()
    before.put(ONECOPY, 4 * KIB, 1, 0, 30)
    after.put(ONECOPY, 4 * KIB, 1, 0, 3)
    c = changes_of(before, after)
    assert [x.kind for x in c.list] == [Kind.CANNOT_SAY]
    assert c.list[0].f.change == pytest.approx(-0.9) and math.isnan(c.list[0].f.p)
    assert len(c.failures(0.05, ())) == 0


@pytest.mark.parametrize(("after", "kind"), [(2.00190, Kind.NOISE), (2.00210, Kind.WORSE), (1.99790, Kind.BETTER)])
def test_a_change_below_a_thousandth_is_none_however_certain(after: float, kind: Kind) -> None:
    c = changes_of(rounds(ONECOPY, COPIES=2), rounds(ONECOPY, COPIES=after))
    assert c.list[0].f.p < RANK_LEVEL and c.list[0].f.difference.holds
    assert c.list[0].kind is kind


def test_a_metric_that_cannot_be_worse_is_no_gate() -> None:
    c = changes_of(rounds(ONECOPY, 1, CYCLES=1000, INSTRUCTIONS=2000),
                   rounds(ONECOPY, 1, CYCLES=1000, INSTRUCTIONS=1000), [IPC, GBPS])
    assert IPC not in c.gates and GBPS in c.gates


def test_copies_of_other_sides_that_were_asked_for_cannot_be_told() -> None:
    before, after = rounds(ONECOPY, COPIES=2), rounds(ONECOPY, COPIES=5)
    before.dataset.copies_of, after.dataset.copies_of = {"both"}, {"sender"}
    c = changes_of(before, after, [COPIES, GBPS])
    assert c.untestable(c.cells_of[0][0]) == (Untestable.OTHER_SIDES, COPIES)
    assert c.gate(0.05, ()) is Gate.CANNOT_TELL


def test_ipc_has_no_better_direction() -> None:
    """Fewer instructions for the same work lower it."""
    before, after = (rounds(ONECOPY, 1, CYCLES=1000, INSTRUCTIONS=n) for n in (2000, 1000))
    c = changes_of(before, after)
    assert find(c, ONECOPY, IPC).kind is Kind.OTHER
    assert len(c.failures(0.05, ())) == 0
    text = compare_output.text(c, "a", "b", 0.05, (), False)
    assert "  different\n" in text and "REGRESSION" not in text


def test_cells_and_numbers_of_one_side_are_missing_with_their_reason() -> None:
    after = Study()
    for r, gbps in enumerate((24.0, 24.5, 24.2)):
        after.put(ONECOPY, 4 * KIB, 1, r, gbps)
    after.put(TWOCOPY, 4 * KIB, 1, 0, 1)
    after.dataset.reason[COPIES] = "no ledger"
    c = changes_of(side(False), after)
    assert (c.cells, c.only_in(0), c.only_in(1)) == (1, 1, 1)
    copies = find(c, ONECOPY, COPIES)
    assert (copies.kind, copies.reason, copies.gate_p) == (Kind.MISSING, "no ledger", 1.0)
    assert find(c, ONECOPY, GBPS).kind is Kind.WORSE
    other = Study()
    other.put(ONECOPY, 4 * KIB, 2, 0, 30)
    c = changes_of(side(False), other)
    assert (c.cells, c.list) == (0, [])


def test_copies_of_one_side_are_not_compared_with_those_of_both() -> None:
    def of(copies: float, whose: str) -> Study:
        s = rounds(ONECOPY, 0.01, COPIES=copies, GBPS=9)
        s.dataset.copies_of = {whose} - {""}
        return s

    for before, after in (("both", "sender"), ("sender", "both")):
        c = changes_of(of(2, before), of(1, after))
        x = find(c, ONECOPY, COPIES)
        assert x.kind is Kind.MISSING and "both sides" in x.reason and math.isnan(x.f.change)
        assert find(c, ONECOPY, GBPS).kind is Kind.NOISE
        assert not c.tests[COPIES]
    assert find(changes_of(of(2, "both"), of(1, "")), ONECOPY, COPIES).kind is Kind.BETTER


def test_every_metric_has_a_name_that_is_read_back() -> None:
    named = [m for m in metric.ALL if m.name]
    assert len(named) > 10
    assert compare.parse_options(["--metrics", ",".join(m.name for m in named), "a", "b"]).metrics == named
    for name in ("", "speed", "ipc,"):
        with pytest.raises(UsageError):
            compare.parse_options(["--metrics", name, "a", "b"])


# ---- regressions


def test_regressions_are_worse_by_more_than_the_limit() -> None:
    c = changes_of(side(False), side(True))
    # Throughput -20 %, copies +100 %.
    assert [len(c.failures(limit, ())) for limit in (0, 0.05, 0.21, 1)] == [2, 2, 1, 0]
    assert len(changes_of(side(True), side(True)).failures(0, ())) == 0


def test_a_change_from_zero_exceeds_any_limit() -> None:
    c = changes_of(rounds(ZEROCOPY, COPIED_FRACTION=0), rounds(ZEROCOPY, COPIED_FRACTION=1))
    x = find(c, ZEROCOPY, COPIED_FRACTION)
    assert x.kind is Kind.WORSE and math.isnan(x.f.change) and x.is_regression(10)
    assert not x.is_regression(math.inf)
    c = changes_of(rounds(ZEROCOPY, COPIED_FRACTION=1), rounds(ZEROCOPY, COPIED_FRACTION=0))
    assert find(c, ZEROCOPY, COPIED_FRACTION).kind is Kind.BETTER


@pytest.mark.parametrize("kind", Kind)
def test_only_gated_numbers_that_got_worse_are_regressions(kind: Kind) -> None:
    cell = Cell(ONECOPY, KIB, 1, 0)
    x = Change(cell, cell, GBPS, Finding(Estimate(), Estimate(), change=-0.5, difference=Difference.LOWER), kind, True)
    assert [x.is_regression(limit) for limit in (0.05, 0.4999, 0.5)] == [kind is Kind.WORSE, kind is Kind.WORSE, False]
    x.gated = False
    assert not x.is_regression(0.05)


# ---- the gate


def test_a_gate_that_too_few_rounds_can_pass_does_not_pass() -> None:
    def few() -> Study:
        s = Study()
        for r in range(3):
            s.put(ONECOPY, 4 * KIB, 1, r, 30 - r)
        return s

    c = changes_of(few(), few())
    assert [x.kind for x in c.list] == [Kind.CANNOT_SAY]
    assert c.gate(0.05, ()) is Gate.CANNOT_TELL
    assert c.gate(NAN, ()) is Gate.NONE
    assert changes_of(side(False), side(True)).gate(0.05, ()) is Gate.FAILED
    assert changes_of(side(False), side(False)).gate(0, ()) is Gate.PASSED


def test_text_document_and_gate_agree() -> None:
    """Six cells, one of which gets slower step by step. Rounds that overlap in one pair are no difference among six."""
    gates = []
    for step in range(11):
        before, after = Study(), Study()
        for size in range(1, 7):
            for r in range(6):
                off = 10 + 0.1 * ((r * 5 + size) % 7)
                before.put(ONECOPY, size * KIB, 1, r, off)
                after.put(ONECOPY, size * KIB, 1, r, off * (1 - 0.02 * step if size == 3 else 1))
        c = changes_of(before, after)
        document: dict[str, Any] = compare_output.document(c, "a", "b", 0.05, ())
        text = compare_output.text(c, "a", "b", 0.05, (), False)
        regressions = [x["regression"] for x in document["changes"]]
        assert regressions == [x.kind is Kind.WORSE and -x.f.change > 0.05 for x in c.list]
        failed = any(regressions)
        assert sum(regressions) == len(c.failures(0.05, ())) == failed
        assert document["gate"] == ("failed" if failed else "passed")
        assert c.gate(0.05, ()) is (Gate.FAILED if failed else Gate.PASSED)
        assert [words in text for words in ("REGRESSION", "Gate FAILED: 1 of 6 gated", "Gate passed")] == [
            failed, failed, not failed]
        gates.append(failed)
    assert gates == sorted(gates) and set(gates) == {False, True}


@pytest.mark.parametrize(("before", "at_most", "after", "excludes", "by_default", "by_name"), [
    (2, 2, 3, False, Gate.FAILED, Gate.FAILED), (2, NAN, 3, False, Gate.FAILED, Gate.FAILED),
    (3, 3, 2, False, Gate.PASSED, Gate.PASSED), (2, 2, 2, False, Gate.PASSED, Gate.PASSED),
    # As many copies may have been there before, unseen.
    (2, 3, 3, False, Gate.PASSED, Gate.PASSED), (2, 2, 3, True, Gate.PASSED, Gate.PASSED),
    (2, 2, NAN, False, Gate.PASSED, Gate.CANNOT_TELL)])
def test_the_gate_fails_on_copies_that_are_certainly_more(before: float, at_most: float, after: float, excludes: bool,
                                                          by_default: Gate, by_name: Gate) -> None:
    """By default it tests copies where both sides know them; named metrics must be known."""
    for gate, expected in ((None, by_default), ([COPIES, GBPS], by_name)):
        old = rounds(ZEROCOPY, COPIES=before, COPIES_AT_MOST=at_most, GBPS=10).finish()
        new = rounds(ZEROCOPY, COPIES=after, COPIES_AT_MOST=after, GBPS=10).finish()
        old.dataset.copies_exclude = {STAGES[4]} if excludes else set()
        assert Changes([old.a], [new.a], [COPIES, GBPS], gate).gate(0.05, ()) is expected


@pytest.mark.parametrize(("nr", "gbps", "failed", "why"), [
    (0, NAN, False, (Untestable.ABSENT, None)), (0, NAN, True, (Untestable.FAILED, None)),
    (ROUNDS, NAN, False, (Untestable.NULL, GBPS)), (1, 2, False, (Untestable.FEW, GBPS))])
def test_a_cell_that_cannot_be_tested_is_named_and_the_gate_cannot_tell(
        nr: int, gbps: float, failed: bool, why: tuple[Untestable, Metric | None]) -> None:
    after = Study()
    put_side(after, ONECOPY, 30, 0.5, 2)
    for r in range(nr):
        after.put(ZEROCOPY, 4 * KIB, 1, r, gbps, CPU_SENDER=0.5, CPU_RECEIVER=0, RX_BYTES=1e9, COPIES=2)
    if failed:
        after.dataset.failures.append(Failure("zerocopy", 4 * KIB, 1, 0, "sent nothing"))
    c = changes_of(side(False), after, by_name=False)
    assert [c.untestable(cell) for cell in c.before.cells] == [None, why]
    assert c.gate(10, ()) is Gate.CANNOT_TELL


def test_new_cells_and_metrics_that_are_not_gated_or_were_never_measured_do_not_count() -> None:
    after = Study()
    put_side(after, TWOCOPY, 30, 0.5, 2)
    put_side(after, ONECOPY, 30, 0.5, 2)
    put_side(after, ZEROCOPY, NAN, 0.5, 2)
    c = changes_of(side(False), after, [CPU_NS_PER_KIB, metric.LLC_MISSES_PER_KIB])
    assert c.gate(10, ()) is Gate.PASSED


# ---- settings and environments


def test_a_setting_that_differs_stops_the_gate_unless_it_is_allowed() -> None:
    before, after = side(False), side(False)
    before.dataset.conditions, after.dataset.conditions = {"mtu": "1500", "kernel": "a"}, {"mtu": "9000", "kernel": "b"}
    c = changes_of(before, after)
    for across, named in (((), "mtu"), (("fields", "mt"), "mtu"), (("mtu",), None), (("fields", "mtu"), None)):
        assert c.made_otherwise(across) == named  # across kernels sweeps may be compared
        assert c.gate(0.05, across) is (Gate.CANNOT_TELL if named else Gate.PASSED)


@pytest.mark.parametrize("slower", [False, True])
@pytest.mark.parametrize("key", ["host", "cpu", "governor", "receiver.cpu"])
def test_another_machine_is_no_regression_unless_it_is_allowed(key: str, slower: bool) -> None:
    before, after = side(False), side(slower)
    before.dataset.conditions, after.dataset.conditions = {key: "a", "kernel": "6.1"}, {key: "b", "kernel": "6.6"}
    c = changes_of(before, after, by_name=False)
    assert c.gate(10, ()) is Gate.CANNOT_TELL and key in c.doubts(10, ())[0]
    assert c.doubts(0.05, [key]) == [] and c.gate(0.05, [key]) is (Gate.FAILED if slower else Gate.PASSED)


@pytest.mark.parametrize("slower", [False, True])
def test_rates_of_an_emulated_machine_pass_no_gate_and_its_copies_count(slower: bool) -> None:
    before, after = side(False), side(slower)
    after.dataset.conditions = {"receiver.virtualization": "vm, emulated"}
    c = changes_of(before, after, [COPIES, GBPS])
    assert c.gate(0.05, ()) is (Gate.FAILED if slower else Gate.CANNOT_TELL)
    assert [x.metric for x in c.failures(0.05, ())] == [COPIES] * slower
    assert "emulated" in compare_output.text(c, "a", "b", 0.05, (), False)
    assert changes_of(before, after, [COPIES]).gate(0.05, ()) is (Gate.FAILED if slower else Gate.PASSED)


NO_LOAD = {"load_average": 0.2, "cpu_steal": 0.0, "cpus": 2}


@pytest.mark.parametrize(("before", "after", "limit", "is_other"), [
    ({}, {}, 0.05, False), ({}, {"load_average": 0.69}, 0.05, False), ({}, {"load_average": 0.71}, 0.05, True),
    ({"load_average": 3}, {"load_average": 3.2}, 0.05, True),
    ({"load_average": 3}, {"load_average": None}, 0.05, False),
    ({"load_average": 7.0, "cpus": 64}, {"load_average": 7.2, "cpus": 64}, 0.05, False),
    ({}, {"cpu_steal": 0.024}, 0.05, False), ({}, {"cpu_steal": 0.026}, 0.05, True),
    ({}, {"cpu_steal": 0.026}, 0.1, False), ({"cpu_steal": 0.06}, {}, 0.1, True),
    # What others used during the rounds is known better than by a load average that has this sweep in it.
    ({"cpu_others": 0.01}, {"cpu_others": 0.03, "load_average": 9}, 0.05, False),
    ({"cpu_others": 0.01}, {"cpu_others": 0.04, "load_average": 9}, 0.05, True),
    ({}, {"load_average": "inf", "cpu_steal": {}, "cpus": 10 ** 400}, 0.05, False),
    ({"cpu_others": 0.01}, {"load_average": 9}, 0.05, True), ({}, {"load_average": "9", "cpus": "2"}, 0.05, True)])
def test_with_one_sweep_a_side_the_gate_cannot_tell_where_other_work_differs(
        before: dict[str, Any], after: dict[str, Any], limit: float, is_other: bool) -> None:
    for slower in (False, True):
        sides = side(False), side(slower)
        for s, environment in zip(sides, (before, after)):
            for _ in range(2):
                documents.add_document(s.dataset, "x", {"schema": documents.RESULT_SCHEMA, "runs": [],
                                                        "environment": {**NO_LOAD, **environment}})
        c = changes_of(*sides, [GBPS])
        told = Gate.FAILED if slower else Gate.PASSED
        assert (len(c.doubts(limit, ())), c.gate(limit, ())) == (is_other, Gate.CANNOT_TELL if is_other else told)
        text = compare_output.text(c, "a", "b", limit, (), False)
        assert ("REGRESSION" in text) == (slower and not is_other) and "A1,A2 B1,B2" in text
        document: dict[str, Any] = compare_output.document(c, "a", "b", limit, ())
        assert document["gate_doubts"] == c.doubts(limit, ())
        assert document["regressions"] == (None if is_other else int(slower))
        # Copies are counts.
        c = changes_of(*sides, [COPIES, GBPS])
        assert [x.metric for x in c.failures(limit, ()) if is_other] == [COPIES] * (slower and is_other)
        assert changes_of(*sides, [COPIES]).gate(limit, ()) is told


# ---- several sweeps a side


def sweeps(order: str, slower: bool) -> tuple[list[Analysis], list[Analysis]]:
    """One cell, 10 Gbit/s and 8 Gbit/s in B if it is slower, the later sweeps 1 % faster."""
    sides: tuple[list[Analysis], list[Analysis]] = [], []
    for i, name in enumerate(order):
        s = Study()
        for r in range(ROUNDS):
            s.put(ONECOPY, 4 * KIB, 1, r, (8 if slower and name == "B" else 10) * (1 + 0.01 * (i // 2 % 2) + 0.001 * r),
                  COPIES=2 if name == "B" and slower else 1)
        s.dataset.environment = {"started": f"2026-01-01T00:{i:02}:00Z", "load_average": i, "cpus": 1}
        sides["AB".index(name)].append(s.finish().a)
    return sides


@pytest.mark.parametrize(("order", "told"), [
    ("ABAB", True), ("ABBA", True), ("BABA", True), ("ABA", True), ("AABB", False), ("BBAA", False), ("AAB", False),
    ("AAABBB", False), ("ABABAB", True)])
@pytest.mark.parametrize("slower", [False, True])
def test_several_sweeps_are_judged_if_made_in_turn_whatever_the_load(order: str, told: bool, slower: bool) -> None:
    if len(order) == 3:  # one degree of freedom shows no change of a fifth
        slower = False
    c = Changes(*sweeps(order, slower), [GBPS])
    assert c.order() == order
    assert c.gate(0.05, ()) is (Gate.CANNOT_TELL if not told else Gate.FAILED if slower else Gate.PASSED)
    document: dict[str, Any] = compare_output.document(c, "a", "b", 0.05, ())
    assert (document["before"]["sweeps"], document["order"]) == (order.count("A"), order)
    (noise,) = document["noise"]
    assert noise["metric"] == "throughput_gbps" and (noise["drift"] < 0.01 or len(order) == 3) and noise["own"] == 0
    text = compare_output.text(c, "a", "b", 0.05, (), True)
    assert f" 1 cell in {order.count('A')} sweeps, 7 rounds" in text
    assert f"between sweeps of one side, made in the order {order}:\n  throughput_gbps: all" in text


def test_a_cell_that_one_of_several_sweeps_lacks_is_named() -> None:
    before, after = sweeps("ABAB", False)
    other = rounds(TWOCOPY, GBPS=9).finish().a
    for sides, cells, only in (((before, [after[0], other]), 0, (0, 1)), (([other, *before], after), 0, (1, 0))):
        c = Changes(*sides, [GBPS])
        assert (c.cells, c.only_in(0), c.only_in(1), c.list) == (cells, *only, [])
        assert (Untestable.ABSENT, None) in map(c.untestable, c.cells_of[0])
        assert c.gate(0.05, ()) is Gate.CANNOT_TELL
    lacking = rounds(ONECOPY, COPIES=2).finish()
    lacking.dataset.reason[GBPS] = "not measured"
    c = Changes(before, [after[0], lacking.a], [GBPS])
    assert [(x.kind, x.reason) for x in c.list] == [(Kind.MISSING, "not measured")]
    assert c.gate(0.05, ()) is Gate.CANNOT_TELL


def test_the_gate_says_how_many_intervals_hold_a_regression() -> None:
    """Faster or slower by 40 %, says the interval."""
    before, after = Study(), Study()
    for r, (b, a) in enumerate(zip((10, 4, 12, 5, 11, 6), (6, 3, 9, 4, 7, 5))):
        before.put(ONECOPY, KIB, 1, r, b)
        after.put(ONECOPY, KIB, 1, r, a)
    c = changes_of(before, after, [GBPS])
    assert (c.gate(0.05, ()), c.undecided(0.05), c.undecided(0.7)) == (Gate.PASSED, 1, 0)
    text = compare_output.text(c, "a", "b", 0.05, (), False)
    assert "none of 1 gated comparison is shown to be worse by more than 5 %; 1 interval reaches beyond it." in text
    assert changes_of(side(False), side(False), [GBPS]).undecided(0.05) == 0


def copied(*sweeps: Sequence[float]) -> list[Analysis]:
    """Shares of copied sends, a sequence of rounds each."""
    result = []
    for values in sweeps:
        s = Study()
        for r, v in enumerate(values):
            s.put(ZEROCOPY, KIB, 1, r, COPIED_FRACTION=v)
        result.append(s.finish().a)
    return result


NONE, ALL = [0.0] * 6, [1.0] * 6


@pytest.mark.parametrize(("before", "after", "undecided"), [
    ([NONE], [[*NONE[1:], 1]], 1), ([NONE], [NONE], 0), ([NONE, NONE], [NONE, ALL], 1),
    ([NONE, NONE], [NONE, NONE], 0)])
def test_an_interval_from_0_to_more_holds_a_regression(before: list[list[float]], after: list[list[float]],
                                                       undecided: int) -> None:
    c = Changes(copied(*before), copied(*after), [COPIED_FRACTION], [COPIED_FRACTION])
    assert [x.kind for x in c.list] == [Kind.NOISE] and c.undecided(0.05) == undecided


def test_an_interval_of_changes_ends_at_minus_one() -> None:
    """With a median of 0 it is that of differences."""
    c = Changes(copied(ALL, ALL), copied(NONE, ALL), [COPIED_FRACTION])
    assert [x.f.low for x in c.list] == [-1]


def test_nothing_is_called_a_regression_where_the_gate_cannot_tell() -> None:
    before, after = side(False), side(True)
    c = changes_of(before, after)
    assert "REGRESSION" in compare_output.text(c, "a", "b", 0.05, (), False)
    before.dataset.conditions, after.dataset.conditions = {"mtu": "1500"}, {"mtu": "9000"}
    text = compare_output.text(c, "a", "b", 0.05, (), False)
    assert "REGRESSION" not in text and "The two differ in the setting mtu, which can cause" in text
    document: dict[str, Any] = compare_output.document(c, "a", "b", 0.05, ())
    assert (document["gate"], document["regressions"]) == ("cannot_tell", None)
    assert not any(x["regression"] for x in document["changes"])


def test_what_some_sweeps_lack_is_not_said_to_be_on_one_side_only() -> None:
    part = Study()
    put_side(part, ONECOPY, 30, 0.3, 2)
    full, part_of, half = side(False).finish().a, part.finish().a, side(False)
    for row in half.rows:
        put_values(row, GBPS=math.nan)
    c = Changes([full, part_of], [full, full], {GBPS})
    assert [(c.only_in(i), c.not_in_each(i), c.cells) for i in (0, 1)] == [(0, 1, 1)] * 2
    text = compare_output.text(c, "a", "b", math.nan, (), False)
    assert "1 cell is not in each sweep\n" in text
    # With one cell, what it does by itself cannot be told from a drift.
    assert "a cell by itself n/a\n" in text
    c = Changes([part_of, part_of], [full, full], {GBPS})
    assert [(c.only_in(i), c.not_in_each(i)) for i in (0, 1)] == [(0, 0), (1, 0)]
    x = Changes([full, half.finish().a], [full, full], {GBPS}).list[0]
    rounds = full.estimate(full.peer(x.before, x.before.mode), GBPS).n
    assert (x.kind, x.f.b.n, x.f.a.n) == (Kind.MISSING, rounds, 2 * rounds) and x.reason


@pytest.mark.parametrize("first", [0, 1])
def test_a_setting_that_any_sweep_of_a_side_names_is_that_of_the_side(first: int) -> None:
    """In whatever order the sweeps are given."""
    before, after = ([side(False).finish().a for _ in range(2)] for _ in range(2))
    for of, mtu in ((before, "1500"), (after, "9000")):
        of[first].dataset.conditions = {"mtu": mtu}
        of[first].dataset.environment = {"mtu": mtu, "host": "h"}
        of[1 - first].dataset.environment = {"host": "h"}
    for a, b in ((before, after), (before, after[::-1])):
        c = Changes(a, b, {GBPS})
        assert c.made_otherwise(()) == "mtu" and c.gate(0.05, ()) is Gate.CANNOT_TELL
        assert c.environment() == {"mtu": ("1500", "9000")}


def test_environments_are_compared_as_far_as_both_know_them() -> None:
    before, after = side(False), side(False)
    before.dataset.environment = {"kernel": "6.1", "cpus": 2, "lockdown": "", "host": None, "x_reason": "a"}
    after.dataset.environment = {"kernel": "6.6", "cpus": 2, "lockdown": "none", "host": "h", "x_reason": "b"}
    assert changes_of(before, after).environment() == {"kernel": ("6.1", "6.6")}


@pytest.mark.parametrize(("after", "differs"), [(0.2, None), (0.19, None), (0.0432, ("0.2", "0.043"))])
def test_lengths_of_runs_differ_from_a_tenth_on(after: float, differs: tuple[str, str] | None) -> None:
    """A run ends with its last message."""
    x, y = side(False), side(False)
    for s, length in ((x, 0.2), (y, after)):
        for row in s.rows:
            put_values(row, DURATION=length)
    assert changes_of(x, y).environment().get("duration_s") == differs


def test_metrics_are_compared_in_cells_of_the_same_mode_size_and_threads() -> None:
    before, after = Study(), Study()
    for mode in MODES[:2]:
        for threads in (1, 2):
            before.put_rounds(mode, KIB, threads, 10 * threads, 0.01)
            after.put_rounds(mode, KIB, threads, 10 * threads, 0.01)
    c = changes_of(before, after)
    assert [(x.before.mode, x.before.threads) for x in c.list] == [(x.after.mode, x.after.threads) for x in c.list]
    assert {x.f.tests for x in c.list} == {4} and {x.kind for x in c.list} == {Kind.NOISE}
