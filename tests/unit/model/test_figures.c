/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures shown of a result: copies, latencies, and the text for a load and a kernel. */
#include <stdio.h>

#include "model/figures.h"
#include "support/near.h"
#include "support/test.h"

/* "Linux" appears once, whichever source the release has. */
TEST(kernel_has_Linux_in_its_name_once)
{
	static const char *const cases[][2] = {
		{"Linux 6.12.1", "Linux 6.12.1"}, {"6.12.1", "Linux 6.12.1"},
		{"Linux 6", "Linux 6"},           {"Linuxlike", "Linux Linuxlike"},
		{"Linux ", "kernel unknown"},     {"", "kernel unknown"}};
	struct environment env = {0};
	char buf[64];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(env.kernel, sizeof(env.kernel), "%s", cases[i][0]);
		assert_string_equal(figures__kernel(buf, sizeof(buf), &env), cases[i][1]);
	}
}

TEST(load_is_written_with_units_and_plurals)
{
	char buf[64];

	assert_string_equal(figures__load(buf, sizeof(buf), 65536, 8, 1),
			    "64 KiB in 8 fields, 1 thread");
	assert_string_equal(figures__load(buf, sizeof(buf), 64, 1, 2),
			    "64 B in 1 field, 2 threads");
}

/* A run that received 1000 bytes and knows every stage: each stage moved a multiple of 1000. */
static void fill(struct run_result *run)
{
	static const uint64_t times[NIO_STAGE_NR] = {
		[NIO_STAGE_USER_GATHER] = 1, [NIO_STAGE_TX_COPY] = 2,       [NIO_STAGE_TX_PIN] = 32,
		[NIO_STAGE_TX_SPLICE] = 64,  [NIO_STAGE_DEFERRED_COPY] = 4, [NIO_STAGE_RX_COPY] = 8,
		[NIO_STAGE_OTHER_COPY] = 16};

	run_result__init(run);
	run->ledger_known = true;
	run->ledger_reason = NULL;
	run->app.rx_bytes = 1000;
	run->app.tx_bytes = 4000;
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		run->stages[s].quality = QUALITY_EXACT;
		run->stages[s].reason = NULL;
		run->stages[s].bytes = 1000 * times[s];
	}
}

TEST(stage_bytes_are_divided_by_received_bytes)
{
	struct run_result run;
	struct real r;

	fill(&run);
	run.stages[NIO_STAGE_TX_PIN].bytes = 1500;
	r = figures__per_byte(&run, NIO_STAGE_TX_PIN);
	assert_real(r, 1.5);
	/* The sender alone: bytes are divided by bytes sent. */
	run.sender_side = true;
	r = figures__per_byte(&run, NIO_STAGE_TX_PIN);
	assert_real(r, 0.375);
	run.app.tx_bytes = 0;
	r = figures__per_byte(&run, NIO_STAGE_TX_PIN);
	assert_unknown(r, "no payload was sent");
	run.sender_side = false;
	run.app.rx_bytes = 0;
	r = figures__per_byte(&run, NIO_STAGE_TX_PIN);
	assert_unknown(r, "no payload was received");
	run.stages[NIO_STAGE_TX_PIN].quality = QUALITY_UNAVAILABLE;
	run.stages[NIO_STAGE_TX_PIN].reason = "no hook";
	r = figures__per_byte(&run, NIO_STAGE_TX_PIN);
	assert_unknown(r, "no hook");
}

/* The stage's reason, else the ledger's, else a general one; never NULL. */
TEST(unknown_stage_has_a_reason)
{
	const char *reason = "untouched";
	struct run_result run;
	struct stage_result *s;

	fill(&run);
	s = &run.stages[NIO_STAGE_RX_COPY];
	assert_true(figures__stage_known(&run, NIO_STAGE_RX_COPY, &reason));
	assert_string_equal(reason, "untouched");
	s->quality = QUALITY_UNAVAILABLE;
	s->reason = "no hook";
	run.ledger_known = false;
	run.ledger_reason = "not watched";
	assert_false(figures__stage_known(&run, NIO_STAGE_RX_COPY, &reason));
	assert_string_equal(reason, "no hook");
	s->reason = NULL;
	assert_false(figures__stage_known(&run, NIO_STAGE_RX_COPY, &reason));
	assert_string_equal(reason, "not watched");
	run.ledger_known = true;
	assert_false(figures__stage_known(&run, NIO_STAGE_RX_COPY, &reason));
	assert_string_equal(reason, "the reason was not recorded");
	run.ledger_known = false;
	run.ledger_reason = NULL;
	assert_false(figures__stage_known(&run, NIO_STAGE_RX_COPY, &reason));
	assert_string_equal(reason, "the reason was not recorded");
}

