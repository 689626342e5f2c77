#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netiotrace report: every picture exists and is readable, the page needs no other resources, the
# answers match the data, and bad input is refused with one sentence.

bats_require_minimum_version 1.5.0
load ../lib

PICTURES='relative-throughput relative-cpu throughput-size latency-threads recv-threads cache-size cycles-size copy-times send-call completion'
[ "$(id -u)" -ne 0 ] || PICTURES+=' copies'

setup() {
	made_by_hand
	cd "$BATS_TEST_TMPDIR" || return
	need_tool gnuplot
	published=$REPO/tests/fixtures/pa02-mt25014-results.csv
}

teardown() {
	stop_jobs
}

# refused CODE ARGS...: exit CODE, one line on stderr that begins with the program's name, nothing
# on stdout.
refused() { # CODE ARGS...
	local expected=$1 code=0
	shift

	"$NETIOTRACE" report "$@" >stdout 2>stderr </dev/null || code=$?
	if [ "$code" -ne "$expected" ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] ||
		! grep -q '^netiotrace: ' stderr; then
		echo "$*: exit $code"
		cat stdout stderr
		return 1
	fi
}

nothing_begun() {
	[ -z "$(find . -name '.netiotrace-report-*' -print -quit)" ]
}

# changes TITLE REPORT: the column of 4 threads (of 1, 2, 4, 8) in the answer's table of changes.
changes() { # TITLE REPORT
	awk -F ' *\\| *' -v title="$1" 'index($0, title) == 1 { on = 1 } on && /iB/ { printf "%s%s", sep, $5; sep = " " }
		on && sep != "" && !/^\|/ { exit }' "$2"
}

# pillow: a python3 that has Pillow; the system's may not be the first in PATH.
pillow() {
	local python

	for python in python3 /usr/bin/python3; do
		if "$python" -c 'import PIL' 2>/dev/null; then
			echo "$python"
			return
		fi
	done
	skip "python3 has no PIL (package python3-pil)"
}

