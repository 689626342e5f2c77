# SPDX-License-Identifier: GPL-2.0-only
"""CSV files: separators, titles, names, units, numbers, modes, repeated rows, joined files; damage is refused."""
from __future__ import annotations

import io
import math
import re
from typing import Any

import pytest
from goldens import REPO
from reading import full_csv, known, read_csv, refusal

from analysis import csv_columns, csv_import, csv_names, csv_rows, metric, tables
from analysis.dataset import Names
from analysis.documents import Refused

HEADER = "mode,size,threads,throughput_gbps,cycles"
ROW = "twocopy,65536,4,8.5,12345678\n"


# ---- notations


@pytest.mark.parametrize("text", [
    f"{HEADER}\n{ROW}",
    f"{HEADER}\n{ROW}".replace(",", ";"),
    f"{HEADER}\n{ROW}".replace(",", "\t"),
    "\ufeff" + f"{HEADER}\n{ROW}".replace(",", ";").replace("\n", "\r\n"),
    f'# a comment, with "quotes\n{HEADER}\n# another\n{ROW}',
    f"#{HEADER}\n{ROW}",
    f"# {HEADER}\n{ROW}",
    f"Results of June, second try\n\n{HEADER}\n{ROW}",
    f"{HEADER},,\ntwocopy,65536,4,8.5,12345678,,\n",
    f"{HEADER},\n{ROW}",
    f"{HEADER}\ntwocopy,65536,4,8.5,12345678,,\n,,,,\n",
    f"{HEADER}\n\n{ROW}",
    f'mode,size,threads,"throughput,\n(Gbps)",cycles\n{ROW}',
    'Mode,Msg Size,Workers,Throughput (Mbps),CPU Cycles\nTwo-Copy,64K,4,8500,"12,345,678"\n',
    "variant,message-size,clients,bandwidth [Gbit/s],cycles\nbaseline,64KB,4,8.5,12345678\n",
    "impl,size,connections,GBps,cycles\nclient_2copy,64KiB,4,1.0625,12345678\n",
    "impl,size_kb,num_conns,mbps,cycles\nA1,64,4,8500,1.2345678e7\n",
    "type;size;threads;throughput_gbps;cycles\nTwoCopy;64 KB;4;8,5;12.345.678\n",
    "version,msg_size,threads,total_gbps,cycles\nv1,65536,4,8.5 Gbps,12345678\nv2,65536,4,1,1\nv3,65536,4,1,1\n",
    f"{HEADER}\n1,65536,4,8.5,12345678\n2,65536,4,1,1\n3,65536,4,1,1\n",
    "copies,size,threads,throughput_gbps,cycles\n2,65536,4,8.5,12345678\n0,65536,4,1,1\n",
    f"sep=;\n{HEADER}\n{ROW}".replace(",", ";"),
    "mode,field_size,fields,threads,throughput_gbps,cycles\n0,4096,16,4,8.5,12345678\n",
    "mode,field_size,threads,throughput_gbps,cycles\n0,8192,4,8.5,12345678\n",
    "mode, size,threads,throughput_gbps,cycles\ntwocopy, 65536 ,  4,\t 8.5 ,12345678\n"])
def test_one_row_in_many_notations(text: str) -> None:
    row = read_csv(text).rows[0]
    assert row.cell == (0, 65536, 4)
    assert (row[metric.GBPS], row[metric.CYCLES]) == pytest.approx((8.5, 12345678))


@pytest.mark.parametrize(("name", "expected"), [
    ("LatencyUs", {"LATENCY": 1e3}), ("latency_ms", {"LATENCY": 1e6}), ("Avg Latency (\u00b5s)", {"LATENCY": 1e3}),
    ("avg_us", {"LATENCY": 1e3}), ("latency", {"LATENCY": 1e3}), ("min_us", {}), ("p99_latency_us", {}),
    ("duration_ms", {"DURATION": 1e-3}), ("seconds time elapsed", {"DURATION": 1}), ("total_Gb", {"RX_BYTES": 1.25e8}),
    ("total_GB", {"RX_BYTES": 1e9}), ("total bytes", {"RX_BYTES": 1}), ("L1-dcache-load-misses", {"L1D_MISSES": 1}),
    ("L1Miss", {"L1D_MISSES": 1}), ("l1_misses_per_kb", {}), ("cycles per byte", {}), ("cs", {"CONTEXT_SWITCHES": 1}),
    ("client_cycles", {"S_CYCLES": 1}), ("server_llc_misses", {"R_LLC_MISSES": 1}), ("cycles_server", {"R_CYCLES": 1}),
    ("client_latency", {}), ("Cycles (millions)", {"CYCLES": 1e6}), ("Throughput (messages/s)", {}),
    ("total_Mb", {"RX_BYTES": 1.25e5}), ("total_KiB", {"RX_BYTES": 1024}), ("task-clock", {"TASK_CLOCK_NS": 1e6}),
    ("throughput (GiB/s)", {"GBPS": 8.589934592}), ("throughput_MBps", {"GBPS": 8e-3}),
    ("LLC Misses (M)", {"LLC_MISSES": 1e6}), ("Cycles [k]", {"CYCLES": 1e3}),
    ("Instructions (G)", {"INSTRUCTIONS": 1e9}),
    ("cycles (million)", {"CYCLES": 1e6}), ("throughput_mb_s", {"GBPS": 8e-3}), ("bandwidth_gb_s", {"GBPS": 8}),
    ("THROUGHPUT_GB_S", {"GBPS": 8}), ("throughput (Mb/s)", {"GBPS": 1e-3}), ("throughput (MB/s)", {"GBPS": 8e-3}),
    ("throughput_gbit_s", {"GBPS": 1}),
    ("throughput_mbps", {"GBPS": 1e-3}), ("throughput_kBps", {"GBPS": 8e-6}), ("bw_mBps", {"GBPS": 8e-3}),
    ("bw_KiBps", {"GBPS": 8.192e-6}), ("throughput [Mib/s]", {"GBPS": 1.048576e-3}),
    ("bw (mib/s)", {"GBPS": 8.388608e-3}),
    ("bw (Gibit/s)", {"GBPS": 1.073741824}), ("throughput_MBPS", {"GBPS": 1e-3}), ("bw (tBps)", {}),
    ("total_Mib", {"RX_BYTES": 131072}), ("latency\u00a0\u2013 \u03bcs", {"LATENCY": 1e3}), ("latency (\ufffds)", {}),
    ("latency_\u03a9s", {}), ("perf_sender_cycles_value", {"S_CYCLES": 1}), ("", {}), ("()", {})])
