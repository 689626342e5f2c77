/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures shared by the live views and the final text: see figures.h. Pure. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_test.h"
#include "base/stats.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "figures.h"
#include "perf_figures.h"
#include "remote.h"

bool figures__stage_known(const struct run_result *run, enum nio_stage stage, const char **reason)
{
	const struct stage_result *s = &run->stages[stage];

	/* The gather stage is counted by the load generator and outlives a missing ledger. */
	if (s->quality != QUALITY_UNAVAILABLE)
		return true;
	*reason = s->reason;
	if (!*reason && !run->ledger_known)
		*reason = run->ledger_reason;
	if (!*reason)
		*reason = "the reason was not recorded";
	return false;
}

struct real figures__per_byte(const struct run_result *run, enum nio_stage stage)
{
	uint64_t payload = run_result__payload(run);
	const char *reason = NULL;

	if (!figures__stage_known(run, stage, &reason))
		return real__unknown(reason);
	if (run->not_final)
		return real__unknown(run->not_final);
	if (!payload)
		return real__unknown(run->sender_side ? "no payload was sent"
						      : "no payload was received");
	return real__known((double)run->stages[stage].bytes / (double)payload);
}

struct copies_figure figures__copies(const struct run_result *run)
{
	struct copies_figure c = {.value = {.reason = "no copying stage was measured"}};
	const char *reason;
	struct real part;
	int i;

	if (!run->ledger_known) {
		c.value.reason = run->ledger_reason;
		return c;
	}
	for (i = 0; i < NIO_STAGE_NR; i++) {
		if (!stage__is_copy(i))
			continue;
		part = figures__per_byte(run, i);
		if (part.known) {
			c.value.known = true;
			c.value.value += part.value;
		} else if (!figures__stage_known(run, i, &reason)) {
			if (!remote__owns_stage(run, i))
				c.excluded |= 1u << i;
		} else {
			c.value.reason = part.reason;
		}
	}
	return c;
}

bool figures__copies_is_least(const struct run_result *run)
{
	const struct real *least = &run->copies_per_byte, *most = &run->copies_per_byte_at_most;

	return (figures__copies(run).excluded & ~(1u << NIO_STAGE_OTHER_COPY)) ||
	       (least->known && (!most->known || most->value > least->value));
}

static bool any_timed(const struct result *r, enum latency_kind k)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct hist *h = r->summary[i].total.app.latency[k].hist;

		if (h && h->count)
			return true;
	}
	return false;
}

static bool any_pins(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (mode__has(r->summary[i].mode, MODE_PINS))
			return true;
	return false;
}

bool figures__shows_latency(const struct result *r, enum latency_kind k)
{
	return k == LATENCY_SEND_CALL || k == LATENCY_DELIVERY || k == LATENCY_RECV_CALL ||
	       (k == LATENCY_COMPLETION && any_pins(r)) ||
	       (k == LATENCY_HALF_ROUND_TRIP && r->workload.request_response) || any_timed(r, k);
}

char *figures__load(char *buf, size_t len, uint64_t size, unsigned int fields, unsigned int threads)
{
	char bytes[UNITS_BUF];

	snprintf(buf, len, "%s in %u field%s, %u thread%s", format_size(bytes, sizeof(bytes), size),
		 fields, plural(fields), threads, plural(threads));
	return buf;
}

char *figures__kernel(char *buf, size_t len, const struct environment *env)
{
	static const char prefix[] = "Linux ";
	const char *release = env->kernel;

	if (!strncmp(release, prefix, sizeof(prefix) - 1))
		release += sizeof(prefix) - 1;
	if (*release)
		snprintf(buf, len, "Linux %s", release);
	else
		snprintf(buf, len, "kernel unknown");
	return buf;
}

struct real figures__cpu(const struct run_result *run)
{
	return perf_derive(run, DERIVED_CPU_NS_PER_KIB, perf_whose__here(run));
}

size_t figures__rounds(const struct result *r, enum mode mode, figure_of_round *figure, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < r->runs_nr; i++) {
		struct real value = figure(&r->runs[i]);

		if (r->runs[i].mode == mode && value.known)
			v[n++] = value.value;
	}
	return n;
}

size_t figures__comparisons(const struct result *r)
{
	return r->modes_nr * (r->modes_nr - 1); /* half as many pairs, two figures */
}

unsigned int figures__rounds_needed(const struct result *r)
{
	unsigned int needed = rank_test__rounds_needed(figures__comparisons(r));

	return rounds__all(r) || needed > r->rounds ? needed : r->rounds;
}

