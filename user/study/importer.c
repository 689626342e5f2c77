/* SPDX-License-Identifier: GPL-2.0-only */
/* contrib/import-csv as a process; see importer.h. */
#include "importer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/launch.h"
#include "base/printable.h"
#include "base/privileges.h"
#include "common/xalloc.h"

EMBED(import_csv_script, "contrib/import-csv");

/* Bytes of input taken, of documents written, or of the importer's signs of progress extend it. */
#define SILENCE_MS    60000
#define END_MS        10000
#define OUTPUT_MAX    (1U << 30)
#define ERRORS_MAX    (1U << 16)
#define STATUS_OPTION 2 /* its exit status: an option is wrong */
#define ARGS_MAX      16

struct text {
	char *data;
	size_t len, room;
};

struct import {
	const struct import_file *files;
	size_t nr;
	size_t file, sent; /* the file being sent, and bytes of it that are */
	struct launch process;
	char **argv;
	int in, out, err;                   /* our ends; -1: closed */
	int child_in, child_out, child_err; /* the ends of the process */
	struct text output, errors;
};

/* ---- the process, until its exec */

/* Above the standard descriptors first: each of them may have such a number. 0 or -errno. */
static int move_fds(struct import *i, int *report)
{
	int *fds[] = {&i->child_in, &i->child_out, &i->child_err, report};

	for (int n = 0; n < 4; n++) {
		*fds[n] = fcntl(*fds[n], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (*fds[n] < 0)
			return -errno;
	}
	for (int n = 0; n < 3; n++)
		if (dup2(*fds[n], n) < 0)
			return -errno;
	return 0;
}

/* The first python3 of PATH. A relative entry would be searched in the working directory. */
static int execute(char **argv)
{
	const char *path = getenv("PATH");
	size_t len;

	for (path = path ? path : "/usr/bin:/bin"; *path; path += len + (path[len] == ':')) {
		char *program;

		len = strcspn(path, ":");
		if (*path != '/')
			continue;
		program = xasprintf("%.*s/python3", (int)len, path);
		execv(program, argv);
		free(program);
	}
	return -ENOENT;
}

static int become(struct launch_child *c)
{
	struct import *i = c->arg;
	int err = move_fds(i, &c->report);

	if (!err && !geteuid())
		err = step_down();
	if (err)
		return err;
	/* Of its own session: Ctrl-C is for this program. */
	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    chdir("/"))
		return -errno;
	launch__reset_signals();
	return execute(i->argv);
}

/* ---- its command line */

/* "12,345": the lengths of the files on its standard input. Caller frees. */
static char *lengths_option(const struct import *i)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	fputs("--stdin=", f);
	for (size_t n = 0; n < i->nr; n++)
		fprintf(f, "%s%zu", n ? "," : "", i->files[n].len);
	xclose_memstream(f);
	return text;
}

static void make_argv(struct import *i, const struct dataset_names *names, bool explain)
{
	static const char *const first[] = {"python3", "-I", "-S", "-c", import_csv_script};
	size_t nr = 0;

	i->argv = xcalloc(ARGS_MAX + names->column_nr + i->nr, sizeof(*i->argv));
	for (size_t n = 0; n < sizeof(first) / sizeof(first[0]); n++)
		i->argv[nr++] = xstrdup(first[n]);
	if (names->columns)
		i->argv[nr++] = xasprintf("--columns=%s", names->columns);
	if (names->modes)
		i->argv[nr++] = xasprintf("--modes=%s", names->modes);
	for (size_t n = 0; n < names->column_nr; n++)
		i->argv[nr++] = xasprintf("--column=%s", names->column[n]);
	if (names->rounds_from_repeats)
		i->argv[nr++] = xstrdup("--rounds-from-repeats");
	if (explain)
		i->argv[nr++] = xstrdup("--explain");
	i->argv[nr++] = lengths_option(i);
	i->argv[nr++] = xstrdup("--");
	for (size_t n = 0; n < i->nr; n++)
		i->argv[nr++] = xstrdup(i->files[n].name);
}

/* ---- data in, documents out */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Sends what fits. False: nothing was sent. */
static bool send_some(struct import *i)
{
	const struct import_file *f = &i->files[i->file];
	ssize_t n = send(i->in, f->data + i->sent, f->len - i->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	/* A process that refused the data has closed its end. */
	i->sent += n < 0 ? f->len - i->sent : (size_t)n;
	while (i->file < i->nr && i->sent == i->files[i->file].len) {
		i->file++;
		i->sent = 0;
	}
	if (n < 0 || i->file == i->nr)
		close_fd(&i->in);
	return true;
}

/* 0 or -EFBIG. Closes fd at the end. */
static int read_some(int *fd, struct text *t, size_t max)
{
	char buf[1 << 16];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		close_fd(fd);
		return 0;
	}
	if (t->len + (size_t)n > max)
		return -EFBIG;
	if (t->len + (size_t)n >= t->room) {
		t->room = 2 * t->room + sizeof(buf) + 1;
		t->data = xreallocarray(t->data, t->room, 1);
	}
	memcpy(t->data + t->len, buf, (size_t)n);
	t->len += (size_t)n;
	t->data[t->len] = '\0';
	return 0;
}

/* Until the process has closed its outputs: 0, -ETIMEDOUT or -EFBIG. */
static int exchange(struct import *i)
{
	int err = 0;

	while (!err && (i->out >= 0 || i->err >= 0)) {
		struct pollfd p[] = {{i->in, POLLOUT, 0}, {i->out, POLLIN, 0}, {i->err, POLLIN, 0}};
		int n = poll(p, 3, SILENCE_MS);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -ETIMEDOUT;
		if (p[0].revents)
			send_some(i);
		if (p[1].revents)
			err = read_some(&i->out, &i->output, OUTPUT_MAX);
		if (p[2].revents && !err)
			err = read_some(&i->err, &i->errors, ERRORS_MAX);
	}
	return err;
}

