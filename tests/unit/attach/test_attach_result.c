/* SPDX-License-Identifier: GPL-2.0-only */
/* What the result of attach says of its hooks. */
#include "attach/attach_result.h"
#include "support/test.h"

/* A kprobe sees what a call queues, whatever its quality, and not the error of one that fails. */
TEST(kprobes_do_not_see_what_calls_return)
{
	static const struct {
		const char *backend;
		bool returns;
	} cases[] = {{"tracepoint", true}, {"fentry", true}, {"kprobe", false}, {NULL, false}};

	for_each_case(c, cases) {
		const struct plan_row row = {
			.probe = "send_return", .backend = c->backend, .quality = QUALITY_EXACT};
		const struct attach_result r = {.plan = &row, .plan_nr = 1};

		assert_int_equal(attach_result__sees_returns(&r), c->returns);
	}
}
