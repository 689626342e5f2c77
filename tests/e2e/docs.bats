#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Runs every command of README and docs: the `sh` blocks of each document, in order, in one
# directory. Of docs/recipes it runs four, and looks for what their pages show.
#
# They run as written, but shorter: netiotrace and sudo are wrappers that add --duration and, for a
# sweep, one size and one thread count, as repeated options (the last one counts); export gets --once, and
# attach --count-calls, so that a slow machine has exact counts as well. A block that
# cannot be run has a comment above with the reason,
#
#	<!-- not run: WHY -->
#
# and the make targets and scripts that it names must exist.

bats_require_minimum_version 1.5.0
load ../lib

DOCUMENTS=(README.md CONTRIBUTING.md docs/*.md docs/reference/*.md docs/results/README.md)
RECIPES=(docs/recipes/*.md)

# blocks FILE: writes each block of commands to a file block1, block2...; blocks that are not run to
# not1, not2..., the reason to not1.why.
blocks() {
	awk '
		/^<!-- not run: .* -->$/ { why = $0; next }
		/^```sh$/ { inside = 1; file = (why == "" ? "block" : "not") ++n; if (why != "") print why >(file ".why"); next }
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
export) set -- "\$@" --once --interval 200ms ;;
attach) shift && set -- attach --count-calls "\$@" ;;
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

@test "docs: every command block that can run here succeeds" {
	need_root
	local document file ran=0

	for document in "${DOCUMENTS[@]/#/$REPO/}"; do
		mkdir work && cd work || return
		blocks "$document"
		for file in $(printf '%s\n' block* | sort -V); do
			[ -e "$file" ] || continue
			echo "== $document: $(cat "$file")"
			timeout 300 bash -e "$file" </dev/null
			ran=$((ran + 1))
		done
		cd .. && rm -r work
	done
	[ "$ran" -ge 4 ]
}

# recipe NAME: runs the recipe's block, with its ports replaced by free ones, and the name of nginx by its PID, since
# other tests have an nginx, too; the output is in text.
recipe() {
	local port

	need_root
	blocks "$REPO/docs/recipes/$1.md"
	while read -r port; do
		sed -i "s/\b$port\b/$(free_port)/g" block1
	done < <(grep -oE '\b2[68][0-9]{3}\b' block1 | sort -u)
	# shellcheck disable=SC2016 # the block's shell expands it
	sed -i 's/^sudo netiotrace attach --comm nginx/until [ -s nginx.pid ]; do sleep 0.05; done\nsudo netiotrace attach --pid "$(cat nginx.pid)" --children/' block1
	# Servers give up root, so they read no directory that is closed to others.
	TMPDIR=$(mktemp -d /tmp/recipe.XXXXXX)
	export TMPDIR
	chmod 755 "$TMPDIR"
	timeout 120 bash -e block1 >text 2>&1 </dev/null 3>&- || {
		cat text
		return 1
	}
	cat text
	rm -r "$TMPDIR"
}

# has PATTERN...: text has a line of each.
has() {
	for pattern; do
		grep -Eq -- "$pattern" text || { echo "no line: $pattern"; return 1; }
	done
}

@test "docs: the recipe for nginx tells the port with sendfile from the one without" {
	need_tool nginx curl
	recipe nginx
	# 20 files of 20 MiB, as curl was told.
	tr '\n' ' ' <text | tr -s ' ' | grep -Eq 'verdict Port [0-9]+: 210 MB copied, port [0-9]+: 210 MB sent by reference'
	has 'port [0-9]+, 20 connections +210 MB +210 MB ' 'port [0-9]+, 20 connections +210 MB .* 210 MB .* 0\.50$' \
		'unaccounted: 0 B sent, 0 B received'
}

@test "docs: the recipe for redis counts the values that the benchmark set and got" {
	need_tool redis-server redis-benchmark
	recipe redis
	# 5000 values of 64 KiB each way.
	has '^redis-server [0-9]+, [0-9]+ connections +328 MB +328 MB +- +328 MB .* 1\.00$' \
		'^redis-benchmark [0-9]+, .* 328 MB .* 1\.00$'
}

@test "docs: the recipe for Python has a connection that copies and one that does not" {
	recipe python
	has '^python3 .* 83\.9 MB +83\.9 MB +- .* 1\.00$' '^python3 .* 83\.9 MB +- +83\.9 MB .* 0\.00$'
}

@test "docs: the recipe for a gate passes, and fails once sendfile is gone" {
	PATH=$REPO/packaging/ci:$PATH
	recipe ci-gate
	has '^copy-gate: passed' 'spliced share .* 1\.00 +0\.00 .* worse$' '^exit status 5$'
}

# published DIR: every document is there, without the host's name, and is read from the archive as from a directory.
published() { # DIR
	local work

	work=$(mktemp -d -p "$BATS_TEST_TMPDIR")
	chmod 755 "$work"
	tar -C "$work" -xf "$1/cells.tar.xz"
	jq -es 'map(.environment.host == null and (.tool.argv | map(contains("/")) | any | not)) | all' "$work"/cells/*.json
	[ "$(du -s --block-size=1K "$1" | cut -f 1)" -lt 5120 ]
	[ "$(ls "$1")" = "$(printf '%s\n' cells.tar.xz command environment.json sweep.json)" ]
	# Not for the schema test: older documents lack the keys that were added since.
	rm -r "$work"
}

@test "docs: published results are whole and have no names; publish-results makes such a directory" {
	local set

	need_root
	need_tool gnuplot
	for set in "$REPO"/docs/results/*/; do
		published "$set"
	done
	"$NETIOTRACE" sweep -q --modes onecopy --sizes 4k --threads 1 --rounds 2 --duration 100ms -o results
	"$REPO/contrib/publish-results" results set
	published set
	"$NETIOTRACE" compare results set >compared
	grep -q '^0 of .* differ: ' compared
	[ "$(awk '$1 ~ /^(before|after)$/ { print $3 }' compared | uniq)" -eq "$(find results/cells -name '*.json' | wc -l)" ]
	run ! grep -rlF "$BATS_TEST_TMPDIR" set
	[ "$(tar -tf set/cells.tar.xz | sort)" = "$(cd results && ls -d cells/*.json)" ]
	# As `make pages` does it, and for the archive alone.
	mkdir pages
	chmod 600 set/cells.tar.xz # root opens it, and python3 has no root
	env -u SUDO_UID -u SUDO_GID "$NETIOTRACE" report -q -o pages/set set
	[ -s pages/set/report.html ]
	[ -s pages/set/throughput-size.svg ]
	cp set/cells.tar.xz x.tar.xz
	chmod 644 x.tar.xz
	"$NETIOTRACE" report x.tar.xz >where
	[ "$(cat where)" = x-report/report.html ]
	diff pages/set/cells.tex x-report/cells.tex
}

