/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a result is shown: each loss by itself is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/figures.h"

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static void each_loss_is_one(void **state)
{
	struct health h, none = {0};
	struct num *const each[] = {&h.missed, &h.dropped, &h.map_full, &h.unmatched, &h.anomalies};

	(void)state;
	none.missed = none.dropped = none.map_full = none.unmatched = none.anomalies = known(0);
	assert_false(figures__any_loss(&none));
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		h = none;
		*each[i] = known(1);
		assert_true(figures__any_loss(&h));
		/* What is not known is no loss. */
		each[i]->known = false;
		assert_false(figures__any_loss(&h));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_loss_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
