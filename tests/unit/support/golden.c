/* SPDX-License-Identifier: GPL-2.0-only */
/* The golden files of golden.h, beside this source file. Include after cmocka. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/golden.h"
#include "support/test.h"

static void golden__path(char *path, size_t len, const char *name)
{
	const char *slash = strrchr(__FILE__, '/');
	int dir = slash ? (int)(slash - __FILE__) : 0;

	snprintf(path, len, "%.*s/golden/%s.txt", dir ? dir : 1, dir ? __FILE__ : ".", name);
}

static void golden__write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		fail_msg("%s cannot be written", path);
	fputs(text, f);
	fclose(f);
}

static char *golden__read(const char *path)
{
	static char buf[1 << 18];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		fail_msg("%s cannot be read: run the test with UPDATE_GOLDEN=1 to make it", path);
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	return buf;
}

void golden__check(const char *name, const char *text)
{
	char path[512];

	golden__path(path, sizeof(path), name);
	if (getenv("UPDATE_GOLDEN"))
		golden__write(path, text);
	else
		assert_string_equal(text, golden__read(path));
}

/* Is the line, of len bytes with its newline, one of text? */
static int golden__has_line(const char *text, const char *line, size_t len)
{
	for (; *text; text += strcspn(text, "\n") + 1)
		if (!strncmp(text, line, len))
			return 1;
	return 0;
}

static void golden__put_lines(FILE *f, const char *before, const char *text, const char *other)
{
	size_t len;

	for (; *text; text += len) {
		len = strcspn(text, "\n") + 1;
		if (!golden__has_line(other, text, len))
			fprintf(f, "%s%.*s", before, (int)len, text);
	}
}

void golden__check_changes(const char *name, const char *text, const char *base)
{
	char *changes = NULL;
	size_t len;
	FILE *f = open_memstream(&changes, &len);

	assert_non_null(f);
	assert_true(text[strlen(text) - 1] == '\n' && base[strlen(base) - 1] == '\n');
	golden__put_lines(f, "- ", base, text);
	golden__put_lines(f, "", text, base);
	fclose(f);
	golden__check(name, changes);
	free(changes);
}
