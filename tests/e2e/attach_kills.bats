#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# kill -9 of attach at any moment: what it watches goes on as if nothing had been, and nothing is left. The
# watched program is the load generator, which checks each byte and says how it ended.

bats_require_minimum_version 1.5.0
load ../lib
load attach

MESSAGES=1600 # at 2000 a second: 0.8 s

# cat_load N MODE: the load, whose words are in N.json; N.begun is there once it began.
cat_load() {
	cat <<-END
		echo >$1.begun
		exec $LOADGEN --mode $2 --size 4k --rate 2000/s --messages $MESSAGES --verify --json >$1.json 2>$1.err
	END
}

# kill_after N COLLECTOR MS: after so long since it began; of the second two of each four since it watches.
kill_after() {
	if (($1 % 4 >= 2)); then
		within 60 grep -qs -e watching -e 'no such process' "$1.log"
	fi
	sleep "0.$(printf %03d "$3")"
	kill -9 "$2" 2>/dev/null || true
	wait "$2" 2>/dev/null || true
}

by_command() { # N MODE MS
	cat_load "$1" "$2" >"$1.sh"
	"$NETIOTRACE" attach -v --json "$1.out" -- sh "$1.sh" >/dev/null 2>"$1.log" 3>&- &
	kill_after "$1" $! "$3"
}

by_pid() { # N MODE MS
	local load

	cat_load "$1" "$2" >"$1.sh"
	sh "$1.sh" 3>&- &
	load=$!
	"$NETIOTRACE" attach -v --json "$1.out" --pid "$load" --children >/dev/null 2>"$1.log" 3>&- &
	kill_after "$1" $! "$3"
	wait "$load"
}

loads_have_ended() {
	[ -z "$(own_processes netio-loadgen)" ]
}

# undisturbed N: all was sent and received as it was; or, of a command, it never began.
undisturbed() {
	[ -e "$1.begun" ] || return 0
	jq -e --argjson n "$MESSAGES" '.sender.tx_messages == $n and .receiver.rx_messages == $n
		and .receiver.rx_bytes == $n * 4096 and .receiver.verify_errors == 0' "$1.json" >/dev/null ||
		{ head -c 1000 "$1.json" "$1.err" && return 1; }
}

@test "attach: kill -9 at 20 random moments leaves the watched program undisturbed and nothing behind" {
	local modes=(onecopy zerocopy) n=0 begun

	note_before
	seed_random
	for _ in 1 2 3 4 5; do
		for mode in "${modes[@]}"; do
			by_command "$n" "$mode" "$((RANDOM % 500))" &
			by_pid "$((n + 1))" "$mode" "$((RANDOM % 500))" &
			n=$((n + 2))
		done
		wait
	done
	within 10 loads_have_ended
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
