# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of a report as data and settings for gnuplot, its drawings, and the order of its page."""
from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import pytest

pytest.importorskip("jinja2")

from made import _Noise, fill, KIB, put_values, Study

from analysis import metric, tables
from analysis.dataset import Bucket, Failure
from analysis.metric import NAN
from analysis.report import content, diagram, figure_stacks, flame, latex, main, page, stack_rules
from analysis.report.figure import Figure
from analysis.report.page import WINNER
from analysis.tables import Mode, MODES, ONECOPY, STAGES, TWOCOPY, ZEROCOPY

NS_TX_COPY, PATH_COPY = metric.METRICS["NS_TX_COPY"], metric.METRICS["PATH_COPY"]


def figure_of(s: Study, name: str, system: str = "system") -> Figure:
    return main._figures(s.finish().a, system)[name]


def one(mode: Mode = TWOCOPY, size: int = 4 * KIB, /, **values: float) -> Study:
    """A data set of one run."""
    s = Study()
    s.put(mode, size, 1, 0, **{"gbps": 8, **values})
    return s


# ---- lines


def test_a_line_has_its_points_with_intervals() -> None:
    s = Study()
    for r in range(3):
        s.put(TWOCOPY, 4 * KIB, 1, r, 10 + r)
    s.put(ZEROCOPY, 64 * KIB, 2, 0, 2)
    f = figure_of(s, "throughput-size", "Linux 6.18.")
    assert f.data == ("panel,mode,series,x,median,low,high,rounds\n1,twocopy,1,4096,11,10,12,3\n"
                      "1,twocopy,1,65536,,,,0\n2,zerocopy,1,4096,,,,0\n2,zerocopy,1,65536,2,,,1\n")
    for setting in ('modes = "twocopy zerocopy"', "xtics = \"'4k' 4096,'64k' 65536\"",
                    'array panel_title[2] = ["1 thread", "2 threads"]', "ylog = 0", "bars = 1",
                    'caption = "Linux 6.18.\\nMedians of 1 to 3 rounds; bars: intervals of 75.0 % and more.\\n'
                    'n/a: not measured."'):
        assert f"{setting}\n" in f.settings
    assert f.no_data == ""


@pytest.mark.parametrize(("high", "is_logarithmic"), [(19, 0), (21, 1)])
def test_a_wide_range_has_a_logarithmic_axis(high: float, is_logarithmic: int) -> None:
    s = one(gbps=1)
    s.put(TWOCOPY, 8 * KIB, 1, 0, high)
    assert f"ylog = {is_logarithmic}\n" in figure_of(s, "throughput-size").settings


def test_pictures_without_data_say_why() -> None:
    s = one(gbps=NAN)
    s.dataset.reason[PATH_COPY] = "this backend cannot see it"
    figures = main._figures(s.finish().a, "system")
    assert all(f.no_data for f in figures.values())
    assert figures["send-call"].no_data.startswith("neither times (this backend cannot see it) nor samples (")
    assert figures["completion"].no_data == "the data has no zero-copy run"


def test_cpu_time_replaces_missing_counters() -> None:
    s = one(RX_BYTES=1024000, CPU_SENDER=0.002, CPU_RECEIVER=0.001)
    s.dataset.reason[metric.METRICS["S_L1D_MISSES"]] = "no PMU"
    f = figure_of(s, "cache-size")
    assert f.title.endswith("instead of cache misses") and "Cache misses are n/a: no PMU." in f.note
    assert f.data.endswith("1,twocopy,1,4096,2000,,,1\n2,twocopy,2,4096,1000,,,1\n")


def test_the_send_call_replaces_a_missing_delivery_latency_and_long_times_are_in_ms() -> None:
    f = figure_of(one(SEND_P50=2e7), "latency-threads")
    assert "the data has no delivery latency" in f.note and f.data.endswith("\n1,twocopy,1,1,20,,,1\n")
    assert 'ylabel = "send call (ms)"\n' in f.settings and '["median, 4 KiB"]' in f.settings
    f = figure_of(one(SEND_P50=2e7, DELIVERY_P50=9.9e6), "latency-threads")
    assert f.data.endswith("\n1,twocopy,1,1,9900,,,1\n") and 'ylabel = "delivery (us)"\n' in f.settings


