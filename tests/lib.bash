# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Helpers of the bats tests: load '../lib'. Paths of the programs, requirements of tests, and checks
# that nothing is left.

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# O and NETIOTRACE_BIN choose the programs under test: another build, a sanitizer build, or an
# installed one.
BUILD_DIR=${O:-build}
[[ $BUILD_DIR == /* ]] || BUILD_DIR=$REPO/$BUILD_DIR
NETIOTRACE_BIN=${NETIOTRACE_BIN:-$BUILD_DIR}
export NETIOTRACE=$NETIOTRACE_BIN/netiotrace
export LOADGEN=$NETIOTRACE_BIN/netio-loadgen
BPFTOOL=$(PATH=$PATH:/usr/sbin:/usr/local/sbin type -P bpftool || true)
export REPO BUILD_DIR BPFTOOL

# For `run -N`. Scripts that are not tests load this file as well.
! declare -F bats_require_minimum_version >/dev/null || bats_require_minimum_version 1.5.0

# For the rest of a test: no other one that calls this runs beside it. io_uring's modes need memory that
# is pinned, RLIMIT_MEMLOCK counts the pages of all load generators, which run as one user, and not
# every root may raise it.
pins_much() {
	exec {PINS}<"$REPO/tests/lib.bash"
	flock -w 300 "$PINS"
}

# bats starts the countdown of BATS_TEST_TIMEOUT before the countdown can be ended: a test that ends
# in between leaves its sleep behind, and bats waits for all of it. So a test begins when the
# countdown has its trap.
if declare -F bats_start_timeout_countdown >/dev/null; then
	eval "_begin_countdown() $(declare -f bats_start_timeout_countdown | tail -n +2)"

	bats_start_timeout_countdown() {
		_begin_countdown "$@"
		_until_trapped "$!" ABRT
	}
fi

# _until_trapped PID SIGNAL: waits until the shell PID has started a job and has a trap for SIGNAL:
# before it starts jobs, a forked shell has its parent's trap. Returns at once on a kernel without
# CONFIG_PROC_CHILDREN, which lists no jobs.
_until_trapped() {
	local job name value bit=$((1 << ($(kill -l "$2") - 1)))

	while [ -e "/proc/$1/task/$1/children" ]; do
		# The file has no newline at its end.
		read -r job <"/proc/$1/task/$1/children" || [ -n "$job" ] || continue
		while read -r name value; do
			if [ "$name" = SigCgt: ] && ((16#$value & bit)); then
				return
			fi
		done <"/proc/$1/status"
	done 2>/dev/null
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# need_tool NAME...
need_tool() {
	local tool

	for tool; do
		type -P "$tool" >/dev/null || skip "$tool is not installed"
	done
}

# The kernel accepts kprobe perf events.
has_kprobes() {
	[ -e /sys/bus/event_source/devices/kprobe ]
}

# json FILE EXPR: the value of a jq expression, without quotes; fails if it is null, false or
# absent.
json() {
	jq -e -r "$2" "$1"
}

# within SECONDS COMMAND...: repeats COMMAND until it succeeds, for events that follow a moment
# later: the kernel frees memory, a process starts. The tests do not time them: on a busy machine it
# waits at least a minute.
within() {
	local end=$((SECONDS + ($1 > 60 ? $1 : 60)))
	shift

	until "$@"; do
		if ((SECONDS > end)); then
			return 1
		fi
		sleep 0.05
	done
}

# text_before_detaching PID: Ctrl-C ends netiotrace PID. It closes BPF links after its last text.
text_before_detaching() {
	local calls=calls.$1 status=0

	need_tool strace
	strace -y -e trace=write,close -e signal=none -o "$calls" -p "$1" 2>/dev/null 3>&- &
	within 60 grep -q '^TracerPid:.[1-9]' "/proc/$1/status"
	kill -INT "$1"
	wait "$1" || status=$?
	ends_with 130 "$status"
	wait $!
	awk '/^write\(1</ { text = NR } /^close\([0-9]+<anon_inode:bpf[_-]link>/ { detached = NR }
		END { exit !(text && text < detached) }' "$calls" || { grep -v libbpf "$calls" | tail -n 40 && return 1; }
}

# ends_with EXPECTED STATUS: a program has ended as expected.
ends_with() {
	[ "$2" -eq "$1" ] || { echo "exit status $2, not $1" && cat log stderr 2>/dev/null | grep -v libbpf && return 1; }
}

now_ms() {
	date +%s%3N
}

# promptly COMMAND...: for actions that are promised within a second. Succeeds within a second, or,
# on a slow or busy machine, before the end of two whole runs of one message, begun after that
# second. The same load delays both. Such a run loads the programs, starts both processes, attaches,
# detaches and ends: several times the work of an end alone. A busy machine cannot keep the second
# itself; a longer time is printed.
promptly() {
	local begin end runs=2

	begin=$(now_ms)
	end=$((begin + 1000))
	until "$@"; do
		if (($(now_ms) < end)); then
			sleep 0.02
		elif ((runs-- > 0)); then
			"$NETIOTRACE" -q --mode onecopy --messages 1 --warmup 0 </dev/null >/dev/null 2>&1 || sleep 1
		else
			echo "not promptly: $*"
			return 1
		fi
	done
	(($(now_ms) < end)) || echo "after $(($(now_ms) - begin)) ms, not within a second: $*"
}

# has_ended PID: the child has ended, waited for or not.
has_ended() {
	! grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"
}

# seed_random: random moments that NETIOTRACE_SEED=N repeats.
seed_random() {
	RANDOM=${NETIOTRACE_SEED:=$RANDOM}
	echo "again: NETIOTRACE_SEED=$NETIOTRACE_SEED"
}

# measuring FILE: FILE, stderr of a run, shows the measured phase.
measuring() {
	grep -qsE '^ *[0-9.]+s [a-z-]+ [0-9]+/[0-9]+ ' "$1"
}

# has_sent PID: a socket of PID has sent more than greetings and control frames.
has_sent() {
	ss -tinpOH | grep "pid=$1," | grep -qE 'bytes_sent:[0-9]{6,}'
}

# Every process of a test, and its children, have the test's name in their environment, which
# distinguishes leftovers from processes of others on the machine.
export NETIOTRACE_TEST=${BATS_TEST_TMPDIR:-$$}

# own_processes [WORDS]: this test's programs that still run and have WORDS in their command line, a
# line each with PID and command line.
own_processes() {
	local pid command

	grep -lzsxF "NETIOTRACE_TEST=$NETIOTRACE_TEST" /proc/[0-9]*/environ | cut -d / -f 3 | while read -r pid; do
		# The process may have ended.
		command=$({ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null) || continue
		if [[ $command == *"${1-}"* ]] && [[ ${command%% *} == */netio* ]]; then
			echo "$pid $command"
		fi
	done
}

# own_pid WORDS: the PID of the first of them.
own_pid() {
	own_processes "$1" | head -n 1 | cut -d ' ' -f 1
}

# A network namespace outlives its processes only if a file of it is mounted.
netns_mounts() {
	grep -o 'net:\[[0-9]*\].*' /proc/self/mountinfo | sort
}

veth_list() {
	ip -o link show type veth 2>/dev/null | sed 's/^[0-9]*: \([^:]*\):.*/\1/' | sort
}

# BPF programs of netiotrace (their names begin with nio_) that no process holds. A run, of any
# user, holds its programs.
orphaned_programs() {
	comm -23 \
		<("$BPFTOOL" -j prog show 2>/dev/null |
			jq -r '.[] | select(.name // "" | startswith("nio_")) | .id' | sort) \
		<(cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u)
}

# note_before: records existing namespaces and devices; call it in setup.
note_before() {
	_netns_before=$(netns_mounts)
	_veth_before=$(veth_list)
}

_added() {
	comm -13 <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

_leftovers() {
	local what

	what=$(own_processes)
	[ -z "$what" ] || echo "a program still runs: $what"
	what=$(_added "${_netns_before-}" "$(netns_mounts)")
	[ -z "$what" ] || echo "a network namespace is left: $what"
	what=$(_added "${_veth_before-}" "$(veth_list)")
	[ -z "$what" ] || echo "a veth device is left: $what"
	if [ "$(id -u)" -eq 0 ] && [ -n "$BPFTOOL" ]; then
		what=$(orphaned_programs)
		[ -z "$what" ] || echo "BPF programs are left that no process holds: $what"
	fi
}

_nothing_left() {
	[ -z "$(_leftovers)" ]
}

# assert_nothing_left: within 3 s no process, namespace, device or BPF object of the test is left.
assert_nothing_left() {
	within 3 _nothing_left || {
		_leftovers
		return 1
	}
}

# unprivileged COMMAND...: runs it without root and capabilities.
unprivileged() {
	setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all "$@"
}

# with_python3 FILE COMMAND...: runs COMMAND where /usr/bin/python3 is FILE, and no other python3 is in PATH.
with_python3() {
	need_root
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m -- sh -c 'mount --bind "$1" /usr/bin/python3 && shift && PATH=/nonexistent exec "$@"' sh "$@"
}

# without_python3 COMMAND...: runs COMMAND where there is none.
without_python3() {
	local all=$BATS_TEST_TMPDIR/.usr-bin

	need_root
	mkdir -p "$all"
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m -- sh -c 'mount --bind /usr/bin "$1" && mount -t tmpfs none /usr/bin &&
		"$1"/find "$1" -mindepth 1 -maxdepth 1 ! -name python3 -exec "$1"/ln -st /usr/bin {} + &&
		shift && PATH=/nonexistent exec "$@"' sh "$all" "$@"
}

# open_to_all: lets every user enter this test's directory, which bats creates for its own user.
open_to_all() {
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR"
}

# for_all DIR COPY: prints a directory with DIR's programs that every user may enter, since tests
# give up root: DIR itself, or, if DIR is in a closed home directory, COPY, which it creates.
for_all() {
	if [ "$(id -u)" -ne 0 ] || [ ! -e "$1/netiotrace" ] ||
		unprivileged test -x "$1/netiotrace" -a -x "$1/netio-loadgen"; then
		echo "$1"
		return
	fi
	mkdir -p "$2" && chmod 755 "$2" && cp "$1/netiotrace" "$1/netio-loadgen" "$2" &&
		echo "$2"
}

# make_here TARGET...: make in this tree, one at a time, since parallel tests may build the same
# target.
make_here() {
	flock "$BUILD_DIR" make -s -C "$REPO" O="$BUILD_DIR" "$@"
}

# free_port: a TCP port without a listener. Each call gets another one, as parallel tests take theirs
# a moment later, below the ports that the kernel gives to their connections and to bind(0), and
# below those of docs/recipes, which are replaced by such ports.
free_port() {
	python3 - "${TMPDIR:-/tmp}/netiotrace-port.$(id -u)" <<-'END'
		import fcntl, os, random, socket, sys
		def is_free(port):
		    both = socket.has_dualstack_ipv6()
		    with socket.socket(socket.AF_INET6 if both else socket.AF_INET) as s:
		        if both:
		            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
		        try:
		            s.bind(("", port))
		        except OSError:
		            return False
		        return True
		with os.fdopen(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+") as f:
		    fcntl.flock(f, fcntl.LOCK_EX)
		    port = int(f.read() or random.randrange(10000, 26000))
		    while True:
		        port = port + 1 if port < 25999 else 10000
		        if is_free(port):
		            break
		    f.seek(0)
		    f.write(str(port))
		print(port)
	END
}

ss_listens() { # PORT
	ss -Hltn "sport = :$1" | grep -q .
}

# interrupt_until_ended PID: repeats SIGINT, since bpftrace loses one that arrives just before it
# waits.
interrupt_until_ended() {
	while ! has_ended "$1" && kill -INT "$1" 2>/dev/null; do
		sleep 0.2
	done
	wait "$1" 2>/dev/null || true
}

# stop_jobs: ends programs that a test left in the background; call it in teardown. Selects by name:
# the countdown of bats is a job of the same shell and must continue.
stop_jobs() {
	local name pid shell=$BASHPID # within $(...) it would be that shell's PID

	for name in netiotrace netio-loadgen iperf3 bpftrace; do
		for pid in $(pgrep -P "$shell" -x "$name"); do
			interrupt_until_ended "$pid"
		done
	done
}

# made_by_hand: excludes this test's documents from the check against the schema.
made_by_hand() {
	touch "$BATS_TEST_TMPDIR/.by-hand"
}
