#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Sweeps: the contents of the results directory; whatever ends a sweep, no finished run is lost or
# repeated; a failed run is recorded; the overhead between runs.

load ../lib
bats_require_minimum_version 1.5.0

# shellcheck disable=SC2054 # the commas are the options' own
TINY=(--modes twocopy,zerocopy --sizes 1k,64k --threads 1 --rounds 3 --duration 300ms)
RUNS=12 # 2 modes x 2 sizes x 3 rounds

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	note_before
}

teardown() {
	stop_jobs
	rm -rf "${elsewhere-}"
}

tiny() { # DIR ARGS...
	"$NETIOTRACE" sweep "${TINY[@]}" -o "$@"
}

# finished DIR: a copy of a tiny sweep that the first test makes.
finished() {
	local made=$BATS_FILE_TMPDIR/finished

	if [ ! -e "$made" ]; then
		rm -rf "$made.begun"
		tiny "$made.begun" -q
		mv "$made.begun" "$made"
	fi
	cp -a "$made" "$1"
}

# start_tiny DIR ARGS...: the same in the background, as a process that can be signalled: sets $pid.
start_tiny() { # DIR ARGS...
	"$NETIOTRACE" sweep "${TINY[@]}" -o "$@" >stdout 2>stderr </dev/null &
	pid=$!
}

refused() { # ARGS...
	local code=0

	"$NETIOTRACE" sweep "$@" >stdout 2>stderr </dev/null || code=$?
	if [ "$code" -ne 2 ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] ||
		! grep -q '^netiotrace: ' stderr; then
		echo "$*: exit $code"
		cat stdout stderr
		return 1
	fi
}

# The names of all files of a finished tiny sweep.
expected_files() {
	local mode size round

	printf '%s\n' .netiotrace.files cells command environment.json results.csv sweep.json
	for mode in twocopy zerocopy; do
		for size in 1024 65536; do
			for round in 0 1 2; do
				echo "cells/$mode-$size-t1-r$round.json"
			done
		done
	done
}

# whole DIR: exactly the files of a finished tiny sweep, each with its schema, and one CSV row for
# each cell.
whole() {
	local wrong

	diff <(expected_files | sort) <(cd "$1" && find . -mindepth 1 -printf '%P\n' | sort) || return
	wrong=$(cd "$1/cells" && jq -r 'select((.schema == "netiotrace.result/1" and (.runs | length == 1)
		and (.runs[0] | "\(.mode)-\(.size)-t\(.threads)-r\(.round).json" == (input_filename | ltrimstr("./"))
			and .app.rx_bytes > 0 and .app.rx_bytes == .app.tx_bytes
			and .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0)
		and (.summary | length == 1) and (.plan | length > 0)
		and (.interrupted | not)) | not) | input_filename' ./*.json) || return
	[ -z "$wrong" ] || { echo "not what they should be: $wrong"; return 1; }
	[ "$(wc -l <"$1/results.csv")" -eq $((RUNS + 1)) ] || return
	# Compares each run in the CSV with the documents, in the CSV's order.
	(cd "$1/cells" && jq -s 'map(.runs[0])' {twocopy,zerocopy}-{1024,65536}-t1-r{0,1,2}.json) | python3 -c 'import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
runs = json.load(sys.stdin)
assert len(rows) == len(runs) and len(rows[0]) == 34, rows[0]
for row, run in zip(rows, runs):
    app, ledger = run["app"], run["ledger"]
    for key in "mode", "size", "threads", "round":
        assert row[key] == str(run[key]), (key, row, run)
    for key, value in (("throughput_gbps", app["throughput_gbps"]), ("copies_per_byte", ledger["copies_per_byte"]),
                       ("send_p50_us", app["latency_ns"]["send_call"]["p50"] / 1000),
                       ("delivery_p50_us", app["latency_ns"]["delivery"]["p50"] / 1000),
                       ("send_p99_us", app["latency_ns"]["send_call"]["p99"] / 1000), ("payload_bytes", app["rx_bytes"]),
                       ("context_switches", sum(run["perf"][side]["context_switches"]["value"] for side in ("sender", "receiver"))),
                       ("cpu_ns_per_kib", (app["cpu_s"]["sender"] + app["cpu_s"]["receiver"]) * 1e9 / (app["rx_bytes"] / 1024))):
        assert value is None and not row[key] or abs(float(row[key]) - value) < 1e-9 * abs(value) + 1e-9, (key, row[key], value)' "$1/results.csv"
}

