#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The verdict code of the kernel matrix, on generated results: each fault in a cell must be found.
# Needs no guest.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	made_by_hand
	need_tool jq
	cd "$BATS_TEST_TMPDIR" || return
	# shellcheck source=scripts/vm/lib.bash
	source "$REPO/scripts/vm/lib.bash"
	# shellcheck source=tests/vm/lib.bash
	source "$REPO/tests/vm/lib.bash"
	# shellcheck source=scripts/vm/judge.bash
	source "$REPO/scripts/vm/judge.bash"
	backends='kprobe tracepoint'
}

# A correct cell: 23 zero-copy messages of 1 KiB on loopback.
good() {
	jq -n '23552 as $total | {environment: {virtualization: "vm, emulated"}, runs: [{mode: "zerocopy", interrupted: false,
		app: {tx_bytes: $total, rx_bytes: $total, tx_messages: 23, partial_sends: 0,
			tcp: {bytes_acked: $total, bytes_received: $total, bytes_retrans: 0},
			zerocopy: {sends: 23, completed: 23, copied: 23, enobufs: 0}},
		sequence: {source: "iter/task_file", tx_bytes: $total, rx_bytes: $total, tx_retrans: 0, tx_zerocopy_ids: 23},
		ledger: {user_gather: {bytes: 0}, tx_copy: {bytes: 0, events: 0}, tx_pin: {bytes: $total, events: 23},
			deferred_copy: {bytes: $total}, rx_copy: {bytes: $total}, unclassified: 0,
			unaccounted_tx: 0, unaccounted_rx: 0},
		kernel_zerocopy: {sends: 23, completed: 23, copied: 23, copied_at_most: 23, missed: 0},
		verdict: {copied_fraction: 1, cause: "local_delivery"},
		health: {coverage: 1, missed: 0, dropped: null, map_full: 0, unmatched: null}}]}
		| .runs[].ledger[] |= if type == "object" then .bytes_at_most = .bytes else . end'
}

# The same on a kernel that refused program runs: 3 of the 23 sends have no event.
MISSED='.runs[0] |= (.health.missed = 5 | .health.coverage = 0.93 | .health.unmatched = 1
	| .ledger.tx_pin.events = 20 | .ledger.deferred_copy.bytes -= 3072
	| .kernel_zerocopy.missed = 2 | .kernel_zerocopy.copied = 21)'

# cell_of BACKEND [STATUS [CHANGE]]: writes a cell as a guest does.
cell_of() {
	mkdir -p out
	good | jq "${3:-.}" >"out/$1.loopback.zerocopy.1:1.json"
	echo "${2:-0}" >"out/$1.loopback.zerocopy.1:1.status"
	echo "netiotrace: some words." >"out/$1.loopback.zerocopy.1:1.err"
}

judged() { # BACKEND KERNEL
	judge_row "$2" out "$1" loopback zerocopy 1:1
}

@test "matrix verdict: a correct cell passes" {
	cell_of kprobe
	judged kprobe 6.1
	[ "$passed $failed $skipped" = "1 0 0" ]
}

@test "matrix verdict: each fault in a cell is found" {
	local change

	good >doc
	for change in \
		'.mode = "onecopy"' '.interrupted = true' '.app.tx_bytes -= 1' '.app.rx_bytes -= 1' \
		'.app.tx_messages = 22' '.app.tcp.bytes_acked += 1' '.app.tcp.bytes_received -= 1' \
		'.ledger.unaccounted_tx = 1' '.ledger.unaccounted_rx = null' '.ledger.tx_pin.bytes -= 1' \
		'.ledger.tx_pin.events = 22' '.ledger.tx_pin.bytes = null' '.ledger.user_gather.bytes = 1' \
		'.ledger.rx_copy.bytes = null' '.ledger.deferred_copy.bytes += 1' '.kernel_zerocopy.completed = 22' \
		'.kernel_zerocopy.copied = null' '.app.zerocopy.completed = 22 | .kernel_zerocopy.completed = 22' \
		'.sequence.tx_bytes -= 1' '.sequence.rx_bytes -= 1' '.sequence.source = "sock_diag"' \
		'.sequence.tx_zerocopy_ids = 22' '.ledger.unclassified = 1' '.health.coverage = 0.99' \
		'.ledger.tx_copy.events = null' '.ledger.deferred_copy.bytes_at_most -= 1' '.kernel_zerocopy.sends = 22' \
		'.health.map_full = 3' '.health.unmatched = 1' '.health.dropped = 1' \
		'.verdict.cause = "unknown"' '.verdict.copied_fraction = null'; do
		jq ".runs[0] |= ($change)" doc >changed
		if [ -z "$(complaints_of changed loopback zerocopy 1)" ]; then
			echo "not found: $change"
			return 1
		fi
	done
	[ -z "$(complaints_of doc loopback zerocopy 1)" ]
	jq '.environment.virtualization = "vm"' doc >changed
	[ -n "$(complaints_of changed loopback zerocopy 1)" ]
	[ -n "$(complaints_of doc tap zerocopy 1)" ]
	[ -n "$(complaints_of doc loopback onecopy 1)" ]
	[ -n "$(complaints_of doc loopback zerocopy 2)" ]
	echo '{' >doc
	[ -n "$(complaints_of doc loopback zerocopy 1)" ]
	echo '{"runs": []}' >doc
	[ -n "$(complaints_of doc loopback zerocopy 1)" ]
}

