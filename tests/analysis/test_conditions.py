# SPDX-License-Identifier: GPL-2.0-only
"""The settings of a run: their values and differences."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from analysis import conditions


@pytest.mark.parametrize(("path", "expected"), [
    ("a.b", (1, {"b": 1, "n": None}, "b")), ("a.n", (None, {"b": 1, "n": None}, "n")),
    ("a.x", (None, {"b": 1, "n": None}, "x")), ("x.y.z", (None, {"a": {"b": 1, "n": None}}, "x.y.z")),
    ("a.b.c", (None, 1, "c")), ("a.n.c", (None, None, "c"))])
def test_member_at_a_path_with_its_last_parent(path: str, expected: Any) -> None:
    assert conditions.at({"a": {"b": 1, "n": None}}, path) == expected


@pytest.mark.parametrize(("value", "text"), [
    (True, "true"), (2.5, "2.5"), (8, "8"), ("x", "x"), ("", None), (None, None), (0, "0"),
    ({"b": 1, "a": "\u00e9"}, '{"a": "\u00e9", "b": 1}')], ids=str)
def test_values_are_text_as_in_a_csv_file(value: Any, text: str | None) -> None:
    assert conditions.text(value) == text


def test_settings_are_those_that_shape_the_traffic_and_the_machine() -> None:
    settings = {"verify": True, "rate": 2.5, "affinity": "", "busy": None, "list": {"b": 1, "a": 2},
                "busy_reason": "no", "reason": "no", "size": 4096, "mode": "x", "argv": [1], "seed": 3,
                "fingerprint": "f"}
    environment = {"kernel": "Linux 6.12", "cpus": 4, "uptime": 5, "mtu": None,
                   "receiver": {"kernel": "6.1", "uptime": 6}}
    assert conditions.of(settings, environment, 8) == {
        "verify": "true", "rate": "2.5", "list": '{"a": 2, "b": 1}', "kernel": "Linux 6.12", "cpus": "4",
        "fields": "8", "receiver.kernel": "6.1"}
    assert conditions.of(None, None, None) == {}


def test_no_limit_is_a_value_and_an_unknown_limit_is_none() -> None:
    unlimited, unknown, limited = ({"cpu_quota": quota, "cpu_quota_reason": reason, "receiver": {
        "tcp_wmem": "1 2 3", "cpu_quota": quota, "cpu_quota_reason": reason}} for quota, reason in
        ((None, "unlimited"), (None, "the cgroup is not mounted here"), (0.5, None)))
    assert conditions.of(None, unlimited, None) == {
        "cpu_quota": "unlimited", "receiver.cpu_quota": "unlimited", "receiver.tcp_wmem": "1 2 3"}
    assert conditions.of(None, unknown, None) == {"receiver.tcp_wmem": "1 2 3"}
    assert conditions.difference(conditions.of(None, unlimited, None), conditions.of(None, limited, None),
                                 of_traffic=True) == "cpu_quota"


def test_results_without_a_later_setting_had_its_default() -> None:
    before = conditions.of({"rcvlowat": None}, None, None)
    later = conditions.of({"rcvlowat": None, "receive": "recv", "tls": "1.3", "fixed_buffers": False,
                           "uring_depth": 1}, None, None)
    assert before == later
    other = conditions.of({"rcvlowat": None, "receive": "trunc"}, None, None)
    assert conditions.difference(before, other) == "receive"
    assert conditions.of({"verify": True}, None, None) == {"verify": "true"}  # without rcvlowat: of another program


@pytest.mark.parametrize(("ignored", "name"), [
    ((), "two"), (("two",), "three"), (("x", "two"), "three"), (("three",), "two"), (("two", "three"), None),
    (("tw", "twos"), "two")])
def test_first_setting_that_differs_is_named_unless_ignored(ignored: Collection[str], name: str | None) -> None:
    a, b = {"one": "1", "two": "2", "three": "3"}, {"two": "20", "three": "30", "four": "4"}
    assert conditions.difference(a, b, ignored) == name
    assert conditions.difference(a, a, ignored) is None


def test_machine_is_no_setting_of_the_traffic() -> None:
    a, b = ({"virtualization": v, "kernel": k, "mtu": m, "receiver.cpu": v} for v, k, m in
            (("kvm", "6.1", "1"), ("no", "6.2", "2")))
    assert conditions.difference(a, b, ("mtu",)) == "virtualization"
    assert conditions.difference(a, b, ("mtu",), of_traffic=True) is None
    assert conditions.difference(a, b, of_traffic=True) == "mtu"


def test_what_changes_while_a_machine_stays_the_same() -> None:
    environment = {"started": "monday", "load_average": 1, "taps": [], "memory": 5, "kernel": "6.1", "cpus": 2,
                   "cpu_others": None, "cpu_others_reason": "no", "cpu_throttled_periods": 3, "tcp_mem": "1 2 3"}
    assert conditions.steady(environment) == {"kernel": "6.1", "cpus": 2}
    assert [conditions.passes(key) for key in ("cpu_steal", "kernel")] == [True, False]
    assert [conditions.is_reason(key) for key in ("reason", "mtu_reason", "reasons")] == [True, True, False]
