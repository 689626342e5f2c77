/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sweep command: one opened path and one set of loaded programs, many rounds. Each run is
 * written as soon as it is over, so that only the one under way can be lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/json.h"
#include "base/log.h"
#include "screen/progress.h"
#include "run/run.h"
#include "sweep.h"
#include "results_dir.h"
#include "settings_file.h"
#include "sweep_table.h"
#include "common/units.h"

/* How often the terminal's line is drawn while a run is under way. */
#define REDRAW_NS 250000000ULL
/* What comes around a measured phase besides its warm-up: only for the first guess. */
#define AROUND_NS 40000000ULL

#define REASON_MAX 512

struct sweep {
	struct sweep_options o;
	struct run *run;
	struct options cell; /* of the run under way */
	struct sweep_dir dir;
	size_t runs_nr;
	size_t *order;
	char **rows; /* by run: its line of results.csv; NULL: not made */
	double *gbps;
	struct progress progress;
	struct sweep_totals totals;
	uint64_t began_ns;
};

static int out_of_memory(void)
{
	log_error("out of memory.");
	return EXIT_RUN_FAILED;
}

static int allocate(struct sweep *s)
{
	s->runs_nr = grid__runs(&s->o.grid);
	s->order = calloc(s->runs_nr, sizeof(*s->order));
	s->rows = calloc(s->runs_nr, sizeof(*s->rows));
	s->gbps = calloc(s->runs_nr, sizeof(*s->gbps));
	s->run = malloc(sizeof(*s->run));
	if (s->run)
		run__init(s->run);
	if (!s->order || !s->rows || !s->gbps || !s->run)
		return out_of_memory();
	schedule__order(&s->o.grid, s->o.seed, s->order);
	return EXIT_DONE;
}

static void tear_down(struct sweep *s)
{
	if (s->run)
		run__close(s->run);
	free(s->run);
	sweep_dir__close(&s->dir);
	for (size_t i = 0; s->rows && i < s->runs_nr; i++)
		free(s->rows[i]);
	free(s->rows);
	free(s->order);
	free(s->gbps);
}

static int refuse_to_resume(const struct sweep *s, const char *difference)
{
	log_error("the sweep in %s was made with other settings (%s): repeat the command in "
		  "%s/command with --resume, or name another directory.",
		  s->dir.name, difference, s->dir.name);
	return EXIT_USAGE;
}

/* Before anything starts: was the sweep in the directory asked for with the same words? */
static int check_settings(const struct sweep *s)
{
	json_t *settings;
	char difference[256];
	bool differ;

	if (!s->dir.sweep)
		return EXIT_DONE;
	settings = sweep_settings__json(&s->o);
	if (!settings)
		return out_of_memory();
	differ = sweep_settings__differ(json_object_get(s->dir.sweep, "settings"), settings,
					difference, sizeof(difference));
	json_decref(settings);
	return differ ? refuse_to_resume(s, difference) : EXIT_DONE;
}

static bool environments_differ(const json_t *before, const json_t *now, char *buf, size_t len)
{
	json_t *b = json_environment__steady(before), *n = json_environment__steady(now);
	bool differ = sweep_settings__differ(b, n, buf, len);

	json_decref(b);
	json_decref(n);
	return differ;
}

/* Results of two machines, kernels or versions of ours do not belong into one directory. */
static int check_surroundings(const struct sweep *s, const json_t *sweep)
{
	const json_t *tool = json_object_get(s->dir.sweep, "tool");
	const json_t *before = json_object_get(tool, "version");
	const json_t *now = json_object_get(json_object_get(sweep, "tool"), "version");
	char difference[256];

	if (!json_equal(before, now)) {
		const char *version = json_string_value(before);

		snprintf(difference, sizeof(difference), "netiotrace %s, now %s",
			 version ? version : "of unknown version", NETIOTRACE_VERSION);
		return refuse_to_resume(s, difference);
	}
	if (environments_differ(json_object_get(s->dir.sweep, "environment"),
				json_object_get(sweep, "environment"), difference,
				sizeof(difference)))
		return refuse_to_resume(s, difference);
	return EXIT_DONE;
}

static json_t *tool_json(const struct sweep *s)
{
	json_t *tool = json_object(), *argv = json_array();
	int err = 0;

	for (int i = 0; i < s->o.run.argc; i++)
		err |= json_array_append_new(argv, json_value__text(s->o.run.argv[i]));
	err |= json_put(tool, "version", json_value__text(NETIOTRACE_VERSION));
	err |= json_put(tool, "argv", argv);
	return json_finish(tool, err);
}

/* Is there such a row already, of other sizes? Then this size is added to that. */
static bool merge_row(json_t *rows, const json_t *row, uint64_t size)
{
	json_t *other, *plain;
	size_t i;

	json_array_foreach(rows, i, other) {
		bool same;

		plain = json_copy(other);
		json_object_del(plain, "sizes");
		same = json_equal(plain, row);
		json_decref(plain);
		if (same)
			return !json_array_append_new(json_object_get(other, "sizes"),
						      json_value__u64(size));
	}
	return false;
}

