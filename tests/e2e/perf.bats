#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Performance counters, compared with perf stat on the same processes, and the reasons where the
# machine has none. These tests measure.
# bats file_tags=alone

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	stop_jobs
}

# has_pmu: the kernel drives a PMU of the CPU.
has_pmu() {
	perf stat -x, -e cycles true 2>&1 | grep -q ',cycles' &&
		! perf stat -x, -e cycles true 2>&1 | grep -q 'not supported'
}

need_perf() {
	need_tool perf
	perf stat -x, -e task-clock true >/dev/null 2>perf.err || skip "perf cannot run: $(head -n 1 perf.err)"
}

# witness EVENTS ARGS...: a run with perf stat on its processes; results in out.json and perf.csv.
witness() {
	local code=0

	python3 "$REPO/tests/e2e/perf_witness.py" "$NETIOTRACE" out.json perf.csv "$@" >witness.out ||
		code=$?
	cat witness.out
	[ "$code" -ne 77 ] || skip "$(cat witness.out)"
	[ "$code" -eq 0 ]
}

# agree EVENT OURS UNIT: perf's count equals OURS, the sum of both sides in UNITs, within 2 %.
agree() {
	local ours theirs

	theirs=$(awk -F, -v e="$1" '$3 == e { print $1 }' perf.csv)
	ours=$(jq ".runs[0].perf | $2" out.json)
	echo "$1: perf stat $theirs, netiotrace $ours / ${3:-1}"
	awk -v a="$ours" -v b="$theirs" -v unit="${3:-1}" 'BEGIN {
		a /= unit; d = a > b ? a - b : b - a; exit !(b > 0 && d <= 0.02 * b) }'
}

# Both counters are switched on and off some hundred microseconds apart, more on a busy machine: up
# to three runs.
witness_agrees() { # EVENTS ARGS -- EVENT OURS UNIT ...
	local events=$1 args=() try i ok

	shift
	while [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	shift
	for try in 1 2 3; do
		# Without sampled rounds: perf stat counts the two processes of the measured
		# round, to their end.
		witness "$events" --mode onecopy --no-cpu --no-times --rounds 1 --warmup 1s --duration 2s "${args[@]}"
		ok=true
		for ((i = 1; i <= $#; i += 3)); do
			agree "${@:i:3}" || ok=false
		done
		if $ok; then
			return 0
		fi
		echo "try $try: more than 2 % apart"
	done
	return 1
}

# perf's task-clock is requested by name: task_clock_ns is the scheduler's account, which excludes
# interrupts and stolen time; perf's excludes the context switches (docs/reference/run.md).
@test "task clock and context switches equal perf stat's within 2 %" {
	need_perf
	witness_agrees task-clock,context-switches --size 16k --threads 2 \
		--perf-events task-clock,context-switches -- \
		task-clock '.events[0].sender.value + .events[0].receiver.value' 1000000 \
		context-switches '.events[1].sender.value + .events[1].receiver.value' 1 \
		context-switches '.sender.context_switches.value + .receiver.context_switches.value' 1
}

@test "context switches of a run without perf events equal perf stat's within 2 %" {
	need_perf
	witness_agrees context-switches --size 64k --threads 2 -- \
		context-switches '.sender.context_switches.value + .receiver.context_switches.value' 1
}

@test "cycles and instructions equal perf stat's within 2 %" {
	need_perf
	has_pmu || skip "no hardware counters: perf stat says cycles are not supported"
	witness_agrees cycles,instructions --size 16k --threads 2 -- \
		cycles '.sender.cycles.value + .receiver.cycles.value' 1 \
		instructions '.sender.instructions.value + .receiver.instructions.value' 1
}

@test "software counters have values; hardware counters have values or are null with one reason" {
	"$NETIOTRACE" --mode all --rounds 1 --duration 600ms --no-cpu --no-times --details --json out.json >text 2>stderr
	jq -e '[.runs[].perf | .sender, .receiver | .task_clock_ns.value > 0 and
		.context_switches.value > 0 and .cpu_migrations.value != null and
		.page_faults.value != null] | length == 6 and all' out.json
	# The same account as CLOCK_PROCESS_CPUTIME_ID, except for a few control frames before and
	# after the phase.
	jq -c '.runs[] | [.app.cpu_s.sender, .perf.sender.task_clock_ns.value]' out.json
	jq -e '[.runs[] | .perf.sender.task_clock_ns.value / 1e9 / .app.cpu_s.sender
		| . > 0.95 and . < 1.1] | all' out.json
	if jq -e '.runs[0].perf.sender.cycles.value != null' out.json; then
		jq -e '[.runs[].perf.derived.both | .ipc > 0 and .cycles_per_byte > 0] | all' out.json
		return
	fi
	jq -e '[.runs[].perf | .sender, .receiver |
		.cycles, .instructions, .l1d_misses, .llc_misses, .llc_references, .dtlb_misses,
		.branches, .branch_misses | select(.value == null and .scaled == null) | .reason]
		| length == 48 and (unique | length == 1)' out.json
	tr -s ' \n' ' ' <text >flat
	[ "$(grep -o 'no hardware counters' flat | wc -l)" -eq 1 ]
	# No warning: the document says that the machine has no PMU.
	if grep -i 'warning\|hardware' stderr; then
		return 1
	fi
}

