/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans as the rows that are shown of them; see plan.h. Pure. */
#include <stdio.h>

#include "plan_table.h"

/* The modes whose plan chose alt, as a mask; 0 when all plans did. */
static unsigned int modes_of(const struct plan *const plans[MODE_NR], enum probe_id probe,
			     const struct alternative *alt)
{
	unsigned int used = 0, all = 0;

	for (int m = 0; m < MODE_NR; m++) {
		if (!plans[m])
			continue;
		all |= 1U << m;
		if (plans[m]->chosen[probe] == alt)
			used |= 1U << m;
	}
	return used == all ? 0 : used;
}

static const struct alternative *chosen_by_any(const struct plan *const plans[MODE_NR],
					       enum probe_id probe)
{
	for (int m = 0; m < MODE_NR; m++)
		if (plans[m] && plans[m]->chosen[probe])
			return plans[m]->chosen[probe];
	return NULL;
}

static const struct plan *first_plan(const struct plan *const plans[MODE_NR])
{
	for (int m = 0; m < MODE_NR; m++)
		if (plans[m])
			return plans[m];
	return NULL;
}

/* The plan to be asked why no mode has a hook: 0 in one mode is no reason for what others lack. */
static const struct plan *telling(const struct plan *const plans[MODE_NR], enum probe_id probe)
{
	for (int m = 0; m < MODE_NR; m++)
		if (plans[m] && plans[m]->reason[probe] != plan__by_construction)
			return plans[m];
	return first_plan(plans);
}

static void name_stages(char *buf, size_t len, enum probe_id probe)
{
	size_t used = 0;

	snprintf(buf, len, "%s", plan_probes[probe].stage ? plan_probes[probe].stage : "");
	for (int s = 0; !plan_probes[probe].stage && s < NIO_STAGE_NR && used < len; s++)
		if (plan__feeds(probe, s))
			used += (size_t)snprintf(buf + used, len - used, "%s%s", used ? ", " : "",
						 stage__key(s));
}

static struct plan_row row_of(enum probe_id probe, const struct plan *const plans[MODE_NR],
			      const struct alternative *alt)
{
	struct plan_row row = {
		.probe = plan_probes[probe].name,
		.backend = backend__name(alt->backend),
		.hook = alt->hook,
		.programs = alt->programs,
		.quality = alt->quality,
		.reason = alt->caveat,
		.modes = modes_of(plans, probe, alt),
	};

	return row;
}

size_t plan__rows(const struct plan *const plans[MODE_NR], const struct plan *const timed[MODE_NR],
		  struct plan_row rows[PLAN_ROWS_MAX])
{
	size_t n = 0;

	if (!first_plan(plans))
		return 0;
	for (int probe = 0; probe < PROBE_NR; probe++) {
		const struct alternative *alt = chosen_by_any(plans, probe);
		const struct alternative *apart = alt ? NULL : chosen_by_any(timed, probe);
		struct plan_row *row = &rows[n++];

		if (alt) {
			*row = row_of(probe, plans, alt);
		} else if (apart) {
			*row = row_of(probe, timed, apart);
			row->apart = true;
		} else {
			*row = (struct plan_row){
				.probe = plan_probes[probe].name,
				.quality = QUALITY_UNAVAILABLE,
				.reason = telling(plans, probe)->reason[probe],
				.remedy = telling(plans, probe)->remedy[probe],
			};
		}
		name_stages(row->stage, sizeof(row->stage), probe);
	}
	return n;
}
