/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost fields of a run: docs/reference/run.md, "Performance counters" and "Where CPU time
 * goes". */
#include "field.h"
#include "json.h"
#include "model/figures.h"
#include "model/perf_figures.h"

/* An unknown part of a known number has its own reason. */
static void json_put_part(json_t *o, const char *key, struct num whole, struct num part)
{
	if (whole.known)
		json_put_num(o, key, part);
	else
		json_put_bare(o, key, part);
}

/* Why the share of the time is not known in which the counter was counting. */
static const char *no_running(struct num n, struct real running)
{
	if (!n.known || running.known)
		return NULL;
	return running.reason ? running.reason : "not measured";
}

/* clang-format off */
#define FIELD_ROW_part(key, unit, ...) FIELD_ROW_VALUE(key, unit)
#define FIELD_PUT_part(key, unit, ...) json_put_part(o, key, __VA_ARGS__);

/* A value with a reason was extrapolated: the counter was on the CPU only part of the time. */
#define COUNT_FIELDS(X)                                                                      \
	X(bare,      "value",   "count, ns",  n)                                             \
	X(json,      "scaled",  "true/false", n.known ? json_boolean(n.reason) : json_null()) \
	X(bare_real, "running", "0..1",       n.known ? running : (struct real){0})          \
	X(reason,    "running_reason", no_running(n, running))                               \
	X(reason,    "reason",  n.known || n.reason ? n.reason : "not measured")
#define COUNTER_FIELDS(X)                                                                    \
	COUNT_FIELDS(X)                                                                      \
	X(part,      "user",    "count", n, d->user)                                         \
	X(part,      "kernel",  "count", n, d->kernel)
FIELDS(count, (struct num n, struct real running), COUNT_FIELDS)
FIELDS(counter, (struct num n, struct real running, const struct perf_detail *d), COUNTER_FIELDS)

#define SIDE_FIELDS(X)                                                                       \
	X(members, "<counter>", counter, PERF_NR, perf_counter__key,                         \
	  run->perf[side][i], run->perf_detail[side][i].running, &run->perf_detail[side][i])
FIELDS(side, (const struct run_result *run, unsigned int side), SIDE_FIELDS)

#define DERIVED_FIELDS(X)                                                                    \
	X(member_values, "<figure>", NULL, real, DERIVED_NR, perf_derived__key, perf_derive(run, i, owner))
FIELDS(derived, (const struct run_result *run, enum perf_whose owner), DERIVED_FIELDS)

#define ASKED_FIELDS(X)                                                                      \
	X(text,   "name",     "text", a->name)                                               \
	X(members, "<side>",  count, NIO_SIDE_NR, perf_whose__key, a->count[i], a->running[i])
FIELDS(asked, (const struct perf_asked *a), ASKED_FIELDS)
/* clang-format on */

/* factor * of / by; unknown when there is no sample to divide by. */
static struct real ratio(struct num of, struct num by, double factor)
{
	if (!of.known || !by.known || !by.value)
		return (struct real){0};
	return real_if(true, factor * (double)of.value / (double)by.value);
}

static const char *no_window(const struct perf_window *w)
{
	const char *reason = w->reason ? w->reason : w->llc_misses.reason;

	return reason || w->quality != QUALITY_UNAVAILABLE ? reason : "not measured";
}

/* clang-format off */
#define WINDOW_FIELDS(X)                                                                        \
	X(text,      "quality",               "text",     quality__name(w->quality))            \
	X(reason,    "reason",                no_window(w))                                     \
	X(bare,      "windows",               "count",    w->windows)                           \
	X(bare,      "samples",               "count",    w->samples)                           \
	X(bare,      "discarded",             "count",    w->discarded)                         \
	X(bare_real, "cycles_per_window",     "cycles",   ratio(w->cycles, w->samples, 1))      \
	X(bare_real, "llc_misses_per_window", "count",    ratio(w->llc_misses, w->samples, 1))  \
	X(bare_real, "cycles_per_byte",       "cycles/B", ratio(w->cycles, w->bytes, 1))        \
	X(bare_real, "llc_misses_per_kib",    "1/KiB",    ratio(w->llc_misses, w->bytes, 1024))
FIELDS(window, (const struct perf_window *w), WINDOW_FIELDS)