@test "matrix verdict: retransmitted bytes may be copied once more, further bytes may not" {
	good | jq '.runs[0] |= (.app.tcp.bytes_retrans = 9 | .ledger.deferred_copy.bytes += 9)' >doc
	[ -z "$(complaints_of doc loopback zerocopy 1)" ]
	jq '.runs[0].ledger.deferred_copy.bytes += 1' doc >changed
	[ -n "$(complaints_of changed loopback zerocopy 1)" ]
}

@test "matrix verdict: with missed events bytes are exact and the other counts within their bounds" {
	local change

	good | jq "$MISSED" >doc
	[ -z "$(complaints_of doc loopback zerocopy 1)" ] || complaints_of doc loopback zerocopy 1
	# Without reported misses the same values are an error.
	jq '.runs[0].health.missed = 0' doc >changed
	[ -n "$(complaints_of changed loopback zerocopy 1)" ]
	for change in '.ledger.unaccounted_tx = 1' '.ledger.tx_pin.bytes -= 1' '.ledger.tx_pin.events = 24' \
		'.kernel_zerocopy.completed = 24' '.kernel_zerocopy.copied_at_most = 22' \
		'.ledger.deferred_copy.bytes_at_most -= 1' '.ledger.deferred_copy.bytes += 3073'; do
		jq ".runs[0] |= ($change)" doc >changed
		if [ -z "$(complaints_of changed loopback zerocopy 1)" ]; then
			echo "not found: $change"
			return 1
		fi
	done
}

@test "matrix verdict: bytes are checked without events; missing events need a reason" {
	good | jq '.runs[0] |= (.ledger.tx_copy.events = null | .ledger.tx_copy.events_reason = "none"
		| .ledger.tx_pin.events = null | .health.coverage = null)' >doc
	[ -z "$(complaints_of doc loopback zerocopy 1)" ] || complaints_of doc loopback zerocopy 1
}

@test "matrix verdict on attach: a correct cell passes, each fault is found" {
	local change n=0

	mkdir -p out
	jq -n '1507328 as $sent | {health: {missed: 0, coverage: 1},
		total: {socket: {tx_zerocopy_ids: 23, tx_bytes: ($sent + 500), rx_bytes: ($sent + 500)},
		ledger: {tx_pin: {bytes: $sent}, unaccounted_tx: 0, unaccounted_rx: 0},
		zerocopy: {completed: 23, copied: 23}, verdict: {cause: "local_delivery"}}}' >doc
	echo 0 >out/attach.kprobe.status
	cp doc out/attach.kprobe.json
	judge_attach 6.1 out kprobe
	[ "$passed $failed" = "1 0" ]
	for change in '.ledger.unaccounted_tx = 1' '.ledger.unaccounted_rx = null' '.ledger.tx_pin.bytes -= 1' \
		'.zerocopy.completed = 22' '.zerocopy.copied = 22' '.verdict.cause = "unknown"'; do
		jq ".total |= ($change)" doc >out/attach.kprobe.json
		judge_attach 6.1 out kprobe >/dev/null
		n=$((n + 1))
		[ "$failed" -eq $n ] || { echo "not found: $change" && return 1; }
	done
	echo 3 >out/attach.tracepoint.status
	echo 'netiotrace: this kernel cannot be watched by attach: nothing shows tx_copy; it would take x.' >out/attach.tracepoint.err
	judge_attach 6.1 out tracepoint
	[ "$passed $failed" = "2 6" ]
	judge_attach 6.12 out tracepoint >/dev/null
	[ "$passed $failed" = "2 7" ]
}

