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
#include <stdint.h>
#include <stdio.h>
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

#include "base/path_walk.h"
#include "common/xalloc.h"

#define GNUPLOT_ERRORS 4096

struct gnuplot_output {
	char *picture; /* and a NUL; NULL if it failed */
	size_t picture_len;
	char errors[GNUPLOT_ERRORS]; /* the end of its stderr */
};

/* ---- gnuplot as a process: script in, picture out, both as files in memory ---- */

#define TIME_MAX_MS 120000
#define CPU_MAX_S   60
#define SLICE_MS    1000
#define FD_FIRST    3
#define EXEC_FAILED 127

/* Its standard descriptors, as files in memory. */
struct files {
	int in, out, err;
};

/* A memory file with a descriptor above 2. */
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

/* A file in memory takes all at once. */
static int fill(int fd, const char *text, size_t len)
{
	if (write(fd, text, len) != (ssize_t)len)
		return -EIO;
	return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int make_files(struct files *f, const char *script, size_t len)
{
	f->in = make_file("netiotrace-script");
	f->out = make_file("netiotrace-picture");
	f->err = make_file("netiotrace-errors");
	if (f->in < 0 || f->out < 0 || f->err < 0)
		return -EMFILE;
	return fill(f->in, script, len);
}

static void limit_time(void)
{
	const struct rlimit cpu = {CPU_MAX_S, CPU_MAX_S}, core = {0, 0};

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
}

/* No handler, ignored signal or mask of ours: gnuplot must die when it cannot write. */
static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
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
static _Noreturn void become(const struct plotter *p, const char *option, const struct files *f,
			     pid_t parent)
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
	execute(p, option);
	_exit(EXEC_FAILED);
}