def test_a_caption_says_that_sizes_are_left_out() -> None:
    """Four panels at most: of a size each for the latency, of a thread count for the throughput."""
    s = Study()
    for i in range(5):
        s.put(TWOCOPY, KIB << i, 1, 0, 8, SEND_P50=2000)
    words = "Of 5 sizes, shown: 1 KiB, 2 KiB, 4 KiB, 16 KiB."
    assert words in figure_of(s, "latency-threads").settings
    assert words not in figure_of(s, "throughput-size").settings


def panel_titles(f: Figure) -> list[str]:
    found = re.findall(r"^array panel_title\[\d+\] = \[(.*)\]$", f.settings, re.MULTILINE)
    return re.findall('"(.*?)"', found[0])


def test_a_caption_names_only_sizes_and_thread_counts_that_have_a_panel() -> None:
    """The third of five sizes has no latency, the last of four thread counts has no two-copy run."""
    s = Study()
    for i, threads in itertools.product(range(5), (1, 2, 4, 8)):
        for mode in (TWOCOPY, ONECOPY)[threads == 8:]:
            s.put(mode, KIB << i, threads, 0, 8, SEND_P50=NAN if i == 2 else 2000)
    figures = main._figures(s.finish().a, "system")
    for name, words, titles in (
            ("latency-threads", "Of 5 sizes, shown: 1 KiB, 2 KiB, 8 KiB, 16 KiB.",
             [f"median, {n} KiB" for n in (1, 2, 8, 16)]),
            ("relative-throughput", "Of 4 thread counts, shown: 1, 4.", ["1 thread", "4 threads"]),
            ("throughput-size", "", ["1 thread", "2 threads", "4 threads", "8 threads"])):
        f = figures[name]
        assert panel_titles(f) == titles
        assert words in f.settings and ("shown:" in f.settings) == bool(words)


def test_a_size_without_a_run_is_not_called_shown() -> None:
    """Bars are of one thread count, which one of three sizes lacks."""
    s = Study()
    for size, threads in ((KIB, 1), (KIB, 2), (2 * KIB, 2), (4 * KIB, 1)):
        fill(s.put(TWOCOPY, size, threads, 0), _Noise())
    f = figure_of(s, "copies")
    assert not f.no_data and "Of 3 sizes, shown: 1 KiB, 4 KiB." in f.settings


def test_counters_by_threads_bytes_per_cycle_and_receive_calls() -> None:
    s = Study()
    for threads in (1, 2):
        s.put(TWOCOPY, 4 * KIB, threads, 0, 8, RX_BYTES=1024000, S_CYCLES=256000, R_CYCLES=256000,
              S_L1D_MISSES=2000 * threads, R_L1D_MISSES=0, RECV_P50=3000 * threads)
    figures = main._figures(s.finish().a, "system")
    for name, rows in (("cache-threads", "1,twocopy,1,1,2,,,1\n1,twocopy,1,2,4,,,1\n"),
                       ("bytes-per-cycle", "1,twocopy,1,4096,2,,,1\n2,twocopy,1,4096,2,,,1\n"),
                       ("recv-threads", "1,twocopy,1,1,3,,,1\n1,twocopy,1,2,6,,,1\n")):
        assert figures[name].data.endswith(rows)


def rows_of(f: Figure) -> list[dict[str, str]]:
    head, *rows = (row.split(",") for row in f.data.splitlines())
    return [dict(zip(head, row)) for row in rows]


def number(f: Figure, name: str) -> float:
    found = re.findall(rf"^{name} = (.+)$", f.settings, re.MULTILINE)
    assert len(found) == 1
    return float(found[0])


