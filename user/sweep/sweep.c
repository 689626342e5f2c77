/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sweep command: one open path and one set of loaded programs, many rounds. Each run is written
 * when it ends, so that only the current one can be lost.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/log.h"
#include "base/terminal.h"
#include "host/machine.h"
#include "run/preflight.h"
#include "run/runner.h"
#include "run/aux_round.h"
#include "progress.h"
#include "write/json.h"
#include "base/commands.h"
#include "sweep_csv.h"
#include "sweep_dir.h"
#include "sweep_document.h"
#include "sweep_table.h"
#include "common/units.h"
#include "common/xalloc.h"

/* How often the progress line is redrawn during a run. */
#define REDRAW_NS 250000000ULL
/* Width of the final text if stdout is not a terminal. */
#define COLUMNS_DEFAULT 100
/* Time around a measured phase besides its warm-up: only for the first estimate. */
#define AROUND_NS 40000000ULL

struct sweep {
	struct sweep_options o;
	struct runner *engine;
	struct options cell;          /* options of the current run */
	struct cpu_pinning placement; /* the chosen CPUs; empty: none were chosen */
	bool one_cpu;                 /* this process may use one CPU only */
	struct sweep_dir dir;
	size_t runs_nr;
	size_t *order;
	char **rows; /* by run: its line of results.csv; NULL: not made */
	double *gbps;
	struct progress progress;
	struct sweep_totals totals;
	uint64_t began_ns;
};

static void allocate(struct sweep *s)
{
	s->runs_nr = sweep_grid__runs(&s->o.grid);
	s->order = xcalloc(s->runs_nr, sizeof(*s->order));
	s->rows = xcalloc(s->runs_nr, sizeof(*s->rows));
	s->gbps = xcalloc(s->runs_nr, sizeof(*s->gbps));
	s->engine = xmalloc(sizeof(*s->engine));
	runner__init(s->engine);
	run_order__order(&s->o.grid, s->o.seed, s->order);
}

static void tear_down(struct sweep *s)
{
	if (s->engine)
		runner__close(s->engine);
	free(s->engine);
	sweep_dir__close(&s->dir);
	for (size_t i = 0; s->rows && i < s->runs_nr; i++)
		free(s->rows[i]);
	free(s->rows);
	free(s->order);
	free(s->gbps);
}

/* Keeps what the end needs of a result document: its row and its throughput. */
static void keep(struct sweep *s, size_t i, const json_t *document)
{
	const json_t *run = json_array_get(json_object_get(document, "runs"), 0);
	const json_t *gbps = json_object_get(json_object_get(run, "app"), "throughput_gbps");
	size_t size;
	FILE *f = xopen_memstream(&s->rows[i], &size);

	sweep_csv__row(f, document);
	xclose_memstream(f);
	s->gbps[i] = json_number_value(gbps);
}

/* Takes the runs that an earlier sweep finished. */
static void find_finished(struct sweep *s)
{
	for (size_t i = 0; i < s->runs_nr; i++) {
		struct sweep_run r = sweep_grid__run(&s->o.grid, i);
		json_t *document = sweep_dir__read(&s->dir, &r);

		if (!document)
			continue;
		keep(s, i, document);
		json_decref(document);
		s->progress.done++;
	}
}

/* Adds the size to the same row of other sizes. False: there is none. */
static bool merge_row(json_t *rows, const json_t *row, uint64_t size)
{
	json_t *other, *plain;
	size_t i;
	bool same;

	json_array_foreach(rows, i, other) {
		plain = json_copy(other);
		json_object_del(plain, "sizes");
		same = json_equal(plain, row);
		json_decref(plain);
		if (!same)
			continue;
		json_array_append_new(json_object_get(other, "sizes"), json_value__u64(size));
		return true;
	}
	return false;
}

/* The plan of all modes, for each size: rows as in a result document, and the sizes they serve. */
static json_t *plan_json(const struct sweep_options *o, struct runner *runner)
{
	struct options cell = o->run;
	json_t *rows = json_array();

	for (size_t i = 0; i < o->grid.sizes_nr; i++) {
		uint64_t size = o->grid.sizes[i];

		cell.workload.size = size;
		runner__use(runner, &cell);
		for (size_t p = 0; p < runner->result.plan_nr; p++) {
			json_t *row = json_document__plan_row(&runner->result.plan[p]);

			if (merge_row(rows, row, size)) {
				json_decref(row);
				continue;
			}
			json_object_set_new(row, "sizes", json_pack("[I]", (json_int_t)size));
			json_array_append_new(rows, row);
		}
	}
	runner__use(runner, &o->run);
	return rows;
}

