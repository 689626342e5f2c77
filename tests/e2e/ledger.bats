#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The books of real traffic balance to the byte, in every mode, size, path and thread count. The
# expected bytes are the load generator's own totals.

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
}

# Conditions for every run of a document; prints the name of each that fails.
# shellcheck disable=SC2016 # jq's variables, not the shell's
BOOKS='
def check(name; ok): if ok then empty else name end;
# Lost pairs are counted only if the plan pairs a beginning with an end: tracepoints do not.
([.plan[] | .backend | strings] | any(. != "tracepoint" and . != "iterator" and . != "none")) as $pairs
| [ .runs[] | . as $r
  | "\(.mode) round \(.round): " as $who
  | check($who + "unaccounted_tx \(.ledger.unaccounted_tx)"; .ledger.unaccounted_tx == 0),
    check($who + "unaccounted_rx \(.ledger.unaccounted_rx)"; .ledger.unaccounted_rx == 0),
    check($who + "rx_bytes is not tx_bytes"; .app.rx_bytes == .app.tx_bytes),
    check($who + "rx_messages is not tx_messages"; .app.rx_messages == .app.tx_messages),
    check($who + "tx_bytes is not messages x size"; .app.tx_bytes == .app.tx_messages * .size),
    check($who + "nothing was sent"; .app.tx_messages > 0),
    check($who + "missed \(.health.missed)"; .health.missed == 0),
    check($who + "a loss that cannot be counted is given as a number"; .health.dropped == null and ($pairs or .health.unmatched == null)),
    check($who + "unmatched \(.health.unmatched)"; ($pairs | not) or .health.unmatched == 0),
    check($who + "unclassified \(.ledger.unclassified)"; .ledger.unclassified == 0),
    check($who + "zero-copy sends not completed"; .app.zerocopy.sends == .app.zerocopy.completed),
    check($who + "copies_per_byte \(.ledger.copies_per_byte)";
        # What else the kernel copied is counted, too: a slow receiver collapses small packets of its queue.
        (.ledger.copies_per_byte - (.ledger.other_copy.bytes // 0) / .app.rx_bytes - {twocopy: 3, onecopy: 2, zerocopy: 2, sendfile: 1, splice: 2, uring: 2, uringzc: 2, ktls: 3}[.mode]
         + .app.rx_uncopied_bytes / .app.rx_bytes) as $d
        | ($d | fabs) < 0.01 or (.app.tcp.bytes_retrans > 0 and $d > 0)
        # If a packet holds copied and pinned bytes, both are copied on delivery.
        or (.app.zerocopy.fallback_bytes > 0 and $d > 0 and $d < 0.01 + .app.zerocopy.fallback_bytes / .app.rx_bytes)),
    check($who + "copied_fraction \(.verdict.copied_fraction)";
        (.mode != "zerocopy" and .mode != "uringzc") or .verdict.copied_fraction == 1
        # Above RLIMIT_MEMLOCK: every send fell back to copying, none was zero-copy.
        or (.verdict.copied_fraction == null and .app.zerocopy.enobufs == .app.tx_messages)),
    check($who + "kernel saw other completions than the application";
        (.mode != "zerocopy" and .mode != "uringzc") or .kernel_zerocopy.completed == .app.zerocopy.completed),
    # TCP counts what the records of kTLS add.
    check($who + "TCP_INFO bytes_acked \(.app.tcp.bytes_acked) is not tx_bytes";
        .app.tcp.bytes_acked == .app.tx_bytes + .tls_tx.overhead),
    check($who + "TCP_INFO bytes_received is not rx_bytes";
        .app.tcp.bytes_received == .app.rx_bytes + .tls_rx.overhead)
] | .[]'

balanced() {
	local wrong

	wrong=$(jq -r "$BOOKS" "$1")
	[ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

# matrix PATH THREADS: thousands of messages in each tenth of a second. Without sampled rounds,
# whose books cpu.bats checks.
matrix() {
	local size

	for size in 64 1000 4k 64k 1m; do
		echo "size $size"
		"$NETIOTRACE" -q --mode all --size "$size" --threads "$2" --path "$1" --rounds 1 \
			--duration 100ms --warmup 20ms --no-cpu --no-times --json out.json
		[ "$(jq '.runs | length' out.json)" -eq 3 ]
		balanced out.json
	done
}

@test "books balance: loopback, 1 thread, 64 bytes to 1 MiB" {
	matrix loopback 1
}

# bats test_tags=address,thread
@test "books balance: loopback, 4 threads, 64 bytes to 1 MiB" {
	matrix loopback 4
}

@test "books balance: veth, 1 thread, 64 bytes to 1 MiB" {
	matrix veth 1
}

@test "books balance: veth, 4 threads, 64 bytes to 1 MiB" {
	matrix veth 4
}

@test "books balance: IPv6 on loopback and veth" {
	[ -e /proc/net/if_inet6 ] || skip "this kernel has no IPv6"
	for path in loopback veth; do
		"$NETIOTRACE" -q --ipv6 --path "$path" --rounds 1 --duration 300ms --warmup 20ms --json out.json
		balanced out.json
	done
}

@test "books balance: 16 MiB messages, 64 fields, 16 threads, verified" {
	"$NETIOTRACE" -q --size 16m --fields 64 --threads 16 --messages 48 --warmup 0s --verify \
		--json out.json
	balanced out.json
	[ "$(jq '[.runs[].app.verify_errors] | add' out.json)" -eq 0 ]
}

@test "books balance with small messages when every send call is counted" {
	"$NETIOTRACE" -q --size 256 --count-calls --rounds 1 --duration 300ms --warmup 20ms --json out.json
	balanced out.json
	jq -e '[.runs[] | select(.mode != "zerocopy") | .ledger.tx_copy.events == .app.tx_messages] | all' \
		out.json
}

@test "books balance with a small MTU, small buffers and TCP_NODELAY" {
	"$NETIOTRACE" -q --path veth --mtu 1280 --sndbuf 16k --rcvbuf 16k --nodelay --size 10000 \
		--rounds 1 --duration 300ms --json out.json
	balanced out.json
	[ "$(jq .environment.mtu out.json)" -eq 1280 ]
}

# spliced FILE: every byte is in tx_splice and rx_copy, and in no other stage of the kernel. Mode splice also copies
# each byte into a pipe.
spliced() {
	jq -e '[.runs[] | .app.tx_bytes as $n | (if .mode == "splice" then 1 else 0 end) as $piped
		| .ledger | .tx_splice.bytes == $n and .rx_copy.bytes == $n and .user_gather.bytes == $piped * $n
		and .tx_copy.bytes == 0 and .tx_pin.bytes == 0 and .deferred_copy.bytes == 0
		and .copies_per_byte == 1 + $piped] | all' "$1"
}

# bats test_tags=address,guest
@test "books balance in the modes sendfile and splice: every byte is spliced, none is copied by the send call" {
	local mode path size

	for mode in splice sendfile; do
		for path in loopback veth; do
			for size in 64 1000 64k 1m; do
				"$NETIOTRACE" -q --mode "$mode" --path "$path" --size "$size" --duration 100ms \
					--warmup 20ms --no-cpu --no-times --json out.json
				balanced out.json
				spliced out.json
			done
			"$NETIOTRACE" -q --mode "$mode" --path "$path" --threads 2 --connections 64 --size 100000 \
				--messages 640 --warmup 20ms --no-cpu --no-times --json out.json
			balanced out.json
			spliced out.json
			[ "$(jq '.runs[0].app.tx_bytes' out.json)" -eq 64000000 ]
		done
	done
	"$NETIOTRACE" -q --mode splice --verify --request-response --header 100 --fields 7 --size 100001 --pipe-size 256k \
		--messages 50 --warmup 0s --no-cpu --no-times --json out2.json
	# 50 messages of 100101 bytes, each with a reply by plain send().
	jq -e '.runs[0] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0 and .app.verify_errors == 0
		and .ledger.user_gather.bytes == 5005050 and .ledger.tx_splice.bytes == 5005050
		and .ledger.tx_copy.bytes == 5005050 and .ledger.rx_copy.bytes == 10010100
		and .health.coverage == 1' out2.json
	chmod 777 .
	mkdir -m 777 files
	"$NETIOTRACE" -q --mode sendfile --file-dir files --size 100k --messages 50 --warmup 0s --no-cpu --no-times --json out3.json
	spliced out3.json
	[ "$(jq -c '[.settings.file_dir, .runs[0].app.tx_bytes]' out3.json)" = '["files",5120000]' ]
	jq -e '.runs[0].app.latency_ns.delivery | .count == null and (.reason | test("no time of sending"))' out.json
}

# taken WAY FILE: the load generator's own count, the sockets and the stages of WAY agree to the byte.
taken() {
	jq -e --arg way "$1" '.runs[0] | .app.rx_bytes as $n | .app.rx_uncopied_bytes as $uncopied | .ledger
		| [.rx_copy, .rx_map, .rx_discard, .rx_splice] | map(.bytes)
		| add == $n and .[1:] == ({mmap: [$uncopied, 0, 0], trunc: [0, $n, 0], splice: [0, 0, $n]}[$way] // [0, 0, 0])' \
		"$2" && return
	jq -c '.runs[0] | [.mode, .app.rx_bytes, .app.rx_uncopied_bytes, (.ledger | map_values(.bytes?)), .uncovered]' "$2"
	return 1
}

# On loopback, whole pages of a pipe and of the deferred copy can be mapped.
# bats test_tags=address,guest
@test "books balance with each way to receive: each stage has what the load generator mapped, dropped or spliced" {
	local way mode connections mapped=0

	for way in recv mmap trunc splice uring multishot bundle; do
		"$LOADGEN" --receive "$way" --messages 1 >/dev/null 2>err || {
			grep -q -- "--receive $way cannot work here" err
			echo "# --receive $way is not tested: $(cat err)" >&3
			continue
		}
		while read -r mode connections; do
			"$NETIOTRACE" -q --mode "$mode" --receive "$way" --connections "$connections" --messages 640 \
				--warmup 0 --count-calls --no-cpu --no-times --json out.json
			balanced out.json
			# Also the first bytes of each connection.
			jq -e '.runs[0].health | .coverage == 1 or .missed > 0' out.json
			taken "$way" out.json
			[ "$way" != mmap ] || mapped=$(jq '.runs[0].app.rx_uncopied_bytes' out.json)
			[ "$way" != mmap ] || [ "$mode" = splice ] || [ "$mapped" -eq 0 ]
			[ "$way.$mode" != mmap.splice ] || [ "$mapped" -gt 20971520 ]
		done <<-'EOF'
			splice 1
			sendfile 64
		EOF
	done
	# The sockets count what events of a part of the time miss.
	"$NETIOTRACE" -q --mode zerocopy --receive mmap --duration 700ms --no-cpu --no-times --json out.json
	taken mmap out.json
	jq -e '.runs[0] | (.uncovered | length) == 0' out.json
}

# need_mode MODE: skips only where the load generator refuses the mode for this kernel.
need_mode() {
	"$LOADGEN" --mode "$1" --messages 1 >/dev/null 2>err && return
	! grep -q "Mode $1 cannot run here" err || skip "$(cat err)"
	cat err
	return 1
}

# groups_balance MODE: the same if chains of 8 messages are sent, which small buffers break.
groups_balance() {
	local connections size messages sndbuf

	"$LOADGEN" --mode "$1" --uring-depth 8 --messages 1 >/dev/null 2>err || {
		grep 'as --uring-depth needs' err
		run -3 "$NETIOTRACE" --mode "$1" --uring-depth 8 --backend none --json out.json
		echo "# --uring-depth is not tested: $(cat err)" >&3
		return
	}
	while read -r connections size messages sndbuf; do
		"$NETIOTRACE" -q --mode "$1" --uring-depth 8 --connections "$connections" --size "$size" --messages "$messages" \
			--sndbuf "$sndbuf" --verify --warmup 20ms --no-cpu --no-times --json out.json
		balanced out.json
		jq -e --argjson n "$messages" '.settings.uring_depth == 8 and (.runs[0] | .app.tx_messages == $n
			and .ledger.tx_pin.bytes + .ledger.tx_copy.bytes == .app.tx_bytes and (.uncovered | length) == 0)' out.json
	done <<-CASES
		1 100 8003 16k
		1 1m 43 512k
		64 100 8003 16k
		64 16k 2003 16k
	CASES
}

# bats test_tags=address,guest
@test "books balance in uring mode: every byte is copied once by the send, and strace sees no sendmsg()" {
	local path size

	need_mode uring
	for path in loopback veth; do
		for size in 64 1000 64k 1m; do
			"$NETIOTRACE" -q --mode uring --path "$path" --size "$size" --duration 100ms --warmup 20ms \
				--no-cpu --no-times --json out.json
			balanced out.json
			jq -e '.runs[0] | .ledger.tx_copy.bytes == .app.tx_bytes and (.uncovered | length) == 0' out.json
		done
		"$NETIOTRACE" -q --mode uring --path "$path" --threads 2 --connections 64 --size 100000 \
			--messages 640 --warmup 20ms --no-cpu --no-times --json out.json
		balanced out.json
		jq -e '.runs[0] | .ledger.tx_copy.bytes == 64000000 and .health.coverage == 1 and (.uncovered | length) == 0' \
			out.json
	done
	groups_balance uring
	need_tool strace
	chmod 777 .
	# LeakSanitizer refuses to work under strace.
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace --seccomp-bpf -f -qq -e trace=io_uring_enter,sendmsg -o calls \
		"$LOADGEN" --mode uring --size 100k --messages 203 \
		--verify --sndbuf 16k --json >app.json
	jq -e '.receiver.rx_bytes == 203 * 102400 and .receiver.verify_errors == 0' app.json
	[ "$(grep -c 'io_uring_enter(' calls)" -ge 203 ]
	run ! grep -q 'sendmsg(' calls
}

# On these paths the kernel copies all pinned pages as they arrive. The memory of one user that may be pinned is limited.
# bats test_tags=address,guest
@test "books balance in uringzc mode: every byte is pinned by the send and copied on arrival" {
	local path size

	pins_much
	need_mode uringzc
	for path in loopback veth; do
		for size in 64 1000 64k 1m; do
			"$NETIOTRACE" -q --mode uringzc --path "$path" --size "$size" --duration 100ms --warmup 20ms \
				--no-cpu --no-times --json out.json
			balanced out.json
			jq -e '.runs[0] | .app.tx_bytes as $n | .app.zerocopy.fallback_bytes as $copied
				| .ledger.tx_pin.bytes == $n - $copied and .ledger.tx_copy.bytes == $copied
				and (.uncovered | length) == 0' out.json
		done
		"$NETIOTRACE" -q --mode uringzc --fixed-buffers --fields 1 --path "$path" --size 64k --messages 100 --warmup 20ms \
			--no-cpu --no-times --json out.json
		balanced out.json
		jq -e '.settings.fixed_buffers and (.runs[0].ledger | .tx_pin.bytes == 6553600 and .tx_copy.bytes == 0)' out.json
		"$NETIOTRACE" -q --mode uringzc --path "$path" --threads 2 --connections 64 --size 10000 \
			--messages 6400 --warmup 20ms --no-cpu --no-times --json out.json
		balanced out.json
		jq -e '.runs[0] | .app.zerocopy.fallback_bytes as $copied | .ledger.tx_pin.bytes == 64000000 - $copied
			and .ledger.tx_copy.bytes == $copied' out.json
	done
	groups_balance uringzc
	# Where nothing shows the messages, the mode says how they were sent.
	"$NETIOTRACE" -q --mode uringzc --size 64k --messages 50 --warmup 0s --without tcp_sendmsg_locked --no-cpu \
		--no-times --json out.json
	jq -e '.runs[0] | .ledger.tx_pin.bytes + .app.zerocopy.fallback_bytes == 50 * 65536 and .ledger.unaccounted_tx == 0
		and .ledger.deferred_copy.bytes == null and (.verdict.text | test("reports to the program"))' out.json
}

# A record has at most 16384 bytes of plaintext, and TLS 1.3 with AES-GCM adds 22.
# bats test_tags=address,guest
@test "books balance in ktls mode: the cipher copies at both ends, and the receive call once more" {
	local path size

	need_mode ktls
	for path in loopback veth; do
		for size in 100 65536 1048576; do
			"$NETIOTRACE" -q --mode ktls --path "$path" --size "$size" --messages 100 --warmup 20ms --no-cpu --json out.json
			balanced out.json
			jq -e --argjson records "$(((size + 16383) / 16384))" '.runs[0] | .app.tx_bytes as $n | .ledger.tls_copy.bytes == 2 * $n
				and .ledger.rx_copy.bytes == $n and .ledger.tx_copy.bytes == 0 and .ledger.tx_splice.bytes == 0
				and .tls_tx == .tls_rx and .tls_tx.bytes == $n and .tls_tx.overhead == .tls_tx.records * 22
				and .tls_tx.records == 100 * $records and .ledger.copies_per_byte == 3 and (.uncovered | length) == 0' out.json
		done
		"$NETIOTRACE" -q --mode ktls --path "$path" --connections 64 --duration 300ms --warmup 20ms --no-cpu --json out.json
		balanced out.json
		jq -e '.runs[0].ledger.copies_per_byte == 3' out.json
	done
}

# The load generator's own flags are the witness: on loopback the kernel reports every request as copied.
@test "uringzc: the first sentence says that all requests were copied, or fell back for want of locked memory" {
	need_mode uringzc
	"$NETIOTRACE" --mode uringzc --size 16k --messages 23 --warmup 20ms --no-cpu --no-times --json out.json >out 2>/dev/null
	jq -e '.runs[0].app.zerocopy | .copied == .completed' out.json
	tr -s ' \n' ' ' <out >line
	grep -qE 'RESULT (Zero-copy by io_uring was not zero-copy: (all [0-9]+ sends were copied after all, because|the kernel refused)|[0-9]+ of)' line
}

# The kernel sees the notifications themselves: as many as the application, and of each the bytes.
@test "uringzc: the kernel-side notifications are the application's" {
	need_mode uringzc
	"$NETIOTRACE" -q --mode uringzc --size 16k --messages 23 --warmup 20ms --no-cpu --no-times --json out.json
	balanced out.json
	if jq -e '.runs[0].kernel_zerocopy.completed == null' out.json; then
		skip "$(jq -r '.runs[0].kernel_zerocopy.reason' out.json)"
	fi
	jq -e '.runs[0] | .app.zerocopy.enobufs as $again | .app.zerocopy.sends == 23 - $again
		and .kernel_zerocopy.completed == 23 - $again and .kernel_zerocopy.copied == 23 - $again
		and .kernel_zerocopy.completed_bytes == null and .ledger.tx_pin.bytes == (23 - $again) * 16384
		and (.ledger.deferred_copy.bytes == 23 * 16384 or $again > 0)' out.json
}

# attach does not know the mode: it reads the flags of each message. Its ledger has the hellos as well.
@test "modes sendfile and splice: attach sees the same spliced bytes by the flags of the messages" {
	local mode

	for mode in sendfile splice; do
		"$NETIOTRACE" attach --json out.json -- "$LOADGEN" --mode "$mode" --size 100000 --messages 640 --json >app.json
		jq -e '.sender.tx_bytes == 64000000 and .receiver.rx_bytes == 64000000' app.json
		if jq -e '.total.ledger.tx_splice.quality == "unavailable"' out.json; then
			skip "$(jq -r .total.ledger.tx_splice.reason out.json)"
		fi
		[ "$(jq .total.ledger.tx_splice.bytes out.json)" -eq 64000000 ]
	done
}

@test "23 messages are counted as 23 by sender, receiver and document" {
	for size in 64 1000 64k 1m; do
		for threads in 1 4; do
			"$NETIOTRACE" -q --messages 23 --warmup 20ms --size "$size" --threads "$threads" \
				--json out.json
			balanced out.json
			jq -e '[.runs[] | .size as $s
				| .app.tx_messages == 23 and .app.rx_messages == 23
				and .app.tx_bytes == 23 * $s and .ledger.rx_copy.bytes == 23 * $s
				and .ledger.tx_copy.bytes + .ledger.tx_pin.bytes == 23 * $s
				and .app.latency_ns.send_call.count == 23
				and .app.latency_ns.delivery.count == 23
				and .ledger.user_gather.events == (if .mode == "twocopy" then 23 else 0 end)
				and .ledger.user_gather.bytes
					== (if .mode == "twocopy" then 23 * $s else 0 end)]
				| length == 3 and all' out.json
		done
	done
}

# A message not larger than the send buffer takes one send call.
# bats test_tags=address,thread,guest
@test "23 messages are 23 send calls, pins and completions" {
	"$NETIOTRACE" -q --messages 23 --warmup 20ms --size 16k --json out.json
	balanced out.json
	jq -e '[.runs[] | select(.mode != "zerocopy") | .ledger.tx_copy.events == 23
			and .ledger.tx_pin.events == 0] | length == 2 and all' out.json
	# A send is repeated as a copy if other tests, which run as the same user, exhausted
	# RLIMIT_MEMLOCK.
	jq -e '.runs[] | select(.mode == "zerocopy") | .app.zerocopy.enobufs as $again
			| .ledger.tx_pin.events == 23 - $again and .ledger.tx_copy.events == $again
			and .app.zerocopy.sends == 23 - $again and .app.zerocopy.copied == 23 - $again
			and .kernel_zerocopy.completed == 23 - $again and .kernel_zerocopy.copied == 23 - $again
			and (.ledger.deferred_copy.bytes == 23 * 16384 or $again > 0)' out.json
}

