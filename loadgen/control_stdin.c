/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and parses command lines. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "control_stdin.h"

void control_stdin__init(struct control_stdin *c, int fd)
{
	*c = (struct control_stdin){.fd = fd};
}

bool control_stdin__pending(const struct control_stdin *c)
{
	return memchr(c->buf, '\n', c->len) != NULL;
}

static enum control_stdin_command command__parse(const char *line)
{
	static const struct {
		const char *word;
		enum control_stdin_command command;
	} words[] = {
		{"start", CONTROL_STDIN_START}, {"measure", CONTROL_STDIN_MEASURE},
		{"stats", CONTROL_STDIN_STATS}, {"stop", CONTROL_STDIN_STOP},
		{"close", CONTROL_STDIN_CLOSE}, {"", CONTROL_STDIN_NONE},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(line, words[i].word))
			return words[i].command;
	return CONTROL_STDIN_UNKNOWN;
}

static enum control_stdin_command control_stdin__take(struct control_stdin *c, size_t len,
						      size_t skip)
{
	memcpy(c->line, c->buf, len);
	if (len && c->line[len - 1] == '\r')
		len--;
	c->line[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (c->line[i] < ' ' || c->line[i] > '~')
			c->line[i] = '?';
	c->len -= skip;
	memmove(c->buf, c->buf + skip, c->len);
	return command__parse(c->line);
}

enum control_stdin_command control_stdin__next(struct control_stdin *c)
{
	const char *end;
	ssize_t n;

	if (!control_stdin__pending(c)) {
		n = read(c->fd, c->buf + c->len, sizeof(c->buf) - 1 - c->len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return CONTROL_STDIN_NONE;
		if (n <= 0)
			return CONTROL_STDIN_EOF;
		c->len += (size_t)n;
	}
	end = memchr(c->buf, '\n', c->len);
	if (end)
		return control_stdin__take(c, (size_t)(end - c->buf), (size_t)(end - c->buf) + 1);
	/* No command is this long: refuse the line before its end arrives. */
	if (c->len == sizeof(c->buf) - 1)
		return control_stdin__take(c, c->len, c->len);
	return CONTROL_STDIN_NONE;
}
