#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# attach: sockets used in uncommon ways, each reported under its kind; processes and namespaces that
# begin and end. The expected bytes are those that the scenario (tests/bpf/socket_scenarios.h) or
# the script sends and receives.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	PEERS=()
	PLAY=$BUILD_DIR/tests/e2e/play
	PROGRAM=$REPO/tests/e2e/sockets.py
	export PROGRAM
}

teardown() {
	local pid

	for pid in "${PEERS[@]}"; do
		kill -9 "$pid" 2>/dev/null || true
	done
	[ ! -d "${GROUP-}" ] || rmdir "$GROUP" || true
}

# played SCENARIO LINE...: runs attach on the scenario; the stages and unclassified bytes must be
# exactly these lines. Retransmitted bytes, which a busy machine causes on loopback, are copied again
# on delivery: so many more deferred copies than pinned bytes are left out. OPTIONS: options of attach.
played() {
	local scenario=$1 status=0

	shift
	# shellcheck disable=SC2086 # words of their own
	"$NETIOTRACE" attach --count-calls -q ${OPTIONS-} --json out.json -- "$PLAY" "$scenario" >said || status=$?
	[ "$status" -ne 77 ] || skip "$(cat said)"
	[ "$status" -eq 0 ]
	jq -r '.total | .ledger.tx_pin.bytes as $pinned | .socket.tx_retrans as $retrans
		| (.ledger | .deferred_copy.bytes |= (if . == null then . else . - ([[. - $pinned, 0] | max, $retrans] | min) end)
		| to_entries[] | select((.value | type) == "object" and .value.bytes > 0)
		| "\(.key) \(.value.bytes)"), (.uncovered[] | "\(.direction)_\(.kind) \(.bytes)")' out.json >found
	paste -sd ' ' found
	diff <(sort found) <(printf '%s\n' "$@" | sort)
	jq -c '(.connections[] | select(.open)), .health' out.json >open
	[ "$(wc -l <open)" -eq 1 ] || { cat open && return 1; }
}

balanced() {
	jq -e '[.total, .connections[], .processes[], .ports[]] | all(.ledger | .unaccounted_tx == 0 and .unaccounted_rx == 0)' out.json
}

# sends WAY BYTES: this kind of send has BYTES bytes, every other kind none.
sends() {
	jq -e --arg way "$1" --argjson bytes "$2" '[.total.sends | to_entries[] | select(.value.bytes > 0)]
		| length == 1 and .[0].key == $way and .[0].value.bytes == $bytes' out.json
}

# The layer is reported. The numbers of its TCP sockets are no reference, so nothing is reported as
# balanced.
unmeasured() {
	jq -e '.total | .socket.tx_bytes == null and .ledger.unaccounted_tx == null and .ledger.copies_per_byte == null
		and (.ledger.unaccounted_tx_reason | test("another layer"))' out.json
}

@test "attach beside raw sockets of TCP's protocol counts the TCP connection alone" {
	played raw 'tx_copy 1000' 'rx_copy 1000'
	jq -e '.total.connections == 2 and .total.socket.tx_bytes == 1000 and .total.socket.rx_bytes == 1000
		and .health.ends_missed == 0' out.json
	balanced
}

@test "attach reports MPTCP bytes of both directions as MPTCP only" {
	played mptcp 'tx_mptcp 3000' 'rx_mptcp 3000'
	unmeasured
	jq -e '(.connections | length) == 2' out.json
}

@test "attach counts the plaintext of kTLS as copied by its cipher" {
	played ktls 'tls_copy 6000'
	balanced
	jq -e '.total | .tls_tx == .tls_rx and .tls_tx.bytes == 3000 and .tls_tx.records == 1 and .tls_tx.overhead == 29
		and .socket.tx_bytes == 3029' out.json
	played ktls13 'tx_copy 100' 'tls_copy 120020' 'rx_copy 40110'
	balanced
}

@test "attach reports sockmap bytes as sockmap only" {
	# What a sockmap gives to a socket is not counted by TCP: the received bytes are unknown.
	played sockmap 'tx_sockmap 3000' 'rx_sockmap null'
	unmeasured
}

@test "attach leaves bytes unknown that a sockmap redirects: to the socket itself, or to another one" {
	# copied_seq passes rcv_nxt.
	played sockmap_self 'tx_copy 40000' 'rx_sockmap null'
	unmeasured
	jq -e '.total | .socket.rx_bytes == null and .ledger.unaccounted_rx == null' out.json
	# TCP of the receiver counts 1000 of 41000 bytes.
	OPTIONS='--interval 100ms' played sockmap_ingress 'tx_copy 1000' 'tx_sockmap 40000' 'rx_copy 1000' 'rx_sockmap null'
	unmeasured
	jq -e '.health.coverage == null and (.health.coverage_reason | test("TCP"))' out.json
}

