/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of this namespace and of all; see packets.h. */
#include <inttypes.h>
#include <stdio.h>

#include "packets.h"

static uint64_t read_all(void)
{
	FILE *f = fopen("/proc/net/softnet_stat", "re");
	uint64_t sum = 0, processed;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64, &processed) == 1)
			sum += processed;
	if (f)
		fclose(f);
	return sum;
}

/* InReceives: the third number of the line of values, behind Forwarding and DefaultTTL. */
static uint64_t read_own(void)
{
	FILE *f = fopen("/proc/net/snmp", "re");
	uint64_t received = 0;
	char line[1024];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Ip: %*u %*u %" SCNu64, &received) == 1)
			break;
	if (f)
		fclose(f);
	return received;
}

void packets__begin(struct packets *p)
{
	p->own = read_own();
	p->all = read_all();
}

double packets__others(const struct packets *p)
{
	uint64_t all = read_all() - p->all, own = read_own() - p->own;

	return all > own ? (double)(all - own) / (double)all : 0;
}