def test_name_of_a_column_gives_number_and_unit(name: str, expected: dict[str, float]) -> None:
    assert known(read_csv(f"mode,size,{name}\n0,64,1\n").rows[0]) == pytest.approx(expected)


@pytest.mark.parametrize(("rate", "gbps"), [
    ("10 kBps", 8e-5), ("10 KBps", 8e-5), ("10 Mib/s", 1.048576e-2), ("10 Gib/s", 10.73741824),
    ("10 GiB/s", 85.89934592), ("10 mB/s", 8e-2), ("10 mb/s", 8e-2), ("10 Mb/s", 1e-2)])
def test_rates_in_bits_and_bytes(rate: str, gbps: float) -> None:
    assert read_csv(f"mode,size,throughput\n0,64,{rate}\n").rows[0][metric.GBPS] == pytest.approx(gbps)


@pytest.mark.parametrize("text", [
    b"mode,size,latency (\xb5s)\n0,64,12\n", b"mode,size,latency_\xb5s\n0,64,12\n",
    b"mode,size,latency\n0,64,12 \xb5s\n"])
def test_micro_sign_of_latin_1_is_no_second(text: bytes) -> None:
    assert read_csv(text).rows[0][metric.LATENCY] == 12000


def test_unknown_character_of_a_unit_is_not_left_out() -> None:
    assert "'12 \ufffds', which is not a number" in refusal(read_csv, "mode,size,latency\n0,64,12 \ufffds\n")


@pytest.mark.parametrize(("text", "size"), [
    ("64", 64), ("1k", 1024), ("1.5 KB", 1536), ("2MiB", 2 << 20), ("1G", 1 << 30), ("64 bytes", 64), ("1e3", 1000)])
def test_sizes_have_units_of_1024(text: str, size: int) -> None:
    assert read_csv(f"mode,size\n0,{text}\n").rows[0].size == size


def test_own_columns_are_known_by_their_own_names_only() -> None:
    d = read_csv("mode,size,app_rx_bytes,elapsed,csw,bandwidth\n0,64,5,1,2,3\n")
    assert known(d.rows[0]) == {"RX_BYTES": 5} and not d.notes


def test_parts_of_results_csv_have_the_numbers_of_the_whole() -> None:
    cells = {"mode": "zerocopy", "size": "64", "threads": "1", "congestion_control": "cubic", "round": "1",
             "throughput_gbps": "8", "copies_per_byte": "2.5", "send_p50_us": "3", "delivery_p50_us": "4",
             "cpu_ns_per_kib": "512", "duration_s": "2", "payload_bytes": "1000000000", "copied_fraction": "0.5",
             "softirq_ns_per_kib": "7", "cycles": "4000000000", "completion_p99_us": "9"}
    whole = known(read_csv("".join(f"{','.join(line)}\n" for line in (cells, cells.values()))).rows[0])
    assert whole["RX_BYTES"] == 1e9 and whole["COPIES"] == 2.5
    for names in (list(cells)[::-1], [name for name in cells if name not in ("congestion_control", "round")]):
        part = known(read_csv(f"{','.join(names)}\n{','.join(cells[name] for name in names)}\n").rows[0])
        assert part == whole


@pytest.mark.parametrize("columns", [
    "ledger_copies_per_byte,ledger_copies_per_byte_bytes", "perf_sender_cycles_value,perf_sender_cycles.value_value",
    "cpu_sender_ns_per_kib_tx_copy_value,cpu_sender_ns_per_kib_tx_copy.value_value"])
def test_own_columns_are_of_known_stages_counters_and_classes(columns: str) -> None:
    d = read_csv(f"mode,size,app_rx_bytes,{columns}\n0,64,10,1,5\n")
    assert sorted(known(d.rows[0]).values()) == [1, 10]


