/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of CPU time by class; see cpu_figures.h. */
#include "cpu_figures.h"

#include <math.h>

#define NS_PER_S 1000000000ULL
#define KIB      1024.0

static const char no_samples[] = "no sample was taken";

static struct num sampled_time(const struct cpu_result *c, enum nio_sample_whose w)
{
	if (!c->hz)
		return num__unknown(no_samples);
	return num__known(c->by[w].samples * NS_PER_S / c->hz);
}

struct num cpu_figures__total(const struct run_result *r, enum nio_sample_whose w)
{
	if (!r->cpu.known)
		return num__unknown(r->cpu.reason);
	if (w == NIO_SAMPLE_ELSEWHERE)
		return sampled_time(&r->cpu, w);
	if (!r->cpu.by[w].samples)
		return num__unknown(no_samples);
	return w == NIO_SAMPLE_SENDER ? r->app.sender_cpu_ns : r->app.receiver_cpu_ns;
}

static uint64_t payload_of(const struct run_result *r, enum nio_sample_whose w)
{
	return w == NIO_SAMPLE_ELSEWHERE ? r->cpu.payload : run_result__payload(r);
}

/* If the totals are not of one moment, the rounds' own CPU time cannot be divided. */
static struct num total_of(const struct run_result *r, enum nio_sample_whose w)
{
	if (r->not_final && w != NIO_SAMPLE_ELSEWHERE && r->cpu.known)
		return num__unknown(r->not_final);
	return cpu_figures__total(r, w);
}

struct real cpu_figures__sum(const struct run_result *r, enum nio_sample_whose w)
{
	struct num total = total_of(r, w);
	uint64_t payload = payload_of(r, w);

	if (!total.known || !payload)
		return real__unknown(total.known ? "nothing was moved" : total.reason);
	return real__known((double)total.value * KIB / (double)payload);
}

struct cpu_figure cpu_figures__per_kib(const struct run_result *r, enum nio_sample_whose w,
				       enum cpu_class c)
{
	struct num total = total_of(r, w);
	uint64_t payload = payload_of(r, w);
	struct cpu_figure f = {.value = {.reason = total.reason}};
	struct cpu_share share;
	double per_kib;

	if (!total.known)
		return f;
	if (!payload) {
		f.value.reason = "nothing was moved";
		return f;
	}
	per_kib = (double)total.value * KIB / (double)payload;
	/* No samples elsewhere are a measured 0. */
	if (!r->cpu.by[w].samples)
		return (struct cpu_figure){.value = {.value = 0, .known = true}};
	share = cpu_time__share(&r->cpu.by[w], c);
	f.value = real__known(share.value * per_kib);
	f.low = share.low * per_kib;
	f.high = share.high * per_kib;
	return f;
}

struct cpu_figure cpu_figures__both(const struct run_result *r, enum cpu_class c)
{
	struct cpu_figure s = cpu_figures__per_kib(r, NIO_SAMPLE_SENDER, c);
	struct cpu_figure t = cpu_figures__per_kib(r, NIO_SAMPLE_RECEIVER, c);
	struct cpu_figure both;

	if (r->sender_side || !s.value.known)
		return s;
	if (!t.value.known)
		return t;
	both.value = real__known(s.value.value + t.value.value);
	both.low = both.value.value - hypot(s.value.value - s.low, t.value.value - t.low);
	both.high = both.value.value + hypot(s.high - s.value.value, t.high - t.value.value);
	return both;
}
