#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Every header of bpf/ compiles alone, so their order does not matter. Headers that both user space
# and BPF include check their sizes on both sides.

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

compile_for_bpf() {
	local arch

	arch=$(uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
	clang -g -O2 -target bpf -mcpu=v3 "-D__TARGET_ARCH_$arch" -Wall -Wextra -Werror -Wno-unused-parameter \
		-Wno-missing-declarations -Wno-unused-function -I"$REPO" -x c -c - -o /dev/null
}

# compiles_alone HEADER: prints the errors and fails if HEADER does not compile.
compiles_alone() {
	local name=${1##*/}

	if [[ $name == *.bpf.h ]]; then
		compile_for_bpf <<<"#include \"bpf/$name\""
	else
		compile_for_bpf <<<"$(printf '#include "vmlinux.h"\n#include "bpf/%s"' "$name")" &&
			gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$REPO" -x c -c - -o /dev/null \
				<<<"#include \"bpf/$name\""
	fi || {
		echo "$name does not compile alone"
		return 1
	}
}

@test "each header of bpf/ compiles alone" {
	need_tool clang gcc
	export -f compiles_alone compile_for_bpf
	# shellcheck disable=SC2016 # for the shell that is started
	printf '%s\0' "$REPO"/bpf/*.h | xargs -0 -n 1 -P "$(nproc)" bash -c 'compiles_alone "$1"' -
}

@test "the only atomic instructions are additions, which Linux 5.10 has" {
	# llvm-objdump comes with clang; no other test needs it.
	need_tool llvm-objdump
	llvm-objdump -d "$REPO/${O:-build}/bpf/meter.bpf.o" |
		grep -E '^ +[0-9]+:[[:space:]](db|c3) ' >atomics
	[ -s atomics ]
	if grep -vE '^ +[0-9]+:[[:space:]]..( ..){3} 00 00 00 00' atomics; then
		return 1
	fi
}

@test "the size assertions of shared headers are compiled for user space and BPF" {
	need_tool clang gcc
	sed 's/sizeof(struct nio_conn) == 48/sizeof(struct nio_conn) == 47/' "$REPO/bpf/netiotrace.h" \
		>"$BATS_TEST_TMPDIR/contract.h"
	cp "$REPO"/bpf/{account,hist_layout}.h "$BATS_TEST_TMPDIR"
	if compile_for_bpf <<<"$(printf '#include "vmlinux.h"\n#include "%s/contract.h"' "$PWD")" 2>err; then
		echo "the BPF side does not compile the asserts"
		return 1
	fi
	grep -q 'nio_conn layout' err
	if gcc -x c -c - -o /dev/null <<<"#include \"$PWD/contract.h\"" 2>err; then
		echo "user space does not compile the asserts"
		return 1
	fi
	grep -q 'nio_conn layout' err
}
