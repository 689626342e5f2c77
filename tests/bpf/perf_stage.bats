#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bpf/perf_stage.bpf.h passes the verifier, and what it samples can be believed.

load ../lib

setup() {
	need_root
	need_tool clang gcc pkg-config
	[ -n "$BPFTOOL" ] || skip "bpftool is not installed"
	[ -e "$REPO/${O:-build}/unit.a" ] || skip "the unit tests are not built"
	cd "$BATS_TEST_TMPDIR" || return
}

@test "counters between two programs: sampled 1 in N, within bounds, off at 0" {
	arch=$(uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
	clang -g -O2 -target bpf -mcpu=v3 "-D__TARGET_ARCH_$arch" -Wall -I"$REPO" \
		-c "$REPO/tests/bpf/perf_stage.bpf.c" -o object.o
	"$BPFTOOL" gen skeleton object.o name perf_stage_object >perf_stage_object.skel.h
	# shellcheck disable=SC2046 # words of their own
	gcc -D_GNU_SOURCE -I. -I"$REPO" -I"$REPO/user" -o run "$REPO/tests/bpf/perf_stage_run.c" \
		"$REPO/${O:-build}/unit.a" $(pkg-config --libs libbpf libcap-ng) -lm
	for every in 1 61 0; do
		./run "$every" >"out.$every"
		echo "1 in $every: windows, samples, discarded, ns: $(cat "out.$every")"
	done
	read -r windows samples discarded ns <out.1
	[ "$windows" -ge 2000 ]
	[ $((samples + discarded)) -le "$windows" ]
	[ "$samples" -ge 1000 ]
	# From the queue of the device to its reception, on one CPU: between 50 ns and 100 us.
	[ $((ns / samples)) -ge 50 ]
	[ $((ns / samples)) -le 100000 ]
	read -r windows samples discarded ns <out.61
	[ "$samples" -ge 10 ]
	[ $((samples + discarded)) -le $((windows / 61 + 2 * $(nproc --all))) ]
	[ "$(cat out.0)" = '0 0 0 0' ]
}
