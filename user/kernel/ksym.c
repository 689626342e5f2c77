/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of kernel code addresses; see ksym.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kallsyms.h"
#include "ksym.h"

#define RESOLVED_MAX 64

struct resolving {
	struct ksym *syms;
	size_t n;
	uint64_t best[RESOLVED_MAX]; /* the address of the name that syms[i] has so far */
	bool any;
};

/* Keeps of each address the symbol nearest below it. */
static int consider(void *arg, uint64_t address, char type, const char *name)
{
	struct resolving *r = arg;

	if (!address || (type != 't' && type != 'T'))
		return 0;
	r->any = true;
	for (size_t i = 0; i < r->n; i++) {
		if (address > r->syms[i].address || address < r->best[i])
			continue;
		r->best[i] = address;
		snprintf(r->syms[i].name, sizeof(r->syms[i].name), "%s", name);
	}
	return 0;
}

int ksym__resolve_from(const char *file, struct ksym *syms, size_t n)
{
	struct resolving r = {.syms = syms, .n = n};
	int err;

	if (n > RESOLVED_MAX)
		return -E2BIG;
	for (size_t i = 0; i < n; i++)
		syms[i].name[0] = '\0';
	err = kallsyms__read(file, consider, &r);
	if (err)
		return err;
	return r.any ? 0 : -EPERM;
}

int ksym__resolve(struct ksym *syms, size_t n)
{
	return ksym__resolve_from("/proc/kallsyms", syms, n);
}

struct finding {
	const char *const *names;
	uint64_t *addresses;
	size_t n;
};

static int note(void *arg, uint64_t address, char type, const char *name)
{
	struct finding *f = arg;

	(void)type;
	for (size_t i = 0; i < f->n; i++)
		if (name[0] == f->names[i][0] && !strcmp(name, f->names[i]))
			f->addresses[i] = address;
	return 0;
}

int ksym__find_in(const char *file, const char *const *names, uint64_t *addresses, size_t n)
{
	struct finding f = {names, addresses, n};

	memset(addresses, 0, n * sizeof(*addresses));
	return kallsyms__read(file, note, &f);
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
