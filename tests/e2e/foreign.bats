#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netiotrace report and compare on result files of other tools: they name the columns they read,
# refuse ambiguous rows with a remedy, and the remedy works.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	made_by_hand
	cd "$BATS_TEST_TMPDIR" || return
	need_tool gnuplot
	foreign=$REPO/tests/fixtures/foreign
}

teardown() {
	stop_jobs
}

# refused WORDS... -- COMMAND ARGS...: exit 2, nothing on stdout, one sentence with each of the
# words.
refused() { # WORDS... -- COMMAND ARGS...
	local words=() code=0 word

	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	"$NETIOTRACE" "$@" >stdout 2>stderr </dev/null || code=$?
	if [ "$code" -ne 1 ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ]; then
		echo "$*: exit $code"
		cat stdout stderr
		return 1
	fi
	for word in "${words[@]}"; do
		grep -qF -- "$word" stderr || {
			echo "'$word' is not said:"
			cat stderr
			return 1
		}
	done
}

# cells DIR: the rows of the report's table of cells.
cells() { # DIR
	sed -n '/^## All cells/,/^## /p' "$1/report.md" | grep -c '^| \(two\|one\|zero\)-copy'
}

@test "report reads 15 files of other tools: each row is a cell, and no present number is reported as missing" {
	local file name rows

	for file in "$foreign"/*.csv; do
		name=$(basename "$file" .csv)
		[ "$name" != three-files-latency ] || continue
		"$NETIOTRACE" report -q -o "$name" "$file"
		rows=$(($(wc -l <"$file") - 1))
		[ "$(cells "$name")" -eq "$rows" ]
		run ! grep -qE 'rounds each|to tell apart by [0-9]+ rounds' "$name/report.md"
		if grep -qiE 'misses' "$file"; then
			run ! grep -q 'no cache counters' "$name/report.md"
		fi
		if grep -qiE 'cycles|context|,cs' "$file"; then
			run ! grep -q 'neither ledger nor costs' "$name/report.md"
		fi
	done
	refused 'max_us' '--column' -- report -q -o latency "$foreign/three-files-latency.csv"
	[ ! -e latency ]
}

@test "report joins three files of one experiment by mode, size and threads" {
	"$NETIOTRACE" report -q -o out "$foreign"/three-files-{throughput,latency,perf}.csv
	[ "$(cells out)" -eq 48 ]
	# 36497171071 cycles, 8.281532 Gbit, from the first rows of two of the files.
	grep -qE '^\| two-copy \| 64 B \| 1 .*\| 35\.26 \|' out/report.md
	grep -q 'min.*us.*max.*us.*l1.*loads' out/report.md
	# The command printed in the report names all three files.
	grep -q 'three-files-throughput.csv .*three-files-latency.csv .*three-files-perf.csv' out/report.md
	refused 'total-gbps.csv' 'of two-copy, 64 B, 1 thread' -- report -q -o other "$foreign"/{three-files-throughput,total-gbps}.csv
	mkdir -p results/cells
	refused 'results' -- report -q -o other "$foreign/workers.csv" results
}

@test "report refuses to pool rows that a column distinguishes; the remedy in its message works" {
	sed '1s/Workers/Streams/' "$foreign/workers.csv" >streams.csv
	refused "'Streams' (1, 2, 4, 8)" "--column 'Streams=threads'" -- report -q -o out streams.csv
	"$NETIOTRACE" report -q -o out --column Streams=threads streams.csv
	"$NETIOTRACE" report -q -o plain "$foreign/workers.csv"
	diff <(sed -n '/^## The six/,/^## How/p' plain/report.md) <(sed -n '/^## The six/,/^## How/p' out/report.md)
	"$NETIOTRACE" report -q -o rounds --rounds-from-repeats streams.csv
	[ "$(cells rounds)" -eq 12 ]
	# The command printed in the report reproduces it.
	"$NETIOTRACE" report -q -o again --column Streams=threads streams.csv
	diff <(grep -v 'make the report again' out/report.md) <(grep -v 'make the report again' again/report.md)
	run -2 "$NETIOTRACE" report -q -o none --column streams=nothing streams.csv
	[[ $output == *"'streams=nothing'"*threads* ]]
	refused "'Rate'" -- report -q -o none --column Rate=threads "$foreign/workers.csv"
}

@test "report --explain lists each column in 80 columns, also for a refused file" {
	local code=0

	"$NETIOTRACE" report --explain "$foreign/total-gbps.csv" >out
	[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' out)" -le 80 ]
	grep -qE '^weighted_avg_oneway_us +latency +us ' out
	grep -qE '^cache_misses +not read ' out
	grep -qE '^total_gbps +throughput +Gbit/s ' out
	[ -z "$(find . -name 'total-gbps-report*' -print -quit)" ]
	sed '1s/Workers/Streams/' "$foreign/workers.csv" >streams.csv
	"$NETIOTRACE" report --explain streams.csv >out 2>err || code=$?
	[ $code -eq 1 ]
	grep -qE '^Streams +not read +1, 2, 4, 8$' out
	grep -q 'Streams=threads' err
}

@test "report lists the values if no column holds the mode; --modes maps them" {
	sed 's/^A1,/plain,/; s/^A2,/vector,/; s/^A3,/pinned,/' "$foreign/workers.csv" >names.csv
	refused 'plain, vector, pinned' '--modes' -- report -q -o out names.csv
	"$NETIOTRACE" report -q -o out --modes plain=twocopy,vector=onecopy,pinned=zerocopy names.csv
	sed '1s/Impl/Way/; s/^A1,/v1,/; s/^A2,/v2,/; s/^A3,/v3,/' "$foreign/workers.csv" >way.csv
	refused "'Way' holds v1, v2, v3" "'Way=mode'" -- report -q -o out2 way.csv
	"$NETIOTRACE" report -q -o out2 --column Way=mode way.csv
	[ "$(cells out2)" -eq 48 ]
}

@test "report reads a mode column of any name whose values are mode names, from a pipe" {
	sed '1s/Impl/Way/' "$foreign/workers.csv" >way.csv
	"$NETIOTRACE" report -q -o out <(cat way.csv)
	[ "$(cells out)" -eq 48 ]
	grep -q "Modes are read from 'Way': A1 = two-copy, A2 = one-copy, A3 = zero-copy" out/report.md
}

@test "without python3 or Jinja2, report, compare and attach --baseline are one sentence with the package's name" {
	local packages

	need_root
	for command in "report -q -o out" "compare $foreign/workers.csv" "attach -q --pid $$ --duration 1s --baseline"; do
		# shellcheck disable=SC2086 # words
		run ! without_python3 "$NETIOTRACE" $command "$foreign/workers.csv"
		[ "$status" -eq "$([[ $command == attach* ]] && echo 2 || echo 1)" ]
		[[ $output == "netiotrace: "*" needs python3, which is not installed: install the package"* ]]
		[[ $output == *": install the packages python3 and python3-jinja2." || $command != report* && $output == *" package python3." ]]
	done
	[ ! -e out ]
	packages=$(/usr/bin/python3 -c 'import jinja2, os; print(os.path.dirname(os.path.dirname(jinja2.__file__)))')
	# shellcheck disable=SC2016 # the inner shell's
	without_jinja2() { unshare -m -- sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$packages" "$NETIOTRACE" "$@"; }
	run -1 without_jinja2 report -q -o out "$foreign/workers.csv"
	[[ $output == "netiotrace: report needs Jinja2, "*": install the package python3-jinja2." ]]
	[ ! -e out ]
	without_jinja2 compare -q "$foreign/workers.csv" "$foreign/workers.csv"
}

@test "hostile CSV files are one sentence without control characters, within bounds" {
	local file

	printf 'mode,size\n0,\0 64\n' >nul.csv
	printf 'mode,\033]0;owned\007,size\n0,1,\033[2J\n' >escape.csv
	printf '\033[31mx\n' >words.csv
	printf 'mode,size\n"' >quote.csv
	{ printf 'mode,size\n0,"' && head -c 3000000 /dev/zero | tr '\0' x && printf '"\n'; } >cell.csv
	{ printf 'mode,size\n' && head -c 30000000 /dev/zero | tr '\0' ,; } >commas.csv
	{ printf 'mode,size\n0,"' && yes '' | head -c 3000000; } >lines.csv
	yes '"a,' | head -c 1000000 >quotes.csv
	yes '(((((((' | tr -d '\n' | head -c 1000000 >deep.csv
	truncate -s 300M large.csv
	head -c 100000 /dev/urandom | tr -d '\0' >noise.csv
	for file in *.csv; do
		refused "$file" -- report -q -o out "$PWD/$file"
		run ! grep -q '[^[:print:]]' stderr
		run ! grep -q Traceback stderr
	done
	[ ! -e out ]
}

@test "python3 runs without root, also for attach --baseline" {
	need_root
	open_to_all
	cat >python3 <<-END
		#!/bin/sh
		PATH=/usr/bin:/bin
		{ id -u; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; } >>"$PWD/log"
		exit 7
	END
	chmod 755 python3
	: >log
	chmod 666 log
	run ! with_python3 python3 "$NETIOTRACE" report -q -o out "$foreign/workers.csv"
	run ! with_python3 python3 "$NETIOTRACE" compare "$foreign/workers.csv" "$foreign/workers.csv"
	run ! with_python3 python3 "$NETIOTRACE" attach --pid $$ --duration 1s --baseline "$foreign/workers.csv"
	cat log
	[ "$(grep -c '^CapEff:.0000000000000000$' log)" -eq 3 ]
	[ "$(grep -c '^NoNewPrivs:.1$' log)" -eq 3 ]
	run ! grep -qx 0 log
}

# with_package: the Python program of stdin, with analysis/ and the arguments.
with_package() {
	PYTHONPATH=$REPO PYTHONDONTWRITEBYTECODE=1 python3 - "$@"
}

@test "docs/reference/report.md lists the fields, names and units of CSV columns" {
	with_package "$REPO/docs/reference/report.md" <<-'END'
		import re, sys
		try:
		    from analysis.csv_names import FIELDS
		except ImportError:
		    from analysis.csv_import import FIELDS
		rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in open(sys.argv[1]) if line.startswith("| ")]
		documented = {row[0]: row[1:] for row in rows}
		for name, _, _, assumed, names, bare in FIELDS:
		    text, unit = documented[name]
		    plain, _, after = text.partition("with a unit: ")
		    words = set(re.findall(r"[a-z0-9]+", plain)) | {name.replace("_", "")}
		    assert words == set(names.split()) | {name.replace("_", "")}, (name, words ^ set(names.split()))
		    assert set(after.replace("(nothing)", ".").replace(",", "").split()) == set(bare.split()), name
		    assert unit == (assumed or ""), name
	END
}

@test "the package has the modes, parts, counters and columns of help --tables" {
	"$NETIOTRACE" help --tables >tables
	with_package <<-'END'
		from analysis import conditions, metric, tables as package
		try:
		    from analysis.csv_names import OWN
		except ImportError:
		    from analysis.csv_import import OWN
		tables = {}
		for line in open("tables"):
		    table, name, words = line.rstrip("\n").split("\t")
		    tables.setdefault(table, []).append((name, words))
		assert [(m.name, m.words) for m in package.MODES] == tables["mode"]
		names = {table: [name for name, _ in rows] for table, rows in tables.items()}
		assert [p.key for p in package.PATH_PARTS] == names["part"]
		assert {c.key for c in package.COUNTERS} == set(names["counter"])
		assert [s.key for s in package.STAGES] == names["stage"]
		assert [c.key for c in package.CPU_CLASSES] == names["class"]
		columns = set(names["column"])
		of_others = {f"perf.{c.key}" for c in package.COUNTERS} | {"latency_ns"}
		assert {m.path for m in metric.READ if m.path.replace(".", "_") not in columns} == of_others
		settings = getattr(conditions, "OF_ENVIRONMENT", None) or conditions._OF_ENVIRONMENT
		for name in (s for s in settings if "." not in s):
		    assert any(column.startswith(f"environment_{name}") for column in columns), name
		for name in [f"app_latency_ns_{kind}_p50" for kind in names["latency"]] + [
		        f"ledger_{stage}_bytes" for stage in names["stage"]] + [
		        f"cpu_sender_ns_per_kib_{kind}_value" for kind in names["class"]]:
		    assert name in columns and OWN.fullmatch(name), name
	END
}

@test "compare reads files of other tools as report does" {
	sed '1s/Workers/Streams/' "$foreign/workers.csv" >streams.csv
	run -1 "$NETIOTRACE" compare streams.csv streams.csv
	[[ $output == *"'Streams' (1, 2, 4, 8)"* ]]
	"$NETIOTRACE" compare --column Streams=threads --json out.json -q streams.csv streams.csv
	jq -e '.schema' out.json >/dev/null
	# Columns that are not read, and so not compared, are named.
	"$NETIOTRACE" compare "$foreign"/three-files-latency.csv "$foreign"/three-files-latency.csv >/dev/null 2>stderr
	grep -q "'min_us', 'max_us'" stderr
}
