/* SPDX-License-Identifier: GPL-2.0-only */
/* Decisions of a sweep before any run: order, settings, command, final text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/json.h"
#include "write/output.h"
#include "run/run_order.h"
#include "common/xalloc.h"
#include "sweep/sweep_csv.h"
#include "sweep/sweep_options.h"
#include "sweep/sweep_table.h"
#include "support/full_result.h"
#include "support/golden.c"
#include "support/sweep_case.h"

#define ROUNDS 12
#define CELLS  (16 * MODE_ALL_NR)
#define RUNS   (CELLS * ROUNDS)

TEST(defaults_are_the_whole_experiment)
{
	struct sweep_options o;

	parse(&o, "netiotrace sweep");
	assert_int_equal(sweep_grid__runs(&o.grid), RUNS);
	assert_int_equal(o.grid.modes_nr, MODE_ALL_NR);
	assert_int_equal(o.sizes[0], 1024);
	assert_int_equal(o.sizes[3], 65536);
	assert_int_equal(o.threads[3], 8);
	assert_int_equal(o.run.workload.duration_ns, 2100000000);
	assert_int_equal(o.run.path, NETPATH_LOOPBACK); /* as in a run */
	assert_false(o.no_pin);
	assert_int_equal(o.grid.congestions_nr, 0);
	assert_string_equal(o.directory, "results");
	assert_true(o.run.workload.warmup_ns * 2 <= workload__round_ns(&o.run.workload));
	assert_int_equal(o.run.workload.warmup_ns % 1000000, 0);
}

TEST(quick_changes_defaults_only)
{
	struct sweep_options o;

	parse(&o, "netiotrace sweep --quick");
	assert_int_equal(o.grid.threads_nr, 2);
	/* Under a minute, including a quarter for the time around the measurements. */
	assert_true(sweep_grid__runs(&o.grid) / o.grid.rounds * o.run.workload.duration_ns * 5 / 4 <
		    60000000000);
	assert_true(o.grid.rounds >= 6);
	parse(&o, "netiotrace sweep --duration 5s --quick --threads 3");
	assert_int_equal(o.grid.threads_nr, 1);
	assert_int_equal(o.threads[0], 3);
	assert_int_equal(o.run.workload.duration_ns, 5000000000);
}

TEST(messages_replace_the_default_duration)
{
	struct sweep_options o;

	parse(&o, "netiotrace sweep --quick --messages 1000");
	assert_int_equal(o.run.workload.messages, 1000);
	assert_int_equal(o.run.workload.duration_ns, 0);
	assert_true(o.run.workload.warmup_ns > 0 && o.run.workload.warmup_ns <= 100000000);
}

TEST(lists_are_sorted)
{
	struct sweep_options o;

	parse(&o, "netiotrace sweep --sizes 64k,100,4k --threads 8,1 --modes zerocopy,twocopy");
	assert_int_equal(o.grid.sizes_nr, 3);
	assert_true(o.sizes[0] == 100 && o.sizes[1] == 4096 && o.sizes[2] == 65536);
	assert_true(o.grid.threads_nr == 2 && o.threads[0] == 1 && o.threads[1] == 8);
	assert_true(o.grid.modes_nr == 2 && o.grid.modes[0] == MODE_TWOCOPY);
}

/* Every run once, round after round. */
TEST(order_has_each_run_once)
{
	struct sweep_options o;
	size_t order[RUNS], i;
	bool seen[RUNS] = {false};

	parse(&o, "netiotrace sweep");
	run_order__order(&o.grid, 1, order);
	for (i = 0; i < RUNS; i++) {
		assert_true(order[i] < RUNS);
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
		assert_int_equal(sweep_grid__run(&o.grid, order[i]).round, i / CELLS);
	}
}

