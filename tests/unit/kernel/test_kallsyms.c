/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of a table as /proc/kallsyms is one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kallsyms.h"
#include "support/test.h"

struct heard {
	char text[256];
	int answer; /* of the first symbol */
};

static int hear(void *arg, uint64_t address, char type, const char *name)
{
	struct heard *h = arg;
	size_t used = strlen(h->text);

	snprintf(h->text + used, sizeof(h->text) - used, "%llx %c %s;", (unsigned long long)address,
		 type, name);
	return h->answer;
}

static int read_text(const char *text, struct heard *h)
{
	char file[] = "/tmp/test_kallsyms.XXXXXX";
	int fd = mkstemp(file), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	err = kallsyms__read(file, hear, h);
	unlink(file);
	return err;
}

static const char table[] = "ffffffff81000000 T _text\n"
			    "ffffffff81a00100 t tcp_push\t[other]\n"
			    "\n"
			    "cut short\n"
			    "ffffffff81a00200 T \n"
			    "ffffffff81a00300\n"
			    "0000000000000000 D hidden";

TEST(gives_symbols_and_passes_over_other_lines)
{
	struct heard h = {0};

	assert_int_equal(read_text(table, &h), 0);
	assert_string_equal(h.text,
			    "ffffffff81000000 T _text;ffffffff81a00100 t tcp_push;0 D hidden;");
}

TEST(ends_with_what_the_reader_says)
{
	struct heard h = {.answer = -ENOMEM};

	assert_int_equal(read_text(table, &h), -ENOMEM);
	assert_string_equal(h.text, "ffffffff81000000 T _text;");
	assert_int_equal(kallsyms__read("/nonexistent", hear, &h), -ENOENT);
}
