#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Errors are printed once, on stderr, where they stay readable; earlier results are kept; the
# terminal is restored, however the run ends.
# shellcheck disable=SC2030,SC2031

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	terminal=nio-errors-$$
}

teardown() {
	tmux -L "$terminal" kill-server 2>/dev/null || true
	rm -rf "${elsewhere:-}"
}

# fake NUMBER SHELL: a copy of the program whose load generator's sender is SHELL at its NUMBERth
# start and the real one before.
fake() {
	rm -rf "${elsewhere:-}" # of an earlier fake
	elsewhere=$(mktemp -d /tmp/netiotrace-test-XXXXXX)
	chmod 777 "$elsewhere"
	cp "$NETIOTRACE" "$elsewhere/netiotrace"
	cp "$LOADGEN" "$elsewhere/real-loadgen"
	cat >"$elsewhere/netio-loadgen" <<-END
		#!/bin/sh
		if [ "\$1" = send ]; then
			echo x >>$elsewhere/starts
			if [ "\$(wc -l <$elsewhere/starts)" -eq $1 ]; then
				$2
				exit 1
			fi
		fi
		exec $elsewhere/real-loadgen "\$@"
	END
	chmod 755 "$elsewhere/netio-loadgen"
}

LUCK="echo '{\"event\":\"error\",\"message\":\"out of luck\"}'"
READY='echo "{\"event\":\"ready\",\"config\":{},\"connections\":[{\"index\":0,\"cookie\":\"1\"}]}"'

# said_once WORDS: stderr is one line of netiotrace that matches WORDS.
said_once() {
	cat stderr
	[ "$(wc -l <stderr)" -eq 1 ]
	grep -q "^netiotrace: .*$1" stderr
}

# bats test_tags=address
@test "a failed round: finished rounds are reported, the failure is named, exit 1" {
	need_root
	fake 4 "$LUCK"
	code=0
	# Without sampled rounds, so that NUMBER names the failing round.
	"$elsewhere/netiotrace" --rounds 2 --duration 200ms --warmup 20ms --no-cpu --no-times --interval 1h --json out.json --csv out.csv \
		>stdout 2>stderr </dev/null || code=$?
	[ "$code" -eq 1 ]
	cat stdout stderr
	[ "$(grep -c '^netiotrace: ' stderr)" -eq 1 ]
	grep -q '^netiotrace: twocopy, round 2 failed: .*out of luck' stderr
	head -n 1 stdout | grep -q 'FAILED: 1 of 2 rounds'
	jq -e '(.runs | length) == 3 and (.summary | length) == 3 and (.interrupted | not)
		and (.failure | test("twocopy, round 2 failed: .*out of luck"))
		and ([.runs[].ledger.unaccounted_tx == 0] | all)' out.json
	[ "$(wc -l <out.csv)" -eq 4 ]
}

# bats test_tags=address
@test "a run without a finished round prints only the reason and writes no file" {
	need_root
	fake 1 "$LUCK"
	code=0
	"$elsewhere/netiotrace" --duration 200ms --warmup 20ms --json out.json >stdout 2>stderr </dev/null || code=$?
	[ "$code" -eq 1 ]
	said_once 'twocopy, round 1 failed: .*out of luck'
	[ ! -s stdout ]
	[ ! -e out.json ]
	# The receiver's own trial fails for want of memory, after that of netiotrace.
	fake 1 "echo '{\"event\":\"refused\",\"message\":\"out of room\",\"errno\":12}'"
	code=0
	"$elsewhere/netiotrace" -q --mode onecopy --duration 200ms --warmup 20ms --backend none 2>stderr || code=$?
	[ "$code" -eq 1 ]
	said_once 'round 1 failed: .*out of room'
}

# bats test_tags=address
@test "a load generator that ends early or violates the protocol: the reason is printed once" {
	need_root
	fake 1 "exec <&-; $READY; sleep 0.3"
	code=0
	"$elsewhere/netiotrace" -q --mode onecopy --duration 200ms --warmup 20ms --backend none 2>stderr || code=$?
	[ "$code" -eq 1 ]
	said_once 'sender ended unexpectedly'
	fake 1 'head -c 1100000 /dev/zero | tr "\0" x'
	code=0
	"$elsewhere/netiotrace" -q --mode onecopy --duration 200ms --warmup 20ms --backend none 2>stderr || code=$?
	[ "$code" -eq 1 ]
	said_once 'broke the protocol: a line of more than'
}

