/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts gnuplot and waits for it; see gnuplot.h. */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIME_MAX_MS 120000
#define CPU_MAX_S   60
#define SLICE_MS    1000
#define FD_FIRST    3
#define EXEC_FAILED 127

/* Its standard descriptors, as files in memory. */
struct files {
	int in, out, err;
};

/* A file in memory, out of the way of the descriptors 0 to 2. */
static int make_file(const char *name)
{
	int low = memfd_create(name, MFD_CLOEXEC), fd;

	if (low < 0)
		return -errno;
	fd = fcntl(low, F_DUPFD_CLOEXEC, FD_FIRST);
	if (fd < 0)
		fd = -errno;
	close(low);
	return fd;
}

static void close_files(struct files *f)
{
	const int fds[] = {f->in, f->out, f->err};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int fill(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int make_files(struct files *f, const struct gnuplot_call *call)
{
	f->in = make_file("netiotrace-script");
	f->out = make_file("netiotrace-picture");
	f->err = make_file("netiotrace-errors");
	if (f->in < 0 || f->out < 0 || f->err < 0)
		return -EMFILE;
	return fill(f->in, call->script, call->script_len);
}

static void limit_time(void)
{
	const struct rlimit cpu = {CPU_MAX_S, CPU_MAX_S}, core = {0, 0};

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
}

/* No handler, no ignored signal and no mask of ours: it is to die where it cannot write. */
static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* By path, for its name; by the descriptor where its user may not go. A script needs it open. */
static void execute(const struct gnuplot_call *call)
{
	static char locale[] = "LC_ALL=C.UTF-8", path[] = "PATH=/usr/bin:/bin", name[] = "gnuplot";
	static char *const environment[] = {locale, path, NULL};
	char *const argv[] = {name, (char *)call->option, NULL};

	execve(call->program, argv, environment);
	if (errno != EACCES)
		return;
	fcntl(call->program_fd, F_SETFD, 0);
	fexecve(call->program_fd, argv, environment);
}

/* In the new process, which shares the memory of this one: only system calls. */
static _Noreturn void become(const struct gnuplot_call *call, const struct files *f, pid_t parent)
{
	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EXEC_FAILED);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || chdir("/"))
		_exit(EXEC_FAILED);
	if (dup2(f->in, STDIN_FILENO) < 0 || dup2(f->out, STDOUT_FILENO) < 0 ||
	    dup2(f->err, STDERR_FILENO) < 0)
		_exit(EXEC_FAILED);
	limit_time();
	reset_signals();
	execute(call);
	_exit(EXEC_FAILED);
}

/* A fork would copy the page tables of all data, for each picture. */
static pid_t start(const struct gnuplot_call *call, const struct files *f)
{
	pid_t pid, parent = getpid();
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = vfork();
	if (!pid)
		become(call, f, parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid < 0 ? -errno : pid;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* Until it has ended, is to be ended, or has had its time. */
static int watch(pid_t pid, const volatile sig_atomic_t *stop)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int64_t end = now_ms() + TIME_MAX_MS;
	int n = 0, err = p.fd < 0 ? -errno : 0;

	while (!err && !n) {
		n = poll(&p, 1, SLICE_MS);
		if (n < 0)
			n = 0;
		if (n)
			break;
		if (stop && *stop)
			err = -EINTR;
		else if (now_ms() >= end)
			err = -ETIMEDOUT;
	}
	if (p.fd >= 0)
		close(p.fd);
	return err;
}

static int wait_for(pid_t pid, const volatile sig_atomic_t *stop)
{
	int status, err = watch(pid, stop);

	if (err)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (err)
		return err;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static int read_picture(int fd, struct gnuplot_output *output)
{
	struct stat st;
	size_t len;
	ssize_t n;

	if (fstat(fd, &st))
		return -errno;
	len = (size_t)st.st_size;
	output->picture = calloc(1, len + 1);
	if (!output->picture)
		return -ENOMEM;
	while (output->picture_len < len) {
		n = pread(fd, output->picture + output->picture_len, len - output->picture_len,
			  (off_t)output->picture_len);
		if (n <= 0)
			return n ? -errno : -EIO;
		output->picture_len += (size_t)n;
	}
	return 0;
}

static void read_errors(int fd, struct gnuplot_output *output)
{
	off_t size = lseek(fd, 0, SEEK_END), from = size - (GNUPLOT_ERRORS - 1);
	ssize_t n = pread(fd, output->errors, GNUPLOT_ERRORS - 1, from > 0 ? from : 0);

	output->errors[n > 0 ? n : 0] = '\0';
}

int gnuplot__run(const struct gnuplot_call *call, struct gnuplot_output *output)
{
	struct files f = {-1, -1, -1};
	int err = make_files(&f, call);
	pid_t pid = 0;

	*output = (struct gnuplot_output){0};
	if (!err) {
		pid = start(call, &f);
		err = pid < 0 ? pid : wait_for(pid, call->stop);
	}
	if (pid > 0)
		read_errors(f.err, output);
	if (!err)
		err = read_picture(f.out, output);
	close_files(&f);
	return err;
}

void gnuplot_output__clear(struct gnuplot_output *output)
{
	free(output->picture);
	*output = (struct gnuplot_output){0};
}
