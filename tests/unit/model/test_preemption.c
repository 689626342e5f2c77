/* SPDX-License-Identifier: GPL-2.0-only */
/* The preemption model from /proc, the build configuration and debugfs. */

#include "model/preemption.h"
#include "support/test.h"

#define MODEL(...) preemption__model(&(struct preemption_signs){__VA_ARGS__})

TEST(debugfs_has_the_model_in_force)
{
	assert_string_equal(MODEL(.debugfs = "none voluntary (full)"), "full");
	assert_string_equal(MODEL(.version = "#1 SMP PREEMPT_DYNAMIC",
				  .debugfs = "(none) voluntary full", .cmdline = "preempt=full"),
			    "none");
	assert_string_equal(MODEL(.debugfs = "full (lazy)"), "lazy");
	assert_null(MODEL(.debugfs = "(something new)"));
}

TEST(dynamic_kernel_uses_its_command_line_or_its_build)
{
	static const char dynamic[] = "#1 SMP PREEMPT_DYNAMIC Debian 6.12";

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

TEST(static_kernel_uses_its_build)
{
	assert_string_equal(MODEL(.version = "#1 SMP PREEMPT_RT Debian", .debugfs = "full (lazy)"),
			    "rt");
	assert_string_equal(MODEL(.version = "#1 SMP PREEMPT"), "full");
	assert_string_equal(MODEL(.version = "#1 SMP PREEMPT", .config = "CONFIG_PREEMPT_LAZY"),
			    "lazy");
	assert_string_equal(MODEL(.version = "#1 SMP", .config = "CONFIG_PREEMPT_NONE"), "none");
	assert_string_equal(MODEL(.version = "#1 SMP"), "none or voluntary");
	assert_null(MODEL(.version = NULL));
}

TEST(full_lazy_and_rt_preempt_programs)
{
	assert_true(preemption__anywhere("full") && preemption__anywhere("lazy") &&
		    preemption__anywhere("rt"));
	assert_false(preemption__anywhere("none") || preemption__anywhere("voluntary") ||
		     preemption__anywhere("none or voluntary"));
}
