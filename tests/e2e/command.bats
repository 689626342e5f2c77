#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The command line: what is refused, with one sentence and which exit code, before anything starts.

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# refused ARGS...: exit 2, one line on stderr that begins with the program's name, nothing on
# stdout, no file written.
refused() { # ARGS...
	local code=0

	"$NETIOTRACE" "$@" >stdout 2>stderr </dev/null || code=$?
	if [ "$code" -ne 2 ] || [ -s stdout ] || [ "$(wc -l <stderr)" -ne 1 ] ||
		! grep -q '^netiotrace: ' stderr; then
		echo "$*: exit $code"
		cat stdout stderr
		return 1
	fi
}

# bats test_tags=address
@test "bad input is refused with one sentence and exit 2" {
	refused --mode threecopy
	refused --mode ''
	for size in 0 63 3x 99999999999999999999 -1 16777217 17m '' ' 64k'; do
		refused --size "$size"
	done
	for n in -1 0 257 x 1.5 ''; do refused --threads "$n"; done
	for n in 0 65 x; do refused --fields "$n"; done
	for t in 0 0s -1s x 25h ''; do refused --duration "$t"; done
	for n in 0 -3 x 281474976710657; do refused --messages "$n"; done
	refused --messages 3 --duration 1s
	refused --path moon
	refused --backend fprobe
	refused --rounds 0
	refused --duration 10ms --rounds 5
	refused --mtu 1500
	refused --path veth --mtu 100
	refused --interval 1ms
	refused --cpu-sender 0-x
	refused --cpu-sender 8192
	refused --json - --csv -
	refused --json x --csv x
	refused --json "$PWD/x" --csv ./x
	refused attach --port 1 --json x --csv ./x
	refused attach --port 1 --json - --csv -
	for a in 0 0.09 101 -1 1,5 5% nan inf ''; do
		refused attach --budget "$a" -- touch x
	done
	refused attach --budget 1 --count-calls -- touch x
	[ ! -e x ]
	refused --count-calls --backend none
	refused run doctor
	refused -q doctor
	refused sweepp
	refused help sweepp
	refused help sweep report
	refused doctor veth
	refused doctor --mtu 1500
	for a in '' 192.0.2.7 :5201 192.0.2.7:0 192.0.2.7:65536 ::1:5201 '[::1]' '[192.0.2.7]:1'; do
		refused --connect "$a"
		refused serve --listen "$a:x"
	done
	for path in loopback veth; do refused --connect 192.0.2.7:5201 --path "$path"; done
	refused --connect 192.0.2.7:5201 --mtu 1500
	refused --connect 192.0.2.7:5201 --ipv6
	refused --connect 192.0.2.7:5201 --rcvbuf 64k
	refused --connect 192.0.2.7:5201 --cpu-receiver 0
	refused serve
}

# bats test_tags=address
@test "CPUs and congestion controls that this machine lacks are refused with one sentence and exit 2" {
	# CPU 8191 is the last that an option can name; only a machine with 8192 CPUs has it.
	[ "$(nproc)" -lt 8192 ]
	for side in sender receiver; do
		refused "--cpu-$side" 0,8191 --json x
		grep -q "^netiotrace: --cpu-$side names CPU 8191, which this machine does not have" stderr
		refused sweep "--cpu-$side" 8191 -o results
	done
	refused serve --listen 127.0.0.1:0 --cpu-receiver 8191
	refused serve --listen 127.0.0.1:0 --congestion nosuch
	grep -q "this kernel has no congestion control 'nosuch'; it has " stderr
	[ ! -e x ]
	[ ! -e results ]
}

# bats test_tags=address
@test "messages that need more than half of the memory are refused with one sentence and exit 2" {
	# The largest possible request is 128 GiB.
	[ "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" -lt 268435456 ] ||
		skip "this machine has 256 GiB and more"
	refused --mode twocopy --size 16m --connections 4096 --json x
	grep -q '^netiotrace: twocopy messages of 16 MiB on 4096 connections would take 128 GiB, more than half' stderr
	[ ! -e x ]
}

