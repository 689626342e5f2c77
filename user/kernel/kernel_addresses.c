/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel keeps what the programs must know; see kernel_addresses.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>

#include "bpf/addresses.h"
#include "addresses.skel.h"
#include "btf_lookup.h"
#include "kernel_addresses.h"
#include "symbols.h"

enum {
	SENDMSG,
	RECVMSG,
	COMPLETE,
	CALLBACK,
	SOCK_CALLBACK,
	REPORT_CALLBACK,
	HOT,
	OFFSETS,
	SYMBOLS_NR,
};

_Static_assert(SYMBOLS_NR <= NIO_ADDRESSES, "a program asks for all");

static const char *const names[SYMBOLS_NR] = {
	[SENDMSG] = "tcp_sendmsg",
	[RECVMSG] = "tcp_recvmsg",
	[COMPLETE] = "msg_zerocopy_complete",
	[CALLBACK] = "msg_zerocopy_callback",
	[SOCK_CALLBACK] = "sock_zerocopy_callback",
	[REPORT_CALLBACK] = "io_tx_ubuf_callback_ext",
	[HOT] = "pcpu_hot",
	[OFFSETS] = "__per_cpu_offset",
};

static int run_program(struct addresses_bpf *skel)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = addresses_bpf__load(skel);

	if (err)
		return err;
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.nio_find_addresses), &opts);
	return err ? err : (int)opts.retval;
}

/* A name that is cut would be another's. */
static int put_names(struct addresses_bpf *skel, const char *const *wanted, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (snprintf(skel->bss->nio_addresses[i].name, NIO_ADDRESS_NAME, "%s", wanted[i]) >=
		    NIO_ADDRESS_NAME)
			return -ENAMETOOLONG;
	return 0;
}

int kernel_addresses__ask(const char *const *wanted, uint64_t *at, size_t n)
{
	struct addresses_bpf *skel;
	int err;

	if (n > NIO_ADDRESSES)
		return -E2BIG;
	skel = addresses_bpf__open();
	if (!skel)
		return -errno;
	err = put_names(skel, wanted, n);
	if (!err)
		err = run_program(skel);
	for (size_t i = 0; i < n && !err; i++)
		at[i] = skel->bss->nio_addresses[i].at;
	addresses_bpf__destroy(skel);
	return err;
}

static bool find(uint64_t *at)
{
	return !kernel_addresses__ask(names, at, SYMBOLS_NR) ||
	       !symbols__find_in("/proc/kallsyms", names, at, SYMBOLS_NR);
}

void kernel_addresses__find(struct kernel_addresses *a)
{
	static uint64_t at[SYMBOLS_NR];
	static bool found;

	memset(a, 0, sizeof(*a));
	if (!found)
		found = find(at);
	if (!found)
		return;
	a->tcp_sendmsg = at[SENDMSG];
	a->tcp_recvmsg = at[RECVMSG];
	a->zerocopy_end = at[COMPLETE]   ? at[COMPLETE]
			  : at[CALLBACK] ? at[CALLBACK]
					 : at[SOCK_CALLBACK];
	a->report_end = at[REPORT_CALLBACK];
	if (!at[OFFSETS] || btf_lookup__variable(btf_lookup__kernel(), "__preempt_count"))
		return;
	a->pcpu_hot = at[HOT];
	a->per_cpu_offset = at[OFFSETS];
}
