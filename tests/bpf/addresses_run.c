// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks the kernel for the addresses of symbols by a BPF program. Prints each as in /proc/kallsyms,
 * 0 if the symbol does not exist, or the reason if the program was refused:
 *
 *   addresses_run NAME...
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/kernel_addresses.h"
#include "kernel/libbpf_output.h"

#define NAMES_MAX 16

int main(int argc, char **argv)
{
	uint64_t at[NAMES_MAX] = {0};
	int err;

	if (argc < 2 || argc > NAMES_MAX)
		return 2;
	libbpf_output__set();
	err = kernel_addresses__ask((const char *const *)argv + 1, at, argc - 1);
	if (err)
		printf("refused: %s\n", strerror(-err));
	for (int i = 1; i < argc && !err; i++)
		printf("%016" PRIx64 " %s\n", at[i - 1], argv[i]);
	return 0;
}
