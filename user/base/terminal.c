/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the size of a terminal and the environment that ncurses trusts; see terminal.h. */
#include "terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "path_walk.h"

unsigned int terminal__columns(int fd, unsigned int otherwise)
{
	struct winsize ws;

	return ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col ? ws.ws_col : otherwise;
}

unsigned int terminal__rows(int fd, unsigned int otherwise)
{
	struct winsize ws;

	return ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_row ? ws.ws_row : otherwise;
}

unsigned int terminal__text_columns(FILE *f, unsigned int least)
{
	unsigned int columns = terminal__columns(fileno(f), 100);

	return columns < least ? least : columns > 120 ? 120 : columns;
}

static const char *const names[HOSTILE_ENV_NR] = {"TERMINFO", "TERMINFO_DIRS", "HOME"};

/* A relative path or a list of directories is not trusted. */
static bool is_trusted(const char *value)
{
	struct path_walk w;
	bool trusted;

	if (*value != '/' || path_walk__find_input(&w, value))
		return false;
	trusted = path_walk__is_trusted(&w);
	path_walk__close(&w);
	return trusted;
}

void hostile_env__hide(struct hostile_env *e)
{
	const char *value;

	*e = (struct hostile_env){0};
	if (geteuid())
		return;
	for (size_t i = 0; i < HOSTILE_ENV_NR; i++) {
		value = getenv(names[i]);
		if (!value || is_trusted(value))
			continue;
		e->hidden[i] = xstrdup(value);
		unsetenv(names[i]);
	}
}

void hostile_env__show(struct hostile_env *e)
{
	for (size_t i = 0; i < HOSTILE_ENV_NR; i++) {
		if (!e->hidden[i])
			continue;
		setenv(names[i], e->hidden[i], 1);
		free(e->hidden[i]);
		e->hidden[i] = NULL;
	}
}
