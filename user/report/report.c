/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `netiotrace report`: reads results, has them analysed, drawn and written, all into a directory
 * that appears when it is complete. What is found and said is in analysis.c, answer*.c, figure*.c
 * and body.c.
 */
#include "base/shell.h"
#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/analysis.h"
#include "study/answer.h"
#include "study/dataset.h"
#include "study/dataset_files.h"
#include "study/dataset.h"
#include "diagram.h"
#include "figure.h"
#include "flame.h"
#include "base/log.h"
#include "base/exit_code.h"
#include "base/step_down.h"
#include "plotter.h"
#include "report_dir.h"
#include "report_place.h"
#include "doc.h"

#define MESSAGE_MAX 1024

/* What every report of one call shares. */
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

/* Only a handler writes it; ended between two pictures, so that what was begun is removed. */
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
	/* What was started by nohup goes on. */
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

static void put_option(FILE *f, const char *option, const char *value)
{
	if (!value)
		return;
	fputs(option, f);
	shell__put_word(f, value);
}

static char *command_line(const struct report_options *o)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fputs("netiotrace report", f);
	if (o->duration_s > 0)
		fprintf(f, " --duration %gs", o->duration_s);
	put_option(f, " --columns ", o->names.columns);
	for (size_t i = 0; i < o->names.column_nr; i++)
		put_option(f, " --column ", o->names.column[i]);
	put_option(f, " --modes ", o->names.modes);
	put_option(f, " --congestion ", o->names.congestion);
	if (o->names.rounds_from_repeats)
		fputs(" --rounds-from-repeats", f);
	fputs(" -o ", f);
	shell__put_word(f, o->output);
	for (size_t i = 0; i < o->inputs_nr; i++) {
		fputc(' ', f);
		shell__put_word(f, o->inputs[i]);
	}
	return fclose(f) ? NULL : text;
}

static char *draw_diagram(const struct analysis *a, enum mode mode)
{
	struct cell *cell =
		analysis__cell(a, mode, figure__reference_size(a), figure__reference_threads(a));
	char *svg = NULL;
	size_t len;
	FILE *f;

	if (!diagram__possible(a, cell))
		return NULL;
	f = open_memstream(&svg, &len);
	if (!f)
		return NULL;
	diagram__write(f, a, cell);
	return fclose(f) ? NULL : svg;
}

static char *draw_flame(const struct analysis *a, int flame)
{
	enum mode mode = flame == FLAME_DIFFERENCE ? MODE_TWOCOPY : (enum mode)flame;
	struct flame_input in, other;
	char *svg = NULL;
	size_t len;
	FILE *f;
	int err;

	if (!flame__find(&in, a, mode))
		return NULL;
	if (flame == FLAME_DIFFERENCE && !flame__find(&other, a, MODE_ZEROCOPY))
		return NULL;
	f = open_memstream(&svg, &len);
	if (!f)
		return NULL;
	err = flame == FLAME_DIFFERENCE ? flame__write_difference(f, &in, &other)
					: flame__write(f, &in);
	if (!fclose(f) && !err)
		return svg;
	free(svg);
	return NULL;
}

/* The last part of a path; "." and the like have none better than themselves. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "throughput.csv, latency.csv". Caller frees. NULL: memory. */
static char *source_of(const struct report_options *o)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (size_t i = 0; i < o->inputs_nr; i++)
		fprintf(f, "%s%s", i ? ", " : "", base_name(o->inputs[i]));
	return fclose(f) ? NULL : text;
}

static int analyse(struct making *m)
{
	int err = 0;
	int i;

	analysis__init(&m->analysis, &m->dataset);
	answers__make(&m->analysis, m->answers);
	m->report.source = source_of(m->o);
	m->report.a = &m->analysis;
	m->report.answers = m->answers;
	m->report.system = figure__system(&m->dataset);
	m->report.command = command_line(m->o);
	if (!m->report.source || !m->report.system || !m->report.command)
		err = -ENOMEM;
	for (i = 0; i < FIGURE_NR && !err; i++)
		err = figure__make(&m->report.figures[i], (enum figure_id)i, &m->analysis,
				   m->report.system);
	for (i = 0; i < MODE_NR && !err; i++)
		m->report.diagram_svg[i] = draw_diagram(&m->analysis, (enum mode)i);
	for (i = 0; i < FLAME_NR && !err; i++)
		m->report.flame_svg[i] = draw_flame(&m->analysis, i);
	return err;
}

