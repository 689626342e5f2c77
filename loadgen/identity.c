/* SPDX-License-Identifier: GPL-2.0-only */
/* Giving up root. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "identity.h"

/* What every Linux calls nobody where the user database does not say. */
#define NOBODY 65534

int identity__drop_root(void)
{
	const struct passwd *pw;
	uid_t uid = NOBODY, ruid, euid, suid;
	gid_t gid = NOBODY;

	if (geteuid() != 0 && getuid() != 0)
		return 0;
	pw = getpwnam("nobody");
	if (pw && pw->pw_uid) {
		uid = pw->pw_uid;
		gid = pw->pw_gid;
	}
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	if (getresuid(&ruid, &euid, &suid))
		return -errno;
	if (ruid != uid || euid != uid || suid != uid || getegid() != gid || !setuid(0))
		return -EPERM;
	return 0;
}