def all_modes() -> Study:
    """Every number of every mode, with what was sampled and timed, at three sizes and two thread counts."""
    s = Study()
    for mode in MODES:
        for size in (KIB, 16 * KIB, 256 * KIB):
            for threads in (1, 8):
                for r in range(3):
                    row = s.put(mode, size, threads, r)
                    fill(row, _Noise())
                    put_values(row, CLASS_S_TX_COPY=5 + r, CLASS_R_TX_COPY=3, RECV_P50=9, RECV_P99=99 * threads)
                s.dataset.hists[mode, size, threads, STAGES[5]] = [Bucket(100, 199, 3)]
    return s


def test_all_panels_have_one_scale_that_holds_every_point() -> None:
    for f in main._figures(all_modes().finish().a, "system").values():
        if f.template == "lines" and not f.no_data:
            values = [float(row[name]) for row in rows_of(f) for name in ("median", "low", "high") if row[name]]
            assert number(f, "ymin") <= min(values) and max(values) <= number(f, "ymax")


def test_pictures_beside_each_other_have_one_scale() -> None:
    figures = main._figures(all_modes().finish().a, "system")
    throughput, cpu = figures["relative-throughput"], figures["relative-cpu"]
    for name in ("ymin", "ymax", "ylog", "xmin", "xmax"):
        assert number(throughput, name) == number(cpu, name)


def test_modes_of_two_groups_have_a_panel_for_each_thread_count_beside_each_other() -> None:
    s = Study()
    for threads in (1, 2, 4):
        for mode in MODES[:7]:
            s.put_rounds(mode, 4 * KIB, threads, 10, 0.01)
    f = figure_of(s, "relative-throughput")
    titles = re.search(r"^array panel_title.*= \[(.*)\]$", f.settings, re.MULTILINE)
    assert titles and re.findall('"(.*?)"', titles[1]) == [
        f"{threads}, by {how}" for how in ("copying", "reference") for threads in ("1 thread", "4 threads")]
    assert number(f, "columns") == 2 and "Of 3 thread counts, shown: 1, 4." in f.settings


@pytest.mark.parametrize(("kib", "narrow", "wide"), [
    ((1, 2, 4, 16, 64, 256, 512, 1024), "1k 4k 16k 64k 1m", "1k 2k 4k 16k 64k 256k 1m"),
    ((1, 1024, 1280), "1k 1.25m", "1k 1.25m"), ((4, ), "4k", "4k"), ((2, 3), "2k 3k", "2k 3k")])
def test_labels_of_an_axis_do_not_touch(kib: tuple[int, ...], narrow: str, wide: str) -> None:
    s = Study()
    for size in kib:
        for threads in (1, 2):
            s.put_modes(size * KIB, threads, 10, 12, 5)
    for name, labels in (("relative-throughput", narrow), ("throughput-size", wide)):
        tics = re.search('^xtics = "(.*)"$', figure_of(s, name).settings, re.MULTILINE)
        assert tics and [text.split("'")[1] for text in tics[1].split(",")] == labels.split()


def test_no_panel_has_more_than_five_lines_and_no_mode_is_lost() -> None:
    drawn = 0
    for f in main._figures(all_modes().finish().a, "system").values():
        if f.template in ("lines", "histograms") and not f.no_data:
            panels: dict[str, set[str]] = {}
            for row in rows_of(f):
                panels.setdefault(row["panel"], set()).add(row["mode"])
            assert max(map(len, panels.values())) <= 5
            listed = re.search(r"^array panel_modes.*= \[(.*)\]$", f.settings, re.MULTILINE)
            assert listed and [set(modes.split()) for modes in re.findall('"(.*?)"', listed[1])] == [*panels.values()]
            assert f.name.startswith("relative") or f.name == "completion" or set.union(*panels.values()) == {
                m.name for m in MODES}
            drawn += 1
    assert drawn > 8


