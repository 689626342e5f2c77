#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Samples against exact times, in a guest whose clock counts instructions (scripts/vm/run -i): where time is what this
# machine leaves a guest, two rounds differ by more than what is asked.

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
}

@test "parts of a send call: samples see the shares that exact times by trampoline do" {
	need_tool python3
	[ -x "$NETIOTRACE_BIN/tests/e2e/classify_stacks" ] || skip "the test programs are not built: make test-programs"
	"$NETIOTRACE" -q --mode all --size 64k --backend trampoline --duration 2s --rounds 4 --json doc.json
	python3 "$REPO/tests/vm/part_shares.py" "$NETIOTRACE_BIN/tests/e2e/classify_stacks" doc.json
}
