# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is used by the tests
# Helpers of the tests of export, in addition to lib.bash and attach.bash.

FLEET=$REPO/tests/e2e/fleet.py

# The mount point of cgroup v2.
cgroup_mount() {
	findmnt -n -t cgroup2 -o TARGET | head -n 1
}

need_cgroups() {
	CGROUPS=$(cgroup_mount)
	[ -n "$CGROUPS" ] || skip "cgroup v2 is not mounted"
	# A slice is no part of the name of a group.
	CGROUPS=$CGROUPS/netiotrace-test-$BATS_TEST_NUMBER-$$.slice
	mkdir "$CGROUPS" 2>/dev/null || skip "cgroups cannot be made here"
}

teardown_cgroups() {
	local cgroup

	[ -n "${CGROUPS-}" ] && [ -d "$CGROUPS" ] || return 0
	find "$CGROUPS" -name cgroup.procs -exec cat {} + | sort -u | xargs -r kill -9 2>/dev/null || true
	while IFS= read -r -d '' cgroup; do
		within 10 rmdir "$cgroup" 2>/dev/null || true
	done < <(find "$CGROUPS" -depth -type d -print0)
}

# refused_calls: the kernel's log of system calls of the test's processes that the exporter's filter
# refused. An earlier process may have had the PID of one.
refused_calls() {
	dmesg | awk -F '[][]' -v begin="$BEGIN" -v pids=" ${PEERS[*]} " '
		$2 > begin && /type=1326/ && match($0, / pid=[0-9]+/) &&
			index(pids, " " substr($0, RSTART + 5, RLENGTH - 5) " ")'
}

eval "_attach_setup() $(declare -f setup | tail -n +2)"
setup() {
	_attach_setup || return
	read -r BEGIN _ </proc/uptime
}

eval "_attach_teardown() $(declare -f teardown | tail -n +2)"
teardown() {
	_attach_teardown
	teardown_cgroups
	[ -z "$(refused_calls | tee /dev/stderr)" ]
}

# in_cgroup NAME COMMAND...: runs it in a cgroup of its own, below the cgroup of the test. NAME, if it ends
# in .service, is the group. An exporter of the whole machine adds up groups of one name, so the PID in
# it keeps another run of these tests apart.
in_cgroup() {
	mkdir -p "$CGROUPS/$1"
	# shellcheck disable=SC2016 # the shell's
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$CGROUPS/$1" "${@:2}"
}

# The exporters watch the whole machine, where another test holds 40 000 sockets at once: more than the
# default.
ROOM=(--max-sockets 131072)

# exporter NAME OPTION...: starts export in the background as $EXPORTER and waits until it is ready.
exporter() {
	rm -f "$1.ready"
	# Under nohup SIGHUP is ignored.
	background env --default-signal=HUP "${INSIDE[@]}" "$NETIOTRACE" export "${ROOM[@]}" --interval 200ms \
		--ready-file "$1.ready" "${@:2}" 2>"$1.log"
	EXPORTER=$STARTED
	within 60 test -s "$1.ready"
}

# has TEXT COMMAND...: its output has a line that matches TEXT. Reads all output.
has() {
	"${@:2}" | grep -- "$1" >/dev/null
}

page() { # PORT [CURL OPTION...]
	curl -sS --max-time 20 "${@:2}" "http://127.0.0.1:$1/metrics"
}

# value METRIC LABELS <PAGE: the sum of the metric's samples with these labels.
value() {
	awk -v name="netiotrace_$1" -v labels="${2:-}" '
		index($1, name) == 1 && ($1 == name || substr($1, length(name) + 1, 1) == "{") && index($0, labels) { sum += $NF }
		END { printf "%.0f\n", sum }'
}

# counts PORT METRIC LABELS VALUE: the next page has this value.
counts() {
	[ "$(page "$1" | value "$2" "$3")" = "$4" ]
}

query() { # EXPR
	curl -sS --max-time 20 --data-urlencode "query=$1" "$PROMETHEUS/api/v1/query"
}
