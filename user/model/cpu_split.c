/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares of samples; see cpu_split.h. Pure. */
#include "cpu_split.h"

/* If more than one of so many samples may be a copy or not, the share of copies is unknown. */
#define UNTOLD_PART 4

_Static_assert(CPU_CLASS_NR <= 32, "classes fit into a mask");

struct cpu_part cpu_split__parts(const struct cpu_split *s, uint32_t classes)
{
	struct cpu_samples sum = {.samples = s->samples.samples};
	struct cpu_share share;

	if (!sum.samples)
		return (struct cpu_part){.share.reason = "no sample was taken of it"};
	for (int c = 0; c < CPU_CLASS_NR; c++)
		if (classes & 1u << c)
			sum.classes[0] += s->samples.classes[c];
	share = cpu_time__share(&sum, (enum cpu_class)0);
	return (struct cpu_part){{.value = share.value, .known = true}, share.low, share.high};
}

struct cpu_part cpu_split__part(const struct cpu_split *s, enum cpu_class c)
{
	struct cpu_part part = cpu_split__parts(s, 1u << c);
	struct cpu_split most = *s;

	if (c != CPU_CLASS_GATHER || !part.share.known)
		return part;
	if (s->untold * UNTOLD_PART > s->samples.samples)
		return (struct cpu_part){
			.share.reason = "not told: a static program, another C library than "
					"netiotrace's, or the process was gone too soon"};
	most.samples.classes[c] += s->untold;
	part.high = cpu_split__parts(&most, 1u << c).high;
	return part;
}

void cpu_split__add(struct cpu_split *s, enum cpu_class c, bool shifted)
{
	s->samples.samples++;
	s->samples.classes[c]++;
	s->samples.shifted += shifted;
}

void cpu_split__add_all(struct cpu_split *s, const struct cpu_split *more)
{
	s->samples.samples += more->samples.samples;
	s->samples.shifted += more->samples.shifted;
	for (int c = 0; c < CPU_CLASS_NR; c++)
		s->samples.classes[c] += more->samples.classes[c];
	s->untold += more->untold;
	s->encrypted += more->encrypted;
}
