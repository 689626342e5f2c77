/* SPDX-License-Identifier: GPL-2.0-only */
/* Data sets read and compared when memory is short: whole, or an error that says so. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/changes.h"
#include "study/conditions.h"
#include "study/settings.h"
#include "study/stage_claims.h"
#include "support/planted.h"
#include "support/short_memory.h"
#include "support/test.h"

static char message[DATASET_MESSAGE_MAX];

/* clang-format off */
/* Quotes, texts, a number of another unit, environments that differ, another congestion control. */
static const char csv[] =
	"mode,size,threads,round,fields,throughput_mbps,app_l1,\"verdict_text\",verdict_cause,"
	"environment_congestion_control,environment_clocksource,environment_load_average\n"
	"twocopy,4096,1,0,8,1000,1,\"said \"\"so\"\"\",local,cubic,one,0.5\n"
	"onecopy,4096,1,0,8,2000,1,,,cubic,two,\n"
	"onecopy,4096,1,1,8,2000,1,,,bbr,two,\n";

/* What a result document can say, with and without a value; the second says more of its settings. */
static const char *const documents[] = {
	"{\"schema\":\"netiotrace.result/1\",\"tool\":{\"version\":\"1\",\"backend\":\"b\"},"
	"\"environment\":{\"clocksource\":\"6\",\"load_average\":1,\"mtu\":1500,\"congestion_control\":\"cubic\"},"
	"\"settings\":{\"sndbuf\":4096,\"rate\":null},"
	"\"runs\":[{\"mode\":\"onecopy\",\"size\":4096,\"threads\":1,\"round\":0,"
	"\"verdict\":{\"cause\":\"local\",\"text\":\"a sentence\"},"
	"\"ledger\":{\"tx_copy\":{\"ns_buckets\":[[8,8,3],[100,109,5]],\"bytes\":null,\"reason\":\"no hook\"}},"
	"\"app\":{\"latency_ns\":{\"send_call\":{\"buckets\":[[1,2,3]]}}},"
	"\"cpu\":{\"stacks\":[\"sender;a;b 3\",\"receiver;c 4\"]}}]}",
	"{\"schema\":\"netiotrace.result/1\",\"tool\":{\"version\":\"1\",\"backend\":\"b\"},"
	"\"environment\":{\"clocksource\":\"7\",\"load_average\":1,\"congestion_control\":\"cubic\"},"
	"\"settings\":{\"sndbuf\":4096,\"rcvbuf\":8192,\"limits\":[1,2]},"
	"\"runs\":[{\"mode\":\"onecopy\",\"size\":4096,\"threads\":1,\"round\":1}]}",
};
static const char failure[] = "{\"schema\":\"netiotrace.failure/1\",\"mode\":\"zerocopy\","
			      "\"reason\":\"no route\",\"size\":4096,\"threads\":2,\"round\":3}";
/* clang-format on */

static json_t *parsed(const char *text)
{
	json_t *o = json_loads(text, 0, NULL);

	assert_non_null(o);
	return o;
}

