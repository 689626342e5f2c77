#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The result of `make install`: programs find their files, man pages render, completion offers every
# option; `make uninstall` removes everything.

bats_require_minimum_version 1.5.0
load ../lib

setup_file() {
	export INSTALLED=$BATS_FILE_TMPDIR/root
	make_here DESTDIR="$INSTALLED" PREFIX=/usr install
	export PATH=$INSTALLED/usr/bin:$PATH
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

commands() {
	netiotrace help --describe | cut -f 2
}

@test "install: the programs are installed and run from there" {
	[ "$(type -P netiotrace)" = "$INSTALLED/usr/bin/netiotrace" ]
	netiotrace -q --backend none --messages 23 --warmup 20ms --mode onecopy --json out.json
	[ "$(json out.json '.runs[0].app.rx_messages')" = 23 ]
	netiotrace report -q -o page out.json
	[ -s page/report.html ]
}

@test "uninstall: the list of files equals the list before installation" {
	mkdir -p root/usr/bin root/usr/share/man/man8
	touch root/usr/bin/other root/usr/share/man/man8/netiotracer.8
	find root | sort >before
	make_here DESTDIR="$PWD/root" PREFIX=/usr install
	[ "$(find root | wc -l)" -gt 20 ]
	make_here DESTDIR="$PWD/root" PREFIX=/usr uninstall
	find root | sort | diff before -
}

@test "uninstall: an empty tree is empty again" {
	mkdir root
	make_here DESTDIR="$PWD/root" install
	# Meanwhile: the alerts name the runbook where it is installed, and the script finds it to replace.
	RUNBOOK_URL=https://x.example/r sh root/usr/local/share/netiotrace/prometheus/prometheusrule.sh >rule.yaml
	run ! grep 'runbook_url: /' rule.yaml
	sed -n 's/^ *runbook_url: \([^#]*\)#.*/\1/p' root/usr/local/share/netiotrace/prometheus/alerts.yml | sort -u >runbooks
	[ -s "root/$(<runbooks)" ]
	make_here DESTDIR="$PWD/root" uninstall
	[ -z "$(find root -mindepth 1)" ]
}

@test "install to a directory with a space in its name touches nothing before the space" {
	touch a
	make_here DESTDIR="$PWD/a b" PREFIX=/usr install
	[ -x "a b/usr/bin/netiotrace" ]
	[ -s "a b/usr/share/man/man8/netiotrace.8" ]
	make_here DESTDIR="$PWD/a b" PREFIX=/usr uninstall
	[ ! -e "a b" ]
	[ -e a ]
}

@test "man: every page renders without a warning" {
	local page

	for page in "$INSTALLED"/usr/share/man/man?/*; do
		LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" >rendered 2>warnings
		[ -s rendered ]
		diff /dev/null warnings
		mandoc -Tlint -Wwarning "$page" | grep -v 'outdated mandoc.db' | diff /dev/null -
	done
}

@test "man: each command has a page, named by netiotrace(8), with every option" {
	local command

	for command in $(commands); do
		[ "$command" != help ] || continue
		MANPATH=$INSTALLED/usr/share/man man netiotrace | col -b | grep -q "netiotrace-$command(8)"
		MANPATH=$INSTALLED/usr/share/man MANWIDTH=200 man "netiotrace-$command" | col -b >page
		netiotrace "$command" --help | grep -oE '(^|[ ,])--[a-z0-9-]+' | tr -d ' ,' | sort -u |
			while read -r option; do
				grep -q -- "$option" page || { echo "$command: no $option"; exit 1; }
			done
	done
}

@test "man: netio-loadgen(1) has every option, netiotrace-result(5) every key" {
	MANPATH=$INSTALLED/usr/share/man MANWIDTH=200 man netio-loadgen | col -b >page
	netio-loadgen --help | grep -oE '^[ SRB]+--[a-z0-9-]+' | grep -oE -- '--.*' | while read -r option; do
		grep -q -- "$option" page || { echo "no $option"; exit 1; }
	done
	MANPATH=$INSTALLED/usr/share/man MANWIDTH=400 man netiotrace-result | col -b >page
	# shellcheck disable=SC2016 # backquotes are Markdown's
	sed -n 's/^| `\([a-z][^`]*\)`.*/\1/p' "$REPO"/docs/reference/[!l]*.md | while read -r key; do
		grep -qF -- "$key" page || { echo "no $key"; exit 1; }
	done
}

# bash_completes WORD...: completions that Tab after the last WORD offers, one on each line.
bash_completes() {
	bash --norc -c '
		source "$1/usr/share/bash-completion/completions/$2"
		shift
		function=$(complete -p "$1" | sed "s/.*-F \([a-z_]*\) .*/\1/")
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$INSTALLED" "$@"
}

# glibc's argp writes a margin's blanks ahead of its full buffer: if a line of --help suffers, reword a text above it.
@test "completion in bash offers commands and every option of each" {
	local command

	diff <(commands | sort) <(bash_completes netiotrace '' | sort)
	for command in $(commands); do
		[ "$command" != help ] || continue
		run ! grep -n '^  *$' <(netiotrace "$command" --help)
		netiotrace "$command" --help | grep -oE '^  (-., |    )--[a-z0-9-]+' | grep -oE -- '--.*' | sort -u >options
		bash_completes netiotrace "$command" --  | sort -u | diff options -
	done
	netio-loadgen --help | grep -oE '^[ SRB]+--[a-z0-9-]+' | grep -oE -- '--.*' | sort >options
	bash_completes netio-loadgen -- | sort | diff options -
}

@test "completion in bash offers the values of an option" {
	mkdir directory && touch file
	bash_completes netiotrace attach '' | grep -qx -- "$(cat /proc/$$/comm)"
	[ "$(bash_completes netiotrace attach -- 'fi')" = file ]
	[ "$(bash_completes netiotrace --mode t)" = twocopy ]
	[ "$(bash_completes netiotrace run --backend = fent)" = fentry ]
	[ "$(bash_completes netiotrace sweep --path '' | xargs)" = 'loopback veth' ]
	[ "$(bash_completes netiotrace sweep -o '' | xargs)" = directory ]
	[ "$(bash_completes netiotrace --json f)" = file ]
	[ "$(bash_completes netiotrace compare dir)" = directory ]
	[ "$(bash_completes netiotrace help co)" = compare ]
	[ "$(bash_completes netio-loadgen --mode z)" = zerocopy ]
}

# named NAME...: a process of each name, until the test ends.
named() {
	python3 - "$@" 3>&- <<-'END' &
		import ctypes, os, signal, sys
		libc = ctypes.CDLL(None)
		for name in sys.argv[1:]:
		    told, tell = os.pipe()
		    if os.fork() == 0:
		        libc.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
		        libc.prctl(15, name.encode(), 0, 0, 0)  # PR_SET_NAME
		        os.write(tell, b".")
		        signal.pause()
		    os.read(told, 1)
		open("named", "w").close()
		signal.pause()
	END
	NAMED=$!
	within 10 test -e named
}

teardown() {
	[ -z "${NAMED-}" ] || kill "$NAMED"
}

@test "completion in bash offers the process names that attach takes, quoted, and executes none" {
	local line

	# shellcheck disable=SC2016 # nothing may expand these
	named '$(>PWN)' '`>PWN`' 'nt a b' 'nt;c' 'nt*' $'nt\nx' -nt nt/0 port
	bash_completes netiotrace attach '' >all
	[ ! -e PWN ]
	grep -qxF '\$\(\>PWN\)' all
	run ! grep -x -e '-.*' -e '.*/.*' -e port all
	bash_completes netiotrace attach nt >offered
	printf '%s\n' 'nt\ a\ b' 'nt\;c' 'nt\*' "\$'nt\\nx'" | sort | diff - <(sort offered)
	[ "$(bash_completes netiotrace attach 'nt\ a')" = 'nt\ a\ b' ]
	# Each is one word, which attach takes: its mistake is the one that follows.
	while read -r line; do
		eval "set -- $line"
		[ $# -eq 1 ]
		run -2 netiotrace attach "$1" --interval never
		[[ $output == *--interval* ]]
	done <offered
	[ ! -e PWN ]
}

@test "attach names --comm where it refuses a process name as its operand" {
	# shellcheck disable=SC2016 # nothing may expand these
	for name in '$(>/tmp/PWN)' port kworker/0:1; do
		run -2 netiotrace attach "$name"
		[[ $output == *"'$name'"*--comm* ]]
		run -2 netiotrace attach --comm "$name" --interval never
		[[ $output == *--interval* ]]
	done
}

# zsh_specs COMMAND...: arguments that the completion passes to zsh's functions for this command
# line.
zsh_specs() {
	zsh -f -c '
		_arguments() { print -rl -- "$@" }
		_describe() { print -rl -- "${(P@)2}" }
		words=("$@") CURRENT=$#
		source "$0"' "$INSTALLED/usr/share/zsh/site-functions/_netiotrace" "$@"
}

@test "completion in zsh offers commands, every option of each, and values" {
	local command

	diff <(commands | sort) <(zsh_specs netiotrace '' | sed 's/:.*//' | sort)
	for command in $(commands); do
		[ "$command" != help ] || continue
		netiotrace "$command" --help | grep -oE '^  (-., |    )--[a-z0-9-]+' | grep -oE -- '--.*' | sort -u >options
		zsh_specs netiotrace "$command" -- | grep -oE '^\*--[a-z0-9-]+' | tr -d '*' | sort -u | diff options -
	done
	zsh_specs netiotrace --mode '' | grep -qF '(twocopy onecopy zerocopy sendfile splice uring uringzc ktls all)'
	zsh_specs netiotrace sweep -o '' | grep -qF ':directory:_files -/'
}

@test "the schema is installed, accepts a document and refuses four wrong ones" {
	diff <(cd "$REPO" && scripts/gen-schema) "$INSTALLED/usr/share/netiotrace/netiotrace.schema.json"
	netiotrace -q --backend none --messages 23 --warmup 20ms --mode onecopy --json good.json
	"$REPO/tests/validate" good.json
	jq '.runs[0].app.tx_bytes = "many"' good.json >type.json
	jq 'del(.runs[0].ledger)' good.json >lacks.json
	jq '.runs[0].ledger.tx_copy.copies = 1' good.json >unknown.json
	jq '.schema = "netiotrace.other/1"' good.json >schema.json
	for wrong in type lacks unknown schema; do
		run "$REPO/tests/validate" $wrong.json
		[ "$status" -eq 1 ]
		[[ $output == *'1 documents, 1 wrong' ]]
		rm $wrong.json
	done
}

@test "the version is the tag plus later commits; a tarball contains its version" {
	mkdir -p tree/scripts
	cp "$REPO/scripts/version" tree/scripts
	printf '# Changelog\n\n## Unreleased\n\n## 0.3.0 (2026-01-01)\n' >tree/CHANGELOG.md
	[ "$(tree/scripts/version)" = 0.3.0 ]
	git -C tree init -q
	git -C tree add .
	git -C tree -c user.name=x -c user.email=x@example.org commit -qm one
	[ "$(tree/scripts/version)" = 0.3.0 ]
	git -C tree tag v0.4.0
	[ "$(tree/scripts/version)" = 0.4.0 ]
	git -C tree -c user.name=x -c user.email=x@example.org commit -qm two --allow-empty
	[[ $(tree/scripts/version) =~ ^0\.4\.0\+1\.g[0-9a-f]+$ ]]
	echo 0.5.0 >tree/.version
	[ "$(tree/scripts/version)" = 0.5.0 ]
}

@test "builds in different directories are identical: no program contains the path; a new version is compiled in" {
	for program in netiotrace netio-loadgen; do
		run ! grep -qaF "$REPO" "$BUILD_DIR/$program"
	done
	for tree in one "another one"; do
		mkdir "$tree"
		cp -r "$REPO"/{Makefile,mk,scripts,common,loadgen,bpf,CHANGELOG.md} "$tree"
	done
	make -s -C one O=build CFLAGS=-g build/netio-loadgen
	make -s -C "another one" O="$PWD/out" CFLAGS=-g "$PWD/out/netio-loadgen"
	cmp one/build/netio-loadgen out/netio-loadgen
	make -s -C one O=build CFLAGS=-g VERSION=9.9.9 build/netio-loadgen
	[ "$(one/build/netio-loadgen --version)" = "netio-loadgen 9.9.9" ]
}


# Unit tests link both programs from one archive, which may take either.
@test "install: no function has the same name in collector and load generator" {
	defined() {
		awk '$2 ~ /[TDBR]/ { print $3 }' | sort -u
	}
	nm --defined-only -g "$BUILD_DIR"/user/*/*.o | defined >collector
	find "$BUILD_DIR/loadgen" -name '*.o' ! -name main.o -exec nm --defined-only -g {} + | defined >loadgen
	[ "$(wc -l <loadgen)" -gt 100 ]
	[ -z "$(comm -12 collector loadgen)" ]
}
