/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the variables that sudo sets; see sudo_user.h. */
#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/units.h"
#include "sudo_user.h"

#define NOBODY 65534 /* where no user has the name */

int sudo_user__of_sudo(uid_t *uid, gid_t *gid)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t u, g;

	/* -1 is no user: it means "unchanged" to setresuid() and chown(). */
	if (!uid_text || !gid_text || parse_count(uid_text, 1, (uid_t)-2, &u) ||
	    parse_count(gid_text, 0, (gid_t)-2, &g))
		return -ENOENT;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return 0;
}

void sudo_user__nobody(uid_t *uid, gid_t *gid)
{
	const struct passwd *pw = getpwnam("nobody");
	bool usable = pw && pw->pw_uid && pw->pw_gid;

	*uid = usable ? pw->pw_uid : NOBODY;
	*gid = usable ? pw->pw_gid : NOBODY;
}

int sudo_user__give(int fd)
{
	uid_t uid;
	gid_t gid;

	if (geteuid() || sudo_user__of_sudo(&uid, &gid))
		return 0;
	return fchown(fd, uid, gid) ? -errno : 0;
}