@test "counters exclude the warm-up" {
	"$NETIOTRACE" -q --mode onecopy --size 1k --messages 23 --warmup 500ms --json out.json
	jq -e '[.runs[0].perf | .sender, .receiver | .task_clock_ns.value < 200000000]
		| all' out.json
}

@test "counters include all threads" {
	# All threads run on one CPU: the sum of their CPU times is the elapsed time.
	"$NETIOTRACE" -q --mode onecopy --size 64k --threads 5 --rounds 1 --duration 500ms --warmup 100ms \
		--cpu-sender 0 --cpu-receiver 0 --backend none --json out.json
	jq '.runs[0] | .duration_s, .app.cpu_s, .perf.sender.task_clock_ns, .perf.receiver.task_clock_ns' \
		out.json
	jq -e '.runs[0] | (.perf.sender.task_clock_ns.value / 1e9 / .app.cpu_s.sender) > 0.6
		and (.perf.receiver.task_clock_ns.value / 1e9 / .app.cpu_s.receiver) > 0.6' out.json
}

@test "--perf-events counts events named as in perf list" {
	"$NETIOTRACE" -q --mode onecopy --rounds 1 --duration 300ms --warmup 20ms --no-cpu --no-times --json out.json \
		--perf-events cs,task-clock,minor-faults:u,L1-dcache-loads:k,r1c2
	jq -e '.runs[0].perf | .events[0] | .name == "cs" and .sender.value != null' out.json
	# perf and /proc count the same switches, read at slightly different times.
	jq '.runs[0].perf | .events[0].sender.value, .sender.context_switches.value' out.json
	jq -e '.runs[0].perf | (.events[0].sender.value - .sender.context_switches.value) | fabs <= 4' \
		out.json
	jq -e '[.runs[0].perf.events[] | .sender, .receiver | .value != null or (.reason | length > 0)]
		| length == 10 and all' out.json
	"$NETIOTRACE" --mode onecopy --rounds 1 --duration 100ms --warmup 20ms --no-cpu --no-times --perf-events cs --details 2>/dev/null |
		sed -n '/^total.perf.events\[0\].sender$/,/^$/p' | grep -q '^  value .* [0-9]*$'
}

@test "--perf-events counts tracepoints where tracefs is mounted" {
	unshare --mount bash -c "mount -t tracefs none /sys/kernel/tracing &&
		cat /sys/kernel/tracing/events/sched/sched_switch/id" ||
		skip "tracefs cannot be read here"
	unshare --mount bash -c "mount -t tracefs none /sys/kernel/tracing
		exec '$NETIOTRACE' -q --mode onecopy --rounds 1 --duration 300ms --json out.json \
		--perf-events sched:sched_switch"
	jq '.runs[0].perf | .events[0], .sender.context_switches' out.json
	jq -e '.runs[0].perf.events[0].sender.value > 0' out.json
}

@test "--perf-events none counts nothing and says so" {
	"$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --perf-events none --json out.json
	jq -e '[.runs[0].perf | .sender, .receiver | .[] | .value == null and
		(.reason | test("--perf-events none"))] | all' out.json
}

@test "unknown events are refused before anything starts" {
	for list in '' nonsense 'cs,' 'cs,cs' 'cycles:x' 'gpu/event=1/' 'cpu/event=1' 'no:tracepoint' \
		'msr/nonsense/'; do
		code=0
		"$NETIOTRACE" --perf-events "$list" >stdout 2>stderr </dev/null || code=$?
		echo "$list: $code $(cat stderr)"
		[ "$code" -eq 2 ]
		[ ! -s stdout ]
		[ "$(wc -l <stderr)" -eq 1 ]
	done
	"$NETIOTRACE" --perf-events cache-mises 2>&1 | grep -q "did you mean 'cache-misses'"
}

@test "if perf_event_open is refused, switches and CPU time have values and the others a reason" {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] ||
		skip "kernel.perf_event_paranoid lets everybody count here"
	unprivileged "$NETIOTRACE" -q --backend none --mode onecopy --rounds 1 --duration 200ms --warmup 20ms \
		--perf-events cs --json - >out.json
	jq -e '.runs[0].perf | .sender.context_switches.value > 0 and
		.receiver.task_clock_ns.value > 0' out.json
	jq -e '.runs[0].perf | .sender.cycles | .value == null and (.reason | length > 0)' out.json
	jq -e '.runs[0].perf.events[0].sender | .value == null and
		(.reason | test("perf_event_paranoid"))' out.json
}
