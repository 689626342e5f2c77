/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger's bytes of many made-up phases, a line or two each, as a golden file. The numbers are
 * few and small, so that events and sequence numbers often agree and often differ. Each line has
 * the bytes of a stage, its events and its open bytes; a letter stands for a reason, explained at
 * the end.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/tcp.h>

#include "common/splitmix.h"
#include "model/ledger.h"
#include "model/ledger_bytes.h"
#include "support/golden.c"
#include "support/legend.h"
#include "support/test.h"

#define PHASES 100

static uint64_t seed = 1;

/* A random number from 0 to n - 1. */
static unsigned int draw(unsigned int n)
{
	return (unsigned int)(splitmix__next(&seed) >> 32) % n;
}

/* True most of the time. */
static bool often(void)
{
	return draw(5) > 0;
}

struct phase {
	struct plan plan;
	struct snapshot base, now, since;
	struct run_result run;
};

static const struct alternative *any_of(enum probe_id probe, enum backend backend)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == probe && plan_alternatives[i].backend == backend)
			return &plan_alternatives[i];
	return NULL;
}

static void make_plan(struct plan *plan)
{
	*plan = (struct plan){.mode = draw(2) ? MODE_ZEROCOPY : MODE_ONECOPY};
	plan->chosen[PROBE_SEND_RETURN] = often() ? &plan_alternatives[0] : NULL;
	plan->chosen[PROBE_TRANSMIT] = often() ? NULL : &plan_alternatives[0];
	plan->chosen[PROBE_RX_COPY] = often() ? &plan_alternatives[0] : NULL;
	if (often())
		plan->chosen[PROBE_DEFERRED_COPY] =
			any_of(PROBE_DEFERRED_COPY, draw(2) ? BACKEND_TRACEPOINT : BACKEND_KPROBE);
}

/* Both socket iterations of a side. */
static void make_sockets(struct socket_snapshot *base, struct socket_snapshot *now)
{
	struct nio_socket *from = &base->sockets[0], *to = &now->sockets[0];

	*base = (struct socket_snapshot){.nr = 1, .source = "a source", .zckeys = often()};
	*from = (struct nio_socket){.cookie = 1,
				    .state = TCP_ESTABLISHED,
				    .bytes_acked = draw(100),
				    .bytes_received = draw(100),
				    .bytes_retrans = draw(10),
				    .zckey = draw(10),
				    .scatter_gather = often()};
	*now = *base;
	to->bytes_acked += 10 * draw(4);
	to->bytes_received += 10 * draw(4);
	to->bytes_retrans += 10 * draw(2);
	to->zckey += draw(4);
	if (draw(10) == 0)
		now->source = NULL, now->reason = "no pass";
}

static void make_stages(struct run_result *r)
{
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		struct stage_result *stage = &r->stages[s];

		stage->quality = often() ? QUALITY_EXACT : QUALITY_UNAVAILABLE;
		stage->reason = stage->quality == QUALITY_EXACT ? NULL : "not seen";
		stage->bytes = 10 * draw(4);
		stage->events = stage->bytes / 10;
	}
}

static void make_losses(struct phase *p)
{
	p->base.missed_of[PROBE_DEFERRED_COPY] = p->base.loss.unmatched = p->base.loss.map_full = 3;
	p->now.missed_of[PROBE_DEFERRED_COPY] = often() ? 3 : 4;
	p->now.loss.unmatched = often() ? 3 : 4;
	p->now.loss.map_full = often() ? 3 : 4;
	p->now.untold_of[PROBE_DEFERRED_COPY] = draw(2);
	p->now.phase_ns = 100;
	p->now.looked_ns = often() ? 100 : 10;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int s = 0; s < NIO_STAGE_NR; s++) {
			p->base.cells[side][s].bytes = 7;
			p->now.cells[side][s].bytes = 7 + 10 * draw(3);
		}
}

