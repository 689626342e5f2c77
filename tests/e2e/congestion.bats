#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The congestion control of the sender's sockets, checked with ss.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_tool jq ss
	cd "$BATS_TEST_TMPDIR" || return
	allowed=$(</proc/sys/net/ipv4/tcp_allowed_congestion_control)
	system=$(</proc/sys/net/ipv4/tcp_congestion_control)
}

# seen NAME ARG...: runs netiotrace and counts the sockets of its sender that have NAME according to
# ss.
seen() {
	local name=$1 count=0 run sender

	shift
	"$NETIOTRACE" --backend none --mode onecopy --duration 60s --warmup 0 -q --json doc.json "$@" &
	run=$!
	until [ "$count" -gt 0 ] || has_ended "$run"; do
		sleep 0.05
		sender=$(own_pid 'netio-loadgen send')
		count=$(ss -tinp state established | grep -A 1 "pid=${sender:-none}," | grep -cw "$name" || true)
	done
	interrupt_until_ended "$run"
	[ "$count" -gt 0 ]
}

@test "congestion: each control that this machine allows is set on the sockets and recorded" {
	local name

	for name in $allowed; do
		seen "$name" --congestion "$name"
		[ "$(jq -r .environment.congestion_control doc.json)" = "$name" ]
		[ "$(jq -r .settings.congestion_control doc.json)" = "$name" ]
		[ "$(jq -r .environment.congestion_choice doc.json)" = asked ]
	done
}

@test "congestion: --congestion system uses the system's control; by default a pacing control is replaced" {
	local name

	seen "$system" --congestion system
	[ "$(jq -r .environment.congestion_control doc.json)" = "$system" ]
	"$NETIOTRACE" --backend none --messages 23 --warmup 20ms -q --json doc.json
	name=$(jq -r .environment.congestion_control doc.json)
	[[ $system == bbr* ]] || [ "$name" = "$system" ]
	[[ $allowed == bbr ]] || [[ $name != bbr* ]]
	# The screen says so too.
	"$NETIOTRACE" --backend none --mode onecopy --messages 23 --warmup 20ms >out 2>&1
	if [ "$(jq -r .environment.congestion_choice doc.json)" = unpaced ]; then
		[[ $(words out) == *"RESULT "*"Congestion control $name: the system's $system paces"*"CHECKED "* ]]
	else
		run ! grep -q 'Congestion control' out
	fi
}

@test "congestion: if pacing limits throughput, a note says so before the modes are compared" {
	[[ " $allowed " == *" bbr "* ]] || skip "this machine does not allow bbr"
	"$NETIOTRACE" --backend none --messages 23 --warmup 20ms --congestion bbr >out 2>&1
	[[ $(words out) == *"RESULT "*"paced (congestion control bbr)"*"CHECKED "* ]]
	"$NETIOTRACE" --backend none --messages 23 --warmup 20ms --congestion reno >out 2>&1
	run ! grep -q 'paced' out
}

@test "congestion: a control that the kernel lacks is refused before anything starts" {
	run -2 "$NETIOTRACE" --backend none --congestion nosuch --messages 1 --warmup 20ms
	[[ $output == *"this kernel has no congestion control 'nosuch'; it has "* ]]
	run -1 "$LOADGEN" --congestion nosuch --messages 1
	[[ $output == *"no congestion control 'nosuch'"* ]]
	run -2 "$LOADGEN" --congestion 'a b' --messages 1
	[[ $output == *"takes the name of a congestion control"* ]]
}

# with_default NAME COMMAND...: runs it in a network namespace whose system-wide congestion control
# is NAME.
with_default() { # NAME COMMAND...
	local name=$1

	shift
	# shellcheck disable=SC2016 # for the inner shell
	unshare --net bash -c 'ip link set lo up && echo "$0" >/proc/sys/net/ipv4/tcp_congestion_control &&
		exec "$@"' "$name" "$@"
}

words() { # joins the lines, which break at the terminal's width
	tr -s ' \n' ' ' <"$1"
}

