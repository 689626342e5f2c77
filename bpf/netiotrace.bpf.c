// SPDX-License-Identifier: GPL-2.0-only
/* The kernel side: one object, whose programs are switched on one by one by the plan. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "netiotrace.h"
#include "kernel.bpf.h"
#include "maps.bpf.h"
#include "perf_stage.bpf.h"
#include "call.bpf.h"
#include "completion.bpf.h"
#include "stages.bpf.h"
#include "copy.bpf.h"
#include "tracepoint.bpf.h"
#include "trampoline.bpf.h"
#include "kprobe.bpf.h"

char LICENSE[] SEC("license")
= "GPL";
