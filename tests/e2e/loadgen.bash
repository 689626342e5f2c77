# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Helpers of the tests of netio-loadgen alone, over loopback: load loadgen. They need no root; tests
# that do are skipped without it.
# shellcheck disable=SC2154,SC2034

load ../lib

setup() {
	LG=$LOADGEN
	need_tool jq
	cd "$BATS_TEST_TMPDIR" || return 1
	chmod 755 .
}

teardown() {
	local pid

	for pid in ${PIDS:-}; do
		kill -9 "$pid" 2>/dev/null || true
	done
}

# Runs as an ordinary user, as the load generator does, and so that a sanitizer may inspect the
# process. With EXEC=exec in the background, $! is the PID of the command. AS: another user's number.
user() {
	if [ "$(id -u)" -eq 0 ]; then
		${EXEC:-} setpriv --reuid "${AS:-65534}" --regid 65534 --clear-groups "$@"
	else
		${EXEC:-} "$@"
	fi
}

# limited KIB COMMAND...: with that RLIMIT_MEMLOCK, as a user whose locked memory no other test uses.
limited() {
	# shellcheck disable=SC2016 # the user's shell
	AS=65533 user bash -c 'ulimit -l "$1"; shift; "$@"' - "$@"
}

# value FILTER FILE: exit 0 if the jq expression is true.
holds() {
	jq -e "$1" "$2" >/dev/null || {
		echo "not so: $1"
		jq -c 'del(.. | .latency?)' "$2"
		return 1
	}
}

eventually() { # COMMAND...
	within 5 "$@" || {
		echo "never: $*"
		return 1
	}
}

# start NAME ARGS...: starts it in the background with --control; send commands by `tell NAME WORD`,
# events are in NAME.out.
start() {
	local name=$1

	shift
	mkfifo "$name.in"
	: >"$name.out" # the process empties it later, and until then it has the events of the one before
	EXEC="exec" user "$LG" "$@" --control <"$name.in" >"$name.out" 2>"$name.err" &
	eval "pid_$name=$!"
	PIDS="${PIDS:-} $!"
	exec {fd}>"$name.in"
	eval "in_$name=$fd"
}

tell() {
	local in=in_$1

	echo "$2" >&"${!in}"
}

has_event() {
	grep -q "\"event\":\"$2\".*}$" "$1.out"
}

event() {
	eventually has_event "$1" "$2" || {
		cat "$1.out" "$1.err"
		return 1
	}
	grep "\"event\":\"$2\"" "$1.out" | tail -n 1 >"$1.$2"
}

# ended NAME STATUS. A finished sender holds its sockets until the command `close`.
ended() {
	local pid=pid_$1 status=0

	if [ "$1" = send ] && [ -n "${in_send-}" ] && has_event send 'done' && kill -0 "${!pid}" 2>/dev/null; then
		tell send close
	fi
	wait "${!pid}" || status=$?
	[ "$status" -eq "$2" ] || {
		echo "$1 ended with $status"
		cat "$1.out" "$1.err"
		return 1
	}
}

# session ARGS...: starts receiver and sender and waits until both are ready.
session() {
	# shellcheck disable=SC2086
	start recv recv --listen 127.0.0.1:0 ${RECV_ARGS:-}
	event recv listening
	port=$(jq .port recv.listening)
	start send send --connect "127.0.0.1:$port" "$@"
	event send ready
	event recv ready
}

# go: starts the phases and waits for the measured one.
go() {
	tell send start
	event send quiesced
	tell send measure
}
