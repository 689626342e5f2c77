/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns giving up root for good, before foreign data is read. */
#ifndef NETIOTRACE_STEP_DOWN_H
#define NETIOTRACE_STEP_DOWN_H

/*
 * As root, becomes the user behind sudo, with the groups of that user, or else nobody. Drops all
 * capabilities and cannot get them back. Stays root without capabilities where there is no other
 * user (a container without CAP_SETUID). 0 or -errno. Call before any thread exists.
 */
int step_down(void);

#endif