def test_what_is_not_known_is_a_gap_and_never_0() -> None:
    """Of a cell without the number, and of a size that was never run."""
    s = Study()
    for i, gbps in enumerate((10, NAN, 12)):
        s.put(TWOCOPY, KIB << i, 1, 0, gbps)
    s.put(ONECOPY, KIB, 1, 0, 10)
    f = figure_of(s, "throughput-size")
    assert [(row["x"], row["median"], row["rounds"]) for row in rows_of(f) if row["mode"] == "twocopy"] == [
        ("1024", "10", "1"), ("2048", "", "0"), ("4096", "12", "1")]
    assert [row["rounds"] for row in rows_of(f) if row["mode"] == "onecopy"] == ["1", "0", "0"]
    assert "n/a: not measured." in f.settings
    f = figure_of(s, "relative-throughput")
    assert [(row["x"], row["median"]) for row in rows_of(f)] == [("1024", "1"), ("2048", ""), ("4096", "")]


def test_a_picture_names_the_modes_without_a_value() -> None:
    s = one()
    s.put(ONECOPY, 4 * KIB, 1, 0)
    assert "Without a value: one-copy." in figure_of(s, "throughput-size").note
    assert "Without" not in figure_of(one(), "throughput-size").note


def test_no_sample_is_no_0() -> None:
    s = Study()
    for i, ns in enumerate((0, 30)):
        s.put(ONECOPY, 4 * KIB << i, 1, 0, 8, CLASS_S_TX_COPY=ns, CLASS_R_TX_COPY=0)
    assert [row["median"] for row in rows_of(figure_of(s, "copy-times"))] == ["", "30"]


# ---- relative to two-copy


def two_modes(first: Mode, second: Mode) -> Study:
    """Four rounds each; with one comparison the interval is from the lowest to the highest quotient."""
    s = Study()
    for r in range(4):
        s.put(first, 4 * KIB, 1, r, 10 + r)
        s.put(second, 4 * KIB, 1, r, 20 + 2 * r)
    return s


def test_a_mode_relative_to_two_copy_has_the_quotient_of_the_medians_and_its_interval() -> None:
    f = figure_of(two_modes(TWOCOPY, ONECOPY), "relative-throughput")
    _, row = f.data.splitlines()
    x, *ratios = row.removeprefix("1,onecopy,1,").split(",")
    assert x == "4096"
    assert [float(ratio) for ratio in ratios[:3]] == pytest.approx([23 / 11.5, 20 / 13, 26 / 10])
    assert "base = 1\n" in f.settings and 'modes = "onecopy"\n' in f.settings
    assert figure_of(two_modes(ONECOPY, ZEROCOPY), "relative-throughput").no_data == "the data has no two-copy run"


def test_a_quotient_has_the_rounds_of_its_own_cells() -> None:
    s = two_modes(TWOCOPY, ONECOPY)
    s.put(TWOCOPY, 8 * KIB, 1, 0, 10)
    s.put(ONECOPY, 8 * KIB, 1, 0, 15)
    s.put(ZEROCOPY, 4 * KIB, 1, 0, 15)
    rows = figure_of(s, "relative-throughput").data.splitlines()[1:]
    assert [row.split(",")[1:4:2] + row.split(",")[-1:] for row in rows] == [
        ["onecopy", "4096", "4"], ["onecopy", "8192", "1"], ["zerocopy", "4096", "1"], ["zerocopy", "8192", "0"]]


def test_thread_counts_are_not_pooled() -> None:
    s = Study()
    for threads, gbps in ((1, 15), (2, 5)):
        s.put(TWOCOPY, 4 * KIB, threads, 0, 10)
        s.put(ONECOPY, 4 * KIB, threads, 0, gbps)
    f = figure_of(s, "relative-throughput")
    assert 'array panel_title[2] = ["1 thread", "2 threads"]\n' in f.settings
    assert "No intervals: too few rounds." in f.settings
    assert "\n1,onecopy,1,4096,1.5," in f.data and "\n2,onecopy,1,4096,0.5," in f.data


# ---- stacks


def ledger(*copies: float) -> dict[str, float]:
    """Copies per byte of gather, send, pin, deferred and receive."""
    stages = (STAGES[0], STAGES[1], STAGES[2], STAGES[4], STAGES[5])
    return {"RX_BYTES": 1000, **{f"BYTES_{stage.id}": 1000 * n for stage, n in zip(stages, copies)}}