@test "attach counts pages sent by io_uring as pinned where it sees the message, else as a kind of their own" {
	played plain 'tx_copy 10000' 'rx_copy 10000'
	if jq -e '.plan[] | select(.probe == "message") | .hook' out.json; then
		played io_uring 'tx_pin 8000' 'deferred_copy 8000' 'rx_copy 16000' 'rx_peeked 8000'
		balanced
		sends io_uring 8000
		jq -e 'all(.connections[]; .shared == false)' out.json
	fi
	OPTIONS="--without tcp_sendmsg_locked" played io_uring 'tx_io_uring 8000' 'rx_copy 16000' 'rx_peeked 8000'
	balanced
}

@test "attach keeps a connection whose first user is a kernel thread, which does not own it" {
	played closed_by_ring 'tx_copy 500'
	balanced
	jq -e '(.connections | length) == 2 and ([.connections[].pid // empty] | unique | length) == 1' out.json
}

@test "attach counts a send of a buffer registered with io_uring as one copied buffer" {
	played registered 'tx_copy 40000' 'rx_copy 40000'
	balanced
	! jq -e '.plan[] | select(.probe == "message") | .hook' out.json || sends plain 40000
}

@test "attach counts pages mapped by TCP_ZEROCOPY_RECEIVE as not copied" {
	played map 'tx_copy 600' 'tx_splice 65536' 'rx_copy 600' 'rx_map 65536'
	balanced
}

@test "attach counts bytes taken by splice or dropped by MSG_TRUNC as not copied, MSG_PEEK bytes as copied twice" {
	played splice 'tx_copy 3000' 'rx_copy 1000' 'rx_splice 2000'
	balanced
	played truncate 'tx_copy 3000' 'rx_copy 1000' 'rx_discard 2000'
	balanced
	played peek 'tx_copy 3000' 'rx_copy 6000' 'rx_peeked 3000'
	balanced
	played peek_truncate 'tx_copy 3000' 'rx_copy 3000' 'rx_peeked 1000' 'rx_discard 1000'
	balanced
}

# Each connection is received from its first byte to its FIN, by calls whose returns the program adds up.
@test "attach counts what TCP_ZEROCOPY_RECEIVE maps and copies, what MSG_TRUNC drops and what splice takes, by the returns of the calls" {
	local options

	for options in '' '--backend tracepoint --without tcp_sendmsg_locked'; do
		# shellcheck disable=SC2086 # words of their own
		"$NETIOTRACE" attach --count-calls $options --json out.json -- \
			python3 "$REPO/tests/e2e/receive_ways.py" recv trunc splice mmap copybuf mixed >said 2>text
		grep -E '^rx_' said >returned
		paste -sd ' ' returned
		jq -r '.total.ledger | to_entries[] | select(.key | test("^rx_")) | "\(.key) \(.value.bytes)"' out.json >found
		diff returned found
		jq -e '.total | .receives.uncopied == 0 and ([.ledger[] | objects | select(.bytes) | .quality] | all(. != "sampled"))' out.json
		balanced
		tr -s ' \n' ' ' <text >line
		grep -q 'mapped by TCP_ZEROCOPY_RECEIVE, .* dropped by MSG_TRUNC, .* taken by splice, without a copy' line
		[ "$(awk '$1 == "rx_map" && $2 > 0' returned)" ]
	done
}

@test "attach leaves bytes uncopied that --without hides, and says which stages that leaves unknown" {
	"$NETIOTRACE" attach --count-calls -q --without tcp_rcv_space_adjust --json out.json -- "$PLAY" splice
	jq -e '.total | .receives.uncopied == 2000 and .ledger.rx_copy.bytes == 1000
		and (.ledger | [.rx_map, .rx_discard, .rx_splice]
			| all(.bytes == null and .quality == "unavailable" and (.reason | length) > 0))' out.json
	balanced
}

@test "attach counts 5 GB that one connection drops by MSG_TRUNC" {
	played discard 'tx_copy 5000000000' 'rx_discard 5000000000'
	balanced
}

@test "attach counts no extra byte for aborts, timestamps and sequence numbers that wrap" {
	played abort 'tx_copy 1000'
	balanced
	played unread 'tx_copy 1000'
	balanced
	played timestamps 'tx_copy 1000' 'rx_copy 1000'
	balanced
	played wrap 'tx_copy 10000' 'rx_copy 10000'
	balanced
}

