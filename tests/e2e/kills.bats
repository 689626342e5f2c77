#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# SIGKILL of any process of a run, at any moment, leaves nothing behind.

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	note_before
}

teardown() {
	stop_jobs
}

# kill_one WHO SECONDS: kills the collector or one side of the load generator. Each runs in its own
# directory, since three run in parallel.
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
	if [ -z "$victim" ]; then # between two rounds: kills the collector
		victim=$pid
	fi
	kill -9 "$victim" 2>/dev/null || true
	wait "$pid" || code=$?
	if [ "$victim" -eq "$pid" ]; then
		[ "$code" -eq 137 ]
	elif [ "$code" -eq 0 ]; then
		# The killed process had already reported its counts, or had ended: no run may be
		# missing. Its sockets ended with it; if they had not been read yet, the books of
		# this one run are unknown and say so.
		jq -e '.runs | length == 15 and ([.[] | select(.ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0 | not)]
			| length <= 1 and all(.ledger.unaccounted_tx == null and .ledger.unaccounted_rx == null
				and .health.coverage_reason == "a watched socket was gone when the sockets were read"))' out.json
		rm out.json
	elif [ "$code" -ne 1 ] || ! grep -q '^netiotrace: ' stderr; then
		echo "the $1 was killed: exit $code"
		cat stderr
		return 1
	elif [ -e out.json ]; then
		# Earlier rounds are complete.
		jq -e '(.failure | length > 0) and (.runs | length > 0 and length < 15)
			and ([.runs[] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0] | all)' out.json
		rm out.json
	fi
	[ ! -e out.json ]
}

no_process_left() {
	[ -z "$(own_processes)" ]
}

# Kills one of each in parallel; the remaining processes must end by themselves. The random moments
# are chosen here: subshells would draw equal numbers.
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

@test "kill -9 of collector, sender, receiver at 60 random moments leaves nothing" {
	seed_random
	for _ in {1..20}; do # other moments in each run
		kill_three
		# Leftovers stay, so a check of the whole machine after each three finds them.
		assert_nothing_left
	done
	# Temporary output files are hidden files.
	[ -z "$(find . -name 'out.json*')" ] || { ls -la; false; }
}
