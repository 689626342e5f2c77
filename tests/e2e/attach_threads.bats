#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# attach: threads that send on one socket at a time, while others' calls wait for memory. The witness is
# tests/e2e/chorus.c, which prints what its calls returned.

bats_require_minimum_version 1.5.0
load ../lib
load attach

CHORUS=$BUILD_DIR/tests/e2e/chorus

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
		"$NETIOTRACE" attach -q --json "out.$ms.json" --pid "$STARTED" --duration ${ms}ms
		exact "out.$ms.json"
		jq -c '[.health.coverage, .total.socket.tx_bytes, .total.uncovered]' "out.$ms.json"
	done
	jq -es 'all((.health.coverage // 1) == 1 and .total.uncovered == []) and any(.total.socket.tx_bytes > 0)' out.*.json
}

@test "attach: without the message of a call, threads of one socket: what is not known is not said" {
	background "$CHORUS" 4 1000000
	within 10 test -e begun
	"$NETIOTRACE" attach -q --backend tracepoint --without tcp_sendmsg_locked --json out.json --pid "$STARTED" --duration 500ms
	jq -e '.total | .ledger.unaccounted_tx == null and (.ledger.unaccounted_tx_reason | test("several threads"))
		and .socket.tx_bytes == null and .ledger.tx_pin.bytes == null and .ledger.copies_per_byte == null' out.json
	# Nor at the end of the socket: what others had queued when the first call returned is not told from its own.
	"$NETIOTRACE" attach -q --backend tracepoint --without tcp_sendmsg_locked --json out.json -- "$CHORUS" 4 1000 >said
	jq -e '.total | .ledger.unaccounted_tx == null and .socket.tx_bytes == null and .ledger.unaccounted_rx == 0' out.json
	jq -e --slurpfile said said '.total.ledger.rx_copy.bytes == $said[0].received' out.json
}

# refuses: a netiotrace whose programs on send calls pass over one event in 16, as preemptible kernels make them: $REFUSING.
refuses() {
	cp -a "$BUILD_DIR" built
	env -u MAKEFLAGS -u MFLAGS make -C "$REPO" --no-print-directory -W bpf/attach.bpf.c O="$PWD/built" \
		CLANG="clang '-DNIO_IS_REFUSED=bpf_get_prandom_u32()%16==0'" "$PWD/built/netiotrace" >make.log 2>&1 || {
		tail make.log
		return 1
	}
	REFUSING=$PWD/built/netiotrace
}

# What is booked of each kind is no more than there was of it, and what lacks is said to be missed.
@test "attach: what calls sent whose events the kernel refused is said to be missed, and nothing is made of it" {
	"$NETIOTRACE" attach -q --backend tracepoint --json out.json -- "$CHORUS" 1 1 >said
	jq -e '.plan[] | select(.probe == "message") | .hook' out.json ||
		skip "tracepoints of this kernel do not show calls in progress (they do from Linux 6.16 on)"
	refuses
	# Of 2000 KiB of one thread nothing lacked in 1 of 60 watches; of four times as much, 83 KB at least in 40.
	for load in "1 8000" "4 2000" "8 2000"; do
		# shellcheck disable=SC2086 # two words
		"$REFUSING" attach -q --backend tracepoint --json out.json -- "$CHORUS" $load >said
		jq -e --slurpfile said said '.total | [.uncovered[] | select(.kind == "missed" and .direction == "tx").bytes] as [$missed]
			| .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0 and $missed > 0
			and .ledger.tx_copy.quality == "derived" and (.ledger.tx_copy.reason | test("a lower bound"))
			and .ledger.copies_per_byte_at_most > .ledger.copies_per_byte
			and ([.sends[].bytes] | add) + $missed == .socket.tx_bytes
			and (.sends as $found | all("plain", "vectored", "zerocopy", "splice"; . as $way | $said[0][$way].bytes >= $found[$way].bytes))' out.json
		jq -e '.health.coverage < 1' out.json
	done
	# The turn that tells of a call is not its first: buffers of its message may be gone, and it is of the same kind.
	for way in plain vectored zerocopy splice; do
		"$REFUSING" attach -q --backend tracepoint --json out.json -- "$CHORUS" 4 2000 100 "$way" >said
		jq -ce --arg way "$way" '.total.sends | map_values(select(.bytes > 0)) | (., keys == [$way])' out.json
	done
	background "$CHORUS" 4 10000000
	within 10 test -e begun
	for _ in {1..5}; do
		"$REFUSING" attach -q --backend tracepoint --json out.json --pid "$STARTED" --duration 200ms
		jq -e '.total.ledger | .unaccounted_tx == 0 and .unaccounted_rx == 0' out.json
	done
}