@test "attach does not count bytes queued to a socket in repair mode as a send" {
	played restore 'tx_copy 1000' 'rx_copy 1500'
	balanced
	sends plain 1000
}

@test "attach keeps the bytes of a connection that is reset or dissolved; a socket may have two connections in turn" {
	played reset 'tx_copy 1000' 'rx_copy 1000'
	balanced
	played dissolve 'tx_copy 4000' 'rx_copy 2000'
	balanced
	played again 'tx_copy 7000' 'rx_copy 7000'
	balanced
	played again_zerocopy 'tx_copy 1000' 'tx_pin 6000' 'deferred_copy 6000' 'rx_copy 7000'
	balanced
	jq -e '.total.zerocopy | .sends == 2 and .completed == 2 and .copied == 2' out.json
	played late 'tx_copy 3000' 'rx_copy 2000'
	balanced
	jq -e '[.connections[] | .local, .remote] | all(test("^127.0.0.1:[0-9]+$"))' out.json
	played refused 'tx_copy 3000' 'rx_copy 3000'
	balanced
	played read_on 'tx_copy 5100' 'rx_copy 5100'
	balanced
}

@test "attach on a socket that reconnects again and again leaves no byte unaccounted when it ends" {
	local sent=0

	background "$PLAY" reconnect
	# On a busy machine the program may not run for a while: longer durations follow until it has sent.
	for duration in 100ms 200ms 300ms 400ms 500ms 2s 10s 30s; do
		[[ $duration == *ms ]] || ((sent == 0)) || break
		"$NETIOTRACE" attach --count-calls -q --json out.json --pid "$STARTED" --duration $duration
		jq -c '.total | .socket, .ledger.unaccounted_tx, .ledger.unaccounted_rx, .uncovered' out.json
		balanced
		jq -e '.total.uncovered == [] and .health.coverage == (if .total.socket.tx_bytes > 0 then 1 else null end)' out.json
		sent=$((sent + $(jq .total.socket.tx_bytes out.json)))
	done
	((sent > 0))
}

@test "attach uses no map entry for refused connection attempts" {
	"$NETIOTRACE" attach --count-calls -q --json out.json --max-sockets 2 -- "$PLAY" refused
	jq -e '.health.sockets_left_out == 0 and .total.ledger.tx_copy.bytes == 3000 and .total.ledger.rx_copy.bytes == 3000' out.json
}

# bats test_tags=address
@test "attach separates pinning and copying calls of one socket, and 256 sockets with outstanding pins" {
	played mixed_zerocopy 'tx_copy 500' 'tx_pin 20000' 'deferred_copy 20000' 'rx_copy 20500'
	balanced
	played many_zerocopy 'tx_pin 5242880' 'deferred_copy 5242880' 'rx_copy 5242880'
	balanced
	jq -e '.total.connections == 512' out.json
}

# opened_fast SCENARIO CONDITION: three connections, the last two with data in their SYNs ($syn
# bytes, if the program knows the number). CONDITION must hold for the bytes $copied, $pinned and
# $deferred. The program reads from its error queue what was completed and copied. OPTIONS: options
# of attach.
opened_fast() {
	local code=0

	need_tool unshare ip sysctl
	cat >inside <<-'END'
		ip link set lo up
		sysctl -qw net.ipv4.tcp_fastopen=3
		scenario=$1
		shift
		exec "$NETIOTRACE" attach --count-calls -q "$@" --json out.json -- "$PLAY" "$scenario" >said
	END
	export PLAY
	# shellcheck disable=SC2086 # words of their own
	unshare -n sh ./inside "$1" ${OPTIONS-} || code=$?
	[ "$code" -ne 77 ] || skip "$(<said)"
	[ "$code" -eq 0 ]
	balanced
	cat said
	jq -c '.total | .ledger, .zerocopy, .sends' out.json
	awk '{ sum[$1] += $2 } END { printf "{\"syn\":%d,\"completed\":%d,\"copied\":%d}", sum["syn"], sum["completed"], sum["copied"] }' \
		said >own.json
	jq -e --slurpfile own own.json ".total | .ledger.tx_copy.bytes as \$copied | .ledger.tx_pin.bytes as \$pinned
		| (.ledger.deferred_copy.bytes_at_most - .socket.tx_retrans) as \$deferred | \$own[0].syn as \$syn
		| ($2) and .ledger.rx_copy.bytes == \$copied + \$pinned and .socket.tx_bytes == ([.sends[].bytes] | add)
		and .zerocopy.completed == \$own[0].completed and .zerocopy.copied == \$own[0].copied
		and .zerocopy.sends == \$own[0].completed and .socket.tx_zerocopy_ids == \$own[0].completed" out.json
}

