/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the kernel's BTF and finds names in it; see btf_lookup.h. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_file.h"
#include "btf_lookup.h"
#include "common/xalloc.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"

static int error; /* of the last attempt to read the kernel's BTF */

/* libbpf also looks in other places, but always fails with -ESRCH: the fallback. */
static struct btf *read_btf(void)
{
	struct btf *btf = btf__parse(BTF_FILE, NULL);

	error = btf ? 0 : -errno;
	if (btf || access(BTF_FILE, F_OK) == 0)
		return btf;
	btf = btf__load_vmlinux_btf();
	error = btf ? 0 : -ENOENT;
	return btf;
}

/* Silences libbpf: missing BTF is an expected answer here. */
static const struct btf *kernel_btf(void)
{
	static struct btf *btf;
	libbpf_print_fn_t print;

	if (btf)
		return btf;
	print = libbpf_set_print(NULL);
	btf = read_btf();
	libbpf_set_print(print);
	return btf;
}

/* A hash table: libbpf's search by name is linear in more than 100 000 types. */
struct btf_lookup {
	const struct btf *btf;
	__u32 *ids;   /* of types, each at the hash of its name or after; 0: none */
	__u32 places; /* of ids; a power of two */
};

static bool is_indexed(const struct btf_type *type)
{
	return btf_is_func(type) || btf_is_typedef(type) || btf_is_var(type);
}

static const char *name_of(const struct btf_lookup *l, __u32 id)
{
	return btf__name_by_offset(l->btf, btf__type_by_id(l->btf, id)->name_off);
}

static void note(struct btf_lookup *l, __u32 id)
{
	__u32 i = (__u32)text__hash(name_of(l, id)) & (l->places - 1);

	while (l->ids[i])
		i = (i + 1) & (l->places - 1);
	l->ids[i] = id;
}

/* 0: there is none of this name and kind. */
static __u32 find(const struct btf_lookup *l, const char *name, __u32 kind)
{
	for (__u32 i = (__u32)text__hash(name) & (l->places - 1); l->ids[i];
	     i = (i + 1) & (l->places - 1)) {
		const struct btf_type *type = btf__type_by_id(l->btf, l->ids[i]);

		if (btf_kind(type) == kind && !strcmp(name_of(l, l->ids[i]), name))
			return l->ids[i];
	}
	return 0;
}

/* At least half of the places stay empty: an empty place ends a search. */
static void fill(struct btf_lookup *l)
{
	__u32 types = btf__type_cnt(l->btf), noted = 0;

	for (__u32 id = 1; id < types; id++)
		noted += is_indexed(btf__type_by_id(l->btf, id));
	for (l->places = 2; l->places < 2 * noted;)
		l->places *= 2;
	l->ids = xcalloc(l->places, sizeof(*l->ids));
	for (__u32 id = 1; id < types; id++)
		if (is_indexed(btf__type_by_id(l->btf, id)))
			note(l, id);
}

struct btf_lookup *btf_lookup__of(const struct btf *btf)
{
	struct btf_lookup *l = xcalloc(1, sizeof(*l));

	l->btf = btf;
	fill(l);
	return l;
}

const struct btf_lookup *btf_lookup__kernel(void)
{
	static struct btf_lookup *kernel;

	if (!kernel && kernel_btf())
		kernel = btf_lookup__of(kernel_btf());
	return kernel;
}

int btf_lookup__kernel_error(void)
{
	kernel_btf();
	return error == -ENOENT ? 0 : error;
}

void btf_lookup__free(struct btf_lookup *l)
{
	if (!l)
		return;
	free(l->ids);
	free(l);
}

int btf_lookup__id(const struct btf_lookup *l, const char *name)
{
	__u32 id = l ? find(l, name, BTF_KIND_FUNC) : 0;

	return id ? (int)id : -ENOENT;
}

int btf_lookup__function(const struct btf_lookup *l, const char *name, unsigned int args)
{
	int id = l ? btf_lookup__id(l, name) : 0;
	const struct btf_type *function;

	if (!l || id < 0)
		return id;
	function = btf__type_by_id(l->btf, (__u32)id);
	return !args || btf_vlen(btf__type_by_id(l->btf, function->type)) == args ? 0 : -EPROTOTYPE;
}

bool btf_lookup__variable(const struct btf_lookup *l, const char *name)
{
	return l && find(l, name, BTF_KIND_VAR);
}

/* The type of a tracepoint's functions; NULL: there is none. */
static const struct btf_type *tracepoint(const struct btf_lookup *l, const char *name)
{
	char type[128];
	__u32 id;

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	id = find(l, type, BTF_KIND_TYPEDEF);
	return id ? btf__type_by_id(l->btf, id) : NULL;
}

unsigned int btf_lookup__tracepoint_args(const struct btf_lookup *l, const char *name)
{
	const struct btf_type *type = l ? tracepoint(l, name) : NULL;

	while (type && !btf_is_func_proto(type))
		type = btf_is_typedef(type) || btf_is_ptr(type)
			       ? btf__type_by_id(l->btf, type->type)
			       : NULL;
	/* The first one is the program's own data. */
	return type && btf_vlen(type) ? btf_vlen(type) - 1 : 0;
}

static int iterator(const struct btf_lookup *l, const char *name)
{
	char function[128];

	snprintf(function, sizeof(function), "bpf_iter_%s", name);
	return btf_lookup__function(l, function, 0);
}

int btf_lookup__section(const struct btf_lookup *l, const char *section)
{
	const char *target = strchr(section, '/');

	if (!l || !target)
		return 0;
	if (strstr(section, "tp_btf/"))
		return tracepoint(l, target + 1) ? 0 : -ENOENT;
	if (strstr(section, "iter/"))
		return iterator(l, target + 1);
	return btf_lookup__function(l, target + 1, 0);
}

static bool has_member(const struct btf *btf, const struct btf_type *type, const char *member)
{
	const struct btf_member *members = btf_members(type);

	for (unsigned int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, members[i].name_off), member))
			return true;
	return false;
}

static int find_struct(const char *name)
{
	return btf__find_by_name_kind(kernel_btf(), name, BTF_KIND_STRUCT);
}

struct flag btf_lookup__has_struct(const char *name)
{
	if (kernel_btf())
		return (struct flag){.value = find_struct(name) > 0, .known = true};
	if (error != -ENOENT)
		return (struct flag){.reason = "the kernel's BTF could not be read: out of memory "
					       "or open files"};
	return (struct flag){.reason = "this kernel has no BTF"};
}

struct flag btf_lookup__irq_time(void)
{
	return btf_lookup__has_struct("irqtime");
}

struct flag btf_lookup__has_member(const char *name, const char *member)
{
	struct flag flag = btf_lookup__has_struct(name);

	if (!flag.known)
		return flag;
	if (!flag.value)
		return (struct flag){.reason = "this kernel's BTF has no such struct"};
	flag.value =
		has_member(kernel_btf(), btf__type_by_id(kernel_btf(), find_struct(name)), member);
	return flag;
}

int kprobes__missing_in(const char *sources)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/kprobe", sources);
	return !access(sources, F_OK) && access(path, F_OK) && errno == ENOENT ? -ENOENT : 0;
}