# shape DIR: the keys of the documents, without reasons, which vary.
shape() { # DIR
	jq -c '[paths | map(if type == "number" then 0 else . end) | join(".")
		| select(test("reason|buckets|sizes|event$|exclude") | not)] | unique' "$1"/cells/*.json | sort -u
}

@test "sweep: bad input is refused with one sentence and exit 2" {
	need_root
	refused --modes threecopy
	refused --modes twocopy,twocopy
	refused --modes ''
	for sizes in 0 63 17m x '1k,' ',1k' 1k,1024 ''; do refused --sizes "$sizes"; done
	for threads in 0 257 x 1,1 '1,,2' ''; do refused --threads "$threads"; done
	for seed in -1 x 1.5 9223372036854775808 ''; do refused --seed "$seed"; done
	refused --rounds 0
	refused --rounds 1001
	refused --rounds 1000
	refused --duration 20ms
	refused --sizes 64 --fields 65
	refused --path moon
	refused --path loopback --mtu 1500
	refused --path veth --connect 192.0.2.7:5201
	refused --connect 192.0.2.7
	refused --connect 192.0.2.7:5201 --cpu-receiver 0
	for list in '' nosuch 'a b' reno,reno 'reno,' system,"$(</proc/sys/net/ipv4/tcp_congestion_control)"; do
		refused --congestion "$list" -o out
	done
	[ ! -e out ]
	refused --backend fprobe
	refused --backend none --count-calls
	refused -o ''
	refused out
	refused -o /proc/nowhere
	refused -o missing/parent
	touch file
	refused -o file
	refused -o file --resume
	[ "$(ls)" = "$(printf 'file\nstderr\nstdout')" ]
	# More than ten thousand runs are refused.
	refused --rounds 1000 --duration 100s
	run "$NETIOTRACE" sweep --json x
	[ "$status" -eq 2 ]
	run "$NETIOTRACE" -v sweep
	[ "$status" -eq 2 ]
	[[ $output == *"comes first"* ]]
}

@test "sweep --help lists every option" {
	"$NETIOTRACE" sweep --help >help
	for option in modes sizes threads congestion seed quick output resume duration messages rounds warmup \
		fields header verify path connect no-pin mtu ipv6 sndbuf rcvbuf nodelay cpu-sender cpu-receiver backend count-calls quiet \
		verbose; do
		grep -q -- "--$option" help || { echo "no --$option"; return 1; }
	done
	run ! grep -q -- '--json\|--assert' help
}

@test "sweep --messages: every run sends the requested number of messages" {
	need_root
	"$NETIOTRACE" sweep -q --sizes 1k,64k --threads 2 --rounds 2 --messages 300 --warmup 0 -o out
	[ "$(find out/cells -name '*.json' | wc -l)" -eq 12 ]
	jq -e '.runs[0].app | .tx_messages == 300 and .rx_messages == 300' out/cells/*.json
	jq -e '.settings | .messages == 300 and .duration_s == null' out/sweep.json
	grep -q -- ' --messages 300 ' out/command
	run ! grep -q -- '--duration' out/command
	refused --messages 10 --duration 1s -o other
}

@test "sweep without root: exit 4, and no directory is left" {
	need_root
	code=0
	unprivileged "$NETIOTRACE" sweep -o /tmp/netiotrace-refused 2>stderr || code=$?
	[ "$code" -eq 4 ]
	grep -q sudo stderr
	[ ! -e /tmp/netiotrace-refused ]
}

@test "sweep with a backend that this kernel lacks: exit 3, and no directory is left" {
	need_root
	! has_kprobes || skip "this kernel has kprobes"
	run "$NETIOTRACE" sweep --backend kprobe -o out
	[ "$status" -eq 3 ]
	[ ! -e out ]
}

# bats test_tags=address
@test "a tiny sweep leaves exactly the expected files" {
	need_root
	tiny out >stdout 2>stderr
	whole out
	# A numbered line for each run, and the table at the end.
	[ "$(grep -c '^\[[0-9]*/12\] .* Gbit/s, .* left$' stderr)" -eq $RUNS ]
	grep -q '^\[12/12\]' stderr
	grep -q '12 of 12 runs made, 0 failed' stdout
	jq -e '.schema == "netiotrace.sweep/1" and .settings.modes == ["twocopy", "zerocopy"]
		and .settings.sizes == [1024, 65536] and .settings.threads == [1]
		and .settings.rounds == 3 and .settings.duration_s == 0.1 and .settings.seed == 1
		and .settings.path == "loopback" and (.plan | length > 0)
		and .tool.argv[1] == "sweep" and .environment.path == "loopback"' out/sweep.json
	jq -e '.schema == "netiotrace.environment/1"' out/environment.json
	diff <(jq -S .environment out/sweep.json) <(jq -S 'del(.schema)' out/environment.json)
	assert_nothing_left
}