# Not tagged for sanitizers: their library must be preloaded before any other.
@test "a sweep with one cell that needs more than half of the memory is refused with exit 2" {
	grid=(--modes "onecopy,twocopy" --sizes "64k,1m" --threads "1,8" --duration 30ms --warmup 0 --rounds 1
		--backend none --no-cpu -q)
	export LD_PRELOAD=$BUILD_DIR/tests/e2e/little_memory.so MEMORY_PAGES
	# The largest cell needs 16 MiB. The machine has 32 MiB less one page.
	MEMORY_PAGES=$((32 * 1048576 / $(getconf PAGESIZE) - 1))
	refused sweep "${grid[@]}" -o results
	grep -qx 'netiotrace: twocopy messages of 1 MiB on 8 connections would take 16 MiB, more than half of this .*' stderr
	[ ! -e results ]
	# A grid without that cell starts; so does the whole grid with one page more.
	"$NETIOTRACE" sweep "${grid[@]}" --threads 1,7 -o fewer
	((MEMORY_PAGES += 1))
	"$NETIOTRACE" sweep "${grid[@]}" -o whole
	[ "$(jq -s length fewer/cells/*.json)" -eq 8 ]
	[ "$(jq -s length whole/cells/*.json)" -eq 8 ]
}

# bats test_tags=address
@test "netiotrace and the load generator accept the same values at both bounds of each option" {
	while read -r option values; do
		for value in $values; do
			# Options before --help and --version are checked; nothing runs.
			code=0 loadgen_code=0
			"$NETIOTRACE" --"$option" "$value" --help >/dev/null 2>stderr || code=$?
			"$LOADGEN" --"$option" "$value" --version >/dev/null 2>>stderr || loadgen_code=$?
			[ "$code" -eq "$loadgen_code" ] || echo "$value: $code, $loadgen_code"
			echo "$code"
		done | tr -d '\n'
		echo " $option"
	done >codes <<-'EOF'
		size 63 64 16m 16777217
		fields 0 1 64 65
		header -1 0 64k 65537
		threads 0 1 256 257
		connections 0 1 4096 4097
		rate 0 1 100000000 100000001
		messages 0 1 281474976710656 281474976710657
		duration 0 1ns 86400s 86401s
		warmup -1 0 86400s 86401s
		sndbuf 4095 4k 1g 1073741825
		rcvbuf 4095 4k 1g 1073741825
		spin -1 0 1s 1001ms
		rcvlowat 0 1 1m 1048577
	EOF
	cat codes
	[ "$(grep -c '^2002 ' codes)" -eq 13 ]
}

# bats test_tags=guest,address
@test "an invalid --assert is refused before anything starts" {
	for e in '' foo 'onecopy.copies_per_byte' 'onecopy.copies_per_byte <=' \
		'onecopy.copies_per_byte <= two' 'threecopy.copies_per_byte == 1' \
		'onecopy.no_such_number == 1' '== 3' 'onecopy.copies_per_byte = 2'; do
		refused --assert "$e"
	done
}

# bats test_tags=guest,address
@test "an unwritable --json or --csv is refused before anything starts" {
	need_root
	refused --json /proc/nowhere/out.json
	refused --json .
	refused --csv missing/out.csv
	refused --json ''
}

# foreign COMMAND OPTION...: COMMAND refuses OPTION; the message names OPTION, COMMAND and its
# --help.
foreign() {
	refused "$@"
	grep -q -- "^netiotrace: $1 has no option ${2%%=*};" stderr
	grep -q "'netiotrace $1 --help'" stderr
}

# bats test_tags=address
@test "a command refuses options of other commands" {
	foreign run --listen=127.0.0.1:0
	foreign run --no-such-option
	foreign run --seed=1
	for option in threads=3 mode=onecopy duration=1s connect=192.0.2.7:5201 assert=x csv=x rounds=2; do
		foreign doctor "--$option"
	done
	for option in connect=192.0.2.7:5201 mode=onecopy json=out.json size=4k; do
		foreign serve "--$option" --listen 127.0.0.1:0
	done
	foreign sweep --listen=127.0.0.1:0
	foreign sweep --json=x
	foreign report --json=x
	foreign compare --output=x
	[ -z "$(find . -name 'out*')" ]
}

