/* SPDX-License-Identifier: GPL-2.0-only */
/* The Python interpreter; see python.h. */
#include "python.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "path_walk.h"

/* Python finds its library by argv[0]: by a name without a slash it would search PATH. */
static int execute(char *program, char **argv)
{
	argv[0] = program;
	execv(program, argv);
	return -errno;
}

static bool is_trusted(const char *program)
{
	struct path_walk w;
	bool trusted;

	if (path_walk__find_input(&w, program))
		return false;
	trusted = path_walk__is_trusted(&w);
	path_walk__close(&w);
	return trusted;
}

static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENOTDIR;
}

int python__execute(char **argv, bool for_root)
{
	char usual[] = "/usr/bin/python3", *word = argv[0];
	const char *path = getenv("PATH");
	int err = execute(usual, argv);
	size_t len;

	for (path = path ? path : "/usr/bin:/bin"; is_absent(err) && *path;
	     path += len + (path[len] == ':')) {
		char *program;

		len = strcspn(path, ":");
		if (*path != '/')
			continue;
		program = xasprintf("%.*s/python3", (int)len, path);
		if (!for_root || is_trusted(program))
			err = execute(program, argv);
		free(program);
	}
	argv[0] = word;
	return is_absent(err) ? -ENOENT : err;
}
