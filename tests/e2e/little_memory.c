/* SPDX-License-Identifier: GPL-2.0-only */
/* For LD_PRELOAD: sysconf(3) reports $MEMORY_PAGES pages of memory. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

long sysconf(int name)
{
	const char *text = getenv("MEMORY_PAGES");
	long (*next)(int);

	if (name == _SC_PHYS_PAGES && text)
		return strtol(text, NULL, 10);
	*(void **)&next = dlsym(RTLD_NEXT, "sysconf");
	if (!next)
		abort();
	return next(name);
}
