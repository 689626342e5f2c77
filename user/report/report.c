/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `netiotrace report`: reads results, analyses and draws them, and writes a directory that appears
 * when it is complete. user/study has the analysis, figure*.c the pictures, body.c the text.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/privileges.h"
#include "common/xalloc.h"
#include "body.h"
#include "report.h"
#include "study/analysis.h"
#include "study/answer.h"
#include "study/dataset_files.h"
#include "diagram.h"
#include "figure.h"
#include "flame.h"
#include "latex.h"
#include "plotter.h"
#include "report_dir.h"

#define MESSAGE_MAX 1024

/* Shared by all reports of one call. */
struct tools {
	struct plotter plotter;
	struct publisher publisher;
};

struct making {
	const struct report_options *o;
	struct dataset dataset;
	struct analysis analysis;
	struct answer_text answers[QUESTION_NR];
	struct tools *tools;
	struct report_dir dir;
	struct report report;
};

/* Written by a handler only. The program ends between two pictures, so that it can clean up. */
static volatile sig_atomic_t stop_signal;

static void note_signal(int signal)
{
	stop_signal = signal;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = note_signal}, old;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup: ignore the signal. */
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

/* The command line as given. Of one of several reports: with options that name it. */
static char *command_line(const struct report_options *o)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	fputs("netiotrace", f);
	for (int i = 1; i < o->argc; i++) {
		fputc(' ', f);
		shell__put_word(f, o->argv[i]);
	}
	if (o->is_one_of_several) {
		fputs(" --congestion ", f);
		shell__put_word(f, o->names.congestion);
		fputs(" -o ", f);
		shell__put_word(f, o->output);
	}
	xclose_memstream(f);
	return text;
}

static void draw_diagram(struct drawing *d, const struct analysis *a, enum mode mode)
{
	struct cell *cell =
		analysis__cell(a, mode, figure__reference_size(a), figure__reference_threads(a));
	size_t len;
	FILE *f;

	snprintf(d->name, sizeof(d->name), "diagram-%s", mode__name(mode));
	if (!diagram__possible(a, cell))
		return;
	f = xopen_memstream(&d->svg, &len);
	diagram__write(f, a, cell);
	xclose_memstream(f);
}

static void draw_flame(struct drawing *d, const struct analysis *a, int flame)
{
	bool both = flame == FLAME_DIFFERENCE;
	enum mode mode = both ? MODE_TWOCOPY : (enum mode)flame;
	struct flame_input in, other;
	size_t len;
	FILE *f;

	snprintf(d->name, sizeof(d->name), "diagram-flame-%s",
		 both ? "difference" : mode__name(mode));
	if (!flame__find(&in, a, mode) || (both && !flame__find(&other, a, MODE_ZEROCOPY)))
		return;
	f = xopen_memstream(&d->svg, &len);
	flame__write(f, &in, both ? &other : NULL);
	xclose_memstream(f);
}

/* The last component of a path; a path such as "results/" stays as it is. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "throughput.csv, latency.csv". Caller frees. */
static char *source_of(const struct report_options *o)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	for (size_t i = 0; i < o->inputs_nr; i++)
		fprintf(f, "%s%s", i ? ", " : "", base_name(o->inputs[i]));
	xclose_memstream(f);
	return text;
}

static void analyse(struct making *m)
{
	analysis__init(&m->analysis, &m->dataset);
	answers__make(&m->analysis, m->answers);
	m->report.source = source_of(m->o);
	m->report.raw = m->o->is_in_input ? "../" : NULL;
	m->report.a = &m->analysis;
	m->report.answers = m->answers;
	m->report.system = figure__system(&m->dataset);
	m->report.command = command_line(m->o);
	for (int i = 0; i < FIGURE_NR; i++)
		figure__make(&m->report.figures[i], (enum figure_id)i, &m->analysis,
			     m->report.system);
	for (int i = 0; i < MODE_NR; i++)
		draw_diagram(&m->report.diagrams[i], &m->analysis, (enum mode)i);
	for (int i = 0; i < FLAME_NR; i++)
		draw_flame(&m->report.flames[i], &m->analysis, i);
}