@test "unwritable stdout: every command says so once and exits with 1" {
	need_root
	full() { # ARGS...
		local code=0

		"$NETIOTRACE" "$@" >/dev/full 2>stderr </dev/null || code=$?
		echo "$*: exit $code"
		[ "$code" -eq 1 ]
		[ "$(grep -c 'cannot write' stderr)" -eq 1 ]
		grep -q '^netiotrace: cannot write to stdout: No space left on device' stderr
	}
	full help
	full --version
	full attach --help
	full sweep --help # longer than a buffer of stdio
	full sweep --usage
	full export --describe
	full doctor
	full run --mode onecopy --duration 100ms --warmup 20ms --interval 1h
	full sweep --modes onecopy --sizes 4k --threads 1 --rounds 1 --duration 50ms --path loopback -o out
	full compare out out
	full serve --listen 127.0.0.1:0
	need_tool gnuplot
	full report out
}

# Otherwise the next opened file gets the descriptor: text was written into a timer or a socket.
# bats test_tags=address
@test "a closed standard descriptor is reported and no file of netiotrace takes its number" {
	closed() { # CODE WHAT ARGS...
		local expected=$1 what=$2 code=0
		shift 2

		"$NETIOTRACE" "$@" 2>stderr <&- >&- || code=$?
		cat stderr
		[ "$code" -eq "$expected" ]
		[ "$(grep '^netiotrace' stderr)" = "netiotrace: cannot write $what: Bad file descriptor." ]
	}
	closed 1 'to stdout' serve --listen 127.0.0.1:0
	closed 1 'to stdout' --backend none --mode onecopy --messages 23 --warmup 20ms
	closed 2 - --backend none --mode onecopy --messages 23 --warmup 20ms --json -
	"$NETIOTRACE" --backend none --mode onecopy --messages 23 --warmup 20ms --json out.json <&- 2>&- >stdout
	[ "$(jq '.runs[0].app.rx_messages' out.json)" -eq 23 ]
	grep -q '^one-copy ' stdout
}

# bats test_tags=address
@test "a file size limit is reported once and leaves no partial file" {
	code=0
	(ulimit -f 1 && exec "$NETIOTRACE" -q --backend none --mode onecopy --messages 23 --warmup 20ms --json out.json \
		2>stderr) || code=$?
	[ "$code" -eq 1 ]
	said_once 'cannot write out.json: File too large'
	rm stderr
	[ -z "$(ls -A)" ]
}

# Runs in a terminal with its own shell, so that the terminal can be inspected afterwards.
open_terminal() {
	need_tool tmux
	tmux -L "$terminal" -f /dev/null new-session -d -x 110 -y 32 'env PS1="ready> " bash --norc --noprofile'
	within 5 shows 'ready>'
	stty_to before
}

keys() {
	tmux -L "$terminal" send-keys "$@"
}

shows() {
	tmux -L "$terminal" capture-pane -p | grep -q -- "$1"
}

stty_to() { # FILE
	keys "stty -g >$1.new; mv $1.new $1" Enter
	within 5 test -s "$1"
}

# start ARGS...: starts netiotrace in the terminal and waits for the live view.
start() {
	keys "clear; $*; echo code \$? >code" Enter
	within 5 shows '> one-copy .*B/s' || { tmux -L "$terminal" capture-pane -p; false; }
}

ended_with() { # CODE
	within 5 test -s code
	[ "$(cat code)" = "code $1" ]
	stty_to after
	diff before after
	shows 'ready>'
}

run_pid() {
	pgrep -f -x "$NETIOTRACE --mode onecopy --warmup 20ms --duration 60s --json $PWD/out.json"
}

long_run() {
	start "$NETIOTRACE --mode onecopy --warmup 20ms --duration 60s --json $PWD/out.json"
}

@test "an error during the live view is on the screen after the view has closed" {
	need_root
	fake 2 "$LUCK"
	open_terminal
	keys "clear; $elsewhere/netiotrace -v --mode onecopy --rounds 2 --duration 600ms --no-cpu --no-times; echo code \$? >code" Enter
	ended_with 1
	tmux -L "$terminal" capture-pane -p -S -200 >screen
	cat screen
	[ "$(grep -c '^netiotrace: onecopy, round 2 failed: .*out of luck' screen)" -eq 1 ]
	# Includes the messages of rounds.
	grep -q '^netiotrace: onecopy, round 1: measured' screen
}

@test "Ctrl-C, Ctrl-\\, SIGTERM, SIGHUP and q restore the terminal, print results so far and set the exit code" {
	need_root
	open_terminal
	for how in C-c:130 C-\\:131 TERM:143 HUP:129 q:0; do
		rm -f code out.json after
		long_run
		case ${how%:*} in
		TERM | HUP) kill "-${how%:*}" "$(run_pid)" ;;
		*) keys "${how%:*}" ;;
		esac
		ended_with "${how##*:}"
		jq -e '.interrupted and .runs[0].ledger.unaccounted_tx == 0' out.json
	done
}

