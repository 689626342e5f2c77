/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files: whole or not at all, no temporary file left, no device or foreign file replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "support/entries.h"

/* Each test runs in an empty directory of its own. */
struct place {
	int origin;
	char path[64];
	unsigned int open; /* descriptors */
};

static int enter(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	*state = place;
	place->origin = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	strcpy(place->path, "/tmp/test_atomic_file.XXXXXX");
	if (place->origin < 0 || !mkdtemp(place->path) || chdir(place->path))
		return -1;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	umask(022);
	place->open = entries("/proc/self/fd");
	return 0;
}

static int leave(void **state)
{
	static const char *const made[] = {"out", "link", "pipe", "null", "full", "d/out", "d"};
	struct place *place = *state;
	size_t i;
	int err;

	/* No descriptor stays open, whatever happened to the file. */
	if (entries("/proc/self/fd") != place->open)
		return -1;
	for (i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		remove(made[i]);
	err = fchdir(place->origin) || rmdir(place->path);
	close(place->origin);
	free(place);
	return err ? -1 : 0;
}

static void check_content(const char *name, const char *expected)
{
	char text[64] = "";
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, expected);
}

static void put_file(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(name, mode), 0);
}

static struct atomic_file *open_and_write(const char *name, const char *text)
{
	struct atomic_file *f = NULL;

	assert_int_equal(atomic_file__open(&f, name), 0);
	assert_true(fputs(text, atomic_file__stream(f)) >= 0);
	return f;
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	return st.st_mode & 07777;
}

static void new_file_appears_at_commit(void **state)
{
	struct atomic_file *f = open_and_write("out", "new");

	(void)state;
	fflush(atomic_file__stream(f));
	assert_int_equal(access("out", F_OK), -1);
	assert_int_equal(atomic_file__commit(f), 0);
	check_content("out", "new");
	assert_int_equal(mode_of("out"), 0644);
	assert_int_equal(entries("."), 1);
}

static void existing_file_is_replaced_at_commit(void **state)
{
	struct atomic_file *f;

	(void)state;
	put_file("out", "old", 0600);
	f = open_and_write("out", "new");
	fflush(atomic_file__stream(f));
	check_content("out", "old");
	assert_int_equal(atomic_file__commit(f), 0);
	check_content("out", "new");
	assert_int_equal(mode_of("out"), 0600);
	assert_int_equal(entries("."), 1);
}

static void abort_leaves_the_old_file(void **state)
{
	(void)state;
	atomic_file__abort(open_and_write("out", "never"));
	assert_int_equal(entries("."), 0);
	put_file("out", "old", 0644);
	atomic_file__abort(open_and_write("out", "never"));
	check_content("out", "old");
	assert_int_equal(entries("."), 1);
	atomic_file__abort(NULL);
}

static void link_to_a_file_is_followed(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("d", 0755), 0);
	put_file("d/out", "old", 0644);
	assert_int_equal(symlink("d/out", "link"), 0);
	assert_int_equal(atomic_file__commit(open_and_write("link", "new")), 0);
	check_content("d/out", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(entries("d"), 1);
}

static bool is_link(const char *name)
{
	struct stat st;

	return !lstat(name, &st) && S_ISLNK(st.st_mode);
}

/* Links are followed as open(2) does; the links themselves stay. */
static void link_to_a_missing_file_is_followed(void **state)
{
	struct atomic_file *f = NULL;

	(void)state;
	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(symlink("d/null", "link"), 0);
	assert_int_equal(symlink("out", "d/null"), 0);
	assert_true(atomic_file__same("link", "d/out"));
	assert_false(atomic_file__same("link", "d/null2"));
	assert_int_equal(atomic_file__commit(open_and_write("link", "new")), 0);
	assert_true(is_link("link") && is_link("d/null"));
	check_content("d/out", "new");
	assert_int_equal(entries("d"), 2);
	assert_int_equal(unlink("d/null") | unlink("link"), 0);
	assert_int_equal(symlink("missing/out", "link"), 0);
	assert_int_equal(atomic_file__open(&f, "link"), -ENOENT);
	assert_true(is_link("link"));
}

/*
 * A file of another user keeps its owner; under sudo, only new files belong to the user behind
 * sudo.
 */
