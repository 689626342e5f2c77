#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netio-loadgen alone, through real sockets on loopback. Needs no root; what does is skipped without.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	LG=$LOADGEN
	need_tool jq
	cd "$BATS_TEST_TMPDIR" || return 1
	chmod 755 .
}

teardown() {
	local pid

	for pid in ${PIDS:-}; do
		kill -9 "$pid" 2>/dev/null || true
	done
}

# As an ordinary user: what is asked of every user, and a sanitizer can look at its process. With
# EXEC=exec in the background, $! is the command's own.
user() {
	if [ "$(id -u)" -eq 0 ]; then
		${EXEC:-} setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		${EXEC:-} "$@"
	fi
}

# value FILTER FILE: by jq, true for exit 0.
holds() {
	jq -e "$1" "$2" >/dev/null || {
		echo "not so: $1"
		jq -c 'del(.. | .latency?)' "$2"
		return 1
	}
}

eventually() { # COMMAND...
	within 5 "$@" || {
		echo "never: $*"
		return 1
	}
}

# start NAME ARGS...: in the background with --control; commands by `tell NAME WORD`, events in NAME.out
start() {
	local name=$1

	shift
	mkfifo "$name.in"
	EXEC="exec" user "$LG" "$@" --control <"$name.in" >"$name.out" 2>"$name.err" &
	eval "pid_$name=$!"
	PIDS="${PIDS:-} $!"
	exec {fd}>"$name.in"
	eval "in_$name=$fd"
}

tell() {
	local in=in_$1

	echo "$2" >&"${!in}"
}

has_event() {
	grep -q "\"event\":\"$2\"" "$1.out"
}

event() {
	eventually has_event "$1" "$2" || {
		cat "$1.out" "$1.err"
		return 1
	}
	grep "\"event\":\"$2\"" "$1.out" | tail -n 1 >"$1.$2"
}

# ended NAME STATUS. A sender that is done holds its sockets until it is told to close.
ended() {
	local pid=pid_$1 status=0

	if [ "$1" = send ] && [ -n "${in_send-}" ] && has_event send 'done' && kill -0 "${!pid}" 2>/dev/null; then
		tell send close
	fi
	wait "${!pid}" || status=$?
	[ "$status" -eq "$2" ] || {
		echo "$1 ended with $status"
		cat "$1.out" "$1.err"
		return 1
	}
}

# session ARGS...: receiver and sender, up to both being ready.
session() {
	# shellcheck disable=SC2086
	start recv recv --listen 127.0.0.1:0 ${RECV_ARGS:-}
	event recv listening
	port=$(jq .port recv.listening)
	start send send --connect "127.0.0.1:$port" "$@"
	event send ready
	event recv ready
}

# go: up to the measured phase.
go() {
	tell send start
	event send quiesced
	tell send measure
}