@test "attach counts bytes that travel with the SYN once" {
	opened_fast fastopen "\$copied == 3030"
	opened_fast fastopen_long "\$copied == 600030"
	opened_fast fastopen_at_once "\$copied == 600030 and \$syn > 0"
	opened_fast fastopen_deferred "\$copied == 3030"
	opened_fast fastopen_deferred_long "\$copied == 600030"
}

pinned_fast() {
	opened_fast fastopen_zerocopy "\$copied == 3030 and \$deferred == 2000"
	# A call that returned at once had a route when it sent the rest, and pins. The rest of a
	# call that connects had no route when its pages were taken, and is copied.
	opened_fast fastopen_at_once_zerocopy \
		"\$syn > 0 and \$copied == \$syn + 30 and \$pinned == 600000 - \$syn and \$deferred == 600000"
	opened_fast fastopen_long_zerocopy "\$copied == 600030 and \$deferred > 0 and \$deferred < 400000"
	# connect() that leaves the SYN to the first send call has found the route: bytes that do
	# not fit into the SYN are pinned.
	opened_fast fastopen_deferred_zerocopy "\$copied == 2030 and \$pinned == 1000 and \$deferred == 3000"
	opened_fast fastopen_deferred_long_zerocopy \
		"\$copied > 30 and \$copied < 400000 and \$pinned == 600030 - \$copied and \$deferred == 600000"
}

@test "attach counts SYN data as copied for every kind of send, and the send as complete" {
	pinned_fast
	# The result is the same without a hook that shows the message.
	OPTIONS="--without tcp_sendmsg_locked" pinned_fast
}

# routed: 1 800 000 pinned bytes travel through a router on this machine, of three network namespaces.
# attach watches the sender.
routed() {
	cat >send.py <<-'PYTHON'
		import ctypes, socket, os, threading
		libc = ctypes.CDLL(None)
		def enter(fd):
		    if libc.setns(fd, 0x40000000):
		        raise OSError('setns')
		def drop(s):
		    while s.recv(1 << 20):
		        pass
		def ns(pid):
		    return os.open(os.environ.get(pid + '_NS') or '/proc/%s/ns/net' % os.environ[pid], os.O_RDONLY)
		enter(ns('SERVER'))
		listener = socket.create_server(('10.5.2.2', 0))
		enter(ns('CLIENT'))
		s = socket.create_connection(listener.getsockname())
		t = threading.Thread(target=drop, args=listener.accept()[:1])
		t.start()
		s.setsockopt(socket.SOL_SOCKET, 60, 1)
		data = bytes(9000)
		for i in range(200):
		    sent = 0
		    while sent < len(data):
		        sent += s.send(data[sent:], 0x4000000)
		    while True:
		        try:
		            s.recvmsg(0, 200, socket.MSG_ERRQUEUE)
		        except BlockingIOError:
		            break
		s.shutdown(socket.SHUT_WR)
		t.join()
	PYTHON
	cat >router <<-'END'
		set -e
		ip link set lo up
		unshare -n sleep 1000 & CLIENT=$!
		unshare -n sleep 1000 & SERVER=$!
		trap 'kill $CLIENT $SERVER 2>/dev/null || :' EXIT
		until [ "$(readlink /proc/$CLIENT/ns/net)" != "$(readlink /proc/$$/ns/net)" ] &&
			[ "$(readlink /proc/$SERVER/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do :; done
		export CLIENT SERVER
		ip link add h1 type veth peer name r1 netns $CLIENT
		ip link add h2 type veth peer name r2 netns $SERVER
		ip addr add 10.5.1.1/24 dev h1
		ip addr add 10.5.2.1/24 dev h2
		ip link set h1 up
		ip link set h2 up
		for end in "$CLIENT r1 10.5.1" "$SERVER r2 10.5.2"; do
			set -- $end
			nsenter -t $1 -n ip addr add $3.2/24 dev $2
			nsenter -t $1 -n ip link set $2 up
			nsenter -t $1 -n ip route add default via $3.1
			shift 3
		done
		case ${XDP-} in
		h1) ip link set h1 xdpdrv obj pass.o sec xdp ;;
		r2 | named) nsenter -t $SERVER -n ip link set r2 xdpdrv obj pass.o sec xdp ;;
		esac
		if [ "${XDP-}" = named ]; then
			mount -t tmpfs run /run
			mkdir /run/netns
			export SERVER_NS=/run/netns/server
			touch $SERVER_NS
			mount --bind /proc/$SERVER/ns/net $SERVER_NS
			kill $SERVER
		fi
		sysctl -qw net.ipv4.ip_forward=1
		"$NETIOTRACE" attach --count-calls -q --json out.json -- python3 send.py
	END
	unshare -nm sh ./router
}

