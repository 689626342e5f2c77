#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# compare on sweeps: without root, from directories and from CSV; exit 5 on a planted regression.

load ../lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	rows 1.00 >before.csv
}

# rows FACTOR: seven rounds of four cells, in no order; the throughput of one cell is multiplied by FACTOR.
rows() {
	echo mode,size,threads,round,app_throughput_gbps,app_cpu_s_sender,app_cpu_s_receiver,app_rx_bytes,environment_kernel
	for mode in twocopy onecopy; do
		for size in 4096 65536; do
			for round in 0 1 2 3 4 5 6; do
				awk -v mode="$mode" -v size="$size" -v round="$round" -v factor="$1" 'BEGIN {
					gbps = size / 4096 * (1 + round * 3 % 7 / 250)
					if (mode == "onecopy" && size == 65536) gbps *= factor
					printf "%s,%d,1,%d,%.4f,%.4f,0,1e9,6.1\n", mode, size, round, gbps, 1 / gbps }'
			done
		done
	done
}

# bats test_tags=address
@test "compare: equal data has no difference; a planted regression exits with 5" {
	rows 0.90 >after.csv
	"$NETIOTRACE" compare before.csv before.csv --fail-on-regression 0 >out
	grep -A 1 '^0 of 8 comparisons in 4 cells differ: 0 better, 0 worse\.$' out | grep -q '^ *8  no difference$'
	grep -q '^Gate passed: none of 8 gated comparisons ' out
	"$NETIOTRACE" compare before.csv after.csv >out
	grep -qE '^onecopy +64k +1 +throughput_gbps +16.19 Gbit/s +14.57 Gbit/s +-10.0 % \(-11.5 % to -8.5 %\) +worse$' out
	grep -A 1 '^2 of 8 comparisons in 4 cells differ: 0 better, 2 worse\.$' out | grep -q '^ *6  no difference$'
	run ! grep -q Gate out
	code=0
	"$NETIOTRACE" compare before.csv after.csv --fail-on-regression 5% >out 2>err || code=$?
	[ "$code" -eq 5 ]
	# Each cell that fails the gate is named, with both values and the interval of the change.
	grep -q '^netiotrace: regression: onecopy 64k t1 throughput_gbps: 16.19 Gbit/s -> 14.57 Gbit/s, -10.0 % (-11.5 % to -8.5 %)\.$' err
	grep -q '^netiotrace: regression: onecopy 64k t1 cpu_ns_per_kib: 63.28 ns/KiB -> 70.25 ns/KiB, ' err
	[ "$(tail -1 err)" = "netiotrace: 2 of 8 gated comparisons are worse by more than 5 %." ]
	[ "$(wc -l <err)" -eq 3 ]
	[ "$(grep -c 'worse, REGRESSION$' out)" -eq 2 ]
	grep -q '^Gate FAILED: 2 of 8 gated comparisons ' out
	"$NETIOTRACE" compare -q before.csv after.csv --fail-on-regression 12%
	"$NETIOTRACE" compare -q before.csv after.csv --fail-on-regression 10.5 --metrics throughput_gbps
	# In the other direction the change is a gain.
	"$NETIOTRACE" compare -q after.csv before.csv --fail-on-regression 0%
}

# started FACTOR MINUTE: the same, of a sweep that began then, on a machine that is 0.1 % faster each minute.
started() {
	rows "$1" | awk -F , -v OFS=, -v minute="$2" 'NR == 1 { print $0, "environment_started" }
		NR > 1 { $5 *= 1 + minute / 1000; print $0, "2026-01-01T00:0" minute ":00Z" }'
}

