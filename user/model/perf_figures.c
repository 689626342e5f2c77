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
	unsigned int shown;
} figures[DERIVED_NR] = {
/* clang-format off */
#define X(id, key, words, unit, head, better, of, by, factor, shown, formula) \
	[DERIVED_##id] = {key, words, unit, head, SOURCE_##of, SOURCE_##by, factor, shown},
	PERF_FIGURES(X)
#undef X
#define X(id, key, words, unit, head, better, shown) \
	[DERIVED_##id] = {key, words, unit, head, SOURCE_CPU_NS, SOURCE_PAYLOAD, id##_FACTOR, shown},
#define CPU_S_PER_GIB_FACTOR  (GIB / 1e9)
#define CPU_NS_PER_KIB_FACTOR KIB
	PERF_CPU_FIGURES(X)
#undef X
	/* clang-format on */
};

static const struct figure *figure_of(enum perf_derived d)
{
	static const struct figure none = {.key = "?", .words = "?", .unit = "", .head = ""};

	return (unsigned int)d < DERIVED_NR ? &figures[d] : &none;
}

/* clang-format off */
const char *perf_derived__key(enum perf_derived d)   { return figure_of(d)->key; }
const char *perf_derived__words(enum perf_derived d) { return figure_of(d)->words; }
const char *perf_derived__unit(enum perf_derived d)  { return figure_of(d)->unit; }
const char *perf_derived__head(enum perf_derived d)  { return figure_of(d)->head; }
/* clang-format on */

bool perf_derived__shown(enum perf_derived d, enum visibility where)
{
	return figure_of(d)->shown & where;
}

bool perf_derived__needs_pmu(enum perf_derived d)
{
	enum source of = figure_of(d)->of;

	return (int)of < (int)PERF_HARDWARE_NR || of == SOURCE_KERNEL_CYCLES;
}

const char *perf_whose__key(enum perf_whose w)
{
	static const char *const keys[] = {"sender", "receiver", "both"};

	return (unsigned int)w < PERF_WHOSE_NR ? keys[w] : "?";
}

enum perf_whose perf_whose__here(const struct run_result *r)
{
	return r->sender_side ? PERF_OF_SENDER : PERF_OF_BOTH;
}

struct num perf_derive__count(const struct run_result *r, enum perf_counter c, enum perf_whose w)
{
	if (w != PERF_OF_BOTH)
		return r->perf[w][c];
	return num__sum(r->perf[NIO_SIDE_SENDER][c], r->perf[NIO_SIDE_RECEIVER][c]);
}

static struct num kernel_part(const struct run_result *r, enum perf_counter c, enum perf_whose w)
{
	if (w != PERF_OF_BOTH)
		return r->perf_detail[w][c].kernel;
	return num__sum(r->perf_detail[NIO_SIDE_SENDER][c].kernel,
			r->perf_detail[NIO_SIDE_RECEIVER][c].kernel);
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

/* CPU time by the processes' own accounting, which is always available. */
static struct num cpu_ns(const struct run_result *r, enum perf_whose w)
{
	if (w == PERF_OF_BOTH)
		return num__sum(r->app.sender_cpu_ns, r->app.receiver_cpu_ns);
	return w == PERF_OF_SENDER ? r->app.sender_cpu_ns : r->app.receiver_cpu_ns;
}

static struct real value_of(const struct run_result *r, enum source s, enum perf_whose w)
{
	switch (s) {
	case SOURCE_KERNEL_CYCLES:
		return as_real(kernel_part(r, PERF_CYCLES, w));
	case SOURCE_CPU_NS:
		return as_real(cpu_ns(r, w));
	case SOURCE_PAYLOAD:
		if (r->not_final)
			return real__unknown(r->not_final);
		return real__known((double)run_result__payload(r));
	case SOURCE_DURATION:
		return real__known((double)r->duration_ns / 1e9);
	default:
		return as_real(perf_derive__count(r, (enum perf_counter)s, w));
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
	const struct figure *f = figure_of(d);

	return ratio(value_of(r, f->of, w), value_of(r, f->by, w), f->factor, nothing_of(r, f->by));
}

struct real perf_derive__per_bytes(const struct run_result *r, struct num count, double bytes)
{
	return ratio(as_real(count), value_of(r, SOURCE_PAYLOAD, PERF_OF_BOTH), bytes,
		     nothing_of(r, SOURCE_PAYLOAD));
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
