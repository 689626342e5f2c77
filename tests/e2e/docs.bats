#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Every command of README and docs: blocks fenced as sh are run, each document's in one directory, in order.
#
# They are run as they stand, but shorter: netiotrace and sudo are wrappers that add --duration and, to a sweep,
# one size and thread count, as options given again (the last one counts). What cannot be run says why in a comment above its block,
#
#	<!-- not run: WHY -->
#
# and then the make targets and scripts it names must at least exist.

bats_require_minimum_version 1.5.0
load ../lib

DOCUMENTS=(README.md CONTRIBUTING.md docs/*.md)

# blocks FILE: each block of commands as a file b1, b2...; those not to be run as n1, n2..., and why in n1.why.
blocks() {
	awk '
		/^<!-- not run: .* -->$/ { why = $0; next }
		/^```sh$/ { inside = 1; file = (why == "" ? "b" : "n") ++n; if (why != "") print why >(file ".why"); next }
		/^```/ && inside { inside = 0; why = ""; next }
		inside { print >file }
		!inside && !/^$/ { why = "" }' "$1"
}

wrapper() {
	cat >"bin/$1" && chmod +x "bin/$1"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir bin
	wrapper sudo <<<'#!/bin/sh
exec "$@"'
	wrapper netiotrace <<END
#!/bin/sh
case "\$1" in
sweep) set -- "\$@" --duration 160ms --rounds 4 --sizes 4k --threads 1 --quiet ;;
run | -*)
	case "\$*" in
	*--messages* | *--help* | *--version*) ;;
	*) set -- "\$@" --duration 200ms --warmup 20ms ;;
	esac ;;
esac
exec "$NETIOTRACE" "\$@"
END
	ln -s "$LOADGEN" bin/netio-loadgen
	PATH=$PWD/bin:$PATH
}

@test "docs: every command that can be run here, runs" {
	need_root
	local document file ran=0

	for document in "${DOCUMENTS[@]/#/$REPO/}"; do
		mkdir work && cd work || return
		blocks "$document"
		for file in $(printf '%s\n' b* | sort -V); do
			[ -e "$file" ] || continue
			echo "== $document: $(cat "$file")"
			bash -e "$file" </dev/null
			ran=$((ran + 1))
		done
		cd .. && rm -r work
	done
	[ "$ran" -ge 4 ]
}

@test "docs: what is not run has a reason, and names targets and scripts that exist" {
	local document file word

	for document in "${DOCUMENTS[@]/#/$REPO/}"; do
		mkdir work && cd work || return
		blocks "$document"
		for file in n*; do
			[ -e "$file" ] && [[ $file != *.why ]] || continue
			echo "== $document: $(cat "$file")"
			grep -Eq 'not run: .{20,}' "$file.why"
			while read -r word; do
				grep -Eq "^([a-z -]+ )?$word( [a-z -]+)?:" "$REPO"/Makefile "$REPO"/mk/*.mk
			done < <(sed 's/#.*//' "$file" | grep -oE '\bmake [a-z][a-z-]*' | cut -d ' ' -f 2)
			while read -r word; do
				[ -x "$REPO/$word" ]
			done < <(grep -oE '^(scripts|tests)/[a-z/-]+' "$file" | grep -v something)
		done
		cd .. && rm -r work
	done
}

@test "docs: commands stand in fenced blocks, where these tests see them" {
	cd "$REPO" || return
	run grep -nE '^    (sudo |\./)?(netiotrace|netio-loadgen|make|scripts/[a-z]+|tests/run) ([a-z-]+|--?[a-z]+)( |$)' "${DOCUMENTS[@]}"
	# What is shown as the first line of output, or as syntax with brackets, is no command.
	grep -vE ':    (netiotrace [0-9]|netiotrace bench|netio-loadgen bench|netiotrace .*:|.*\[)|:    netiotrace \(|:    netio-loadgen \(|--control' \
		<<<"$output" | diff /dev/null -
}
