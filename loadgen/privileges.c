/* SPDX-License-Identifier: GPL-2.0-only */
/* Drops root and all capabilities, and limits resources. */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/uid_map.h"
#include "privileges.h"

static int become(uid_t uid, gid_t gid)
{
	uid_t ruid, euid, suid;

	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	if (getresuid(&ruid, &euid, &suid))
		return -errno;
	if (ruid != uid || euid != uid || suid != uid || getegid() != gid || !setuid(0))
		return -EPERM;
	return 0;
}

static int drop_root(void)
{
	uid_t uid;
	gid_t gid;

	if (geteuid() != 0 && getuid() != 0)
		return 0;
	uid_map__nobody(&uid, &gid);
	return uid_map__own_root_only(uid) ? 0 : become(uid, gid);
}

/* Before the uid changes. Without CAP_SETPCAP (EPERM) the set stays; no_new_privs disarms it. */
static int empty_bounding_set(void)
{
	int cap;

	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EPERM)
			return -errno;
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		return -errno;
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

int privileges__drop(void)
{
	int err = empty_bounding_set();

	if (!err)
		err = drop_root();
	if (!err)
		err = drop_capabilities();
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err;
}

/* Never raises the hard limit. */
static int limit(int resource, rlim_t want)
{
	struct rlimit old, new;

	if (getrlimit(resource, &old))
		return -errno;
	new.rlim_max = want < old.rlim_max ? want : old.rlim_max;
	new.rlim_cur = new.rlim_max;
	return setrlimit(resource, &new) ? -errno : 0;
}

int privileges__limit(uint64_t fds)
{
	int err = limit(RLIMIT_CORE, 0);

	return err ? err : limit(RLIMIT_NOFILE, fds);
}