def test_copies_are_stacked_by_stage() -> None:
    s = one(**ledger(1, 1, 0, 0, 1))
    s.put(ZEROCOPY, 4 * KIB, 1, 0, 8, **ledger(0, 0, 1, 0.5, 1))
    f = figure_of(s, "copies")
    assert f.data == ("mode,size,position,part,from,to,first\ntwocopy,4096,1,user_gather,0,1,1\n"
                      "twocopy,4096,1,tx_copy,1,2,1\ntwocopy,4096,1,rx_copy,2,3,1\nzerocopy,4096,2,deferred_copy,0,0.5,1\n"
                      "zerocopy,4096,2,rx_copy,0.5,1.5,1\n")
    for setting in ('parts = "user_gather tx_copy deferred_copy rx_copy"', "ytics = \"'two-copy' 1,'zero-copy' 2\"",
                    'array bar_totals[2] = ["3.00", "1.50"]',
                    'array part_words[4] = ["gather", "send copy", "deferred", "receive"]'):
        assert f"{setting}\n" in f.settings
    assert "Not measured, so not in the bars: other" in f.note


def test_sizes_that_look_alike_share_a_bar_and_a_missing_part_is_said() -> None:
    s = Study()
    for i, copied in enumerate((1, 1, 0.5)):
        s.put(ZEROCOPY, 4 * KIB << i, 1, 0, 8, **ledger(0, 0, 1, copied, 1))
    s.put(TWOCOPY, 64 * KIB, 1, 0, 8, RX_BYTES=1000, BYTES_RX_COPY=1000)
    f = figure_of(s, "copies")
    assert "ytics = \"'two-copy' 1,'zero-copy, 4k to 8k' 2,'zero-copy, 16k' 3\"\n" in f.settings
    assert 'array bar_totals[3] = ["1.00 + n/a", "2.00", "1.50"]\n' in f.settings
    assert [row["first"] for row in rows_of(f) if row["position"] == "2"] == ["1", "1", "0", "0"]


def test_pieces_beside_each_other_differ_in_grey() -> None:
    light = [figure_stacks._light(figure_stacks._COLOUR[piece[0]]) for piece in figure_stacks._PIECES]
    assert all(abs(a - b) > 0.08 for a, b in zip(light, light[1:]))


def test_stages_that_some_cells_lack_are_named() -> None:
    s = Study()
    for size in (4 * KIB, 64 * KIB):
        s.put(TWOCOPY, size, 1, 0, 8, **ledger(1, 1, 0, 0, 1))
        s.put(ONECOPY, size, 1, 0, 8, **ledger(0, 1, 0, 0, 1 if size == 4 * KIB else NAN))
        s.put(ZEROCOPY, size, 1, 0, 8, **ledger(0, 0, 1, NAN, 1))
    assert figure_of(s, "copies").note == (
        "With 1 thread; sizes in one bar where they are alike. Not measured, so not in the bars: other, deferred of "
        "zero-copy, receive of one-copy (64k).")


def test_parts_of_a_send_call_add_up_to_the_whole() -> None:
    f = figure_of(one(TX_MESSAGES=10, PATH_TOTAL=100000, PATH_COPY=30000, PATH_TRANSMIT=50000), "send-call")
    assert f.data.splitlines()[1:] == [f"twocopy,4096,1,{part},1" for part in ("copy,0,3", "transmit,3,8", "rest,8,10")]
    f = figure_of(one(TX_MESSAGES=10, TIMES_MESSAGES=5, PATH_TOTAL=100000, PATH_COPY=30000), "send-call")
    assert f.data.splitlines()[1] == "twocopy,4096,1,copy,0,6,1"  # of the round that was timed


