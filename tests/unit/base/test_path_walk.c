/* SPDX-License-Identifier: GPL-2.0-only */
/* Path resolution: the target, who controls it, and which links an output must not follow. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/managed_dir.h"
#include "base/path_walk.h"
#include "support/scratch.h"

#define OTHER 61002
#define THIRD 61003

static void put_file_of(const char *name, const char *text, uid_t owner)
{
	put_file(name, text);
	assert_int_equal(chown(name, owner, owner), 0);
}

static void put_link(const char *name, const char *target, uid_t owner)
{
	assert_int_equal(symlink(target, name), 0);
	assert_int_equal(lchown(name, owner, owner), 0);
}

static void put_directory(const char *name, mode_t mode, uid_t owner)
{
	assert_int_equal(mkdir(name, 0700), 0);
	assert_int_equal(chmod(name, mode), 0);
	assert_int_equal(chown(name, owner, owner), 0);
}

static void need_root(void)
{
	if (geteuid())
		skip(); /* only root can change the owner */
}

static void check_name(const char *path, const char *name, bool exists)
{
	struct path_walk w;

	assert_int_equal(path_walk__find_output(&w, path), 0);
	assert_string_equal(w.name, name);
	assert_int_equal(w.fd >= 0, exists);
	assert_true(faccessat(w.dir, w.name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || !exists);
	path_walk__close(&w);
}

/* What was made is removed from its directory, whatever has its path by then. */
SCRATCH_TEST(only_the_object_that_was_made_is_removed)
{
	struct path_walk w;

	put_directory("d", 0755, geteuid());
	put_directory("e", 0755, geteuid());
	put_file("e/x", "kept");
	assert_int_equal(path_walk__find_entry(&w, "d"), -EISDIR);
	assert_int_equal(path_walk__find_entry(&w, "d/x/"), -EISDIR);
	assert_int_equal(path_walk__find_entry(&w, "/dev/fd/0"), -EEXIST);
	assert_int_equal(path_walk__find_entry(&w, "d/x"), 0);
	assert_int_equal(path_walk__remove(&w), -ESTALE);
	put_file("d/x", "made");
	assert_int_equal(path_walk__open_entry(&w), 0);
	assert_int_equal(rename("d", "moved"), 0);
	put_link("d", "e", geteuid());
	assert_int_equal(path_walk__remove(&w), 0);
	assert_int_not_equal(access("moved/x", F_OK), 0);
	assert_int_equal(access("e/x", F_OK), 0);
	put_file("moved/x", "first");
	assert_int_equal(path_walk__open_entry(&w), 0);
	assert_int_equal(rename("moved/x", "moved/aside"), 0);
	put_file("moved/x", "of another");
	assert_int_equal(path_walk__remove(&w), -ESTALE);
	assert_int_equal(access("moved/x", F_OK), 0);
	path_walk__close(&w);
}

SCRATCH_TEST(path_gives_directory_and_name)
{
	char path[PATH_MAX];
	struct path_walk w;

	put_directory("d", 0755, geteuid());
	put_file_of("d/file", "x", geteuid());
	put_link("d/link", "../d/./file", geteuid());
	put_link("to", "d", geteuid());
	snprintf(path, sizeof(path), "%s/to/link", scratch);
	check_name("d/file", "file", true);
	check_name("d//../d/new", "new", false);
	check_name("to/link", "file", true);
	check_name(path, "file", true);
	check_name("to", "d", true);
	check_name("d/", "d", true);
	check_name("d/.", "d", true);
	check_name("d/..", strrchr(scratch, '/') + 1, true);
	check_name(".", strrchr(scratch, '/') + 1, true);
	assert_int_equal(path_walk__find_output(&w, ""), -ENOENT);
	assert_int_equal(path_walk__find_output(&w, "none/x"), -ENOENT);
	assert_int_equal(path_walk__find_output(&w, "d/file/x"), -ENOTDIR);
	assert_int_equal(path_walk__find_output(&w, "d/file/"), -ENOTDIR);
	put_link("self", "self", geteuid());
	assert_int_equal(path_walk__find_output(&w, "self"), -ELOOP);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(path_walk__find_output(&w, path), -ENAMETOOLONG);
	path[NAME_MAX + 1] = '\0';
	assert_int_equal(path_walk__find_output(&w, path), -ENAMETOOLONG);
}

SCRATCH_TEST(open_file_has_no_name)
{
	struct path_walk w;

	assert_int_equal(path_walk__find_output(&w, "/dev/fd/0"), 0);
	assert_true(w.is_open_file && w.fd >= 0 && w.dir < 0);
	path_walk__close(&w);
}

static uid_t controller_of(const char *path)
{
	struct path_walk w;
	uid_t controller;

	assert_int_equal(path_walk__find_input(&w, path), 0);
	controller = w.controller;
	path_walk__close(&w);
	assert_int_equal(geteuid(), 0);
	return controller;
}

SCRATCH_TEST(controller_can_replace_the_file)
{
	need_root();
	put_directory("roots", 0755, 0);
	put_file_of("roots/own", "x", 0);
	put_file_of("roots/given", "x", OTHER);
	put_link("roots/link", "own", OTHER);
	put_directory("others", 0755, OTHER);
	put_file_of("others/roots", "x", 0);
	put_file_of("others/third", "x", THIRD);
	put_directory("shared", 01777, 0);
	put_file_of("shared/roots", "x", 0);
	put_file_of("shared/others", "x", OTHER);
	put_directory("open", 0777, 0);
	put_file_of("open/roots", "x", 0);
	assert_int_equal(chmod(scratch, 0755), 0);
	assert_int_equal(controller_of("roots/own"), 0);
	assert_int_equal(controller_of("roots/given"), OTHER);
	assert_int_equal(controller_of("roots/link"), OTHER);
	assert_int_equal(controller_of("others/roots"), OTHER);
	assert_int_equal(controller_of("others/third"), PATH_WALK_NOBODY);
	assert_int_equal(controller_of("shared/roots"), 0);
	assert_int_equal(controller_of("shared/others"), OTHER);
	assert_int_equal(controller_of("open/roots"), PATH_WALK_NOBODY);
}

/* A link of another user into a directory that this user may not enter is refused. */
SCRATCH_TEST(input_is_opened_with_the_rights_of_its_controller)
{
	struct path_walk w;

	need_root();
	put_directory("closed", 0700, 0);
	put_file_of("closed/file", "x", 0);
	put_directory("others", 0755, OTHER);
	put_link("others/link", "../closed/file", OTHER);
	assert_int_equal(chmod(scratch, 0755), 0);
	assert_int_equal(path_walk__find_input(&w, "others/link"), -EACCES);
	put_file_of("closed/given", "x", OTHER);
	assert_int_equal(path_walk__find_input(&w, "closed/given"), 0);
	path_walk__close(&w);
	assert_int_equal(access("closed/file", R_OK), 0);
}

static void check_output(const char *path, int err)
{
	struct path_walk w;
	int found = path_walk__find_output(&w, path);

	if (!found)
		path_walk__close(&w);
	assert_int_equal(found, err);
}

SCRATCH_TEST(root_refuses_links_out_of_the_directories_of_another_user)
{
	need_root();
	put_directory("roots", 0755, 0);
	put_file_of("roots/file", "x", 0);
	put_directory("others", 0755, OTHER);
	put_directory("others/d", 0755, OTHER);
	put_link("others/out", "../roots/file", OTHER);
	put_link("others/up", "../roots", OTHER);
	put_link("others/in", "d/new", OTHER);
	put_link("others/by-root", "../roots/new", 0);
	check_output("others/out", -EACCES);
	check_output("others/up/new", -EACCES);
	check_output("others/in", 0);
	check_output("others/by-root", 0);
	setenv("SUDO_UID", "61002", 1);
	setenv("SUDO_GID", "61002", 1);
	check_output("others/out", 0);
}

/* Independent of fs.protected_symlinks. */
SCRATCH_TEST(link_of_another_user_in_a_shared_directory_is_refused)
{
	need_root();
	put_directory("shared", 01777, 0);
	put_file_of("shared/file", "x", OTHER);
	put_link("shared/others", "file", OTHER);
	put_link("shared/third", "file", THIRD);
	put_link("shared/roots", "file", 0);
	assert_int_equal(chmod(scratch, 0755), 0);
	check_output("shared/others", -EACCES);
	assert_int_equal(seteuid(OTHER), 0);
	check_output("shared/others", 0);
	check_output("shared/third", -EACCES);
	check_output("shared/roots", 0);
	assert_int_equal(seteuid(0), 0);
}

static void check_open(const char *path, int expected)
{
	struct atomic_file *f = NULL;
	int err = atomic_file__open(&f, path);

	if (!err)
		atomic_file__abort(f);
	assert_int_equal(err, expected);
}

/* As fs.protected_regular: the file of the directory's owner, one's own and root's may be written.
 */
SCRATCH_TEST(file_of_another_user_in_a_shared_directory_is_refused)
{
	need_root();
	put_directory("theirs", 01777, OTHER);
	put_file_of("theirs/others", "x", OTHER);
	put_file_of("theirs/third", "x", THIRD);
	put_file_of("theirs/roots", "x", 0);
	check_open("theirs/others", 0);
	check_open("theirs/third", -EACCES);
	check_open("theirs/roots", 0);
}

static void write_below(int dir, const char *name, int expected)
{
	struct atomic_file *f = NULL;
	int err = atomic_file__open_below(&f, dir, name);

	assert_int_equal(err, expected);
	if (err)
		return;
	fputs("new", atomic_file__stream(f));
	assert_int_equal(atomic_file__commit(f), 0);
}

SCRATCH_TEST(links_below_a_directory_are_not_followed)
{
	int dir;

	put_directory("d", 0755, geteuid());
	put_directory("elsewhere", 0755, geteuid());
	put_file_of("elsewhere/kept", "kept", geteuid());
	put_link("d/file", "../elsewhere/kept", geteuid());
	put_link("d/cells", "../elsewhere", geteuid());
	dir = open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	write_below(dir, "file", 0);
	write_below(dir, "cells/new", -ENOTDIR);
	write_below(dir, "a/b/c", -ENOENT);
	close(dir);
	check_content("elsewhere/kept", "kept");
	check_content("d/file", "new");
	assert_int_not_equal(access("elsewhere/new", F_OK), 0);
}

/* A marker with a second hard link may be another user's file: nothing is appended to it. */
SCRATCH_TEST(marker_with_two_names_is_not_written)
{
	struct managed_dir d = MANAGED_DIR_INIT;

	put_directory("d", 0755, geteuid());
	put_file_of("victim", "netiotrace.files/1 test\n", geteuid());
	assert_int_equal(managed_dir__open(&d, "d", "test"), 0);
	assert_int_equal(managed_dir__mark(&d, "test"), 0);
	assert_int_equal(unlink("d/" MANAGED_DIR_MARKER), 0);
	assert_int_equal(link("victim", "d/" MANAGED_DIR_MARKER), 0);
	assert_int_equal(managed_dir__claim(&d, "file"), -EPERM);
	check_content("victim", "netiotrace.files/1 test\n");
	managed_dir__close(&d);
	/* A FIFO in place of the marker is not a marker, and opening it does not block. */
	assert_int_equal(unlink("d/" MANAGED_DIR_MARKER), 0);
	assert_int_equal(mkfifo("d/" MANAGED_DIR_MARKER, 0600), 0);
	assert_int_not_equal(managed_dir__open(&d, "d", "test"), 0);
	managed_dir__close(&d);
}

/* The groups come back once, also if a failure makes the caller come back twice. */
SCRATCH_TEST(process_has_its_groups_again_when_it_acts_as_itself)
{
	gid_t before[64], now[64];
	int nr = getgroups(64, before);
	struct path_walk w;

	need_root();
	assert_true(nr >= 0);
	assert_int_equal(setgroups(1, (gid_t[]){4711}), 0);
	put_directory("d", 0755, OTHER);
	put_file_of("d/file", "x", OTHER);
	assert_int_equal(path_walk__find_input(&w, "d/file"), 0);
	assert_int_equal(path_walk__act_as_controller(&w), 0);
	assert_int_equal(getgroups(64, now), 0);
	for (int i = 0; i < 2; i++) {
		path_walk__act_as_self();
		assert_int_equal(getgroups(64, now), 1);
		assert_int_equal(now[0], 4711);
	}
	path_walk__close(&w);
	assert_int_equal(setgroups((size_t)nr, before), 0);
}
