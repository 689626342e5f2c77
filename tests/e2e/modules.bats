#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/check-modules on generated trees: each violation of the module rules is found and named by
# file and line.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_tool python3
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tree/user/{kernel,report,study} tree/common
	touch tree/user/kernel/session.h tree/user/study/answer.h tree/user/report/figure.h tree/common/units.h
}

# source FILE INCLUDE...: a source file with these includes.
source_of() {
	local file=tree/$1

	shift
	printf '/* what it is */\n' >"$file"
	[ $# -eq 0 ] || printf '#include "%s"\n' "$@" >>"$file"
}

checked() {
	run "$1" "$REPO/scripts/check-modules" --rules "${2:-$REPO/scripts/modules}" tree
}

@test "check-modules: allowed includes pass" {
	source_of user/report/report.c figure.h study/answer.h common/units.h
	checked -0
	[ -z "$output" ]
}

@test "check-modules: the sources of this tree pass" {
	run -0 "$REPO/scripts/check-modules" --unused
}

@test "check-modules: a permission that no file uses is an error" {
	printf '%s\n' common: user/study: 'user/report: common user/study' >rules
	rm -r tree/user/kernel
	source_of user/report/report.c study/answer.h
	checked -0 rules
	run -1 "$REPO/scripts/check-modules" --unused --rules rules tree
	[ "$output" = 'user/report: no file includes common: drop the permission' ]
}

@test "check-modules: a command that includes another command is an error" {
	mkdir tree/user/sweep
	touch tree/user/sweep/sweep.h
	source_of user/report/report.c sweep/sweep.h
	checked -1
	[ "$output" = 'user/report/report.c:2: user/report may not include user/sweep ("sweep/sweep.h")' ]
}

@test "check-modules: a file of a lower module that includes a higher one is an error" {
	source_of user/kernel/session.c common/units.h study/answer.h
	checked -1
	[ "$output" = 'user/kernel/session.c:3: user/kernel may not include user/study ("study/answer.h")' ]
}

@test "check-modules: a report file that includes user/kernel is an error" {
	source_of user/report/report.c kernel/session.h
	checked -1
	[ "$output" = 'user/report/report.c:2: user/report may not include user/kernel ("kernel/session.h")' ]
}

@test "check-modules: two modules that include each other, in sources or rules, are an error" {
	source_of user/kernel/session.h study/answer.h
	source_of user/study/answer.h kernel/session.h
	checked -1
	[[ $output == *"user/study may not include user/kernel"* ]]
	[[ $output == *"user/kernel may not include user/study"* ]]
	printf 'user/kernel: user/study\nuser/study: user/kernel\n' >rules
	checked -1 rules
	[[ $output == "rules:1: user/kernel names user/study, which no rule above it has"* ]]
}

@test "check-modules: headers that include one another are an error" {
	source_of user/study/words.h answer.h
	source_of user/study/answer.h words.h
	checked -1
	[[ $output == *"includes itself: user/study/answer.h -> user/study/words.h -> user/study/answer.h"* ]]
}

@test "check-modules: files whose sources include the header of one another are an error" {
	source_of user/study/words.h
	source_of user/study/words_internal.h words.h
	source_of user/study/words.c words.h words_internal.h answer.h
	source_of user/study/answer.c answer.h
	checked -0
	source_of user/study/answer.c answer.h words_internal.h
	checked -1
	[ "$output" = 'user/study/answer.c:1: a circle of files: user/study/answer, user/study/words' ]
}

@test "check-modules: two headers of one name, a file outside any module and a path with .. are errors" {
	touch tree/user/report/session.h
	mkdir tree/user/attic
	source_of user/attic/old.c
	source_of user/report/report.c ../study/answer.h
	checked -1
	[[ $output == *"there is another header of this name"* ]]
	[[ $output == *'"../study/answer.h": name it by its module'* ]]
}

# A unit test links both programs from one archive, without their main.c: of two functions with one
# name it would link either.
@test "check-modules: a function with the same name in collector and load generator is an error" {
	defined() {
		awk '$2 ~ /[TDBR]/ { print $3 }' | sort -u
	}
	nm --defined-only -g "$BUILD_DIR"/user/*/*.o | defined >collector
	find "$BUILD_DIR/loadgen" -name '*.o' ! -name main.o -exec nm --defined-only -g {} + | defined >loadgen
	[ "$(wc -l <loadgen)" -gt 100 ]
	[ -z "$(comm -12 collector loadgen)" ]
}
