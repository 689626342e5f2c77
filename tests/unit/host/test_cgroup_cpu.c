/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU quotas: which cgroup has them, what the files say, and hostile text. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "host/cgroup_cpu.h"
#include "support/test.h"

#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT                                                            \
	"31 24 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n" \
	"32 24 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:3 - cgroup cgroup rw,cpu,cpuacct\n"

static const struct find_case {
	const char *cgroups, *mounts, *dir; /* dir NULL: err */
	size_t root;
	bool v1;
	int err;
} finds[] = {
	{"0::/a/b\n", V2_MOUNT, "/sys/fs/cgroup/a/b", 14, false, 0},
	{"0::/a/b", V2_MOUNT, "/sys/fs/cgroup/a/b", 14, false, 0}, /* without a newline */
	{"0::/\n", V2_MOUNT, "/sys/fs/cgroup", 14, false, 0},
	{"0::/a:b/c d\n", V2_MOUNT, "/sys/fs/cgroup/a:b/c d", 14, false, 0},
	{"2:cpuset:/no\n1:cpu,cpuacct:/x\n0::/y\n", V2_MOUNT V1_MOUNT,
	 "/sys/fs/cgroup/cpu,cpuacct/x", 26, true, 0},
	{"2:cpuset:/no\n1:cpuacct:/no\n0::/y\n", V1_MOUNT V2_MOUNT, "/sys/fs/cgroup/y", 14, false,
	 0},
	/* A container's mount shows a part of the tree. */
	{"0::/docker/abc\n", "1 2 0:3 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
	 "/sys/fs/cgroup", 14, false, 0},
	{"0::/docker/abc/in\n", "1 2 0:3 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
	 "/sys/fs/cgroup/in", 14, false, 0},
	{"0::/docker/abcd\n", "1 2 0:3 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n", NULL,
	 0, false, -EXDEV},
	/* Above the root of a cgroup namespace: not /sys/fs/x. */
	{"0::/../x\n", V2_MOUNT, NULL, 0, false, -EXDEV},
	{"0::/..\n", V2_MOUNT, NULL, 0, false, -EXDEV},
	{"0::/..x\n", V2_MOUNT, "/sys/fs/cgroup/..x", 14, false, 0},
	{"0::/\n", V1_MOUNT, NULL, 0, false, -EXDEV},
	{"0::/\n", "", NULL, 0, false, -EXDEV},
	{"0::/\n", "1 2 - cgroup2\n - \n1 2 0:3 / /x rw - cgroup2 cgroup2", NULL, 0, false, -EXDEV},
	{"", V2_MOUNT, NULL, 0, false, -ENOENT},
	{"no cgroup at all\n:\n::\n\n3:cpuset:/\n", V2_MOUNT, NULL, 0, false, -ENOENT},
};

TEST(cgroup_with_the_quota_is_found)
{
	for (size_t i = 0; i < sizeof(finds) / sizeof(finds[0]); i++) {
		const struct find_case *c = &finds[i];
		char dir[PATH_MAX] = "";
		size_t root = 0;
		bool v1;
		int err = cgroup_cpu__find(c->cgroups, c->mounts, dir, sizeof(dir), &root, &v1);

		if (err != c->err || strcmp(dir, c->dir ? c->dir : "") || root != c->root)
			fail_msg("%s: %d %s %zu", c->cgroups, err, dir, root);
		assert_true(err || v1 == c->v1);
	}
}

TEST(cgroup_path_that_does_not_fit_is_refused)
{
	char cgroups[600] = "0::/", dir[64];
	size_t root;
	bool v1;

	memset(cgroups + 4, 'x', 500);
	assert_int_equal(cgroup_cpu__find(cgroups, V2_MOUNT, dir, sizeof(dir), &root, &v1),
			 -ENAMETOOLONG);
}

