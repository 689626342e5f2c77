/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice of a congestion control, on invented systems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "model/congestion.h"

#define LOCAL  true
#define REMOTE false

/* What is chosen on a system with this default and this list: "" is the system's. */
static const char *chosen(const char *system, const char *allowed, const char *asked, bool local)
{
	static struct congestion c;
	char why[512];

	c = (struct congestion){0};
	strcpy(c.system, system);
	strcpy(c.allowed, allowed);
	assert_int_equal(congestion__choose(&c, asked, local, why, sizeof(why)), 0);
	return c.chosen;
}

static void what_paces(void **state)
{
	(void)state;
	assert_true(congestion__paces("bbr").known && congestion__paces("bbr").value);
	assert_true(congestion__paces("bbr3").value);
	assert_true(congestion__paces("cubic").known && !congestion__paces("cubic").value);
	assert_true(congestion__paces("reno").known && !congestion__paces("reno").value);
	assert_false(congestion__paces("homemade").known);
	assert_non_null(congestion__paces("homemade").reason);
	assert_false(congestion__paces("").known);
}

static void paced_systems_are_left_on_local_paths_only(void **state)
{
	(void)state;
	assert_string_equal(chosen("bbr", "reno bbr cubic", NULL, LOCAL), "cubic");
	assert_string_equal(chosen("bbr", "reno bbr", NULL, LOCAL), "reno");
	assert_string_equal(chosen("bbr", "bbr", NULL, LOCAL), "");
	assert_string_equal(chosen("bbr", "reno bbr cubic", NULL, REMOTE), "");
	assert_string_equal(chosen("bbr", "reno bbr cubic", "system", LOCAL), "");
	assert_string_equal(chosen("cubic", "reno cubic", NULL, LOCAL), "");
	assert_string_equal(chosen("homemade", "reno cubic", NULL, LOCAL), "");
}

/* "bbr" is no word of "bbr2 cubic". */
static void words_are_whole(void **state)
{
	struct congestion c = {.system = "bbr", .allowed = "cubicle renovated reno"};
	char why[512];

	(void)state;
	assert_int_equal(congestion__choose(&c, NULL, LOCAL, why, sizeof(why)), 0);
	assert_string_equal(c.chosen, "reno");
}

static void asked_for_is_taken_or_refused_with_the_remedy(void **state)
{
	struct congestion c = {.system = "cubic", .allowed = "reno cubic"};
	char why[512];

	(void)state;
	assert_string_equal(chosen("bbr", "reno bbr", "bbr", LOCAL), "bbr");
	assert_string_equal(chosen("bbr", "reno cubic", "reno", REMOTE), "reno");
	/* The system's own needs no permission. */
	assert_string_equal(chosen("vegas", "reno", "vegas", LOCAL), "vegas");
	/* What cannot be read is the socket's to refuse. */
	assert_string_equal(chosen("cubic", "", "vegas", LOCAL), "vegas");
	assert_int_equal(congestion__choose(&c, "vegas", LOCAL, why, sizeof(why)), -EPERM);
	assert_non_null(strstr(why, "tcp_allowed_congestion_control='reno cubic vegas'"));
}

static void the_name_in_force(void **state)
{
	struct congestion c = {.system = "bbr"};

	(void)state;
	assert_string_equal(congestion__name(&c), "bbr");
	strcpy(c.chosen, "cubic");
	assert_string_equal(congestion__name(&c), "cubic");
	strcpy(c.used, "reno");
	assert_string_equal(congestion__name(&c), "reno");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_paces),
		cmocka_unit_test(paced_systems_are_left_on_local_paths_only),
		cmocka_unit_test(words_are_whole),
		cmocka_unit_test(asked_for_is_taken_or_refused_with_the_remedy),
		cmocka_unit_test(the_name_in_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