@pytest.mark.parametrize("word", [
    "<not supported>", "<not counted>", "-", "", "NaN", "n/a", " ", "--", "null", "NA", " n/a"])
def test_uncounted_numbers_are_unknown(word: str) -> None:
    row = read_csv(f"mode,size,cycles,cs\n0,64,{word},0\n").rows[0]
    assert known(row) == {"CONTEXT_SWITCHES": 0}
    own = read_csv(f"mode,size,app_throughput_gbps,ledger_tx_copy_bytes\n0,64,{word},0\n", duration_s=5).rows[0]
    assert known(own) == {"BYTES_TX_COPY": 0, "DURATION": 5}
    assert math.isnan(own[metric.PAYLOAD])


def test_hardware_counters_of_a_run_without_a_cycle_are_unknown() -> None:
    d = read_csv("mode,size,cycles,llc_misses,cs\n0,64,0,0,0\n1,64,5,0,0\n")
    assert [known(row) for row in d.rows] == [{"CONTEXT_SWITCHES": 0},
                                              {"CYCLES": 5, "LLC_MISSES": 0, "CONTEXT_SWITCHES": 0}]
    assert d.notes[-1].startswith("x.csv: in 1 row no cycle or no instruction was counted")


@pytest.mark.parametrize(("text", "m", "value"), [
    ("mode;size;gbps\n0;64;1,234\n1;64;0,5\n", metric.GBPS, 1.234),
    ("mode;size;cycles\n0;64;1,234\n1;64;1,234,567\n", metric.CYCLES, 1234),
    ("mode;size;cycles;gbps\n0;64;12.345;2\n1;64;1.234.567;0,5\n", metric.CYCLES, 12345),
    ("mode;size;mbps\n0;64;2.000\n1;64;1.234,5\n", metric.GBPS, 2),
    ("mode;size;gbps\n0;64;1.5\n1;64;0,5\n", metric.GBPS, 1.5),
    ("mode;size;gbps\n0;64;0.125\n1;64;0,5\n", metric.GBPS, 0.125),
    ('mode,size,cycles,cpu_list\n0,64,"45,678","0,1"\n', metric.CYCLES, 45678)])
def test_one_clear_cell_gives_the_meaning_of_commas(text: str, m: metric.Metric, value: float) -> None:
    d = read_csv(text)
    assert d.rows[0][m] == value
    decimal = text.endswith(",5\n")
    assert f"x.csv: commas within numbers {'are decimal commas, points' if decimal else ''}" in d.notes[-1]
    assert d.notes[-1].endswith(" group digits.")


def test_numbers_without_a_comma_need_no_note() -> None:
    assert not any("comma" in note for note in read_csv('mode,size,cycles,cpus\n0,64,45678,"0,1"\n').notes)


def test_unclear_commas_are_refused() -> None:
    assert "some decimal points" in refusal(read_csv, "mode;size;gbps;cs\n0;64;0,5;12.345\n1;64;0.25;3\n")
    assert "decimal commas or group thousands" in refusal(read_csv, "mode;size;gbps\n0;64;1,234\n")
    assert "'12,34', which is not a number" in refusal(read_csv, 'mode,size,cycles\n0,64,"12,34"\n0,64,"1,234.5"\n')


@pytest.mark.parametrize(("text", "expected", "note"), [
    ("mode,size,bytes,duration_s\n0,64,1e9,2\n", {"GBPS": 4, "RX_BYTES": 1e9, "DURATION": 2},
     "Throughput is computed from bytes / time in 1 of 1 rows."),
    ("mode,size,messages,gbps\n0,1000,1e6,4\n", {"RX_BYTES": 1e9, "DURATION": 2, "GBPS": 4, "RX_MESSAGES": 1e6},
     "The number of bytes is computed from messages x message size in 1 of 1 rows. | The time of a run is computed "
     "from bytes / throughput in 1 of 1 rows."),
    ("mode,size,bytes_sent,duration_s\n0,64,1e9,2\n", {"TX_BYTES": 1e9, "RX_BYTES": 1e9, "DURATION": 2, "GBPS": 4},
     "Throughput is computed from bytes / time in 1 of 1 rows."),
    ("mode,size,bytes,duration_s,gbps\n0,64,1e9,2,4.04\n", {"RX_BYTES": 1e9, "DURATION": 2, "GBPS": 4.04}, None),
    ("mode,size,bytes,duration_s,gbps\n0,64,1e9,2,5\n", {"RX_BYTES": 1e9, "DURATION": 2, "GBPS": 5},
     "In 1 of 1 rows bytes / time differs from the throughput by more than 2 % (the most in line 2: -20.0 %). "
     "Throughput is read as it is given, costs per byte use the bytes.")])
def test_numbers_follow_from_others(text: str, expected: dict[str, float], note: str | None) -> None:
    d = read_csv(text)
    assert known(d.rows[0]) == pytest.approx(expected)
    assert " | ".join(d.notes[1:]) == (note or "")


