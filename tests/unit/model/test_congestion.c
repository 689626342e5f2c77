/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice of a congestion control on invented systems. */
#include <errno.h>
#include <string.h>

#include "model/congestion.h"
#include "support/test.h"

#define LOCAL  true
#define REMOTE false

/* The choice for this default and list; "" is the system's default. */
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

TEST(bbr_paces_and_unknown_controls_have_a_reason)
{
	assert_true(congestion__paces("bbr").known && congestion__paces("bbr").value);
	assert_true(congestion__paces("bbr3").value);
	assert_true(congestion__paces("cubic").known && !congestion__paces("cubic").value);
	assert_true(congestion__paces("reno").known && !congestion__paces("reno").value);
	assert_false(congestion__paces("homemade").known);
	assert_string_equal(congestion__paces("homemade").reason,
			    "a congestion control that is not in the kernel tree");
	assert_false(congestion__paces("").known);
	assert_string_equal(congestion__paces("").reason,
			    "the congestion control could not be read");
	assert_true(congestion__paces("nv").known && !congestion__paces("nv").value);
	assert_false(congestion__paces("bb").known);
}

TEST(pacing_default_is_replaced_on_local_paths_only)
{
	assert_string_equal(chosen("bbr", "reno bbr cubic", NULL, LOCAL), "cubic");
	assert_string_equal(chosen("bbr", "reno bbr", NULL, LOCAL), "reno");
	assert_string_equal(chosen("bbr", "bbr", NULL, LOCAL), "");
	assert_string_equal(chosen("bbr", "reno bbr cubic", NULL, REMOTE), "");
	assert_string_equal(chosen("bbr", "reno bbr cubic", "system", LOCAL), "");
	assert_string_equal(chosen("cubic", "reno cubic", NULL, LOCAL), "");
	assert_string_equal(chosen("homemade", "reno cubic", NULL, LOCAL), "");
	/* Only whole names of the list count. */
	assert_string_equal(chosen("bbr", "cubicle renovated reno", NULL, LOCAL), "reno");
}

TEST(requested_control_is_used_or_refused_with_a_remedy)
{
	struct congestion c = {.system = "cubic", .allowed = "reno cubic"};
	char why[512];

	assert_string_equal(chosen("bbr", "reno bbr", "bbr", LOCAL), "bbr");
	assert_string_equal(chosen("bbr", "reno cubic", "reno", REMOTE), "reno");
	/* The system's default needs no permission. */
	assert_string_equal(chosen("vegas", "reno", "vegas", LOCAL), "vegas");
	/* If the list cannot be read, the socket call decides. */
	assert_string_equal(chosen("cubic", "", "vegas", LOCAL), "vegas");
	assert_string_equal(chosen("cubic", "", "ve%%gas", LOCAL), "ve%%gas");
	assert_int_equal(congestion__choose(&c, "vegas", LOCAL, why, sizeof(why)), -EPERM);
	assert_string_equal(why, "congestion control 'vegas' is not among those programs without "
				 "privileges may use (reno cubic): sysctl -w "
				 "net.ipv4.tcp_allowed_congestion_control='reno cubic vegas'");
	assert_string_equal(c.chosen, "");
	/* No sysctl allows what the kernel lacks. */
	strcpy(c.available, "reno cubic vegas");
	assert_int_equal(congestion__choose(&c, "vegas", LOCAL, why, sizeof(why)), -EPERM);
	assert_int_equal(congestion__choose(&c, "nosuch", LOCAL, why, sizeof(why)), -ENOENT);
	assert_string_equal(why,
			    "this kernel has no congestion control 'nosuch'; it has reno cubic "
			    "vegas. modprobe tcp_nosuch loads it if it is a module");
	/* A list may have a single short name. */
	strcpy(c.allowed, "x");
	assert_int_equal(congestion__choose(&c, "vegas", LOCAL, why, sizeof(why)), -EPERM);
	/* A short buffer is not overrun. */
	memset(why, 'x', sizeof(why));
	assert_int_equal(congestion__choose(&c, "vegas", LOCAL, why, 11), -EPERM);
	assert_string_equal(why, "congestion");
	assert_int_equal(why[11], 'x');
}

/* The previous choice is discarded, and the origin of the new one recorded. */
TEST(choice_records_how_it_was_made)
{
	struct congestion c = {.system = "bbr", .allowed = "reno bbr cubic"};
	char why[512];

	assert_int_equal(congestion__choose(&c, NULL, LOCAL, why, sizeof(why)), 0);
	assert_int_equal(c.choice, CONGESTION_UNPACED);
	strcpy(c.used, "cubic");
	assert_int_equal(congestion__choose(&c, "reno", LOCAL, why, sizeof(why)), 0);
	assert_int_equal(c.choice, CONGESTION_ASKED);
	assert_string_equal(c.used, "");
	assert_int_equal(congestion__choose(&c, NULL, REMOTE, why, sizeof(why)), 0);
	assert_int_equal(c.choice, CONGESTION_SYSTEM);
	assert_string_equal(c.chosen, "");
	assert_int_equal(congestion__choose(&c, "reno", LOCAL, why, sizeof(why)), 0);
	assert_int_equal(congestion__choose(&c, "system", LOCAL, why, sizeof(why)), 0);
	assert_int_equal(c.choice, CONGESTION_SYSTEM);
	assert_string_equal(c.chosen, "");
	strcpy(c.allowed, "bbr");
	assert_int_equal(congestion__choose(&c, NULL, LOCAL, why, sizeof(why)), 0);
	assert_int_equal(c.choice, CONGESTION_SYSTEM);
}

TEST(name_in_force_is_used_then_chosen_then_system)
{
	struct congestion c = {.system = "bbr"};

	assert_string_equal(congestion__name(&c), "bbr");
	strcpy(c.chosen, "cubic");
	assert_string_equal(congestion__name(&c), "cubic");
	strcpy(c.used, "reno");
	assert_string_equal(congestion__name(&c), "reno");
}
