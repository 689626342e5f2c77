/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files: whole or not at all, no temporary file left, no device or foreign file replaced. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
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

static void write_whole(const char *name, const char *text)
{
	assert_int_equal(atomic_file__commit(open_and_write(name, text)), 0);
}

static struct stat state_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(name, &st), 0);
	return st;
}

static void check_owner(const char *name, uid_t uid, gid_t gid, mode_t mode)
{
	struct stat st = state_of(name);

	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_gid, gid);
	assert_int_equal(st.st_mode & 07777, mode);
}

IN_PLACE(new_file_appears_at_commit)
{
	struct atomic_file *f = open_and_write("out", "new");

	fflush(atomic_file__stream(f));
	assert_int_equal(access("out", F_OK), -1);
	assert_int_equal(atomic_file__commit(f), 0);
	check_content("out", "new");
	assert_int_equal(state_of("out").st_mode & 07777, 0644);
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
	assert_int_equal(state_of("out").st_mode & 07777, 0600);
	assert_int_equal(entries("."), 1);
}

static void append(struct atomic_file *f, const char *text)
{
	assert_int_equal(atomic_file__append(f, text, strlen(text)), 0);
}

/* A reader sees whole texts at once; the old file is there until the first one. */
IN_PLACE(appended_texts_are_there_at_once)
{
	struct atomic_file *f = NULL;

	put_file_with("out", "old", 0600);
	assert_int_equal(atomic_file__open(&f, "out"), 0);
	check_content("out", "old");
	append(f, "one\n");
	check_content("out", "one\n");
	append(f, "two\n");
	check_content("out", "one\ntwo\n");
	atomic_file__abort(f);
	check_content("out", "one\ntwo\n");
	assert_int_equal(state_of("out").st_mode & 07777, 0600);
	assert_int_equal(entries("."), 1);
}

/* A text that does not fit leaves no part of it. */
IN_PLACE(appended_texts_are_whole_where_the_file_is_full)
{
	struct rlimit before, limit;
	struct atomic_file *f = NULL;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){6, before.rlim_max};
	assert_int_equal(atomic_file__open(&f, "out"), 0);
	append(f, "one\n");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(atomic_file__append(f, "two\n", 4), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	check_content("out", "one\n");
	append(f, "three\n");
	atomic_file__abort(f);
	check_content("out", "one\nthree\n");
}

IN_PLACE(abort_leaves_the_old_file)
{
	atomic_file__abort(open_and_write("out", "never"));
	assert_int_equal(entries("."), 0);
	put_file("out", "old");
	atomic_file__abort(open_and_write("out", "never"));
	check_content("out", "old");
	assert_int_equal(entries("."), 1);
	atomic_file__abort(NULL);
}

IN_PLACE(link_to_a_file_is_followed)
{
	assert_int_equal(mkdir("d", 0755), 0);
	put_file("d/out", "old");
	assert_int_equal(symlink("d/out", "link"), 0);
	write_whole("link", "new");
	check_content("d/out", "new");
	assert_true(S_ISLNK(state_of("link").st_mode));
	assert_int_equal(entries("d"), 1);
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
	write_whole("link", "new");
	assert_true(S_ISLNK(state_of("link").st_mode) && S_ISLNK(state_of("d/null").st_mode));
	check_content("d/out", "new");
	assert_int_equal(entries("d"), 2);
	assert_int_equal(unlink("d/null") | unlink("link"), 0);
	assert_int_equal(symlink("missing/out", "link"), 0);
	assert_int_equal(atomic_file__open(&f, "link"), -ENOENT);
	assert_true(S_ISLNK(state_of("link").st_mode));
}

/* Under sudo, only new files belong to the user behind sudo. */
IN_PLACE(existing_file_keeps_its_owner)
{
	put_file_with("out", "old", 0640);
	if (chown("out", 4242, 4343))
		skip(); /* only root can change the owner */
	setenv("SUDO_UID", "1", 1);
	setenv("SUDO_GID", "1", 1);
	write_whole("out", "new");
	check_content("out", "new");
	check_owner("out", 4242, 4343, 0640);
}

IN_PLACE(bad_targets_fail_at_open)
{
	char longest[NAME_MAX + 2] = "";
	const struct {
		const char *name;
		int err;
	} bad[] = {
		{"", -ENOENT},        {"missing/out", -ENOENT},    {"d", -EISDIR},
		{"d/", -EISDIR},      {"/proc/none/out", -ENOENT}, {longest, -ENAMETOOLONG},
		{"file/x", -ENOTDIR},
	};
	struct atomic_file *f = NULL;

	memset(longest, 'x', sizeof(longest) - 1);
	assert_int_equal(mkdir("d", 0755), 0);
	put_file("file", "a file");
	for_each_case(b, bad)
		assert_int_equal(atomic_file__open(&f, b->name), b->err);
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
	struct atomic_file *f = open_and_write("out", "new");

	assert_int_equal(mkdir("out", 0755), 0);
	assert_int_equal(atomic_file__commit(f), -EISDIR);
	assert_int_equal(entries("."), 1);
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
	make_device("null", 3);
	make_device("full", 7);
	write_whole("null", "gone");
	assert_int_equal(atomic_file__commit(open_and_write("full", "new")), -ENOSPC);
	assert_true(S_ISCHR(state_of("null").st_mode) && S_ISCHR(state_of("full").st_mode));
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

IN_PLACE(missing_directory_is_made_with_the_umask)
{
	assert_int_equal(atomic_file__make_directory("d"), 0);
	assert_int_equal(state_of("d").st_mode & 07777, 0755);
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
		write_whole("there/x", "x");
	}
	assert_int_equal(symlink("there/x", "y"), 0);
	assert_true(atomic_file__same("y", "there/x"));
	assert_true(atomic_file__same("-", "-"));
	assert_false(atomic_file__same("-", "./-"));
	/* Targets that are written in place; a target that cannot be opened fails at open. */
	assert_false(atomic_file__same("/dev/null", "/dev/null"));
	assert_false(atomic_file__same("nowhere/x", "nowhere/./x"));
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
	if (geteuid() != 0)
		skip(); /* only root can change the owner */
	setenv("SUDO_UID", "4242", 1);
	setenv("SUDO_GID", "4243", 1);
	write_whole("out", "new");
	check_owner("out", 4242, 4243, 0644);
	setenv("SUDO_UID", "-1", 1);
	write_whole("other", "new");
	check_owner("other", 0, 0, 0644);
}