# The kernel copies the packets for XDP, before they arrive, and reports the sends as not copied.
@test "attach: with native XDP on the receiving veth, copies of zero-copy pages are a range with its reason" {
	need_tool unshare nsenter ip sysctl clang
	echo 'int pass(void *x) __attribute__((section("xdp"))); int pass(void *x) { return 2; }
		char l[] __attribute__((section("license"))) = "GPL";' >pass.c
	clang -O2 -target bpf -c pass.c -o pass.o
	unshare -n sh -c 'ip link add near type veth peer name far && ip link set far xdpdrv obj pass.o sec xdp' ||
		skip "no native XDP on veth here"
	# named: the namespace has a name and no process when attach looks at the devices.
	for XDP in h1 r2 named; do
		export XDP
		routed
		jq -c '.total | .ledger, .zerocopy, .verdict' out.json
		jq -e '.total | .ledger.tx_pin.bytes == 1800000 and .ledger.deferred_copy.bytes_at_most >= 1800000
			and (.ledger.deferred_copy.reason | test("native XDP")) and .zerocopy.copied == 0
			and .verdict.copied_fraction == null and (.verdict.text | test("native XDP"))' out.json
		# At the first device, nothing arrives with the pages of the sender.
		[ "$XDP" != h1 ] || jq -e '.total.ledger.deferred_copy.bytes == null' out.json
	done
}

@test "attach counts the copy of zero-copy pages once if a router on this machine forwards them" {
	need_tool unshare nsenter ip sysctl
	routed
	jq -c '.total | .ledger, .zerocopy, .socket' out.json
	jq -e '.total | .ledger.tx_pin.bytes == 1800000 and .ledger.rx_copy.bytes == 1800000
		and (.socket.tx_retrans as $retrans | .ledger.deferred_copy
			| .bytes_at_least <= 1800000 + $retrans and .bytes_at_most == 1800000 + $retrans)' out.json
}

# background COMMAND...: starts it in the background; its PID is $STARTED.
background() {
	"$@" 3>&- &
	STARTED=$!
	PEERS+=("$STARTED")
}

# peer COMMAND...: starts it in the background; it writes its port to the file `port`, which is read
# into $PORT.
peer() {
	rm -f port
	background "$@"
	within 20 test -s port
	PORT=$(<port)
}

# watch OPTION...: starts attach in the background as $COLLECTOR and waits until it watches.
watch() {
	rm -f log
	"$NETIOTRACE" attach --count-calls -v --interval 100ms --json out.json "$@" >text 2>log 3>&- &
	COLLECTOR=$!
	PEERS+=($!)
	within 60 grep -q watching log
}

# bats test_tags=address
@test "attach --by port lists each service in one row, on the server and on the client" {
	peer "$PROGRAM" sink 127.0.0.1 port
	"$NETIOTRACE" attach --count-calls --by port --json out.json --csv out.csv -- "$PROGRAM" churn 127.0.0.1 "$PORT" 3 2>text
	grep -q "^port $PORT, 3 connections " text
	jq -e --argjson port "$PORT" '(.ports | length) == 1 and all(.connections[]; .port == $port)
		and (.ports[0] | .port == $port and .connections == 3 and .socket.tx_bytes == 3 * 23)' out.json
	[ "$(wc -l <out.csv)" -eq 2 ]
	[[ $(sed -n 2p out.csv) == "$PORT,3,"* ]]
	# Connections accepted by the listener are in the row of its port.
	watch --port "$PORT"
	"$PROGRAM" churn 127.0.0.1 "$PORT" 2
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	balanced
	jq -e --argjson port "$PORT" '(.ports | length) == 1 and .ports[0].port == $port
		and .ports[0].connections == 4 and .ports[0].socket.rx_bytes == 2 * 23' out.json
}

@test "attach counts a socket passed to another process as one connection, whichever process is watched" {
	local pid

	# From a watched process to one that is not.
	peer "$PROGRAM" sink 127.0.0.1 port
	"$NETIOTRACE" attach --count-calls --json out.json -- "$PROGRAM" hand 127.0.0.1 "$PORT" 4000 2>text
	balanced
	jq -e '.total.connections == 1 and .total.socket.tx_bytes == 8000 and .connections[0].shared
		and .connections[0].cgroup != ""' out.json
	# The process of the row is not the only one that sent: the text names the other.
	tr -s '\n ' '  ' <text | grep -F "$(jq -r '.connections[0] |
		"\(.pid) includes 8 kB of sockets shared with PID \(.shared_with)."' out.json)"
	# To a watched process from one that is not; the latter's own bytes are not counted.
	background "$PROGRAM" receiver channel
	pid=$STARTED
	within 20 test -S channel
	watch --pid "$pid"
	"$PROGRAM" giver 127.0.0.1 "$PORT" 4000 channel
	wait "$COLLECTOR"
	balanced
	jq -e --argjson pid "$pid" '.total.connections == 1 and .connections[0].pid == $pid
		and .total.socket.tx_bytes == 4000' out.json
	run ! grep -q 'shared with' text
}

