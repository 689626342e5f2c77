# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Checks the cells of the matrix that guests left: fills the tables, counts, prints failures. The
# caller sets `backends` and calls `judge_kernel` with the results directory of each kernel.

backends=${backends:-}
passed=0 failed=0 skipped=0
table=() comparisons=()
declare -gA skips=() # reason -> number of skips

row() { # KERNEL BACKEND PATH MODE TEXT
	table+=("$(printf '%-7s %-10s %-9s %-9s %s' "$@")")
}

# Each of the next three counts one test: its row of the table, its name, and a text.
pass() {
	row "$1" "$2" "$3" "$4" "$5"
	passed=$((passed + 1))
}

fail() {
	row "$1" "$2" "$3" "$4" "FAILED: ${5%%$'\n'*}"
	printf 'not ok vm: %s %s %s %s\n' "$1" "$2" "$3" "$4"
	printf '  # %s\n' "${5//$'\n'/$'\n'  # }"
	failed=$((failed + 1))
}

skip() {
	row "$1" "$2" "$3" "$4" "skipped: $5"
	skips["$1 $2: $5"]=$((${skips["$1 $2: $5"]:-0} + 1))
	skipped=$((skipped + 1))
}

must_offer() { # KERNEL BACKEND
	grep -v '^#' "$VM_REPO/tests/vm/offers" | awk -F '\t' -v k="$1" '$1 == k { print $2 }' | grep -qw -- "$2"
}

# words FILE: the last sentence that a program printed, without the program's name.
words() {
	grep . "$1" 2>/dev/null | tail -n 1 | sed 's/^netiotrace: //' | grep . || echo "it said nothing"
}

# verdict FILE: the verdict in a few words.
verdict() {
	jq -r '.runs[0] | .app.zerocopy as $z |
		if $z.completed == 0 then empty
		else "; \($z.copied) of \($z.completed) copied: \(.verdict.cause)" end' "$1"
}

# refusal DIR BACKEND: why a kernel lacks a backend: doctor's reasons for the missing hooks.
refusal() {
	jq -er '[.plan[] | select(.hook == null and .remedy != null) | "\(.probe): \(.reason)"] |
		if length > 0 then join(", ") else null end' "$1/doctor.$2.json" 2>/dev/null ||
		words "$1/doctor.$2.err"
}

# refused KERNEL BACKEND STATUS: this kernel lacks the backend, and it need not have it.
refused() {
	[ "$3" -eq 3 ] && ! must_offer "$1" "$2"
}

# complaints_of FILE PLACE MODE SIZE_KIB: the errors in a document; empty if there are none.
complaints_of() {
	jq -r -f "$VM_REPO/tests/vm/cell.jq" --arg place "$2" --arg mode "$3" \
		--argjson messages "$MATRIX_MESSAGES" --argjson size "$(($4 * 1024))" "$1" 2>&1
}

# seen_in_part FILE: the share of the bytes that events saw, if below 100 %.
seen_in_part() {
	jq -r '.runs[0].health | if .coverage == null then " (no coverage)"
		elif .coverage < 1 then " (coverage \(.coverage * 10000 | floor / 10000))" else "" end' "$1"
}

# judge_row KERNEL DIR BACKEND PLACE MODE LOAD...: a row passes if the cells of all its loads pass.
judge_row() {
	local kernel=$1 dir=$2 backend=$3 place=$4 mode=$5 load file status found wrong='' good=''

	for load in "${@:6}"; do
		file=$dir/$backend.$place.$mode.$load
		if ! read -r status 2>/dev/null <"$file.status"; then
			wrong+="$load: the guest did not come to it"$'\n'
		elif refused "$kernel" "$backend" "$status"; then
			skip "$kernel" "$backend" "$place" "$mode" "$(refusal "$dir" "$backend")"
			return
		elif [ "$status" -ne 0 ]; then
			wrong+="$load: exit $status: $(words "$file.err")"$'\n'
		else
			found=$(complaints_of "$file.json" "$place" "$mode" "${load%:*}" | sed "s/^/$load: /")
			wrong+=${found:+$found$'\n'}
			good+="${good:+, }${load%:*} KiB x ${load#*:}$(seen_in_part "$file.json")"
		fi
	done
	if [ -n "$wrong" ]; then
		fail "$kernel" "$backend" "$place" "$mode" "${wrong%$'\n'}"
	else
		pass "$kernel" "$backend" "$place" "$mode" "books balance ($good)$(verdict "$file.json")"
	fi
}

