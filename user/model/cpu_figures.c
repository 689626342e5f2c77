/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of CPU time by class; see cpu_figures.h. */
#include "cpu_figures.h"

#include <math.h>

#define NS_PER_S 1000000000ULL
#define KIB      1024.0

static const char no_samples[] = "no sample was taken";

static struct num sampled_time(const struct cpu_result *c, enum nio_sample_owner w)
{
	if (!c->hz)
		return num__unknown(no_samples);
	return num__known(c->by[w].samples * NS_PER_S / c->hz);
}

struct num cpu_figures__total(const struct run_result *r, enum nio_sample_owner w)
{
	if (!r->cpu.known)
		return num__unknown(r->cpu.reason);
	if (w == NIO_SAMPLE_RECEIVER_ELSEWHERE && !r->cpu.both_machines)
		return num__unknown("no other machine has sampled");
	if (w >= NIO_SAMPLE_ELSEWHERE)
		return sampled_time(&r->cpu, w);
	if (!r->cpu.by[w].samples)
		return num__unknown(no_samples);
	return w == NIO_SAMPLE_SENDER ? r->app.sender_cpu_ns : r->app.receiver_cpu_ns;
}

struct real cpu_figures__sum(const struct run_result *r, enum nio_sample_owner w)
{
	bool elsewhere = w >= NIO_SAMPLE_ELSEWHERE;
	uint64_t payload = elsewhere ? r->cpu.payload : run_result__payload(r);
	struct num total = cpu_figures__total(r, w);

	/* If the totals are not of one moment, the rounds' own CPU time cannot be divided. */
	if (r->not_final && !elsewhere && r->cpu.known)
		return real__unknown(r->not_final);
	if (!total.known || !payload)
		return real__unknown(total.known ? "nothing was moved" : total.reason);
	return real__known((double)total.value * KIB / (double)payload);
}

const char *cpu_figures__hidden(const struct cpu_result *cpu, enum nio_sample_owner w,
				enum cpu_class c)
{
	if (!cpu->gather_hidden || w != NIO_SAMPLE_SENDER || c != CPU_CLASS_GATHER)
		return NULL;
	return "the load generator is static: samples do not tell its gather from its other code "
	       "(class user)";
}

struct cpu_figure cpu_figures__per_kib(const struct run_result *r, enum nio_sample_owner w,
				       enum cpu_class c)
{
	struct real sum = cpu_figures__sum(r, w);
	struct cpu_share share;

	if (!sum.known)
		return (struct cpu_figure){.value = sum};
	if (cpu_figures__hidden(&r->cpu, w, c))
		return (struct cpu_figure){
			.value = real__unknown(cpu_figures__hidden(&r->cpu, w, c))};
	/* No samples elsewhere are a measured 0. */
	if (!r->cpu.by[w].samples)
		return (struct cpu_figure){.value = real__known(0)};
	share = cpu_time__share(&r->cpu.by[w], c);
	return (struct cpu_figure){
		.value = real__known(share.value * sum.value),
		.low = share.low * sum.value,
		.high = share.high * sum.value,
	};
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
