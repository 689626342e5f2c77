/* SPDX-License-Identifier: GPL-2.0-only */
/* Which resource limit of the process explains an error. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/spawn.h"
#include "base/resource_limits.h"
#include "support/test.h"

static struct limits none(void)
{
	struct limits l = {0};

	for (int i = 0; i < LIMIT_NR; i++)
		l.value[i] = UINT64_MAX;
	return l;
}

TEST(no_low_limit_blames_no_limit)
{
	static const int errors[] = {-ENOMEM, -EAGAIN, -EPERM, -ENOENT, -EOPNOTSUPP, 0};
	struct limits l = none();

	l.value[LIMIT_FILES] = 1024;
	l.value[LIMIT_LOCKED] = 65536;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		assert_int_equal(limits__culprit(&l, errors[i]), LIMIT_NR);
}

TEST(error_names_the_limit_behind_it)
{
	struct limits l = none();

	l.value[LIMIT_FILES] = 1024;
	assert_int_equal(limits__culprit(&l, -EMFILE), LIMIT_FILES);
	l.value[LIMIT_DATA] = 1ULL << 30;
	assert_int_equal(limits__culprit(&l, -ENOMEM), LIMIT_DATA);
	l.value[LIMIT_MEMORY] = 1ULL << 30;
	assert_int_equal(limits__culprit(&l, -ENOMEM), LIMIT_MEMORY);
	assert_int_equal(limits__culprit(&l, -EOPNOTSUPP), LIMIT_NR);
	l.value[LIMIT_THREADS] = 5;
	assert_int_equal(limits__culprit(&l, -EAGAIN), LIMIT_THREADS);
}

/* Before Linux 5.11 BPF maps count as locked memory, and the kernel returns EPERM. */
TEST(EPERM_on_old_kernels_blames_locked_memory)
{
	struct limits l = none();

	l.value[LIMIT_LOCKED] = 65536;
	assert_int_equal(limits__culprit(&l, -EPERM), LIMIT_NR);
	l.locked_counts = true;
	assert_int_equal(limits__culprit(&l, -EPERM), LIMIT_LOCKED);
	l.value[LIMIT_LOCKED] = UINT64_MAX;
	assert_int_equal(limits__culprit(&l, -EPERM), LIMIT_NR);
}

TEST(locked_memory_counts_BPF_maps_before_5_11)
{
	static const struct {
		const char *release;
		bool counts;
	} cases[] = {
		{"4.18.0-553.el8", true},  {"4.20", true},
		{"5.0.0", true},           {"5.10.200-1", true},
		{"5.11.0", false},         {"5.12", false},
		{"6.1.0-18-amd64", false}, {"6.12.3", false},
		{"10.2.1", false},         {"4", false},
		{"unreleased", false},     {"", false},
	};

	for_each_case(c, cases)
		assert_int_equal(limits__locked_counts(c->release), c->counts);
}

/* libbpf returns ESRCH if it has no memory to read the kernel's BTF. */
TEST(limit_below_its_minimum_explains_any_error)
{
	static const enum limit low[] = {LIMIT_FILES, LIMIT_MEMORY, LIMIT_DATA};

	for (size_t i = 0; i < sizeof(low) / sizeof(low[0]); i++) {
		struct limits l = none();

		l.value[low[i]] = limit_facts[low[i]].enough;
		assert_int_equal(limits__culprit(&l, -ESRCH), LIMIT_NR);
		l.value[low[i]]--;
		assert_int_equal(limits__culprit(&l, -ESRCH), low[i]);
	}
}

TEST(sentence_has_name_value_and_remedy)
{
	struct limits l = none();
	char text[256];

	l.value[LIMIT_FILES] = 8;
	limits__describe(text, sizeof(text), &l, LIMIT_FILES);
	assert_non_null(strstr(text, "RLIMIT_NOFILE"));
	assert_non_null(strstr(text, " 8 "));
	assert_non_null(strstr(text, "ulimit -n"));
	l.value[LIMIT_MEMORY] = 20480000;
	limits__describe(text, sizeof(text), &l, LIMIT_MEMORY);
	assert_non_null(strstr(text, "19.5 MiB"));
}

/* The soft limit becomes the hard limit; a child gets the original one. */
TEST(open_files_limit_is_raised_and_restored)
{
	struct rlimit before, now;
	struct limits l;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	now = (struct rlimit){before.rlim_max < 100 ? before.rlim_max : 100, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	inherited__note();
	limits__raise();
	limits__read(&l);
	assert_int_equal(l.value[LIMIT_FILES],
			 before.rlim_max == RLIM_INFINITY ? UINT64_MAX : before.rlim_max);
	inherited__restore();
	limits__read(&l);
	assert_int_equal(l.value[LIMIT_FILES], now.rlim_cur);
	setrlimit(RLIMIT_NOFILE, &before);
}
