#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Bytes counted by the BPF programs for sockets used in uncommon ways, on the running kernel. The
# expected bytes are those that the scenario sends and receives (tests/bpf/watched_run.c). And
# shared counters on two CPUs.

# bats file_tags=alone

load ../lib

setup_file() {
	[ "$(id -u)" -ne 0 ] || make -s -C "$REPO" "${O:-build}/watched-run"
}

setup() {
	need_root
	need_tool gcc pkg-config
	cd "$BATS_TEST_TMPDIR" || return
}

# watch SCENARIO LINE...: the output has exactly these lines, in any order.
watch() {
	local scenario=$1 status=0

	shift
	"$REPO/${O:-build}/watched-run" tracepoint "$scenario" >out || status=$?
	echo "$scenario: $(paste -sd ' ' out)"
	[ "$status" -ne 77 ] || skip "$(head -n 1 out)"
	[ "$status" -eq 0 ]
	diff <(sort out) <(printf '%s\n' "$@" | sort)
}

@test "a plain connection is counted exactly" {
	watch plain 'tx_copy 10000' 'rx_copy 10000'
}

@test "an abortive close by either side adds no byte" {
	watch abort 'tx_copy 1000'
	watch unread 'tx_copy 1000'
}

@test "a stray segment to a TIME_WAIT socket adds no byte" {
	watch stray 'tx_copy 1000' 'rx_copy 1000'
}

@test "packets of raw sockets add no byte to a connection" {
	watch raw 'tx_copy 1000' 'rx_copy 1000'
}

@test "MSG_PEEK bytes and bytes taken without a copy are counted under their kinds" {
	watch peek 'tx_copy 3000' 'rx_copy 6000' 'rx_peeked 3000'
	watch truncate 'tx_copy 3000' 'rx_copy 1000' 'rx_discard 2000'
	watch splice 'tx_copy 3000' 'rx_copy 1000' 'rx_splice 2000'
}

@test "pages mapped by TCP_ZEROCOPY_RECEIVE are not counted as copied" {
	watch map 'mapped 65536' 'tx_copy 66136' 'rx_copy 600' 'rx_map 65536'
}

@test "kTLS bytes are counted as kTLS only" {
	watch ktls 'tx_ktls 3000'
}

@test "requests of io_uring are counted as pinned" {
	watch io_uring 'tx_pin 8000' 'deferred_copy 8000' 'rx_copy 16000' 'rx_peeked 8000'
}

@test "sequence numbers that wrap on a live socket: exact by call and by the socket's numbers" {
	watch wrap 'tx_copy 10000' 'rx_copy 10000' 'queued 10000' 'taken 10000'
}

@test "sockmap bytes are counted as sockmap only" {
	watch sockmap 'tx_sockmap 3000' 'rx_sockmap 3000'
}

@test "a packet returned with its timestamp is not counted as received" {
	watch timestamps 'tx_copy 1000' 'rx_copy 1000'
}

@test "256 sockets with outstanding zero-copy sends: each send completes once" {
	watch many_zerocopy 'tx_pin 5242880' 'deferred_copy 5242880' 'rx_copy 5242880' 'completed 1280'
}

@test "pinning and copying calls on one socket are counted separately" {
	watch mixed_zerocopy 'tx_copy 500' 'tx_pin 20000' 'deferred_copy 20000' 'rx_copy 20500' 'completed 5'
}

@test "ids taken between sampling windows do not turn a copying call into a pinning one" {
	# No program at a send or receive counts the 4000 bytes between the windows.
	watch away_zerocopy 'tx_copy 600' 'tx_pin 4000' 'deferred_copy 8000' 'rx_copy 5100' 'completed 4'
}

# build_object NAME: builds NAME.bpf.c and NAME_run.c of this directory as ./run, for the first test
# that asks.
build_object() {
	local arch built=$BATS_FILE_TMPDIR/$1

	need_tool clang
	[ -n "$BPFTOOL" ] || skip "bpftool is not installed"
	[ "$(nproc)" -ge 2 ] || skip "there is one CPU"
	if [ -e "$built" ]; then
		cp "$built" run
		return
	fi
	arch=$(uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
	clang -g -O2 -target bpf -mcpu=v3 "-D__TARGET_ARCH_$arch" -Wall -I"$REPO" \
		-c "$REPO/tests/bpf/$1.bpf.c" -o object.o
	"$BPFTOOL" gen skeleton object.o name "$1_object" >"$1_object.skel.h"
	# shellcheck disable=SC2046 # words of their own
	gcc -D_GNU_SOURCE -I. -I"$REPO" -I"$REPO/user" -pthread -o run "$REPO/tests/bpf/$1_run.c" \
		$(pkg-config --libs libbpf)
	cp run "$built"
}

@test "two CPUs that create the same map key lose no count and report no loss" {
	build_object insert
	./run >out
	cat out
	grep -qx 'events 40000 of 40000, map_full 0' out
}

@test "events that cannot be paired are counted as losses" {
	build_object shared
	./run losses >out
	cat out
	grep -qx 'unmatched 2' out
}

@test "a copy without room is counted as a loss and evicts no copy in progress" {
	build_object shared
	./run room >out
	cat out
	grep -qx 'evicted 0, map_full 1' out
}

@test "two CPUs that complete sends of one socket lose none" {
	build_object shared
	./run completions >out
	cat out
	grep -qx 'completed_total 120000 of 120000' out
}

@test "a send that completes before its call returns is matched" {
	build_object shared
	./run early >out
	cat out
	grep -qx 'completed_total 3, unmatched 0' out
}

@test "time of other tasks during a send call is not part of the call" {
	build_object shared
	./run switches >out
	cat out
	grep -qx 'preempted as it was, other as it was, inline receive as it was' out
}

@test "softirqs that book into the same counters lose no count" {
	build_object shared
	./run softirqs >out
	cat out
	grep -qx 'lost 0 of events, 0 of bytes, 0 of the histogram; interrupted' out
}
