/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel has, by its BTF; see presence.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "presence.h"

/* libbpf says on stderr what is an answer here: that there is no BTF. */
struct btf *presence__read(void)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *btf = btf__load_vmlinux_btf();

	libbpf_set_print(print);
	return btf;
}

void presence__free(struct btf *btf)
{
	btf__free(btf);
}

int presence__function(const struct btf *btf, const char *name, unsigned int args)
{
	const struct btf_type *proto;
	int id;

	if (!btf)
		return 0;
	id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	if (id < 0)
		return -ENOENT;
	proto = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
	return !args || btf_vlen(proto) == args ? 0 : -EPROTOTYPE;
}

bool presence__variable(const struct btf *btf, const char *name)
{
	return btf && btf__find_by_name_kind(btf, name, BTF_KIND_VAR) >= 0;
}

static int tracepoint(const struct btf *btf, const char *name)
{
	char type[128];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) < 0 ? -ENOENT : 0;
}

static int iterator(const struct btf *btf, const char *name)
{
	char function[128];

	snprintf(function, sizeof(function), "bpf_iter_%s", name);
	return presence__function(btf, function, 0);
}

int presence__section(const struct btf *btf, const char *section)
{
	const char *target = strchr(section, '/');

	if (!btf || !target)
		return 0;
	if (strstr(section, "tp_btf/"))
		return tracepoint(btf, target + 1);
	if (strstr(section, "iter/"))
		return iterator(btf, target + 1);
	return presence__function(btf, target + 1, 0);
}

/* Errors that say something about this moment, not about the kernel. */
static bool tells_nothing(int err)
{
	return err == -ENOMEM || err == -EAGAIN || err == -EMFILE || err == -ENFILE ||
	       err == -EINTR;
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
