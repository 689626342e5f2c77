/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares of samples; see cpu_split.h. Pure. */
#include "cpu_split.h"

/* If more than one of so many samples may be a copy or not, what is told is no share. */
#define UNTOLD_PART 4

static struct cpu_part part_of(const struct cpu_samples *s, enum cpu_class c)
{
	struct cpu_share share = cpu_time__share(s, c);

	if (!s->samples)
		return (struct cpu_part){.share.reason = "no sample was taken of it"};
	return (struct cpu_part){{.value = share.value, .known = true}, share.low, share.high};
}

struct cpu_part cpu_split__part(const struct cpu_split *s, enum cpu_class c)
{
	struct cpu_samples most = s->samples;
	struct cpu_part part = part_of(&s->samples, c);

	if (c != CPU_CLASS_GATHER || !part.share.known)
		return part;
	if (s->untold * UNTOLD_PART > s->samples.samples)
		return (struct cpu_part){
			.share.reason = "not told: a static program, another C library than "
					"netiotrace's, or the process was gone too soon"};
	/* Each of the untold may be one. */
	most.classes[c] += s->untold;
	part.high = part_of(&most, c).high;
	return part;
}

void cpu_split__add(struct cpu_split *s, enum cpu_class c, bool shifted)
{
	s->samples.samples++;
	s->samples.classes[c]++;
	s->samples.shifted += shifted;
}
