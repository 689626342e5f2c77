/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures made of counters; see perf_derive.h. Pure. */
#include <string.h>

#include "perf_figures.h"

#define KIB 1024.0
#define GIB (1024.0 * 1024.0 * 1024.0)

const char *perf_derived__key(enum perf_derived d)
{
	static const char *const keys[] = {
#define X(id, key) key,
		PERF_DERIVED(X)
#undef X
	};

	return (unsigned int)d < DERIVED_NR ? keys[d] : "?";
}

const char *perf_whose__key(enum perf_whose w)
{
	static const char *const keys[] = {"sender", "receiver", "both"};

	return (unsigned int)w < PERF_WHOSE_NR ? keys[w] : "?";
}

struct num perf_derive__add(struct num a, struct num b)
{
	if (!a.known)
		return a;
	if (!b.known)
		return b;
	return (struct num){
		.value = a.value + b.value,
		.known = true,
		.reason = a.reason ? a.reason : b.reason,
	};
}

struct num perf_derive__count(const struct run_result *r, enum perf_counter c, enum perf_whose w)
{
	if (w != PERF_OF_BOTH)
		return r->perf[w][c];
	return perf_derive__add(r->perf[NIO_SIDE_SENDER][c], r->perf[NIO_SIDE_RECEIVER][c]);
}

static struct num kernel_part(const struct run_result *r, enum perf_counter c, enum perf_whose w)
{
	if (w != PERF_OF_BOTH)
		return r->perf_detail[w][c].kernel;
	return perf_derive__add(r->perf_detail[NIO_SIDE_SENDER][c].kernel,
				r->perf_detail[NIO_SIDE_RECEIVER][c].kernel);
}

/* factor * a / b. */
static struct real ratio(struct num a, struct num b, double factor, const char *nothing)
{
	if (!a.known)
		return (struct real){.reason = a.reason};
	if (!b.known)
		return (struct real){.reason = b.reason};
	if (!b.value)
		return (struct real){.reason = nothing};
	return (struct real){.value = factor * (double)a.value / (double)b.value, .known = true};
}

struct real perf_derive__per_bytes(const struct run_result *r, struct num count, double bytes)
{
	struct num payload = {.value = run_result__payload(r), .known = true};

	return ratio(count, payload, bytes,
		     r->sender_side ? "no payload was sent" : "no payload was received");
}

/* The processes' own account, which is there whatever can be counted from outside. */
static struct num cpu_ns(const struct run_result *r, enum perf_whose w)
{
	if (w == PERF_OF_BOTH)
		return perf_derive__add(r->app.sender_cpu_ns, r->app.receiver_cpu_ns);
	return w == PERF_OF_SENDER ? r->app.sender_cpu_ns : r->app.receiver_cpu_ns;
}

static struct real per_second(const struct run_result *r, struct num count)
{
	struct num duration = {.value = r->duration_ns, .known = true};

	return ratio(count, duration, 1e9, "nothing was measured");
}

struct real perf_derive(const struct run_result *r, enum perf_derived d, enum perf_whose w)
{
	static const char nothing[] = "nothing was counted to divide by";
#define COUNT(c) perf_derive__count(r, PERF_##c, w)

	switch (d) {
	case DERIVED_IPC:
		return ratio(COUNT(INSTRUCTIONS), COUNT(CYCLES), 1, nothing);
	case DERIVED_CYCLES_PER_BYTE:
		return perf_derive__per_bytes(r, COUNT(CYCLES), 1);
	case DERIVED_KERNEL_SHARE:
		return ratio(kernel_part(r, PERF_CYCLES, w), COUNT(CYCLES), 1, nothing);
	case DERIVED_L1D_MISSES_PER_KIB:
		return perf_derive__per_bytes(r, COUNT(L1D_MISSES), KIB);
	case DERIVED_LLC_MISSES_PER_KIB:
		return perf_derive__per_bytes(r, COUNT(LLC_MISSES), KIB);
	case DERIVED_DTLB_MISSES_PER_KIB:
		return perf_derive__per_bytes(r, COUNT(DTLB_MISSES), KIB);
	case DERIVED_BRANCH_MISSES_PER_KIB:
		return perf_derive__per_bytes(r, COUNT(BRANCH_MISSES), KIB);
	case DERIVED_LLC_MISS_RATIO:
		return ratio(COUNT(LLC_MISSES), COUNT(LLC_REFERENCES), 1, nothing);
	case DERIVED_BRANCH_MISS_RATIO:
		return ratio(COUNT(BRANCH_MISSES), COUNT(BRANCHES), 1, nothing);
	case DERIVED_SWITCHES_PER_S:
		return per_second(r, COUNT(CONTEXT_SWITCHES));
	case DERIVED_CPU_S_PER_GIB:
		return perf_derive__per_bytes(r, cpu_ns(r, w), GIB / 1e9);
	default:
		return (struct real){.reason = "no such figure"};
	}
#undef COUNT
}

struct real perf_derive__ns_per_kib(const struct run_result *r, enum perf_whose w)
{
	return perf_derive__per_bytes(r, cpu_ns(r, w), KIB);
}

const char *perf_derive__no_hardware(const struct run_result *r)
{
	const char *reason = r->perf[NIO_SIDE_SENDER][0].reason;

	for (int side = 0; side < NIO_SIDE_NR; side++) {
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