# bats test_tags=address
@test "help lists the commands; help COMMAND and COMMAND --help print the same options" {
	"$NETIOTRACE" help >commands
	"$NETIOTRACE" --help | diff commands -
	for command in run attach follow export sweep report compare serve doctor help; do
		grep -Eq "^  $command +[a-z]" commands
		"$NETIOTRACE" help "$command" >one
		"$NETIOTRACE" "$command" --help | diff one -
	done
	for command in run attach follow export sweep report compare serve doctor; do
		"$NETIOTRACE" help "$command" | grep -q "^Usage: netiotrace $command "
		"$NETIOTRACE" help "$command" | grep -q 'Exit'
	done
	[ "$(wc -L <commands)" -le 80 ]
	"$NETIOTRACE" help --tables >tables
	[ -z "$(awk -F '\t' 'NF != 3' tables)" ]
	cut -f 1 tables | uniq | diff <(printf '%s\n' mode receive stage latency part counter derived class column) -
}

# bats test_tags=address
@test "--help lists every option, --version prints the version" {
	"$NETIOTRACE" run --help >help
	for option in mode size fields header threads duration messages warmup rounds verify path connect mtu ipv6 \
		sndbuf rcvbuf nodelay cpu-sender cpu-receiver backend count-calls times no-times no-cpu without perf-events \
		interval json csv folded \
		assert quiet verbose; do
		grep -q -- "--$option" help || { echo "no --$option"; return 1; }
	done
	grep -q 'Exit status' help
	"$NETIOTRACE" --version | grep -q '^netiotrace [0-9]'
}

# bats test_tags=guest
@test "a backend that this kernel lacks: exit 3 with a remedy; a backend that it has runs" {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	run "$NETIOTRACE" -q --backend kprobe --rounds 1 --duration 200ms --warmup 20ms --json out.json
	if has_kprobes; then
		[ "$status" -eq 0 ]
		jq -e '[.plan[] | .backend | strings] | any(. == "kprobe") and all(. == "kprobe" or . == "iterator" or . == "none")' \
			<(jq '.plan |= map(select(.probe != "rx_copy"))' out.json) # a tracepoint in every backend
	else
		[ "$status" -eq 3 ]
		[[ $output == *doctor* ]]
	fi
}

# bats test_tags=guest
@test "without root: exit 4 with a remedy; --backend none runs" {
	need_root
	code=0
	unprivileged "$NETIOTRACE" --duration 200ms >stdout 2>stderr || code=$?
	cat stderr
	[ "$code" -eq 4 ]
	grep -q sudo stderr
	code=0
	unprivileged "$NETIOTRACE" --path veth --backend none --duration 200ms 2>stderr || code=$?
	[ "$code" -eq 4 ]
	unprivileged "$NETIOTRACE" -q --backend none --rounds 1 --duration 200ms --warmup 20ms --json - >out.json
	jq -e '[.runs[] | .app.tx_bytes > 0 and .app.rx_bytes == .app.tx_bytes
		and .ledger.unaccounted_tx == null and .ledger.copies_per_byte == null
		and .ledger.tx_copy.bytes == null and .ledger.user_gather.bytes != null]
		| length == 3 and all' out.json
}

# bats test_tags=guest,address
@test "--assert exits with 0 if it holds, 5 with the value if not; an unknown value fails" {
	need_root
	"$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --assert 'onecopy.copies_per_byte <= 2.01' \
		--assert 'onecopy.unaccounted_tx == 0' --assert 'app.tx_messages == 23'
	run "$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --assert 'onecopy.copies_per_byte < 1'
	[ "$status" -eq 5 ]
	[[ $output == *copies_per_byte* ]]
	run "$NETIOTRACE" -q --backend none --mode onecopy --messages 23 --warmup 20ms --assert 'onecopy.copies_per_byte <= 2.01'
	[ "$status" -eq 5 ]
	run "$NETIOTRACE" -q --mode onecopy --messages 23 --warmup 20ms --assert 'zerocopy.copied_fraction == 0'
	[ "$status" -eq 5 ]
}

