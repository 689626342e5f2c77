/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A round that ended before its bytes in flight arrived: the counts of load generator and kernel
 * are of different moments, so figures made of both are unknown.
 */
#include "model/figures.h"
#include "model/ledger.h"
#include "model/perf_figures.h"
#include "model/verdict.h"
#include "write/assertion.h"
#include "write/json.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"
#include "support/screen_says.h"

static const char reason[] = "interrupted before the totals were final";

/* Like close_books(): the kernel counted on after the last report of the load generator. */
static void cut_short(struct run_result *run)
{
	static const struct environment env = {.path = "loopback"};

	run->interrupted = true;
	run->stages[NIO_STAGE_RX_COPY].bytes += 1000000;
	run->stages[NIO_STAGE_TX_COPY].bytes += 1000000;
	ledger__cut_short(run);
	ledger__close(run, false);
	verdict__give(run, &env);
}

static void check_unknown(struct real v)
{
	assert_false(v.known);
	assert_string_equal(v.reason, reason);
}

TEST(figures_of_load_generator_and_kernel_are_unknown)
{
	struct run_result run;

	fake_run__fill(&run, MODE_ZEROCOPY);
	fake_run__fentry(&run);
	cut_short(&run);
	check_unknown(run.copies_per_byte);
	check_unknown(run.copies_per_byte_at_most);
	check_unknown(run.verdict.copied_fraction);
	assert_int_equal(run.verdict.cause, ZC_CAUSE_NONE);
	assert_string_equal(run.verdict.text, "");
	assert_false(run.balance_known);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		check_unknown(figures__per_byte(&run, s));
	check_unknown(figures__copies(&run).value);
	for (int w = 0; w < PERF_WHOSE_NR; w++)
		check_unknown(perf_derive(&run, DERIVED_CPU_NS_PER_KIB, w));
	check_unknown(cpu_figures__sum(&run, NIO_SAMPLE_SENDER));
	check_unknown(cpu_figures__class(&run, CPU_CLASS_TX_COPY, false));
	check_unknown(time_figures__outside(&run));
	check_unknown(time_figures__per_kib(&run, NIO_STAGE_TX_PIN));
	/* A part of a call is a mean over the calls followed, however few. */
	run.path_calls.value *= 2;
	run.path_ns[PATH_PIN] = known(run.path_calls.value * 3);
	assert_true(time_figures__part(&run, PATH_PIN).value == 3);
	/* The load generator's last report is of one moment. */
	assert_true(run_result__gbps(&run).known);
	run_result__clear(&run);
}

TEST(total_with_a_cut_round_has_unknown_figures)
{
	struct run_result total, run;

	run_result__init(&total);
	fake_run__fill(&run, MODE_ONECOPY);
	ledger__add(&total, &run);
	assert_null(total.not_final);
	cut_short(&run);
	ledger__add(&total, &run);
	ledger__close(&total, true);
	check_unknown(total.copies_per_byte);
	assert_false(total.balance_known);
	run_result__clear(&total);
	run_result__clear(&run);
}

static void check_reason(const json_t *o, const char *key, const char *reason_key)
{
	assert_true(json_is_null(json_object_get(o, key)));
	assert_string_equal(json_string_value(json_object_get(o, reason_key)), reason);
}

TEST(document_of_a_cut_round_has_reasons)
{
	struct run_result run;
	const json_t *ledger;
	json_t *o;

	fake_run__fill(&run, MODE_ZEROCOPY);
	cut_short(&run);
	o = json_document__run(&run);
	assert_non_null(o);
	ledger = json_object_get(o, "ledger");
	check_reason(ledger, "unaccounted_tx", "unaccounted_tx_reason");
	check_reason(ledger, "unaccounted_rx", "unaccounted_rx_reason");
	check_reason(ledger, "copies_per_byte", "copies_per_byte_reason");
	check_reason(ledger, "copies_per_byte_at_most", "copies_per_byte_at_most_reason");
	check_reason(json_object_get(o, "verdict"), "copied_fraction", "copied_fraction_reason");
	check_reason(json_object_get(o, "app"), "cpu_s_per_gb", "cpu_s_per_gb_reason");
	json_decref(o);
	run_result__clear(&run);
}

TEST(assertion_on_a_cut_round_is_false)
{
	struct result *r = fresh(1);
	struct run_result *rounds = r->runs;
	struct assertion *a;
	char message[512];

	cut_short(&r->summary[0].total);
	r->runs = &r->summary[0].total;
	r->runs_nr = 1;
	assert_int_equal(assertion__parse(&a, "copies_per_byte >= 0", message, sizeof(message)), 0);
	assert_false(assertion__check(a, r, message, sizeof(message)));
	assertion__free(a);
	r->runs = rounds;
}

TEST(text_of_a_cut_round_has_no_such_figure)
{
	static const struct text_end_form form = {.columns = 120};
	struct result *r = fresh(3);

	cut_short(&r->summary[2].total);
	check_words(end_text(r, &form),
		    "CHECKED  Total 2 GB sent = 2 GB received (without a mode that was "
		    "interrupted before the totals were final)",
		    true);
	for (int i = 0; i < 2; i++)
		cut_short(&r->summary[i].total);
	check_words(end_text(r, &form), "CHECKED  n/a: interrupted before the totals were final",
		    true);
	check_words(end_text(r, &form), "unaccounted", false);
}

TEST(live_view_of_a_cut_round_has_no_such_figure)
{
	struct live_frame *f = fake_frame__new(1);

	cut_short(&f->modes[0].total);
	check_words(line_text(f), "CPU n/a ns/KiB", true);
	fake_frame__free(f);
}
