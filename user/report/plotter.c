/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The script of a picture: a template with what it loads put in its place, the settings among that,
 * and the data as a block of lines. Knows nothing of what is drawn; see plotter.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path_walk.h"
#include "gnuplot.h"
#include "plotter.h"

#define TEMPLATE_MAX (1 << 20)
#define DATA_END     "END_OF_DATA_OF_NETIOTRACE"

static const char *const names[PLOTTER_TEMPLATES] = {"common", "panels",     "lines",
						     "stacks", "histograms", "nodata"};

/* Where they may be, as seen from the directory of the program: in a build, installed, in the tree.
 */
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
		text = calloc(1, (size_t)st.st_size + 1);
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

/* Opens it unless another user could have put it there; as anyone, unless it is no program. */
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

/* The first in PATH. What is not absolute there would be looked for in the working directory. */
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

static int run(const struct plotter *p, const char *option, const char *script, size_t len,
	       struct gnuplot_output *output)
{
	const struct gnuplot_call call = {
		.program = p->program,
		.program_fd = p->program_fd,
		.option = option,
		.script = script,
		.script_len = len,
		.stop = p->stop,
	};

	return gnuplot__run(&call, output);
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
		err = run(p, "--version", "", 0, &output);
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

/* What stands in the place of a line `load ...`; NULL: it is no such line, or loads what is
 * unknown. */
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

/* NULL: out of memory, or data that would end its block. */
static char *make_script(const struct plotter *p, const char *template, const char *settings,
			 const char *data, const char *term, size_t *len)
{
	const char *text = find_template(p, template, strlen(template));
	char *script = NULL;
	FILE *f = text && !strstr(data, DATA_END) ? open_memstream(&script, len) : NULL;

	if (!f)
		return NULL;
	fprintf(f, "$data << " DATA_END "\n%s\n" DATA_END "\n", data);
	fprintf(f, "ARG2 = \"$data\"; ARG3 = \"\"; ARG4 = \"%s\"\n", term);
	put_template(p, f, text, settings);
	if (fclose(f)) {
		free(script);
		return NULL;
	}
	return script;
}

/* The last line that says something: gnuplot's error, after the line it is in and a marker. */
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
	if (!script) {
		snprintf(message, len, "out of memory.");
		return -ENOMEM;
	}
	err = run(p, "-d", script, script_len, &output);
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
