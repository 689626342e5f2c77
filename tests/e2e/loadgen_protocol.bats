#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netio-loadgen alone with unrelated clients and with peers that violate the protocol.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016

bats_require_minimum_version 1.5.0
load loadgen

# bytes WIDTH NUMBER: NUMBER in big-endian order, as escapes for printf.
bytes() {
	local hex i

	hex=$(printf "%0$(($1 * 2))x" "$2")
	for ((i = 0; i < ${#hex}; i += 2)); do
		printf '\\x%s' "${hex:i:2}"
	done
}

# hello KIND VERIFY: of a session with one thread, messages of 64 bytes and a token of zeros.
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

# bats test_tags=address,thread
@test "connections of unrelated clients do not disturb a session" {
	local port i fds=()

	start recv recv --listen 127.0.0.1:0
	event recv listening
	port=$(jq .port recv.listening)
	# More clients than pending slots: silent, garbage, half a hello, wrong token.
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
@test "a second sender is refused, the first continues" {
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
@test "connecting to a closed port gives one sentence and exit 1" {
	run -1 --separate-stderr user "$LG" send --connect 127.0.0.1:1 --messages 1
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

# bats test_tags=address,thread
@test "an address in use gives one sentence and exit 1" {
	start recv recv --listen 127.0.0.1:0
	event recv listening
	run -1 --separate-stderr user "$LG" recv --listen "127.0.0.1:$(jq .port recv.listening)"
	[ "${#stderr_lines[@]}" -eq 1 ]
}

# A scripted sender: $1 VERIFY, $2 the bytes of one message, $3 the byte count that it reports.
by_hand() {
	local control data_hello phase total # before the receiver waits: each byte is a process

	control=$(hello 1 "$1")
	data_hello=$(hello 2 "$1")
	phase=$(frame 3 1 1 0 0)
	total=$(frame 5 0 1 "$3" "$(($3 * 64))")
	start recv recv --listen 127.0.0.1:0
	event recv listening
	port=$(jq .port recv.listening)
	exec {ctl}<>"/dev/tcp/127.0.0.1/$port"
	echo -ne "$control" >&"$ctl"
	head -c 32 <&"$ctl" >welcome
	exec {data}<>"/dev/tcp/127.0.0.1/$port"
	echo -ne "$data_hello" >&"$data"
	head -c 32 <&"$ctl" >ready
	echo -ne "$phase" >&"$ctl"
	head -c 32 <&"$ctl" >ok
	echo -ne "$2" >&"$data"
	echo -ne "$total" >&"$ctl"
}

# bats test_tags=address,thread
@test "--verify finds a wrong byte and fails the run" {
	by_hand 1 "$(bytes 64 0)" 1
	event recv 'done'
	holds ".rx_messages == 1 and .verify_errors == 1 and .bad_stamps + .foreign_stamps == 1" recv.done
	exec {ctl}>&- {data}>&-
	ended recv 1
}

# bats test_tags=address,thread
@test "without --verify the content is not checked" {
	by_hand 0 "$(bytes 64 0)" 1
	event recv 'done'
	holds ".rx_messages == 1 and .verify_errors == 0" recv.done
	exec {ctl}>&- {data}>&-
	ended recv 0
}

# bats test_tags=address,thread
@test "more bytes than the sender reports, or an early end, is an error" {
	by_hand 0 "$(bytes 64 0)$(bytes 64 0)" 1
	event recv error
	ended recv 1
	rm -f ./*.in ./*.out
	by_hand 0 "$(bytes 64 0)" 2
	exec {data}>&-
	event recv error
	ended recv 1
}

# This sender's kernel says that it has what it has not.
@test "a receiver without kTLS refuses mode ktls with the remedy, and serves the next sender" {
	need_tool strace
	! user "$LG" send --try --mode ktls >/dev/null 2>&1 || skip "this kernel has kTLS: no receiver refuses it"
	chmod 777 .
	start recv recv --listen 127.0.0.1:0
	event recv listening
	port=$(jq .port recv.listening)
	run -1 --separate-stderr user strace -f -qq -e trace=setsockopt -e inject=setsockopt:retval=0 -o calls \
		"$LG" send --connect "127.0.0.1:$port" --mode ktls --messages 10
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"Mode ktls cannot run on the receiver's machine: "*"modprobe tls"* ]]
	run -3 --separate-stderr strace -f -qq -e trace=setsockopt -e inject=setsockopt:retval=0 -o calls \
		"$NETIOTRACE" --connect "127.0.0.1:$port" --mode ktls --backend none --json out.json
	[[ $stderr == "netiotrace: "*"Mode ktls cannot run on the receiver's machine: "*. && $stderr != *$'\n'* && ! -e out.json ]]
	run -3 --separate-stderr strace -f -qq -e trace=setsockopt -e inject=setsockopt:retval=0 -o calls \
		"$NETIOTRACE" sweep --connect "127.0.0.1:$port" --modes ktls --sizes 1k,4k --rounds 9 --backend none -o cells
	jq -es '(. | length) == 1 and .[0].exit_code == 3' cells/cells/*.failed.json
	user "$LG" send --connect "127.0.0.1:$port" --messages 10 --json >out
	event recv 'done'
	holds ".rx_messages == 10" recv.done
}

# Neither kernel has a key here: the receiver's calls return what they were told to.
@test "mode ktls: records that cannot be decrypted are named as such, once" {
	need_tool strace
	! user "$LG" send --try --mode ktls >/dev/null 2>&1 || skip "this kernel has kTLS: it decrypts every record"
	chmod 777 .
	# The thread that handles frames calls recvfrom() fewer times.
	cat >receiver <<-END
		#!/bin/sh
		exec strace -f -qq -e trace=setsockopt,recvfrom -e inject=setsockopt:retval=0 \
			-e inject=recvfrom:error=EBADMSG:when=100+ -o received $LG "\$@"
	END
	chmod 755 receiver
	LG=./receiver start recv recv --listen 127.0.0.1:0
	event recv listening
	port=$(jq .port recv.listening)
	run -1 user strace -f -qq -e trace=setsockopt -e inject=setsockopt:retval=0 -o sent \
		"$LG" send --connect "127.0.0.1:$port" --mode ktls --duration 10s
	event recv error
	holds '.errno == 74 and (.message | test("TLS records cannot be decrypted"))' recv.error
}

# bats test_tags=address,thread
@test "a receiver with --verify refuses a sender without, with the remedy" {
	start recv recv --listen 127.0.0.1:0 --verify
	event recv listening
	port=$(jq .port recv.listening)
	run -1 --separate-stderr user "$LG" send --connect "127.0.0.1:$port" --messages 10
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"give --verify on both sides"* ]]
	# The refused sender had no session: the next sender gets one, and every byte is checked.
	start send send --connect "127.0.0.1:$port" --messages 10 --verify
	event send ready
	go
	event recv 'done'
	holds ".rx_messages == 10 and .verify_errors == 0" recv.done
	event send 'done'
	ended send 0
	ended recv 0
}
