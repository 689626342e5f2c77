/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts the command to watch; see spawn.h. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/inherited.h"
#include "base/sudo_user.h"
#include "base/loop.h"
#include "spawn.h"

/* Between release and exec a command waits only for files. */
#define EXEC_MS 10000
#define END_MS  1000
#define LOOK_MS 10

enum { END_READ, END_WRITE };

/* The command runs as the user who called sudo. */
static int become_invoker(void)
{
	const struct passwd *pw;
	uid_t uid;
	gid_t gid;

	if (geteuid() || sudo_user__of_sudo(&uid, &gid))
		return 0;
	pw = getpwuid(uid);
	if (pw ? initgroups(pw->pw_name, gid) : setgroups(0, NULL))
		return -errno;
	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	if (pw)
		setenv("HOME", pw->pw_dir, 1);
	return 0;
}

static _Noreturn void become(char *const *argv, bool apart, int gate, int failure)
{
	char go;
	int err;

	/* The parent is gone: the command will never be released. */
	if (read(gate, &go, 1) != 1)
		_exit(127);
	inherited__restore();
	err = become_invoker();
	if (!err && apart && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		err = -errno;
	if (!err) {
		execvp(argv[0], argv);
		err = -errno;
	}
	if (write(failure, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int spawn__hold(struct spawn *l, char *const *argv, bool apart)
{
	int gate[2], failure[2];
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	if (pipe2(failure, O_CLOEXEC)) {
		close(gate[END_READ]);
		close(gate[END_WRITE]);
		return -errno;
	}
	l->gate = gate[END_WRITE];
	l->failure = failure[END_READ];
	pid = fork();
	if (!pid) {
		close(gate[END_WRITE]);
		become(argv, apart, gate[END_READ], failure[END_WRITE]);
	}
	close(gate[END_READ]);
	close(failure[END_WRITE]);
	if (pid < 0)
		return -errno;
	l->pid = pid;
	l->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return l->pidfd < 0 ? -errno : 0;
}

int spawn__go(struct spawn *l)
{
	struct pollfd p = {.fd = l->failure, .events = POLLIN};
	ssize_t len;
	int err = 0, ms;

	if (write(l->gate, "", 1) != 1)
		return -errno;
	close_end(&l->gate);
	for (ms = 0; poll(&p, 1, LOOK_MS) <= 0; ms += LOOK_MS)
		if (ms >= EXEC_MS || loop__is_to_end())
			return -ETIMEDOUT;
	do
		len = read(l->failure, &err, sizeof(err));
	while (len < 0 && errno == EINTR);
	close_end(&l->failure);
	return len == sizeof(err) ? err : 0;
}

int spawn__wait(struct spawn *l, int timeout_ms)
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

/* Before exec. Ends by itself if the gate is closed. */
static void end_held(struct spawn *l)
{
	int ms;

	close_end(&l->gate);
	kill(l->pid, SIGKILL);
	for (ms = 0; ms < END_MS && waitpid(l->pid, NULL, WNOHANG) == 0; ms += LOOK_MS)
		poll(NULL, 0, LOOK_MS);
	l->pid = 0;
}

void spawn__close(struct spawn *l)
{
	if (l->pid && l->gate >= 0)
		end_held(l);
	close_end(&l->gate);
	close_end(&l->failure);
	close_end(&l->pidfd);
}
