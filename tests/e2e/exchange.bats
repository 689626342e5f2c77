#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Replies (--request-response) and open-loop messages (--rate): every byte of both directions is
# counted and verified, and each latency measures what its name says.

load ../lib

setup() {
	need_tool jq
	cd "$BATS_TEST_TMPDIR" || return
	chmod 755 .
}

holds() { # FILTER FILE
	jq -e "$1" "$2" >/dev/null || {
		echo "not so: $1"
		jq -c '.sender?, .receiver?, (.runs? // [] | .[].app) | del(.. | .buckets?)' "$2"
		return 1
	}
}

# bats test_tags=address,thread
@test "loadgen --request-response: each message has a reply, and every byte of both directions is verified, in every mode and size" {
	local mode size

	for mode in twocopy onecopy zerocopy; do
		for size in 64 1000 64k 1m; do
			"$LOADGEN" --request-response --mode "$mode" --size "$size" --messages 23 --warmup 10ms \
				--verify --json >out
			holds '.sender | .tx_messages == 23 and .replies.messages == 23
				and .replies.bytes == .tx_bytes and .reply_errors == 0
				and .latency.half_round_trip.count == 23 and .config.nodelay' out
			holds '.receiver | .rx_messages == 23 and .replies.messages == 23
				and .replies.bytes == .rx_bytes and .verify_errors == 0' out
		done
		"$LOADGEN" --request-response --mode "$mode" --size 100k --connections 50 --threads 3 \
			--messages 503 --sndbuf 64k --verify --json >out
		holds '.sender.replies == .receiver.replies and .sender.replies.messages == 503
			and .sender.reply_errors == 0 and .receiver.verify_errors == 0' out
	done
}

@test "loadgen: half a round trip is at least half the delivery time; without replies it has no samples" {
	"$LOADGEN" --request-response --size 4k --messages 500 --spin 20us --json >out
	# A round trip includes the delivery. Compares sums: quantiles depend on the machine's load.
	holds '2 * .sender.latency.half_round_trip.sum >= .receiver.latency.delivery.sum
		and .sender.latency.half_round_trip.count == .receiver.latency.delivery.count' out
	# Without replies there is no round trip.
	"$LOADGEN" --size 4k --messages 50 --json >out
	holds '.sender.latency.half_round_trip.count == 0 and .sender.replies.bytes == 0
		and .receiver.replies.messages == 0' out
}

# bats test_tags=address,thread
@test "loadgen: a reply with a wrong byte fails the run" {
	need_tool python3
	cat >liar.py <<-'PYTHON'
		import socket, struct, time
		s = socket.create_server(('127.0.0.1', 0))
		print(s.getsockname()[1], flush=True)
		def frame(t, index=0, phase=0, messages=0, nbytes=0):
		    return b'NIOF' + struct.pack('>HHIIQQ', 2, t, index, phase, messages, nbytes)
		def take(c, n):
		    data = b''
		    while len(data) < n:
		        more = c.recv(n - len(data))
		        assert more
		        data += more
		    return data
		c, _ = s.accept()
		assert take(c, 64)[53] == 3
		c.sendall(frame(1))
		d, _ = s.accept()
		take(d, 64)
		c.sendall(frame(2))
		take(c, 32)
		begin = time.monotonic_ns()
		c.sendall(frame(4, phase=1))
		message = take(d, 64)
		took = time.monotonic_ns() - begin
		d.sendall(message)
		take(c, 32)
		c.sendall(frame(10, phase=1, nbytes=took))
		c.sendall(frame(6, phase=1, messages=1, nbytes=64))
		take(c, 1)
	PYTHON
	python3 liar.py >port 2>liar.err 3>&- &
	within 5 test -s port
	run "$LOADGEN" send --connect "127.0.0.1:$(cat port)" --request-response --verify --size 64 --messages 1 --json
	[ "$status" -eq 1 ]
	echo "$output" | jq -e '.sender | .reply_errors == 1 and .replies.messages == 1'
}

# balanced FILE: the books of all runs balance in both directions.
balanced() {
	holds '[.runs[].ledger | .unaccounted_tx == 0 and .unaccounted_rx == 0] | all' "$1"
}

