/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns anonymous network namespaces, held by descriptors only. For single-threaded callers. */
#ifndef HOST_NETNS_H
#define HOST_NETNS_H

/* Calls visit(arg) in a new network namespace. Returns a descriptor of the namespace, or -errno. */
int netns__create(int (*visit)(void *arg), void *arg);

/* Calls visit(arg) inside namespace fd (-1: the caller's own). Returns its result or -errno. */
int netns__visit(int fd, int (*visit)(void *arg), void *arg);

/*
 * Calls visit(fd, arg) once for each namespace that has a visible process or a name
 * (ip-netns(8)) and can be opened, then closes fd.
 */
void netns__each(void (*visit)(int fd, void *arg), void *arg);

#endif
