/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The targets of attach and export: processes, by /proc, and cgroups. The BPF programs find their
 * sockets.
 */
#ifndef KERNEL_TARGET_H
#define KERNEL_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach_probes.h"
#include "base/target_options.h"

/* Does this errno mean that descriptors or memory are short? It says nothing about the process. */
bool target__is_short(int error);

/* The name of a process, up to 15 bytes. 0 or -errno. */
int target__comm(pid_t pid, char comm[16]);

/* The process of a thread; -1: there is none. */
pid_t target__process_of(pid_t thread);

/*
 * Start time of a process in ticks after boot (NIO_TICKS_PER_S); 0: there is none. PID and start
 * time identify a process, since PIDs are used again.
 */
uint64_t target__started(pid_t pid);

/* The parent; 0: unknown. */
pid_t target__tracer(pid_t pid); /* that has it in ptrace; 0: none */
uint32_t target__parent(pid_t pid);

/* Bytes that a process took by read() and sendfile (rchar of /proc/PID/io). 0 or -errno. */
int target__read_bytes(pid_t pid, uint64_t *bytes);

/* Gives each process of that name to handle(). 0 or -errno. */
int target__by_comm(const char *comm, void (*handle)(void *arg, pid_t pid), void *arg);

/*
 * Reports a name that no process has, unless later ones are waited for (--wait) or a command is
 * started. An exit code.
 */
int target__check_names(const struct target_options *t, const char *command);

/*
 * A directory of a walk: dir is open, or -EACCES; id is its inode number, which is the id of a
 * cgroup (cgroup_id(), 64-bit kernels); path is below the begin of the walk, "" there. 0 or -errno:
 * the walk ends if dir is its begin, or not open.
 */
typedef int target_visit(void *arg, int dir, uint64_t id, const char *path);

/*
 * Gives a directory and all below it to handle(). Trees may have any depth and length of paths; two
 * descriptors are used. 0 or -errno; directories found before the error were given.
 */
int target__each_cgroup(const char *path, target_visit *handle, void *arg);

/*
 * Gives each process of a cgroup directory, and of all below it, to handle(). 0 or
 * -errno; processes found before the error were given.
 */
int target__by_cgroup(const char *path, void (*handle)(void *arg, pid_t pid), void *arg);

/*
 * Gives each descendant of nr processes to handle(), a parent before its children. handle() must
 * make sure that children started later are seen. 0 or -errno.
 */
int target__descendants(const uint32_t *parents, size_t nr, void (*handle)(void *arg, pid_t pid),
			void *arg);

/* Opens the directory of a cgroup (v2): a descriptor, or -errno; -ENOTSUP: not a cgroup. */
int target__open_cgroup(const char *path);
bool target__cgroup_is_gone(int cgroup); /* no process can join it any more */

/* A mount point of cgroup v2, to be freed by the caller; NULL: there is none. */
char *target__cgroup_mount(void);

/*
 * The path of a cgroup below the root of its hierarchy, safe for a terminal, to be freed by the
 * caller. NULL: unknown or gone.
 */
char *target__cgroup_path(uint64_t id);

#endif