#define PERF_FIELDS(X)                                                                          \
	X(members, "<side>",  side, NIO_SIDE_NR, perf_whose__key, run, i)                       \
	X(family,  "derived", "<whose>", derived, PERF_WHOSE_NR, perf_whose__key, run, i)       \
	X(family,  "stages",  "<window>", window, NIO_PERF_WINDOW_NR, perf_window__key,         \
	  &run->perf_window[i])                                                                 \
	X(list,    "events",  asked, run->perf_asked_nr, &run->perf_asked[i])
DOCUMENT_FIELDS(perf, (const struct run_result *run), PERF_FIELDS)

/* CPU time by class: a share of the samples, times the CPU time of the side. */
#define BOUNDS_FIELDS(X)                                                                        \
	X(reason,    "reason", f.value.known ? NULL : f.value.reason)                           \
	X(bare_real, "value",  "ns/KiB", f.value)                                               \
	X(bare_real, "low",    "ns/KiB", real_if(f.value.known, f.low)) \
	X(bare_real, "high",   "ns/KiB", real_if(f.value.known, f.high))
FIELDS(bounds, (struct cpu_figure f), BOUNDS_FIELDS)

#define NS_FIELDS(X)                                                                            \
	X(reason, "reason", total.known ? cpu_figures__hidden(c, w, CPU_CLASS_GATHER) : total.reason) \
	X(member_values, "<class>", "ns", bare, CPU_CLASS_NR, cpu_class__key,                   \
	  num_if(total.known && !cpu_figures__hidden(c, w, i), ns[i]))
FIELDS(ns, (const struct cpu_result *c, enum nio_sample_owner w, struct num total,
	    const uint64_t ns[CPU_CLASS_NR]), NS_FIELDS)
#define divided_fields ns_fields
/* clang-format on */

static json_t *divided_json(const struct cpu_result *c, enum nio_sample_owner w, struct num total)
{
	uint64_t ns[CPU_CLASS_NR];

	cpu_time__divide(&c->by[w], total.known ? total.value : 0, ns);
	return ns_json(c, w, total, ns);
}

/* As --folded writes them, but without the mode: the run has one. */
static json_t *stacks_json(const struct profile *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->nr; i++)
		json_array_append_new(list, json_sprintf("%s;%s %" JSON_INTEGER_FORMAT,
							 cpu_time__whose(p->stacks[i].owner),
							 p->stacks[i].frames,
							 (json_int_t)p->stacks[i].count));
	return list;
}

static bool is_sampled(const struct cpu_result *c, enum nio_sample_owner w)
{
	return c->known && (w != NIO_SAMPLE_RECEIVER_ELSEWHERE || c->both_machines);
}

/* clang-format off */
#define WHOSE_FIELDS(X)                                                                         \
	X(reason, "reason",       total.known ? NULL : total.reason)                            \
	X(bare_numbers, SAMPLES_NUMBERS, is_sampled(c, w) ? &c->by[w] : NULL)                    \
	X(bare,   "unclassified", "count", num_if(is_sampled(c, w), c->by[w].classes[CPU_CLASS_OTHER]))    \
	X(bare,   "cpu_ns",       "ns",    total)                                               \
	X(object, "ns",           divided, c, w, total)                                         \
	X(family, "ns_per_kib",   "<class>", bounds, CPU_CLASS_NR, cpu_class__key,              \
	  cpu_figures__per_kib(run, w, i))
FIELDS(owner, (const struct run_result *run, const struct cpu_result *c,
	       enum nio_sample_owner w, struct num total), WHOSE_FIELDS)

#define SOFTIRQ_FIELDS(X)                                                                       \
	X(reason,    "reason",     cpu_figures__softirq(run, true).reason)                      \
	X(bare_real, "ns_per_kib", "ns/KiB", cpu_figures__softirq(run, false))                  \
	X(bare_real, "ns_per_kib_at_most", "ns/KiB", cpu_figures__softirq(run, true))
FIELDS(softirq, (const struct run_result *run), SOFTIRQ_FIELDS)

#define CPU_FIELDS(X)                                                                           \
	CPU_SOURCE_FIELDS(X)                                                                    \
	X(members,   "<whose>",   owner, NIO_SAMPLE_OWNER_NR, cpu_time__whose, run, c, i,       \
	  cpu_figures__total(run, i))                                                           \
	X(object,    "softirq",   softirq, run)                                                 \
	X(json,      "stacks",    "list of text", stacks_json(&c->profile))
DOCUMENT_FIELDS(cpu, (const struct run_result *run, const struct cpu_result *c), CPU_FIELDS)
/* clang-format on */
