// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks the kernel for the addresses of symbols by a BPF program. Prints each as in /proc/kallsyms,
 * 0 if the symbol does not exist, or the reason if the program was refused:
 *
 *   addresses_run NAME...
 *
 * Without names: looks twice for the addresses that the programs need, as the two objects of a run
 * do, and exits with 1 if the answers differ or tcp_sendmsg() was not found.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/kernel_addresses.h"
#include "kernel/libbpf_output.h"

#define NAMES_MAX 16

static int find_twice(void)
{
	struct kernel_addresses first, second;

	kernel_addresses__find(&first);
	kernel_addresses__find(&second);
	return first.tcp_sendmsg && !memcmp(&first, &second, sizeof(first)) ? 0 : 1;
}

int main(int argc, char **argv)
{
	uint64_t at[NAMES_MAX] = {0};
	int err;

	if (argc > NAMES_MAX)
		return 2;
	libbpf_output__set();
	if (argc < 2)
		return find_twice();
	err = kernel_addresses__ask((const char *const *)argv + 1, at, argc - 1);
	if (err)
		printf("refused: %s\n", strerror(-err));
	for (int i = 1; i < argc && !err; i++)
		printf("%016" PRIx64 " %s\n", at[i - 1], argv[i]);
	return 0;
}
