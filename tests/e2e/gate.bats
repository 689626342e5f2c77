#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# packaging/ci: the gate on copies, and the steps of its action. The witnesses are programs whose way of
# sending is known (copy_gate_app.py), and documents with planted values.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_tool python3 jq
	cd "$BATS_TEST_TMPDIR" || return
	APP="$REPO/tests/e2e/copy_gate_app.py"
	unset GITHUB_STEP_SUMMARY
	made_by_hand
	note_before
}

teardown() {
	stop_jobs
	assert_nothing_left
}

gate() {
	"$REPO/packaging/ci/copy-gate" --netiotrace "${FAKE:-$NETIOTRACE}" "$@"
}

# The row of a count in a printed table: its result.
result_of() {
	sed -n "s/^ *$1 .* \([a-z]*\)$/\1/p" <<<"$output"
}

@test "copy-gate: a Go proxy whose connection was wrapped fails, the unchanged one passes" {
	need_root
	need_tool go
	CGO_ENABLED=0 go build -o proxy "$REPO/tests/e2e/go_proxy.go"
	gate --record base.json -- ./proxy spliced
	gate --record base.json -- ./proxy spliced
	# The witness: half of all sent bytes are the proxy's.
	jq -e '.metrics.spliced_share | .low > 0.49 and .high < 0.51' base.json
	run -0 gate --baseline base.json --summary summary.md -- ./proxy spliced
	grep -q '^| spliced share of the sent bytes | 0.50 | 0.50 |.* ok |$' summary.md
	run -5 gate --baseline base.json --summary summary.md -- ./proxy wrapped
	[ "$(result_of 'spliced share of the sent bytes')" = worse ]
	[ "$(result_of 'copies per byte')" = worse ]
	[[ $output == *'no connection is wrapped'* ]]
	grep -q '^| spliced share of the sent bytes | 0.50 | 0.00 |.* worse |$' summary.md
}

@test "copy-gate: a program that loses SO_ZEROCOPY fails, the unchanged one passes" {
	need_root
	gate --record base.json -- python3 "$APP" zerocopy enabled
	jq -e '.metrics.pinned_share.low > 0.99' base.json
	run -0 gate --baseline base.json -- python3 "$APP" zerocopy enabled
	run -5 gate --baseline base.json -- python3 "$APP" zerocopy disabled
	[ "$(result_of 'pinned share of the sent bytes')" = worse ]
	[[ $output == *SO_ZEROCOPY* ]]
}

@test "copy-gate: a program without connections is not judged, an --assert decides, a failed command keeps its status" {
	need_root
	run -6 gate -- python3 "$APP" idle
	[[ $output == *'name the service with --comm or --port'* ]]
	run -0 gate --assert 'copies_per_byte <= 2.01' -- python3 "$APP" relay wrapped
	run -5 gate --assert 'copies_per_byte <= 0.5' -- python3 "$APP" relay wrapped
	[[ $output == *"'copies_per_byte <= 0.5' does not hold"* ]]
	# It is no run for a baseline either.
	run -5 gate --record base.json --assert 'copies_per_byte <= 0.5' -- python3 "$APP" relay wrapped
	[[ $output == *'nothing recorded'*"'copies_per_byte <= 0.5' does not hold"* ]]
	[ ! -e base.json ]
	# The program sends nothing with MSG_ZEROCOPY: the value is unknown, not false.
	run -6 gate --assert 'copied_fraction <= 0.5' -- python3 "$APP" relay wrapped
	[[ $output == *"'copied_fraction <= 0.5' does not hold: unknown"* ]]
	run -7 gate -- sh -c 'exit 7'
	[[ $output == *'failed with status 7'* ]]
}