# The CPUs of sender and receiver are in every document and in the final text; --no-pin leaves them
# free.
@test "sweep pins sender and receiver to different CPUs, unless an option says otherwise" {
	need_root
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	local cell=("${TINY[@]}" --modes twocopy --sizes 1k --backend none)

	"$NETIOTRACE" sweep "${cell[@]}" -o out >stdout
	jq -e '.settings | .cpu_sender != null and .cpu_receiver != null and .cpu_sender != .cpu_receiver' \
		out/sweep.json
	for file in out/cells/*.json; do
		diff <(jq '.settings | [.cpu_sender, .cpu_receiver]' out/sweep.json) \
			<(jq '.settings | [.cpu_sender, .cpu_receiver]' "$file")
	done
	grep -q '^path  *loopback; senders on CPU.*, receivers on CPU.*--no-pin' stdout
	"$NETIOTRACE" sweep "${cell[@]}" --rounds 1 -o free --no-pin >stdout
	jq -e '.settings | .cpu_sender == null and .cpu_receiver == null' free/sweep.json
	grep -q '^path .*threads are not pinned' stdout
	"$NETIOTRACE" sweep "${cell[@]}" --rounds 1 -o own --cpu-sender 1 >stdout
	jq -e '.settings | .cpu_sender == "1" and .cpu_receiver == null' own/sweep.json
	# The CPUs come from this process's affinity.
	taskset -c 1 "$NETIOTRACE" sweep "${cell[@]}" --rounds 1 -o one >stdout
	tr -s ' \n' ' ' <stdout | grep -q 'threads are not pinned: this process may use one CPU only'
	jq -e '.settings.cpu_sender == null' one/sweep.json
}

@test "every probe in a sweep's plan has the hook that its runs used" {
	need_root
	finished out
	for file in out/cells/*-r0.json; do
		jq -e --slurpfile sweep out/sweep.json '.runs[0] as $run
			| [.plan[] | [.probe, .hook]] as $plan
			| [$sweep[0].plan[] | select((.sizes | index($run.size))
				and (.modes == null or (.modes | split(" ") | index($run.mode))))
				| [.probe, .hook]] as $told
			| $plan | all(. as $row | $row[1] == null or ($told | index([$row]) != null))' \
			"$file" || { echo "$file"; return 1; }
	done
}

@test "the recorded command repeats the sweep" {
	need_root
	tiny out -q --seed 5 --fields 3
	command=$(cat out/command)
	mv out before
	bash -c "$command -q"
	whole out
	diff <(jq -S .settings before/sweep.json) <(jq -S .settings out/sweep.json)
	diff before/command out/command
}

@test "sweep makes the runs in an order that depends on the seed only and differs from the grid's" {
	need_root
	local n=0

	order() { # runs in the order of their lines
		sed -n 's/^\[[0-9]*\/12\] \(.*\) [^ ]* Gbit.*/\1/p' "$1"
	}
	for seed in 1 1 2; do
		tiny "$((++n))" --backend none --duration 60ms --seed "$seed" >/dev/null 2>"$n.err"
	done
	[ "$(order 1.err | wc -l)" -eq $RUNS ]
	diff <(order 1.err) <(order 2.err)
	run ! diff -q <(order 1.err) <(order 3.err)
	# Rounds interleave: each third of the lines has every cell once.
	for from in 1 5 9; do
		[ "$(order 1.err | sed -n "$from,$((from + 3))p" | sort -u | wc -l)" -eq 4 ]
	done
}

