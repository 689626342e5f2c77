/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the kernel's BTF by libbpf; see kernel_btf.h. */
#include "kernel_btf.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#define BTF_FILE "/sys/kernel/btf/vmlinux"

static int error; /* of the last attempt */

/*
 * libbpf looks in other places, too, but says -ESRCH whatever went wrong: it is asked only where
 * the kernel's own file is not there.
 */
static struct btf *load(void)
{
	struct btf *btf = btf__parse(BTF_FILE, NULL);

	error = btf ? 0 : -errno;
	if (btf || access(BTF_FILE, F_OK) == 0)
		return btf;
	btf = btf__load_vmlinux_btf();
	error = btf ? 0 : -ENOENT;
	return btf;
}

/* libbpf says on stderr what is an answer here: that there is no BTF. */
const struct btf *kernel_btf__get(void)
{
	static struct btf *btf;
	libbpf_print_fn_t print;

	if (btf)
		return btf;
	print = libbpf_set_print(NULL);
	btf = load();
	libbpf_set_print(print);
	return btf;
}

int kernel_btf__error(void)
{
	kernel_btf__get();
	return error;
}

static bool has_member(const struct btf *btf, const struct btf_type *type, const char *member)
{
	const struct btf_member *members = btf_members(type);

	for (unsigned int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, members[i].name_off), member))
			return true;
	return false;
}

struct flag kernel_btf__has_member(const char *name, const char *member)
{
	const struct btf *btf = kernel_btf__get();
	struct flag answer = {.reason = "this kernel has no BTF"};
	int id;

	if (!btf && kernel_btf__error() != -ENOENT)
		answer.reason = "the kernel's BTF could not be read: out of memory or open files";
	if (!btf)
		return answer;
	id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	if (id > 0)
		answer = (struct flag){
			.value = has_member(btf, btf__type_by_id(btf, id), member),
			.known = true,
		};
	else
		answer.reason = "this kernel's BTF has no such struct";
	return answer;
}