static int add_rows(json_t *rows, const struct run *run, uint64_t size)
{
	int err = 0;

	for (size_t i = 0; i < run->result.plan_nr; i++) {
		json_t *row = json_document__plan_row(&run->result.plan[i]);

		if (!row)
			return -1;
		if (merge_row(rows, row, size)) {
			json_decref(row);
			continue;
		}
		err |= json_put(row, "sizes", json_pack("[I]", (json_int_t)size));
		err |= json_array_append_new(rows, row);
	}
	return err;
}

/* The plan of all modes, for each size: rows as in a result document, and the sizes they serve. */
static json_t *plan_json(struct sweep *s)
{
	json_t *rows = json_array();
	int err = 0;

	s->cell = s->o.run;
	for (size_t i = 0; i < s->o.grid.sizes_nr && !err; i++) {
		s->cell.traffic.size = s->o.grid.sizes[i];
		run__use(s->run, &s->cell);
		err = add_rows(rows, s->run, s->cell.traffic.size);
	}
	return json_finish(rows, err);
}

/* Of the sweep, which may be interrupted and resumed: each run's document has the rest. */
static json_t *steady_environment(const struct sweep *s)
{
	json_t *all = json_document__environment(&s->run->result.env);
	json_t *steady = json_environment__steady(all);

	json_decref(all);
	return steady;
}

static json_t *sweep_json(struct sweep *s)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "schema", json_value__text(SWEEP_SCHEMA));
	err |= json_put(o, "tool", tool_json(s));
	err |= json_put(o, "environment", steady_environment(s));
	err |= json_put(o, "settings", sweep_settings__json(&s->o));
	err |= json_put(o, "plan", plan_json(s));
	return json_finish(o, err);
}

static int begin(struct sweep *s, const json_t *sweep)
{
	char *command = sweep_settings__command(&s->o);
	int code = command ? sweep_dir__begin(&s->dir, sweep, command) : out_of_memory();

	free(command);
	return code;
}

/* Keeps what the end needs of a result document: its row and its throughput. */
static int keep(struct sweep *s, size_t i, const json_t *document)
{
	const json_t *run = json_array_get(json_object_get(document, "runs"), 0);
	const json_t *gbps = json_object_get(json_object_get(run, "app"), "throughput_gbps");
	size_t size;
	FILE *f = open_memstream(&s->rows[i], &size);
	int err;

	if (!f)
		return -ENOMEM;
	err = output__csv_row(f, run, json_object_get(document, "environment"));
	if (fclose(f) && !err)
		err = -ENOMEM;
	s->gbps[i] = json_number_value(gbps);
	return err;
}

/* Takes the runs that an earlier sweep finished. */
static int find_finished(struct sweep *s)
{
	for (size_t i = 0; i < s->runs_nr; i++) {
		struct sweep_run r = grid__run(&s->o.grid, i);
		json_t *document = sweep_dir__read(&s->dir, &r);
		int err;

		if (!document)
			continue;
		err = keep(s, i, document);
		json_decref(document);
		if (err)
			return out_of_memory();
		s->progress.done++;
	}
	return EXIT_DONE;
}

static int begin_or_resume(struct sweep *s)
{
	json_t *sweep = sweep_json(s);
	int code;

	if (!sweep)
		return out_of_memory();
	if (s->dir.sweep) {
		code = check_surroundings(s, sweep);
		if (!code)
			code = find_finished(s);
	} else {
		code = begin(s, sweep);
	}
	json_decref(sweep);
	return code;
}

static void name_run(char *buf, size_t len, const struct sweep_run *r)
{
	char size[UNITS_BUF];

	snprintf(buf, len, "%s %s t%u", mode__name(r->mode),
		 format_size_short(size, sizeof(size), r->size), r->threads);
}

static int fail_run(struct sweep *s, const struct sweep_run *r, int exit_code, const char *reason)
{
	char name[64];

	name_run(name, sizeof(name), r);
	progress__clear(&s->progress);
	log_error("%s, round %u failed: %s", name, r->round, reason);
	snprintf(s->progress.last, sizeof(s->progress.last), "%s failed", name);
	s->progress.failed++;
	return sweep_dir__write_failure(&s->dir, r, exit_code, reason);
}

static int save_run(struct sweep *s, size_t i, const struct sweep_run *r)
{
	const struct run_result *made = &s->run->result.runs[0];
	json_t *document;
	char name[64];
	int code;

	code = run__summarise(s->run);
	if (code)
		return code;
	document = json_document__result(&s->run->result);
	if (!document || keep(s, i, document)) {
		json_decref(document);
		return out_of_memory();
	}
	code = sweep_dir__write_result(&s->dir, r, document);
	json_decref(document);
	s->totals.measured_ns += made->duration_ns;
	name_run(name, sizeof(name), r);
	snprintf(s->progress.last, sizeof(s->progress.last), "%s %.3g Gbit/s", name, s->gbps[i]);
	return code;
}

