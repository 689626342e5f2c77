# SPDX-License-Identifier: GPL-2.0-only
"""What a report does with names from outside, with gnuplot, and with the directory that it writes."""

from __future__ import annotations

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
from typing import Any

import pytest

pytest.importorskip("jinja2")

from analysis import metric, tables
from analysis.dataset import Dataset, Row
from analysis.report import diagram, figure, flame, latex, main, page, plotter, stack_rules
from analysis.report.page import Fold, Heading, Link, Links, Pair, Paragraph, Picture, Table
from analysis.study import Analysis

HOSTILE = "<script>alert(1)</script>&amp;\"'|*_[x](javascript:y)`id`\\input{z}%$#{}~^\n=cmd()\x1b\u202e"
SVG = '<?xml version="1.0"?><svg><g id="a" fill="url(#b)"/><use href=\'#a\'/></svg>'


@pytest.fixture
def hostile_analysis() -> Analysis:
    """Three modes at two sizes; every text of the data is hostile."""
    d = Dataset(environment={key: HOSTILE for key in ("kernel", "cpu", "path", "device", "virtualization")})
    d.reason = {m: HOSTILE for m in metric.ALL}
    for mode in tables.MODES[:3]:
        for size in (4096, 65536):
            for number in range(3):
                row = Row(mode, size, 1, number)
                for m, value in ((metric.GBPS, 10.0), (metric.RX_BYTES, 1e9), (metric.CPU_SENDER, 0.5)):
                    row.values[m.index] = value * (1 + number / 10 + mode.index)
                row.values[metric.stage_bytes(tables.STAGES[1]).index] = 1e9
                metric.derive(row.values, 1)
                d.rows.append(row)
        d.stacks[mode, 65536, 1] = {(0, HOSTILE.replace("\n", "")): 5, (0, "tcp_sendmsg"): 5}
    return Analysis(d)


# ---- text


@pytest.mark.parametrize(
    ("escape", "expected"),
    [
        (page.html, "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\n?"),
        (page.markdown, '\\<a href="x"\\>\\&\' ?'),
        (page.latex, '\\textless{}a href="x"\\textgreater{}\\&\'??'),
        (figure.quoted, '"<a href=\\"x\\">&\'\\n?"'),
    ],
)
def test_text_is_escaped(escape: Any, expected: str) -> None:
    assert escape('<a href="x">&\'\n\x1b') == expected


def test_syntax_of_markdown_latex_and_gnuplot_is_escaped() -> None:
    assert page.markdown("|`*_{}[]#~\\") == r"\|\`\*\_\{\}\[\]\#\~\\"
    assert page.latex("%$#_{}~^\\") == r"\%\$\#\_\{\}\char`\~{}\char`\^{}\char`\\{}"
    assert page.latex("<|>") == r"\textless{}\textbar{}\textgreater{}"
    assert figure.quoted("`id` \\n") == "\"'id' \\\\n\""


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def _page_of(text: str) -> list[page.Block]:
    return [
        Heading(2, text),
        Paragraph(text),
        Paragraph(text, strong=True),
        Links([Link(text), Link(text, picture="copies"), Link(text, file="../")]),
        Table([text] * 4, [[text] * 4]),
        Pair([Picture("copies", SVG, text)]),
        Fold(text, [Paragraph(text)]),
    ]


def test_hostile_text_makes_no_element_of_a_page() -> None:
    made = []
    for text in ("plain", HOSTILE):
        tags = _Tags()
        tags.feed(page.render_page("page.html", page.html, text, _page_of(text)))
        made.append((tags.tags, [name for name, _ in tags.attributes]))
        assert not any(str(value).startswith("javascript:") for _, value in tags.attributes)
    assert made[0] == made[1]


def test_hostile_text_makes_no_markdown() -> None:
    made = []
    for text in ("plain", HOSTILE):
        markdown = page.render_page("page.md", page.markdown, text, _page_of(text))
        syntax = re.sub(r"\\.", "", markdown)
        made.append([syntax.count(c) for c in "|*[]\n"])
        assert "<" not in syntax and "`" not in syntax
    assert made[0] == made[1]