bool figures__are_emulated(const struct result *r)
{
	const struct environment *receiver = r->env.receiver;

	return strstr(r->env.virtualization, "emulated") ||
	       (receiver && strstr(receiver->virtualization, "emulated"));
}

struct ranking figures__ranking(const struct result *r, figure_of_round *figure, bool softirq,
				bool higher_is_better)
{
	double *least = xcalloc(2 * MODE_NR * r->runs_nr + 1, sizeof(*least));
	double *most = least + MODE_NR * r->runs_nr;
	struct ranked_mode modes[MODE_NR];
	struct ranking ranking;

	if (figures__are_emulated(r)) {
		free(least);
		return (struct ranking){.unknown = "a machine is emulated"};
	}
	for (size_t m = 0; m < MODE_NR; m++)
		modes[m] =
			(struct ranked_mode){m, least + m * r->runs_nr, 0, most + m * r->runs_nr};
	for (size_t i = 0; i < r->runs_nr; i++) {
		const struct run_result *run = &r->runs[i];
		struct real value = figure(run);
		size_t at = run->mode * r->runs_nr + modes[run->mode].n;

		if (!value.known)
			continue;
		least[at] = value.value + (softirq ? cpu_figures__softirq(run, false).value : 0);
		most[at] = value.value + (softirq ? cpu_figures__softirq(run, true).value : 0);
		modes[run->mode].n++;
	}
	ranking = ranking__of(modes, MODE_NR, higher_is_better,
			      rounds__all(r) ? figures__comparisons(r) : 0);
	ranking.needed = figures__rounds_needed(r);
	free(least);
	return ranking;
}

const char *figures__no_softirq(const struct result *r)
{
	for (size_t i = 0; i < r->runs_nr; i++) {
		struct real softirq = cpu_figures__softirq(&r->runs[i], false);

		if (figures__cpu(&r->runs[i]).known && !softirq.known)
			return softirq.reason;
	}
	return NULL;
}

struct ranking figures__cheapest(const struct result *r)
{
	const char *why = figures__no_softirq(r);

	if (why)
		return (struct ranking){.unknown = why};
	return figures__ranking(r, figures__cpu, true, false);
}

void figures__compare(struct rank_test *t, const struct result *r, enum mode first,
		      enum mode second)
{
	double *a = xcalloc(r->runs_nr, sizeof(*a)), *b = xcalloc(r->runs_nr, sizeof(*b));

	*t = rank_test__of(a, figures__rounds(r, first, run_result__gbps, a), b,
			   figures__rounds(r, second, run_result__gbps, b),
			   figures__comparisons(r));
	if (t->difference >= DIFFERENCE_NOISE && !rounds__all(r))
		t->difference = DIFFERENCE_FEW;
	/* Nothing was sent in half of the rounds and more: that has no quotient. */
	if (!(t->b > 0) || figures__are_emulated(r))
		t->difference = DIFFERENCE_UNKNOWN;
	free(a);
	free(b);
}

struct count {
	unsigned int least, most; /* of a mode */
};

static struct count rounds_of(const struct result *r)
{
	struct count n = {.least = r->summary_nr ? UINT_MAX : 0};

	for (size_t i = 0; i < r->summary_nr; i++) {
		n.least = r->summary[i].rounds < n.least ? r->summary[i].rounds : n.least;
		n.most = r->summary[i].rounds > n.most ? r->summary[i].rounds : n.most;
	}
	return n;
}

/* Rounds are made one after the other: at most the last of a mode was cut short. */
unsigned int rounds__complete(const struct result *r)
{
	unsigned int complete = r->summary_nr < r->modes_nr ? 0 : rounds_of(r).least;

	for (size_t i = 0; i < r->runs_nr; i++)
		if (r->runs[i].interrupted && r->runs[i].round <= complete)
			complete = r->runs[i].round - 1;
	return complete;
}

bool rounds__all(const struct result *r)
{
	size_t whole = 0;

	for (size_t i = 0; i < r->runs_nr; i++)
		whole += !r->runs[i].interrupted;
	return whole >= r->modes_nr * r->rounds;
}

bool rounds__ended_early(const struct result *r)
{
	bool early = r->interrupted || r->failure[0];

	for (size_t i = 0; i < r->summary_nr; i++)
		early |= r->summary[i].total.interrupted;
	return early;
}

char *rounds__words(char *buf, size_t len, const struct result *r)
{
	struct count n = rounds_of(r);

	if (n.least < n.most)
		snprintf(buf, len, "%u to %u rounds", n.least, n.most);
	else
		snprintf(buf, len, "%u round%s", n.most, plural(n.most));
	return buf;
}

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

