/* SPDX-License-Identifier: GPL-2.0-only */
/* A managed directory: only the names in its marker are ever removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/managed_dir.h"

static char dir[64], outside[96];

static void path_of(char *buf, size_t len, const char *name)
{
	snprintf(buf, len, "%s/%s", dir, name);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void write_file(const char *name, const char *text)
{
	char path[256];

	path_of(path, sizeof(path), name);
	write_text(path, text);
}

static bool is_there(const char *name)
{
	char path[256];
	struct stat st;

	path_of(path, sizeof(path), name);
	return !lstat(path, &st);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/netiotrace-owned-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(outside, sizeof(outside), "%s-outside", dir);
	write_text(outside, "mine");
	return 0;
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	unlink(outside);
	return system(command);
}

static void open_it(struct managed_dir *d)
{
	assert_int_equal(managed_dir__open(d, dir, "report"), 0);
}

static void claim_and_write(struct managed_dir *d, const char *name)
{
	assert_int_equal(managed_dir__claim(d, name), 0);
	write_file(name, "ours");
}

static void only_claimed_files_are_removed(void **state)
{
	struct managed_dir d;
	char name[256];

	(void)state;
	open_it(&d);
	assert_false(d.marked);
	assert_int_equal(managed_dir__mark(&d, "report"), 0);
	claim_and_write(&d, "report.html");
	claim_and_write(&d, "data/a.csv");
	assert_int_equal(managed_dir__stranger(&d, name, sizeof(name)), 0);
	assert_string_equal(name, "");
	managed_dir__close(&d);

	write_file("data/thesis.csv", "mine");
	open_it(&d);
	assert_true(d.marked);
	assert_int_equal(managed_dir__stranger(&d, name, sizeof(name)), 0);
	assert_string_equal(name, "data/thesis.csv");
	assert_int_equal(managed_dir__remove(&d, dir), -ENOTEMPTY);
	assert_false(is_there("report.html"));
	assert_false(is_there("data/a.csv"));
	assert_true(is_there("data/thesis.csv"));
	managed_dir__close(&d);
}

static void directory_with_own_files_only_is_removed(void **state)
{
	struct managed_dir d;

	(void)state;
	open_it(&d);
	assert_int_equal(managed_dir__mark(&d, "report"), 0);
	claim_and_write(&d, "a.svg");
	claim_and_write(&d, "data/a.csv");
	assert_int_equal(managed_dir__claim(&d, "never-written"), 0);
	assert_int_equal(managed_dir__remove(&d, dir), 0);
	assert_true(access(dir, F_OK) && errno == ENOENT);
	managed_dir__close(&d);
}

/* Two processes remove the directory at once; the second finds fewer files. */
static void files_already_gone_are_no_error(void **state)
{
	struct managed_dir d;
	char marker[256], data[256];

	(void)state;
	path_of(marker, sizeof(marker), MANAGED_DIR_MARKER);
	path_of(data, sizeof(data), "data");
	open_it(&d);
	assert_int_equal(managed_dir__mark(&d, "report"), 0);
	assert_int_equal(managed_dir__claim(&d, "data/a.csv"), 0);
	assert_int_equal(rmdir(data), 0);
	assert_int_equal(unlink(marker), 0);
	assert_int_equal(managed_dir__remove(&d, dir), 0);
	assert_true(access(dir, F_OK) && errno == ENOENT);
	managed_dir__close(&d);
}

static void directory_without_a_marker_is_foreign(void **state)
{
	struct managed_dir d;
	char name[256];

	(void)state;
	write_file("photo.png", "mine");
	open_it(&d);
	assert_false(d.marked);
	assert_int_equal(managed_dir__stranger(&d, name, sizeof(name)), 0);
	assert_string_equal(name, "photo.png");
	assert_int_equal(managed_dir__claim(&d, "other.png"), -EINVAL);
	assert_int_equal(managed_dir__remove(&d, dir), -ENOTEMPTY);
	assert_true(is_there("photo.png"));
	managed_dir__close(&d);
}

static void directory_of_another_command_is_foreign(void **state)
{
	struct managed_dir d;

	(void)state;
	write_file(MANAGED_DIR_MARKER, "netiotrace.files/1 sweep\nresults.csv\n");
	write_file("results.csv", "a sweep's");
	open_it(&d);
	assert_false(d.marked);
	assert_false(managed_dir__names(&d, "results.csv"));
	assert_int_equal(managed_dir__mark(&d, "report"), -EEXIST);
	managed_dir__close(&d);
}

