#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Which congestion control the senders have: the witness is ss, which asks the kernel of each socket.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_tool jq ss
	cd "$BATS_TEST_TMPDIR" || return
	allowed=$(</proc/sys/net/ipv4/tcp_allowed_congestion_control)
	system=$(</proc/sys/net/ipv4/tcp_congestion_control)
}

# seen NAME ARG...: runs netiotrace and counts the sockets of its senders that ss says have NAME.
seen() {
	local name=$1 count=0

	shift
	"$NETIOTRACE" --backend none --mode onecopy --duration 3s --warmup 0 -q --json doc.json "$@" &
	for _ in {1..40}; do
		sleep 0.05
		count=$(ss -tinp state established | grep -A 1 'netio-loadgen' | grep -cw "$name" || true)
		[ "$count" -eq 0 ] || break
	done
	wait $!
	[ "$count" -gt 0 ]
}

# bats test_tags=address
@test "congestion: each control this machine allows is set on the sockets, and recorded" {
	local name

	for name in $allowed; do
		seen "$name" --congestion "$name"
		[ "$(jq -r .environment.congestion_control doc.json)" = "$name" ]
		[ "$(jq -r .settings.congestion_control doc.json)" = "$name" ]
		[ "$(jq -r .environment.congestion_choice doc.json)" = asked ]
	done
}

@test "congestion: the system's stays where it is asked for, and is not one that paces elsewhere" {
	local name

	seen "$system" --congestion system
	[ "$(jq -r .environment.congestion_control doc.json)" = "$system" ]
	"$NETIOTRACE" --backend none --messages 23 -q --json doc.json
	name=$(jq -r .environment.congestion_control doc.json)
	[[ $system == bbr* ]] || [ "$name" = "$system" ]
	[[ $allowed == bbr ]] || [[ $name != bbr* ]]
}

@test "congestion: what makes throughput a matter of pacing is said before who copies faster" {
	[[ " $allowed " == *" bbr "* ]] || skip "this machine does not allow bbr"
	"$NETIOTRACE" --backend none --messages 23 --congestion bbr >out 2>&1
	grep -q '^congestion bbr paces' out
	"$NETIOTRACE" --backend none --messages 23 --congestion reno >out 2>&1
	run ! grep -q '^congestion' out
}

@test "congestion: a control that is not there is refused before anything starts" {
	run -2 "$NETIOTRACE" --backend none --congestion nosuch --messages 1
	[[ $output == *"'nosuch' is not among those"*tcp_allowed_congestion_control* ]]
	run -1 "$LOADGEN" --congestion nosuch --messages 1
	[[ $output == *"no congestion control 'nosuch'"* ]]
	run -2 "$LOADGEN" --congestion 'a b' --messages 1
	[[ $output == *"is not the name of a congestion control"* ]]
}

# Sums of what was asked for: the same for the same, another for another.
@test "congestion: settings have a fingerprint that differs with them, but not from cell to cell" {
	print() {
		"$NETIOTRACE" --backend none --messages 5 -q --json doc.json "$@"
		jq -r .settings.fingerprint doc.json
	}
	[ "$(print)" = "$(print --size 4k --threads 2 --mode onecopy --rounds 2)" ]
	[ "$(print)" != "$(print --fields 4)" ]
	[ "$(print)" != "$(print --congestion "${allowed%% *}" --nodelay)" ]
	[ "$(print)" != "$(print --sndbuf 1m)" ]
}
