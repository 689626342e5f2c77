/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the check and the loss of privileges; see privileges.h. */
#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/uid_map.h"
#include "exit_code.h"
#include "log.h"
#include "privileges.h"
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

int privileges__check_trace(void)
{
	if (privileges__may_trace())
		return mounts__check_proc();
	log_error("watching the kernel needs root (or CAP_BPF and CAP_PERFMON): run it with sudo.");
	return EXIT_PRIVILEGES;
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

static void choose_identity(struct identity *id)
{
	const struct passwd *pw;

	if (!sudo_user__of_sudo(&id->uid, &id->gid)) {
		pw = getpwuid(id->uid);
		id->name = pw ? pw->pw_name : NULL;
		return;
	}
	id->name = NULL;
	if (!uid_map__unused(&id->uid, &id->gid))
		uid_map__nobody(&id->uid, &id->gid);
}

int privileges__clear_bounding_set(void)
{
	if (capng_get_caps_process())
		return -EPERM;
	/* Without CAP_SETPCAP (a container) the set stays; no_new_privs makes it useless. */
	if (!privileges__have(CAP_SETPCAP))
		return 0;
	capng_clear(CAPNG_SELECT_BOUNDS);
	return capng_apply(CAPNG_SELECT_BOUNDS) ? -EPERM : 0;
}

static int change_user(const struct identity *id)
{
	if (setgroups(0, NULL) || (id->name && initgroups(id->name, id->gid)) ||
	    setresgid(id->gid, id->gid, id->gid) || setresuid(id->uid, id->uid, id->uid))
		return -errno;
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

/* Verifies with the kernel that the privileges are gone. id: NULL of an ordinary user. */
static int check(const struct identity *id, bool stays)
{
	uid_t ruid, euid, suid;
	gid_t rgid, egid, sgid;

	if (capng_get_caps_process() || capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return -EPERM;
	if (stays)
		return 0;
	if (getresuid(&ruid, &euid, &suid) || getresgid(&rgid, &egid, &sgid))
		return -errno;
	if (!ruid || ruid != euid || euid != suid || (id && ruid != id->uid))
		return -EPERM;
	if (id &&
	    (rgid != id->gid || egid != rgid || sgid != rgid || (!id->name && getgroups(0, NULL))))
		return -EPERM;
	return 0;
}

int privileges__become(const struct identity *id, bool may_stay)
{
	/* Root of a user namespace without other uids is an ordinary user outside: it stays. */
	bool stays = id && uid_map__own_root_only(id->uid);
	int err = privileges__clear_bounding_set();

	if (err)
		return err;
	if (id && !stays) {
		err = change_user(id);
		stays = may_stay && (err == -EPERM || err == -EINVAL);
		if (err && !stays)
			return err;
	}
	err = drop_capabilities();
	return err ? err : check(id, stays);
}

int step_down(void)
{
	struct identity id = {0};

	if (geteuid())
		return 0;
	choose_identity(&id);
	return privileges__become(&id, true);
}

int mounts__check_proc(void)
{
	if (!access("/proc/self/fd", F_OK))
		return EXIT_DONE;
	log_error(
		"/proc does not show this process: mount it (mount -t proc proc /proc, or unshare "
		"--mount-proc).");
	return EXIT_RUN_FAILED;
}

bool mounts__has_sys(void)
{
	return !access("/sys/kernel", F_OK);
}

const char mounts__no_sys[] = "/sys is not mounted (mount -t sysfs sysfs /sys)";