# bytes WIDTH NUMBER: big-endian, as escapes for printf.
bytes() {
	local hex i

	hex=$(printf "%0$(($1 * 2))x" "$2")
	for ((i = 0; i < ${#hex}; i += 2)); do
		printf '\\x%s' "${hex:i:2}"
	done
}

# hello KIND VERIFY: of a one-thread session with 64-byte messages, token of zeros.
hello() {
	printf 'NIOH\\x00\\x02'
	bytes 2 "$1"
	bytes 16 0
	bytes 16 0
	bytes 4 0
	bytes 4 1
	bytes 4 64
	bytes 2 "$2"
	bytes 2 1
	bytes 8 0
}

# frame TYPE INDEX PHASE MESSAGES BYTES
frame() {
	printf 'NIOF\\x00\\x02'
	bytes 2 "$1"
	bytes 4 "$2"
	bytes 4 "$3"
	bytes 8 "$4"
	bytes 8 "$5"
}

# bats test_tags=address
@test "help names every option, version the version" {
	run -0 "$LG" --help
	for word in connect listen mode size fields threads connections rate duration messages warmup verify cpus \
		cpus-receiver sndbuf rcvbuf nodelay congestion spin rcvlowat \
		forever control json; do
		[[ $output == *"--$word"* ]]
	done
	run -0 "$LG" --version
	[[ $output =~ ^netio-loadgen\ [0-9]+\.[0-9]+ ]]
}

# bats test_tags=address,thread
@test "wrong usage is one sentence on stderr and exit 2" {
	local line

	while read -r line; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$LG" $line
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done <<-LINES
		--mode none
		--size 0
		--size 3x
		--fields 65
		--threads 257
		--connections 4097
		--threads 2 --connections 1
		--rate 0/s
		--rate 5/m
		--spin 2s
		--rcvlowat 2m
		--congestion abcdefghijklmnop
		--messages 1 --duration 1s
		--size 64 --cpus 4095
		send --connect nowhere
		recv --listen 127.0.0.1
		--size
	LINES
}

# bats test_tags=address,thread
@test "23 messages are 23 on both sides, in every mode, size and cut" {
	local mode size fields

	for mode in twocopy onecopy zerocopy; do
		while read -r size fields; do
			user "$LG" --mode "$mode" --size "$size" --fields "$fields" --messages 23 \
				--verify --json >out
			holds ".sender.tx_messages == 23 and .receiver.rx_messages == 23" out
			holds ".sender.tx_bytes == 23 * .sender.config.size" out
			holds ".sender.tx_bytes == .receiver.rx_bytes" out
			holds ".receiver.verify_errors == 0 and .receiver.bad_stamps == 0" out
			holds ".sender.latency.send_call.count == 23" out
			holds ".receiver.latency.delivery.count == 23" out
			holds ".sender.tcp.bytes_acked == .sender.tx_bytes" out
			holds ".receiver.tcp.bytes_received == .receiver.rx_bytes" out
		done <<-CASES
			64 64
			64 8
			65 3
			1000 7
			65536 8
			100001 64
			4m 1
		CASES
	done
}

# bats test_tags=address,thread
@test "what is packed is counted in twocopy mode, and in no other" {
	user "$LG" --mode twocopy --size 1000 --messages 129 --json >out
	holds ".sender.gather | .bytes == 129000 and .events == 129 and .sampled == 3 and .ns > 0" out
	user "$LG" --mode onecopy --size 1000 --messages 129 --json >out
	holds ".sender.gather | .bytes == 0 and .events == 0 and .sampled == 0 and .ns == 0" out
}

# bats test_tags=address,thread
@test "warm-up is in no total" {
	user "$LG" --size 4k --messages 7 --warmup 100ms --threads 3 --json >out
	holds ".sender.tx_messages == 7 and .receiver.rx_messages == 7" out
	holds ".sender.latency.send_call.count == 7 and .receiver.latency.delivery.count == 7" out
	holds ".receiver.tcp.bytes_received == 7 * 4096" out
}

@test "a duration is kept, and the totals agree" {
	local began

	began=$(now_ms)
	user "$LG" --size 64k --duration 400ms --threads 2 --json >out
	# Not shorter; and no longer than the whole command, which a busy machine delays.
	holds ".sender.elapsed_ns >= 400000000 and .sender.elapsed_ns <= $(($(now_ms) - began)) * 1000000" out
	holds ".sender.tx_bytes == .receiver.rx_bytes and .sender.tx_bytes > 0" out
	holds ".sender.interrupted == false" out
}

# bats test_tags=thread
@test "256 threads share 1000 messages exactly" {
	user "$LG" --mode zerocopy --size 1k --threads 256 --messages 1000 --verify --json >out
	holds ".sender.tx_messages == 1000 and .receiver.rx_messages == 1000" out
	holds ".receiver.verify_errors == 0" out
	user "$LG" --size 64 --threads 256 --messages 3 --json >out
	holds ".sender.tx_messages == 3 and .receiver.rx_messages == 3" out
}

# bats test_tags=address
@test "connections apart from threads, in every mode, exact up to 4096" {
	local mode

	for mode in twocopy onecopy zerocopy; do
		user "$LG" --mode "$mode" --size 1k --threads 3 --connections 100 --messages 1007 \
			--warmup 50ms --verify --json >out
		holds ".sender.tx_messages == 1007 and .receiver.rx_messages == 1007" out
		holds ".receiver.verify_errors == 0 and .receiver.bad_stamps == 0" out
		holds ".sender.latency.send_call.count == 1007" out
		holds ".sender.zerocopy | .completed == .sends" out
		holds ".sender.config | .threads == 3 and .connections == 100" out
	done
	user "$LG" --size 64 --threads 2 --connections 4096 --messages 8192 --verify --json >out
	holds ".sender.tx_messages == 8192 and .receiver.rx_messages == 8192" out
	holds ".sender.tcp.bytes_acked == .sender.tx_bytes" out
	holds ".receiver.tcp.bytes_received == .receiver.rx_bytes" out
	holds ".receiver.verify_errors == 0 and .receiver.bad_stamps == 0" out
}

@test "an open loop keeps its rate, and a message that waits in line is told so" {
	user "$LG" --rate 2000/s --size 64 --connections 3 --duration 1s --nodelay --json >out
	# Every message that was due is sent; those of the last moment may be missing.
	holds ".sender.tx_messages > 1900 and .sender.tx_messages <= 2001" out
	holds ".receiver.bad_stamps == 0 and .receiver.rx_messages == .sender.tx_messages" out
	# A receiver that stands still for half a second: the messages due meanwhile have waited.
	rm -f ./*.in
	RECV_ARGS="--rcvbuf 4k" session --rate 1000/s --size 64k --duration 60s --sndbuf 64k
	go
	sleep 0.3
	kill -STOP "$pid_recv"
	sleep 0.5
	kill -CONT "$pid_recv"
	sleep 0.5
	tell send stop
	event recv 'done'
	holds ".latency.delivery.max > 400000000" recv.done
	# 20 and more of them, and not only the one that was under way.
	holds "[.latency.delivery.buckets[] | select(.[0] >= 780) | .[1]] | add > 20" recv.done
}

# bats test_tags=address,thread
@test "spinning and a low-water mark deliver everything" {
	user "$LG" --size 16k --messages 3001 --warmup 20ms --spin 50us --verify --json >out
	holds ".receiver.rx_messages == 3001 and .receiver.verify_errors == 0" out
	user "$LG" --size 1000 --messages 3001 --warmup 20ms --rcvlowat 64k --threads 2 --verify --json >out
	holds ".receiver.rx_messages == 3001 and .receiver.verify_errors == 0" out
}

# bats test_tags=address,thread
@test "another time namespace is another clock" {
	[ "$(id -u)" -eq 0 ] || skip "making a time namespace needs root"
	unshare -T --monotonic 1000 true 2>/dev/null || skip "this kernel has no time namespaces"
	start recv recv --listen 127.0.0.1:0
	event recv listening
	unshare -T --monotonic 1000 "$LG" send --connect "127.0.0.1:$(jq .port recv.listening)" \
		--size 64 --messages 23 --json >out
	event recv 'done'
	holds ".rx_messages == 23 and .foreign_stamps == 23 and .bad_stamps == 0" recv.done
	ended recv 0
}

# bats test_tags=address,thread
@test "zero-copy: every send completes, and loopback copies it after all" {
	user "$LG" --mode zerocopy --size 64k --duration 300ms --verify --json >out
	holds ".sender.zerocopy | .sends > 0 and .completed == .sends" out
	holds ".sender.zerocopy | .copied + .not_copied == .completed and .copied > 0" out
	holds ".sender.zerocopy.completed == .sender.latency.completion.count" out
}

@test "zero-copy goes on by copying when locked memory is used up" {
	user bash -c 'ulimit -l 64; "$@"' - "$LG" --mode zerocopy --size 1m --messages 60 \
		--threads 2 --verify --json >out
	holds ".sender.tx_messages == 60 and .receiver.rx_messages == 60" out
	holds ".sender.zerocopy.enobufs > 0" out
	holds ".sender.zerocopy | .completed == .sends" out
	holds ".receiver.verify_errors == 0" out
}

@test "zero-copy goes on by copying when optmem_max is small" {
	[ "$(id -u)" -eq 0 ] || skip "changing optmem_max of a network namespace needs root"
	timeout 60 unshare -n bash -c '
		ip link set lo up || exit 77
		echo 512 >/proc/sys/net/core/optmem_max || exit 77
		exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' - \
		"$LG" --mode zerocopy --size 4k --messages 2000 --verify --json >out ||
		{ [ $? -eq 77 ] && skip "optmem_max cannot be set in a network namespace here"; }
	holds ".sender.tx_messages == 2000 and .receiver.rx_messages == 2000" out
	holds ".sender.zerocopy | .completed == .sends and .enobufs > 0" out
}

# bats test_tags=address,thread
@test "partial sends carry on at the right byte, in every mode" {
	local mode sum=0

	for mode in twocopy onecopy zerocopy; do
		rm -f ./*.in
		RECV_ARGS="--rcvbuf 4k" session --mode "$mode" --size 1m --fields 7 --duration 60s \
			--threads 2 --sndbuf 64k --verify
		go
		sleep 0.1
		# A receiver that stands still longer than a send call waits.
		kill -STOP "$pid_recv"
		sleep 0.4
		kill -CONT "$pid_recv"
		sleep 0.1
		tell send stop
		event send 'done'
		event recv 'done'
		holds ".partial_sends + .eagain > 0 and .zerocopy.completed == .zerocopy.sends" send.done
		holds ".rx_messages > 0 and .verify_errors == 0" recv.done
		[ "$(jq .tx_bytes send.done)" = "$(jq .rx_bytes recv.done)" ]
		sum=$((sum + $(jq .partial_sends send.done)))
		ended send 0
		ended recv 0
	done
	[ "$sum" -gt 0 ]
}

# bats test_tags=address,thread
@test "IPv6, and the effective values" {
	start recv recv --listen '[::1]:0' --rcvbuf 32k
	event recv listening
	start send send --connect "[::1]:$(jq .port recv.listening)" --mode zerocopy --size 64k \
		--messages 50 --verify --sndbuf 32k --nodelay
	event send ready
	event recv ready
	holds '.config.mode == "zerocopy" and .config.nodelay and .config.sndbuf == 65536' send.ready
	holds '.config.address == "::1" and .config.uid != 0' send.ready
	holds '.config.rcvbuf == 65536 and .config.verify' recv.ready
	go
	event send 'done'
	event recv 'done'
	holds ".tx_messages == 50 and .zerocopy.completed == .zerocopy.sends" send.done
	holds ".rx_messages == 50 and .verify_errors == 0" recv.done
	ended send 0
	ended recv 0
}

established() { # PORT
	ss -Htn state established "sport = :$1" | wc -l
}

# bats test_tags=thread
@test "control: sockets are held in ESTABLISHED after done until close, or the end of stdin" {
	local how

	need_tool ss
	for how in close eof; do
		session --mode zerocopy --size 16k --threads 3 --messages 20
		go
		event send 'done'
		event recv 'done'
		sleep 1.5
		[ "$(established "$port")" -eq 4 ] # and the control connection
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
@test "control: cookies, statistics while running, stop" {
	session --mode onecopy --size 16k --threads 3 --duration 60s --warmup 50ms
	holds '.connections | map(.index) == [0, 1, 2]' send.ready
	holds '.connections | map(.cookie) | unique | length == 3' recv.ready
	go
	sleep 0.2
	tell send stats
	tell recv stats
	event send stats
	event recv stats
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

@test "control: a stop takes effect at once though all threads are blocked" {
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
@test "control: a stop before the measured phase leaves zero totals" {
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
@test "control: what is no command, or not expected, ends it with a reason" {
	session --size 64k --messages 5
	tell send jump
	event send error
	holds '.message | contains("jump")' send.error
	ended send 1
	event recv error
	ended recv 1
}

# bats test_tags=address,thread
@test "control: the end of stdin is the end of the process" {
	session --size 64k --duration 60s
	go
	exec {in_send}>&-
	in_send=
	ended send 1
	event recv error
	ended recv 1
}

# bats test_tags=thread
@test "control: a process dies with its parent" {
	mkfifo hold
	bash -c "'$LG' recv --listen 127.0.0.1:0 --control <>hold >recv.out & echo \$! >pid; wait" &
	PIDS="${PIDS:-} $!"
	eventually test -s recv.out
	PIDS="$PIDS $(cat pid)"
	kill -9 $!
	gone() { ! kill -0 "$(cat pid)" 2>/dev/null || grep -q '^State:.Z' "/proc/$(cat pid)/status"; }
	eventually gone
}

# bats test_tags=address,thread
@test "a peer that is killed in mid-run is reported by the other" {
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

# bats test_tags=address,thread
@test "strangers do not disturb a session" {
	local port i fds=()

	start recv recv --listen 127.0.0.1:0
	event recv listening
	port=$(jq .port recv.listening)
	# More of them than the receiver has room for: silent, garbage, half a hello, wrong token.
	for ((i = 0; i < 80; i++)); do
		exec {fd}<>"/dev/tcp/127.0.0.1/$port"
		fds+=("$fd")
	done
	head -c 300 /dev/urandom >&"${fds[0]}" || true
	echo -ne "$(hello 1 0 | head -c 60)" >&"${fds[70]}"
	echo -ne "$(hello 2 0)" >&"${fds[71]}"
	start send send --connect "127.0.0.1:$port" --size 4k --messages 50 --threads 4 --verify
	event send ready
	go
	event send 'done'
	event recv 'done'
	holds ".rx_messages == 50 and .verify_errors == 0" recv.done
	ended send 0
	ended recv 0
}

# bats test_tags=address,thread
@test "a second sender is turned away, the first goes on" {
	session --size 64k --duration 60s
	go
	run -1 --separate-stderr user "$LG" send --connect "127.0.0.1:$port" --messages 1
	[ "${#stderr_lines[@]}" -eq 1 ]
	tell send stop
	event send 'done'
	ended send 0
	ended recv 0
}

# bats test_tags=address,thread
@test "nobody listening is one sentence and exit 1" {
	run -1 --separate-stderr user "$LG" send --connect 127.0.0.1:1 --messages 1
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

# bats test_tags=address,thread
@test "an address in use is one sentence and exit 1" {
	start recv recv --listen 127.0.0.1:0
	event recv listening
	run -1 --separate-stderr user "$LG" recv --listen "127.0.0.1:$(jq .port recv.listening)"
	[ "${#stderr_lines[@]}" -eq 1 ]
}

# A sender made by hand: $1 VERIFY, $2 bytes of one message, $3 what it says it sent.
by_hand() {
	start recv recv --listen 127.0.0.1:0
	event recv listening
	port=$(jq .port recv.listening)
	exec {ctl}<>"/dev/tcp/127.0.0.1/$port"
	echo -ne "$(hello 1 "$1")" >&"$ctl"
	head -c 32 <&"$ctl" >welcome
	exec {data}<>"/dev/tcp/127.0.0.1/$port"
	echo -ne "$(hello 2 "$1")" >&"$data"
	head -c 32 <&"$ctl" >ready
	echo -ne "$(frame 3 1 1 0 0)" >&"$ctl"
	head -c 32 <&"$ctl" >ok
	echo -ne "$2" >&"$data"
	echo -ne "$(frame 5 0 1 "$3" "$(($3 * 64))")" >&"$ctl"
}

# bats test_tags=address,thread
@test "verify finds a wrong byte, and fails the run" {
	by_hand 1 "$(bytes 64 0)" 1
	event recv 'done'
	holds ".rx_messages == 1 and .verify_errors == 1 and .bad_stamps + .foreign_stamps == 1" recv.done
	exec {ctl}>&- {data}>&-
	ended recv 1
}

# bats test_tags=address,thread
@test "without verify content is not looked at" {
	by_hand 0 "$(bytes 64 0)" 1
	event recv 'done'
	holds ".rx_messages == 1 and .verify_errors == 0" recv.done
	exec {ctl}>&- {data}>&-
	ended recv 0
}

# bats test_tags=address,thread
@test "more bytes than the sender says, or the end before them, is an error" {
	by_hand 0 "$(bytes 64 0)$(bytes 64 0)" 1
	event recv error
	ended recv 1
	rm -f ./*.in ./*.out
	by_hand 0 "$(bytes 64 0)" 2
	exec {data}>&-
	event recv error
	ended recv 1
}

# bats test_tags=address,thread
@test "SIGINT ends the phase and the report says so" {
	EXEC="exec" user "$LG" --size 64k --duration 60s --threads 2 --json >out &
	PIDS=$!
	sleep 0.5
	kill -INT "$PIDS"
	wait "$PIDS"
	holds ".sender.interrupted and .sender.tx_bytes > 0" out
	holds ".sender.tx_bytes == .receiver.rx_bytes" out
}

# bats test_tags=address,thread
@test "the report for people starts with the effective values" {
	run -0 user "$LG" --mode zerocopy --size 64k --messages 100
	[[ ${lines[1]} == *"64 KiB in 8 fields, zerocopy, 1 thread"* ]]
	[[ $output == *"100 messages"* ]]
	[[ $output == *"zero-copy"* ]]
	[[ $output == *"delivery"* ]]
}

# bats test_tags=address,thread
@test "started by root it becomes nobody" {
	need_root
	"$LG" recv --listen 127.0.0.1:0 2>err &
	PIDS=$!
	eventually grep -q listening err
	run -0 awk '/^Uid:|^Gid:/ { for (i = 2; i <= NF; i++) if ($i == 0) exit 1 }
		/^Groups:/ && NF > 1 { exit 1 } /^CapEff:/ && $2 !~ /^0+$/ { exit 1 }' \
		"/proc/$PIDS/status"
}

@test "a short phase on a machine whose CPUs others want lasts until its first message" {
	local others=() i

	for i in $(seq $((4 * $(nproc)))); do
		bash -c 'while :; do :; done' 3>&- &
		others+=($!)
	done
	for i in $(seq 40); do
		"$LOADGEN" --size 16k --duration 10ms --warmup 10ms --cpus 0 --json >out || break
		jq -e '.sender.tx_messages >= 1 and .receiver.rx_messages == .sender.tx_messages' out || break
	done
	kill "${others[@]}"
	[ "$i" -eq 40 ]
	jq -e '.sender.tx_messages >= 1' out
}
