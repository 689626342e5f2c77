#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# attach: threads that send on one socket at a time, while others' calls wait for memory. The witness is
# tests/e2e/shared_socket_senders.c, which prints what its calls returned.

bats_require_minimum_version 1.5.0
load ../lib
load attach

CHORUS=$BUILD_DIR/tests/e2e/shared_socket_senders

# sums_are FILTER: what the calls returned, of the kinds that FILTER names, is what attach booked of them.
sums_are() {
	jq -e --slurpfile said said '.total.sends as $found | $said[0] as $s | ('"$1"') | all($s[.] == $found[.])' out.json ||
		{ cat said && jq -c .total.sends out.json && return 1; }
}

@test "attach: of threads that send on one socket, each call is booked as what it is" {
	for threads in 2 8; do
		attached "$CHORUS" "$threads" 2000 >said
		exact
		if jq -e '.plan[] | select(.probe == "message") | .hook' out.json; then
			sums_are '["plain", "vectored", "zerocopy", "splice"]'
		fi
		jq -e --slurpfile said said '$said[0] as $s | .total | .ledger.rx_copy.bytes == $s.received
			and .zerocopy.completed == $s.zerocopy.calls' out.json
	done
}

@test "attach: threads of one socket, watched for a moment in the middle: no byte is left over" {
	background "$CHORUS" 8 1000000
	within 10 test -e begun
	# Buffers this small let the connection pause for a while: a look may see nothing move.
	for ms in 50 300 700; do
		"$NETIOTRACE" attach --count-calls -q --json "out.$ms.json" --pid "$STARTED" --duration ${ms}ms
		exact "out.$ms.json"
		jq -c '[.health.coverage, .total.socket.tx_bytes, .total.uncovered]' "out.$ms.json"
	done
	jq -es 'all((.health.coverage // 1) > 0.9 and .total.uncovered == []) and any(.total.socket.tx_bytes > 0)' out.*.json
}

@test "attach: without the messages of calls, threads of one socket: bytes are exact, kinds are not guessed" {
	background "$CHORUS" 4 1000000
	within 10 test -e begun
	# On a busy machine the threads may not get the CPU, or not send with MSG_ZEROCOPY, for a while.
	for duration in 500ms 2s 5s 15s; do
		"$NETIOTRACE" attach --count-calls -q --backend tracepoint --without tcp_sendmsg_locked --json out.json \
			--pid "$STARTED" --duration "$duration"
		! jq -e '.total.socket.tx_zerocopy_ids > 0' out.json >/dev/null || break
	done
	jq -e '.total | .ledger.unaccounted_tx == 0 and .socket.tx_bytes > 0
		and [.uncovered[] | select(.kind == "missed" and .direction == "tx").bytes] == [.socket.tx_bytes]
		and .ledger.tx_pin.bytes == 0 and .ledger.tx_pin.quality == "derived"' out.json
	# Of calls without MSG_ZEROCOPY nothing has to be guessed.
	"$NETIOTRACE" attach --count-calls -q --backend tracepoint --without tcp_sendmsg_locked --json out.json -- "$CHORUS" 4 1000 100 plain >said
	jq -e --slurpfile said said '.total | .socket.tx_bytes == $said[0].plain.bytes and .ledger.tx_copy.bytes == $said[0].plain.bytes
		and .ledger.unaccounted_rx == 0 and .ledger.rx_copy.bytes == $said[0].received' out.json
}

# refuses DEFINITION: a netiotrace whose programs pass over some events, as preemptible kernels make them: $REFUSING.
refuses() {
	cp -a "$BUILD_DIR" built
	env -u MAKEFLAGS -u MFLAGS make -C "$REPO" --no-print-directory -W bpf/attach.bpf.c O="$PWD/built" \
		CLANG="clang '-D$1'" "$PWD/built/netiotrace" >make.log 2>&1 || {
		tail make.log
		return 1
	}
	REFUSING=$PWD/built/netiotrace
}

# What lacks is divided as what was seen, and said to be an estimate; the bytes are the socket's.
@test "attach: kinds of calls whose events the kernel refused are estimated, the bytes are exact" {
	"$NETIOTRACE" attach --count-calls -q --backend tracepoint --json out.json -- "$CHORUS" 1 1 >said
	jq -e '.plan[] | select(.probe == "message") | .hook' out.json ||
		skip "tracepoints of this kernel do not show calls in progress (they do from Linux 6.16 on)"
	refuses 'NIO_IS_REFUSED=bpf_get_prandom_u32()%16==0'
	# Of 2000 KiB of one thread nothing lacked in 1 of 60 watches; of four times as much, 83 KB at least in 40.
	for load in "1 8000" "4 2000" "8 2000"; do
		# shellcheck disable=SC2086 # two words
		"$REFUSING" attach --count-calls -q --backend tracepoint --json out.json -- "$CHORUS" $load >said
		jq -e --slurpfile said said '.total | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
			and .socket.tx_bytes == ([$said[0] | .plain, .vectored, .zerocopy, .splice | .bytes] | add)
			and .ledger.tx_copy.quality == "sampled" and ([.sends[].bytes] | add) == .socket.tx_bytes' out.json
		jq -e '.health.coverage < 1' out.json
	done
	# The turn that tells of a call is not its first: buffers of its message may be gone, and it is of the same kind.
	for way in plain vectored zerocopy splice; do
		"$REFUSING" attach --count-calls -q --backend tracepoint --json out.json -- "$CHORUS" 4 2000 100 "$way" >said
		jq -ce --arg way "$way" '.total.sends | map_values(select(.bytes > 0)) | (., keys == [$way])' out.json
	done
	background "$CHORUS" 4 10000000
	within 10 test -e begun
	for _ in {1..5}; do
		"$REFUSING" attach --count-calls -q --backend tracepoint --json out.json --pid "$STARTED" --duration 200ms
		jq -e '.total.ledger | .unaccounted_tx == 0 and .unaccounted_rx == 0' out.json
	done
}

# The application reads after it has shut down both directions, and no program sees the socket end.
@test "attach: bytes read after shutdown(SHUT_RDWR) are counted, or unknown, when the end was missed" {
	refuses 'NIO_END_IS_REFUSED=true'
	cat >reads.py <<-'EOF'
		import array, fcntl, socket, termios
		listener = socket.create_server(("127.0.0.1", 0))
		client = socket.create_connection(listener.getsockname())
		server = listener.accept()[0]
		server.sendall(bytes(1000))
		queued = array.array("i", [0])
		while queued[0] < 1000:
		    fcntl.ioctl(client, termios.FIONREAD, queued)
		client.shutdown(socket.SHUT_RDWR)
		assert len(client.recv(2000)) == 1000
		client.close()
		server.close()
	EOF
	"$REFUSING" attach -q --backend tracepoint --json out.json -- python3 reads.py
	jq -c '.total.socket, .health' out.json
	jq -e '.total.socket.rx_bytes == 1000 or .health.ends_missed > 0' out.json
}
