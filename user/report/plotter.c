/* SPDX-License-Identifier: GPL-2.0-only */
/* gnuplot as a process; see plotter.h. Knows nothing of what is drawn. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plotter.h"

#define PROBE_TEMPLATE "common.gp"
#define OUTPUT_MAX     4096

/* Where they may be, as seen from the directory of the program: in a build, installed, in the tree.
 */
static const char *const places[] = {"gnuplot", "../share/netiotrace/gnuplot", "../scripts/gnuplot",
				     "scripts/gnuplot"};

static int try_directory(struct plotter *p, const char *base, const char *place)
{
	char probe[PATH_MAX];

	if (snprintf(p->directory, sizeof(p->directory), "%s/%s", base, place) >=
		    (int)sizeof(p->directory) ||
	    snprintf(probe, sizeof(probe), "%s/%s", p->directory, PROBE_TEMPLATE) >=
		    (int)sizeof(probe))
		return -ENAMETOOLONG;
	return access(probe, R_OK) ? -errno : 0;
}

static int find_templates(struct plotter *p)
{
	char base[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", base, sizeof(base) - 1);
	size_t i;
	int err = -ENOENT;

	if (len < 0)
		return -errno;
	base[len] = '\0';
	*strrchr(base, '/') = '\0';
	for (i = 0; i < sizeof(places) / sizeof(places[0]) && err; i++)
		err = try_directory(p, base, places[i]);
	return err;
}

struct output {
	char text[OUTPUT_MAX];
	size_t len;
};

/* All of it is read, so that the process can end; the first part is kept. */
static void read_output(int fd, struct output *out)
{
	char rest[OUTPUT_MAX];
	ssize_t n;

	for (;;) {
		n = out->len < sizeof(out->text) - 1
			    ? read(fd, out->text + out->len, sizeof(out->text) - 1 - out->len)
			    : read(fd, rest, sizeof(rest));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (out->len < sizeof(out->text) - 1)
			out->len += (size_t)n;
	}
	out->text[out->len] = '\0';
}

/*
 * Numbers are written and read with a point, and templates are found by "load". HOME is taken away,
 * besides -d, so that no ~/.gnuplot or ~/.config of whoever calls changes a picture.
 */
static char **make_environment(const struct plotter *p, char *library, size_t len)
{
	static char locale[] = "LC_ALL=C.UTF-8";
	size_t i, n = 0, kept = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 3, sizeof(*env));
	if (!env)
		return NULL;
	for (i = 0; i < n; i++)
		if (strncmp(environ[i], "GNUPLOT", 7) && strncmp(environ[i], "LC_ALL=", 7) &&
		    strncmp(environ[i], "HOME=", 5) && strncmp(environ[i], "XDG_CONFIG_HOME=", 16))
			env[kept++] = environ[i];
	snprintf(library, len, "GNUPLOT_LIB=%s", p->directory);
	env[kept++] = library;
	env[kept] = locale;
	return env;
}

/* What main() ignores it may not: gnuplot does not look whether what it writes gets there. */
static int set_signals(posix_spawnattr_t *attr)
{
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	err = posix_spawnattr_setsigdefault(attr, &set);
	return err ? err : posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF);
}

static int spawn(pid_t *pid, char *const argv[], char *const env[], int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int err = posix_spawnattr_init(&attr);

	if (err)
		return -err;
	err = posix_spawn_file_actions_init(&actions);
	if (err) {
		posix_spawnattr_destroy(&attr);
		return -err;
	}
	err = set_signals(&attr);
	err = err ? err
		  : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
						     0);
	err = err ? err : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	err = err ? err : posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
	err = err ? err : posix_spawnp(pid, argv[0], &actions, &attr, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return -err;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static int run(const struct plotter *p, char *const argv[], struct output *out)
{
	char library[PATH_MAX + 16], **env = make_environment(p, library, sizeof(library));
	int fds[2], err;
	pid_t pid;

	out->len = 0;
	out->text[0] = '\0';
	if (!env)
		return -ENOMEM;
	if (pipe2(fds, O_CLOEXEC)) {
		free(env);
		return -errno;
	}
	err = spawn(&pid, argv, env, fds[1]);
	close(fds[1]);
	if (!err) {
		read_output(fds[0], out);
		err = wait_for(pid);
	}
	close(fds[0]);
	free(env);
	return err;
}

int plotter__open(struct plotter *p, char *message, size_t len)
{
	static char name[] = "gnuplot", flag[] = "--version";
	char *argv[] = {name, flag, NULL};
	struct output out;
	int err = find_templates(p);

	if (err) {
		snprintf(message, len,
			 "the gnuplot templates are not beside netiotrace: run it from its build, "
			 "or install it with `make install`.");
		return err;
	}
	err = run(p, argv, &out);
	if (err)
		snprintf(message, len,
			 err == -ENOENT ? "gnuplot is not installed, which draws the pictures: "
					  "install the package gnuplot (or gnuplot-nox)."
					: "gnuplot does not run: is it installed properly?");
	return err;
}

/* The last line that says something: gnuplot's error, after the line it is in and a marker. */
static const char *last_line(struct output *out)
{
	char *p;

	while (out->len && strchr("\n\r ", out->text[out->len - 1]))
		out->text[--out->len] = '\0';
	p = strrchr(out->text, '\n');
	return p ? p + 1 : out->text;
}

int plotter__draw(const struct plotter *p, const char *template, const char *settings,
		  const char *data, const char *out, const char *term, char *message, size_t len)
{
	char script[PATH_MAX];
	const char *argv[] = {"gnuplot", "-d", "-c", script, settings, data, out, term, NULL};
	struct output output;
	int err;

	if (snprintf(script, sizeof(script), "%s/%s.gp", p->directory, template) >=
	    (int)sizeof(script))
		return -ENAMETOOLONG;
	err = run(p, (char *const *)argv, &output);
	if (err)
		snprintf(message, len, "gnuplot failed on %s.gp: %.300s", template,
			 output.len ? last_line(&output) : strerror(-err));
	return err;
}
