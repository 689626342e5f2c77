#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""walks.py TREE BUILD: does CONTRIBUTING.md lead a newcomer to the place of a change?

Each file that its two tables name exists, and has the names that stand before it. Then a counter, an option and a
mode are added in a copy of the sources, each by the row that the table names: the lists that are made of the rows
compile, and have the new one. docs/design/bpf-programs.md has the files of bpf/ and the prefixes of its programs.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TREE, BUILD = map(os.path.abspath, sys.argv[1:3])
FOLDERS = ("analysis", "bpf", "common", "loadgen", "user", "scripts", "docs", "tests")


def rows(heading):
    text = open(f"{TREE}/CONTRIBUTING.md", encoding="utf-8").read()
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    cells = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in section.splitlines() if line.startswith("| ")]
    assert len(cells) > 10, heading
    return cells[1:]  # without the head


MADE = open(f"{TREE}/Makefile", encoding="utf-8").read()  # names what it generates
ALL = [
    os.path.relpath(os.path.join(folder, name), TREE)
    for top in FOLDERS
    for folder, _, names in os.walk(f"{TREE}/{top}")
    for name in names
]


def files_of(word):
    """The files that a path or the end of one stands for, NAME and COMMAND being any word."""
    pattern = re.sub(r"NAME|COMMAND|MODULE|\\\*", r"[^/]+", re.escape(word))
    return [file for file in ALL if re.search(f"(^|/){pattern}{'' if word.endswith('/') else '$'}", file)]


def check_names(cell):
    """All files are there; of `A`, `B` (`file`), the file has A and B."""
    for word in re.findall(r"`([\w*/.-]*[\w*]/[\w*/.-]*|[\w*-]+\.(?:c|h|py|txt|help|bats|md))`", cell):
        there = files_of(word) or os.path.isdir(f"{TREE}/{word}") or f"/{word}:" in MADE
        assert there, f"CONTRIBUTING.md names {word}, which is not there"
    for names, word in re.findall(r"((?:`[^`]+`(?:, | and )?)+) \(`([^`]+)`", cell):
        text = "".join(open(f"{TREE}/{file}", encoding="utf-8").read() for file in files_of(word))
        for name in re.findall(r"`([^`(]+?)(?: = [^`]*|\([^`]*)?`", names):
            pattern = re.sub(r"NAME|COMMAND|\\\*", r"\\w+", re.escape(name))
            assert re.search(rf"\b{pattern}\b", text), f"{name} is not in {word}"


def row_of(what):
    """The cell of the table's row for `what`, and the first file that it names."""
    cell = next(cells[1] for cells in rows("Where to add what") if cells[0].startswith(what))
    return cell, re.search(r"\(`([^`]+)`", cell).group(1)


def compile_to_objects(copy, *files):
    includes = ["-I.", "-Iuser", f"-I{BUILD}/bpf", f"-I{BUILD}"]
    flags = ["-D_GNU_SOURCE", '-DNETIOTRACE_VERSION="0"', "-std=gnu11", "-O0", "-w"]
    subprocess.run(["cc", *flags, *includes, "-c", *files], cwd=copy, check=True)


def has(copy, file, word):
    """The object of a file has the word, as a name or a text."""
    return word.encode() in open(f"{copy}/{os.path.basename(file)[:-2]}.o", "rb").read()


def insert(copy, what, table, row):
    """Adds a row at the begin of the table that CONTRIBUTING names for `what`."""
    cell, file = row_of(what)
    assert table in cell, f"{table} is not named for {what}"
    text = open(f"{copy}/{file}", encoding="utf-8").read()
    # A table of tables: the last of them.
    table = (re.findall(rf"#define {table}\([^)]*\) .*\b(\w+)\(", text) or [table])[-1]
    head = re.search(rf"#define {table}\([^)]*\)\s*\\\n", text)
    assert head, f"no {table} in {file}"
    text = text[: head.end()] + f"\t{row} \\\n" + text[head.end() :]
    open(f"{copy}/{file}", "w", encoding="utf-8").write(text)


def check_bpf_page():
    """The page names each file of bpf/, and no other, and the beginning of each program's name."""
    page = open(f"{TREE}/docs/design/bpf-programs.md", encoding="utf-8").read()
    table = page.split("| file | content |", 1)[1].split("\n\n", 1)[0]
    named, there = set(re.findall(r"`([\w.]+\.[ch])`", table)), set(os.listdir(f"{TREE}/bpf"))
    assert named == there, f"bpf-programs.md: not named: {there - named}; not there: {named - there}"
    prefixes = tuple(re.findall(r"`(nio_\w+)`", page.split("## ", 2)[1]))
    for file in (file for file in os.listdir(f"{BUILD}/bpf") if file.endswith(".skel.h")):
        programs = re.findall(r"struct bpf_program \*(\w+);", open(f"{BUILD}/bpf/{file}", encoding="utf-8").read())
        assert programs, file
        for program in programs:
            assert program.startswith(prefixes), f"bpf-programs.md has no name or prefix of {program}"


def add_a_counter(copy):
    insert(copy, "a count of watched sockets", "NIO_SOCK_COUNTS", "X(walked, true)")
    it = '#include "model/socket_ledger.h"\nint it(struct socket_ledger *ledger)\n{\n\treturn ledger->walked;\n}\n'
    open(f"{copy}/it.c", "w").write(it)
    compile_to_objects(copy, "it.c", "user/model/socket_ledger.c", "user/export/aggregates.c")


def add_an_option(copy):
    insert(copy, "an option of the workload", "WORKLOAD_OPTIONS",
           'ROW(X, walked, FLAG, "walked", NULL, ON_SENDER, 0, 0, 0, NULL, flag, "walked", "true/false", "a walk")')
    compile_to_objects(copy, "common/workload.c", "loadgen/lg_options.c", "user/load/loadgen_args.c",
                       "user/write/json_environment.c")
    assert has(copy, "workload.c", "a walk") and has(copy, "json_environment.c", "walked")


def add_a_mode(copy):
    insert(copy, "a copy mode", "MODES", 'X(WALKED, walked, "walked on", MODE_COPIES, 1, 1)')
    one = open(f"{copy}/loadgen/send_onecopy.c", encoding="utf-8").read()
    open(f"{copy}/loadgen/send_walked.c", "w").write(one.replace("send_mode_onecopy", "send_mode_walked"))
    compile_to_objects(copy, "common/mode.c", "loadgen/sender_conn.c", "loadgen/send_walked.c")
    assert has(copy, "mode.c", "walked on") and has(copy, "sender_conn.c", "send_mode_walked")


def main():
    for cells in rows("Where to add what"):
        for cell in cells[1:]:
            check_names(cell)
    for cells in rows("Where is X decided"):
        for path in re.findall(r"`((?:user|bpf|common|loadgen|analysis)/[^`]+)`", cells[1]):
            assert os.path.exists(f"{TREE}/{path}"), f"CONTRIBUTING.md names {path}, which is not there"
        for name, path in re.findall(r"`(\w+)\(\)`(?: in| of|,)? `(user/[^`]+\.c)`", cells[1]):
            text = open(f"{TREE}/{path}", encoding="utf-8").read()
            assert re.search(rf"\b{name}\(", text), f"{name}() is not in {path}"
    check_bpf_page()
    for walk in (add_a_counter, add_an_option, add_a_mode):
        with tempfile.TemporaryDirectory() as copy:
            for folder in ("bpf", "common", "loadgen", "user"):
                shutil.copytree(f"{TREE}/{folder}", f"{copy}/{folder}")
            walk(copy)


main()
