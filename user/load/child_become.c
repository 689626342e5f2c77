/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the way of a forked process to its exec: descriptors, namespace, credentials, signals. */
#include "child_become.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cap-ng.h>

#include "common/uid_map.h"

/* Descriptors of the child until exec: its own 0 to 2, and these two, which exec closes. */
#define FD_EXE    3
#define FD_STATUS 4
#define FD_FIRST  5 /* netns, then others of ours; closed before exec */

static void child__reset_signals(void)
{
	struct sigaction sa = {.sa_handler = SIG_DFL};
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		sigaction(sig, &sa, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Moves every descriptor up first: our 0 to 4 may be closed, and a pipe may have such a number. */
static int child__arrange_fds(struct child_start *s)
{
	const struct {
		int *fd, target, flags;
	} moves[] = {
		{&s->in[PIPE_READ], STDIN_FILENO, 0},
		{&s->out[PIPE_WRITE], STDOUT_FILENO, 0},
		{&s->exe, FD_EXE, O_CLOEXEC},
		{&s->netns, FD_FIRST, O_CLOEXEC},
		{&s->status[PIPE_WRITE], FD_STATUS, O_CLOEXEC},
	};
	size_t i, n = sizeof(moves) / sizeof(*moves);
	int fd;

	for (i = 0; i < n; i++) {
		if (*moves[i].fd < 0)
			continue;
		fd = fcntl(*moves[i].fd, F_DUPFD_CLOEXEC, FD_FIRST + 1);
		if (fd < 0)
			return -errno;
		*moves[i].fd = fd;
	}
	for (i = 0; i < n; i++) {
		if (*moves[i].fd < 0)
			continue;
		if (dup3(*moves[i].fd, moves[i].target, moves[i].flags) < 0)
			return -errno;
		*moves[i].fd = moves[i].target;
	}
	return 0;
}

static int child__enter_netns(const struct child_start *s)
{
	if (s->netns < 0)
		return 0;
	return setns(s->netns, CLONE_NEWNET) ? -errno : 0;
}

/* Without CAP_SETPCAP (a container) the bounding set stays; no_new_privs makes it useless. */
static int child__change_id(const struct child_start *s)
{
	capng_flags_t flags = CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_AMBIENT;

	if (capng_get_caps_process())
		return -EPERM;
	if (capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP))
		flags |= CAPNG_CLEAR_BOUNDING;
	capng_clear(CAPNG_SELECT_ALL);
	errno = 0;
	if (!capng_change_id(s->uid, s->gid, flags))
		return 0;
	return errno ? -errno : -EPERM;
}

static int child__clear_caps(void)
{
	if (capng_get_caps_process())
		return -EPERM;
	capng_clear(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT);
	return capng_apply(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT) ? -EPERM : 0;
}

static int child__check_powerless(void)
{
	if (capng_get_caps_process() || capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return -EPERM;
	return 0;
}

/* Verifies with the kernel that the privileges are gone. */
static int child__check_dropped(const struct child_start *s)
{
	uid_t ruid, euid, suid;
	gid_t rgid, egid, sgid;

	if (getresuid(&ruid, &euid, &suid) || getresgid(&rgid, &egid, &sgid))
		return -errno;
	if (!ruid || !euid || !suid || ruid != euid || euid != suid)
		return -EPERM;
	if (s->root && (!rgid || rgid != egid || egid != sgid || getgroups(0, NULL)))
		return -EPERM;
	return child__check_powerless();
}

/* Root of a user namespace without other uids is an ordinary user outside, and stays root. */
static bool child__stays(const struct child_start *s)
{
	return s->root && uid_map__own_root_only(s->uid);
}

static int child__drop(const struct child_start *s)
{
	int err = s->root && !child__stays(s) ? child__change_id(s) : child__clear_caps();

	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return child__stays(s) ? child__check_powerless() : child__check_dropped(s);
}

/*
 * Called after the change of credentials, which clears the parent-death signal. The new session has
 * no terminal: with root's terminal the child could type commands there (TIOCSTI).
 */
static int child__tie(const struct child_start *s)
{
	if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return getppid() == s->parent ? 0 : -ESRCH;
}

/* By path first: before 6.14 fexecve() names the process after the descriptor's number. */
static int child__exec(const struct child_start *s)
{
	execv(s->argv[0], s->argv);
	if (errno == EACCES)
		fexecve(FD_EXE, s->argv, environ);
	return -errno;
}

/* Everything up to exec; returns only -errno. */
static int child__try(struct child_start *s, uint32_t *step)
{
	int err;

	*step = CHILD_STEP_FDS;
	err = child__arrange_fds(s);
	if (err)
		return err;
	*step = CHILD_STEP_NETNS;
	err = child__enter_netns(s);
	if (err)
		return err;
	closefrom(FD_FIRST);
	*step = CHILD_STEP_DROP;
	err = child__drop(s);
	if (err)
		return err;
	*step = CHILD_STEP_DEATH;
	err = child__tie(s);
	if (err)
		return err;
	*step = CHILD_STEP_EXEC;
	child__reset_signals();
	return child__exec(s);
}

_Noreturn void child__become(struct child_start *s)
{
	struct child_failure failure;

	failure.err = child__try(s, &failure.step);
	if (write(s->status[PIPE_WRITE], &failure, sizeof(failure)) != sizeof(failure))
		_exit(126);
	_exit(127);
}