/* The document sweep.json. The engine uses o->run afterwards. */
static json_t *make_document(const struct sweep_options *options, struct runner *runner)
{
	json_t *environment = json_document__environment(&runner->result.env);
	/* Without time, load and taps: each run's document has those. */
	json_t *o = json_pack(
		"{s:s, s:o, s:o, s:o, s:o}", "schema", SWEEP_SCHEMA, "tool",
		json_pack("{s:s, s:o}", "version", NETIOTRACE_VERSION, "argv",
			  json_value__texts((size_t)options->run.argc, options->run.argv)),
		"environment", json_environment__steady(environment), "settings",
		sweep_document__settings(options), "plan", plan_json(options, runner));

	json_decref(environment);
	return o;
}

static int begin_or_resume(struct sweep *s)
{
	json_t *sweep = make_document(&s->o, s->engine);
	char *command;
	int code;

	if (s->dir.sweep) {
		code = sweep_document__check_surroundings(s->dir.name, s->dir.sweep, sweep);
		if (!code)
			find_finished(s);
	} else {
		command = sweep_document__command(&s->o);
		code = sweep_dir__begin(&s->dir, sweep, command);
		free(command);
	}
	json_decref(sweep);
	return code;
}

static void name_run(char *buf, size_t len, const struct sweep_run *r)
{
	char size[UNITS_BUF];

	snprintf(buf, len, "%s %s t%u%s%s", mode__words(r->mode),
		 format_size_short(size, sizeof(size), r->size), r->threads,
		 r->congestion ? " " : "", r->congestion ? r->congestion : "");
}

/* What the receiver's kernel refuses, it refuses again: the sweep ends. */
static int fail_run(struct sweep *s, const struct sweep_run *r, const char *reason)
{
	bool refused = s->engine->kernel_refuses;
	int code;
	char name[64];

	name_run(name, sizeof(name), r);
	progress__clear(&s->progress);
	log_error("%s, round %u failed: %s", name, r->round, reason);
	snprintf(s->progress.last, sizeof(s->progress.last), "%s failed", name);
	s->progress.failed++;
	code = sweep_dir__write_failure(&s->dir, r, refused ? EXIT_KERNEL : EXIT_RUN_FAILED,
					reason);
	return !code && refused ? EXIT_KERNEL : code;
}

static int save_run(struct sweep *s, size_t i, const struct sweep_run *r)
{
	const struct run_result *made = &s->engine->result.runs[0];
	json_t *document;
	char name[64];
	int code;

	runner__summarise(s->engine);
	document = json_document__result(&s->engine->result);
	keep(s, i, document);
	code = sweep_dir__write_result(&s->dir, r, document);
	json_decref(document);
	s->totals.measured_ns += made->duration_ns;
	name_run(name, sizeof(name), r);
	snprintf(s->progress.last, sizeof(s->progress.last), "%s %.3g Gbit/s", name, s->gbps[i]);
	return code;
}

/*
 * The outcome of a run: a result, a failure, or nothing because the sweep was stopped. A run that
 * was measured but stopped in its sampled or timed round is repeated: --resume must leave no gap.
 */
static int finish_run(struct sweep *s, size_t i, const struct sweep_run *r, int err)
{
	const struct result *res = &s->engine->result;
	const struct run_result *made = res->runs;

	if (s->engine->stopped)
		return EXIT_DONE;
	s->progress.done++;
	if (err)
		return fail_run(s, r, s->engine->reason);
	if (!res->runs_nr)
		return fail_run(s, r, "nothing was measured.");
	if (made->app.verify_errors.value || made->app.replies.errors)
		return fail_run(s, r, "the receiver found wrong bytes or messages.");
	if (run_result__unbalanced(made))
		return fail_run(s, r, "the books do not balance.");
	return save_run(s, i, r);
}

