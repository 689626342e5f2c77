/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep decides without running: order, settings, command, directory, end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "write/json.h"
#include "base/log.h"
#include "write/output.h"
#include "base/schedule.h"
#include "sweep/results_dir.h"
#include "sweep/sweep_options.h"
#include "sweep/settings_file.h"
#include "sweep/sweep_table.h"
#include "support/full_result.h"

#define RUNS 336 /* of the default sweep */

static void parse(struct sweep_options *o, const char *words)
{
	static char buf[512];
	static char *argv[64];
	char *rest = buf;
	int argc = 0;

	snprintf(buf, sizeof(buf), "%s", words);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	sweep_options__parse(o, argc, argv);
}

static void defaults_are_the_whole_experiment(void **state)
{
	struct sweep_options o;

	(void)state;
	parse(&o, "netiotrace sweep");
	assert_int_equal(grid__runs(&o.grid), RUNS);
	assert_int_equal(o.grid.modes_nr, 3);
	assert_int_equal(o.sizes[0], 1024);
	assert_int_equal(o.sizes[3], 65536);
	assert_int_equal(o.threads[3], 8);
	assert_int_equal(o.run.traffic.duration_ns, 2100000000);
	assert_int_equal(o.run.path, NETPATH_VETH);
	assert_string_equal(o.directory, "results");
	/* What is not measured has to fit into a quarter of what is. */
	assert_true(o.run.traffic.warmup_ns * 5 < traffic__round_ns(&o.run.traffic));
	assert_int_equal(o.run.traffic.warmup_ns % 1000000, 0);
}

static void quick_changes_defaults_only(void **state)
{
	struct sweep_options o;

	(void)state;
	parse(&o, "netiotrace sweep --quick");
	assert_int_equal(o.grid.threads_nr, 2);
	/* Under a minute, a quarter for what comes around the measuring included. */
	assert_true(grid__runs(&o.grid) / o.grid.rounds * o.run.traffic.duration_ns * 5 / 4 <
		    60000000000);
	assert_true(o.grid.rounds >= 6);
	parse(&o, "netiotrace sweep --duration 5s --quick --threads 3");
	assert_int_equal(o.grid.threads_nr, 1);
	assert_int_equal(o.threads[0], 3);
	assert_int_equal(o.run.traffic.duration_ns, 5000000000);
}

static void lists_are_sorted(void **state)
{
	struct sweep_options o;

	(void)state;
	parse(&o, "netiotrace sweep --sizes 64k,100,4k --threads 8,1 --modes zerocopy,twocopy");
	assert_int_equal(o.sizes[0], 100);
	assert_int_equal(o.sizes[2], 65536);
	assert_int_equal(o.threads[0], 1);
	assert_int_equal(o.grid.modes[0], MODE_TWOCOPY);
	assert_int_equal(o.grid.modes_nr, 2);
}

/* Every run once, and the rounds one after the other. */
static void order_is_complete(void **state)
{
	struct sweep_options o;
	size_t order[RUNS], i;
	bool seen[RUNS] = {false};

	(void)state;
	parse(&o, "netiotrace sweep");
	schedule__order(&o.grid, 1, order);
	for (i = 0; i < RUNS; i++) {
		assert_true(order[i] < RUNS);
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
		assert_int_equal(grid__run(&o.grid, order[i]).round, i / 48);
	}
}

static void order_is_seeded(void **state)
{
	struct sweep_options o;
	size_t one[RUNS], again[RUNS], two[RUNS], i, fixed = 0;

	(void)state;
	parse(&o, "netiotrace sweep");
	schedule__order(&o.grid, 7, one);
	schedule__order(&o.grid, 7, again);
	schedule__order(&o.grid, 8, two);
	assert_memory_equal(one, again, sizeof(one));
	assert_memory_not_equal(one, two, sizeof(one));
	/* Each round has an order of its own, and none is that of the grid. */
	for (i = 0; i < 48; i++)
		fixed += one[i] / 3 == one[i + 48] / 3 || one[i] / 3 == i;
	assert_true(fixed < 12);
}