/* Of the sampled round. */
static double sample_ns_per_kib(const struct run_result *r)
{
	return (double)NS_PER_S / r->cpu.hz * KIB / (double)r->cpu.payload;
}

struct cpu_figure cpu_figures__per_kib(const struct run_result *r, enum nio_sample_owner w,
				       enum cpu_class c)
{
	struct real sum = cpu_figures__sum(r, w);
	const struct cpu_samples *s = &r->cpu.by[w];
	struct cpu_share share;

	if (!sum.known)
		return (struct cpu_figure){.value = sum};
	if (cpu_figures__hidden(&r->cpu, w, c))
		return (struct cpu_figure){
			.value = real__unknown(cpu_figures__hidden(&r->cpu, w, c))};
	share = cpu_time__share(s, c);
	/* There the samples are the time, not a share of one. */
	if (w >= NIO_SAMPLE_ELSEWHERE) {
		share = cpu_time__mean(s->classes[c]);
		/* Any sample that may be of another program's work may also be of this class. */
		share.high = cpu_time__mean(s->classes[c] + s->lost).high;
		/* Samples by cycles only bound the time from above. */
		if (!r->cpu.source || strcmp(r->cpu.source, CPU_SOURCE_CLOCK) != 0)
			share.low = 0;
		sum.value = sample_ns_per_kib(r);
	}
	return (struct cpu_figure){
		.value = real__known(share.value * sum.value),
		.low = share.low * sum.value,
		.high = share.high * sum.value,
	};
}

struct real cpu_figures__softirq(const struct run_result *r, bool at_most)
{
	struct real sum = cpu_figures__sum(r, NIO_SAMPLE_ELSEWHERE);
	uint64_t samples = 0;

	if (!sum.known)
		return sum;
	if (r->cpu.softirq_reason || r->sender_side)
		return real__unknown(r->cpu.softirq_reason ? r->cpu.softirq_reason
							   : "the CPU time is of the sender alone");
	/*
	 * The kernel adapts the period of cycles until there are hz samples a second, however much
	 * of it the CPU was busy.
	 */
	if (!at_most && r->cpu.source && !strncmp(r->cpu.source, CPU_SOURCE_CYCLES, 6))
		return real__known(0);
	for (int w = NIO_SAMPLE_ELSEWHERE; w < NIO_SAMPLE_OWNER_NR; w++)
		samples += r->cpu.by[w].samples + (at_most ? r->cpu.by[w].lost : 0);
	return real__known(sample_ns_per_kib(r) *
			   (at_most ? cpu_time__mean(samples).high : cpu_time__mean(samples).low));
}

struct real cpu_figures__class(const struct run_result *r, enum cpu_class c, bool softirq)
{
	int owners = softirq          ? NIO_SAMPLE_RECEIVER_ELSEWHERE + r->cpu.both_machines
		     : r->sender_side ? NIO_SAMPLE_RECEIVER
				      : NIO_SAMPLE_ELSEWHERE;
	struct real sum = real__known(0);

	for (int w = 0; w < owners && sum.known; w++) {
		struct real value = cpu_figures__per_kib(r, w, c).value;

		sum = value.known ? real__known(sum.value + value.value) : value;
	}
	return sum;
}

static struct real unknown(const char *reason)
{
	return real__unknown(reason ? reason : "the reason was not recorded");
}

uint64_t time_figures__calls(const struct run_result *run)
{
	const struct hist *calls = run->app.latency[LATENCY_SEND_CALL].hist;

	if (run->times.source == TIMES_FROM_TIMED_ROUND)
		return run->times.calls;
	return calls ? calls->count : 0;
}

/* Were the calls timed up to one moment and followed up to another? */
static bool two_moments(const struct run_result *run)
{
	return run->not_final && run->times.source != TIMES_FROM_TIMED_ROUND;
}

/*
 * Divisors of sums. The load generator times all system calls of a message: if every call was
 * followed, the parts are also the message's and add up to its time.
 */
static uint64_t calls_of(const struct run_result *run, enum path_part part)
{
	uint64_t timed = time_figures__calls(run), followed = run->path_calls.value;

	if (part == PATH_SEND_TOTAL)
		return timed;
	/* The kernel's count is of later than the load generator's. */
	if (two_moments(run))
		return followed;
	return timed && timed < followed ? timed : followed;
}

struct real time_figures__part(const struct run_result *run, enum path_part part)
{
	const struct num *ns = &run->path_ns[part];
	uint64_t calls;