# judge_doctor KERNEL DIR NAME BACKEND: each probe has a hook or a reason, and required backends are
# offered.
judge_doctor() {
	local file=$2/$3 status stages

	if ! read -r status 2>/dev/null <"$file.status" || [ ! -s "$file.json" ]; then
		fail "$1" "$4" doctor - "no document: $(words "$file.err")"
	elif ! jq -e '[.plan[] | .hook != null or (.reason | length > 0)] | length > 0 and all' "$file.json" >/dev/null; then
		fail "$1" "$4" doctor - "$(jq -r '.plan[] | select(.hook == null and .reason == null) |
			"\(.probe): neither a hook nor a reason"' "$file.json")"
	elif refused "$1" "$4" "$status"; then
		skip "$1" "$4" doctor - "$(refusal "$2" "$4")"
	elif [ "$status" -ne 0 ]; then
		fail "$1" "$4" doctor - "exit $status: $(jq -r '.plan[] | select(.hook == null) | "\(.probe): \(.reason)"' "$file.json")"
	else
		stages=$(jq -r '[.plan[] | select(.hook != null)] | "\(length) of \($n) probes have a hook"' \
			--argjson n "$(jq '.plan | length' "$file.json")" "$file.json")
		pass "$1" "$4" doctor - "$stages"
	fi
}

# One document's counts of each stage, a line "LEAST MOST" each, "null null" if unknown.
# Retransmitted bytes were copied again by deferred_copy alone, so the copies of the others are at
# least the count without them. MOST includes bytes of missed events.
stage_ranges() {
	jq -r '.runs[0] | .app.tcp.bytes_retrans as $again | .ledger |
		def range($low): if .bytes == null then "null null" else "\([.bytes - $low, 0] | max) \(.bytes_at_most)" end;
		(.tx_copy, .tx_pin | range(0)), (.deferred_copy | range($again)), (.rx_copy | range(0))' "$1"
}

stages=(tx_copy tx_pin deferred_copy rx_copy)

# compare_load DIR PLACE MODE LOAD: adds differing stages to `different`, compared ones to
# `compared`. The ranges of the backends must have a common value; without misses and
# retransmissions a range is one value.
compare_load() {
	local backend file i least most low=() high=() of=()

	for backend in $backends; do
		file=$1/$backend.$2.$3.$4
		[ "$(cat "$file.status" 2>/dev/null)" = 0 ] || continue
		seen[$backend]=1
		i=0
		while read -r least most; do
			if [ "$least" = null ]; then
				:
			elif [ -z "${low[i]:-}" ]; then
				low[i]=$least high[i]=$most of[i]=$backend
			else
				compared[${stages[i]}]=1
				[ "$least" -le "${high[i]}" ] && [ "$most" -ge "${low[i]}" ] ||
					different+="$4 ${stages[i]}: ${of[i]} ${low[i]} to ${high[i]}, $backend $least to $most"$'\n'
				low[i]=$((least > low[i] ? least : low[i])) high[i]=$((most < high[i] ? most : high[i]))
			fi
			i=$((i + 1))
		done < <(stage_ranges "$file.json")
	done
}