@test "sweep refuses a directory that is not empty or that another sweep uses" {
	need_root
	mkdir thesis && echo important >thesis/thesis.tex
	refused "${TINY[@]}" -o thesis
	refused "${TINY[@]}" -o thesis --resume
	[ "$(ls thesis)" = thesis.tex ]
	start_tiny out --duration 60s
	within 5 test -e out/sweep.json
	refused "${TINY[@]}" --duration 60s -o out --resume
	grep -q 'another sweep' stderr
	kill -INT "$pid"
	wait "$pid" || true
}

@test "--resume refuses changed settings and names them" {
	need_root
	finished out
	refused "${TINY[@]}" -o out --resume --seed 2
	grep -q 'seed 1, now 2' stderr
	refused "${TINY[@]}" -o out --resume --duration 600ms
	grep -q 'duration_s 0.1, now 0.2' stderr
	refused "${TINY[@]}" -o out --resume --threads 1,2
	refused "${TINY[@]}" -o out --resume --path veth
	refused "${TINY[@]}" -o out --resume --no-pin
	jq '.environment.kernel = "5.10.0"' out/sweep.json >edited && cp edited out/sweep.json
	refused "${TINY[@]}" -o out --resume
	grep -q 'kernel "5.10.0", now' stderr
	jq '.tool.version = "0.0.1"' out/sweep.json >edited && cp edited out/sweep.json
	refused "${TINY[@]}" -o out --resume
	grep -q 'netiotrace 0.0.1, now' stderr
	echo '{"schema":' >out/sweep.json
	refused "${TINY[@]}" -o out --resume
}