def test_samples_replace_missing_parts_of_a_call() -> None:
    """10 messages took the sender 100 us; half of its samples are in send calls."""
    s = one(TX_MESSAGES=10, CPU_SENDER=100e-6)
    s.dataset.reason[PATH_COPY] = "no fentry here"
    s.dataset.stacks[TWOCOPY, 4 * KIB, 1] = {
        (0, "tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter"): 20, (0, "__sys_sendmsg;copy_msghdr_from_user"): 20,
        (0, "tcp_sendmsg;tcp_sendmsg_locked;tcp_write_xmit;net_rx_action;tcp_v4_rcv"): 10, (0, "[libc.so.6]"): 50,
        (1, "tcp_recvmsg;release_sock"): 100}
    f = figure_of(s, "send-call")
    assert f.data.splitlines()[1:] == [
        f"twocopy,4096,1,{part},1" for part in ("copy,0,2", "inline_receive,2,3", "rest,3,5")]
    assert "from samples" in f.title and "the parts of a call are not timed (no fentry here)." in f.note
    assert 'xlabel = "CPU time per message (us)"\n' in f.settings


# ---- times of copies


def test_copy_times_are_shares_of_all_events() -> None:
    s = one(ONECOPY, 64 * KIB)
    s.dataset.hists[ONECOPY, 64 * KIB, 1, STAGES[5]] = [Bucket(100, 111, 30), Bucket(1000, 1499, 10)]
    f = figure_of(s, "copy-times")
    assert 'array panel_title[1] = ["receive"]\n' in f.settings and "\n1,onecopy,100,75\n" in f.data
    assert sum(float(row.split(",")[3]) for row in f.data.splitlines()[1:]) == pytest.approx(100, abs=0.01)


def test_samples_replace_missing_copy_times() -> None:
    """One of two rounds was sampled: the caption says so."""
    s = one(ONECOPY, 64 * KIB)
    s.put(ONECOPY, 64 * KIB, 1, 1, 8, CLASS_S_TX_COPY=30, CLASS_R_TX_COPY=0, CLASS_S_RX_COPY=0, CLASS_R_RX_COPY=55.5)
    s.dataset.reason[NS_TX_COPY] = "no fentry here"
    f = figure_of(s, "copy-times")
    assert (f.template, f.no_data) == ("lines", "")
    assert f.data.splitlines()[1:] == ["1,onecopy,1,65536,30,,,1", "2,onecopy,1,65536,55.5,,,1"]
    assert 'array panel_title[2] = ["send copy", "receive copy"]\n' in f.settings
    assert "Of one round of each cell: no intervals." in f.settings
    assert "from samples, instead of how long a copy takes" in f.title
    assert "Single copies are not timed (no fentry here). n/a: no sample" in f.note


def test_copy_times_without_samples_name_the_thread_count() -> None:
    s = one(ONECOPY, 64 * KIB)
    s.put(ONECOPY, 64 * KIB, 2, 0, 8, CLASS_S_TX_COPY=30)
    assert figure_of(s, "copy-times").no_data == "no sample was taken with 1 thread"


# ---- drawings


def test_a_diagram_has_the_stages_that_ran_and_names_the_others() -> None:
    s = one(ZEROCOPY, 64 * KIB, **ledger(0, 0, 1, 1, 1), NS_RX_COPY=250)
    s.dataset.reason[metric.METRICS["BYTES_OTHER_COPY"]] = "no tracepoint <here>"
    svg = diagram.draw(s.finish().a, s.cell(ZEROCOPY, 64 * KIB))
    for words in (">pin<", ">1.00 per byte, no copy<", ">deferred<", ">receive<", ">256 ns per KiB<",
                  "other not available: no tracepoint &lt;here&gt;", "did not run: gather, send copy"):
        assert words in svg
    assert "one buffer" not in svg and 'class="stage">send copy' not in svg


def test_a_diagram_needs_a_ledger() -> None:
    s = one(ONECOPY).finish()
    assert not diagram.possible(s.a, s.cell(ONECOPY, 4 * KIB))


