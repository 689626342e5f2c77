#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/check-modules on invented trees: each thing that the rule of the modules forbids is found, and
# named by file and line.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_tool python3
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tree/user/{kernel,report,study} tree/common
	touch tree/user/kernel/session.h tree/user/study/answer.h tree/user/report/figure.h tree/common/units.h
}

# source FILE INCLUDE...: a file of the tree that includes these.
source_of() {
	local file=tree/$1

	shift
	printf '/* what it is */\n' >"$file"
	[ $# -eq 0 ] || printf '#include "%s"\n' "$@" >>"$file"
}

checked() {
	run "$1" "$REPO/scripts/check-modules" --rules "${2:-$REPO/scripts/modules}" tree
}

@test "modules: what the rule allows passes" {
	source_of user/report/report.c figure.h study/answer.h common/units.h
	checked -0
	[ -z "$output" ]
}

@test "modules: the sources of this tree keep the rule" {
	run -0 "$REPO/scripts/check-modules"
}

@test "modules: a command may not include another" {
	mkdir tree/user/sweep
	touch tree/user/sweep/sweep.h
	source_of user/report/report.c sweep/sweep.h
	checked -1
	[ "$output" = 'user/report/report.c:2: user/report may not include user/sweep ("sweep/sweep.h")' ]
}

@test "modules: a file of a lower module may not include one of a higher" {
	source_of user/kernel/session.c common/units.h study/answer.h
	checked -1
	[ "$output" = 'user/kernel/session.c:3: user/kernel may not include user/study ("study/answer.h")' ]
}

@test "modules: the report may not include the kernel side" {
	source_of user/report/report.c kernel/session.h
	checked -1
	[ "$output" = 'user/report/report.c:2: user/report may not include user/kernel ("kernel/session.h")' ]
}

@test "modules: two modules may not include each other, in the sources or in the rules" {
	source_of user/kernel/session.h study/answer.h
	source_of user/study/answer.h kernel/session.h
	checked -1
	[[ $output == *"user/study may not include user/kernel"* ]]
	[[ $output == *"user/kernel may not include user/study"* ]]
	printf 'user/kernel: user/study\nuser/study: user/kernel\n' >rules
	checked -1 rules
	[[ $output == "rules:1: user/kernel names user/study, which no rule above it has"* ]]
}

@test "modules: headers that include one another are found" {
	source_of user/study/words.h answer.h
	source_of user/study/answer.h words.h
	checked -1
	[[ $output == *"includes itself: user/study/answer.h -> user/study/words.h -> user/study/answer.h"* ]]
}

@test "modules: two headers of one name, a file in no module, a path that climbs" {
	touch tree/user/report/session.h
	mkdir tree/user/attic
	source_of user/attic/old.c
	source_of user/report/report.c ../study/answer.h
	checked -1
	[[ $output == *"there is another header of this name"* ]]
	[[ $output == *'"../study/answer.h": name it by its module'* ]]
}

# A unit test links both programs from one archive: of two functions of one name it would take either.
@test "modules: no function of the collector has the name of one of the load generator" {
	functions_of() {
		nm --defined-only -g "$@" | awk '$2 ~ /[TDBR]/ { print $3 }' | sort -u
	}
	functions_of "$BUILD_DIR"/user/*.o "$BUILD_DIR"/user/*/*.o >collector
	functions_of "$BUILD_DIR"/loadgen/*.o >loadgen
	[ "$(wc -l <loadgen)" -gt 100 ]
	[ "$(comm -12 collector loadgen)" = main ]
}
