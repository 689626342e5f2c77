// SPDX-License-Identifier: GPL-2.0-only
/* The BPF object of a run. The plan chooses which of its programs are loaded. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "entry.bpf.h"
#include "sockets.bpf.h"
#include "kprobe.bpf.h"
#include "trampoline.bpf.h"
#include "tracepoint.bpf.h"

char LICENSE[] SEC("license")
= "GPL";
