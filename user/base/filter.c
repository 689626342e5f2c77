/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns a program that makes a text; see filter.h. */
#include "filter.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "launch.h"
#include "loop.h"
#include "privileges.h"

#define SLICE_MS 200
#define END_MS   10000

struct running {
	const struct filter *filter;
	struct launch launch;
	int fd[3]; /* its standard descriptors; -1: none */
};

static int become(struct launch_child *c)
{
	const struct running *r = c->arg;
	int err = step_down();

	if (!err)
		err = launch__tie(c);
	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(r->fd[fd], fd) < 0)
			return -errno;
	launch__reset_signals();
	return r->filter->execute(r->filter->arg);
}

static int start(struct running *r)
{
	int err = 0;

	for (int i = 0; i < 3; i++) {
		r->fd[i] = memfd_create("netiotrace-filter", MFD_CLOEXEC);
		err = r->fd[i] < 0 ? -errno : err;
	}
	if (!err)
		err = launch__hold(&r->launch, become, r);
	return err ? err : launch__go(&r->launch, NULL);
}

static off_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_size;
}

static off_t written_by(const struct running *r)
{
	return size_of(r->fd[STDOUT_FILENO]) + size_of(r->fd[STDERR_FILENO]);
}

static int check(const struct running *r, int status, int ms)
{
	if (size_of(r->fd[STDOUT_FILENO]) > FILTER_OUTPUT_MAX)
		return -EFBIG;
	if (status != -EAGAIN)
		return 0;
	if (loop__is_to_end())
		return -EINTR;
	return ms >= r->filter->limit_ms ? -ETIMEDOUT : 0;
}

static int await_end(struct running *r)
{
	off_t before = 0, now;
	int status, err;

	for (int ms = 0;; ms += SLICE_MS) {
		status = launch__wait(&r->launch, SLICE_MS);
		now = written_by(r);
		if (now != before)
			ms = 0;
		before = now;
		err = check(r, status, ms);
		if (err || status != -EAGAIN)
			return err ? err : status;
	}
}

/* NULL: it cannot be read. */
static char *read_text(int fd)
{
	size_t size = (size_t)size_of(fd);
	char *text;

	if (size > FILTER_OUTPUT_MAX)
		return NULL;
	text = xcalloc(1, size + 1);
	if (pread(fd, text, size, 0) == (ssize_t)size)
		return text;
	free(text);
	return NULL;
}

int filter__run(const struct filter *f, struct filter_output *out)
{
	struct running r = {.filter = f, .launch = LAUNCH_INIT, .fd = {-1, -1, -1}};
	int status = start(&r);

	if (!status)
		status = await_end(&r);
	if (r.launch.pid) {
		kill(r.launch.pid, SIGKILL);
		launch__wait(&r.launch, END_MS);
	}
	out->text = read_text(r.fd[STDOUT_FILENO]);
	out->errors = read_text(r.fd[STDERR_FILENO]);
	launch__close(&r.launch);
	for (int i = 0; i < 3; i++)
		if (r.fd[i] >= 0)
			close(r.fd[i]);
	return status;
}
