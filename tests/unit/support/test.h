/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The notation of unit tests: cmocka's assertions, and tests that register themselves.
 *
 *	#include "support/test.h"
 *
 *	TEST(adds_two_numbers)
 *	{
 *		assert_int_equal(add(1, 2), 3);
 *	}
 *
 * A file of tests has no main(): support/unit_main.c runs all tests of the program in the order of
 * the file. A name states input and expected result.
 */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* Called before main(); names must be literals. */
void test__register(const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
		    CMFixtureFunction teardown);

/* A test with its own fixture: setup and teardown take void **state and return 0. */
#define TEST_WITH(name, setup, teardown)                               \
	static void name(void **state);                                \
	__attribute__((constructor)) static void register_##name(void) \
	{                                                              \
		test__register(#name, name, setup, teardown);          \
	}                                                              \
	static void name(void **state __attribute__((unused)))

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* for_each_case(c, cases) { ... c->field ... }: the body runs for each row of a table. */
#define for_each_case(c, cases) \
	for (__typeof__(&(cases)[0]) c = (cases); c < (cases) + ARRAY_LEN(cases); c++)

#endif