static int add(struct making *m, const char *directory, const struct figure *f, const char *suffix,
	       const char *data, size_t len)
{
	char file[256];

	snprintf(file, sizeof(file), "%s%s%s", directory, f->name, suffix);
	return report_dir__add(&m->dir, file, data, len);
}

/* The picture in one form; text, if not NULL, takes it. */
static int draw_form(struct making *m, const struct figure *f, const char *term, char **text,
		     char *message)
{
	char *picture;
	size_t len;
	int err = plotter__draw(&m->tools->plotter, f->template, f->settings, f->data, term,
				&picture, &len, message, MESSAGE_MAX);

	if (err)
		return err;
	err = add(m, "", f, text ? ".svg" : ".png", picture, len);
	if (err)
		snprintf(message, MESSAGE_MAX, "out of memory.");
	if (text && !err)
		*text = picture;
	else
		free(picture);
	return err;
}

/* 0, or -errno with a sentence in message. */
static int draw_figure(struct making *m, int i, char *message)
{
	const struct figure *f = &m->report.figures[i];
	int err = add(m, REPORT_DATA "/", f, ".csv", f->data, strlen(f->data));

	if (!err)
		err = add(m, REPORT_DATA "/", f, ".plot", f->settings, strlen(f->settings));
	if (err)
		snprintf(message, MESSAGE_MAX, "out of memory.");
	if (!err)
		err = draw_form(m, f, "svg", &m->report.figure_svg[i], message);
	return err ? err : draw_form(m, f, "png", NULL, message);
}

static int write_form(struct making *m, const struct report_form *form, const char *name)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err;

	if (!f)
		return -ENOMEM;
	report_body__write(form, f, &m->report);
	err = fclose(f) || !text ? -ENOMEM : report_dir__add_text(&m->dir, name, text);
	free(text);
	return err;
}

static int write_texts(struct making *m)
{
	char name[64];
	int i, err = 0;

	for (i = 0; i < MODE_NR && !err; i++) {
		if (!m->report.diagram_svg[i])
			continue;
		snprintf(name, sizeof(name), "%s.svg", report_body__diagram_name((enum mode)i));
		err = report_dir__add_text(&m->dir, name, m->report.diagram_svg[i]);
	}
	for (i = 0; i < FLAME_NR && !err; i++) {
		if (!m->report.flame_svg[i])
			continue;
		snprintf(name, sizeof(name), "%s.svg", report_body__flame_name(i));
		err = report_dir__add_text(&m->dir, name, m->report.flame_svg[i]);
	}
	err = err ? err : write_form(m, &report_html, "report.html");
	return err ? err : write_form(m, &report_markdown, "report.md");
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
	int i, err;

	for (i = 0; i < FIGURE_NR; i++) {
		err = draw_figure(m, i, message);
		if (stop_signal)
			return stopped();
		if (err)
			return fail(message);
	}
	err = write_texts(m);
	if (stop_signal)
		return stopped();
	/* A signal from here on comes too late: the report is there, or what failed is said. */
	if (err)
		return fail("out of memory.");
	return report_dir__publish(&m->dir, why) ? fail_output(m, why) : EXIT_DONE;
}

static int make(struct making *m)
{
	char why[PUBLISHER_WHY];
	int code;

	if (analyse(m))
		return fail("memory is short.");
	if (report_dir__open(&m->dir, &m->tools->publisher, m->o->output, why)) {
		fail_output(m, why);
		return EXIT_USAGE;
	}
	code = fill(m);
	report_dir__abort(&m->dir);
	if (code == EXIT_DONE && !m->o->quiet)
		printf("%s/report.html\n", m->o->output);
	return code;
}

