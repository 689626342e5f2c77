/* SPDX-License-Identifier: GPL-2.0-only */
/* The preemption model, from what kernels say of themselves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "model/preemption.h"

#define MODEL(...) preemption__model(&(struct preemption_signs){__VA_ARGS__})

static void debugfs_is_what_is_in_force(void **state)
{
	(void)state;
	assert_string_equal(MODEL(.debugfs = "none voluntary (full)"), "full");
	assert_string_equal(MODEL(.version = "#1 SMP PREEMPT_DYNAMIC",
				  .debugfs = "(none) voluntary full", .cmdline = "preempt=full"),
			    "none");
	assert_string_equal(MODEL(.debugfs = "full (lazy)"), "lazy");
	assert_null(MODEL(.debugfs = "(something new)"));
}

static void a_dynamic_kernel_is_told_at_boot_or_built_so(void **state)
{
	static const char dynamic[] = "#1 SMP PREEMPT_DYNAMIC Debian 6.12";

	(void)state;
	assert_string_equal(MODEL(.version = dynamic, .config = "CONFIG_PREEMPT_VOLUNTARY"),
			    "voluntary");
	assert_string_equal(MODEL(.version = dynamic, .config = "CONFIG_PREEMPT_VOLUNTARY",
				  .cmdline = "quiet preempt=full ro"),
			    "full");
	assert_string_equal(MODEL(.version = dynamic, .config = "CONFIG_PREEMPT_LAZY",
				  .cmdline = "nopreempt=full preempt=fully"),
			    "lazy");
	assert_null(MODEL(.version = dynamic));
}

static void others_are_built_one_way(void **state)
{
	(void)state;
	assert_string_equal(MODEL(.version = "#1 SMP PREEMPT_RT Debian", .debugfs = "full (lazy)"),
			    "rt");
	assert_string_equal(MODEL(.version = "#1 SMP PREEMPT"), "full");
	assert_string_equal(MODEL(.version = "#1 SMP PREEMPT", .config = "CONFIG_PREEMPT_LAZY"),
			    "lazy");
	assert_string_equal(MODEL(.version = "#1 SMP", .config = "CONFIG_PREEMPT_NONE"), "none");
	assert_string_equal(MODEL(.version = "#1 SMP"), "none or voluntary");
	assert_null(MODEL(.version = NULL));
}

static void some_preempt_programs(void **state)
{
	(void)state;
	assert_true(preemption__anywhere("full") && preemption__anywhere("lazy") &&
		    preemption__anywhere("rt"));
	assert_false(preemption__anywhere("none") || preemption__anywhere("voluntary") ||
		     preemption__anywhere("none or voluntary"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debugfs_is_what_is_in_force),
		cmocka_unit_test(a_dynamic_kernel_is_told_at_boot_or_built_so),
		cmocka_unit_test(others_are_built_one_way),
		cmocka_unit_test(some_preempt_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