static void add(struct making *m, const char *directory, const char *name, const char *suffix,
		const char *data, size_t len)
{
	char file[256];

	snprintf(file, sizeof(file), "%s%s%s", directory, name, suffix);
	report_dir__add(&m->dir, file, data, len);
}

static void add_svg(struct making *m, const char *name, const char *svg)
{
	if (svg)
		add(m, "", name, ".svg", svg, strlen(svg));
}

static bool draw_as(struct making *m, const struct figure *f, const char *term, char *message)
{
	char suffix[8];
	size_t len;
	char *picture = plotter__draw(&m->tools->plotter, f, term, &len, message, MESSAGE_MAX);

	if (!picture)
		return false;
	snprintf(suffix, sizeof(suffix), ".%s", term);
	add(m, "", f->name, suffix, picture, len);
	free(picture);
	return true;
}

/* Draws it as SVG, PNG and PDF. False: with a sentence in message. */
static bool draw_figure(struct making *m, struct figure *f, char *message)
{
	const struct plotter *p = &m->tools->plotter;
	char *script = plotter__script(f);
	size_t len;

	add(m, REPORT_DATA "/", f->name, ".csv", f->data, strlen(f->data));
	add(m, REPORT_DATA "/", f->name, ".plot", script, strlen(script));
	free(script);
	f->svg = plotter__draw(p, f, "svg", &len, message, MESSAGE_MAX);
	if (!f->svg)
		return false;
	add_svg(m, f->name, f->svg);
	return draw_as(m, f, "png", message) && draw_as(m, f, "pdf", message);
}

static void write_form(struct making *m, const struct doc_form *form, const char *name)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	body__write(form, f, &m->report);
	xclose_memstream(f);
	report_dir__add(&m->dir, name, text, len);
	free(text);
}

static void write_latex(struct making *m)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	latex__write(f, &m->analysis, m->report.system);
	xclose_memstream(f);
	report_dir__add(&m->dir, "cells.tex", text, len);
	free(text);
}

static void write_texts(struct making *m)
{
	for (int i = 0; i < MODE_NR; i++)
		add_svg(m, m->report.diagrams[i].name, m->report.diagrams[i].svg);
	for (int i = 0; i < FLAME_NR; i++)
		add_svg(m, m->report.flames[i].name, m->report.flames[i].svg);
	write_form(m, &doc_html, "report.html");
	write_form(m, &doc_markdown, "report.md");
	write_latex(m);
}

static int fail(const char *message)
{
	log_error("%s", message);
	return EXIT_RUN_FAILED;
}

static int fail_output(const struct making *m, const char *why)
{
	log_error("cannot write the report to %s: %s.", m->o->output, why);
	return EXIT_RUN_FAILED;
}

static int stopped(void)
{
	log_error("ended by a signal: no report was written.");
	return EXIT_SIGNAL_BASE + stop_signal;
}

static int fill(struct making *m)
{
	char message[MESSAGE_MAX] = "", why[PUBLISHER_WHY];

	for (int i = 0; i < FIGURE_NR; i++) {
		struct figure *f = &m->report.figures[i];
		bool drawn = f->no_data || draw_figure(m, f, message);

		if (stop_signal)
			return stopped();
		if (!drawn)
			return fail(message);
	}
	write_texts(m);
	if (stop_signal)
		return stopped();
	/* A later signal comes too late: the report appears, or the failure is reported. */
	return report_dir__publish(&m->dir, why) ? fail_output(m, why) : EXIT_DONE;
}

static void making__clear(struct making *m)
{
	for (int i = 0; i < FIGURE_NR; i++)
		figure__clear(&m->report.figures[i]);
	for (int i = 0; i < MODE_NR; i++)
		free(m->report.diagrams[i].svg);
	for (int i = 0; i < FLAME_NR; i++)
		free(m->report.flames[i].svg);
	free(m->report.source);
	free(m->report.system);
	free(m->report.command);
	answers__clear(m->answers);
	analysis__clear(&m->analysis);
	dataset__clear(&m->dataset);
}

