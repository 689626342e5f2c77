/* SPDX-License-Identifier: GPL-2.0-only */
/* A watcher of somebody else's; see command.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static _Noreturn void be(const char *text, int out)
{
	setpgid(0, 0);
	dup2(out, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	_exit(127);
}

static int await_attached(struct command *c)
{
	char line[512];

	while (fgets(line, sizeof(line), c->out))
		if (strstr(line, "attached"))
			return 0;
	return -ENODATA;
}

int command__begin(struct command *c, const char *text)
{
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	c->pid = fork();
	if (!c->pid)
		be(text, ends[1]);
	err = c->pid < 0 ? -errno : 0;
	close(ends[1]);
	c->out = err ? NULL : fdopen(ends[0], "r");
	if (!c->out) {
		close(ends[0]);
		c->pid = 0;
		return err ? err : -ENOMEM;
	}
	/* Here as well: it may not have come to it. */
	setpgid(c->pid, c->pid);
	err = await_attached(c);
	if (err)
		command__end(c);
	return err;
}

void command__end(struct command *c)
{
	char rest[512];

	if (!c->pid)
		return;
	kill(-c->pid, SIGINT);
	/* Its last output needs a reader, or it would block or get SIGPIPE. */
	while (fgets(rest, sizeof(rest), c->out))
		;
	waitpid(c->pid, NULL, 0);
	fclose(c->out);
	*c = (struct command){0};
}