def test_parts_of_pictures_have_ids_of_their_own() -> None:
    assert page.of_picture(SVG, "x") == '<svg><g id="x-a" fill="url(#x-b)"/><use href=\'#x-a\'/></svg>'


def test_no_text_of_the_data_is_in_csv_or_drawings(hostile_analysis: Analysis) -> None:
    """A cell that begins with = would be a formula."""
    system = figure.system_line(hostile_analysis.dataset)
    figures = main._figures(hostile_analysis, system)
    for f in figures.values():
        if not f.no_data:
            assert re.fullmatch(r"[a-z0-9_,.\n+-]+", f.data), f.name
    assert not figures["throughput-size"].no_data
    drawings = [d.svg for d in (*main._diagrams(hostile_analysis), *main._flames(hostile_analysis))]
    assert len(drawings) == 7
    for svg in drawings:
        assert "<script" not in svg and "&lt;script" in svg
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", svg)
    tex = latex.tables(hostile_analysis, system)
    assert r"\input" not in tex and r"\char`\\{}input\{z\}\%\$\#" in tex


def test_script_of_a_picture_executes_no_text(hostile_analysis: Analysis, tmp_path: pathlib.Path) -> None:
    hostile_analysis.dataset.environment = {"cpu": f"`touch {tmp_path}/made` \" ; system('touch {tmp_path}/made')"}
    f = main._figures(hostile_analysis, figure.system_line(hostile_analysis.dataset))["throughput-size"]
    assert "`" not in f.settings
    if shutil.which("gnuplot"):
        assert plotter.Plotter().draw(f, "svg").startswith(b"<?xml")
    assert list(tmp_path.iterdir()) == []


def test_lines_of_captions() -> None:
    assert list(figure.wrap("one two 92 113 sends\nthree", 12)) == ["one two", "92 113 sends", "three"]
    assert list(figure.wrap("abcdefgh ij", 5)) == ["abcde", "fgh", "ij"]


def test_picks_the_first_and_the_last() -> None:
    assert figure.pick([1, 2, 3, 4, 5, 6, 7, 8], 4) == [1, 3, 5, 8]
    assert figure.pick([1, 2], 4) == [1, 2]


# ---- stacks


def _width(svg: str, tip: str) -> float:
    return float(svg[svg.index(tip) :].split('width="')[1].split('"')[0])


def test_boxes_are_as_wide_as_their_time() -> None:
    stacks = {(0, "tcp_sendmsg;_copy_from_iter"): 30, (0, "tcp_sendmsg;a<b>"): 10, (1, "tcp_recvmsg"): 40,
              (2, "tcp_v4_rcv"): 1000}  # fmt: skip
    svg = flame.draw(flame.Input(tables.ONECOPY, stacks, {0: 2.0, 1: 1.0}))
    assert "CPU time of one-copy: on average 120 ns per KiB" in svg
    assert _width(svg, "<title>all: ") == 960
    assert _width(svg, "<title>sender: 80.00 ns/KiB, 66.7 %") == 640
    assert _width(svg, "<title>a&lt;b&gt;: 20.00") == 160
    assert "tcp_v4_rcv" not in svg
    assert tables.CPU_CLASSES[1].colour in svg[svg.index("<title>_copy_from_iter") :]


def test_functions_of_both_modes_share_a_box_below_different_system_calls() -> None:
    a = {(0, "do_syscall_64;__sys_sendto;tcp_sendmsg;_copy_from_iter"): 10}
    b = {(0, "do_syscall_64;__sys_sendmsg;tcp_sendmsg;gup_fast"): 30}
    svg = flame.draw(flame.Input(tables.TWOCOPY, a, {0: 1.0}), flame.Input(tables.ZEROCOPY, b, {0: 1.0}))
    assert _width(svg, "<title>tcp_sendmsg: 10.00 and 30.00 ns/KiB") == 960
    assert "#5050ff" in svg[svg.index("<title>_copy_from_iter") :]
    assert "__sys_sendto" not in svg


