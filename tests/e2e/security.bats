#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# docs/SECURITY.md, tested with two users besides root: files that another user plants are not run,
# read or written. The users are UIDs without an account.

bats_require_minimum_version 1.5.0
load ../lib

CALLER=61001
OTHER=61002

setup() {
	made_by_hand
	need_root
	need_tool gnuplot setpriv python3
	open_to_all
	cd "$BATS_TEST_TMPDIR" || return
	published=$REPO/tests/fixtures/pa02-mt25014-results.csv
	mkdir -m 1777 trap
	TRAP=$PWD/trap
}

teardown() {
	[ -z "${PROTECTED:-}" ] || echo "$PROTECTED" >/proc/sys/fs/protected_symlinks
	stop_jobs
}

as() { # UID COMMAND...
	local uid=$1
	shift

	setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all "$@"
}

# by_sudo COMMAND...: as the command that sudo starts.
by_sudo() {
	SUDO_UID=$CALLER SUDO_GID=$CALLER "$@"
}

owned_dir() { # UID DIR...
	local uid=$1
	shift

	mkdir -p "$@"
	chown "$uid:$uid" "$@"
}

# A python3 that every user may run: a version manager's may be in a closed home directory.
python_for_all() {
	local python

	for python in python3 /usr/bin/python3; do
		if as "$OTHER" "$python" -c '' 2>/dev/null; then
			echo "$python"
			return
		fi
	done
	skip "there is no python3 that all users may run"
}

# Each planted program leaves a file in the trap directory when it runs.
nothing_ran() {
	[ -z "$(ls -A "$TRAP")" ] || {
		ls -lnA "$TRAP"
		return 1
	}
}

# every_name DIR: plants in DIR, under every name that gnuplot or python3 looks for, a script that
# leaves a file in the trap.
every_name() {
	local name

	for name in analysis jinja2 markupsafe json re os site sitecustomize usercustomize; do
		echo "import builtins; builtins.open('$TRAP/$name', 'w')" >"$1/$name.py"
	done
	for name in common panels lines stacks histograms; do
		echo "system('touch $TRAP/$name')" >"$1/$name.gp"
	done
	for name in .gnuplot gnuplotrc .gnuplotrc gnuplot.ini; do
		echo "system('touch $TRAP/$name')" >"$1/$name"
	done
	mkdir -p "$1/gnuplot" "$1/.config/gnuplot"
	cp "$1/.gnuplot" "$1/gnuplot/gnuplotrc"
	cp "$1/.gnuplot" "$1/.config/gnuplot/gnuplotrc"
	chown -R "$OTHER:$OTHER" "$1"
}

# in_others_hands COMMAND...: in another user's working directory, which every variable names.
in_others_hands() {
	local there=$PWD/others

	(cd others && env HOME="$there" TMPDIR="$there" GNUPLOT_LIB="$there" XDG_CONFIG_HOME="$there" \
		XDG_CACHE_HOME="$there" XDG_DATA_HOME="$there" XDG_RUNTIME_DIR="$there" GNUTERM=dumb \
		GNUPLOT_DRIVER_DIR="$there" GNUPLOT_PS_DIR="$there" FONTCONFIG_PATH="$there" \
		PYTHONPATH="$there" PYTHONHOME="$there" PYTHONUSERBASE="$there" PYTHONSTARTUP="$there/site.py" \
		PYTHONPYCACHEPREFIX="$there" "$@")
}

# nothing_opened_in DIR: strace recorded no opened or executed file below DIR.
nothing_opened_in() { # DIR
	local found

	found=$(grep -F "\"$1" calls | grep -v ' = -1 ' || true)
	[ -z "$found" ] || {
		echo "$found"
		return 1
	}
}

@test "security: report opens and runs nothing from another user's working directory or from variables" {
	local before

	need_tool strace
	owned_dir "$OTHER" others
	every_name others
	owned_dir "$CALLER" callers
	before=$(find others | sort)
	in_others_hands strace --seccomp-bpf -f -qq -o "$PWD/calls" -e trace=open,openat,execve,creat \
		"$NETIOTRACE" report -q -o "$PWD/out" "$published"
	[ -s out/report.html ]
	nothing_ran
	nothing_opened_in "$PWD/others"
	# Also not by a relative name.
	run ! grep -E '"[^/"]*(panels|common|lines)\.gp"' calls
	by_sudo in_others_hands "$NETIOTRACE" report -q -o "$PWD/callers/out" "$published"
	[ -s callers/out/report.html ]
	[ -z "$(find callers ! -uid "$CALLER")" ]
	nothing_ran
	[ "$(find others | sort)" = "$before" ]
}

