#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bpf/perf_stage.bpf.h passes the verifier, and its samples are plausible.

# bats file_tags=alone

load ../lib

setup() {
	need_root
	run=$BUILD_DIR/tests/bpf/perf_stage_run
	[ -x "$run" ] || skip "the test programs are not built: make test-programs"
	cd "$BATS_TEST_TMPDIR" || return
}

@test "counters between two programs: one in N is sampled, values are within bounds, EVERY 0 samples none" {
	for every in 1 61 0; do
		"$run" "$every" >"out.$every"
		echo "1 in $every: windows, samples, discarded, ns, ns: $(cat "out.$every")"
	done
	read -r windows samples discarded ns _ <out.1
	[ "$windows" -ge 2000 ]
	[ $((samples + discarded)) -le "$windows" ]
	[ "$samples" -ge 1000 ]
	# From the device queue to this CPU's backlog: between 50 ns and 100 us.
	[ $((ns / samples)) -ge 50 ]
	[ $((ns / samples)) -le 100000 ]
	read -r windows samples discarded ns _ <out.61
	[ "$samples" -ge 10 ]
	[ $((samples + discarded)) -le $((windows / 61 + 2 * $(nproc --all))) ]
	[ "$(cat out.0)" = '0 0 0 0 0' ]
}

@test "counters between two programs: a refused event leaves the other one disabled" {
	[ "$("$run" refused)" = 0 ]
}

@test "CAP_PERFMON alone is permission for perf events; perf_event_paranoid is not blamed" {
	[ "$("$run" perfmon)" = 1 ]
}