@test "the live text during a run names the same bytes as the final text" {
	local size

	for size in 1k 64k; do
		run -0 "$NETIOTRACE" --mode zerocopy --size "$size" --duration 400ms --warmup 20ms --interval 50ms
		[ "$(grep -c 's zero-copy .* pin [0-9]' <<<"$output")" -gt 1 ]
		run -1 grep -E 's zero-copy .* (send|pin) n/a' <<<"$output"
	done
}

@test "--mode all interleaves its rounds and summarises them" {
	"$NETIOTRACE" -q --rounds 3 --duration 300ms --json out.json
	balanced out.json
	[ "$(jq -c '[.runs[] | [.round, .mode]]' out.json)" = \
		'[[1,"twocopy"],[1,"onecopy"],[1,"zerocopy"],[2,"twocopy"],[2,"onecopy"],[2,"zerocopy"],[3,"twocopy"],[3,"onecopy"],[3,"zerocopy"]]' ]
	jq -e '[.summary[] | .rounds == 3 and .throughput_gbps.low <= .throughput_gbps.median
			and .throughput_gbps.median <= .throughput_gbps.high] | length == 3 and all' \
		out.json
}

# The plan says which stages this machine can measure; perf stat says which counters.
# bats test_tags=guest
@test "a value is null, with its reason, exactly where this machine cannot measure it" {
	local cycles=true

	need_tool perf
	perf stat -x, -e cycles true 2>&1 | grep -q 'not supported' && cycles=false
	"$NETIOTRACE" -q --mode onecopy --duration 200ms --warmup 20ms --json out.json
	jq -c '.plan[] | [.probe, .stage, .hook]' out.json
	# shellcheck disable=SC2016 # jq's variables
	jq -e --argjson cycles "$cycles" '. as $doc
		| def hooked(stage): [$doc.plan[] | select(.hook != null and (.stage | split(", ") | index(stage)))] | length > 0;
		def told($n; $reason; $can): if $can then $n != null else $n == null and ($reason | length > 0) end;
		.runs[0] | .ledger as $l
		| [told($l.other_copy.bytes; $l.other_copy.reason; hooked("other_copy")),
		told($l.tx_splice.bytes; $l.tx_splice.reason; hooked("tx_splice")),
		told(.perf.sender.cycles.value; .perf.sender.cycles.reason; $cycles),
		(.path_ns.lock != null) == hooked("path_ns"),
		.verdict.copied_fraction == null] | (., all)' out.json
}