/* ---- its end */

/* The last line that it wrote to stderr, which has one sentence; the lines before are progress. */
static const char *sentence(struct text *errors)
{
	char *line;

	while (errors->len && strchr("\n ", errors->data[errors->len - 1]))
		errors->data[--errors->len] = '\0';
	line = errors->len ? strrchr(errors->data, '\n') : NULL;
	return line ? line + 1 : errors->len ? errors->data : "";
}

static int fail(struct import *i, int err, char *message)
{
	const char *name = i->files[0].name;

	if (err == -ENOENT)
		snprintf(message, DATASET_MESSAGE_MAX,
			 "%s: python3 reads CSV files, and is not installed: install the package "
			 "python3.",
			 name);
	else if (err == -ETIMEDOUT)
		snprintf(message, DATASET_MESSAGE_MAX,
			 "%s: its import made no progress for %d s, and was ended.", name,
			 SILENCE_MS / 1000);
	else if (err == -EFBIG)
		snprintf(message, DATASET_MESSAGE_MAX, "%s: its import is larger than %u MiB.",
			 name, OUTPUT_MAX >> 20);
	else
		snprintf(message, DATASET_MESSAGE_MAX, "%s: cannot start python3: %s.", name,
			 strerror(-err));
	return err;
}

static int check_status(struct import *i, int status, char *message)
{
	const char *words = sentence(&i->errors);

	if (!status)
		return 0;
	if (*words && status <= STATUS_OPTION)
		snprintf(message, DATASET_MESSAGE_MAX, "%s", words);
	else
		snprintf(message, DATASET_MESSAGE_MAX, "%s: its import failed with status %d.%s%s",
			 i->files[0].name, status, *words ? " " : "", words);
	return status == STATUS_OPTION ? -EBADR : -EINVAL;
}

static int open_pipes(struct import *i)
{
	int in[2], out[2], err[2];

	/* A socket, since writing to a pipe could raise SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in))
		return -errno;
	i->in = in[0];
	i->child_in = in[1];
	if (pipe2(out, O_CLOEXEC))
		return -errno;
	i->out = out[0];
	i->child_out = out[1];
	if (pipe2(err, O_CLOEXEC))
		return -errno;
	i->err = err[0];
	i->child_err = err[1];
	return 0;
}

static int start(struct import *i)
{
	int err = open_pipes(i);

	if (!err)
		err = launch__hold(&i->process, become, i);
	close_fd(&i->child_in);
	close_fd(&i->child_out);
	close_fd(&i->child_err);
	return err ? err : launch__go(&i->process, NULL);
}

static int finish(struct import *i, int err)
{
	int status;

	if (err)
		kill(i->process.pid, SIGKILL);
	status = launch__wait(&i->process, END_MS);
	if (status == -EAGAIN) {
		kill(i->process.pid, SIGKILL);
		launch__wait(&i->process, END_MS);
		return -ETIMEDOUT;
	}
	return err ? err : status;
}

static void import__clear(struct import *i)
{
	close_fd(&i->in);
	close_fd(&i->out);
	close_fd(&i->err);
	launch__close(&i->process);
	for (char **arg = i->argv; *arg; arg++)
		free(*arg);
	free(i->argv);
	free(i->errors.data);
}

/* Its standard output; caller frees. 0 or -errno with the sentence; the output may be there too. */
static int run(const struct dataset_names *names, const struct import_file *files, size_t nr,
	       bool explain, struct text *output, char *message)
{
	struct import i = {.files = files,
			   .nr = nr,
			   .process = LAUNCH_INIT,
			   .in = -1,
			   .out = -1,
			   .err = -1,
			   .child_in = -1,
			   .child_out = -1,
			   .child_err = -1};
	int err;

	make_argv(&i, names, explain);
	err = start(&i);
	if (!err)
		err = finish(&i, exchange(&i));
	else if (i.process.pid)
		launch__wait(&i.process, END_MS);
	err = err < 0 ? fail(&i, err, message) : check_status(&i, err, message);
	*output = i.output;
	import__clear(&i);
	return err;
}

/* Documents, one after another. */
static int add_documents(struct dataset *d, const char *name, const struct text *output,
			 char *message)
{
	size_t at = 0;
	int err = 0;

	while (!err && at < output->len) {
		json_error_t error;
		json_t *document = json_loadb(output->data + at, output->len - at,
					      JSON_DISABLE_EOF_CHECK, &error);

		if (!document) {
			snprintf(message, DATASET_MESSAGE_MAX, "%s: its import is damaged (%s).",
				 name, error.text);
			return -EINVAL;
		}
		at += (size_t)error.position;
		at += strspn(output->data + at, "\n ");
		err = dataset__add_document(d, name, document, message);
		json_decref(document);
	}
	return err;
}

int importer__add(struct dataset *d, const struct import_file *files, size_t nr,
		  char message[DATASET_MESSAGE_MAX])
{
	struct text output;
	int err = run(&d->names, files, nr, false, &output, message);

	if (!err)
		err = add_documents(d, files[0].name, &output, message);
	free(output.data);
	return err;
}

int importer__explain(const struct dataset_names *names, const struct import_file *files, size_t nr,
		      FILE *f, char message[DATASET_MESSAGE_MAX])
{
	struct text output;
	int err = run(names, files, nr, true, &output, message);

	if (output.len)
		fputs(printable__lines(output.data), f);
	free(output.data);
	return err;
}