# bats test_tags=address,thread
@test "--request-response: the books balance in both directions, and the latencies have their names" {
	need_root
	"$NETIOTRACE" --request-response --verify --messages 503 --warmup 20ms --threads 2 --connections 6 --size 16k \
		--path veth --rounds 1 --json out --csv out.csv >text
	balanced out
	holds '[.runs[] | .app.tx_messages == 503 and .app.replies.tx_messages == 503
		and .app.replies.rx_bytes == .app.rx_bytes and .app.replies.errors == 0
		and .ledger.rx_copy.bytes == .app.rx_bytes + .app.replies.rx_bytes
		and .sequence.tx_bytes == .app.tx_bytes + .app.replies.tx_bytes
		and .app.latency_ns.half_round_trip.count == 503] | all' out
	# Replies are copied in every mode. Zero-copy pins the messages, except sends repeated as
	# copies when other tests, which run as the same user, exhausted RLIMIT_MEMLOCK.
	# shellcheck disable=SC2016 # jq's variable
	holds '.runs[] | select(.mode == "zerocopy") | .app.zerocopy.fallback_bytes as $again
		| .ledger.tx_copy.bytes == .app.replies.tx_bytes + $again
		and .ledger.tx_pin.bytes == .app.tx_bytes - $again' out
	holds '.settings.request_response and .settings.nodelay and .settings.rate == null' out
	grep -q 'half round trip' text
	grep -q 'Each message was answered' <(tr -s ' \n' ' ' <text)
	head -n 1 out.csv | tr , '\n' | grep -qx app_latency_ns_half_round_trip_p50
	# Without replies the round trip is null with the reason.
	"$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --json out
	holds '.runs[0].app | .replies.tx_bytes == 0 and .latency_ns.half_round_trip.p50 == null
		and (.latency_ns.half_round_trip.reason | test("request-response"))' out
}

@test "--rate is recorded and kept; a rate that is not kept is reported" {
	need_root
	"$NETIOTRACE" --mode onecopy --rate 500/s --spin 20us --size 4k --connections 3 --messages 200 --warmup 0 \
		--json out >text
	balanced out
	# 200 messages at 500/s take at least 0.4 s, whatever the machine's load.
	holds '.runs[0] | .duration_s >= 0.4 and .app.tx_messages == 200' out
	holds '.settings | .rate == 500 and .spin_ns == 20000 and .rcvlowat == null' out
	grep -q 'Open loop of 500 messages/s' <(tr -s ' \n' ' ' <text)
	"$NETIOTRACE" --mode onecopy --rate 100000000/s --size 64k --duration 300ms --json out >text
	balanced out
	grep -q 'Not kept: one-copy sent' <(tr -s ' \n' ' ' <text)
	# Delivery time counts from the due time: the last messages waited for most of the run.
	holds '.runs[0] | .app.latency_ns.delivery.max > .duration_s * 5e8' out
}

@test "--rate with few messages gives no more throughput than requested" {
	need_root
	for asked in "4 225ms" "10 175ms" "10 550ms"; do
		"$NETIOTRACE" -q --mode onecopy --rate "${asked% *}/s" --duration "${asked#* }" --size 64k --rounds 1 \
			--warmup 0 --no-cpu --json out
		balanced out
		jq -e --argjson rate "${asked% *}" '.runs[0] | .app.tx_messages >= 1 and .app.throughput_gbps > 0
			and .app.throughput_gbps <= $rate * 65536 * 8 / 1e9 * 1.000001' out
	done
}

@test "--header is recorded, its bytes are in the ledger, and compare names it" {
	need_root
	"$NETIOTRACE" -q --header 64 --size 1000 --messages 3001 --warmup 20ms --verify --json out.json
	balanced out.json
	holds '.settings | .header == 64 and .size == 1000' out.json
	holds '[.runs[] | .app | .tx_bytes, .rx_bytes] | unique == [3001 * 1064]' out.json
	holds '[.runs[] | select(.mode == "twocopy") | .ledger.user_gather.bytes] | unique == [3001 * 1064]' out.json
	"$NETIOTRACE" -q --size 1000 --messages 3001 --warmup 20ms --json plain.json
	holds '.settings.header == 0' plain.json
	[ "$(jq .settings.fingerprint out.json)" != "$(jq .settings.fingerprint plain.json)" ]
	run "$NETIOTRACE" compare plain.json out.json
	echo "$output"
	[[ $output == *header* ]]
	run "$NETIOTRACE" --header 64k --size 16m
	[ "$status" -eq 2 ]
	[[ $output == *--header* ]]
	run "$NETIOTRACE" sweep --header 64k --sizes 64,16m -o sweep
	[ "$status" -eq 2 ]
	[[ $output == *--header* ]]
}

