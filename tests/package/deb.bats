#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The Debian package on a machine that never saw a compiler: a clean tree, the package, the work, and nothing
# left. DEB: the package, else that of build/deb.

bats_require_minimum_version 1.5.0
load ../lib

setup_file() {
	need_root
	# shellcheck source=scripts/deb/lib.bash
	source "$REPO/scripts/deb/lib.bash"
	trap - EXIT INT TERM
	export TREE=$BATS_FILE_TMPDIR/tree
	deb_tree "$TREE"
	cp "${DEB:-$(echo "$REPO"/build/deb/netiotrace_*_"$architecture".deb)}" "$TREE/tmp/netiotrace.deb"
	inside 'apt-get -q update'
}

# inside SCRIPT: in the tree, with /proc, /sys and the usual devices.
inside() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m -- sh -c '
		mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" &&
			DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 exec chroot "$0" bash -c "$1"' "$TREE" "$1"
}

# What is on the tree, but for what apt, dpkg and man keep of all that ever was.
files() {
	find "$TREE" -xdev -path "$TREE/var/cache" -prune -o -path "$TREE/var/log" -prune -o \
		-path "$TREE/var/lib/apt" -prune -o -path "$TREE/var/lib/dpkg/*-old" -prune -o -print | sort
}

@test "deb: installs without a compiler, does its work, and leaves nothing" {
	files >"$BATS_TEST_TMPDIR/before"
	cd "$TREE/tmp" || return
	inside 'cd /tmp && apt-get -q -y -o APT::Sandbox::User=root --no-install-recommends install ./netiotrace.deb'
	run ! inside 'type clang || type gcc || type make'

	inside 'cd /tmp && netiotrace --mode all --rounds 2 --duration 400ms --json run.json'
	[ "$(json run.json '[.runs[].ledger | .unaccounted_tx, .unaccounted_rx] | unique | join(",")')" = 0 ]
	"$REPO/tests/validate" run.json
	inside 'cd /tmp && netiotrace doctor' >doctor
	inside 'man -P cat netiotrace netiotrace-sweep netio-loadgen netiotrace-result' >pages
	grep -q 'NETIOTRACE-SWEEP(8)' pages && grep -q unaccounted_tx pages
	# shellcheck disable=SC2016 # the inner shell's
	[ "$(inside '. /usr/share/bash-completion/bash_completion && { _completion_loader netiotrace; [ $? -eq 124 ]; } &&
		COMP_WORDS=(netiotrace sw) COMP_CWORD=1 && _netiotrace netiotrace sw netiotrace && echo $COMPREPLY')" = sweep ]
	"$REPO/tests/package/links" "$TREE/usr/share/doc/netiotrace"
	# Recommended packages are not installed here.
	run -1 inside 'cd /tmp && netiotrace compare run.json run.json'
	[[ $output == "netiotrace: compare needs python3, "* ]]
	rm run.json doctor pages

	inside 'apt-get -q -y purge netiotrace && apt-get -q -y autoremove --purge'
	files | diff "$BATS_TEST_TMPDIR/before" -
}