static void existing_file_is_not_claimed(void **state)
{
	struct managed_dir d;

	(void)state;
	open_it(&d);
	assert_int_equal(managed_dir__mark(&d, "report"), 0);
	write_file("report.md", "mine");
	assert_int_equal(managed_dir__claim(&d, "report.md"), -EEXIST);
	assert_false(managed_dir__names(&d, "report.md"));
	managed_dir__close(&d);
}

/* A marker with hostile content. */
static void names_that_lead_outside_are_not_followed(void **state)
{
	static const char *const bad[] = {"../x", "/etc/passwd", "..",  "a/../b", "a/b/c", "",
					  "a/",   ".",           "a/.", "a/..",   "./a"};
	struct managed_dir d;
	char text[512], link[256];

	(void)state;
	snprintf(text, sizeof(text), "netiotrace.files/1 report\n../%s\n%s\nlink/../../%s\n",
		 strrchr(outside, '/') + 1, outside, strrchr(outside, '/') + 1);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "to/%s\n",
		 strrchr(outside, '/') + 1);
	write_file(MANAGED_DIR_MARKER, text);
	path_of(link, sizeof(link), "to");
	assert_int_equal(symlink("/tmp", link), 0);
	open_it(&d);
	assert_true(d.marked);
	assert_true(managed_dir__remove(&d, dir) < 0);
	assert_int_equal(access(outside, F_OK), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(managed_dir__claim(&d, bad[i]), -EINVAL);
	assert_int_equal(managed_dir__claim(&d, ".hidden"), 0);
	assert_int_equal(managed_dir__claim(&d, "..."), 0);
	managed_dir__close(&d);
}

/* Killed while the marker was written, or in the middle of a line. */
static void incomplete_marker_of_a_killed_writer_is_valid(void **state)
{
	struct managed_dir d;
	char name[256];

	(void)state;
	write_file(MANAGED_DIR_MARKER, "");
	open_it(&d);
	assert_true(d.marked);
	assert_int_equal(managed_dir__mark(&d, "report"), 0);
	assert_int_equal(managed_dir__claim(&d, "a.svg"), 0);
	managed_dir__close(&d);
	write_file(MANAGED_DIR_MARKER, "netiotrace.files/1 report\na.svg\nb.s");
	write_file("b.s", "mine");
	open_it(&d);
	assert_true(managed_dir__names(&d, "a.svg"));
	assert_false(managed_dir__names(&d, "b.s"));
	assert_int_equal(managed_dir__claim(&d, "b.svg"), 0);
	managed_dir__close(&d);
	open_it(&d);
	assert_true(managed_dir__names(&d, "b.svg"));
	assert_false(managed_dir__names(&d, "b.s"));
	assert_int_equal(managed_dir__stranger(&d, name, sizeof(name)), 0);
	assert_string_equal(name, "b.s");
	managed_dir__close(&d);
}

static void make_directory(const char *name)
{
	char path[256];

	path_of(path, sizeof(path), name);
	assert_int_equal(mkdir(path, 0777), 0);
}

static void check_stranger(const struct managed_dir *d, const char *expected)
{
	char name[256];

	assert_int_equal(managed_dir__stranger(d, name, sizeof(name)), 0);
	assert_string_equal(name, expected);
}

/* Directories with the prefix or the length of a claimed name are foreign, even if empty. */
static void directory_with_a_similar_name_is_foreign(void **state)
{
	static const char *const theirs[] = {"dat", "mine", "50%%"};
	struct managed_dir d;
	char path[256];

	(void)state;
	open_it(&d);
	assert_int_equal(managed_dir__mark(&d, "report"), 0);
	claim_and_write(&d, "data/a.csv");
	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
		check_stranger(&d, "");
		make_directory(theirs[i]);
		check_stranger(&d, theirs[i]);
		path_of(path, sizeof(path), theirs[i]);
		assert_int_equal(rmdir(path), 0);
	}
	managed_dir__close(&d);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static unsigned int open_descriptors(void)
{
	DIR *fds = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(fds);
	while (readdir(fds))
		n++;
	closedir(fds);
	return n;
}

