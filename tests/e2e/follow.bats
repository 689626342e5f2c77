#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The copies that follow finds, compared with those that tests/e2e/planted_copies.c makes, and what follow
# must not do to the program: stop it for good, end it, or leave a tracer behind.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	[ "$(nproc)" -ge 2 ] || skip "follow needs two CPUs"
	RELAY='' FUSE=''
	# Debug registers are enough for one follow at a time: of all tests on this machine, and beside others a minute long.
	exec {LOCK}>/run/netiotrace-follow.lock
	flock -w 300 "$LOCK" || skip "other tests have the debug registers"
	within 60 knows_whether_it_can || true
	[ ! -s refusal ] || refused
}

# It follows, or is refused for another reason than debug registers that others use at the moment.
knows_whether_it_can() {
	"$NETIOTRACE" follow --pid $$ --duration 1ms -q 2>refusal || ! grep -q 'debug registers of each CPU' refusal
}

teardown() {
	[ -z "$RELAY" ] || kill -9 "$RELAY" 2>/dev/null || true
	[ -z "$FUSE" ] || kill -9 "$FUSE" 2>/dev/null || true
	umount -l mnt 2>/dev/null || true
}

# Other machines and builds: arm64, static, real-time, no debug registers.
refused() {
	skip "$(<refusal)"
}

# relay COPIES KIND SIZE THREADS BUFFERS plain|vec: starts it; its PID is $RELAY.
relay() {
	rm -f pid
	"${PROGRAM:-$BUILD_DIR/tests/e2e/planted_copies}" "$@" >pid 3>&- {LOCK}>&- &
	RELAY=$!
	within 20 test -s pid
}

# untraced PID: no thread has a tracer, and none is stopped.
untraced() {
	! grep -h -E '^(TracerPid:	[1-9]|State:	[tT])' /proc/"$1"/task/*/status
}

# turns PID: how often its threads have waited, which grows with each message.
turns() {
	cat /proc/"$1"/task/*/status | awk '/^voluntary_ctxt_switches/ { sum += $2 } END { print sum }'
}

has_more_turns() { # PID THAN
	[ "$(turns "$1")" -gt "$2" ]
}

# goes_on PID: it still receives and sends.
goes_on() {
	within 20 has_more_turns "$1" "$(($(turns "$1") + 50))"
}

# holds TRUTH: each followed byte had this many copies, and the intervals have it. Bytes of at_least may have had further
# copies. On a busy machine few bytes are followed: up to four attempts.
holds() {
	for _ in 1 2 3 4; do
		"$NETIOTRACE" follow --pid "$RELAY" --duration 6s --rate 60 -q --json out.json
		jq -c '.received, .sent | del(.sites)' out.json
		jq -e "all(.received, .sent; .per_byte == null or (.low <= $1 and $1 <= .high))" out.json
		jq -e "all(.received, .sent; $1 * (.followed - .at_least) <= .copies and .copies <= $1 * .followed)" out.json
		! jq -e 'all(.received, .sent; .followed >= 3)' out.json || return 0
	done
	skip "the machine is too busy: $(jq -c '.received.ends, .sent.ends' out.json)"
}

@test "follow finds no copy in a relay that makes none" {
	relay 0 memcpy 65536 1 1 plain
	holds 0
	jq -e '.received.sites == [] and .sent.sites == []' out.json
}

@test "follow finds two copies by memcpy and names the function" {
	relay 2 memcpy 65536 1 1 plain
	holds 2
	jq -e '[(.received, .sent).sites[].frames[].function] | any(. == "planted_memcpy")' out.json
	jq -e '[(.received, .sent).sites[].frames[].file] | any(. == "planted_copies.c")' out.json
}

@test "follow finds two transforms of short messages in four threads" {
	relay 2 xor 300 4 16 vec
	holds 2
	jq -e 'all(.received, .sent; .transforms == .copies)' out.json
}

@test "run --follow finds the copy that the two-copy sender counts, and none of the one-copy sender" {
	for mode in twocopy onecopy; do
		"$NETIOTRACE" --mode $mode --rounds 1 --duration 200ms --warmup 0s --no-cpu --follow -q --json out.json
		jq -c .followed out.json
		own=$([ $mode = twocopy ] && echo 1 || echo 0)
		jq -e ".followed[0] | .own_per_byte == $own and (.per_byte == null or (.low <= $own and $own <= .high))" out.json
		jq -e '.followed[0] | .per_byte or .reason' out.json
	done
}

