#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Load generator and collector on slow, long or lossy links, in the test's own network namespaces: a
# transfer that makes progress is never given up, and throughput is the link's. Uses tbf where the
# kernel has it; delay, loss and reordering need netem, which the 6.12 guest has
# (tests/vm/guest-e2e).
# shellcheck disable=SC2030,SC2031,SC2016

load ../lib

setup() {
	need_root
	need_tool jq tc unshare nsenter
	cd "$BATS_TEST_TMPDIR" || return
	chmod 755 .
}

# loop QDISC COMMAND...: in a namespace whose loopback has QDISC in both directions, with an MTU of
# 1500, so that packets fit into a bucket of 4 KiB.
loop() {
	local shape=$1

	shift
	timeout 300 unshare -n bash -c '
		ip link set lo mtu 1500 up
		tc qdisc add dev lo root $1 || exit
		shift
		exec "$@"' - "$shape" "$@"
}

# link QDISC ARGS...: netio-loadgen over a loopback with QDISC.
link() {
	loop "$1" "$LOADGEN" "${@:2}" --json >out
}

# each_mode COMMAND...: COMMAND with each --mode in parallel, each in a directory named after the
# mode.
each_mode() {
	local mode job failed=0 jobs=()

	for mode in twocopy onecopy zerocopy; do
		mkdir "$mode"
		(cd "$mode" && "$@" --mode "$mode") &
		jobs+=($!)
	done
	for job in "${jobs[@]}"; do
		wait "$job" || failed=1
	done
	[ "$failed" -eq 0 ]
}

# wire QDISC RECEIVER_ARGS SENDER_ARGS...: netio-loadgen over a veth pair with QDISC at the sender's
# end only.
wire() {
	timeout 300 unshare -n bash -c '
		unshare -n sleep 300 3>&- &
		peer=$!
		trap "kill $peer" EXIT
		until ! cmp -s <(readlink /proc/self/ns/net) <(readlink /proc/$peer/ns/net); do sleep 0.05; done
		set -e
		ip link add near type veth peer name far
		ip link set far netns "$peer"
		ip addr add 192.0.2.1/24 dev near
		ip link set near up
		nsenter -t "$peer" -n ip addr add 192.0.2.2/24 dev far
		nsenter -t "$peer" -n ip link set far up
		tc qdisc add dev near root $1
		nsenter -t "$peer" -n "$3" recv --listen 192.0.2.2:7001 $2 --json >receiver 2>receiver.err 3>&- &
		receiver=$!
		until grep -q listening receiver.err; do kill -0 "$receiver"; sleep 0.05; done
		"$3" send --connect 192.0.2.2:7001 "${@:4}" --json >sender
		wait "$receiver"' - "$1" "$2" "$LOADGEN" "${@:3}" || { cat receiver.err; return 1; }
	jq -s '.[0] * .[1]' sender receiver >out
}

needs_qdisc() {
	unshare -n bash -c "ip link set lo up; tc qdisc add dev lo root $1" 2>/dev/null ||
		skip "this kernel has no qdisc ${1%% *}"
}

# Both sides have equal counts, and all bytes were verified.
right() {
	jq -e --argjson n "$1" '.sender.tx_messages == $n and .receiver.rx_messages == $n
		and .sender.tx_bytes == .receiver.rx_bytes and .receiver.verify_errors == 0
		and .receiver.bad_stamps == 0
		and .sender.confirmed.elapsed_ns == .receiver.elapsed_ns
		and (.sender.zerocopy | .completed == .sends)' out || { jq 'del(.. | .latency?)' out; return 1; }
}

@test "3 Mbit/s: every mode waits for bytes in flight that take longer than 10 s" {
	local mode

	needs_qdisc "tbf rate 3mbit burst 4k latency 20s"
	# In parallel, each on its own link: the time is the link's.
	each_mode link "tbf rate 3mbit burst 4k latency 20s" --size 1m --messages 4 --verify
	for mode in twocopy onecopy zerocopy; do
		cp "$mode/out" out
		right 4
		# 4 MiB at 3 Mbit/s, 1448 payload bytes of 1514: 2.87, less if a busy machine lets
		# the bucket overflow. The sender had queued most bytes long before, so its own time
		# would give far more.
		jq -e '.receiver | .rx_bytes * 8000 / .elapsed_ns | . > 2 and . < 2.95' out
	done
}

