/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts, addresses and ends one unprivileged process. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/launch.h"
#include "base/privileges.h"
#include "base/sudo_user.h"
#include "base/log.h"
#include "base/loop.h"
#include "common/time_limit.h"
#include "common/uid_map.h"

/* After SIGKILL the kernel may take long to end a process on a busy machine. */
#define KILLED_NS 10000000000ULL
/* How long a child may take to read a text, and how often to look. */
#define SEND_NS      5000000000ULL
#define SEND_LOOK_MS 100

/* Steps of a start. */
enum child_step {
	CHILD_STEP_PIPE,
	CHILD_STEP_OPEN,
	CHILD_STEP_FORK,
	CHILD_STEP_FDS,
	CHILD_STEP_NETNS,
	CHILD_STEP_DROP,
	CHILD_STEP_DEATH,
	CHILD_STEP_EXEC,
	CHILD_STEP_NR,
};

static const char *const step_text[] = {
	[CHILD_STEP_PIPE] = "create pipes",
	[CHILD_STEP_OPEN] = "open the program",
	[CHILD_STEP_FORK] = "start a process",
	[CHILD_STEP_FDS] = "arrange file descriptors",
	[CHILD_STEP_NETNS] = "enter the network namespace",
	[CHILD_STEP_DROP] = "drop privileges (this needs CAP_SETUID, CAP_SETGID)",
	[CHILD_STEP_DEATH] = "tie the process to ours",
	[CHILD_STEP_EXEC] = "execute the program (every user must be able to)",
};

enum pipe_end {
	PIPE_READ,
	PIPE_WRITE,
};

/* State of a start until its success or failure. */
struct child_start {
	char *const *argv;
	int netns;
	bool root; /* become uid:gid */
	uid_t uid;
	gid_t gid;
	int exe;
	int in[2], out[2];
};

/* Descriptors of the child until exec: its own 0 to 2, and these two, which exec closes. */
#define FD_EXE    3
#define FD_STATUS 4
#define FD_FIRST  5 /* netns; it and all above are closed before exec */

