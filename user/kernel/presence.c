/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel has, by its BTF; see presence.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "kernel_btf.h"
#include "presence.h"

/*
 * libbpf looks for a name from the first type to the last, of more than 100 000: the kinds that are
 * asked for are noted once, by their names.
 */
struct presence {
	const struct btf *btf;
	__u32 *ids;   /* of types, each at the hash of its name or after; 0: none */
	__u32 places; /* of ids; a power of two */
};

static bool is_asked_for(const struct btf_type *type)
{
	return btf_is_func(type) || btf_is_typedef(type) || btf_is_var(type);
}

/* FNV-1a */
static __u32 hash(const char *name)
{
	__u32 h = 2166136261U;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return h;
}

static const char *name_of(const struct presence *p, __u32 id)
{
	return btf__name_by_offset(p->btf, btf__type_by_id(p->btf, id)->name_off);
}

static void note(struct presence *p, __u32 id)
{
	__u32 i = hash(name_of(p, id)) & (p->places - 1);

	while (p->ids[i])
		i = (i + 1) & (p->places - 1);
	p->ids[i] = id;
}

/* NULL: there is none of this name and kind. */
static const struct btf_type *find(const struct presence *p, const char *name, __u32 kind)
{
	for (__u32 i = hash(name) & (p->places - 1); p->ids[i]; i = (i + 1) & (p->places - 1)) {
		const struct btf_type *type = btf__type_by_id(p->btf, p->ids[i]);

		if (btf_kind(type) == kind && !strcmp(name_of(p, p->ids[i]), name))
			return type;
	}
	return NULL;
}

/* Half of the places stay empty at least: one ends a search. */
static bool fill(struct presence *p)
{
	__u32 types = btf__type_cnt(p->btf), noted = 0;

	for (__u32 id = 1; id < types; id++)
		noted += is_asked_for(btf__type_by_id(p->btf, id));
	for (p->places = 2; p->places < 2 * noted;)
		p->places *= 2;
	p->ids = calloc(p->places, sizeof(*p->ids));
	for (__u32 id = 1; p->ids && id < types; id++)
		if (is_asked_for(btf__type_by_id(p->btf, id)))
			note(p, id);
	return p->ids;
}

struct presence *presence__of(const struct btf *btf)
{
	struct presence *p = btf ? calloc(1, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	p->btf = btf;
	if (fill(p))
		return p;
	presence__free(p);
	return NULL;
}

const struct presence *presence__kernel(void)
{
	static struct presence *kernel;

	if (!kernel)
		kernel = presence__of(kernel_btf__get());
	return kernel;
}

int presence__kernel_error(void)
{
	int err = kernel_btf__error();

	if (err)
		return err == -ENOENT ? 0 : err;
	return presence__kernel() ? 0 : -ENOMEM;
}

void presence__free(struct presence *p)
{
	if (!p)
		return;
	free(p->ids);
	free(p);
}

int presence__function(const struct presence *p, const char *name, unsigned int args)
{
	const struct btf_type *function;

	if (!p)
		return 0;
	function = find(p, name, BTF_KIND_FUNC);
	if (!function)
		return -ENOENT;
	return !args || btf_vlen(btf__type_by_id(p->btf, function->type)) == args ? 0 : -EPROTOTYPE;
}

bool presence__variable(const struct presence *p, const char *name)
{
	return p && find(p, name, BTF_KIND_VAR);
}

static int tracepoint(const struct presence *p, const char *name)
{
	char type[128];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return find(p, type, BTF_KIND_TYPEDEF) ? 0 : -ENOENT;
}

static int iterator(const struct presence *p, const char *name)
{
	char function[128];

	snprintf(function, sizeof(function), "bpf_iter_%s", name);
	return presence__function(p, function, 0);
}

int presence__section(const struct presence *p, const char *section)
{
	const char *target = strchr(section, '/');

	if (!p || !target)
		return 0;
	if (strstr(section, "tp_btf/"))
		return tracepoint(p, target + 1);
	if (strstr(section, "iter/"))
		return iterator(p, target + 1);
	return presence__function(p, target + 1, 0);
}

/* Errors that say something about this moment, not about the kernel. */
static bool tells_nothing(int err)
{
	return err == -ENOMEM || err == -EAGAIN || err == -EMFILE || err == -ENFILE ||
	       err == -EINTR || err == -EBUSY;
}

struct offer presence__offer(int err)
{
	return (struct offer){
		.err = err,
		.answer = !err                 ? ANSWER_YES
			  : tells_nothing(err) ? ANSWER_UNKNOWN
					       : ANSWER_NO,
	};
}
