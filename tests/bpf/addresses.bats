#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The addresses of kernel symbols that a BPF program reads, compared with the kernel's table.

load ../lib

setup() {
	need_root
	run=$BUILD_DIR/tests/bpf/addresses_run
	[ -x "$run" ] || skip "the test programs are not built: make test-programs"
	cd "$BATS_TEST_TMPDIR" || return
}

# kernel_since MAJOR MINOR: the kernel is this release or a later one.
kernel_since() { # MAJOR MINOR
	local release

	IFS=.- read -ra release <<<"$(uname -r)"
	((release[0] > $1 || (release[0] == $1 && release[1] >= $2)))
}

@test "a program reads the same symbol addresses as /proc/kallsyms has" {
	"$run" tcp_sendmsg tcp_recvmsg tcp_sendmsg_locked of_no_kernel >out
	cat out
	# Kernels of distributions have it before that release.
	if [ "$(cat out)" = "refused: Invalid argument" ]; then
		! kernel_since 5 16
		return
	fi
	awk '$3 == "tcp_sendmsg" || $3 == "tcp_recvmsg" || $3 == "tcp_sendmsg_locked" { print $1, $3 }' /proc/kallsyms |
		sort >table
	[ "$(wc -l <table)" -eq 3 ]
	head -n 3 out | sort | diff - table
	tail -n 1 out | diff - <(printf '%016x %s\n' 0 of_no_kernel)
}

@test "more names than the maximum, and a longer name, are refused" {
	"$run" 1 2 3 4 5 6 7 8 9 | grep -x 'refused: Argument list too long'
	"$run" a_name_that_is_of_32_characters_ | grep -x 'refused: File name too long'
}

@test "a process looks kernel symbols up once, and answers the same a second time" {
	need_tool strace
	strace --seccomp-bpf -f -o trace -e trace=bpf,openat "$run"
	# A refused program is tried several times, and the table read instead.
	if [[ $("$run" tcp_sendmsg) == refused* ]]; then
		[ "$(grep -c /proc/kallsyms trace)" -eq 1 ]
		return
	fi
	[ "$(grep -c 'BPF_PROG_LOAD.*nio_find_addres' trace)" -eq 1 ]
}

@test "a run without samples does not read /proc/kallsyms if the kernel can look symbols up" {
	need_tool strace
	if [[ $("$run" tcp_sendmsg) == refused* ]]; then
		! kernel_since 5 16
		return
	fi
	strace --seccomp-bpf -f -o trace -e trace=openat "$NETIOTRACE" -q --mode onecopy --size 1k --messages 23 --warmup 20ms --no-cpu --no-times
	grep -q /sys/kernel/btf/vmlinux trace
	[ "$(grep -c /proc/kallsyms trace)" -eq 0 ]
}
