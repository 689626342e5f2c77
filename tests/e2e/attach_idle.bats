#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# attach: connections without a byte, send calls that fail before the first one, and accepted sockets
# that are not used. The program counts what its calls return.

bats_require_minimum_version 1.5.0
load ../lib
load attach

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	PEERS=()
	cat >program.py <<-'END'
	import errno, json, socket, sys
	listener = socket.create_server(("127.0.0.1", 0), backlog=64)
	told = {"connections": 0, "unconnected": 0, "empty_sends": 0, "epipe": 0, "econnreset": 0}
	def pair():
	    client = socket.create_connection(listener.getsockname())
	    told["connections"] += 2
	    return client, listener.accept()[0]
	def send(sock, data):
	    try:
	        told["empty_sends"] += sock.send(data) == 0
	    except OSError as error:
	        told[errno.errorcode[error.errno].lower()] += 1
	kept = [pair() for _ in range(5)]
	for client, _ in [pair() for _ in range(5)]:
	    for _ in range(4):
	        send(client, b"")
	    client.shutdown(socket.SHUT_WR)
	    for _ in range(4):
	        send(client, b"x" * 100)
	for _ in range(5):
	    client, server = pair()
	    server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))
	    server.close()
	    for _ in range(4):
	        send(client, b"x" * 100)
	unused = socket.socket()
	unused.bind(("127.0.0.1", 0))
	for _ in range(3):
	    with socket.socket() as client:
	        assert client.connect_ex(unused.getsockname()) == errno.ECONNREFUSED
	    told["unconnected"] += 1
	with socket.socket() as client:
	    send(client, b"x")
	    told["unconnected"] += 1
	json.dump(told, open("told.json", "w"))
	END
}

@test "attach of a program without a connection says so, in place of a table of nothing" {
	"$NETIOTRACE" attach -- true 2>text
	cat text
	grep -q '^verdict *No TCP connection was open or made' text
	run ! grep -qE '^(process|books|cpu)' text
	"$NETIOTRACE" attach --duration 200ms --port "$(free_port)" >text
	grep -q '^verdict *No TCP connection was open or made' text
}

@test "attach counts connections without a byte, and send calls refused before the first one" {
	"$NETIOTRACE" attach --count-calls --json out.json -- python3 program.py >text
	jq -c .total out.json
	jq -e --slurpfile told told.json '.total | {connections, unconnected, empty_sends,
		epipe: .refused.epipe, econnreset: .refused.econnreset} == $told[0]' out.json
	jq -e '.total | .socket.tx_bytes == 0 and .socket.rx_received == 0 and .refused.other == 0' out.json
	jq -e '.total.verdict.text | startswith("No byte was sent or received on 30 connections.")' out.json
	jq -e '[.connections[].idle_s] | all(. >= 0)' out.json
}

# Two servers share a port; one is watched. Neither makes a call on the sockets that it has accepted.
@test "attach gives an accepted socket that is not used to the process that has it open, with its received bytes" {
	need_tool ss
	cat >server.py <<-'END'
	import os, socket, sys
	def tell(what, number):
	    print(number, file=open(sys.argv[1], "w"), flush=True)
	    os.rename(sys.argv[1], sys.argv[1] + what)
	listener = socket.socket()
	listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
	listener.bind(("127.0.0.1", int(sys.argv[2])))
	listener.listen(100)
	listener.settimeout(1)
	tell(".kept", 0)
	tell(".port", listener.getsockname()[1])
	kept = []
	while True:
	    try:
	        kept.append(listener.accept()[0])
	    except TimeoutError:
	        tell(".kept", len(kept))
	END
	cat >client.py <<-'END'
	import socket, sys, time
	kept = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(40)]
	for client in kept:
	    client.sendall(bytes(100))
	print(len(kept), file=open("made", "w"), flush=True)
	time.sleep(600)
	END
	background python3 server.py ours 0
	OURS=$STARTED
	within 20 test -s ours.port
	background python3 server.py theirs "$(<ours.port)"
	within 20 test -s theirs.port
	"$NETIOTRACE" attach --pid "$OURS" --ready-file ready --json out.json >text 3>&- &
	COLLECTOR=$!
	PEERS+=($!)
	within 60 test -s ready
	background python3 client.py "$(<ours.port)"
	within 20 test -s made
	all_accepted() { [ "$(($(<ours.kept) + $(<theirs.kept)))" -eq 40 ]; }
	within 20 all_accepted
	ss -Htnp "sport = :$(<ours.port)" >witness
	kill "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 143 ]
	cat ours.kept theirs.kept
	jq -c '[.total, .processes[] | [.pid, .connections, .socket.rx_received]]' out.json
	[ "$(grep -c "pid=$OURS," witness)" -eq "$(<ours.kept)" ]
	jq -e --argjson pid "$OURS" --argjson n "$(<ours.kept)" '.total.connections == $n and
		[.processes[] | [.pid, .connections, .socket.rx_received]] == [[$pid, $n, $n * 100]]' out.json
}

