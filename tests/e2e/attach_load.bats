#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# attach under many connections: what exceeds a bound is counted, no table entry is left, and bytes
# equal the results of send() and recv() that tests/e2e/connection_churn.c prints.
# NETIOTRACE_CHURN_S: seconds of 1000 connections per second (default 3).

bats_require_minimum_version 1.5.0
load ../lib
load attach

CHURN=$BUILD_DIR/tests/e2e/connection_churn

# of_map PID NAME FILTER: what jq finds in the BPF map NAME that PID holds.
of_map() {
	local id

	kill -0 "$1" || return
	cat "/proc/$1/fdinfo/"* 2>/dev/null | sed -n 's/^map_id:[[:space:]]*//p' | sort -u | while read -r id; do
		if "$BPFTOOL" -j map show id "$id" | jq -e --arg name "$2" '.name == $name' >/dev/null; then
			"$BPFTOOL" -j map dump id "$id" | jq "$3"
		fi
	done
}

# The map of socket states is empty, and so is the count by which events skip the lookup.
no_sockets_left() {
	[ "$(of_map "$1" nio_sockets length)" = 0 ] &&
		[ "$(of_map "$1" attach_b.bss '[.. | .nio_socket_known? // empty | add] | add')" = 0 ]
}

# The number of links varies: attach attaches and detaches some programs while it runs.
fds_but_links() {
	find "/proc/$1/fd" -mindepth 1 ! -lname '*bpf*link*' 2>/dev/null | wc -l
}

# has_fds PID N: PID has N descriptors. Tries again, since a refresh opens some for a moment.
has_fds() {
	[ "$(fds_but_links "$1")" -eq "$2" ]
}

# fds_of PID: the minimum of several readings.
fds_of() {
	for _ in 1 2 3 4 5 6; do
		fds_but_links "$1"
		sleep 0.03
	done | sort -n | head -n 1
}

peak_kib() {
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status"
}

# stop_collector PID: ends PID by SIGINT.
stop_collector() {
	kill -INT "$1"
	wait "$1" || [ $? -eq 130 ]
}

@test "attach counts 1000 connections a second exactly, whatever way they end, and leaves no map entry" {
	local before seconds=${NETIOTRACE_CHURN_S:-3}

	[ -x "$CHURN" ] || skip "the test programs are not built: make test-programs"
	# Watches the shell and its children; the shell goes on when the file exists.
	# shellcheck disable=SC2016 # that shell's
	background sh -c 'until [ -e go ]; do sleep 0.05; done; "$0" churn 1000 "$1" >sums.new; mv sums.new sums; exec sleep 600' "$CHURN" "$seconds"
	watch --pid "$STARTED" --children --interval 200ms
	before=$(fds_of "$COLLECTOR")
	touch go
	within $((seconds + 30)) test -s sums
	within 10 no_sockets_left "$COLLECTOR"
	within 10 has_fds "$COLLECTOR" "$before"
	[ "$(peak_kib "$COLLECTOR")" -lt 65536 ]
	echo "peak $(peak_kib "$COLLECTOR") KiB, $before descriptors"
	"$BPFTOOL" -j prog show | jq -c '[.[]|select((.name//""|startswith("nio_")) and .recursion_misses>0)|[.name,.recursion_misses]]'
	stop_collector "$COLLECTOR"
	exact
	jq -c . sums && jq -c '.total.connections, .total.socket, .health' out.json
	# Beside many connections of other programs the kernel refused 18 runs once (docs/KERNELS.md).
	jq -e --slurpfile sums sums --argjson n $((seconds * 1000)) '$sums[0] as $s
		| .total.connections == 2 * $n and $s.connections == $n
		and .total.socket.tx_bytes == $s.client.tx + $s.server.tx
		and .total.socket.rx_bytes == $s.client.rx + $s.server.rx
		and .health.connections_left_out == 2 * $n - 1024
		and .health.sockets_left_out == 0 and (.health.missed > 0 or .health.coverage == 1)' out.json
}

