#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netiotrace export: numbers of calls, their sizes and peeks, beside what the programs counted themselves.

bats_require_minimum_version 1.5.0
load ../lib
load attach
load export

# sum METRIC LABELS: of the page in the file.
sum() {
	value "$1" "$2" <page.prom
}

# has_sum METRIC LABELS VALUE
has_sum() {
	[ "$(sum "$1" "$2")" = "$3" ]
}

@test "export --count-calls: calls, sizes and peeks equal a program's own counts, with and without a name" {
	local group

	need_tool python3
	cat >calls.py <<-'END'
		import ctypes, json, os, socket, sys
		name = sys.argv[1].encode()
		ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
		own = dict(calls=0, sent=0, read=0, peeked=0)
		listener = socket.create_server(('127.0.0.1', 0))
		def send(s, n):
		    own['calls'] += 1
		    own['sent'] += s.send(bytes(n))
		def read(s, n, peek):
		    while n:
		        if peek:
		            own['peeked'] += len(s.recv(n // 2 + 1, socket.MSG_PEEK))
		        got = len(s.recv(n))
		        own['read'] += got
		        n -= got
		long = socket.create_connection(listener.getsockname())
		server = listener.accept()[0]
		for i in range(300):
		    send(long, 100 + i)
		    read(server, 100 + i, i % 3 == 0)
		for i in range(40):
		    with socket.create_connection(listener.getsockname()) as s, listener.accept()[0] as peer:
		        send(s, 1024)
		        read(peer, 1024, False)
		json.dump(own, open('own.new', 'w'))
		os.rename('own.new', 'own.json')
		server.recv(1)
	END
	background "$NETIOTRACE" export "${ROOM[@]}" --count-calls --by comm --interval 100ms --textfile "$PWD/page.prom"
	within 60 test -s page.prom
	# The empty name is \x00. A label has two backslashes for one, and so does a pattern of awk and grep.
	for name in "calls-$$" ''; do
		group="group=\"${name:-\\\\\\\\x00}\""
		rm -f own.json
		background python3 calls.py "$name"
		within 20 test -s own.json
		within 20 has_sum tcp_received_bytes_total "$group" "$(jq .sent own.json)"
		has_sum tcp_sent_bytes_total "$group" "$(jq .sent own.json)"
		[ "$(grep "^netiotrace_stage_bytes_total{$group" page.prom | grep -c 'quality="sampled"')" -eq 0 ]
		within 20 has_sum stage_bytes_total "$group,stage=\"rx_copy\"" "$(jq '.read + .peeked' own.json)"
		has_sum receive_size_bytes_sum "$group" "$(jq '.read + .peeked' own.json)"
		has_sum unclassified_bytes_total "$group" 0
		has_sum sends_total "$group" "$(jq .calls own.json)"
		has_sum send_size_bytes_count "$group" "$(jq .calls own.json)"
		has_sum send_size_bytes_sum "$group" "$(jq .sent own.json)"
		# Peeks read nothing; the largest calls are as large as the bound of their bucket.
		has_sum tcp_read_bytes_total "$group" "$(jq .read own.json)"
		has_sum send_size_bytes_bucket "$group,le=\"1024\"" "$(jq .calls own.json)"
		has_sum send_size_bytes_bucket "$group,le=\"256\"" 157
	done
	"$NETIOTRACE" export --once --interval 200ms --no-histograms >without.prom
	grep -q "^netiotrace_tcp_read_bytes_total" without.prom
	run ! grep size_bytes_ without.prom
}

@test "export: calls of short connections between two windows are part of the estimate" {
	local port calls name=churn-$$

	[ -x "$BUILD_DIR/tests/e2e/connection_churn" ] || skip "the test programs are not built: make test-programs"
	need_tool iperf3
	cp "$BUILD_DIR/tests/e2e/connection_churn" "$name"
	background "$NETIOTRACE" export "${ROOM[@]}" --by comm --interval 1s --textfile "$PWD/page.prom"
	within 60 test -s page.prom
	# Watching these sends costs more than export may: it watches in windows.
	port=$(free_port)
	background iperf3 -s -p "$port" >/dev/null
	within 10 sh -c "ss -Hltn sport = $port | grep -q ."
	background iperf3 -c 127.0.0.1 -p "$port" -N -l 64 -t 600 >/dev/null
	within 60 has 'quality="sampled"' cat page.prom
	sleep 2
	./"$name" churn 500 15 >sums
	within 20 has_sum tcp_sent_bytes_total "group=\"$name\"" "$(jq '.client.tx + .server.tx' sums)"
	# A request and a reply each.
	calls=$(jq '2 * .connections' sums)
	grep "group=\"$name\"" page.prom
	# Wide limits: on a busy machine few windows are opened, and some late. Only the order of magnitude is certain.
	(($(sum sends_total "group=\"$name\"") > calls / 5))
	(($(sum sends_total "group=\"$name\"") < calls * 10))
	# One estimate, not two.
	has_sum send_size_bytes_count "group=\"$name\"" "$(sum sends_total "group=\"$name\"")"
	# The bytes are exact, and their parts add up to them.
	[ $(($(sum stage_bytes_total "group=\"$name\",stage=\"tx_") +
		$(sum unclassified_bytes_total "group=\"$name\",direction=\"sent\""))) -eq "$(jq '.client.tx + .server.tx' sums)" ]
}
