#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Where the kernel keeps its code, asked of the kernel by a program, held against its own table.

load ../lib

setup() {
	need_root
	run=$BUILD_DIR/tests/bpf/addresses_run
	[ -x "$run" ] || skip "the test programs are not built: make test-programs"
	cd "$BATS_TEST_TMPDIR" || return
}

# Is the kernel of this release or a later one?
kernel_since() { # MAJOR MINOR
	local release

	IFS=.- read -ra release <<<"$(uname -r)"
	((release[0] > $1 || (release[0] == $1 && release[1] >= $2)))
}

@test "a program knows the kernel's addresses as its table of symbols has them" {
	"$run" tcp_sendmsg tcp_recvmsg tcp_sendmsg_locked of_no_kernel a_name_longer_than_there_is_room_for >out
	cat out
	kernel_since 5 16 || {
		[ "$(cat out)" = "refused: Invalid argument" ]
		return
	}
	awk '$3 == "tcp_sendmsg" || $3 == "tcp_recvmsg" || $3 == "tcp_sendmsg_locked" { print $1, $3 }' /proc/kallsyms |
		sort >table
	[ "$(wc -l <table)" -eq 3 ]
	head -n 3 out | sort | diff - table
	tail -n 2 out | diff - <(printf '%016x %s\n' 0 of_no_kernel 0 a_name_longer_than_there_is_room_for)
}

@test "more names than there is room for are refused" {
	"$run" 1 2 3 4 5 6 7 8 9 | grep -x 'refused: Argument list too long'
}
