/* SPDX-License-Identifier: GPL-2.0-only */
/* --preset sigcomm21 on the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sweep_case.h"
#include "support/test.h"

TEST(preset_is_one_flow)
{
	struct sweep_options o;

	parse(&o, "netiotrace sweep --preset sigcomm21 --connect 192.0.2.7:5201 --rounds 3");
	assert_int_equal(sweep_grid__runs(&o.grid), 3);
	assert_int_equal(o.grid.modes[0], MODE_ONECOPY);
	assert_int_equal(o.sizes[0], 131072);
	assert_int_equal(o.threads[0], 1);
	assert_int_equal(o.run.workload.fields, 1);
	parse(&o, "netiotrace sweep --sizes 1m --preset sigcomm21 --modes zerocopy --fields 2 "
		  "--connect 192.0.2.7:5201");
	assert_int_equal(o.sizes[0], 1 << 20);
	assert_int_equal(o.run.workload.fields, 2);
}
