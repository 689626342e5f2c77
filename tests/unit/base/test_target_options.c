/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets of attach and follow: names as the kernel has them, and the command after --. */
#include "base/target_options.h"
#include "support/test.h"

TEST(names_are_kept_as_given_and_as_the_kernel_has_them)
{
	struct target_options t = {0};

	target_options__parse_comm(&t, "a-name-of-18-bytes");
	target_options__parse_pid(&t, "42");
	target_options__parse_port(&t, "65535");
	assert_string_equal(t.comms[0], "a-name-of-18-by");
	assert_string_equal(t.comms_asked[0], "a-name-of-18-bytes");
	assert_int_equal(t.pids[0], 42);
	assert_int_equal(t.ports[0], 65535);
}

TEST(a_word_without_dashes_is_a_name)
{
	struct target_options t = {0};

	target_options__parse_operand(&t, "nginx");
	target_options__parse_operand(&t, "7zip");
	assert_int_equal(t.comms_nr, 2);
	assert_string_equal(t.comms[0], "nginx");
	assert_string_equal(t.comms[1], "7zip");
	assert_int_equal(t.pids_nr, 0);
}

TEST(command_is_all_after_the_first_two_dashes)
{
	static const char *const words[] = {"attach", "-q", "--", "sh", "--", "-c", NULL};
	char **argv = (char **)words;
	struct target_options t = {0};

	assert_int_equal(target_options__parse_command(&t, 6, argv), 2);
	assert_true(t.command == argv + 3);
	assert_true(t.children);
	t = (struct target_options){0};
	assert_int_equal(target_options__parse_command(&t, 2, argv), 2);
	assert_null(t.command);
	assert_false(t.children);
}