/* vfork: a fork would copy the page tables of all data for each picture. */
static pid_t start(const struct plotter *p, const char *option, const struct files *f)
{
	pid_t pid, parent = getpid();
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = vfork();
	if (!pid)
		become(p, option, f, parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid < 0 ? -errno : pid;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* Waits for the end of the process, a stop or the time limit. */
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

	if (fstat(fd, &st))
		return -errno;
	output->picture_len = (size_t)st.st_size;
	output->picture = xcalloc(1, output->picture_len + 1);
	return pread(fd, output->picture, output->picture_len, 0) == st.st_size ? 0 : -EIO;
}

static void read_errors(int fd, struct gnuplot_output *output)
{
	off_t size = lseek(fd, 0, SEEK_END), from = size - (GNUPLOT_ERRORS - 1);
	ssize_t n = pread(fd, output->errors, GNUPLOT_ERRORS - 1, from > 0 ? from : 0);

	output->errors[n > 0 ? n : 0] = '\0';
}

/* 0 or -errno: -EIO: it failed; -ETIMEDOUT; -EINTR: stopped. Clear output in any case. */
static int run_gnuplot(const struct plotter *p, const char *option, const char *script, size_t len,
		       struct gnuplot_output *output)
{
	struct files f = {-1, -1, -1};
	int err = make_files(&f, script, len);
	pid_t pid = 0;

	*output = (struct gnuplot_output){0};
	if (!err) {
		pid = start(p, option, &f);
		err = pid < 0 ? pid : wait_for(pid, p->stop);
	}
	if (pid > 0)
		read_errors(f.err, output);
	if (!err)
		err = read_picture(f.out, output);
	close_files(&f);
	return err;
}

static void gnuplot_output__clear(struct gnuplot_output *output)
{
	free(output->picture);
	*output = (struct gnuplot_output){0};
}

/* ---- templates and scripts ---- */

#define TEMPLATE_MAX (1 << 20)
#define DATA_END     "END_OF_DATA_OF_NETIOTRACE"

static const char *const names[PLOTTER_TEMPLATES] = {"common", "panels",     "lines",
						     "stacks", "histograms", "nodata"};

/* Where they may be, from the directory of the program: in a build, installed, in the tree. */
static const char *const places[] = {"gnuplot", "../share/netiotrace/gnuplot", "../scripts/gnuplot",
				     "scripts/gnuplot"};

static char *read_template(const char *directory, const char *name)
{
	char path[PATH_MAX], *text = NULL;
	struct stat st;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s.gp", directory, name) >= (int)sizeof(path))
		return NULL;
	f = fopen(path, "re");
	if (!f)
		return NULL;
	if (!fstat(fileno(f), &st) && S_ISREG(st.st_mode) && st.st_size < TEMPLATE_MAX)
		text = xcalloc(1, (size_t)st.st_size + 1);
	if (text && fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

static void forget_templates(struct plotter *p)
{
	for (int i = 0; i < PLOTTER_TEMPLATES; i++) {
		free(p->templates[i]);
		p->templates[i] = NULL;
	}
}

static bool read_templates(struct plotter *p, const char *directory)
{
	for (int i = 0; i < PLOTTER_TEMPLATES; i++) {
		p->templates[i] = read_template(directory, names[i]);
		if (!p->templates[i]) {
			forget_templates(p);
			return false;
		}
	}
	return true;
}

static bool find_templates(struct plotter *p)
{
	char base[PATH_MAX], directory[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", base, sizeof(base) - 1);

	if (len < 0)
		return false;
	base[len] = '\0';
	*strrchr(base, '/') = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (snprintf(directory, sizeof(directory), "%s/%s", base, places[i]) <
			    (int)sizeof(directory) &&
		    read_templates(p, directory))
			return true;
	return false;
}

/* Opens an executable file. As root, only one that no other user could have replaced. */
static bool open_program(struct plotter *p)
{
	struct path_walk w;

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
	return p->program_fd >= 0;
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
	if (!find_templates(p))
		p->err = -ENODATA;
	else if (!find_program(p))
		p->err = -ENOENT;
}

int plotter__open(struct plotter *p, char *message, size_t len)
{
	struct gnuplot_output output;
	int err = p->err;

	if (err == -ENODATA) {
		snprintf(message, len,
			 "the gnuplot templates are not beside netiotrace: run it from its build, "
			 "or install it with `make install`.");
		return err;
	}
	if (!err) {
		err = run_gnuplot(p, "--version", "", 0, &output);
		gnuplot_output__clear(&output);
	}
	if (err)
		snprintf(message, len,
			 err == -ENOENT ? "gnuplot is not installed, which draws the pictures: "
					  "install the package gnuplot (or gnuplot-nox)."
					: "gnuplot does not run: is it installed properly?");
	return err;
}

static const char *find_template(const struct plotter *p, const char *name, size_t len)
{
	for (int i = 0; i < PLOTTER_TEMPLATES; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return p->templates[i];
	return NULL;
}

/* The text that replaces a line `load ...`; NULL: another line, or an unknown file. */
static const char *loaded_by(const struct plotter *p, const char *line, const char *settings)
{
	static const char of_settings[] = "load ARG1\n", of_template[] = "load \"";
	const char *name = line + strlen(of_template);

	if (!strncmp(line, of_settings, strlen(of_settings)))
		return settings;
	if (strncmp(line, of_template, strlen(of_template)) != 0)
		return NULL;
	return find_template(p, name, strcspn(name, "."));
}

static void put_template(const struct plotter *p, FILE *f, const char *text, const char *settings)
{
	const char *line, *next, *loaded;

	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		loaded = loaded_by(p, line, settings);
		if (!loaded)
			fwrite(line, 1, (size_t)(next - line), f);
		else if (loaded == settings)
			fputs(settings, f);
		else
			put_template(p, f, loaded, settings);
	}
}

static char *make_script(const struct plotter *p, const char *template, const char *settings,
			 const char *data, const char *term, size_t *len)
{
	char *script;
	FILE *f = xopen_memstream(&script, len);

	fprintf(f, "$data << " DATA_END "\n%s\n" DATA_END "\n", data);
	fprintf(f, "ARG2 = \"$data\"; ARG3 = \"\"; ARG4 = \"%s\"\n", term);
	put_template(p, f, find_template(p, template, strlen(template)), settings);
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

int plotter__draw(const struct plotter *p, const char *template, const char *settings,
		  const char *data, const char *term, char **picture, size_t *size, char *message,
		  size_t len)
{
	struct gnuplot_output output;
	size_t script_len;
	char *script = make_script(p, template, settings, data, term, &script_len);
	int err;

	*picture = NULL;
	err = run_gnuplot(p, "-d", script, script_len, &output);
	free(script);
	if (err) {
		snprintf(message, len, "gnuplot failed on %s.gp: %.300s", template,
			 *output.errors ? last_line(output.errors) : strerror(-err));
	} else if (!output.picture_len) {
		snprintf(message, len, "gnuplot drew nothing with %s.gp.", template);
		err = -EIO;
	} else {
		*picture = output.picture;
		*size = output.picture_len;
		output.picture = NULL;
	}
	gnuplot_output__clear(&output);
	return err;
}

void plotter__close(struct plotter *p)
{
	forget_templates(p);
	if (p->program_fd >= 0)
		close(p->program_fd);
	*p = (struct plotter)PLOTTER_INIT;
}
