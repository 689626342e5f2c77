#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/check-lengths on a generated tree.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_tool python3
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tree/user/run tree/tests/unit/run
	touch exceptions
}

# function_of LINES: a function with LINES lines between its braces.
function_of() {
	printf 'int f(void)\n{\n'
	yes '	x();' | head -n "$1"
	printf '}\n'
}

checked() {
	run "$1" "$REPO/scripts/check-lengths" --exceptions exceptions tree
}

@test "check-lengths: the sources of this tree pass" {
	run -0 "$REPO/scripts/check-lengths"
}

@test "check-lengths: a long file is found; an exception allows it; an unneeded exception is an error" {
	yes '/* */' | head -n 601 >tree/user/run/round.c
	yes '/* */' | head -n 800 >tree/tests/unit/run/test_round.c
	checked -1
	[ "$output" = "user/run/round.c:601: a file has at most 600 lines" ]
	echo 'user/run/round.c 601 for the test' >exceptions
	checked -0
	echo 'user/run/round.c 601' >exceptions
	checked -1
	echo 'user/run/round.c 610 for the test' >exceptions
	sed -i 1d tree/user/run/round.c
	checked -1
	[ "$output" = "user/run/round.c: needs no exception" ]
}

@test "check-lengths: a long function is found by file and line; a median that is too high is found" {
	for _ in 1 2 3; do function_of 9; done >tree/user/run/round.c
	checked -0
	function_of 60 >>tree/user/run/round.c
	checked -1
	[ "$output" = "user/run/round.c:38: a function of 60 lines; 59 is the most" ]
	for _ in 1 2 3; do function_of 10; done >tree/user/run/round.c
	checked -1
	[ "$output" = "user: half of the functions have 10 lines or more" ]
}
