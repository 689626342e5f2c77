/* SPDX-License-Identifier: GPL-2.0-only */
/* The run command: rounds of each mode on one runner, shown live; then the outputs are written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/atomic_file.h"
#include "base/exit_code.h"
#include "base/terminal.h"
#include "common/xalloc.h"
#include "details.h"
#include "preflight.h"
#include "runner.h"
#include "base/commands.h"
#include "options.h"
#include "screen/text_end.h"

/* ---- outputs: the text to the terminal, each of OUTPUTS to its file ---- */

#define TEXT_COLUMNS_DEFAULT 80

/* The files are opened before the measurement, and written whole or not at all. */
struct outputs {
	const struct options *options;
	struct atomic_file *file[OUTPUT_NR];
};

static int (*const write_of[])(const struct result *r, FILE *f) = {
#define X(id, name, help) [OUTPUT_##id] = output__##name,
	OUTPUTS(X)
#undef X
};

static int open_outputs(struct outputs *o, const struct options *options)
{
	*o = (struct outputs){.options = options};
	for (int i = 0; i < OUTPUT_NR; i++)
		if (atomic_file__ask(&o->file[i], options->output[i]))
			return EXIT_USAGE;
	return EXIT_DONE;
}

/* The text goes to stdout, unless stdout was asked for as data: then to stderr. */
static void write_text(const struct outputs *o, const struct result *r)
{
	struct text_end_form form = {.details = o->options->details};
	FILE *f = stdout;

	if (o->options->quiet)
		return;
	for (int i = 0; i < OUTPUT_NR; i++)
		if (o->options->output[i] && strcmp(o->options->output[i], "-") == 0)
			f = stderr;
	form.columns = terminal__columns(fileno(f), TEXT_COLUMNS_DEFAULT);
	form.rows = terminal__rows(fileno(f), 0);
	text_end__print(r, f, &form);
	if (form.details) {
		fputc('\n', f);
		details__print(r, f, form.columns);
	}
}

static int write_file(struct outputs *o, int i, const struct result *r)
{
	int err;

	if (!o->file[i])
		return EXIT_DONE;
	err = write_of[i](r, atomic_file__stream(o->file[i]));
	return atomic_file__finish(&o->file[i], err, o->options->output[i]);
}

/* One that fails does not keep the others from being written. */
static int write_outputs(struct outputs *o, const struct result *r)
{
	int code = EXIT_DONE;

	write_text(o, r);
	for (int i = 0; i < OUTPUT_NR; i++) {
		int next = write_file(o, i, r);

		code = code ? code : next;
	}
	return code;
}

/* ---- rounds ---- */

/* Makes one round; records in the result whether it ended the run, and why. */
static int run_round(struct runner *runner, enum mode mode, unsigned int round)
{
	struct result *res = &runner->result;
	size_t before = res->runs_nr;
	int err = runner__round(runner, mode, round);

	if (!err && res->runs_nr > before)
		display__finish_round(&runner->display, &res->runs[before]);
	if (err || runner->stopped_by_peer)
		snprintf(res->failure, sizeof(res->failure), "%s, round %u failed: %s",
			 mode__name(mode), round, runner->reason);
	return err;
}

/* Rounds alternate between modes, so that drift of the machine affects all modes. */
static int run_rounds(struct runner *runner)
{
	const struct options *o = runner->o;
	int err = 0;

	for (unsigned int round = 1; round <= o->workload.rounds; round++)
		for (size_t i = 0; i < o->modes_nr && !err && !runner->stopped; i++)
			err = run_round(runner, o->modes[i], round);
	return err;
}

static int run_watched(struct runner *runner)
{
	const struct display_settings settings = {
		.workload = &runner->o->workload,
		.interval_ns = runner->o->interval_ns,
		.modes = runner->o->modes,
		.modes_nr = runner->o->modes_nr,
		.result = &runner->result,
		.backend = runner->result.backend,
		.quiet = runner->o->quiet,
	};
	int err;

	display__open(&runner->display, &settings, &runner->loop);
	display__phase(&runner->display, LIVE_STARTING);
	err = run_rounds(runner);
	display__close(&runner->display);
	return err;
}

static int check_assertions(const struct runner *runner)
{
	int code = EXIT_DONE;

	for (size_t i = 0; i < runner->o->assertions_nr; i++) {
		char message[512];

		if (assertion__check(runner->o->assertions[i], &runner->result, message,
				     sizeof(message)))
			continue;
		log_error("--assert is false: %s", message);
		code = EXIT_ASSERTION;
	}
	return code;
}

static bool verified(const struct runner *runner)
{
	for (size_t i = 0; i < runner->result.summary_nr; i++)
		if (runner->result.summary[i].total.app.verify_errors.value ||
		    runner->result.summary[i].total.app.replies.errors)
			return false;
	return true;
}

static bool balanced(const struct runner *runner)
{
	for (size_t i = 0; i < runner->result.runs_nr; i++)
		if (run_result__unbalanced(&runner->result.runs[i]))
			return false;
	return true;
}

/* Rounds that were finished are reported even when a later one failed. */
static int report(struct runner *runner, struct outputs *outputs)
{
	if (runner->result.failure[0] && !runner->result.runs_nr)
		return EXIT_DONE;
	runner__summarise(runner);
	return write_outputs(outputs, &runner->result);
}

static int finish(struct runner *runner, struct outputs *outputs)
{
	int code = report(runner, outputs);

	/* Now, not at exit: detaching comes first, and waits for a grace period at each function.
	 * An error is kept for atomic_file__close_stdout(). */
	atomic_file__flush_stdout();
	if (runner->result.failure[0]) {
		log_error("%s", runner->result.failure);
		return runner->kernel_refuses ? EXIT_KERNEL : EXIT_RUN_FAILED;
	}
	if (!code && !verified(runner)) {
		log_error("--verify: the receiver got other bytes than were sent.");
		code = EXIT_RUN_FAILED;
	}
	if (!code && !balanced(runner)) {
		log_error("the books do not balance: see the first lines of the text, or "
			  "ledger.unaccounted_tx and _rx.");
		code = EXIT_RUN_FAILED;
	}
	if (!code && runner->signo)
		code = EXIT_SIGNAL_BASE + runner->signo;
	return code ? code : check_assertions(runner);
}

static int run(struct runner *runner, const struct options *o)
{
	struct outputs outputs = {0};
	int code = preflight__check(o);

	if (!code)
		code = runner__check_privileges(o);
	if (!code)
		code = mode_trial__run(o, o->modes, o->modes_nr);
	if (!code)
		code = runner__resolve(runner, o);
	if (!code)
		code = open_outputs(&outputs, o);
	if (!code)
		code = runner__open(runner, o, &o->workload.size, 1);
	if (!code) {
		run_watched(runner);
		code = finish(runner, &outputs);
	}
	for (int i = 0; i < OUTPUT_NR; i++)
		atomic_file__abort(outputs.file[i]);
	return code;
}

int run__main(int argc, char **argv)
{
	struct runner *runner = xmalloc(sizeof(*runner));
	struct options o;
	int code;

	runner__init(runner);
	options__parse_run(&o, argc, argv);
	code = run(runner, &o);
	runner__close(runner);
	free(runner);
	options__clear(&o);
	return code;
}
