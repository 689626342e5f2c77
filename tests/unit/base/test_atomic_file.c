/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files: whole or not at all, no temporary file left, no device or foreign file replaced. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/atomic_file.h"
#include "support/entries.h"
#include "support/scratch.h"

static unsigned int descriptors;

static int enter(void **state)
{
	int err = enter_scratch(state);

	descriptors = entries("/proc/self/fd");
	return err;
}

/* No descriptor stays open, whatever happened to the file. */
static int leave(void **state)
{
	return entries("/proc/self/fd") == descriptors ? leave_scratch(state) : -1;
}

#define IN_PLACE(name) TEST_WITH(name, enter, leave)

static void put_file_with(const char *name, const char *text, mode_t mode)
{
	put_file(name, text);
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

IN_PLACE(new_file_appears_at_commit)
{
	struct atomic_file *f = open_and_write("out", "new");

	fflush(atomic_file__stream(f));
	assert_int_equal(access("out", F_OK), -1);
	assert_int_equal(atomic_file__commit(f), 0);
	check_content("out", "new");
	assert_int_equal(mode_of("out"), 0644);
	assert_int_equal(entries("."), 1);
}

IN_PLACE(existing_file_is_replaced_at_commit)
{
	struct atomic_file *f;

	put_file_with("out", "old", 0600);
	f = open_and_write("out", "new");
	fflush(atomic_file__stream(f));
	check_content("out", "old");
	assert_int_equal(atomic_file__commit(f), 0);
	check_content("out", "new");
	assert_int_equal(mode_of("out"), 0600);
	assert_int_equal(entries("."), 1);
}

IN_PLACE(abort_leaves_the_old_file)
{
	atomic_file__abort(open_and_write("out", "never"));
	assert_int_equal(entries("."), 0);
	put_file_with("out", "old", 0644);
	atomic_file__abort(open_and_write("out", "never"));
	check_content("out", "old");
	assert_int_equal(entries("."), 1);
	atomic_file__abort(NULL);
}

IN_PLACE(link_to_a_file_is_followed)
{
	struct stat st;

	assert_int_equal(mkdir("d", 0755), 0);
	put_file_with("d/out", "old", 0644);
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
IN_PLACE(link_to_a_missing_file_is_followed)
{
	struct atomic_file *f = NULL;

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
IN_PLACE(existing_file_keeps_its_owner)
{
	struct stat st;

	put_file_with("out", "old", 0640);
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

IN_PLACE(bad_targets_fail_at_open)
{
	char name[NAME_MAX + 2];
	struct atomic_file *f = NULL;

	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(atomic_file__open(&f, ""), -ENOENT);
	assert_int_equal(atomic_file__open(&f, "missing/out"), -ENOENT);
	assert_int_equal(atomic_file__open(&f, "d"), -EISDIR);
	assert_int_equal(atomic_file__open(&f, "d/"), -EISDIR);
	assert_int_equal(atomic_file__open(&f, "/proc/none/out"), -ENOENT);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(atomic_file__open(&f, name), -ENAMETOOLONG);
	put_file_with("out", "a file", 0644);
	assert_int_equal(atomic_file__open(&f, "out/x"), -ENOTDIR);
	assert_null(f);
	assert_int_equal(entries("."), 2);
	assert_int_equal(entries("d"), 0);
}

IN_PLACE(read_only_file_is_refused)
{
	struct atomic_file *f = NULL;

	bool root = geteuid() == 0;

	put_file_with("out", "old", 0444);
	/* Root may write everywhere, so access(2), which checks the real user, gets another one. */
	if (root)
		assert_int_equal(setreuid(65534, (uid_t)-1), 0);
	assert_int_equal(atomic_file__open(&f, "out"), -EACCES);
	if (root)
		assert_int_equal(setreuid(0, (uid_t)-1), 0);
	check_content("out", "old");
}

IN_PLACE(failed_commit_returns_the_error_and_removes_its_file)
{
	struct atomic_file *f;

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

IN_PLACE(device_is_written_in_place)
{
	struct stat st;

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

IN_PLACE(pipe_is_written_at_commit)
{
	struct atomic_file *f;
	char buf[16] = "";
	int reader;

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
IN_PLACE(stdout_is_written_at_commit)
{
	int saved = dup(STDOUT_FILENO), fd = open("out", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	struct atomic_file *f = NULL;
	struct stat before;
	int err;

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

/* The mask is read once, for all files, and its descriptor is closed. */
IN_PLACE(missing_directory_is_made_with_the_umask)
{
	int before = dup(0), after;

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
IN_PLACE(different_names_of_one_file_are_the_same)
{
	char path[PATH_MAX];

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

IN_PLACE(no_file_takes_a_closed_standard_descriptor)
{
	int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
	struct atomic_file *f;
	int err;

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

IN_PLACE(new_file_belongs_to_the_user_behind_sudo)
{
	struct stat st;

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
