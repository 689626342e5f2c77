/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the check and the loss of privileges; see privileges.h. */
#include "privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/uid_map.h"
#include "sudo_user.h"

bool privileges__have(unsigned int capability)
{
	return capng_have_capability(CAPNG_EFFECTIVE, capability) == 1;
}

bool privileges__may_trace(void)
{
	return privileges__have(CAP_SYS_ADMIN) ||
	       (privileges__have(CAP_BPF) && privileges__have(CAP_PERFMON));
}

#define FIRST_USER_NAMESPACE 0xEFFFFFFDU /* PROC_USER_INIT_INO (include/linux/proc_ns.h) */

const char privileges__namespace_text[] =
	"watching the kernel needs root of the machine, and netiotrace is in a user namespace, "
	"which has only one of its own";

bool privileges__in_user_namespace(void)
{
	struct stat ns;

	return !stat("/proc/self/ns/user", &ns) && ns.st_ino != FIRST_USER_NAMESPACE;
}

bool privileges__may_make_path(void)
{
	return privileges__have(CAP_SYS_ADMIN) && privileges__have(CAP_NET_ADMIN);
}

struct identity {
	uid_t uid;
	gid_t gid;
	const char *name; /* NULL: no supplementary groups */
};

static void choose_identity(struct identity *id)
{
	const struct passwd *pw;

	if (!sudo_user__of_sudo(&id->uid, &id->gid)) {
		pw = getpwuid(id->uid);
		id->name = pw ? pw->pw_name : NULL;
		return;
	}
	id->name = NULL;
	sudo_user__nobody(&id->uid, &id->gid);
}

/* 0 or -errno. 1: the user does not exist here, or the kernel refuses the change. */
static int change_user(const struct identity *id)
{
	if (uid_map__own_root_only(id->uid))
		return 1;
	if (setgroups(0, NULL))
		return errno == EPERM ? 1 : -errno;
	if (id->name && initgroups(id->name, id->gid))
		return -errno;
	if (setresgid(id->gid, id->gid, id->gid) || setresuid(id->uid, id->uid, id->uid))
		return errno == EPERM || errno == EINVAL ? 1 : -errno;
	return 0;
}

static int drop_capabilities(void)
{
	if (capng_get_caps_process())
		return -EPERM;
	capng_clear(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT);
	if (capng_apply(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT))
		return -EPERM;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

/* Verifies with the kernel that the privileges are gone. */
static int check(const struct identity *id, bool changed)
{
	uid_t ruid, euid, suid;
	gid_t rgid, egid, sgid;

	if (capng_get_caps_process() || capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return -EPERM;
	if (!changed)
		return 0;
	if (getresuid(&ruid, &euid, &suid) || getresgid(&rgid, &egid, &sgid))
		return -errno;
	if (ruid != id->uid || euid != id->uid || suid != id->uid || rgid != id->gid ||
	    egid != id->gid || sgid != id->gid)
		return -EPERM;
	return 0;
}

int step_down(void)
{
	struct identity id = {0};
	int changed, err;

	if (geteuid())
		return 0;
	choose_identity(&id);
	changed = change_user(&id);
	if (changed < 0)
		return changed;
	err = drop_capabilities();
	return err ? err : check(&id, !changed);
}
