/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of kernel code addresses; see ksym.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The name in "ffffffff81234567 T name\t[module]", ended where it stands; NULL: no such line. */
static char *name_in(char *line)
{
	char *name = strchr(line, ' ');

	name = name ? strchr(name + 1, ' ') : NULL;
	if (!name)
		return NULL;
	name++;
	name[strcspn(name, "\t\n")] = '\0';
	return name;
}

/* Some 200 000 lines: only those that are asked for have their address read. */
int ksym__find_in(const char *file, const char *const *names, uint64_t *addresses, size_t n)
{
	char line[512], *name;
	FILE *f = fopen(file, "re");

	memset(addresses, 0, n * sizeof(*addresses));
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		name = name_in(line);
		for (size_t i = 0; name && i < n; i++)
			if (name[0] == names[i][0] && !strcmp(name, names[i]))
				addresses[i] = strtoull(line, NULL, 16);
	}
	fclose(f);
	return 0;
}

int ksym__find(const char *const *names, uint64_t *addresses, size_t n)
{
	return ksym__find_in("/proc/kallsyms", names, addresses, n);
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
