/* SPDX-License-Identifier: GPL-2.0-only */
/* The variables of sudo: one that cannot be parsed is an error, not a call without sudo. */
#include <stdlib.h>

#include "base/sudo_user.h"
#include "support/test.h"

static void set_or_unset(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

TEST(variables_of_sudo_are_both_numbers_or_not_set)
{
	static const struct {
		const char *uid, *gid, *wrong;
	} cases[] = {
		{NULL, NULL, NULL},         {"0", "0", NULL},
		{"1000", "1000", NULL},     {"1000", "0", NULL},
		{"", "", "SUDO_UID"},       {"abc", "1000", "SUDO_UID"},
		{"-5", "5", "SUDO_UID"},    {"4294967295", "1", "SUDO_UID"},
		{NULL, "1000", "SUDO_UID"}, {"1000", NULL, "SUDO_GID"},
		{"1000", "5x", "SUDO_GID"}, {"1000", "4294967295", "SUDO_GID"},
		{" 1000", "1", "SUDO_UID"},
	};

	for_each_case(c, cases) {
		const char *wrong;

		set_or_unset("SUDO_UID", c->uid);
		set_or_unset("SUDO_GID", c->gid);
		wrong = sudo_user__wrong();
		assert_string_equal(wrong ? wrong : "", c->wrong ? c->wrong : "");
	}
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}