# Not with --count-calls: the load of the machine would decide whether events are sampled.
@test "attach with sampled calls and any --interval counts the bytes of 3000 connections and of 8 threads exactly" {
	local interval port

	[ -x "$CHURN" ] || skip "the test programs are not built: make test-programs"
	need_tool iperf3
	port=$(free_port)
	# Watching these sends costs more than attach may, so it detaches its event programs.
	background iperf3 -s -p "$port" >/dev/null
	within 10 sh -c "ss -Hltn sport = $port | grep -q ."
	background iperf3 -c 127.0.0.1 -p "$port" -N -l 64 -t 600 >/dev/null
	for interval in 1s 1m; do
		"$NETIOTRACE" attach -q --budget 0.4 --interval $interval --json out.json -- "$CHURN" churn 300 5 >sums
		jq -c '[.events.quality, .events.time_share, .health.coverage]' out.json | tee -a seen
		jq -e --slurpfile sums sums '$sums[0] as $s | .total.connections == 2 * $s.connections
			and .total.socket.tx_bytes == $s.client.tx + $s.server.tx
			and .total.socket.rx_bytes == $s.client.rx + $s.server.rx
			and .total.ledger.unaccounted_tx == 0 and .total.ledger.unaccounted_rx == 0
			and .health.sockets_left_out == 0 and .health.ends_missed == 0' out.json
		"$NETIOTRACE" attach -q --budget 0.4 --interval $interval --json out.json -- "$BUILD_DIR/tests/e2e/shared_socket_senders" 8 30000 100 plain >said
		jq -c '[.events.quality, .events.time_share, .health.coverage]' out.json | tee -a seen
		jq -e --slurpfile said said '.total | .socket.tx_bytes == $said[0].plain.bytes and .socket.rx_bytes == $said[0].received
			and .sends.plain.bytes == .socket.tx_bytes and .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0' out.json
	done
	# On a busy machine there may be few sends for a while.
	grep sampled seen
}

@test "attach does not report bytes received between sampling windows as received without a copy" {
	local port server read

	need_tool iperf3
	port=$(free_port)
	# On a busy machine no window may have seen the few receives of iperf3's control connection.
	read='.total | .ledger.rx_copy.bytes + ([.uncovered[] | select(.direction == "rx" and .kind == "missed").bytes] | add // 0)
		== .socket.rx_bytes'
	# Hundreds of thousands of receives: more than attach samples, unless the machine is busy.
	for _ in 1 2 3 4; do
		iperf3 -s -1 -p "$port" >/dev/null 3>&- &
		server=$!
		within 10 sh -c "ss -Hltn sport = $port | grep -q ."
		"$NETIOTRACE" attach -q --budget 0.4 --backend tracepoint --json out.json -- iperf3 -c 127.0.0.1 -p "$port" -R -l 2k -t 4 >/dev/null
		wait "$server"
		jq -c '.events, .health, .total.uncovered, .total.ledger, .total.socket' out.json
		jq -e "$read" out.json
		[ "$(json out.json .events.quality)" != sampled ] || break
	done
	jq -e '.events.quality == "sampled"
		and (.health.missed > 0 or [.total.uncovered[] | select(.direction == "rx" and .kind != "missed")] == [])' out.json
}

# attach_in_windows: watches a sender until attach watched its calls in windows only. A busy machine may not get there.
attach_in_windows() {
	local port server

	port=$(free_port)
	for _ in 1 2 3 4; do
		iperf3 -s -1 -p "$port" >/dev/null 3>&- &
		server=$!
		within 10 sh -c "ss -Hltn sport = $port | grep -q ."
		"$NETIOTRACE" attach -q --budget 0.4 --backend tracepoint --json out.json -- iperf3 -c 127.0.0.1 -p "$port" -l 2k -t 4 >/dev/null
		wait "$server"
		[ "$(json out.json .events.quality)" != sampled ] || break
	done
	jq -c '.events, .total.ledger' out.json
	jq -e '.events.quality == "sampled"' out.json
}

uses_io_uring() {
	find /proc/[0-9]*/fd -lname '*\[io_uring\]' 2>/dev/null | grep -q .
}

# Alone: other tests use io_uring. So may other programs of this machine: then nothing is known. One
# whose instance was gone when the test looked is gone for the next try, too.
# bats test_tags=alone
@test "attach knows that nothing was pinned between windows, unless something uses io_uring" {
	local others zero='.total.ledger | .tx_pin.bytes == 0 and .deferred_copy.bytes == 0'
	local unknown='.total.ledger | .tx_pin, .deferred_copy | .bytes == null and (.reason | test("io_uring"))'

	need_tool iperf3
	for _ in 1 2 3; do
		others=
		! uses_io_uring || others=before
		attach_in_windows
		! uses_io_uring || others+=after
		[ -z "$others" ] || break
		! jq -e "$zero" out.json || break
	done
	if [ "$others" = beforeafter ]; then
		jq -e "$unknown" out.json
	elif [ -z "$others" ]; then
		jq -e "$zero" out.json
	fi
	# io_uring_setup(), its result, and a pause.
	background python3 -c 'import ctypes, time
open("fd", "w").write(str(ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120))))
time.sleep(100)'
	within 10 test -s fd
	[ "$(cat fd)" -ge 0 ] || skip "io_uring is not permitted here"
	attach_in_windows
	jq -e "$unknown" out.json
}