# bats test_tags=address
@test "compare: sweeps made in turn are judged by how far sweeps of one side differ, others not" {
	started 1.00 1 >a1.csv
	started 0.90 2 >b1.csv
	started 1.01 3 >a2.csv
	started 0.91 4 >b2.csv
	run -5 "$NETIOTRACE" compare a1.csv,a2.csv b1.csv,b2.csv --metrics throughput_gbps --fail-on-regression 5%
	[[ $output == *"before  a1.csv,a2.csv: 56 runs of 4 cells in 2 sweeps, 7 rounds"*"made in the order ABAB:"* ]]
	[[ $output == *"regression: onecopy 64k t1 throughput_gbps: 16.31 Gbit/s -> 14.70 Gbit/s, -9.9 % ("* ]]
	[[ $output == *"netiotrace: 1 of 4 gated comparisons is worse by more than 5 %."* ]]
	# A slow drift would do the same in these.
	run -1 "$NETIOTRACE" compare -q a1.csv,b1.csv a2.csv,b2.csv --fail-on-regression 5%
	[[ $output == *"made in the order AABB"*"make them in turn"* ]]
	# Sweeps of one side differ by 10 % here.
	"$NETIOTRACE" compare b1.csv,a2.csv a1.csv,b2.csv --fail-on-regression 5% >out
	grep -qE '^Gate passed: none of 8 gated comparisons is shown to be worse by more than 5 %; [0-9]+ intervals? reach' out
	# One path with a comma; a sweep twice; one that is not there.
	cp a1.csv a1,a2.csv
	"$NETIOTRACE" compare a1,a2.csv b1.csv >out
	grep -q '^before  a1,a2.csv: 28 runs' out
	run -1 "$NETIOTRACE" compare a1.csv,none b1.csv
	[ "$output" = "netiotrace: none: No such file or directory." ]
}

# bats test_tags=address
@test "compare: texts about one run or one cell use the singular" {
	rows 0.90 >after.csv
	run -5 "$NETIOTRACE" compare -q before.csv after.csv --metrics throughput_gbps --fail-on-regression 5%
	[ "${lines[-1]}" = "netiotrace: 1 of 4 gated comparisons is worse by more than 5 %." ]
	# One cell of one run; then the same with one more cell.
	grep -E '^mode|^onecopy,4096,1,0' before.csv >one.csv
	grep -E '^mode|^onecopy,[0-9]*,1,0' before.csv >two.csv
	"$NETIOTRACE" compare one.csv two.csv --metrics throughput_gbps >out
	cat out
	grep -q ': 1 run of 1 cell, 1 round$' out
	grep -q ': 2 runs of 2 cells, 1 round; 1 cell is only here$' out
	grep -q '^0 of 1 comparison in 1 cell differ' out
}

# bats test_tags=address
@test "compare: noise as large as the change gives no difference" {
	sed '2,$s/^\(onecopy,65536,1,[02]\),[^,]*/\1,13.0/' before.csv >noisy.csv
	rows 0.95 >after.csv
	"$NETIOTRACE" compare noisy.csv after.csv --metrics throughput_gbps --fail-on-regression 1% >out
	grep -q '^ *4  no difference$' out
}

# bats test_tags=address
@test "compare: --json - writes only data to stdout, the same each time" {
	rows 0.90 | sed 's/,6.1$/,6.6/' >after.csv
	"$NETIOTRACE" compare before.csv after.csv --fail-on-regression 5% --json - >one.json || true
	"$NETIOTRACE" compare before.csv after.csv --fail-on-regression 5% --json two.json >/dev/null || true
	cmp one.json two.json
	jq -e '.schema == "netiotrace.compare/1" and .regressions == 2 and .gate == "failed"
		and .environment_differs.kernel == {"before": "6.1", "after": "6.6"}
		and (.changes | length == 8)
		and ([.changes[] | select(.regression)] | length == 2)
		and all(.changes[]; .before.n == 7 and .before.coverage > 0.98 and .before.low <= .before.median)' one.json
}

