/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the short extra rounds; see aux_round.h. */
#include "aux_round.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "run_order.h"
#include "common/xalloc.h"
#include "kernel/sampler.h"
#include "timed_round.h"
#include "round_phases.h"
#include "watched_sockets.h"

/* Total of all extra rounds of a mode. */
#define SAMPLED_NS 1000000000ULL
#define TIMED_NS   500000000ULL

/* Each extra round lasts a quarter of its round, but at least this long if its round does. */
#define NS_MIN        100000000ULL
#define WARMUP_NS_MAX 50000000ULL

static uint64_t duration_ns(const struct workload *t, uint64_t mode_ns)
{
	uint64_t round_ns = workload__round_ns(t), ns = mode_ns / t->rounds;

	if (ns > round_ns / 4)
		ns = round_ns / 4;
	if (ns < NS_MIN)
		ns = NS_MIN;
	return ns < round_ns ? ns : round_ns;
}

/* A round with the workload of the compared round, but short. */
static int run_short(struct runner *runner, enum round_kind kind, uint64_t ns,
		     const struct run_result *of, struct run_result *out)
{
	struct workload workload = runner->workload;
	bool perf_off = runner->perf.off;
	int err;

	runner->workload.duration_ns = ns;
	runner->workload.rounds = 1;
	if (runner->workload.warmup_ns > WARMUP_NS_MAX)
		runner->workload.warmup_ns = WARMUP_NS_MAX;
	runner->perf.off = true;
	runner->kind = kind;
	err = round_phases__run(runner, of->mode, of->round, out);
	runner->kind = ROUND_COMPARED;
	runner->perf.off = perf_off;
	runner->workload = workload;
	return err;
}

int aux_round__load(struct runner *runner)
{
	struct sampling *s = &runner->sampling;

	if (!s->tried && sampler__open(&s->sampler, -1, s->none, sizeof(s->none)))
		log_info("no samples of CPU time: %s", s->none);
	s->tried = true;
	return s->sampler ? 0 : -ENOENT;
}

static const char *why_no_samples(const struct options *o)
{
	if (o->no_cpu)
		return "CPU samples were off: leave out --no-cpu";
	if (o->backend == BACKEND_NONE)
		return "CPU samples were off: leave out --backend none";
	if (o->workload.messages)
		return "CPU samples were off: give --duration instead of --messages";
	return NULL;
}

void aux_round__close(struct runner *runner)
{
	sampler__close(runner->sampling.sampler);
	runner->sampling.sampler = NULL;
}

uint64_t aux_round__sampled_ns(const struct options *o)
{
	return why_no_samples(o) ? 0 : duration_ns(&o->workload, SAMPLED_NS);
}

/* Nothing is watched in this round. */
static int run_unwatched(struct runner *runner, enum round_kind kind, uint64_t ns,
			 const struct run_result *of, struct run_result *out)
{
	struct attach_probes *probes = runner->probes;
	int err;

	/* Programs cost time even for sockets that are not watched; the samples would show it. */
	watched_sockets__rest(runner);
	runner->probes = NULL;
	err = run_short(runner, kind, ns, of, out);
	runner->probes = probes;
	return err;
}

static const char *why_not_sampled(const struct runner *runner, int err,
				   const struct run_result *sampled)
{
	if (runner->stopped)
		return "the run was ended before its samples were taken";
	if (err)
		return runner->reason;
	if (sampled->cpu.known)
		return NULL;
	return runner->sampling.err ? runner->sampling.why : "nothing was sampled";
}

void aux_round__sample(struct runner *runner, struct run_result *out)
{
	const char *reason = why_no_samples(runner->o);
	struct run_result *sampled;

	if (!reason && !run_order__is_turn(out->round, runner->sampling.every))
		reason = "a sweep samples one round of three";
	if (!reason && aux_round__load(runner))
		reason = runner->sampling.none;
	if (reason) {
		cpu_time__none(&out->cpu, reason);
		return;
	}
	sampled = xmalloc(sizeof(*sampled));
	run_result__init(sampled);
	reason = why_not_sampled(runner,
				 run_unwatched(runner, ROUND_SAMPLED,
					       aux_round__sampled_ns(runner->o), out, sampled),
				 sampled);
	if (reason) {
		cpu_time__none(&out->cpu, reason);
	} else {
		sampled->cpu.duration_ns = sampled->duration_ns;
		sampled->cpu.payload = run_result__payload(sampled);
		cpu_time__clear(&out->cpu);
		out->cpu = sampled->cpu;
		memset(&sampled->cpu, 0, sizeof(sampled->cpu));
	}
	run_result__clear(sampled);
	free(sampled);
	runner->reason[0] = '\0';
}

uint64_t aux_round__timed_ns(const struct options *o)
{
	if (o->times != TIMES_APART || o->backend == BACKEND_NONE || o->workload.messages)
		return 0;
	return duration_ns(&o->workload, TIMED_NS);
}

static const char *why_not_timed(const struct runner *runner, int err,
				 const struct run_result *timed)
{
	if (runner->stopped)
		return "the run was ended before its times were taken";
	if (err)
		return runner->reason;
	if (!timed->duration_ns)
		return "nothing was measured";
	return run_result__unbalanced(timed) ? "the books of the timed round do not balance" : NULL;
}

void aux_round__time(struct runner *runner, struct run_result *out)
{
	struct run_result *timed;
	const char *reason = NULL;
	int err;

	if (!runner->timing.any[out->mode])
		return;
	if (runner->stopped)
		reason = "the run was ended before its times were taken";
	else if (!run_order__is_turn(out->round, runner->timing.every))
		reason = "a sweep times one round of three";
	if (reason) {
		timed_round__none(out, reason);
		return;
	}
	timed = xmalloc(sizeof(*timed));
	run_result__init(timed);
	err = run_short(runner, ROUND_TIMED, aux_round__timed_ns(runner->o), out, timed);
	reason = why_not_timed(runner, err, timed);
	if (reason)
		timed_round__none(out, reason);
	else
		timed_round__copy_times(out, timed);
	run_result__clear(timed);
	free(timed);
	runner->reason[0] = '\0';
}

/* The sender's own count, in the same round. */
static struct real gathered(const struct run_result *run)
{
	const struct stage_result *gather = &run->stages[NIO_STAGE_USER_GATHER];

	if (gather->quality == QUALITY_UNAVAILABLE || !run->app.tx_bytes)
		return real__unknown("nothing was counted");
	return real__known((double)gather->bytes / (double)run->app.tx_bytes);
}

static bool is_followed(const struct runner *runner, enum mode mode)
{
	for (size_t i = 0; i < runner->result.followed_nr; i++)
		if (runner->result.followed[i].mode == mode)
			return true;
	return false;
}

void aux_round__follow(struct runner *runner, const struct run_result *of)
{
	struct followed_mode *m = &runner->result.followed[runner->result.followed_nr];
	struct run_result *run;

	if (!runner->o->follow || runner->stopped || is_followed(runner, of->mode))
		return;
	run = xmalloc(sizeof(*run));
	run_result__init(run);
	*m = (struct followed_mode){.mode = of->mode};
	m->sent.per_byte = real__unknown("its round failed");
	if (run_unwatched(runner, ROUND_FOLLOWED, FOLLOWED_NS, of, run))
		snprintf(m->sent.why, sizeof(m->sent.why), "%.190s", runner->reason);
	else
		m->sent = runner->following.sent;
	m->own = gathered(run);
	runner->result.followed_nr++;
	run_result__clear(run);
	free(run);
	runner->reason[0] = '\0';
}