@pytest.mark.parametrize(("text", "gbps", "note"), [
    ("mode,size,throughput_mb_s\n0,64,1000\n", 8,
     "No clear unit is stated, and so assumed: 'throughput_mb_s' in MB/s. Another unit: --column "
     "'throughput_mb_s=throughput_mbps'."),
    ("mode,size,bw\n0,64,1 gb/s\n", 8, "No clear unit is stated, and so assumed: 'bw' in GB/s."),
    ("mode,size,throughput_mb_s,bytes,duration_s\n0,64,1000,2e9,2\n", 8, "No clear unit is stated"),
    ("mode,size,throughput_mb_s,bytes,duration_s\n0,64,8000,1e9,1\n1,64,1,,\n", 8,
     "'throughput_mb_s' is in Mbit/s, as bytes / time show in 1 of 2 rows."),
    ("mode,size,throughput_mb_s,bytes,duration_s\n0,64,8000,1e9,1\n1,64,8000,8e9,1\n", 64,
     "In 1 of 2 rows bytes / time differs from the throughput"),
    ("mode,size,throughput (Mb/s)\n0,64,8000\n", 8, None), ("mode,size,throughput_mbps\n0,64,8000\n", 8, None)])
def test_unit_of_bits_or_bytes_is_assumed_unless_bytes_and_time_show_it(text: str, gbps: float,
                                                                        note: str | None) -> None:
    d = read_csv(text)
    assert d.rows[0][metric.GBPS] == pytest.approx(gbps)
    assert (note or "") in " ".join(d.notes[1:]) and bool(note) == bool(d.notes[1:])


def test_unit_in_brackets_is_that_of_the_field_that_an_option_gives() -> None:
    d = read_csv("mode,size,Last level (M)\n0,64,5\n", column=["Last level (M)=llc_misses"])
    assert known(d.rows[0]) == {"LLC_MISSES": 5e6}


# ---- wide tables


@pytest.mark.parametrize(("text", "rows"), [
    ("mode,size,gbps_seed1,gbps_seed2\n0,64,1,2\n1,64,3,4\n", [
        ("twocopy", 64, 0, 1, 1), ("twocopy", 64, 0, 2, 2), ("onecopy", 64, 0, 1, 3), ("onecopy", 64, 0, 2, 4)]),
    ("mode,size,threads,Throughput (Gbps) - Seed 1,Throughput (Gbps) - Seed 2\n0,64,4,1,2\n1,64,4,3,\n", [
        ("twocopy", 64, 4, 1, 1), ("twocopy", 64, 4, 2, 2), ("onecopy", 64, 4, 1, 3)]),
    ("size,twocopy_gbps,zero_copy_gbps\n64,1,2\n", [("twocopy", 64, 0, 0, 1), ("zerocopy", 64, 0, 0, 2)]),
    ("size,threads,TwoCopyGbpsRun1,TwoCopyGbpsRun2,OneCopyGbpsRun1,OneCopyGbpsRun2\n64,1,1,2,3,4\n", [
        ("twocopy", 64, 1, 1, 1), ("twocopy", 64, 1, 2, 2), ("onecopy", 64, 1, 1, 3), ("onecopy", 64, 1, 2, 4)]),
    ("mode,size,gbps_t1,gbps_t8\n0,64,1,2\n", [("twocopy", 64, 1, 0, 1), ("twocopy", 64, 8, 0, 2)]),
    ("mode,threads,4K gbps,64K gbps\n0,2,1,2\n", [("twocopy", 4096, 2, 0, 1), ("twocopy", 65536, 2, 0, 2)]),
    ("size,A1 Mbps,A2 (Mbps)\n64,1000,2000,,\n", [("twocopy", 64, 0, 0, 1), ("onecopy", 64, 0, 0, 2)])])
def test_levels_in_names_of_columns_are_read_as_rows(text: str, rows: list[tuple[str, int, int, int, float]]) -> None:
    d = read_csv(text)
    assert sorted((r.mode.name, r.size, r.threads, r.round, r[metric.GBPS]) for r in d.rows) == sorted(rows)
    assert d.notes[-1].endswith(": each row of the file is a run of each.") and d.unread is None


def test_numbers_of_one_level_are_of_one_run() -> None:
    d = read_csv("size,twocopy_gbps,twocopy_latency_us,onecopy_gbps,onecopy_latency_us\n64,1,2,3,4\n")
    assert [known(row) for row in d.rows] == [{"GBPS": 1, "LATENCY": 2000}, {"GBPS": 3, "LATENCY": 4000}]


@pytest.mark.parametrize(("text", "column"), [
    ("size,threads,twocopy,onecopy\n64,1,2,3\n", "twocopy"), ("mode,4K,64K\n0,2,3\n", "4K"),
    ("mode,size,seed1,seed2\n0,64,2,3\n", "seed1")])
def test_names_without_a_number_are_read_as_an_option_says(text: str, column: str) -> None:
    """The advice of the refusal or of the note, followed."""
    names = [name for name in text.split("\n")[0].split(",") if name not in ("mode", "size", "threads")]
    try:
        d = read_csv(text)
        assert d.unread and "--column NAME=FIELD" in d.unread
    except Refused as problem:
        assert f"say --column '{column}=throughput_gbps', or another field, and so for each" in str(problem)
    d = read_csv(text, column=[f"{name}=throughput_gbps" for name in names])
    assert [row[metric.GBPS] for row in d.rows] == [2, 3]
    assert len({(*row.cell, row.round) for row in d.rows}) == 2