/* Of data that could not be read. */
static int code_of(int err)
{
	return err == -EBADR ? EXIT_USAGE : EXIT_RUN_FAILED;
}

static int load(struct dataset *d, const struct report_options *o)
{
	char message[DATASET_MESSAGE_MAX];
	int err =
		dataset__load_files(d, o->inputs, o->inputs_nr, o->duration_s, &o->names, message);

	if (err) {
		log_error("%s", message);
		return code_of(err);
	}
	if (!dataset__answerable(d, o->inputs[0], message))
		return EXIT_DONE;
	log_error("%s", message);
	dataset__clear(d);
	return EXIT_RUN_FAILED;
}

/* Makes a report of d in o->output, and frees d. An exit code. */
static int make_one(const struct report_options *o, struct tools *tools, struct dataset *d)
{
	struct making m = {.o = o, .tools = tools, .dataset = *d};
	char why[PUBLISHER_WHY];
	int code = EXIT_USAGE;

	analyse(&m);
	if (report_dir__open(&m.dir, &tools->publisher, o->output, why))
		fail_output(&m, why);
	else
		code = fill(&m);
	report_dir__abort(&m.dir);
	making__clear(&m);
	if (code == EXIT_DONE && !o->quiet)
		printf("%s/report.html\n", o->output);
	return code;
}

/* A report of the runs with one congestion control, in a directory with its name at the end. */
static int make_of_congestion(const struct report_options *o, struct tools *tools, const char *name)
{
	struct report_options of_it = *o;
	struct dataset d;
	int code;

	of_it.names.congestion = name;
	of_it.is_one_of_several = true;
	of_it.output = xasprintf("%s-%s", o->output, name);
	for (char *c = of_it.output + strlen(o->output); *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-')
			*c = '_';
	code = load(&d, &of_it);
	if (!code)
		code = make_one(&of_it, tools, &d);
	free(of_it.output);
	return code;
}

/* Prints how the columns of files are read, refused ones included, and then why data is refused. */
static int explain(const struct report_options *o)
{
	char message[DATASET_MESSAGE_MAX];
	struct dataset d;
	int code, err;

	err = dataset__explain(o->inputs, o->inputs_nr, &o->names, stdout, message);
	if (fflush(stdout))
		return fail("cannot write to stdout.");
	if (err) {
		log_error("%s", message);
		return code_of(err);
	}
	code = load(&d, o);
	if (!code)
		dataset__clear(&d);
	return code;
}

/* A report per congestion control, or for the named one. */
static int make_all(const struct report_options *o, struct tools *tools)
{
	char message[MESSAGE_MAX] = "";
	struct dataset d;
	int code = load(&d, o);

	if (code)
		return code;
	if (plotter__open(&tools->plotter, message, sizeof(message))) {
		dataset__clear(&d);
		return stop_signal ? stopped() : fail(message);
	}
	if (o->names.congestion || !d.others_nr)
		return make_one(o, tools, &d);
	code = make_of_congestion(o, tools, d.congestion);
	for (size_t i = 0; i < d.others_nr && !code; i++)
		code = make_of_congestion(o, tools, d.others[i]);
	dataset__clear(&d);
	return code;
}

static int make_unprivileged(struct report_options *o)
{
	struct tools tools;
	int code;

	plotter__find(&tools.plotter, &stop_signal);
	if (publisher__split(&tools.publisher, report_dir__serve, o->output, &code))
		code = make_all(o, &tools);
	plotter__close(&tools.plotter);
	return code;
}

int report__main(int argc, char **argv)
{
	struct report_options o;
	int code;

	report_options__parse(&o, argc, argv);
	code = mounts__check_proc();
	if (code)
		return code;
	catch_signals();
	/* Root opens files that only root may read, and then gives up root (docs/SECURITY.md). */
	for (size_t i = 0; i < o.inputs_nr; i++)
		dataset_files__hold(o.inputs[i]);
	if (!o.explain)
		code = make_unprivileged(&o);
	else
		code = step_down() ? fail("root cannot be given up.") : explain(&o);
	dataset_files__release();
	report_options__clear(&o);
	return code;
}
