/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading and trimming of lines; see read_file.h. */
#include "read_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

char *text__trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return s;
}

const char *text__last_line(char *s)
{
	char *line;

	s = text__trim(s);
	line = strrchr(s, '\n');
	return line ? line + 1 : s;
}

uint64_t text__hash(const char *s)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3ULL;
	return hash;
}

int read_file__line(const char *path, char *line, size_t len)
{
	char *whole = NULL, *text;
	size_t size = 0;
	FILE *f;
	int err = 0;

	line[0] = '\0';
	f = fopen(path, "re");
	if (!f)
		return -errno;
	text = getline(&whole, &size, f) < 0 ? NULL : text__trim(whole);
	if (!text)
		err = -EIO;
	else if (strlen(text) >= len)
		err = -EMSGSIZE;
	else
		strcpy(line, text);
	free(whole);
	fclose(f);
	return err;
}

const char *read_file__reason(int err)
{
	switch (err) {
	case 0:
		return NULL;
	case -ENOENT:
		return "the file does not exist";
	case -EACCES:
	case -EPERM:
		return "permission was denied";
	case -EMSGSIZE:
		return "has too many characters";
	default:
		return "could not be read";
	}
}

struct num read_file__num(const char *path)
{
	struct num n = {0};
	char line[64];
	int err;

	err = read_file__line(path, line, sizeof(line));
	n.reason = read_file__reason(err);
	if (!err && parse_count(line, 0, UINT64_MAX, &n.value))
		n.reason = "is not a number";
	n.known = !n.reason;
	return n;
}
