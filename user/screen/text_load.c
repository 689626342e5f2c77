/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on the load, where it was an open loop or each message was answered: what the
 * latencies count from then, and whether the rate was kept. From the result alone.
 */
#include "base/text_note.h"
#include "common/units.h"
#include "text.h"

/* Under this share of what was asked for, the rate was not kept. */
#define KEPT 0.99

static double messages_per_s(const struct run_result *run)
{
	return run->duration_ns ? (double)run->app.tx_messages * 1e9 / (double)run->duration_ns : 0;
}

/* Modes that fell behind: their latencies grow with the length of the run. */
static void print_behind(FILE *f, const struct result *r)
{
	const char *lead = " Not kept: ";
	char count[UNITS_BUF];

	for (size_t i = 0; i < r->summary_nr; i++) {
		double rate = messages_per_s(&r->summary[i].total);

		if (r->messages || rate >= KEPT * (double)r->traffic.rate)
			continue;
		fprintf(f, "%s%s sent %s/s", lead, mode__words(r->summary[i].mode),
			format_count(count, sizeof(count), (uint64_t)rate));
		lead = ", ";
	}
	if (lead[0] == ',')
		fputs(", so that its latencies grow as long as it runs.", f);
}

void text_load__result(FILE *f, const struct result *r)
{
	char rate[UNITS_BUF];

	if (!r->traffic.rate)
		return;
	fprintf(f, "Open loop of %s messages/s.",
		format_count(rate, sizeof(rate), r->traffic.rate));
	print_behind(f, r);
}

static void print_rate(FILE *f, const struct result *r)
{
	char rate[UNITS_BUF];

	fprintf(f,
		"open loop of %s messages/s: delivery%s count from the time at which a message was "
		"due, so that a late message does not hide the delay of those behind it.",
		format_count(rate, sizeof(rate), r->traffic.rate),
		r->traffic.request_response ? " and half round trip" : "");
	print_behind(f, r);
}

static void print_replies(FILE *f, const struct result *r)
{
	fprintf(f,
		"%s: each message is answered by one of its size with a plain send(). Copies and "
		"books %s; throughput is of the messages. Half a round trip is measured by the "
		"sender's clock alone.",
		r->traffic.rate ? " Request and response" : "request and response",
		r->summary[0].total.sender_side ? "are of the messages" : "have both directions");
}

int text_load__print(FILE *f, unsigned int width, const struct result *r)
{
	struct text_note n;
	int err;

	if (!r->traffic.rate && !r->traffic.request_response)
		return 0;
	err = text_note__begin(&n);
	if (err)
		return err;
	if (r->traffic.rate)
		print_rate(n.f, r);
	if (r->traffic.request_response)
		print_replies(n.f, r);
	return text_note__end(&n, f, width, "load");
}