@test "Ctrl-Z restores the terminal, fg restores the view, and the books balance" {
	need_root
	open_terminal
	long_run
	keys C-z
	within 5 shows 'Stopped'
	stty_to stopped
	diff before stopped
	keys "clear; fg" Enter
	within 5 shows '> one-copy .*B/s'
	# SIGSTOP cannot be caught.
	kill -STOP "$(run_pid)"
	within 5 shows 'Stopped'
	keys "clear; fg" Enter
	within 5 shows '> one-copy .*B/s'
	keys q
	within 5 test -s out.json
	stty_to after
	diff before after
	jq -e '.runs[0].ledger.unaccounted_tx == 0 and .runs[0].ledger.unaccounted_rx == 0' out.json
}

@test "a run under nohup does not end at SIGHUP" {
	need_root
	(
		trap '' HUP
		exec "$NETIOTRACE" --mode onecopy --duration 1s --no-cpu --no-times --interval 100ms \
			--json out.json >lines 2>&1
	) &
	pid=$!
	within 5 test -s lines
	kill -HUP $pid
	wait $pid
	jq -e '.interrupted == false and .runs[0].ledger.unaccounted_tx == 0' out.json
}

@test "a run ends when its terminal is closed" {
	need_root
	open_terminal
	long_run
	pid=$(run_pid)
	tmux -L "$terminal" kill-server
	within 5 sh -c "! kill -0 $pid 2>/dev/null"
	jq -e '.runs[0].ledger.unaccounted_tx == 0' out.json
}

# limited LIMIT COMMAND...: runs it under a resource limit; exit status in $code, messages in the
# file stderr.
limited() {
	local limit=$1
	shift

	code=0
	# shellcheck disable=SC2016,SC2086 # the inner shell expands; the limit is two words
	bash -c 'ulimit $1 || exit 99; shift; exec "$@"' - "$limit" "$@" >stdout 2>stderr 3>&- || code=$?
	cat stderr
}

# AddressSanitizer itself needs more memory than these limits.
@test "a resource limit that is too low is named by run, attach, follow and doctor, not blamed on the kernel" {
	local limit name row command
	local commands=("run --mode onecopy --duration 100ms -q" "attach -q --pid $$ --duration 50ms")

	need_root
	# Others may have the debug registers; without the limit, follow is refused before it loads programs where it cannot run.
	code=0
	"$NETIOTRACE" follow -q --pid $$ --duration 1ms 2>stderr || code=$?
	[ "$code" -ne 0 ] && ! grep -q "debug registers of each" stderr || commands+=("follow -q --pid $$ --duration 50ms")
	while read -r limit name row; do
		for command in "${commands[@]}"; do
			[[ $limit != -n=32 || $command != follow* ]] || continue # enough for it
			# shellcheck disable=SC2086
			limited "${limit/=/ }" "$NETIOTRACE" $command
			[ "$code" -eq 1 ]
			grep -q "$name.*ulimit" stderr
			run -1 grep -i "this kernel" stderr
		done
		limited "${limit/=/ }" "$NETIOTRACE" doctor --json doctor.json
		[ "$code" -le 1 ]
		jq -e --arg row "$row" '.checks[] | select(.name == $row) | .state == "limited" and (.remedy | contains("ulimit"))' doctor.json
	done <<-'END'
		-n=8 RLIMIT_NOFILE open_files
		-n=16 RLIMIT_NOFILE open_files
		-n=32 RLIMIT_NOFILE open_files
		-d=4000 RLIMIT_DATA data_memory
	END
}

# With 20 MB the program starts; the kernel's BTF and the programs take far more than 24.
@test "a virtual memory limit that is too low is named, not blamed on the kernel" {
	need_root
	limited "-v 24000" "$NETIOTRACE" attach -q --pid $$ --duration 50ms
	[ "$code" -eq 1 ]
	grep -q "RLIMIT_AS.*ulimit -v" stderr
	limited "-v 24000" "$NETIOTRACE" --mode onecopy --duration 100ms -q
	[ "$code" -eq 1 ]
	grep -q "RLIMIT_AS.*ulimit -v" stderr
}

@test "a stack of 60 kB is enough: attach, run and the load generator" {
	need_root
	limited "-s 60" "$NETIOTRACE" attach -q --pid $$ --duration 50ms
	[ "$code" -eq 0 ]
	limited "-s 60" "$NETIOTRACE" --mode onecopy --messages 10 -q
	[ "$code" -eq 0 ]
	limited "-s 60" "$LOADGEN" --mode onecopy --messages 10
	[ "$code" -eq 0 ]
}

# bats test_tags=address
@test "netiotrace raises its soft limit of open files to the hard limit; a watched command keeps the caller's" {
	need_root
	limited "-Sn 16" "$NETIOTRACE" attach -q --json out.json -- bash -c 'ulimit -Sn'
	[ "$code" -eq 0 ]
	[ "$(<stdout)" = 16 ]
}
