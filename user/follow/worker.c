/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns processes without privileges; see worker.h. */
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/privileges.h"
#include "worker.h"

#define RUN_US       500000 /* of an urgent worker without a pause */
#define PACKETS_SIZE (1 << 19)
#define BEGIN_S      10 /* on a busy machine, for a process without priority yet */

/* Real-time priority is bounded: code that does not end is hostile. */
static void hurry(void)
{
	const struct rlimit run = {RUN_US, RUN_US};
	const struct sched_param priority = {.sched_priority = 1};

	if (!setrlimit(RLIMIT_RTTIME, &run))
		sched_setscheduler(0, SCHED_FIFO, &priority);
}

static int confine(const struct worker_task *task, pid_t parent)
{
	int err = step_down();

	/* Ctrl-Z and signals to the group of netiotrace are not for it: a stopped thread waits. */
	setsid();
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL)))
		err = -errno;
	if (!err && getppid() != parent)
		err = -ESRCH;
	if (!err && task->pure && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		err = -errno;
	return err;
}

/* exit_group() is not among the calls of a pure worker. */
static _Noreturn void end(int status)
{
	for (;;)
		syscall(SYS_exit, status);
}

static _Noreturn void work(const struct worker_task *task, int fd, pid_t parent)
{
	int err;

	if (task->urgent)
		hurry();
	err = confine(task, parent);
	if (write(fd, &err, sizeof(err)) == sizeof(err) && !err)
		task->serve(fd);
	end(err ? 1 : 0);
}

int worker__start(struct worker *w, const struct worker_task *task)
{
	const struct timeval limit = {task->timeout_ms / 1000, task->timeout_ms % 1000 * 1000};
	const struct timeval begin_limit = {BEGIN_S, 0};
	const int size = PACKETS_SIZE;
	pid_t parent = getpid();
	int fds[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	for (int i = 0; i < 2; i++)
		setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	w->pid = fork();
	if (!w->pid) {
		close(fds[0]);
		work(task, fds[1], parent);
	}
	err = w->pid < 0 ? -errno : 0;
	close(fds[1]);
	w->fd = fds[0];
	setsockopt(w->fd, SOL_SOCKET, SO_RCVTIMEO, &begin_limit, sizeof(begin_limit));
	setsockopt(w->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!err && read(w->fd, &err, sizeof(err)) != sizeof(err))
		err = -ECHILD;
	setsockopt(w->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (err)
		worker__stop(w);
	return err;
}

/* A packet, with a descriptor unless it is negative. */
static bool send_packet(int fd, const void *data, size_t len, int passed)
{
	struct iovec v = {(void *)data, len};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS}};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	if (passed >= 0) {
		memcpy(CMSG_DATA(&control.head), &passed, sizeof(int));
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
	}
	return sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)len;
}

size_t worker__receive(int fd, void *to, size_t len, int *passed)
{
	struct iovec v = {to, len};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	*passed = -1;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(passed, CMSG_DATA(c), sizeof(int));
	return n > 0 ? (size_t)n : 0;
}

bool worker__ask(const struct worker *w, const void *request, size_t request_len, int passed,
		 void *answer, size_t len)
{
	return w->pid > 0 && send_packet(w->fd, request, request_len, passed) &&
	       recv(w->fd, answer, len, 0) == (ssize_t)len;
}

void worker__stop(struct worker *w)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*w = (struct worker){.fd = -1};
}
