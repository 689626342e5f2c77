#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Runs unit tests and end-to-end tests again with sanitizer builds of both programs: AddressSanitizer
# with UndefinedBehaviorSanitizer the unit tests and those with the tag `address`, ThreadSanitizer
# those with the tag `thread`. A sanitizer report makes the program and its test fail. Tests without a
# tag measure time or memory, kill at random, need another tool's counts, or cover only code that a
# tagged test covers.

load ../lib

setup_file() {
	export BATS_TEST_TIMEOUT=3600
}

setup() {
	need_root
}

# build NAME TARGET...: without the options of an outer make, which would choose its output
# directory.
build() { # NAME TARGET...
	env -u MAKEFLAGS -u MFLAGS make -C "$REPO" --no-print-directory "-j$(nproc)" "SAN=$1" "O=build-$1" "${@:2}" \
		>make.log 2>&1 || {
		tail make.log
		return 1
	}
}

# with_sanitizer NAME DIRECTORY: runs the tests with that tag on the programs in DIRECTORY.
with_sanitizer() {
	open_to_all
	NETIOTRACE_BIN=$(for_all "$2" "$BATS_TEST_TMPDIR/programs") || return
	export NETIOTRACE_BIN
	export ASAN_OPTIONS=exitcode=99:abort_on_error=0 TSAN_OPTIONS=exitcode=99:halt_on_error=1
	cd "$REPO" || return
	BATS_TEST_TIMEOUT=600 tests/parallel --timing --filter-tags "$1" tests/e2e/*.bats
}

# Memory errors, leaks and undefined behaviour of code without I/O.
@test "the unit tests pass with AddressSanitizer and UndefinedBehaviorSanitizer" {
	cd "$BATS_TEST_TMPDIR" || return
	build address all unit-programs
	cd "$REPO" || return
	# A part of the simulations of test_rank_family runs the same code.
	export NETIOTRACE_CLAIM_SETS=60
	# shellcheck disable=SC2046 # names without spaces
	tests/run-unit $(find build-address/tests/{unit,fuzz} -name '*_*' -type f ! -name '*.*')
}

@test "AddressSanitizer and UndefinedBehaviorSanitizer builds pass the tests tagged address" {
	cd "$BATS_TEST_TMPDIR" || return
	build address all
	with_sanitizer address "$REPO/build-address"
}

# Only the load generator has threads. The collector is the ordinary build, in one directory with
# it, since it starts the load generator in its own directory.
@test "a ThreadSanitizer build of the load generator passes the tests tagged thread" {
	local mixed=$REPO/build-thread/mixed

	cd "$BATS_TEST_TMPDIR" || return
	! grep -rlE 'pthread_create|thrd_create' "$REPO/user" || {
		echo "the collector has threads: build it with the thread sanitizer"
		return 1
	}
	build thread build-thread/netio-loadgen
	mkdir -p "$mixed"
	cp "$BUILD_DIR/netiotrace" "$REPO/build-thread/netio-loadgen" "$mixed"
	with_sanitizer thread "$mixed"
}
