/* SPDX-License-Identifier: GPL-2.0-only */
/* Who called sudo: what is written under it belongs to them. */
#ifndef NETIOTRACE_INVOKER_H
#define NETIOTRACE_INVOKER_H

#include <sys/types.h>

/* The user and group in SUDO_UID and SUDO_GID: a user other than root. 0 or -ENOENT. */
int invoker__of_sudo(uid_t *uid, gid_t *gid);

/*
 * Gives the open file or directory to them; does nothing where there is nobody, or where this
 * process is not root. 0 or -errno of fchown(2).
 */
int invoker__give(int fd);

#endif
