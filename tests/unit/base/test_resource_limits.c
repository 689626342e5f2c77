/* SPDX-License-Identifier: GPL-2.0-only */
/* Which limit of this process explains a failure, and that none is blamed without need. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/inherited.h"
#include "base/resource_limits.h"
#include "support/test.h"

static struct limits none(void)
{
	struct limits l = {0};

	for (int i = 0; i < LIMIT_NR; i++)
		l.value[i] = UINT64_MAX;
	return l;
}

TEST(without_limits_none_is_blamed)
{
	static const int errors[] = {-ENOMEM, -EAGAIN, -EPERM, -ENOENT, -EOPNOTSUPP, 0};
	struct limits l = none();

	l.value[LIMIT_FILES] = 1024;
	l.value[LIMIT_LOCKED] = 65536;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		assert_int_equal(limits__culprit(&l, errors[i]), LIMIT_NR);
}

TEST(an_error_names_its_limit)
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

/* Before Linux 5.11 maps count as locked memory, and a refusal is EPERM. */
TEST(locked_memory_counts_on_old_kernels)
{
	struct limits l = none();

	l.value[LIMIT_LOCKED] = 65536;
	assert_int_equal(limits__culprit(&l, -EPERM), LIMIT_NR);
	l.locked_counts = true;
	assert_int_equal(limits__culprit(&l, -EPERM), LIMIT_LOCKED);
	l.value[LIMIT_LOCKED] = UINT64_MAX;
	assert_int_equal(limits__culprit(&l, -EPERM), LIMIT_NR);
}

/* libbpf says ESRCH where it had no memory to read the kernel's types. */
TEST(a_limit_too_low_explains_any_error)
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

TEST(the_sentence_has_name_value_and_remedy)
{
	struct limits l = none();
	char text[256];

	l.value[LIMIT_FILES] = 8;
	limits__say(text, sizeof(text), &l, LIMIT_FILES);
	assert_non_null(strstr(text, "RLIMIT_NOFILE"));
	assert_non_null(strstr(text, " 8 "));
	assert_non_null(strstr(text, "ulimit -n"));
	l.value[LIMIT_MEMORY] = 20480000;
	limits__say(text, sizeof(text), &l, LIMIT_MEMORY);
	assert_non_null(strstr(text, "19.5 MiB"));
}

/* The soft limit of files goes up to the hard one, and a child gets what was there. */
TEST(open_files_are_raised_and_given_back)
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