@test "copy-gate: a run that watched nothing cannot be judged by a baseline either; mistakes end it before the tests" {
	need_root
	gate --record base.json -- python3 "$APP" relay spliced
	run -6 gate --baseline base.json -- true
	[[ $output == *'the run cannot be judged'*'name the service with --comm or --port'* ]]
	mkdir directory
	for option in --json --record; do
		run -1 gate "$option" directory -- touch started
		[[ $output == *'directory'* && $output != *Traceback* ]]
	done
	run -2 gate --assert 'foo <= 1' -- touch started
	[[ $output == *foo* ]]
	[ ! -e started ]
	# A file that can no longer be written after the tests does not hide how they ended.
	run -7 gate --json out.json -- sh -c 'mkdir out.json && exit 7'
	[[ $output == *'cannot write out.json'*'failed with status 7'* && $output != *Traceback* ]]
	rmdir out.json
	run -1 gate --json out.json -- sh -c 'mkdir out.json'
}

# fake DOCUMENT [STATUS [MESSAGE [LAST]]]: a netiotrace that is ready at once and ends with this document, and LAST on
# stderr. MESSAGE: it does not start.
fake() {
	FAKE=$PWD/fake
	printf '%s' "${4-}" >last
	cat >"$FAKE" <<-END
		#!/usr/bin/python3 -S
		import os, shutil, signal, sys
		if '${3-}':
		    print('${3-}', file=sys.stderr)
		    sys.exit(${2:-0})
		# Blocked, it waits also where the caller ignores it, as a background job of a shell does.
		signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
		ready = sys.argv[sys.argv.index("--ready-file") + 1]
		with open(ready + ".new", "w") as f:
		    print("netiotrace", os.getpid(), file=f)
		os.rename(ready + ".new", ready)
		signal.sigwait([signal.SIGINT])
		os.remove(ready)
		for name, stream in ("$PWD/$1", sys.stdout), ("$PWD/last", sys.stderr):
		    with open(name) as f:
		        shutil.copyfileobj(f, stream)
		sys.exit(${2:-0})
	END
	chmod +x "$FAKE"
}

# A document of a program that splices all it sends.
document() {
	jq -n '{events: {quality: "exact", time_share: 1},
		health: {sockets_left_out: 0, ends_missed: 0, tasks_left_out: 0},
		total: {connections: 2, socket: {tx_bytes: 1048576, rx_bytes: 0},
			sends: {splice: {calls_at_least: 16, calls_at_most: 16}},
			refused: {enobufs: 0, eagain: 900, epipe: 0, econnreset: 0, efault: 0, other: 0, quality: "exact",
				reason: null},
			zerocopy: {sends: 0}, verdict: {copied_fraction: null, text: ""},
			ledger: {unaccounted_tx: 0, unaccounted_rx: 0, copies_per_byte: 0, copies_per_byte_at_most: 0,
				tx_splice: {bytes: 1048576, bytes_at_most: 1048576, reason: null},
				tx_pin: {bytes: 0, bytes_at_most: 0, reason: null}}}}'
}

