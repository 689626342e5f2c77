#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The systemd unit of the exporter, in a guest in which systemd is process 1 (scripts/vm/run -s). The
# tests share one exporter and run in the order of the file, since it takes 20 s to start there.
# Waiting has long limits: beside other work, the clock of an emulated machine outruns its programs.

load ../lib

UNIT=netiotrace-export.service
UNITS=/run/systemd/system
PAGE=http://127.0.0.1:9753/metrics

# unit NAME LINE...: a service of the tests, with these lines below [Service]. It prints to NAME.out.
unit() {
	printf '%s\n' '[Service]' "WorkingDirectory=$BATS_FILE_TMPDIR" "StandardOutput=file:$BATS_FILE_TMPDIR/$1.out" \
		"${@:2}" >"$UNITS/$1.service"
}

# The program and the unit, as they are in the package: the unit names /usr/bin. The sender sends to
# the port in the sink's file, and stays: a cgroup that is gone at the snapshot has no name.
setup_file() {
	local fleet=$REPO/tests/e2e/fleet.py

	[ "$(</proc/1/comm)" = systemd ]
	install -m 755 "$NETIOTRACE" /usr/bin/netiotrace
	install -m 644 "$REPO/contrib/systemd/$UNIT" "$UNITS"
	unit sink "ExecStart=$fleet sink port"
	unit sender "ExecStart=/bin/sh -c '$fleet zerocopy \$\$(cat port) 50; exec sleep infinity'"
	systemctl daemon-reload
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED:-}" ] || journalctl --no-pager --lines 20 --unit "$UNIT"
}

property() {
	systemctl show --property "$1" --value "$UNIT"
}

page() {
	curl -sS --max-time 300 "$PAGE"
}

# value METRIC GROUP <PAGE: the metric's sum.
value() {
	awk -v begin="netiotrace_$1{group=\"$2\"" 'index($0, begin) == 1 { sum += $NF } END { printf "%.0f\n", sum }'
}

counts() { # METRIC GROUP VALUE
	[ "$(page | value "$1" "$2")" = "$3" ]
}

snapshot() {
	page | awk '$1 == "netiotrace_snapshot_timestamp_seconds" { print $2 }'
}

bpf_programs() {
	"$BPFTOOL" -j prog show | jq '[.[] | select(.name // "" | startswith("nio_"))] | length'
}

# status_of FIELD <STATUS: of a /proc/PID/status.
status_of() {
	awk -v field="$1:" '$1 == field { $1 = ""; print substr($0, 2) }'
}

# restarted PID: systemd has put another process in the place of PID, and it is ready. One call, since
# between two of them systemd may see that PID has ended: active before, no main process after.
restarted() {
	local state

	state=$(systemctl show --property ActiveState,MainPID "$UNIT")
	grep -qx 'ActiveState=active' <<<"$state" && ! grep -qxE "MainPID=(0|$1)" <<<"$state"
}

@test "the exporter's unit starts, and once systemctl has returned it serves metrics" {
	systemctl start "$UNIT"
	[ "$(property ActiveState)" = active ]
	page | grep '^netiotrace_build_info'
	[ "$(bpf_programs)" -gt 0 ]
}

# refused_calls: the kernel's log of system calls of netiotrace that a filter refused, the exporter's or
# the unit's, whose filter would end the process as well.
refused_calls() {
	dmesg | grep 'type=1326 .*comm="netiotrace"'
}

# On this kernel the exporter needs no capability once its programs are attached (docs/SECURITY.md).
# The bounding set shows that it never had others than CAP_PERFMON and CAP_BPF.
@test "the unit's process has a dynamic user, no capability, no_new_privs and a seccomp filter" {
	local uid set

	uid=$(property UID)
	cp "/proc/$(property MainPID)/status" status
	# The range of DynamicUser=, see systemd.exec(5).
	[ "$uid" -ge 61184 ]
	[ "$uid" -le 65519 ]
	[ "$(status_of Uid <status)" = "$uid $uid $uid $uid" ]
	[ "$(status_of CapBnd <status)" = 000000c000000000 ]
	for set in CapEff CapPrm CapInh CapAmb; do
		[ "$(status_of $set <status)" = 0000000000000000 ]
	done
	[ "$(status_of NoNewPrivs <status)" = 1 ]
	[ "$(status_of Seccomp <status)" = 2 ]
	# The exporter has loaded its filter on top of the unit's.
	run ! grep 'not filtered' <(journalctl --no-pager --unit "$UNIT")
}

@test "the unit's exporter has each byte that two services count themselves, under their names" {
	local sent

	systemctl start sink.service
	within 300 test -s port
	systemctl start sender.service
	within 300 test -s sender.out
	sent=$(jq .sent sender.out)
	[ "$sent" -eq $((50 * 65536)) ]
	within 300 counts tcp_sent_bytes_total sender.service "$sent"
	within 300 counts tcp_received_bytes_total sink.service "$sent"
	# Each byte has a stage or is unclassified.
	page >page.txt
	[ $(($(grep '^[^}]*stage="tx_' page.txt | value stage_bytes_total sender.service) +
		$(grep '^[^}]*direction="sent"' page.txt | value unclassified_bytes_total sender.service))) -eq "$sent" ]
	# send() may take a part.
	[ "$(value zerocopy_sends_total sender.service <page.txt)" -ge 50 ]
}

@test "after kill -9 systemd starts the unit again, with the options of a drop-in" {
	local pid

	pid=$(property MainPID)
	# With this interval, only a signal leads to a snapshot.
	mkdir -p "$UNITS/$UNIT.d"
	printf '%s\n' '[Service]' 'Environment="NETIOTRACE_EXPORT_OPTIONS=--by port --interval 1h"' >"$UNITS/$UNIT.d/options.conf"
	systemctl daemon-reload
	kill -KILL "$pid"
	within 600 restarted "$pid"
	[ "$(property NRestarts)" = 1 ]
	[ "$(tr '\0' ' ' <"/proc/$(property MainPID)/cmdline")" = "/usr/bin/netiotrace export --by port --interval 1h " ]
	page | grep '^netiotrace_build_info'
}

@test "systemctl reload takes a snapshot, and the same process goes on" {
	local pid before

	pid=$(property MainPID)
	before=$(snapshot)
	[ -n "$before" ]
	systemctl reload "$UNIT"
	newer() { awk -v a="$(snapshot)" -v b="$before" 'BEGIN { exit !(a > b) }'; }
	within 300 newer
	[ "$(property ActiveState)" = active ]
	[ "$(property MainPID)" = "$pid" ]
}

@test "systemctl stop ends the exporter with success, and leaves no program, socket or cgroup" {
	local cgroup

	cgroup=/sys/fs/cgroup$(property ControlGroup)
	[ -d "$cgroup" ]
	[ "$(bpf_programs)" -gt 0 ]
	ss_listens 9753
	systemctl stop "$UNIT"
	[ "$(property ActiveState)" = inactive ]
	[ "$(property Result)" = success ]
	[ "$(property ExecMainStatus)" = 0 ]
	run ! ss_listens 9753
	[ ! -e "$cgroup" ]
	# The kernel frees programs after a grace period.
	none_left() { [ "$(bpf_programs)" -eq 0 ]; }
	within 300 none_left
	# All that it has done since the first start was allowed.
	run ! refused_calls
}