@test "200 kbit/s: a warm-up that is late is reported once, with the rate, and a signal ends the run" {
	local pid status=0

	needs_qdisc "tbf rate 200kbit burst 4k latency 20s"
	export NETIO_LIMITS_DIVISOR=10
	loop "tbf rate 200kbit burst 4k latency 20s" "$NETIOTRACE" --mode onecopy \
		--size 8m --duration 200ms --rounds 1 >out 2>out.err 3>&- &
	pid=$!
	within 20 grep -q 'the warm-up should have ended .* ago: TCP moves [0-9.]* kB/s, .* whole message, here 8.39 MB' out.err
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	[ "$(grep -c 'should have ended' out.err)" -eq 1 ]
}

# bats test_tags=guest
@test "3 Mbit/s: stop and the end of --duration lose no bytes" {
	needs_qdisc "tbf rate 3mbit burst 4k latency 20s"
	link "tbf rate 3mbit burst 4k latency 20s" --mode zerocopy --size 64k --duration 1s --threads 2 \
		--connections 6 --verify
	jq -e '.sender.tx_bytes == .receiver.rx_bytes and .sender.tx_bytes > 0
		and .receiver.verify_errors == 0 and (.sender.zerocopy | .completed == .sends)
		and .receiver.elapsed_ns > .sender.elapsed_ns' out
}

# bats test_tags=guest
@test "100 ms delay, 1 % loss and reordering: every mode ends with correct counts" {
	local mode

	needs_qdisc "netem delay 50ms"
	for mode in twocopy onecopy zerocopy; do
		wire "netem delay 100ms loss 1%" "" --mode "$mode" --size 64k --messages 40 --threads 2 --verify
		right 40
		wire "netem delay 10ms reorder 25% 50%" "" --mode "$mode" --size 64k --messages 40 --verify
		right 40
	done
	wire "netem delay 100ms loss 1%" "" --request-response --size 4k --messages 20 --threads 2 --verify
	right 20
	# Only the forward direction has 100 ms delay.
	jq -e '.sender | .replies.messages == 20 and .reply_errors == 0
		and .latency.half_round_trip.min >= 50000000' out
}

# bats test_tags=guest
@test "1 Mbit/s with 20 ms delay: throughput is the link's within 2 %" {
	local mode

	needs_qdisc "netem delay 20ms rate 1mbit limit 10000"
	for mode in twocopy onecopy zerocopy; do
		# A queue of half a second: with more, TCP retransmits packets that are only queued.
		wire "netem delay 20ms rate 1mbit limit 10000" "" --mode "$mode" --size 64k --messages 12 \
			--sndbuf 64k --verify
		right 12
		# The reference is netem's rate: 1448 of 1514 bytes are payload; retransmitted bytes
		# count as sent.
		jq '(.receiver.rx_bytes + .sender.tcp.bytes_retrans) * 8000 / .receiver.elapsed_ns / (1448 / 1514)' \
			out | tee ratio
		jq -e '. > 0.98 and . < 1.02' ratio
	done
}

# bats test_tags=guest
@test "100 ms: 256 connections are opened in parallel" {
	local start

	needs_qdisc "netem delay 50ms"
	start=$SECONDS
	link "netem delay 50ms" --size 4k --threads 4 --connections 256 --messages 512 --verify
	right 512
	# One after another, 256 handshakes take 25.6 s.
	[ $((SECONDS - start)) -lt 20 ]
}

# bats test_tags=guest
@test "collector on lossy, reordering and slow links: the books balance in every mode" {
	local shape

	needs_qdisc "netem delay 50ms"
	for shape in "netem delay 50ms loss 1%" "netem delay 10ms reorder 25% 50%" "netem delay 10ms rate 1mbit limit 10000"; do
		loop "$shape" "$NETIOTRACE" -q --mode all --size 16k --messages 24 --warmup 0 --verify --json out
		jq -e '[.runs[] | .app.tx_messages == 24 and .app.verify_errors == 0 and .app.rx_bytes == .app.tx_bytes
			and .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
			and (.app.zerocopy | .completed == .sends)] | all and length == 3' out
	done
}