TEST(order_depends_on_the_seed)
{
	struct sweep_options o;
	size_t one[RUNS], again[RUNS], two[RUNS], i, fixed = 0;

	parse(&o, "netiotrace sweep");
	run_order__order(&o.grid, 7, one);
	run_order__order(&o.grid, 7, again);
	run_order__order(&o.grid, 8, two);
	assert_memory_equal(one, again, sizeof(one));
	assert_memory_not_equal(one, two, sizeof(one));
	/* Each round has its own order, and none is the order of the grid. */
	for (i = 0; i < CELLS; i++)
		fixed += one[i] / 3 == one[i + CELLS] / 3 || one[i] / 3 == i;
	assert_true(fixed < 12);
}

/* All orders of three cells are about equally likely: 6000 seeds, 1000 each, sigma 29. */
TEST(orders_are_equally_likely)
{
	struct sweep_options o;
	unsigned int counts[27] = {0}, orders = 0, i;
	uint64_t seed;
	size_t order[3];

	parse(&o, "netiotrace sweep --modes twocopy,onecopy,zerocopy --sizes 1k --threads 1 "
		  "--rounds 1");
	for (seed = 0; seed < 6000; seed++) {
		run_order__order(&o.grid, seed, order);
		counts[order[0] * 9 + order[1] * 3 + order[2]]++;
	}
	for (i = 0; i < 27; i++) {
		if (!counts[i])
			continue;
		orders++;
		assert_in_range(counts[i], 850, 1150);
	}
	assert_int_equal(orders, 6);
}

TEST(first_round_of_three_has_its_turn)
{
	for (unsigned int round = 0; round < 12; round++) {
		assert_int_equal(run_order__is_turn(round, 3), round % 3 == 0);
		assert_true(run_order__is_turn(round, 0));
		assert_true(run_order__is_turn(round, 1));
	}
}

TEST(results_have_a_fixed_order)
{
	static const struct {
		size_t i;
		struct sweep_run run;
	} cases[] = {
		{0, {MODE_TWOCOPY, 1024, 1, 0, NULL}},
		{ROUNDS, {MODE_TWOCOPY, 1024, 2, 0, NULL}},
		{RUNS - 1, {MODE_ALL_NR - 1, 65536, 8, ROUNDS - 1, NULL}},
	};
	struct sweep_options o;

	parse(&o, "netiotrace sweep");
	for_each_case(c, cases) {
		const struct sweep_run run = sweep_grid__run(&o.grid, c->i);

		assert_true(run.mode == c->run.mode && run.size == c->run.size &&
			    run.threads == c->run.threads && run.round == c->run.round);
		assert_null(run.congestion);
	}
}

/* Each control is a cell of its own, and the rounds of a cell are adjacent. */
TEST(congestion_controls_are_varied)
{
	struct sweep_options o;
	struct sweep_run a, b, c;

	parse(&o, "netiotrace sweep --sizes 1k --threads 1 --congestion reno,bbr --rounds 2");
	assert_int_equal(sweep_grid__runs(&o.grid), MODE_ALL_NR * 2 * 2);
	a = sweep_grid__run(&o.grid, 0);
	b = sweep_grid__run(&o.grid, 2);
	c = sweep_grid__run(&o.grid, 4);
	assert_true(a.mode == b.mode && a.round == 0 && b.round == 0);
	assert_string_equal(a.congestion, "bbr");
	assert_string_equal(b.congestion, "reno");
	assert_int_equal(c.mode, MODE_ONECOPY);
}

/* tests/analysis reads it, and the document's golden file, as the same data set. */
TEST(results_csv_of_a_full_result_matches_its_golden_file)
{
	struct full_result f;
	json_t *document;
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	full_result__init(&f);
	document = json_document__result(&f.result);
	json_array_remove(json_object_get(document, "runs"), 0);
	sweep_csv__header(out);
	sweep_csv__row(out, document);
	xclose_memstream(out);
	golden__check("results-csv", text);
	free(text);
	json_decref(document);
	full_result__clear(&f);
}

