/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs gnuplot, with a script made of a template, the templates it loads, the settings, and the
 * data as a block of lines; see plotter.h.
 */
#include "plotter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/embed.h"
#include "base/filter.h"
#include "base/path_walk.h"
#include "base/read_file.h"
#include "common/xalloc.h"

/* ---- gnuplot as a process ---- */

#define TIME_MAX_MS 120000
#define CPU_MAX_S   60

static void limit_time(void)
{
	const struct rlimit cpu = {CPU_MAX_S, CPU_MAX_S}, core = {0, 0};

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
}

struct gnuplot {
	const struct plotter *p;
	const char *option;
};

/* By path, or by descriptor if the user may not enter the directory (a script needs it open). */
static int execute(const void *arg)
{
	static char locale[] = "LC_ALL=C.UTF-8", path[] = "PATH=/usr/bin:/bin", name[] = "gnuplot";
	static char *const environment[] = {locale, path, NULL};
	const struct gnuplot *g = arg;
	char *const argv[] = {name, (char *)g->option, NULL};

	limit_time();
	execve(g->p->program, argv, environment);
	if (errno != EACCES)
		return -errno;
	fcntl(g->p->program_fd, F_SETFD, 0);
	fexecve(g->p->program_fd, argv, environment);
	return -errno;
}

/* The caller frees what it wrote. 0 or -errno: -EIO: it failed; -ETIMEDOUT; -EINTR: stopped. */
static int run_gnuplot(const struct plotter *p, const char *option, const char *script,
		       struct filter_output *out)
{
	const struct gnuplot gnuplot = {p, option};
	const struct iovec input = {(char *)script, strlen(script)};
	const struct filter filter = {.input = &input,
				      .input_nr = 1,
				      .execute = execute,
				      .arg = &gnuplot,
				      .limit_ms = TIME_MAX_MS,
				      .stop = p->stop};
	int status = filter__run(&filter, out);

	if (status == -ETIMEDOUT || status == -EINTR)
		return status;
	return status || !out->text ? -EIO : 0;
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
	struct filter_output out = {0};
	int err = p->err;

	if (!err)
		err = run_gnuplot(p, "--version", "", &out);
	free(out.text);
	free(out.errors);
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
		"# `gnuplot -e \"term='pdf'\" %s.plot` a PDF; png is the third form. Call it from "
		"another\n"
		"# directory: report replaces none with files that it did not make.\n",
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
	char *by_itself = plotter__script(figure);
	/* To standard output. */
	char *script = xasprintf("term = \"%s\"; out = \"\"\n%s", term, by_itself);
	struct filter_output out;
	int err = run_gnuplot(p, "-d", script, &out);

	free(by_itself);
	free(script);
	/* gnuplot's error is its last line, after the offending one and a marker. */
	if (err)
		snprintf(message, len, "gnuplot failed on %s.gp: %.300s", figure->template,
			 out.errors && *out.errors ? text__last_line(out.errors) : strerror(-err));
	else if (!out.len)
		snprintf(message, len, "gnuplot drew nothing with %s.gp.", figure->template);
	free(out.errors);
	if (err || !out.len) {
		free(out.text);
		return NULL;
	}
	if (!strcmp(term, "pdf"))
		remove_date(out.text, out.len);
	*size = out.len;
	return out.text;
}

void plotter__close(struct plotter *p)
{
	if (p->program_fd >= 0)
		close(p->program_fd);
	*p = (struct plotter)PLOTTER_INIT;
}
