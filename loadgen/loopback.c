/* SPDX-License-Identifier: GPL-2.0-only */
/* Both sides in one command: forks the receiver process, runs the sender in this process, and
 * prints one report. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "control_conn.h"
#include "session.h"

/* Time limits for a message of the receiver process, and for its exit. */
#define REPORT_NS (15 * NS_PER_SEC)
#define END_NS    (5 * NS_PER_SEC)
#define LOOK_MS   50

static void loopback__endpoint(struct endpoint *e, unsigned int port)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	memcpy(&e->addr, &in, sizeof(in));
	e->len = sizeof(in);
}

/* SIGKILL ends this process when the parent dies. Only the parent acts on SIGINT and SIGTERM. */
static int loopback__child(const struct settings *s, FILE *to, pid_t parent)
{
	struct settings mine = *s;
	struct reporter report = {.kind = REPORTER_PIPE, .settings = &mine, .pipe = to};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return -ESRCH;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	mine.command = COMMAND_RECV;
	loopback__endpoint(&mine.endpoint, 0);
	if (s->cpus_receiver.nr) {
		mine.cpus = s->cpus_receiver;
		return receiver__run(&mine, &report, (struct session_mode){0});
	}
	return receiver__run(&mine, &report, (struct session_mode){.after_sender = true});
}

static int loopback__fork(const struct settings *s, pid_t *pid, FILE **from)
{
	pid_t parent = getpid();
	int fds[2], err;

	if (pipe(fds))
		return -errno;
	fflush(NULL);
	*pid = fork();
	if (*pid < 0) {
		err = -errno;
		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (*pid == 0) {
		close(fds[0]);
		err = loopback__child(s, fdopen(fds[1], "w"), parent);
		/* Not _exit(): sanitizers report from exit handlers. */
		exit(err ? 1 : 0);
	}
	close(fds[1]);
	*from = fdopen(fds[0], "r");
	/* No bytes are read ahead: poll() reports the next message. */
	setvbuf(*from, NULL, _IONBF, 0);
	return 0;
}

static int loopback__receive(FILE *from, struct reporter *receiver, bool *done)
{
	uint64_t deadline = clock__now() + time_limit__ns(REPORT_NS);
	struct pollfd p = {.fd = fileno(from), .events = POLLIN};

	while (poll(&p, 1, LOOK_MS) <= 0) {
		if (control_conn__is_to_end())
			return -EINTR;
		if (clock__now() >= deadline)
			return -ETIMEDOUT;
	}
	return reporter__receive(from, receiver, done);
}

static void loopback__reap(pid_t pid)
{
	const struct timespec pause = {.tv_nsec = NS_PER_MS};
	uint64_t deadline = clock__now() + time_limit__ns(END_NS);
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (control_conn__is_to_end() || clock__now() >= deadline)
			kill(pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
}

static int loopback__session(struct settings *mine, struct reporter *sender,
			     struct reporter *receiver, FILE *from)
{
	bool done;
	int err;

	err = loopback__receive(from, receiver, &done);
	/* A receiver process that ended has printed the reason. */
	if (err == -ETIMEDOUT)
		reporter__error(sender, 0, "The receiver's process does not answer");
	if (err)
		return err;
	loopback__endpoint(&mine->endpoint, receiver->config.port);
	err = sender__run(mine, sender, (struct session_mode){.signals = true});
	if (err < 0)
		return err;
	do {
		int gone = loopback__receive(from, receiver, &done);

		if (gone)
			return reporter__error(sender, gone,
					       "The receiver's process ended without a report");
	} while (!done);
	return err;
}

int loopback__run(const struct settings *s)
{
	struct settings mine = *s;
	struct reporter sender = {.kind = REPORTER_FINAL, .settings = &mine};
	struct reporter receiver = sender;
	FILE *from = NULL;
	pid_t pid = -1;
	int err;

	mine.command = COMMAND_SEND;
	err = loopback__fork(s, &pid, &from);
	if (err)
		return reporter__error(&sender, err, "No process for the receiver: %m");
	err = loopback__session(&mine, &sender, &receiver, from);
	if (err < 0)
		kill(pid, SIGKILL);
	loopback__reap(pid);
	fclose(from);
	if (err >= 0)
		reporter__print(&sender, &receiver);
	else if (err == -EINTR && sender.stats.counters.hist[0])
		reporter__print(&sender, NULL);
	reporter__clear(&sender);
	reporter__clear(&receiver);
	return err;
}