/* Claiming, adding, listing and removing close each descriptor that they opened. */
static void no_descriptor_is_left_open(void **state)
{
	unsigned int before = open_descriptors();
	struct managed_dir d;
	char name[256];

	(void)state;
	open_it(&d);
	assert_int_equal(managed_dir__mark(&d, "report"), 0);
	claim_and_write(&d, "above.txt");
	claim_and_write(&d, "sub/below.txt");
	assert_int_equal(managed_dir__claim(&d, "sub/never-written"), 0);
	assert_int_equal(managed_dir__give(&d), 0);
	assert_int_equal(managed_dir__stranger(&d, name, sizeof(name)), 0);
	assert_int_equal(managed_dir__read(&d, "report"), 0);
	assert_int_equal(managed_dir__remove(&d, dir), 0);
	managed_dir__close(&d);
	assert_int_equal(open_descriptors(), before);
}

/* Links are never followed, so a link is not a marker; an unreadable marker is an error. */
static void marker_must_be_a_regular_file(void **state)
{
	struct managed_dir d;
	char path[256];

	(void)state;
	write_text(outside, "netiotrace.files/1 report\nmine\n");
	path_of(path, sizeof(path), MANAGED_DIR_MARKER);
	assert_int_equal(symlink(outside, path), 0);
	assert_int_equal(managed_dir__open(&d, dir, "report"), 0);
	assert_false(d.marked);
	assert_null(d.marker);
	assert_false(managed_dir__names(&d, "mine"));
	managed_dir__close(&d);
	assert_int_equal(unlink(path), 0);
	make_directory(MANAGED_DIR_MARKER);
	assert_int_equal(managed_dir__open(&d, dir, "report"), -EIO);
	assert_false(d.marked);
	managed_dir__close(&d);
}

/* A directory that cannot be listed is never reported as entirely ours. */
static void directory_that_cannot_be_listed_is_an_error(void **state)
{
	struct managed_dir d = MANAGED_DIR_INIT;
	char name[256];

	(void)state;
	assert_int_equal(managed_dir__stranger(&d, name, sizeof(name)), -EBADF);
	assert_string_equal(name, "");
}

/* A marker of the largest allowed size, and one byte more. */
static void marker_above_the_largest_size_is_an_error(void **state)
{
	struct managed_dir d;
	char path[256];

	(void)state;
	write_file(MANAGED_DIR_MARKER, "netiotrace.files/1 report\na.svg\n");
	path_of(path, sizeof(path), MANAGED_DIR_MARKER);
	assert_int_equal(truncate(path, 16 << 20), 0);
	assert_int_equal(managed_dir__open(&d, dir, "report"), 0);
	assert_true(d.marked);
	assert_true(managed_dir__names(&d, "a.svg"));
	managed_dir__close(&d);
	assert_int_equal(truncate(path, (16 << 20) + 1), 0);
	assert_int_equal(managed_dir__open(&d, dir, "report"), -EIO);
	managed_dir__close(&d);
}

static void open_ignores_the_previous_struct(void **state)
{
	struct managed_dir d;

	(void)state;
	memset(&d, 0x5a, sizeof(d));
	assert_int_equal(managed_dir__open(&d, dir, "sweep"), 0);
	assert_false(d.marked);
	assert_null(d.marker);
	assert_true(managed_dir__is_unused(&d));
	managed_dir__close(&d);
	memset(&d, 0x5a, sizeof(d));
	assert_int_equal(managed_dir__open(&d, "/nowhere", "sweep"), -ENOENT);
	assert_null(d.marker);
	managed_dir__close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(only_claimed_files_are_removed),
		WITH_DIR(directory_with_own_files_only_is_removed),
		WITH_DIR(files_already_gone_are_no_error),
		WITH_DIR(directory_without_a_marker_is_foreign),
		WITH_DIR(directory_of_another_command_is_foreign),
		WITH_DIR(directory_with_a_similar_name_is_foreign),
		WITH_DIR(existing_file_is_not_claimed),
		WITH_DIR(names_that_lead_outside_are_not_followed),
		WITH_DIR(incomplete_marker_of_a_killed_writer_is_valid),
		WITH_DIR(no_descriptor_is_left_open),
		WITH_DIR(marker_must_be_a_regular_file),
		WITH_DIR(directory_that_cannot_be_listed_is_an_error),
		WITH_DIR(marker_above_the_largest_size_is_an_error),
		WITH_DIR(open_ignores_the_previous_struct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