# bats test_tags=guest,address
@test "--json - and --csv - write only data to stdout" {
	need_root
	"$NETIOTRACE" --mode onecopy --messages 23 --warmup 20ms --json - 2>stderr | jq -e .schema
	"$NETIOTRACE" --mode all --messages 23 --warmup 20ms --csv - 2>stderr >out.csv
	[ "$(wc -l <out.csv)" -eq 4 ]
	python3 - <<'EOF'
import csv
rows = list(csv.DictReader(open("out.csv")))
assert [r["mode"] for r in rows] == ["twocopy", "onecopy", "zerocopy"], rows
assert all(r["ledger_unaccounted_tx"] == "0" for r in rows)
assert all(None not in r and None not in r.values() for r in rows)
EOF
}

# fits FILE: at most 30 lines of 80 columns.
fits() {
	[ "$(wc -l <"$1")" -le 30 ] && ! LC_ALL=C.UTF-8 grep -qE '.{81}' "$1"
}

@test "the final text of a run fits in 30 lines of 80 columns with any options" {
	local options

	need_root
	for options in '--mode zerocopy' '--mode twocopy --rounds 1' '--mode onecopy --backend none' '--size 1k --threads 3' \
		'--request-response' '--rate 100000000/s' '--path veth --ipv6 --connections 7' '--congestion system' \
		'--no-cpu --no-times' '--perf-events none' '--messages 1 --rounds 1'; do
		[[ $options == *--messages* ]] || options+=' --duration 100ms'
		[[ $options == *--rounds* ]] || options+=' --rounds 2'
		# shellcheck disable=SC2086 # options, apart by spaces
		"$NETIOTRACE" $options --warmup 20ms >text 2>/dev/null </dev/null || { echo "$options"; return 1; }
		fits text && grep -q '^RESULT ' text && grep -q '^CHECKED ' text || { echo "$options"; cat text; return 1; }
	done
}

# bats test_tags=guest
@test "the final text of a run has result and checks on one screen; --details has every field" {
	need_root
	"$NETIOTRACE" --mode all --rounds 2 --duration 200ms --warmup 50ms --details --json out.json >text 2>stderr </dev/null
	cat text
	# The document has the same numbers: a column for each mode.
	for field in app.tx_bytes ledger.tx_pin.bytes ledger.rx_copy.events cpu.sender.samples; do
		row=$(jq -r --arg field "$field" '[.summary[].total | getpath($field | split("."))] | join(" ")' out.json)
		[ "$(sed -n "/^total.${field%.*}$/,/^$/p" text | sed 's/\([0-9]\) \([0-9]\)/\1\2/g' |
			awk -v key="${field##*.}" '$1 == key {print $(NF - 2), $(NF - 1), $NF}')" = "$row" ]
	done
	# Each reason is there; lines are unwrapped.
	jq -r '[.summary[] | .. | objects | to_entries[] | select(.key | test("(^|_)reason$")) | .value | strings] | unique[]' \
		out.json | tr -s ' ' >reasons
	[ -s reasons ]
	tr -s ' \n' ' ' <text >flat
	while read -r reason; do
		grep -qF -- "$reason: " flat || { echo "$reason"; return 1; }
	done <reasons
	grep -q ' 0 B unaccounted' flat
	grep -q 'sends were copied after all' flat
	grep -q 'skb_copy_ubufs' text
	grep -q 'n/a' text
	# The text without --details comes first, then a blank line.
	sed '/^Fields of /,$d' text | sed '${/^$/d}' >first
	run -1 env LC_ALL=C.UTF-8 grep -E '.{81}' first # and may be longer than a screen: nothing is left out
	head -n 4 first | grep -q '^RESULT .*ero-copy' # two header lines if the kernel's name is long
	grep -q '^CHECKED .* sent = .* received' first
	# Without a terminal, stderr has a line for each interval.
	[ -s stderr ]
}

