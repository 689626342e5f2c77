/* SPDX-License-Identifier: GPL-2.0-only */
/* An empty working directory for each test: TEST_WITH(name, enter_scratch, leave_scratch). */
#ifndef SUPPORT_SCRATCH_H
#define SUPPORT_SCRATCH_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

static char scratch[64], before_scratch[PATH_MAX];

/* Under no user but the caller: sudo's variables would change owners. */
static inline int enter_scratch(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	umask(022);
	strcpy(scratch, "/tmp/netiotrace-test-XXXXXX");
	return getcwd(before_scratch, PATH_MAX) && mkdtemp(scratch) && !chdir(scratch) ? 0 : -1;
}

static inline int leave_scratch(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	return chdir(before_scratch) || system(command) ? -1 : 0;
}

#define SCRATCH_TEST(name) TEST_WITH(name, enter_scratch, leave_scratch)

static inline void put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline void check_content(const char *name, const char *expected)
{
	char text[256] = "";
	FILE *f = fopen(name, "re");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, expected);
}

#endif