static void existing_file_keeps_its_owner(void **state)
{
	struct stat st;

	(void)state;
	put_file("out", "old", 0640);
	if (chown("out", 4242, 4343))
		skip(); /* only root can change the owner */
	setenv("SUDO_UID", "1", 1);
	setenv("SUDO_GID", "1", 1);
	assert_int_equal(atomic_file__commit(open_and_write("out", "new")), 0);
	check_content("out", "new");
	assert_int_equal(stat("out", &st), 0);
	assert_int_equal(st.st_uid, 4242);
	assert_int_equal(st.st_gid, 4343);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void bad_targets_fail_at_open(void **state)
{
	char name[NAME_MAX + 2];
	struct atomic_file *f = NULL;

	(void)state;
	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(atomic_file__open(&f, ""), -ENOENT);
	assert_int_equal(atomic_file__open(&f, "missing/out"), -ENOENT);
	assert_int_equal(atomic_file__open(&f, "d"), -EISDIR);
	assert_int_equal(atomic_file__open(&f, "d/"), -EISDIR);
	assert_int_equal(atomic_file__open(&f, "/proc/none/out"), -ENOENT);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(atomic_file__open(&f, name), -ENAMETOOLONG);
	put_file("out", "a file", 0644);
	assert_int_equal(atomic_file__open(&f, "out/x"), -ENOTDIR);
	assert_null(f);
	assert_int_equal(entries("."), 2);
	assert_int_equal(entries("d"), 0);
}

static void read_only_file_is_refused(void **state)
{
	struct atomic_file *f = NULL;

	bool root = geteuid() == 0;

	(void)state;
	put_file("out", "old", 0444);
	/* Root may write everywhere, so access(2), which checks the real user, gets another one. */
	if (root)
		assert_int_equal(setreuid(65534, (uid_t)-1), 0);
	assert_int_equal(atomic_file__open(&f, "out"), -EACCES);
	if (root)
		assert_int_equal(setreuid(0, (uid_t)-1), 0);
	check_content("out", "old");
}

static void failed_commit_returns_the_error_and_removes_its_file(void **state)
{
	struct atomic_file *f;

	(void)state;
	f = open_and_write("out", "new");
	assert_int_equal(mkdir("out", 0755), 0);
	assert_int_equal(atomic_file__commit(f), -EISDIR);
	assert_int_equal(entries("."), 1);
	assert_int_equal(rmdir("out"), 0);
}

/*
 * A device node of the test: a bug in the code under test would, as root, replace the system's
 * /dev/null.
 */
static void make_device(const char *name, unsigned int minor_nr)
{
	int fd;

	if (mknod(name, S_IFCHR | 0666, makedev(1, minor_nr)))
		skip(); /* only root can make devices */
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		skip(); /* a file system without devices */
	close(fd);
}

static void device_is_written_in_place(void **state)
{
	struct stat st;

	(void)state;
	make_device("null", 3);
	make_device("full", 7);
	assert_int_equal(atomic_file__commit(open_and_write("null", "gone")), 0);
	assert_int_equal(stat("null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(atomic_file__commit(open_and_write("full", "new")), -ENOSPC);
	assert_int_equal(stat("full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(entries("."), 2);
}

static void pipe_is_written_at_commit(void **state)
{
	struct atomic_file *f;
	char buf[16] = "";
	int reader;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	f = open_and_write("pipe", "new");
	fflush(atomic_file__stream(f));
	assert_int_equal(read(reader, buf, sizeof(buf)), -1);
	assert_int_equal(atomic_file__commit(f), 0);
	assert_int_equal(read(reader, buf, sizeof(buf)), 3);
	assert_string_equal(buf, "new");
	close(reader);
}

/* Opens "-" with stdout redirected to the file `out`; the file changes at commit only. */
static void stdout_is_written_at_commit(void **state)
{
	int saved = dup(STDOUT_FILENO), fd = open("out", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	struct atomic_file *f = NULL;
	struct stat before;
	int err;

	(void)state;
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	err = atomic_file__open(&f, "-");
	dup2(saved, STDOUT_FILENO);
	assert_int_equal(err, 0);
	fputs("new", atomic_file__stream(f));
	fflush(atomic_file__stream(f));
	assert_int_equal(fstat(fd, &before), 0);
	assert_int_equal(atomic_file__commit(f), 0);
	assert_int_equal(before.st_size, 0);
	check_content("out", "new");
	assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
	close(fd);
	close(saved);
}

/* An output file never gets the number of a closed standard descriptor. */
/* The mask is read once, for all files, and its descriptor is closed. */
static void missing_directory_is_made_with_the_umask(void **state)
{
	int before = dup(0), after;

	(void)state;
	assert_true(before >= 0);
	close(before);
	assert_int_equal(atomic_file__make_directory("d"), 0);
	after = dup(0);
	close(after);
	assert_int_equal(after, before);
	assert_int_equal(mode_of("d"), 0755);
	assert_int_equal(atomic_file__make_directory("d"), -EEXIST);
	assert_int_equal(atomic_file__make_directory("nowhere/d"), -ENOENT);
	assert_int_equal(entries("d"), 0);
}

/* Two outputs with one target: the second one replaces the first. */
static void different_names_of_one_file_are_the_same(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(mkdir("there", 0777), 0);
	assert_int_equal(symlink("there", "link"), 0);
	assert_non_null(realpath("there", path));
	strcat(path, "/x");
	for (int exists = 0; exists < 2; exists++) {
		assert_true(atomic_file__same("there/x", "there/x"));
		assert_true(atomic_file__same("there/x", "./there//x"));
		assert_true(atomic_file__same("there/x", "link/x"));
		assert_true(atomic_file__same(path, "link/../there/x"));
		assert_false(atomic_file__same("there/x", "there/y"));
		assert_false(atomic_file__same("there/x", "x"));
		assert_false(atomic_file__same("there/x", "-"));
		assert_int_equal(atomic_file__commit(open_and_write("there/x", "x")), 0);
	}
	assert_int_equal(symlink("there/x", "y"), 0);
	assert_true(atomic_file__same("y", "there/x"));
	assert_true(atomic_file__same("-", "-"));
	assert_false(atomic_file__same("-", "./-"));
	/* Targets that are written in place; a target that cannot be opened fails at open. */
	assert_false(atomic_file__same("/dev/null", "/dev/null"));
	assert_false(atomic_file__same("nowhere/x", "nowhere/./x"));
	assert_int_equal(unlink("y") | unlink("there/x") | rmdir("there"), 0);
}

static void no_file_takes_a_closed_standard_descriptor(void **state)
{
	int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
	struct atomic_file *f;
	int err;

	(void)state;
	assert_true(kept >= 10);
	close(STDERR_FILENO);
	err = atomic_file__open(&f, "-");
	bool taken = fcntl(STDERR_FILENO, F_GETFD) >= 0;
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_int_equal(err, 0);
	atomic_file__abort(f);
	assert_false(taken);
}

static void new_file_belongs_to_the_user_behind_sudo(void **state)
{
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip(); /* only root can change the owner */
	setenv("SUDO_UID", "4242", 1);
	setenv("SUDO_GID", "4243", 1);
	assert_int_equal(atomic_file__commit(open_and_write("out", "new")), 0);
	assert_int_equal(stat("out", &st), 0);
	assert_int_equal(st.st_uid, 4242);
	assert_int_equal(st.st_gid, 4243);
	assert_int_equal(unlink("out"), 0);
	setenv("SUDO_UID", "-1", 1);
	assert_int_equal(atomic_file__commit(open_and_write("out", "new")), 0);
	assert_int_equal(stat("out", &st), 0);
	assert_int_equal(st.st_uid, 0);
}

int main(void)
{
#define in_place(test) cmocka_unit_test_setup_teardown(test, enter, leave)
	const struct CMUnitTest tests[] = {
		in_place(new_file_appears_at_commit),
		in_place(existing_file_is_replaced_at_commit),
		in_place(abort_leaves_the_old_file),
		in_place(link_to_a_file_is_followed),
		in_place(link_to_a_missing_file_is_followed),
		in_place(existing_file_keeps_its_owner),
		in_place(bad_targets_fail_at_open),
		in_place(read_only_file_is_refused),
		in_place(failed_commit_returns_the_error_and_removes_its_file),
		in_place(device_is_written_in_place),
		in_place(pipe_is_written_at_commit),
		in_place(stdout_is_written_at_commit),
		in_place(missing_directory_is_made_with_the_umask),
		in_place(different_names_of_one_file_are_the_same),
		in_place(no_file_takes_a_closed_standard_descriptor),
		in_place(new_file_belongs_to_the_user_behind_sudo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
