#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# attach: the ledger of programs that are not part of netiotrace. The expected bytes come from the
# programs: iperf3's and the load generator's own counts, the bytes that curl received, the bytes
# that a script sends.

bats_require_minimum_version 1.5.0
load ../lib
load attach

# iperf [OPTION...]: runs an iperf3 client under attach. iperf3's report is in iperf.json; attach's
# row of the data connection is in data.json. iperf3 opens a data connection with a cookie of 37
# bytes.
iperf() {
	local port

	port=$(free_port)
	iperf3 -s -1 --forceflush -p "$port" >server.log 2>&1 3>&- &
	PEERS+=($!)
	within 10 grep -qi listening server.log
	attached iperf3 -c 127.0.0.1 -p "$port" -t 1 -J "$@" >iperf.json
	exact
	jq '.connections | max_by(.socket.tx_bytes + .socket.rx_bytes)' out.json >data.json
}

@test "attach counts the bytes that iperf3 reports: sent, received and sent by sendfile" {
	need_tool iperf3
	iperf
	[ "$(json data.json .ledger.tx_copy.bytes)" -eq $(($(json iperf.json .end.sum_sent.bytes) + 37)) ]
	[ "$(json data.json .verdict.text)" = "" ] || [ "$(json data.json '.zerocopy.sends + 1')" -eq 1 ]
	iperf -R
	# iperf3 does not count bytes that it reads after its time is over; exact() compares attach
	# with the socket.
	[ "$(json data.json .ledger.rx_copy.bytes)" -ge "$(json iperf.json .end.sum_received.bytes)" ]
	iperf -Z
	json data.json '.ledger.tx_splice.bytes + .ledger.tx_copy.bytes' >sent
	[ "$(<sent)" -eq $(($(json iperf.json .end.sum_sent.bytes) + 37)) ]
	# If no hook distinguishes sendfile, the copied bytes carry a note that they are a bound.
	if jq -e '.plan[] | select(.probe == "message") | .hook' out.json; then
		[ "$(json data.json .ledger.tx_copy.bytes)" -eq 37 ]
	else
		json data.json .ledger.tx_copy.reason | grep -q 'upper bound'
	fi
}

