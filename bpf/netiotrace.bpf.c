// SPDX-License-Identifier: GPL-2.0-only
/* The kernel side: one object, whose programs are switched on one by one by the plan. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "entry.bpf.h"
#include "sockets.bpf.h"
#include "kprobe.bpf.h"
#include "trampoline.bpf.h"
#include "tracepoint.bpf.h"

char LICENSE[] SEC("license")
= "GPL";