/* What came of a run: a result, a failure, or nothing because the sweep was stopped. */
static int take_run(struct sweep *s, size_t i, const struct sweep_run *r, int exit_code,
		    const char *reason)
{
	const struct result *res = &s->run->result;

	if (s->run->stopped && (exit_code || !res->runs_nr || res->runs[0].interrupted))
		return EXIT_DONE;
	s->progress.done++;
	if (exit_code)
		return fail_run(s, r, exit_code, reason[0] ? reason : "the run failed");
	if (!res->runs_nr)
		return fail_run(s, r, EXIT_RUN_FAILED, "nothing was measured");
	if (res->runs[0].app.verify_errors.value)
		return fail_run(s, r, EXIT_RUN_FAILED,
				"the receiver found messages that are not what was sent");
	return save_run(s, i, r);
}

static void redraw(struct run *run, void *arg)
{
	struct sweep *s = arg;

	(void)run;
	s->progress.under_way_ns = loop__now_ns() - s->began_ns;
	progress__show(&s->progress);
}

static void use_cell(struct sweep *s, const struct sweep_run *r)
{
	s->cell = s->o.run;
	s->cell.modes[0] = r->mode;
	s->cell.modes_nr = 1;
	s->cell.traffic.size = r->size;
	s->cell.traffic.threads = r->threads;
	s->cell.interval_ns = REDRAW_NS;
	run__use(s->run, &s->cell);
	name_run(s->progress.now, sizeof(s->progress.now), r);
}

static int make_run(struct sweep *s, size_t i)
{
	struct sweep_run r = grid__run(&s->o.grid, i);
	char reason[REASON_MAX];
	int code;

	use_cell(s, &r);
	s->began_ns = loop__now_ns();
	redraw(s->run, s);
	log_keep_errors(reason, sizeof(reason));
	code = run__round(s->run, r.mode, r.round);
	log_keep_errors(NULL, 0);
	code = take_run(s, i, &r, code, reason);
	run__forget(s->run);
	s->progress.timed++;
	s->progress.timed_ns += loop__now_ns() - s->began_ns;
	s->progress.under_way_ns = 0;
	return code;
}

static int make_runs(struct sweep *s)
{
	int code = EXIT_DONE;

	for (size_t n = 0; n < s->runs_nr && !s->run->stopped && !code; n++) {
		if (s->rows[s->order[n]])
			continue;
		code = make_run(s, s->order[n]);
		if (!code && !s->run->stopped)
			progress__finished(&s->progress);
	}
	progress__clear(&s->progress);
	return code;
}

static void open_progress(struct sweep *s)
{
	s->progress.total = s->runs_nr;
	s->progress.expected_ns =
		traffic__round_ns(&s->o.run.traffic) + s->o.run.traffic.warmup_ns + AROUND_NS;
	progress__open(&s->progress, s->o.run.quiet);
	s->run->tick = redraw;
	s->run->tick_arg = s;
}

static void say_end(struct sweep *s, uint64_t start_ns)
{
	s->totals.elapsed_ns = loop__now_ns() - start_ns;
	s->totals.runs = s->runs_nr;
	s->totals.failed = s->progress.failed;
	s->totals.made = 0;
	for (size_t i = 0; i < s->runs_nr; i++)
		s->totals.made += s->rows[i] != NULL;
	if (!s->o.run.quiet)
		sweep_text__write(stdout, s->dir.name, &s->o.grid, s->gbps, s->rows, &s->totals);
}

static int finish(struct sweep *s, uint64_t start_ns)
{
	int code = sweep_dir__write_csv(&s->dir, s->rows, s->runs_nr);

	if (code)
		return code;
	say_end(s, start_ns);
	if (s->run->signo)
		return EXIT_SIGNAL_BASE + s->run->signo;
	if (!s->totals.failed)
		return EXIT_DONE;
	log_error("%zu of %zu runs failed: the reasons are in %s/cells/*.failed.json; --resume "
		  "tries them again.",
		  s->totals.failed, s->runs_nr, s->dir.name);
	return EXIT_RUN_FAILED;
}

static int prepare(struct sweep *s)
{
	int code = run__check_privileges(&s->o.run);

	if (!code)
		code = sweep_dir__open(&s->dir, s->o.directory, s->o.resume);
	if (!code)
		code = check_settings(s);
	if (!code)
		code = allocate(s);
	if (!code)
		code = run__open(s->run, &s->o.run, s->o.grid.sizes, s->o.grid.sizes_nr);
	return code ? code : begin_or_resume(s);
}

int sweep__main(int argc, char **argv)
{
	uint64_t start_ns = loop__now_ns();
	struct sweep *s = calloc(1, sizeof(*s));
	int code, end;

	if (!s)
		return out_of_memory();
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