@pytest.mark.parametrize(("text", "factor"), [
    ("size,A1 throughput,A2 throughput\n64,1000,2000\n", 1000), ("size,mode,throughput\n64,1,1000\n", 1000),
    ("mode,size,throughput_seed1,throughput_seed2\n0,64,1000,2000\n", 1000), ("size,A1 mb_s,A2 mb_s\n64,1,2\n", 8)])
def test_advice_on_an_assumed_unit_can_be_followed(text: str, factor: float) -> None:
    d = read_csv(text)
    note = next(note for note in d.notes if "Another unit" in note)
    again = read_csv(text, column=re.findall(r"--column '([^']+)'", note))
    assert [row[metric.GBPS] for row in d.rows] == pytest.approx([row[metric.GBPS] * factor for row in again.rows])
    assert [(row.cell, row.round) for row in d.rows] == [(row.cell, row.round) for row in again.rows]


def test_levels_that_a_column_has_too_are_not_read_from_names() -> None:
    d = read_csv("mode,size,round,gbps,gbps_run2\n0,64,1,1,2\n")
    assert [row[metric.GBPS] for row in d.rows] == [1] and d.unread and "'gbps_run2'" in d.unread


@pytest.mark.parametrize(("text", "words"), [
    ("size,A1 4KB gbps,A3 64KB gbps\n1,2,3\n", "'A1 4KB gbps' says size 4KB, and column 'size' has '1'"),
    ("size_kb,A1 4KB gbps,A3 64KB gbps\n4,2,3\n", "'A3 64KB gbps' says size 64KB, and column 'size_kb' has '4'"),
    ("size,threads,A1 gbps t2,A2 gbps t2\n1,4,2,3\n", "threads 2"),
    ("mode,size,A1 gbps seed1,A2 gbps seed2\nA1,1,2,3\n", "'A2 gbps seed2' says mode A2"),
    ("size,round,A1 gbps seed1,A2 gbps seed2\n1,1,2,3\n", "round 2")])
def test_levels_in_names_that_contradict_a_column_are_refused(text: str, words: str) -> None:
    assert words in refusal(read_csv, text)


def test_levels_in_names_may_repeat_those_of_a_column() -> None:
    d = read_csv("size,A1 4KB gbps,A3 64KB gbps\n4K,2,\n64 KiB,,3\n")
    assert [(r.mode.name, r.size, r[metric.GBPS]) for r in d.rows] == [("twocopy", 4096, 2), ("zerocopy", 65536, 3)]


# ---- what a column holds


@pytest.mark.parametrize("text", [
    "mode,size,cache_misses,llc_misses\n0,64,100,7\n", "mode,size,llc_misses,cache_misses\n0,64,7,100\n",
    "mode,size,LLC-load-misses,cache_misses\n0,64,7,100\n"])
def test_more_specific_name_is_read_unless_the_user_says_otherwise(text: str) -> None:
    d = read_csv(text)
    assert d.rows[0][metric.LLC_MISSES] == 7
    assert d.unread and "'cache_misses' (llc_misses is read from" in d.unread
    assert read_csv(text, column=["cache_misses=llc_misses"]).rows[0][metric.LLC_MISSES] == 100
    assert read_csv(text, column=["cache_misses=ignore"]).rows[0][metric.LLC_MISSES] == 7


@pytest.mark.parametrize(("text", "modes"), [
    ("version,type,size\n6.1,OneCopy,64\n6.1,ZeroCopy,64\n", ["onecopy", "zerocopy"]),
    ("experiment,size\nTwoCopy,64\nZeroCopy,64\n", ["twocopy", "zerocopy"]),
    ("version,Way,size\n6.1,A2,64\n6.2,A3,64\n", ["onecopy", "zerocopy"]),
    ("mode,size\nA1,64\nA2,64\n", ["twocopy", "onecopy"]), ("mode,size\npart_0,64\npart_2,64\n", [
        "twocopy", "zerocopy"]),
    ("copies,size\n2,64\n0,64\n", ["twocopy", "zerocopy"]), ("mode,size\nktls,64\nuring_zc,64\n", ["uringzc", "ktls"]),
    ("mode,size\nsendmsg,64\nmsg_zerocopy,64\n", ["onecopy", "zerocopy"]),
    ("mode,size\nbaseline (no zerocopy),64\ncasino_zerocopy,64\n", ["twocopy", "zerocopy"])])
def test_mode_column_is_found_by_its_values(text: str, modes: list[str]) -> None:
    d = read_csv(text)
    assert [row.mode.name for row in d.rows] == modes
    assert d.notes[0].startswith("Modes are read from ")


@pytest.mark.parametrize(("text", "words"), [
    ("impl,size\nalpha,64\nbeta,64\n", "alpha, beta"), ("impl,size\nalpha,64\nbeta,64\n", "--modes"),
    ("a,b,size\nTwoCopy,A1,64\nZeroCopy,A3,64\n", "'a=mode'"), ("host,size\ncpu1,64\ncpu2,64\n", "'host=mode'"),
    # Numbers do not identify modes: other columns also have numbers.
    ("level,size\n0,64\n2,64\n", "(columns: level)"), ("mode,size\n3,64\n", "'3' is not a mode"),
    ("mode,size\nA4,64\n", "'A4' is not a mode"), *((f"mode,size\n{text},64\n", f"'{text}' is not a mode") for text in (
        "no_zerocopy", "NoZeroCopy", "non-zerocopy", "without zc", "not zero-copy", "zerocopy off", "zerocopy=false"))])