static void same_text(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static void same_json(const json_t *a, const json_t *b)
{
	assert_true(a == b || json_equal(a, b));
}

static void same(const struct dataset *a, const struct dataset *b)
{
	assert_int_equal(a->rows_nr, b->rows_nr);
	for (size_t i = 0; i < a->rows_nr; i++) {
		assert_memory_equal(a->rows[i].value, b->rows[i].value, sizeof(a->rows[i].value));
		same_text(a->rows[i].cause, b->rows[i].cause);
		same_text(a->rows[i].verdict, b->rows[i].verdict);
	}
	assert_int_equal(a->hists_nr, b->hists_nr);
	for (size_t i = 0; i < a->hists_nr; i++)
		assert_int_equal(a->hists[i].buckets_nr, b->hists[i].buckets_nr);
	assert_int_equal(a->profiles_nr, b->profiles_nr);
	for (size_t i = 0; i < a->profiles_nr; i++)
		assert_int_equal(a->profiles[i].profile.nr, b->profiles[i].profile.nr);
	for (int m = 0; m < METRIC_NR; m++)
		same_text(a->reason[m], b->reason[m]);
	same_json(a->settings, b->settings);
	same_json(a->environment, b->environment);
	assert_int_equal(a->environment_varies, b->environment_varies);
	assert_int_equal(a->others_nr, b->others_nr);
	assert_int_equal(a->failures_nr, b->failures_nr);
	same_text(a->congestion, b->congestion);
	same_text(a->version, b->version);
	same_text(a->backend, b->backend);
}

static int read_csv(void *whole)
{
	struct dataset d = {0};
	int err = dataset__add_csv(&d, "test", csv, strlen(csv), message);

	short_memory__end();
	if (err)
		assert_string_equal(message, "test: Cannot allocate memory.");
	else if (whole)
		same(&d, whole);
	dataset__clear(&d);
	return err;
}

struct reading {
	json_t *run[2], *failure;
	const struct dataset *whole;
};

static int read_documents(void *arg)
{
	const struct reading *r = arg;
	struct dataset d = {0};
	int err = dataset__add_document(&d, "one", r->run[0], message);

	if (!err)
		err = dataset__add_document(&d, "two", r->run[1], message);
	if (!err)
		err = dataset__add_failure(&d, r->failure);
	short_memory__end();
	if (!err)
		same(&d, r->whole);
	dataset__clear(&d);
	return err;
}

/* Two files of one experiment: how their columns were read, their notes and rows. */
static const char first_file[] = "impl,size,streams,gbps,bytes,duration,extra\nA1,64,1,1,1e9,8,a\n"
				 "A2,64,1,2,1e9,8,b\n";
static const char second_file[] = "impl;size;streams;cycles;rest\nA2;64;1;0;1\nA3;64;1;5;2\n";

static int join_files(void *arg)
{
	static const char *const column[] = {"streams=threads"};
	struct dataset d = {.names = {.column = column, .column_nr = 1}}, part = d;
	int err = dataset__add_csv(&d, "one", first_file, strlen(first_file), message);

	if (!err)
		err = dataset__add_csv(&part, "two", second_file, strlen(second_file), message);
	if (!err)
		err = dataset__join(&d, &part, "two", message);
	if (!err)
		err = dataset__complete(&d);
	(void)arg;
	short_memory__end();
	if (!err) {
		assert_int_equal(d.rows_nr, 3);
		assert_int_equal(d.columns_nr, 12);
		assert_true(d.notes_nr >= 3);
	}
	dataset__clear(&part);
	dataset__clear(&d);
	return err;
}

TEST(files_are_joined_whole)
{
	assert_int_equal(join_files(NULL), 0);
	short_memory__walk(join_files, NULL);
}

/* A setting that was lost would let runs be pooled that were made otherwise. */
TEST(data_sets_are_read_whole)
{
	struct reading r = {.run = {parsed(documents[0]), parsed(documents[1])},
			    .failure = parsed(failure)};
	struct dataset whole = {0};

	assert_int_equal(dataset__add_csv(&whole, "test", csv, strlen(csv), message), 0);
	assert_int_equal(whole.rows_nr, 2);
	assert_int_equal(whole.others_nr, 1);
	assert_true(whole.environment_varies);
	short_memory__walk(read_csv, &whole);
	dataset__clear(&whole);
	for (int i = 0; i < 2; i++)
		assert_int_equal(dataset__add_document(&whole, "test", r.run[i], message), 0);
	assert_int_equal(dataset__add_failure(&whole, r.failure), 0);
	assert_int_equal(whole.hists_nr, 2);
	assert_true(whole.environment_varies);
	assert_string_equal(whole.reason[METRIC_BYTES_TX_COPY], "no hook");
	assert_non_null(json_object_get(whole.settings, "rcvbuf"));
	r.whole = &whole;
	short_memory__walk(read_documents, &r);
	dataset__clear(&whole);
	for (int i = 0; i < 2; i++)
		json_decref(r.run[i]);
	json_decref(r.failure);
}

/* Rounds of two modes at two sizes, and of one thread count more when asked for. */
static void put_study(struct study *s, double factor, bool threads)
{
	*s = (struct study){0};
	for (int size = 1; size <= 2; size++)
		for (unsigned int t = 1; t <= (threads ? 2 : 1); t++) {
			put_rounds(s, MODE_TWOCOPY, KIB(size), t, 10 * size, 0.01);
			put_rounds(s, MODE_ONECOPY, KIB(size), t, 10 * size * factor, 0.01);
		}
	for (size_t i = 0; i < s->d.rows_nr; i++) {
		struct dataset_row *row = &s->d.rows[i];

		row->value[METRIC_RX_BYTES] = 1e9;
		row->value[METRIC_CLASS(NIO_SIDE_SENDER, CPU_CLASS_TX_COPY)] =
			row->mode == MODE_TWOCOPY ? 40 + row->round : 20;
		row->value[METRIC_CLASS(NIO_SIDE_RECEIVER, CPU_CLASS_TX_COPY)] = 0;
	}
	s->d.settings = json_pack("{s:s,s:s}", "sndbuf", factor > 1 ? "1" : "2", "host", "a");
	s->d.environment = json_pack("{s:i,s:s,s:n,s:[i]}", "cpus", factor > 1 ? 1 : 2, "kernel",
				     factor > 1 ? "6.1" : "6.2", "mtu", "list", 1);
	assert_non_null(s->d.settings);
	assert_non_null(s->d.environment);
	dataset__finish(&s->d, 1);
}

static int analyse(void *arg)
{
	struct study *s = arg;
	struct analysis a;
	int err = analysis__init(&a, &s->d);

	short_memory__end();
	for (size_t i = 0; i < a.cells_nr && !err; i++)
		for (size_t j = 0; j < i; j++) {
			struct claim c =
				analysis__compare(&a, &a.cells[i], &a.cells[j], METRIC_GBPS);
			struct claim whole = analysis__compare(&s->a, &s->a.cells[i],
							       &s->a.cells[j], METRIC_GBPS);

			NEAR(c.p, whole.p, 0);
			assert_int_equal(c.difference, whole.difference);
		}
	if (!err)
		assert_int_equal(a.sizes_nr, s->a.sizes_nr);
	analysis__clear(&a);
	return err;
}

static int make_claims(void *arg)
{
	const struct study *s = arg;
	struct stage_claims claims;
	int err = stage_claims__make(&claims, &s->a);

	short_memory__end();
	if (!err)
		assert_true(claims.nr > 0);
	return err;
}

static int make_duel(void *arg)
{
	const struct study *s = arg;
	struct duel duel;
	int err = analysis__duel(&s->a, MODE_ONECOPY, MODE_TWOCOPY, 1, METRIC_GBPS, &duel);

	short_memory__end();
	if (err)
		assert_null(duel.points);
	duel__clear(&duel);
	return err;
}

static int make_answers(void *arg)
{
	const struct study *s = arg;
	struct answer_text answers[QUESTION_NR];
	int err = answers__make(&s->a, answers);

	short_memory__end();
	for (int q = 0; q < QUESTION_NR && !err; q++) {
		const struct answer_text *whole = &s->answers[q];

		assert_string_equal(answers[q].headline, whole->headline);
		assert_int_equal(answers[q].points_nr, whole->points_nr);
		assert_int_equal(answers[q].evidence_nr, whole->evidence_nr);
		for (size_t i = 0; i < whole->points_nr; i++)
			assert_string_equal(answers[q].points[i], whole->points[i]);
	}
	answers__clear(answers);
	return err;
}

TEST(analyses_are_whole)
{
	struct study s;

	put_study(&s, 1.2, true);
	assert_int_equal(analysis__init(&s.a, &s.d), 0);
	short_memory__walk(analyse, &s);
	short_memory__walk(make_duel, &s);
	assert_int_equal(answers__make(&s.a, s.answers), 0);
	short_memory__walk(make_claims, &s);
	short_memory__walk_by(3, make_answers, &s);
	study__clear(&s);
}

struct comparison {
	struct study before, after;
	struct changes changes;
	json_t *whole;
};

static int find_changes(void *arg)
{
	const struct comparison *c = arg;
	bool metrics[METRIC_NR] = {[METRIC_GBPS] = true};
	struct changes found;
	int err = changes__find(&found, &c->before.a, &c->after.a, metrics, NULL);

	short_memory__end();
	if (!err)
		assert_int_equal(found.of_kind[CHANGE_WORSE], 2);
	changes__clear(&found);
	return err;
}

static int write_changes(void *arg)
{
	static const struct changes_names names = {"a", "b", NULL};
	const struct comparison *c = arg;
	json_t *o = changes__json(&c->changes, &names, 0.05);

	short_memory__end();
	if (!o)
		return -ENOMEM;
	if (c->whole)
		same_json(o, c->whole);
	json_decref(o);
	return 0;
}

static int make_settings(void *arg)
{
	const struct comparison *c = arg;
	json_t *o = settings__of(c->before.d.settings, c->before.d.environment, NULL);

	short_memory__end();
	if (!o)
		return -ENOMEM;
	assert_string_equal(json_string_value(json_object_get(o, "cpus")), "1");
	assert_string_equal(json_string_value(json_object_get(o, "kernel")), "6.1");
	assert_string_equal(json_string_value(json_object_get(o, "sndbuf")), "1");
	assert_int_equal(json_object_size(o), 4);
	json_decref(o);
	return 0;
}

static int say_conditions(void *arg)
{
	const struct comparison *c = arg;
	char *text = conditions__text(&c->before.d);

	short_memory__end();
	free(text);
	return text ? 0 : -ENOMEM;
}

TEST(comparisons_are_whole)
{
	static const struct changes_names names = {"a", "b", NULL};
	static struct comparison c;
	bool metrics[METRIC_NR] = {[METRIC_GBPS] = true};
	json_t *differs;

	put_study(&c.before, 1.2, false);
	put_study(&c.after, 0.8, false);
	assert_int_equal(analysis__init(&c.before.a, &c.before.d), 0);
	assert_int_equal(analysis__init(&c.after.a, &c.after.d), 0);
	short_memory__walk(find_changes, &c);
	assert_int_equal(changes__find(&c.changes, &c.before.a, &c.after.a, metrics, NULL), 0);
	c.whole = changes__json(&c.changes, &names, 0.05);
	differs = json_object_get(c.whole, "environment_differs");
	assert_non_null(json_object_get(differs, "cpus"));
	assert_non_null(json_object_get(differs, "kernel"));
	assert_non_null(json_object_get(differs, "sndbuf"));
	assert_int_equal(json_object_size(differs), 3);
	short_memory__walk(write_changes, &c);
	short_memory__walk(make_settings, &c);
	short_memory__walk(say_conditions, &c);
	assert_string_equal(changes__made_otherwise(&c.changes, NULL), "sndbuf");
	json_decref(c.whole);
	changes__clear(&c.changes);
	study__clear(&c.before);
	study__clear(&c.after);
}
