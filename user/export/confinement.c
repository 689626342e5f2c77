/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the loss of privileges of a running exporter; see confinement.h. */
#include "confinement.h"

#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/privileges.h"
#include "common/uid_map.h"

static int become_nobody(void)
{
	uid_t uid;
	gid_t gid;

	uid_map__nobody(&uid, &gid);
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

static int drop(bool keep_bpf)
{
	capng_clear(CAPNG_SELECT_ALL);
	if (keep_bpf)
		capng_updatev(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_BPF, CAP_PERFMON,
			      -1);
	if (capng_apply(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT))
		return -EPERM;
	return 0;
}

int confinement__enter(bool keep_bpf, bool keep_user)
{
	int err = privileges__clear_bounding_set();

	if (!err && !geteuid() && !keep_user) {
		/* The change of user would clear the capabilities to keep. */
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		err = become_nobody();
	}
	if (!err)
		err = drop(keep_bpf);
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err;
}

int confinement__try(int (*work)(void *arg), void *arg, bool keep_user)
{
	pid_t pid = fork();
	int status, err;

	if (pid < 0)
		return -errno;
	if (!pid) {
		err = confinement__enter(false, keep_user);
		/* errno fits into an exit status. */
		_exit(err ? -err : -work(arg));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}
