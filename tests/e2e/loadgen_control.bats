#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netio-loadgen alone under --control: commands, events, and the end of either side.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016

bats_require_minimum_version 1.5.0
load loadgen

established() { # PORT
	ss -Htn state established "sport = :$1" | wc -l
}

# bats test_tags=thread
@test "control: sockets stay ESTABLISHED after done until close or the end of stdin" {
	local how

	need_tool ss
	for how in close eof; do
		session --mode zerocopy --size 16k --threads 3 --messages 20
		go
		event send 'done'
		event recv 'done'
		sleep 1.5
		[ "$(established "$port")" -eq 4 ] # data connections and the control connection
		if [ "$how" = eof ]; then
			exec {in_send}>&-
			in_send=
		fi
		ended send 0
		ended recv 0
		rm ./*.in
	done
	session --mode onecopy --size 16k --messages 20
	tell send close
	event send error
	holds '.message | test("close")' send.error
}

# bats test_tags=address,thread
@test "control: cookies, statistics during a run, stop" {
	session --mode onecopy --size 16k --threads 3 --duration 60s --warmup 50ms
	holds '.connections | map(.index) == [0, 1, 2]' send.ready
	holds '.connections | map(.cookie) | unique | length == 3' recv.ready
	go
	# Asks again until a busy machine has run both sides.
	counted() { # NAME KEY
		tell "$1" stats
		event "$1" stats
		jq -e ".$2 > 0" "$1.stats" >/dev/null
	}
	eventually counted send tx_messages
	eventually counted recv rx_bytes
	holds ".tx_messages > 0 and .elapsed_ns > 0 and .tx_bytes == .tx_messages * 16384" send.stats
	holds ".rx_bytes > 0" recv.stats
	tell send stop
	event send 'done'
	event recv 'done'
	holds ".interrupted" send.done
	[ "$(jq .tx_bytes send.done)" = "$(jq .rx_bytes recv.done)" ]
	[ "$(jq .tcp.bytes_acked send.done)" = "$(jq .tx_bytes send.done)" ]
	ended send 0
	ended recv 0
}

@test "control: stop takes effect at once while all threads are blocked" {
	RECV_ARGS="--rcvbuf 4k" session --mode onecopy --size 16m --threads 4 --duration 60s \
		--sndbuf 4k
	go
	sleep 0.3
	tell recv stop
	promptly has_event send 'done'
	event send 'done'
	event recv 'done'
	holds ".interrupted" send.done
	[ "$(jq .tx_bytes send.done)" = "$(jq .rx_bytes recv.done)" ]
	ended send 0
	ended recv 0
}

# bats test_tags=address,thread
@test "control: stop before the measured phase leaves zero totals" {
	session --size 64k --duration 60s --warmup 60s
	tell send start
	sleep 0.2
	tell send stop
	event send 'done'
	event recv 'done'
	holds ".interrupted and .tx_bytes == 0 and .tx_messages == 0 and .elapsed_ns == 0" send.done
	holds ".rx_bytes == 0 and .rx_messages == 0" recv.done
	ended send 0
	ended recv 0
}

# bats test_tags=address,thread
@test "control: an unknown or unexpected command ends the process with a reason" {
	session --size 64k --messages 5
	tell send jump
	event send error
	holds '.message | contains("jump")' send.error
	ended send 1
	event recv error
	ended recv 1
}

# bats test_tags=address,thread
@test "control: the end of stdin ends the process" {
	session --size 64k --duration 60s
	go
	exec {in_send}>&-
	in_send=
	ended send 1
	event recv error
	ended recv 1
}

# bats test_tags=thread
@test "control: the process dies with its parent" {
	mkfifo hold
	bash -c "'$LG' recv --listen 127.0.0.1:0 --control <>hold >recv.out & echo \$! >pid; wait" &
	PIDS="${PIDS:-} $!"
	eventually test -s recv.out
	eventually test -s pid
	PIDS="$PIDS $(cat pid)"
	kill -9 $!
	gone() { ! kill -0 "$(cat pid)" 2>/dev/null || grep -q '^State:.Z' "/proc/$(cat pid)/status"; }
	eventually gone
}

# bats test_tags=address,thread
@test "a peer killed in the middle of a run is reported by the other side" {
	session --size 64k --duration 60s --threads 2
	go
	kill -9 "$pid_send"
	event recv error
	ended recv 1
	PIDS=
	rm -f ./*.in ./*.out
	session --mode zerocopy --size 64k --duration 60s --threads 2
	go
	kill -9 "$pid_recv"
	event send error
	ended send 1
}

halves() { # NUMBER
	[ "$(grep -c '"event":"half"' send.out)" -eq "$1" ]
}

# bats test_tags=thread
@test "control: the text of the receiver's half arrives unchanged, up to 512 000 bytes" {
	local size

	for size in 2 512000; do
		RECV_ARGS="--half" session --mode onecopy --size 16k --messages 20
		tell send start
		event send quiesced
		tell send "measure 3"
		event recv phase
		holds '.half == 3 and .session == 1' recv.phase
		# An answer for another session begins nothing.
		tell recv "measure 2"
		sleep 0.2
		! has_event send 'done' || return 1
		tell recv "measure 1"
		event send 'done'
		event recv 'done'
		python3 -c "print('\"\\\\' * ($size // 2), end='')" >text
		[ "$(stat -c %s text)" -eq "$size" ]
		tell recv "half $size"
		cat text >&"$in_recv"
		tell send half
		event send half
		jq -j .document send.half | cmp - text
		# There is one half a session.
		tell send half
		eventually halves 2
		event send half
		holds '.document == null' send.half
		ended send 0
		ended recv 0
		rm ./*.in
	done
}

@test "control: without --half a receiver promises none, and a longer text is refused" {
	session --mode onecopy --size 16k --messages 20
	tell send start
	event send quiesced
	tell send "measure 1"
	event send 'done'
	tell send half
	event send half
	holds '.document == null' send.half
	ended send 0
	ended recv 0
	rm ./*.in
	RECV_ARGS="--half" session --mode onecopy --size 16k --messages 20
	tell recv "half 512001"
	event recv error
	holds '.message | test("half 512001")' recv.error
}