static void make(struct phase *p)
{
	struct zc_counts *zc = &p->run.app.zc;

	memset(p, 0, sizeof(*p));
	run_result__init(&p->run);
	make_plan(&p->plan);
	make_sockets(&p->base.sockets[NIO_SIDE_SENDER], &p->now.sockets[NIO_SIDE_SENDER]);
	make_sockets(&p->base.sockets[NIO_SIDE_RECEIVER], &p->now.sockets[NIO_SIDE_RECEIVER]);
	make_stages(&p->run);
	make_losses(p);
	p->run.mode = p->plan.mode;
	p->run.sender_side = !often();
	p->run.kernel_zc_known = often();
	zc->sends = draw(4);
	zc->copied = draw(2) ? zc->sends : draw(4);
	zc->completed = draw(4);
	zc->enobufs = often() ? 0 : 1;
	p->run.kernel_zc.completed = draw(4);
}

static void record_num(const struct num *n)
{
	if (n->known)
		record(" %" PRIu64, n->value);
	else
		record(" %c", legend__letter(n->reason));
}

static void record_books(const struct run_result *r)
{
	for (enum nio_stage i = 0; i < NIO_STAGE_NR; i++) {
		const struct stage_result *s = &r->stages[i];

		if (stage__account(i) == STAGE_NEITHER && i != NIO_STAGE_DEFERRED_COPY)
			continue;
		record(" %c%" PRIu64 "/%" PRIu64 "%c%c", *quality__name(s->quality), s->bytes,
		       s->events, legend__letter(s->reason), legend__letter(s->no_events));
		if (s->open_bytes.known)
			record("+%" PRIu64, s->open_bytes.value);
	}
	record(" | %c", legend__letter(r->sequence.source));
	record_num(&r->sequence.tx_bytes);
	record_num(&r->sequence.rx_bytes);
	record_num(&r->sequence.tx_retrans);
	record_num(&r->sequence.tx_ids);
	record_num(&r->unclassified);
	if (r->health.coverage.known)
		record(" | %.3f", r->health.coverage.value);
	else
		record(" | %c", legend__letter(r->health.coverage.reason));
	record(" %" PRIu64 "/%" PRIu64 " %" PRIu64 "/%" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n",
	       r->health.covered_bytes, r->health.coverable_bytes, r->health.looked_ns,
	       r->health.phase_ns, r->kernel_zc.sends, ledger_bytes__open(r),
	       ledger_bytes__untold(r));
}

/* Books each phase, every third one with replies or in doubt; adds every eighth to a sum. */
TEST(made_up_phases_are_recorded)
{
	struct phase *p = calloc(1, sizeof(*p));
	struct run_result sum;

	assert_non_null(p);
	run_result__init(&sum);
	for (int i = 0; i < PHASES; i++) {
		make(p);
		snapshot__since(&p->since, &p->base, &p->now);
		ledger_bytes__book(&p->run, &p->plan, &p->base, &p->since);
		record("%s%c%c%c%c%s", p->plan.mode == MODE_ZEROCOPY ? "zero" : "one",
		       p->plan.chosen[PROBE_SEND_RETURN] ? 's' : '-',
		       p->plan.chosen[PROBE_TRANSMIT] ? 't' : '-',
		       p->plan.chosen[PROBE_RX_COPY] ? 'r' : '-',
		       p->plan.chosen[PROBE_DEFERRED_COPY] ? 'd' : '-',
		       p->run.sender_side ? " of a sender" : "");
		record_books(&p->run);
		if (i % 3 == 0) {
			ledger_bytes__replies(&p->run, &p->base, &p->since);
			record("  replies");
			record_books(&p->run);
		}
		if (i % 3 == 1) {
			p->run.unaccounted_tx = (int)draw(2);
			p->run.unaccounted_rx = -(int)draw(2);
			ledger_bytes__doubt(&p->run);
			record("  doubt");
			record_books(&p->run);
		}
		if (i % 8 == 0) {
			run_result__clear(&sum);
			run_result__init(&sum);
			sum.duration_ns = 1;
			sum.sequence = p->run.sequence;
			sum.health = p->run.health;
			sum.unclassified = p->run.unclassified;
			for (int s = 0; s < NIO_STAGE_NR; s++)
				sum.stages[s].open_bytes = p->run.stages[s].open_bytes;
		} else {
			ledger__add(&sum, &p->run);
			record("  sum");
			record_books(&sum);
		}
	}
	free(p);
	run_result__clear(&sum);
}

TEST(recorded_phases_match_the_golden_file)
{
	legend__record();
	record__check("bytes");
}