def test_unclear_modes_are_refused(text: str, words: str) -> None:
    assert words in refusal(read_csv, text)


def test_names_of_columns_and_modes_are_given_by_options() -> None:
    text = "way,bytes_each,bw\nmemcpy,4096,10\nvmsplice,4096,12\n"
    d = read_csv(text, columns="mode=way,size=bytes_each,throughput_gbps=bw",
                 modes="memcpy=twocopy,vmsplice=zerocopy,memcpy=onecopy")
    assert [(row.mode.name, row.size, row[metric.GBPS]) for row in d.rows] == [("twocopy", 4096, 10),
                                                                               ("zerocopy", 4096, 12)]


@pytest.mark.parametrize(("names", "words"), [
    ({"columns": "mode=way,size=bytes_each,throughput_gbps=bandwidth"}, "no column 'bandwidth', which --columns names"),
    ({"columns": "mode=way,size=bytes_each,speed=bw"}, "the field 'speed', which is not known"),
    ({"columns": "mode=way,size=bytes_each"}, "'vmsplice' is not a mode"),
    ({"columns": "mode=way,size"}, "--columns takes OURS=THEIRS, not 'size'"),
    ({}, "there is no column 'mode' (columns: way, bytes_each): say --column NAME=mode"),
    ({"column": ["way=mode", "bytes_each=size", "speed=cycles"], "modes": "vmsplice=zerocopy,memcpy=twocopy"},
     "x.csv: there is no column 'speed', which --column names."),
    ({"column": ["way=speed"]}, "--column 'way=speed': fields are mode, copies, size,"),
    ({"column": ["=size"]}, "--column '=size': it takes NAME=FIELD.")])
def test_wrong_options_are_refused(names: dict[str, Any], words: str) -> None:
    names = {"modes": "memcpy=twocopy", **names}
    assert words in refusal(read_csv, "way,bytes_each,bw\nmemcpy,4096,10\nvmsplice,4096,12\n", **names)


# ---- rows


@pytest.mark.parametrize(("text", "words"), [
    ("mode,size,streams,gbps\n0,64,1,1\n0,64,2,2\n", "'streams' (1, 2) may tell them apart"),
    ("mode,size,streams,gbps\n0,64,1,1\n0,64,2,2\n", "say --column 'streams=threads' if"),
    ("mode,size,kind,gbps\n0,64,a,1\n0,64,b,2\n", "is not read: keep the rows of one value"),
    ("mode,size,threads,no,gbps\n0,64,1,1,1\n0,64,1,2,2\n", "'no=round'"),
    ("mode,size,gbps,note\n0,64,1,a\n0,64,2,a\n", "--rounds-from-repeats"),
    ("mode,size,threads,gbps\n0,64,1,1\n0,64,1,1\n", "line 3: this row and line 2 agree"),
    ("mode,size,round,gbps\n0,64,1,1\n0,64,1,2\n", "and round")])
def test_repeated_rows_are_rounds_only_if_an_option_says_so(text: str, words: str) -> None:
    assert words in refusal(read_csv, text)
    d = read_csv(text, rounds_from_repeats=True)
    assert [row.round for row in d.rows] == [0, 1]
    assert d.notes[-1].endswith("taken for rounds, as --rounds-from-repeats says.")


@pytest.mark.parametrize(("text", "rounds"), [
    ("mode,size,trial,gbps\n0,64,1,1\n0,64,2,2\n", [0, 1]), ("mode,size,round\n0,64,1\n1,64,1\n", [1, 1]),
    ("mode,size,threads,gbps\n0,64,1,1\n0,64,2,2\n", [0, 0]),
    # A number of each row in the file is not a round that cells share.
    ("run,mode,size\n1,0,64\n2,1,64\n3,0,64\n4,1,64\n", [0, 1, 0, 1])])
def test_rounds_of_a_column(text: str, rounds: list[int]) -> None:
    assert [row.round for row in read_csv(text).rows] == rounds


RUN_IDS = "run,mode,size,mtu,gbps,retries\n1,0,64,1500,1,0\n2,0,64,9000,4,3\n3,1,64,1500,2,0\n4,1,64,9000,8,1\n"


def test_runs_of_their_own_number_may_differ_in_a_setting() -> None:
    assert "line 3: this row and line 2 agree in mode, size and threads; the column 'mtu' (1500, 9000)" in refusal(
        read_csv, RUN_IDS)
    for names in ({"rounds_from_repeats": True}, {"column": ["mtu=ignore"]}):
        assert [row.round for row in read_csv(RUN_IDS, **names).rows] == [0, 1, 0, 1]


@pytest.mark.parametrize("text", [
    RUN_IDS.replace("9000", "1500"), RUN_IDS.replace("64,9000", "65,9000"), RUN_IDS.replace("mtu", "trial")], ids=str)
