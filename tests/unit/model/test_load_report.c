/* SPDX-License-Identifier: GPL-2.0-only */
/* From a load generator's report to a result: each field of that side, none of the other. */
#include <stdlib.h>
#include <string.h>

#include "model/load_report.h"
#include "support/test.h"

#define COUNT(field)                                           \
	{                                                      \
		offsetof(struct app_result, field), #field, 0, \
	}
#define NUM(field)                                             \
	{                                                      \
		offsetof(struct app_result, field), #field, 1, \
	}

struct field {
	size_t at;
	const char *name;
	int is_num;
};

/* clang-format off */
static const struct field of_sender[] = {
	COUNT(tx_bytes), COUNT(tx_messages),
	COUNT(replies.rx_bytes), COUNT(replies.rx_messages), COUNT(replies.errors),
	COUNT(zc.sends), COUNT(zc.completed), COUNT(zc.copied), COUNT(zc.not_copied),
	COUNT(zc.enobufs), COUNT(zc.fallback_bytes),
	COUNT(partial_sends), COUNT(eagain), COUNT(eintr),
	COUNT(tcp_bytes_acked), COUNT(tcp_bytes_retrans),
	NUM(sender_cpu_ns),
};
static const struct field of_receiver[] = {
	COUNT(rx_bytes), COUNT(rx_messages), NUM(rx_uncopied),
	NUM(replies.tx_bytes), NUM(replies.tx_messages),
	COUNT(tcp_bytes_received),
	NUM(verify_errors), NUM(receiver_cpu_ns),
};
/* clang-format on */

static void put(struct app_result *app, const struct field *f, uint64_t value)
{
	void *at = (char *)app + f->at;

	if (f->is_num)
		*(struct num *)at = num__known(value);
	else
		*(uint64_t *)at = value;
}

static uint64_t get(const struct app_result *app, const struct field *f)
{
	const void *at = (const char *)app + f->at;

	return f->is_num ? ((const struct num *)at)->value : *(const uint64_t *)at;
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
	for (size_t i = 0; i < ARRAY_LEN(of_sender); i++)
		put(&report->app, &of_sender[i], 100 + i);
	for (size_t i = 0; i < ARRAY_LEN(of_receiver); i++)
		put(&report->app, &of_receiver[i], 200 + i);
	for (int k = 0; k < LATENCY_NR; k++)
		report->app.latency[k].hist = hist_of(1000 + (uint64_t)k);
	return report;
}

static void check_fields(const struct app_result *app, const struct field *fields, size_t n,
			 uint64_t first)
{
	for (size_t i = 0; i < n; i++)
		if (get(app, &fields[i]) != (first ? first + i : 0))
			fail_msg("%s is %llu", fields[i].name,
				 (unsigned long long)get(app, &fields[i]));
}

TEST(side_reports_its_own_fields_only)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct load_report *report = filled();
		struct app_result app = {0};

		load_report__copy_app(&app, report, (enum nio_side)side);
		check_fields(&app, of_sender, ARRAY_LEN(of_sender),
			     side == NIO_SIDE_SENDER ? 100 : 0);
		check_fields(&app, of_receiver, ARRAY_LEN(of_receiver),
			     side == NIO_SIDE_RECEIVER ? 200 : 0);
		for (int k = 0; k < LATENCY_NR; k++) {
			struct hist *h = app.latency[k].hist;

			assert_int_equal(h != NULL, (int)latency__side(k) == side);
			if (h)
				assert_int_equal(h->sum, 1000 + k);
			hist__free(h);
		}
		load_report__clear(report);
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
