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
	readelf -lW empty/netiotrace empty/netio-loadgen >headers
	[ "$(grep -c '^File:' headers)" -eq 2 ]
	run ! grep INTERP headers
}

@test "static: watches a run in an empty tree, and the books balance" {
	alone /netiotrace --mode all --rounds 2 --duration 400ms --json /out/run.json
	[ "$(json empty/out/run.json '[.runs[].ledger | .unaccounted_tx, .unaccounted_rx] | unique | join(",")')" = 0 ]
	# What samples of a static load generator cannot tell is not 0.
	jq -e '.runs[] | select(.mode == "twocopy") | .cpu.sender.ns
		| has("gather") and .gather == null and .user >= 0' empty/out/run.json
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
	grep -q '^can run    yes' findings
	run -1 alone /netiotrace report /out
	[ "$output" = "netiotrace: report needs python3, which is not installed: install the packages python3 and python3-jinja2." ]
}

@test "static: the tarball runs where it is unpacked, and names what it contains" {
	local library

	tar xf "$REPO"/build-static/netiotrace-*-static.tar.gz
	cd netiotrace-*-static || return
	./netiotrace --version | grep -q '^netiotrace [0-9]'
	"$REPO/tests/package/links" .
	grep -q unaccounted_tx man/netiotrace-result.5
	[ -s man/netiotrace-sweep.8 ]
	[ -x packaging/ci/copy-gate ]
	[ -s contrib/systemd/netiotrace-export.service ]
	[ "$(jq -r .spdxVersion sbom.spdx.json)" = SPDX-2.3 ]
	jq -r '.packages[0].comment' sbom.spdx.json | grep -q "$(sha256sum <netiotrace | cut -d ' ' -f 1)"
	for library in libbpf libjansson libncursesw libcap-ng libnl libmicrohttpd libseccomp libnettle libelf libz libc; do
		jq -er --arg archive "$library" '[.packages[].sourceInfo // "" | select(test("[ ,]" + $archive + "[-0-9]*\\.a"))] | length == 1' \
			sbom.spdx.json
	done
	# Each package of the list has its notices.
	for library in $(jq -r '.packages[1:][].name' sbom.spdx.json); do
		[ "$(grep -c "^$library " THIRD-PARTY-NOTICES.txt)" -ge 2 ]
	done
}

@test "static: the tarball is the same when it is made again" {
	cp "$REPO"/build-static/netiotrace-*-static.tar.gz first
	make -s -C "$REPO" static-tarball
	cmp first "$REPO"/build-static/netiotrace-*-static.tar.gz
}