def test_runs_of_their_own_number_are_rounds_if_nothing_tells_them_apart(text: str) -> None:
    """All of one MTU, another MTU for each size, a second column of rounds; other numbers are not all repeated."""
    assert len(read_csv(text).rows) == 4


@pytest.mark.parametrize("text", [
    "mode,size,environment_mtu\n0,64,1500\n1,64,9000\n", "mode,size,environment_path\n0,64,veth\n0,64,loopback\n",
    "mode,size,environment_kernel\n0,64,6.1\n0,64,6.12\n", "mode,size,fields\n0,64,8\n0,64,64\n"])
def test_rows_of_other_settings_are_not_pooled(text: str) -> None:
    assert "are not pooled" in refusal(read_csv, text)


def test_value_that_only_some_rows_have_is_theirs_all() -> None:
    assert read_csv("mode,size,fields,environment_mtu\n0,64,8,\n1,64,8,1500\n").conditions == {"fields": "8",
                                                                                             "mtu": "1500"}


def test_other_members_of_a_row() -> None:
    d = read_csv("environment_device,mode,size,round,interrupted,verdict_text,environment_os\n"
                 'lo,0,64,0,true,"copied, ""local""\nhere",x\nlo,0,64,1,false,,x\nlo,0,64,2,True,,x\nlo,0,64,3,,,x\n'
                 "lo,0,64,4,trues,,x\n")
    assert d.environment == {"device": "lo", "os": "x"}
    assert d.interrupted == 2
    assert [row.verdict for row in d.rows] == ['copied, "local"\nhere', "", "", "", ""]
    assert all(row.imported for row in d.rows)


def test_published_columns_are_read() -> None:
    d = read_csv("Mode,Size,Threads,Throughput_Gbps,Latency_us,Cycles,L1Misses,LLCMisses,ContextSwitches\n"
                 "2,16384,4,80,2.5,1000,11,12,13\n0,4096,1,8,1.5,2000,21,22,23", duration_s=5)
    assert [row.cell for row in d.rows] == [(0, 4096, 1), (2, 16384, 4)]
    assert known(d.rows[1]) == {"GBPS": 80, "LATENCY": 2500, "CYCLES": 1000, "L1D_MISSES": 11, "LLC_MISSES": 12,
                                "CONTEXT_SWITCHES": 13, "DURATION": 5}
    assert d.rows[1][metric.CYCLES_PER_BYTE] == pytest.approx(1000 / 50e9)


# ---- several files

FIRST = "mode,size,threads,gbps\n0,64,1,1\n0,64,2,2\n1,64,1,3\n"


def test_files_are_joined_by_mode_size_and_threads() -> None:
    d = read_csv(FIRST, "mode,size,threads,latency_us\n1,64,1,30\n0,64,1,10\n2,64,1,99\n")
    assert [known(row) for row in d.rows] == [{"GBPS": 1, "LATENCY": 1e4}, {"GBPS": 2}, {"GBPS": 3, "LATENCY": 3e4},
                                              {"LATENCY": 99e3}]
    assert d.notes[-1] == ("y.csv: 1 of 3 rows have no partner in the files before it, the first zero-copy, 64 B, "
                           "1 thread; 1 rows of these files have none in it.")
    # One file per mode is also one experiment.
    assert len(read_csv("mode,size,threads,gbps\n0,64,1,1\n", "mode,size,threads,gbps\n1,64,1,1\n").rows) == 2
    # Files may round one number differently.
    assert len(read_csv(FIRST, "mode,size,threads,gbps,cs\n0,64,1,1.0009,5\n").rows) == 3


@pytest.mark.parametrize(("text", "words"), [
    ("mode,size,threads,gbps\n0,64,1,1.5\n", "y.csv, line 2: throughput of two-copy, 64 B, 1 thread differs"),
    ("mode,size,threads,cycles\n0,128,1,1\n", "they are not of one experiment"),
    ("mode,size,threads,gbps\n0,64,1,1\n", "leave it out"),
    ("mode,size,cycles\n0,64,1\n", "it has no column threads, and the files before it have one"),
    (full_csv()[0] + full_csv()[1], "y.csv: only CSV files of others can be joined")])
def test_files_of_other_experiments_are_not_joined(text: str, words: str) -> None:
    assert words in refusal(read_csv, FIRST, text)


# ---- damage