@test "doctor prints hooks by stage, with a reason for each result that is not exact" {
	need_root
	"$NETIOTRACE" doctor --details >text
	"$NETIOTRACE" doctor --json - >doctor.json
	# A few lines, of which the first says whether it works.
	"$NETIOTRACE" doctor >short
	head -n 1 short | grep -q '^can run    yes: run, attach and export can watch here$'
	tail -n 1 short | grep -q '^details    netiotrace doctor --details'
	[ "$(grep -c '^[a-z]' short)" -le 7 ]
	[ "$(wc -l <short)" -le 12 ]
	grep -qF "$(jq -er '[.plan[] | select(.stage == "rx_copy") | .hook | strings][0]' doctor.json)" text
	jq -e '.usable and .tried and ([.plan[] | select(.quality != "exact") | .reason | length > 0] | all)' \
		doctor.json
	jq -e '[.stages[] | select(.quality != "exact") | .reason | length > 0] | all' doctor.json
	jq -e '[.checks[] | select(.state == "limited" or .state == "missing") | .remedy | length > 0] | all' \
		doctor.json
	# The text has every stage of the ledger.
	jq -e '[.stages[].stage] as $s | ["user_gather", "tx_copy", "tx_pin", "tx_splice", "deferred_copy",
		"rx_copy", "other_copy"] | map(IN($s[])) | all' doctor.json
	[ "$(wc -L <text)" -le 100 ]
}

# bats test_tags=address
@test "doctor names the hooks that attach uses" {
	need_root
	"$NETIOTRACE" doctor --json doctor.json
	jq -e '.attach_usable and ([.hooks[].command] | unique == ["attach", "run", "run, attach"])' doctor.json
	"$NETIOTRACE" attach -q --json attach.json -- true
	diff <(jq -S .attach_plan doctor.json) <(jq -S .plan attach.json)
}

@test "doctor --path veth creates the path and checks its device" {
	need_root
	"$NETIOTRACE" doctor --path veth --json - >doctor.json
	jq -e '.environment | .device == "veth0" and .mtu == 1500 and .device_scatter_gather == true and
		.packet_taps == 0' doctor.json
	jq -e '.checks[] | select(.name == "device") | .state == "ok"' doctor.json
}

# bats test_tags=address,alone
@test "doctor names a packet tap and the remedy" {
	need_root
	need_tool python3
	python3 -c '
import socket, subprocess, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("lo", 0))
sys.exit(subprocess.call(sys.argv[1:]))' "$NETIOTRACE" doctor --details >text
	cat text
	grep -Eq 'packet_tap .*lo \(python3, pid [0-9]+\)' text
	grep -Eq 'end python3 \(pid [0-9]+\)' text
}

# bats test_tags=address
@test "doctor without root names the checks that it could not do, exit 4" {
	need_root
	for path in loopback veth; do
		code=0
		unprivileged "$NETIOTRACE" doctor --details --path "$path" >text 2>stderr || code=$?
		cat text stderr
		[ "$code" -eq 4 ]
		[ "$(wc -l <stderr)" -eq 1 ]
		grep -Eq 'missing +CAP_BPF +not held' text
		grep -q 'no hook was tried' text
		[ "$(grep -Ec 'in a short round|by construction' text)" -eq 0 ]
	done
	grep -q 'cannot make the veth path' text
	# With stdout and stderr in one file, the message is the last line.
	unprivileged "$NETIOTRACE" doctor >text 2>&1 || true
	tail -n 1 text | grep -q '^netiotrace: the hooks were not tried'
	unprivileged "$NETIOTRACE" doctor --json - 2>/dev/null >doctor.json || true
	jq -e '(.tried | not) and .usable == null' doctor.json
	# The scatter-gather check works without root.
	jq -e '.environment.device_scatter_gather' doctor.json
}

# bats test_tags=address
@test "root of a user namespace is refused with the reason by run and doctor" {
	need_root
	need_tool unshare
	run unshare --user --map-root-user "$NETIOTRACE" --mode onecopy --messages 23 --warmup 20ms
	[ "$status" -eq 4 ]
	[[ $output == *"netiotrace is in a user namespace"*"start it outside"* ]]
	unshare --user --map-root-user "$NETIOTRACE" doctor --details >text || true
	cat text
	grep -Eq 'missing +CAP_BPF +held in a user namespace only' text
	[ "$(grep -Ec "stock kernel|sudo" text)" -eq 0 ]
}

