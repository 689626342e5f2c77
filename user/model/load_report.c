/* SPDX-License-Identifier: GPL-2.0-only */
/* Life cycle of a load report, and its transfer into a result; see load_report.h. Pure. */
#include <stdlib.h>
#include <string.h>

#include "load_report.h"

/* clang-format off */
#define ROW(side, object, key, member, field)                                                    \
	{REPORT_##side, object, key, offsetof(struct load_report, field),                        \
	 _Generic(((struct load_report *)0)->field, uint64_t: REPORT_u64, struct num: REPORT_num, \
		  bool: REPORT_flag, struct app_result: REPORT_none)},
const struct load_report_row load_report__rows[] = { LOAD_REPORT_FIRST(ROW) LOAD_REPORT_REST(ROW) {0} };
/* clang-format on */

void load_report__clear(struct load_report *r)
{
	size_t i;

	for (i = 0; i < LATENCY_NR; i++)
		hist__free(r->app.latency[i].hist);
	free(r->half);
	memset(r, 0, sizeof(*r));
}

static void copy_latencies(struct app_result *app, const struct load_report *report,
			   enum nio_side side)
{
	for (int k = 0; k < LATENCY_NR; k++) {
		struct latency_result *to = &app->latency[k];

		if (latency__side(k) != side)
			continue;
		hist__free(to->hist);
		to->hist = hist__dup(report->app.latency[k].hist);
		to->reason = report->app.latency[k].reason;
		if (!to->hist && !to->reason)
			to->reason = "the load generator has not reported it";
	}
}

void load_report__copy_app(struct app_result *app, const struct load_report *report,
			   enum nio_side side)
{
	static const size_t sizes[] = {
		[REPORT_u64] = sizeof(uint64_t),
		[REPORT_num] = sizeof(struct num),
		[REPORT_flag] = sizeof(bool),
	};
	size_t begin = offsetof(struct load_report, app); /* the last member */

	for (const struct load_report_row *row = load_report__rows; row->key; row++)
		if (row->side & 1u << side && row->at >= begin)
			memcpy((char *)app + row->at - begin, (const char *)report + row->at,
			       sizes[row->type]);
	copy_latencies(app, report, side);
}