# bats test_tags=address,guest
@test "RLIMIT_MEMLOCK exhausted: sends fall back, the books balance" {
	(ulimit -l 64 && "$NETIOTRACE" -q --mode zerocopy --size 64k --threads 2 --duration 200ms \
		--json out.json)
	balanced_fallback out.json
}

# bats test_tags=address,guest
@test "net.core.optmem_max exhausted: sends fall back or wait, the books balance" {
	# First no notification fits, then one at a time.
	with_optmem_max 128
	balanced_fallback out.json
	with_optmem_max 1024
	jq -e '.runs[0] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
		and .app.zerocopy.sends > 0 and .app.zerocopy.sends == .app.zerocopy.completed' out.json
}

with_optmem_max() { # BYTES
	unshare --net bash -c "ip link set lo up && echo $1 >/proc/sys/net/core/optmem_max" ||
		skip "net.core.optmem_max is not per network namespace here"
	unshare --net bash -c "ip link set lo up && echo $1 >/proc/sys/net/core/optmem_max &&
		'$NETIOTRACE' -q --mode zerocopy --size 400k --duration 300ms --json out.json"
	[ "$(jq .environment.optmem_max out.json)" -eq "$1" ]
}

# refused_as_counted FILE ERROR KEY: the kernel refused as many send calls with this error as the load generator counts
# under KEY, and none with another. Kprobes do not see returns.
refused_as_counted() {
	jq -e '.plan | any(.probe == "send_return" and .hook != null and .backend != "kprobe")' "$1" ||
		{ jq -e '.runs[0].refused | .enobufs == null and .enobufs_reason != null' "$1" && return; }
	jq -e --arg error "$2" --arg key "$3" '.runs[0] | getpath($key | split(".")) as $n
		| $n > 0 and .refused[$error] == $n and ([.refused[]] | add) == $n' "$1" ||
		{ jq -c '.runs[0] | .refused, .app' "$1" && return 1; }
}