/* Unknown numbers are empty cells, and so is what follows from them. */
TEST(row_of_results_csv_has_empty_cells_for_unknown_numbers)
{
	json_t *document = json_pack("{s:[{s:s, s:i, s:i, s:i, s:{s:i, s:n}, s:{s:{s:{s:i}}}}]}",
				     "runs", "mode", "onecopy", "size", 64, "threads", 1, "round",
				     2, "app", "rx_bytes", 1024, "throughput_gbps", "perf",
				     "sender", "cycles", "value", 5);
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	sweep_csv__row(out, document);
	xclose_memstream(out);
	assert_string_equal(text, "onecopy,64,1,,2,,,,,,,,,,1024,,,,,,,,,,,,,,,,,,,\n");
	free(text);
	json_decref(document);
}

TEST(final_text_shows_every_cell)
{
	struct sweep_options o;
	double gbps[8] = {1.5, 2.5, 10, 0, 0, 0, 30, 31};
	char row[] = "x", *made[8] = {row, row, row, NULL, NULL, NULL, row, row}, *text;
	struct sweep_totals t = {
		.runs = 8,
		.made = 5,
		.failed = 1,
		.measured_ns = 2000000000,
		.elapsed_ns = 2400000000,
	};
	size_t size;
	FILE *f = xopen_memstream(&text, &size);

	parse(&o, "netiotrace sweep --modes twocopy,onecopy --sizes 1k,64k --threads 1 --rounds 2");
	sweep_table__write(f, 80, "out", &o.grid, gbps, made, &t);
	xclose_memstream(f);
	assert_string_equal(
		text, "Gbit/s, median (lowest-highest round)\n"
		      "\n"
		      "  size threads  two-copy         one-copy\n"
		      "    1k       1      2 (1.5-2.5)    n/a\n"
		      "   64k       1     10             30.5 (30-31)\n"
		      "\n"
		      "out: 5 of 8 runs made, 1 failed; this took 2.4 s, 2.0 s of them under load\n"
		      "interrupted: the same command with --resume makes the rest\n");
	free(text);
}

static bool says_emulated(const struct result *r)
{
	struct sweep_options o;
	char *text;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);
	bool says;

	parse(&o, "netiotrace sweep");
	sweep_table__conditions(f, 80, r, &o, false, false);
	xclose_memstream(f);
	assert_int_equal(strncmp(text, "path", strlen("path")), 0);
	says = strstr(text, "\nemulated ");
	assert_true(!says == !strstr(text, "times and rates are the emulator's"));
	free(text);
	return says;
}

TEST(final_text_says_that_a_machine_is_emulated)
{
	struct environment receiver = {.virtualization = "vm"};
	struct result r = {.env = {.path = "remote", .virtualization = "vm"}};

	assert_false(says_emulated(&r));
	r.env.receiver = &receiver;
	assert_false(says_emulated(&r));
	strcpy(receiver.virtualization, "vm, emulated");
	assert_true(says_emulated(&r));
	r.env.receiver = NULL;
	strcpy(r.env.virtualization, "vm, emulated");
	assert_true(says_emulated(&r));
}

/* Three modes with long figures fit 80 columns; modes that do not fit are below. */
TEST(final_table_fits_the_terminal)
{
	static const unsigned int widths[] = {80, 60, 40};
	struct sweep_options o;
	double gbps[6] = {0.8761, 0.9123, 0.8234, 0.9345, 0.1234, 0.1345};
	char row[] = "x", *made[6] = {row, row, row, row, row, row};
	struct sweep_totals t = {.runs = 6, .made = 6};

	parse(&o, "netiotrace sweep --sizes 1k --threads 1 --rounds 2");
	for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
		char *text;
		size_t size;
		FILE *f = xopen_memstream(&text, &size);

		sweep_table__write(f, widths[i], "out", &o.grid, gbps, made, &t);
		xclose_memstream(f);
		assert_non_null(strstr(text, "\nnext: netiotrace report out\n"));
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			assert_true(strcspn(line, "\n") <= widths[i]);
		assert_non_null(strstr(text, "0.129 (0.123-0.135)"));
		free(text);
	}
}
