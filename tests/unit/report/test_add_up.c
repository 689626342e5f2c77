/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts add up to their whole in every output. Each part and counter of this run has a unique
 * value, so a part read from the wrong place fails. Times are whole microseconds, the payload a
 * power of ten.
 */
#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "study/dataset.h"
#include "support/import_csv.h"
#include "support/full_result.h"
#include "support/test.h"
#include "write/json.h"
#include "write/output.h"

#define CALLS 10

#define NEAR(a, b) assert_true(fabs((double)(a) - (b)) <= 1e-9 * fabs((double)(b)) + 1e-9)

static double part_us(int part)
{
	return 1 << (part - 1); /* ns of a call */
}

static double parts_us(void)
{
	double sum = 0;

	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		sum += part_us(p);
	return sum;
}

static double stage_copies(int stage)
{
	return 0.1 * (stage + 1); /* ns of a byte */
}

static void fill(struct run_result *run)
{
	double copies = 0;

	run->app.tx_messages = CALLS;
	run->app.tx_bytes = run->app.rx_bytes = 1000000;
	run->path_calls.value = CALLS;
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		run->path_ns[p].value = (uint64_t)(part_us(p) * 1000 * CALLS);
	run->path_ns[PATH_SEND_TOTAL].value = (uint64_t)(parts_us() * 1000 * CALLS);
	hist__free(run->app.latency[LATENCY_SEND_CALL].hist);
	run->app.latency[LATENCY_SEND_CALL].hist = hist__new_latency();
	for (int i = 0; i < CALLS; i++)
		hist__record(run->app.latency[LATENCY_SEND_CALL].hist,
			     (uint64_t)(parts_us() * 1000));
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		run->stages[s].bytes = (uint64_t)(stage_copies(s) * 1e6 + 0.5);
		if (stage__is_copy((enum nio_stage)s))
			copies += stage_copies(s);
	}
	run->copies_per_byte.value = copies;
}

static int make(void **state)
{
	static struct full_result f;

	full_result__init(&f);
	for (int i = 0; i < 2; i++) {
		fill(&f.runs[i]);
		fill(&f.result.summary[i].total);
	}
	*state = &f;
	return 0;
}

static int unmake(void **state)
{
	full_result__clear(*state);
	return 0;
}

static void check_row(const struct dataset_row *row)
{
	double sum = 0, copies = 0;

	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++) {
		NEAR(row->value[METRIC_PATH(p)], part_us(p) * 1000 * CALLS);
		sum += row->value[METRIC_PATH(p)];
	}
	NEAR(sum, row->value[METRIC_PATH_TOTAL]);
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		NEAR(row->value[METRIC_STAGE_CPB(s)], stage_copies(s));
		if (stage__is_copy((enum nio_stage)s))
			copies += row->value[METRIC_STAGE_CPB(s)];
	}
	NEAR(copies, row->value[METRIC_COPIES]);
}

static void read_json(struct dataset *d, const struct result *r)
{
	char message[DATASET_MESSAGE_MAX];
	json_t *document = json_document__result(r);

	*d = (struct dataset){0};
	assert_int_equal(dataset__add_document(d, "x", document, message), 0);
	dataset__finish(d, (double)NAN);
	json_decref(document);
}

TEST_WITH(parts_add_up_as_read_from_json, make, unmake)
{
	const struct full_result *f = *state;
	struct dataset d;

	read_json(&d, &f->result);
	for (size_t i = 0; i < d.rows_nr; i++)
		check_row(&d.rows[i]);
	dataset__clear(&d);
}

TEST_WITH(parts_add_up_as_read_from_csv, make, unmake)
{
	const struct full_result *f = *state;
	char message[DATASET_MESSAGE_MAX], *text;
	struct dataset d = {0};
	size_t size;
	FILE *stream = xopen_memstream(&text, &size);

	assert_int_equal(output__csv(&f->result, stream), 0);
	xclose_memstream(stream);
	assert_int_equal(import_csv(&d, "x", text, size, message), 0);
	dataset__finish(&d, (double)NAN);
	for (size_t i = 0; i < d.rows_nr; i++)
		check_row(&d.rows[i]);
	dataset__clear(&d);
	free(text);
}

/* The sides of each counter add up to both. */
TEST_WITH(sides_of_a_counter_add_up, make, unmake)
{
	const struct full_result *f = *state;
	const struct dataset_row *row;
	struct dataset d;

	read_json(&d, &f->result);
	row = &d.rows[0];
	for (int c = 0; c < PERF_NR; c++) {
		NEAR(row->value[METRIC_PERF(NIO_SIDE_SENDER, c)], 30000 + c);
		NEAR(row->value[METRIC_PERF(NIO_SIDE_RECEIVER, c)], 40000 + c);
		NEAR(row->value[METRIC_PERF_BOTH(c)], 70000 + 2 * c);
	}
	dataset__clear(&d);
}