@test "SIGKILL of follow at any moment: the program goes on without a tracer" {
	relay 2 memcpy 65536 1 1 plain
	for i in {1..8}; do
		"$NETIOTRACE" follow --pid "$RELAY" --rate 100 -q 3>&- &
		follow=$!
		sleep "$((i % 2)).$((i * 37 % 90 + 10))"
		# On a busy machine it may have ended by itself.
		kill -9 $follow 2>/dev/null || true
		wait $follow || true
		within 20 untraced "$RELAY"
		goes_on "$RELAY"
	done
}

# The program of $RELAY runs from a file system whose server has stopped.
relay_of_stopped_server() {
	need_tool python3
	[ -w /dev/fuse ] || skip "this kernel or container has no /dev/fuse"
	mkdir mnt
	python3 "$REPO/tests/e2e/stopped_fuse.py" mnt "$BUILD_DIR/tests/e2e/planted_copies" >fuse 2>&1 3>&- {LOCK}>&- &
	FUSE=$!
	within 20 test -s fuse
	grep -q mounted fuse || skip "no FUSE file system can be mounted: $(<fuse)"
	cat mnt/file >/dev/null # later page faults do not ask the server
	PROGRAM=mnt/file relay 1 memcpy 65536 1 1 plain
	kill -USR1 $FUSE
}

# stuck: a process of netiotrace waits for the stopped server.
stuck() {
	awk '/^waits/ { print "/proc/" $2 "/comm" }' fuse | xargs -r grep -qsx netiotrace
}

# Without a signal, names are awaited for a bounded time.
gives_up() {
	"$NETIOTRACE" follow --pid "$RELAY" --rate 50 --duration 1s 3>&- 2>&1 | grep 'could not be read in time'
}

@test "a program whose files are on a stopped server: Ctrl-C ends follow, and another follow begins" {
	relay_of_stopped_server
	"$NETIOTRACE" follow --pid "$RELAY" --rate 50 -q --json out.json 3>&- &
	follow=$!
	within 60 stuck
	kill -INT $follow
	within 20 has_ended $follow
	# 0: sampling had ended before, since the CPUs are busy.
	wait $follow || [ $? -eq 130 ]
	jq -e 'all((.received, .sent).sites[].frames[]; .function == null)' out.json
	# The stuck process has neither the debug registers nor this pipe.
	stuck
	run -0 "$NETIOTRACE" follow --pid $$ --duration 10ms
	within 60 gives_up
	kill -9 $FUSE
	within 20 eval '! stuck'
}

# strikes SIGNAL GROUP: the signal comes while a thread of the relay is stopped; more attempts on a busy machine.
strikes() {
	within 60 "$BUILD_DIR/tests/e2e/slow_page" strike "$RELAY" "$2" "$1"
}

@test "follow does not end a program that saves and loads its flags" {
	relay 2 flags 300 1 1 plain
	for _ in 1 2 3 4; do
		"$NETIOTRACE" follow --pid "$RELAY" --duration 4s --rate 60 -q --json out.json
		jq -c '.health, .received.ends, .sent.ends' out.json
		kill -0 "$RELAY"
		untraced "$RELAY"
		! jq -e '.received.ends.undecoded >= 1' out.json || return 0
	done
	skip "the machine is too busy: no byte was stepped to pushf"
}

@test "a stop or the death of follow's process group leaves no thread stopped and no program dead" {
	relay 2 memcpy 65536 1 1 plain
	for signal in TSTP STOP KILL TSTP STOP KILL; do
		setsid "$NETIOTRACE" follow --pid "$RELAY" --rate 100 --duration 60s -q 3>&- &
		follow=$!
		within 20 has_children $follow
		# It may have ended by itself: a stop took long.
		strikes "$(kill -l $signal)" $follow || ! kill -0 $follow
		within 20 untraced "$RELAY"
		goes_on "$RELAY"
		kill -9 $follow 2>/dev/null || true
		wait $follow || true
	done
}

has_children() { # PID
	[ -n "$(<"/proc/$1/task/$1/children")" ]
}

# On a busy machine a stop of the program takes long, which ends the sampling before what the test awaits.
ended_before() {
	jq -e '.health.ended_early // "" | test("CPU")' out.json
}

# Starts slow_page; its PID is $RELAY.
waits_for_pages() {
	rm -f pid file
	"$BUILD_DIR/tests/e2e/slow_page" wait "$PWD/file" >pid 3>&- &
	RELAY=$!
	within 20 test -s pid || ! has_ended $RELAY || skip "no userfaultfd"
}

