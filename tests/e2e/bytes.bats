#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Bytes from sequence numbers are exact without any event, and past 4 GiB. A count that differs is the first sentence. References: the load generator and TCP_INFO.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
}

# exact DOCUMENT: sequence numbers, ledger and load generator have the same bytes, in both
# directions.
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

@test "bytes: iter/task_file counts what the load generator counts, in every mode and on both paths" {
	local path

	for path in loopback veth; do
		"$NETIOTRACE" -q --mode all --size 10k --threads 3 --rounds 1 --duration 300ms --warmup 20ms --path "$path" --count-calls \
			--json out.json
		exact out.json
		jq -e '.runs | all(.sequence.source == "iter/task_file" and (.health.coverage == 1 or .health.missed > 0)
			and .health.events_share == 1
			and .sequence.tx_zerocopy_ids == .app.zerocopy.sends)' out.json
	done
}

# Before Linux 5.13 a kernel cannot attach a program again: events are counted all the time. So are
# zero-copy events where fentry or kprobe pairs completions with sends ($paired). On a busy machine
# windows last longer, up to half of the time, and see hundreds of events instead of thousands.
@test "bytes: sampled events are reported as sampled; byte counts do not depend on them" {
	"$NETIOTRACE" --mode all --size 64k --rounds 1 --duration 1s --details --json out.json >text 2>/dev/null
	exact out.json
	jq -c '.runs[] | [.mode, .health.events_share, .health.coverage, .ledger.tx_copy.events]' out.json
	# For zero-copy, ids and the load generator's counts give the pinned bytes and the bytes
	# copied later.
	jq -e '([.plan[] | select(.probe == "completion") | .backend] != ["tracepoint"]) as $paired
		| .runs | all(if .mode == "zerocopy" and $paired
		then .health.events_share == 1 and .ledger.rx_copy.events_quality == "exact"
		else .health.events_share < 1 and .health.events_share > 0.05 and .health.coverage < 1
		and .ledger.rx_copy.events_quality == "sampled"
		and .ledger.tx_copy.events + .ledger.tx_pin.events > 100 and .uncovered == [] and .health.anomalies == 0 end)
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
				and .ledger.tx_pin.events < .app.zerocopy.sends
				and .kernel_zerocopy.copied == null and (.kernel_zerocopy.reason | length > 0)
				and .health.unmatched == null
			end
		else .ledger.tx_copy.events_quality == "sampled" end)' out.json
	grep -q sampled text
}

# bats test_tags=address
@test "bytes: counts are the same without any hook for sends and receives" {
	local hook options=()

	for hook in sock_send_length tcp_sendmsg_locked tcp_push skb_copy_datagram_iovec; do
		options+=(--without "$hook")
	done
	"$NETIOTRACE" -q --mode all --size 64k --threads 2 --rounds 1 --duration 300ms --warmup 20ms --json out.json "${options[@]}"
	exact out.json
	jq -c '.runs[] | [.mode, .ledger.unclassified, .app.zerocopy.enobufs, .health.coverage]' out.json
	# A send that failed with ENOBUFS was repeated without MSG_ZEROCOPY: other tests run as the
	# same user and share RLIMIT_MEMLOCK. The load generator reports these bytes.
	jq -e '.runs | all(.ledger.tx_copy.events == null and .ledger.rx_copy.events == null
		and (.ledger.rx_copy.events_reason | length > 0)
		and .ledger.unclassified == 0
		and .health.coverage == null and (.health.coverage_reason | length > 0))' out.json
	jq -e '.runs[] | select(.mode == "zerocopy") | .ledger.tx_pin.quality == "derived"
		and .ledger.tx_pin.bytes == .app.tx_bytes - .app.zerocopy.fallback_bytes' out.json
}

# The 32-bit sequence numbers wrap on one socket.
@test "bytes: more than 4 GiB on one socket are counted exactly in both directions" {
	"$NETIOTRACE" -q --mode onecopy --size 1m --messages 4400 --rounds 1 --warmup 50ms --json out.json
	exact out.json
	jq -e '.runs[0].sequence | .tx_bytes == 4400 * 1048576 and .rx_bytes == 4400 * 1048576' out.json
}

teardown() {
	[ -z "${BIN:-}" ] || rm -rf "$BIN"
}

# A load generator whose sender reports ten bytes more than it sent. It runs without root, and cannot
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

@test "bytes: if counts differ, the first sentence says so and the exit status is 1" {
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

# Other connections open and close during the run: the socket iteration still finds the connections of
# the run.
@test "bytes: connections that open and close during a run do not change its counts" {
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
	jq -e '.runs | all(.sequence.source == "iter/task_file")' out.json
}

# The test that `make vmstorm` runs in guests: signals, CPU migrations, and connections that abort.
@test "bytes: counts stay exact under signals, CPU migrations and aborted connections" {
	O=$NETIOTRACE_BIN VM_OUT=. "$REPO/tests/vm/storm" 4 tracepoint
}

# A system call that reads a map stops kprobe programs of its CPU meanwhile (bpf_prog_active).
@test "bytes: the progress display reads no map by system call during the measured phase" {
	need_tool strace
	strace -s 100 -e trace=bpf,write -o calls "$NETIOTRACE" -v --mode zerocopy --duration 400ms --warmup 50ms --interval 50ms \
		>text 2>/dev/null </dev/null
	awk '/: measuring\\n"/ { on = 1 } /: measured\\n"/ { on = 0 } on && /^bpf/' calls |
		sed 's/^bpf(\([A-Z_]*\).*/\1/' | sort | uniq -c >made
	cat made
	# The display was refreshed: socket iterations are in the trace.
	grep -qw BPF_ITER_CREATE made
	[ "$(grep -c BPF_MAP_ made)" -eq 0 ]
}
