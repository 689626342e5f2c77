/* SPDX-License-Identifier: GPL-2.0-only */
/* First lines of small files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_file.h"
#include "support/test.h"

/* The first line of a file with this content, read into a buffer of len bytes. */
static int read_into(char *line, size_t len, const char *content)
{
	char path[] = "/tmp/netiotrace-test-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "%s", content) >= 0);
	err = read_file__line(path, line, len);
	unlink(path);
	close(fd);
	return err;
}

TEST(first_line_is_trimmed)
{
	char line[8];

	assert_int_equal(read_into(line, sizeof(line), " \t0-3,5-7 \nmore\n"), 0);
	assert_string_equal(line, "0-3,5-7");
	assert_int_equal(read_into(line, sizeof(line), ""), -EIO);
}

TEST(line_that_does_not_fit_is_refused_not_cut)
{
	char line[8];

	assert_int_equal(read_into(line, sizeof(line), "0-3,5-12\n"), -EMSGSIZE);
	assert_string_equal(line, "");
}

/* A kernel's command line may have 2048 bytes and more. */
TEST(long_line_is_read_to_its_end)
{
	char line[4096], *text = NULL;

	assert_true(asprintf(&text, "quiet%2000s\n", "preempt=full") > 0);
	assert_int_equal(read_into(line, sizeof(line), text), 0);
	assert_int_equal(strlen(line), 2005);
	assert_string_equal(line + 1993, "preempt=full");
	free(text);
}