# bats test_tags=address
@test "compare: one round gives no verdict" {
	grep -E '^mode|,1,0,[0-9.]*,[0-9.]*,0,1e9,6.1$' before.csv >single.csv
	rows 0.10 | grep -E '^mode|,1,0,[0-9.]*,[0-9.]*,0,1e9,6.1$' >after.csv
	"$NETIOTRACE" compare single.csv after.csv --all >out
	grep -q '  one round$' out
	grep -q ' 8  one round on a side and so no interval (--all lists them)' out
	# A gate without a verdict does not pass.
	run -1 "$NETIOTRACE" compare -q single.csv after.csv --fail-on-regression 1%
	[[ $output == *"cannot tell"* ]]
}

# bats test_tags=address
@test "compare: a cell that is missing or lacks its value is named and does not pass the gate" {
	grep -v '^onecopy' before.csv >after.csv
	run -1 "$NETIOTRACE" compare -q before.csv after.csv --fail-on-regression 5%
	[[ $output == "netiotrace: --fail-on-regression cannot tell whether 2 of 4 cells of before.csv got worse in"* ]]
	[[ $output == *"after.csv: onecopy 4k t1 (no run), onecopy 64k t1 (no run)." ]]
	"$NETIOTRACE" compare -q before.csv after.csv
	# A cell only in the new data cannot be a regression.
	"$NETIOTRACE" compare -q after.csv before.csv --fail-on-regression 5%
	sed 's/^\(onecopy,65536,1,[0-9]*,\)[^,]*/\1/' before.csv >after.csv
	run -1 "$NETIOTRACE" compare -q before.csv after.csv --fail-on-regression 5%
	[[ $output == *": onecopy 64k t1 (no throughput_gbps)." ]]
	sed '/^onecopy,65536,1,[1-6]/d' before.csv >after.csv
	run -1 "$NETIOTRACE" compare -q before.csv after.csv --fail-on-regression 5%
	[[ $output == *": onecopy 64k t1 (too few rounds of throughput_gbps)." ]]
	# A regression fails the gate even if other cells are unknown.
	rows 0.50 | grep -v '^twocopy,4096' >after.csv
	run -5 "$NETIOTRACE" compare -q before.csv after.csv --fail-on-regression 5%
	[[ $output == *"twocopy 4k t1 (no run)."*"regression: onecopy 64k t1 throughput_gbps"*"2 of 6 gated comparisons are worse"* ]]
}