# The kernel refused the program at the return of the greeting (64 bytes) and at a completion.
@test "matrix verdict on attach: refused runs leave kinds open by the unseen bytes, and completions" {
	local change n=0

	mkdir -p out
	jq -n '1507328 as $sent | {health: {missed: 2, coverage: (1 - 64 / (2 * ($sent + 500)))},
		total: {socket: {tx_zerocopy_ids: 23, tx_bytes: ($sent + 500), rx_bytes: ($sent + 500)},
		ledger: {tx_pin: {bytes: ($sent + 64)}, unaccounted_tx: 0, unaccounted_rx: 0},
		zerocopy: {completed: 22, copied: 22}, verdict: {cause: "local_delivery"}}}' >doc
	echo 0 >out/attach.fentry.status
	# Before Linux 6.7 the kernel does not count runs of kprobes that it refuses.
	for change in . '.health.missed = null | .total.zerocopy = {completed: 21, copied: 21}'; do
		jq "$change" doc >out/attach.fentry.json
		judge_attach rt out fentry
	done
	[ "$passed $failed" = "2 0" ]
	for change in '.health.missed = 0' '.health.coverage = 1' '.total.ledger.tx_pin.bytes += 1' \
		'.total.ledger.tx_pin.bytes -= 129' '.total.ledger.unaccounted_tx = 64' '.total.zerocopy = {completed: 0, copied: 0}' \
		'.total.zerocopy.copied = 21' '.total.zerocopy = {completed: 24, copied: 24}' \
		'.health.missed = null | .total.zerocopy = {completed: 20, copied: 20}'; do
		jq "$change" doc >out/attach.fentry.json
		judge_attach rt out fentry >/dev/null
		n=$((n + 1))
		[ "$failed" -eq $n ] || { echo "not found: $change" && return 1; }
	done
}

@test "matrix verdict on attach: on the path to a tap device no byte may be copied" {
	local change n=0

	mkdir -p out
	jq -n '1507328 as $sent | {health: {missed: 0, coverage: 1},
		total: {socket: {tx_zerocopy_ids: 23, tx_bytes: ($sent + 500), rx_bytes: 10},
		ledger: {tx_pin: {bytes: $sent}, deferred_copy: {bytes: 0}, unaccounted_tx: 0, unaccounted_rx: 0},
		zerocopy: {completed: 23, copied: 0}, verdict: {copied_fraction: 0}}}' >doc
	echo 0 >out/attach.tap.kprobe.status
	cp doc out/attach.tap.kprobe.json
	judge_attach 6.1 out kprobe tap
	[ "$passed $failed" = "1 0" ]
	for change in '.ledger.tx_pin.bytes -= 1' '.ledger.deferred_copy.bytes = 1' '.zerocopy.completed = 22' \
		'.zerocopy.copied = 1' '.verdict.copied_fraction = null'; do
		jq ".total |= ($change)" doc >out/attach.tap.kprobe.json
		judge_attach 6.1 out kprobe tap >/dev/null
		n=$((n + 1))
		[ "$failed" -eq $n ] || { echo "not found: $change" && return 1; }
	done
}

@test "matrix verdict: a refused backend is a skip, or a failure if the kernel has it" {
	mkdir -p out
	cell_of tracepoint 3
	echo '{"plan": [{"probe": "p", "hook": null, "remedy": "r", "reason": "no such hook"}]}' >out/doctor.tracepoint.json
	judged tracepoint 4.19 # not listed in tests/vm/offers
	[ "$passed $failed $skipped" = "0 0 1" ]
	[[ ${table[0]} == *"skipped: p: no such hook" ]]
	judged tracepoint 6.12
	[ "$passed $failed $skipped" = "0 1 1" ]
	rm out/doctor.tracepoint.json
	judged tracepoint 4.19
	[[ ${table[2]} == *"skipped: some words." ]]
}

@test "matrix verdict: doctor is judged on each kernel, and must find a backend on a listed one" {
	mkdir -p out
	echo '{"plan": [{"probe": "p", "hook": "h"}, {"probe": "q", "hook": null, "reason": "r", "remedy": null}]}' >out/doctor.json
	echo 0 >out/doctor.status
	judge_doctor 6.1 out
	[ "$passed $failed $skipped" = "1 0 0" ]
	echo 3 >out/doctor.status
	judge_doctor 6.1 out
	[ "$passed $failed $skipped" = "1 1 0" ]
	judge_doctor 4.19 out
	[ "$passed $failed $skipped" = "1 1 1" ]
	echo '{"plan": [{"probe": "p", "hook": null, "reason": null}]}' >out/doctor.json
	judge_doctor 6.1 out
	[ "$passed $failed $skipped" = "1 2 1" ]
}

@test "matrix verdict: a failed or missing run is a failure" {
	cell_of kprobe 1
	judged kprobe 6.1
	judged tracepoint 6.12
	[ "$passed $failed $skipped" = "0 2 0" ]
}

