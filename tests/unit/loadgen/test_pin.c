/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs of --cpus on a machine that can have more than 1024, and the threads pinned to them. */
#include <stdio.h>
#include <stdlib.h>

#include "common/cpu_mask.h"
#include "loadgen/pin.h"
#include "support/many_cpus.h"
#include "support/refusal.h"
#include "support/test.h"

static struct cpu_mask asked;

/* Replaces the C library's: records and drops the CPUs that a thread is started with. */
int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set)
{
	(void)attr;
	memset(&asked, 0, sizeof(asked));
	memcpy(&asked, set, size < sizeof(asked) ? size : sizeof(asked));
	return 0;
}

static void *no_work(void *arg)
{
	return arg;
}

/* NULL: accepted. */
static const char *parse(struct lg_options *s, const char *cpus)
{
	char line[256], *argv[8], *save, *word;
	int argc = 0;

	snprintf(line, sizeof(line), "netio-loadgen send --connect 127.0.0.1:1 --cpus %s", cpus);
	for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	return refused(s, argc, argv);
}

TEST(threads_start_on_the_listed_CPUs_also_above_1024)
{
	static struct lg_options s;
	pthread_t thread;

	assert_null(parse(&s, "1,1500"));
	for (unsigned int turn = 0; turn < 4; turn++) {
		assert_int_equal(pin__start(&thread, &s.cpus, turn, no_work, NULL), 0);
		pthread_join(thread, NULL);
		for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
			assert_int_equal(cpu_mask__has(&asked, cpu), cpu == (turn % 2 ? 1500 : 1));
	}
	assert_false(cpu_mask__has(&asked, CPUS_MAX));
}

TEST(unusable_CPU_is_refused_with_its_number)
{
	static struct lg_options s;

	assert_non_null(strstr(parse(&s, "1500,1501"), "--cpus names CPU 1501, which"));
	assert_non_null(strstr(parse(&s, "8192"), "takes a list of CPUs"));
}
