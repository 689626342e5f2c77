#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The programs of `make static` where there is nothing but them: no library, no /etc, no shell.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p empty/proc empty/sys empty/out
	cp "$REPO"/build-static/{netiotrace,netio-loadgen} empty
}

# alone ARGUMENT...: netiotrace in the empty tree, with what the kernel itself has to say.
alone() {
	unshare -m -- sh -c 'mount -t proc proc empty/proc && mount --rbind /sys empty/sys && exec chroot empty "$@"' \
		sh "$@"
}

@test "static: needs no library" {
	run file -L empty/netiotrace empty/netio-loadgen
	[ "$(grep -c 'statically linked' <<<"$output")" -eq 2 ]
}

@test "static: watches a run in an empty tree, and the books balance" {
	alone /netiotrace --mode all --rounds 2 --duration 400ms --json /out/run.json
	[ "$(json empty/out/run.json '[.runs[].ledger | .unaccounted_tx, .unaccounted_rx] | unique | join(",")')" = 0 ]
	"$REPO/tests/validate" empty/out/run.json
}

@test "static: makes its own path there" {
	alone /netiotrace -q --path veth --mode onecopy --duration 300ms --json /out/veth.json
	[ "$(json empty/out/veth.json '.environment.path')" = veth ]
	[ "$(json empty/out/veth.json '.runs[0].ledger.copies_per_byte')" = 2 ]
}

@test "static: the pages of its commands, its doctor and its version" {
	alone /netiotrace --version | grep -q '^netiotrace [0-9]'
	alone /netiotrace sweep --help | grep -q -- --resume
	alone /netiotrace doctor >findings
	grep -q tx_copy findings
}