@test "attach does not print bytes of MPTCP as counted where its calls were watched in windows" {
	cat >mptcp.py <<-'END'
		import os, socket, sys, time
		listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
		listener.bind(("127.0.0.1", 0))
		listener.listen()
		if os.fork() == 0:
		    peer, _ = listener.accept()
		    while peer.recv(65536):
		        pass
		    os._exit(0)
		sender = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
		sender.connect(listener.getsockname())
		sends, end = 0, time.monotonic() + float(sys.argv[1])
		while time.monotonic() < end:
		    for _ in range(100):
		        sender.sendall(b"x" * 64)
		    sends += 100
		sender.close()
		os.wait()
		print(sends * 64)
	END
	python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)' || skip "no MPTCP here"
	# So many sends in a row are more events than attach watches, unless the machine is
	# busy. Programs on functions would stay attached.
	for seconds in 5 10 20; do
		"$NETIOTRACE" attach --budget 0.4 --backend tracepoint --json out.json -- python3 mptcp.py $seconds >said 2>&1
		jq -c '.events.quality, .events.time_share, .total.uncovered' out.json
		[ "$(json out.json .events.quality)" != sampled ] || break
	done
	jq -e '.events.quality == "sampled"' out.json
	jq -e '[.total.uncovered[] | select(.kind == "mptcp")] | length > 0 and all(.bytes == null and .bytes_reason != "")' out.json
	# Where no window met a send, not even a part is known.
	grep -E '^total +(>=[0-9]|unknown)' said
	# MPTCP copies, and no stage has its copies: none of them is said to be none.
	jq -e '.total.ledger | [.tx_copy, .rx_copy] | all(.bytes == null and .bytes_at_most == null)' out.json
	run ! grep -E 'copies <|without a copy|copies all' said
	"$NETIOTRACE" attach -q --count-calls --json out.json -- python3 mptcp.py 0.3 >said
	jq -e --slurpfile sent said '.total.uncovered | any(.kind == "mptcp" and .direction == "tx" and .bytes == $sent[0])' out.json
}

