#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Every state of the control protocol (docs/reference/loadgen.md), with a peer that is killed, stopped,
# silent, flooding or lying: the program ends in time with one sentence and the right exit code,
# leaves nothing behind, and a server serves the next client. Time limits are divided by ten
# (NETIO_LIMITS_DIVISOR), except where a signal ends the wait.
# shellcheck disable=SC2030,SC2031

load ../lib

setup() {
	need_tool jq python3
	cd "$BATS_TEST_TMPDIR" || return
	open_to_all
	note_before
}

teardown() {
	local pid

	for pid in ${STARTED-}; do
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

cases() {
	TMPDIR=$BATS_TEST_TMPDIR "$REPO/tests/e2e/protocol_cases.py" "$1"
	assert_nothing_left
}

# background FILE COMMAND...: starts COMMAND directly, so $! is its PID; output in FILE and
# FILE.err.
background() {
	local file=$1

	shift
	"$@" >"$file" 2>"$file.err" </dev/null 3>&- &
	STARTED="${STARTED-} $!"
}

# ends PID CODE
ends() {
	local code=0

	within 30 has_ended "$1" || { echo "$1 hangs"; return 1; }
	wait "$1" || code=$?
	[ "$code" -eq "$2" ] || { echo "exit $code, not $2"; cat ./*.err; return 1; }
}

# bats test_tags=address
@test "client in every state with a faulty receiver: ends with one sentence and exit 1" {
	cases clients
}

# bats test_tags=address
@test "server in every state with a faulty sender: serves the next client" {
	cases servers
}

# bats test_tags=address
@test "client, sender and receiver in every state with a silent peer: SIGINT and SIGTERM end them" {
	cases signals
}

# bats test_tags=address
@test "netiotrace in every state with a faulty load generator: ends with one sentence and exit 1" {
	cases children
}

# receiver: starts netio-loadgen recv; $AT is its address, $RECEIVER its PID.
receiver() {
	background recv "$LOADGEN" recv --listen 127.0.0.1:0
	RECEIVER=$!
	within 3 grep -q 'listening on' recv.err
	AT=$(sed 's/.* //' recv.err)
}

sends() {
	has_sent "$(own_pid 'netio-loadgen send')"
}

@test "--connect: a receiver stopped in the warm-up ends the client with one sentence and exit 1" {
	need_tool ss
	receiver
	background out "$NETIOTRACE" -q --backend none --mode onecopy --warmup 60s --json out.json --connect "$AT"
	within 5 sends
	kill -INT "$RECEIVER"
	ends "$!" 1
	[ "$(wc -l <out.err)" -eq 1 ]
	grep -q "the receiver at $AT was stopped before the run was over" out.err
	[ ! -s out ]
	[ ! -e out.json ]
	assert_nothing_left
}

@test "--connect: a receiver stopped in the measured phase gives exit 1 and a complete, interrupted document" {
	need_tool ss
	receiver
	background out "$NETIOTRACE" -q --backend none --mode all --warmup 0 --duration 60s --json out.json --connect "$AT"
	within 5 sends
	kill -INT "$RECEIVER"
	ends "$!" 1
	[ "$(wc -l <out.err)" -eq 1 ]
	grep -q "the receiver at $AT was stopped before the run was over" out.err
	jq -e '.interrupted and (.runs | length == 1) and .runs[0].interrupted and .failure != null
		and .runs[0].app.rx_bytes == .runs[0].app.tx_bytes and .runs[0].app.tx_bytes > 0' out.json
	ends "$RECEIVER" 0
	assert_nothing_left
}

@test "sweep --connect: a stopped receiver ends the sweep with one sentence and exit 1" {
	need_tool ss
	receiver
	background sweep "$NETIOTRACE" sweep -q --backend none --sizes 4k --threads 1 --duration 60s -o results --connect "$AT"
	within 5 sends
	kill -INT "$RECEIVER"
	ends "$!" 1
	[ "$(wc -l <sweep.err)" -eq 1 ]
	grep -q "the sweep ended early: the receiver at $AT was stopped" sweep.err
	assert_nothing_left
}

# without_kill COMMAND...: as root without CAP_KILL, which may not signal other users' processes.
without_kill() {
	exec setpriv --inh-caps=-kill --bounding-set=-kill "$@"
}

own_loadgens() {
	own_processes 'netio-loadgen' | grep -v netiotrace | cut -d ' ' -f 1
}

@test "without CAP_KILL a run ends normally, by SIGINT and by SIGTERM, and names a stopped child" {
	need_root
	need_tool ss
	local pid child

	(without_kill "$NETIOTRACE" -q --backend none --mode all --messages 23 --warmup 0 --json out.json)
	[ "$(jq '.runs | length' out.json)" -eq 3 ]
	for signal in INT TERM; do
		background out without_kill "$NETIOTRACE" -q --backend none --mode onecopy --duration 60s --json out.json
		pid=$!
		within 5 sends
		kill -"$signal" "$pid"
		ends "$pid" $((128 + $(kill -l $signal)))
		[ ! -s out.err ]
		assert_nothing_left
	done
	background out without_kill "$NETIOTRACE" -q --backend none --mode onecopy --duration 60s --json out.json
	pid=$!
	within 5 sends
	child=$(own_pid 'netio-loadgen send')
	kill -STOP "$child"
	kill -INT "$pid"
	within 30 has_ended "$pid"
	kill -9 "$child"
	cat out.err
	grep -q "kill -9 $child" out.err
	ends "$pid" 130
	assert_nothing_left
}

# both_of PID: the two load generators of a run.
both_of() {
	mapfile -t CHILDREN < <(pgrep -P "$1")
	[ "${#CHILDREN[@]}" -eq 2 ]
}

whole_run() { # NAME PID
	ends "$2" 0
	jq -e '(.interrupted | not) and (.runs | length == 1) and .failure == null' "$1.json"
}

@test "a pause of the whole run, or of netiotrace alone, longer than any time limit does not end it" {
	local whole alone paused pid

	export NETIO_LIMITS_DIVISOR=10
	for name in whole alone; do
		background "$name" "$NETIOTRACE" -q --backend none --mode onecopy --warmup 6s --messages 23 --json "$name.json"
		pid=$! # a process substitution changes $!
		local "$name=$pid"
		within 5 both_of "$pid"
		paused="${paused-} $pid"
		[ "$name" = alone ] || paused="$paused ${CHILDREN[*]}"
	done
	sleep 0.5
	# shellcheck disable=SC2086
	kill -STOP $paused
	sleep 4
	# shellcheck disable=SC2086
	kill -CONT $paused
	whole_run whole "$whole"
	whole_run alone "$alone"
	assert_nothing_left
}

@test "a pause of the load generator during a round: health.paused_s, and the round has no throughput" {
	local pid

	background out "$NETIOTRACE" -v --backend none --mode onecopy --duration 5s --rounds 1 --json out.json
	pid=$!
	within 20 grep -q 'round 1: measuring' out.err
	both_of "$pid"
	kill -STOP "${CHILDREN[@]}"
	sleep 2
	kill -CONT "${CHILDREN[@]}"
	ends "$pid" 0
	jq -e '.runs[0] | .health.paused_s > 0 and .app.throughput_gbps == null
		and (.app.throughput_gbps_reason | test("stopped"))
		and .app.tx_bytes == .app.rx_bytes and .app.rx_bytes > 0' out.json
	jq -e '.summary[0].throughput_gbps.n == 0' out.json
	grep -q 'The load generator was stopped for at least' out
	"$NETIOTRACE" -q --backend none --mode onecopy --duration 300ms --rounds 1 --json still.json
	jq -e '.runs[0] | .health.paused_s == 0 and .app.throughput_gbps > 0' still.json
	assert_nothing_left
}

@test "--connect to a receiver without halves: the sender's books balance with its count, and say why they are alone" {
	need_root
	background old python3 "$REPO/tests/e2e/protocol_old.py" receiver
	within 5 test -s old
	"$NETIOTRACE" --mode onecopy --messages 23 --warmup 20ms --json out.json --connect "127.0.0.1:$(<old)" \
		>text 2>stderr </dev/null
	ends "$!" 0
	[ "$(tail -1 old)" = "23 $((23 * 65536))" ]
	jq -e '.environment.receiver.host == null and (.environment.receiver.host_reason | test("older"))
		and (.runs[0] | .app.rx_messages == 23 and .app.rx_bytes == 23 * 65536 and .app.tx_bytes == .app.rx_bytes
			and (.ledger | .unaccounted_tx == 0 and .unaccounted_rx == null and .copies_per_byte == 1
				and .copies_per_byte_side == "sender"
				and (.tx_copy | .quality == "exact" and .bytes == 23 * 65536)
				and (.rx_copy | .quality == "unavailable" and .bytes == null and (.reason | test("older")))))' out.json
	tr -s ' \n' ' ' <text | grep -qE "of the sender's side: the receiver [^.]* older"
	assert_nothing_left
}

@test "serve: a sender without halves is served, as the version that it knows" {
	background serve "$NETIOTRACE" serve -v --listen 127.0.0.1:0
	within 3 grep -q ready serve
	python3 "$REPO/tests/e2e/protocol_old.py" sender "$(sed 's/.*://' serve)" >old
	[ "$(<old)" = "1 65536" ]
	within 3 grep -q 'session: .* 1 message .*older' serve.err
	kill -INT "$!"
	ends "$!" 0
	assert_nothing_left
}

@test "serve: a stopped receiver process ends serve with one sentence and exit 1" {
	export NETIO_LIMITS_DIVISOR=10
	background serve "$NETIOTRACE" serve --listen 127.0.0.1:0
	within 3 grep -q ready serve
	kill -STOP "$(own_loadgens)"
	ends "$!" 1
	[ "$(wc -l <serve.err)" -eq 1 ]
	grep -q 'does not answer' serve.err
	assert_nothing_left
}

# half PID: the receiver process of a netio-loadgen, its child.
half() {
	pgrep -P "$1"
}

@test "netio-loadgen ends with exit 1 if its receiver process is killed or stopped, also after SIGINT" {
	local how pid

	need_tool ss
	export NETIO_LIMITS_DIVISOR=10
	for how in KILL STOP INT; do
		background out "$LOADGEN" --mode zerocopy --duration 60s --json
		pid=$!
		within 5 has_sent "$pid"
		kill -"${how/INT/STOP}" "$(half "$pid")"
		[ "$how" != INT ] || kill -INT "$pid"
		ends "$pid" 1
		[ "$(grep -c '^netio-loadgen: ' out.err)" -eq 1 ]
		[ "$how" != INT ] || jq -e '.sender.interrupted and .sender.tx_bytes > 0' out
		assert_nothing_left
	done
}

@test "attach -- COMMAND without CAP_KILL: SIGINT ends attach, which names the command that still runs" {
	need_root
	local pid

	export SUDO_UID=65534 SUDO_GID=65534
	background out without_kill "$NETIOTRACE" attach -q --ready-file ready --json out.json -- sleep 100
	pid=$!
	within 30 test -s ready
	within 30 pgrep -P "$pid" -x sleep
	child=$(pgrep -P "$pid")
	kill -INT "$pid"
	ends "$pid" 130
	kill -9 "$child"
	[ "$(wc -l <out.err)" -eq 1 ]
	grep -q "kill $child" out.err
	jq -e .interrupted out.json
}
