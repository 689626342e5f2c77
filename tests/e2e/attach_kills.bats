#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# kill -9 of attach at any moment: what it watches goes on as if nothing had been, and nothing is left. The
# watched program is the load generator, which checks each byte and says how it ended. Signals that end attach, at
# moments of its beginning: it ends then, and takes a command along that it holds or has just started.

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

# born_with SIGNAL COMMAND...: becomes the command, for which the signal waits already: blocked, as attach has it.
born_with() {
	exec /usr/bin/python3 -Ec 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [int(sys.argv[1])])
os.kill(os.getpid(), int(sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])' "$(kill -l "$1")" "${@:2}"
}

@test "attach: a signal that comes before it watches ends it at once: no command is started, no file written" {
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

# links FILE: the calls of bpf() in what strace wrote that attach a program, each with its number among all.
links() {
	grep -o '^bpf(BPF_[A-Z_]*' "$1" | grep -nE 'LINK_CREATE|RAW_TRACEPOINT_OPEN'
}

@test "attach: a signal while programs are attached is not kept waiting for those to come" {
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

# signal_after N SIGNAL MS OPTION...: attach with these options gets the signal so long after it began. A job of this
# shell would have SIGINT ignored.
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
	# Now, not soon: whoever ends attach may count on it.
	mapfile -t left < <(processes_of "$n")
	((${#left[@]} == 0)) || { describe "${left[@]}" && return 1; }
	cat "$n.log"
	[ ! -s "$n.log" ]
	# All of it, or nothing; of a command that was started, all.
	[ -e "$n.out" ] || [ ! -e "$n.started" ]
	[ ! -e "$n.out" ] || jq -e '.interrupted' "$n.out" >/dev/null
}

@test "attach: signals at 20 moments of its first 300 ms end it within a second, with its command" {
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

@test "attach: a command finds signals ignored and blocked as attach's caller had them, and no others" {
	local caller

	for caller in default ignores_some; do
		# SIGHUP as by nohup. Python itself ignores SIGPIPE, as attach does, and SIGXFSZ.
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
