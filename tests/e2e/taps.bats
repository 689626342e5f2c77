#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Packet taps on the path: found, named by device, process and PID, and part of the verdict; no tap
# is reported where there is none. netiotrace and the taps are in a network namespace of the test,
# since other programs may have taps on this machine. Alone: before Linux 6.15 a tap on every device
# of any namespace is a tap of all paths.
# bats file_tags=alone

load ../lib

setup() {
	need_root
	need_tool python3 jq nsenter ip
	cd "$BATS_TEST_TMPDIR" || return
	TAPS=()
	note_before
	NETNS=netiotrace-test-$$
	ip netns add "$NETNS"
	ip -n "$NETNS" link set lo up
	printf '#!/bin/sh\nexec nsenter --net=/run/netns/%s -- "%s" "$@"\n' "$NETNS" "$NETIOTRACE" >inside
	chmod 755 inside
	NETIOTRACE=$PWD/inside
}

teardown() {
	local pid

	for pid in "${TAPS[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	stop_jobs
	[ -z "${NETNS-}" ] || ip netns delete "$NETNS"
	assert_nothing_left
}

# A packet socket for every protocol, open until the process is killed; prints "ready".
cat_tap() {
	cat <<'EOF'
import signal, socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
if len(sys.argv) > 1 and sys.argv[1]:
    s.bind((sys.argv[1], 0))
print("ready", flush=True)
signal.pause()
EOF
}

# open_tap DEVICE [PID]: in $tap_pid, in the network namespace of PID or the test's; DEVICE '' means every device.
open_tap() {
	local net=${2:+/proc/$2/ns/net}

	cat_tap >tap.py
	: >tap.ready
	nsenter --net="${net:-/run/netns/$NETNS}" python3 tap.py "$1" >tap.ready 3>&- &
	tap_pid=$!
	TAPS+=("$tap_pid")
	within 5 grep -q ready tap.ready
}

# bats test_tags=address
@test "a packet socket on lo is named with process and PID in document, text and verdict" {
	open_tap lo
	"$NETIOTRACE" --mode zerocopy --messages 2000 --warmup 20ms --json out.json >text 2>stderr </dev/null
	cat text
	jq -e --argjson pid "$tap_pid" '.environment | .packet_taps == 1 and .taps == [{
		device: "lo", side: "both", process: "python3", pid: $pid, function: "packet_rcv",
		at_start: true, at_end: true}]' out.json
	jq -e '.environment.device_scatter_gather == true and .environment.device_tx_checksum == true' out.json
	jq -e '.runs[0].verdict | .cause == "local_delivery" and
		([.causes[].cause] | index("packet_tap")) and
		(.causes[] | select(.cause == "packet_tap").evidence | contains("python3"))' out.json
	tr -s ' \n' ' ' <text >flat # unwrapped
	grep -q "lo (python3, pid $tap_pid)" flat
}

@test "a packet socket on every device counts for lo" {
	open_tap ''
	"$NETIOTRACE" -q --mode zerocopy --messages 200 --warmup 20ms --json out.json
	jq -e --argjson pid "$tap_pid" '.environment.taps | length == 1 and .[0].device == "*" and
		.[0].pid == $pid' out.json
}

@test "a packet socket of one protocol, or of another device, is no tap" {
	cat >tap.py <<'EOF'
import signal, socket
a = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
b = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
print("ready", flush=True)
signal.pause()
EOF
	nsenter --net="/run/netns/$NETNS" python3 tap.py >tap.ready 3>&- &
	TAPS+=($!)
	within 5 grep -q ready tap.ready
	"$NETIOTRACE" -q --mode zerocopy --messages 200 --warmup 20ms --json out.json
	jq -e '.environment | .packet_taps == 0 and .taps == []' out.json
	jq -e '[.runs[0].verdict.causes[].cause] | index("packet_tap") | not' out.json
}

@test "a tap on the caller's lo is not reported for veth" {
	open_tap lo
	"$NETIOTRACE" --mode zerocopy --path veth --messages 2000 --warmup 20ms --json out.json >text 2>stderr </dev/null
	jq -e '.environment | .packet_taps == 0 and .taps == [] and .device == "veth0"' out.json
	jq -e '.runs[0].verdict | .cause == "local_delivery" and
		([.causes[].cause] | index("packet_tap") | not)' out.json
	if grep -q python3 text; then
		cat text
		return 1
	fi
}

# The unnamed namespaces are reached through the load generator's process.
sender_pid() {
	own_pid 'netio-loadgen send'
}

@test "a tap opened during a run on veth is found at its end and reported for that run" {
	"$NETIOTRACE" --mode zerocopy --path veth --duration 60s --interval 100ms --json out.json >text 2>stderr 3>&- </dev/null &
	local run=$!

	within 5 measuring stderr
	open_tap veth0 "$(sender_pid)"
	interrupt_until_ended "$run"
	jq . out.json | grep -A 10 '"taps"'
	jq -e --argjson pid "$tap_pid" '.environment.taps | length == 1 and (.[0] |
		.device == "veth0" and .side == "sender" and .process == "python3" and .pid == $pid and
		(.at_start | not) and .at_end)' out.json
	jq -e '[.runs[0].verdict.causes[].cause] | index("packet_tap")' out.json
	# Its process holds the namespace.
	kill "$tap_pid"
}

@test "taps: a sweep continues after a tap has opened, and the run says so" {
	sweep() {
		"$NETIOTRACE" sweep --modes onecopy --sizes 64k --threads 1 --rounds 2 --duration 60ms -q -o out "$@"
	}
	sweep
	rm out/cells/onecopy-65536-t1-r1.json
	open_tap lo
	sweep --resume
	jq -e '.environment.packet_taps == 1' out/cells/onecopy-65536-t1-r1.json
}
