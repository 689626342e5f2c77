/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the identity of the user behind sudo, who gets the output files. */
#ifndef BASE_SUDO_USER_H
#define BASE_SUDO_USER_H

#include <sys/types.h>

/* Reads SUDO_UID and SUDO_GID. 0, or -ENOENT if one is missing or invalid, or the uid is 0. */
int sudo_user__of_sudo(uid_t *uid, gid_t *gid);

/*
 * NULL: both are numbers of users and groups, or neither is set. Else the name of one that is
 * missing or no such number: who called cannot be known.
 */
const char *sudo_user__wrong(void);

/* As root, gives an open file to the user behind sudo, if any. 0 or -errno of fchown(2). */
int sudo_user__give(int fd);

#endif
