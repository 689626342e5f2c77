/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and parses command lines. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "console.h"

void console__init(struct console *c, int fd)
{
	*c = (struct console){.fd = fd};
}

bool console__pending(const struct console *c)
{
	return memchr(c->buf, '\n', c->len) != NULL;
}

static enum console_command command__parse(const char *line)
{
	static const struct {
		const char *word;
		enum console_command command;
	} words[] = {
		{"start", CONSOLE_START}, {"measure", CONSOLE_MEASURE}, {"stats", CONSOLE_STATS},
		{"stop", CONSOLE_STOP},   {"close", CONSOLE_CLOSE},     {"", CONSOLE_NONE},
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(line, words[i].word))
			return words[i].command;
	return CONSOLE_UNKNOWN;
}

static enum console_command console__take(struct console *c, size_t len, size_t skip)
{
	size_t i;

	memcpy(c->line, c->buf, len);
	if (len && c->line[len - 1] == '\r')
		len--;
	c->line[len] = '\0';
	for (i = 0; i < len; i++)
		if (c->line[i] < ' ' || c->line[i] > '~')
			c->line[i] = '?';
	c->len -= skip;
	memmove(c->buf, c->buf + skip, c->len);
	return command__parse(c->line);
}

enum console_command console__next(struct console *c)
{
	const char *end;
	ssize_t n;

	if (!console__pending(c)) {
		n = read(c->fd, c->buf + c->len, sizeof(c->buf) - 1 - c->len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return CONSOLE_NONE;
		if (n <= 0)
			return CONSOLE_EOF;
		c->len += (size_t)n;
	}
	end = memchr(c->buf, '\n', c->len);
	if (end)
		return console__take(c, (size_t)(end - c->buf), (size_t)(end - c->buf) + 1);
	/* No command is this long: refuse the line before its end arrives. */
	if (c->len == sizeof(c->buf) - 1)
		return console__take(c, c->len, c->len);
	return CONSOLE_NONE;
}
