/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Anonymous network namespaces held by file descriptors, and a visit to one: the calling task goes
 * in, does its errand, and is brought back. Knows nothing of devices or addresses. For
 * single-threaded callers: a namespace is the property of a task, not of a process.
 */
#ifndef NETIOTRACE_NETNS_H
#define NETIOTRACE_NETNS_H

/* The namespace the caller is in, as a close-on-exec descriptor, or -errno. */
int netns__self(void);

/*
 * Makes a namespace and calls visit(arg) inside it, then returns to the caller's own, whatever
 * happened. Returns a descriptor of the new namespace, or -errno (that of visit() included).
 */
int netns__create(int (*visit)(void *arg), void *arg);

/* Calls visit(arg) inside namespace fd (-1: the caller's own). Returns its result or -errno. */
int netns__visit(int fd, int (*visit)(void *arg), void *arg);

#endif
