#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Lists that must agree: tests/analysis fails if a stage, part of a send call, counter or mode of the
# C headers has no row in the package, which makes the metrics of its rows, or a row elsewhere.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	/usr/bin/python3 -c 'import pytest' || skip "python3-pytest is not installed"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p bpf common user tests
	cp "$REPO"/bpf/*.h bpf
	cp "$REPO"/common/*.h common
	cp -r "$REPO/user/model" user
	cp -r "$REPO/analysis" .
	cp -r "$REPO/tests/analysis" tests
	ln -s "$REPO/docs" .
}

agree() {
	PYTHONPATH=.:tests/analysis PYTHONDONTWRITEBYTECODE=1 \
		/usr/bin/python3 -m pytest -q --noconftest -p no:cacheprovider tests/analysis/test_tables.py 2>&1
}

@test "lists: those of the package and of the headers agree" {
	agree
}

@test "lists: a row of a header without a row in the package fails, also in another order" {
	local header list row

	while read -r header list row; do
		cp "$REPO/$header" "$header"
		sed -i "/#define $list/,/^\$/s/\(X\|F\)(.*\b$row,/\1(NEW, \"new\", \"new\") &/" "$header"
		run ! agree
		[[ $output == *"FAILED tests/analysis/test_tables.py::test_rows_of_c[$header"* ]]
		cp "$REPO/$header" "$header"
	done <<-'END'
		bpf/netiotrace.h NIO_STAGES TLS_COPY
		bpf/netiotrace.h NIO_PATH_PARTS OTHER
		user/model/counter.h PERF_COUNTERS_WITH L1D_MISSES
		common/mode.h MODES KTLS
	END
	/usr/bin/python3 - <<-'END'
		lines = open("analysis/tables.py").read().split("\n")
		a, b = (next(i for i, line in enumerate(lines) if f'"{key}", "' in line and "Stage(" in line)
		        for key in ("tx_copy", "tx_pin"))
		lines[a], lines[b] = lines[b], lines[a]
		open("analysis/tables.py", "w").write("\n".join(lines))
	END
	run ! agree
	[[ $output == *"FAILED tests/analysis/test_tables.py::test_rows_of_c[bpf/netiotrace.h-NIO_STAGES"* ]]
}