# A call that could wait for a completion is refused once more: with 512 bytes nothing is ever pinned.
# bats test_tags=guest
@test "refused send calls of a run are as many as the load generator counts, by error" {
	local run=("$NETIOTRACE" -q --rounds 1 --warmup 20ms --count-calls --json out.json)

	unshare --net sh -c 'ip link set lo up && echo 512 >/proc/sys/net/core/optmem_max' ||
		skip "net.core.optmem_max is not per network namespace here"
	# shellcheck disable=SC2016 # the inner shell's
	unshare --net sh -c 'ip link set lo up && echo 512 >/proc/sys/net/core/optmem_max && exec "$@"' - \
		"${run[@]}" --mode zerocopy --size 4k --messages 500
	refused_as_counted out.json enobufs app.zerocopy.enobufs
	"${run[@]}" --mode twocopy --size 1m --sndbuf 16k --connections 4 --threads 1 --duration 300ms
	refused_as_counted out.json eagain app.eagain
}

# With fallbacks some bytes are copied in the send call, the others pinned.
balanced_fallback() {
	jq -e '.runs[0] | .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
		and .app.rx_bytes == .app.tx_bytes
		and .app.zerocopy.sends == .app.zerocopy.completed' "$1"
	jq -e '.runs[0] | .app.zerocopy.enobufs > 0 and .ledger.tx_copy.bytes > 0' "$1"
}