@test "follow ends in time beside a step that waits for a page, and the program goes on when it comes" {
	for _ in 1 2 3 4; do
		waits_for_pages
		"$NETIOTRACE" follow --pid "$RELAY" --duration 1h --rate 20 --json out.json >text 3>&-
		ended_before || break
		touch file
		wait "$RELAY"
	done
	! ended_before || skip "the machine is too busy: $(jq -c .health out.json)"
	grep 'Sampling ended early: an instruction of the program has waited' <(tr -s ' \n' ' ' <text)
	grep 'page of memory (disk, swap, network file system, userfaultfd)' <(tr -s ' \n' ' ' <text)
	jq -e '.received.ends.fault == 1 and (.health.ended_early | test("page of memory"))' out.json
	jq -e '.health.longest_ns < 1e8' out.json # the wait for the page is not follow's
	# The debug registers are free again, and the other thread goes on.
	within 60 knows_whether_it_can
	goes_on "$RELAY"
	touch file
	wait "$RELAY"
}

@test "a signal that ends the followed program is reported" {
	for _ in 1 2 3 4; do
		relay 1 bytes 65536 1 1 plain
		"$NETIOTRACE" follow --pid "$RELAY" --duration 60s --rate 20 --json out.json >text 3>&- &
		follow=$!
		within 60 grep -q received text
		kill -SEGV "$RELAY"
		within 20 has_ended $follow
		wait $follow
		ended_before || break
	done
	! ended_before || skip "the machine is too busy: $(jq -c .health out.json)"
	tr -s ' \n' ' ' <text | grep "1 followed process ended by a signal: process $RELAY by signal 11"
	jq -e '.health | .killed == 1 and .killed_by == 11' out.json
}

@test "a program of many threads that a signal ends is counted once" {
	for _ in 1 2 3 4; do
		relay 1 bytes 300 32 16 plain
		"$NETIOTRACE" follow --pid "$RELAY" --duration 60s --rate 20 --json out.json >text 3>&- &
		follow=$!
		within 60 grep -q received text
		kill -SEGV "$RELAY"
		within 20 has_ended $follow
		wait $follow
		jq -c .health out.json
		# It may have ended before, since the CPUs are busy.
		jq -e '.health | (.killed == 1 and .killed_by == 11) or (.killed == 0 and .ended_early != null)' out.json
	done
}

@test "a limit of real-time CPU time does not end the process that follows a byte" {
	need_tool prlimit
	relay 1 bytes 65536 1 1 plain
	prlimit --rttime=2000 "$NETIOTRACE" follow --pid "$RELAY" --duration 3s --rate 100 --json out.json -q
	jq -c '.received.ends, .sent.ends' out.json
	jq -e 'all(.received, .sent; .ends.ended == 0 and .ends.gone == 0)' out.json
	goes_on "$RELAY"
}

@test "follow refuses a traced process, a missing one, and one CPU" {
	need_tool strace taskset
	strace -o /dev/null sleep 100 3>&- {LOCK}>&- & # sleep outlives strace
	traced=$!
	within 20 pgrep -P $traced sleep
	run -1 "$NETIOTRACE" follow --pid "$(pgrep -P $traced sleep)" --duration 1s
	[[ $output == *"process $traced traces it already"* ]]
	kill $traced
	run -1 "$NETIOTRACE" follow --pid 2147483647 --duration 1s
	[[ $output == *"no such process"* ]]
	run -3 taskset -c 0 "$NETIOTRACE" follow --pid $$ --duration 1s
	[[ $output == *"two CPUs"* ]]
}

@test "follow ends with its command, whose status it returns" {
	run -7 "$NETIOTRACE" follow --json out.json -- sh -c 'sleep 0.5; exit 7'
	[[ $output == *"saw no TCP payload"* ]]
	jq -e '.received.per_byte == null and (.received.reason | length > 0)' out.json
}

@test "follow writes none of its outputs if one cannot be written" {
	run -1 "$NETIOTRACE" follow --pid $$ --duration 10ms -q --json /dev/full --folded out.folded
	[ ! -e out.folded ]
}

@test "follow ends when the program of --pid ends" {
	relay 1 bytes 65536 1 1 plain
	"$NETIOTRACE" follow --pid "$RELAY" --duration 60s --rate 50 --json out.json >text 3>&- &
	follow=$!
	sleep 2
	kill -9 "$RELAY"
	within 20 has_ended $follow
	wait $follow
	grep -q RESULT text
}
