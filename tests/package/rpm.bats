#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The RPM package of `make rpm`: what it contains and needs, and its programs from the unpacked tree.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_tool rpm2cpio cpio
	RPM=$(echo "$REPO"/build/rpm/RPMS/*/netiotrace-"$("$REPO"/scripts/version)"-*.rpm)
	cd "$BATS_TEST_TMPDIR" || return
}

@test "rpm: needs what it links, and recommends what report and compare need" {
	rpm -qp --requires "$RPM" >requires
	grep -q '^libbpf.so' requires
	run ! grep -i python requires
	rpm -qp --recommends "$RPM" | sort | diff - <(printf '%s\n' gnuplot 'python3 >= 3.9' python3-jinja2)
	[ "$(rpm -qp --qf '%{VERSION} %{LICENSE}' "$RPM")" = "$("$REPO"/scripts/version) GPL-2.0-only AND (GPL-2.0-only OR BSD-2-Clause)" ]
}

@test "rpm: the files have root as owner, and others may read and not write them" {
	rpm -qp --qf '[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILENAMES}\n]' "$RPM" >files
	[ "$(cut -d ' ' -f 2,3 files | sort -u)" = 'root root' ]
	run ! grep -v -e '^-r..r-.r-. ' -e '^dr.xr-xr-x ' -e '^l' files
	for file in /usr/bin/netiotrace /usr/bin/netio-loadgen /usr/share/netiotrace/ci/copy-gate; do
		grep -q "^-rwxr-xr-x root root $file\$" files
	done
	for file in man/man8/netiotrace.8 man/man5/netiotrace-result.5 bash-completion/completions/netiotrace \
		zsh/site-functions/_netiotrace netiotrace/netiotrace.schema.json licenses/netiotrace.*/LICENSE \
		netiotrace/prometheus/netiotrace-export.service doc/netiotrace.*/docs/GUIDE.md; do
		grep -q "^-rw-r--r-- root root /usr/share/$file\(.gz\)\?\$" files
	done
	for unit in export serve; do
		grep -q "^-rw-r--r-- root root /usr/lib/systemd/system/netiotrace-$unit.service\$" files
	done
}

@test "rpm: the unpacked programs run, and links of the documents lead somewhere" {
	rpm2cpio "$RPM" | cpio -idm --quiet
	"$REPO/tests/package/links" usr/share/doc/netiotrace*
	usr/bin/netiotrace -q --backend none --messages 23 --warmup 20ms --mode onecopy --json run.json
	[ "$(json run.json '.runs[0].app.rx_messages')" = 23 ]
}
