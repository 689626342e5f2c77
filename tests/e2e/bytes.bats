#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Bytes from sequence numbers: exact without a single event, by iterator and by sock_diag, past 4 GiB;
# and a count that differs is the first thing said. The load generator and TCP_INFO are the witnesses.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
}

# exact DOCUMENT: three counts of the same bytes are one number, both ways.
exact() {
	jq -e '.runs | length > 0 and all(
		.ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
		and .sequence.tx_bytes == .app.tx_bytes and .sequence.rx_bytes == .app.rx_bytes
		and .sequence.tx_bytes == .app.tcp.bytes_acked and .sequence.rx_bytes == .app.tcp.bytes_received
		and .sequence.tx_retrans == .app.tcp.bytes_retrans
		and .ledger.rx_copy.bytes == .app.rx_bytes
		and ([.ledger.tx_copy, .ledger.tx_pin | .bytes] | add) + .ledger.unclassified == .app.tx_bytes)' "$1" ||
		{ jq -c '.runs[] | .sequence, .ledger.unaccounted_tx, .ledger.unaccounted_rx' "$1" && return 1; }
}

@test "bytes: the iterator counts what the load generator does, in every mode and on both paths" {
	local path

	for path in loopback veth; do
		"$NETIOTRACE" -q --mode all --size 10k --threads 3 --rounds 1 --duration 300ms --warmup 20ms --path "$path" --count-calls \
			--json out.json
		exact out.json
		jq -e '.runs | all(.sequence.source == "iter/tcp" and .health.coverage == 1
			and .health.events_share == 1
			and .sequence.tx_zerocopy_ids == .app.zerocopy.sends)' out.json
	done
}

# Where a kernel cannot attach a program again (before 5.13) it is looked at all of the time; zero-copy, too, where its
# completions are held against its sends: by functions ($paired).
@test "bytes: events are looked at a part of the time, which is said, and bytes do not depend on it" {
	"$NETIOTRACE" -q --mode all --size 64k --rounds 1 --duration 1s --json out.json
	exact out.json
	jq -c '.runs[] | [.mode, .health.events_share, .health.coverage, .ledger.tx_copy.events]' out.json
	# Of zero-copy, ids and the load generator's counts tell what was pinned and what was copied later.
	jq -e '([.plan[] | select(.probe == "completion") | .backend] != ["tracepoint"]) as $paired
		| .runs | all(if .mode == "zerocopy" and $paired
		then .health.events_share == 1 and .ledger.rx_copy.events_quality == "exact"
		else .health.events_share < 1 and .health.events_share > 0.05 and .health.coverage < 1
		and .ledger.rx_copy.events_quality == "sampled"
		and .ledger.tx_copy.events + .ledger.tx_pin.events > 1000 and .uncovered == [] and .health.anomalies == 0 end)
		and all(if .mode == "zerocopy" then
			.ledger.tx_copy.bytes == .app.zerocopy.fallback_bytes and .ledger.unclassified == 0
			and .ledger.tx_pin.bytes == .app.tx_bytes - .app.zerocopy.fallback_bytes
			and .kernel_zerocopy.sends == .app.zerocopy.sends
			and .kernel_zerocopy.completed == .app.zerocopy.completed and
			if $paired then .ledger.tx_pin.events_quality == "exact" and .ledger.tx_pin.quality == "exact"
				and .kernel_zerocopy.sends_unseen == 0 and .kernel_zerocopy.copied == .app.zerocopy.copied
			else ([.ledger.tx_pin, .ledger.deferred_copy] | all(.events_quality == "sampled" and .quality == "derived"))
				and .ledger.deferred_copy.bytes == .ledger.tx_pin.bytes
				and .ledger.deferred_copy.bytes_at_most
					<= .app.tx_bytes + .app.tcp.bytes_retrans
				and .ledger.tx_pin.events < .app.zerocopy.sends / 2
				and .kernel_zerocopy.copied == null and (.kernel_zerocopy.reason | length > 0)
				and .health.unmatched == null
			end
		else .ledger.tx_copy.events_quality == "sampled" end)' out.json
	"$NETIOTRACE" --mode onecopy --size 64k --rounds 1 --duration 1s --details >text
	grep -q sampled text
}

# bats test_tags=address
@test "bytes: without an event of sending or receiving they are the same" {
	local hook options=()

	for hook in sock_send_length tcp_sendmsg_locked tcp_push net_dev_queue __tcp_transmit_skb \
		skb_copy_datagram_iovec skb_copy_datagram_iter; do
		options+=(--without "$hook")
	done
	"$NETIOTRACE" -q --mode all --size 64k --threads 2 --rounds 1 --duration 300ms --warmup 20ms --json out.json "${options[@]}"
	exact out.json
	jq -c '.runs[] | [.mode, .ledger.unclassified, .app.zerocopy.enobufs, .health.coverage]' out.json
	# A send that was refused its memory (the limit is of all that nobody runs) was made again without MSG_ZEROCOPY. The
	# load generator says how many bytes that were.
	jq -e '.runs | all(.ledger.tx_copy.events == null and .ledger.rx_copy.events == null
		and (.ledger.rx_copy.events_reason | length > 0)
		and .ledger.unclassified == 0
		and .health.coverage == null and (.health.coverage_reason | length > 0))' out.json
	jq -e '.runs[] | select(.mode == "zerocopy") | .ledger.tx_pin.quality == "derived"
		and .ledger.tx_pin.bytes == .app.tx_bytes - .app.zerocopy.fallback_bytes' out.json
}

