/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs gnuplot, with a script made of a template, the templates it loads, the settings, and the
 * data as a block of lines; see plotter.h.
 */
#include "plotter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/launch.h"
#include "base/path_walk.h"
#include "common/xalloc.h"

/* ---- gnuplot as a process: its standard descriptors are files in memory ---- */

#define TIME_MAX_MS 120000
#define CPU_MAX_S   60
#define SLICE_MS    1000
#define EXEC_FAILED 127

static void limit_time(void)
{
	const struct rlimit cpu = {CPU_MAX_S, CPU_MAX_S}, core = {0, 0};

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
}

/* By path, or by descriptor if the user may not enter the directory (a script needs it open). */
static void execute(const struct plotter *p, const char *option)
{
	static char locale[] = "LC_ALL=C.UTF-8", path[] = "PATH=/usr/bin:/bin", name[] = "gnuplot";
	static char *const environment[] = {locale, path, NULL};
	char *const argv[] = {name, (char *)option, NULL};

	execve(p->program, argv, environment);
	if (errno != EACCES)
		return;
	fcntl(p->program_fd, F_SETFD, 0);
	fexecve(p->program_fd, argv, environment);
}

/* In the new process, which shares our memory: system calls only. */
static _Noreturn void become(const struct plotter *p, const char *option, const int files[3],
			     pid_t parent)
{
	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EXEC_FAILED);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || chdir("/"))
		_exit(EXEC_FAILED);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(files[fd], fd) < 0)
			_exit(EXEC_FAILED);
	limit_time();
	/* gnuplot must die when it cannot write. */
	launch__reset_signals();
	execute(p, option);
	_exit(EXEC_FAILED);
}

/* vfork: a fork would copy the page tables of all data for each picture. */
static pid_t start(const struct plotter *p, const char *option, const int files[3])
{
	pid_t pid, parent = getpid();
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = vfork();
	if (!pid)
		become(p, option, files, parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid < 0 ? -errno : pid;
}

/* Waits for the end of the process; ends it at a stop and at the time limit. */
static int wait_for(pid_t pid, const volatile sig_atomic_t *stop)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int status, err = p.fd < 0 ? -errno : 0;

	for (int ms = 0; !err && poll(&p, 1, SLICE_MS) <= 0; ms += SLICE_MS)
		err = *stop ? -EINTR : ms >= TIME_MAX_MS ? -ETIMEDOUT : 0;
	if (p.fd >= 0)
		close(p.fd);
	if (err)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (err)
		return err;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

/* The whole file and an additional NUL; NULL: it cannot be read. */
static char *read_file(int fd, size_t *len)
{
	struct stat st;
	char *text;

	if (fstat(fd, &st))
		return NULL;
	text = xcalloc(1, (size_t)st.st_size + 1);
	*len = (size_t)st.st_size;
	if (pread(fd, text, *len, 0) == st.st_size)
		return text;
	free(text);
	return NULL;
}

/*
 * Gives its output and its errors; the caller frees both. 0 or -errno: -EIO: it failed; -ETIMEDOUT;
 * -EINTR: stopped.
 */
static int run_gnuplot(const struct plotter *p, const char *option, const char *script,
		       char **output, size_t *len, char **errors)
{
	int files[3], err = 0;
	size_t errors_len;
	pid_t pid;

	*output = *errors = NULL;
	for (int i = 0; i < 3; i++) {
		files[i] = memfd_create("netiotrace-gnuplot", MFD_CLOEXEC);
		err = files[i] < 0 ? -EMFILE : err;
	}
	/* A file in memory takes all at once. */
	if (!err && (write(files[0], script, strlen(script)) != (ssize_t)strlen(script) ||
		     lseek(files[0], 0, SEEK_SET) < 0))
		err = -EIO;
	pid = err ? err : start(p, option, files);
	err = pid < 0 ? pid : wait_for(pid, p->stop);
	*output = err ? NULL : read_file(files[1], len);
	*errors = pid < 0 ? NULL : read_file(files[2], &errors_len);
	for (int i = 0; i < 3; i++)
		if (files[i] >= 0)
			close(files[i]);
	return err || *output ? err : -EIO;
}

/* ---- templates and scripts ---- */

#define DATA_END "END_OF_DATA_OF_NETIOTRACE"

EMBED(template_common, "scripts/gnuplot/common.gp");
EMBED(template_panels, "scripts/gnuplot/panels.gp");
EMBED(template_lines, "scripts/gnuplot/lines.gp");
EMBED(template_stacks, "scripts/gnuplot/stacks.gp");
EMBED(template_histograms, "scripts/gnuplot/histograms.gp");

static const struct {
	const char *name, *text;
} templates[] = {
	{"common", template_common}, {"panels", template_panels},         {"lines", template_lines},
	{"stacks", template_stacks}, {"histograms", template_histograms},
};

/* Opens an executable file, not a directory such as the one of the templates. As root, only one
 * that no other user could have replaced. */
static bool open_program(struct plotter *p)
{
	struct path_walk w;
	struct stat st;

	if (!geteuid()) {
		if (path_walk__find_input(&w, p->program))
			return false;
		if (!path_walk__is_trusted(&w)) {
			path_walk__close(&w);
			return false;
		}
		path_walk__close(&w);
	}
	if (access(p->program, X_OK))
		return false;
	p->program_fd = open(p->program, O_RDONLY | O_CLOEXEC);
	if (p->program_fd < 0)
		return false;
	if (!fstat(p->program_fd, &st) && S_ISREG(st.st_mode))
		return true;
	close(p->program_fd);
	p->program_fd = -1;
	return false;
}

/* The first in PATH. A relative entry would be searched in the working directory: skipped. */
static bool find_program(struct plotter *p)
{
	const char *path = getenv("PATH");
	size_t len;

	for (path = path ? path : "/usr/bin:/bin"; *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		if (*path != '/' || snprintf(p->program, sizeof(p->program), "%.*s/gnuplot",
					     (int)len, path) >= (int)sizeof(p->program))
			continue;
		if (open_program(p))
			return true;
	}
	return false;
}

void plotter__find(struct plotter *p, const volatile sig_atomic_t *stop)
{
	*p = (struct plotter)PLOTTER_INIT;
	p->stop = stop;
	if (!find_program(p))
		p->err = -ENOENT;
}

int plotter__open(struct plotter *p, char *message, size_t len)
{
	char *output = NULL, *errors = NULL;
	size_t output_len;
	int err = p->err;

	if (!err)
		err = run_gnuplot(p, "--version", "", &output, &output_len, &errors);
	free(output);
	free(errors);
	if (err)
		snprintf(message, len, "%s",
			 err == -ENOENT ? "gnuplot is not installed, which draws the pictures: "
					  "install the package gnuplot (or gnuplot-nox)."
					: "gnuplot does not run: is it installed properly?");
	return err;
}

static const char *find_template(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++)
		if (strlen(templates[i].name) == len && !strncmp(templates[i].name, name, len))
			return templates[i].text;
	return NULL;
}