@pytest.mark.parametrize(
    ("frames", "part"),
    [
        ("do_syscall_64;__sys_sendmsg;tcp_sendmsg;lock_sock_nested", "lock"),
        ("tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter", "copy"),
        ("tcp_sendmsg;tcp_sendmsg_locked", "other"),
        ("tcp_sendmsg;release_sock;__release_sock;tcp_v4_do_rcv;tcp_write_xmit", "release"),
        ("tcp_sendmsg_locked;tcp_write_xmit;net_rx_action;skb_copy_ubufs;memcpy", "inline_receive"),
        ("do_syscall_64;__sys_sendmsg;copy_msghdr_from_user", "send_total"),
        ("do_syscall_64;ksys_write;vfs_write;pipe_write", None),
        ("", None),
    ],
)
def test_part_of_a_send_call(frames: str, part: str | None) -> None:
    found = stack_rules.call_part(frames)
    assert (found.key if found else None) == part


def test_diagram_names_what_was_not_measured(hostile_analysis: Analysis) -> None:
    hostile_analysis.dataset.reason = {m: "no probes" for m in metric.ALL}
    svg = diagram.draw(hostile_analysis, hostile_analysis.cells[0])
    assert "gather not available: no probes" in svg
    assert svg.count("<marker ") == 3


# ---- gnuplot


@pytest.fixture
def fake(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Any:
    """fake(SCRIPT): a gnuplot for the shell, the only one in PATH; every user can enter its directory."""
    directory = pathlib.Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    directory.chmod(0o755)

    def make(script: str) -> None:
        (directory / "gnuplot").write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit\n{script}\n')
        (directory / "gnuplot").chmod(0o755)
        monkeypatch.setenv("PATH", f"relative:{directory}")

    yield make
    shutil.rmtree(directory)


FIGURE = figure.Figure("x", "lines", data="a,b\n", settings="")


def test_gnuplot_has_no_rights_and_no_environment(fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNUTERM", "x11")
    fake("pwd; id -u; env | cut -d = -f 1; grep NoNewPrivs /proc/self/status; ulimit -t; ulimit -c; ps -o sid= -p $$")
    lines = plotter.Plotter().draw(FIGURE, "svg").decode().split()
    assert lines[0] == "/"
    assert lines[1] == str(os.geteuid())
    assert "GNUTERM" not in lines and "HOME" not in lines
    assert "NoNewPrivs: 1 20 0" in " ".join(lines)
    assert lines[-1] != str(os.getsid(0))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'plot x' >&2; echo '^' >&2; echo wrong >&2; exit 1", "gnuplot failed on lines.gp: wrong"),
        ("exit 1", "gnuplot failed on lines.gp: Input/output error"),
        ("exit 0", "gnuplot drew nothing with lines.gp."),
        ("sleep 60", "gnuplot failed on lines.gp: Connection timed out"),
    ],
)
def test_gnuplot_that_fails(fake: Any, monkeypatch: pytest.MonkeyPatch, script: str, message: str) -> None:
    fake("exec " + script if script.startswith("sleep") else script)
    gnuplot = plotter.Plotter()
    monkeypatch.setattr(plotter, "TIME_MAX_S", 1)
    with pytest.raises(plotter.PlotterError, match=re.escape(message)):
        gnuplot.draw(FIGURE, "svg")


def test_no_gnuplot(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    (tmp_path / "gnuplot").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}:.")
    with pytest.raises(plotter.PlotterError, match="not installed"):
        plotter.Plotter()


def test_date_of_a_pdf_is_removed_and_its_length_stays(fake: Any) -> None:
    fake("printf '%%PDF /CreationDate (D:2026) x'")
    assert plotter.Plotter().draw(FIGURE, "pdf") == b"%PDF " + b" " * len("/CreationDate (D:2026)") + b" x"
