#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Other end-to-end tests once more with sanitizer builds of both programs: AddressSanitizer with
# UndefinedBehaviorSanitizer, those that bear the tag `address`, and ThreadSanitizer, those that bear the tag `thread`.
# A report makes the program fail, and so its test. Without a tag is what measures time or memory, kills at
# random, needs a witness, or takes a way through the program that another test with the tag takes.
# They fill the lanes (tests/parallel) themselves.
# bats file_tags=alone

load ../lib

setup_file() {
	export BATS_TEST_TIMEOUT=3600
}

setup() {
	need_root
}

# What an outer make passes on would choose its output directory, not the sanitizer's.
build() { # NAME TARGET...
	env -u MAKEFLAGS -u MFLAGS make -C "$REPO" --no-print-directory "-j$(nproc)" "SAN=$1" "O=build-$1" "${@:2}" \
		>make.log 2>&1 || {
		tail make.log
		return 1
	}
}

# with_sanitizer NAME DIRECTORY: the tests of that tag, of the programs in the directory.
with_sanitizer() {
	open_to_all
	NETIOTRACE_BIN=$(for_all "$2" "$BATS_TEST_TMPDIR/programs") || return
	export NETIOTRACE_BIN
	export ASAN_OPTIONS=exitcode=99:abort_on_error=0 TSAN_OPTIONS=exitcode=99:halt_on_error=1
	cd "$REPO" || return
	BATS_TEST_TIMEOUT=600 tests/parallel --timing --filter-tags "$1" tests/e2e/*.bats
}

@test "AddressSanitizer and UndefinedBehaviorSanitizer builds pass" {
	cd "$BATS_TEST_TMPDIR" || return
	build address all
	with_sanitizer address "$REPO/build-address"
}

# Memory, leaks and undefined behaviour of the pure code.
@test "the unit tests pass with AddressSanitizer and UndefinedBehaviorSanitizer" {
	cd "$BATS_TEST_TMPDIR" || return
	build address unit-programs
	cd "$REPO" || return
	# Of what test_claims and test_gate simulate, a part shows as much to a sanitizer.
	export NETIOTRACE_CLAIM_SETS=60
	# shellcheck disable=SC2046 # names without spaces
	tests/run-unit $(find build-address/tests/{unit,fuzz} -name '*_*' -type f ! -name '*.*')
}

# Threads are the load generator's alone: the collector is the ordinary one, in a directory of its own with it,
# for it starts the load generator that stands beside it.
@test "a ThreadSanitizer build of the load generator passes" {
	local mixed=$REPO/build-thread/mixed

	cd "$BATS_TEST_TMPDIR" || return
	! grep -rlE 'pthread_create|thrd_create' "$REPO/user" || {
		echo "the collector has threads: build it, too"
		return 1
	}
	build thread build-thread/netio-loadgen
	mkdir -p "$mixed"
	cp "$BUILD_DIR/netiotrace" "$REPO/build-thread/netio-loadgen" "$mixed"
	ln -sfn "$REPO/scripts/gnuplot" "$mixed/gnuplot"
	with_sanitizer thread "$mixed"
}
