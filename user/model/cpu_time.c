/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes, stacks and arithmetic of samples; see cpu_time.h. */
#include "cpu_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/stats.h"
#include "common/xalloc.h"

#define NORMAL_95 1.959963984540054 /* 97.5 % of a normal distribution lie below */

const struct number_row samples__numbers[] = {
	SAMPLES_NUMBERS(NUMBER_ROW, struct cpu_samples){0},
};

static const struct {
	const char *key, *heading, *help;
} classes[] = {
#define X(id, ...) [CPU_CLASS_##id] = {__VA_ARGS__},
	CPU_CLASSES(X)
#undef X
};

/* clang-format off */
const char *cpu_class__key(enum cpu_class c)     { return classes[c].key; }
const char *cpu_class__heading(enum cpu_class c) { return classes[c].heading; }
const char *cpu_class__help(enum cpu_class c)    { return classes[c].help; }
/* clang-format on */

void profile__add(struct profile *p, const struct profile_stack *stack)
{
	for (size_t i = 0; i < p->nr; i++) {
		struct profile_stack *s = &p->stacks[i];

		if (s->owner == stack->owner && !strcmp(s->frames, stack->frames)) {
			s->count += stack->count;
			return;
		}
	}
	p->stacks = xgrow(p->stacks, p->nr, sizeof(*p->stacks));
	p->stacks[p->nr] = *stack;
	p->stacks[p->nr++].frames = xstrdup(stack->frames);
}

void profile__merge(struct profile *p, const struct profile *other)
{
	for (size_t i = 0; other && i < other->nr; i++)
		profile__add(p, &other->stacks[i]);
}

static int by_frames(const void *a, const void *b)
{
	const struct profile_stack *s = a, *t = b;
	int order = ORDER(s->owner, t->owner);

	return order ? order : strcmp(s->frames, t->frames);
}

void profile__sort(struct profile *p)
{
	if (p->nr)
		qsort(p->stacks, p->nr, sizeof(*p->stacks), by_frames);
}

void profile__clear(struct profile *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->stacks[i].frames);
	free(p->stacks);
	*p = (struct profile){0};
}

const char *cpu_time__whose(enum nio_sample_owner w)
{
	static const char *const names[NIO_SAMPLE_OWNER_NR] = {
		[NIO_SAMPLE_SENDER] = "sender",
		[NIO_SAMPLE_RECEIVER] = "receiver",
		[NIO_SAMPLE_ELSEWHERE] = "elsewhere",
		[NIO_SAMPLE_RECEIVER_ELSEWHERE] = "receiver_elsewhere",
	};

	return names[w];
}

void cpu_time__clear(struct cpu_result *c)
{
	profile__clear(&c->profile);
	memset(c, 0, sizeof(*c));
}

void cpu_time__none(struct cpu_result *c, const char *reason)
{
	cpu_time__clear(c);
	snprintf(c->reason, sizeof(c->reason), "%s", reason);
}

int cpu_time__add_stack(struct cpu_result *c, const struct profile_stack *stack, bool shifted)
{
	struct cpu_samples *s = &c->by[stack->owner];

	s->samples += stack->count;
	s->classes[stack->class] += stack->count;
	if (shifted)
		s->shifted += stack->count;
	profile__add(&c->profile, stack);
	return 0;
}

const char *cpu_time__source(const char *a, const char *b)
{
	if (!a || !b)
		return a ? a : b;
	return strcmp(a, b) ? CPU_SOURCE_BOTH : a;
}

void cpu_time__add(struct cpu_result *dst, const struct cpu_result *src)
{
	if (!src->known) {
		if (!dst->known)
			snprintf(dst->reason, sizeof(dst->reason), "%s", src->reason);
		return;
	}
	dst->gather_hidden |= src->gather_hidden;
	dst->both_machines = src->both_machines && (!dst->known || dst->both_machines);
	if (!dst->softirq_reason)
		dst->softirq_reason = src->softirq_reason;
	dst->known = true;
	dst->source = cpu_time__source(dst->source, src->source);
	if (!dst->no_cycles[0])
		snprintf(dst->no_cycles, sizeof(dst->no_cycles), "%s", src->no_cycles);
	dst->hz = src->hz;
	dst->duration_ns += src->duration_ns;
	dst->payload += src->payload;
	num__add_counts(dst->by, src->by, sizeof(dst->by));
	profile__merge(&dst->profile, &src->profile);
	profile__sort(&dst->profile);
}

void cpu_time__divide(const struct cpu_samples *s, uint64_t total_ns, uint64_t ns[CPU_CLASS_NR])
{
	uint64_t rest[CPU_CLASS_NR], left = total_ns;

	memset(ns, 0, CPU_CLASS_NR * sizeof(*ns));
	if (!s->samples)
		return;
	for (int c = 0; c < CPU_CLASS_NR; c++) {
		/* The product may have more than 64 bits. */
		unsigned __int128 product = (unsigned __int128)total_ns * s->classes[c];

		ns[c] = (uint64_t)(product / s->samples);
		rest[c] = (uint64_t)(product % s->samples);
		left -= ns[c];
	}
	for (; left; left--) {
		int most = 0;

		for (int c = 1; c < CPU_CLASS_NR; c++)
			if (rest[c] > rest[most])
				most = c;
		ns[most]++;
		rest[most] = 0;
	}
}

/* E. B. Wilson, JASA 22 (1927): also valid for few samples and shares near 0. */
struct cpu_share cpu_time__share(const struct cpu_samples *s, enum cpu_class c)
{
	double n = (double)s->samples, p, centre, half;
	const double z2 = NORMAL_95 * NORMAL_95;

	if (!s->samples)
		return (struct cpu_share){NAN, NAN, NAN};
	p = (double)s->classes[c] / n;
	centre = (p + z2 / (2 * n)) / (1 + z2 / n);
	half = NORMAL_95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
	return (struct cpu_share){p, fmax(0, centre - half), fmin(1, centre + half)};
}

/* E. B. Wilson and M. M. Hilferty, PNAS 17 (1931); exact: F. Garwood, Biometrika 28 (1936). */
struct cpu_share cpu_time__mean(uint64_t samples)
{
	double n = (double)samples, low = 1 - 1 / (9 * n) - NORMAL_95 / (3 * sqrt(n));
	double m = n + 1, high = 1 - 1 / (9 * m) + NORMAL_95 / (3 * sqrt(m));

	return (struct cpu_share){n, samples ? n * pow(low, 3) : 0, m * pow(high, 3)};
}
