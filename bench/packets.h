/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets received by this network namespace and by all other namespaces. The run counts of BPF
 * programs include both.
 */
#ifndef NETIOTRACE_BENCH_PACKETS_H
#define NETIOTRACE_BENCH_PACKETS_H

#include <stdint.h>

struct packets {
	uint64_t all; /* packets that all CPUs processed (/proc/net/softnet_stat) */
	uint64_t own; /* IPv4 packets received in this namespace (/proc/net/snmp) */
};

void packets__begin(struct packets *p);

/* The share of the packets since packets__begin() that were not this namespace's, 0 to 1. */
double packets__others(const struct packets *p);

#endif