/* Pins and splices are not copies. */
TEST(copies_are_the_sum_of_the_copying_stages)
{
	struct run_result run;
	struct copies_figure c;

	fill(&run);
	c = figures__copies(&run);
	assert_real(c.value, 31);
	assert_int_equal(c.excluded, 0);
	/* Unknown stages are left out and named. */
	run.stages[NIO_STAGE_OTHER_COPY].quality = QUALITY_UNAVAILABLE;
	run.stages[NIO_STAGE_TX_COPY].quality = QUALITY_UNAVAILABLE;
	run.stages[NIO_STAGE_TX_PIN].quality = QUALITY_UNAVAILABLE;
	c = figures__copies(&run);
	assert_real(c.value, 13);
	assert_int_equal(c.excluded, 1U << NIO_STAGE_OTHER_COPY | 1U << NIO_STAGE_TX_COPY);
	/* Copies on another machine do not count as left out. */
	run.stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	c = figures__copies(&run);
	assert_int_equal(c.excluded, 1U << NIO_STAGE_OTHER_COPY | 1U << NIO_STAGE_TX_COPY |
					     1U << NIO_STAGE_RX_COPY);
	run.sender_side = true;
	c = figures__copies(&run);
	assert_true(c.value.value == 1.25);
	assert_int_equal(c.excluded, 1U << NIO_STAGE_OTHER_COPY | 1U << NIO_STAGE_TX_COPY);
}

TEST(copies_without_payload_are_unknown)
{
	struct run_result run;
	struct copies_figure c;

	fill(&run);
	run.app.rx_bytes = 0;
	c = figures__copies(&run);
	assert_unknown(c.value, "no payload was received");
	for (int s = 0; s < NIO_STAGE_NR; s++)
		run.stages[s].quality = QUALITY_UNAVAILABLE;
	c = figures__copies(&run);
	assert_unknown(c.value, "no copying stage was measured");
	run.ledger_known = false;
	run.ledger_reason = "not watched";
	c = figures__copies(&run);
	assert_unknown(c.value, "not watched");
	assert_int_equal(c.excluded, 0);
}

static bool shown(const struct result *r, enum latency_kind k)
{
	return figures__shows_latency(r, k);
}

/* Two latencies are always shown; the others if the load can have them or they were timed. */
TEST(latencies_are_shown_if_the_load_can_have_them)
{
	static struct result r;
	struct hist *h = hist__new_latency();

	assert_non_null(h);
	r.summary_nr = 2;
	r.summary[0].mode = MODE_TWOCOPY;
	r.summary[1].mode = MODE_ONECOPY;
	assert_true(shown(&r, LATENCY_SEND_CALL));
	assert_true(shown(&r, LATENCY_DELIVERY));
	assert_true(shown(&r, LATENCY_RECV_CALL));
	assert_false(shown(&r, LATENCY_COMPLETION));
	assert_false(shown(&r, LATENCY_HALF_ROUND_TRIP));
	assert_false(shown(&r, LATENCY_SLOT_WAIT));
	r.summary[1].mode = MODE_ZEROCOPY;
	assert_true(shown(&r, LATENCY_COMPLETION));
	assert_false(shown(&r, LATENCY_SLOT_WAIT));
	r.summary_nr = 1;
	assert_false(shown(&r, LATENCY_COMPLETION));
	r.workload.request_response = true;
	assert_true(shown(&r, LATENCY_HALF_ROUND_TRIP));
	assert_false(shown(&r, LATENCY_COMPLETION));
	r.workload.request_response = false;
	/* A histogram without an event counts as not timed. */
	for (int k = 0; k < LATENCY_NR; k++)
		r.summary[0].total.app.latency[k].hist = h;
	assert_false(shown(&r, LATENCY_COMPLETION));
	assert_false(shown(&r, LATENCY_HALF_ROUND_TRIP));
	assert_false(shown(&r, LATENCY_SLOT_WAIT));
	hist__record(h, 0);
	assert_true(shown(&r, LATENCY_COMPLETION));
	assert_true(shown(&r, LATENCY_HALF_ROUND_TRIP));
	assert_true(shown(&r, LATENCY_SLOT_WAIT));
	hist__free(h);
}