static void redraw(struct runner *runner, void *arg)
{
	struct sweep *s = arg;

	(void)runner;
	s->progress.under_way_ns = loop__now_ns() - s->began_ns;
	progress__show(&s->progress);
}

static void use_cell(struct sweep *s, const struct sweep_run *r)
{
	s->cell = s->o.run;
	s->cell.modes[0] = r->mode;
	s->cell.modes_nr = 1;
	s->cell.workload.size = r->size;
	s->cell.workload.threads = r->threads;
	s->cell.workload.congestion = r->congestion;
	s->cell.interval_ns = REDRAW_NS;
	runner__use(s->engine, &s->cell);
	name_run(s->progress.now, sizeof(s->progress.now), r);
}

static int make_run(struct sweep *s, size_t i)
{
	struct sweep_run r = sweep_grid__run(&s->o.grid, i);
	int err, code;

	use_cell(s, &r);
	s->began_ns = loop__now_ns();
	redraw(s->engine, s);
	/* Messages would collide with the redrawn line; a file gets them at once. */
	if (s->progress.terminal)
		log_hold();
	err = runner__round(s->engine, r.mode, r.round);
	progress__clear(&s->progress);
	log_release();
	code = finish_run(s, i, &r, err);
	runner__forget(s->engine);
	s->progress.timed++;
	s->progress.timed_ns += loop__now_ns() - s->began_ns;
	s->progress.under_way_ns = 0;
	return code;
}

static int make_runs(struct sweep *s)
{
	int code = EXIT_DONE;

	for (size_t n = 0; n < s->runs_nr && !s->engine->stopped && !code; n++) {
		if (s->rows[s->order[n]])
			continue;
		code = make_run(s, s->order[n]);
		if (!code && !s->engine->stopped)
			progress__finished(&s->progress);
	}
	progress__clear(&s->progress);
	return code;
}

static void open_progress(struct sweep *s)
{
	uint64_t sampled_ns = aux_round__sampled_ns(&s->o.run);
	uint64_t timed_ns = aux_round__timed_ns(&s->o.run);

	s->progress.total = s->runs_nr;
	s->progress.expected_ns =
		workload__round_ns(&s->o.run.workload) + s->o.run.workload.warmup_ns + AROUND_NS;
	if (sampled_ns)
		s->progress.expected_ns += (sampled_ns + AROUND_NS) / AUX_ROUND_SWEEP_EVERY;
	if (timed_ns)
		s->progress.expected_ns += (timed_ns + AROUND_NS) / AUX_ROUND_SWEEP_EVERY;
	progress__open(&s->progress, s->o.run.quiet);
	s->engine->tick = redraw;
	s->engine->tick_arg = s;
}

/* The published table beside the runs of a preset. */
static void print_preset(const struct sweep *s, unsigned int width)
{
	struct words w = {0};
	char *text, *option = xasprintf("--preset %s", s->o.preset);

	words__add(&w, xasprintf("--width=%u", width));
	words__add(&w, xstrdup(s->dir.name));
	text = analysis__text(s->o.preset, option, &w);
	words__clear(&w);
	if (text)
		fputs(text, stdout);
	free(text);
	free(option);
}

static void print_end(struct sweep *s, uint64_t start_ns)
{
	unsigned int width;

	s->totals.elapsed_ns = loop__now_ns() - start_ns;
	s->totals.runs = s->runs_nr;
	s->totals.failed = s->progress.failed;
	s->totals.made = 0;
	for (size_t i = 0; i < s->runs_nr; i++)
		s->totals.made += s->rows[i] != NULL;
	if (s->o.run.quiet)
		return;
	width = terminal__columns(STDOUT_FILENO, COLUMNS_DEFAULT);
	sweep_table__conditions(stdout, width, &s->engine->result, &s->o, *s->placement.senders,
				s->one_cpu);
	sweep_table__write(stdout, width, s->dir.name, &s->o.grid, s->gbps, s->rows, &s->totals);
	if (s->o.preset && s->totals.made && !s->engine->signo)
		print_preset(s, width);
}

