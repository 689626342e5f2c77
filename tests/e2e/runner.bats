#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tests/run itself, on a generated tree: which documents it checks against the schema.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_tool python3
	python3 -c 'import jsonschema' || skip "no python3-jsonschema"
	cd "$BATS_TEST_TMPDIR" || return
	made_by_hand
	mkdir -p tree/tests/bpf tree/build
	cp "$REPO"/tests/{run,parallel,lib.bash,validate} tree/tests
	export O=build
	(cd "$REPO" && scripts/gen-schema) >tree/build/netiotrace.schema.json
}

# runs COMMAND: a test file whose only test runs COMMAND.
runs() {
	# shellcheck disable=SC2016 # for the test that is written
	printf '@test "it" {\n\tcd "$BATS_TEST_TMPDIR"\n\t%s\n}\n' "$1" >tree/tests/bpf/it.bats
	tree/tests/run bpf >out || true
	cat out
	grep -q '^[0-9]* passed, ' out
}

@test "tests/run: a copy of the schema and a marked handwritten document are no failures" {
	runs "mkdir doc; cp '$PWD/tree/build/netiotrace.schema.json' doc"
	run -1 grep '^not ok' out
	runs "touch .by-hand; echo '{\"schema\": \"netiotrace.result/1\"}' >by-hand.json"
	run -1 grep '^not ok' out
}

@test "tests/run: a document that violates the schema is a failure" {
	runs "echo '{\"schema\": \"netiotrace.result/1\"}' >bad.json"
	grep -q '^not ok bpf: documents are not what the schema says$' out
	runs "\"$NETIOTRACE\" -q --backend none --messages 5 --mode onecopy --json good.json"
	run -1 grep '^not ok' out
}

# The shell of the countdown is slow to set the trap that ends it.
@test "tests/lib.bash: bats does not wait for the countdown of a test that ends at once" {
	local begin=$SECONDS

	# shellcheck disable=SC2016 # for the test that is written
	printf '%s\n' 'load ../lib' 'trap() {' '	[ "$BASHPID" = "$$" ] || command sleep 0.3' '	builtin trap "$@"' '}' \
		'@test "it" {' '	skip' '}' >tree/tests/bpf/it.bats
	BATS_TEST_TIMEOUT=300 bats tree/tests/bpf/it.bats
	((SECONDS - begin < 200))
}