FRAMES = ("[libc.so.6]", "[netio-loadgen]", "tcp_sendmsg_locked;_copy_from_iter",
          "tcp_sendmsg_locked;skb_zerocopy_iter_stream", "tcp_v4_rcv;skb_copy_ubufs",
          "skb_copy_datagram_iter;_copy_to_iter", "tcp_collapse;skb_copy_bits;memcpy", "msg_zerocopy_complete",
          "tcp_ack", "hrtimer_start_range_ns", "dev_queue_xmit", "__alloc_skb", "kmem_cache_alloc_node",
          "lock_sock_nested", "schedule", "do_syscall_64", "common_interrupt", "bpf_trampoline_1", "filemap_read",
          "unknown_function")


def flame_of(frames: Sequence[str]) -> str:
    return flame.draw(flame.Input(TWOCOPY, {(0, f): 1 for f in frames}, {0: 1.0}))


def test_the_legend_of_a_flame_graph_names_every_class_inside_the_picture() -> None:
    assert len(FRAMES) == len(tables.CPU_CLASSES)  # one of each
    svg = flame_of(FRAMES)
    height = float(re.search(r' height="(\d+)"', svg)[1])  # type: ignore[index]
    for c in tables.CPU_CLASSES:
        item = re.search(rf'<text [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*>{re.escape(c.heading)}</text>', svg)
        assert item and float(item[1]) + 5 * len(c.heading) < 960 and float(item[2]) < height


def test_a_flame_graph_has_no_style_or_id_that_could_affect_another() -> None:
    assert "<style" not in flame_of(FRAMES) and " id=" not in flame_of(FRAMES)


@pytest.mark.parametrize(("frames", "part"), [
    ("tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter;rep_movs_alternative", "copy"),
    ("tcp_sendmsg;tcp_sendmsg_locked;skb_zerocopy_iter_stream;__zerocopy_sg_from_iter", "pin"),
    ("tcp_sendmsg;tcp_sendmsg_locked;sk_page_frag_refill", "other"),
    ("tcp_sendmsg;tcp_sendmsg_locked;__tcp_push_pending_frames;tcp_write_xmit;__tcp_transmit_skb", "transmit"),
    # A part lasts as long as its function, except for receive softirqs on top of it.
    ("tcp_sendmsg;tcp_sendmsg_locked;sk_stream_wait_memory;release_sock;_raw_spin_lock_bh", "wait"),
    ("tcp_sendmsg_locked;tcp_write_xmit;do_softirq;net_rx_action;tcp_v4_rcv;lock_sock_nested", "inline_receive"),
    # Names of BPF trampolines in a stack.
    ("tcp_sendmsg;bpf_trampoline_1;tcp_sendmsg;release_sock", "release"),
    ("do_syscall_64;__x64_sys_sendto;__sys_sendto;inet_sendmsg", "send_total"),
    ("asm_sysvec_apic_timer_interrupt;net_rx_action;tcp_v4_rcv", None), ("[libc.so.6]", None)])
def test_the_part_of_a_send_call_that_a_stack_belongs_to(frames: str, part: str | None) -> None:
    found = stack_rules.call_part(frames)
    assert (found.key if found else None) == part


# ---- the page


def page_of(s: Study, escape: str = "md") -> str:
    s.finish()
    figures = main._figures(s.a, "Linux.")
    for f in figures.values():
        f.svg = "<svg></svg>"
    report = content.Report(s.a, s.answers, figures, [], [], source="results", system="Linux.", raw="../",
                         command="netiotrace report results")
    form = {"md": ("page.md", page.markdown), "html": ("page.html", page.html)}[escape]
    return page.render_page(*form, "title", list(content.blocks(report)))


def test_answers_come_before_pictures_and_the_cheapest_way_is_last() -> None:
    md = page_of(two_modes(TWOCOPY, ONECOPY))
    at = 0
    for words in ("Linux.", "| Was zero-copy zero-copy? |", "| Fastest |", "relative-throughput.png",
                  "Contents: [The six questions]", "raw data", "| Threads | Size | two-copy, Gbit/s |",
                  "## The six questions", "## Pictures", "throughput-size.png", "| Not drawn | Why |",
                  "| What the kernel did |", "## All cells", "## How this was measured",
                  "## At which size is one way to send ahead", "| one-copy | two-copy | 4 KiB (+",
                  "## What is the cheapest and the fastest way to send here?"):
        at = md.index(words, at)
    assert f"| 1 | 4 KiB | 11.50 | {WINNER}23.00 |\n" in md  # only the best mode is marked
    # Pictures without data are in a list, not in the page.
    assert "cycles-size.png" not in md and "\n## What the kernel did" not in md


