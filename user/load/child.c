/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns starting, addressing and ending one unprivileged process; see child.h. What happens between
 * fork and exec is child_become.c's. Knows nothing of what the process does or says.
 */
#include "base/invoker.h"
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_become.h"
#include "common/units.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10
#endif

static const char *const step_text[CHILD_STEP_NR] = {
#define X(id, text) [CHILD_STEP_##id] = text,
	CHILD_STEPS(X)
#undef X
};

static void fd__close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void user__nobody(uid_t *uid, gid_t *gid)
{
	const struct passwd *pw = getpwnam("nobody");

	*uid = 65534;
	*gid = 65534;
	if (pw && pw->pw_uid && pw->pw_gid) {
		*uid = pw->pw_uid;
		*gid = pw->pw_gid;
	}
}

/*
 * A copy in memory that anyone may execute. For a program the child's user may not: a build made
 * with umask 077.
 */
static int exe__copy(int exe)
{
	struct stat st;
	off_t pos = 0;
	ssize_t n;
	int fd, err;

	fd = memfd_create("netiotrace-child", MFD_CLOEXEC | MFD_EXEC);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("netiotrace-child", MFD_CLOEXEC); /* before Linux 6.3 */
	if (fd < 0)
		return -errno;
	if (fstat(exe, &st) || fchmod(fd, 0555))
		goto fail;
	while (pos < st.st_size) {
		n = sendfile(fd, exe, &pos, st.st_size - pos);
		if (n < 0 && errno != EINTR)
			goto fail;
		if (!n)
			break;
	}
	return fd;
fail:
	err = -errno;
	close(fd);
	return err;
}

/* Opened by us, so that it may lie where the child's user cannot go. */
static int exe__open(const char *path, bool copy)
{
	int exe = open(path, O_RDONLY | O_CLOEXEC), fd;
	struct stat st;

	if (exe < 0)
		return -errno;
	if (fstat(exe, &st) || !S_ISREG(st.st_mode)) {
		close(exe);
		return -EACCES;
	}
	if (!copy)
		return exe;
	fd = exe__copy(exe);
	close(exe);
	return fd;
}

static int start__pipes(struct child_start *s)
{
	if (pipe2(s->in, O_CLOEXEC) || pipe2(s->out, O_CLOEXEC) || pipe2(s->status, O_CLOEXEC))
		return -errno;
	/* Only our ends: the other end of a pipe has flags of its own. */
	if (fcntl(s->in[PIPE_WRITE], F_SETFL, O_WRONLY | O_NONBLOCK) ||
	    fcntl(s->out[PIPE_READ], F_SETFL, O_RDONLY | O_NONBLOCK))
		return -errno;
	return 0;
}

static void start__close(struct child_start *s)
{
	fd__close(&s->exe);
	fd__close(&s->in[PIPE_READ]);
	fd__close(&s->in[PIPE_WRITE]);
	fd__close(&s->out[PIPE_READ]);
	fd__close(&s->out[PIPE_WRITE]);
	fd__close(&s->status[PIPE_READ]);
	fd__close(&s->status[PIPE_WRITE]);
}

/* Signals are held back across the fork, so that no handler of ours runs in the child. */
static pid_t start__fork(struct child_start *s)
{
	sigset_t all, old;
	pid_t pid;
	int err;

	s->parent = getpid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (!pid)
		child__become(s);
	err = -errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid < 0 ? err : pid;
}