# unseen: how many state changes in the file `changes` (of ftrace) interrupted a thread of process 1,
# where a kernel may run no BPF program (docs/KERNELS.md). Counts sockets with an earlier change
# elsewhere: attach may not know the others. attach misses at most so many changes.
unseen() {
	awk 'FNR == NR { first[$1] = 1; next }
		!match($0, /-[0-9]+ +\[/) || /oldstate=TCP_(LISTEN|SYN_RECV) newstate=TCP_(SYN_RECV|ESTABLISHED)/ { next }
		{
			on_top = substr($0, RSTART + 1, RLENGTH - 2) + 0 in first
			socket = ""
			for (i = 1; i <= NF; i++)
				if ($i ~ /^[sd](port|addr)=/)
					socket = socket " " $i
			n += before[socket] && !on_top
			before[socket] = on_top
		}
		END { print n + 0 }' threads_of_first changes
}

# With receive packet steering another CPU receives, in a softirq on top of any task: also on top of
# the programs of other tests' attach, whose sums are unknown then.
# bats test_tags=alone
@test "attach sees state changes of a softirq on top of its program through nio_at_state2" {
	local refused

	[ -x "$CHURN" ] || skip "the test programs are not built: make test-programs"
	[ "$(nproc)" -ge 2 ] || skip "there is one CPU"
	# shellcheck disable=SC2016 # jq's
	refused='[.[] | select(.name == $name) | .recursion_misses // 0] | add'
	# On a busy machine the first refused program run may take a while.
	# attach is its parent. Another test's attach has programs of the same names.
	cat >churn <<-EOF
		for ((n = 0; n < 5; n++)); do
			"$CHURN" churn 1000 3 >>sums
			ids=\$(cat "/proc/\$PPID/fdinfo/"* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u | paste -sd ,)
			"$BPFTOOL" -j prog show | jq --argjson ids "[\$ids]" 'map(select(.id | IN(\$ids[])))' >programs
			jq -e --arg name nio_at_state '($refused) > 0' programs && break
		done
	EOF
	# Uses ports of its own: ftrace shows the changes of all namespaces.
	cat >inside <<-'EOF'
		ip link set lo up
		sysctl -qw net.ipv4.ip_local_port_range='10000 30000'
		mount -t sysfs none /sys
		echo 3 >/sys/class/net/lo/queues/rx-0/rps_cpus
		if mount -t tracefs none /sys/kernel/tracing && mkdir "/sys/kernel/tracing/instances/netiotrace$$"; then
			trace=/sys/kernel/tracing/instances/netiotrace$$
			trap 'rmdir "$trace"' EXIT
			echo 16384 >"$trace/buffer_size_kb"
			for event in "$trace"/events/{sock/inet_sock_set_state,tcp/tcp_destroy_sock}; do
				echo 'sport >= 10000 && sport <= 30000' >"$event/filter"
				echo 1 >"$event/enable"
			done
		fi
		"$1" attach -q --count-calls --json out.json -- bash -e ./churn
		ls /proc/1/task >threads_of_first
		cat ${trace+"$trace/trace"} /dev/null >changes
	EOF
	unshare --net --mount bash -e ./inside "$NETIOTRACE"
	jq -c --argjson refused "$(jq --arg name nio_at_state "$refused" programs)" \
		--argjson twin "$(jq --arg name nio_at_state2 "$refused" programs)" --argjson unseen "$(unseen)" \
		'{$refused, $twin, $unseen, missed: .health.missed}' out.json | tee seen
	jq -e --slurpfile sums sums 'if .health.ends_missed > 0 then .total.socket.tx_bytes == null and .total.ledger.unaccounted_tx == null
		else .total.socket.tx_bytes == ([$sums[] | .client.tx, .server.tx] | add)
		and .total.socket.rx_bytes == ([$sums[] | .client.rx, .server.rx] | add) and .health.coverage > 0.99
		and (.total.ledger | .unaccounted_tx == 0 and .unaccounted_rx == 0) end' out.json
	# If the second program (nio_at_state2) did not run, each refused run would count as missed.
	jq -e '.refused > 0 and .missed <= .unseen + .twin' seen
}

@test "attach with 20 000 sockets at once: memory bounded, sockets without room counted, the others exact" {
	local churn servers few before

	[ -x "$CHURN" ] || skip "the test programs are not built: make test-programs"
	"$CHURN" hold 20000 held >sums 3>&- &
	PEERS+=($!)
	churn=$!
	within 60 test -e held
	# The first children are the servers. $STARTED never ends, so that attach does not end with
	# the servers.
	background sleep 600
	servers="--pid $STARTED $(pgrep -P "$churn" | head -n 4 | sed 's/^/--pid /')"
	# shellcheck disable=SC2086 # options
	watch --interval 200ms --top 20000 $servers
	before=$(fds_of "$COLLECTOR")
	# shellcheck disable=SC2086 # options
	"$NETIOTRACE" attach --count-calls -v --json few.json --interval 200ms --max-sockets 5000 $servers >few.text 2>few.log 3>&- &
	few=$!
	PEERS+=($!)
	within 60 grep -q watching few.log
	rm held
	wait "$churn"
	within 10 no_sockets_left "$COLLECTOR"
	within 10 no_sockets_left "$few"
	# One for the end of each server.
	within 10 has_fds "$COLLECTOR" $((before - 4))
	[ "$(peak_kib "$COLLECTOR")" -lt 131072 ]
	echo "peak $(peak_kib "$COLLECTOR") KiB, $(peak_kib "$few") KiB with room for 5000"
	stop_collector "$COLLECTOR"
	stop_collector "$few"
	exact
	jq -e --slurpfile sums sums '$sums[0] as $s | .total.connections == 20000
		and .total.socket.rx_bytes == $s.server.rx - $s.held.server.rx
		and .total.socket.tx_bytes == $s.server.tx - $s.held.server.tx
		and .health.sockets_left_out == 0 and (.health.missed > 0 or .health.coverage == 1)' out.json
	# Some sockets get room when others end. Sums that lack sockets are unknown.
	jq -e '.health.sockets_left_out == 15000 and .total.connections >= 5000 and .health.coverage == null
		and .total.ledger.unaccounted_tx == null and .total.socket.tx_bytes == null
		and (.total.ledger.unaccounted_tx_reason | test("left out"))
		and all(.connections[]; .ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0)' few.json
}

@test "attach with a full table: a socket without room leaves no bytes in later sockets" {
	[ -x "$CHURN" ] || skip "the test programs are not built: make test-programs"
	run -5 --separate-stderr "$NETIOTRACE" attach --count-calls -q --max-sockets 4 --interval 1m --json out.json \
		--assert 'unaccounted_tx == 0' -- "$CHURN" churn 1000 1
	jq -c '[.total.uncovered, .health, .total.connections, .total.socket]' out.json
	# 2000 sockets were used; sockets that got room later had been left out before.
	jq -e '.total.uncovered == [] and .health.coverage == null and .health.sockets_left_out < 2000
		and .health.sockets_left_out + .total.connections >= 2000
		and all(.connections[]; .ledger.unaccounted_tx == 0 and .socket.tx_bytes == ([.sends[].bytes] | add))' out.json
}
