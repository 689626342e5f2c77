/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine that results are of: what is kept of it, and when it is another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "study/dataset.h"

static int add(struct dataset *d, const char *text)
{
	char message[DATASET_MESSAGE_MAX];

	*d = (struct dataset){0};
	return dataset__add_csv(d, "x.csv", text, strlen(text), message);
}

static void environments_that_differ_are_noticed(void **state)
{
	struct dataset d;

	(void)state;
	assert_int_equal(add(&d, "mode,size,environment_device\n0,64,lo\n1,64,lo\n"), 0);
	assert_false(d.environment_varies);
	dataset__clear(&d);
	assert_int_equal(add(&d, "mode,size,environment_device\n0,64,lo\n1,64,eth0\n"), 0);
	assert_true(d.environment_varies);
	dataset__clear(&d);
}

static void every_column_of_the_environment_is_kept(void **state)
{
	struct dataset d;

	(void)state;
	assert_int_equal(add(&d, "environment_device,mode,size,environment_os\nlo,0,64,x\n"), 0);
	assert_string_equal(json_string_value(json_object_get(d.environment, "device")), "lo");
	assert_string_equal(json_string_value(json_object_get(d.environment, "os")), "x");
	dataset__clear(&d);
}

/* Other times, another load or a tap are the same machine; another kernel is not. */
static void an_environment_varies_by_what_stays(void **state)
{
	struct dataset d = {0};

	(void)state;
	assert_int_equal(dataset__keep_environment(&d, NULL), -ENOMEM);
	assert_int_equal(dataset__keep_environment(
				 &d, json_pack("{s:s,s:s,s:f,s:i}", "kernel", "6.1", "started",
					       "monday", "load_average", 0.5, "packet_taps", 0)),
			 0);
	assert_int_equal(dataset__keep_environment(
				 &d, json_pack("{s:s,s:s,s:f,s:i}", "kernel", "6.1", "started",
					       "tuesday", "load_average", 0.75, "packet_taps", 2)),
			 0);
	assert_false(d.environment_varies);
	assert_string_equal(json_string_value(json_object_get(d.environment, "started")), "monday");
	assert_int_equal(dataset__keep_environment(&d, json_pack("{s:s}", "kernel", "6.12")), 0);
	assert_true(d.environment_varies);
	assert_string_equal(json_string_value(json_object_get(d.environment, "kernel")), "6.1");
	assert_int_equal(dataset__keep_environment(&d, json_pack("{s:s}", "kernel", "6.1")), 0);
	assert_true(d.environment_varies);
	dataset__clear(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(environments_that_differ_are_noticed),
		cmocka_unit_test(every_column_of_the_environment_is_kept),
		cmocka_unit_test(an_environment_varies_by_what_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