/* Moves each descriptor above FD_FIRST first: a pipe may have a number from 0 to 4. */
static int child__arrange_fds(struct child_start *s, int *report)
{
	const struct {
		int *fd, target, flags;
	} moves[] = {
		{&s->in[PIPE_READ], STDIN_FILENO, 0}, {&s->out[PIPE_WRITE], STDOUT_FILENO, 0},
		{&s->exe, FD_EXE, O_CLOEXEC},         {&s->netns, FD_FIRST, O_CLOEXEC},
		{report, FD_STATUS, O_CLOEXEC},
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

/* By path first: before 6.14 fexecve() names the process after the descriptor's number. */
static int child__exec(const struct child_start *s)
{
	execv(s->argv[0], s->argv);
	if (errno == EACCES)
		fexecve(FD_EXE, s->argv, environ);
	return -errno;
}

/* Everything up to exec; returns only -errno. */
static int child__become(struct launch_child *c)
{
	struct child_start *s = c->arg;
	/* Without supplementary groups. */
	const struct identity id = {.uid = s->uid, .gid = s->gid};
	int err;

	c->step = CHILD_STEP_FDS;
	err = child__arrange_fds(s, &c->report);
	if (err)
		return err;
	c->step = CHILD_STEP_NETNS;
	if (s->netns >= 0 && setns(s->netns, CLONE_NEWNET))
		return -errno;
	closefrom(FD_FIRST);
	c->step = CHILD_STEP_DROP;
	err = privileges__become(s->root ? &id : NULL, false);
	if (err)
		return err;
	c->step = CHILD_STEP_DEATH;
	err = launch__tie(c);
	if (err)
		return err;
	c->step = CHILD_STEP_EXEC;
	launch__reset_signals();
	return child__exec(s);
}

/* The parent opens the program: the child's user may have no access to its directory. */
static int exe__open(const char *path)
{
	int exe = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (exe < 0)
		return -errno;
	if (!fstat(exe, &st) && S_ISREG(st.st_mode))
		return exe;
	close(exe);
	return -EACCES;
}

static int start__pipes(struct child_start *s)
{
	if (pipe2(s->in, O_CLOEXEC) || pipe2(s->out, O_CLOEXEC))
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
	for (int end = PIPE_READ; end <= PIPE_WRITE; end++) {
		fd__close(&s->in[end]);
		fd__close(&s->out[end]);
	}
}

/* A wait ends at its limit, or soon after a signal that ends the program. */
static bool is_over(uint64_t begun_ns, uint64_t limit_ns)
{
	uint64_t waited = loop__now_ns() - begun_ns;

	return waited >= limit_ns || (waited >= TIME_LIMIT_STOP_NS && loop__is_to_end());
}

/*
 * Kills a process and waits for its end, for a limited time. Reports a process that still runs.
 * Its wait status; -1: unknown.
 */
static int pid__end(pid_t pid)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t begun = loop__now_ns();
	bool unsignalled;
	int status;
	pid_t got;

	kill(-pid, SIGKILL);
	unsignalled = kill(pid, SIGKILL) && errno == EPERM;
	do {
		got = waitpid(pid, &status, WNOHANG);
		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
		nanosleep(&pause, NULL);
	} while (!is_over(begun, unsignalled ? TIME_LIMIT_STOP_NS : KILLED_NS));
	log_error("process %d, started by this one, still runs: without CAP_KILL it cannot be "
		  "ended from here; end it with kill -9 %d.",
		  (int)pid, (int)pid);
	return -1;
}

static int start__run(struct child_start *s, struct child *c, unsigned int *step)
{
	struct launch l = LAUNCH_INIT;
	int err;

	*step = CHILD_STEP_OPEN;
	s->exe = exe__open(s->argv[0]);
	if (s->exe < 0)
		return s->exe;
	*step = CHILD_STEP_PIPE;
	err = start__pipes(s);
	if (err)
		return err;
	*step = CHILD_STEP_FORK;
	err = launch__hold(&l, child__become, s);
	if (!err)
		err = launch__go(&l, step);
	if (err) {
		if (l.pid)
			pid__end(l.pid);
		l.pid = 0;
	} else {
		*c = (struct child){
			.pid = l.pid, .in = s->in[PIPE_WRITE], .out = s->out[PIPE_READ]};
		s->in[PIPE_WRITE] = s->out[PIPE_READ] = -1;
	}
	launch__close(&l);
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
	};
	unsigned int at;
	int err;

	*c = (struct child)CHILD_INIT;
	if (s.root && (sudo_user__of_sudo(&s.uid, &s.gid) || !s.gid))
		uid_map__nobody(&s.uid, &s.gid);
	err = start__run(&s, c, &at);
	start__close(&s);
	if (err)
		*step = step_text[at];
	return err;
}

int child__send_line(struct child *c, const char *line)
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
		n = writev(c->in, iov, 2);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int child__send(struct child *c, const char *text, size_t len)
{
	uint64_t begun = loop__now_ns();
	struct pollfd p = {.fd = c->in, .events = POLLOUT};

	if (!c->pid || c->in < 0)
		return -EPIPE;
	while (len) {
		ssize_t n = write(c->in, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			return -errno;
		} else if (is_over(begun, time_limit__ns(SEND_NS))) {
			return -ETIMEDOUT;
		} else {
			poll(&p, 1, SEND_LOOK_MS);
		}
	}
	return 0;
}

void child__send_kill(struct child *c)
{
	if (!c->pid)
		return;
	/* The end of stdin ends a process that we may not signal (no CAP_KILL). */
	fd__close(&c->in);
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
}

int child__kill(struct child *c)
{
	int status;

	/* The descriptors of a zeroed child are 0, which it does not own. */
	if (!c->pid)
		return -1;
	child__send_kill(c);
	fd__close(&c->out);
	status = pid__end(c->pid);
	c->pid = 0;
	return status;
}
