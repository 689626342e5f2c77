#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The event that samples are taken by, and the reason if it is not cycles.

load ../lib

setup() {
	need_root
	run=$BUILD_DIR/tests/bpf/sampler_run
	[ -x "$run" ] || skip "the test programs are not built: make test-programs"
	cd "$BATS_TEST_TMPDIR" || return
}

# ENOSPC, EBUSY and ENOENT: the event is gone, in use, or not available on any CPU.
@test "each start of the sampler requests cycles and reports the kernel's answer" {
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

@test "the sampler samples the processes also where the kernel refuses the programs that see packets" {
	"$run" packets 16 >out
	cat out
	[ "$(cat out)" = "cpu-clock: cycles were refused: Device or resource busy" ]
}