@test "copy-gate: what is unknown never passes, and says why" {
	local line change word

	document >good.json
	fake good.json 130
	gate --record base.json -- true
	run -0 gate --baseline base.json -- true
	while read -r line; do
		change=${line% => *} word=${line##* => }
		jq "$change" good.json >bad.json
		fake bad.json 130
		echo "$change"
		run "-$([[ $word == worse ]] && echo 5 || echo 6)" gate --baseline base.json -- true
		[[ $output == *"$word"* ]]
		[[ $status -eq 5 || $output == *'the run cannot be judged'* ]]
		[[ $output != *' unknown'$'\n'* || $output == *'An unknown count does not pass'* ]]
	done <<-'END'
		.total.ledger.copies_per_byte = null | .health.ends_missed = 3 => unknown
		.total.ledger.copies_per_byte_at_most = 1 | .total.socket.tx_retrans = 77 => (77 bytes were sent again)
		.total.ledger.copies_per_byte_at_most = 1 | .total.ledger.copies_per_byte_at_most_reason = "no TX checksums" => limit (copies_per_byte: no TX checksums)
		.total.ledger.copies_per_byte = null | .total.ledger.copies_per_byte_reason = "a device may copy" => copies per byte: a device may copy
		.total.ledger.copies_per_byte_at_most = null | .total.ledger.copies_per_byte_at_most_reason = "peeks" => copies per byte: peeks
		.total.ledger.copies_per_byte = 1 | .total.ledger.copies_per_byte_at_most = 1 | .total.ledger.copies_per_byte_at_least = 0 => range that crosses the limit
		.total.ledger.tx_splice.bytes_at_least = 500000 => spliced share of the sent bytes: the value lies within a range
		.total.ledger.tx_splice.bytes = null | .total.ledger.tx_splice.reason = "no hook" => no hook
		.total.ledger.tx_splice.bytes = 500000 | .total.ledger.tx_splice.reason = "refused runs" => limit (tx_splice: refused runs).
		.events.quality = "sampled" | .events.time_share = 0.06 | .total.refused.quality = "sampled" => seen 6 % of the time
		.total.sends.splice.calls_at_most = 1600 => range that crosses the limit
		.total.sends.splice.calls_at_least = null => calls of one kind were not counted
		.total.refused.enobufs = null | .total.refused.reason = "kprobes see no result" => kprobes see no result
		.total.refused.enobufs = 50 => worse
		.total.sends.plain = {calls_at_least: 160, calls_at_most: 160} => worse
		.total.zerocopy.sends = 9 => no zero-copy send has completed
		.total.zerocopy.requests_unreported = 9 | .total.verdict.copied_fraction_reason = "no account" => no account
		.total.ledger.unaccounted_tx = 4096 => unaccounted sent bytes: 4096
		.total.ledger.unaccounted_rx = null => unaccounted received bytes: unknown
	END
	jq '.total.zerocopy.requests_reported = 9 | .total.verdict.copied_fraction = 1' good.json >uring.json
	fake uring.json 130
	run -0 gate --baseline base.json -- true
	[[ $output =~ 'zero-copy sends that were copied'.*new ]]
	# A baseline is never recorded from unknown counts.
	fake bad.json 130
	run -6 gate --record other.json -- true
	[ ! -e other.json ]
	# A row that the baseline lacks is new if it is known, and unknown if not.
	jq 'del(.metrics.copies_per_byte)' base.json >lacking.json
	jq '.total.ledger.copies_per_byte = null' good.json >null.json
	fake null.json 130
	run -6 gate --baseline lacking.json -- true
	[ "$(result_of 'copies per byte')" = unknown ]
	fake good.json 130
	run -0 gate --baseline lacking.json -- true
	[ "$(result_of 'copies per byte')" = new ]
	# Worse and unknown at once is a failure: the unknown count could not change it.
	jq '.total.ledger.copies_per_byte = null | .total.refused.enobufs = 50' good.json >both.json
	fake both.json 130
	run -5 gate --baseline base.json -- true
}

@test "copy-gate: an assertion that is false fails, one that is unknown is not judged, with or without --record" {
	local what

	document >good.json
	for what in '' '--record new.json'; do
		fake good.json 5 '' "netiotrace: assertion 'a <= 0' does not hold: found 1 in the total."
		# shellcheck disable=SC2086 # an option and its value
		run -5 gate $what -- true
		[[ $output == *"'a <= 0' does not hold"* ]]
		fake good.json 5 '' "netiotrace: assertion 'a <= 0' does not hold: unknown in the total: no hook."
		# shellcheck disable=SC2086
		run -6 gate $what -- true
		[[ $output == *"'a <= 0' does not hold"* ]]
		# One of two is false.
		fake good.json 5 '' "netiotrace: assertion 'b <= 0' does not hold: found 1 in the total.
	netiotrace: assertion 'a <= 0' does not hold: unknown in the total: no hook."
		# shellcheck disable=SC2086
		run -5 gate $what -- true
		[ ! -e new.json ]
	done
	# attach that fails at its end gives no verdict.
	fake good.json 1 '' 'netiotrace: the books do not balance.'
	run -6 gate -- true
}

@test "copy-gate --sample-calls: sampled counts of calls are not judged, copies and shares by their bounds" {
	document >good.json
	fake good.json 130
	gate --record base.json -- true
	# Calls were seen a tenth of the time; estimates: 0.4 copies per byte, 60 % spliced.
	jq '.events = {quality: "sampled", time_share: 0.1} | .total.refused.quality = "sampled"
		| .total.sends.splice = {calls_at_least: null, calls_at_most: null}
		| .total.ledger += {copies_per_byte: 0.4, copies_per_byte_at_least: 0, copies_per_byte_at_most: 0.04}
		| .total.ledger.tx_splice = {bytes: 600000, bytes_at_least: 1030000, bytes_at_most: 1048576}
		| .total.ledger.tx_pin.bytes_at_least = 0' good.json >sampled.json
	fake sampled.json 130
	run -0 gate --sample-calls --baseline base.json -- true
	[[ $output == *'send calls per MiB '*' not judged'*'calls were seen 10 % of the time'* ]]
	[ "$(result_of 'copies per byte')" = ok ]
	[ "$(result_of 'spliced share of the sent bytes')" = ok ]
	# Without the option that is an unknown count.
	run -6 gate --baseline base.json -- true
	# An interval across the limit is no failure, one beyond it is.
	jq '.total.ledger.copies_per_byte_at_most = 1' sampled.json >wide.json
	fake wide.json 130
	run -6 gate --sample-calls --baseline base.json -- true
	jq '.total.ledger += {copies_per_byte_at_least: 0.2, copies_per_byte_at_most: 1}' sampled.json >worse.json
	fake worse.json 130
	run -5 gate --sample-calls --baseline base.json -- true
	# An estimate without a bound is none.
	jq 'del(.total.ledger.tx_splice.bytes_at_least)' sampled.json >bare.json
	fake bare.json 130
	run -6 gate --sample-calls --baseline base.json -- true
	# A baseline keeps the counts of calls that it has, and gets none from samples.
	fake sampled.json 130
	run -0 gate --sample-calls --record base.json -- true
	jq -e ".metrics.calls_per_mib.high == 16" base.json
	gate --sample-calls --record sampled-base.json -- true
	jq -e '.metrics | has("copies_per_byte") and (has("calls_per_mib") | not)' sampled-base.json
}

@test "copy-gate: counts of calls that vary as much as a scheduler varies them raise no alarm" {
	document >good.json
	# The scheduler decides how full the pipe is. Three runs make the baseline, with 200 it is compared.
	seed_random
	python3 - "$REPO/packaging/ci/copy-gate" "$RANDOM" <<-'END'
		import importlib.machinery, importlib.util, json, random, sys
		loader = importlib.machinery.SourceFileLoader("gate", sys.argv[1])
		gate = importlib.util.module_from_spec(importlib.util.spec_from_loader("gate", loader))
		loader.exec_module(gate)
		random.seed(int(sys.argv[2]))
		def run():
		    doc = json.load(open("good.json"))
		    n = random.randint(16, 24)
		    doc["total"]["sends"]["splice"] = {"calls_at_least": n, "calls_at_most": n}
		    return gate.measure(doc)
		rows = {}
		for values in [run() for _ in range(3)]:
		    rows = {m.name: gate.widened(rows.get(m.name), values[m.name]) for m in gate.METRICS}
		words = [gate.judge(m, values[m.name], rows[m.name])[0] for values in (run() for _ in range(200)) for m in gate.METRICS]
		assert set(words) == {"ok"}, words
	END
}

@test "copy-gate: without the rights to watch it fails with a sentence; --optional runs the command" {
	document >good.json
	fake good.json 4 'netiotrace: root is needed'
	run -4 gate -- touch ran
	[[ $output == *'root is needed'*'--optional'* ]]
	[ ! -e ran ]
	run -0 gate --optional --summary summary.md -- touch ran
	[ -e ran ] && grep -q 'not watched' summary.md
	run -7 gate --optional -- sh -c 'exit 7'
	# Another failure of attach is no reason to go on.
	fake good.json 3 'netiotrace: this kernel has no BTF'
	run -1 gate --optional -- touch again
	[[ $output == *'no BTF'* ]]
	[ ! -e again ]
	FAKE=$PWD/nothing run -1 gate -- true
}

@test "copy-gate: killed by SIGKILL, it leaves neither attach nor a file" {
	need_root
	mkdir tmp
	TMPDIR=$PWD/tmp "$REPO/packaging/ci/copy-gate" --netiotrace "$NETIOTRACE" --comm nosuch --record base.json -- sh -c 'echo $$ >begun; exec sleep 300' 3>&- &
	gate=$!
	within 60 test -s begun # it begins once attach is ready
	attach=$(cut -d' ' -f2 tmp/copy-gate.*)
	grep -qx netiotrace "/proc/$attach/comm"
	kill -9 $gate
	within 60 test ! -e "/proc/$attach/comm"
	kill "$(<begun)"
	[ -z "$(ls tmp)" ]
	[ ! -e base.json ]
}

@test "copy-gate: refuses a baseline that is none, and files that cannot be written, before the command runs" {
	local bad

	for bad in '{' '[]' '{"schema": "netiotrace.copy-gate/2"}' \
		'{"schema": "netiotrace.copy-gate/2", "metrics": {"copies_per_byte": {"low": 2, "high": "x"}}}'; do
		echo "$bad" >bad.json
		FAKE=/bin/false run -1 gate --baseline bad.json -- touch ran
		[[ $output == *bad.json* && $output != *Traceback* ]]
		[ ! -e ran ]
	done
	# The calls of an older one are no calls.
	jq -n '{schema: "netiotrace.copy-gate/1", metrics: {calls_per_mib: {low: 16, high: 16}}}' >old.json
	for bad in --baseline --record; do
		FAKE=/bin/false run -2 gate $bad old.json -- touch ran
		[[ $output == *'old.json was recorded by an older copy-gate'*'record it again with --record.' ]]
		[ ! -e ran ]
	done
	echo '{' >bad.json
	for bad in '--record bad.json' '--record none/base.json' '--json none/doc.json'; do
		# shellcheck disable=SC2086 # an option and its value
		FAKE=/bin/false run -1 gate $bad -- touch ran
		[[ $output == *" ${bad#* }"* && $output != *Traceback* ]]
		[ ! -e ran ]
	done
	run -2 gate
	run -2 gate --baseline base.json --
}

@test "copy-gate: text of the watched program cannot change the summary" {
	document | jq '.total.verdict.text = "a|b\n# c <img src=x> [d](http://e) `f`"' >odd.json
	fake odd.json 130
	run -0 gate --summary summary.md -- true
	run ! grep -q '^# ' summary.md
	# shellcheck disable=SC2016
	grep -qF 'a\|b # c \<img src=x\> \[d\](http://e) \`f\`' summary.md
}

@test "copy-gate: the steps of the action run in a clean clone" {
	need_root
	python3 -c 'import yaml' || skip "python3-yaml is not installed"
	git -C "$REPO" rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "this tree is no clone"
	mkdir clone && git -C "$REPO" archive HEAD packaging/ci tests/e2e/copy_gate_app.py | tar -x -C clone
	gate --record base.json -- python3 "$APP" relay spliced
	step() {
		GITHUB_STEP_SUMMARY=$PWD/summary.md python3 "$REPO/tests/e2e/action_steps.py" clone/packaging/ci \
			"netiotrace=$NETIOTRACE" baseline=base.json "$@"
	}
	run -0 step "command=python3 clone/tests/e2e/copy_gate_app.py relay spliced" 'assert=copies_per_byte <= 1.5'
	grep -q '^### Copies' summary.md
	run -5 step "command=python3 clone/tests/e2e/copy_gate_app.py relay wrapped"
	# An input is data: neither of these runs touch.
	# shellcheck disable=SC2016
	run -1 step command=true 'baseline=$(touch injected); touch injected'
	[ ! -e injected ]
}
