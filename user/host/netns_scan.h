/* SPDX-License-Identifier: GPL-2.0-only */
/* Every network namespace that some process in sight is in. */
#ifndef NETIOTRACE_NETNS_SCAN_H
#define NETIOTRACE_NETNS_SCAN_H

/*
 * Calls visit(fd, arg) for each, once; fd is open during the call. Namespaces that may not be
 * looked at, and those no process is in, are left out. 0, or -errno when /proc cannot be read.
 */
int netns_scan__each(void (*visit)(int fd, void *arg), void *arg);

#endif