@test "attach --json-lines has whole lines that grow to the total of the document" {
	local line

	ln -s target lines
	echo old >target
	"$NETIOTRACE" attach -q --interval 100ms --json out.json --json-lines lines -- \
		"$LOADGEN" --mode onecopy --size 64k --messages 40 --rate 50 --congestion reno --json >loadgen.json
	[ -L lines ]
	# One object in each line, the first of which replaced what the file had.
	[ "$(wc -l <target)" -ge 4 ]
	[ "$(wc -l <target)" -eq "$(jq -s length target)" ]
	jq -se '[.[].total.socket.tx_bytes] as $b | ($b == ($b | sort)) and $b[-1] > $b[0]' target
	jq -se '[.[].time] as $t | ($t == ($t | sort)) and ($t | unique | length) == length' target
	# The last one is the document's total: 40 messages and a greeting, and the control connection.
	[ "$(jq -sS '.[-1].total' target)" = "$(jq -S .total out.json)" ]
	jq '[.connections[].socket.rx_bytes | select(. < 65536)] | add' out.json >control
	[ "$(jq -s '.[-1].total.socket.rx_bytes' target)" -eq $((40 * 65536 + 64 + $(<control))) ]
	# Each line is a document's total as the schema has it.
	mkdir each
	jq -c . target | awk '{ print > ("each/" NR) }'
	for line in each/*; do
		jq --slurpfile line "$line" '.total = $line[0].total' out.json >"$line.json"
	done
	"$REPO/tests/validate" each
}

# bats test_tags=address
@test "attach counts for the load generator the bytes that it counts itself" {
	local mode sent

	for mode in twocopy onecopy zerocopy uringzc; do
		if [ "$mode" = uringzc ] && ! "$LOADGEN" --mode uringzc --messages 1 >/dev/null 2>refused; then
			grep "Mode uringzc cannot run here" refused
			continue
		fi
		# Pacing timers send in softirq on top of any task (docs/KERNELS.md): disabled.
		attached "$LOADGEN" --mode "$mode" --size 64k --messages 2000 --congestion reno --json \
			>loadgen.json
		exact
		sent=$((2000 * 65536))
		jq '[.connections[] | select(.socket.tx_bytes > 100000000)] | first' out.json >tx.json
		jq '[.connections[] | select(.socket.rx_bytes > 100000000)] | first' out.json >rx.json
		# Each connection begins with a greeting of 64 bytes.
		[ "$(json tx.json .socket.tx_bytes)" -eq $((sent + 64)) ]
		[ "$(json rx.json .ledger.rx_copy.bytes)" -eq $((sent + 64)) ]
		if [ "$mode" = uringzc ]; then
			if jq -e '.plan[] | select(.probe == "message") | .hook' out.json; then
				jq -e --argjson sent "$sent" --slurpfile own loadgen.json '$own[0].sender.zerocopy as $own
					| .ledger.tx_pin.bytes == $sent - $own.fallback_bytes
					and (.ledger.deferred_copy.bytes - .ledger.tx_pin.bytes | . >= 0 and . <= $own.fallback_bytes + $again)
					and .zerocopy.requests_reported == $own.completed and .zerocopy.requests_copied == $own.copied
					and .verdict.cause == "local_delivery"' --argjson again "$(json tx.json .socket.tx_retrans)" tx.json
			fi
		elif [ "$mode" = zerocopy ]; then
			# Other tests that run as the user nobody may exhaust RLIMIT_MEMLOCK; a send
			# is then repeated as a copy. If it shares a packet with pinned bytes, both
			# are copied on delivery. Retransmitted bytes are copied again if they are
			# pinned and the kernel did not drop a packet before delivery (full backlog).
			jq -e --argjson sent "$sent" --slurpfile own loadgen.json '$own[0].sender.zerocopy.fallback_bytes as $again
				| .socket.tx_retrans as $retrans | .ledger.tx_pin.bytes == $sent - $again
				and (.ledger.deferred_copy.bytes - .ledger.tx_pin.bytes | . >= 0 and . <= $again + $retrans)
				and (.zerocopy | del(.[keys[] | select(startswith("requests_"))])) == ($own[0].sender.zerocopy | del(.enobufs, .fallback_bytes))
				and .verdict.cause == "local_delivery" and .verdict.copied_fraction == 1' tx.json
		else
			[ "$(json tx.json .ledger.tx_copy.bytes)" -eq $((sent + 64)) ]
		fi
	done
}

# bats test_tags=address
@test "attach gives a verdict for a program that never reads its error queue" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	# shellcheck disable=SC2153 # peer() sets it
	attached "$BUILD_DIR/tests/e2e/no_errqueue_sender" 127.0.0.1 "$PORT" 500 65536 >sent
	exact
	[ "$(<sent)" -eq $((500 * 65536)) ]
	# Retransmitted bytes are copied again, unless the kernel dropped a packet before delivery.
	jq -e --argjson sent "$(<sent)" '.total | .ledger.tx_pin.bytes == $sent
		and .ledger.deferred_copy.bytes >= $sent
		and .ledger.deferred_copy.bytes <= $sent + .socket.tx_retrans
		and .verdict.cause == "local_delivery" and .zerocopy.copied == .zerocopy.completed
		and .zerocopy.completed == .socket.tx_zerocopy_ids' out.json
}

# zc_requests EXPRESSION WORD...: attach on a program that sends 8 buffers of 1000 bytes by SEND_ZC;
# EXPRESSION holds for the total, with what the program's own completions say in $own.
zc_requests() {
	local expression=$1 status=0

	shift
	attached "$BUILD_DIR/tests/e2e/zc_requests" "$PORT" 8 1000 "$@" >own || status=$?
	[ "$status" -ne 77 ] || skip "io_uring SEND_ZC is not supported here"
	[ "$status" -eq 0 ]
	exact
	jq -c . own && jq -c '.total | .zerocopy, .verdict' out.json
	jq -e --slurpfile own own '.total | $own[0] as $own | .ledger.tx_pin.bytes == 8000 and .ledger.tx_pin.bytes == $own.bytes
		and .sends.io_uring.calls == $own.sent and ('"$expression"')' out.json
}

# shellcheck disable=SC2016 # jq's variables
# bats test_tags=address
@test "attach says of io_uring's SEND_ZC what its completions say, and where they are wrong" {
	local arrived='.ledger.deferred_copy.bytes == 8000 and .verdict.cause == "local_delivery"'
	local reported='(.zerocopy | .requests_reported == $own.sent and .requests_unreported == 0)'

	peer port "$PROGRAM" sink 127.0.0.1 port
	zc_requests "$arrived and $reported"' and .zerocopy.requests_copied == $own.copied and $own.copied == 8' report
	zc_requests "$arrived and $reported"' and .zerocopy.requests_copied == $own.copied and $own.copied == 8' report more
	# A failed request has a notification, which says that it was copied.
	zc_requests "$arrived and $reported"' and .refused.efault == 1 and .zerocopy.requests_copied == 8' report fault
	zc_requests "$arrived"' and .zerocopy.requests_unreported == 8 and .zerocopy.requests_reported == 0
		and .verdict.copied_fraction == null'
	# No byte leaves the socket, so nothing is copied: all requests share one packet.
	zc_requests "$reported"' and .ledger.deferred_copy.bytes == 0 and .verdict.copied_fraction == 0
		and .zerocopy.requests_copied == 0 and .zerocopy.requests_misreported == $own.copied and $own.copied == 7
		and (.verdict.text | test("own flags"))' report queued
	# What happened to the packet is known of its first request, which kept no account.
	zc_requests '.zerocopy.requests_unreported == 8 and .zerocopy.requests_misreported == 0
		and $own.copied == 7' late queued
	zc_requests '.ledger.deferred_copy.bytes == null and .ledger.deferred_copy.bytes_at_most == 8000
		and .verdict.cause == "io_uring"' queued
}

# bats test_tags=address
@test "attach counts refused zero-copy sends by errno and names a missing SO_ZEROCOPY" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	attached python3 -c '
import errno, os, resource, socket, sys
sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
ZEROCOPY, SO_ZEROCOPY, refused, sent = 0x4000000, 60, 0, 0
for _ in range(10):
    sent += sock.send(b"x" * 1000, ZEROCOPY) # without the option: copied
sock.setsockopt(socket.SOL_SOCKET, SO_ZEROCOPY, 1)
# Parallel tests share RLIMIT_MEMLOCK: the process locks no more than the limit.
resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
os.setuid(65534)
for _ in range(7):
    try:
        sent += sock.send(b"x" * 1000000, ZEROCOPY)
    except OSError as e:
        refused += e.errno == errno.ENOBUFS
print(sent, refused)' "$PORT" >said
	exact
	read -r sent refused <said
	cat said && jq -c '.total.refused, .total.verdict.text' out.json
	[ "$refused" -eq 7 ]
	jq -e --argjson sent "$sent" --argjson refused "$refused" '.total | .socket.tx_bytes == $sent
		and .refused.enobufs == $refused and (.verdict.text | test("10 sends with MSG_ZEROCOPY on sockets without SO_ZEROCOPY"))
		and (.verdict.text | test("ENOBUFS"))' out.json
}

@test "attach counts for nginx the bytes that curl received, by sendfile and by copies" {
	local sendfile pid port

	need_tool nginx curl
	mkdir -p logs www
	head -c 3000000 /dev/urandom >www/file
	chmod -R a+rX . && chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	for sendfile in on off; do
		port=$(free_port)
		cat >nginx.conf <<-END
			worker_processes 2; daemon off; pid $PWD/pid; error_log $PWD/logs/error;
			events {}
			http { access_log off; sendfile $sendfile;
			server { listen 127.0.0.1:$port; root $PWD/www; }
			client_body_temp_path $PWD/b; proxy_temp_path $PWD/p; fastcgi_temp_path $PWD/f;
			uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/s; }
		END
		background nginx -c "$PWD/nginx.conf" -e "$PWD/logs/error"
		pid=$STARTED
		within 20 curl -sf -o /dev/null "http://127.0.0.1:$port/file"
		watch --pid "$pid" --children
		for _ in 1 2 3 4 5; do
			curl -sf -o /dev/null -w '%{size_download} %{size_header} %{size_request}\n' "http://127.0.0.1:$port/file"
		done >curls
		kill -INT "$COLLECTOR"
		wait "$COLLECTOR" || [ $? -eq 130 ]
		exact
		awk '{ rx += $1 + $2; tx += $3 } END { print rx, tx }' curls >sums
		jq -r '.total.socket | "\(.tx_bytes) \(.rx_bytes)"' out.json | diff sums -
		[ $sendfile = off ] || [ "$(json out.json .total.ledger.tx_splice.bytes)" -eq 15000000 ] ||
			json out.json .total.ledger.tx_copy.reason | grep -q 'upper bound'
		[ $sendfile = on ] || [ "$(json out.json '.total.ledger.tx_splice.bytes + 1')" -eq 1 ]
		kill "$pid"
		wait "$pid" || true
	done
}

# bats test_tags=address
@test "attach lists processes that fork, exec and pass a socket on separately; the bytes belong to one socket" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	attached "$PROGRAM" pass 127.0.0.1 "$PORT" 5000
	exact
	jq -e '.total.socket.tx_bytes == 15000 and (.connections | length) == 1
		and .connections[0].shared and (.processes | length) == 1 and .processes[0].exited' out.json
}

@test "attach counts MSG_PEEK bytes as copied, not as received" {
	peer port "$PROGRAM" echo 127.0.0.1 port 1
	attached "$PROGRAM" peek 127.0.0.1 "$PORT" 90000
	exact
	jq -e '.total | .socket.rx_bytes == 90000 and .receives.peeked > 0
		and .ledger.rx_copy.bytes == .socket.rx_bytes + .receives.peeked' out.json
}

@test "attach counts bytes taken by splice as received without a copy" {
	peer port "$PROGRAM" echo 127.0.0.1 port 1
	attached "$PROGRAM" splice 127.0.0.1 "$PORT" 90000
	exact
	jq -e '.total | .socket.rx_bytes == 90000 and .receives.uncopied == 0 and .ledger.rx_copy.bytes == 0
		and .ledger.rx_splice.bytes == 90000 and .ledger.rx_splice.quality == "exact"' out.json
}

@test "attach counts an accepted socket from its first byte when splice and sendfile use it first" {
	attached "$PROGRAM" first 127.0.0.1 50000
	exact
	jq -e '.total | .socket.tx_bytes == 100000 and .socket.rx_bytes == 100000 and .ledger.rx_splice.bytes == 50000
		and (.sends.splice.bytes == 50000 or .sends.untold.bytes == 100000)' out.json
}

# unsent PID PATTERN: ss shows unsent bytes and the probe timer at a socket of PID, and PATTERN.
unsent() {
	ss -HtnoipO | grep "pid=$1," | grep -F 'timer:(persist' | grep -qE "notsent:$2"
}

# has_line CONDITION: it holds in the last line of --json-lines, which has been written as a whole.
has_line() {
	tail -n 2 lines 2>/dev/null | jq -se "last | $1" >/dev/null
}

@test "attach finds last bytes that MSG_MORE or TCP_CORK hold back, and none of plain or paced sends or at a full peer" {
	local how sender

	peer port "$PROGRAM" sink 127.0.0.1 port
	for how in more cork plain paced full; do
		background "$PROGRAM" tail 127.0.0.1 "$PORT" $how
		sender=$STARTED
		case $how in
		more | cork) within 20 unsent "$sender" '100 ' ;;
		paced | full) within 20 unsent "$sender" '[0-9]' ;;
		esac
		rm -f lines
		watch --pid "$sender" --interval 50ms --json-lines lines
		# Enough looks, however slow the machine is; of held bytes a part finds them.
		within 60 has_line '.total.socket.tx_looks > 20'
		[ $how != more ] && [ $how != cork ] || within 60 has_line '.total.socket.tx_tail_waits > 1'
		kill -INT "$COLLECTOR"
		wait "$COLLECTOR" || [ $? -eq 130 ]
		kill -9 "$sender"
		case $how in
		more | cork)
			jq -e '.total.socket | .tx_tail_waits > 1 and .tx_tail_waits <= .tx_looks' out.json
			grep -q 'the last bytes waited for more with nothing in flight' <(tr -s ' \n' ' ' <text)
			;;
		*)
			jq -e '.total.socket | .tx_tail_waits == 0 and .tx_looks > 20' out.json
			run -1 grep 'waited for more' text
			;;
		esac
	done
}

# bats test_tags=address
@test "attach --comm watches a process while it has the name; earlier bytes stay in the result" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	background python3 -c '
import os, socket, sys, time
for name, n in (("other-", 100), ("wanted-", 1000), ("another-", 10000)):
    name += sys.argv[2]
    with open("/proc/self/comm", "w") as comm:
        comm.write(name)
    while not os.path.exists(name): time.sleep(0.01)
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as sock:
        sock.sendall(b"x" * n)
        sock.shutdown(socket.SHUT_WR)
        sock.recv(1)
    open(name + ".done", "w").close()
time.sleep(60)' "$PORT" $$
	watch --comm wanted-$$ --wait --duration 60s
	for name in other-$$ wanted-$$ another-$$; do
		touch "$name"
		within 10 test -e "$name.done"
	done
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	exact
	jq -e '.total.connections == 1 and .total.socket.tx_bytes == 1000' out.json
}

@test "attach --comm --wait with a name that no process has: warns, then watches the first process that gets it" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	# One of the two names is missing; a name that a process has causes no message.
	ln -s "$(type -P sleep)" present-$$
	background ./present-$$ 60
	within 10 grep -qx present-$$ "/proc/$STARTED/comm"
	# Without --wait that is an error, whatever else is named.
	run -1 "$NETIOTRACE" attach missing-$$ --comm present-$$ --duration 60s
	[[ $output == *"no process is called 'missing-$$'"*--wait* ]]
	watch --wait missing-$$ --comm present-$$ --duration 60s
	[ "$(grep -c 'no process of this name' log)" = 1 ]
	grep -q "^netiotrace: --comm missing-$$: no process of this name runs now" log
	bash -c 'printf "$2" >/proc/self/comm; exec 3<>"/dev/tcp/127.0.0.1/$1"; printf %1000s . >&3; exec 3>&-' _ "$PORT" missing-$$
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	exact
	jq -e '.total.connections == 1 and .total.socket.tx_bytes == 1000' out.json
	"$NETIOTRACE" attach --count-calls -q --comm missing-$$ --wait --duration 100ms 2>errors
	[ ! -s errors ]
	# A command may start the process.
	"$NETIOTRACE" attach -q missing-$$ -- true
}

@test "attach NAME watches the processes of this name, whatever files have it" {
	ln -s "$(type -P sleep)" named-$$
	background ./named-$$ 60
	within 10 grep -qx named-$$ "/proc/$STARTED/comm"
	"$NETIOTRACE" attach named-$$ --duration 50ms --json out.json >text 2>log
	jq -e --argjson pid "$STARTED" '[.processes[].pid] == [$pid]' out.json
	# Options may come first, and several names add up.
	"$NETIOTRACE" attach --duration 50ms -q --wait other-$$ named-$$ --json out.json
	jq -e --argjson pid "$STARTED" '[.processes[].pid] == [$pid]' out.json
}

@test "attach distinguishes two processes with equal addresses and ports in different namespaces" {
	need_tool ip unshare
	cat >inside <<-'END'
		ip link set lo up
		"$PROGRAM" echo 127.0.0.1 port 1 & peer=$!
		until [ -s port ]; do sleep 0.05; done
		"$PROGRAM" exchange 127.0.0.1 "$(cat port)" "$1"
		wait $peer
	END
	mkdir one two
	export PROGRAM
	attached sh -c "(cd one && exec unshare -n sh ../inside 40000) & (cd two && exec unshare -n sh ../inside 70000); wait"
	exact
	jq -e '([.connections[].netns] | unique | length) == 2
		and ([.connections[].socket | .tx_bytes, .rx_bytes] | sort | unique) == [40000, 70000]
		and (.connections | length) == 4' out.json
}

@test "attach leaves out the connections of a neighbour who listens on a watched port elsewhere" {
	need_tool ip unshare
	cat >watched <<-'END'
		import os, socket, time
		bound = socket.create_server(("127.0.0.1", 0))
		unbound = socket.socket()
		unbound.listen()  # the kernel chooses the port
		for listener in bound, unbound:
		    with socket.create_connection(("127.0.0.1", listener.getsockname()[1])) as client:
		        client.sendall(b"x" * 100)
		        client.shutdown(socket.SHUT_WR)
		        listener.accept()[0].recv(100, socket.MSG_WAITALL)
		with open("port.new", "w") as f:
		    f.write(str(bound.getsockname()[1]))
		os.rename("port.new", "port")
		while not os.path.exists("namespace.done") or not os.path.exists("address.done"):
		    time.sleep(0.02)
	END
	# Its connections wait to be accepted, so that no process has them.
	cat >neighbour <<-'END'
		import os, socket, sys, time
		while not os.path.exists("port"):
		    time.sleep(0.02)
		place = (sys.argv[2], int(open("port").read()))
		listener = socket.create_server(place)
		for _ in range(3):
		    client = socket.create_connection(place)
		    client.sendall(b"x" * 387)
		    client.detach()
		open(sys.argv[1] + ".done", "w").close()
		time.sleep(600)
	END
	background unshare -n sh -c 'ip link set lo up && exec python3 neighbour namespace 127.0.0.1'
	background python3 neighbour address 127.0.0.2
	attached python3 watched
	exact
	jq -c '.connections[] | [.local, .remote, .netns]' out.json
	jq -e '.total.connections == 4 and .total.socket.tx_bytes == 200 and .total.socket.rx_bytes == 200' out.json
}

@test "attach --cgroup watches present, nested and later processes; the cgroup may be removed meanwhile" {
	local root group lines

	need_tool findmnt
	root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -w "$root" ] || skip "no cgroup2 file system to write to"
	group=$root/netiotrace-test-$$
	mkdir -p "$group/below"
	watch --cgroup "$group" --interval 100ms
	peer port "$PROGRAM" sink 127.0.0.1 port
	sh -c 'echo $$ >"$1/below/cgroup.procs"; exec "$2" churn 127.0.0.1 "$3" 5' - "$group" "$PROGRAM" "$PORT"
	"$PROGRAM" churn 127.0.0.1 "$PORT" 5
	# Two more lines on stderr: attach read the sockets while the cgroup existed.
	lines=$(wc -l <text)
	within 20 sh -c "[ \$(wc -l <text) -ge $((lines + 2)) ]"
	# attach ends when the cgroup is removed.
	within 10 rmdir "$group/below" "$group"
	wait "$COLLECTOR"
	exact
	jq -e '.total.connections == 5 and .total.socket.tx_bytes == 5 * 23' out.json
	# With --by cgroup the row is the cgroup in which the sockets were made.
	jq -e --arg path "/netiotrace-test-$$/below" '(.cgroups | length) == 1 and .cgroups[0].path == $path
		and .cgroups[0].connections == 5 and .cgroups[0].socket.tx_bytes == 5 * 23
		and all(.connections[]; .cgroup == $path)' out.json
}

@test "attach --port finds the connections of every process, including existing ones" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	background "$PROGRAM" exchange 127.0.0.1 1 1 # Uses another port: refused.
	peer other "$PROGRAM" echo 127.0.0.1 other 1
	background "$PROGRAM" exchange 127.0.0.1 "$PORT" 60000000000
	watch --port "$PORT" --duration 1s --by connection --csv out.csv
	wait "$COLLECTOR"
	exact
	jq -e --arg port ":$PORT" '(.connections | length) == 2
		and all(.connections[]; (.local | endswith($port)) or (.remote | endswith($port)))
		and all(.connections[]; .open and .socket.tx_bytes > 0)' out.json
	# The CSV has the same two rows and a header, with equal column counts.
	[ "$(wc -l <out.csv)" -eq 3 ]
	python3 -c 'import csv; rows = list(csv.reader(open("out.csv"))); assert len({len(r) for r in rows}) == 1, rows
assert [r[rows[0].index("socket.tx_bytes")] for r in rows[1:]]'
}

@test "attach splits CPU time by class; --folded writes the stacks of each process" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	"$NETIOTRACE" attach --count-calls --interval 200ms --json out.json --folded out.folded --assert 'cpu.share.user > 0.25' \
		-- "$PROGRAM" copy 127.0.0.1 "$PORT" 2.5 2>text
	exact
	# At 49 samples a second 122 are expected, and below 100 the text may give no shares; nearly all of
	# the program's time is memmove of 64 KiB blocks, which is the largest class. On a busy machine
	# half of so few samples were others: those of the start, of interrupts, and of a process that
	# has ended, whose frames have no names.
	jq -e '.sampling.quality == "sampled" and .sampling.hz == 49 and .total.cpu.samples > 30
		and ([.total, .processes[0]] | all(.cpu.share | .user > 0.25 and .user == ([.[]] | max) and (has("gather") | not)))
		and ([.total.cpu.share[]] | add | . > 0.999 and . < 1.001)' out.json
	# A line of the text may end between the words.
	tr -s '\n ' '  ' <text | grep -Eq ' application (100|[2-9][0-9]) % \('
	# A line has the program and PID, then the frames; most samples are in memmove in user
	# space.
	grep -Eq '^[^;]+ [0-9]+;\[[^;]+\] [0-9]+$' out.folded
	run -1 grep -Evq '^[^;]+ [0-9]+;.+ [0-9]+$' out.folded
	# Every sample is in one line of the file.
	[ "$(awk '{ sum += $NF } END { print sum }' out.folded)" -eq "$(jq .total.cpu.samples out.json)" ]
	"$NETIOTRACE" attach --count-calls -q --no-cpu --json out.json -- "$PROGRAM" churn 127.0.0.1 "$PORT" 5
	jq -e '.sampling.reason == "--no-cpu was given" and .total.cpu.samples == null' out.json
}

# bats test_tags=address
@test "attach on a terminal shows a table with keys and restores the terminal" {
	need_tool tmux
	peer port "$PROGRAM" echo 127.0.0.1 port 1
	background "$PROGRAM" exchange 127.0.0.1 "$PORT" 60000000000
	tmux -L "at$$" new-session -d -x 120 -y 20 \
		"stty -g >before; '$NETIOTRACE' attach --port $PORT --interval 200ms; echo \$? >status; stty -g >after"
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -q 'sent.*copies/B  zc cop.'"
	within 20 sh -c "tmux -L at$$ capture-pane -p | grep -q 'by process'"
	tmux -L "at$$" send-keys b
	# Waits for a row: Enter does nothing when no row is selected.
	within 20 sh -c "tmux -L at$$ capture-pane -p | grep -A3 'by connection' | grep -q ':$PORT'"
	tmux -L "at$$" send-keys Down Enter
	within 20 sh -c "tmux -L at$$ capture-pane -p | grep -q 'a send call  *a copy received'"
	tmux -L "at$$" send-keys Enter
	# The filter hides the row; a smaller terminal still shows the total.
	tmux -L "at$$" send-keys / x y z Enter
	within 20 sh -c "tmux -L at$$ capture-pane -p | grep -q 'no row has this text'"
	tmux -L "at$$" send-keys Escape
	within 20 sh -c "tmux -L at$$ capture-pane -p | grep -q ':$PORT >'"
	tmux -L "at$$" resize-window -x 80 -y 24
	within 20 sh -c "tmux -L at$$ capture-pane -p | grep -q '^total .*B '"
	within 20 sh -c "tmux -L at$$ capture-pane -p | grep -q 'by connection'"
	tmux -L "at$$" send-keys q
	within 20 test -s after
	[ "$(<status)" -eq 0 ]
	cmp before after
}

# bats test_tags=address
@test "attach: r in the live table starts anew, and no byte from before is counted on an open connection" {
	need_tool tmux
	cat >sender.py <<-'END'
		import os, socket, sys, threading, time

		listener = socket.create_server(("127.0.0.1", 0))
		sender = socket.create_connection(listener.getsockname())
		receiver = listener.accept()[0]
		def drain():
		    while receiver.recv(1 << 16):
		        pass
		threading.Thread(target=drain, daemon=True).start()
		print(listener.getsockname()[1], flush=True)
		for i, size in enumerate((5000000, 3000000)):
		    while not os.path.exists(f"go{i}"):
		        time.sleep(0.05)
		    sender.sendall(bytes(size))
		    open(f"sent{i}", "w").close()
		time.sleep(300)
	END
	background python3 sender.py >port
	within 20 test -s port
	tmux -L "at$$" new-session -d -x 80 -y 24 \
		"'$NETIOTRACE' attach --port $(<port) --by port --count-calls --json out.json --json-lines lines --interval 200ms; echo \$? >status; sleep 1000"
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -q 'by port'"
	touch go0
	within 20 test -e sent0
	within 20 sh -c "tmux -L at$$ capture-pane -p | grep -q ' 2 in all'"
	# The clock of the first line begins anew.
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -Eq '^attach +([6-9]|[1-9][0-9]) s'"
	tmux -L "at$$" send-keys r
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -Eq '^attach +[0-4] s'"
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -q ' 2 in all'"
	touch go1
	within 20 test -e sent1
	tmux -L "at$$" send-keys q
	within 20 test -s status
	[ "$(<status)" -eq 0 ]
	jq -c '.total.socket, .total.ledger.tx_copy' out.json
	jq -e '.total | .socket.tx_bytes == 3000000 and .ledger.tx_copy.bytes == 3000000
		and .ledger.tx_copy.quality == "exact" and .ledger.unaccounted_tx == 0' out.json
	jq -e '.restarts == 1' out.json
	# Each line says which start its numbers are since.
	jq -es 'map([.restarts, .total.socket.tx_bytes]) | map(select(.[0] == 0)[1]) as $first
		| map(select(.[0] == 1)[1]) as $second | ($first | last) == 5000000 and $second[0] == 0
		and ($second | last) == 3000000 and all(.[]; .[0] == 0 or .[0] == 1)' lines
	within 5 sh -c "tmux -L at$$ capture-pane -p -S - | grep -q 's since the last r'"
}

# attach_of_sent [OPTION..]: attach with a live table, where one connection has sent 5000000 bytes. Sets PID.
attach_of_sent() {
	need_tool tmux
	cat >sender.py <<-'END'
		import os, socket, time

		listener = socket.create_server(("127.0.0.1", 0))
		sender = socket.create_connection(listener.getsockname())
		receiver = listener.accept()[0]
		print(listener.getsockname()[1], flush=True)
		while not os.path.exists("go"):
		    time.sleep(0.05)
		for _ in range(500):
		    sender.sendall(bytes(10000))
		    receiver.recv(10000, socket.MSG_WAITALL)
		open("sent", "w").close()
		time.sleep(300)
	END
	background python3 sender.py >port
	within 20 test -s port
	tmux -L "at$$" new-session -d -x 80 -y 24 \
		"sh -c 'echo \$\$ >pid; exec $NETIOTRACE attach --port $(<port) --by port --count-calls --json out.json --interval 200ms $*' 2>said; echo \$? >status; sleep 1000"
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -q 'by port'"
	touch go
	within 20 test -e sent
	PID=$(<pid)
}

result_is_until_r() {
	within 20 test -s status
	cat said
	jq -c '{restarts, interrupted, total: .total.socket}' out.json
	jq -e '.restarts == 0 and .total.socket.tx_bytes == 5000000 and .total.ledger.tx_copy.bytes == 5000000
		and .total.ledger.unaccounted_tx == 0' out.json
}

# bats test_tags=address
@test "attach: Ctrl-C while r loads the programs again writes the result until r" {
	attach_of_sent
	local fds
	fds=$(find "/proc/$PID/fd" -type l | wc -l)
	tmux -L "at$$" send-keys r
	# It loads: it has more descriptors.
	within 20 sh -c "[ \$(ls /proc/$PID/fd | wc -l) -gt $fds ]"
	tmux -L "at$$" send-keys C-c
	result_is_until_r
	ends_with 130 "$(<status)"
	jq -e .interrupted out.json
}

# bats test_tags=address
@test "attach: Ctrl-C while r loads past the end of --duration is an interruption" {
	attach_of_sent --duration 20s
	local fds
	fds=$(find "/proc/$PID/fd" -type l | wc -l)
	tmux -L "at$$" send-keys r
	within 20 sh -c "[ \$(ls /proc/$PID/fd | wc -l) -gt $fds ]"
	# It loads while the duration ends.
	kill -STOP "$PID"
	sleep 20
	kill -INT "$PID"
	kill -CONT "$PID"
	within 20 test -s status
	ends_with 130 "$(<status)"
	jq -e .interrupted out.json
}

# bats test_tags=address
@test "attach: where r cannot load the programs again, the result until r is written, and why" {
	attach_of_sent
	local fds
	fds=$(find "/proc/$PID/fd" -type l -printf '%f\n' | sort -n | tail -n 1)
	prlimit --pid "$PID" --nofile=$((fds + 8)):$((fds + 8))
	tmux -L "at$$" send-keys r
	result_is_until_r
	[ "$(<status)" -ne 0 ]
	grep -q '^netiotrace: ' said
}

# A namespace of its own gives out a PID again at once.
@test "attach: r does not watch a process that got the PID of one that ended" {
	need_tool tmux
	cat >inside <<-'END'
		sleep 1000 &
		first=$!
		sleep 1000 &
		second=$!
		{
			until [ -e end ]; do sleep 0.05; done
			kill $first
			until [ ! -e /proc/$first ]; do sleep 0.05; done
			echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
			sleep 1001 &
			echo "$first $second $!" >pids.new
			mv pids.new pids
			wait $!
		} &
		"$NETIOTRACE" attach --pid $first --pid $second --json out.json --interval 200ms
		echo $? >status
	END
	tmux -L "at$$" new-session -d -x 80 -y 24 "NETIOTRACE='$NETIOTRACE' unshare --pid --fork --mount-proc --kill-child bash inside"
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -q 'by process'"
	touch end
	within 20 test -s pids
	local first second new
	read -r first second new <pids
	[ "$new" = "$first" ]
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -Eq '^attach +([6-9]|[1-9][0-9]) s'"
	tmux -L "at$$" send-keys r
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -Eq '^attach +[0-4] s'"
	tmux -L "at$$" send-keys q
	within 20 test -s status
	jq -c '[.processes[].pid]' out.json
	jq -e --argjson second "$second" '.restarts == 1 and [.processes[].pid] == [$second]' out.json
}

# bats test_tags=address
@test "attach: Ctrl-C in the live table ends with the result and status 130" {
	need_tool tmux
	peer port "$PROGRAM" echo 127.0.0.1 port 1
	background "$PROGRAM" exchange 127.0.0.1 "$PORT" 60000000000
	tmux -L "at$$" new-session -d -x 80 -y 24 \
		"'$NETIOTRACE' attach --port $PORT --by port --interval 1m; echo \$? >status; sleep 1000"
	within 60 sh -c "tmux -L at$$ capture-pane -p | grep -q 'by port'"
	tmux -L "at$$" send-keys C-c
	within 5 test -s status
	ends_with 130 "$(<status)"
	within 5 sh -c "tmux -L at$$ capture-pane -p | grep -q '^watching'"
}

@test "attach refuses --folded with --no-cpu, with --port, and on stdout beside --json -" {
	run -2 "$NETIOTRACE" attach --folded out --no-cpu -- true
	run -2 "$NETIOTRACE" attach --folded - --json - -- true
	run -2 "$NETIOTRACE" attach --folded out --port 1
}

# With -- COMMAND the text goes to stderr, whatever stdout the command has.
@test "attach formats its final text for the width of the terminal it writes to" {
	need_tool tmux
	tmux -L "at$$" new-session -d -x 80 -y 40 "'$NETIOTRACE' attach -- true >said; echo \$? >status; sleep 1000"
	within 60 test -s status
	[ "$(<status)" -eq 0 ]
	# The last paragraph is on the screen. Joins the lines that the text broke at the terminal's width.
	within 5 sh -c "tmux -L at$$ capture-pane -p | grep -q '^watching'"
	tmux -L "at$$" capture-pane -p -J | sed 's/ *$//' >text
	cat text
	grep -q '^watching' text
	[ "$(wc -L <text)" -le 80 ]
}

@test "attach prints no control characters of a process name to the terminal" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	"$NETIOTRACE" attach --count-calls --json out.json -- "$PROGRAM" name 127.0.0.1 "$PORT" 2>text
	run -1 grep -q "$(printf '\033')" text out.json
	[ "$(grep -c '^?\[31m?x?' text)" -ge 1 ]
	jq -e '.processes[0].comm == "?[31m?x?"' out.json
}

# bats test_tags=address
@test "attach counts 3000 short connections exactly and lists 1024 of them" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	"$NETIOTRACE" attach --count-calls -q --interval 100ms --json out.json -- "$PROGRAM" churn 127.0.0.1 "$PORT" 3000
	exact
	# The kernel may refuse a few program runs (docs/KERNELS.md, "A softirq on top of a program").
	jq -e '.total.connections == 3000 and .total.socket.tx_bytes == 3000 * 23
		and .total.socket.rx_bytes == 0 and (.health.coverage == 1 or .health.missed > 0)
		and .health.connections_left_out == 3000 - 1024 and .health.sockets_left_out == 0' out.json
}

# bats test_tags=address
@test "attach reports the number of sockets that exceed --max-sockets" {
	peer port "$PROGRAM" sink 127.0.0.1 port
	background "$PROGRAM" hold 127.0.0.1 "$PORT" 200 held
	within 20 test -e held
	"$NETIOTRACE" attach --count-calls -q --max-sockets 64 --duration 200ms --json out.json --pid "$STARTED"
	jq -e '.health.sockets_left_out == 200 - 64' out.json
}

@test "attach with sockets left out: every sum is null, and assertions on sums fail" {
	local expression

	peer port "$PROGRAM" sink 127.0.0.1 port
	background "$PROGRAM" hold 127.0.0.1 "$PORT" 100 held
	within 20 test -e held
	for expression in 'unaccounted_tx == 0' 'copies_per_byte >= 0' 'ledger.tx_copy.bytes >= 0'; do
		run -5 "$NETIOTRACE" attach --count-calls -q --max-sockets 64 --duration 50ms --json out.json --pid "$STARTED" \
			--assert "$expression"
	done
	jq -e '.health.sockets_left_out > 0 and ([.total, .processes[], .ports[]] | all(.ledger.tx_copy.bytes == null
		and .ledger.unaccounted_tx == null and .ledger.copies_per_byte == null))' out.json
}

# bats test_tags=address
@test "attach exits with the command's status, or 5 if an assertion fails" {
	run -7 --separate-stderr "$NETIOTRACE" attach --count-calls -q -- sh -c 'echo mine; exit 7'
	[ "$output" = mine ]
	run -137 "$NETIOTRACE" attach --count-calls -q -- sh -c 'kill -9 $$'
	run -0 "$NETIOTRACE" attach --count-calls -q --assert 'unaccounted_tx == 0' -- true
	run -5 "$NETIOTRACE" attach --count-calls -q --assert 'health.missed > 0' -- true
	[[ $output == *"does not hold: found 0 in the document"* ]]
	run -5 "$NETIOTRACE" attach --count-calls -q --assert 'copied_fraction == 0' -- true
	[[ $output == *"unknown in the total: "* ]]
}

# bats test_tags=address
@test "attach refuses wrong arguments with one sentence each and starts nothing" {
	run -1 "$NETIOTRACE" attach --pid 4194303 --json out.json
	[[ $output == *"--pid 4194303: there is no such process."* ]]
	[ ! -e out.json ]
	run -1 "$NETIOTRACE" attach -- ./nothing-here
	[[ $output == *"cannot run ./nothing-here: No such file"* ]]
	run -1 "$NETIOTRACE" attach --cgroup "$PWD"
	[[ $output == *"is not the directory of a cgroup"* ]]
	run -1 "$NETIOTRACE" attach --cgroup /sys/fs/cgroup/nothing-here
	[[ $output == *"No such file"* ]]
	run -2 "$NETIOTRACE" attach
	[[ $output == *"attach needs a target"* ]]
	run -2 "$NETIOTRACE" attach --pid 1 --assert 'x'
	# An assertion that can never hold is refused before the command starts.
	for wrong in 'nothing.such == 0' 'verdict.text == 0' 'copied_fraction == 0x0'; do
		run -2 "$NETIOTRACE" attach --assert "$wrong" -- touch started
	done
	[ ! -e started ]
	run -2 "$NETIOTRACE" attach --pid 1 --without no_such_hook
	[[ $output == *"no hook of attach is called 'no_such_hook'"* ]]
	run -1 "$NETIOTRACE" attach --pid 1 no_such_name
	[[ $output == *"put -- before a command"* ]]
	run -2 "$NETIOTRACE" attach --pid 1 iperf3 -c 127.0.0.1
	[[ $output == *"put -- before it"* ]]
}

@test "attach without privileges says that it needs root" {
	need_tool setpriv
	cp "$NETIOTRACE" netiotrace && chmod 755 netiotrace
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	run -4 setpriv --reuid 65534 --regid 65534 --clear-groups ./netiotrace attach --pid $$
	[[ $output == *"needs root"* ]]
}

@test "attach killed by SIGKILL leaves the watched program undisturbed and no BPF object" {
	local pid

	peer port "$PROGRAM" echo 127.0.0.1 port 1
	background "$PROGRAM" exchange 127.0.0.1 "$PORT" 1000000000
	pid=$STARTED
	# Waits without a time limit until attach watches.
	kill -STOP "$pid"
	watch --pid "$pid"
	kill -CONT "$pid"
	kill -9 "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 137 ]
	kill -0 "$pid"
	wait "$pid"
	[ ! -e out.json ]
}

@test "attach: Ctrl-C ends with all bytes counted so far" {
	local code=0

	peer port "$PROGRAM" echo 127.0.0.1 port 1
	background "$PROGRAM" exchange 127.0.0.1 "$PORT" 60000000000
	watch --port "$PORT" --interval 100ms
	within 20 grep -q '^ *[0-9.]* *2 ' text
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || code=$?
	[ "$code" -eq 130 ]
	exact
	jq -e '.interrupted and .total.socket.tx_bytes > 0 and (.connections | length) == 2' out.json
}

# bats test_tags=guest
@test "attach: Ctrl-C prints the complete text before the programs are detached" {
	peer port "$PROGRAM" echo 127.0.0.1 port 1
	background "$PROGRAM" exchange 127.0.0.1 "$PORT" 60000000000
	watch --port "$PORT" --interval 100ms
	within 20 grep -q '^ *[0-9.]* *2 ' text
	text_before_detaching "$COLLECTOR"
	exact
}