/* All orders of three cells are about equally likely: 6000 seeds, 1000 each, sigma 29. */
static void order_is_fair(void **state)
{
	struct sweep_options o;
	unsigned int counts[27] = {0}, orders = 0, i;
	uint64_t seed;
	size_t order[3];

	(void)state;
	parse(&o, "netiotrace sweep --sizes 1k --threads 1 --rounds 1");
	for (seed = 0; seed < 6000; seed++) {
		schedule__order(&o.grid, seed, order);
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

static void results_are_in_a_fixed_order(void **state)
{
	struct sweep_options o;
	struct sweep_run a, b, c;

	(void)state;
	parse(&o, "netiotrace sweep");
	a = grid__run(&o.grid, 0);
	b = grid__run(&o.grid, 7);
	c = grid__run(&o.grid, RUNS - 1);
	assert_true(a.mode == MODE_TWOCOPY && a.size == 1024 && a.threads == 1 && a.round == 0);
	assert_true(b.mode == MODE_TWOCOPY && b.size == 1024 && b.threads == 2 && b.round == 0);
	assert_true(c.mode == MODE_ZEROCOPY && c.size == 65536 && c.threads == 8 && c.round == 6);
}

/* Through a file and back, as --resume has them. */
static json_t *reread(const struct sweep_options *o)
{
	json_t *settings = sweep_settings__json(o), *again;
	char *text = json_dumps(settings, JSON_REAL_PRECISION(JSON_REAL_DIGITS));

	again = json_loads(text, 0, NULL);
	assert_non_null(again);
	free(text);
	json_decref(settings);
	return again;
}

static void check_difference(const char *before, const char *now, const char *expected)
{
	struct sweep_options o, p;
	json_t *old, *settings;
	char text[256] = "";
	bool differ;

	parse(&o, before);
	old = reread(&o);
	parse(&p, now);
	settings = sweep_settings__json(&p);
	differ = sweep_settings__differ(old, settings, text, sizeof(text));
	assert_int_equal(differ, expected != NULL);
	if (expected)
		assert_string_equal(text, expected);
	json_decref(old);
	json_decref(settings);
}

static void settings_that_differ_are_named(void **state)
{
	(void)state;
	check_difference("n sweep", "n sweep", NULL);
	check_difference("n sweep", "n sweep -o elsewhere --resume -q", NULL);
	check_difference("n sweep --sizes 4k,1k", "n sweep --sizes 1024,4k", NULL);
	check_difference("n sweep --threads 1", "n sweep --threads 1,2", "threads [1], now [1, 2]");
	check_difference("n sweep", "n sweep --seed 2", "seed 1, now 2");
	check_difference("n sweep", "n sweep --duration 4200ms --warmup 30ms",
			 "duration_s 0.3, now 0.6");
	check_difference("n sweep --duration 700ms", "n sweep --duration 707ms",
			 "duration_s 0.1, now 0.101");
	check_difference("n sweep", "n sweep --path loopback", "path \"veth\", now \"loopback\"");
	check_difference("n sweep --cpu-sender 0", "n sweep", "cpu_sender \"0\", now null");
	check_difference("n sweep", "n sweep --verify", "verify false, now true");
	check_difference("n sweep", "n sweep --nodelay", "nodelay false, now true");
}

static void members_of_one_side_differ_but_reasons_do_not(void **state)
{
	json_t *a = json_pack("{s:i, s:n, s:s}", "x", 1, "y", "y_reason", "one");
	json_t *b = json_pack("{s:i, s:n, s:s}", "x", 1, "y", "y_reason", "other");
	json_t *c = json_pack("{s:i, s:n, s:i}", "x", 1, "y", "z", 3);
	char text[64];

	(void)state;
	assert_false(sweep_settings__differ(a, b, text, sizeof(text)));
	assert_true(sweep_settings__differ(a, c, text, sizeof(text)));
	assert_string_equal(text, "z not given, now 3");
	assert_true(sweep_settings__differ(c, a, text, sizeof(text)));
	assert_string_equal(text, "z 3, now not given");
	assert_true(sweep_settings__differ(NULL, a, text, sizeof(text)));
	json_decref(a);
	json_decref(b);
	json_decref(c);
}

/* Every option comes back from the command that is written down. */
static void command_repeats_the_sweep(void **state)
{
	static const char words[] =
		"netiotrace sweep --modes onecopy,zerocopy --sizes 100,5000,64k,1m --threads 1,16 "
		"--path veth --fields 4 --rounds 2 --duration 1500ms --warmup 7001us --seed 42 "
		"--backend tracepoint --count-calls --verify --mtu 9000 --ipv6 --sndbuf 64k "
		"--rcvbuf 3 --nodelay --cpu-sender 0-1 --cpu-receiver 1 -o out";
	struct sweep_options o, again;
	json_t *before, *after;
	char *command;

	(void)state;
	parse(&o, words);
	command = sweep_settings__command(&o);
	before = sweep_settings__json(&o);
	parse(&again, command);
	after = sweep_settings__json(&again);
	assert_true(json_equal(before, after));
	assert_string_equal(again.directory, "out");
	assert_non_null(strstr(command, " --sizes 100,5000,64k,1m "));
	free(command);
	json_decref(before);
	json_decref(after);
}

static void command_is_quoted_for_the_shell(void **state)
{
	static char program[] = "/opt/a b/netiotrace", command_word[] = "sweep", o_word[] = "-o",
		    directory[] = "it's; here";
	static char *argv[] = {program, command_word, o_word, directory, NULL};
	struct sweep_options o;
	char *command;

	(void)state;
	sweep_options__parse(&o, 4, argv);
	command = sweep_settings__command(&o);
	assert_int_equal(strncmp(command, "'/opt/a b/netiotrace' sweep --modes ", 36), 0);
	assert_non_null(strstr(command, " -o 'it'\\''s; here'"));
	free(command);
}

/* A directory for one test, below the one the tests run in. */
static char scratch[64];

static int make_scratch(void **state)
{
	(void)state;
	snprintf(scratch, sizeof(scratch), "/tmp/netiotrace-test-XXXXXX");
	return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	return system(command);
}

static const char *in_scratch(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	return path;
}

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(in_scratch(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool is_in_scratch(const char *name, const char *text)
{
	FILE *f = fopen(in_scratch(name), "r");
	char there[64] = "";

	assert_non_null(f);
	assert_non_null(fgets(there, sizeof(there), f));
	fclose(f);
	return !strcmp(there, text);
}

static int open_scratch(struct sweep_dir *d, bool resume)
{
	bool said;
	int code;

	*d = (struct sweep_dir)SWEEP_DIR_INIT;
	log_hold();
	code = sweep_dir__open(d, scratch, resume);
	said = ftell(log_stream()) > 0;
	log_release();
	/* A refusal is said, and nothing else. */
	assert_int_equal(code != 0, said);
	return code;
}

static void begin(struct sweep_dir *d)
{
	json_t *sweep =
		json_pack("{s:s, s:{s:s}}", "schema", SWEEP_SCHEMA, "environment", "kernel", "6.1");

	assert_int_equal(sweep_dir__begin(d, sweep, "netiotrace sweep"), 0);
	json_decref(sweep);
}

static void directories_that_may_be_used(void **state)
{
	struct sweep_dir d;

	(void)state;
	assert_int_equal(open_scratch(&d, false), 0);
	assert_null(d.sweep);
	begin(&d);
	sweep_dir__close(&d);
	assert_int_equal(open_scratch(&d, false), EXIT_USAGE); /* not empty */
	sweep_dir__close(&d);
	assert_int_equal(open_scratch(&d, true), 0);
	assert_non_null(d.sweep);
	sweep_dir__close(&d);
}

static void one_sweep_at_a_time(void **state)
{
	struct sweep_dir d, second;

	(void)state;
	assert_int_equal(open_scratch(&d, true), 0);
	assert_int_equal(open_scratch(&second, true), EXIT_USAGE);
	sweep_dir__close(&second);
	sweep_dir__close(&d);
	assert_int_equal(open_scratch(&d, true), 0);
	sweep_dir__close(&d);
}

/* Killed before sweep.json was there: begun again, unless anything foreign is in the directory. */
static void a_sweep_that_never_began_begins(void **state)
{
	struct sweep_dir d;

	(void)state;
	put_file(OWNED_DIR_MARKER, "netiotrace.files/1 sweep\nenvironment.json\n");
	put_file("environment.json", "{}");
	put_file(".netiotrace-abcdef", "half");
	assert_int_equal(open_scratch(&d, true), 0);
	assert_null(d.sweep);
	assert_int_not_equal(access(in_scratch(".netiotrace-abcdef"), F_OK), 0);
	sweep_dir__close(&d);
	put_file("thesis.tex", "important");
	assert_int_equal(open_scratch(&d, true), EXIT_USAGE);
	sweep_dir__close(&d);
	assert_int_equal(access(in_scratch("thesis.tex"), F_OK), 0);
}

/* The names are a sweep's, the files are not: without a marker nothing of it is touched. */
static void somebody_elses_files_are_kept(void **state)
{
	struct sweep_dir d;

	(void)state;
	put_file("environment.json", "mine");
	put_file("command", "mine");
	put_file(".netiotrace-abcdef", "mine");
	assert_int_equal(open_scratch(&d, true), EXIT_USAGE);
	sweep_dir__close(&d);
	assert_int_equal(open_scratch(&d, false), EXIT_USAGE);
	sweep_dir__close(&d);
	assert_int_equal(access(in_scratch(".netiotrace-abcdef"), F_OK), 0);
	assert_int_equal(access(in_scratch("command"), F_OK), 0);
}

/* A file that was put there meanwhile is not overwritten. */
static void a_file_that_is_not_the_sweeps_is_kept(void **state)
{
	struct sweep_dir d;
	char *rows[1] = {NULL};

	(void)state;
	assert_int_equal(open_scratch(&d, false), 0);
	begin(&d);
	put_file("results.csv", "mine");
	assert_int_not_equal(sweep_dir__write_csv(&d, rows, 1), 0);
	assert_true(is_in_scratch("results.csv", "mine"));
	sweep_dir__close(&d);
}

static void foreign_sweep_json_is_refused(void **state)
{
	static const char *const texts[] = {"", "{", "[]", "{\"schema\":\"netiotrace.result/1\"}",
					    "{\"schema\":7}"};
	struct sweep_dir d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put_file("sweep.json", texts[i]);
		assert_int_equal(open_scratch(&d, true), EXIT_USAGE);
		sweep_dir__close(&d);
	}
}

static const struct sweep_run zerocopy_run = {MODE_ZEROCOPY, 65536, 4, 1};

/* The second run of the full result, as a document of that run alone. */
static json_t *document_of(struct full_result *f, const struct sweep_run *run)
{
	struct result r = f->result;
	struct run_result *one = &f->runs[1];

	one->mode = run->mode;
	one->size = run->size;
	one->threads = run->threads;
	one->round = run->round;
	r.runs = one;
	r.runs_nr = 1;
	return json_document__result(&r);
}

static void only_whole_results_of_that_run_count(void **state)
{
	struct sweep_run other = zerocopy_run;
	struct sweep_dir d;
	struct full_result f;
	json_t *document, *found;

	(void)state;
	full_result__init(&f);
	document = document_of(&f, &zerocopy_run);
	assert_int_equal(open_scratch(&d, false), 0);
	assert_null(sweep_dir__read(&d, &zerocopy_run));
	assert_int_equal(sweep_dir__write_failure(&d, &zerocopy_run, 1, "it broke"), 0);
	assert_null(sweep_dir__read(&d, &zerocopy_run)); /* a failure is no result */
	assert_int_equal(sweep_dir__write_result(&d, &zerocopy_run, document), 0);
	assert_int_not_equal(access(in_scratch("cells/zerocopy-65536-t4-r1.failed.json"), F_OK), 0);
	found = sweep_dir__read(&d, &zerocopy_run);
	assert_non_null(found);
	json_decref(found);
	other.round = 2;
	assert_null(sweep_dir__read(&d, &other));
	/* Somebody renamed a file, or the machine lost power in it. */
	log_set_level(LOG_ERROR);
	assert_int_equal(sweep_dir__write_result(&d, &other, document), 0);
	assert_null(sweep_dir__read(&d, &other));
	put_file("cells/zerocopy-65536-t4-r1.json", "{\"schema\":");
	assert_null(sweep_dir__read(&d, &zerocopy_run));
	log_set_level(LOG_WARNING);
	sweep_dir__close(&d);
	json_decref(document);
	full_result__clear(&f);
}

/* A row made of a document that was read back is the row of the result itself. */
static void rows_from_documents_are_those_of_results(void **state)
{
	struct full_result f;
	json_t *document, *again;
	char *direct = NULL, *read_back = NULL, *text;
	size_t size;
	FILE *out;

	(void)state;
	full_result__init(&f);
	out = open_memstream(&direct, &size);
	assert_int_equal(output__csv(&f.result, out), 0);
	fclose(out);

	document = json_document__result(&f.result);
	text = json_dumps(document, JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	again = json_loads(text, 0, NULL);
	out = open_memstream(&read_back, &size);
	assert_int_equal(output__csv_header(out), 0);
	for (size_t i = 0; i < f.result.runs_nr; i++)
		assert_int_equal(output__csv_row(out,
						 json_array_get(json_object_get(again, "runs"), i),
						 json_object_get(again, "environment")),
				 0);
	fclose(out);
	assert_string_equal(direct, read_back);
	free(direct);
	free(read_back);
	free(text);
	json_decref(document);
	json_decref(again);
	full_result__clear(&f);
}

static void the_end_shows_every_cell(void **state)
{
	struct sweep_options o;
	double gbps[8] = {1.5, 2.5, 10, 0, 0, 0, 30, 31};
	char row[] = "x", *made[8] = {row, row, row, NULL, NULL, NULL, row, row}, *text = NULL;
	struct sweep_totals t = {
		.runs = 8,
		.made = 5,
		.failed = 1,
		.measured_ns = 2000000000,
		.elapsed_ns = 2400000000,
	};
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	parse(&o, "netiotrace sweep --modes twocopy,onecopy --sizes 1k,64k --threads 1 --rounds 2");
	sweep_text__write(f, "out", &o.grid, gbps, made, &t);
	fclose(f);
	assert_string_equal(
		text, "Gbit/s, median (lowest - highest round)\n"
		      "\n"
		      "  size threads   twocopy                   onecopy\n"
		      "    1k       1         2 (1.5 - 2.5)           n/a\n"
		      "   64k       1        10                      30.5 (30 - 31)\n"
		      "\n"
		      "out: 5 of 8 runs made, 1 failed; now 2.0 s measured in 2.4 s (1.20 x)\n"
		      "interrupted: the same command with --resume makes the rest\n");
	free(text);
}

int main(void)
{
#define WITH_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_the_whole_experiment),
		cmocka_unit_test(quick_changes_defaults_only),
		cmocka_unit_test(lists_are_sorted),
		cmocka_unit_test(order_is_complete),
		cmocka_unit_test(order_is_seeded),
		cmocka_unit_test(order_is_fair),
		cmocka_unit_test(results_are_in_a_fixed_order),
		cmocka_unit_test(settings_that_differ_are_named),
		cmocka_unit_test(members_of_one_side_differ_but_reasons_do_not),
		cmocka_unit_test(command_repeats_the_sweep),
		cmocka_unit_test(command_is_quoted_for_the_shell),
		WITH_SCRATCH(directories_that_may_be_used),
		WITH_SCRATCH(one_sweep_at_a_time),
		WITH_SCRATCH(a_sweep_that_never_began_begins),
		WITH_SCRATCH(somebody_elses_files_are_kept),
		WITH_SCRATCH(a_file_that_is_not_the_sweeps_is_kept),
		WITH_SCRATCH(foreign_sweep_json_is_refused),
		WITH_SCRATCH(only_whole_results_of_that_run_count),
		cmocka_unit_test(rows_from_documents_are_those_of_results),
		cmocka_unit_test(the_end_shows_every_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