@test "docs: each block that is not run has a reason and names existing targets and scripts" {
	local document file word

	for document in "${DOCUMENTS[@]/#/$REPO/}" "${RECIPES[@]/#/$REPO/}"; do
		mkdir work && cd work || return
		blocks "$document"
		for file in not*; do
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

@test "docs: commands are in fenced blocks, where these tests find them" {
	cd "$REPO" || return
	run grep -nE '^    (sudo |\./)?(netiotrace|netio-loadgen|make|scripts/[a-z]+|tests/run) ([a-z-]+|--?[a-z]+)( |$)' "${DOCUMENTS[@]}"
	# Sample output and syntax with brackets are no commands.
	grep -vE ':    (netiotrace [0-9]|netiotrace bench|netio-loadgen bench|netiotrace .*:|.*\[)|:    netiotrace \(|:    netio-loadgen \(|--control' \
		<<<"$output" | diff /dev/null -
}

@test "docs: SECURITY.md names every environment variable that the programs read" {
	local variable

	cd "$REPO" || return
	while read -r variable; do
		echo "$variable"
		grep -Eq "^\| ([A-Z_*]+, )*$variable(, [A-Z_*]+)* \|" docs/SECURITY.md
	done < <(grep -rhoE '(getenv\(|environ(\.get\(|\[))"[A-Z_]+"' user common loadgen analysis | cut -d '"' -f 2 | sort -u)
}

@test "docs: CONTRIBUTING leads to the place of a change; a counter, an option and a mode are added by one row" {
	need_tool cc
	python3 "$REPO/tests/e2e/walks.py" "$REPO" "$BUILD_DIR"
}
