/* SPDX-License-Identifier: GPL-2.0-only */
/* analysis/ as a process; see analysis.h. */
#include "analysis.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/exit_code.h"
#include "base/filter.h"
#include "base/held_files.h"
#include "base/log.h"
#include "base/path_walk.h"
#include "base/read_file.h"
#include "common/embed.h"
#include "common/xalloc.h"

EMBED(analysis_zip, ANALYSIS_ZIP);

#define SILENCE_MS 60000 /* without output, python3 is ended */

void words__add(struct words *w, char *word)
{
	w->list = xreallocarray(w->list, w->nr + 2, sizeof(*w->list));
	w->list[w->nr++] = word;
	w->list[w->nr] = NULL;
}

void words__clear(struct words *w)
{
	for (size_t i = 0; i < w->nr; i++)
		free(w->list[i]);
	free(w->list);
	*w = (struct words){0};
}

void words__add_options(struct words *w, const struct option_row *rows, size_t nr,
			const void *options)
{
	char buf[OPTION_TEXT_MAX];

	for (size_t i = 0; i < nr; i++) {
		const char *text =
			rows[i].kind == OPTION_OTHER ? NULL : option__text(&rows[i], options, buf);

		if (text)
			words__add(w, xasprintf("--%s%s%s", rows[i].name, rows[i].arg ? "=" : "",
						text));
	}
}

/* A file in memory that the next program inherits. -1 with errno. */
static int file_of(const char *name, const char *data, size_t len)
{
	int fd = memfd_create(name, 0), err = 0;

	if (fd >= 0)
		err = atomic_file__write_all(fd, data, len);
	if (!err && fd >= 0 && lseek(fd, 0, SEEK_SET) < 0)
		err = -errno;
	if (err) {
		close(fd);
		errno = -err;
		return -1;
	}
	return fd;
}

/* "FD NUL" of the publisher (-1: none), then the held files. */
static int inherited(int publisher)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);
	int fd;

	fprintf(f, "%d%c", publisher, 0);
	if (publisher >= 0)
		fcntl(publisher, F_SETFD, 0);
	held_files__pass_on(f);
	xclose_memstream(f);
	fd = file_of("netiotrace-inherited", text, len);
	free(text);
	return fd;
}

/* Is it /dev/fd/N of a word, or of a list in it? Then the caller passes it on. */
static bool is_named(int fd, const struct words *w)
{
	char names[2][32];

	snprintf(names[0], sizeof(names[0]), "/dev/fd/%d", fd);
	snprintf(names[1], sizeof(names[1]), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < w->nr; i++)
		for (const char *part = w->list[i]; *part; part += strcspn(part, ",")) {
			part += *part == ',';
			for (int n = 0; n < 2; n++)
				if (strcspn(part, ",") == strlen(names[n]) &&
				    !strncmp(part, names[n], strlen(names[n])))
					return true;
		}
	return false;
}

/* python3 gets no descriptor that this program has from its caller. (CLOSE_RANGE_CLOEXEC: 5.11.) */
static void keep_descriptors(const struct words *w)
{
	DIR *list = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && !is_named(fd, w))
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (list)
		closedir(list);
}

/* Python's own handler would end its start with a traceback: analysis/__main__.py unblocks them. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Python finds its library by argv[0]: by a name without a slash it would search PATH. */
static int execute_program(char *program, char **argv)
{
	argv[0] = program;
	execv(program, argv);
	return -errno;
}

static bool is_trusted(const char *program)
{
	struct path_walk w;
	bool trusted;

	if (path_walk__find_input(&w, program))
		return false;
	trusted = path_walk__is_trusted(&w);
	path_walk__close(&w);
	return trusted;
}

static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENOTDIR;
}

/*
 * Executes /usr/bin/python3, which has the distribution's packages, or else the first python3 of
 * PATH; a relative entry would be searched in the working directory and is passed over, and so is,
 * for_root (root called this program), what another user could replace. argv[0] becomes its path.
 * Call without root. Returns only a failure, -errno; -ENOENT: there is none.
 */
static int execute_python(char **argv, bool for_root)
{
	char usual[] = "/usr/bin/python3", *word = argv[0];
	const char *path = getenv("PATH");
	int err = execute_program(usual, argv);
	size_t len;

	for (path = path ? path : "/usr/bin:/bin"; is_absent(err) && *path;
	     path += len + (path[len] == ':')) {
		char *program;

		len = strcspn(path, ":");
		if (*path != '/')
			continue;
		program = xasprintf("%.*s/python3", (int)len, path);
		if (!for_root || is_trusted(program))
			err = execute_program(program, argv);
		free(program);
	}
	argv[0] = word;
	return is_absent(err) ? -ENOENT : err;
}

/*
 * Becomes python3. for_root: root called this program. Returns only a failure, -errno; -ENOENT: it
 * is not installed.
 */
static int execute(const char *command, const struct words *w, int publisher, bool for_root)
{
	struct words all = {0};
	/* cppcheck-suppress comparePointers ; labels of one section */
	size_t len = (size_t)(analysis_zip_end - analysis_zip);
	int zip, fd, err;

	keep_descriptors(w);
	zip = file_of("netiotrace-analysis", analysis_zip, len);
	fd = inherited(publisher);
	if (zip < 0 || fd < 0)
		return -errno;
	words__add(&all, xstrdup("python3"));
	words__add(&all, xstrdup("-I"));
	words__add(&all, xasprintf("/proc/self/fd/%d", zip));
	words__add(&all, xasprintf("--inherited=%d", fd));
	words__add(&all, xstrdup(command));
	for (size_t i = 0; i < w->nr; i++)
		words__add(&all, xstrdup(w->list[i]));
	block_signals();
	err = execute_python(all.list, for_root);
	words__clear(&all);
	return err;
}

static int report_failure(const char *command, int err)
{
	if (err == -ENOENT)
		log_error("%s needs python3, which is not installed: install the package%s.",
			  command,
			  strcmp(command, "report") ? " python3" : "s python3 and python3-jinja2");
	else
		log_error("%s: cannot run python3: %s.", command, strerror(-err));
	return EXIT_RUN_FAILED;
}

int analysis__run(const char *command, const struct words *w, publisher_serve serve, void *ctx)
{
	bool for_root = !geteuid();
	struct publisher p;
	int code;

	if (!publisher__fork(&p, serve, ctx, &code))
		return code;
	return report_failure(command, execute(command, w, p.fd, for_root));
}

struct text_command {
	const char *command;
	const struct words *words;
	bool for_root;
};

static int execute_filter(const void *arg)
{
	const struct text_command *c = arg;

	return execute(c->command, c->words, -1, c->for_root);
}

char *analysis__text(const char *command, const char *option, const struct words *w)
{
	const struct text_command c = {command, w, !geteuid()};
	const struct filter filter = {.execute = execute_filter, .arg = &c, .limit_ms = SILENCE_MS};
	struct filter_output out = {0};
	int status;

	held_files__hold_as_root(w->list[w->nr - 1]);
	status = filter__run(&filter, &out);
	held_files__release();
	if (!status && out.text) {
		free(out.errors);
		return out.text;
	}
	if (status > 0 && out.errors && *out.errors)
		log_error("%s: %s", option, text__last_line(out.errors));
	else if (status != -EINTR) /* a signal that ends this program needs no message */
		report_failure(option, status < 0 ? status : -EIO);
	free(out.text);
	free(out.errors);
	return NULL;
}
