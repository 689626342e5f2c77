/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs of a process cost, by the kernel's own count of their runs and of the time
 * spent inside them (BPF_ENABLE_STATS, Linux 5.8).
 */
#ifndef NETIOTRACE_BENCH_PROG_STATS_H
#define NETIOTRACE_BENCH_PROG_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A run costs this much outside the program: the tracepoint, its trampoline, and the return. The
 * kernel does not count it. Empty programs cost 53 to 77 ns an event.
 */
#define PROG_STATS_RUN_NS 50

/*
 * The time inside has the kernel's own clock as well, which only runs while it counts. An empty
 * program of this name, attached beside the others, shows how much a run.
 */
#define PROG_STATS_EMPTY "nio_empty"

#define PROG_STATS_MAX 128 /* programs of one process */

struct prog_stats {
	uint32_t id;
	char name[16];
	uint64_t runs;
	uint64_t ns; /* inside the program */
};

/*
 * Makes the kernel count from now on, for as long as the descriptor that is returned stays open.
 * -errno: privileges, or a kernel before 5.8.
 */
int prog_stats__hold(void);

/* Attaches the empty program to each packet received, until this process ends. 0 or -errno. */
int prog_stats__attach_empty(void);

/*
 * The programs that this process holds a descriptor of, or a link to, each once. Returns how many,
 * at most max, or -errno. A program whose descriptors are closed is not found any more.
 */
int prog_stats__of(pid_t pid, struct prog_stats *out, size_t max);

/* Time inside the programs and around their runs, in ns. Not of the empty program. */
uint64_t prog_stats__cost(const struct prog_stats *stats, size_t n);

/* The kernel's clock in that time, in ns, by the empty program in `all`; 0: it is not there. */
double prog_stats__clock(const struct prog_stats *stats, size_t n, const struct prog_stats *all,
			 size_t all_nr);

#endif
