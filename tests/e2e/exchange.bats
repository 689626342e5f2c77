#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Messages that are answered (--request-response) and messages that are due (--rate): every byte of both
# directions is counted and verified, and each latency is what its name says.

load ../lib

setup() {
	need_tool jq
	cd "$BATS_TEST_TMPDIR" || return
	chmod 755 .
}

holds() { # FILTER FILE
	jq -e "$1" "$2" >/dev/null || {
		echo "not so: $1"
		jq -c 'del(.. | .latency?, .latency_ns?, .buckets?)' "$2"
		return 1
	}
}

@test "loadgen: each message is answered, in every mode and size, and every byte of both ways is right" {
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

@test "loadgen: half a round trip is at least the way of the message, which is not known between two machines" {
	"$LOADGEN" --request-response --size 4k --messages 500 --spin 20us --json >out
	# The way there and back is no shorter than the way there: of sums, so that no quantile of a
	# loaded machine decides.
	holds '2 * .sender.latency.half_round_trip.sum >= .receiver.latency.delivery.sum
		and .sender.latency.half_round_trip.count == .receiver.latency.delivery.count' out
	# Without answers there is none.
	"$LOADGEN" --size 4k --messages 50 --json >out
	holds '.sender.latency.half_round_trip.count == 0 and .sender.replies.bytes == 0
		and .receiver.replies.messages == 0' out
}

@test "loadgen: an answer with a wrong byte fails the run" {
	need_tool python3
	cat >liar.py <<-'PYTHON'
		import socket, struct
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
		c.sendall(frame(4, phase=1))
		d.sendall(take(d, 64))
		take(c, 32)
		c.sendall(frame(10, phase=1, nbytes=1))
		c.sendall(frame(6, phase=1, messages=1, nbytes=64))
		take(c, 1)
	PYTHON
	python3 liar.py >port 2>liar.err 3>&- &
	within 5 test -s port
	run "$LOADGEN" send --connect "127.0.0.1:$(cat port)" --request-response --verify --size 64 --messages 1 --json
	[ "$status" -eq 1 ]
	echo "$output" | jq -e '.sender | .reply_errors == 1 and .replies.messages == 1'
}