@test "--resume makes missing and damaged runs, and no other" {
	need_root
	finished out
	rm out/cells/twocopy-1024-t1-r1.json out/results.csv
	truncate -s 100 out/cells/zerocopy-65536-t1-r2.json
	(cd out && sha256sum cells/twocopy-65536* cells/zerocopy-1024* cells/*-r0.json >../before)
	tiny out --resume >/dev/null 2>stderr
	whole out
	(cd out && sha256sum --quiet -c ../before)
	[ "$(grep -c '^\[' stderr)" -eq 2 ]
	# A finished sweep has no missing run.
	(cd out && sha256sum cells/* results.csv >../before)
	tiny out --resume >/dev/null 2>stderr
	[ "$(grep -c '^\[' stderr)" -eq 0 ]
	(cd out && sha256sum --quiet -c ../before)
}

@test "Ctrl-C ends a sweep promptly with exit 130 and the CSV of finished runs; --resume makes the others" {
	need_root
	# The last of the three moments is after a finished run, however slow the machine.
	for after in 0.3 0.9 one; do
		rm -rf out
		start_tiny out --duration 900ms
		within 5 test -e out/sweep.json
		if [ "$after" = one ]; then
			within 60 at_least_made out 1
		else
			sleep "$after"
		fi
		kill -INT "$pid"
		promptly has_ended "$pid"
		code=0
		wait "$pid" || code=$?
		echo "after $after: exit $code"
		[ "$code" -eq 130 ]
		grep -q 'interrupted' stdout
		done=$(find out/cells -name '*.json' | wc -l)
		[ "$done" -lt $RUNS ]
		[ "$(wc -l <out/results.csv)" -eq $((done + 1)) ]
		[ -z "$(find out -name '.netiotrace-*')" ]
	done
	(cd out && sha256sum cells/* >../before)
	tiny out --duration 900ms --resume -q
	whole out
	(cd out && sha256sum --quiet -c ../before)
	assert_nothing_left
}

# watch_starts [NUMBER]: a copy of the programs that records each start of the load generator; the
# start NUMBER waits until the file `go` exists.
watch_starts() {
	elsewhere=$(mktemp -d /tmp/netiotrace-test-XXXXXX)
	chmod 777 "$elsewhere"
	cp "$NETIOTRACE" "$elsewhere/netiotrace"
	cp "$LOADGEN" "$elsewhere/real-loadgen"
	install -m 666 /dev/null "$elsewhere/starts"
	cat >"$elsewhere/netio-loadgen" <<-EOF
		#!/bin/sh
		echo "\$1" >>"$elsewhere/starts"
		if [ "\$(wc -l <"$elsewhere/starts")" -eq ${1:-0} ]; then
			until [ -e "$elsewhere/go" ]; do sleep 0.05; done
		fi
		exec "$elsewhere/real-loadgen" "\$@"
	EOF
	chmod 755 "$elsewhere/netio-loadgen"
}

# The third process is the receiver of the first cell's sampled round.
@test "Ctrl-C between a cell's round and its sampled round: --resume makes the cell again, with samples" {
	need_root
	local sweep code=0

	watch_starts 3
	"$elsewhere/netiotrace" sweep "${TINY[@]}" -o out >stdout 2>stderr </dev/null &
	sweep=$!
	third() { [ "$(wc -l <"$elsewhere/starts")" -eq 3 ]; }
	within 20 third
	kill -INT "$sweep"
	touch "$elsewhere/go"
	wait "$sweep" || code=$?
	[ "$code" -eq 130 ]
	[ -z "$(find out/cells -name '*.json' 2>/dev/null)" ]
	tiny out --resume -q
	whole out
	# One round of three is sampled: the first.
	jq -se 'length == 4 and all(.runs[0].cpu.sender.samples > 0)' out/cells/*-r0.json
}

# Every document in the directory of a killed sweep is complete; temporary files are ignored.
nothing_half_written() { # DIR
	[ -z "$(find "$1" -name '*.json' -empty)" ] && find "$1" -name '*.json' -exec jq -e . {} + >/dev/null
}

documents() {
	find out/cells -name '*.json' 2>/dev/null | wc -l
}

one_more_than() { # NUMBER
	has_ended "$pid" || [ "$(documents)" -gt "$1" ]
}

# Half of the moments follow a finished run: on a slow machine the start alone may take longer than
# the random delay.
random_moment() {
	if ((RANDOM % 2)); then
		within 9 one_more_than "$(documents)"
	fi
	sleep "0.$((RANDOM % 90 + 10))"
}

@test "kill -9 at 12 random moments, then --resume: the results equal an undisturbed sweep" {
	need_root
	local pid code killed=0 finished=0

	seed_random
	finished reference
	while [ "$killed" -lt 12 ]; do # others in each run
		# A sweep that was killed at once has made no directory.
		if [ -d out ]; then start_tiny out -q --resume; else start_tiny out -q; fi
		random_moment
		if kill -9 "$pid" 2>/dev/null; then
			killed=$((killed + 1))
		fi
		code=0
		wait "$pid" || code=$?
		[ "$code" -eq 137 ] || [ "$code" -eq 0 ] || { cat stderr; return 1; }
		[ ! -d out ] || nothing_half_written out
		# Runs that were already finished are unchanged.
		[ ! -s before ] || (cd out && sha256sum --quiet -c ../before)
		: >before
		if [ "$code" -eq 0 ]; then
			whole out
			finished=$((finished + 1))
			rm -r out
			continue
		fi
		cat out/cells/*.failed.json 2>/dev/null || true
		find out -path 'out/cells/[tz]*.json' ! -name '*.failed.json' -printf '%P\n' 2>/dev/null |
			(cd out 2>/dev/null && xargs -r sha256sum) >before || true
		wc -l <before >>counts
	done
	tiny out -q --resume
	whole out
	[ ! -s before ] || (cd out && sha256sum --quiet -c ../before)
	diff <(shape reference) <(shape out)
	diff <(head -n 1 reference/results.csv) <(head -n 1 out/results.csv)
	diff <(jq -S 'del(.tool.argv)' reference/sweep.json) <(jq -S 'del(.tool.argv)' out/sweep.json)
	echo "killed 12 times, finished $((finished + 1)) sweeps; runs found done: $(sort -nu counts | tr '\n' ' ')"
	# Some kills were in the middle.
	[ "$(sort -u counts | wc -l)" -gt 2 ]
	# The kernel removes network namespaces one at a time: so many take a while.
	within 10 _nothing_left || true
	assert_nothing_left
}

# A copy of the programs whose load generator fails for messages of 1024 bytes while the file
# `broken` exists.
break_loadgen() {
	elsewhere=$(mktemp -d /tmp/netiotrace-test-XXXXXX)
	chmod 755 "$elsewhere"
	cp "$NETIOTRACE" "$elsewhere/netiotrace"
	cp "$LOADGEN" "$elsewhere/real-loadgen"
	touch "$elsewhere/broken"
	cat >"$elsewhere/netio-loadgen" <<-EOF
		#!/bin/sh
		case " \$* " in *" --size 1024 "*)
			if [ -e "$elsewhere/broken" ]; then
				echo '{"event":"error","message":"out of luck"}'
				exit 1
			fi
		esac
		exec "$elsewhere/real-loadgen" "\$@"
	EOF
	chmod 755 "$elsewhere/netio-loadgen"
}

@test "a failed run is recorded with its reason, the others go on, --resume tries again" {
	need_root
	break_loadgen
	code=0
	"$elsewhere/netiotrace" sweep "${TINY[@]}" -o out >stdout 2>stderr || code=$?
	cat stderr
	[ "$code" -eq 1 ]
	grep -q '6 of 12 runs failed' stderr
	grep -q '6 of 12 runs made, 6 failed' stdout
	[ "$(find out/cells -name '*-65536-*.json' | wc -l)" -eq 6 ]
	[ "$(find out/cells -name '*-1024-*.failed.json' | wc -l)" -eq 6 ]
	[ "$(find out/cells -name '*.json' | wc -l)" -eq 12 ]
	[ "$(wc -l <out/results.csv)" -eq 7 ]
	jq -e '.schema == "netiotrace.failure/1" and .mode == "twocopy" and .size == 1024
		and .threads == 1 and .round == 2 and .exit_code == 1
		and (.reason | test("out of luck"))' out/cells/twocopy-1024-t1-r2.failed.json
	rm "$elsewhere/broken"
	"$elsewhere/netiotrace" sweep "${TINY[@]}" -o out -q --resume
	whole out
	assert_nothing_left
}

@test "a sweep that cannot begin on a full disk leaves no directory" {
	need_root
	mkdir few
	for inodes in 2 3 4 5 6; do
		mount -t tmpfs -o nr_inodes=$inodes tmpfs few || skip "no tmpfs can be mounted here"
		run "$NETIOTRACE" sweep -q -o few/out --modes onecopy --sizes 4k --messages 10 --rounds 1 --backend none
		left=$(ls -A few)
		umount few
		[ "$status" -ne 0 ]
		[[ $output == *"No space left"* ]]
		[ -z "$left" ]
	done
}

@test "a full disk ends the sweep with one sentence; --resume ignores partial files and goes on" {
	need_root
	mkdir small
	mount -t tmpfs -o size=200k tmpfs small || skip "no tmpfs can be mounted here"
	code=0
	tiny small/out >stdout 2>stderr || code=$?
	cp -r small/out copy || true
	umount small
	cat stderr
	[ "$code" -eq 1 ]
	grep -q 'No space left' stderr
	nothing_half_written copy
	tiny copy -q --resume 2>/dev/null || [ -e copy/sweep.json ]
}

@test "on a terminal a sweep updates one line, which is gone at the end" {
	need_root
	need_tool tmux
	tmux -L "nio$$" new-session -d -x 100 -y 30 \
		"'$NETIOTRACE' sweep ${TINY[*]} --duration 900ms -o out; echo code \$? >code; sleep 60"
	within 8 sh -c "tmux -L nio$$ capture-pane -p | grep -qE '^\[[1-9][0-9]*/12\]  #+\.+  [0-9]:[0-9]+ left  [a-z-]+ [0-9]+k t1  \(last '"
	[ "$(tmux -L "nio$$" capture-pane -p | grep -c '/12\]')" -eq 1 ]
	within 20 test -s code
	within 5 sh -c "tmux -L nio$$ capture-pane -p | grep -q '12 of 12 runs made'"
	tmux -L "nio$$" capture-pane -p >screen
	tmux -L "nio$$" kill-server || true
	cat screen
	[ "$(cat code)" = "code 0" ]
	run ! grep -q '/12\]' screen
	grep -q '12 of 12 runs made' screen
}