@test "bytes: where the iterator is refused sock_diag gives the same" {
	local path

	for path in loopback veth; do
		"$NETIOTRACE" -q --mode all --size 64k --threads 3 --rounds 1 --duration 300ms --warmup 20ms --path "$path" \
			--json out.json --without iter/tcp
		exact out.json
		jq -e '.runs | all(.sequence.source == "sock_diag" and .sequence.tx_zerocopy_ids == null)' out.json
	done
	"$NETIOTRACE" -q --mode onecopy --ipv6 --size 64k --rounds 1 --duration 300ms --warmup 20ms --json out.json --without iter/tcp
	exact out.json
}

# The 32-bit sequence numbers go all the way round on one socket.
@test "bytes: more than 4 GiB on one socket are exact both ways" {
	"$NETIOTRACE" -q --mode onecopy --size 1m --messages 4400 --rounds 1 --warmup 50ms --json out.json
	exact out.json
	jq -e '.runs[0].sequence | .tx_bytes == 4400 * 1048576 and .rx_bytes == 4400 * 1048576' out.json
}

teardown() {
	[ -z "${BIN:-}" ] || rm -rf "$BIN"
}

# A load generator whose sender claims ten bytes more than it sent; it runs as nobody, who cannot
# enter the directories of bats.
liar() {
	BIN=$(mktemp -d)
	cd "$BIN" || return
	mkdir bin
	cp "$NETIOTRACE" bin/netiotrace
	cat >bin/netio-loadgen <<-END
		#!/bin/sh
		[ "\$1" = send ] || exec "$LOADGEN" "\$@"
		"$LOADGEN" "\$@" | python3 -uc '
		import re, sys
		for line in sys.stdin:
		    if "\"done\"" in line:
		        line = re.sub(r"\"tx_bytes\":(\d+)", lambda m: "\"tx_bytes\":%d" % (int(m[1]) + 10), line)
		    print(line, end="", flush=True)'
	END
	chmod -R a+rx . bin
}

@test "bytes: counts that differ are the first sentence, and the exit status is 1" {
	liar
	run --separate-stderr bin/netiotrace --mode onecopy --size 64k --messages 23 --warmup 20ms --json out.json
	[ "$status" -eq 1 ]
	[[ ${output//$'\n'/ } == "THE BOOKS DO NOT BALANCE in round 1 of one-copy. Of 1 507 338 B sent, sequence numbers count 1 507 328 B."*"lower bounds."* ]]
	# shellcheck disable=SC2154 # set by run
	[[ $stderr == *"the books do not balance"* ]]
	jq -e '.runs[0].ledger | .unaccounted_tx == 10 and .unaccounted_rx == 0
		and .tx_copy.quality == "derived" and (.tx_copy.reason | test("lower bound"))
		and .rx_copy.quality == "exact"' out.json
}

# Others connect and leave all the while: a pass over the kernel's table meets ours all the same.
@test "bytes: connections that come and go beside do not disturb the count" {
	local port churn

	port=$(free_port)
	python3 -c 'import socket, sys, threading
s = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=512)
def serve():
    while True:
        s.accept()[0].close()
threading.Thread(target=serve, daemon=True).start()
held = []
while True:
    held.append(socket.create_connection(s.getsockname()))
    if len(held) > 200:
        held.pop(0).close()' "$port" 3>&- &
	churn=$!
	"$NETIOTRACE" -q --mode all --size 16k --threads 8 --rounds 2 --duration 200ms --warmup 20ms --json out.json
	kill "$churn"
	exact out.json
	jq -e '.runs | all(.sequence.source == "iter/tcp")' out.json
}

# Natively what `make vmstorm` does in guests: signals, moves, and connections that abort beside.
@test "bytes: a storm leaves them exact" {
	O=$NETIOTRACE_BIN VM_OUT=. "$REPO/tests/vm/storm" 4 tracepoint
}

# What a program that reads maps would stop meanwhile: kprobe programs of its CPU (bpf_prog_active).
@test "bytes: with a view, no map is read by system call while it is measured" {
	need_tool strace
	strace -s 100 -e trace=bpf,write -o calls "$NETIOTRACE" -v --mode zerocopy --duration 1s --warmup 50ms --interval 100ms \
		>text 2>/dev/null </dev/null
	awk '/: measuring\\n"/ { on = 1 } /: measured\\n"/ { on = 0 } on && /^bpf/' calls |
		sed 's/^bpf(\([A-Z_]*\).*/\1/' | sort | uniq -c >made
	cat made
	# It was refreshed: the passes over the sockets are there.
	grep -qw BPF_ITER_CREATE made
	[ "$(grep -c BPF_MAP_ made)" -eq 0 ]
}