@test "compare: text, JSON and exit status agree under any noise" {
	python3 - <<-'EOF'
		import random
		# Three cells of six rounds; one gets slower by 0 to 30 %, under noise of 1 to 12 %.
		for case in range(24):
		    random.seed(case)
		    noise, change = 0.01 + 0.01 * (case % 12), 0.3 * (case // 2) / 11
		    for name, factor in ("before", 1), ("after", 1 - change):
		        with open(f"{name}{case}.csv", "w") as f:
		            print("mode,size,threads,round,app_throughput_gbps", file=f)
		            for size in 1024, 4096, 16384:
		                for r in range(6):
		                    g = 10 * random.gauss(1, noise) * (factor if size == 4096 else 1)
		                    print(f"twocopy,{size},1,{r},{g:.6f}", file=f)
	EOF
	failed=0
	for case in {0..23}; do
		code=0
		"$NETIOTRACE" compare "before$case.csv" "after$case.csv" --fail-on-regression 2% --json doc.json >out 2>err || code=$?
		n=$(jq '[.changes[] | select(.regression)] | length' doc.json)
		echo "case $case: exit $code, $n regressions"
		[ "$n" -eq "$(jq .regressions doc.json)" ]
		[ "$n" -eq "$(grep -c 'REGRESSION$' out)" ]
		[ "$n" -eq "$(grep -c '^netiotrace: regression: ' err)" ]
		[ "$code" -eq $((n ? 5 : 0)) ]
		[ "$(jq '[.changes[] | select(.regression and .verdict != "worse")] | length' doc.json)" -eq 0 ]
		[ "$(jq .verdicts.worse doc.json)" -eq "$(grep -cE '  worse(, REGRESSION)?$' out)" ]
		# Recomputes the deciding interval independently: sorted quotients of all pairs of
		# rounds.
		python3 - "$case" <<-'EOF'
			import csv, json, sys
			rows = {}
			for name in "before", "after":
			    for r in csv.DictReader(open(f"{name}{sys.argv[1]}.csv")):
			        rows.setdefault((name, int(r["size"])), []).append(float(r["app_throughput_gbps"]))
			for c in json.load(open("doc.json"))["changes"]:
			    a, b = rows["after", c["size"]], rows["before", c["size"]]
			    q = sorted(x / y for x in a for y in b)
			    k = 4  # three comparisons: 2 P(U < 4) = 14 / 924 <= 0.05 / 3 < 2 P(U < 5)
			    assert abs(q[k - 1] - 1 - c["change_low"]) < 1e-9, (q[k - 1] - 1, c)
			    assert abs(q[-k] - 1 - c["change_high"]) < 1e-9
			    differs = q[k - 1] > 1 or q[-k] < 1
			    assert differs == (c["verdict"] != "noise"), c
		EOF
		failed=$((failed + (n > 0)))
	done
	[ "$failed" -gt 0 ]
	[ "$failed" -lt 24 ]
}

# bats test_tags=address
@test "compare: bad input gives one sentence each and the right exit code" {
	refused() { # CODE ARGS...
		local expected=$1 code=0

		shift
		"$NETIOTRACE" compare "$@" >stdout 2>stderr </dev/null || code=$?
		if [ "$code" -ne "$expected" ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] ||
			! grep -q '^netiotrace: ' stderr; then
			echo "$*: exit $code"
			cat stdout stderr
			return 1
		fi
	}
	mkdir empty
	echo '{"schema": "something/else"}' >foreign.json
	head -c 130 before.csv >truncated.csv
	echo not a table >words.csv
	refused 2
	refused 2 before.csv
	refused 2 before.csv before.csv before.csv
	refused 2 before.csv before.csv --fail-on-regression -1
	refused 2 before.csv before.csv --fail-on-regression 5x
	refused 2 before.csv before.csv --fail-on-regression nan
	refused 2 before.csv before.csv --fail-on-regression ''
	refused 2 before.csv before.csv --metrics speed
	refused 2 before.csv before.csv --metrics ''
	refused 2 before.csv before.csv --json /proc/nowhere/x
	refused 1 before.csv missing.csv
	refused 1 empty before.csv
	refused 1 before.csv foreign.json
	refused 1 truncated.csv before.csv
	refused 1 before.csv words.csv
	run -1 "$NETIOTRACE" compare before.csv <(sed 's/,1,/,3,/' before.csv)
	[[ $output == *"no cell in common"* ]]
}

@test "compare: two sweeps give the median over the rounds; runs give the same from JSON and from CSV" {
	need_root
	for dir in a b; do
		"$NETIOTRACE" sweep -q --modes onecopy --sizes 4k,64k --threads 1 --duration 300ms -o "$dir"
	done
	"$NETIOTRACE" compare a b --json dirs.json >out
	cat out
	# A value that differs between runs is shown with the run it comes from.
	grep -q '^differs started: .* (of the first run each)$' out
	run ! grep '^differs .*kernel.*first run' out
	for name in c d; do
		"$NETIOTRACE" -q --mode onecopy --size 64k --rounds 2 --duration 300ms --json $name.json --csv $name.csv
	done
	"$NETIOTRACE" compare c.json d.json --json documents.json >/dev/null
	"$NETIOTRACE" compare c.csv d.csv --json csv.json >/dev/null
	diff <(jq -S '.changes | map(del(.reason))' documents.json) <(jq -S '.changes | map(del(.reason))' csv.json)
	# Recomputes the median over the rounds.
	python3 - <<-'EOF'
		import csv, json, statistics
		rows = [r for r in csv.DictReader(open("a/results.csv")) if r["size"] == "65536"]
		change = next(c for c in json.load(open("dirs.json"))["changes"]
		              if c["size"] == 65536 and c["metric"] == "throughput_gbps")
		median = statistics.median(float(r["throughput_gbps"]) for r in rows)
		assert abs(change["before"]["median"] - median) < 1e-9 * median
	EOF
	public=$(mktemp -d /tmp/netiotrace-test-XXXXXX)
	chmod 755 "$public"
	cp c.csv "$public"
	unprivileged "$NETIOTRACE" compare "$public/c.csv" "$public/c.csv" >out
	rm -r "$public"
	grep -q '^0 of .* differ: ' out
}

@test "report and compare read documents of earlier versions without recv_call" {
	local file

	need_root
	"$NETIOTRACE" sweep -q --modes onecopy --sizes 64k --threads 1,2 --duration 300ms -o new
	cp -r new old
	for file in old/cells/*.json; do
		jq -e '.runs[0].app.latency_ns.recv_call.p50 > 0' "$file"
		jq 'del(.. | .recv_call?)' "$file" >edited
		mv edited "$file"
	done
	run ! grep -rq recv_call old/cells
	"$NETIOTRACE" compare old new --json out.json
	jq -e '[.changes[] | select(.metric == "delivery_p50")] | length == 2 and all(.before.median > 0)' out.json
	"$NETIOTRACE" report -q -o old.report old
	"$NETIOTRACE" report -q -o new.report new
	grep -q 'Not shown: recv call, n/a (the data set has no such number)' old.report/report.md
	run ! grep -q '^| recv call ' old.report/report.md
	# In the table of 2 threads as a multiple of 1.
	grep -Eq '^\| recv call \| x [0-9.]+ \|$' new.report/report.md
	run ! grep -q 'recv call, n/a' new.report/report.md
	# These documents do not match the present schema.
	rm -r old
}

@test "compare: escape sequences in data do not reach the terminal" {
	sed 's/,6.1$/,6.1\x1b[2J\x1b]0;owned\x07/' before.csv >after.csv
	sed '2s/,[0-9.]*,0,1e9/,1\x1b[31m,0,1e9/' before.csv >bad.csv
	"$NETIOTRACE" compare before.csv after.csv >out
	grep -qF 'kernel: 6.1 -> 6.1?[2J?]0;owned?' out
	run -1 "$NETIOTRACE" compare before.csv bad.csv
	[[ $output == *'?[31m'* ]]
	[ "$(cat out - <<<"$output" | tr -d '\0-\10\13-\37\177' | wc -c)" -eq "$(cat out - <<<"$output" | wc -c)" ]
}

# bats test_tags=address
@test "compare: different settings are named, are no regression, and can be allowed" {
	sed 's/environment_kernel/&,environment_mtu/; 2,$s/$/,1500/' before.csv >a.csv
	rows 0.50 | sed 's/environment_kernel/&,environment_mtu/; 2,$s/$/,9000/' >b.csv
	"$NETIOTRACE" compare a.csv b.csv >out
	grep -q '^differs mtu: 1500 -> 9000$' out
	grep -q '^The two differ in the setting mtu' out
	run -1 "$NETIOTRACE" compare -q a.csv b.csv --fail-on-regression 5%
	[[ $output == *"--across mtu." ]]
	sed 's/environment_kernel/&,environment_tcp_wmem/; 2,$s/,6.1,/&4096,/' a.csv >c.csv
	sed 's/environment_kernel/&,environment_tcp_wmem/; 2,$s/,6.1,/&8192,/' b.csv >d.csv
	run -1 "$NETIOTRACE" compare -q c.csv d.csv --fail-on-regression 5% --across fields
	[[ $output == *"--across fields,mtu,tcp_wmem." ]]
	run -5 "$NETIOTRACE" compare -q a.csv b.csv --fail-on-regression 5% --across fields,mtu
	# Different settings within one data set are refused.
	(cat a.csv && tail -n +2 b.csv) >both.csv
	run -1 "$NETIOTRACE" compare both.csv b.csv
	[[ $output == *"are not pooled"* ]]
}
