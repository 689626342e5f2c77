// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks up kernel symbols by name, since reading /proc/kallsyms takes 50 ms. A system call runs the
 * program once (5.14). bpf_kallsyms_lookup_name() (5.16) hides what /proc/kallsyms hides
 * (kallsyms_show_value()).
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "addresses.h"

struct nio_address nio_addresses[NIO_ADDRESSES];

SEC("syscall")
int nio_find_addresses(void *ctx)
{
	/* Stop at the first empty name: before 6.2 each lookup walks all symbols. */
	for (int i = 0; i < NIO_ADDRESSES && nio_addresses[i].name[0]; i++)
		bpf_kallsyms_lookup_name(nio_addresses[i].name, NIO_ADDRESS_NAME, 0,
					 &nio_addresses[i].at);
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
