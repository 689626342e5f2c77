/* SPDX-License-Identifier: GPL-2.0-only */
/* A managed directory: only the names in its marker are ever removed. */
#include <errno.h>
#include <string.h>

#include "base/managed_dir.h"
#include "support/entries.h"
#include "support/scratch.h"

/* The directory of each test is "d"; "outside" is beside it. */
static int enter(void **state)
{
	if (enter_scratch(state) || mkdir("d", 0777))
		return -1;
	put_file("outside", "mine");
	return 0;
}

#define WITH_DIR(name) TEST_WITH(name, enter, leave_scratch)

static bool is_there(const char *name)
{
	struct stat st;

	return !lstat(name, &st);
}

static struct managed_dir opened(void)
{
	struct managed_dir d;

	assert_int_equal(managed_dir__open(&d, "d", "report"), 0);
	return d;
}

static struct managed_dir marked(void)
{
	struct managed_dir d = opened();

	assert_false(d.marked);
	assert_int_equal(managed_dir__mark(&d, "report"), 0);
	assert_true(d.marked);
	return d;
}

static void claim_and_write(struct managed_dir *d, const char *name)
{
	char path[256];

	assert_int_equal(managed_dir__claim(d, name), 0);
	snprintf(path, sizeof(path), "d/%s", name);
	put_file(path, "ours");
}

static void check_foreign(const struct managed_dir *d, const char *expected)
{
	char name[256];

	assert_int_equal(managed_dir__find_foreign(d, name, sizeof(name)), 0);
	assert_string_equal(name, expected);
}

WITH_DIR(only_claimed_files_are_removed)
{
	struct managed_dir d = marked();

	claim_and_write(&d, "report.html");
	claim_and_write(&d, "data/a.csv");
	check_foreign(&d, "");
	managed_dir__close(&d);

	put_file("d/data/thesis.csv", "mine");
	d = opened();
	assert_true(d.marked);
	check_foreign(&d, "data/thesis.csv");
	assert_int_equal(managed_dir__remove(&d, "d"), -ENOTEMPTY);
	assert_false(is_there("d/report.html") || is_there("d/data/a.csv"));
	assert_true(is_there("d/data/thesis.csv"));
	managed_dir__close(&d);
}

WITH_DIR(directory_with_own_files_only_is_removed)
{
	struct managed_dir d = marked();

	claim_and_write(&d, "a.svg");
	claim_and_write(&d, "data/a.csv");
	assert_int_equal(managed_dir__claim(&d, "never-written"), 0);
	assert_int_equal(managed_dir__remove(&d, "d"), 0);
	assert_false(is_there("d"));
	managed_dir__close(&d);
}

/* Two processes remove the directory at once; the second finds fewer files. */
WITH_DIR(files_already_gone_are_no_error)
{
	struct managed_dir d = marked();

	assert_int_equal(managed_dir__claim(&d, "data/a.csv"), 0);
	assert_int_equal(rmdir("d/data"), 0);
	assert_int_equal(unlink("d/" MANAGED_DIR_MARKER), 0);
	assert_int_equal(managed_dir__remove(&d, "d"), 0);
	assert_false(is_there("d"));
	managed_dir__close(&d);
}

WITH_DIR(directory_without_a_marker_is_foreign)
{
	struct managed_dir d;

	put_file("d/photo.png", "mine");
	d = opened();
	assert_false(d.marked);
	check_foreign(&d, "photo.png");
	assert_int_equal(managed_dir__claim(&d, "other.png"), -EINVAL);
	assert_int_equal(managed_dir__remove(&d, "d"), -ENOTEMPTY);
	assert_true(is_there("d/photo.png"));
	managed_dir__close(&d);
}

WITH_DIR(directory_of_another_command_is_foreign)
{
	static const char *const markers[] = {"netiotrace.files/1 sweep\nresults.csv\n",
					      "\nresults.csv\n"};

	for_each_case(marker, markers) {
		struct managed_dir d;

		put_file("d/" MANAGED_DIR_MARKER, *marker);
		put_file("d/results.csv", "a sweep's");
		d = opened();
		assert_false(d.marked);
		assert_false(managed_dir__names(&d, "results.csv"));
		assert_int_equal(managed_dir__mark(&d, "report"), -EEXIST);
		managed_dir__close(&d);
	}
}

WITH_DIR(existing_file_is_not_claimed)
{
	struct managed_dir d = marked();

	put_file("d/report.md", "mine");
	assert_int_equal(managed_dir__claim(&d, "report.md"), -EEXIST);
	assert_false(managed_dir__names(&d, "report.md"));
	managed_dir__close(&d);
}

/* A marker with hostile content. */
WITH_DIR(names_that_lead_outside_are_not_followed)
{
	static const char *const bad[] = {"../x", "/etc/passwd", "..",  "a/../b", "a/b/c", "",
					  "a/",   ".",           "a/.", "a/..",   "./a"};
	struct managed_dir d;
	char text[512];

	snprintf(text, sizeof(text),
		 "netiotrace.files/1 report\n../outside\n%s/outside\nlink/../../outside\n"
		 "to/outside\n",
		 scratch);
	put_file("d/" MANAGED_DIR_MARKER, text);
	assert_int_equal(symlink(scratch, "d/to"), 0);
	d = opened();
	assert_true(d.marked);
	assert_true(managed_dir__remove(&d, "d") < 0);
	assert_true(is_there("outside"));
	for_each_case(name, bad)
		assert_int_equal(managed_dir__claim(&d, *name), -EINVAL);
	assert_int_equal(managed_dir__claim(&d, ".hidden"), 0);
	assert_int_equal(managed_dir__claim(&d, "..."), 0);
	managed_dir__close(&d);
}