@test "attach gives an existing socket of two watched processes to the one with the lower PID" {
	local low

	cat >shared.py <<-'PYTHON'
		import os, socket, sys, time
		listener = socket.create_server(('127.0.0.1', 0))
		client = socket.create_connection(listener.getsockname())
		server = listener.accept()[0]
		child = os.fork()
		if child:
		    open('pids', 'w').write('%d %d\n' % (os.getpid(), child))
		    os.waitpid(child, 0)
		    sys.exit()
		while not os.path.exists('go'):
		    time.sleep(0.05)
		client.sendall(bytes(1000))
		server.recv(1000, socket.MSG_WAITALL)
	PYTHON
	background python3 shared.py
	within 20 test -s pids
	low=$(tr ' ' '\n' <pids | sort -n | head -n 1)
	# shellcheck disable=SC2046 # options
	watch $(tr ' ' '\n' <pids | sort -n | sed 's/^/--pid /')
	touch go
	wait "$COLLECTOR"
	jq -e --argjson low "$low" '(.connections | length) == 2
		and all(.connections[]; .pid == $low and .shared and .shared_with > $low)
		and .total.socket.tx_bytes == 1000 and .total.socket.rx_bytes == 1000' out.json
	tr -s '\n ' '  ' <text | grep -F "$low includes 2 kB of sockets shared with PID $(
		jq '.connections[0].shared_with' out.json)."
}

@test "attach does not wait for a process that ends while the programs are loaded" {
	sleep 0.2 3>&- &
	run timeout 60 "$NETIOTRACE" attach --count-calls -q --pid $!
	# On a slow machine the process ends before that.
	[ "$status" -eq 0 ] || [[ $status -eq 1 && $output == *"there is no such process."* ]]
}

@test "attach --pid with a thread ID is refused and names the process" {
	local thread

	background python3 -c 'import threading, time
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
with open("thread.new", "w") as f:
    f.write(str(threading.enumerate()[1].native_id))
import os; os.rename("thread.new", "thread")
time.sleep(600)'
	within 20 test -e thread
	thread=$(<thread)
	[ "$thread" -ne "$STARTED" ]
	run -1 timeout 60 "$NETIOTRACE" attach --count-calls --pid "$thread"
	[[ $output == *"--pid $thread is a thread of process $STARTED: "* ]]
}

@test "attach attributes bytes of a thread with a name of its own to the process, under the process's name" {
	peer "$PROGRAM" worker 127.0.0.1 port
	watch --port "$PORT"
	"$PROGRAM" exchange 127.0.0.1 "$PORT" 500
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	jq -c '[.processes[], .connections[] | [.pid, .comm]]' out.json
	jq -e --argjson pid "$STARTED" --arg comm "$(<"/proc/$STARTED/comm")" '
		[.processes[], .connections[] | select(.pid == $pid)]
		| length == 2 and all(.comm == $comm)' out.json
}

# make_group: creates a cgroup, $GROUP; $NAME is its path below the root.
make_group() {
	local root

	need_tool findmnt
	root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -w "$root" ] || skip "no cgroup2 file system to write to"
	NAME=/netiotrace-paths-$$
	GROUP=$root$NAME
	mkdir "$GROUP"
}

# bats test_tags=address
@test "attach --cgroup ends when the cgroup is removed, and says why" {
	make_group
	peer "$PROGRAM" sink 127.0.0.1 port
	watch --cgroup "$GROUP"
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" churn 127.0.0.1 "$3" 5' - "$GROUP" "$PROGRAM" "$PORT"
	within 10 rmdir "$GROUP"
	wait "$COLLECTOR"
	grep -q -- "--cgroup $GROUP is gone.*: the watching ends" log
	balanced
	jq -e '.total.connections == 5 and .total.socket.tx_bytes == 5 * 23 and (.interrupted | not)' out.json
}

