#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The load generator on links that are slow, long or lossy, in network namespaces of the test's own:
# a transfer that moves is never given up, and throughput is that of the link. tbf where the kernel has
# it; delay, loss and reordering need netem, which the 6.12 guest has.
# shellcheck disable=SC2030,SC2031,SC2016

load ../lib

setup() {
	need_root
	need_tool jq tc unshare
	cd "$BATS_TEST_TMPDIR" || return
	chmod 755 .
}

# link QDISC ARGS...: runs netio-loadgen with ARGS... over a loopback that is shaped so. 77: no such
# qdisc. Packets of 1500 bytes, so that a bucket of 4 KiB takes them.
link() {
	local shape=$1

	shift
	timeout 120 unshare -n bash -c '
		ip link set lo mtu 1500 up
		tc qdisc add dev lo root $1 2>/dev/null || exit 77
		shift
		exec "$@"' - "$shape" "$LOADGEN" "$@" --json >out
}

needs_qdisc() {
	unshare -n bash -c "ip link set lo up; tc qdisc add dev lo root $1" 2>/dev/null ||
		skip "this kernel has no qdisc ${1%% *}"
}

# Both sides agree, and all was verified.
right() {
	jq -e --argjson n "$1" '.sender.tx_messages == $n and .receiver.rx_messages == $n
		and .sender.tx_bytes == .receiver.rx_bytes and .receiver.verify_errors == 0
		and .receiver.bad_stamps == 0
		and .sender.confirmed.elapsed_ns == .receiver.elapsed_ns
		and (.sender.zerocopy | .completed == .sends)' out || { jq 'del(.. | .latency?)' out; return 1; }
}

@test "3 Mbit/s: more on its way than 10 s take away is waited for, in every mode" {
	local mode

	needs_qdisc "tbf rate 3mbit burst 4k latency 20s"
	for mode in twocopy onecopy zerocopy; do
		link "tbf rate 3mbit burst 4k latency 20s" --mode "$mode" --size 1m --messages 4 --verify
		right 4
		# 4 MiB in 1448 of 1514 bytes at 3 Mbit/s: 2.87, less where a busy machine lets the bucket run over; the
		# sender had handed over most of it long before, and by its time it would be far more.
		jq -e '.receiver | .rx_bytes * 8000 / .elapsed_ns | . > 2 and . < 2.95' out
	done
}

@test "3 Mbit/s: a stop and the end of a duration leave nothing out" {
	needs_qdisc "tbf rate 3mbit burst 4k latency 20s"
	link "tbf rate 3mbit burst 4k latency 20s" --mode zerocopy --size 64k --duration 1s --threads 2 \
		--connections 6 --verify
	jq -e '.sender.tx_bytes == .receiver.rx_bytes and .sender.tx_bytes > 0
		and .receiver.verify_errors == 0 and (.sender.zerocopy | .completed == .sends)
		and .receiver.elapsed_ns > .sender.elapsed_ns' out
}

# bats test_tags=guest
@test "100 ms and 1 % loss, and reordering: every mode ends right, 256 connections are quick" {
	local mode start

	needs_qdisc "netem delay 50ms"
	for mode in twocopy onecopy zerocopy; do
		link "netem delay 50ms loss 1%" --mode "$mode" --size 64k --messages 40 --threads 2 --verify
		right 40
		link "netem delay 10ms reorder 25% 50%" --mode "$mode" --size 64k --messages 40 --verify
		right 40
	done
	start=$SECONDS
	link "netem delay 50ms" --size 4k --threads 4 --connections 256 --messages 512 --verify
	right 512
	# One after another they took 0.1 s each, of the link: 25.6 s.
	[ $((SECONDS - start)) -lt 25 ]
}
