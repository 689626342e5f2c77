#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# How a run ends: Ctrl-C at any moment ends it promptly with the results so far; SIGKILL of any
# process leaves nothing behind. "Promptly": within a second on a quiet machine (lib.bash).

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	note_before
}

teardown() {
	stop_jobs
}

# start ARGS...: a run in the background, $pid; output in stdout and stderr. Restores SIGINT, which
# a shell's background jobs ignore: an early SIGINT would be lost.
start() {
	rm -f stderr
	[ -p stdout ] || rm -f stdout
	env --default-signal=INT,QUIT "$NETIOTRACE" "$@" >stdout 2>stderr </dev/null &
	pid=$!
}

# interrupt SIGNAL: sends it; the run ends promptly; sets $code.
interrupt() {
	kill "-$1" "$pid"
	promptly has_ended "$pid"
	code=0
	wait "$pid" || code=$?
	echo "exit $code"
}

# bats test_tags=address,thread
@test "Ctrl-C during a run: ends promptly with results so far, balanced, exit 130" {
	for mode in twocopy onecopy zerocopy; do
		start --mode "$mode" --warmup 100ms --duration 60s --interval 100ms --threads 4 --json out.json
		within 5 measuring stderr
		interrupt INT
		[ "$code" -eq 130 ]
		jq -e '.interrupted and .runs[0].interrupted and .runs[0].app.tx_bytes > 0
			and .runs[0].ledger.unaccounted_tx == 0 and .runs[0].ledger.unaccounted_rx == 0' \
			out.json
		head -n 1 stdout | grep -q 'INTERRUPTED: 0 of 1 round'
	done
	assert_nothing_left
}

# A stopped receiver has not read the bytes in flight when the wait for them ends. The load
# generator's last report and the kernel's later counts are not combined.
@test "Ctrl-C while bytes in flight do not arrive: ends promptly; values that are not final are null with the reason" {
	for mode in onecopy zerocopy; do
		start --mode "$mode" --warmup 100ms --duration 60s --interval 100ms --threads 4 --sndbuf 4m --json out.json \
			--csv out.csv
		within 5 measuring stderr
		receiver=$(own_pid 'netio-loadgen recv')
		kill -STOP "$receiver"
		sleep 0.2
		interrupt INT
		[ "$code" -eq 130 ]
		jq -e --arg why 'interrupted before the totals were final' '
			.interrupted and (.runs[0] | .interrupted and .app.tx_bytes > 0 and .app.throughput_gbps > 0
			and (.ledger | .tx_copy.bytes + .tx_pin.bytes > 0
				and ([.unaccounted_tx, .unaccounted_rx, .copies_per_byte, .copies_per_byte_at_most] | all(. == null))
				and ([.unaccounted_tx_reason, .unaccounted_rx_reason, .copies_per_byte_reason,
					.copies_per_byte_at_most_reason] | all(. == $why)))
			and .verdict.copied_fraction == null and .verdict.copied_fraction_reason == $why
			and .verdict.text == "" and .app.cpu_s_per_gb == null
			and ([.perf.derived[] | .cpu_ns_per_kib, .context_switches_per_gib] | all(. == null)))
			and (.summary[0] | .copies_per_byte.n == 0 and .copied_fraction == null and .unaccounted_tx == null)' out.json
		python3 -c '
import csv
row, = csv.DictReader(open("out.csv"))
assert not row["ledger_copies_per_byte"] and not row["ledger_unaccounted_tx"], row'
		tr -s ' \n' ' ' <stdout >flat
		grep -q 'CHECKED n/a: interrupted before the totals were final' flat
		[ "$(grep -c ' sent = ' flat)" -eq 0 ]
	done
	assert_nothing_left
}

# bats test_tags=guest
@test "Ctrl-C prints the text before the programs are detached" {
	start --mode onecopy --warmup 100ms --duration 60s --interval 100ms
	within 60 measuring stderr
	text_before_detaching "$pid"
}

sender_runs() {
	[ -n "$(own_pid 'netio-loadgen send')" ]
}

# bats test_tags=address,thread
@test "Ctrl-C in the warm-up: ends promptly, exit 130, says that nothing was measured" {
	start --mode onecopy --warmup 60s --duration 60s --path veth --json out.json
	# Its load generator has started and is in the warm-up or just before it.
	within 5 sender_runs
	sleep 0.3
	interrupt INT
	[ "$code" -eq 130 ]
	[ "$(jq '.runs | length' out.json)" -eq 0 ]
	grep -qi 'nothing was measured' stdout
	assert_nothing_left
}

@test "Ctrl-C at twenty moments of a run of many rounds always ends it promptly" {
	seed_random
	for _ in $(seq 20); do
		start -q --rounds 20 --duration 1s --warmup 10ms --path veth
		sleep "0.$((RANDOM % 90 + 10))"
		interrupt INT
		cat stderr
		[ "$code" -eq 130 ]
	done
	assert_nothing_left
}

@test "SIGTERM ends a run as Ctrl-C does, with exit 143" {
	start --mode onecopy --warmup 100ms --duration 60s --interval 100ms --json out.json
	within 5 measuring stderr
	interrupt TERM
	[ "$code" -eq 143 ]
	jq -e '.runs[0].ledger.unaccounted_tx == 0' out.json
	assert_nothing_left
}

@test "Ctrl-C at the terminal reaches the whole process group and the result balances" {
	need_tool tmux
	tmux -L "nio$$" new-session -d -x 100 -y 30 \
		"'$NETIOTRACE' --mode onecopy --warmup 100ms --duration 60s --json out.json; echo code \$? >code"
	within 5 sh -c "tmux -L nio$$ capture-pane -p | grep -q '> one-copy .*B/s'"
	tmux -L "nio$$" send-keys C-c
	promptly test -s code
	tmux -L "nio$$" kill-server || true
	[ "$(cat code)" = "code 130" ]
	jq -e '.runs[0].ledger.unaccounted_tx == 0' out.json
}

@test "the first live frame appears promptly" {
	need_tool tmux
	tmux -L "nio$$" new-session -d -x 120 -y 40 "'$NETIOTRACE' --mode onecopy --duration 60s"
	code=0
	promptly sh -c "tmux -L nio$$ capture-pane -p | grep -q netiotrace" || code=1
	tmux -L "nio$$" send-keys q
	within 5 sh -c "! tmux -L nio$$ has-session 2>/dev/null"
	[ "$code" -eq 0 ]
}

cpu_ticks() {
	awk '{ print $14 + $15 }' "/proc/$pid/stat"
}

refreshes() { # AT_LEAST
	[ "$(grep -cE '^ *[0-9.]+s [a-z-]+ ' stderr)" -ge "$1" ]
}

# bats test_tags=alone
@test "the collector stays under 64 MiB and 30 ms of CPU time per refresh" {
	start --mode onecopy --rounds 1 --duration 60s --interval 250ms --threads 4
	# Measures from the first refresh on: loading the programs takes 0.3 s of CPU time once.
	within 5 refreshes 2
	loaded=$(cpu_ticks)
	within 9 refreshes 6
	ticks=$(($(cpu_ticks) - loaded))
	rss=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status")
	kill -INT "$pid"
	wait "$pid" || true
	ms=$((ticks * 1000 / $(getconf CLK_TCK) / 4))
	echo "resident at most $rss KiB, CPU $ms ms for each refresh"
	[ "$rss" -lt 65536 ]
	[ "$ms" -lt 30 ]
}
