/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Books of snapshots in which every counter changes by a unique number, as whole documents: a
 * counter in the wrong place, booked twice or missing changes a golden file; so does one with
 * counts from before the measured phase. UPDATE_GOLDEN=1 rewrites them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ledger.h"
#include "support/test.h"
#include "write/json.h"
#include "support/golden.c"
#include "support/probe_results.h"

struct socket_ledger {
	struct snapshot base, now;
	uint64_t before; /* value of every counter at the start of the phase */
	uint64_t step;
};

/* The next counter: its value before, and its unique change. */
static void move(struct socket_ledger *b, __u64 *base, __u64 *now)
{
	*base = b->before ? b->before++ : 0;
	*now = *base + ++b->step;
}

static void move_all(struct socket_ledger *b, void *base, void *now, size_t n)
{
	for (size_t i = 0; i < n; i++)
		move(b, (__u64 *)base + i, (__u64 *)now + i);
}

/* Different buckets in each histogram. */
static void move_hist(struct socket_ledger *b, __u64 *base, __u64 *now)
{
	for (unsigned int i = 0; i < 3; i++) {
		unsigned int bucket = (unsigned int)(40 + b->step % 20 + 9 * i);

		move(b, &base[bucket], &now[bucket]);
	}
}

static void move_cell(struct socket_ledger *b, struct nio_cell *base, struct nio_cell *now)
{
	move_all(b, base, now, 4);
	now->bytes += 1000000;
	move_hist(b, base->hist, now->hist);
	move_hist(b, base->ns_hist, now->ns_hist);
}

static void move_zerocopy(struct socket_ledger *b)
{
	move_all(b, &b->base.zc, &b->now.zc, 5);
	move_all(b, &b->base.zc_events, &b->now.zc_events, 4);
	b->now.zc_events.sends += 1000;
	move_hist(b, b->base.zc.ns_hist, b->now.zc.ns_hist);
	move_hist(b, b->base.zc.outstanding_hist, b->now.zc.outstanding_hist);
}

/* The sums are since the begin of the phase. */
static void move_sockets(struct socket_ledger *b, enum nio_side side)
{
	struct nio_sums *sums = &b->now.sums[side];

	b->now.sockets_nr[side] = 2;
	*sums = (struct nio_sums){
		.sockets = 2,
		.queued = 6000000 + ++b->step,
		.taken = 8000000 + ++b->step,
		.retrans = ++b->step,
		.ids = ++b->step,
		.recordless = {1, 1},
	};
}

static void move_kinds(struct socket_ledger *b)
{
	for (size_t i = 0; i < 20; i++) {
		struct place_sum *p = &b->base.places[i];
		struct other_sum *o = &b->base.others[i];

		p->place.context = i % 3;
		snprintf(p->place.comm, sizeof(p->place.comm), "task-%zu", i / 2);
		snprintf(p->place.dev, sizeof(p->place.dev), "dev-%zu", i % 2);
		o->other.stack = (int)i;
		snprintf(o->caller, sizeof(o->caller), "caller_%zu", i / 2 * 2 % 19);
		b->now.places[i] = *p;
		b->now.others[i] = *o;
		move_all(b, &p->sum, &b->now.places[i].sum, 3);
		move_all(b, &o->sum, &b->now.others[i].sum, 3);
	}
	b->now.places_nr = b->now.others_nr = 20;
	/* The last entries did not exist at the start of the phase. */
	b->base.places_nr = b->base.others_nr = b->before ? 18 : 0;
	for (size_t i = b->base.places_nr; b->before && i < 20; i++) {
		for (int k = 0; k < 3; k++) {
			((__u64 *)&b->now.places[i].sum)[k] -= ((__u64 *)&b->base.places[i].sum)[k];
			((__u64 *)&b->now.others[i].sum)[k] -= ((__u64 *)&b->base.others[i].sum)[k];
		}
	}
}

