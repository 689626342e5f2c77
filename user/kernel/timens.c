/* SPDX-License-Identifier: GPL-2.0-only */
/* The namespace of times that we are in; see timens.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "timens.h"

/* Before Linux 5.6 there is no such file, and no such namespace. */
int64_t timens__boot_offset_ns(void)
{
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	int64_t s, ns, offset = 0;
	char clock[32];

	while (f && fscanf(f, "%31s %" SCNd64 " %" SCNd64, clock, &s, &ns) == 3)
		if (!strcmp(clock, "boottime"))
			offset = s * 1000000000 + ns;
	if (f)
		fclose(f);
	return offset;
}
