#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Results of earlier versions stay readable: tests/fixtures/versions has a run and a small sweep of
# each, as its program wrote them on Linux 6.18, but for the names of the machine.

load ../lib
bats_require_minimum_version 1.5.0

versions=$REPO/tests/fixtures/versions

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	made_by_hand # these documents need not match the present schema
}

# unpack VERSION: run.json and sweep.
unpack() {
	mkdir "$1"
	tar -xJf "$versions/$1.tar.xz" -C "$1"
}

@test "report and compare read a run and a sweep of versions 0.1.0 and 0.2.0" {
	local version

	for version in 0.1.0 0.2.0; do
		unpack "$version"
		[ "$(jq -r .tool.version "$version/run.json")" = "$version" ]
		"$NETIOTRACE" report -q -o "$version.run" "$version/run.json"
		"$NETIOTRACE" report -q -o "$version.sweep" "$version/sweep"
		grep -q "with netiotrace $version" "$version.sweep/report.md"
		# Numbers of the documents, not of what is missing in them.
		"$NETIOTRACE" compare -q --json "$version.json" "$version/sweep" "$version/sweep"
		jq -e '[.changes[] | select(.metric == "copies_per_byte") | .before.median] == [3, 2]' "$version.json"
		for metric in throughput_gbps send_call_p50 delivery_p50 cpu_ns_per_kib; do
			jq -e --arg m "$metric" '[.changes[] | select(.metric == $m and .before.median > 0)] | length == 2' \
				"$version.json"
		done
	done
	"$NETIOTRACE" compare --all 0.1.0/sweep 0.2.0/sweep >out
	grep -q '^onecopy' out
}

@test "sweep --resume of versions 0.1.0 and 0.2.0 is refused, and changes nothing" {
	need_root
	local version

	for version in 0.1.0 0.2.0; do
		unpack "$version"
		(cd "$version" && find . -type f -exec sha256sum {} +) >before
		# shellcheck disable=SC2046 # the words of the command
		run -2 "$NETIOTRACE" $(sed -n 's/^netiotrace \(sweep .*\) -o .*/\1/p' "$version/sweep/command") \
			-o "$version/sweep" --resume
		[[ $output == *"the sweep in $version/sweep was made with other settings ("* ]]
		(cd "$version" && sha256sum --quiet -c ../before)
	done
}
