/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is watched, as /proc and sock_diag tell: the processes asked for, the network namespaces they
 * are in, and the sockets they have already. Sockets to come are the programs' to find.
 */
#ifndef NETIOTRACE_TARGET_H
#define NETIOTRACE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/watcher.h"

/* Namespaces kept open: their sockets are looked at after their last process is gone, too. */
#define TARGET_NETNS_MAX 256

struct target_netns {
	ino_t inode;
	int fd;
};

struct target {
	struct target_netns netns[TARGET_NETNS_MAX];
	size_t netns_nr;
	size_t netns_left_out;
};

/* Is this errno for want of files or memory? It says nothing of the process asked about. */
bool target__is_short(int error);

/* The name of a process as the kernel has it: 0, or -errno when there is none. */
int target__comm(pid_t pid, char comm[16]);

/* The process that this is a thread of, maybe itself; -1: there is none. */
pid_t target__process_of(pid_t thread);

/*
 * When a process began, in ticks after boot, as /proc has it (NIO_TICKS_PER_S). 0: there is none.
 * With its id it names a process: ids are used again.
 */
uint64_t target__started(pid_t pid);

/* Who started it; 0 where that is not known any more. */
uint32_t target__parent(pid_t pid);

/* What a process took so far by read() and sendfile (rchar of /proc/PID/io). 0 or -errno. */
int target__read_bytes(pid_t pid, uint64_t *bytes);

/* Notes the namespace that a process is in, or our own (pid 0). 0 or -errno. */
int target__add_netns(struct target *t, pid_t pid);
void target__add_all_netns(struct target *t); /* of all processes in sight */
void target__clear(struct target *t);

/* Gives each process of /proc to take(). 0 or -errno. */
int target__each(void (*take)(void *arg, pid_t pid), void *arg);

/* Gives each process of that name to take(). 0 or -errno. */
int target__by_comm(const char *comm, void (*take)(void *arg, pid_t pid), void *arg);

/*
 * Gives each process of that cgroup directory and of those below it to take(). Trees of any depth;
 * needs two descriptors. 0 or -errno; what was found before an error was given.
 */
int target__by_cgroup(const char *path, void (*take)(void *arg, pid_t pid), void *arg);

/*
 * Gives each process that descends from one of nr parents, which are none of them, to take(): a
 * parent before what it started. take() must see to it that children to come are not missed. 0 or
 * -errno.
 */
int target__descendants(const uint32_t *parents, size_t nr, void (*take)(void *arg, pid_t pid),
			void *arg);

/* The directory of a cgroup (v2), owned by the caller; or -errno; -ENOTSUP: it is none. */
int target__open_cgroup(const char *path);
bool target__cgroup_is_gone(int cgroup); /* no process can join it any more */

/* Where cgroups (v2) are mounted, owned by the caller; NULL: nowhere. */
char *target__cgroup_mount(void);

/*
 * The path of a cgroup below the root of its hierarchy, fit for a terminal; owned by the caller.
 * NULL: it is not known, or there is none any more.
 */
char *target__cgroup_path(uint64_t id);

/*
 * Hands the sockets there are to w: those of the processes pids, or of any process (pids NULL), and
 * of these only those with one of the ports (ports_nr 0: all). 0 or -errno.
 */
int target__adopt(const struct target *t, struct watcher *w, const pid_t *pids, size_t pids_nr,
		  const uint16_t *ports, size_t ports_nr);

/*
 * A pass over the sockets of all namespaces, in which w takes in those that target__adopt() handed
 * to it. 0 or -errno of the last that failed.
 */
int target__pass(const struct target *t, const struct watcher *w);

#endif
