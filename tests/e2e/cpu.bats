#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Classes of CPU time: they add up to the CPU time and show what each mode is known to do. These
# tests measure and change machine-wide settings.
# bats file_tags=alone

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
	need_tool jq
	cd "$BATS_TEST_TMPDIR" || return
	others=()
}

# In zero-copy mode a sample of several hundred may be a copy: the load generator's control messages
# between phases. A share is judged by its confidence interval, since few samples prove little.
# bats test_tags=guest
@test "cpu: the classes of each mode are the work it does, and add up to its CPU time" {
	"$NETIOTRACE" -q --mode all --duration 4s --rounds 2 --warmup 100ms --no-times --json doc.json --folded stacks
	jq -e '.runs | length == 6' doc.json
	# Equal to the nanosecond in each run and in the totals; lost samples are reported.
	jq -e '[.runs[], .summary[].total] | all(.cpu | [.sender, .receiver][] |
		([.ns[]] | add) == .cpu_ns and .samples > 0)' doc.json
	# Samples by cycles, or reports why not.
	jq -e '[.runs[], .summary[].total] | all(.cpu | (.source == "cycles") != has("source_reason"))' doc.json
	jq -e '[.runs[] | (.cpu.sender.cpu_ns / 1e9 - .app.cpu_s.sender) | fabs] | max < 1e-6' doc.json
	jq -e '[.summary[] | .total.cpu | [.sender, .receiver][] | .unclassified / .samples] | max < 0.1' doc.json
	cat >judge.jq <<'END'
def class($mode; $side; $class): .summary[] | select(.mode == $mode) | .total.cpu[$side].ns_per_kib[$class];
class("twocopy"; "sender"; "gather").low > 0 and
class("onecopy"; "sender"; "gather").value == 0 and
class("zerocopy"; "sender"; "gather").value == 0 and
class("twocopy"; "sender"; "tx_copy").low > 0 and
class("onecopy"; "sender"; "tx_copy").low > 0 and
class("zerocopy"; "sender"; "tx_copy").value < class("zerocopy"; "sender"; "tx_pin").value / 5 and
class("zerocopy"; "sender"; "tx_pin").low > 0 and
([class("zerocopy"; "sender", "receiver", "elsewhere"; "deferred_copy").value] | add) > 0 and
class("twocopy"; "sender"; "deferred_copy").value == 0 and
class("onecopy"; "sender"; "deferred_copy").value == 0 and
([.summary[].mode] | all(. as $m | $doc[0] | class($m; "receiver"; "rx_copy").low > 0))
END
	jq -e --slurpfile doc doc.json -f judge.jq doc.json
	# Each line is a stack and its count; the stacks add up to the totals.
	run ! grep -Evq '^(twocopy|onecopy|zerocopy);(sender|receiver|elsewhere);[^ ]+ [1-9][0-9]*$' stacks
	[ "$(awk '{n += $NF} END {print n}' stacks)" -eq \
		"$(jq '[.summary[].total.cpu | .sender, .receiver, .elsewhere | .samples] | add' doc.json)" ]
}

teardown() {
	local pid

	for pid in "${others[@]}"; do
		kill -INT "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "${netns-}" ] || ip netns delete "$netns"
}

# own_netns: a network namespace whose loopback receives on the second CPU, as with a device whose
# interrupt is there (RPS).
own_netns() {
	need_tool ip
	[ "$(nproc --all)" -ge 2 ] || skip "one CPU: receive work cannot run on another one"
	netns=netiotrace-test-$$
	ip netns add "$netns"
	ip -n "$netns" link set lo up
	ip netns exec "$netns" sh -c 'echo 2 >/sys/class/net/lo/queues/rx-0/rps_cpus' ||
		skip "this kernel cannot choose the CPU that receives (no RPS)"
}