@test "attach counts send() that would block by the call, tries of sendfile apart, and neither as refused" {
	local refused='[.total.refused | .enobufs, .epipe, .econnreset, .efault, .other] == [0, 0, 0, 0, 0]'

	cat >full.py <<-'END'
	import os, socket, sys
	listener = socket.create_server(("127.0.0.1", 0))
	client = socket.create_connection(listener.getsockname())
	client.setblocking(False)
	server = listener.accept()[0]
	file = open("file", "rb")
	blocked = 0
	while blocked < 3:
	    try:
	        if sys.argv[1] == "send":
	            client.send(bytes(1 << 16))
	        else:
	            os.sendfile(client.fileno(), file.fileno(), 0, 1 << 16)
	    except BlockingIOError:
	        blocked += 1
	END
	head -c 65536 /dev/urandom >file
	"$NETIOTRACE" attach --count-calls --json send.json -- python3 full.py send >text
	"$NETIOTRACE" attach --count-calls --json sendfile.json -- python3 full.py sendfile >text
	jq -c '.total | .refused, .would_block' send.json sendfile.json
	jq -e "$refused and .total.would_block.calls == 3 and .total.would_block.inner_tries == 0" send.json
	jq -e "$refused and .total.would_block.calls == null and .total.would_block.inner_tries >= 3" sendfile.json
}

# The kernel sends a chunk of sendfile at once if it is small, and in parts otherwise: "pieces" of the answer are these
# parts (a page before Linux 6.5).
@test "attach counts a piece for each small chunk of sendfile, and several for a large one" {
	cat >chunks.py <<-'END'
	import os, socket, sys, threading
	chunk = int(sys.argv[1])
	listener = socket.create_server(("127.0.0.1", 0))
	client = socket.create_connection(listener.getsockname())
	server = listener.accept()[0]
	reader = threading.Thread(target=lambda: all(iter(lambda: len(server.recv(1 << 16)), 0)))
	reader.start()
	file = os.open("file", os.O_RDONLY)
	calls = at = 0
	while at < 1 << 20:
	    at += os.sendfile(client.fileno(), file, at, chunk)
	    calls += 1
	client.close()
	reader.join()
	print(calls)
	END
	head -c 1048576 /dev/urandom >file
	"$NETIOTRACE" attach -q --count-calls --json small.json -- python3 chunks.py 4096 >small
	"$NETIOTRACE" attach -q --count-calls --json large.json -- python3 chunks.py 1048576 >large
	jq -c '.total.ledger.tx_splice' small.json large.json
	[ "$(<small)" -eq 256 ]
	jq -e --argjson calls "$(<small)" '.total.ledger.tx_splice | .bytes == 1048576 and .events == $calls' small.json
	jq -e --argjson calls "$(<large)" '.total.ledger.tx_splice | .bytes == 1048576 and .events > $calls' large.json
}
