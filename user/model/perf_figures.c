/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures made of counters; see perf_figures.h. Pure. */
#include <string.h>

#include "perf_figures.h"

#define KIB 1024.0
#define GIB (1024.0 * 1024.0 * 1024.0)

/* The input of a figure: a counter, or one of these. */
enum source {
#define X(id, ...) SOURCE_##id,
	PERF_COUNTERS(X)
#undef X
		SOURCE_KERNEL_CYCLES,
	SOURCE_CPU_NS,
	SOURCE_PAYLOAD,
	SOURCE_DURATION,
};

_Static_assert((int)SOURCE_KERNEL_CYCLES == (int)PERF_NR, "a counter is a source of its number");

static const struct figure {
	const char *key, *words, *unit, *head;
	enum source of, by;
	double factor;
} figures[DERIVED_NR] = {
/* clang-format off */
#define X(id, key, words, unit, head, of, by, factor) \
	[DERIVED_##id] = {key, words, unit, head, SOURCE_##of, SOURCE_##by, factor},
	PERF_FIGURES(X)
#undef X
#define X(id, key, words, unit, head) \
	[DERIVED_##id] = {key, words, unit, head, SOURCE_CPU_NS, SOURCE_PAYLOAD, id##_FACTOR},
#define CPU_S_PER_GIB_FACTOR  (GIB / 1e9)
#define CPU_NS_PER_KIB_FACTOR KIB
	PERF_CPU_FIGURES(X)
#undef X
	/* clang-format on */
};

/* clang-format off */
const char *perf_derived__key(enum perf_derived d)   { return figures[d].key; }
const char *perf_derived__words(enum perf_derived d) { return figures[d].words; }
const char *perf_derived__unit(enum perf_derived d)  { return figures[d].unit; }
const char *perf_derived__head(enum perf_derived d)  { return figures[d].head; }
/* clang-format on */

bool perf_derived__needs_pmu(enum perf_derived d)
{
	enum source of = figures[d].of;

	return (int)of < (int)PERF_HARDWARE_NR || of == SOURCE_KERNEL_CYCLES;
}

const char *perf_whose__key(enum perf_whose w)
{
	static const char *const keys[] = {"sender", "receiver", "both"};

	return keys[w];
}

enum perf_whose perf_whose__here(const struct run_result *r)
{
	return r->sender_side ? PERF_OF_SENDER : PERF_OF_BOTH;
}

static struct num of_sides(enum perf_whose w, struct num sender, struct num receiver)
{
	if (w == PERF_OF_BOTH)
		return num__sum(sender, receiver);
	return w == PERF_OF_SENDER ? sender : receiver;
}

static struct real as_real(struct num n)
{
	return (struct real){.value = (double)n.value, .known = n.known, .reason = n.reason};
}

/* factor * a / b. */
static struct real ratio(struct real a, struct real b, double factor, const char *nothing)
{
	if (!a.known)
		return real__unknown(a.reason);
	if (!b.known)
		return real__unknown(b.reason);
	if (!(b.value > 0))
		return real__unknown(nothing);
	return real__known(factor * a.value / b.value);
}

static struct real value_of(const struct run_result *r, enum source s, enum perf_whose w)
{
	switch (s) {
	case SOURCE_KERNEL_CYCLES:
		return as_real(of_sides(w, r->perf_detail[NIO_SIDE_SENDER][PERF_CYCLES].kernel,
					r->perf_detail[NIO_SIDE_RECEIVER][PERF_CYCLES].kernel));
	case SOURCE_CPU_NS: /* by the processes' own accounting, which is always available */
		return as_real(of_sides(w, r->app.sender_cpu_ns, r->app.receiver_cpu_ns));
	case SOURCE_PAYLOAD:
		if (r->not_final)
			return real__unknown(r->not_final);
		return real__known((double)run_result__payload(r));
	case SOURCE_DURATION:
		return real__known((double)r->duration_ns / 1e9);
	default:
		return as_real(
			of_sides(w, r->perf[NIO_SIDE_SENDER][s], r->perf[NIO_SIDE_RECEIVER][s]));
	}
}

/* The reason for a missing figure whose divisor is 0. */
static const char *nothing_of(const struct run_result *r, enum source by)
{
	if (by == SOURCE_PAYLOAD)
		return r->sender_side ? "no payload was sent" : "no payload was received";
	return by == SOURCE_DURATION ? "nothing was measured" : "nothing was counted to divide by";
}

struct real perf_derive(const struct run_result *r, enum perf_derived d, enum perf_whose w)
{
	const struct figure *f = &figures[d];

	return ratio(value_of(r, f->of, w), value_of(r, f->by, w), f->factor, nothing_of(r, f->by));
}

const char *perf_derive__no_hardware(const struct run_result *r)
{
	int sides = r->sender_side ? NIO_SIDE_RECEIVER : NIO_SIDE_NR;
	const char *reason = r->perf[NIO_SIDE_SENDER][0].reason;

	for (int side = 0; side < sides; side++) {
		for (int c = 0; c < PERF_HARDWARE_NR; c++) {
			const struct num *n = &r->perf[side][c];

			if (n->known || !n->reason || !reason || strcmp(n->reason, reason))
				return NULL;
		}
	}
	return reason;
}

static void lower(struct real *lowest, const struct real *running)
{
	if (running->known && (!lowest->known || running->value < lowest->value))
		*lowest = *running;
}

struct real perf_derive__lowest_running(const struct run_result *r)
{
	struct real lowest = {.reason = "nothing was counted"};

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int c = 0; c < PERF_NR; c++)
			lower(&lowest, &r->perf_detail[side][c].running);
		for (size_t i = 0; i < r->perf_asked_nr; i++)
			lower(&lowest, &r->perf_asked[i].running[side]);
	}
	return lowest;
}