# The receiver's processes do not pay for deferred copies there: samples of softirqs do. The witness
# is the class that only zero-copy makes. A NAPI poll that also received packets of other programs,
# in whatever namespace, is in "lost": beside them up to five runs. A round without samples has its
# reason, and is not judged.
@test "cpu: receive work on another CPU counts for the run, and deferred copies make zero-copy dear" {
	local seen='[.summary[].total.cpu.elsewhere.samples] | add > 50'

	own_netns
	for _ in 1 2 3 4 5; do
		ip netns exec "$netns" "$NETIOTRACE" --mode all --size 64k --duration 4s --rounds 5 --no-times \
			--cpu-sender 0 --cpu-receiver 0 --json doc.json >text
		jq -c '.runs[] | [.mode, .cpu.reason, (.cpu.elsewhere | .samples, .lost)]' doc.json
		[ "$(jq '[.runs[].cpu.softirq | select(has("ns_per_kib") and .ns_per_kib != null)] | length' doc.json)" -gt 0 ] ||
			skip "$(jq -r '.runs[0].cpu | .reason // .softirq.reason' doc.json)"
		# The sum of the classes is another way to the same figure. Its noise: about twice its square root.
		jq -e '.runs | all(.cpu | select(.softirq.ns_per_kib != null) |
			([.elsewhere.ns_per_kib[].value] | add) as $sum | .elsewhere.samples as $n |
			.softirq.ns_per_kib <= $sum and .softirq.ns_per_kib_at_most > $sum and
			(.source != "cpu-clock" or $n < 20 or .softirq.ns_per_kib > $sum * (1 - 2.1 / ($n | sqrt))))' doc.json
		[ "$(grep -c 'process ns/KiB' text)" -eq 0 ]
		[ "$(tr -s ' \n' ' ' <text | grep -Ec "cheapest in CPU time: zero-copy\.")" -eq 0 ]
		! jq -e "$seen" doc.json || break
	done
	jq -e "$seen" doc.json
	# Samples by cycles bound the time from above only.
	jq -e '.summary[] | select(.mode == "zerocopy") | .total.cpu |
		.source != "cpu-clock" or .elsewhere.ns_per_kib.deferred_copy.low > 0' doc.json
}

@test "cpu: receive work over IPv6 counts for the run" {
	own_netns
	ip netns exec "$netns" "$NETIOTRACE" -q --ipv6 --mode zerocopy --size 64k --duration 2s --rounds 1 --no-times \
		--cpu-sender 0 --cpu-receiver 0 --json doc.json
	jq -e '.runs[0].cpu.elsewhere.samples > 0' doc.json
}

# The kernel's configuration is the witness.
@test "cpu: softirq work is known unless the kernel accounts interrupts apart" {
	zcat /proc/config.gz >config 2>/dev/null || cat "/boot/config-$(uname -r)" >config ||
		skip "the configuration of this kernel cannot be read"
	"$NETIOTRACE" -q --mode onecopy --duration 1s --rounds 1 --no-times --json doc.json
	if grep -q '^CONFIG_IRQ_TIME_ACCOUNTING=y' config; then
		jq -e '.runs[0].cpu.softirq | .ns_per_kib_at_most == null and (.reason | test("interrupts apart"))' doc.json
	else
		jq -e '.runs[0].cpu.softirq | .ns_per_kib_at_most >= .ns_per_kib' doc.json
	fi
}

# beside OTHER... -- OPTION...: one-copy rounds in $netns beside the command OTHER, a zero-copy load of another
# program, which ends with them. One-copy has no deferred copies: samples of these would be the other's. The
# other's TCP work is in "lost": the run may have had it.
beside() {
	local load=()

	while [ "$1" != -- ]; do
		load+=("$1")
		shift
	done
	"${load[@]}" -q --mode zerocopy --size 64k --duration 60s --rounds 1 --backend none --json other.json 3>&- &
	others+=($!)
	sleep 0.5
	ip netns exec "$netns" "$NETIOTRACE" -q --mode onecopy --size 64k --rate 2000/s --duration 4s --rounds 2 --no-times \
		--json doc.json "${@:2}"
	kill -INT "${others[-1]}"
	wait "${others[-1]}" || true
	jq -e '.runs[0].app.zerocopy.copied > 0' other.json
	jq -e '[.runs[].cpu.stacks[] | select(test("^elsewhere;.*;skb_copy_ubufs"))] == []' doc.json
	jq -e '[.runs[].cpu.elsewhere.lost] | add > 0' doc.json
}

