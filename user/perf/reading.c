/* SPDX-License-Identifier: GPL-2.0-only */
/* Decodes, scales and sums readings of perf events. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "reading.h"

static const char scaled[] = "counters took turns: scaled up from the part of the time counted";
static const char never_ran[] =
	"the counter never had a register while threads ran: end what else counts (perf, "
	"sysctl kernel.nmi_watchdog=0)";

int perf_read__decode(const void *buf, size_t len, unsigned int nr, struct perf_reading *out)
{
	uint64_t words[PERF_READ_WORDS];

	if (nr > PERF_GROUP_MAX || len != (PERF_READ_HEAD + nr) * sizeof(uint64_t))
		return -EPROTO;
	memcpy(words, buf, len);
	if (words[0] != nr || words[2] > words[1])
		return -EPROTO;
	*out = (struct perf_reading){.enabled_ns = words[1], .running_ns = words[2]};
	memcpy(out->values, words + PERF_READ_HEAD, nr * sizeof(uint64_t));
	return 0;
}

void perf_sum__add(struct perf_sum *sum, uint64_t value, uint64_t enabled_ns, uint64_t running_ns)
{
	sum->enabled_ns += enabled_ns;
	sum->running_ns += running_ns;
	if (!running_ns)
		return;
	sum->counted += (double)value * ((double)enabled_ns / (double)running_ns);
	sum->counted_ns += (double)enabled_ns;
}

struct num perf_sum__count(const struct perf_sum *sum, struct real *running)
{
	*running = (struct real){.value = 1, .known = true};
	if (!sum->enabled_ns)
		return (struct num){.known = true};
	if (!sum->running_ns) {
		*running = (struct real){.value = 0, .known = true};
		return (struct num){.reason = never_ran};
	}
	running->value = (double)sum->running_ns / (double)sum->enabled_ns;
	return (struct num){
		.value = (uint64_t)llround(sum->counted *
					   ((double)sum->enabled_ns / sum->counted_ns)),
		.known = true,
		.reason = sum->running_ns == sum->enabled_ns ? NULL : scaled,
	};
}

struct parts {
	struct num part[PERF_PART_NR];
	struct real running[PERF_PART_NR];
};

/* The counts of one quantity, or why there are none. */
static void collect(struct parts *p, unsigned int quantity, const struct perf_plan *plan,
		    const struct perf_sum *sums, const struct perf_facts *facts)
{
	for (int part = 0; part < PERF_PART_NR; part++) {
		const char *reason = perf_plan__missing(plan, quantity, part, facts);

		if (!reason)
			reason = "/proc does not show it any more: the process ended";
		p->part[part] = (struct num){.reason = reason};
		p->running[part] = (struct real){.reason = reason};
	}
	for (size_t i = 0; i < plan->slots_nr; i++) {
		const struct perf_slot *s = &plan->slots[i];

		if (s->quantity == quantity && perf_plan__has_slot(plan, i))
			p->part[s->part] = perf_sum__count(&sums[i], &p->running[s->part]);
	}
}

/* The counted whole, or the sum of user and kernel mode. */
static struct num whole_of(const struct parts *p, struct real *running)
{
	const struct num *user = &p->part[PERF_USER], *kernel = &p->part[PERF_KERNEL];
	const struct real *ru = &p->running[PERF_USER], *rk = &p->running[PERF_KERNEL];

	*running = p->running[PERF_WHOLE];
	if (p->part[PERF_WHOLE].known || (!user->known && !kernel->known && !ru->known))
		return p->part[PERF_WHOLE];
	*running = ru->known && (!rk->known || ru->value < rk->value) ? *ru : *rk;
	if (!user->known || !kernel->known)
		return user->known ? *kernel : *user;
	return (struct num){
		.value = user->value + kernel->value,
		.known = true,
		.reason = user->reason ? user->reason : kernel->reason,
	};
}

void perf_read__book(struct run_result *r, enum nio_side side, const struct perf_plan *plan,
		     const struct perf_sum sums[PERF_SLOTS_MAX], const struct perf_facts *facts)
{
	struct parts p;

	for (unsigned int c = 0; c < PERF_NR; c++) {
		struct perf_detail *d = &r->perf_detail[side][c];

		collect(&p, c, plan, sums, facts);
		r->perf[side][c] = whole_of(&p, &d->running);
		d->user = p.part[PERF_USER];
		d->kernel = p.part[PERF_KERNEL];
	}
	for (unsigned int i = 0; i < r->perf_asked_nr; i++) {
		collect(&p, PERF_NR + i, plan, sums, facts);
		r->perf_asked[i].count[side] = whole_of(&p, &r->perf_asked[i].running[side]);
	}
}
