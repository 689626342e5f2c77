/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives up root for good, before data of others is read. */
#ifndef NETIOTRACE_STEP_DOWN_H
#define NETIOTRACE_STEP_DOWN_H

/*
 * Started as root, this process becomes the user behind sudo, with the groups of that user, or else
 * nobody, without capabilities and without a way to get them back. It stays root without
 * capabilities where the kernel has no other user for it (a container without CAP_SETUID). Does
 * nothing when not root. 0 or -errno. To be called before any thread exists.
 */
int step_down(void);

#endif