static struct socket_ledger *socket_ledger__new(uint64_t before)
{
	struct socket_ledger *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->before = before;
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int stage = 0; stage < NIO_STAGE_NR; stage++)
			move_cell(b, &b->base.cells[side][stage], &b->now.cells[side][stage]);
		move_all(b, b->base.uncovered[side], b->now.uncovered[side], 2 * NIO_UNCOVERED_NR);
		move_sockets(b, (enum nio_side)side);
	}
	move_zerocopy(b);
	move_all(b, &b->base.path, &b->now.path, 1 + NIO_PATH_NR);
	move_kinds(b);
	move_all(b, b->base.perf, b->now.perf, sizeof(b->now.perf) / (sizeof(__u64)));
	move_all(b, &b->base.loss, &b->now.loss, sizeof(b->now.loss) / (sizeof(__u64)));
	move_all(b, (__u64 *)&b->base.calls_unknown, (__u64 *)&b->now.calls_unknown, 1);
	move_all(b, &b->base.missed, &b->now.missed, 1);
	move_all(b, b->base.missed_of, b->now.missed_of, PROBE_NR);
	return b;
}

/* The load generator's report differs from the kernel's counts, so some bytes are unaccounted. */
static void set_app(struct run_result *r, uint64_t base)
{
	r->app.tx_bytes = base + 1;
	r->app.tx_messages = base + 2;
	r->app.rx_bytes = base + 3;
	r->app.rx_messages = base + 4;
	r->app.zc = (struct zc_counts){base + 5, base + 6, base + 7, base + 8, base + 9, base + 10};
	r->app.partial_sends = base + 11;
	r->app.eagain = base + 12;
	r->app.eintr = base + 13;
	r->app.tcp_bytes_acked = base + 14;
	r->app.tcp_bytes_received = base + 15;
	r->app.tcp_bytes_retrans = base + 16;
	r->app.replies.rx_bytes = base + 17;
	r->app.replies.rx_messages = base + 18;
	r->app.replies.errors = base + 19;
	r->app.sender_cpu_ns = (struct num){.value = base + 20, .known = true};
	r->app.receiver_cpu_ns = (struct num){.value = base + 21, .known = true};
	r->app.replies.tx_bytes = (struct num){.value = base + 22, .known = true};
	r->app.replies.tx_messages = (struct num){.value = base + 23, .known = true};
	r->app.verify_errors = (struct num){.value = base + 24, .known = true};
}

/* A set of probes. */
struct book_case {
	const char *name;
	enum mode mode;
	enum backend without; /* the backend that this kernel lacks; BACKEND_NONE: it has all */
	bool replies, unlooked, unknown;
	int probe; /* a probe that this kernel lacks; -1: it has all */
};

static const struct book_case cases[] = {
	{"zerocopy", MODE_ZEROCOPY, BACKEND_NONE, false, false, false, -1},
	{"zerocopy-tracepoint", MODE_ZEROCOPY, BACKEND_FENTRY, false, false, false, -1},
	{"onecopy-replies", MODE_ONECOPY, BACKEND_NONE, true, false, false, -1},
	{"twocopy-unlooked", MODE_TWOCOPY, BACKEND_NONE, false, true, false, -1},
	{"without-coalesce", MODE_ZEROCOPY, BACKEND_NONE, false, false, false, PROBE_COALESCE},
	{"without-checksum", MODE_ONECOPY, BACKEND_NONE, false, false, false, PROBE_CHECKSUM_COPY},
	{"untold", MODE_ZEROCOPY, BACKEND_NONE, false, false, true, -1},
	{"replies-unseen", MODE_ONECOPY, BACKEND_NONE, true, false, false, PROBE_RX_COPY},
	{"without-send-return", MODE_ZEROCOPY, BACKEND_NONE, true, true, false, PROBE_SEND_RETURN},
};

static void plan_for(struct plan *plan, const struct book_case *c)
{
	struct plan_request req = request(c->mode, 65536);
	struct probe_result probe_results[OFFERS_MAX];

	offer_all_hooks(probe_results);
	if (c->without == BACKEND_FENTRY)
		for (size_t i = 0; i < plan_alternatives_nr; i++)
			if (plan_alternatives[i].backend != BACKEND_TRACEPOINT &&
			    plan_alternatives[i].backend != BACKEND_ITERATOR)
				probe_results[i] = (struct probe_result){.answer = ANSWER_NO};
	if (c->probe >= 0)
		withdraw(probe_results, (enum probe_id)c->probe, ANSWER_NO, 0);
	assert_int_equal(plan__make(plan, probe_results, &req), 0);
}

