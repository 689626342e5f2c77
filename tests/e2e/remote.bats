#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --connect and serve: the receiver on another machine, here another network namespace. Two unnamed
# namespaces, each held by a process and connected by a veth pair, which ends with them.
# shellcheck disable=SC2030,SC2031

load ../lib

HERE4=198.18.77.1 THERE4=198.18.77.2 HERE6=fd00:6e:77::1 THERE6=fd00:6e:77::2
PORT=5201

setup() {
	need_root
	need_tool jq ip nsenter unshare python3 hostname
	cd "$BATS_TEST_TMPDIR" || return
	chmod 755 .
	HERE=$(machine)
	THERE=$(machine)
	here ip link add veth0 mtu 4000 type veth peer name veth1 mtu 4000 netns "$THERE"
	configure here veth0 "$HERE4" "$HERE6"
	configure there veth1 "$THERE4" "$THERE6"
	there hostname there.example
	within 3 carries "$THERE4"
	note_before
}

teardown() {
	local pid

	for pid in ${SENDER-} ${FAILS-} ${SERVER-} ${STRANGER-} ${SINKS-} ${TAP-} ${HERE-} ${THERE-} ${BETWEEN-}; do
		kill -9 "$pid" 2>/dev/null || true
		# One at a time: wait without a PID would wait for the countdown of bats.
		wait "$pid" 2>/dev/null || true
	done
}

# machine: starts a process in a network namespace of its own and prints its PID.
machine() {
	unshare --net --uts sleep 600 </dev/null >/dev/null 2>&1 3>&- &
	until [ "$(readlink /proc/self/ns/net)" != "$(readlink "/proc/$!/ns/net")" ]; do
		sleep 0.01
	done
	echo $!
}

here() {
	nsenter -t "$HERE" -n "$@"
}

there() {
	nsenter -t "$THERE" -n -u "$@"
}

configure() { # MACHINE DEVICE IPV4 IPV6
	"$1" ip link set lo up
	"$1" ip addr add "$3/24" dev "$2"
	"$1" ip addr add "$4/64" dev "$2" nodad
	"$1" ip link set "$2" up
}

# carries ADDRESS: packets pass, since a closed port is reported as refused.
carries() { # ADDRESS
	here bash -c "exec 3<>/dev/tcp/$1/1" 2>&1 | grep -q refused
}

# connected: the sender's control and data connections are established.
connected() {
	[ "$(here ss -Htn state established "dport = :$PORT" | wc -l)" -ge 2 ]
}

# begin ARGS...: a run of 60 s in the background, in its measured phase; $SENDER is its PID.
begin() {
	rm -f stderr
	in_background here "$NETIOTRACE" -v --mode onecopy --warmup 20ms --duration 60s --connect "$THERE4:$PORT" "$@" \
		>stdout 2>stderr </dev/null
	SENDER=$!
	within 5 grep -qs ': measuring$' stderr
}

# serve ADDRESS [ARGS...]: starts netiotrace serve on the other machine and waits until it is ready;
# without --token every sender gets its half. $SERVER is its PID.
serve() {
	[[ " $* " == *" --token "* ]] || set -- "$@" --insecure
	in_background there "$NETIOTRACE" serve --listen "$@" >serve.out 2>serve.err
	SERVER=$!
	within 3 grep -q '^ready: listening on ' serve.out || {
		cat serve.out serve.err
		return 1
	}
}

end_serve() {
	local code=0

	kill -INT "$SERVER"
	wait "$SERVER" || code=$?
	[ "$code" -eq 0 ] || { cat serve.err; return 1; }
}

# in_background MACHINE COMMAND...: starts COMMAND there directly, so $! is its PID.
in_background() {
	local -n holder=${1^^}

	shift
	nsenter -t "$holder" -n -u "$@" 3>&- &
}

# stranger PYTHON: an unrelated program listens on the port; c is a connection to it.
stranger() {
	rm -f listening
	in_background there python3 -c "
import socket, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('$THERE4', $PORT))
s.listen()
open('listening', 'w')
c = s.accept()[0]
$1"
	STRANGER=$!
	within 3 test -e listening
}

# fails_promptly PATTERN ARGS...: exit 1 with one sentence that matches, no output.
fails_promptly() {
	fails promptly "$@"
}

# times_out PATTERN ARGS...: the same, after netiotrace's time-out.
times_out() {
	fails "within 8" "$@"
}

fails() { # HOW PATTERN ARGS...
	local how=$1 pattern=$2 code=0

	shift 2
	in_background here "$NETIOTRACE" --mode onecopy --messages 23 --warmup 20ms --json out.json "$@" \
		>stdout 2>stderr </dev/null
	FAILS=$!
	$how has_ended "$FAILS" || return 1
	wait "$FAILS" || code=$?
	echo "exit $code"
	cat stderr
	[ "$code" -eq 1 ] && [ "$(wc -l <stderr)" -eq 1 ] &&
		grep -q '^netiotrace: ' stderr && grep -q -- "$pattern" stderr && [ ! -e out.json ]
}

