/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's functions, sorted by address; see symbols.h. */
#include "symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"

struct symbol {
	uint64_t address;
	size_t name; /* in names */
};

struct symbols {
	struct symbol *list;
	size_t nr, room;
	char *names;
	size_t names_len, names_room;
};

static int grow(void **p, size_t *room, size_t needed, size_t each)
{
	size_t more = *room ? *room : 65536;
	void *grown;

	if (needed <= *room)
		return 0;
	while (more < needed)
		more *= 2;
	grown = realloc(*p, more * each);
	if (!grown)
		return -ENOMEM;
	*p = grown;
	*room = more;
	return 0;
}

static int add(struct symbols *s, uint64_t address, const char *name)
{
	size_t len = strlen(name) + 1;

	if (grow((void **)&s->list, &s->room, s->nr + 1, sizeof(*s->list)) ||
	    grow((void **)&s->names, &s->names_room, s->names_len + len, 1))
		return -ENOMEM;
	s->list[s->nr++] = (struct symbol){address, s->names_len};
	memcpy(s->names + s->names_len, name, len);
	s->names_len += len;
	return 0;
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static int take(void *arg, uint64_t address, char type, const char *name)
{
	return address && is_code(type) ? add(arg, address, name) : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	if (s->address != t->address)
		return s->address < t->address ? -1 : 1;
	/* Of two names of one address the first of the file. */
	return s->name < t->name ? -1 : s->name > t->name;
}

int symbols__load_from(struct symbols **out, const char *file)
{
	struct symbols *s = calloc(1, sizeof(*s));
	int err = s ? kallsyms__read(file, take, s) : -ENOMEM;

	if (!err && !s->nr)
		err = -EPERM;
	if (err) {
		symbols__free(s);
		return err;
	}
	qsort(s->list, s->nr, sizeof(*s->list), by_address);
	*out = s;
	return 0;
}

int symbols__load(struct symbols **out)
{
	return symbols__load_from(out, "/proc/kallsyms");
}

void symbols__free(struct symbols *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->names);
	free(s);
}

const char *symbols__name(const struct symbols *s, uint64_t address)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	/* The first of those that share an address. */
	for (low--; low && s->list[low - 1].address == s->list[low].address;)
		low--;
	return s->names + s->list[low].name;
}

void symbols__stack(const struct symbols *s, const __u64 *ip, size_t n, const char **names)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = symbols__name(s, ip[i] - (i > 0));

		names[i] = name ? name : "[unknown]";
	}
}

void symbols__explain(int err, char *why, size_t len)
{
	if (err == -EPERM)
		snprintf(why, len,
			 "the kernel hides its symbols (/proc/kallsyms; kernel.kptr_restrict)");
	else
		snprintf(why, len, "/proc/kallsyms: %s", strerror(-err));
}

bool symbols__range(const struct symbols *s, const char *name, uint64_t *from, uint64_t *to)
{
	for (size_t i = 0; i < s->nr; i++) {
		size_t next = i + 1;

		if (strcmp(s->names + s->list[i].name, name) != 0)
			continue;
		while (next < s->nr && s->list[next].address == s->list[i].address)
			next++;
		if (next == s->nr)
			return false;
		*from = s->list[i].address;
		*to = s->list[next].address;
		return true;
	}
	return false;
}