static int pid__reap(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Waits until exec closed the pipe, or the child said why it came to none. */
static int start__confirm(struct child_start *s, pid_t pid, enum child_step *step)
{
	struct child_failure failure;
	int status;
	ssize_t n;

	fd__close(&s->status[PIPE_WRITE]);
	do {
		n = read(s->status[PIPE_READ], &failure, sizeof(failure));
	} while (n < 0 && errno == EINTR);
	if (!n)
		return 0;
	kill(pid, SIGKILL);
	pid__reap(pid, &status);
	if (n != sizeof(failure) || failure.step >= CHILD_STEP_NR || failure.err >= 0)
		return -EIO;
	*step = failure.step;
	return failure.err;
}

static int start__run(struct child_start *s, struct child *c, enum child_step *step)
{
	pid_t pid;
	int err;

	*step = CHILD_STEP_PIPE;
	err = start__pipes(s);
	if (err)
		return err;
	*step = CHILD_STEP_FORK;
	pid = start__fork(s);
	if (pid < 0)
		return pid;
	err = start__confirm(s, pid, step);
	if (err)
		return err;
	c->pid = pid;
	c->pidfd = syscall(SYS_pidfd_open, pid, 0);
	c->in = s->in[PIPE_WRITE];
	c->out = s->out[PIPE_READ];
	s->in[PIPE_WRITE] = -1;
	s->out[PIPE_READ] = -1;
	return 0;
}

static int start__once(struct child_start s, struct child *c, bool copy, enum child_step *step)
{
	int err;

	*step = CHILD_STEP_OPEN;
	s.exe = exe__open(s.argv[0], copy);
	err = s.exe < 0 ? s.exe : 0;
	if (!err)
		err = start__run(&s, c, step);
	start__close(&s);
	return err;
}

int child__start(struct child *c, char *const argv[], int netns, const char **step)
{
	struct child_start s = {
		.argv = argv,
		.netns = netns,
		.root = !geteuid(),
		.exe = -1,
		.in = {-1, -1},
		.out = {-1, -1},
		.status = {-1, -1},
	};
	enum child_step at;
	int err;

	*c = (struct child)CHILD_INIT;
	if (s.root && (invoker__of_sudo(&s.uid, &s.gid) || !s.gid))
		user__nobody(&s.uid, &s.gid);
	err = start__once(s, c, false, &at);
	if (err == -EACCES && at == CHILD_STEP_EXEC && s.root && !access(argv[0], X_OK))
		err = start__once(s, c, true, &at);
	if (err)
		*step = step_text[at];
	return err;
}

/* Writes without SIGPIPE: one that our write raises is taken back before it can be delivered. */
static ssize_t pipe__write(int fd, const struct iovec *iov, int n)
{
	const struct timespec now = {0};
	sigset_t sigpipe, old, pending;
	bool was_pending;
	ssize_t ret;

	sigemptyset(&sigpipe);
	sigaddset(&sigpipe, SIGPIPE);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE);
	sigprocmask(SIG_BLOCK, &sigpipe, &old);
	ret = writev(fd, iov, n);
	if (ret < 0) {
		ret = -errno;
		if (ret == -EPIPE && !was_pending)
			sigtimedwait(&sigpipe, NULL, &now);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int child__say(struct child *c, const char *line)
{
	size_t len = strlen(line);
	char newline = '\n';
	struct iovec iov[] = {
		{.iov_base = (char *)line, .iov_len = len},
		{.iov_base = &newline, .iov_len = 1},
	};
	ssize_t n;

	if (!c->pid || c->in < 0)
		return -EPIPE;
	/* Up to PIPE_BUF a write is all or nothing. */
	if (len >= PIPE_BUF)
		return -EMSGSIZE;
	do {
		n = pipe__write(c->in, iov, 2);
	} while (n == -EINTR);
	return n < 0 ? n : 0;
}

int child__poll(struct child *c)
{
	pid_t pid;

	if (!c->pid)
		return -ECHILD;
	if (c->reaped)
		return 1;
	do {
		pid = waitpid(c->pid, &c->status, WNOHANG);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return -errno;
	c->reaped = pid > 0;
	return c->reaped;
}

void child__doom(const struct child *c)
{
	if (!c->pid || c->reaped)
		return;
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
}

void child__kill(struct child *c)
{
	/* The descriptors of a zeroed child are 0: not its own. */
	if (!c->pid)
		return;
	if (!c->reaped) {
		child__doom(c);
		c->reaped = !pid__reap(c->pid, &c->status);
	}
	c->pid = 0;
	fd__close(&c->in);
	fd__close(&c->out);
	fd__close(&c->pidfd);
}
