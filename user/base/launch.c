/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the start of a child process; see launch.h. */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capabilities.h"
#include "common/time_limit.h"
#include "loop.h"

/* Between release and exec a child waits only for files. */
#define EXEC_MS 10000
#define STOP_MS                                                                          \
	(TIME_LIMIT_STOP_NS / 1000000) /* so long also after a signal that ends this one \
					*/
#define END_MS  1000
#define LOOK_MS 10

enum { END_READ, END_WRITE };

struct failure {
	int err;
	unsigned int step;
};

static _Noreturn void run_child(struct launch_child *c, int (*become)(struct launch_child *c),
				int gate)
{
	struct failure failure;
	char go;

	/* The parent is gone: the child will never be released. */
	if (read(gate, &go, 1) != 1)
		_exit(127);
	/* The parent may be watching. */
	capabilities__raise();
	failure.err = become(c);
	failure.step = c->step;
	_exit(write(c->report, &failure, sizeof(failure)) == sizeof(failure) ? 127 : 126);
}

int launch__hold(struct launch *l, int (*become)(struct launch_child *c), void *arg)
{
	int gate[2] = {-1, -1}, failure[2] = {-1, -1}, err = 0;
	pid_t pid = -1, parent = getpid();
	sigset_t all, old;

	/* No handler of this program runs in the child. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	if (!pipe2(gate, O_CLOEXEC) && !pipe2(failure, O_CLOEXEC))
		pid = fork();
	if (!pid) {
		struct launch_child c = {
			.arg = arg, .report = failure[END_WRITE], .parent = parent};

		close(gate[END_WRITE]);
		run_child(&c, become, gate[END_READ]);
	}
	if (pid < 0)
		err = -errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	fd__close(&gate[END_READ]);
	fd__close(&failure[END_WRITE]);
	l->gate = gate[END_WRITE];
	l->failure = failure[END_READ];
	if (err)
		return err;
	l->pid = pid;
	l->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return 0;
}

int launch__go(struct launch *l, unsigned int *step)
{
	struct pollfd p = {.fd = l->failure, .events = POLLIN};
	struct failure failure = {0};
	ssize_t len;
	unsigned int ms;

	if (write(l->gate, "", 1) != 1)
		return -errno;
	fd__close(&l->gate);
	for (ms = 0; poll(&p, 1, LOOK_MS) <= 0; ms += LOOK_MS)
		if (ms >= EXEC_MS || (ms >= STOP_MS && loop__is_to_end()))
			return -ETIMEDOUT;
	do
		len = read(l->failure, &failure, sizeof(failure));
	while (len < 0 && errno == EINTR);
	fd__close(&l->failure);
	if (step)
		*step = failure.step;
	if (!len)
		return 0;
	return len == sizeof(failure) && failure.err < 0 ? failure.err : -EIO;
}

void launch__reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int launch__tie(const struct launch_child *c)
{
	if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return getppid() == c->parent ? 0 : -ESRCH;
}

int launch__wait(struct launch *l, int timeout_ms)
{
	struct pollfd p = {.fd = l->pidfd, .events = POLLIN};
	int status;

	if (!l->pid)
		return -ECHILD;
	poll(&p, 1, timeout_ms);
	if (waitpid(l->pid, &status, WNOHANG) != l->pid)
		return -EAGAIN;
	l->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Before exec. */
static void end_held(struct launch *l)
{
	int ms;

	kill(l->pid, SIGKILL);
	for (ms = 0; ms < END_MS && waitpid(l->pid, NULL, WNOHANG) == 0; ms += LOOK_MS)
		poll(NULL, 0, LOOK_MS);
	l->pid = 0;
}

void launch__close(struct launch *l)
{
	bool held = l->pid && l->gate >= 0;

	fd__close(&l->gate);
	if (held)
		end_held(l);
	fd__close(&l->failure);
	fd__close(&l->pidfd);
}