static void book(struct run_result *run, const struct book_case *c, const struct socket_ledger *b,
		 uint64_t app)
{
	static struct plan plan;

	plan_for(&plan, c);
	run_result__init(run);
	run->mode = c->mode;
	run->size = 65536;
	run->threads = run->connections = 2;
	run->fields = 8;
	run->duration_ns = 1000000000;
	run->request_response = c->replies;
	run->stages[NIO_STAGE_USER_GATHER].quality = QUALITY_EXACT;
	set_app(run, app);
	ledger__book(run, &plan, &b->base, &b->now);
	ledger__close(run, true);
}

/* One line per member of each member of a run. */
static void put_members(FILE *f, const json_t *run)
{
	const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9);
	const char *name, *key;
	json_t *member, *value;

	json_object_foreach((json_t *)run, name, member) {
		if (!json_is_object(member)) {
			fprintf(f, "%s: ", name);
			json_dumpf(member, f, flags);
			fputc('\n', f);
		}
		json_object_foreach(member, key, value) {
			fprintf(f, "%s.%s: ", name, key);
			json_dumpf(value, f, flags);
			fputc('\n', f);
		}
	}
}

static char *run_text(const struct run_result *run)
{
	struct result *r = calloc(1, sizeof(*r));
	json_t *document;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(r);
	assert_non_null(f);
	r->runs = (struct run_result *)run;
	r->runs_nr = 1;
	document = json_document__result(r);
	put_members(f, json_array_get(json_object_get(document, "runs"), 0));
	fclose(f);
	json_decref(document);
	free(r);
	return text;
}

static char *booked(const struct book_case *c, uint64_t before)
{
	struct socket_ledger *b = socket_ledger__new(before);
	struct run_result run;
	char *text;

	if (c->unlooked)
		b->now.sums[NIO_SIDE_RECEIVER].sockets = 1;
	if (c->unknown) {
		b->now.missed_unknown = true;
		b->now.no_perf[NIO_PERF_CYCLES] = "no counter of cycles";
		b->now.sums[NIO_SIDE_SENDER].no_gather = b->now.sums[NIO_SIDE_SENDER].charged = 1;
	}
	b->base.phase_ns = before;
	b->base.attached_ns = before;
	book(&run, c, b, 7000000);
	text = run_text(&run);
	run_result__clear(&run);
	free(b);
	return text;
}

/* The lines that differ from the first case. */
static void put_differences(FILE *f, const struct book_case *c, const char *first)
{
	char *text = booked(c, 0), *rest = text, *line;

	fprintf(f, "\n== %s\n", c->name);
	while ((line = strsep(&rest, "\n")))
		if (!strstr(first, line))
			fprintf(f, "%s\n", line);
	free(text);
}

TEST(each_counter_has_its_place_in_the_document)
{
	char *first = booked(&cases[0], 0), *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	fprintf(f, "== %s\n%s", cases[0].name, first);
	for (size_t i = 1; i < sizeof(cases) / sizeof(cases[0]); i++)
		put_differences(f, &cases[i], first);
	fclose(f);
	golden__check("books", text);
	free(text);
	free(first);
}

TEST(counts_before_the_phase_are_not_booked)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *without = booked(&cases[i], 0), *with = booked(&cases[i], 1000000007);

		assert_string_equal(without, with);
		free(without);
		free(with);
	}
}

/* Two rounds, and a third one that lacks some numbers. */
TEST(rounds_add_up_and_one_unknown_makes_the_sum_unknown)
{
	struct book_case other = cases[0];
	struct socket_ledger *b = socket_ledger__new(0);
	struct run_result sum, run;
	char *text;

	other.probe = PROBE_COALESCE;
	run_result__init(&sum);
	for (int round = 0; round < 3; round++) {
		book(&run, round == 2 ? &other : &cases[0], b, 7000000 + 100 * (uint64_t)round);
		run.perf_asked_nr = 1;
		run.perf_asked[0].name = "LLC-loads";
		run.perf_asked[0].count[0] = (struct num){.value = 5, .known = true};
		run.perf_asked[0].count[1] = (struct num){.value = 7, .known = round < 2};
		run.perf_asked[0].running[0] =
			(struct real){.value = 1 - 0.25 * round, .known = true};
		run.perf_asked[0].running[1] = run.perf_asked[0].running[0];
		run.health.attached_ns = 3;
		run.health.phase_ns = 5;
		ledger__add(&sum, &run);
		run_result__clear(&run);
	}
	ledger__close(&sum, true);
	text = run_text(&sum);
	golden__check("books-sum", text);
	free(text);
	run_result__clear(&sum);
	free(b);
}