/* Killed while the first or a later line of the marker was written. */
WITH_DIR(incomplete_marker_of_a_killed_writer_is_valid)
{
	static const char *const begun[] = {"", "netiotr"};
	struct managed_dir d;

	for_each_case(text, begun) {
		put_file("d/" MANAGED_DIR_MARKER, *text);
		d = opened();
		assert_true(d.marked);
		assert_int_equal(managed_dir__mark(&d, "report"), 0);
		assert_int_equal(managed_dir__claim(&d, "a.svg"), 0);
		managed_dir__close(&d);
		check_content("d/" MANAGED_DIR_MARKER, "netiotrace.files/1 report\na.svg\n");
	}
	put_file("d/" MANAGED_DIR_MARKER, "netiotrace.files/1 report\na.svg\nb.s");
	put_file("d/b.s", "mine");
	d = opened();
	assert_true(managed_dir__names(&d, "a.svg"));
	assert_false(managed_dir__names(&d, "b.s"));
	assert_int_equal(managed_dir__claim(&d, "b.svg"), 0);
	managed_dir__close(&d);
	d = opened();
	assert_true(managed_dir__names(&d, "b.svg"));
	assert_false(managed_dir__names(&d, "b.s"));
	check_foreign(&d, "b.s");
	managed_dir__close(&d);
}

/* Directories with the prefix or the length of a claimed name are foreign, even if empty. */
WITH_DIR(directory_with_a_similar_name_is_foreign)
{
	static const char *const theirs[] = {"dat", "mine", "50%%"};
	struct managed_dir d = marked();
	char path[32];

	claim_and_write(&d, "data/a.csv");
	for_each_case(name, theirs) {
		check_foreign(&d, "");
		snprintf(path, sizeof(path), "d/%s", *name);
		assert_int_equal(mkdir(path, 0777), 0);
		check_foreign(&d, *name);
		assert_int_equal(rmdir(path), 0);
	}
	managed_dir__close(&d);
}

/* Claiming, adding, listing and removing close each descriptor that they opened. */
WITH_DIR(no_descriptor_is_left_open)
{
	unsigned int before = entries("/proc/self/fd");
	struct managed_dir d = marked();

	claim_and_write(&d, "above.txt");
	claim_and_write(&d, "sub/below.txt");
	assert_int_equal(managed_dir__claim(&d, "sub/never-written"), 0);
	assert_int_equal(managed_dir__give(&d), 0);
	check_foreign(&d, "");
	assert_int_equal(managed_dir__read(&d, "report"), 0);
	assert_int_equal(managed_dir__remove(&d, "d"), 0);
	managed_dir__close(&d);
	assert_int_equal(entries("/proc/self/fd"), before);
}

/* Links are never followed, so a link is not a marker; an unreadable marker is an error. */
WITH_DIR(marker_must_be_a_regular_file)
{
	struct managed_dir d;

	put_file("outside", "netiotrace.files/1 report\nmine\n");
	assert_int_equal(symlink("../outside", "d/" MANAGED_DIR_MARKER), 0);
	d = opened();
	assert_false(d.marked);
	assert_false(managed_dir__names(&d, "mine"));
	managed_dir__close(&d);
	assert_int_equal(unlink("d/" MANAGED_DIR_MARKER), 0);
	assert_int_equal(mkdir("d/" MANAGED_DIR_MARKER, 0777), 0);
	assert_int_equal(managed_dir__open(&d, "d", "report"), -EIO);
	assert_false(d.marked);
	managed_dir__close(&d);
}

/* A directory that cannot be listed is never reported as entirely ours. */
WITH_DIR(directory_that_cannot_be_listed_is_an_error)
{
	struct managed_dir d = MANAGED_DIR_INIT;
	char name[256];

	assert_int_equal(managed_dir__find_foreign(&d, name, sizeof(name)), -EBADF);
	assert_string_equal(name, "");
}

/* A marker of the largest allowed size, and one byte more. */
WITH_DIR(marker_above_the_largest_size_is_an_error)
{
	struct managed_dir d;

	put_file("d/" MANAGED_DIR_MARKER, "netiotrace.files/1 report\na.svg\n");
	assert_int_equal(truncate("d/" MANAGED_DIR_MARKER, 16 << 20), 0);
	d = opened();
	assert_true(d.marked);
	assert_true(managed_dir__names(&d, "a.svg"));
	managed_dir__close(&d);
	assert_int_equal(truncate("d/" MANAGED_DIR_MARKER, (16 << 20) + 1), 0);
	assert_int_equal(managed_dir__open(&d, "d", "report"), -EIO);
	managed_dir__close(&d);
}

WITH_DIR(open_ignores_the_previous_struct)
{
	struct managed_dir d;

	memset(&d, 0x5a, sizeof(d));
	assert_int_equal(managed_dir__open(&d, "d", "sweep"), 0);
	assert_false(d.marked);
	managed_dir__close(&d);
	memset(&d, 0x5a, sizeof(d));
	assert_int_equal(managed_dir__open(&d, "/nowhere", "sweep"), -ENOENT);
	managed_dir__close(&d);
}
