/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of cgroups by id, in a tree of directories: the id of a cgroup is its inode number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/loop.h"
#include "common/xalloc.h"
#include "export/cgroup_names.h"
#include "support/test.h"

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID   "0f1e2d3c-1111-2222-3333-444455556666"
#define POD   "/cgroup/kubepods/besteffort/pod" UID

static char root[64];
static struct cgroup_names names;

/* Returns the inode number. */
static uint64_t make(const char *path)
{
	char whole[1024];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(mkdir(whole, 0755), 0);
	assert_int_equal(stat(whole, &st), 0);
	return st.st_ino;
}

static void remove_cgroup(const char *path)
{
	char whole[128];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(rmdir(whole), 0);
}

static void make_log(const char *name)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s/var/log/containers/%s", root, name);
	assert_int_equal(symlink("/nowhere", whole), 0);
}

static int make_tree(void **state)
{
	static const char *const directories[] = {"/cgroup",
						  "/cgroup/kubepods",
						  "/cgroup/kubepods/besteffort",
						  POD,
						  "/var",
						  "/var/log",
						  "/var/log/containers",
						  "/var/log/pods",
						  "/var/log/pods/shop_web-0_" UID};
	char mount[128];

	(void)state;
	strcpy(root, "/tmp/cgroup_names.XXXXXX");
	assert_non_null(mkdtemp(root));
	for_each_case(directory, directories)
		make(*directory);
	snprintf(mount, sizeof(mount), "%s/cgroup", root);
	cgroup_names__init(&names, xstrdup(mount), root);
	return 0;
}

static int remove_tree(void **state)
{
	char command[128];

	(void)state;
	cgroup_names__clear(&names);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static const struct cgroup_group *find(uint64_t id)
{
	return cgroup_names__find(&names, id, loop__now_ns(), true);
}

TEST_WITH(containers_of_a_pod_are_groups_of_their_own_that_survive_a_restart, make_tree,
	  remove_tree)
{
	uint64_t first = make(POD "/" ID), second;
	const struct cgroup_group *group;

	make_log("web-0_shop_nginx-" ID ".log");
	group = find(first);
	assert_string_equal(group->name, "pod-" UID "/nginx");
	assert_string_equal(group->pod->namespace, "shop");
	assert_string_equal(group->pod->pod, "web-0");
	assert_string_equal(group->pod->container, "nginx");
	/* The container starts again: another id and cgroup, the same name. */
	second = make(POD "/" OTHER);
	make_log("web-0_shop_nginx-" OTHER ".log");
	assert_string_equal(find(second)->name, "pod-" UID "/nginx");
}

/* Searches are at least 50 ms apart. */
static const struct cgroup_group *find_again(uint64_t id)
{
	usleep(60000);
	return find(id);
}

TEST_WITH(name_of_a_container_that_comes_after_its_first_socket_is_found, make_tree, remove_tree)
{
	uint64_t id = make(POD "/" ID);
	const struct cgroup_group *group = find(id);

	assert_string_equal(group->name, "pod-" UID "/" ID);
	assert_string_equal(group->pod->pod, "web-0");
	assert_string_equal(group->pod->container, "");
	assert_true(group->waits);
	make_log("web-0_shop_nginx-" ID ".log");
	group = find_again(id);
	assert_string_equal(group->name, "pod-" UID "/nginx");
	assert_string_equal(group->pod->container, "nginx");
	assert_false(group->waits);
	/* Without a name in time the id stays, also if a name comes then. */
	names.wait_ns = 0;
	id = make(POD "/" OTHER);
	assert_false(find(id)->waits);
	make_log("web-0_shop_sidecar-" OTHER ".log");
	assert_string_equal(find_again(id)->name, "pod-" UID "/" OTHER);
	/* A pod's own cgroup has no such name. */
	names.wait_ns = UINT64_MAX;
	id = make("/cgroup/kubepods/pod0f1e2d3c-1111-2222-3333-444455556667");
	assert_false(find(id)->waits);
}

static void count(void *arg, const char *group)
{
	*(size_t *)arg += !strcmp(group, "x.service");
}

TEST_WITH(names_outlive_their_cgroups_but_are_no_longer_among_the_existing, make_tree, remove_tree)
{
	uint64_t id = make("/cgroup/x.service");
	size_t nr = 0;

	assert_string_equal(find(id)->name, "x.service");
	assert_null(find(id)->pod);
	assert_int_equal(cgroup_names__each(&names, count, &nr), 0);
	assert_int_equal(nr, 1);
	remove_cgroup("/cgroup/x.service");
	assert_int_equal(cgroup_names__each(&names, count, &nr), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(find(id)->name, "x.service");
	assert_null(find(0));
}

/* Its socket would move to another group, and its bytes count twice. */
TEST_WITH(name_that_a_socket_has_is_kept_however_many_cgroups_come_and_go, make_tree, remove_tree)
{
	uint64_t kept = make("/cgroup/kept.service");
	char path[64];
	size_t nr = 0;

	names.most = 20;
	assert_non_null(find(kept));
	for (int i = 0; i < 60; i++) {
		snprintf(path, sizeof(path), "/cgroup/%d.service", i);
		assert_non_null(find(make(path)));
		if (i == 30)
			remove_cgroup("/cgroup/kept.service");
		if (i % 10 == 0)
			cgroup_names__refresh(&names);
		assert_string_equal(find(kept)->name, "kept.service");
	}
	assert_true(names.nr > 60);
	make("/cgroup/new.service");
	for (int i = 0; i < 60; i++) {
		snprintf(path, sizeof(path), "/cgroup/%d.service", i);
		remove_cgroup(path);
	}
	for (int i = 0; i < 3; i++) {
		cgroup_names__refresh(&names);
		assert_string_equal(find(kept)->name, "kept.service");
	}
	assert_int_equal(cgroup_names__each(&names, count, &nr), 0);
	assert_true(names.nr < 20);
	assert_string_equal(find(kept)->name, "kept.service");
}

/* A name that comes a refresh later would count the bytes of an open socket for two groups. */
TEST_WITH(group_of_an_open_socket_is_found_at_once, make_tree, remove_tree)
{
	uint64_t id;
	size_t nr = 0;

	assert_int_equal(cgroup_names__each(&names, count, &nr), 0);
	id = make("/cgroup/x.service");
	assert_null(cgroup_names__find(&names, id, loop__now_ns(), false));
	assert_non_null(cgroup_names__find(&names, id, loop__now_ns(), true));
}
