/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the CPU quota of this process's cgroup and of the parents that are visible, and how often it
 * stopped them: cpu.max and cpu.stat of cgroup v2, cpu.cfs_quota_us of v1.
 */
#ifndef HOST_CGROUP_CPU_H
#define HOST_CGROUP_CPU_H

#include "model/result.h"

#define CGROUP_LEVELS_MAX 32

struct cgroup_cpu {
	struct real quota; /* CPUs, the least of all levels; unknown: QUOTA_UNLIMITED, or why */
	struct throttling levels[CGROUP_LEVELS_MAX]; /* from the cgroup up to the mount's root */
	size_t levels_nr;                            /* 0: not known */
};

/* Reads the quotas as they are now. */
void cgroup_cpu__read(struct cgroup_cpu *c);

/* What passed between two readings, at the level that was stopped most often. */
struct throttling cgroup_cpu__between(const struct cgroup_cpu *begin, const struct cgroup_cpu *end);

/* ---- pure, for unit tests ---- */

/*
 * The directory of the cgroup that limits CPU time, by the text of /proc/self/cgroup and
 * /proc/self/mountinfo, with the length of the mount point in *root. v1: see there. 0; -ENOENT: no
 * cgroup can have a quota; -EXDEV: the cgroup is outside of what is mounted here.
 */
int cgroup_cpu__find(const char *cgroups, const char *mounts, char *dir, size_t len, size_t *root,
		     bool *v1);

/* "QUOTA PERIOD" of a level in microseconds: CPUs, INFINITY without a limit, NAN if impossible. */
double cgroup_cpu__parse_quota(const char *text);

/* cpu.stat of either version. */
struct throttling cgroup_cpu__parse_stat(const char *text);

#endif