# without DIRECTORY COMMAND...: runs it in a mount namespace where an empty file system covers
# DIRECTORY.
without() {
	local directory=$1
	shift

	unshare -m sh -c "mount -t tmpfs none $directory && exec \"\$@\"" sh "$@"
}

# bats test_tags=address
@test "the reported governor covers all CPUs, including those after an offline CPU" {
	need_root
	need_tool unshare
	local cpus=/sys/devices/system/cpu

	mkdir -p fake/cpu0 fake/cpu1/cpufreq fake/cpu3/cpufreq fake/cpufreq
	cp $cpus/online $cpus/possible fake
	governor() {
		unshare -m sh -c "mount --bind fake $cpus && exec \"\$@\"" sh \
			"$NETIOTRACE" --backend none -q --mode onecopy --messages 23 --warmup 20ms --json - | jq -r .environment.governor
	}
	echo powersave >fake/cpu3/cpufreq/scaling_governor
	[ "$(governor)" = powersave ]
	echo performance >fake/cpu1/cpufreq/scaling_governor
	[ "$(governor)" = mixed ]
	echo powersave >fake/cpu1/cpufreq/scaling_governor
	[ "$(governor)" = powersave ]
}

# bats test_tags=address
@test "doctor works without /proc and without /sys" {
	need_root
	need_tool unshare
	# The process has root; missing features are the kernel's.
	code=0
	without /sys "$NETIOTRACE" doctor --details >text 2>&1 || code=$?
	cat text
	[ "$code" -eq 3 ]
	grep -q 'missing  btf' text
	[ "$(grep -Ec 'sudo|needs root|in a short round|by construction' text)" -eq 0 ]
	without /proc "$NETIOTRACE" doctor --details >text || true
	cat text
	grep -Eq 'optmem_max +n/a' text
	grep -Eq 'unknown +packet_tap' text
	tail -n 1 text | grep -q 'checks:'
}

# Without the tag `address`: LeakSanitizer cannot work without /proc.
@test "without /proc or /sys, each command names the missing mount" {
	need_root
	need_tool unshare
	names() { # CODE WORDS DIRECTORY COMMAND...
		local code=0

		without "$3" "$NETIOTRACE" "${@:4}" >/dev/null 2>stderr || code=$?
		echo "${*:3}: exit $code, $(cat stderr)"
		[ "$code" -eq "$1" ]
		grep -qF "$2" stderr
		[ "$(wc -l <stderr)" -eq 1 ]
	}
	proc='/proc does not show this process: mount it'
	names 1 "$proc" /proc --backend none --mode onecopy --messages 1 --json s.json -q
	names 1 "$proc" /proc sweep -q -o out
	names 1 "$proc" /proc attach -q --json a.json -- true
	names 1 "$proc" /proc export --once
	names 1 "$proc" /proc serve --listen 127.0.0.1:0
	names 1 "$proc" /proc report -o out out
	names 1 "$proc" /proc compare out out
	sys='/sys is not mounted (mount -t sysfs'
	names 1 "$sys" /sys --mode onecopy --messages 1 -q
	names 1 "$sys" /sys attach -q --comm nosuch --wait --duration 50ms
	names 1 "$sys" /sys export --once
	[ "$(nproc)" -lt 2 ] || ! "$NETIOTRACE" follow --pid $$ --duration 1ms -q 2>stderr ||
		names 1 "$sys" /sys follow --pid $$ --duration 50ms
	# Nothing of /sys is needed without watching.
	without /sys "$NETIOTRACE" --backend none --mode onecopy --messages 1 --warmup 20ms -q
	without /proc "$NETIOTRACE" report --help >/dev/null
}

