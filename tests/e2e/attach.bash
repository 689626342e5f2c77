# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is used by the tests
# Helpers of the tests of attach, in addition to lib.bash.

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	PEERS=()
	PROGRAM=$REPO/tests/e2e/sockets.py
}

teardown() {
	local pid

	# nginx ends its workers on a regular signal, before it ends; after SIGKILL they stay.
	if [ -s pid ] && pid=$(<pid) && kill "$pid" 2>/dev/null; then
		within 20 has_ended "$pid" || true
	fi
	tmux -L "at$$" kill-server 2>/dev/null || true
	for pid in "${PEERS[@]}"; do
		kill -9 "$pid" 2>/dev/null || true
	done
}

# background COMMAND...: starts it in the background; its PID is $STARTED.
background() {
	"$@" 3>&- &
	STARTED=$!
	PEERS+=($!)
}

# peer FILE COMMAND...: starts it in the background and waits for FILE, which contains its port;
# sets $PORT.
peer() {
	local file=$1
	shift

	rm -f "$file"
	background "$@"
	within 20 test -s "$file"
	PORT=$(<"$file")
}

# watch OPTION...: starts attach in the background as $COLLECTOR and waits until it watches.
watch() {
	rm -f log
	"$NETIOTRACE" attach --count-calls -v --json out.json "$@" >text 2>log 3>&- &
	COLLECTOR=$!
	PEERS+=($!)
	within 60 grep -q watching log
}

# attached COMMAND...: runs it under attach; the document is in out.json.
attached() {
	"$NETIOTRACE" attach --count-calls -q --json out.json -- "$@"
}

# exact [DOCUMENT]: no byte is unaccounted, in each connection and in total.
exact() {
	local document=${1:-out.json}

	jq -e '[.total, .connections[], .processes[]] | all(
		.ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
		and .socket.tx_bytes == ([.ledger.tx_copy, .ledger.tx_pin, .ledger.tx_splice | .bytes] | add)
		and .socket.tx_bytes == ([.sends[].bytes] | add))' "$document" >/dev/null ||
		{ jq -c '.total.socket, .total.ledger' "$document" && return 1; }
}
