/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of kernel code addresses; see ksym.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ksym.h"

/* Keeps of each address the symbol nearest below it; best[i] is that symbol's address. */
static void consider(struct ksym *syms, uint64_t *best, size_t n, uint64_t address,
		     const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (address > syms[i].address || address < best[i])
			continue;
		best[i] = address;
		snprintf(syms[i].name, sizeof(syms[i].name), "%s", name);
	}
}

int ksym__resolve_from(const char *file, struct ksym *syms, size_t n)
{
	uint64_t best[64] = {0}, address;
	char line[512], name[KSYM_NAME_MAX], type;
	bool any = false;
	FILE *f;

	if (n > sizeof(best) / sizeof(best[0]))
		return -E2BIG;
	for (size_t i = 0; i < n; i++)
		syms[i].name[0] = '\0';
	f = fopen(file, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %c %63s", &address, &type, name) != 3)
			continue;
		if (!address || (type != 't' && type != 'T'))
			continue;
		any = true;
		consider(syms, best, n, address, name);
	}
	fclose(f);
	return any ? 0 : -EPERM;
}

int ksym__resolve(struct ksym *syms, size_t n)
{
	return ksym__resolve_from("/proc/kallsyms", syms, n);
}

int ksym__find(const char *const *names, uint64_t *addresses, size_t n)
{
	char line[512], name[KSYM_NAME_MAX];
	uint64_t address;
	FILE *f = fopen("/proc/kallsyms", "re");

	memset(addresses, 0, n * sizeof(*addresses));
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %*c %63s", &address, name) != 2)
			continue;
		for (size_t i = 0; i < n; i++)
			if (!strcmp(name, names[i]))
				addresses[i] = address;
	}
	fclose(f);
	return 0;
}

void ksym__caller(const struct ksym *stack, size_t n, const char *function,
		  char name[KSYM_NAME_MAX])
{
	name[0] = '\0';
	for (size_t i = 0; i + 1 < n && stack[i].address; i++) {
		if (strcmp(stack[i].name, function) || !stack[i + 1].address)
			continue;
		snprintf(name, KSYM_NAME_MAX, "%s", stack[i + 1].name);
		return;
	}
}
