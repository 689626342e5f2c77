/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel keeps what the programs must know; see kernel_addresses.h. */
#include <string.h>

#include "kernel_addresses.h"
#include "ksym.h"

enum {
	SENDMSG,
	RECVMSG,
	COMPLETE,
	CALLBACK,
	SOCK_CALLBACK,
	HOT,
	OFFSETS,
	SYMBOLS_NR,
};

static const char *const names[SYMBOLS_NR] = {
	[SENDMSG] = "tcp_sendmsg",
	[RECVMSG] = "tcp_recvmsg",
	[COMPLETE] = "msg_zerocopy_complete",
	[CALLBACK] = "msg_zerocopy_callback",
	[SOCK_CALLBACK] = "sock_zerocopy_callback",
	[HOT] = "pcpu_hot",
	[OFFSETS] = "__per_cpu_offset",
};

void kernel_addresses__find(struct kernel_addresses *a)
{
	uint64_t at[SYMBOLS_NR];

	memset(a, 0, sizeof(*a));
	if (ksym__find(names, at, SYMBOLS_NR))
		return;
	a->tcp_sendmsg = at[SENDMSG];
	a->tcp_recvmsg = at[RECVMSG];
	a->zerocopy_end = at[COMPLETE]   ? at[COMPLETE]
			  : at[CALLBACK] ? at[CALLBACK]
					 : at[SOCK_CALLBACK];
	a->pcpu_hot = at[HOT];
	a->per_cpu_offset = at[OFFSETS];
}
