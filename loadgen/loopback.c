/* SPDX-License-Identifier: GPL-2.0-only */
/* Both sides in one command: a receiver process, the sender in this process, one report. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "control_conn.h"
#include "session.h"
#include "sock.h"

/* Time limits for a message of the receiver process, and for its exit after SIGKILL. */
#define REPORT_NS (15 * NS_PER_SEC)
#define END_NS    (5 * NS_PER_SEC)

/*
 * The receiver process. It sends its port to the parent, then a byte when its session is over, and
 * prints its part of the report when the parent has printed the sender's and sends a byte back.
 * SIGKILL ends this process when the parent dies. Only the parent acts on SIGINT and SIGTERM.
 */
static int loopback__child(const struct lg_options *s, int parent_fd, pid_t parent)
{
	const struct session_mode mode = {.after_sender = !s->cpus_receiver.nr};
	static struct lg_options mine;
	static struct reporter report = {.kind = REPORTER_CHILD, .options = &mine};
	char byte = 0;
	int err;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return -ESRCH;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	mine = *s;
	mine.command = COMMAND_RECV;
	report.parent_fd = parent_fd;
	sock__loopback(&mine.endpoint, 0);
	if (s->cpus_receiver.nr)
		mine.cpus = s->cpus_receiver;
	err = receiver__run(&mine, &report, mode);
	if (err >= 0 && send(parent_fd, &byte, 1, MSG_NOSIGNAL) == 1 &&
	    recv(parent_fd, &byte, 1, 0) == 1)
		reporter__print(&report, false, true);
	reporter__clear(&report);
	return err;
}

/* Returns the socket to the receiver process, or -errno. */
static int loopback__fork(const struct lg_options *s, pid_t *pid)
{
	pid_t parent = getpid();
	int fds[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	fflush(NULL);
	*pid = fork();
	err = -errno;
	if (*pid == 0) {
		close(fds[0]);
		err = loopback__child(s, fds[1], parent);
		/* Not _exit(): sanitizers report from exit handlers. */
		exit(err ? 1 : 0);
	}
	close(fds[1]);
	if (*pid > 0)
		return fds[0];
	close(fds[0]);
	return err;
}

/* Receives len bytes, which the child sends at once. 0 or -errno; -EPIPE: the child has ended. */
static int loopback__receive(int fd, void *buf, size_t len)
{
	int err = control_conn__await(fd, clock__now() + time_limit__ns(REPORT_NS));

	if (err)
		return err;
	return recv(fd, buf, len, 0) == (ssize_t)len ? 0 : -EPIPE;
}

/* Waits until the deadline, then kills. Without one, stdout may block the receiver process. */
static void loopback__reap(pid_t pid, uint64_t deadline)
{
	const struct timespec pause = {.tv_nsec = NS_PER_MS};
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (control_conn__is_to_end() || clock__now() >= deadline)
			kill(pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
}

static int loopback__session(struct lg_options *mine, struct reporter *sender, int fd)
{
	unsigned int port;
	char byte;
	int err, gone;

	err = loopback__receive(fd, &port, sizeof(port));
	/* A receiver process that ended has printed the reason. */
	if (err == -ETIMEDOUT)
		reporter__error(sender, 0, "The receiver's process does not answer");
	if (err)
		return err;
	sock__loopback(&mine->endpoint, port);
	err = sender__run(mine, sender, (struct session_mode){.signals = true});
	if (err < 0)
		return err;
	gone = loopback__receive(fd, &byte, sizeof(byte));
	return gone ? reporter__error(sender, gone, "The receiver's process ended without a report")
		    : err;
}

int loopback__run(const struct lg_options *s)
{
	static struct lg_options mine;
	static struct reporter sender = {.kind = REPORTER_FINAL, .options = &mine};
	pid_t pid = -1;
	int err, fd;

	mine = *s;
	mine.command = COMMAND_SEND;
	fd = session__try_receive(s, &sender);
	if (fd)
		return fd;
	fd = loopback__fork(s, &pid);
	if (fd < 0)
		return reporter__error(&sender, fd, "No process for the receiver: %m");
	err = loopback__session(&mine, &sender, fd);
	if (err >= 0) {
		reporter__print(&sender, true, false);
		send(fd, "", 1, MSG_NOSIGNAL);
		loopback__reap(pid, UINT64_MAX);
	} else {
		kill(pid, SIGKILL);
		loopback__reap(pid, clock__now() + time_limit__ns(END_NS));
		if (err == -EINTR && sender.stats.counters.hist[0])
			reporter__print(&sender, true, true);
	}
	close(fd);
	reporter__clear(&sender);
	return err;
}
