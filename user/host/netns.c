/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns moving the calling task between network namespaces and back; see netns.h. Nothing is mounted
 * or named, so a namespace lives exactly as long as a descriptor or a task holds it.
 */
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

int netns__self(void)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int netns__enter(int fd)
{
	return setns(fd, CLONE_NEWNET) ? -errno : 0;
}

/* The errand's own failure is the one worth reporting; being stranded is worse than either. */
static int netns__return(int home, int err)
{
	int back = netns__enter(home);

	close(home);
	return back ? back : err;
}

int netns__create(int (*visit)(void *arg), void *arg)
{
	int home, fd, err;

	home = netns__self();
	if (home < 0)
		return home;
	if (unshare(CLONE_NEWNET)) {
		err = -errno;
		close(home);
		return err;
	}
	fd = netns__self();
	err = fd < 0 ? fd : visit(arg);
	err = netns__return(home, err);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

int netns__visit(int fd, int (*visit)(void *arg), void *arg)
{
	int home, err;

	if (fd < 0)
		return visit(arg);
	home = netns__self();
	if (home < 0)
		return home;
	err = netns__enter(fd);
	if (err) {
		close(home);
		return err;
	}
	return netns__return(home, visit(arg));
}
