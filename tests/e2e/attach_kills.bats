#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# SIGKILL of attach at any moment: the watched program is not disturbed and nothing is left behind.
# The watched program is the load generator, which checks each byte and reports how it ended. Other
# signals during startup: attach ends at once and ends a command that it has started or is about to
# start.

bats_require_minimum_version 1.5.0
load ../lib
load attach

MESSAGES=1600 # at 2000 a second: 0.8 s
STUCK=10      # seconds without CPU time after which the load counts as hung

# cat_load N MODE: runs the load; output in N.json; creates N.begun when it has begun.
cat_load() {
	cat <<-END
		echo >$1.begun
		exec $LOADGEN --mode $2 --size 4k --rate 2000/s --messages $MESSAGES --verify --json >$1.json 2>$1.err
	END
}

# of_moment N COMMAND...: becomes COMMAND; N is in its environment and in that of its children.
of_moment() {
	KILLS_MOMENT=$NETIOTRACE_TEST.$1 exec "${@:2}"
}

# processes_of N: running processes with N in their environment.
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

# describe PID...: state and wait channel of each thread.
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

# ended N: waits until every process of N has ended; describes and kills one that hangs.
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

# kill_after N COLLECTOR MS: MS after its start; for two of each four moments, MS after it began to
# watch; for one of two commands among these, MS after the command began.
kill_after() {
	if (($1 % 4 >= 2)); then
		within 60 grep -qs -e watching -e 'no such process' "$1.log"
	fi
	if (($1 % 8 == 2)); then
		within 60 test -e "$1.begun"
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

# undisturbed N: the load sent and received everything; a command may never have begun.
undisturbed() {
	[ ! -e "$1.stuck" ] || { cat "$1.stuck" && return 1; }
	[ -e "$1.begun" ] || return 0
	jq -e --argjson n "$MESSAGES" '.sender.tx_messages == $n and .receiver.rx_messages == $n
		and .receiver.rx_bytes == $n * 4096 and .receiver.verify_errors == 0' "$1.json" >/dev/null ||
		{ head -c 1000 "$1.json" "$1.err" && return 1; }
}

@test "attach killed by SIGKILL at 20 random moments leaves the watched program undisturbed and nothing behind" {
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
		# Waits for each PID: the countdown of bats for a test's time limit is a job of this
		# shell.
		wait "${moments[@]}" || true
	done
	for n in {0..19}; do
		undisturbed "$n"
	done
	begun=$(find . -name '*.begun' | wc -l)
	echo "$begun of 20 began"
	# The ten loads that ran before attach, and the three commands whose begin was awaited.
	[ "$begun" -ge 13 ]
	assert_nothing_left
	# A run that ended before the kill has a complete document; no other run has one, not even
	# in part.
	find . -name '*.out*' | while read -r document; do
		jq -e '.schema == "netiotrace.attach/3" and (.health | has("coverage"))' "$document" >/dev/null
	done
}

# born_with SIGNAL COMMAND...: becomes COMMAND with SIGNAL pending and blocked, as in attach.
born_with() {
	exec /usr/bin/python3 -Ec 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [int(sys.argv[1])])
os.kill(os.getpid(), int(sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])' "$(kill -l "$1")" "${@:2}"
}

@test "attach with a pending signal ends before it starts a command or writes a file" {
	local signal status

	# shellcheck disable=SC2154 # stderr: of run
	for signal in INT TERM; do
		status=$((128 + $(kill -l "$signal")))
		run -"$status" --separate-stderr born_with "$signal" "$NETIOTRACE" attach --json out.json -- touch started
		[ "$stderr" = "netiotrace: ended before the watching began: touch was not started, nothing is written." ]
		[ -z "$output" ]
		run -"$status" --separate-stderr born_with "$signal" "$NETIOTRACE" attach --json - --port 1
		[ "$stderr" = "netiotrace: ended before the watching began: nothing is written." ]
		[ -z "$output" ]
		[ ! -e started ]
		[ ! -e out.json ]
	done
	assert_nothing_left
}

