#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Hardware counters in the arm64 guest with a clock that counts instructions (scripts/vm/run -i).
# Its PMU has cycles and instructions, and no cache events. Compared with a program of known
# instructions and with perf stat.

load ../lib

TURNS=1000000
PER_TURN=4

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	loop=$BUILD_DIR/tests/vm/counted_loop
}

# near NAME VALUE EXPECTED: at most 2 % off.
near() {
	echo "$1: $2, expected $3"
	awk -v a="$2" -v b="$3" 'BEGIN { d = a > b ? a - b : b - a; exit !(b > 0 && d <= 0.02 * b) }'
}

# alone EVENT: perf stat's user-mode count of the loop, minus the count of a program without the
# loop.
alone() {
	local turns count=()

	for turns in "$TURNS" 0; do
		perf stat -x, -o "stat.$turns" -e "$1:u" "$loop" alone "$turns"
		count+=("$(awk -F, -v e="$1:u" '$3 == e { print $1 }' "stat.$turns")")
	done
	echo $((count[0] - count[1]))
}

ours() { # NAME COLUMN
	awk -v name="$1" -v column="$2" '$1 == name { print $column }' ours
}

@test "a loop of known instructions: netiotrace's counters equal the expected number and perf stat's" {
	"$loop" measure "$TURNS" >ours
	cat ours
	near instructions "$(ours instructions 3)" $((TURNS * PER_TURN))
	near "instructions, perf stat" "$(alone instructions)" $((TURNS * PER_TURN))
	near cycles "$(ours cycles 3)" "$(alone cycles)"
}

@test "twice the turns of the loop give twice the instructions" {
	"$loop" measure $((2 * TURNS)) >ours
	near instructions "$(ours instructions 3)" $((2 * TURNS * PER_TURN))
}

@test "events that the PMU lacks are null with the reason, the others have values" {
	"$loop" measure "$TURNS" >ours
	[ "$(ours cycles 2)" -gt 0 ]
	[ "$(ours instructions 2)" -gt 0 ]
	for name in l1d_misses llc_misses dtlb_misses; do
		grep -q "^$name null .*PMU has no such event" ours
	done
	[ "$(ours task_clock_ns 2)" -gt 0 ]
}

@test "cycles and instructions of all three modes have values, per byte and per cycle" {
	"$NETIOTRACE" -q --mode all --size 64k --messages 97 --rounds 1 --json out.json
	jq -c '.runs[] | [.mode, .perf.derived.both.cycles_per_byte, .perf.derived.both.ipc]' out.json
	jq -e '[.runs[].perf | .sender, .receiver | .cycles, .instructions |
		.value > 0 and .user + .kernel == .value] | length == 12 and all' out.json
	jq -e '[.runs[] | .perf.derived.both.cycles_per_byte / ((.perf.sender.cycles.value +
		.perf.receiver.cycles.value) / .app.tx_bytes) - 1 | fabs < 0.001] | length == 3 and all' out.json
	jq -e '[.runs[].perf | .sender, .receiver | .llc_misses | .value == null and (.reason | length > 0)] |
		all' out.json
}

@test "counters inside the stages of a run: cycles have values, events that this PMU lacks are null with the reason" {
	"$NETIOTRACE" -q --mode zerocopy --size 64k --messages 400 --rounds 1 --times --json out.json
	jq -c '.runs[].perf.stages' out.json
	jq -e '.runs[0].perf.stages | [.send_call, .tx_pin, .deferred_copy, .rx_copy] | map(select(.quality == "sampled"))
		| length > 0 and all(.cycles_per_window > 0 and .llc_misses_per_window == null
			and .llc_misses_per_kib == null and (.reason | length > 0))' out.json
}

# This PMU has no last-level misses, so the pair is cycles and instructions. With a clock that
# counts instructions, one instruction is one cycle.
@test "counters inside a stage: cycles and instructions between two BPF programs" {
	"$BUILD_DIR/tests/bpf/perf_stage_run" 1 hardware >out
	echo "windows, samples, discarded, cycles, instructions: $(cat out)"
	read -r windows samples discarded cycles instructions <out
	[ "$windows" -ge 2000 ]
	[ "$samples" -ge 1000 ]
	[ $((samples + discarded)) -le "$windows" ]
	[ $((instructions / samples)) -ge 100 ]
	near cycles "$cycles" "$instructions"
}

@test "cycles and instructions of three modes equal perf stat's on the same threads within 2 %" {
	local mode event theirs ours bytes

	for mode in twocopy onecopy zerocopy; do
		python3 "$REPO/tests/e2e/perf_witness.py" "$NETIOTRACE" out.json perf.csv cycles,instructions \
			--mode "$mode" --size 16k --rounds 1 --warmup 400ms --duration 1s --no-cpu --no-times
		bytes=$(jq '.runs[0].app.tx_bytes' out.json)
		for event in cycles instructions; do
			theirs=$(awk -F, -v e="$event" '$3 == e { print $1 }' perf.csv)
			ours=$(jq ".runs[0].perf | .sender.$event.value + .receiver.$event.value" out.json)
			near "$mode, $event of $bytes bytes" "$ours" "$theirs"
		done
		near "$mode, cycles per byte" "$(jq '.runs[0].perf.derived.both.cycles_per_byte' out.json)" \
			"$(awk -F, -v bytes="$bytes" '$3 == "cycles" { print $1 / bytes }' perf.csv)"
	done
}
