#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# kill -9 of any process of a run, at any moment: nothing is left behind.

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	note_before
}

teardown() {
	stop_jobs
}

# Whom to kill: the collector, or one side of the load generator. In a directory of its own: the three are
# killed side by side.
kill_one() { # WHO SECONDS
	local pid victim code=0

	mkdir -p "$1" && cd "$1" || return
	"$NETIOTRACE" -q --mode all --rounds 5 --duration 2s --warmup 20ms --path veth --json out.json \
		>stdout 2>stderr </dev/null &
	pid=$!
	sleep "$2"
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
		# It had said its last word already, or was gone: then no run may be missing. It took its sockets along: if
		# they had not been looked at, the books of this one run are not known, and say so.
		jq -e '.runs | length == 15 and ([.[] | select(.ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0 | not)]
			| length <= 1 and all(.ledger.unaccounted_tx == null and .ledger.unaccounted_rx == null
				and .health.coverage_reason == "a watched socket was gone when the sockets were read"))' out.json
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
}

no_process_left() {
	[ -z "$(own_processes)" ]
}

# One of each; what remains must end by itself. The moments are drawn here, for a subshell draws what others do.
kill_three() {
	local who job failed=0 jobs=()

	for who in collector sender receiver; do
		kill_one "$who" "0.$((RANDOM % 60 + 10))" &
		jobs+=($!)
	done
	for job in "${jobs[@]}"; do
		wait "$job" || failed=1
	done
	[ "$failed" -eq 0 ]
	within 3 no_process_left
}

@test "kill -9 of collector, sender, receiver at 100 random moments leaves nothing" {
	seed_random
	for _ in $(seq 34); do
		kill_three
		# What is left stays: a look at the whole machine after each three finds it.
		assert_nothing_left
	done
	# Temporary files of outputs are invisible leftovers, if any.
	[ -z "$(find . -name 'out.json*')" ] || { ls -la; false; }
}
