#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# attach: connections without a byte, and send calls that fail before the first one. The program
# counts what its calls return.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
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

@test "attach counts connections without a byte, and send calls refused before the first one" {
	"$NETIOTRACE" attach --count-calls --json out.json -- python3 program.py >text
	jq -c .total out.json
	jq -e --slurpfile told told.json '.total | {connections, unconnected, empty_sends,
		epipe: .refused.epipe, econnreset: .refused.econnreset} == $told[0]' out.json
	jq -e '.total | .socket.tx_bytes == 0 and .socket.rx_received == 0 and .refused.other == 0' out.json
	jq -e '.total.verdict.text | startswith("No byte was sent or received on 30 connections.")' out.json
	jq -e '[.connections[].idle_s] | all(. >= 0)' out.json
}
