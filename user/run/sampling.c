/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampled rounds; see sampling.h. */
#include "common/xalloc.h"
#include "sampling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/schedule.h"
#include "kernel/process_maps.h"
#include "kernel/sample_fold.h"
#include "kernel/sampler.h"
#include "kernel/symbols.h"
#include "round.h"
#include "short_round.h"

#define SAMPLED_NS 1000000000ULL /* of each mode, all rounds together */

static int load(struct sampling *s)
{
	int err = symbols__load(&s->symbols);

	if (err) {
		symbols__explain(err, s->none, sizeof(s->none));
		return err;
	}
	return sampler__open(&s->sampler, s->symbols, s->none, sizeof(s->none));
}

static int load_once(struct sampling *s)
{
	if (!s->tried && load(s))
		log_info("no samples of CPU time: %s", s->none);
	s->tried = true;
	return s->sampler ? 0 : -ENOENT;
}

static const char *unwanted(const struct options *o)
{
	if (o->no_cpu)
		return "--no-cpu was given";
	if (o->backend == BACKEND_NONE)
		return "the kernel was not watched (--backend none)";
	if (o->traffic.messages)
		return "--messages: nothing is sent but those, so there is no round for samples";
	return NULL;
}

void sampling__close(struct engine *e)
{
	sampler__close(e->sampling.sampler);
	symbols__free(e->sampling.symbols);
	e->sampling.sampler = NULL;
	e->sampling.symbols = NULL;
}

uint64_t sampling__round_ns(const struct options *o)
{
	return unwanted(o) ? 0 : short_round__ns(&o->traffic, SAMPLED_NS);
}

void sampling__begin(struct round *r)
{
	struct sampling *s = &r->e->sampling;
	const pid_t pids[NIO_SIDE_NR] = {r->drivers[NIO_SIDE_SENDER].child.pid,
					 r->drivers[NIO_SIDE_RECEIVER].child.pid};

	s->err = sampler__start(s->sampler, pids, SAMPLER_HZ, s->why, sizeof(s->why));
}

static void fold(struct round *r)
{
	struct sampling *s = &r->e->sampling;
	struct cpu_result *out = &r->out->cpu;
	struct process_maps *maps[NIO_SIDE_NR] = {NULL};
	struct sample_fold f = {
		.symbols = s->symbols, .gathers = mode__has(r->mode, MODE_GATHERS), .out = out};

	for (int side = 0; side < round__sides_here(r); side++)
		f.maps[side] = maps[side] = process_maps__read(r->drivers[side].child.pid);
	s->err = sampler__take(s->sampler, sample_fold__take, &f);
	if (s->err)
		snprintf(s->why, sizeof(s->why), "the samples could not be read: %s",
			 strerror(-s->err));
	for (int w = 0; w < NIO_SAMPLE_WHOSE_NR; w++)
		out->by[w].lost = sampler__lost(s->sampler, w);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		process_maps__free(maps[side]);
	out->known = !s->err;
	out->source = sampler__source(s->sampler);
	snprintf(out->no_cycles, sizeof(out->no_cycles), "%s", sampler__no_cycles(s->sampler));
	out->hz = SAMPLER_HZ;
}

void sampling__end(struct round *r)
{
	struct sampling *s = &r->e->sampling;

	sampler__stop(s->sampler);
	if (!s->err)
		fold(r);
}

/* A round as any other, in which nothing is watched: what it found is in sampled->cpu. */
static int make_round(struct engine *e, const struct run_result *of, struct run_result *sampled)
{
	struct session *session = e->session;
	static const struct plan nothing; /* of what to attach */
	int err;

	/* Programs that find no socket of theirs still cost, and would be in the samples. */
	session__attach(session, &nothing);
	e->session = NULL;
	err = short_round__make(e, ROUND_SAMPLED, sampling__round_ns(e->o), of, sampled);
	e->session = session;
	return err;
}

static const char *why_not(const struct engine *e, int err)
{
	if (e->stopped)
		return "the run was ended before its samples were taken";
	if (err)
		return e->reason;
	return e->sampling.err ? e->sampling.why : "nothing was sampled";
}

static void keep(struct engine *e, struct run_result *out, struct run_result *sampled, int err)
{
	if (err || e->stopped || !sampled->cpu.known) {
		cpu_time__none(&out->cpu, why_not(e, err));
		return;
	}
	sampled->cpu.duration_ns = sampled->duration_ns;
	sampled->cpu.payload = run_result__payload(sampled);
	cpu_time__clear(&out->cpu);
	out->cpu = sampled->cpu;
	memset(&sampled->cpu, 0, sizeof(sampled->cpu));
}

void sampling__round(struct engine *e, struct run_result *out)
{
	const char *reason = unwanted(e->o);
	struct run_result *sampled;
	int err;

	if (!reason && !schedule__is_turn(out->round, e->sampling.every))
		reason = "a sweep samples one round of three";
	if (!reason && load_once(&e->sampling))
		reason = e->sampling.none;
	if (reason) {
		cpu_time__none(&out->cpu, reason);
		return;
	}
	sampled = xmalloc(sizeof(*sampled));
	run_result__init(sampled);
	err = make_round(e, out, sampled);
	keep(e, out, sampled, err);
	run_result__clear(sampled);
	free(sampled);
	e->reason[0] = '\0';
}
