/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine that results are of: what is kept of it, and when it is another. */
#include <errno.h>
#include <string.h>

#include "study/dataset.h"
#include "support/test.h"

static int add(struct dataset *d, const char *text)
{
	char message[DATASET_MESSAGE_MAX];

	*d = (struct dataset){0};
	return dataset__add_csv(d, "x.csv", text, strlen(text), message);
}

TEST(environments_that_differ_are_noticed)
{
	struct dataset d;

	assert_int_equal(add(&d, "mode,size,environment_device\n0,64,lo\n1,64,lo\n"), 0);
	assert_false(d.environment_varies);
	dataset__clear(&d);
	assert_int_equal(add(&d, "mode,size,environment_device\n0,64,lo\n1,64,eth0\n"), 0);
	assert_true(d.environment_varies);
	dataset__clear(&d);
}

TEST(every_column_of_the_environment_is_kept)
{
	struct dataset d;

	assert_int_equal(add(&d, "environment_device,mode,size,environment_os\nlo,0,64,x\n"), 0);
	assert_string_equal(json_string_value(json_object_get(d.environment, "device")), "lo");
	assert_string_equal(json_string_value(json_object_get(d.environment, "os")), "x");
	dataset__clear(&d);
}

/* Other times, another load or a tap are the same machine; another kernel is not. */
TEST(an_environment_varies_by_what_stays)
{
	struct dataset d = {0};

	dataset__keep_environment(&d, json_pack("{s:s,s:s,s:f,s:i}", "kernel", "6.1", "started",
						"monday", "load_average", 0.5, "packet_taps", 0));
	dataset__keep_environment(&d, json_pack("{s:s,s:s,s:f,s:i}", "kernel", "6.1", "started",
						"tuesday", "load_average", 0.75, "packet_taps", 2));
	assert_false(d.environment_varies);
	assert_string_equal(json_string_value(json_object_get(d.environment, "started")), "monday");
	dataset__keep_environment(&d, json_pack("{s:s}", "kernel", "6.12"));
	assert_true(d.environment_varies);
	assert_string_equal(json_string_value(json_object_get(d.environment, "kernel")), "6.1");
	dataset__keep_environment(&d, json_pack("{s:s}", "kernel", "6.1"));
	assert_true(d.environment_varies);
	dataset__clear(&d);
}
