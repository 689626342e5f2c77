#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# netio-loadgen alone: it sends what was requested and counts exactly.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016

bats_require_minimum_version 1.5.0
load loadgen

# bats test_tags=address
@test "netio-loadgen --help names every option, --version the version" {
	run -0 "$LG" --help
	for word in connect listen mode size fields threads connections rate duration messages warmup verify cpus \
		cpus-receiver sndbuf rcvbuf nodelay congestion spin rcvlowat receive \
		forever control json; do
		[[ $output == *"--$word"* ]]
	done
	run -0 "$LG" --version
	[[ $output =~ ^netio-loadgen\ [0-9]+\.[0-9]+ ]]
}

# bats test_tags=address,thread
@test "wrong usage gives one sentence on stderr and exit 2" {
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
		--receive none
		--congestion abcdefghijklmnop
		--messages 1 --duration 1s
		--size 64 --cpus 4095
		send --connect nowhere
		recv --listen 127.0.0.1
		--size
	LINES
}

# bats test_tags=address
@test "23 messages are counted as 23 on both sides, in every mode, size and number of fields" {
	local mode size fields

	for mode in twocopy onecopy zerocopy splice uring uringzc; do
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
@test "packed bytes are counted in twocopy mode only" {
	user "$LG" --mode twocopy --size 1000 --messages 129 --json >out
	holds ".sender.gather | .bytes == 129000 and .events == 129 and .sampled == 3 and .ns > 0" out
	user "$LG" --mode onecopy --size 1000 --messages 129 --json >out
	holds ".sender.gather | .bytes == 0 and .events == 0 and .sampled == 0 and .ns == 0" out
}

# bats test_tags=address
@test "--header adds its bytes to each message, in every mode; --verify checks them" {
	local mode header size fields

	for mode in twocopy onecopy zerocopy splice uring uringzc; do
		while read -r header size fields; do
			user "$LG" --mode "$mode" --header "$header" --size "$size" --fields "$fields" --messages 23 \
				--request-response --verify --json >out
			holds ".sender.config.header == $header and .sender.config.size == $size" out
			holds ".sender.tx_messages == 23 and .sender.tx_bytes == 23 * ($header + $size)" out
			holds ".receiver.rx_bytes == .sender.tx_bytes and .sender.replies.bytes == .sender.tx_bytes" out
			holds ".receiver.verify_errors == 0 and .sender.reply_errors == 0" out
			holds ".receiver.tcp.bytes_received == .sender.tx_bytes" out
			holds ".sender.gather.bytes == (if \"$mode\" == \"twocopy\" or \"$mode\" == \"splice\" then .sender.tx_bytes else 0 end)" out
		done <<-CASES
			1 64 64
			15 65 3
			64 65536 8
			65536 100001 64
		CASES
	done
	user "$LG" --header 64 --messages 23 >out
	grep -q 'header of 64 B' out
}

# bats test_tags=address,thread
@test "the totals exclude the warm-up" {
	user "$LG" --size 4k --messages 7 --warmup 100ms --threads 3 --json >out
	holds ".sender.tx_messages == 7 and .receiver.rx_messages == 7" out
	holds ".sender.latency.send_call.count == 7 and .receiver.latency.delivery.count == 7" out
	holds ".receiver.tcp.bytes_received == 7 * 4096" out
}

# bats test_tags=thread
@test "sendfile: strace sees the same bytes leave by sendfile(), and a short count continues" {
	need_tool strace
	chmod 777 .
	user strace -f -qq -e trace=sendfile,sendmsg -o calls "$LG" --mode sendfile --size 100k --messages 203 \
		--connections 2 --sndbuf 16k --json >out
	holds ".sender.tx_bytes == 203 * 102400 and .sender.tx_messages == 203 and .sender.partial_sends > 0" out
	holds ".receiver.rx_bytes == .sender.tx_bytes and .receiver.rx_messages == 203" out
	holds ".receiver | .latency.delivery.count == 0 and .bad_stamps == 0 and .verify_errors == 0" out
	[ "$(sed -nE 's/^[0-9]+ +(<\.\.\. sendfile resumed>|sendfile\().*\) += ([1-9][0-9]*)$/\2/p' calls |
		awk '{ n += $1 } END { print n }')" -eq $((203 * 102400)) ]
	grep -q 'sendfile(' calls
	run ! grep -q 'sendmsg(' calls
}

# bats test_tags=thread
@test "sendfile sends files of --file-dir that have no name, and refuses a missing directory before it connects" {
	need_tool strace
	chmod 777 .
	mkdir -m 777 files
	user strace -f -qq -e trace=openat,memfd_create -o calls "$LG" --mode sendfile --file-dir files --size 100k \
		--messages 20 --connections 2 --json >out
	holds ".sender.tx_bytes == 20 * 102400 and .receiver.rx_bytes == .sender.tx_bytes" out
	grep -q 'openat(AT_FDCWD, "files", O_RDWR|O_EXCL|O_CLOEXEC|O_TMPFILE, 0600) = ' calls
	run ! grep -q 'memfd_create(' calls
	[ -z "$(ls -A files)" ]
	run -1 --separate-stderr user strace -f -qq -e trace=connect -o calls "$LG" --mode sendfile --file-dir missing
	[[ $stderr == *"Mode sendfile cannot run here: no file can be made in the directory of --file-dir (No such file or directory); choose "* ]]
	run ! grep -q 'connect(' calls
	run -2 --separate-stderr "$NETIOTRACE" --mode sendfile --file-dir missing --backend none --json out2.json
	[[ $stderr == *"Mode sendfile cannot run here: "* && ! -e out2.json ]]
}

# bats test_tags=thread
@test "splice: strace sees the same bytes enter the pipes of --pipe-size and leave them by splice()" {
	need_tool strace
	chmod 777 .
	user strace -f -qq -e trace=splice,writev,fcntl,sendmsg -o calls "$LG" --mode splice --size 100k --messages 203 \
		--connections 2 --pipe-size 16k --sndbuf 16k --verify --json >out
	holds ".sender.tx_bytes == 203 * 102400 and .receiver.rx_bytes == .sender.tx_bytes" out
	holds ".sender.gather.bytes == .sender.tx_bytes and .receiver.verify_errors == 0" out
	for call in splice writev; do
		[ "$(sed -nE "s/^[0-9]+ +(<\\.\\.\\. $call resumed>|$call\\().*\\) += ([1-9][0-9]*)\$/\\2/p" calls |
			awk '{ n += $1; if ($1 > 16384) n = -1e9 } END { print n }')" -eq $((203 * 102400)) ]
	done
	[ "$(grep -c 'F_SETPIPE_SZ, 16384) *= 16384' calls)" -eq 2 ]
	run ! grep -q 'sendmsg(' calls
}

@test "uringzc: strace sees requests, and no sendmsg(); each has a notification" {
	need_tool strace
	chmod 777 .
	user strace -f -qq -e trace=io_uring_enter,sendmsg -o calls "$LG" --mode uringzc --size 100k --messages 203 \
		--connections 2 --header 64 --fields 3 --verify --sndbuf 16k --json >out
	holds ".sender.tx_bytes == 203 * 102464 and .receiver.rx_bytes == .sender.tx_bytes" out
	holds ".receiver.verify_errors == 0 and .sender.tx_messages == 203" out
	holds ".sender.zerocopy | .sends == .completed and .copied + .not_copied == .completed" out
	holds ".sender.zerocopy | .sends > 0 or .fallback_bytes > 0" out
	[ "$(grep -c 'io_uring_enter(' calls)" -ge 203 ]
	run ! grep -q 'sendmsg(' calls
}

# no_memory KIB ARGUMENT...: the load generator fails with that RLIMIT_MEMLOCK, which its sentence names.
no_memory() {
	run --separate-stderr limited "$1" "$LG" "${@:2}"
	[[ $status -eq 1 && $stderr == *RLIMIT_MEMLOCK*"ulimit -l"* ]]
}

@test "uringzc --fixed-buffers: strace sees one registration; without memory for it, or for a receiver's ring, a sentence names the limit" {
	local depth

	need_tool strace
	chmod 777 .
	for depth in 1 8; do
		limited 8192 strace -f -qq -e trace=io_uring_register,sendmsg -o calls "$LG" --mode uringzc --fixed-buffers \
			--fields 1 --uring-depth "$depth" --size 100k --messages 43 --verify --sndbuf 16k --json >out
		holds ".sender.tx_bytes == 43 * 102400 and .receiver.rx_bytes == .sender.tx_bytes and .receiver.verify_errors == 0" out
		holds ".sender.zerocopy | .sends == .completed and .sends >= 43 and .fallback_bytes == 0" out
		# The first registration is the trial's.
		sed -n 's/.*IORING_REGISTER_BUFFERS, .*, \([0-9]*\)) = 0$/\1/p' calls >registered
		holds ".sender.config.zerocopy_slots == $(tail -n 1 registered)" out
		run ! grep -q 'sendmsg(' calls
	done
	no_memory 0 --mode uringzc --fixed-buffers --fields 1
	no_memory 64 --mode uringzc --fixed-buffers --fields 1 --size 1m --messages 60
	# Not each kernel counts rings: the trial's is small, a receiver's of 512 connections is not.
	no_memory 16 --receive multishot --connections 512 --messages 600 || [ "$status" -eq 0 ]
}

# A full socket cancels the rest of a chain, which is then sent by another one: TCP_INFO is the witness.
# bats test_tags=thread
@test "--uring-depth: one io_uring_enter() submits 8 messages, and those of a broken chain are sent once" {
	local mode connections size n

	pins_much
	need_tool strace
	chmod 777 .
	for mode in uring uringzc; do
		user strace -f -qq -e trace=io_uring_enter,sendmsg -o calls "$LG" --mode "$mode" --uring-depth 8 --size 100 \
			--messages 803 --verify --json >out
		holds ".sender.tx_messages == 803 and .receiver.rx_messages == 803 and .receiver.verify_errors == 0" out
		holds ".sender.latency.send_call.count == 803 and .sender.config.uring_depth == 8" out
		[ "$(grep -c 'io_uring_enter(' calls)" -lt 300 ]
		run ! grep -q 'sendmsg(' calls
		while read -r connections size n; do
			user "$LG" --mode "$mode" --uring-depth 8 --size "$size" --fields 3 --connections "$connections" \
				--messages "$n" --sndbuf 4k --verify --json >out
			holds ".sender.tx_messages == $n and .sender.tcp.bytes_acked == .sender.tx_bytes" out
			holds ".receiver.rx_messages == $n and .receiver.tcp.bytes_received == .sender.tx_bytes" out
			holds ".receiver.verify_errors == 0 and .receiver.bad_stamps == 0" out
			holds ".sender.zerocopy | .completed == .sends and .copied + .not_copied == .sends" out
			holds "$connections == 1 or .sender.partial_sends + .sender.eagain > 0" out
		done <<-CASES
			1 100 1003
			1 100k 35
			64 16k 1003
			64 100k 1003
		CASES
	done
}

@test "uringzc copies what RLIMIT_MEMLOCK does not allow to be pinned" {
	limited 64 "$LG" --mode uringzc --size 1m --messages 60 --threads 2 --verify --json >out
	limited 64 "$LG" --mode uringzc --size 1m --messages 60 | grep -q 'ENOMEM'
	holds ".sender.tx_messages == 60 and .receiver.rx_messages == 60 and .receiver.verify_errors == 0" out
	holds ".sender.zerocopy | .enobufs > 0 and .fallback_bytes > 0 and .completed == .sends" out
	limited 300 "$LG" --mode uringzc --uring-depth 8 --size 100k --messages 61 --verify --json >out
	holds ".sender.tx_messages == 61 and .sender.tcp.bytes_acked == .sender.tx_bytes and .receiver.verify_errors == 0" out
	holds ".sender.zerocopy | .completed == .sends" out
}

# Records are of one send call and of at most 16 KiB. Where a socket is full, they may be smaller.
# bats test_tags=address,guest
@test "ktls: TCP carries 22 bytes more for each record, and the messages arrive whole; without kTLS it is refused" {
	local size connections more

	if ! user "$LG" send --try --mode ktls >/dev/null 2>refused; then
		grep 'Mode ktls cannot run here: .*; .*modprobe tls' refused
		run -3 --separate-stderr "$NETIOTRACE" --mode ktls --backend none --json out.json
		[[ $stderr == "netiotrace: Mode ktls cannot run here"*. && $stderr != *$'\n'* && ! -e out.json ]]
		skip "$(cat refused)"
	fi
	while read -r size connections more; do
		# shellcheck disable=SC2086
		user "$LG" --mode ktls --size "$size" --connections "$connections" $more --messages 70 --warmup 20ms \
			--verify --json >out
		holds ".sender.tx_messages == 70 and .receiver.rx_messages == 70 and .receiver.verify_errors == 0" out
		holds ".sender.tx_bytes == 70 * (.sender.config | .size + .header) and .receiver.rx_bytes == .sender.tx_bytes" out
		holds "(.sender.config.size / 16384 | ceil) as \$least
			| (.sender.tcp.bytes_acked - .sender.tx_bytes) / 22 | . == floor and . >= 70 * \$least" out
		holds ".receiver.tcp.bytes_received == .sender.tcp.bytes_acked" out
	done <<-CASES
		100 1
		100 64
		64k 1
		64k 64 --header 64 --fields 3
		1m 1
		1m 64 --sndbuf 16k --fields 7
	CASES
	holds ".sender.partial_sends + .sender.eagain > 0" out
}

# forbidden COMMAND: runs it where io_uring_setup() fails, and records who listens.
forbidden() {
	strace -f -qq -e trace=io_uring_setup,listen -e inject=io_uring_setup:error=EPERM -o calls "$@"
}

@test "a mode that the kernel forbids is refused with one sentence before anything starts, by run and sweep too" {
	need_tool strace
	local mode refused first

	chmod 777 .
	for mode in uring uringzc; do
		refused="Mode $mode cannot run here: io_uring is missing or forbidden"
		run -1 --separate-stderr user strace -f -qq -e trace=io_uring_setup,connect \
			-e inject=io_uring_setup:error=EPERM -o calls "$LG" --mode "$mode" --messages 1
		[[ $stderr == *"$refused"*"(Operation not permitted); see kernel.io_uring_disabled"* ]]
		run ! grep -q 'connect(' calls
		run -3 --separate-stderr forbidden "$NETIOTRACE" --mode "$mode" --backend none --json out.json
		[[ $stderr == "netiotrace: $refused"*. && $stderr != *$'\n'* && -z $output ]]
		run -3 --separate-stderr forbidden "$NETIOTRACE" sweep --modes "onecopy,$mode" --backend none -o out
		[[ $stderr == "netiotrace: $refused"*. && $stderr != *$'\n'* ]]
		[[ ! -e out.json && ! -e out ]]
		run ! grep -q 'listen(' calls
	done
	# Memory that is short for a moment is waited for.
	user strace -f -qq -e trace=io_uring_setup -e inject=io_uring_setup:error=ENOMEM:when=1..3 -o calls \
		"$LG" --mode uringzc --messages 5 --json >out
	holds ".receiver.rx_messages == 5" out
	run -1 --separate-stderr user strace -f -qq -e trace=io_uring_setup -e inject=io_uring_setup:error=ENOMEM -o calls \
		"$LG" send --try --mode uringzc
	[[ $stderr == *"Mode uringzc cannot run here: "*"RLIMIT_MEMLOCK"* ]]
	# A signal ends that wait, of the trial and of a connection. strace counts the calls of each thread.
	for first in 1 2; do
		run -1 --separate-stderr user strace -f -qq -e trace=io_uring_setup \
			-e "inject=io_uring_setup:error=ENOMEM:signal=SIGTERM:when=$first+" -o calls \
			"$LG" --mode uring --connections 2 --messages 5
		[[ $stderr == *"Stopped before anything was measured"* ]]
	done
	# Files that are short for a moment are no property of the kernel.
	run -1 --separate-stderr strace -f -qq -e trace=io_uring_setup -e inject=io_uring_setup:error=EMFILE -o calls \
		"$NETIOTRACE" --mode uring --backend none
	[[ $stderr == *"Mode uring cannot run here: "*"ulimit -n"* ]]
	# A seccomp filter ends the process by SIGSYS. Another signal has another cause.
	run -3 --separate-stderr strace -f -qq -e trace=io_uring_setup -e inject=io_uring_setup:signal=SIGSYS -o calls \
		"$NETIOTRACE" --mode uring --backend none
	[[ $stderr == *"seccomp"* ]]
	run -1 --separate-stderr strace -f -qq -e trace=io_uring_setup -e inject=io_uring_setup:signal=SIGKILL -o calls \
		"$NETIOTRACE" --mode uring --backend none
	[[ $stderr == *"signal 9"* && $stderr != *"seccomp"* ]]
}

is_listening() {
	grep -q 'listening on' listening
}

@test "a way to receive that the receiver's machine forbids is refused there, before a byte is sent" {
	need_tool strace
	local refused="--receive uring cannot work"

	chmod 777 .
	run -3 --separate-stderr forbidden "$NETIOTRACE" --receive uring --backend none --json out.json
	[[ $stderr == "netiotrace: $refused here: io_uring is missing or forbidden"*. && $stderr != *$'\n'* ]]
	[ ! -e out.json ]
	run ! grep -q 'listen(' calls
	# This kernel has io_uring, but no ring of provided buffers.
	run -3 --separate-stderr strace -f -qq -e trace=io_uring_register -e inject=io_uring_register:error=EINVAL -o calls \
		"$NETIOTRACE" --receive multishot --backend none --json out.json
	[[ $stderr == "netiotrace: --receive multishot cannot work here: "*" lacks multishot RECV"*. && ! -e out.json ]]
	run -1 --separate-stderr forbidden "$LG" --receive uring --messages 1
	[[ $stderr == *"$refused here"* && $stderr != *$'\n'* ]]
	# The sender of this machine has io_uring; its receiver has not, and stays for the next sender.
	forbidden "$LG" recv --listen 127.0.0.1:0 2>listening >received &
	PIDS=$!
	eventually is_listening
	run -1 --separate-stderr user "$LG" send --connect "$(sed 's/.* //' listening)" --receive uring --messages 1
	[[ $stderr == *"$refused on the receiver's machine: "*"(Operation not permitted)"* && $stderr != *$'\n'* ]]
	run -3 --separate-stderr "$NETIOTRACE" --connect "$(sed 's/.* //' listening)" --receive uring --backend none --json out.json
	[[ $stderr == *"$refused on the receiver's machine: "* && $stderr != *$'\n'* ]]
	[ ! -e out.json ]
	user "$LG" send --connect "$(sed 's/.* //' listening)" --receive trunc --size 64k --messages 23 --json >out
	holds ".sender.confirmed.rx_messages == 23 and .sender.config.receive == \"trunc\"" out
	wait "$PIDS"
	grep -q 'uncopied   1.51 MB taken without a copy (trunc)' received
}

# bats test_tags=address,thread
@test "a mode that sends a file refuses what needs its own bytes" {
	local option

	for option in --verify --request-response "--header 8" "--fields 2"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$LG" --mode sendfile $option
		[[ $stderr == *"leave"* ]]
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$NETIOTRACE" --mode sendfile $option
		[[ $stderr == *"leave"* ]]
	done
	# So does a way to receive that shows no byte.
	for option in --verify --request-response; do
		run -2 --separate-stderr "$LG" --receive trunc "$option"
		[[ $stderr == *"leave"* ]]
		run -2 --separate-stderr "$NETIOTRACE" sweep --receive splice "$option" -o out
		[[ $stderr == *"leave"* && ! -e out ]]
	done
}

# multishot WAY CONNECTIONS: strace counts fewer requests than completions, but more than connections: a request ends when all
# buffers are full.
multishot() {
	# LeakSanitizer refuses to work under strace.
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 user strace -f -qq -e trace=io_uring_enter,recvfrom -o calls \
		"$LG" --receive "$1" --size 200k --messages 640 --connections "$2" --verify --json >out
	holds ".receiver | .rx_bytes == 640 * 204800 and .rx_messages == 640 and .verify_errors == 0" out
	holds ".receiver | .tcp.bytes_received == .rx_bytes and .uncopied_bytes == 0" out
	holds ".receiver | .recv_calls == .latency.recv_call.count" out
	# A completion has at most one buffer of 64 KiB; one of a bundle has several of 4 KiB.
	holds ".receiver | (.rx_bytes / .recv_calls) | if \"$1\" == \"bundle\" then . > 4096 else . <= 65536 end" out
	[ "$(grep -c 'io_uring_enter(' calls)" -gt "$2" ]
	[ "$1" = bundle ] || [ "$(grep -c 'io_uring_enter(' calls)" -lt "$(jq .receiver.recv_calls out)" ]
	user "$LG" --receive "$1" --size 10k --messages 640 --connections "$2" --threads 1 --spin 20us --request-response \
		--verify --json >out
	holds ".sender | .replies.bytes == 6553600 and .reply_errors == 0" out
}

# bats test_tags=address
@test "multishot, bundle: few requests bring every byte, on 1 and on 64 connections; replies follow" {
	local way connections tried=0

	need_tool strace
	chmod 777 .
	for way in multishot bundle; do
		if ! user "$LG" --receive "$way" --messages 1 >/dev/null 2>refused; then
			grep -- "--receive $way cannot work here" refused
			echo "# --receive $way is not tested: $(cat refused)" >&3
			continue
		fi
		tried=$((tried + 1))
		for connections in 1 64; do
			multishot "$way" "$connections"
		done
	done
	((tried)) || skip "$(cat refused)"
	RECV_ARGS="--rcvlowat 100k" session --receive multishot --size 64k --messages 23
	go
	event recv 'done'
	holds ".rx_messages == 23" recv.done
}

# strace counts the same calls and measures a part of each timed call. 262144 is the size of the
# receiver's buffer. The first call of a thread may begin before the phase.
@test "recv_call times each recv() that returns bytes, as strace counts them" {
	local connections

	need_tool strace
	chmod 777 .
	for connections in 1 4; do
		user strace -f -qq -T -e trace=recvfrom -o calls "$LG" --size 100k --messages 203 --warmup 0s \
			--connections "$connections" --json >out
		sed -nE 's/^([0-9]+) .*, 262144, .*\) = ([1-9][0-9]*) <([0-9]+)\.([0-9]{6})>$/\1 \2 \3\4/p' calls >took
		awk '{ calls++; bytes += $2; if (seen[$1]++) us += $3 }
			END { printf "{\"calls\": %d, \"bytes\": %d, \"us\": %d}", calls, bytes, us }' took >witness.json
		jq -s '.[0].receiver + {witness: .[1]}' out witness.json >both
		holds ".rx_bytes == 203 * 102400 and .witness.bytes == .rx_bytes" both
		holds ".latency.recv_call | .count > 0 and .max >= .min and .min > 0" both
		holds ".witness.calls == .recv_calls and .latency.recv_call.count == .recv_calls" both
		holds ".latency.recv_call.sum >= 1000 * .witness.us and .witness.us > 0" both
		holds ".latency.recv_call.max <= .elapsed_ns" both
	done
}

@test "--duration is kept and both sides have equal totals" {
	local began

	began=$(now_ms)
	user "$LG" --size 64k --duration 400ms --threads 2 --json >out
	# At least the duration; at most the time of the whole command, which depends on the
	# machine's load.
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
	# Each thread with several connections has an epoll instance and a timer.
	user "$LG" --size 64 --threads 256 --connections 512 --messages 600 --json >out
	holds ".sender.tx_messages == 600 and .receiver.rx_messages == 600" out
}

# bats test_tags=address
@test "up to 4096 connections on fewer threads: exact counts in every mode" {
	local mode

	pins_much
	for mode in twocopy onecopy zerocopy splice uring uringzc; do
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

# received: bytes that the receiver's sockets have received.
received() {
	ss -Htni "sport = :$port" | awk -F 'bytes_received:' '{ sum += $2 } END { print sum + 0 }'
}

has_received() { # BYTES
	[ "$(received)" -ge "$1" ]
}

# bats test_tags=alone
@test "--rate sends every due message; the delivery time of a delayed message includes its wait" {
	local before stopped waited

	need_tool ss
	user "$LG" --rate 2000/s --size 64 --connections 3 --duration 1s --nodelay --json >out
	holds ".sender.tx_messages == 2000 and .sender.latency.missed.count == 0" out
	holds ".receiver.bad_stamps == 0 and .receiver.rx_messages == .sender.tx_messages" out
	# The receiver stops for half a second: messages due meanwhile have waited.
	rm -f ./*.in
	RECV_ARGS="--rcvbuf 4k" session --rate 1000/s --size 64k --duration 60s --sndbuf 64k
	tell send start
	event send quiesced
	before=$(received)
	tell send measure
	# On a busy machine the sender begins late, and the receiver takes a while for 30 messages.
	eventually has_received $((before + 2 * 65536))
	kill -STOP "$pid_recv"
	sleep 0.5
	before=$(received)
	kill -CONT "$pid_recv"
	eventually has_received $((before + 30 * 65536))
	tell send stop
	event recv 'done'
	holds ".latency.delivery.max > 400000000" recv.done
	# More than 20 messages waited, not only the one in flight.
	holds "[.latency.delivery.buckets[] | select(.[0] >= 780) | .[1]] | add > 20" recv.done
	# The sender is stopped from some moment on until after the end: what was due meanwhile is sent,
	# and counts with its wait.
	rm -f ./*.in
	session --rate 1000/s --size 64 --duration 3s --nodelay
	tell send start
	event send quiesced
	before=$(received)
	tell send measure
	eventually has_received $((before + 500 * 64))
	kill -STOP "$pid_send"
	stopped=$(date +%s%N)
	sleep 3.3
	waited=$(($(date +%s%N) - stopped))
	kill -CONT "$pid_send"
	event recv 'done'
	holds ".rx_messages == 3000 and .latency.delivery.count == 3000" recv.done
	holds ".latency.delivery.max > $waited - 100000000" recv.done
	# 1 message of 100 and more waited for nearly as long: those that were due within 30 ms.
	holds "[.latency.delivery.buckets[] | select(.[0] >= 855) | .[1]] | add > 30" recv.done
	event send 'done'
	holds ".tx_messages == 3000 and .latency.missed.count == 0" send.done
}

# bats test_tags=address,thread
@test "--rate above what can be sent: each due message is sent or missed" {
	user "$LG" --rate 10000000/s --size 64k --connections 3 --threads 2 --duration 100ms --json >out
	holds ".sender.tx_messages == .receiver.rx_messages and .sender.latency.missed.count > 0" out
	holds ".sender.tx_messages + .sender.latency.missed.count | . >= 1000000 and . <= 1000001" out
	# Sending went on for a second after the last message was due.
	holds ".sender.latency.missed.min >= 1000000000" out
}

@test "--rate: a sender with full sockets sleeps, also after the end of the phase" {
	local before

	need_tool strace
	RECV_ARGS="--rcvbuf 4k" session --rate 1000/s --size 64k --duration 1s --sndbuf 64k
	tell send start
	event send quiesced
	before=$(received)
	tell send measure
	eventually has_received $((before + 2 * 65536))
	kill -STOP "$pid_recv"
	strace -f -qq -e trace=epoll_wait,epoll_pwait -o calls -p "$pid_send" &
	PIDS+=" $!"
	within 20 grep -q '^TracerPid:.[1-9]' "/proc/$pid_send/status"
	# Longer than the rest of the phase and the second after it.
	sleep 2.5
	kill -CONT "$pid_recv"
	event send 'done'
	holds ".tx_messages + .latency.missed.count == 1000 and .latency.missed.count > 0" send.done
	# A call with a timeout of 0 does not wait. Without a wait they were ten thousands.
	[[ -s calls && $(grep -c ', 64, 0)' calls) -lt 1000 ]]
}

# bats test_tags=address,thread
@test "--spin and --rcvlowat deliver every message" {
	user "$LG" --size 16k --messages 3001 --warmup 20ms --spin 50us --verify --json >out
	holds ".receiver.rx_messages == 3001 and .receiver.verify_errors == 0" out
	user "$LG" --size 1000 --messages 3001 --warmup 20ms --rcvlowat 64k --threads 2 --verify --json >out
	holds ".receiver.rx_messages == 3001 and .receiver.verify_errors == 0" out
}

# bats test_tags=address,thread
@test "timestamps of a sender in another time namespace are counted as foreign" {
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
@test "zero-copy: every send completes, and loopback copies its bytes" {
	user "$LG" --mode zerocopy --size 64k --duration 300ms --verify --json >out
	holds ".sender.zerocopy | .sends > 0 and .completed == .sends" out
	holds ".sender.zerocopy | .copied + .not_copied == .completed and .copied > 0" out
	holds ".sender.zerocopy.completed == .sender.latency.completion.count" out
}

@test "zero-copy falls back to copying when RLIMIT_MEMLOCK is exhausted" {
	limited 64 "$LG" --mode zerocopy --size 1m --messages 60 \
		--threads 2 --verify --json >out
	holds ".sender.tx_messages == 60 and .receiver.rx_messages == 60" out
	holds ".sender.zerocopy.enobufs > 0" out
	holds ".sender.zerocopy | .completed == .sends" out
	holds ".receiver.verify_errors == 0" out
}

@test "zero-copy falls back to copying when optmem_max is small" {
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

# bats test_tags=thread
@test "partial sends continue at the right byte, in every mode" {
	local mode sum=0

	pins_much
	need_tool ss
	for mode in twocopy onecopy zerocopy splice uring uringzc; do
		rm -f ./*.in
		RECV_ARGS="--rcvbuf 4k" session --mode "$mode" --size 1m --fields 7 --duration 60s \
			--threads 2 --sndbuf 64k --verify
		go
		eventually has_sent "$pid_send"
		# The receiver stops for longer than a send call waits.
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
@test "IPv6 works, and ready reports the effective settings" {
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

# bats test_tags=address,thread
@test "SIGINT ends the phase and the report says so" {
	need_tool ss
	EXEC="exec" user "$LG" --size 64k --duration 60s --threads 2 --json >out &
	PIDS=$!
	eventually has_sent "$PIDS"
	kill -INT "$PIDS"
	wait "$PIDS"
	holds ".sender.interrupted and .sender.tx_bytes > 0" out
	holds ".sender.tx_bytes == .receiver.rx_bytes" out
}

# bats test_tags=address,thread
@test "the text report starts with the effective settings" {
	run -0 user "$LG" --mode zerocopy --size 64k --messages 100
	[[ ${lines[1]} == *"64 KiB in 8 fields, zerocopy, 1 thread"* ]]
	[[ $output == *"100 messages"* ]]
	[[ $output == *"zero-copy"* ]]
	[[ $output == *"delivery"* ]]
}

# bats test_tags=address,thread
@test "netio-loadgen started by root becomes nobody" {
	need_root
	"$LG" recv --listen 127.0.0.1:0 2>err &
	PIDS=$!
	eventually grep -q listening err
	run -0 awk '/^Uid:|^Gid:/ { for (i = 2; i <= NF; i++) if ($i == 0) exit 1 }
		/^Groups:/ && NF > 1 { exit 1 } /^CapEff:/ && $2 !~ /^0+$/ { exit 1 }' \
		"/proc/$PIDS/status"
}

# bats test_tags=alone
@test "a short phase on a machine with busy CPUs lasts until its first message" {
	local others=() i

	for i in $(seq $((4 * $(nproc)))); do
		bash -c 'while :; do :; done' 3>&- &
		others+=($!)
	done
	# Without the wait for a message, 5 of 20 phases had none.
	for i in $(seq 20); do
		"$LOADGEN" --size 16k --duration 2ms --warmup 2ms --cpus 0 --json >out || break
		jq -e '.sender.tx_messages >= 1 and .receiver.rx_messages == .sender.tx_messages' out || break
	done
	kill "${others[@]}"
	[ "$i" -eq 20 ]
	jq -e '.sender.tx_messages >= 1' out
}