@test "sweep -q prints nothing, and under sudo the results belong to the caller" {
	need_root
	SUDO_UID=65534 SUDO_GID=65534 tiny out -q >stdout 2>stderr
	[ ! -s stdout ]
	[ ! -s stderr ]
	[ -z "$(find out ! -uid 65534)" ]
}

# programs_of PID: IDs of the BPF programs that PID holds.
programs_of() {
	cat "/proc/$1"/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u
}

# read_by PID: bytes that the process has read, from files and pipes; without its load
# generators.
read_by() {
	awk '/^rchar:/ { print $2 }' "/proc/$1/io"
}

cells_made() { # DIR
	find "$1/cells" -name '[a-z]*.json' 2>/dev/null | wc -l
}

at_least_made() { # DIR N
	[ "$(cells_made "$1")" -ge "$2" ]
}

# Counts the work between runs instead of timing it: counts do not depend on the machine's load.
# Without the sampled rounds, which add two processes to one round of three.
# bats test_tags=alone
@test "a sweep loads its programs once, starts two processes per run and does little between runs" {
	need_root
	local pid before after from to start more

	watch_starts
	"$elsewhere/netiotrace" sweep -q --modes onecopy,zerocopy --sizes 1k,64k --threads 1 --rounds 7 --duration 700ms --no-cpu --no-times -o out &
	pid=$!
	within 300 at_least_made out 2
	before=$(programs_of "$pid") from=$(cells_made out) start=$(read_by "$pid")
	within 300 at_least_made out 20
	after=$(programs_of "$pid") to=$(cells_made out) more=$(($(read_by "$pid") - start))
	wait "$pid"
	# Program IDs are not reused: programs loaded again would have others.
	[ -n "$before" ]
	[ "$before" = "$after" ]
	[ "$(wc -l <"$elsewhere/starts")" -eq $((2 * 28)) ]
	# Nothing else of the start is repeated: a run reads about 60 KB, the kernel's types and
	# symbols are megabytes.
	echo "$start bytes read for the start and $from runs, $more for $((to - from)) more"
	[ $((more * 4)) -le "$start" ]
	# The only other wait is the warm-up, at most half a round.
	jq -e '.settings.warmup_s * 2 <= .settings.duration_s' out/sweep.json
}

