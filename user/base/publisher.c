/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the split into a worker without root and a writer with root; see publisher.h. */
#include "common/xalloc.h"
#include "publisher.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_code.h"
#include "log.h"
#include "privileges.h"

#define MESSAGE_MAX (1U << 30)

struct answer {
	int32_t err;
	char why[PUBLISHER_WHY];
};

/* Sends or reads all of data. False: the other process is gone. */
static bool pass_all(int fd, void *data, size_t len, bool sends)
{
	char *p = data;
	ssize_t n;

	while (len) {
		n = sends ? send(fd, p, len, MSG_NOSIGNAL) : read(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool serve_one(const struct publisher *p)
{
	struct answer answer = {0};
	uint64_t len;
	char *data;
	bool whole;

	if (!pass_all(p->fd, &len, sizeof(len), false) || len > MESSAGE_MAX)
		return false;
	data = xmalloc(len + 1);
	whole = pass_all(p->fd, data, len, false);
	data[len] = '\0';
	if (whole)
		answer.err = p->serve(p->ctx, data, len, answer.why);
	free(data);
	return whole && pass_all(p->fd, &answer, sizeof(answer), true);
}

static volatile sig_atomic_t worker, passed_on;

static void pass_on(int sig)
{
	int err = errno;

	if (worker > 0)
		kill(worker, sig);
	passed_on = sig;
	errno = err;
}

/* Passes signals to the worker, which ends in order; then this process ends. */
static void pass_signals_on(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_handler = pass_on}, old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

static int exit_code_of(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_RUN_FAILED;
	worker = 0;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) != passed_on)
		log_error("the process that did the work was ended by signal %d.",
			  WTERMSIG(status));
	return EXIT_SIGNAL_BASE + WTERMSIG(status);
}

/* Asks for the parent-death signal last: a change of user clears it. */
static int become_worker(pid_t parent)
{
	int err = step_down();

	if (err)
		return err;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return getppid() == parent ? 0 : -ESRCH;
}

static int fail_split(int err)
{
	log_error("cannot give up the rights of root: %s.", strerror(-err));
	return EXIT_PRIVILEGES;
}

bool publisher__fork(struct publisher *p, publisher_serve serve, void *ctx, int *code)
{
	pid_t pid, parent = getpid();
	sigset_t all, old;
	int fds[2], err;

	*p = (struct publisher){.serve = serve, .ctx = ctx, .fd = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) {
		*code = fail_split(-errno);
		return false;
	}
	/* No signal arrives between fork and the handlers. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	fflush(NULL);
	pid = fork();
	p->fd = fds[!pid];
	close(fds[!!pid]);
	if (pid > 0) {
		worker = pid;
		pass_signals_on();
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid < 0) {
		*code = fail_split(-errno);
		close(p->fd);
		return false;
	}
	if (!pid) {
		err = become_worker(parent);
		*code = err ? fail_split(err) : 0;
		return !err;
	}
	while (serve_one(p))
		;
	close(p->fd);
	*code = exit_code_of(pid);
	return false;
}
