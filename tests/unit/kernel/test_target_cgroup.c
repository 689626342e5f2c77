/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes of a tree of cgroups, on ordinary directories with cgroup.procs files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/target.h"
#include "support/scratch.h"

#define DEPTH 3000

struct seen {
	unsigned int nr;
	bool pid[DEPTH + 100];
	unsigned int descriptors; /* largest number open at once */
};

static unsigned int open_descriptors(void)
{
	unsigned int n = 0;

	for (int fd = 0; fd < 1000; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void see(void *arg, pid_t pid)
{
	struct seen *seen = arg;
	unsigned int n = pid % 500 ? 0 : open_descriptors();

	assert_in_range(pid, 1, DEPTH + 99);
	assert_false(seen->pid[pid]);
	seen->pid[pid] = true;
	seen->nr++;
	if (n > seen->descriptors)
		seen->descriptors = n;
}

static void put_procs(int dir, const char *text)
{
	int fd = openat(dir, "cgroup.procs", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int below(int dir, const char *name)
{
	int fd;

	assert_int_equal(mkdirat(dir, name, 0700), 0);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* The tree of each test is "tree". */
static int make_tree(void)
{
	return below(AT_FDCWD, "tree");
}

/* Names that make the whole path several times PATH_MAX. */
SCRATCH_TEST(tree_deeper_than_PATH_MAX_is_walked)
{
	static struct seen seen;
	unsigned int before = open_descriptors();
	char pid[16];
	int dir = make_tree();

	put_procs(dir, "1\n");
	for (int i = 2; i <= DEPTH; i++) {
		int next = below(dir, "a-name-of-some-length");

		close(dir);
		dir = next;
		snprintf(pid, sizeof(pid), "%d\n", i);
		put_procs(dir, pid);
	}
	close(dir);
	assert_int_equal(target__by_cgroup("tree", see, &seen), 0);
	assert_int_equal(seen.nr, DEPTH);
	assert_in_range(seen.descriptors, before, before + 4);
	assert_int_equal(open_descriptors(), before);
}

/* The walk returns to the parent after each branch. */
SCRATCH_TEST(every_branch_of_a_tree_is_walked_once)
{
	static struct seen seen;
	char name[32], pid[32];
	int dir = make_tree(), pids = 1;

	put_procs(dir, "1\n");
	for (int i = 0; i < 30; i++) {
		int child, grandchild;

		snprintf(name, sizeof(name), "child-%d", i);
		child = below(dir, name);
		snprintf(pid, sizeof(pid), "%d\n%d\n", pids + 1, pids + 2);
		put_procs(child, pid);
		grandchild = below(child, "below");
		snprintf(pid, sizeof(pid), "%d\n", pids + 3);
		put_procs(grandchild, pid);
		pids += 3;
		close(grandchild);
		close(child);
	}
	close(below(dir, "no-procs-file"));
	close(dir);
	assert_int_equal(target__by_cgroup("tree", see, &seen), 0);
	assert_int_equal(seen.nr, pids);
}

SCRATCH_TEST(directory_without_cgroup_procs_gives_ENOENT)
{
	assert_int_equal(target__by_cgroup("tree", see, NULL), -ENOENT);
	close(make_tree());
	assert_int_equal(target__by_cgroup("tree", see, NULL), -ENOENT);
}
