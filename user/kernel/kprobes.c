/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the kernel has kprobes, by its event sources; see kprobes.h. */
#include "kprobes.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int kprobes__missing_in(const char *sources)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/kprobe", sources);
	return !access(sources, F_OK) && access(path, F_OK) && errno == ENOENT ? -ENOENT : 0;
}

int kprobes__missing(void)
{
	return kprobes__missing_in("/sys/bus/event_source/devices");
}
