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

must_offer() { # KERNEL BACKEND, or auto: any
	grep -v '^#' "$VM_REPO/tests/vm/offers" | awk -F '\t' -v k="$1" '$1 == k { print "auto", $2 }' | grep -qw -- "$2"
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

# refusal DIR BACKEND FILE: why a kernel lacks a backend: doctor's reasons for the missing hooks, or
# the words of the cell FILE.
refusal() {
	jq -er '[.plan[] | select(.hook == null and .remedy != null) | "\(.probe): \(.reason)"] |
		if length > 0 then join(", ") else null end' "$1/doctor.$2.json" 2>/dev/null ||
		words "$3.err"
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

# succeeded FILE REASON: true if the program of a cell succeeded. Otherwise reports the cell, which is in the
# caller's array `at`: KERNEL BACKEND PATH MODE. REASON: why a kernel lacks the backend.
succeeded() {
	local status

	if ! read -r status 2>/dev/null <"$1.status"; then
		fail "${at[@]}" "the guest did not come to it"
	elif refused "${at[0]}" "${at[1]}" "$status"; then
		skip "${at[@]}" "$2"
	elif [ "$status" -ne 0 ]; then
		fail "${at[@]}" "exit $status: $(words "$1.err")"
	else
		return 0
	fi
	return 1
}

# judge_row KERNEL DIR BACKEND PLACE MODE LOAD...: a row passes if the cells of all its loads pass.
judge_row() {
	local at=("$1" "$3" "$4" "$5") dir=$2 load file found wrong='' good=''

	for load in "${@:6}"; do
		file=$dir/$3.$4.$5.$load
		succeeded "$file" "$(refusal "$dir" "$3" "$file")" || return 0
		found=$(complaints_of "$file.json" "$4" "$5" "${load%:*}" | sed "s/^/$load: /")
		wrong+=${found:+$found$'\n'}
		good+="${good:+, }${load%:*} KiB x ${load#*:}$(seen_in_part "$file.json")"
	done
	if [ -n "$wrong" ]; then
		fail "${at[@]}" "${wrong%$'\n'}"
	else
		pass "${at[@]}" "books balance ($good)$(verdict "$file.json")"
	fi
}

# judge_doctor KERNEL DIR [BACKEND]: each probe has a hook or a reason, and required backends are offered.
judge_doctor() {
	local at=("$1" "${3:-auto}" doctor -) file=$2/doctor${3:+.$3} silent

	if ! silent=$(jq -er 'if .plan == [] then "no plan" else [.plan[] | select(.hook == null and .reason == null)
		| "\(.probe): neither a hook nor a reason"] | join("\n") end' "$file.json" 2>&1); then
		fail "${at[@]}" "no document: $(words "$file.err")"
	elif [ -n "$silent" ]; then
		fail "${at[@]}" "$silent"
	elif succeeded "$file" "$(refusal "$2" "${at[1]}" "$file")"; then
		pass "${at[@]}" "$(jq -r '.plan | "\(map(select(.hook)) | length) of \(length) probes have a hook"' "$file.json")"
	fi
}

# What one document says of each stage, a line "STAGE LEAST MOST" each. Retransmitted bytes were copied again by
# deferred_copy alone, so the copies of the others are at least the count without them. MOST includes bytes
# of missed events.
stage_ranges() {
	jq -r '.runs[0] | .app.tcp.bytes_retrans as $again | .ledger as $l
		| "tx_copy", "tx_pin", "deferred_copy", "rx_copy" | . as $stage | $l[$stage] | select(.bytes != null)
		| "\($stage) \([.bytes - if $stage == "deferred_copy" then $again else 0 end, 0] | max) \(.bytes_at_most)"' "$1"
}

# compare KERNEL DIR PLACE MODE LOAD...: the backends' counts of the same cell must be equal to the byte: their
# ranges must have a common value. Without misses and retransmissions a range is one value.
compare() {
	local at=("$1" all "$3" "$4") load backend file stage least most different=''
	local -A low high of seen=() compared=()

	for load in "${@:5}"; do
		low=() high=() of=()
		for backend in $backends; do
			file=$2/$backend.$3.$4.$load
			[ "$(cat "$file.status" 2>/dev/null)" = 0 ] || continue
			seen[$backend]=1
			while read -r stage least most; do
				if [ -z "${of[$stage]:-}" ]; then
					low[$stage]=$least high[$stage]=$most of[$stage]=$backend
					continue
				fi
				compared[$stage]=1
				[ "$least" -le "${high[$stage]}" ] && [ "$most" -ge "${low[$stage]}" ] ||
					different+="$load $stage: ${of[$stage]} ${low[$stage]} to ${high[$stage]}, $backend $least to $most"$'\n'
				low[$stage]=$((least > low[$stage] ? least : low[$stage]))
				high[$stage]=$((most < high[$stage] ? most : high[$stage]))
			done < <(stage_ranges "$file.json")
		done
	done
	if [ ${#seen[@]} -lt 2 ]; then
		skip "${at[@]}" "fewer than two backends ran here${seen[*]+: ${!seen[*]}}"
	elif [ -n "$different" ]; then
		fail "${at[@]}" "${different%$'\n'}"
	else
		pass "${at[@]}" "equal in ${!seen[*]}: ${!compared[*]}"
	fi
}

# judge_tap KERNEL DIR: the verdict names the open packet tap.
judge_tap() {
	local at=("$1" auto loopback tapped)

	if [ "$(cat "$2/tap.status" 2>/dev/null)" = 3 ] && [ "$(cat "$2/doctor.status")" = 3 ]; then
		skip "${at[@]}" "$(words "$2/tap.err")"
	elif ! succeeded "$2/tap" ''; then
		:
	elif ! jq -e '.runs[0].verdict.text | test("tap.*python3")' "$2/tap.json" >/dev/null; then
		fail "${at[@]}" "the verdict does not name python3's packet tap: $(jq -r '.runs[0].verdict.text' "$2/tap.json")"
	else
		pass "${at[@]}" "the verdict names the tap"
	fi
}

# judge_attach KERNEL DIR BACKEND [tap]: every byte of a foreign program is counted under its kind,
# on loopback and on the path to a tap device. A kernel without a hook for sends in attach (exit 3)
# names the hooks it needs; tests/vm/lib.bash lists such kernels. Where the kernel refuses runs
# (docs/KERNELS.md, "When a program does not run"), kinds are estimates and completions may be missing.
judge_attach() {
	local at=("$1" "$3" attach zerocopy) file=$2/attach.$3 copied='all copied: local' found
	# The conditions for the document's total, in jq.
	found='.zerocopy.copied == .zerocopy.completed and .verdict.cause == "local_delivery"'

	if [ "${4:-}" = tap ]; then
		at[3]=tap file=$2/attach.tap.$3 copied='none copied, its error queue never read'
		found='.zerocopy.copied == 0 and .ledger.deferred_copy.bytes == 0 and .verdict.copied_fraction == 0'
	fi
	if [[ " $ATTACH_REFUSED " == *" $1:$3 "* ]] && [ -e "$file.status" ]; then
		if [ "$(<"$file.status")" = 3 ] && grep -q 'nothing shows .*; it would take ' "$file.err"; then
			pass "${at[@]}" "refused: names the hooks it would take"
		else
			fail "${at[@]}" "exit $(<"$file.status"), and not 3 with the hooks it would take: $(words "$file.err")"
		fi
	elif ! succeeded "$file" "$(words "$file.err")"; then
		:
	elif ! jq -e --argjson sent $((MATRIX_MESSAGES * 65536)) "$ATTACH_JQ"'.total |
		.ledger.unaccounted_tx == 0 and .ledger.unaccounted_rx == 0 and ($unseen == 0 or $health.missed != 0)
		and (.ledger.tx_pin.bytes - $sent | fabs) <= $unseen
		and (.zerocopy.completed == .socket.tx_zerocopy_ids or fewer(.zerocopy.completed; .socket.tx_zerocopy_ids))
		and '"$found" "$file.json" >/dev/null; then
		fail "${at[@]}" "$(jq -c '.health, (.total | .socket, .ledger, .zerocopy, .verdict)' "$file.json")"
	else
		pass "${at[@]}" "books balance ($MATRIX_MESSAGES sends of 64 KiB, $copied)"
	fi
}

judge_bpf() { # KERNEL DIR
	local at=("$1" auto tests/bpf -)

	if [ -e "$2/bpf.status" ] && [ "$(cat "$2/doctor.status")" = 3 ]; then
		skip "${at[@]}" "no backend of this build works on this kernel"
	elif [ -e "$2/bpf.status" ] && [ "$(<"$2/bpf.status")" != 0 ]; then
		fail "${at[@]}" "$(cat "$2/bpf.log")"
	elif succeeded "$2/bpf" ''; then
		pass "${at[@]}" "$(tail -n 1 "$2/bpf.log")"
	fi
}

# split_modes DIR: makes a cell of each mode from what one program with all modes left.
split_modes() {
	local all cell mode

	for all in "$1"/*.all.*.status; do
		[ -e "$all" ] || continue
		all=${all%.status}
		for mode in $MATRIX_MODES; do
			cell=${all/.all./.$mode.}
			cp "$all.status" "$cell.status"
			cp "$all.err" "$cell.err"
			[ ! -e "$all.json" ] || jq --arg mode "$mode" '.runs |= map(select(.mode == $mode))' "$all.json" >"$cell.json"
		done
	done
}

# shellcheck disable=SC2086 # loads: one word each
judge_cells() { # KERNEL DIR
	local backend place mode

	split_modes "$2"
	judge_doctor "$1" "$2"
	for backend in $backends; do
		[[ " $MATRIX_DOCTORED " != *" $1 "* ]] || judge_doctor "$1" "$2" "$backend"
		judge_attach "$1" "$2" "$backend"
		for place in $MATRIX_PATHS; do
			for mode in $MATRIX_MODES; do
				judge_row "$1" "$2" "$backend" "$place" "$mode" ${PATH_LOADS[$place]}
			done
		done
		for place in $MATRIX_REMOTES; do
			if [ "$(id -u)" -ne 0 ]; then
				skip "$1" "$backend" "$place" zerocopy "a network namespace with a tap device needs root"
				continue
			fi
			judge_row "$1" "$2" "$backend" "$place" zerocopy ${REMOTE_LOADS[$place]}
			[ "$place" != tap ] || judge_attach "$1" "$2" "$backend" tap
		done
	done
}

judge_comparisons() { # KERNEL DIR
	local place mode rows=("${table[@]}")

	# One requested backend has no comparison.
	[ "$(wc -w <<<"$backends")" -gt 1 ] || return 0
	table=()
	# shellcheck disable=SC2086 # loads: one word each
	for place in $MATRIX_PATHS; do
		for mode in $MATRIX_MODES; do
			compare "$1" "$2" "$place" "$mode" ${PATH_LOADS[$place]}
		done
	done
	# shellcheck disable=SC2086
	for place in $MATRIX_REMOTES; do
		compare "$1" "$2" "$place" zerocopy ${REMOTE_LOADS[$place]}
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