# links FILE: from strace output FILE, each bpf() call that attaches a program, with its ordinal
# among all bpf() calls.
links() {
	grep -o '^bpf(BPF_[A-Z_]*' "$1" | grep -nE 'LINK_CREATE|RAW_TRACEPOINT_OPEN'
}

@test "attach ends after the current program when a signal arrives while it attaches programs" {
	local first status=0

	need_tool strace
	strace -e trace=bpf -o all "$NETIOTRACE" attach -q --no-cpu -- true
	[ "$(links all | wc -l)" -gt 5 ]
	first=$(links all | head -n 1 | cut -d : -f 1)
	strace -e trace=bpf -e inject=bpf:signal=TERM:when="$first" -o calls "$NETIOTRACE" attach --no-cpu -- touch started \
		2>said || status=$?
	[ "$status" -eq 143 ]
	grep -qx 'netiotrace: ended before the watching began: touch was not started, nothing is written.' said
	links calls
	[ "$(links calls | wc -l)" -eq 1 ]
	[ ! -e started ]
}

is_netiotrace() {
	[[ $(readlink "/proc/$1/exe") == */netiotrace ]]
}

# signal_after N SIGNAL MS OPTION...: sends SIGNAL to attach MS after its start. A background job of
# this shell would ignore SIGINT.
signal_after() {
	local n=$1 signal=$2 status=0 pid left

	of_moment "$n" env --default-signal=INT "$NETIOTRACE" attach -q --json "$n.out" "${@:4}" 2>"$n.log" 3>&- &
	pid=$!
	within 60 is_netiotrace "$pid"
	sleep "0.$(printf %03d "$3")"
	kill -"$signal" "$pid"
	promptly has_ended "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq $((128 + $(kill -l "$signal"))) ]
	# No process may be left when attach has ended: its caller relies on that.
	mapfile -t left < <(processes_of "$n")
	((${#left[@]} == 0)) || { describe "${left[@]}" && return 1; }
	cat "$n.log"
	[ ! -s "$n.log" ]
	# A load is complete or absent; a started command is complete.
	[ -e "$n.out" ] || [ ! -e "$n.started" ]
	[ ! -e "$n.out" ] || jq -e '.interrupted' "$n.out" >/dev/null
}

@test "attach ends within a second, with its command, on signals at 20 moments of its first 300 ms" {
	local n signals=(INT TERM)

	note_before
	for n in {0..19}; do
		if ((n % 4 < 2)); then
			signal_after "$n" "${signals[n % 2]}" $((n * 15)) -- sh -c "echo >$n.started; exec sleep 1000"
		else
			signal_after "$n" "${signals[n % 2]}" $((n * 15)) --pid $$
		fi
	done
	echo "$(find . -name '*.started' | wc -l) of 10 commands were started, $(find . -name '*.out' | wc -l) of 20 wrote"
	assert_nothing_left
}

@test "attach -- COMMAND gives the command the signal dispositions and mask of attach's caller" {
	local caller

	for caller in default ignores_some; do
		# SIGHUP is ignored, as by nohup. Python ignores SIGPIPE, as attach does, and
		# SIGXFSZ.
		/usr/bin/python3 -Ec 'import os, signal, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
if sys.argv[1] == "ignores_some":
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
command = ["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"]
if not os.fork():
    os.execvp(command[0], command)
os.wait()
print("--", flush=True)
os.execv(sys.argv[2], [sys.argv[2], "attach", "-q", "--no-cpu", "--"] + command)' "$caller" "$NETIOTRACE" >both
		cat both
		sed '/^--/,$d' both >alone
		sed '1,/^--/d' both >watched
		[ "$(wc -l <alone)" -eq 2 ]
		diff alone watched
	done
	run -0 sh -c "trap '' HUP; exec '$NETIOTRACE' attach -q --no-cpu -- sh -c 'kill -HUP \$\$; echo survived'"
	[ "$output" = survived ]
}