static int finish(struct sweep *s, uint64_t start_ns)
{
	int code = sweep_dir__write_csv(&s->dir, s->rows, s->runs_nr), signo;

	if (code)
		return code;
	print_end(s, start_ns);
	signo = s->engine->signo ? s->engine->signo : loop__ending_signal();
	if (signo)
		return EXIT_SIGNAL_BASE + signo;
	if (s->engine->stopped_by_peer) {
		log_error("the sweep ended early: %s", s->engine->reason);
		return EXIT_RUN_FAILED;
	}
	if (!s->totals.failed)
		return EXIT_DONE;
	log_error("%zu of %zu run%s failed: the reasons are in %s/cells/*.failed.json; --resume "
		  "tries them again.",
		  s->totals.failed, s->runs_nr, plural(s->runs_nr), s->dir.name);
	return EXIT_RUN_FAILED;
}

/*
 * The same CPUs in all cells, so that cells differ only in the varied settings. Not for a remote
 * receiver, nor for a device whose interrupts choose the CPUs.
 */
static void choose_cpus(struct sweep *s)
{
	struct workload *t = &s->o.run.workload;
	struct cpu_place *cpus = NULL;
	size_t n;
	int err;

	if (s->o.no_pin || s->o.run.remote || t->sender_cpus || t->receiver_cpus)
		return;
	err = machine__cpus(&cpus, &n);
	if (err)
		log_warning(
			"cannot read the CPUs of this process: %s; senders and receivers are not "
			"pinned.",
			strerror(-err));
	/* The lists of a grid ascend: the last number of threads is the largest. */
	if (!err)
		err = cpu_pinning__choose(&s->placement, cpus, n,
					  s->o.threads[s->o.grid.threads_nr - 1]);
	if (!err) {
		t->sender_cpus = s->placement.senders;
		t->receiver_cpus = s->placement.receivers;
	}
	s->one_cpu = err == -ENOSPC;
	free(cpus);
}

/* Two names of one congestion control would make the same runs twice, and pool them. */
static int check_congestions(const struct sweep *s)
{
	const char *system = s->engine->result.env.congestion.system;
	const struct sweep_grid *g = &s->o.grid;
	bool of_system = false, by_name = false;

	for (size_t i = 0; i < g->congestions_nr; i++) {
		int code = runner__check_congestion(s->engine, g->congestions[i]);

		if (code)
			return code;
		of_system |= strcmp(g->congestions[i], CONGESTION_OF_SYSTEM) == 0;
		by_name |= strcmp(g->congestions[i], system) == 0;
	}
	if (!of_system || !by_name)
		return EXIT_DONE;
	log_error("--congestion names %s twice: 'system' is %s here.", system, system);
	return EXIT_USAGE;
}

static int open_engine(struct sweep *s)
{
	int code = runner__resolve(s->engine, &s->o.run);

	/* A preset has one cell: the samples of every round are needed. */
	s->engine->sampling.every = s->o.preset ? 1 : AUX_ROUND_SWEEP_EVERY;
	s->engine->timing.every = AUX_ROUND_SWEEP_EVERY;
	if (!code)
		code = runner__open(s->engine, &s->o.run, s->o.grid.sizes, s->o.grid.sizes_nr);
	return code ? code : check_congestions(s);
}

static int prepare(struct sweep *s)
{
	int code = preflight__check_cells(&s->o.run, &s->o.grid);

	if (!code)
		code = runner__check_privileges(&s->o.run);
	if (!code)
		code = mode_trial__run(&s->o.run, s->o.grid.modes, s->o.grid.modes_nr);
	choose_cpus(s);
	if (!code)
		code = sweep_dir__open(&s->dir, s->o.directory, s->o.resume);
	if (!code)
		code = sweep_document__check_settings(s->dir.name, s->dir.sweep, &s->o);
	if (code)
		return code;
	allocate(s);
	code = open_engine(s);
	return code ? code : begin_or_resume(s);
}

int sweep__main(int argc, char **argv)
{
	uint64_t start_ns = loop__now_ns();
	struct sweep *s = xcalloc(1, sizeof(*s));
	int code, end;

	s->dir = (struct sweep_dir)SWEEP_DIR_INIT;
	sweep_options__parse(&s->o, argc, argv);
	code = prepare(s);
	if (!code) {
		open_progress(s);
		code = make_runs(s);
		end = finish(s, start_ns);
		code = code ? code : end;
	}
	tear_down(s);
	free(s);
	return code;
}
