/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns starting, addressing and ending one unprivileged process; see child.h. */
#include "base/invoker.h"
#include "base/log.h"
#include "base/loop.h"
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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
#include "common/time_limit.h"
#include "common/units.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10
#endif

/* After SIGKILL the kernel may take long to end a process on a busy machine. */
#define KILLED_NS 10000000000ULL
/* Between fork and exec only file access can block. */
#define EXEC_NS 10000000000ULL
#define LOOK_MS 10 /* poll interval */

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

/* Copies a program to a memfd that anyone may execute (a build with umask 077 is not). */
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

/* The parent opens the program: the child's user may have no access to its directory. */
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
	/* Only our ends: each end of a pipe has its own flags. */
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

/* Blocks signals across the fork, so that no handler of ours runs in the child. */
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

/* A wait ends at its limit, or soon after a signal that ends the program. */
static bool is_over(uint64_t begun_ns, uint64_t limit_ns)
{
	uint64_t waited = loop__now_ns() - begun_ns;

	return waited >= limit_ns || (waited >= TIME_LIMIT_STOP_NS && loop__is_to_end());
}

/* Kills a process and waits for its end. 0 or -errno; -EBUSY: it still runs. */
static int pid__end(pid_t pid, int *status)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t begun = loop__now_ns();
	bool deaf;
	pid_t got;

	kill(-pid, SIGKILL);
	deaf = kill(pid, SIGKILL) && errno == EPERM;
	for (;;) {
		got = waitpid(pid, status, WNOHANG);
		if (got == pid)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (is_over(begun, deaf ? TIME_LIMIT_STOP_NS : KILLED_NS))
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
}

static void say_left(pid_t pid)
{
	log_error("process %d, started by this one, still runs: without CAP_KILL it cannot be "
		  "ended from here; end it with kill -9 %d.",
		  (int)pid, (int)pid);
}

/* Waits for exec or a failure. Returns the bytes read (0: exec), or -errno. */
static ssize_t status__read(int fd, struct child_failure *failure)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t begun = loop__now_ns();
	ssize_t n;

	while (poll(&p, 1, LOOK_MS) <= 0)
		if (is_over(begun, EXEC_NS))
			return -ETIMEDOUT;
	do {
		n = read(fd, failure, sizeof(*failure));
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Waits until exec closes the pipe, or the child reports a failure. */
static int start__confirm(struct child_start *s, pid_t pid, enum child_step *step)
{
	struct child_failure failure;
	int status;
	ssize_t n;

	fd__close(&s->status[PIPE_WRITE]);
	n = status__read(s->status[PIPE_READ], &failure);
	if (!n)
		return 0;
	if (pid__end(pid, &status) == -EBUSY)
		say_left(pid);
	if (n < 0)
		return (int)n;
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

/* Writes without SIGPIPE: discards the SIGPIPE that this write raises. */
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
	/* A write of up to PIPE_BUF is atomic. */
	if (len >= PIPE_BUF)
		return -EMSGSIZE;
	do {
		n = pipe__write(c->in, iov, 2);
	} while (n == -EINTR);
	return n < 0 ? n : 0;
}

void child__doom(struct child *c)
{
	if (!c->pid)
		return;
	/* The end of stdin ends a process that we may not signal (no CAP_KILL). */
	fd__close(&c->in);
	if (c->reaped)
		return;
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
}

void child__kill(struct child *c)
{
	/* The descriptors of a zeroed child are 0, which it does not own. */
	if (!c->pid)
		return;
	child__doom(c);
	fd__close(&c->out);
	if (!c->reaped) {
		int err = pid__end(c->pid, &c->status);

		c->reaped = !err;
		if (err == -EBUSY)
			say_left(c->pid);
	}
	c->pid = 0;
	fd__close(&c->pidfd);
}