@pytest.mark.parametrize(("text", "words"), [
    ("", "line 1: the file is empty"), ("\ufeff", "empty"), ("mode,size\n", "line 2: there is a header, but no run"),
    ("\ufeffsize,x\n1,2\n", "there is no column 'mode' (columns: x)"), ("a,b\n1,2\n", "no column 'mode'"),
    ("mode,threads\n0,2\n", "there is no column 'size' (columns: all are other fields)"),
    ("mode,size,cycles\n0,64\n", "line 2: 2 cells where the header has 3"), ("mode,size\n0,64\n0,64,3\n", "line 3"),
    ("mode,size\n0,64\n0\n0,64\n", "line 3: 1 cells where the header has 2"),
    ("mode,size,verdict_text\n0,64,\"copied", "line 2: a quoted cell never ends"),
    ("mode,size,app_rx_bytes\n0,64,12", "the file ends within a line: it is truncated"),
    ("mode,size,cycles\n0,64,many\n", "column 'cycles' has 'many', which is not a number"),
    ("mode,size,cycles\n0,64,0x10\n", "'0x10', which is not a number"), ("mode,size,cycles\n0,64,12abc\n", "'12abc'"),
    ("mode,size,cycles\n0,64,inf\n", "'inf', which is not a number"),
    ("mode,size,cycles\n0,64,1e999\n", "'1e999', which is not a number"),
    ("mode,size,cycles\n0,64,-1\n", "'-1', and can hold nothing below 0"), ("mode,size\n33,64\n", "'33' is not a mode"),
    ("mode,size\n0,\n", "without a message size"), ("mode,size\n0,0\n", "without a message size"),
    ("mode,size\n0,-5\n", "'-5', which is not a valid count"), ("mode,size,threads\n0,64,1.5\n", "not a valid count"),
    ("mode,size,threads\n0,64,1000001\n", "not a valid count"),
    ("mode,size,Cycles,cycles\n0,64,1,2\n", "columns 'Cycles' and 'cycles' are the same number"),
    ('{"schema": 1}\n', "no column"), (b"mode,size\n0,\0 64\n", "x.csv: this is not a text file."),
    (b"\xff\xfem\0o\0d\0e\0,\0s\0i\0z\0e\0", "this is UTF-16: save it as CSV in UTF-8"),
    ("mode,size\n0,64" + "," * 100000 + "\n", "more than 16384 cells in a line"),
    ("mode,size,x\n0,64," + "a" * ((1 << 20) + 1) + "\n", "or 1048576 bytes in a cell")],
    ids=lambda value: value[:30] if isinstance(value, str) else None)
def test_damaged_files_are_refused(text: str | bytes, words: str) -> None:
    sentence = refusal(read_csv, text)
    assert sentence.startswith("x.csv") and words in sentence


def test_cell_as_long_as_the_limit_is_read() -> None:
    assert read_csv("mode,size,x\n0,64," + "a" * ((1 << 20) - 1) + "\n").rows


# ---- --explain


def explained(text: str, **names: Any) -> str:
    stream = io.StringIO()
    csv_import.explain([csv_rows.File("x.csv", text.encode(), csv_columns.Options(Names(**names)))], stream)
    return stream.getvalue()


def test_table_of_columns_has_no_control_characters_and_80_columns() -> None:
    text = explained("mode,size,\x1b[31mred,a column with a name that is longer than the table is wide and then some "
                     "more words for good measure\n0,64,\x1b[0m,averyveryveryveryveryverylongvalue\n1,64,x,y\n")
    assert text.startswith("""\
x.csv
column                 read as            unit    values
mode                   mode                       0 = two-copy, 1 = one-copy
size                   size               B       64
?[31mred               not read                   ?[0m, x
a column with a name   not read                   averyveryveryveryveryver, y
that is longer than                               \n\
the table is wide and                             \n\
then some more words                              \n\
for good measure                                  \n\

Modes are read from 'mode': 0 = two-copy, 1 = one-copy.
""")
    assert max(map(len, text.splitlines())) <= 80


def test_columns_of_a_refused_file_are_explained_too(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    file = csv_rows.File("x.csv", b"mode,size,streams\n0,64,1\n0,64,2\n", csv_columns.Options(Names()))
    assert "'streams=threads'" in refusal(csv_import.explain, [file], stream)
    assert re.search(r"^streams +not read +1, 2$", stream.getvalue(), re.MULTILINE)
    assert capsys.readouterr().out == ""


def test_own_file_needs_no_explanation() -> None:
    assert explained("".join(full_csv())) == "x.csv: netiotrace's own results: every column has its own name.\n"


# ---- tables of names


def test_manual_lists_the_fields_with_names_and_units() -> None:
    lines = (REPO / "docs/reference/report.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in lines if line.startswith("| ")]
    documented = {row[0]: row[1:] for row in rows}
    for name, _, _, assumed, names, bare in csv_names.FIELDS:
        text, unit = documented[name]
        plain, _, after = text.partition("with a unit: ")
        own = {name.replace("_", "")}
        assert set(re.findall(r"[a-z0-9]+", plain)) | own == set(names.split()) | own, name
        assert set(after.replace("(nothing)", ".").replace(",", "").split()) == set(bare.split()), name
        assert unit == (assumed or ""), name


def test_counters_and_names_have_one_field() -> None:
    counters = {f.key.split(".")[1] for f in csv_names.FIELDS if f.key.startswith("perf.")}
    assert counters == {c.key for c in tables.COUNTERS}
    names = [name for f in csv_names.FIELDS for name in f.names.split()]
    assert len(names) == len(set(names))


def test_payload_bytes_of_another_program_is_not_the_payload_of_the_run() -> None:
    """There it is that of a message."""
    text = "mode,size,threads,round,throughput_gbps,duration_s,cycles,{}\ntwocopy,64,1,0,1,1,1000,24\n"
    of_message, other = (read_csv(text.format(name)) for name in ("payload_bytes", "payloadlen"))
    assert of_message.rows[0][metric.CYCLES_PER_BYTE] == other.rows[0][metric.CYCLES_PER_BYTE] < 1
    assert "payload_bytes" in (of_message.unread or "")