/* Writes a template; lines `load ...` become the settings or another template. */
static void put_template(FILE *f, const char *text, const char *gnuplot_settings)
{
	static const char of_settings[] = "load ARG1\n", of_template[] = "load \"";
	const char *line, *next, *name, *loaded;

	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		name = line + strlen(of_template);
		loaded = strncmp(line, of_template, strlen(of_template))
				 ? NULL
				 : find_template(name, strcspn(name, "."));
		if (!strncmp(line, of_settings, strlen(of_settings)))
			fputs(gnuplot_settings, f);
		else if (loaded)
			put_template(f, loaded, gnuplot_settings);
		else
			fwrite(line, 1, (size_t)(next - line), f);
	}
}

char *plotter__script(const struct figure *figure)
{
	char *script;
	size_t len;
	FILE *f = xopen_memstream(&script, &len);

	fprintf(f,
		"# Draws %s again: `gnuplot %s.plot` writes %s.svg into the working directory,\n"
		"# `gnuplot -e \"term='pdf'\" %s.plot` a PDF; png is the third form.\n",
		figure->name, figure->name, figure->name, figure->name);
	fprintf(f,
		"if (!exists(\"term\")) { term = \"svg\" }\n"
		"if (!exists(\"out\")) { out = \"%s.\".term }\n",
		figure->name);
	fprintf(f, "$data << " DATA_END "\n%s\n" DATA_END "\n", figure->data);
	fputs("ARG2 = \"$data\"; ARG3 = out; ARG4 = term\n", f);
	put_template(f, find_template(figure->template, strlen(figure->template)),
		     figure->gnuplot_settings);
	xclose_memstream(f);
	return script;
}

/* The last line that is not empty: gnuplot's error, after the offending line and a marker. */
static const char *last_line(char *text)
{
	size_t len = strlen(text);
	char *p;

	while (len && strchr("\n\r ", text[len - 1]))
		text[--len] = '\0';
	p = strrchr(text, '\n');
	return p ? p + 1 : text;
}

/* Equal data gives equal files: cairo writes the time of drawing. The file's offsets stay. */
static void remove_date(char *pdf, size_t len)
{
	static const char key[] = "/CreationDate (";
	char *date = memmem(pdf, len, key, strlen(key));
	char *end = date ? memchr(date, ')', (size_t)(pdf + len - date)) : NULL;

	if (end)
		memset(date, ' ', (size_t)(end + 1 - date));
}

char *plotter__draw(const struct plotter *p, const struct figure *figure, const char *term,
		    size_t *size, char *message, size_t len)
{
	char *by_itself = plotter__script(figure), *picture, *errors;
	/* To standard output. */
	char *script = xasprintf("term = \"%s\"; out = \"\"\n%s", term, by_itself);
	int err = run_gnuplot(p, "-d", script, &picture, size, &errors);

	free(by_itself);

	if (err)
		snprintf(message, len, "gnuplot failed on %s.gp: %.300s", figure->template,
			 errors && *errors ? last_line(errors) : strerror(-err));
	else if (!*size)
		snprintf(message, len, "gnuplot drew nothing with %s.gp.", figure->template);
	if (picture && !*size) {
		free(picture);
		picture = NULL;
	}
	free(script);
	free(errors);
	if (picture && !strcmp(term, "pdf"))
		remove_date(picture, *size);
	return picture;
}

void plotter__close(struct plotter *p)
{
	if (p->program_fd >= 0)
		close(p->program_fd);
	*p = (struct plotter)PLOTTER_INIT;
}
