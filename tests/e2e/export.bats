#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netiotrace export: counters equal the bytes that clients sent and received (fleet.py), read by a
# real Prometheus; effects of HTTP clients, signals and cgroups on export.

# shellcheck disable=SC2030,SC2031
bats_require_minimum_version 1.5.0
load ../lib
load attach
load export

RULES=$REPO/contrib/prometheus

@test "export: promtool accepts the page, and each byte of a client is in it" {
	need_tool promtool curl
	need_cgroups
	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT"
	in_cgroup "sink-$$.service" "$FLEET" sink sink 3>&- &
	PEERS+=($!)
	within 20 test -s sink
	in_cgroup "sender-$$.service" "$FLEET" zerocopy "$(<sink)" 200 >client
	[ "$(jq .sent client)" -eq $((200 * 65536)) ]
	within 20 counts "$PORT" tcp_sent_bytes_total "group=\"sender-$$.service\"" $((200 * 65536))
	within 20 counts "$PORT" tcp_received_bytes_total "group=\"sink-$$.service\"" $((200 * 65536))
	page "$PORT" >page.txt
	promtool check metrics <page.txt
	# Stages and unclassified bytes add up to the socket's bytes.
	[ $(($(value stage_bytes_total "group=\"sender-$$.service\",stage=\"tx_" <page.txt) +
		$(value unclassified_bytes_total "group=\"sender-$$.service\",direction=\"sent\"" <page.txt))) -eq $((200 * 65536)) ]
	[ "$(value zerocopy_sends_total "group=\"sender-$$.service\"" <page.txt)" -ge 200 ]
	run ! grep -q nan page.txt
	# The process is the one that /proc and ps show; ps rounds its start to a second.
	own() { awk -v name="process_$1" '$1 == name { printf "%.0f\n", $2 }' page.txt; }
	[ "$(own max_fds)" = "$(awk '/^Max open files/ { print $4 }' "/proc/$EXPORTER/limits")" ]
	(($(own start_time_seconds) - $(date +%s -d "$(ps -o lstart= -p "$EXPORTER")") <= 2))
	(($(own start_time_seconds) - $(date +%s -d "$(ps -o lstart= -p "$EXPORTER")") >= -2))
	[ "$(own open_fds)" -gt 3 ]
	[ "$(own resident_memory_bytes)" -gt 1000000 ]
}

