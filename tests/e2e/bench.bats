#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The programs that measure the cost of the BPF programs: they count what the kernel counts and
# report what they skip.

load ../lib

setup_file() {
	[ "$(id -u)" -ne 0 ] || make -s -C "$REPO" "${O:-build}/bpf-cost"
}

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	stop_jobs
}

# cost PID: the BPF programs of PID from the running bpf-cost, a line each: ID NAME RUNS NS.
cost() {
	local line

	echo "$1" >&"${COST[1]}"
	while read -r line <&"${COST[0]}" && [ -n "$line" ]; do
		echo "$line"
	done
}

@test "bpf-cost: run counts of a process's BPF programs agree with bpftool read between two readings" {
	local id seen

	need_tool jq
	[ -n "$BPFTOOL" ] || skip "bpftool is not installed"
	"$NETIOTRACE" attach -v --pid $$ >/dev/null 2>attach.err &
	ATTACH=$!
	within 20 grep -q 'watching:' attach.err
	coproc COST { exec "$BUILD_DIR/bpf-cost"; }
	cost "$ATTACH" >/dev/null
	"$LOADGEN" --mode onecopy --size 1k --messages 1000 >/dev/null
	cost "$ATTACH" >first
	while read -r id _; do
		"$BPFTOOL" prog show id "$id" -j
	done <first | jq -r '"\(.id) \(.run_cnt // 0)"' >bpftool
	cost "$ATTACH" >second
	cat first
	# At least one program ran; each is listed once, in both readings.
	awk '$3 > 0 && $4 > 0 { n++ } END { exit !(n > 0) }' first
	awk '$2 == "nio_empty" && $3 > 0 && $4 > 0 { n++ } END { exit n != 1 }' first
	[ -z "$(cut -d' ' -f1 first | sort | uniq -d)" ]
	diff <(cut -d' ' -f1,2 first | sort) <(cut -d' ' -f1,2 second | sort)
	while read -r id seen; do
		[ "$(awk -v id="$id" '$1 == id { print $3 }' first)" -le "$seen" ]
		[ "$seen" -le "$(awk -v id="$id" '$1 == id { print $3 }' second)" ]
	done <bpftool
}

@test "bpf-cost with the PID of an ended process fails and names it" {
	local pid

	sleep 0 &
	pid=$!
	wait "$pid"
	run "$BUILD_DIR/bpf-cost" <<<"$pid"
	[ "$status" -eq 1 ]
	[[ $output == *"process $pid"* ]]
}

@test "bench-attach skips a load whose tool is missing, with the reason, and refuses an unknown load" {
	local tool

	mkdir tools
	for tool in python3 ip sleep; do
		ln -s "$(python3 -c 'import shutil, sys; print(shutil.which(sys.argv[1]))' $tool)" tools/
	done
	cd "$REPO" || return
	PATH=$BATS_TEST_TMPDIR/tools LOADS=redis run scripts/bench-attach
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"skipped: redis-server is not installed"* ]]
	LOADS='redis nonsense' run scripts/bench-attach
	[ "$status" -eq 1 ]
	[[ $output == *"unknown load nonsense"* ]]
}