@test "security: root runs no gnuplot from a directory that another user can write" {
	owned_dir "$OTHER" others
	printf '#!/bin/sh\ntouch %s/ran\nexit 1\n' "$TRAP" >others/gnuplot
	chmod 755 others/gnuplot
	(cd others && PATH=.:$PWD:$PATH "$NETIOTRACE" report -q -o ../out "$published")
	[ -s out/report.html ]
	nothing_ran
}

# By names alone, each way below leads to a program of root in a directory of root.
@test "security: root runs no gnuplot that another user could exchange on the way to it" {
	local way

	owned_dir "$OTHER" others
	mkdir -p others/roots/bin sticky links group
	printf '#!/bin/sh\ntouch %s/ran\nexit 1\n' "$TRAP" >others/roots/bin/gnuplot
	chmod 755 others/roots/bin/gnuplot
	cp -a others/roots/bin bin
	# Another user could rename others/roots.
	ln -s "$PWD/others/roots/bin" links/directory
	ln -s ../others/roots/../../bin links/above
	ln -s "$PWD/links/directory" links/twice
	# Another user could make their own link lead elsewhere.
	chmod 1777 sticky
	as "$OTHER" ln -s "$PWD/bin" sticky/link
	ln -s "$PWD/sticky/link" links/sticky
	cp bin/gnuplot group/gnuplot
	chmod 775 group/gnuplot
	chgrp "$OTHER" group/gnuplot
	mkdir links/file
	ln -s ../../sticky/link/gnuplot links/file/gnuplot
	for way in links/directory links/above links/twice sticky/link links/sticky links/file group; do
		rm -rf out
		# With fs.protected_symlinks, root cannot follow the other user's own link.
		[[ $way == *sticky* || $way == links/file ]] || [ -x "$way/gnuplot" ]
		PATH=$PWD/$way:$PATH "$NETIOTRACE" report -q -o out "$published"
		[ -s out/report.html ]
		nothing_ran
	done
	# Links of root, also in a sticky directory, are followed.
	ln -s "$PWD/bin" sticky/roots
	ln -s ../sticky/roots links/trusted
	env PATH="$PWD/links/trusted:$PATH" "$NETIOTRACE" report -q -o out2 "$published"
	[ -e "$TRAP/ran" ]
}

# gnuplot reports its own user and environment.
@test "security: gnuplot runs without root and without environment, for any caller" {
	mkdir bin
	cat >bin/gnuplot <<-'END'
		#!/bin/sh
		[ "$1" = --version ] && exit 0
		echo "uid $(id -u) groups $(id -G) in $PWD home ${HOME-none} tmp ${TMPDIR-none} sudo ${SUDO_UID-none}" \
			"caps $(grep CapEff /proc/self/status | cut -f 2)" >&2
		exit 1
	END
	chmod 755 bin bin/gnuplot
	run -0 env PATH="$PWD/bin:$PATH" TMPDIR="$PWD" "$NETIOTRACE" report -q -o out "$published"
	echo "$output"
	[[ $output =~ "uid "([0-9]+)" groups "([0-9]+)" in / home none tmp none sudo none caps 0000000000000000"$ ]]
	[ "${BASH_REMATCH[1]}" -ge 60706 ]
	[ "${BASH_REMATCH[2]}" -ge 60706 ]
	run -0 by_sudo env PATH="$PWD/bin:$PATH" TMPDIR="$PWD" "$NETIOTRACE" report -q -o out "$published"
	echo "$output"
	[[ $output == *"uid $CALLER groups $CALLER in / home none tmp none sudo none caps 0000000000000000" ]]
}

# shellcheck disable=SC2016 # nothing is to be expanded
HOSTILE=("a\"b'c" 'a`touch TRAP/backtick`b' $'a\nsystem("touch TRAP/newline")\n' 'a;touch TRAP/semicolon;|touch TRAP/pipe'
	'$(touch TRAP/dollar)' $'\e]0;title\a@a%n%s' '-a')

