/* SPDX-License-Identifier: GPL-2.0-only */
/* From a load generator's report to a result: each field of that side, none of the other. */
#include <stdlib.h>
#include <string.h>

#include "model/load_report.h"
#include "support/test.h"

/* Rows of a field of struct app_result. test_driver.c reads lines whose numbers are written out. */
static bool is_of_app(const struct load_report_row *row)
{
	return row->type != REPORT_none && row->at >= offsetof(struct load_report, app);
}

static void put(struct load_report *report, const struct load_report_row *row, uint64_t value)
{
	void *at = (char *)report + row->at;

	if (row->type == REPORT_num)
		*(struct num *)at = num__known(value);
	else
		*(uint64_t *)at = value;
}

static uint64_t get(const struct load_report *report, const struct load_report_row *row)
{
	const void *at = (const char *)report + row->at;

	return row->type == REPORT_num ? ((const struct num *)at)->value : *(const uint64_t *)at;
}

static struct hist *hist_of(uint64_t value)
{
	struct hist *h = hist__new_latency();

	assert_non_null(h);
	hist__record(h, value);
	return h;
}

/* Each field has a different number. */
static struct load_report *filled(void)
{
	struct load_report *report = calloc(1, sizeof(*report));

	assert_non_null(report);
	for (const struct load_report_row *row = load_report__rows; row->key; row++)
		if (is_of_app(row))
			put(report, row, 100 + (uint64_t)(row - load_report__rows));
	for (int k = 0; k < LATENCY_NR; k++)
		report->app.latency[k].hist = hist_of(1000 + (uint64_t)k);
	return report;
}

TEST(side_reports_its_own_fields_only)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct load_report *report = filled(), *copy = calloc(1, sizeof(*copy));

		load_report__copy_app(&copy->app, report, (enum nio_side)side);
		for (const struct load_report_row *row = load_report__rows; row->key; row++) {
			uint64_t own = (row->side & 1u << side) ? get(report, row) : 0;

			if (is_of_app(row) && get(copy, row) != own)
				fail_msg("%s.%s is %llu", row->object, row->key,
					 (unsigned long long)get(copy, row));
		}
		for (int k = 0; k < LATENCY_NR; k++) {
			struct hist *h = copy->app.latency[k].hist;

			assert_int_equal(h != NULL, (int)latency__side(k) == side);
			if (h)
				assert_int_equal(h->sum, 1000 + k);
		}
		load_report__clear(copy);
		load_report__clear(report);
		free(copy);
		free(report);
	}
}

/* Histograms are copied, the later one replaces the earlier; missing ones have a reason. */
TEST(latencies_are_the_last_reported)
{
	struct load_report *report = filled();
	struct app_result app = {0};

	app.latency[LATENCY_SEND_CALL].reason = "not yet";
	load_report__copy_app(&app, report, NIO_SIDE_SENDER);
	assert_null(app.latency[LATENCY_SEND_CALL].reason);
	assert_ptr_not_equal(app.latency[LATENCY_SEND_CALL].hist,
			     report->app.latency[LATENCY_SEND_CALL].hist);
	hist__record(report->app.latency[LATENCY_SEND_CALL].hist, 5);
	assert_int_equal(app.latency[LATENCY_SEND_CALL].hist->count, 1);
	load_report__copy_app(&app, report, NIO_SIDE_SENDER);
	assert_int_equal(app.latency[LATENCY_SEND_CALL].hist->count, 2);
	load_report__clear(report);
	load_report__copy_app(&app, report, NIO_SIDE_SENDER);
	for (int k = 0; k < LATENCY_NR; k++) {
		assert_null(app.latency[k].hist);
		assert_int_equal(app.latency[k].reason != NULL,
				 latency__side(k) == NIO_SIDE_SENDER);
	}
	free(report);
}

TEST(cleared_report_is_zero)
{
	struct load_report *report = filled(), *zero = calloc(1, sizeof(*zero));

	report->port = 5001;
	report->confirmed.known = true;
	load_report__clear(report);
	assert_memory_equal(report, zero, sizeof(*zero));
	load_report__clear(report);
	assert_memory_equal(report, zero, sizeof(*zero));
	free(report);
	free(zero);
}
