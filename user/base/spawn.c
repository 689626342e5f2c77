/* SPDX-License-Identifier: GPL-2.0-only */
/* The command to watch; see spawn.h. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "spawn.h"
#include "sudo_user.h"

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

/* Signal handlers need no record: exec resets them. */
static sigset_t ignored, blocked;
static struct rlimit files;
static bool has_files;

void inherited__note(void)
{
	sigemptyset(&ignored);
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction sa;

		if (!sigaction(sig, NULL, &sa) && sa.sa_handler == SIG_IGN)
			sigaddset(&ignored, sig);
	}
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	has_files = !getrlimit(RLIMIT_NOFILE, &files);
}

void inherited__restore(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sigismember(&ignored, sig) == 1 ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	if (has_files)
		setrlimit(RLIMIT_NOFILE, &files);
}