@test "matrix verdict: backends that differ by a byte are a failure" {
	cell_of kprobe
	cell_of tracepoint
	compare 6.12 out loopback zerocopy 1:1
	[ "$passed $failed $skipped" = "1 0 0" ]
	cell_of tracepoint 0 '.runs[0].ledger.deferred_copy.bytes += 1'
	compare 6.12 out loopback zerocopy 1:1
	[ "$passed $failed $skipped" = "1 1 0" ]
	# Retransmitted bytes are copied again; missed bytes are within the bounds.
	cell_of tracepoint 0 '.runs[0] |= (.ledger.deferred_copy |= (.bytes += 1 | .bytes_at_most += 1) | .app.tcp.bytes_retrans = 1)'
	compare 6.12 out loopback zerocopy 1:1
	[ "$passed $failed $skipped" = "2 1 0" ]
	cell_of tracepoint 0 "$MISSED"
	compare 6.12 out loopback zerocopy 1:1
	[ "$passed $failed $skipped" = "3 1 0" ]
	# Values that one backend cannot measure are not compared.
	cell_of tracepoint 0 '.runs[0].ledger.deferred_copy.bytes = null'
	compare 6.12 out loopback zerocopy 1:1
	[ "$passed $failed $skipped" = "4 1 0" ]
}

@test "matrix verdict: one backend alone has no comparison, a skip" {
	cell_of kprobe
	compare 6.12 out loopback zerocopy 1:1
	[ "$passed $failed $skipped" = "0 0 1" ]
}

# attach_says STATUS LINE...: checks the job `attach` of a guest whose tests/vm/attach prints these
# lines.
attach_says() {
	local status=$1

	shift
	mkdir -p tests/vm job
	cp "$REPO/tests/vm/guest-attach" tests/vm
	printf '%s\n' "$@" >lines
	printf '#!/bin/sh\ncat lines\nexit %s\n' "$status" >tests/vm/attach
	chmod +x tests/vm/attach
	passed=0 failed=0 skipped=0
	status=0
	tests/vm/guest-attach >job/tap 2>job/said || status=$?
	echo "$status" >job/status
	cat job/tap
	judge_job 6.12 attach job
}

@test "matrix verdict on the job attach: each scene counts, and a missing end is a failure" {
	attach_says 0 6.12.1 'ok kprobe plain tx_copy=1' 'skip kprobe ktls: TCP_ULP tls: none' 'skip tracepoint: it has none' 'done'
	[ "$passed $failed $skipped" = "2 0 2" ]
	[[ "${!skips[*]}" == *"kprobe ktls # skip TCP_ULP tls: none"* ]]
	attach_says 1 'ok kprobe plain' 'FAILED kprobe wrap: tx_copy=1 (wanted: tx_copy=2)' '{"evidence": 1}' 'done' >said
	[ "$passed $failed $skipped" = "2 1 0" ]
	grep -A 5 '^not ok vm: 6.12 attach test -' said | grep -q 'wanted: tx_copy=2'
	grep -q '^  # .*evidence' said
	# Incomplete, empty, only skips, or failed without a message: each is a failure.
	attach_says 0 'ok kprobe plain'
	[ "$passed $failed $skipped" = "1 1 0" ]
	attach_says 0 ''
	[ "$passed $failed" = "0 1" ]
	attach_says 0 'skip kprobe: not here' 'done'
	[ "$passed $failed $skipped" = "0 1 1" ]
	attach_says 1 'ok kprobe plain' 'done'
	[ "$passed $failed" = "1 1" ]
}

@test "matrix verdict: a dead guest and an unavailable kernel are failures" {
	mkdir dir
	echo 125 >dir/status
	echo "run: the guest (6.1) died" >dir/said
	judge_kernel 6.1 dir
	echo 77 >dir/status
	judge_kernel 6.1 dir
	[ "$passed $failed $skipped" = "0 2 0" ]
}

@test "matrix verdict: a matrix without any run is a failure" {
	judge_print >said
	[ "$(tail -n 1 said)" = "0 passed, 1 failed, 0 skipped" ]
}

# The package manager fails and the cache is empty.
@test "the matrix fails when its kernels cannot be fetched" {
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/apt-get
	chmod +x bin/apt-get
	cd "$REPO"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH NETIOTRACE_KERNELS=$BATS_TEST_TMPDIR/kernels \
		run ! scripts/vm/matrix -k 6.1 -k 6.12
	[[ $output == *"kernel 6.1 cannot be had"* ]]
	[ "${lines[-1]}" = "0 passed, 2 failed, 0 skipped" ]
}

@test "scripts/vm/fetch looks again for a cached kernel that lacks modules which guests need" {
	mkdir -p kernels/6.12 bin
	touch kernels/6.12/{vmlinuz,checked}
	echo the-kept-one >kernels/6.12/release
	printf '#!/bin/sh\nexit 1\n' >bin/apt-get
	chmod +x bin/apt-get
	echo 6.12.1-1 >kernels/6.12/version
	PATH=$PWD/bin:$PATH NETIOTRACE_KERNELS=$PWD/kernels run "$REPO/scripts/vm/fetch" 6.12
	echo "$output"
	[[ "$output" == *"using the the-kept-one that is here"* ]]
}
