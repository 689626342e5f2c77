#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Other end-to-end tests once more with sanitizer builds of both programs: AddressSanitizer with
# UndefinedBehaviorSanitizer, those that bear the tag `address`, and ThreadSanitizer, those that bear the tag `thread`
# (threads are the load generator's). A report makes the program fail, and so its test. Without a tag is what
# measures time or memory, kills at random, or needs a witness.

load ../lib

setup_file() {
	export BATS_TEST_TIMEOUT=900
}

setup() {
	need_root
}

# What an outer make passes on would choose its output directory, not the sanitizer's.
build() { # NAME TARGET...
	env -u MAKEFLAGS -u MFLAGS make -C "$REPO" --no-print-directory -j2 "SAN=$1" "O=build-$1" "${@:2}" \
		>make.log 2>&1 || {
		tail make.log
		return 1
	}
}

with_sanitizer() { # NAME
	build "$1" all
	export NETIOTRACE_BIN=$REPO/build-$1
	export ASAN_OPTIONS=exitcode=99:abort_on_error=0 TSAN_OPTIONS=exitcode=99:halt_on_error=1
	cd "$REPO" || return
	bats --timing --filter-tags "$1" tests/e2e/*.bats
}

@test "AddressSanitizer and UndefinedBehaviorSanitizer builds pass" {
	cd "$BATS_TEST_TMPDIR" || return
	with_sanitizer address
}

# Memory, leaks and undefined behaviour of the pure code: the unit tests are single-threaded.
@test "the unit tests pass with AddressSanitizer and UndefinedBehaviorSanitizer" {
	cd "$BATS_TEST_TMPDIR" || return
	build address unit-programs
	cd "$REPO" || return
	# shellcheck disable=SC2046 # names without spaces
	tests/run-unit $(find build-address/tests/{unit,fuzz} -name '*_*' -type f ! -name '*.*')
}

@test "ThreadSanitizer builds pass" {
	cd "$BATS_TEST_TMPDIR" || return
	with_sanitizer thread
}