@test "without a terminal, each round shorter than the interval is one line on stderr" {
	"$NETIOTRACE" --backend none --rounds 3 --duration 600ms --interval 1m --json out.json >/dev/null 2>stderr </dev/null
	cat stderr
	[ "$(wc -l <stderr)" -eq 9 ]
	# Each line has its mode and round, in the order of the runs.
	diff <(sed 's/^ *[0-9.]*s \([a-z-]* [0-9]\/3\) .*/\1/; s/-//' stderr) \
		<(jq -r '.runs[] | "\(.mode) \(.round)/3"' out.json)
}

@test "without a terminal, each round is one line with its figures, with and without samples" {
	need_root
	"$NETIOTRACE" --mode all --rounds 2 --duration 400ms --interval 1m >text 2>lines </dev/null
	cat lines
	[ "$(wc -l <lines)" -eq 6 ]
	[ "$(grep -cE '^ +[0-9.]+s (two|one|zero)-copy [12]/2  [0-9.]+ Gbit/s  .* ns/KiB' lines)" -eq 6 ]
}

# Common mistakes: arguments, a tab, and a part of the expected message.
# bats test_tags=address
@test "a common mistake gives one sentence with the remedy and exit 2" {
	while IFS=$'\t' read -r args remedy; do
		# shellcheck disable=SC2086 # words are split on purpose
		refused $args
		grep -qF -- "$remedy" stderr || {
			echo "netiotrace $args: '$remedy' is not in:"
			cat stderr
			return 1
		}
	done <<-'EOF'
		swep	did you mean sweep?
		attqch --pid 1	did you mean attach?
		onecopy	netiotrace --mode onecopy
		zero-copy	netiotrace --mode zerocopy
		iperf3 -c 192.0.2.7	netiotrace attach -- iperf3
		help swep	did you mean sweep?
		--sise 64k	did you mean --size?
		--mode=onecoppy	did you mean onecopy?
		--mode one	did you mean onecopy?
		--mode 2copy	twocopy, onecopy, zerocopy, sendfile, splice, uring, uringzc, ktls or all
		--path vethh	did you mean veth?
		--backend trace	did you mean tracepoint?
		--size 64q	such as 64k
		--size 64k,128k	netiotrace sweep --sizes 64k,128k
		--threads 1,2,4	netiotrace sweep --threads 1,2,4
		--duration 5sec	such as 5s
		--json	--json FILE
		--quiet=yes	--quiet takes no value
		--m 5	--mode, --messages, --mtu
		-x	'netiotrace run --help'
		-- iperf3 -c 192.0.2.7	netiotrace attach -- iperf3
		nginx	netiotrace attach nginx
		attach	NAME, --pid, --comm, --cgroup, --port or -- COMMAND
		attach 4242	--pid 4242
		attach ./relay	netiotrace attach -- COMMAND
		attach pid 4242	--pid
		attach --name nginx	did you mean --comm?
		follow --process nginx	did you mean --comm?
		attach --time 5s	did you mean --duration?
		sweep --resume -o nothere	leave out --resume
		attach iperf3 -c 192.0.2.7	netiotrace attach -- COMMAND
		follow	NAME, --pid, --comm or -- COMMAND
		follow relay -x	netiotrace follow -- COMMAND
		follow ./relay	netiotrace follow -- COMMAND
		follow --pid relay	--comm
		follow --pid 1 --rate 0	from 1 to 100
		attach --pid nginx	--comm
		attach --comm nginx --by conn	did you mean connection?
		attach --comm nginx --sort byte	did you mean bytes?
		attach --frob	'netiotrace attach --help'
		sweep --modes onecopy,towcopy	did you mean twocopy?
		sweep --size 4q	sizes from 64
		sweep results	-o
		report	results directory
		compare one	compare BEFORE AFTER
		serve	--listen ADDRESS:PORT
	EOF
}

# bats test_tags=address
@test "modes and sizes are accepted in any common spelling" {
	for mode in two-copy Two_Copy TWOCOPY; do
		"$NETIOTRACE" -q --backend none --mode "$mode" --size 4KB --messages 3 --warmup 0 --json "$mode.json"
		jq -e '.runs[0].mode == "twocopy" and .settings.size == 4096' "$mode.json"
	done
}