@test "export: OpenMetrics or Prometheus text, plain or gzip, as the client requests" {
	need_tool curl
	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT"
	page "$PORT" -D head -o text
	grep -qi '^content-type: text/plain; version=0.0.4' head
	page "$PORT" -D head -o open -H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5'
	grep -qi '^content-type: application/openmetrics-text; version=1.0.0' head
	[ "$(tail -n 1 open)" = '# EOF' ]
	page "$PORT" -D head -o zipped -H 'Accept-Encoding: gzip'
	grep -qi '^content-encoding: gzip' head
	gzip -dc <zipped | grep -q '^netiotrace_build_info'
	[ "$(curl -sS "http://127.0.0.1:$PORT/-/healthy")" = OK ]
	has 'href="/metrics"' curl -sS "http://127.0.0.1:$PORT/"
	[ "$(curl -sS -o /dev/null -w '%{http_code}' "http://127.0.0.1:$PORT/none")" = 404 ]
	[ "$(curl -sS -o /dev/null -w '%{http_code}' -X POST -d x "http://127.0.0.1:$PORT/metrics")" = 405 ]
	has '200 OK' curl -sS -I "http://127.0.0.1:$PORT/metrics"
}

@test "export: slow, many and malformed clients do not block others" {
	need_tool curl
	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT"
	background "$FLEET" hostile "$PORT" hostile
	within 30 test -s hostile
	# A connection without a request is closed after 2 s, even if the client keeps sending bytes.
	within 60 page "$PORT" -o page.txt
	grep -q '^netiotrace_build_info' page.txt
	python3 - "$PORT" <<-'END'
		import socket, sys
		for request in (b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"\0" * 5000, b"GET /metrics HTTP/9.9\r\n\r\n",
		                b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 10000 + b"\r\n", b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		                b"GET /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", b"\r\n\r\n\r\n"):
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
		    try:
		        s.sendall(request)
		        s.shutdown(socket.SHUT_WR)
		        while s.recv(65536):
		            pass
		    except OSError:
		        pass
	END
	within 60 page "$PORT" -o page.txt
	[ "$(find "/proc/$EXPORTER/fd" -mindepth 1 | wc -l)" -lt 300 ]
	# Slow clients do not delay the end.
	kill "$EXPORTER"
	promptly has_ended "$EXPORTER"
	wait "$EXPORTER"
}

# answers PORT FILE: request after request from FILE, a line of bytes in Python's notation each. For each one it
# prints how many answers came, the status of the first, and whether its body is whole.
answers() {
	python3 -c '
import socket, sys
for line in open(sys.argv[2]):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30)
    s.sendall(eval(line))
    got = b""
    while True:
        try:
            more = s.recv(65536)
        except ConnectionResetError:
            break
        if not more:
            break
        got += more
    head, _, body = got.partition(b"\r\n\r\n")
    length = [int(l.split(b":")[1]) for l in head.split(b"\r\n") if l.lower().startswith(b"content-length:")][0]
    body = body.split(b"HTTP/1.1 ")[0]
    print(got.count(b"HTTP/1.1 "), head.split()[1].decode(), "none" if not body else "whole" if len(body) == length else "cut")
' "$@"
}

@test "export: HEAD has no body, of pipelined requests the first is answered, headers over 16 KiB get 431" {
	local i clients=()

	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT" --interval 100ms
	cat >odd <<-'END'
		b"HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
		b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3
		b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 17000 + b"\r\n\r\n"
		b"GET /" + b"a" * 17000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
	END
	answers "$PORT" odd >out
	[ "$(<out)" = $'1 200 none\n1 200 whole\n1 431 whole\n1 414 whole' ]
	# Many at once, while snapshots are taken: each gets a whole page.
	for i in {1..40}; do
		printf '%s\n' 'b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"'
	done >many
	for i in {1..10}; do
		background answers "$PORT" many >"out.$i"
		clients+=("$STARTED")
	done
	wait "${clients[@]}"
	[ "$(sort out.* | uniq -c | awk '{ $1 = $1; print }')" = '400 1 200 whole' ]
}

@test "export: IPv6, a unix socket and a passed socket work; a port in use is refused" {
	need_tool curl
	PORT=$(free_port)
	exporter six --listen "[::1]:$PORT"
	has '^netiotrace_build_info' curl -sS -g "http://[::1]:$PORT/metrics"
	run -1 "$NETIOTRACE" export --listen "[::1]:$PORT"
	[[ $output == *"cannot listen on [::1]:$PORT"*"--listen"* ]]
	# All addresses of both families.
	PORT=$(free_port)
	exporter all --listen ":$PORT"
	has '^netiotrace_build_info' page "$PORT"
	has '^netiotrace_build_info' curl -sS -g "http://[::1]:$PORT/metrics"
	exporter unix --listen "unix:$PWD/socket"
	has '^netiotrace_build_info' curl -sS --unix-socket socket http://x/metrics
	# A unix socket left by a killed exporter is replaced; one in use is not.
	run -1 "$NETIOTRACE" export --listen "unix:$PWD/socket"
	kill -9 "$EXPORTER"
	within 10 has_ended "$EXPORTER"
	exporter again --listen "unix:$PWD/socket"
	has '^netiotrace_build_info' curl -sS --unix-socket socket http://x/metrics
	kill "$EXPORTER"
	promptly has_ended "$EXPORTER"
	[ ! -e socket ]
	# A file that another program put there stays.
	exporter unix --listen "unix:$PWD/socket"
	mv socket aside
	touch socket
	kill "$EXPORTER"
	promptly has_ended "$EXPORTER"
	[ -e socket ]
	PORT=$(free_port)
	rm -f passed.ready
	background "$FLEET" activate $$ "$PORT" "$NETIOTRACE" export --ready-file passed.ready
	within 60 test -s passed.ready
	has '^netiotrace_build_info' page "$PORT"
	# 02000000: O_CLOEXEC. A program that the exporter started would not get the socket.
	[ $((0$(awk '/^flags:/ { print $2 }' "/proc/$STARTED/fdinfo/3") & 02000000)) -ne 0 ]
	for wrong in 127.0.0.1 host: 127.0.0.1:99999 unix: ''; do
		run -2 "$NETIOTRACE" export --listen "$wrong"
	done
}

@test "export: a new service has its group beside 2500 nested cgroups, and a user's unit is another group" {
	need_tool curl python3
	need_cgroups
	PORT=$(free_port)
	nested() { # COMMAND: in the cgroups of the test
		(cd "$CGROUPS" && python3 -c "import os
for i in range(2500): $1")
	}
	nested "os.mkdir('d'); os.chdir('d')"
	exporter one --listen "127.0.0.1:$PORT" --count-calls
	background "$FLEET" sink sink
	within 20 test -s sink
	in_cgroup "web-$$.service" "$FLEET" zerocopy "$(<sink)" 1 >/dev/null
	mkdir "$CGROUPS/user@1000.service"
	in_cgroup "user@1000.service/web-$$.service" "$FLEET" zerocopy "$(<sink)" 2 >/dev/null
	within 20 counts "$PORT" tcp_sent_bytes_total "group=\"web-$$.service\"" 65536
	within 20 counts "$PORT" tcp_sent_bytes_total "group=\"user@1000.service/web-$$.service\"" 131072
	(cd "$CGROUPS" && python3 -c "import os
for i in range(2500): os.chdir('d')
for i in range(2500): os.chdir('..'); os.rmdir('d')")
}

@test "export: the OpenMetrics reference parser accepts hostile names, each its own group, and sums of sizes" {
	local name n=0

	need_tool curl
	/usr/bin/python3 -c 'import prometheus_client' 2>/dev/null || skip "python3-prometheus-client is not installed"
	need_cgroups
	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT" --count-calls
	background "$FLEET" sink sink
	within 20 test -s sink
	for name in $'a\x01' $'a\x02' $'a\xff' $'a\xfe' 'a\n' 'q"q' '# EOF' 'x{y="1"} 2'; do
		n=$((n + 1))
		in_cgroup "$name-$$.service" "$FLEET" zerocopy "$(<sink)" $n >/dev/null
	done
	within 20 counts "$PORT" tcp_sent_bytes_total "{y=" $((8 * 65536))
	page "$PORT" -H 'Accept: application/openmetrics-text' >page.txt
	/usr/bin/python3 - $$ <<-'END'
		import sys
		from prometheus_client.openmetrics.parser import text_fd_to_metric_families
		samples = [s for f in text_fd_to_metric_families(open("page.txt", newline="")) for s in f.samples
		           if s.labels.get("group", "").endswith(f"-{sys.argv[1]}.service")]
		values = lambda name: sorted(s.value for s in samples if s.name == "netiotrace_" + name)
		# Each call was watched, so the sizes add up to the bytes.
		for name in ("tcp_sent_bytes_total", "send_size_bytes_sum"):
		    assert values(name) == [65536 * n for n in range(1, 9)], (name, values(name))
		for n, calls in enumerate(values("send_size_bytes_count")):
		    assert n < calls, calls
	END
}

@test "export: SIGHUP takes a snapshot, SIGTERM and Ctrl-C exit with 0, kill -9 leaves nothing" {
	local before signal

	need_tool curl
	PORT=$(free_port)
	note_before
	exporter one --listen "127.0.0.1:$PORT" --interval 1h
	before=$(page "$PORT" | value snapshot_timestamp_seconds)
	sleep 1.1
	kill -HUP "$EXPORTER"
	newer() { [ "$(page "$PORT" | value snapshot_timestamp_seconds)" -gt "$before" ]; }
	within 10 newer
	for signal in TERM INT; do
		kill -"$signal" "$EXPORTER"
		promptly has_ended "$EXPORTER"
		wait "$EXPORTER"
		[ ! -e one.ready ]
		exporter one --listen "127.0.0.1:$PORT"
	done
	kill -9 "$EXPORTER"
	wait "$EXPORTER" || [ $? -eq 137 ]
	assert_nothing_left
}

@test "export after its start has no capability, cannot regain one, and is not root" {
	PORT=$(free_port)
	# Without --ready-file: an exporter that writes files keeps the user who started it.
	background "$NETIOTRACE" export "${ROOM[@]}" --interval 200ms --listen "127.0.0.1:$PORT" 2>log
	EXPORTER=$STARTED
	within 60 grep -q 'serving metrics' log
	# Before Linux 5.19 each bpf() checks CAP_BPF; kprobes are opened again for each sampling
	# window.
	if [ "$(grep '^CapEff' "/proc/$EXPORTER/status" | cut -f 2)" != 0000000000000000 ]; then
		[ "$(grep '^CapEff' "/proc/$EXPORTER/status" | cut -f 2)" = 000000c000000000 ]
	fi
	grep -qP '^CapPrm:\t000000(c0|00)00000000$' "/proc/$EXPORTER/status"
	grep -qP '^CapBnd:\t0000000000000000$' "/proc/$EXPORTER/status"
	grep -qP '^CapInh:\t0000000000000000$' "/proc/$EXPORTER/status"
	grep -qP '^NoNewPrivs:\t1$' "/proc/$EXPORTER/status"
	grep -qP '^Seccomp:\t2$' "/proc/$EXPORTER/status"
	run ! grep -qP '^Uid:.*\t0(\t|$)' "/proc/$EXPORTER/status"
	grep -qP '^Groups:\s*$' "/proc/$EXPORTER/status"
	# Counting continues without capabilities.
	background "$FLEET" sink sink
	within 20 test -s sink
	"$FLEET" zerocopy "$(<sink)" 10 >/dev/null
	sent() { [ "$(page "$PORT" | value tcp_sent_bytes_total)" -ge 655360 ]; }
	within 20 sent
}

@test "export where no seccomp filter can be loaded warns once and serves" {
	need_tool curl
	PORT=$(free_port)
	# A filter that refuses seccomp() alone. In a file, as a shell's background job may have no stdin.
	cat >refusing.py <<-END
		import ctypes, os, sys
		lib = ctypes.CDLL("libseccomp.so.2")
		lib.seccomp_init.restype = ctypes.c_void_p
		filter = ctypes.c_void_p(lib.seccomp_init(0x7fff0000))  # SCMP_ACT_ALLOW
		call = lib.seccomp_syscall_resolve_name(b"seccomp")
		assert not lib.seccomp_rule_add_array(filter, 0x50001, call, 0, None)  # EPERM
		assert not lib.seccomp_load(filter)
		os.execv(sys.argv[1], sys.argv[1:])
	END
	background python3 refusing.py "$NETIOTRACE" export "${ROOM[@]}" --listen "127.0.0.1:$PORT" 2>log
	within 60 grep -q 'serving metrics' log
	[ "$(grep -c 'system calls are not filtered' log)" = 1 ]
	has '^netiotrace_build_info' page "$PORT"
}

@test "export: copied bytes of zero-copy sends have a cause: local delivery, or nothing could be pinned" {
	need_tool curl
	need_cgroups
	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT" --count-calls
	background "$FLEET" sink sink
	within 20 test -s sink
	in_cgroup "pins-$$.service" "$FLEET" zerocopy "$(<sink)" 10 >client
	in_cgroup "opens-$$.service" "$FLEET" fastopen "$(<sink)" >opens 2>opens.err ||
		{ grep -q 'not supported' opens.err && skip "TCP Fast Open is off (net.ipv4.tcp_fastopen)"; }
	jq -e .copied opens
	within 20 counts "$PORT" zerocopy_copied_bytes_total "group=\"opens-$$.service\",cause=\"no_scatter_gather\"" "$(jq .sent opens)"
	# A packet that is sent again is copied again.
	pinned_are_copied() { [ "$(page "$PORT" | value zerocopy_copied_bytes_total "group=\"pins-$$.service\",cause=\"local\"")" -ge 655360 ]; }
	within 20 pinned_are_copied
	page "$PORT" >page.txt
	[ "$(value zerocopy_copied_bytes_total "group=\"pins-$$.service\",cause=\"no_scatter_gather\"" <page.txt)" -eq 0 ]
	[ "$(value zerocopy_copied_bytes_total "group=\"opens-$$.service\",cause=\"local\"" <page.txt)" -eq 0 ]
	[ "$(value zerocopy_copied_bytes_total "group=\"pins-$$.service\",cause=\"unknown\"" <page.txt)" -eq 0 ]
	[ "$(value zerocopy_copied_bytes_total "group=\"opens-$$.service\",cause=\"unknown\"" <page.txt)" -eq 0 ]
}

@test "export: zero-copy requests of io_uring are counted by what happened to their pages" {
	local group="requests-$$.service" program=$BUILD_DIR/tests/e2e/zc_requests status=0

	need_tool curl
	need_cgroups
	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT" --count-calls
	page "$PORT" | grep -q 'probe_info{probe="request"' || skip "this kernel's hooks do not show requests of io_uring"
	background "$FLEET" sink sink
	within 20 test -s sink
	in_cgroup "$group" "$program" "$(<sink)" 8 1000 report >own || status=$?
	[ "$status" -ne 77 ] || skip "io_uring SEND_ZC is not supported here"
	[ "$status" -eq 0 ]
	[ "$(jq .copied own)" -eq 8 ]
	within 20 counts "$PORT" io_uring_requests_total "group=\"$group\",result=\"copied\"" 8
	within 20 counts "$PORT" zerocopy_copied_bytes_total "group=\"$group\",cause=\"local\"" "$(jq .bytes own)"
	within 20 counts "$PORT" stage_bytes_total "group=\"$group\",stage=\"tx_pin\",quality=\"exact\"" "$(jq .bytes own)"
	# No packet leaves, whatever the completions say.
	in_cgroup "$group" "$program" "$(<sink)" 8 1000 report queued >own
	[ "$(jq .copied own)" -eq 7 ]
	within 20 counts "$PORT" io_uring_requests_total "group=\"$group\",result=\"not_copied\"" 8
	counts "$PORT" io_uring_requests_total "group=\"$group\",result=\"copied\"" 8
	in_cgroup "$group" "$program" "$(<sink)" 8 1000
	within 20 counts "$PORT" io_uring_requests_total "group=\"$group\",result=\"unreported\"" 8
}

# run_ns PID: run time of the BPF programs that PID holds, as the kernel tells in /proc.
run_ns() {
	# Connections that the exporter closes meanwhile vanish from the list: cat says so, and goes on.
	cat "/proc/$1/fdinfo"/* 2>/dev/null |
		awk 'function end() { if (id && !(id in seen)) { seen[id]; sum += ns }; id = ns = 0 }
		     $1 == "pos:" { end() } $1 == "prog_id:" { id = $2 } $1 == "run_time_ns:" { ns = $2 }
		     END { end(); printf "%.0f\n", sum }'
}

page_run_ns() {
	page "$1" | awk '/^netiotrace_probe_run_seconds_total/ { sum += $NF } END { printf "%.0f\n", sum * 1e9 }'
}

@test "export: the run time of its programs is what the kernel counts for them" {
	local exporter before between after

	need_tool curl
	background "$FLEET" runtimes counts 2>runtimes.log
	counts_or_not() { [ -s counts ] || has_ended "$STARTED"; }
	within 20 counts_or_not
	[ -s counts ] || skip "this kernel cannot be made to count run times: $(<runtimes.log)"
	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT"
	exporter=$STARTED
	background "$FLEET" sink sink
	within 20 test -s sink
	"$FLEET" zerocopy "$(<sink)" 100 >/dev/null
	before=$(page_run_ns "$PORT")
	between=$(run_ns "$exporter")
	after=$(page_run_ns "$PORT")
	echo "$before $between $after"
	[ "$before" -gt 0 ]
	# Doubles of seconds are exact to the nanosecond here, but for rounding.
	[ "$before" -le $((between + 100)) ]
	[ "$between" -le $((after + 100)) ]
}

# These privileges remain under DynamicUser and AmbientCapabilities of the unit.
UNPRIVILEGED=(setpriv --reuid 61234 --regid 61234 --clear-groups "--inh-caps=-all,+bpf,+perfmon"
	"--ambient-caps=-all,+bpf,+perfmon" "--bounding-set=-all,+bpf,+perfmon" --no-new-privs)

@test "export as an ordinary user with CAP_BPF and CAP_PERFMON alone has exact counts" {
	need_tool setpriv curl
	PORT=$(free_port)
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	background "${UNPRIVILEGED[@]}" "$NETIOTRACE" export "${ROOM[@]}" --by port --interval 200ms \
		--listen "127.0.0.1:$PORT" 2>log
	within 60 grep -q 'serving metrics' log
	background "$FLEET" sink sink
	within 20 test -s sink
	"$FLEET" zerocopy "$(<sink)" 100 >client
	within 20 counts "$PORT" tcp_received_bytes_total "group=\"$(<sink)\"" 6553600
}

# pair NAME [COMMAND...]: starts a process of that name with both ends of a connection, which moves
# 5000 bytes, and 1234 more when NAME.go exists.
pair() {
	cat >pair.py <<-'PYTHON'
		import os, socket, sys, time
		name = sys.argv[1]
		open('/proc/self/comm', 'w').write(name)
		listener = socket.create_server(('127.0.0.1', 0))
		client = socket.create_connection(listener.getsockname())
		server = listener.accept()[0]
		def move(n):
		    client.sendall(bytes(n))
		    server.recv(n, socket.MSG_WAITALL)
		move(5000)
		open(name + '.made', 'w').close()
		while not os.path.exists(name + '.go'):
		    time.sleep(0.05)
		move(1234)
		open(name + '.done', 'w').close()
		time.sleep(600)
	PYTHON
	background "${@:2}" python3 pair.py "$1"
	within 20 test -e "$1.made"
}

# Without CAP_SYS_PTRACE /proc does not show the files of other users' processes. Without
# CAP_SYS_ADMIN the exporter cannot enter the network namespace of the second pair.
@test "export with CAP_BPF and CAP_PERFMON alone counts existing connections of other users, from now on" {
	local pair

	need_tool setpriv curl python3 unshare ip
	PORT=$(free_port)
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	pair here-$$
	# shellcheck disable=SC2016 # that shell's
	pair there-$$ unshare --net sh -c 'ip link set lo up && exec "$@"' -
	background "${UNPRIVILEGED[@]}" "$NETIOTRACE" export "${ROOM[@]}" --by comm --interval 200ms \
		--listen "127.0.0.1:$PORT" 2>log
	within 60 grep -q 'serving metrics' log
	touch here-$$.go there-$$.go
	for pair in here there; do
		within 20 counts "$PORT" tcp_sent_bytes_total "group=\"$pair-$$\"" 1234
		within 20 counts "$PORT" tcp_received_bytes_total "group=\"$pair-$$\"" 1234
		within 20 has "tcp_connections{group=\"$pair-$$\"} 2" page "$PORT"
	done
	run ! grep 'may be missing' log
}

@test "export: --once prints a page, --textfile writes complete pages, and outputs exclude each other" {
	need_tool promtool
	"$NETIOTRACE" export --once --interval 200ms >page.txt
	promtool check metrics <page.txt
	background "$NETIOTRACE" export --textfile "$PWD/netiotrace.prom" --interval 100ms
	within 60 test -s netiotrace.prom
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		tail -n 1 netiotrace.prom | grep -q '^netiotrace_snapshot_duration_seconds '
		sleep 0.05
	done
	run -2 "$NETIOTRACE" export --once --textfile x
	[[ $output == *"exclude each other"* ]]
	run -2 "$NETIOTRACE" export --textfile "$PWD/none/netiotrace.prom"
	[[ $output == *"cannot write $PWD/none/netiotrace.prom: No such file or directory."* ]]
	# A directory of another user, where root without capabilities cannot write.
	install -d -o 12345 foreign
	run -2 "$NETIOTRACE" export --textfile "$PWD/foreign/netiotrace.prom"
	[[ $output == *"cannot write $PWD/foreign/netiotrace.prom: Permission denied; export writes without capabilities"* ]]
	# Under sudo, without the capability to give the file to the caller.
	background env SUDO_UID=12345 SUDO_GID=12345 "$NETIOTRACE" export --textfile "$PWD/sudo.prom" --interval 100ms
	within 60 test -s sudo.prom
	run -2 "$NETIOTRACE" export --groups 0
	run -2 "$NETIOTRACE" export --interval 1ms
	run -2 "$NETIOTRACE" export --by pid
	run -2 "$NETIOTRACE" export extra
}

@test "export: --by comm, --by port and --filter" {
	need_tool curl
	need_cgroups
	PORT=$(free_port)
	exporter comm --listen "127.0.0.1:$PORT" --by comm
	NAMES=$PORT PORT=$(free_port)
	exporter port --listen "127.0.0.1:$PORT" --by port
	PORTS=$PORT PORT=$(free_port)
	exporter filter --listen "127.0.0.1:$PORT" --filter 'sink.*'
	background "$FLEET" sink sink
	within 20 test -s sink
	in_cgroup sender.service "$FLEET" zerocopy "$(<sink)" 10 >client
	within 20 counts "$PORTS" tcp_received_bytes_total "group=\"$(<sink)\"" 655360
	within 20 has 'tcp_sent_bytes_total{group="outgoing"}' page "$PORTS"
	within 20 has 'tcp_sent_bytes_total{group="python3"}' page "$NAMES"
	within 20 has 'tcp_sent_bytes_total{group="other"}' page "$PORT"
	run ! has 'sender.service' page "$PORT"
	# An ephemeral port is never a label value.
	[ "$(page "$PORTS" | grep -c 'tcp_connections{')" -lt 60 ]
}

# only_grown BEFORE AFTER: no counter of a series that both pages have is less in AFTER.
only_grown() {
	awk 'FNR == NR { if (/_total/) { v = $NF; sub(/ [^ ]*$/, ""); was[$0] = v } next }
	     /_total/ { v = $NF; sub(/ [^ ]*$/, ""); if (($0 in was) && v + 0 < was[$0] + 0) { print; bad = 1 } }
	     END { exit bad }' "$@"
}

@test "export: with 300 short-lived cgroups the page is bounded, no counter decreases, and a new service has its group" {
	need_tool curl
	need_cgroups
	PORT=$(free_port)
	exporter one --listen "127.0.0.1:$PORT" --groups 64
	background "$FLEET" sink sink
	within 20 test -s sink
	python3 - "$CGROUPS" "$(<sink)" <<-'END'
		import os, socket, sys
		base, port = sys.argv[1], int(sys.argv[2])
		for i in range(300):
		    name = base + "/g%d \"quoted\\ \xe9.service" % i if i % 7 == 0 else base + "/g%d.service" % i
		    name = name.encode("latin-1")
		    os.mkdir(name)
		    if os.fork() == 0:
		        open(name + b"/cgroup.procs", "w").write(str(os.getpid()))
		        s = socket.create_connection(("127.0.0.1", port))
		        s.sendall(bytes(1000))
		        s.shutdown(socket.SHUT_WR)
		        s.recv(1)
		        os._exit(0)
		    os.wait()
		    if i % 100 == 99:
		        import time
		        time.sleep(0.3)
		    while True:
		        try:
		            os.rmdir(name)
		            break
		        except OSError:
		            pass
	END
	all_counted() {
		page "$PORT" >page.txt
		[ "$(($(value tcp_sent_bytes_total 'group="g' <page.txt) + $(value tcp_sent_bytes_total 'group="unknown"' <page.txt) +
			$(value tcp_sent_bytes_total 'group="other"' <page.txt)))" -ge 300000 ]
	}
	within 30 all_counted
	[ "$(grep -c '^netiotrace_tcp_sent_bytes_total{' page.txt)" -le 65 ]
	! type -P promtool >/dev/null || promtool check metrics <page.txt
	cp page.txt before
	"$FLEET" zerocopy "$(<sink)" 10 >/dev/null
	sleep 0.5
	page "$PORT" >after
	only_grown before after
	# It gets the place of a cgroup that is gone, whose bytes "other" takes.
	in_cgroup "important-$$.service" "$FLEET" zerocopy "$(<sink)" 10 >/dev/null
	within 20 counts "$PORT" tcp_sent_bytes_total "group=\"important-$$.service\"" 655360
	all_counted
	only_grown after page.txt
	[ "$(grep -c '^netiotrace_tcp_sent_bytes_total{' page.txt)" -le 65 ]
}

# tell COMMAND N: a command of owners.py, and waits until it is done.
tell() {
	echo "$@" >&"$TO"
	within 20 grep -qx "$*" answers
}

# in_page METRIC LABELS VALUE: the next page has this value.
in_page() {
	[ "$(value "$1" "$2" <page.prom)" = "$3" ]
}

# No call is made on a socket between its accept() and the page: the kernel receives what its peer sends.
@test "export --by comm counts accepted sockets once, with the process that has them open" {
	local name=both-$$

	need_tool unshare nsenter ip ss
	cat >owners.py <<-'END'
		import socket, sys
		open("/proc/self/comm", "w").write(sys.argv[1])
		listener = socket.create_server(("127.0.0.1", 0), backlog=200)
		clients, servers = [], []
		for line in open("commands"):
		    what, n = line.split()
		    if what == "connect":
		        clients += [socket.create_connection(listener.getsockname()) for _ in range(int(n))]
		    elif what == "accept":
		        servers += [listener.accept()[0] for _ in range(int(n))]
		    elif what == "send":
		        for client in clients:
		            client.sendall(bytes(int(n)))
		    elif what == "answer":
		        for client, server in zip(clients, servers):
		            server.sendall(bytes(int(n)))
		            client.recv(int(n), socket.MSG_WAITALL)
		    else:
		        listener.close()
		    print(line.strip(), flush=True)
	END
	# A page in a file has no connection of its own.
	host
	background "${INSIDE[@]}" "$NETIOTRACE" export --this-netns --by comm --interval 100ms --textfile "$PWD/page.prom"
	within 60 test -s page.prom
	mkfifo commands
	background "${INSIDE[@]}" python3 owners.py "$name" >answers
	exec {TO}>commands
	tell connect 50
	# Not accepted: of no process.
	within 20 in_page tcp_connections_without_group '' 50
	within 20 in_page tcp_connections_opened_total "group=\"$name\"" 50
	in_page tcp_connections_opened_total '' 50
	tell send 1000
	tell accept 50
	within 20 in_page tcp_connections_without_group '' 0
	within 20 in_page tcp_connections "group=\"$name\"" 100
	"${INSIDE[@]}" ss -Htnp state established >witness
	[ "$(grep -c "\"$name\"" witness)" -eq 100 ]
	within 20 in_page tcp_received_bytes_total "group=\"$name\"" 50000
	cp page.prom before
	tell answer 100
	within 20 in_page tcp_sent_bytes_total "group=\"$name\"" 55000
	cp page.prom after
	only_grown before after
	# A connection that no process accepts before its end.
	tell connect 3
	tell send 10
	tell refuse 0
	within 20 in_page tcp_connections_opened_total 'group="unknown"' 3
	within 20 in_page tcp_received_bytes_total 'group="unknown"' 30
	cp page.prom last
	only_grown after last
	in_page tcp_connections_opened_total '' 106
	in_page tcp_sent_bytes_total '' $((50000 + 5000 + 530))
	in_page tcp_received_bytes_total '' $((50000 + 5000 + 530))
	exec {TO}>&-
}

@test "export: raw sockets of TCP's protocol are in no group and take no room from TCP sockets" {
	need_tool unshare nsenter ip
	cat >raw.py <<-'END'
		import socket, sys, time
		raw = []
		for _ in range(400):
		    raw.append(socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP))
		    raw[-1].connect(("127.0.0.1", 0))
		    raw[-1].send(bytes(1000))
		open("raw", "w").write("sent")
	END
	host
	background "${INSIDE[@]}" "$NETIOTRACE" export --max-sockets 200 --this-netns --by comm --interval 100ms --textfile "$PWD/page.prom"
	within 60 test -s page.prom
	cp "$(python3 -c 'import sys; print(sys.executable)')" ./"raw-$$"
	"${INSIDE[@]}" ./"raw-$$" raw.py
	[ -s raw ]
	"${INSIDE[@]}" "$FLEET" sink sink 3>&- &
	PEERS+=($!)
	within 20 test -s sink
	"${INSIDE[@]}" "$FLEET" zerocopy "$(<sink)" 20 >client
	within 20 in_page tcp_sent_bytes_total '' $((20 * 65536))
	run ! grep "group=\"raw-$$\"" page.prom
	in_page tcp_received_bytes_total '' $((20 * 65536))
}

@test "export: promtool's rule tests: rules and alerts fire, stay silent and survive restarts" {
	need_tool promtool
	promtool check rules "$RULES/rules.yml" "$RULES/alerts.yml"
	promtool test rules "$RULES/tests.yml"
	# Each rule has a case with a value and one without; each alert one in which it fires and one in which it does not.
	/usr/bin/python3 -c 'import yaml' || skip "python3-yaml is not installed"
	/usr/bin/python3 - "$RULES" <<-'END'
		import sys, yaml
		load = lambda name: yaml.safe_load(open(f"{sys.argv[1]}/{name}.yml"))
		names = [row.get("alert") or row["record"] for file in ("rules", "alerts") for g in load(file)["groups"] for row in g["rules"]]
		tests = load("tests")["tests"]
		cases = [(c["alertname"], c["exp_alerts"]) for t in tests for c in t.get("alert_rule_test", [])]
		cases += [(c["expr"], c["exp_samples"]) for t in tests for c in t.get("promql_expr_test", [])]
		for name in names:
		    results = {bool(expected) for case, expected in cases if name in case}
		    assert results == {True, False}, (name, results)
	END
	# Every query of the dashboard is valid, and names series that exist.
	{
		echo 'groups: [{name: dashboard, rules: ['
		jq '.panels[].targets[].expr | gsub("[$](instance|group)"; ".*") | {record: "panel", expr: .}' "$RULES/dashboard.json" | sed 's/^}/},/'
		echo ']}]'
	} >dashboard.yml
	promtool check rules dashboard.yml
	# Each alert has its part of the runbook, which it names.
	while read -r name; do
		grep -qx "## $name" "$RULES/RUNBOOK.md" && grep -qx " *runbook_url: /usr/share/netiotrace/prometheus/RUNBOOK.md#${name,,}" "$RULES/alerts.yml" ||
			{ echo "no runbook of $name" && return 1; }
	done < <(sed -n 's/^ *- alert: *//p' "$RULES/alerts.yml")
	# A rule on a metric that nothing exports would never say anything.
	while read -r metric; do
		grep -q "^| .*\`$metric\`" "$REPO/docs/reference/export.md" || { echo "no metric $metric" && return 1; }
	done < <(sed 's/_bucket{/{/; s/\(group\|container\|fleet\):[a-z_:0-9]*//g' "$RULES"/{rules,alerts}.yml dashboard.yml | grep -o 'netiotrace_[a-z_]*' | sort -u)
}

@test "the systemd units have an exposure level of at most 3 in systemd-analyze security" {
	local unit

	need_tool systemd-analyze
	systemd-analyze --help | grep -q -- --offline || skip "this systemd-analyze knows no --offline"
	for unit in "$REPO"/contrib/systemd/*.service; do
		systemd-analyze security --offline=true "$unit" >out || true
		awk -v unit="$unit" '/Overall exposure level/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/) level = $i }
		     END { print unit, level; exit !(level != "" && level <= 3) }' out
	done
}

# host NAME: a network namespace with loopback, as one host of the fleet; $INSIDE runs a command in
# it.
host() {
	rm -f up
	background unshare --net sh -c 'ip link set lo up && touch up && exec sleep 600'
	HOST=$STARTED
	within 20 test -e up
	INSIDE=(nsenter --net="/proc/$HOST/ns/net")
}

# fleet_exporter NAME PORT: the exporter of $HOST, listening on a port of this namespace.
fleet_exporter() {
	rm -f "$1.ready"
	# Other traffic on the machine decides about sampling.
	background "$FLEET" activate "$HOST" "$2" "$NETIOTRACE" export --this-netns --count-calls --interval 200ms \
		--ready-file "$1.ready" 2>"$1.log"
	EXPORTER=$STARTED
	within 60 test -s "$1.ready"
}

# nginx_in NAME SENDFILE: an nginx of $HOST in the cgroup NAME, on port 8080.
nginx_in() {
	mkdir -p "$1" www
	[ -s www/file ] || head -c 100000 /dev/urandom >www/file
	cat >"$1/nginx.conf" <<-END
		worker_processes 1; daemon off; pid $PWD/$1/pid; error_log $PWD/$1/error;
		events {}
		http { access_log off; sendfile $2; keepalive_requests 100000;
		server { listen 127.0.0.1:8080; root $PWD/www; }
		client_body_temp_path $PWD/$1/b; proxy_temp_path $PWD/$1/p; fastcgi_temp_path $PWD/$1/f;
		uwsgi_temp_path $PWD/$1/u; scgi_temp_path $PWD/$1/s; }
	END
	in_cgroup "$1" "${INSIDE[@]}" nginx -c "$PWD/$1/nginx.conf" -e "$PWD/$1/error" 3>&- &
	within 20 test -s "$1/pid"
	within 20 inside_listens 8080
}

inside_listens() {
	"${INSIDE[@]}" ss -Hltn "sport = :$1" | grep . >/dev/null
}

# client GROUP COMMAND...: runs it in $HOST and adds its counts to GROUP.sent and GROUP.received.
client() {
	local key

	in_cgroup client.service "${INSIDE[@]}" "$FLEET" "${@:2}" >told
	for key in sent received; do
		echo "$(($(cat "$1.$key" 2>/dev/null || echo 0) + $(jq ".$key" told)))" >"$1.$key.new"
		mv "$1.$key.new" "$1.$key"
	done
}

# Sums the last values before each restart, as Prometheus scraped them.
scraped() { # METRIC GROUP
	"$FLEET" samples "$PROMETHEUS" "netiotrace_tcp_$1_bytes_total{group=\"$2\"}[1h]"
}

# agrees GROUP: the group's bytes equal those that its clients received and sent.
agrees() {
	[ "$(scraped sent "$1")" = "$(cat "$1.received")" ] || return
	[ "$(scraped received "$1")" = "$(cat "$1.sent")" ]
}

@test "export: Prometheus scrapes three hosts; sums equal the clients' bytes exactly, across restarts" {
	local expr ports=() hosts=() exporters=() i

	need_tool prometheus promtool nginx redis-server curl unshare nsenter ip
	need_cgroups
	chmod -R a+rX . && chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	for i in 0 1 2; do
		host
		hosts+=("$HOST")
		PORT=$(free_port)
		ports+=("$PORT")
		fleet_exporter "host$i" "$PORT"
		exporters+=("$EXPORTER")
	done
	PORT=$(free_port)
	PROMETHEUS=http://127.0.0.1:$PORT
	cat >prometheus.yml <<-END
		global: {scrape_interval: 500ms, evaluation_interval: 500ms}
		rule_files: [$RULES/rules.yml, $RULES/alerts.yml]
		scrape_configs:
		  - job_name: netiotrace
		    static_configs: [{targets: ["127.0.0.1:${ports[0]}", "127.0.0.1:${ports[1]}", "127.0.0.1:${ports[2]}"]}]
	END
	promtool check config prometheus.yml
	background prometheus --config.file prometheus.yml --storage.tsdb.path data --web.listen-address "127.0.0.1:$PORT" \
		--log.level error 2>prometheus.log
	all_up() { [ "$(query 'sum(up)' | jq -r '.data.result[0].value[1]')" = 3 ]; }
	within 60 all_up

	HOST=${hosts[0]} INSIDE=(nsenter --net="/proc/${hosts[0]}/ns/net")
	nginx_in nginx-on.service on
	client nginx-on.service http 8080 300
	HOST=${hosts[1]} INSIDE=(nsenter --net="/proc/${hosts[1]}/ns/net")
	nginx_in nginx-off.service off
	client nginx-off.service http 8080 300
	in_cgroup redis.service "${INSIDE[@]}" redis-server --port 6390 --bind 127.0.0.1 --save '' --dir "$PWD" >redis.log 3>&- &
	within 20 inside_listens 6390
	client redis.service redis 6390 500
	HOST=${hosts[2]} INSIDE=(nsenter --net="/proc/${hosts[2]}/ns/net")
	in_cgroup sink.service "${INSIDE[@]}" "$FLEET" sink sink 3>&- &
	within 20 test -s sink
	# Here the sender is the service and a client of its sink.
	in_cgroup zerocopy.service "${INSIDE[@]}" "$FLEET" zerocopy "$(<sink)" 300 >told
	jq .sent told >zerocopy.service.received
	jq .received told >zerocopy.service.sent
	for i in nginx-on nginx-off redis zerocopy; do
		within 30 agrees "$i.service"
	done

	# Restarts one exporter and one service.
	kill "${exporters[0]}"
	within 20 has_ended "${exporters[0]}"
	kill "$(<nginx-on.service/pid)"
	HOST=${hosts[0]} INSIDE=(nsenter --net="/proc/${hosts[0]}/ns/net")
	within 20 test ! -e nginx-on.service/pid
	fleet_exporter host0 "${ports[0]}"
	nginx_in nginx-on.service on
	client nginx-on.service http 8080 200
	within 30 agrees nginx-on.service
	for i in nginx-off redis zerocopy; do
		agrees "$i.service"
	done

	# A rate needs two scrapes: a series begins with its first value.
	HOST=${hosts[2]} INSIDE=(nsenter --net="/proc/${hosts[2]}/ns/net")
	in_cgroup zerocopy.service "${INSIDE[@]}" "$FLEET" zerocopy "$(<sink)" 300 >told
	echo "$(($(<zerocopy.service.received) + $(jq .sent told)))" >twice
	mv twice zerocopy.service.received
	within 30 agrees zerocopy.service

	# Cost of zero-copy sends that are copied, and bytes that sendfile would copy without
	# zero-copy.
	query 'topk(1, sum by (instance, group) (netiotrace_zerocopy_copied_bytes_total)) > 0' >pays
	jq -e --arg host "127.0.0.1:${ports[2]}" '.data.result[0].metric | .group == "zerocopy.service" and .instance == $host' pays
	query 'sum by (group) (netiotrace_stage_bytes_total{stage="tx_splice"}) > 1e7' >spliced
	jq -e '[.data.result[].metric.group] == ["nginx-on.service"]' spliced

	# Every query of the dashboard and every rule is valid.
	jq -r '.panels[].targets[].expr, (.templating.list[] | select(.type == "query") | .query
		| capture("label_values\\((?<metric>[^,]*),").metric)' "$RULES/dashboard.json" |
		sed 's/[$]instance/.*/g; s/[$]group/.*/g' >queries
	[ "$(wc -l <queries)" -ge 15 ]
	while read -r expr; do
		query "$expr" >answer
		jq -e '.status == "success"' answer >/dev/null || { echo "$expr" && cat answer && return 1; }
	done <queries
	# These queries return data under load.
	for expr in fleet:netiotrace_copies_per_byte:ratio_rate5m fleet:netiotrace_zerocopy_copied:ratio_rate5m \
		fleet:netiotrace_spliced:ratio_rate5m group:netiotrace_spliced:ratio_rate5m; do
		has_data() { query "$expr" | jq -e '.data.result | length > 0' >/dev/null; }
		within 30 has_data || { echo "no data: $expr"; query "$expr"; query "{__name__=~\".*:netiotrace.*\"}"; query netiotrace_zerocopy_completed_total; return 1; }
	done
	query 'fleet:netiotrace_zerocopy_copied:ratio_rate5m' | jq -e '.data.result[0].value[1] == "1"'
	run ! grep -i 'error' prometheus.log
}
