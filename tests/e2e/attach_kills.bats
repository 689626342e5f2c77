#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# kill -9 of attach at any moment: what it watches goes on as if nothing had been, and nothing is left. The
# watched program is the load generator, which checks each byte and says how it ended.

bats_require_minimum_version 1.5.0
load ../lib
load attach

MESSAGES=1600 # at 2000 a second: 0.8 s
STUCK=10      # seconds without any CPU time, after which the load is taken to hang

# cat_load N MODE: the load, whose words are in N.json; N.begun is there once it began.
cat_load() {
	cat <<-END
		echo >$1.begun
		exec $LOADGEN --mode $2 --size 4k --rate 2000/s --messages $MESSAGES --verify --json >$1.json 2>$1.err
	END
}

# of_moment N COMMAND...: becomes the command, marked as one of a moment, and so is whatever it starts.
of_moment() {
	KILLS_MOMENT=$NETIOTRACE_TEST.$1 exec "${@:2}"
}

# processes_of N: those of a moment; none that has ended.
processes_of() {
	grep -lzsxF "KILLS_MOMENT=$NETIOTRACE_TEST.$1" /proc/[0-9]*/environ | cut -d / -f 3
}

# cpu_of PID...: their CPU time in ticks.
cpu_of() {
	local pid

	for pid; do
		cut -d ')' -f 2- "/proc/$pid/stat" 2>/dev/null
	done | awk '{ sum += $12 + $13 } END { print sum + 0 }'
}

# describe PID...: what it does and what it waits for, each thread.
describe() {
	local pid task file

	for pid; do
		echo "== $pid: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
		ls -l "/proc/$pid/fd"
		for task in "/proc/$pid/task"/*; do
			for file in status wchan syscall stack; do
				echo "-- $task/$file"
				cat "$task/$file"
				echo
			done
		done
	done 2>&1
	ss -tnipO
}

# ended N: waits until every process of a moment has; one that hangs is described, and ended.
ended() {
	local now before=-1 moved=$SECONDS pids

	while mapfile -t pids < <(processes_of "$1") && ((${#pids[@]})); do
		now=$(cpu_of "${pids[@]}")
		[ "$now" -eq "$before" ] || moved=$SECONDS
		before=$now
		if ((SECONDS - moved > STUCK)); then
			describe "${pids[@]}" >"$1.stuck"
			kill -9 "${pids[@]}"
			return 1
		fi
		sleep 0.2
	done
}

# kill_after N COLLECTOR MS: after so long since it began; of the second two of each four since it watches.
kill_after() {
	if (($1 % 4 >= 2)); then
		within 60 grep -qs -e watching -e 'no such process' "$1.log"
	fi
	sleep "0.$(printf %03d "$3")"
	kill -9 "$2" 2>/dev/null || true
	ended "$1"
}

by_command() { # N MODE MS
	cat_load "$1" "$2" >"$1.sh"
	of_moment "$1" "$NETIOTRACE" attach -v --json "$1.out" -- sh "$1.sh" >/dev/null 2>"$1.log" 3>&- &
	kill_after "$1" $! "$3"
}

by_pid() { # N MODE MS
	cat_load "$1" "$2" >"$1.sh"
	of_moment "$1" sh "$1.sh" 3>&- &
	of_moment "$1" "$NETIOTRACE" attach -v --json "$1.out" --pid $! --children >/dev/null 2>"$1.log" 3>&- &
	kill_after "$1" $! "$3"
}

# undisturbed N: all was sent and received as it was; or, of a command, it never began.
undisturbed() {
	[ ! -e "$1.stuck" ] || { cat "$1.stuck" && return 1; }
	[ -e "$1.begun" ] || return 0
	jq -e --argjson n "$MESSAGES" '.sender.tx_messages == $n and .receiver.rx_messages == $n
		and .receiver.rx_bytes == $n * 4096 and .receiver.verify_errors == 0' "$1.json" >/dev/null ||
		{ head -c 1000 "$1.json" "$1.err" && return 1; }
}

@test "attach: kill -9 at 20 random moments leaves the watched program undisturbed and nothing behind" {
	local modes=(onecopy zerocopy) moments n=0 begun

	note_before
	seed_random
	for _ in 1 2 3 4 5; do
		moments=()
		for mode in "${modes[@]}"; do
			by_command "$n" "$mode" "$((RANDOM % 500))" &
			moments+=($!)
			by_pid "$((n + 1))" "$mode" "$((RANDOM % 500))" &
			moments+=($!)
			n=$((n + 2))
		done
		# Each by its number: the countdown of bats to a test's limit is a job of this shell, too.
		wait "${moments[@]}" || true
	done
	for n in {0..19}; do
		undisturbed "$n"
	done
	begun=$(find . -name '*.begun' | wc -l)
	echo "$begun of 20 began"
	# All that were there already, and those that were started under the eyes of one that watched.
	[ "$begun" -ge 14 ]
	assert_nothing_left
	# What had ended before it was killed has its document, whole; nothing else has one, not even in part.
	find . -name '*.out*' | while read -r document; do
		jq -e '.schema == "netiotrace.attach/1" and (.health | has("coverage"))' "$document" >/dev/null
	done
}
