/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the list of network namespaces that have a visible process. */
#ifndef NETIOTRACE_NETNS_SCAN_H
#define NETIOTRACE_NETNS_SCAN_H

/* Calls visit(fd, arg) once for each namespace that it can open, then closes fd. 0 or -errno. */
int netns_scan__each(void (*visit)(int fd, void *arg), void *arg);

#endif
