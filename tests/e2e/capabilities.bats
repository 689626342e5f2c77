#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# While a command watches, its effective capabilities are those of the table in docs/SECURITY.md
# (tests/unit compares that with the program's), and all are effective again afterwards. The
# witness is /proc/PID/status.

bats_require_minimum_version 1.5.0
load ../lib
load attach

CALLER=61001

# set_of NAME...: a set, as /proc/PID/status has it, from the kernel's header.
set_of() {
	/usr/bin/python3 - "$@" <<-'END'
		import re, sys
		header = open("/usr/include/linux/capability.h").read()
		numbers = dict(re.findall(r"^#define\s+(CAP_\w+)\s+(\d+)$", header, re.M))
		print("%016x" % sum(1 << int(numbers[name]) for name in sys.argv[1:]))
	END
}

# both SET SET: what is in both.
both() {
	printf '%016x\n' $((16#$1 & 16#$2))
}

field() { # KEY FILE
	awk -v key="$1:" '$1 == key { print $2 }' "$2"
}

# documented COMMAND: what it has while it watches, of what this test has.
documented() {
	local names

	mapfile -t names < <(awk -F ' *[|] *' -v command="$1" '
		$2 == command && $3 == "watching" { print $4 }' "$REPO/docs/SECURITY.md")
	[ "${#names[@]}" -ge 2 ]
	both "$(field CapPrm /proc/self/status)" "$(set_of "${names[@]}")"
}

# effective PID SET
effective() {
	[ "$(field CapEff "/proc/$1/status")" = "$2" ]
}

# watches PID COMMAND: it has lowered its effective set, in all threads, and nothing else.
watches() {
	local own=/proc/self/status task

	within 20 effective "$1" "$(documented "$2")"
	for task in "/proc/$1/task"/*; do
		[ "$(field CapEff "$task/status")" = "$(documented "$2")" ]
	done
	[ "$(field CapEff "$own")" != "$(documented "$2")" ]
	for set in CapPrm CapInh CapBnd CapAmb; do
		[ "$(field $set "/proc/$1/status")" = "$(field $set "$own")" ]
	done
}

# closed_dir: a directory of the caller that root enters by CAP_DAC_OVERRIDE alone.
closed_dir() {
	need_tool setpriv python3
	mkdir closed
	chown "$CALLER:$CALLER" closed
	chmod 700 closed
	export SUDO_UID=$CALLER SUDO_GID=$CALLER
}

@test "capabilities: while attach watches it has those of SECURITY.md; its files are the caller's" {
	closed_dir
	background sleep 600
	background "$NETIOTRACE" attach --pid "$STARTED" -q --interval 100ms --json closed/out.json \
		--json-lines closed/lines --ready-file closed/ready
	COLLECTOR=$STARTED
	within 60 test -s closed/ready
	watches "$COLLECTOR" attach
	lines() { [ -s closed/lines ] && [ "$(wc -l <closed/lines)" -ge 3 ]; }
	within 20 lines
	watches "$COLLECTOR" attach
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 130 ]
	[ "$(stat -c %u closed/out.json)" = "$CALLER" ]
	jq -e .schema closed/out.json >/dev/null
	[ ! -e closed/ready ]
}

@test "capabilities: a command of attach has all that root has, and under sudo is ended as another user" {
	"$NETIOTRACE" attach -q -- cat /proc/self/status >status
	for set in CapInh CapPrm CapEff CapBnd CapAmb; do
		[ "$(field $set status)" = "$(field $set /proc/self/status)" ]
	done
	# With CAP_KILL alone root may signal another user's process.
	closed_dir
	background "$NETIOTRACE" attach -q -- sleep 600
	COLLECTOR=$STARTED
	command_runs() { COMMAND=$(pgrep -P "$COLLECTOR" -x sleep); }
	within 60 command_runs
	[ "$(stat -c %u "/proc/$COMMAND")" = "$CALLER" ]
	watches "$COLLECTOR" attach
	# Not SIGINT: jobs of this shell ignore it.
	kill -TERM "$COLLECTOR"
	wait "$COLLECTOR" || [ $? -eq 143 ]
	within 20 has_ended "$COMMAND"
}

@test "capabilities: in the measured phase of run it has those of SECURITY.md; its children none, its file is the caller's" {
	local pid

	closed_dir
	background "$NETIOTRACE" run --mode onecopy --duration 8s --rounds 1 --no-cpu --interval 100ms \
		--json closed/out.json >text 2>log
	COLLECTOR=$STARTED
	within 60 measuring log
	watches "$COLLECTOR" "run, sweep"
	for pid in $(pgrep -P "$COLLECTOR"); do
		[ "$(field CapPrm "/proc/$pid/status")" = 0000000000000000 ]
		[ "$(stat -c %u "/proc/$pid")" = "$CALLER" ]
	done
	wait "$COLLECTOR"
	[ "$(stat -c %u closed/out.json)" = "$CALLER" ]
}

@test "capabilities: serve has those of SECURITY.md once it listens, in and between sessions" {
	background "$NETIOTRACE" serve --listen 127.0.0.1:0 --ready-file ready
	COLLECTOR=$STARTED
	within 60 test -s ready
	for i in 1 2; do
		watches "$COLLECTOR" serve
		"$NETIOTRACE" run -q --connect "$(cut -d " " -f 3 ready)" --mode onecopy --duration 2s --rounds 1 --json "$i.json"
		# The receiver's half, with its bytes and samples.
		jq -e '.runs[0] | .ledger.unaccounted_rx == 0 and .cpu.receiver.samples > 0' "$i.json" >/dev/null
	done
	kill -INT "$COLLECTOR"
	wait "$COLLECTOR"
	[ ! -e ready ]
}