# make_results DIR: a results directory with all parts: a real run if possible, else a run without a
# ledger; then adds, by their documented names, the parts that not every backend has.
make_results() { # DIR
	local backend=auto mode size round

	[ "$(id -u)" -eq 0 ] || backend=none
	mkdir -p "$1/cells"
	for mode in twocopy onecopy zerocopy; do
		for size in 4096 65536; do
			for round in 0 1; do
				"$NETIOTRACE" --mode $mode --size $size --backend $backend --duration 50ms \
					--warmup 10ms -q --json "$1/cells/$mode-$size-t1-r$round.json"
			done
		done
	done
	add_stage_times "$1"/cells/*.json
	rm "$1/cells/onecopy-4096-t1-r1.json"
	cat >"$1/cells/onecopy-4096-t1-r1.failed.json" <<-'END'
		{"schema": "netiotrace.failure/1", "mode": "onecopy", "size": 4096, "threads": 1,
		 "round": 1, "exit_code": 1, "reason": "the sender died of <old age>"}
	END
}

# once NAME COMMAND...: runs COMMAND in a directory $MADE for the first test that asks; later tests
# only copy from it.
once() {
	local begun=$BATS_FILE_TMPDIR/begun here=$PWD

	MADE=$BATS_FILE_TMPDIR/$1
	shift
	if [ ! -e "$MADE" ]; then
		rm -rf "$begun"
		mkdir "$begun"
		cd "$begun" || return
		"$@"
		cd "$here" || return
		mv "$begun" "$MADE"
	fi
}

# The report of these results, in their directory.
report_results() {
	touch .by-hand
	make_results results
	[ "$("$NETIOTRACE" report results)" = results/report/report.html ]
}

# A report of the results: $RESULTS_REPORT.
results_report() {
	once results report_results
	RESULTS_REPORT=$MADE/results/report
}

# A report of the published data: $PUBLISHED_REPORT.
published_report() {
	once published "$NETIOTRACE" report -q -o out "$published"
	PUBLISHED_REPORT=$MADE/out
}

add_stage_times() { # FILE...
	python3 - "$@" <<-'END'
		import json, sys
		for name in sys.argv[1:]:
		    with open(name) as f:
		        document = json.load(f)
		    for run in document["runs"]:
		        zero = run["mode"] == "zerocopy"
		        for i, stage in enumerate(("tx_copy", "rx_copy", "deferred_copy")):
		            if zero == (stage == "tx_copy"):
		                continue
		            low = 500 << i
		            run["ledger"][stage]["ns"] = low * 100
		            run["ledger"][stage]["ns_buckets"] = [[low, low * 2 - 1, 80], [low * 2, low * 4 - 1, 20]]
		        n = run["app"]["tx_messages"]
		        run["path_ns"].update(send_total=10000 * n, lock=100 * n, copy=(0 if zero else 3000) * n,
		                              pin=(2000 if zero else 0) * n, wait=50 * n, transmit=3000 * n,
		                              inline_receive=1500 * n, release=200 * n)
		    with open(name, "w") as f:
		        json.dump(document, f)
	END
}

svg_has() { # NAME TEXT...
	local name=$1 text
	shift

	for text; do
		grep -qF "$text" "$name.svg" || {
			echo "$name.svg has no '$text'"
			cat "data/$name.csv"
			return 1
		}
	done
}

# gnuplot ignores write errors itself: it must not inherit an ignored SIGXFSZ.
@test "report under a file size limit fails and leaves no file" {
	(ulimit -f 20 && refused 1 -o out "$published")
	[ ! -e out ]
	nothing_begun
}

# outside_references FILE: everything that a browser would fetch or execute.
outside_references() { # FILE
	grep -oE '(src|href|action|data)=["'"'"'][^#"'"'"'][^"'"'"']*|url\([^#)"'"'"'][^)]*\)|@import' "$1" |
		grep -vF '"data:,' | grep -vxF 'href="../' || true
	grep -oi '<script' "$1" || true
}

@test "report: every picture exists, is not blank, has its legend, units and system" {
	local python name keys

	results_report
	cd "$RESULTS_REPORT"
	python=$(pillow)
	for name in $PICTURES; do
		svg_has "$name" "$(uname -r)"
		[ -s "data/$name.csv" ]
		[ -s "data/$name.plot" ]
	done
	"$python" "$REPO/tests/e2e/picture.py" ./*.png
	svg_has throughput-size 'message size (bytes)' 'throughput (Gbit/s)' two-copy one-copy zero-copy \
		'bars: intervals of 50.0 %' '>4k<' '>64k<'
	svg_has relative-throughput 'Throughput relative to two-copy' 'higher is better' 'No intervals: too few rounds.' one-copy zero-copy
	svg_has relative-cpu 'Process CPU time per KiB relative to two-copy' 'lower is better'
	# No label is a JSON key. A frame of a flame graph may be a BPF program, nio_tp_rx_copy.
	keys=$(grep -oE '>[^<]*\b(user_gather|tx_copy|rx_copy|deferred_copy|tx_pin|inline_receive)\b[^<]*<' ./*.svg || true)
	echo "$keys"
	[ -z "$keys" ]
	svg_has latency-threads threads 'delivery (' 'median, 4 KiB' 'p99, 4 KiB' two-copy zero-copy
	svg_has completion 'completion (' 'median, ' 'p99, ' zero-copy
	svg_has copy-times 'share of events (%)' '1 us' 'send copy' receive one-copy zero-copy
	svg_has send-call 'time per message (us)' 'inline receive' rest zero-copy
	svg_has cache-size 'message size (bytes)' two-copy
	svg_has cycles-size 'message size (bytes)' two-copy
	if [ "$(id -u)" -eq 0 ]; then
		svg_has copies 'copies per payload byte' gather receive two-copy
		svg_has diagram-twocopy gather 'send copy' receive '1.00 per byte'
		svg_has diagram-zerocopy pin deferred receive
	else
		[ ! -e copies.svg ]
		grep -q '^| Where the bytes were copied |' report.md
	fi
}

# every_way DIR: cells of all ways to send, those of zero-copy by another name.
every_way() { # DIR
	local mode round

	results_report
	mkdir -p "$1/cells"
	for mode in twocopy onecopy zerocopy sendfile splice uring uringzc ktls; do
		for round in 0 1; do
			jq --arg mode $mode '.runs[0].mode = $mode' "$MADE/results/cells/zerocopy-65536-t1-r$round.json" \
				>"$1/cells/$mode-65536-t1-r$round.json"
		done
	done
}

@test "report: pictures of all ways to send name each of them, inside the picture" {
	every_way ways
	"$NETIOTRACE" report -q -o out ways
	python3 - out <<-'END'
		import re, sys
		ways = "two-copy one-copy zero-copy sendfile splice io_uring kTLS".split() + ["io_uring zero-copy"]
		for name in "throughput-size relative-cpu latency-threads copy-times send-call".split():
		    svg = open(f"{sys.argv[1]}/{name}.svg").read()
		    width = float(re.search(r'width="(\d+)', svg)[1])
		    texts = re.findall(r'translate\(([\d.]+),[\d.]+\)[^>]*text-anchor="(\w+)">\s*<text>([^<]+)<', svg)
		    for way in ways[1 if "relative" in name else 0:]:
		        found = [(float(x), anchor) for x, anchor, text in texts if text.strip().split(",")[0] == way]
		        assert found, (name, way, texts)
		        for x, anchor in found:
		            long = 6 * len(way)
		            first = x - {"start": 0, "middle": long / 2, "end": long}[anchor]
		            assert 0 <= first and first + long <= width, (name, way, x, anchor, width)
	END
}

@test "report: the page needs nothing from outside and opens without errors" {
	local chromium=

	results_report
	cp -r "$RESULTS_REPORT" report
	cd report
	[ -z "$(outside_references report.html)" ]
	grep -q '<meta name="viewport"' report.html
	grep -q 'the sender died of &lt;old age&gt;' report.html
	for name in $PICTURES; do
		grep -q "<figure id=\"$name\">" report.html
		grep -q "($name.png)" report.md
	done
	# Every link has a target and no id is used twice, since each picture prefixes its ids.
	while read -r id; do
		grep -qF " id=\"$id\"" report.html || {
			echo "no target of #$id"
			return 1
		}
	done < <(grep -oP '<a href="#\K[^"]*' report.html | sort -u)
	[ -z "$(grep -oE ' id=("[^"]*"|'"'[^']*'"')' report.html | sort | uniq -d)" ]
	for name in chromium chromium-browser google-chrome; do
		chromium=${chromium:-$(type -P "$name" || true)}
	done
	[ -n "$chromium" ] || {
		echo "no chromium: run \`make deps\`"
		return 1
	}
	# A narrow and a wide window. With a dark system theme (0) the page and its pictures are dark.
	for width in 390 1200; do
		scheme=$((width > 390))
		timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
			--host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --hide-scrollbars \
			--blink-settings=preferredColorScheme=$scheme --window-size=$width,2400 \
			--screenshot="$PWD/page-$width.png" "file://$PWD/report.html" >browser.log 2>&1
		if grep -E 'CONSOLE|ERR_' browser.log; then
			return 1
		fi
		"$(pillow)" "$REPO/tests/e2e/picture.py" --page "page-$width.png"
	done
	"$(pillow)" - page-390.png page-1200.png <<-'END'
		import sys
		from PIL import Image
		dark, light = (Image.open(name).convert("L").histogram() for name in sys.argv[1:])
		assert sum(dark[:64]) > 0.8 * sum(dark), "the dark page is not dark"
		assert sum(dark[240:]) < 0.01 * sum(dark), "white is left in the dark page"
		assert sum(light[240:]) > 0.8 * sum(light), "the light page is not light"
	END
}

@test "report on the published data set gives the published figures" {
	"$NETIOTRACE" report --duration 5s -o out "$published"
	for fact in 'two-copy, 64 KiB, 8 threads | 365.3 Gbit/s' 'zero-copy, 256 KiB, 4 threads | 283.3 Gbit/s' \
		'Zero-copy, by the medians alone, is faster in 1 of 16 settings' 'One run per cell' \
		'one-copy, 1 MiB, 8 threads | 47.19 Gbit/s' \
		'at 64 KiB +13 to +14 % with 1, 2 and 4 threads, -34 % with 8 threads'; do
		grep -qF -- "$fact" out/report.md || {
			echo "not found: $fact"
			return 1
		}
	done
	# One-copy against two-copy at 4 threads; LLC misses of zero-copy against two-copy.
	[ "$(changes 'Throughput of one-copy' out/report.md)" = '+4.4 % +13.3 % +13.6 % -34.3 %' ]
	[ "$(changes 'LLC misses of zero-copy' out/report.md)" = '-70.2 % -38.8 % +132.6 % -93.5 %' ]
	grep -qE '^\| two-copy \| 16 KiB \| 4 \| 1 \| 246.6 Gbit/s .*\| 0.4399 \|' out/report.md
	"$(pillow)" "$REPO/tests/e2e/picture.py" out/*.png
}

# bats test_tags=address
@test "report: counts and best cells of the published data equal an independent computation" {
	"$NETIOTRACE" report -q --duration 5s -o out "$published"
	python3 - "$published" >facts <<-'EOF'
		import csv, statistics, sys
		names = ["two-copy", "one-copy", "zero-copy"]
		rows = {(int(r["Mode"]), int(r["Size"]), int(r["Threads"])): r for r in csv.DictReader(open(sys.argv[1]))}
		gbps = {k: float(r["Throughput_Gbps"]) for k, r in rows.items()}
		settings = sorted({(s, t) for _, s, t in rows})
		for mode in 1, 2:
		    faster = sum(gbps[mode, s, t] > gbps[0, s, t] for s, t in settings)
		    print(f"{names[mode].capitalize()}, by the medians alone, is faster in {faster} of {len(settings)} settings")
		slower = sum(gbps[2, s, t] < max(gbps[0, s, t], gbps[1, s, t]) for s, t in settings)
		print(f"Zero-copy, by the medians alone, is slower than the faster copying mode in {slower} of {len(settings)} settings")
		for mode in 0, 1, 2:
		    _, s, t = max((k for k in gbps if k[0] == mode), key=gbps.get)
		    print(f"| Highest throughput of {names[mode]} | {names[mode]}, {s // 1024} KiB, {t} threads | {gbps[mode, s, t]:#.4g} Gbit/s |")
		total = {n: statistics.median(gbps[m, s, n] / gbps[m, s, 1] for m, s, t in gbps if t == 1) for n in (2, 4, 8)}
		shown = [f"x {total[n]:.{2 if total[n] < 10 else 1}f} with {n} threads" for n in total]
		print(f"The total by the medians alone: {shown[0]}, {shown[1]} and {shown[2]}, of that with 1 thread")
		own = statistics.median(gbps[m, s, 8] / 8 / gbps[m, s, 1] for m, s, t in gbps if t == 1)
		print(f"With 8 threads throughput per thread is x {own:.3f} of that with 1 (median)")
		sizes = sorted({s for s, _ in settings})
		collapses = sum(gbps[m, s, t] < 0.9 * gbps[m, s, 1] for m, s, t in gbps if t > 1)
		falls = sum(gbps[m, b, t] < 0.7 * gbps[m, a, t] for a, b in zip(sizes, sizes[1:]) for m in range(3) for t in (1, 2, 4, 8))
		print(f"collapse with more threads ({collapses} of 36), fall with larger messages ({falls} of 36)")
		llc = {k: int(r["LLCMisses"]) for k, r in rows.items()}
		for s, name in (16384, "16 KiB"), (65536, "64 KiB"), (262144, "256 KiB"):
		    cells = [f"{100 * (llc[2, s, t] / llc[0, s, t] - 1):+.1f} %" for t in (1, 2, 4, 8)]
		    print(f"| {name} | {' | '.join(cells)} |")
	EOF
	[ "$(wc -l <facts)" -eq 12 ]
	while IFS= read -r fact; do
		grep -qF -- "$fact" out/report.md || {
			echo "not found: $fact"
			return 1
		}
	done <facts
	# No exponents, and no figure next to "no difference", in any form of the report.
	run ! grep -nE '[0-9]e[+-]?[0-9]' out/report.md
	run ! grep -nE '% *,? no difference|not to be told apart' out/report.md out/report.html
	# The data does not say the number of CPUs: no ceiling, and nothing about caches.
	grep -q 'the number of usable CPUs is unknown' out/report.md
	grep -q 'Not shown: cache contention' out/report.md
}

@test "report twice on the same data gives equal files and replaces the older report" {
	published_report
	cp -a "$PUBLISHED_REPORT" out
	"$NETIOTRACE" report -q -o out "$published"
	diff -r --exclude='*.png' "$PUBLISHED_REPORT" out
	nothing_begun
}

@test "report: each picture's script draws it again by itself, and as PDF" {
	local script name

	results_report
	mkdir again
	cd again
	for script in "$RESULTS_REPORT"/data/*.plot; do
		name=$(basename "$script" .plot)
		gnuplot -d "$script" 2>/dev/null
		cmp "$name.svg" "$RESULTS_REPORT/$name.svg"
		gnuplot -d -e "term='pdf'" "$script" 2>/dev/null
		[ "$(head -c 5 "$name.pdf")" = %PDF- ]
		# The same but for the date, in whose place the report has blanks.
		cmp <(perl -pe 's|(/CreationDate \([^)]*\))|" " x length $1|e' "$name.pdf") "$RESULTS_REPORT/$name.pdf"
	done
	# pandoc reads the tables: outcome, latencies, and counters where there are any.
	grep -c '^.begin{table}' "$RESULTS_REPORT/cells.tex" >tables
	[ "$(<tables)" -ge 2 ]
	pandoc -f latex -t json "$RESULTS_REPORT/cells.tex" |
		jq -e --argjson n "$(<tables)" '[.. | objects | select(.t == "Table")] | length == $n'
}

@test "report on data sets of other tools names what they cannot answer" {
	sed 's/^Mode,Size,Threads,Throughput_Gbps/way,len,workers,rate/; s/^0,/memcpy,/; s/^1,/iovec,/; s/^2,/pinned,/' \
		"$published" >foreign.csv
	refused 1 foreign.csv
	grep -q -- '--column' stderr
	"$NETIOTRACE" report -q -o out --columns mode=way,size=len,threads=workers,throughput_gbps=rate \
		--modes memcpy=twocopy,iovec=onecopy,pinned=zerocopy foreign.csv
	published_report
	diff <(grep -v 'make the report again\|^Modes are read' "$PUBLISHED_REPORT/report.md" | sed 1d) \
		<(grep -v 'make the report again\|^Modes are read' out/report.md | sed 1d)
	grep -q 'Not shown: whether the books balance' out/report.md
	grep -q -- '--duration' out/report.md
	# Two published header lines of other tools, recognised without options.
	{
		echo impl,msg_size,threads,latency_us,throughput_mbps,cycles,cache_misses,l1_misses,context_switches
		echo A1,65536,2,12.5,40000,8000000000,10,20,3
		echo A2,65536,2,11.5,50000,7000000000,10,20,3
		echo A3,65536,2,22.5,20000,9000000000,10,20,3
	} >a.csv
	"$NETIOTRACE" report -q -o a a.csv
	grep -q 'Highest throughput of one-copy | one-copy, 64 KiB, 2 threads | 50.00 Gbit/s' a/report.md
	{
		echo Implementation,Threads,MsgSize_Bytes,Duration_s,Throughput_Gbps,Latency_us,Cycles,Instructions,L1_Cache_Misses,LLC_Misses,Branches,Branch_Misses,Context_Switches
		echo Two-Copy,4,65536,5,40,100,8e9,4e9,7,6,5,4,3
		echo One-Copy,4,65536,5,50,90,7e9,4e9,7,6,5,4,3
	} >b.csv
	"$NETIOTRACE" report -q -o b b.csv
	grep -q 'Highest throughput of one-copy | one-copy, 64 KiB, 4 threads | 50.00 Gbit/s' b/report.md
	grep -q '= 0.2240 cycles per byte' b/report.md # 7e9 cycles / (50 Gbit/s x 5 s)
	for dir in a b; do
		grep -q 'One run per cell' "$dir/report.md"
		grep -q 'Not shown: whether the books balance' "$dir/report.md"
	done
	grep -q -- '--duration' a/report.md
	run ! grep -q -- '--duration' b/report.md
}

# bats test_tags=address
@test "report: bad input is refused with one sentence" {
	mkdir empty foreign cells cells/cells
	echo '{"schema": "other/1", "runs": []}' >foreign/a.json
	echo '{"schema": "other/1", "runs": []}' >cells/cells/a.json
	head -c 1000 "$published" >cut.csv
	printf 'a,b\n1,2\n' >other.csv
	: >nothing.csv
	head -c 4096 /dev/urandom >noise.csv
	echo '{"schema": "netiotrace.result/1", "runs": [' >cut.json
	refused 2
	refused 1 empty
	refused 1 foreign
	refused 1 cells
	refused 1 foreign/a.json
	refused 1 missing
	refused 1 cut.json
	refused 1 cut.csv
	grep -q 'line [0-9]*: .* truncated' stderr
	refused 1 other.csv
	refused 1 nothing.csv
	refused 1 noise.csv
	refused 1 "$published" "$published"
	refused 2 --duration 0 "$published"
	# A copy of a run would count as a further round and make the interval narrower.
	"$NETIOTRACE" -q --backend none --mode onecopy --messages 5 --warmup 0 --json one.json --csv one.csv
	mkdir copied copied/cells
	cp one.json copied/cells/one.json
	cp one.json copied/cells/another.json
	refused 1 copied
	grep -q 'round 1 of mode onecopy, .* is there twice' stderr
	sed -i '$p' one.csv # repeats the last line
	refused 1 one.csv
	grep -q 'is there twice' stderr
	jq '.runs[0].app.rx_bytes |= tostring' one.json >words.json
	refused 1 words.json
	grep -q 'a figure that is not a number' stderr
	nothing_begun
}

# bats test_tags=address
@test "report: an output directory that cannot be written is refused before any picture is drawn" {
	refused 2 -o missing/out "$published"
	refused 2 -o /proc/out "$published"
	refused 2 -o "$published" "$published"
	mkdir taken
	echo mine >taken/notes.txt
	refused 2 -o taken "$published"
	[ "$(cat taken/notes.txt)" = mine ]
	refused 2 -o '' "$published"
}

# Contents and modes of all files of a directory.
state_of() {
	(cd "$1" && find . -printf '%P %m %l\n' | sort && find . -type f -exec sha256sum {} + | sort -k2)
}

@test "report refuses a directory with other files than a report leaves and changes nothing in it" {
	mkdir -p home/data home/.config
	echo mine | tee home/data/measured.csv home/photo.png home/drawing.svg home/.profile >/dev/null
	cp "$published" home/data.csv
	state_of home >before
	HOME=$PWD/home refused 2 -o home "$published"
	grep -q 'nothing in it is replaced' stderr
	refused 2 -o home/data home/data.csv
	refused 2 -o home home/data.csv
	state_of home | diff before -
	# Files with a report's names that no report made.
	mkdir mine && echo mine | tee mine/report.html mine/a.svg mine/b.png >/dev/null
	state_of mine >before
	refused 2 -o mine "$published"
	state_of mine | diff before -
	# A report to which a user added a file.
	published_report
	cp -a "$PUBLISHED_REPORT" out
	echo mine >out/data/notes.csv
	state_of out >before
	refused 2 -o out "$published"
	grep -q 'data/notes.csv' stderr
	state_of out | diff before -
	(cd out && refused 2 -o . "$published")
	nothing_begun
}

@test "report killed at any moment leaves either the old files or the new ones, complete" {
	local pid delay old new

	published_report
	cp -a "$PUBLISHED_REPORT" old
	"$NETIOTRACE" report -q --duration 5s -o new "$published"
	# A report contains the command that made it, so the directory name must be the same here.
	sed -i 's/-o new/-o out/' new/report.*
	old=$(state_of old) new=$(state_of new)
	cp -a old out
	for ((i = 0; i < 12; i++)); do
		"$NETIOTRACE" report -q --duration 5s -o out "$published" 2>stderr &
		pid=$!
		delay=0.$((i % 2))$((7 * i % 10))
		((i < 10)) || delay=5
		sleep "$delay" &
		if wait -n "$pid" $!; then :; fi
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		# PNG pictures contain the time: the texts identify the report.
		case "$(state_of out | grep -v 'png$')" in
		"$(grep -v 'png$' <<<"$old")") ;;
		"$(grep -v 'png$' <<<"$new")") ;;
		*)
			echo "neither the old report nor the new after $delay s"
			state_of out
			return 1
			;;
		esac
	done
	# The next report removed what the kills had left.
	"$NETIOTRACE" report -q -o out "$published"
	nothing_begun
}

@test "report ignores ~/.gnuplot" {
	mkdir -p home/.config/gnuplot
	echo 'set output "/nonexistent/x"; exit status 3' | tee home/.gnuplot home/.config/gnuplot/gnuplotrc
	HOME=$PWD/home XDG_CONFIG_HOME=$PWD/home/.config "$NETIOTRACE" report -q -o out "$published"
	published_report
	diff "$PUBLISHED_REPORT/throughput-size.svg" out/throughput-size.svg
}

@test "report under sudo gives all files to the caller" {
	need_root
	SUDO_UID=65534 SUDO_GID=65534 "$NETIOTRACE" report -q -o out "$published"
	[ -z "$(find out ! -uid 65534)" ]
}

# bats test_tags=address
# has_answers: a report without pictures, and one sentence on stderr.
has_answers() {
	[ "$(wc -l <stderr)" -eq 1 ]
	grep -q '^| Fastest' out/report.md
	grep -q 'gnuplot' out/report.html
	[ -s out/cells.tex ]
	[ -z "$(find out -name '*.png')" ]
	nothing_begun
}

@test "report without gnuplot has its answers and tables, and says so" {
	mkdir bin
	# python3, which looks for gnuplot, has given up root.
	open_to_all
	env PATH="$PWD/bin" "$NETIOTRACE" report -o out "$published" >stdout 2>stderr
	grep -q 'gnuplot is not installed' stderr
	has_answers
}

@test "report takes no directory named gnuplot for the program" {
	mkdir -p bin/gnuplot
	open_to_all
	PATH=$PWD/bin:$PATH "$NETIOTRACE" report -q -o out "$published"
	[ -e out/report.html ]
}

@test "report with a gnuplot that fails, or never ends, has its answers and tables" {
	mkdir bin
	open_to_all
	# shellcheck disable=SC2016 # $1 is the script's
	printf '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "line 3: no such terminal" >&2\nexit 1\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH "$NETIOTRACE" report -q -o out "$published" 2>stderr
	grep -q 'no such terminal' stderr
	has_answers
	printf '#!/bin/sh\nexec sleep 300\n' >bin/gnuplot
	PATH=$PWD/bin:$PATH timeout 60 "$NETIOTRACE" report -q -o out "$published" 2>stderr
	has_answers
}

@test "report keeps the mode of the older one, follows no link in it, and waits for no other report" {
	local other

	published_report
	cp -a "$PUBLISHED_REPORT" out
	chmod 750 out
	"$NETIOTRACE" report -q --duration 5s -o out "$published"
	[ "$(stat -c %a out)" = 750 ]
	run ! cmp -s out/report.md "$PUBLISHED_REPORT/report.md"
	# One that was killed left a directory; it is not removed while a report is being written.
	cp -a out .netiotrace-report-out
	exec {other}<.netiotrace-report-out
	flock -n "$other"
	refused 2 -o out "$published"
	grep -q 'another report is being written there' stderr
	[ -e .netiotrace-report-out ]
	exec {other}<&-
	"$NETIOTRACE" report -q -o out "$published"
	nothing_begun
	echo kept >secret
	ln -sf ../secret out/report.md
	refused 2 -o out "$published"
	grep -q 'it contains report.md, which is not a file of a report' stderr
	[ "$(<secret)" = kept ]
	[ -L out/report.md ]
	nothing_begun
}

@test "report replaces an older one where directories cannot be exchanged, also after a kill between two renames" {
	need_tool strace
	published_report
	cp -a "$PUBLISHED_REPORT" out
	strace --seccomp-bpf -f -qq -o calls -e trace=renameat2 -e inject=renameat2:error=EINVAL \
		"$NETIOTRACE" report -q --duration 5s -o out "$published"
	grep -q 'RENAME_EXCHANGE.*INJECTED' calls
	run ! cmp -s out/report.md "$PUBLISHED_REPORT/report.md"
	[ -s out/report.html ]
	[ "$(find . -maxdepth 1 -name '.netiotrace-*' | wc -l)" -eq 0 ]
	# The report that fails has given the older one its name back.
	state_of out >before
	mv out .netiotrace-old-report-out
	mkdir bin
	open_to_all
	# shellcheck disable=SC2016 # $PPID is the script's
	printf '#!/bin/sh\nkill -TERM $PPID\nexec sleep 60\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH refused 143 -o out "$published"
	state_of out | diff before -
	[ ! -e .netiotrace-old-report-out ]
}

@test "report ended by a signal leaves nothing" {
	local pid

	for delay in 0.02 0.05 0.1 0.2 0.5; do
		"$NETIOTRACE" report -q -o out "$published" 2>stderr &
		pid=$!
		sleep "$delay"
		kill -TERM "$pid" 2>/dev/null || true
		wait "$pid" || [ $? -eq 143 ]
		[ ! -e out ] || [ -s out/report.html ]
		rm -rf out
		nothing_begun
	done
}

@test "report with a closed stdout writes the whole report and says that it could not name it" {
	local code=0

	"$NETIOTRACE" report -q -o out "$published" >&- 2>stderr
	[ ! -s stderr ]
	mv out quiet
	"$NETIOTRACE" report -o out "$published" >&- 2>stderr || code=$?
	[ "$code" -eq 1 ]
	[ "$(wc -l <stderr)" -eq 1 ]
	grep -q '^netiotrace: cannot write to stdout: ' stderr
	[ "$(cd out && find . | sort)" = "$(cd quiet && find . | sort)" ]
}

@test "report: a signal after the new report has taken its place does not undo it" {
	need_tool strace
	strace -qq -o calls -e trace=renameat2 -e inject=renameat2:signal=TERM \
		"$NETIOTRACE" report -o out "$published" >stdout
	grep -q 'SIGTERM' calls
	[ "$(cat stdout)" = out/report.html ]
	[ -s out/report.html ]
}

@test "report works without root" {
	need_root
	mkdir -m 777 theirs
	cp "$published" theirs/data.csv
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null || true
	unprivileged "$NETIOTRACE" report theirs/data.csv
	[ -s theirs/data-report/report.html ]
}

@test "report works as installed" {
	make_here install DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
	root/usr/bin/netiotrace report -q -o out "$published"
	[ -s out/throughput-size.svg ]
}

@test "report on 10 000 rows takes less than 20 s of CPU time and 256 MiB" {
	local usage

	python3 - >big.csv <<-'END'
		import random
		random.seed(1)
		print("mode,size,threads,round,app_rx_bytes,app_throughput_gbps,app_cpu_s_sender,app_cpu_s_receiver,"
		      "app_latency_ns_delivery_p50,app_latency_ns_delivery_p99,ledger_tx_copy_bytes,ledger_rx_copy_bytes")
		n = 0
		while n < 10000:
		    for mode in ("twocopy", "onecopy", "zerocopy"):
		        for size in (1024, 4096, 16384, 65536):
		            for threads in (1, 2, 4, 8):
		                if n < 10000:
		                    print(mode, size, threads, n // 48, 10**9, 10 * random.random(), random.random(), random.random(),
		                          random.randrange(10**6), random.randrange(10**7), 10**9, 10**9, sep=",")
		                n += 1
	END
	[ "$(wc -l <big.csv)" -eq 10001 ]
	usage=$(python3 - "$NETIOTRACE" <<-'END'
		import resource, subprocess, sys
		subprocess.run([sys.argv[1], "report", "-q", "-o", "out", "big.csv"], check=True)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)  # its own and that of its gnuplot processes
		print(int(used.ru_utime + used.ru_stime), used.ru_maxrss // 1024)
	END
	)
	echo "seconds, MiB: $usage"
	read -r seconds mib <<<"$usage"
	((seconds < 20 && mib < 256))
}
