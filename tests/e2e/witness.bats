#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Independent witnesses of the same traffic: the kernel's own counters and bpftrace; and traffic of
# others, which must not be in the ledger.

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	stop_jobs
}

# bpftrace finds tracepoints through tracefs: mounted in a mount namespace of its own.
start_bpftrace() { # PROGRAM
	command -v bpftrace >/dev/null || skip "bpftrace is not installed"
	# shellcheck disable=SC2016 # expanded inside
	unshare --mount bash -c 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null
		mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug 2>/dev/null
		exec bpftrace -e "$1"' - "$1" >bpftrace.out 2>bpftrace.err &
	BPFTRACE=$!
	within 20 grep -q attached bpftrace.out || {
		cat bpftrace.out bpftrace.err
		skip "bpftrace cannot attach here: $(head -n 1 bpftrace.err)"
	}
}

# @test "bpftrace": sums all that the load generator's receiving threads copy in the session, which
# is every message plus the hello at the head of each data connection (read by the same path).
@test "rx_copy equals what bpftrace sums on skb_copy_datagram_iovec" {
	start_bpftrace 'BEGIN { printf("attached\n"); }
		tracepoint:skb:skb_copy_datagram_iovec /comm == "nio-reader"/ { @bytes = sum(args->len); }'
	"$NETIOTRACE" -q --mode onecopy --size 10000 --messages 2000 --warmup 0s --threads 2 \
		--json out.json
	kill -INT "$BPFTRACE"
	wait "$BPFTRACE" || true
	cat bpftrace.out
	theirs=$(sed -n 's/^@bytes: //p' bpftrace.out)
	ours=$(jq '.runs[0].ledger.rx_copy.bytes' out.json)
	[ "$ours" -eq 20000000 ]
	[ "$theirs" -eq "$ours" ]
}

@test "the sent bytes are those of the namespace's TCP counters" {
	# In a network namespace of its own nothing else counts: TcpExtTCPOrigDataSent counts segments of
	# new data, /proc/net/snmp InSegs/OutSegs packets; IpExtOutOctets bytes with headers.
	unshare --net bash -c "ip link set lo up
		before=\$(awk '/^IpExt:/ { n++; if (n == 2) print \$9 }' /proc/net/netstat)
		'$NETIOTRACE' -q --mode onecopy --size 64k --messages 1000 --warmup 0s --json out.json
		after=\$(awk '/^IpExt:/ { n++; if (n == 2) print \$9 }' /proc/net/netstat)
		echo \$((after - before)) >octets"
	octets=$(cat octets)
	bytes=$(jq '.runs[0].ledger.tx_copy.bytes' out.json)
	echo "IpExtOutOctets $octets, tx_copy $bytes"
	[ "$bytes" -eq 65536000 ]
	# Headers and ACKs come on top: a few percent.
	[ "$octets" -ge "$bytes" ]
	[ "$octets" -lt $((bytes * 105 / 100)) ]
}

@test "two runs at once do not see each other" {
	"$NETIOTRACE" -q --mode twocopy --size 64k --duration 1s --json a.json &
	"$NETIOTRACE" -q --mode zerocopy --size 4k --duration 1s --json b.json
	wait $!
	for f in a b; do
		jq -e '.runs[0] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
			and .app.tx_bytes > 0' "$f.json"
	done
	[ "$(jq '.runs[0].ledger.tx_pin.bytes' a.json)" -eq 0 ]
	[ "$(jq '.runs[0].ledger.deferred_copy.bytes' a.json)" -eq 0 ]
	[ "$(jq '.runs[0].ledger.tx_copy.bytes' b.json)" -eq 0 ]
}

@test "an iperf3 beside does not enter the ledger" {
	command -v iperf3 >/dev/null || skip "iperf3 is not installed"
	port=$(free_port)
	iperf3 --server --one-off --bind 127.0.0.1 --port "$port" >server.log &
	within 5 ss_listens "$port"
	iperf3 --client 127.0.0.1 --port "$port" --time 8 --zerocopy >client.log &
	client=$!
	"$NETIOTRACE" -q --rounds 1 --duration 300ms --json out.json
	kill -0 "$client"
	wait "$client"
	grep -q receiver client.log
	jq -e '[.runs[] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0]
		| length == 3 and all' out.json
}

@test "ss agrees with the ledger while the run is on" {
	# The sockets of the run, as ss shows them half way, hold no more than was sent in the end.
	"$NETIOTRACE" -q --mode onecopy --size 64k --duration 1s --warmup 0s --json out.json &
	within 5 sh -c 'ss -Htni | grep -q bytes_acked'
	sleep 0.3
	ss -Htinp | tr '\n' ' ' | grep -o 'netio-loadgen.*' | grep -o 'bytes_acked:[0-9]*' |
		sort -t: -k2 -n | tail -n 1 | cut -d: -f2 >acked
	wait $!
	echo "ss: $(cat acked), ledger: $(jq '.runs[0].ledger.tx_copy.bytes' out.json)"
	[ "$(cat acked)" -gt 0 ]
	[ "$(cat acked)" -le "$(jq '.runs[0].ledger.tx_copy.bytes + 4096' out.json)" ]
}