@test "attach --cgroup with an empty cgroup says so and watches the first process that joins" {
	make_group
	mkdir "$GROUP/below"
	peer "$PROGRAM" sink 127.0.0.1 port
	watch --cgroup "$GROUP"
	[ "$(grep -c 'no process is in it' log)" = 1 ]
	grep -qF "netiotrace: --cgroup $GROUP: no process is in it or below it now" log
	sh -c 'echo $$ >"$1/below/cgroup.procs"; exec "$2" churn 127.0.0.1 "$3" 5' - "$GROUP" "$PROGRAM" "$PORT"
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	balanced
	jq -e '.total.connections == 5 and .total.socket.tx_bytes == 5 * 23' out.json
	"$NETIOTRACE" attach --count-calls -q --cgroup "$GROUP" --duration 100ms 2>errors
	[ ! -s errors ]
	# A cgroup with a process in a nested cgroup causes no message.
	background sleep 60
	echo "$STARTED" >"$GROUP/below/cgroup.procs"
	watch --cgroup "$GROUP" --duration 100ms
	wait "$COLLECTOR"
	run -1 grep 'no process' log
	kill "$STARTED"
	wait "$STARTED" || true
	within 10 rmdir "$GROUP/below"
}

# bats test_tags=address
@test "attach in a container's namespaces shows the PIDs and cgroups of the container" {
	need_tool unshare
	make_group
	cat >inside <<-'END'
		umount -l "$ROOT" && mount -t cgroup2 none "$ROOT"
		"$PROGRAM" sink 127.0.0.1 port &
		until [ -s port ]; do sleep 0.05; done
		mkdir "$ROOT/below"
		"$PROGRAM" waiting go 127.0.0.1 "$(cat port)" 5 &
		pid=$!
		echo $pid >"$ROOT/below/cgroup.procs"
		"$NETIOTRACE" attach --count-calls -v --json pid.json --pid $pid >/dev/null 2>pid.log &
		one=$!
		"$NETIOTRACE" attach --count-calls -v --json cgroup.json --cgroup "$ROOT/below" >/dev/null 2>cgroup.log &
		two=$!
		until grep -q watching pid.log && grep -q watching cgroup.log; do sleep 0.05; done
		touch go
		wait $pid
		echo $pid >pid
		wait $one
		kill -INT $two
		wait $two
		rmdir "$ROOT/below"
	END
	export ROOT=${GROUP%"$NAME"}
	sh -c 'echo $$ >"$1/cgroup.procs"; exec unshare --pid --fork --mount-proc --mount --cgroup sh ./inside' - "$GROUP"
	jq -e --argjson pid "$(<pid)" '.processes[0].pid == $pid and (.processes | length) == 1
		and .total.connections == 5 and .total.socket.tx_bytes == 5 * 23' pid.json
	jq -e --argjson pid "$(<pid)" '.processes[0].pid == $pid and .total.connections == 5
		and .cgroups[0].path == "/below"' cgroup.json
}

@test "attach watches a container's process from outside, by PID and by cgroup" {
	local inner

	need_tool unshare ip
	make_group
	cat >inside <<-'END'
		ip link set lo up
		"$PROGRAM" sink 127.0.0.1 port &
		until [ -s port ]; do sleep 0.05; done
		exec "$PROGRAM" waiting go 127.0.0.1 "$(cat port)" 5
	END
	cat >join.sh <<-'END'
		echo $$ >"$1/cgroup.procs"
		exec unshare --pid --fork --kill-child --mount-proc --net --cgroup sh ./inside
	END
	background sh ./join.sh "$GROUP"
	within 20 test -e waiting
	inner=$(pgrep -P "$STARTED")
	watch --cgroup "$GROUP"
	background "$NETIOTRACE" attach --count-calls -v --json pid.json --pid "$inner" >/dev/null 2>pid.log
	within 60 grep -q watching pid.log
	touch go
	wait "$STARTED"
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	balanced
	jq -e --arg path "$NAME" '.total.connections == 10 and .total.socket.tx_bytes == 5 * 23
		and .total.socket.rx_bytes == 5 * 23 and .cgroups[0].path == $path' out.json
	jq -e --argjson pid "$inner" '.processes[0].pid == $pid and .total.connections == 5
		and .total.socket.tx_bytes == 5 * 23' pid.json
}

