// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the kernel keeps some of its code and data, asked of the kernel by name, where it would
 * take 50 ms to write the 100 000 lines of /proc/kallsyms. Attached to nothing, run once.
 * bpf_kallsyms_lookup_name() and programs to be called by a system call are of 5.16 and 5.14;
 * both hide what /proc/kallsyms hides (kallsyms_show_value()).
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "addresses.h"

struct nio_address nio_addresses[NIO_ADDRESSES];

SEC("syscall")
int nio_find_addresses(void *ctx)
{
	/* Before 6.2 the kernel goes through all its symbols for a name: not for none. */
	for (int i = 0; i < NIO_ADDRESSES && nio_addresses[i].name[0]; i++)
		bpf_kallsyms_lookup_name(nio_addresses[i].name, NIO_ADDRESS_NAME, 0,
					 &nio_addresses[i].at);
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
