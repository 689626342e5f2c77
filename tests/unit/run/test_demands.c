/* SPDX-License-Identifier: GPL-2.0-only */
/* What is refused because this machine does not have it; CPUs are in command.bats, too. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/exit_code.h"
#include "run/demands.h"
#include "support/many_cpus.h"

static char why[256];

static int check(enum mode mode, unsigned int connections, uint64_t memory)
{
	why[0] = '\0';
	return demands__check_messages(mode, 1 << 20, connections, memory, why, sizeof(why));
}

/* Half of the machine's memory may be taken, and not a byte more, as the load generator has it. */
static void half_of_the_memory_is_enough(void **state)
{
	(void)state;
	assert_int_equal(check(MODE_ONECOPY, 3, 6 << 20), 0);
	assert_int_equal(check(MODE_ONECOPY, 3, (6 << 20) - 1), -EINVAL);
	assert_non_null(strstr(why, "onecopy messages of 1 MiB on 3 connections would take 3 MiB"));
	assert_int_equal(check(MODE_ONECOPY, 1, 0), -EINVAL);
	assert_non_null(strstr(why, "on 1 connection would"));
}

static void each_mode_takes_its_own(void **state)
{
	(void)state;
	/* Fields and the buffer they are packed into; four slots for what is not completed. */
	assert_int_equal(check(MODE_TWOCOPY, 2, 8 << 20), 0);
	assert_int_equal(check(MODE_TWOCOPY, 2, (8 << 20) - 1), -EINVAL);
	assert_int_equal(check(MODE_ZEROCOPY, 2, 16 << 20), 0);
	assert_int_equal(check(MODE_ZEROCOPY, 2, (16 << 20) - 1), -EINVAL);
}

static void cpus_beyond_1024_are_there(void **state)
{
	struct traffic t = {.sender_cpus = "1", .receiver_cpus = "1500"};

	(void)state;
	assert_int_equal(demands__check_cpus(&t), EXIT_DONE);
	t.receiver_cpus = "1500,1501";
	assert_int_equal(demands__check_cpus(&t), EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_memory_is_enough),
		cmocka_unit_test(each_mode_takes_its_own),
		cmocka_unit_test(cpus_beyond_1024_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
