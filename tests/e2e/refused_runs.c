/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For LD_PRELOAD into netiotrace: the kernel seems to have refused one run of each program that
 * $REFUSED_PROGRAMS names (words), and none of the others, whatever the machine's other traffic
 * made it refuse.
 */
#include <bpf/bpf.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int is_named(const char *name)
{
	const char *at = getenv("REFUSED_PROGRAMS");
	size_t len = strlen(name);

	for (; at && (at = strstr(at, name)); at += len)
		if (!at[len] || at[len] == ' ')
			return 1;
	return 0;
}

int bpf_obj_get_info_by_fd(int fd, void *data, uint32_t *len)
{
	int (*next)(int, void *, uint32_t *) =
		(int (*)(int, void *, uint32_t *))dlsym(RTLD_NEXT, "bpf_obj_get_info_by_fd");
	int err = next(fd, data, len);
	struct bpf_prog_info *info = data;

	/* Programs only: the kernel gives a map or a link fewer bytes. */
	if (!err && *len == sizeof(*info))
		info->recursion_misses = is_named(info->name);
	return err;
}