	if (!ns->known)
		return unknown(ns->reason);
	if (part != PATH_SEND_TOTAL && !run->path_calls.known)
		return unknown(run->path_calls.reason);
	calls = calls_of(run, part);
	return calls ? real__known((double)ns->value / (double)calls)
		     : unknown("no call was timed");
}

/* Mean ns of a send call inside tcp_sendmsg, by the kernel's clock: the sum of its parts. */
static struct real inside_of(const struct run_result *run)
{
	struct real sum = real__known(0), part;
	int p;

	for (p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++) {
		part = time_figures__part(run, (enum path_part)p);
		if (!part.known)
			return part;
		sum.value += part.value;
	}
	return sum;
}

struct real time_figures__outside(const struct run_result *run)
{
	struct real total = time_figures__part(run, PATH_SEND_TOTAL);
	struct real inside = inside_of(run);

	if (!total.known || !inside.known)
		return total.known ? inside : total;
	if (two_moments(run))
		return unknown(run->not_final);
	if (run->path_calls.value < time_figures__calls(run))
		return unknown("not every call was followed");
	if (total.value < inside.value)
		return unknown("other calls were followed than the load generator timed");
	return real__known(total.value - inside.value);
}

/* The part of the stage's bytes that was timed. */
static double timed_share(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];
	uint64_t timed = s->timed.known ? s->timed.value : s->events, all = s->events;

	/* The time of the gather stage has been scaled to all messages already. */
	if (stage == NIO_STAGE_USER_GATHER)
		return 1;
	/* Timed call by call, even where bytes are counted packet by packet. */
	if (stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_TX_PIN) {
		timed = run->path_calls.known ? run->path_calls.value : timed;
		all = time_figures__calls(run);
	}
	return timed < all ? (double)timed / (double)all : 1;
}

struct real time_figures__timed_bytes(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];
	const char *reason = NULL;

	if (!figures__stage_known(run, stage, &reason))
		return unknown(reason);
	if (!s->ns.known)
		return unknown(s->ns.reason);
	if (s->timed_bytes.known)
		return real__known((double)s->timed_bytes.value);
	if (two_moments(run) && stage__account(stage) == STAGE_SENT)
		return unknown(run->not_final);
	return real__known(timed_share(run, stage) * (double)s->bytes);
}

struct real time_figures__per_kib(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];
	struct real bytes = time_figures__timed_bytes(run, stage);

	if (!bytes.known)
		return bytes;
	if (!s->bytes)
		return real__known(0);
	if (!(bytes.value > 0) || !s->ns.value)
		return unknown("no event was timed");
	return real__known((double)s->ns.value * 1024 / bytes.value);
}

static double median_of(const struct ranked_mode *m)
{
	double *values = xcalloc(m->n, sizeof(*values)), median;

	memcpy(values, m->at_most, m->n * sizeof(*values));
	median = stats__spread(values, m->n).median;
	free(values);
	return median;
}

/*
 * Tests whether mode a is lower than mode b: the worse mode is no tie. Both directions of a pair
 * are one two-sided comparison.
 */
static void compare(struct ranking *r, const struct ranked_mode *a, const struct ranked_mode *b,
		    bool higher_is_better, size_t tests)
{
	struct rank_test t = rank_test__of(a->at_most, a->n, b->values, b->n, tests);

	r->early |= t.difference == DIFFERENCE_POINT || t.difference == DIFFERENCE_FEW;
	if (t.difference != DIFFERENCE_LOWER)
		return;
	r->ties[higher_is_better ? a->mode : b->mode] = false;
	r->all_tie = false;
}

struct ranking ranking__of(const struct ranked_mode *modes, size_t n, bool higher_is_better,
			   size_t tests)
{
	struct ranking r = {.needed = rank_test__rounds_needed(tests)};
	const struct ranked_mode *best = NULL;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double value = modes[i].n ? median_of(&modes[i]) : 0;

		if (!modes[i].n)
			continue;
		r.rounds = r.known++ && r.rounds < modes[i].n ? r.rounds : modes[i].n;
		if (best && (higher_is_better ? value <= most : value >= most))
			continue;
		best = &modes[i];
		most = value;
	}
	if (!best)
		return r;
	r.best = best->mode;
	r.early = !tests;
	if (r.early)
		return r;
	r.all_tie = true;
	for (size_t i = 0; i < n; i++)
		r.ties[modes[i].mode] = modes[i].n && &modes[i] != best;
	for (size_t i = 0; i < n; i++)
		for (size_t other = 0; other < n; other++)
			compare(&r, &modes[i], &modes[other], higher_is_better, tests);
	return r;
}