@test "rounds add up to the summary's latencies, and CPU time is positive" {
	"$NETIOTRACE" -q --mode zerocopy --duration 300ms --json out.json
	jq -e '.runs[0] | .app.latency_ns.completion.count == .app.zerocopy.completed
		and .app.latency_ns.send_call.p50 <= .app.latency_ns.send_call.p99
		and .app.latency_ns.send_call.p99 <= .app.latency_ns.send_call.max' out.json
	jq -e '.runs[0] | .app.latency_ns.recv_call.count > 0
		and .app.latency_ns.recv_call.max <= .duration_s * 1e9 + 1
		and .app.latency_ns.recv_call.reason == null' out.json
}

# --without HOOK simulates a kernel that lacks the hook: the stage is n/a with its reason, the run
# goes on.
# bats test_tags=address,guest
@test "without a hook its stage is unavailable and the other stages still balance" {
	run "$NETIOTRACE" --mode zerocopy --size 64k --messages 23 --warmup 20ms --json out.json --without tp_btf/netif_receive_skb \
		--backend tracepoint
	[ "$status" -eq 0 ]
	[[ $output == *"withheld by --without"* ]]
	jq -e '.runs[0].ledger | .deferred_copy.bytes == null and .deferred_copy.quality == "unavailable" and
		.deferred_copy.reason == "withheld by --without" and .unaccounted_tx == 0 and .unaccounted_rx == 0' out.json
	run "$NETIOTRACE" --mode zerocopy --without no_such_hook
	[ "$status" -eq 2 ]
	[[ $output == *no_such_hook* ]]
}

# bats test_tags=address
@test "a kernel without the iterator that reads the sockets is refused" {
	run "$NETIOTRACE" --mode onecopy --messages 23 --warmup 20ms --backend tracepoint --without iter/task_file
	[ "$status" -eq 3 ]
	[[ $output == *"doctor"* ]]
}