# used_again OPTION...: in a new PID namespace, runs a program of 3 connections and then one of 5
# with the same PID.
used_again() {
	local code=0

	need_tool unshare
	cat >again <<-'END'
		"$PROGRAM" churn 127.0.0.1 "$1" 3 &
		first=$!
		wait "$first"
		echo $((first - 1)) >/proc/sys/kernel/ns_last_pid || exit 77
		"$PROGRAM" churn 127.0.0.1 "$1" 5 &
		[ $! -eq "$first" ] || exit 77
		echo "$first" >pid
		wait $!
	END
	cat >inside <<-'END'
		"$PROGRAM" sink 127.0.0.1 port &
		until [ -s port ]; do sleep 0.05; done
		"$NETIOTRACE" attach --count-calls -v --children --json out.json -- sh ./again "$(cat port)" 2>text
	END
	timeout 60 unshare --pid --fork --kill-child --mount-proc "$@" sh ./inside || code=$?
	[ "$code" -ne 77 ] || skip "ns_last_pid cannot be set"
	[ "$code" -eq 0 ]
	balanced
	jq -e --argjson pid "$(<pid)" '[.processes[] | select(.pid == $pid)] | sort_by(.started_s)
		| [.[].connections] == [3, 5] and all(.[]; .exited)
		and .[0].socket.tx_bytes == 3 * 23 and .[1].socket.tx_bytes == 5 * 23
		and .[0].started_s > 0 and .[1].started_s > .[0].started_s' out.json
	jq -e '[.processes[] | {pid, started_s}] as $all | all(.connections[]; {pid, started_s} | IN($all[]))' out.json
	grep -q " $(<pid) (no. 1), 3 connections" text
	grep -q " $(<pid) (no. 2), 5 connections" text
}

@test "attach lists two processes with the same PID, one after the other, separately" {
	used_again
}

@test "attach in a time namespace identifies processes by the start times of its own /proc" {
	unshare --time --boottime 100000 true || skip "no time namespaces"
	used_again --time --boottime 100000
	jq -e 'all(.processes[]; .started_s > 100000)' out.json
	# The start time in /proc must equal the one that the BPF programs see.
	cat >inside <<-'END'
		"$PROGRAM" sink 127.0.0.1 port &
		until [ -s port ]; do sleep 0.05; done
		"$PROGRAM" waiting go 127.0.0.1 "$(cat port)" 5 &
		"$NETIOTRACE" attach --count-calls -v --json out.json --pid $! >text 2>log &
		until grep -q watching log; do sleep 0.05; done
		touch go
		wait $!
	END
	rm -f port
	run -0 timeout 60 unshare --pid --fork --kill-child --mount-proc --time --boottime 100000 sh ./inside
	jq -e '(.processes | length) == 1 and .processes[0].connections == 5' out.json
}

@test "attach with the /proc of another PID namespace says so and what to do" {
	need_tool unshare
	run -1 unshare --pid --fork "$NETIOTRACE" attach --count-calls --pid 1
	[[ $output == *"/proc does not have the processes of the PID namespace"*"mount"* ]]
}

@test "attach as root of a user namespace is refused with the reason" {
	need_tool unshare
	run -4 unshare --user --map-root-user "$NETIOTRACE" attach --count-calls --pid $$
	[[ $output == *"netiotrace is in a user namespace"*"start it outside."* ]]
}

@test "attach on a kernel with too few hooks is refused and says which kernel it needs" {
	run -3 "$NETIOTRACE" attach --count-calls --backend tracepoint --without sock_send_length -- true
	[[ $output == *"nothing shows tx_copy, tx_pin"*"--backend auto takes any of them."* ]]
	run "$NETIOTRACE" attach --count-calls --without sock_send_length --without tcp_sendmsg_locked -- true
	[ "$status" -eq 3 ]
	[[ $output == *"it takes Linux 6.3 or later."* ]]
}

# Works on any kernel: the backend is available or refused.
@test "attach --backend uses the named backend or is refused before the command starts" {
	local backend

	for backend in fentry kprobe; do
		rm -f started
		run "$NETIOTRACE" attach --count-calls -q --backend "$backend" --json "$backend.json" -- touch started
		if [ "$status" -eq 0 ]; then
			jq -e --arg backend "$backend" '.plan[] | select(.probe == "send_return") | .backend == $backend' "$backend.json"
			[ -e started ]
			continue
		fi
		[ "$status" -eq 3 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "netiotrace: --backend $backend is not available: "*"; netiotrace doctor "*" --backend auto "* ]]
		[ ! -e started ]
		[ ! -e "$backend.json" ]
	done
}

# bats test_tags=guest
@test "attach --backend says for which stages another backend is used instead" {
	has_kprobes || skip "no kprobes here"
	run -0 "$NETIOTRACE" attach --count-calls --backend kprobe --without kprobe/tcp_push \
		--without kprobe/tcp_sendmsg_locked --json out.json -- true
	[[ $output == *"this kernel has no hook of backend kprobe for tx_copy, tx_pin: tp_btf/sock_send_length is used."* ]]
	jq -e '.plan[] | select(.probe == "send_return") | .backend == "tracepoint"' out.json
	jq -e '.plan[] | select(.probe == "deferred_copy") | .backend == "kprobe"' out.json
}
