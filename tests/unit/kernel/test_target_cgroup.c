/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes of a tree of cgroups, on ordinary directories that look like one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/target.h"
#include "support/test.h"

#define DEPTH 3000

struct seen {
	unsigned int nr;
	bool pid[DEPTH + 100];
	unsigned int descriptors; /* the most that were open */
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

static int make_tree(char path[32])
{
	int fd;

	strcpy(path, "/tmp/netiotrace-test-XXXXXX");
	assert_non_null(mkdtemp(path));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void remove_tree(const char *path)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", path);
	assert_int_equal(system(command), 0);
}

/* A name a level that makes the whole path several times PATH_MAX. */
TEST(a_tree_of_any_depth_is_walked)
{
	static struct seen seen;
	unsigned int before = open_descriptors();
	char path[32], pid[16];
	int dir = make_tree(path);

	put_procs(dir, "1\n");
	for (int i = 2; i <= DEPTH; i++) {
		int next = below(dir, "a-name-of-some-length");

		close(dir);
		dir = next;
		snprintf(pid, sizeof(pid), "%d\n", i);
		put_procs(dir, pid);
	}
	close(dir);
	assert_int_equal(target__by_cgroup(path, see, &seen), 0);
	assert_int_equal(seen.nr, DEPTH);
	assert_in_range(seen.descriptors, before, before + 4);
	assert_int_equal(open_descriptors(), before);
	remove_tree(path);
}

/* After each way down the walk comes back to where it was. */
TEST(every_branch_is_walked_once)
{
	static struct seen seen;
	char path[32], name[16], pid[32];
	int dir = make_tree(path), pids = 1;

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
	assert_int_equal(target__by_cgroup(path, see, &seen), 0);
	assert_int_equal(seen.nr, pids);
	remove_tree(path);
}

TEST(what_is_no_cgroup_is_an_error)
{
	char path[32];
	int dir = make_tree(path);

	close(dir);
	assert_int_equal(target__by_cgroup(path, see, NULL), -ENOENT);
	remove_tree(path);
	assert_int_equal(target__by_cgroup(path, see, NULL), -ENOENT);
}
