/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns starting, addressing and ending one unprivileged process; see child.h. What happens between
 * fork and exec is child_become.c's. Knows nothing of what the process does or says.
 */
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

/* A process that SIGKILL reached is the kernel's to take down: that may take long on a busy
 * machine. */
#define KILLED_NS 10000000000ULL
/* From fork to exec nothing waits but for files. */
#define EXEC_NS 10000000000ULL
#define LOOK_MS 10 /* for the end of a wait */

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

/* A wait is over at its limit; when SIGINT or SIGTERM has come, soon. */
static bool is_over(uint64_t begun_ns, uint64_t limit_ns)
{
	uint64_t waited = loop__now_ns() - begun_ns;

	return waited >= limit_ns || (waited >= TIME_LIMIT_STOP_NS && loop__is_to_end());
}

/* Ends a process and waits for its end: 0, -EBUSY when it goes on, -errno. */
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

/* Waits for exec, or for what it failed with: bytes read as of read(2), or -errno. */
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

/* Waits until exec closed the pipe, or the child said why it came to none. */
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

void child__doom(struct child *c)
{
	if (!c->pid)
		return;
	/* Who may not signal it (no CAP_KILL) ends it by the end of its stdin. */
	fd__close(&c->in);
	if (c->reaped)
		return;
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
}

void child__kill(struct child *c)
{
	/* The descriptors of a zeroed child are 0: not its own. */
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
