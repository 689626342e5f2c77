/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes of it when memory is short: an error that says so, and nothing left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/owned_dir.h"
#include "base/rank_test.h"
#include "base/stats.h"
#include "support/entries.h"
#include "support/short_memory.h"

static int test_ranks(void *whole)
{
	static const double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10};
	struct rank_test t;
	int err = rank_test__of(&t, a, 5, b, 5, 1);

	short_memory__end();
	if (!err)
		assert_true(t.p == *(const double *)whole);
	else
		assert_int_equal(t.difference, DIFFERENCE_UNKNOWN);
	return err;
}

static void rank_tests(void **state)
{
	double p = 2.0 / 252;

	(void)state;
	short_memory__walk(test_ranks, &p);
}

/* A file with what is written into it, or as it was before; never another beside it. */
static int write_file(void *name)
{
	unsigned int open_before = entries("/proc/self/fd"), there = entries(".");
	struct outfile *f = NULL;
	int err = outfile__open(&f, name);

	if (!err) {
		assert_true(fputs("text", outfile__stream(f)) >= 0);
		err = outfile__commit(f);
	}
	short_memory__end();
	assert_int_equal(entries("/proc/self/fd"), open_before);
	if (err)
		assert_int_equal(entries("."), there);
	else
		assert_int_equal(access(name, R_OK), 0);
	return err;
}

static void a_file_is_written_or_not(void **state)
{
	(void)state;
	short_memory__walk(write_file, (char[]){"new"});
	short_memory__walk(write_file, (char[]){"new"}); /* which is there now */
	assert_int_equal(unlink("new"), 0);
	short_memory__walk(write_file, (char[]){"./new"});
	assert_int_equal(unlink("new"), 0);
}

/* Without a word said about it nothing of a directory may be taken for somebody else's. */
static int claim(void *path)
{
	unsigned int open_before = entries("/proc/self/fd");
	struct owned_dir d = OWNED_DIR_INIT;
	int err;

	assert_int_equal(mkdir(path, 0777), 0);
	err = owned_dir__open(&d, path, "test");
	if (!err)
		err = owned_dir__mark(&d, "test");
	if (!err)
		err = owned_dir__claim(&d, "below/file");
	if (!err)
		err = owned_dir__read(&d, "test");
	short_memory__end();
	if (!err)
		assert_true(owned_dir__names(&d, "below/file"));
	owned_dir__close(&d);
	if (!owned_dir__open(&d, path, "test") && d.marked)
		assert_int_equal(owned_dir__remove(&d, path), 0);
	else
		assert_int_equal(rmdir(path), 0);
	owned_dir__close(&d);
	assert_int_equal(entries("/proc/self/fd"), open_before);
	return err;
}

/* Removing says what it could not do, and can be done again. */
static int remove_when_short(const char *path)
{
	struct owned_dir d = OWNED_DIR_INIT;
	int err;

	assert_int_equal(owned_dir__open(&d, path, "test"), 0);
	short_memory__begin(1);
	err = owned_dir__remove(&d, path);
	assert_true(short_memory__end());
	owned_dir__close(&d);
	return err;
}

static void a_directory_is_claimed_or_not(void **state)
{
	struct owned_dir d = OWNED_DIR_INIT;

	(void)state;
	short_memory__walk(claim, (char[]){"owned"});
	assert_int_equal(mkdir("owned", 0777), 0);
	assert_int_equal(owned_dir__open(&d, "owned", "test"), 0);
	assert_int_equal(owned_dir__mark(&d, "test"), 0);
	assert_int_equal(owned_dir__claim(&d, "below/file"), 0);
	assert_int_equal(remove_when_short("owned"), -ENOMEM);
	assert_int_equal(owned_dir__remove(&d, "owned"), 0);
	owned_dir__close(&d);
	assert_int_equal(access("owned", F_OK), -1);
}

static char place[] = "/tmp/test_base_memory.XXXXXX";

static int enter(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	return mkdtemp(place) && !chdir(place) ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	return chdir("/") || rmdir(place) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rank_tests),
		cmocka_unit_test(a_file_is_written_or_not),
		cmocka_unit_test(a_directory_is_claimed_or_not),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