# In the same namespace, on the same CPU.
@test "cpu: another program's receive work is not counted for the run" {
	own_netns
	beside ip netns exec "$netns" "$NETIOTRACE" --
}

@test "cpu: receive work of another namespace is not counted for the run" {
	own_netns
	beside "$NETIOTRACE" --
}

@test "cpu: receive work of the same port at another address is not counted for the run" {
	local address

	own_netns
	for address in 127.0.0.1 127.0.0.2; do
		ip netns exec "$netns" "$NETIOTRACE" serve --listen "$address:5999" --insecure >"$address" 3>&- &
		others+=($!)
		within 3 grep -q '^ready: listening on ' "$address"
	done
	beside ip netns exec "$netns" "$NETIOTRACE" --connect 127.0.0.2:5999 -- --connect 127.0.0.1:5999
	jq -e '[.runs[].cpu.receiver_elsewhere.samples] | add > 0' doc.json
	# Both sides sampled all processors of this machine.
	jq -e '.runs[0].cpu.softirq.reason | test("one machine|interrupts apart")' doc.json
}

# share FILE CLASS...: lower bound of Wilson's interval, at 99.99 %, of the common share of these
# classes, in percent.
share() {
	local out=$1 classes

	shift
	printf -v classes ' %s ' "$*"
	awk -v classes="$classes" '
		$1 == "all" { n = $2; next }
		index(classes, " " $1 " ") { k += $2 }
		END {
			z = 3.89; p = k / n
			print int(100 * (p + z * z / (2 * n) - z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n))
		}' "$out"
}

# The lower bounds are below 100 %: user-mode copying also makes system calls, and interrupts and
# the scheduler take time.
# bats test_tags=guest
@test "cpu: a program that only copies, calls or computes has only that class" {
	local load

	[ -x "$BUILD_DIR/tests/e2e/calibrated_loads" ] || skip "the test programs are not built: make test-programs"
	for load in copies syscalls computes; do
		"$BUILD_DIR/tests/e2e/calibrated_loads" "$load" >"$load.out"
		echo "$load: $(awk '$2' "$load.out" | tr '\n' ' ')"
	done
	[ "$(share copies.out rx_copy)" -ge 70 ]
	[ "$(share syscalls.out syscall)" -ge 20 ]
	[ "$(share syscalls.out syscall user)" -ge 80 ]
	[ "$(share computes.out user)" -ge 80 ]
	# None of the three programs does this work.
	[ "$(awk '/^(gather|tx_copy|tx_pin|deferred_copy|other_copy|completion|skb) / { n += $2 } END { print n }' copies.out)" -le 3 ]
	[ "$(awk '/copy |^(gather|tx_pin|completion|tcp_ip|skb) / { n += $2 } END { print n }' syscalls.out)" -eq 0 ]
	[ "$(awk '/copy |^(gather|tx_pin|completion|tcp_ip|skb) / { n += $2 } END { print n }' computes.out)" -eq 0 ]
}