# compare KERNEL DIR PLACE MODE LOAD...: the backends' counts of the same cell must be equal to the
# byte.
compare() {
	local load different='' stage names=''
	local -A compared=() seen=()

	for load in "${@:5}"; do
		compare_load "$2" "$3" "$4" "$load"
	done
	for stage in "${stages[@]}"; do
		[ -z "${compared[$stage]:-}" ] || names+="${names:+, }$stage"
	done
	if [ ${#seen[@]} -lt 2 ]; then
		skip "$1" all "$3" "$4" "fewer than two backends ran here${seen[*]+: ${!seen[*]}}"
	elif [ -n "$different" ]; then
		fail "$1" all "$3" "$4" "${different%$'\n'}"
	else
		pass "$1" all "$3" "$4" "equal in ${!seen[*]}: $names"
	fi
}

# judge_tap KERNEL DIR: the verdict names the open packet tap.
judge_tap() {
	local file=$2/tap status

	if ! read -r status 2>/dev/null <"$file.status"; then
		fail "$1" auto loopback tapped "the guest did not come to it"
	elif [ "$status" -eq 3 ] && [ "$(cat "$2/doctor.status")" = 3 ]; then
		skip "$1" auto loopback tapped "$(words "$file.err")"
	elif [ "$status" -ne 0 ]; then
		fail "$1" auto loopback tapped "exit $status: $(words "$file.err")"
	elif ! jq -e '.runs[0].verdict.text | test("tap.*python3")' "$file.json" >/dev/null; then
		fail "$1" auto loopback tapped "the verdict does not name python3's packet tap: $(jq -r '.runs[0].verdict.text' "$file.json")"
	else
		pass "$1" auto loopback tapped "the verdict names the tap"
	fi
}

# attach_found PLACE: the conditions for an attach cell's document, in jq, on its total.
attach_found() {
	if [ "$1" = tap ]; then
		echo '.zerocopy.copied == 0 and .ledger.deferred_copy.bytes == 0 and .verdict.copied_fraction == 0'
	else
		echo '.zerocopy.copied == .zerocopy.completed and .verdict.cause == "local_delivery"'
	fi
}

# judge_attach KERNEL DIR BACKEND [tap]: every byte of a foreign program is counted under its kind,
# on loopback and on the path to a tap device. A kernel without a hook for sends in attach (exit 3)
# names the hooks it needs; tests/vm/lib.bash lists such kernels.
judge_attach() {
	local place=${4:-loopback} what=(attach zerocopy) file status

	file=$2/attach.$3
	[ "$place" = loopback ] || file=$2/attach.$place.$3 what=(attach "$place")
	if ! read -r status 2>/dev/null <"$file.status"; then
		fail "$1" "$3" "${what[@]}" "the guest did not come to it"
	elif [[ " $ATTACH_REFUSED " == *" $1:$3 "* ]]; then
		if [ "$status" -eq 3 ] && grep -q 'nothing shows .*; it would take ' "$file.err"; then
			pass "$1" "$3" "${what[@]}" "refused: names the hooks it would take"
		else
			fail "$1" "$3" "${what[@]}" "exit $status, and not 3 with the hooks it would take: $(words "$file.err")"
		fi
	elif refused "$1" "$3" "$status"; then
		skip "$1" "$3" "${what[@]}" "$(words "$file.err")"
	elif [ "$status" -ne 0 ]; then
		fail "$1" "$3" "${what[@]}" "exit $status: $(words "$file.err")"
	elif ! jq -e --argjson sent $((MATRIX_MESSAGES * 65536)) '.total |
		.ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0
		and .ledger.tx_pin.bytes == $sent and .zerocopy.completed == .socket.tx_zerocopy_ids
		and '"$(attach_found "$place")" "$file.json" >/dev/null; then
		fail "$1" "$3" "${what[@]}" "$(jq -c '.total | .socket, .ledger, .zerocopy, .verdict' "$file.json")"
	elif [ "$place" = tap ]; then
		pass "$1" "$3" "${what[@]}" "books balance ($MATRIX_MESSAGES sends of 64 KiB, none copied, its error queue never read)"
	else
		pass "$1" "$3" "${what[@]}" "books balance ($MATRIX_MESSAGES sends of 64 KiB, all copied: local)"
	fi
}

judge_bpf() {
	local status

	if ! read -r status 2>/dev/null <"$2/bpf.status"; then
		fail "$1" auto tests/bpf - "the guest did not come to it"
	elif [ "$(cat "$2/doctor.status")" = 3 ]; then
		skip "$1" auto tests/bpf - "no backend of this build works on this kernel"
	elif [ "$status" -ne 0 ]; then
		fail "$1" auto tests/bpf - "$(cat "$2/bpf.log")"
	else
		pass "$1" auto tests/bpf - "$(tail -n 1 "$2/bpf.log")"
	fi
}

judge_cells() { # KERNEL DIR
	local backend place mode remote loads

	for backend in $backends; do
		read -r -a loads <<<"$MATRIX_LOADS"
		judge_doctor "$1" "$2" "doctor.$backend" "$backend"
		judge_attach "$1" "$2" "$backend"
		for place in $MATRIX_PATHS; do
			for mode in $MATRIX_MODES; do
				judge_row "$1" "$2" "$backend" "$place" "$mode" "${loads[@]}"
			done
		done
		for remote in $MATRIX_REMOTES; do
			if [ "$(id -u)" -eq 0 ]; then
				read -r -a loads <<<"${REMOTE_LOADS[$remote]}"
				judge_row "$1" "$2" "$backend" "$remote" zerocopy "${loads[@]}"
				[ "$remote" != tap ] || judge_attach "$1" "$2" "$backend" tap
			else
				skip "$1" "$backend" "$remote" zerocopy "a network namespace with a tap device needs root"
			fi
		done
	done
}

judge_comparisons() { # KERNEL DIR
	local place mode loads rows=("${table[@]}")

	# One requested backend has no comparison.
	[ "$(wc -w <<<"$backends")" -gt 1 ] || return 0
	table=()
	read -r -a loads <<<"$MATRIX_LOADS"
	for place in $MATRIX_PATHS; do
		for mode in $MATRIX_MODES; do
			compare "$1" "$2" "$place" "$mode" "${loads[@]}"
		done
	done
	for place in $MATRIX_REMOTES; do
		read -r -a loads <<<"${REMOTE_LOADS[$place]}"
		compare "$1" "$2" "$place" zerocopy "${loads[@]}"
	done
	comparisons+=("${table[@]}")
	table=("${rows[@]}")
}

# judge_kernel KERNEL DIR: DIR/status is the exit status of scripts/vm/run, DIR/said its output.
judge_kernel() {
	local status

	status=$(<"$2/status")
	if [ "$status" -eq 77 ]; then
		fail "$1" - guest - "not run: $(tail -n 1 "$2/said")"
		return
	fi
	if [ "$status" -ne 0 ]; then
		fail "$1" - guest - "exit $status"$'\n'"$(cat "$2/said")"
		[ -e "$2/out/doctor.status" ] || return 0
	else
		pass "$1" - guest - "$(sed -n 's/.*Linux version \([^ ]*\).*/\1/p' "$2/console" | head -n 1): its log has no complaint"
	fi
	judge_cells "$1" "$2/out"
	judge_tap "$1" "$2/out"
	judge_bpf "$1" "$2/out"
	judge_comparisons "$1" "$2/out"
}

# said_of FILE NAME: the output of a failed test in a TAP file.
said_of() {
	awk -v name="$2" '/^(not )?ok / { show = index($0, name) } show && /^#/ { print substr($0, 3) }' "$1"
}

# judge_job KERNEL NAME DIR: DIR/tap is the guest's output, DIR/status and DIR/said are from
# scripts/vm/run. Each of its tests counts; a guest that has not run all planned tests has failed.
judge_job() {
	local status planned done=0 line name

	[ -d "$3" ] || return 0 # the kernel is not available, which has been reported
	status=$(<"$3/status")
	while IFS= read -r line; do
		name=$(sed -E 's/^(not )?ok [0-9]+ //' <<<"$line")
		case "$line" in
		'not ok '*) fail "$1" "$2" test - "$name"$'\n'"$(said_of "$3/tap" "$name")" ;;
		'ok '*' # skip'*) skip "$1" "$2" test - "$name" ;;
		'ok '*) pass "$1" "$2" test - "$name" ;;
		*) continue ;;
		esac
		done=$((done + 1))
	done < <(cat "$3/tap")
	planned=$(awk -F '[.]+' '/^1[.][.][0-9]+$/ { n += $2 } END { print n + 0 }' "$3/tap")
	if [ "$status" -gt 1 ] || [ "$planned" -eq 0 ] || [ "$done" -ne "$planned" ]; then
		fail "$1" "$2" guest - "exit $status, $done of $planned tests done"$'\n'"$(cat "$3/said")"
	fi
}

judge_print() {
	local reason

	if [ "$passed" -eq 0 ] && [ "$failed" -eq 0 ]; then
		fail - - matrix - "nothing ran"
	fi

	for reason in "${!skips[@]}"; do
		printf 'skip vm: %s (%d)\n' "$reason" "${skips[$reason]}"
	done | sort
	printf '\n%-7s %-10s %-9s %-9s %s\n' kernel backend path mode result
	printf '%s\n' "${table[@]}"
	if [ ${#comparisons[@]} -gt 0 ]; then
		printf '\nbytes of each stage between backends\n'
		printf '%s\n' "${comparisons[@]}"
	fi
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
}
