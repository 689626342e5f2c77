/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the query of a terminal's size; see terminal.h. */
#include <sys/ioctl.h>

#include "terminal.h"

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