@test "sweep without python3: an interrupted one has its results, table and exit status; report names the package" {
	local code=0 pid python3="install the package python3." port receiver

	without_python3 "$NETIOTRACE" sweep "${TINY[@]}" --duration 9s -o out >stdout 2>stderr </dev/null 3>&- &
	pid=$!
	# Eleven runs of 3 s follow the first.
	within 120 compgen -G 'out/cells/*.json'
	pkill -INT -P "$pid" # of the subshell
	wait "$pid" || code=$?
	[ "$code" -eq 130 ]
	[ "$(wc -l <out/results.csv)" -ge 2 ]
	grep -q '^Gbit/s, median' stdout
	grep -q 'interrupted' stdout
	run ! grep -q python3 stderr
	run -1 without_python3 "$NETIOTRACE" report out
	[ "$output" = "netiotrace: report needs python3, which is not installed: install the packages python3 and python3-jinja2." ]
	# The published table is python3's.
	port=$(free_port)
	"$LOADGEN" recv --listen "127.0.0.1:$port" --forever >/dev/null 2>ready 3>&- &
	receiver=$!
	within 3 grep -q listening ready
	without_python3 "$NETIOTRACE" sweep --preset sigcomm21 --rounds 1 --duration 100ms -o preset \
		--connect "127.0.0.1:$port" >stdout 2>stderr </dev/null
	kill "$receiver"
	grep -q '^preset: 1 of 1 run made' stdout
	[ "$(tail -n 1 stderr)" = "netiotrace: --preset sigcomm21 needs python3, which is not installed: $python3" ]
}
