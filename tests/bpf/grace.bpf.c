// SPDX-License-Identifier: GPL-2.0-only
/* A program that is at work for long, for grace_run.c. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define PARTS 200
#define TURNS 4096

__u64 begun = 0, ended = 0; /* runs of it */
__u64 last = 0;             /* what it works at */

/* By itself, so that the verifier goes through it once. */
__noinline int nio_test_part(int turns)
{
	for (int i = 0; i < TURNS; i++)
		last = bpf_ktime_get_ns();
	return turns;
}

SEC("raw_tp/long")
int nio_test_long(void *ctx)
{
	__sync_fetch_and_add(&begun, 1);
	for (int i = 0; i < PARTS; i++)
		nio_test_part(i);
	__sync_fetch_and_add(&ended, 1);
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
