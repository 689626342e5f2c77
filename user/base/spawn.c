/* SPDX-License-Identifier: GPL-2.0-only */
/* The command to watch; see spawn.h. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "inherited.h"
#include "sudo_user.h"
#include "spawn.h"

/* The command runs as the user who called sudo. */
static int become_invoker(void)
{
	const struct passwd *pw;
	uid_t uid;
	gid_t gid;

	if (geteuid() || sudo_user__of_sudo(&uid, &gid))
		return 0;
	pw = getpwuid(uid);
	if (pw ? initgroups(pw->pw_name, gid) : setgroups(0, NULL))
		return -errno;
	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	if (pw)
		setenv("HOME", pw->pw_dir, 1);
	return 0;
}

static int become(struct launch_child *c)
{
	const struct command *command = c->arg;
	int err;

	inherited__restore();
	err = become_invoker();
	if (err)
		return err;
	if (command->apart && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return -errno;
	execvp(command->argv[0], command->argv);
	return -errno;
}

int spawn__hold(struct launch *l, const struct command *command)
{
	int err = launch__hold(l, become, (void *)command);

	/* Its end is awaited by the descriptor. */
	return !err && l->pidfd < 0 ? -ENOSYS : err;
}
