/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences on the conditions of a data set, before the answers. */
#include <stdlib.h>
#include <string.h>

#include "study/first_screen.h"
#include "support/golden.c"
#include "support/record.h"
#include "support/read_dataset.h"

struct condition_case {
	const char *environment, *conditions; /* JSON */
	const char *text;                     /* its beginning */
};

/* clang-format off */
static const struct condition_case cases[] = {
	{"{}", "{}", ""},
	{"{'congestion_control': null}", "{}", ""},
	{"{'congestion_control': 'bbr', 'cpus': 2}", "{}", "The senders pace: their congestion control bbr holds packets back"},
	{"{'congestion_control': 'cubic', 'congestion_choice': 'system'}", "{}", "The congestion control is cubic."},
	{"{'congestion_control': 'reno', 'congestion_choice': 'unpaced', 'system_congestion_control': 'bbr'}", "{}",
	 "The congestion control is reno, since the system's bbr paces."},
	{"{'congestion_control': 'homemade'}", "{}", "The congestion control is homemade; whether it paces is not known."},
	{"{}", "{'cpu_sender': '0', 'cpu_receiver': '1'}", "Senders ran on CPU 0. Receivers ran on CPU 1."},
	{"{}", "{'cpu_sender': '0'}", "Senders ran on CPU 0."},
	{"{}", "{'cpu_receiver': '1'}", "Receivers ran on CPU 1."},
	/* A CSV file has no JSON numbers. */
	{"{'load_average': '7.7', 'cpus': '2'}", "{}", "The machine was busy with other work when the first run began (load average 7.7 on 2 CPUs)"},
	{"{'load_average': 1.5, 'cpus': 2}", "{}", ""},
	{"{'governor': 'powersave'}", "{}", "The CPUs' frequency is governed by powersave"},
	{"{'governor': 'performance'}", "{}", ""},
};
/* clang-format on */

TEST(each_data_set_has_its_conditions)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dataset d = {
			.environment = json_of(cases[i].environment),
			.conditions = json_of(cases[i].conditions),
		};
		char *text = first_screen__conditions(&d);

		assert_non_null(text);
		if (strncmp(text, cases[i].text, strlen(cases[i].text)) ||
		    !*text != !*cases[i].text)
			fail_msg("'%s' is said, not '%s'", text, cases[i].text);
		record("%s\n", text);
		free(text);
		json_decref(d.environment);
		json_decref(d.conditions);
	}
}

/* Runs left out are named. */
TEST(runs_left_out_are_named)
{
	char cubic[] = "cubic", bbr[] = "bbr", *names[] = {cubic, bbr};
	struct dataset d = {.others = names, .others_nr = 1};
	char *text = first_screen__conditions(&d);

	assert_string_equal(text, "Runs with cubic are not in this report.");
	free(text);
	d.others_nr = 2;
	text = first_screen__conditions(&d);
	assert_string_equal(text, "Runs with cubic, bbr are not in this report.");
	free(text);
}

DATASET_TEST(runs_that_missed_messages_are_counted)
{
	char *text;

	must_read("mode,size,round,app_latency_ns_missed_count\n0,64,0,0\n0,64,1,7\n0,64,2,\n");
	text = first_screen__conditions(&set);
	assert_string_equal(text, "In 1 of 3 runs, messages were due and not sent: delivery and "
				  "half round trip are lower bounds there.");
	free(text);
}

TEST(conditions_match_the_golden_file)
{
	record__check("conditions");
}