# Conditions for every run over two machines; prints each that fails. $both: the receiver's machine
# measures its half. Both namespaces have one clock, so that delivery is measured.
# shellcheck disable=SC2016 # jq's variables, not the shell's
LEDGER_CHECKS='
def check(name; ok): if ok then empty else name end;
def unknown(object; key): object[key] == null
    and ((object[key + "_reason"] // object.reason) | contains("another machine"));
[ .runs[] | "\(.mode) round \(.round): " as $who
  | check($who + "unaccounted_tx \(.ledger.unaccounted_tx)"; .ledger.unaccounted_tx == 0),
    check($who + "rx_bytes \(.app.rx_bytes)"; .app.tx_bytes > 0 and .app.rx_bytes == .app.tx_bytes),
    check($who + "bytes_acked"; .app.tcp.bytes_acked == .app.tx_bytes),
    check($who + "sender CPU"; .app.cpu_s.sender > 0),
    (if $both then
        check($who + "unaccounted_rx \(.ledger.unaccounted_rx)"; .ledger.unaccounted_rx == 0),
        check($who + "rx_copy \(.ledger.rx_copy.bytes)"; .ledger.rx_copy.quality == "exact"
            and .ledger.rx_copy.bytes == .app.tx_bytes),
        check($who + "sequence \(.sequence.rx_bytes)"; .sequence.rx_bytes == .app.tx_bytes),
        check($who + "bytes_received"; .app.tcp.bytes_received == .app.tx_bytes),
        check($who + "side"; .ledger.copies_per_byte_side == "both"
            and (.ledger.copies_per_byte_excludes | index("rx_copy") | not)),
        check($who + "delivery"; .app.latency_ns.delivery.count > 0),
        check($who + "recv_call"; .app.latency_ns.recv_call.count > 0),
        check($who + "context switches"; .perf.receiver.context_switches.value > 0),
        check($who + "receiver CPU"; .app.cpu_s.receiver > 0)
    else
        check($who + "unaccounted_rx"; unknown(.ledger; "unaccounted_rx")),
        check($who + "rx_copy"; .ledger.rx_copy.quality == "unavailable"
            and .ledger.rx_copy.bytes == null),
        check($who + "side"; .ledger.copies_per_byte_side == "sender"
            and (.ledger.copies_per_byte_excludes | index("rx_copy") | not))
    end),
    # This path is local, so all zero-copy bytes are copied. Retransmitted packets, and packets that
    # hold copied and pinned bytes, are copied in addition. A kernel may show some arrivals to no
    # program (docs/KERNELS.md): then a smaller count is marked as a lower bound.
    check($who + "copies_per_byte \(.ledger.copies_per_byte), \(.app.tcp.bytes_retrans) sent again";
        if .mode == "zerocopy" then
            (.ledger.deferred_copy.bytes - .ledger.tx_pin.bytes) as $d
            | $d <= .app.tcp.bytes_retrans + .ledger.tx_copy.bytes
                and ($d >= 0 or (.ledger.deferred_copy | .bytes_at_most >= .bytes - $d
                    and (.reason | startswith("a lower bound: the kernel reports sends"))))
        else .ledger.copies_per_byte == ({twocopy: 2, onecopy: 1}[.mode] + if $both then 1 else 0 end) end),
    check($who + "throughput"; .app.throughput_gbps * .duration_s * 1e9 / 8 / .app.rx_bytes
        | . > 0.999999 and . < 1.000001)
] | .[]'

# balanced DOCUMENT: both sides. sender_balanced: the receiver's machine measures nothing.
balanced() {
	check_ledger true "$1"
}

sender_balanced() {
	check_ledger false "$1"
}

check_ledger() { # BOTH DOCUMENT
	local wrong

	wrong=$(jq -r --argjson both "$1" "$LEDGER_CHECKS" "$2")
	[ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

# A third namespace, with a bridge that also connects the two and has an address itself.
BRIDGED_HERE=198.18.79.1 BRIDGED_THERE=198.18.79.2 BRIDGE=198.18.79.3
bridged() {
	BETWEEN=$(machine)
	between ip link add br0 type bridge
	between ip addr add "$BRIDGE/24" dev br0
	between ip link set br0 up
	port_of_bridge here "$HERE" port0 "$BRIDGED_HERE"
	port_of_bridge there "$THERE" port1 "$BRIDGED_THERE"
	within 3 carries "$BRIDGED_THERE"
}

port_of_bridge() { # MACHINE PID PORT IPV4
	between ip link add "$3" type veth peer name far netns "$2"
	between ip link set "$3" master br0 up
	"$1" ip addr add "$4/24" dev far
	"$1" ip link set far up
}

between() {
	nsenter -t "$BETWEEN" -n "$@"
}

# copied_once MACHINE ADDRESS: bytes pinned and sent over the bridge to a program there are counted
# as copied once.
copied_once() {
	rm -f port
	in_background "$1" "$REPO/tests/e2e/sockets.py" sink "$2" port
	SINKS="${SINKS-} $!"
	within 20 test -s port
	here "$NETIOTRACE" attach -q --count-calls --json out.json -- \
		"$BUILD_DIR/tests/e2e/no_errqueue_sender" "$2" "$(<port)" 500 65536 >sent
	jq -c '.total | .ledger.tx_pin.bytes, .ledger.deferred_copy.bytes, .socket.tx_retrans' out.json
	# Retransmitted bytes are copied again, unless they are dropped before delivery.
	jq -e --argjson sent "$(<sent)" '.total | .ledger.tx_pin.bytes == $sent
		and .ledger.deferred_copy.bytes >= $sent
		and .ledger.deferred_copy.bytes <= $sent + .socket.tx_retrans
		and .verdict.cause == "delivered_here"' out.json
}

# A packet that arrives at a bridge port arrives a second time where it is delivered.
@test "bridge: attach counts each zero-copy byte that is copied on delivery once" {
	bridged
	copied_once there "$BRIDGED_THERE"
	copied_once between "$BRIDGE"
}

@test "bridge: attach counts bytes that are copied at the bridge port for a packet capture" {
	bridged
	in_background between python3 -c "
import socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(('port0', 3))
open('captures', 'w')
time.sleep(600)"
	TAP=$!
	within 20 test -e captures
	copied_once there "$BRIDGED_THERE"
	copied_once between "$BRIDGE"
}

@test "bridge: the books of both sides balance in every mode" {
	bridged
	serve "$BRIDGED_THERE:$PORT"
	here "$NETIOTRACE" -q --mode all --rounds 1 --duration 600ms --warmup 20ms --no-times --no-cpu --json out.json \
		--connect "$BRIDGED_THERE:$PORT" </dev/null
	balanced out.json
	end_serve
}

# bats test_tags=address,thread
@test "two machines: the books of both balance in every mode; one receiver serves all rounds" {
	there sh -c 'echo 4096 65536 2097152 >/proc/sys/net/ipv4/tcp_rmem'
	serve "$THERE4:$PORT" -v
	here "$NETIOTRACE" --mode all --rounds 3 --duration 600ms --warmup 20ms --threads 3 --no-times --details --json out.json \
		--connect "$THERE4:$PORT" >text 2>stderr </dev/null
	[ "$(jq '.runs | length' out.json)" -eq 9 ]
	balanced out.json
	jq -e '.environment | .path == "remote" and .device == "veth0" and .mtu == 4000
		and (.ipv6 | not)' out.json
	tr -s ' \n' ' ' <text >flat
	grep -q 'gather + send + receive' flat
	grep -q 'as the receiver reports' flat
	grep -q "$(uname -n) to there.example (Linux $(uname -r | cut -d- -f1))" flat
	jq -e --arg here "$(uname -n)" --arg cc "$(there cat /proc/sys/net/ipv4/tcp_congestion_control)" \
		'.environment | .host == $here and .receiver.host == "there.example"
		and .receiver.device == "veth1" and .receiver.mtu == 4000
		and .receiver.system_congestion_control == $cc and .receiver.rmem_max == .rmem_max
		and .receiver.tcp_rmem == "4096 65536 2097152" and .receiver.tcp_rmem != .tcp_rmem
		and (.receiver.rps_cpus | test("^[0,]+$")) and .receiver.irq_time_accounting == .irq_time_accounting
		and (.receiver.cpu_quota == .cpu_quota)' out.json
	# Each side's cost is known. Classes of the receiver's CPU time are from its machine's samples.
	for side in sender receiver both; do
		sed -n "/^total.perf.derived.$side\$/,/^\$/p" text | grep -qE '^  cpu_ns_per_kib( +[0-9.]+){3}$'
	done
	# A round of 200 ms has few samples where the machine is busy. Some round has one in a copy.
	jq -e '[.runs[].cpu.receiver] | all(.samples > 0 and ([.ns | .[] | numbers] | add) == .cpu_ns)
		and (map(.ns.rx_copy) | add > 0)' out.json
	jq -e '[.runs[].cpu.stacks[] | select(startswith("receiver;"))] | length > 9' out.json
	# In truth it is one machine, whose softirq work both sides have sampled.
	jq -e '[.runs[].cpu.softirq] | all(.ns_per_kib == null and (.reason | test("one machine|interrupts apart")))' out.json
	# A sampled round for CPU time follows each round; timed rounds are off.
	[ "$(grep -c 'session: ' serve.err)" -eq 18 ]
	end_serve
	assert_nothing_left
}

# The witness: the other machine's own count of bytes received, with headers of 52 bytes on packets of
# up to 4000. There is no warm-up, and with --messages no extra round.
@test "two machines: both sides count the bytes of nstat, for sizes and connections" {
	local size connections before after bytes

	need_tool nstat
	serve "$THERE4:$PORT"
	for size in 1k 64k 1m; do
		for connections in 1 64; do
			before=$(octets)
			here "$NETIOTRACE" -q --mode all --rounds 1 --messages 128 --warmup 0 --size "$size" \
				--connections "$connections" --verify --json out.json --connect "$THERE4:$PORT" </dev/null
			after=$(octets)
			echo "$size, $connections connections: $before, $after"
			balanced out.json
			bytes=$(jq '[.runs[].ledger.rx_copy.bytes] | add' out.json)
			[ "$bytes" -eq $((3 * 128 * $(numfmt --from=iec "${size^^}"))) ]
			[ "$((after - before))" -ge "$bytes" ]
			[ "$((after - before))" -le $((bytes * 12 / 10 + 3 * 65 * 4000)) ]
		done
	done
	end_serve
	assert_nothing_left
}

# octets: bytes of IP packets that the other machine has received.
octets() {
	there nstat -asz IpExtInOctets | awk '$1 == "IpExtInOctets" { print $2 }'
}

# serve_as_nobody CAPS: netiotrace serve on the other machine, with these capabilities; $SERVER.
serve_as_nobody() {
	in_background there setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps="$1" --ambient-caps="$1" \
		"$NETIOTRACE" serve --insecure --listen "$THERE4:$PORT" >serve.out 2>serve.err
	SERVER=$!
	within 3 grep -q '^ready: listening on ' serve.out
}

@test "two machines: serve with CAP_BPF and CAP_PERFMON alone measures its side" {
	serve_as_nobody -all,+bpf,+perfmon
	here "$NETIOTRACE" -q --mode all --rounds 1 --duration 600ms --warmup 20ms --json out.json \
		--connect "$THERE4:$PORT" </dev/null
	balanced out.json
	end_serve
	[ ! -s serve.err ]
}

@test "two machines: serve as an ordinary user gives the sender's ledger, its own counts, and the reason" {
	serve_as_nobody -all
	here "$NETIOTRACE" --mode all --rounds 1 --duration 600ms --warmup 20ms --json out.json \
		--connect "$THERE4:$PORT" >text 2>stderr </dev/null
	sender_balanced out.json
	jq -e '[.runs[] | .app.cpu_s.receiver > 0 and .app.latency_ns.recv_call.count > 0
		and .app.tcp.bytes_received == .app.tx_bytes
		and (.ledger.rx_copy.reason | test("^on the receiver.s machine: .*CAP_BPF"))] | all' out.json
	tr -s ' \n' ' ' <text >flat
	grep -q "receive copies (on the receiver's machine: netiotrace serve" flat
	end_serve
	[ ! -s serve.err ]
}

@test "serve needs --token or --insecure, one of the two, on other addresses than those of loopback" {
	local at

	there ip link set lo up
	for at in "$THERE4" 0.0.0.0 "[$THERE6]" '[::]'; do
		run -2 there "$NETIOTRACE" serve --listen "$at:$PORT" --ready-file ready
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" = "netiotrace: "*--token*--insecure* ]]
		[ ! -e ready ]
	done
	run -2 there "$NETIOTRACE" serve --listen "$THERE4:$PORT" --token token --insecure
	for at in 127.9.9.9 '[::1]' localhost; do
		in_background there "$NETIOTRACE" serve --listen "$at:$PORT" >serve.out 2>serve.err
		SERVER=$!
		within 3 grep -q '^ready: listening on ' serve.out
		end_serve
	done
}

@test "two machines: serve --token looks for the route to a sender only after the sender proved the token" {
	local tracer

	need_tool strace
	(umask 077 && echo 'sixteen bytes ok' >token && echo 'sixteen bytes no' >wrong)
	serve "$THERE4:$PORT" -v --token token
	strace -e trace=socket -o looked -p "$SERVER" 2>attached 3>&- &
	tracer=$!
	within 3 grep -q attached attached || skip "strace cannot attach: $(cat attached)"
	fails_promptly 'The receiver has another token' --token wrong --connect "$THERE4:$PORT"
	within 3 grep -q "a session failed: The sender at $HERE4 has another token" serve.err
	! grep AF_NETLINK looked || return 1
	here "$NETIOTRACE" -q --token token --mode onecopy --rounds 1 --messages 23 --warmup 0 --connect "$THERE4:$PORT" </dev/null
	grep AF_NETLINK looked
	kill "$tracer"
	end_serve
}

@test "two machines: serve --token serves senders with the token alone; a wrong, missing or replayed proof gets nothing" {
	local file

	(umask 077 && echo 'sixteen bytes ok' >token && echo 'sixteen bytes no' >wrong && echo 'fifteen bytes..' >short)
	install -m 644 token open
	serve "$THERE4:$PORT" -v --token token
	fails_promptly 'The receiver has a token: .*--token' --connect "$THERE4:$PORT"
	within 3 grep -q "a session failed: The sender at $HERE4 has no token" serve.err
	# A sender that asks for no half needs none.
	here "$LOADGEN" send --messages 23 --connect "$THERE4:$PORT" --json >sent.json
	[ "$(jq .sender.confirmed.rx_messages sent.json)" -eq 23 ]
	# The next sender is served.
	here "$NETIOTRACE" -v --token token --mode all --rounds 1 --messages 23 --warmup 20ms --json out.json \
		--connect "$THERE4:$PORT" >text 2>stderr </dev/null
	balanced out.json
	mv out.json proved.json
	! grep -q 'closed its connection' serve.err || return 1
	# serve reports one failure a second.
	end_serve
	serve "$THERE4:$PORT" -v --token token
	fails_promptly 'The receiver has another token' --token wrong --connect "$THERE4:$PORT"
	within 3 grep -q "a session failed: The sender at $HERE4 has another token" serve.err
	! grep -q 'closed its connection' serve.err || return 1
	# A proof of this witness is taken once, and not in another session.
	here python3 "$REPO/tests/e2e/protocol_token.py" "$THERE4" "$PORT" 'sixteen bytes ok'
	end_serve
	! grep -F 'sixteen bytes' text stderr serve.out serve.err proved.json || return 1
	# --token is of no use, and no harm, without serve --token.
	serve "$THERE4:$PORT"
	here "$NETIOTRACE" -q --token token --mode onecopy --messages 23 --warmup 0 --json out.json \
		--connect "$THERE4:$PORT" </dev/null
	balanced out.json
	end_serve
	for file in short open /nonexistent; do
		run -2 there "$NETIOTRACE" serve --listen "$THERE4:$PORT" --ready-file ready --token "$file"
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" = "netiotrace: "*token*"$file"* ]]
		[ ! -e ready ]
		run -2 here "$NETIOTRACE" --token "$file" --connect "$THERE4:$PORT" --json new.json
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" = "netiotrace: "*token*"$file"* ]]
		[ ! -e new.json ]
	done
	assert_nothing_left
}

@test "two machines: a sweep, its report, and --resume of the sweep" {
	need_tool gnuplot
	serve "$THERE4:$PORT"
	# Six rounds are enough for a finding.
	here "$NETIOTRACE" sweep --sizes 4k,64k --threads 2 --rounds 6 --duration 300ms -o out \
		--connect "$THERE4:$PORT" >text 2>stderr </dev/null
	[ "$(find out/cells -name '*.json' | wc -l)" -eq $((3 * 2 * 6)) ]
	for file in out/cells/*.json; do
		balanced "$file" || { echo "$file"; return 1; }
	done
	jq -e --arg to "$THERE4:$PORT" '.settings.path == "remote" and .settings.connect == $to
		and .environment.device == "veth0" and .settings.cpu_sender == null' out/sweep.json
	grep -q -- "--connect $THERE4:$PORT" out/command
	tr -s ' \n' ' ' <text | grep -q "path remote, $(uname -n) to there.example; threads are not pinned"
	# The report answers the six questions for the costs of both machines, and names them.
	"$NETIOTRACE" report -q -o report out
	grep -q 'path remote' report/report.md
	grep -q "Cheapest (CPU time of the processes)" report/report.md
	grep -q "sent by $(uname -n), received by there.example, Linux $(uname -r), device veth1" report/report.md
	# --resume makes the missing run with the same receiver.
	rm out/cells/onecopy-4096-t2-r3.json
	here "$NETIOTRACE" sweep --sizes 4k,64k --threads 2 --rounds 6 --duration 300ms -o out \
		--connect "$THERE4:$PORT" --resume -q </dev/null
	balanced out/cells/onecopy-4096-t2-r3.json
	end_serve
	# compare: costs of both machines; copies of the sender alone are no improvement.
	(umask 077 && echo 'sixteen bytes ok' >token)
	serve "$THERE4:$PORT" --token token
	here "$NETIOTRACE" sweep --sizes 64k --threads 2 --rounds 1 --duration 100ms -o both --token token -q \
		--connect "$THERE4:$PORT" </dev/null
	end_serve
	# The load generator alone gives no half.
	in_background there "$LOADGEN" recv --forever --listen "$THERE4:$PORT" >serve.out 2>serve.err
	SERVER=$!
	within 3 grep -q listening serve.err
	here "$NETIOTRACE" sweep --sizes 64k --threads 2 --rounds 1 --duration 100ms -o one -q \
		--connect "$THERE4:$PORT" </dev/null
	end_serve
	"$NETIOTRACE" compare -q --metrics copies_per_byte,cpu_ns_per_kib --json cmp.json out both
	jq -e '[.changes[] | select(.mode != "zerocopy" and .metric == "copies_per_byte")
		| .before.median == .after.median] | length == 2 and all' cmp.json
	jq -e '[.changes[] | select(.metric == "cpu_ns_per_kib") | .before.median > 0 and .after.median > 0]
		| length == 3 and all' cmp.json
	"$NETIOTRACE" compare -q --metrics copies_per_byte --json cmp.json out one
	jq -e '.environment_differs.receiver and ([.changes[] | .verdict == "missing"
		and (.reason | contains("both sides"))] | length == 3 and all)' cmp.json
	assert_nothing_left
}

# device: the settings of both devices that the preset reads, by ethtool and ip.
device_settings() {
	here ethtool -k veth0
	there ethtool -k veth1
	here ip -d link show veth0
	there ip -d link show veth1
}

# preset DIR: sweep --preset sigcomm21 into DIR; its text is in DIR.text.
preset() {
	device_settings >before
	here "$NETIOTRACE" sweep --preset sigcomm21 --rounds 2 --duration 400ms --congestion reno -o "$1" \
		--connect "$THERE4:$PORT" >"$1.text" 2>stderr </dev/null
	device_settings >after
	diff before after
	jq -es 'all(.[]; .runs[0].cpu.quality == "sampled" and .runs[0].ledger.unaccounted_rx == 0)' "$1"/cells/*.json
}

@test "two machines: --preset sigcomm21 finds its row by the settings of both devices and changes none" {
	need_tool ethtool
	serve "$THERE4:$PORT"
	# MTU 4000: of no row. The figures are those of the documents.
	preset none
	grep -Eq '^no row   here +[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+$' none.text
	read -r _ _ _ gbps _ < <(grep '^no row   here' none.text)
	jq -es --argjson gbps "$gbps" '([.[].runs[0].app.throughput_gbps] | add / 2) - $gbps | fabs <= 0.051' \
		none/cells/*.json
	# The commands that it prints lead to the row that it names.
	sed -n 's/^  TSO\/GRO  sender    //p' none.text >here.sh
	sed -n 's/^  TSO\/GRO  receiver  //p' none.text >there.sh
	here sh -e here.sh
	there sh -e there.sh
	preset offloads
	grep -A1 '^TSO/GRO  published' offloads.text | grep -q '^         here '
	jq -e --arg driver "$(here ethtool -i veth0 | sed -n 's/^driver: //p')" '.environment
		| .driver == $driver and .receiver.driver == $driver and .receiver.gro and .offloads.tso
		and .mtu == 1500 and .receiver.mtu == 1500 and .arfs == false and .receiver.arfs == false' \
		offloads/cells/*-r0.json
	here ethtool -K veth0 tso off
	there ethtool -K veth1 gro off
	preset off
	grep -A1 '^none     published' off.text | grep -q '^         here '
	# A finished sweep prints its tables again; a file has fewer digits than the run had.
	here bash -c "$(cat off/command) --resume" >again.text </dev/null
	grep -A1 '^none     published' again.text | grep -q '^         here '
	diff <(sed -n '/^settings/,$p' off.text) <(sed -n '/^settings/,$p' again.text)
	end_serve
	assert_nothing_left
}

@test "two machines: --preset without the receiver's half shows its figures as n/a with the reason" {
	in_background there "$LOADGEN" recv --listen "$THERE4:$PORT" --forever >serve.out 2>serve.err
	SERVER=$!
	within 3 grep -q listening serve.err
	here "$NETIOTRACE" sweep --preset sigcomm21 --rounds 1 --duration 100ms -o out \
		--connect "$THERE4:$PORT" >text 2>stderr </dev/null
	kill "$SERVER"
	grep -Eq '^no row   here +[0-9.]+ +n/a +[0-9]+ +n/a +[0-9.]+ +n/a$' text
	tr -s ' \n' ' ' <text | grep -q "receiver's GRO n/a (the receiver is on another machine"
	tr -s ' \n' ' ' <text | grep -q "the receiver's CPU time: .*another machine"
	run -2 "$NETIOTRACE" sweep --preset sigcomm21 -o other
	[[ "$output" = *--connect* ]]
	run -2 "$NETIOTRACE" sweep --preset sigcomm21 --threads 2 --connect "$THERE4:$PORT" -o other
	[ "${#lines[@]}" -eq 1 ]
	[ ! -e other ]
}

@test "two machines: sweep --connect to an unknown host says so and leaves no directory" {
	local code=0

	here "$NETIOTRACE" sweep --sizes 4k --threads 1 --rounds 1 --duration 100ms -o out \
		--connect no-such-host.invalid:5201 2>stderr </dev/null || code=$?
	[ "$code" -eq 1 ]
	[ "$(wc -l <stderr)" -eq 1 ]
	grep -q 'no-such-host.invalid' stderr
	[ ! -e out ]
}

# bats test_tags=address
@test "two machines: netio-loadgen alone receives the bytes that the sender reports" {
	in_background there setpriv --reuid nobody --regid nogroup --clear-groups "$LOADGEN" recv \
		--listen "[$THERE6]:$PORT" --json >recv.json 2>recv.err
	SERVER=$!
	within 3 grep -q listening recv.err
	here "$NETIOTRACE" -q --mode zerocopy --messages 2300 --warmup 20ms --verify --threads 4 --json out.json \
		--connect "[$THERE6]:$PORT" </dev/null
	wait "$SERVER"
	jq -e '.environment.ipv6 and .runs[0].app.verify_errors == 0
		and .runs[0].app.rx_messages == 2300 and .runs[0].ledger.unaccounted_tx == 0' out.json
	[ "$(jq .runs[0].app.rx_bytes out.json)" = "$(jq .receiver.rx_bytes recv.json)" ]
	assert_nothing_left
}

@test "two machines: the recorded MTU is the route's" {
	here ip route add 198.18.78.1/32 dev veth0 mtu lock 1492
	there ip addr add 198.18.78.1/32 dev veth1
	serve 0.0.0.0:$PORT
	here "$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --json out.json --connect 198.18.78.1:$PORT
	[ "$(jq .environment.mtu out.json)" -eq 1492 ]
	end_serve
}

@test "two machines: an unreachable receiver gives one sentence, exit 1, within the time-out" {
	fails_promptly "$THERE4:$PORT.*refused.*netiotrace serve" --connect "$THERE4:$PORT"
	fails_promptly 'unreachable' --connect 203.0.113.7:$PORT
	fails_promptly 'no address is known' --connect unknown.invalid:$PORT --backend none
	# Packets leave, none arrives.
	here ip neigh add 198.18.77.9 lladdr 02:00:00:00:00:09 dev veth0
	times_out 'timed out' --connect 198.18.77.9:$PORT
	assert_nothing_left
}

@test "two machines: --connect and --listen use the first working address of a name" {
	local code=0 named

	printf '%s twofold\n' 198.18.77.3 "$THERE4" >hosts
	named=(unshare -m sh -c 'mount --bind hosts /etc/hosts && exec "$@"' sh "$NETIOTRACE")
	export RESOLV_MULTI=on
	there ip addr add 198.18.77.3/24 dev veth1
	serve "$THERE4:$PORT"
	here "${named[@]}" -q --backend none --mode onecopy --messages 23 --warmup 20ms --json out.json \
		--connect twofold:$PORT </dev/null
	[ "$(jq '.runs[0].app.rx_messages' out.json)" -eq 23 ]
	end_serve
	here "${named[@]}" -q --backend none --mode onecopy --messages 23 --connect twofold:$PORT \
		</dev/null 2>stderr || code=$?
	cat stderr
	[ "$code" -eq 1 ] && grep -q "no session with the receiver at $THERE4:$PORT: .*refused" stderr
	there ip addr del 198.18.77.3/24 dev veth1
	in_background there "${named[@]}" serve --insecure --listen twofold:$PORT >serve.out 2>serve.err
	SERVER=$!
	within 3 grep -qxF "ready: listening on $THERE4:$PORT" serve.out
	end_serve
}

# bats test_tags=address
@test "two machines: either side names another protocol version" {
	stranger "c.recv(64); c.sendall(b'NIOF' + bytes([0, 3, 0, 1]) + bytes(24)); time.sleep(600)"
	fails_promptly 'another version' --connect "$THERE4:$PORT"
	kill "$STRANGER"
	wait "$STRANGER" || true
	serve "$THERE4:$PORT"
	# A sender of version 3 is answered with a frame of version 2 that refuses (8) because of
	# the version (2).
	[ "$(here python3 -c "
import socket
c = socket.create_connection(('$THERE4', $PORT))
c.sendall(b'NIOH' + bytes([0, 3, 0, 1]) + bytes(56))
print(c.recv(32)[:12].hex())")" = 4e494f460002000800000002 ]
	end_serve
}

# bats test_tags=address
@test "two machines: a second sender is refused as the receiver is busy, the first continues" {
	local code=0

	serve "$THERE4:$PORT"
	in_background here "$NETIOTRACE" -q --mode onecopy --duration 60s --warmup 0 \
		--json first.json --connect "$THERE4:$PORT" </dev/null
	SENDER=$!
	within 5 connected
	fails_promptly 'busy with another session' --connect "$THERE4:$PORT"
	kill -INT "$SENDER"
	wait "$SENDER" || code=$?
	[ "$code" -eq 130 ]
	balanced first.json
	end_serve
}

# bats test_tags=address
@test "two machines: a receiver that dies in mid-run gives one sentence, exit 1" {
	local code=0

	serve "$THERE4:$PORT"
	in_background here "$NETIOTRACE" -q --mode zerocopy --warmup 20ms --duration 60s --json out.json \
		--connect "$THERE4:$PORT" 2>stderr </dev/null
	SENDER=$!
	within 5 connected
	sleep 0.3
	kill -9 "$SERVER"
	wait "$SENDER" || code=$?
	cat stderr
	[ "$code" -eq 1 ]
	[ "$(wc -l <stderr)" -eq 1 ]
	grep -q "the receiver at $THERE4:$PORT" stderr
	[ ! -e out.json ]
	assert_nothing_left
}

# bats test_tags=address,thread
@test "two machines: Ctrl-C ends promptly with results so far; the receiver serves the next sender" {
	local code=0

	serve "$THERE4:$PORT"
	in_background here "$NETIOTRACE" --mode onecopy --duration 60s --interval 100ms --json out.json \
		--connect "$THERE4:$PORT" >text 2>lines </dev/null
	SENDER=$!
	within 5 measuring lines
	kill -INT "$SENDER"
	promptly has_ended "$SENDER"
	wait "$SENDER" || code=$?
	[ "$code" -eq 130 ]
	jq -e '.interrupted' out.json
	balanced out.json
	# A killed sender leaves a session without an end.
	begin --json out.json
	kill -9 "$SENDER"
	wait "$SENDER" || true
	within 3 grep -q 'a session failed' serve.err
	here "$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --json out.json --connect "$THERE4:$PORT"
	balanced out.json
	end_serve
	assert_nothing_left
}

# bats test_tags=address,thread
@test "two machines: Ctrl-C ends promptly although the network does not answer" {
	local code=0

	serve "$THERE4:$PORT"
	in_background here "$NETIOTRACE" --mode onecopy --duration 60s --interval 100ms --json out.json \
		--connect "$THERE4:$PORT" >text 2>lines </dev/null
	SENDER=$!
	within 5 measuring lines
	there ip link set veth1 down
	sleep 0.5
	kill -INT "$SENDER"
	promptly has_ended "$SENDER"
	wait "$SENDER" || code=$?
	[ "$code" -eq 130 ]
	jq -e '.runs[0] | .app.tx_bytes > 0 and .app.rx_bytes == null and .app.throughput_gbps > 0
		and .ledger.unaccounted_tx == null' out.json
}

@test "serve --verify refuses a sender without --verify, with the remedy, and checks one with it" {
	serve "$THERE4:$PORT" --verify
	run here "$NETIOTRACE" -q --mode onecopy --messages 230 --warmup 20ms --backend none --connect "$THERE4:$PORT"
	[ "$status" -eq 1 ]
	[[ $output == *"give --verify on both sides"* ]]
	here "$NETIOTRACE" -q --mode onecopy --messages 230 --warmup 20ms --backend none --verify --json out.json \
		--connect "$THERE4:$PORT"
	jq -e '.runs[0].app.verify_errors == 0' out.json
	end_serve
}

# bats test_tags=address,thread
@test "serve runs without root on a port of its choice until Ctrl-C; kill -9 leaves nothing" {
	need_tool ss
	setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all \
		"$NETIOTRACE" serve --listen 127.0.0.1:0 >serve.out 2>serve.err 3>&- &
	SERVER=$!
	within 3 grep -Eq '^ready: listening on 127\.0\.0\.1:[0-9]+$' serve.out
	at=$(sed 's/.* //' serve.out)
	unprivileged "$NETIOTRACE" -q --mode all --rounds 1 --duration 300ms --warmup 20ms --backend none \
		--connect "$at" --json - </dev/null >out.json
	jq -e '[.runs[] | .app.rx_bytes == .app.tx_bytes and .ledger.tx_copy.bytes == null]
		| length == 3 and all' out.json
	run "$NETIOTRACE" serve --listen "$at"
	[ "$status" -eq 1 ]
	[[ $output == *"in use"* ]]
	end_serve
	[ ! -s serve.err ]
	"$NETIOTRACE" serve --listen 127.0.0.1:0 >serve.out 3>&- &
	SERVER=$!
	within 3 grep -q ready serve.out
	kill -9 "$SERVER"
	wait "$SERVER" || true
	assert_nothing_left
}
