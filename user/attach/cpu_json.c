/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples as JSON; see cpu_json.h. */
#include "cpu_json.h"
#include "write/json.h"

json_t *json_cpu_sampling(const struct cpu_found *found)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "quality",
			json_value__text(quality__name(found->known ? QUALITY_SAMPLED
								    : QUALITY_UNAVAILABLE)));
	if (!found->known)
		err |= json_put(o, "reason", json_value__text(found->reason));
	err |= json_put(o, "source", json_value__text(found->known ? found->source : NULL));
	if (found->known && found->no_cycles[0])
		err |= json_put(o, "source_reason", json_value__text(found->no_cycles));
	err |= json_put(o, "hz", found->known ? json_integer(found->hz) : json_null());
	err |= json_put(o, "sampled_s",
			found->known ? json_real((double)found->sampled_ns / 1e9) : json_null());
	err |= json_put(o, "lost", found->known ? json_value__u64(found->lost) : json_null());
	return json_finish(o, err);
}

enum column { SHARE, LOW, HIGH };

static json_t *column_json(const struct cpu_split *cpu, enum column column)
{
	json_t *o = json_object();
	int err = 0;

	for (int c = 0; c < CPU_CLASS_NR; c++) {
		struct cpu_part part =
			cpu ? cpu_split__part(cpu, (enum cpu_class)c) : (struct cpu_part){0};
		double value = column == SHARE ? part.share.value
			       : column == LOW ? part.low
					       : part.high;

		err |= json_put(o, cpu_class__key((enum cpu_class)c),
				part.share.known ? json_value__real(value) : json_null());
	}
	return json_finish(o, err);
}

json_t *json_cpu_split(const struct findings *r, const struct cpu_split *cpu)
{
	const struct cpu_split *known = r->cpu.known ? cpu : NULL;
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "samples",
			known ? json_value__u64(known->samples.samples) : json_null());
	err |= json_put(o, "untold", known ? json_value__u64(known->untold) : json_null());
	err |= json_put(o, "shifted",
			known ? json_value__u64(known->samples.shifted) : json_null());
	err |= json_put(o, "share", column_json(known, SHARE));
	err |= json_put(o, "low", column_json(known, LOW));
	err |= json_put(o, "high", column_json(known, HIGH));
	return json_finish(o, err);
}