@test "--rcvlowat is recorded and loses no byte; options that exclude each other are refused" {
	need_root
	"$NETIOTRACE" -q --mode zerocopy --rcvlowat 64k --size 1000 --messages 3001 --warmup 20ms --verify --json out
	balanced out
	holds '.settings.rcvlowat == 65536 and .runs[0].app.rx_messages == 3001' out
	run "$NETIOTRACE" --rcvlowat 64k --request-response
	[ "$status" -eq 2 ]
	run "$NETIOTRACE" --rcvlowat 64k --connect 127.0.0.1:1
	[ "$status" -eq 2 ]
	[[ $output == *"netiotrace serve"* ]]
	run "$NETIOTRACE" --rate 5/ms
	[ "$status" -eq 2 ]
	[[ $output == *"messages a second"* ]]
}

@test "the wait for a zero-copy buffer is a latency of its own" {
	need_root
	# Four buffers of 1 MiB, a send buffer for more than that, and a small receive buffer.
	"$NETIOTRACE" --mode zerocopy --size 1m --sndbuf 32m --rcvbuf 64k --messages 64 --warmup 20ms --details --json out >text
	balanced out
	# No such wait if other tests, which run as the same user, exhausted RLIMIT_MEMLOCK and no
	# send pinned.
	if jq -e '.runs[0].app.zerocopy.sends > 0' out; then
		holds '.runs[0].app.latency_ns.slot_wait.count > 0' out
		grep -q 'latency_ns.slot_wait$' text
	fi
	"$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --json out
	holds '.runs[0].app.latency_ns.slot_wait | .count == 0 and .p50 == null and .reason != null' out
}

# bats test_tags=address,thread
@test "two machines: half round trips by the sender's clock; the ledger is of the sender's messages" {
	need_root
	mkfifo ready
	"$NETIOTRACE" serve --listen 127.0.0.1:0 --congestion reno --spin 20us >ready 2>serve.err 3>&- &
	server=$!
	read -r line <ready
	"$NETIOTRACE" --connect "${line##* }" --request-response --mode onecopy --messages 203 --warmup 20ms --verify --json out >text
	kill -TERM "$server"
	wait "$server"
	holds '.runs[0] | .ledger.unaccounted_tx == 0 and .app.latency_ns.half_round_trip.count == 203
		and .app.latency_ns.delivery.count == 203 and .app.replies.tx_bytes == .app.replies.rx_bytes
		and .ledger.copies_per_byte_side == "sender"
		and (.ledger.rx_copy.reason | contains("replies are not in the ledger"))
		and .app.replies.rx_messages == 203 and .app.replies.errors == 0' out
}

@test "compare of runs with different rates names the setting" {
	need_root
	for rate in 500 600; do
		"$NETIOTRACE" -q --mode onecopy --rate "$rate/s" --size 4k --messages 50 --rounds 2 --warmup 0 --json "$rate.json"
	done
	run "$NETIOTRACE" compare 500.json 600.json
	[[ $output == *"differ in the setting rate"* ]]
}

@test "4096 connections: every byte is accounted for in every mode" {
	need_root
	"$NETIOTRACE" -q --mode all --connections 4096 --threads 3 --size 1k --messages 8192 --warmup 0 --rounds 1 --json out
	balanced out
	holds '[.runs[] | .connections == 4096 and .app.tx_messages == 8192 and .app.rx_messages == 8192
		and .ledger.rx_copy.bytes == 8192 * 1024 and (.app.zerocopy | .completed == .sends)] | all' out
	holds '[.runs[].sequence.source] | all(. == "iter/task_file")' out
}
