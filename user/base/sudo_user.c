/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the variables that sudo sets; see sudo_user.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/units.h"
#include "sudo_user.h"

/* -1 is no user: it means "unchanged" to setresuid() and chown(). */
static bool parse_id(const char *text, uint64_t *id)
{
	return text && !parse_count(text, 0, (uid_t)-2, id);
}

const char *sudo_user__wrong(void)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t id;

	if (!uid && !gid)
		return NULL;
	return !parse_id(uid, &id) ? "SUDO_UID" : !parse_id(gid, &id) ? "SUDO_GID" : NULL;
}

int sudo_user__of_sudo(uid_t *uid, gid_t *gid)
{
	uint64_t u, g;

	if (!parse_id(getenv("SUDO_UID"), &u) || !u || !parse_id(getenv("SUDO_GID"), &g))
		return -ENOENT;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return 0;
}

int sudo_user__give(int fd)
{
	uid_t uid;
	gid_t gid;

	if (geteuid() || sudo_user__of_sudo(&uid, &gid))
		return 0;
	return fchown(fd, uid, gid) ? -errno : 0;
}