TEST(quota_is_in_cpus)
{
	static const char *const impossible[] = {
		"",
		"20000",
		"max",
		"0 100000",
		"-2 100000",
		"20000 0",
		"20000 -100000",
		"20000 100000 1",
		"99999999999999999999 100000",
		"20000 99999999999",
		"0x10 100000",
		"20000 1e5",
		"2000000000000000000000000000000000000 1",
		"max max",
	};

	assert_true(cgroup_cpu__parse_quota("20000 100000\n") == 0.2);
	assert_true(cgroup_cpu__parse_quota("250000 100000") == 2.5);
	assert_true(isinf(cgroup_cpu__parse_quota("max 100000\n")));
	assert_true(isinf(cgroup_cpu__parse_quota("-1 100000"))); /* v1 */
	for (size_t i = 0; i < sizeof(impossible) / sizeof(impossible[0]); i++)
		if (!isnan(cgroup_cpu__parse_quota(impossible[i])))
			fail_msg("%s", impossible[i]);
}

static void check_stat(const char *text, uint64_t periods, uint64_t throttled, uint64_t ns)
{
	struct throttling t = cgroup_cpu__parse_stat(text);

	assert_true(t.periods.known && t.throttled.known && t.ns.known);
	assert_int_equal(t.periods.value, periods);
	assert_int_equal(t.throttled.value, throttled);
	assert_int_equal(t.ns.value, ns);
}

TEST(throttling_is_read_from_both_versions)
{
	check_stat("usage_usec 5\nnr_periods 104\nnr_throttled 102\nthrottled_usec 6700000\n"
		   "nr_bursts 1\nburst_usec 2\n",
		   104, 102, 6700000000);
	check_stat("nr_periods 104\nnr_throttled 102\nthrottled_time 6700000000", 104, 102,
		   6700000000);
	check_stat("", 0, 0, 0);
	check_stat("nr_periods -1\nnr_throttled 99999999999999999999\nthrottled_usec x\n\n\n", 0, 0,
		   0);
	check_stat("throttled_usec 9223372036854775807\n", 0, 0, 0); /* no overflow */
	check_stat("nr_periods\nnr_throttled 7", 0, 7, 0);
}

static struct throttling counts(uint64_t periods, uint64_t throttled, uint64_t ns)
{
	return (struct throttling){num__known(periods), num__known(throttled), num__known(ns)};
}

TEST(throttling_of_a_session_is_that_of_the_level_that_was_stopped_most)
{
	struct cgroup_cpu a = {.quota = real__known(1), .levels_nr = 3}, b = a;
	struct throttling t;

	a.levels[0] = b.levels[0] = counts(10, 10, 10);
	a.levels[1] = counts(100, 20, 1000);
	b.levels[1] = counts(204, 122, 8000);
	a.levels[2] = counts(0, 0, 0);
	b.levels[2] = counts(104, 3, 500);
	t = cgroup_cpu__between(&a, &b);
	assert_int_equal(t.periods.value, 104);
	assert_int_equal(t.throttled.value, 102);
	assert_int_equal(t.ns.value, 7000);
	t = cgroup_cpu__between(&b, &a); /* went back */
	assert_false(t.periods.known || t.throttled.known || t.ns.known);
	assert_non_null(t.throttled.reason);
	b.levels_nr = 2;
	assert_false(cgroup_cpu__between(&a, &b).throttled.known);
	a = b = (struct cgroup_cpu){.quota = real__unknown("no right")};
	assert_string_equal(cgroup_cpu__between(&a, &b).ns.reason, "no right");
	a = b = (struct cgroup_cpu){.quota = real__unknown(QUOTA_UNLIMITED)};
	assert_true(cgroup_cpu__between(&a, &b).ns.known);
}

TEST(quota_of_this_process_is_known_or_has_a_reason)
{
	struct cgroup_cpu c;

	cgroup_cpu__read(&c);
	assert_true(c.quota.known ? c.quota.value > 0 : c.quota.reason != NULL);
}