static void making__clear(struct making *m)
{
	int i;

	for (i = 0; i < FIGURE_NR; i++) {
		figure__clear(&m->report.figures[i]);
		free(m->report.figure_svg[i]);
	}
	for (i = 0; i < MODE_NR; i++)
		free(m->report.diagram_svg[i]);
	for (i = 0; i < FLAME_NR; i++)
		free(m->report.flame_svg[i]);
	free(m->report.source);
	free(m->report.system);
	free(m->report.command);
	answers__clear(m->answers);
	analysis__clear(&m->analysis);
	dataset__clear(&m->dataset);
}

static int load(struct dataset *d, const struct report_options *o)
{
	char message[DATASET_MESSAGE_MAX];

	int err =
		dataset__load_files(d, o->inputs, o->inputs_nr, o->duration_s, &o->names, message);

	if (err) {
		log_error("%s", message);
		return EXIT_RUN_FAILED;
	}
	if (!dataset__answerable(d, message))
		return EXIT_DONE;
	log_error("%s", message);
	dataset__clear(d);
	return EXIT_RUN_FAILED;
}

/* A report of d, which is taken, in o->output. An exit code. */
static int make_one(const struct report_options *o, struct tools *tools, struct dataset *d)
{
	struct making m = {.o = o, .tools = tools, .dataset = *d};
	int code = make(&m);

	making__clear(&m);
	return code;
}

/* Runs with one congestion control, in a directory with its name behind; name is of a data file. */
static int make_of_congestion(const struct report_options *o, struct tools *tools, const char *name)
{
	struct report_options of_it = *o;
	struct dataset d;
	int code;

	of_it.names.congestion = name;
	if (asprintf(&of_it.output, "%s-%s", o->output, name) < 0)
		return fail("memory is short.");
	for (char *c = of_it.output + strlen(o->output); *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-')
			*c = '_';
	code = load(&d, &of_it);
	if (!code)
		code = make_one(&of_it, tools, &d);
	free(of_it.output);
	return code;
}

/* The columns of files that are refused too, and then why. */
static int explain(const struct report_options *o)
{
	struct dataset_names names = o->names;
	char message[DATASET_MESSAGE_MAX];
	struct dataset d;
	int err;

	names.explain = true;
	err = dataset__load_files(&d, o->inputs, o->inputs_nr, o->duration_s, &names, message);
	if (!err)
		err = dataset__answerable(&d, message);
	if (d.columns_nr)
		dataset__put_columns(&d, stdout);
	else if (!err)
		printf("%s: netiotrace's own results: every column has its own name.\n",
		       o->inputs[0]);
	dataset__clear(&d);
	if (fflush(stdout))
		return fail("cannot write to stdout.");
	if (err)
		log_error("%s", message);
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}

/* A report for each congestion control there is, or one where there is one, or one is named. */
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

/* As root, what only root may read is opened before root is given up (docs/SECURITY.md). */
static void hold(const struct report_options *o)
{
	for (size_t i = 0; i < o->inputs_nr; i++)
		dataset_files__hold(o->inputs[i]);
}

static int explain_unprivileged(const struct report_options *o)
{
	int err, code;

	hold(o);
	err = step_down();
	code = err ? fail("root cannot be given up.") : explain(o);
	dataset_files__release();
	return code;
}

static int make_unprivileged(struct report_options *o)
{
	struct tools tools;
	int code;

	hold(o);
	plotter__find(&tools.plotter, &stop_signal);
	if (publisher__split(&tools.publisher, report_place__serve, o->output, &code))
		code = make_all(o, &tools);
	plotter__close(&tools.plotter);
	dataset_files__release();
	return code;
}

int report__main(int argc, char **argv)
{
	struct report_options o;
	int code;

	report_options__parse(&o, argc, argv);
	catch_signals();
	code = o.explain ? explain_unprivileged(&o) : make_unprivileged(&o);
	report_options__clear(&o);
	return code;
}
