#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Other tools' counts of the same traffic: the kernel's own counters, bpftrace and ss; and traffic
# of other processes, which must not be in the ledger.

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	stop_jobs
}

# bpftrace finds tracepoints through tracefs, mounted in its own mount namespace.
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

# bpftrace sums, by process, the bytes that receiving threads of load generators copy: others may
# run at the same time.
@test "rx_copy equals what bpftrace sums on skb_copy_datagram_iovec" {
	start_bpftrace 'BEGIN { printf("attached\n"); }
		tracepoint:skb:skb_copy_datagram_iovec /comm == "nio-reader"/ { @bytes[pid] = sum(args->len); }'
	"$NETIOTRACE" -q --mode onecopy --size 10000 --messages 2000 --warmup 0s --threads 2 \
		--json out.json
	interrupt_until_ended "$BPFTRACE"
	cat bpftrace.out
	[ "$(jq '.runs[0].ledger.rx_copy.bytes' out.json)" -eq 20000000 ]
	grep -q '^@bytes\[[0-9]*\]: 20000000$' bpftrace.out
}

# octets MESSAGES: bytes of IP packets sent in a network namespace of its own, without headers (40
# bytes and 12 of the timestamp option each), retransmitted bytes and payload. The rest belongs to
# the connections and does not depend on the number of messages.
octets() {
	unshare --net bash -c "
		counters() {
			awk '/^IpExt:/ && !/In/ { octets = \$9 }
				/^Ip:/ && !/Forwarding/ { packets = \$11 } END { print octets - 52 * packets }' \
				/proc/net/netstat /proc/net/snmp
		}
		ip link set lo up
		# No optional TCP options: each header has 52 bytes.
		echo 0 | tee /proc/sys/net/ipv4/tcp_{sack,dsack,early_retrans} >/dev/null
		before=\$(counters)
		'$NETIOTRACE' -q --mode onecopy --size 64k --messages $1 --warmup 0s --json out.json
		echo \$((\$(counters) - before))" >left
	echo $(($(cat left) - $(jq '.runs[0] | .ledger.tx_copy.bytes + .app.tcp.bytes_retrans' out.json)))
}

@test "the ledger agrees with the kernel's count of bytes sent by IP, to the byte" {
	local few many

	few=$(octets 23)
	[ "$(jq '.runs[0].ledger.tx_copy.bytes' out.json)" -eq $((23 * 65536)) ]
	many=$(octets 1523)
	[ "$(jq '.runs[0].ledger.tx_copy.bytes' out.json)" -eq $((1523 * 65536)) ]
	echo "besides payload and headers: $few and $many bytes; again: $(jq '.runs[0].app.tcp.bytes_retrans' out.json)"
	[ "$few" -gt 0 ]
	[ "$few" -eq "$many" ]
}

@test "two parallel runs do not see each other's bytes" {
	"$NETIOTRACE" -q --mode twocopy --size 64k --duration 500ms --json a.json &
	"$NETIOTRACE" -q --mode zerocopy --size 4k --duration 500ms --json b.json
	wait $!
	for f in a b; do
		jq -e '.runs[0] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
			and .app.tx_bytes > 0' "$f.json"
	done
	[ "$(jq '.runs[0].ledger.tx_pin.bytes' a.json)" -eq 0 ]
	[ "$(jq '.runs[0].ledger.deferred_copy.bytes' a.json)" -eq 0 ]
	# Sends refused by RLIMIT_MEMLOCK were copied, as the load generator counts them: the limit
	# is shared with other processes of the user.
	jq -e '.runs[0] | .ledger.tx_copy.bytes == .app.zerocopy.fallback_bytes' b.json
}

@test "a parallel iperf3 does not enter the ledger" {
	command -v iperf3 >/dev/null || skip "iperf3 is not installed"
	port=$(free_port)
	iperf3 --server --one-off --bind 127.0.0.1 --port "$port" >server.log &
	within 5 ss_listens "$port"
	iperf3 --client 127.0.0.1 --port "$port" --time 600 --zerocopy --forceflush >client.log &
	client=$!
	within 5 grep -q 'bits/sec' client.log
	"$NETIOTRACE" -q --rounds 1 --duration 300ms --warmup 20ms --json out.json
	kill -0 "$client"
	interrupt_until_ended "$client"
	jq -e '[.runs[] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0]
		| length == 3 and all' out.json
}

# acked MESSAGES: bytes that ss reports as acknowledged when the sender's socket was closed, in a
# network namespace of its own without other sockets.
acked() {
	unshare --net bash -c "
		ip link set lo up
		timeout 60 stdbuf -oL ss -Etni >events 3>&- &
		ss=\$!
		# ss prints nothing before the first socket closes: opens one that is refused.
		until [ -s events ]; do (exec 9<>/dev/tcp/127.0.0.1/9) 2>/dev/null; sleep 0.05; done
		'$NETIOTRACE' -q --mode onecopy --size 64k --messages $1 --warmup 0s --json $1.json
		for _ in {1..100}; do
			acked=\$(grep -o 'bytes_acked:[0-9]*' events | cut -d: -f2 | sort -n | tail -n 1)
			[ \"\${acked:-0}\" -lt $(($1 * 65536)) ] || break
			sleep 0.05
		done
		kill \$ss
		echo \"\${acked:-0}\""
}

# The socket also sent the bytes of its handshake, equal in both runs.
@test "ss agrees with the ledger, to the byte" {
	local few many

	few=$(acked 23)
	many=$(acked 1523)
	echo "ss: $few and $many, ledger: $(jq '.runs[0].ledger.tx_copy.bytes' 23.json 1523.json | paste -sd ' ')"
	[ $((many - few)) -eq $((1500 * 65536)) ]
	[ $((many - few)) -eq $(($(jq '.runs[0].ledger.tx_copy.bytes' 1523.json) - $(jq '.runs[0].ledger.tx_copy.bytes' 23.json))) ]
}
