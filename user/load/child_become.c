/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the way of a forked process to its exec: descriptors, namespace, credentials, signals. Knows
 * nothing of the process that waits for it but the status pipe.
 */
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

/* Descriptors of the child from fork to exec: its own three, then these two, closed by exec. */
#define FD_EXE    3
#define FD_STATUS 4
#define FD_FIRST  5 /* from here on: ours, not the child's */

/* No handler, no ignored signal and no mask of ours survives. */
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

/*
 * Every descriptor is first moved up, out of the way: our own 0 to 4 may be closed, and a pipe may
 * have got one of these numbers.
 */
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

/* Without CAP_SETPCAP (a container) the bounding set stays: no_new_privs makes it powerless. */
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

/* Asks the kernel what we are now: a drop that did not happen must not go on. */
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

/*
 * Root of a user namespace without another uid is an ordinary user outside, and stays it: there is
 * nobody to become.
 */
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
 * After the credentials: a change of them clears the death signal. A session of its own: with the
 * controlling terminal of root it could type commands there (TIOCSTI), unprivileged as it is.
 */
static int child__tie(const struct child_start *s)
{
	if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return getppid() == s->parent ? 0 : -ESRCH;
}

/*
 * By path first: the process is then named after its file, which kernels before 6.14 do not manage
 * for a descriptor. By the descriptor where the child's user may not go.
 */
static int child__exec(const struct child_start *s)
{
	execv(s->argv[0], s->argv);
	if (errno == EACCES)
		fexecve(FD_EXE, s->argv, environ);
	return -errno;
}

/* Everything up to exec; returns only when it failed. */
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