# Whether the system paces changes the notes but not the run. Fingerprints cover all settings,
# including the congestion control.
@test "congestion: run and sweep have the same settings whether or not the system's control paces" {
	need_root
	[[ " $allowed " == *" bbr "* && " $allowed " == *" reno "* ]] || skip "bbr or reno is not allowed here"
	[[ " $allowed " != *" cubic "* ]] || other=cubic
	local name small=(--sizes 16k --threads 1 --rounds 2 --duration 100ms)

	for name in bbr "${other:=reno}"; do
		with_default "$name" "$NETIOTRACE" --size 64k --messages 46 --warmup 20ms -q --json "$name.json"
		with_default "$name" "$NETIOTRACE" sweep "${small[@]}" -o "$name" >"$name.sweep" 2>/dev/null
		[ "$(jq -r .environment.congestion_control "$name.json")" = "$other" ]
		[ "$(jq -r .environment.system_congestion_control "$name.json")" = "$name" ]
	done
	[[ $(words bbr.sweep) == *"congestion $other, since the system's bbr paces; --congestion system keeps that."* ]]
	run ! grep -q '^congestion' "$other.sweep"
	[ "$(jq .settings.fingerprint bbr.json)" = "$(jq .settings.fingerprint "$other.json")" ]
	[ "$(jq .settings.fingerprint bbr/cells/onecopy-16384-t1-r0.json)" = \
		"$(jq .settings.fingerprint "$other/cells/onecopy-16384-t1-r0.json")" ]
	# The counts are equal to the byte, except those of bytes that are sent again and so copied again.
	answers() {
		jq -ce '[.summary[] | .mode as $mode | .total | .app.tcp.bytes_retrans as $again | .ledger
			| [$mode, .tx_copy.bytes, .tx_pin.bytes, .rx_copy.bytes, .deferred_copy.bytes - .tx_pin.bytes <= $again]]' "$1"
	}
	[ "$(answers bbr.json | jq -c '[.[] | .[3]] | unique')" = "[$((46 * 65536))]" ]
	diff <(answers bbr.json) <(answers "$other.json")
	# If pacing was requested, the note comes before the table of a sweep.
	with_default bbr "$NETIOTRACE" sweep "${small[@]}" --congestion system -o system >system.txt 2>/dev/null
	[[ $(words system.txt) == *"congestion bbr paces: it holds packets back by a timer"*"Gbit/s, median"* ]]
}

@test "congestion: several controls are a dimension of a sweep and are never pooled" {
	need_root
	need_tool gnuplot
	[[ " $allowed " == *" bbr "* && " $allowed " == *" reno "* ]] || skip "bbr or reno is not allowed here"
	"$NETIOTRACE" sweep --modes twocopy,onecopy --sizes 16k --threads 1 --rounds 2 --duration 100ms \
		--congestion reno,bbr -o out >stdout 2>/dev/null
	[ "$(find out/cells -name '*-bbr-r?.json' | wc -l)" -eq 4 ]
	[ "$(find out/cells -name '*-reno-r?.json' | wc -l)" -eq 4 ]
	for file in out/cells/*.json; do
		[[ $file == *-"$(jq -r .environment.congestion_control "$file")"-r* ]]
	done
	grep -q ' 16k       1 bbr ' stdout
	grep -q ' 16k       1 reno ' stdout
	# Reads the CSV column by its name.
	python3 -c 'import csv, collections
rows = collections.Counter(r["congestion_control"] for r in csv.DictReader(open("out/results.csv")))
assert rows == {"bbr": 4, "reno": 4}, rows'
	# Reports from the directory, and of one control.
	"$NETIOTRACE" report -q -o report out
	grep -q 'The senders pace: their congestion control bbr.*Runs with reno are not in this report' report-bbr/report.md
	grep -q 'The congestion control is reno.*Runs with bbr are not in this report' report-reno/report.md
	grep -q '^4 runs: 2 cells' report-reno/report.md
	[ ! -e report ]
	"$NETIOTRACE" report -q --congestion reno -o one out
	grep -q '^4 runs: 2 cells' one/report.md
	run -1 "$NETIOTRACE" report --congestion vegas -o one out
	[[ $output == *"no run was made with vegas"* ]]
	# compare needs one of them selected.
	run -2 "$NETIOTRACE" compare out out
	[[ $output == *"runs with bbr and with reno: say --congestion bbr"* ]]
	"$NETIOTRACE" compare --congestion reno out out | grep -q '4 runs of 2 cells'
	# A run with the other control is not resumed as this one.
	cp out/cells/onecopy-16384-t1-bbr-r0.json out/cells/onecopy-16384-t1-reno-r0.json
	"$NETIOTRACE" sweep --modes twocopy,onecopy --sizes 16k --threads 1 --rounds 2 --duration 100ms \
		--congestion bbr,reno -o out --resume >/dev/null 2>stderr
	grep -q "onecopy-16384-t1-reno-r0.json is not a result of its run" stderr
	[ "$(jq -r .environment.congestion_control out/cells/onecopy-16384-t1-reno-r0.json)" = reno ]
}

# Fingerprints: equal for equal settings, different for different ones.
@test "congestion: fingerprints of settings differ between controls but not between cells" {
	print() {
		"$NETIOTRACE" --backend none --messages 5 --warmup 20ms -q --json doc.json "$@"
		jq -r .settings.fingerprint doc.json
	}
	[ "$(print)" = "$(print --size 4k --threads 2 --mode onecopy --rounds 2)" ]
	[ "$(print)" != "$(print --fields 4)" ]
	[ "$(print)" != "$(print --congestion "${allowed%% *}" --nodelay)" ]
	[ "$(print)" != "$(print --sndbuf 1m)" ]
}
