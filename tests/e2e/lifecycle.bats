#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# How a run ends: by Ctrl-C at any moment within a second with the results so far, and by kill -9 of any
# process with nothing left behind.

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	note_before
}

teardown() {
	stop_jobs
}

now_ms() {
	date +%s%3N
}

# Interrupts a run AFTER seconds into it; sets code and took (ms).
interrupt_after() { # AFTER SIGNAL ARGS...
	local after=$1 signal=$2 pid start

	shift 2
	"$NETIOTRACE" "$@" >stdout 2>stderr </dev/null &
	pid=$!
	sleep "$after"
	start=$(now_ms)
	kill "-$signal" "$pid"
	code=0
	wait "$pid" || code=$?
	took=$(($(now_ms) - start))
	echo "after $after s: exit $code in $took ms"
}

@test "Ctrl-C while running: within 1 s, results so far, balanced, exit 130" {
	for mode in twocopy onecopy zerocopy; do
		interrupt_after 2 INT --mode "$mode" --warmup 100ms --duration 60s --threads 4 --json out.json
		[ "$code" -eq 130 ]
		[ "$took" -lt 1000 ]
		jq -e '.interrupted and .runs[0].interrupted and .runs[0].app.tx_bytes > 0
			and .runs[0].ledger.unaccounted_tx == 0 and .runs[0].ledger.unaccounted_rx == 0' \
			out.json
		grep -qi interrupted stdout
	done
	assert_nothing_left
}

@test "Ctrl-C in the warm-up: within 1 s, exit 130, says that nothing was measured" {
	interrupt_after 0.8 INT --mode onecopy --warmup 60s --duration 60s --path veth --json out.json
	[ "$code" -eq 130 ]
	[ "$took" -lt 1000 ]
	[ "$(jq '.runs | length' out.json)" -eq 0 ]
	grep -qi 'nothing was measured' stdout
	assert_nothing_left
}

@test "Ctrl-C at twenty moments of a run of many rounds: always within 1 s" {
	for _ in $(seq 20); do
		interrupt_after "0.$((RANDOM % 90 + 10))" INT -q --rounds 20 --duration 1s \
			--warmup 10ms --path veth
		[ "$code" -eq 130 ]
		[ "$took" -lt 1000 ]
	done
	assert_nothing_left
}

@test "SIGTERM ends like Ctrl-C, with 143" {
	interrupt_after 2 TERM --mode onecopy --warmup 100ms --duration 60s --json out.json
	[ "$code" -eq 143 ]
	[ "$took" -lt 1000 ]
	jq -e '.runs[0].ledger.unaccounted_tx == 0' out.json
	assert_nothing_left
}

@test "Ctrl-C at the terminal reaches the whole group and still balances" {
	need_tool tmux
	tmux -L "nio$$" new-session -d -x 100 -y 30 \
		"'$NETIOTRACE' --mode onecopy --duration 60s --json out.json; echo code \$? >code"
	within 5 sh -c "tmux -L nio$$ capture-pane -p | grep -q onecopy"
	sleep 1
	tmux -L "nio$$" send-keys C-c
	within 2 test -s code
	tmux -L "nio$$" kill-server || true
	[ "$(cat code)" = "code 130" ]
	jq -e '.runs[0].ledger.unaccounted_tx == 0' out.json
}

# Whom to kill: the collector, or one side of the load generator. What remains must end by itself.
kill_one() { # WHO
	local pid victim code=0

	"$NETIOTRACE" -q --mode all --rounds 5 --duration 2s --warmup 20ms --path veth --json out.json \
		>stdout 2>stderr </dev/null &
	pid=$!
	sleep "0.$((RANDOM % 60 + 10))"
	case $1 in
	collector) victim=$pid ;;
	sender) victim=$(pgrep -P "$pid" -f 'netio-loadgen send' | head -n 1) ;;
	receiver) victim=$(pgrep -P "$pid" -f 'netio-loadgen recv' | head -n 1) ;;
	esac
	if [ -z "$victim" ]; then # between two rounds: the collector then
		victim=$pid
	fi
	kill -9 "$victim" 2>/dev/null || true
	wait "$pid" || code=$?
	if [ "$victim" -eq "$pid" ]; then
		[ "$code" -eq 137 ]
	elif [ "$code" -eq 0 ]; then
		# It had said its last word already, or was gone: then nothing may be missing.
		jq -e '[.runs[] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0]
			| length == 15 and all' out.json
		rm out.json
	elif [ "$code" -ne 1 ] || ! grep -q '^netiotrace: ' stderr; then
		echo "the $1 was killed: exit $code"
		cat stderr
		return 1
	elif [ -e out.json ]; then
		# Rounds were finished before: they are whole.
		jq -e '(.failure | length > 0) and (.runs | length > 0 and length < 15)
			and ([.runs[] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0] | all)' out.json
		rm out.json
	fi
	[ ! -e out.json ]
	assert_nothing_left
}

@test "kill -9 of collector, sender, receiver at 100 random moments leaves nothing" {
	for _ in $(seq 34); do
		kill_one collector
		kill_one sender
		kill_one receiver
	done
	# Temporary files of outputs are invisible leftovers, if any.
	[ -z "$(find . -name 'out.json*')" ] || { ls -la; false; }
}

@test "first live frame within 1 s of the command" {
	need_tool tmux
	tmux -L "nio$$" new-session -d -x 120 -y 40 \
		"date +%s%3N >start; '$NETIOTRACE' --mode onecopy --duration 5s"
	within 3 sh -c "tmux -L nio$$ capture-pane -p | grep -q netiotrace"
	end=$(now_ms)
	tmux -L "nio$$" send-keys q
	took=$((end - $(cat start)))
	echo "first frame after $took ms"
	tmux -L "nio$$" kill-server || true
	[ "$took" -lt 1000 ]
}

@test "the collector stays under 64 MiB and 3 % of a core at one refresh a second" {
	"$NETIOTRACE" --mode all --rounds 1 --duration 6s --threads 4 </dev/null >/dev/null 2>&1 &
	pid=$!
	# From when it refreshes: loading the programs before takes 0.3 s of CPU time, once.
	sleep 2
	loaded=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	sleep 3
	rss=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status")
	ticks=$(($(awk '{ print $14 + $15 }' "/proc/$pid/stat") - loaded))
	kill -INT "$pid"
	wait "$pid" || true
	percent=$((ticks * 100 / $(getconf CLK_TCK) / 3))
	echo "resident at most $rss KiB, CPU $percent %"
	[ "$rss" -lt 65536 ]
	[ "$percent" -lt 3 ]
}
