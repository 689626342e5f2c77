#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What decides the figures besides the mode: sysctls, packet steering, a CPU quota, other programs.

load ../lib
bats_require_minimum_version 1.5.0

setup() {
	need_root
	need_tool jq unshare
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	[ -z "${SPINNER-}" ] || kill -9 "$SPINNER" 2>/dev/null || true
	[ -z "${GROUP-}" ] || rmdir "$GROUP" || true
}

# measure ARG...: a run of 5 short rounds in a new network namespace, after the commands of `before`.
measure() {
	# shellcheck disable=SC2016
	unshare --net --mount sh -e -c 'ip link set lo up && . ./before && exec "$@"' - \
		"$NETIOTRACE" --backend none --mode onecopy --messages 200 --rounds 5 --warmup 0 "$@"
}

@test "environment: compare names the sysctl by which two runs differ" {
	need_tool ip sysctl
	: >before
	measure -q --json a.json
	echo 'sysctl -qw net.ipv4.tcp_wmem="4096 4096 8192" net.ipv4.tcp_rmem="4096 8192 16384"' >before
	measure -q --json b.json
	jq -e '.environment | .tcp_wmem == "4096 4096 8192" and .tcp_rmem == "4096 8192 16384"' b.json
	[ "$(jq .environment.rmem_max a.json)" = "$(cat /proc/sys/net/core/rmem_max)" ]
	"$NETIOTRACE" compare a.json b.json --json differs.json >out
	grep -qE '^differs tcp_wmem: 4096 [0-9]+ [0-9]+ -> 4096 4096 8192$' out
	grep -q 'The two differ in the setting tcp_rmem, which can cause any of the changes below\.' out
	jq -e '.environment_differs.tcp_wmem.after == "4096 4096 8192"' differs.json
	# A comparison of just these settings is one that can be gated.
	run -1 "$NETIOTRACE" compare a.json b.json --fail-on-regression 99%
	[[ $output == *"cannot tell"*"--across tcp_rmem"* ]]
}

# Packet steering lets the kernel refuse runs of other tests' programs.
# bats test_tags=alone
@test "environment: packet steering is that of the device in its namespace, and its absence has a reason" {
	need_tool ip
	echo 'mount -t sysfs sysfs /sys && echo 3 >/sys/class/net/lo/queues/rx-0/rps_cpus && umount /sys' >before
	measure -q --json steered.json
	[ "$((16#$(jq -r .environment.rps_cpus steered.json)))" -eq 3 ]
	# The /sys of another namespace does not count.
	: >before
	measure -q --json not.json
	[ "$(jq -r .environment.rps_cpus not.json | tr -d 0,)" = "" ]
	chmod 777 .
	unprivileged "$NETIOTRACE" --backend none --mode onecopy --messages 20 --warmup 0 -q --json nobody.json
	jq -e '.environment | .rps_cpus != null or .rps_cpus_reason != null' nobody.json
	# shellcheck disable=SC2016
	unshare --mount sh -c 'mount -t tmpfs none /sys/devices/system/cpu && exec "$@"' - \
		"$NETIOTRACE" --backend none --mode onecopy --messages 20 --warmup 0 -q --json hidden.json
	jq -e '.environment | .mitigations == null and .mitigations_reason != null' hidden.json
}

words() { # joins the lines, which break at the terminal's width
	tr -s ' \n' ' ' <"$1"
}

# with_quota: makes a cgroup in GROUP, of the version that has the controller here, with 0.05 CPUs: less than a busy
# machine leaves a run.
with_quota() {
	local v1 v2

	v1=$(findmnt -n -t cgroup -O cpu -o TARGET | head -n 1)
	v2=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	if [ -n "$v1" ] && mkdir "$v1/netiotrace-$$"; then
		GROUP=$v1/netiotrace-$$
		echo 5000 >"$GROUP/cpu.cfs_quota_us"
	elif [ -n "$v2" ] && grep -qw cpu "$v2/cgroup.controllers" && echo +cpu >"$v2/cgroup.subtree_control" &&
		mkdir "$v2/netiotrace-$$"; then
		GROUP=$v2/netiotrace-$$
		echo "5000 100000" >"$GROUP/cpu.max"
	else
		skip "no cgroup here can have a CPU quota"
	fi
}

@test "environment: a run that a CPU quota throttles says so, in how many periods, and doctor before it" {
	need_tool findmnt
	with_quota
	# shellcheck disable=SC2016
	inside=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP")
	"${inside[@]}" "$NETIOTRACE" --backend none --mode onecopy --duration 1s --warmup 0 --json doc.json >out
	[[ $(words out) == *"RESULT "*"quota"*"0.05 CPUs"*"throttled"*"CHECKED "* ]]
	jq -e '.environment | .cpu_quota == 0.05 and .cpu_throttled_periods > 0 and .cpu_throttled_s > 0
		and .cpu_periods >= .cpu_throttled_periods' doc.json
	periods=$(jq -r '.environment | "\(.cpu_throttled_periods) of \(.cpu_periods) periods"' doc.json)
	[[ $(words out) == *"$periods"* ]]
	"${inside[@]}" "$NETIOTRACE" doctor --json doctor.json >out || true
	jq -e '.checks[] | select(.name == "cpu_quota") | .state == "limited" and (.value | startswith("0.05 CPUs"))' doctor.json
	"$NETIOTRACE" --backend none --mode onecopy --messages 20 --warmup 0 --json free.json >out
	run ! grep -q quota out
	jq -e '.environment.cpu_throttled_periods != null' free.json
}

@test "environment: CPU time of other programs in the rounds is seen, that of the run is not" {
	sh -c 'while :; do :; done' 3>&- &
	SPINNER=$!
	"$NETIOTRACE" --backend none --mode onecopy --duration 1s --warmup 0 --json busy.json >out
	# One of CPUs, which the load generator's two threads may take in part.
	jq -e '.environment | .cpu_others > 0.3 / .cpus and .cpu_others <= 1' busy.json
	jq -e '.runs[0].health | .cpu_others > 0 and .cpu_steal != null' busy.json
	jq -e '.environment.load_average_end != null and .environment.irq_time_accounting != null' busy.json
}

@test "environment: without a kernel configuration BTF tells CONFIG_IRQ_TIME_ACCOUNTING, and /proc/kallsyms is not read" {
	need_tool strace
	"$NETIOTRACE" -q --backend none --mode onecopy --messages 23 --warmup 0 --json usual.json
	strace -f -o trace -P /proc/config.gz -P "/boot/config-$(uname -r)" -P /proc/kallsyms -e trace=openat \
		-e inject=openat:error=ENOENT \
		"$NETIOTRACE" -q --backend none --mode onecopy --messages 23 --warmup 0 --json out.json
	grep -q /proc/config.gz trace
	[ "$(grep -c /proc/kallsyms trace)" -eq 0 ]
	jq -e '.environment.irq_time_accounting != null' out.json
	[ "$(jq .environment.irq_time_accounting out.json)" = "$(jq .environment.irq_time_accounting usual.json)" ]
}
