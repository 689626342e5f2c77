/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns moving the calling task between network namespaces; see netns.h. */
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

/* A failed return outranks err: the task is stranded. */
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
