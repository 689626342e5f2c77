#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# By what samples are taken, and what is said where it is not by cycles.

load ../lib

setup() {
	need_root
	run=$BUILD_DIR/tests/bpf/sampler_run
	[ -x "$run" ] || skip "the test programs are not built: make test-programs"
	cd "$BATS_TEST_TMPDIR" || return
}

# ENOSPC, EBUSY and ENOENT: of an event that is there no more, that another has, that no CPU has.
@test "each start asks for cycles, and says what the kernel answered" {
	"$run" 0 28 16 2 0 >out
	cat out
	diff out - <<'END'
cycles: 
cpu-clock: cycles were refused: No space left on device
cpu-clock: cycles were refused: Device or resource busy
cpu-clock: no PMU here counts cycles
cycles: 
END
}