# Two-copy has the most classes, since it also gathers. When all CPUs were sampled at the same
# moments, an idle machine seemed to spend most of the receiver's time waiting for locks
# (perf_event__open_sampling). One perf for all CPUs has the same flaw (docs/KERNELS.md), so each
# cpu: perf record of the same round has the same shares by the same rules
# on one CPU keep their distance: the second samples what the first one's interrupt has just left.
# The rates are 3.5 % apart, so that few samples in a row of two CPUs coincide.
@test "cpu: perf record of the same round has the same shares by the same rules" {
	local cpu hz=887 cpus command

	need_tool perf python3
	[ -x "$BUILD_DIR/tests/e2e/classify_stacks" ] || skip "the test programs are not built: make test-programs"
	perf record -q -e cpu-clock -o perf.try true >/dev/null 2>perf.err || skip "perf cannot run: $(head -n 1 perf.err)"
	mapfile -t cpus < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep="\n")')
	# shellcheck disable=SC2016 # the run's process, not this one
	command=(sh -c 'echo $$ >pid; exec "$@"' sh "$NETIOTRACE" -q --mode twocopy --duration 4s --rounds 1 --warmup 100ms --no-times --json doc.json
		"--cpu-sender=${cpus[0]}" "--cpu-receiver=${cpus[-1]}")
	# One perf for each CPU: two on one CPU can corrupt their files when programs are loaded
	# (docs/KERNELS.md).
	for cpu in "${cpus[@]}"; do
		command=(perf record -q -e cpu-clock -F "$hz" -C "$cpu" -g -o "perf.$cpu" -- "${command[@]}")
		hz=$((hz + 32))
	done
	"${command[@]}"
	# Timer samples are late where interrupts are off, cycle samples are not: the shares differ
	# as expected.
	[ "$(jq -r '.runs[0].cpu.source' doc.json)" = cpu-clock ] || skip "the run samples by cycles, perf by cpu-clock"
	for cpu in "${cpus[@]}"; do
		perf script --show-task-events --show-mmap-events -i "perf.$cpu" -F comm,pid,time,ip,sym,dso 2>err || { echo "perf script: exit status $?: $(<err)" >&2; return 1; }
	done >stacks
	python3 "$REPO/tests/e2e/perf_shares.py" "$BUILD_DIR/tests/e2e/classify_stacks" twocopy doc.json "$(<pid)" <stacks
}

# bats test_tags=guest
@test "cpu: a run without samples has null classes with the reason" {
	"$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --json doc.json
	jq -e '.runs[0].cpu | .quality == "unavailable" and (.reason | test("--messages")) and
		.sender.samples == null and .sender.ns.tx_copy == null' doc.json
	"$NETIOTRACE" -q --mode onecopy --duration 200ms --warmup 20ms --no-cpu --json doc.json
	jq -e '.runs[0].cpu.reason | test("--no-cpu")' doc.json
	"$NETIOTRACE" -q --mode onecopy --duration 200ms --warmup 20ms --backend none --json doc.json
	jq -e '.runs[0].cpu.reason | test("backend none")' doc.json
}

@test "cpu: kptr_restrict=2 removes the samples, not the run" {
	restricted=$(</proc/sys/kernel/kptr_restrict)
	[ -w /proc/sys/kernel/kptr_restrict ] || skip "kernel.kptr_restrict cannot be set here"
	echo 2 >/proc/sys/kernel/kptr_restrict
	run "$NETIOTRACE" -q --mode onecopy --duration 200ms --warmup 20ms --json doc.json
	echo "$restricted" >/proc/sys/kernel/kptr_restrict
	[ "$status" -eq 0 ]
	jq -e '.runs[0].cpu.reason | test("kptr_restrict")' doc.json
}

# cpu: the pacing timer is in the stacks of a paced run, and not of an unpaced one
# (docs/KERNELS.md). So the sockets get a rate: half of reno's throughput. The share of timers
# depends on the cost of setting one (3 to 14 % with pacing, 2 to 5 % without), so the test looks
# for the function that the timer runs, in any task. test_stack_rules.c tests the class of that
# function.
@test "cpu: the pacing timer is in the stacks of a paced run, and not of an unpaced one" {
	paced() {
		"$NETIOTRACE" -q --mode onecopy --duration 4s --rounds 1 --warmup 100ms --no-times --path veth --congestion reno --folded "$1" --json doc.json
		jq '.summary[0].total.app.throughput_gbps' doc.json >"$1.gbps"
		jq -e '.summary[0].total.cpu.sender.samples > 0' doc.json
	}
	paced freely
	open_to_all
	cp "$BUILD_DIR/tests/e2e/paced.so" .
	# A round has a few hundred samples. On a busy machine 1 % or less have the timer's
	# function: up to five rounds.
	for _ in 1 2 3 4 5; do
		PACED_RATE=$(jq '. * 1e9 / 8 / 2 | floor' freely.gbps) LD_PRELOAD=$PWD/paced.so paced held
		wc -l freely held
		jq -e --slurpfile freely freely.gbps '. < 0.6 * $freely[0]' held.gbps
		! grep ';tcp_pace_kick[; ]' held || break
	done
	grep ';tcp_pace_kick[; ]' held
	[ "$(grep -c ';tcp_pace_kick[; ]' freely)" -eq 0 ]
}