@test "security: names in data run no command and open no other path" {
	local name raw before n=0

	"$NETIOTRACE" -q --backend none --mode onecopy --messages 5 --warmup 0 --json one.json
	for raw in "${HOSTILE[@]}"; do
		name=${raw//TRAP/$TRAP}
		n=$((n + 1))
		mkdir -p "case$n"
		# A file name cannot contain a slash.
		mkdir "case$n/./${name//\//_}"
		before=$(find . -path "./case$n" -prune -o -print | grep -v '^./out' | sort)
		awk -v name="${name//$'\n'/ }" -F , -v OFS=, 'NR == 1 { $1 = "mode" } NR > 1 && $1 == 0 { $1 = "\"" name "\"" } { print }' \
			"$published" >"case$n/./${name//\//_}/${name//\//_}.csv"
		# Refused or reported, with all files in its own directory.
		"$NETIOTRACE" report -q -o "case$n/out" --modes "${name//[$'\n',]/ }=twocopy" \
			"case$n/./${name//\//_}/${name//\//_}.csv" || [ $? -le 2 ]
		jq --arg name "$name" '.environment |= map_values(if type == "string" then $name else . end)' one.json \
			>"case$n/document.json"
		"$NETIOTRACE" report -q -o "case$n/of-document" "case$n/document.json"
		[ -s "case$n/of-document/report.html" ]
		"$NETIOTRACE" compare -q "case$n/document.json" "case$n/document.json" || [ $? -le 2 ]
		nothing_ran
		[ "$(find . -path "./case$n" -prune -o -print | grep -v '^./out' | sort)" = "$before" ]
	done
	# A congestion control becomes part of a file name.
	for name in ../../above /tmp/x 'a/b' .. ''; do
		jq --arg name "$name" '.environment.congestion_control = $name' one.json >named.json
		mkdir -p in/in
		before=$(find . -path ./in/in -prune -o -print | sort)
		"$NETIOTRACE" report -q -o in/in/out --congestion "$name" named.json || [ $? -le 2 ]
		[ "$(find . -path ./in/in -prune -o -print | sort)" = "$before" ]
		rm -rf in
	done
}

# The owner of the report's parent directory replaces new entries by a directory of the attacker.
swapper() {
	as "$OTHER" "$(python_for_all)" - "$1" "$TRAP" "$2" <<-'END'
		import os, sys, time
		os.chdir(sys.argv[1])
		trap, victim = sys.argv[2:]
		name = ".netiotrace-report-out"
		charts = "throughput-size latency-threads cache-size cycles-size copies copy-times send-call cpu-class completion"
		n = 0
		def prepare():
		    os.makedirs("prepared/data")
		    for chart in charts.split():
		        with open(f"prepared/data/{chart}.plot", "w") as f:
		            f.write(f"system('touch {trap}/{chart}')\n")
		        for kind in ("svg", "png"):
		            os.symlink(victim, f"prepared/{chart}.{kind}")
		    with open("prepared/panels.gp", "w") as f:
		        f.write(f"system('touch {trap}/panels')\n")
		prepare()
		open("begun", "w").close()
		while not os.path.exists("stop"):
		    if not os.path.lexists(name):
		        time.sleep(0.001)
		        continue
		    # At once, and while pictures are drawn.
		    time.sleep((0, 0.3, 0, 0.6)[n % 4])
		    try:
		        if n % 8 > 5:
		            os.rename(name, f"aside{n}")
		            os.rename("roots", name)
		            os.rename(name, "roots")
		        else:
		            os.rename(name, f"aside{n}")
		            os.rename("prepared", name)
		    except OSError:
		        pass
		    n += 1
		    if not os.path.exists("prepared"):
		        try:
		            prepare()
		        except OSError:
		            pass
	END
}

@test "security: a directory replaced while a report is written runs no command and redirects no file" {
	local i pid

	mkdir -m 700 private
	echo secret >private/victim
	owned_dir "$OTHER" others
	mkdir -m 700 others/roots
	echo kept >others/roots/kept
	swapper "$PWD/others" "$PWD/private/victim" &
	pid=$!
	within 60 test -e others/begun
	for ((i = 0; i < 6; i++)); do
		"$NETIOTRACE" report -q -o others/out "$published" || [ $? -le 2 ]
		by_sudo "$NETIOTRACE" report -q -o others/out "$published" || [ $? -le 2 ]
	done
	touch others/stop
	wait "$pid"
	nothing_ran
	[ "$(cat private/victim)" = secret ]
	[ "$(stat -c %u:%a private/victim)" = 0:644 ]
	# Files of root stay root's under any name.
	[ "$(find others -name kept -uid 0 -exec cat {} +)" = kept ]
	[ "$(find others -name kept -printf '%h\n' | xargs stat -c %u:%a | sort -u)" = 0:700 ]
}

@test "security: a sweep whose cells directory is replaced by a link writes nothing elsewhere" {
	local pid

	mkdir -m 755 elsewhere
	owned_dir "$OTHER" theirs
	as "$OTHER" "$(python_for_all)" - theirs "$PWD/elsewhere" <<-'END' &
		import os, sys, time
		os.chdir(sys.argv[1])
		open("../trap/begun", "w").close()
		end = time.monotonic() + 60
		while time.monotonic() < end:
		    try:
		        if any(name.endswith(".json") for name in os.listdir("cells")):
		            os.rename("cells", ".aside")
		            os.symlink(sys.argv[2], "cells")
		            break
		    except OSError:
		        pass
	END
	pid=$!
	within 60 test -e trap/begun
	run "$NETIOTRACE" sweep -o theirs --backend none --modes onecopy,twocopy --sizes 1k,4k --threads 1 --rounds 2 \
		--duration 50ms --warmup 10ms --seed 1 --quiet
	wait "$pid"
	echo "$output"
	[ -L theirs/cells ]
	[ "$status" -ne 0 ]
	[ -z "$(ls -A elsewhere)" ]
}

# swap_forever PLACE TARGET: the owner of PLACE swaps the directory PLACE/d and a link to TARGET until PLACE/stop is there.
swap_forever() {
	as "$OTHER" "$(python_for_all)" - "$1" "$2" <<-'END'
		import os, sys, time
		os.chdir(sys.argv[1])
		os.symlink(sys.argv[2], "link")
		open("begun", "w").close()
		end = time.monotonic() + 120
		while not os.path.exists("stop") and time.monotonic() < end:
		    os.rename("d", "aside")
		    os.rename("link", "d")
		    os.rename("d", "link")
		    os.rename("aside", "d")
		    time.sleep(0.0002)
	END
}

# bats test_tags=address
@test "security: a ready file and a unix socket follow no directory that another user swaps for a link" {
	local pid kept

	owned_dir "$OTHER" others others/d
	mkdir -m 755 roots
	echo "netiotrace 1" >roots/ready
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("roots/sock")'
	kept=$(find roots -printf '%p %i %s %T@\n' | sort)
	# Swapped before the start.
	as "$OTHER" ln -s "$PWD/roots" others/link
	run -1 "$NETIOTRACE" attach -q --comm nosuch --wait --duration 50ms --ready-file others/link/ready
	[[ $output == *"others/link/ready cannot be written: Permission denied"* ]]
	run -1 "$NETIOTRACE" export --listen "unix:$PWD/others/link/sock"
	[[ $output == *"cannot listen on unix:$PWD/others/link/sock: Permission denied"* ]]
	[ "$(find roots -printf '%p %i %s %T@\n' | sort)" = "$kept" ]
	# Swapped while the program works.
	"$NETIOTRACE" attach -q --pid $$ --ready-file others/d/ready --json out.json 3>&- &
	pid=$!
	within 60 test -s others/d/ready
	as "$OTHER" mv others/d others/moved
	as "$OTHER" mv others/link others/d
	kill -INT "$pid"
	wait "$pid" || [ $? -eq 130 ]
	[ ! -e others/moved/ready ]
	as "$OTHER" rm others/d
	as "$OTHER" mv others/moved others/d
	# Swapped all the time.
	swap_forever "$PWD/others" "$PWD/roots" 3>&- &
	pid=$!
	within 60 test -e others/begun
	for _ in 1 2 3 4 5; do
		! "$NETIOTRACE" attach -q --pid 4194303 --ready-file others/d/ready || false
		timeout -s TERM 0.3 "$NETIOTRACE" export -q --listen "unix:$PWD/others/d/sock" || true
	done
	touch others/stop
	wait "$pid"
	[ "$(find roots -printf '%p %i %s %T@\n' | sort)" = "$kept" ]
}

# protect_links VALUE: sets fs.protected_symlinks until the end of the test. The setting is
# machine-wide: tests that use it have the tag `alone`.
protect_links() {
	local file=/proc/sys/fs/protected_symlinks

	[ -w $file ] || skip "fs.protected_symlinks cannot be set here"
	PROTECTED=$(<$file)
	echo "$1" >$file
}

# refused_link COMMAND...: fails, and the target of another user's link is unchanged.
refused_link() {
	local code=0

	"$@" >stdout 2>stderr </dev/null || code=$?
	if [ "$code" -eq 0 ] || [ "$(cat private/victim)" != secret ] || [ "$(stat -c %u:%a private/victim)" != 0:600 ]; then
		echo "$*: exit $code"
		cat stdout stderr private/victim
		return 1
	fi
}

# bats test_tags=alone
@test "security: no output option follows another user's link in a shared directory" {
	local run=(-q --backend none --mode onecopy --messages 5 --warmup 0) who

	mkdir -m 700 private
	echo secret >private/victim
	chmod 600 private/victim
	mkdir -m 1777 shared
	as "$OTHER" ln -s "$PWD/private/victim" shared/x
	as "$OTHER" ln -s "$PWD/private" shared/directory
	"$NETIOTRACE" "${run[@]}" --json one.json
	protect_links 0
	for who in '' by_sudo; do
		refused_link $who "$NETIOTRACE" "${run[@]}" --json shared/x
		refused_link $who "$NETIOTRACE" "${run[@]}" --csv shared/x
		refused_link $who "$NETIOTRACE" "${run[@]}" --json shared/directory/victim
		refused_link $who "$NETIOTRACE" "${run[@]}" --folded shared/x
		refused_link $who "$NETIOTRACE" doctor --json shared/x
		refused_link $who "$NETIOTRACE" compare -q --json shared/x one.json one.json
		refused_link $who "$NETIOTRACE" attach -q --duration 1ms --json shared/x -- true
		refused_link $who "$NETIOTRACE" attach -q --duration 1ms --csv shared/x -- true
		refused_link $who "$NETIOTRACE" attach -q --duration 1ms --json-lines shared/x -- true
		refused_link $who "$NETIOTRACE" report -q -o shared/x one.json
		refused_link $who "$NETIOTRACE" report -q -o shared/directory/new one.json
		refused_link $who "$NETIOTRACE" sweep -o shared/directory/new --backend none --modes onecopy --sizes 1k \
			--threads 1 --rounds 2 --duration 50ms --quiet
		[ "$(ls private)" = victim ]
	done
	# Links of the caller and of root are followed.
	owned_dir "$CALLER" callers
	as "$CALLER" ln -s "$PWD/callers/there.json" shared/own
	by_sudo "$NETIOTRACE" "${run[@]}" --json shared/own
	[ "$(stat -c %u callers/there.json)" = "$CALLER" ]
	ln -s "$PWD/roots.json" shared/roots
	"$NETIOTRACE" "${run[@]}" --json shared/roots
	[ -s roots.json ]
}

@test "security: output to /dev/stdout, /dev/fd and pipes works" {
	local run=(-q --backend none --mode onecopy --messages 5 --warmup 0)

	"$NETIOTRACE" "${run[@]}" --json /dev/stdout | jq -e '.runs[0].size' >/dev/null
	"$NETIOTRACE" "${run[@]}" --json /dev/stdout >file.json
	jq -e '.runs[0].size' file.json >/dev/null
	"$NETIOTRACE" "${run[@]}" --json >(jq .runs[0].size >size) && within 10 test -s size
	"$NETIOTRACE" compare -q --json /dev/stdout file.json file.json | jq -e .schema >/dev/null
	"$NETIOTRACE" report -q -o out <(cat "$published")
	[ -s out/report.html ]
}

# Root reads its own private data as root, and another user's data with that user's rights.
@test "security: root reports its own private results, and reads others' data with their rights" {
	umask 077
	mkdir -p own/cells
	"$NETIOTRACE" -q --backend none --mode onecopy --messages 5 --warmup 0 --json own/cells/one.json
	"$NETIOTRACE" report -q own
	[ -s own/report/report.html ]
	"$NETIOTRACE" compare -q --json changes.json own own
	[ -s changes.json ]
	for copy in own2 own3; do
		cp -r own $copy
		"$NETIOTRACE" -q --backend none --mode onecopy --messages 6 --warmup 0 --json $copy/cells/one.json
	done
	"$NETIOTRACE" compare -q --json changes.json own,own2 own3
	jq -e '.before.sweeps == 2' changes.json
	# Files as tar extracts them: the owner cannot reach them.
	cp "$published" own/data.csv
	chown "$OTHER" own/data.csv
	"$NETIOTRACE" report -q -o out own/data.csv
	[ -s out/report.html ]
	umask 022
	owned_dir "$OTHER" others others/cells others/linked
	as "$OTHER" ln -s "$PWD/own/cells/one.json" others/cells/one.json
	as "$OTHER" ln -s "$PWD/own/cells/one.json" others/one.json
	run -1 "$NETIOTRACE" report -q -o out2 others
	[[ $output == *'Permission denied'* || $output == *'no results'* ]]
	run -1 "$NETIOTRACE" report -q -o out2 others/one.json
	[[ $output == *'Permission denied'* ]]
	# The cells of another user in a directory of root.
	mkdir mixed
	mv others/cells mixed
	run -1 "$NETIOTRACE" report -q -o out2 mixed
	[[ $output == *'Permission denied'* || $output == *'no results'* ]]
	run ! "$NETIOTRACE" compare -q others/one.json others/one.json
	# Root's own link into a directory in which another user makes the next one.
	mkdir links
	ln -s "$PWD/others/one.json" links/one.json
	run -1 "$NETIOTRACE" report -q -o out2 links
	[[ $output == *'Permission denied'* || $output == *'no result documents'* ]]
	ln -s "$PWD/own/cells/one.json" links/own.json
	rm links/one.json
	"$NETIOTRACE" compare -q links links
	# Under sudo, only data that the caller may read.
	run -1 by_sudo "$NETIOTRACE" report -q -o out2 "$PWD/own/cells/one.json"
	[[ $output == *'Permission denied'* ]]
	run ! by_sudo "$NETIOTRACE" compare -q own own
	run ! "$NETIOTRACE" attach -q --duration 1ms --baseline others/one.json -- true
	[[ $output == *'Permission denied'* ]]
	"$NETIOTRACE" attach -q --duration 1ms --baseline "$published" -- true
	run -2 "$NETIOTRACE" attach -q --duration 1ms --follow-result others/one.json -- true
	[[ $output == *'Permission denied'* ]]
	[ ! -e out2 ]
}

# child_of PID: the process that it started; $child.
child_of() {
	child=$(pgrep -P "$1" python3)
}

# A FIFO keeps python3 at its work. It is a user of its own: a process of nobody, as any other user's,
# cannot take its descriptors, and it has none of the caller's.
@test "security: no other process has access to the python3 that reads for root" {
	local pid child uid other holder

	mkfifo -m 600 data
	sleep 600 1<>data 3>&- &
	holder=$!
	"$NETIOTRACE" compare data data 9<"$published" 3>&- &
	pid=$!
	within 60 child_of "$pid"
	within 60 grep -q python3 "/proc/$child/cmdline"
	uid=$(awk '/^Uid:/ {print $2}' "/proc/$child/status")
	[ "$uid" -ge 60706 ]
	[ "$uid" -ne 65534 ]
	[ "$(awk '/^Uid:/ {print $2}' /proc/[0-9]*/status 2>/dev/null | grep -cx "$uid")" -eq 1 ]
	ls -l "/proc/$child/fd"
	for other in "$uid" 65534 "$OTHER"; do
		# The witness: a process of the same user could.
		if [ "$other" = "$uid" ]; then
			as "$other" ls "/proc/$child/fd"
		else
			run ! as "$other" ls "/proc/$child/fd"
		fi
	done
	run ! grep -F "$published" <(ls -l "/proc/$child/fd")
	kill -TERM "$pid"
	wait "$pid" || [ $? -eq 143 ]
	within 60 has_ended "$child"
	kill "$holder"
}

# Python finds its library beside the first python3 of PATH if it was started by a bare name.
@test "security: python3 takes its library from no directory of PATH" {
	local version

	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	version=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
	mkdir -p others/bin "others/lib/$version/lib-dynload"
	cp -r "/usr/lib/$version/." "others/lib/$version"
	echo "open('$TRAP/getopt', 'w')" >>"others/lib/$version/getopt.py"
	rm -rf "others/lib/$version/__pycache__"
	cp /usr/bin/python3 others/bin/python3
	chown -R "$OTHER:$OTHER" others
	# The witness: such a directory does change a python3 that is started by name.
	(PATH=$PWD/others/bin:$PATH exec -a python3 /usr/bin/python3 -I -c 'import getopt')
	[ -e trap/getopt ]
	rm -f trap/*
	PATH=$PWD/others/bin:$PATH "$NETIOTRACE" compare -q "$published" "$published"
	PATH=$PWD/others/bin:$PATH "$NETIOTRACE" attach -q --duration 1ms --baseline "$published" -- true
	nothing_ran
	# Where /usr/bin/python3 is none, root takes no python3 that another user can exchange.
	cat >others/bin/python3 <<-END
		#!/bin/sh
		touch $TRAP/python3
	END
	run -1 unshare -m sh -c "mount --bind /etc/passwd /usr/bin/python3 &&
		PATH=$PWD/others/bin:\$PATH $NETIOTRACE compare -q $published $published"
	[[ $output == *'cannot run python3: Permission denied'* ]]
	nothing_ran
}

@test "security: Ctrl-C ends attach while another user keeps it waiting for its baseline" {
	local pid child holder

	mkfifo -m 644 data
	chown "$OTHER" data
	as "$OTHER" sleep 600 1<>data 3>&- &
	holder=$!
	"$NETIOTRACE" attach --port 9 --baseline data >output 2>&1 3>&- &
	pid=$!
	within 60 child_of "$pid"
	kill -INT "$pid"
	wait "$pid" || [ $? -eq 130 ]
	run ! grep -i empty output
	within 60 has_ended "$child"
	kill "$holder"
}

@test "security: a pipe in a data set keeps no reader waiting, whoever opens it" {
	local programs

	refused() { # COMMAND...
		run ! --separate-stderr timeout 60 "$@"
		# shellcheck disable=SC2154 # stderr: of run
		[[ $stderr == 'netiotrace: '*'results/cells/a.json: not a regular file.' ]]
	}
	programs=$(for_all "$NETIOTRACE_BIN" "$PWD/programs")
	mkdir -p results/cells
	mkfifo results/cells/a.json
	refused "$NETIOTRACE" compare results results
	refused "$NETIOTRACE" report -o out results
	refused "$NETIOTRACE" attach -q --duration 1ms --baseline results -- true
	refused env SUDO_UID=$CALLER SUDO_GID=$CALLER "$NETIOTRACE" compare results results
	refused setpriv --reuid "$OTHER" --regid "$OTHER" --clear-groups "$programs/netiotrace" compare results results
}

@test "security: a killed report leaves no file and no gnuplot process" {
	local pid gnuplot who programs

	programs=$(for_all "$NETIOTRACE_BIN" "$PWD/programs")
	mkdir bin
	cat >bin/gnuplot <<-END
		#!/bin/sh
		[ "\$1" = --version ] && exit 0
		echo \$\$ >$TRAP/pid.new
		mv $TRAP/pid.new $TRAP/pid
		exec sleep 600
	END
	chmod 755 bin bin/gnuplot
	owned_dir "$CALLER" callers
	for who in root caller; do
		rm -f "$TRAP/pid"
		if [ $who = root ]; then
			PATH=$PWD/bin:$PATH "$NETIOTRACE" report -q -o out "$published" &
		else
			PATH=$PWD/bin:$PATH setpriv --reuid "$CALLER" --regid "$CALLER" --clear-groups \
				"$programs/netiotrace" report -q -o callers/out "$published" &
		fi
		pid=$!
		within 60 test -e trap/pid
		gnuplot=$(<trap/pid)
		kill -KILL "$pid"
		wait "$pid" || [ $? -eq 137 ]
		within 60 has_ended "$gnuplot"
		[ -z "$(find . -name '.netiotrace*' -print)" ]
		[ ! -e out ]
		[ ! -e callers/out ]
	done
}

@test "root does not work for nobody where SUDO_UID or SUDO_GID is missing or no number: exit 2" {
	refused() { # ASSIGNMENT...
		run -2 env "$@" "$NETIOTRACE" --version
		[[ $output == "netiotrace: who called sudo cannot be known: "* && ${#lines[@]} -eq 1 ]]
	}
	refused SUDO_UID=nobody SUDO_GID=1
	refused SUDO_UID= SUDO_GID=
	refused SUDO_UID=1000
	refused SUDO_GID=1000
	refused SUDO_UID=1000 SUDO_GID=-1
	env SUDO_UID=0 SUDO_GID=0 "$NETIOTRACE" --version
	# Others than root work for themselves.
	as "$OTHER" env SUDO_UID=nobody "$NETIOTRACE" --version
}
