#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Every BPF program on the running kernel: it loads, attaches, and is removed afterwards.

load ../lib

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	note_before
}

@test "every program of the plan's table loads, or gives the reason" {
	"$NETIOTRACE" doctor --size 64k --json large.json
	"$NETIOTRACE" doctor --size 1k --json small.json
	jq -e '.plan[] | select(.probe == "send_return") | .hook' large.json
	# Programs on functions are too dear at the second size.
	jq -es '[.[].plan[] | .hook != null or (.reason | length > 0)] | all' large.json small.json
}

# The number of programs of a plan; one program may serve two probes.
programs_planned() {
	jq '[.plan[].programs | strings | split(" ")[]] | unique | length' "$1"
}

# programs_loaded PID NUMBER: lists the names of the programs that PID holds; true if there are
# NUMBER.
programs_loaded() { # PID NUMBER
	local ids

	ids=$(cat "/proc/$1/fdinfo/"* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u | paste -sd ,)
	"$BPFTOOL" -j prog show | jq -r --argjson ids "[$ids]" \
		'.[] | select(.id | IN($ids[])) | .name // empty | select(startswith("nio_"))' | sort >loaded
	[ "$(wc -l <loaded)" -eq "$2" ]
}

@test "during a run exactly the programs of its plan are loaded" {
	local planned

	[ -n "$BPFTOOL" ] || skip "bpftool is not installed"
	"$NETIOTRACE" -q --mode onecopy --size 1k --duration 100ms --json out.json
	planned=$(programs_planned out.json)
	"$NETIOTRACE" -q --mode onecopy --size 1k --duration 300s &
	# Other programs are loaded for a trial and removed first, so waits for the number. An
	# emulated machine takes half a minute to verify them.
	within 120 programs_loaded $! "$planned" && sleep 1 && programs_loaded $! "$planned" || {
		echo "$planned planned; loaded:"
		cat loaded
		stop_jobs
		return 1
	}
	stop_jobs
	assert_nothing_left
}

# Parsing it is a large part of what a short run costs. It is read to see what the kernel has, by libbpf
# for each of the two objects, and where fentry is refused for the trial of kprobes.
@test "a run reads the kernel's BTF at most four times" {
	need_tool strace
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	strace --seccomp-bpf -f -qq -e trace=openat -o calls "$NETIOTRACE" -q --mode onecopy --messages 1
	grep btf/vmlinux calls
	[ "$(grep -c btf/vmlinux calls)" -le 4 ]
}

# A read of a missing field makes the kernel refuse the whole object, unless bpf_core_field_exists() guards it. Of these
# fields some kernels have none: older ones, and those built without io_uring, IPsec, cgroups of sockets or kTLS.
@test "attach's programs load on a kernel without a field that some kernels lack" {
	local run=$BUILD_DIR/tests/bpf/fields_run

	[ -x "$run" ] || skip "the test programs are not built: make test-programs"
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	"$run" "$BUILD_DIR/bpf/attach.bpf.o" task_struct.io_uring io_uring_task.registered_rings dst_entry.xfrm \
		sock_cgroup_data.cgroup sock.sk_cgrp_data skb_shared_info.flags ubuf_info.ops msghdr.msg_ubuf \
		iov_iter.iter_type io_notif_data io_notif_data.zc_report io_notif_data.head tls_context tls_context.sk \
		tls_sw_context_rx.zc_capable tls_sw_context_rx.strp tls_strparser.copy_mode
}

@test "vmlinux.h equals the output of scripts/gen-vmlinux" {
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	cp -r "$REPO/bpf" "$REPO/scripts" .
	scripts/gen-vmlinux
	# Enumerators differ between kernels; structures and their fields must be equal.
	for f in vmlinux.h "$REPO/vmlinux.h"; do
		sed -n '/pragma clang attribute push/,$p' "$f"
	done | sort | uniq -u >differences
	cat differences
	[ ! -s differences ]
}