def test_the_page_has_the_origin_of_the_data_and_a_link_to_it() -> None:
    s = two_modes(TWOCOPY, ONECOPY)
    s.dataset.environment = {"started": "2026-01-02T03:04:05Z", "memory": 8589934592}
    md = page_of(s)
    assert "Measured from 2026-01-02T03:04:05Z." in md and "Memory: 8 GiB." in md and "[raw data](../)" in md


def test_a_counter_without_bytes_to_divide_it_by_is_there_as_its_count() -> None:
    s = Study()
    for mode in (TWOCOPY, ONECOPY):
        s.put(mode, 4 * KIB, 1, 0, 8, L1D_MISSES=2000, BRANCHES=300)
    md = page_of(s)
    assert "| L1D misses | branches |" in md and "| 2 000 | 300 |" in md


def test_what_a_failed_run_does_not_say_is_not_0() -> None:
    s = one()
    s.dataset.failures += [Failure("zerocopy", 4 * KIB, 2, 1, "x"), Failure("?", 0, 0, 0, "y")]
    table = list(content._failures(s.finish().a))[1]
    assert isinstance(table, page.Table)
    assert table.rows == [["zerocopy", "4 KiB", "2", "1", "x"], ["?", "n/a", "n/a", "0", "y"]]


def test_every_link_of_the_page_has_its_target() -> None:
    html = page_of(two_modes(TWOCOPY, ONECOPY), "html")
    links = re.findall(r'href="#([^"]*)"', html)
    assert len(links) > 8
    assert [link for link in links if f' id="{link}"' not in html] == []


def test_latex_has_medians_and_intervals_of_the_columns_that_some_run_has() -> None:
    s = two_modes(TWOCOPY, ONECOPY).finish()
    tex = latex.tables(s.a, "Linux.")
    assert (r"mode & size & \multicolumn{2}{c}{throughput} \\" "\n"
            r" & & \multicolumn{2}{c}{Gbit/s} \\" "\n") in tex
    assert "With 1 thread." in tex and "one-copy & 4 KiB & 23.00 & 20.00--26.00" in tex
    assert "delivery" not in tex


def test_tables_for_latex_are_as_long_and_wide_as_a_page() -> None:
    s = Study()
    for mode in MODES:
        for i in range(9):
            for threads in (1, 2):
                for r in range(7):
                    put_values(s.put(mode, KIB << i, threads, r, 1000 + r), RX_BYTES=1e9, CPU_SENDER=0.1 + r,
                               CPU_RECEIVER=0.2, COPIES=2 + r / 7)
    tables_ = latex.tables(s.finish().a, "Linux.").split(r"\begin{table}")[1:]
    rows = [[line for line in table.splitlines() if re.match("[a-zA-Z_\\\\ -]+ & [0-9]+ [KM]?i?B &", line)]
            for table in tables_]
    assert all(0 < len(r) <= latex.ROWS_MAX for r in rows)
    assert max(len(line) for r in rows for line in r) < 110
    assert sum(len(r) for r, table in zip(rows, tables_) if "{throughput}" in table) == len(s.a.cells)


def test_softirq_work_is_said_to_be_missing_from_the_cpu_time_only_where_it_was_measured() -> None:
    for softirq in (0.0, NAN):
        s = Study()
        s.put_cost(TWOCOPY, KIB, 0.2, (softirq, softirq))
        s.put_cost(MODES[3], KIB, 0.3, (softirq, softirq))
        for row in s.rows:
            put_values(row, DURATION=1)
        note = figure_of(s, "relative-cpu").note
        assert note == ("" if softirq else "Softirq work on other tasks is not in it.")
