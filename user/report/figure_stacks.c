/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacked bars, a group per mode and a bar per size: copies by stage, the send call by part. */
#include <math.h>
#include <string.h>

#include "figure_internal.h"
#include "common/units.h"
#include "call_part.h"
#include "study/phrases.h"

#define BARS_MAX  8 /* in a group */
#define PARTS_MAX 20

static const char rest_name[] = "rest";

/* The parts of a bar: their names in the data and in the legend, their values. */
struct stack {
	struct part {
		const char *key, *words, *colour; /* colour NULL: the template's */
		double value;                     /* NaN: unknown */
	} parts[PARTS_MAX];
	size_t nr;
};

static void stack__add(struct stack *s, const char *key, const char *words, const char *colour,
		       double value)
{
	s->parts[s->nr++] = (struct part){key, words, colour, value};
}

/* A bar without any known part is not drawn. */
static bool is_known(const struct stack *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!isnan(s->parts[i].value))
			return true;
	return false;
}

struct stacks {
	struct figure_draft *d;
	void (*fill)(const struct analysis *a, struct cell *cell, struct stack *s);
	bool seen[PARTS_MAX];
	struct stack last_bar; /* all bars have its parts */
	double position, last;
	char tics[MODE_NR * BARS_MAX * (UNITS_BUF + 16)], groups[256];
};

static void add_bar(struct stacks *s, const struct stack *bar, struct cell *cell)
{
	size_t len = strlen(s->tics);
	char size[UNITS_BUF];
	double from = 0;

	s->last_bar = *bar;
	for (size_t i = 0; i < bar->nr; i++) {
		const struct part *p = &bar->parts[i];

		if (!(p->value > 0))
			continue;
		s->seen[i] = true;
		fprintf(s->d->data, "%s,%llu,%g,%s,%.10g,%.10g\n", mode__name(cell->mode),
			(unsigned long long)cell->size, s->position, p->key, from, from + p->value);
		from += p->value;
		s->d->points++;
	}
	snprintf(s->tics + len, sizeof(s->tics) - len, "%s'%s' %g", len ? "," : "",
		 format_size_short(size, sizeof(size), cell->size), s->position);
	s->last = s->position++;
}

static void add_group(struct stacks *s, enum mode mode, unsigned int threads)
{
	size_t picked[BARS_MAX], i, n = pick_indices(s->d->a->sizes_nr, BARS_MAX, picked);
	double first = s->position;
	struct cell *cell;
	struct stack bar;
	char name[64];

	s->d->is_partial |= n < s->d->a->sizes_nr;
	for (i = 0; i < n; i++) {
		cell = analysis__cell(s->d->a, mode, s->d->a->sizes[picked[i]], threads);
		bar = (struct stack){0};
		if (cell)
			s->fill(s->d->a, cell, &bar);
		if (is_known(&bar))
			add_bar(s, &bar, cell);
	}
	if (s->position == first)
		return;
	snprintf(name, sizeof(name), "%s'%s' %g", *s->groups ? " " : "", phrases__mode(mode),
		 (first + s->last) / 2);
	strcat(s->groups, name);
	s->position++; /* a gap between the groups */
}

static void set_parts(struct stacks *s)
{
	char keys[512] = "", colours[256] = "";
	const char *words[PARTS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < s->last_bar.nr; i++) {
		const struct part *p = &s->last_bar.parts[i];

		if (!s->seen[i])
			continue;
		strcat(keys, n ? " " : "");
		strcat(keys, p->key);
		strcat(colours, *colours ? " " : "");
		strcat(colours, p->colour ? p->colour : "");
		words[n++] = p->words;
	}
	draft__set_text(s->d, "parts", keys);
	draft__set_text(s->d, "part_colors", colours);
	draft__set_array(s->d, "part_words", words, n);
}

static void make_stacks(struct figure_draft *d, const char *ylabel,
			void (*fill)(const struct analysis *, struct cell *, struct stack *))
{
	struct stacks s = {.d = d, .fill = fill, .position = 1};
	unsigned int threads = figure__reference_threads(d->a);
	int m;

	fputs("mode,size,position,part,from,to\n", d->data);
	for (m = 0; m < MODE_NR; m++)
		add_group(&s, (enum mode)m, threads);
	draft__set_text(d, "ylabel", ylabel);
	draft__set_text(d, "xtics", s.tics);
	draft__set_text(d, "groups", s.groups);
	draft__set_number(d, "positions", s.last);
	set_parts(&s);
}

static void fill_copies(const struct analysis *a, struct cell *cell, struct stack *s)
{
	for (enum nio_stage stage = 0; stage < NIO_STAGE_NR; stage++)
		if (stage__is_copy(stage))
			stack__add(s, stage__key(stage), figure__stage(stage), NULL,
				   analysis__estimate(a, cell, METRIC_STAGE_CPB(stage)).median);
}

static void make_copies(struct figure_draft *d, const char *threads)
{
	char list[256] = "";

	/* Copying stages that no run could measure. */
	for (enum nio_stage stage = 0; stage < NIO_STAGE_NR; stage++) {
		/* Older results lack the stage of kTLS. */
		if (!stage__is_copy(stage) || analysis__has(d->a, METRIC_STAGE_BYTES(stage)) ||
		    (stage == NIO_STAGE_TLS_COPY && !d->a->has_mode[MODE_KTLS]))
			continue;
		strcat(list, *list ? ", " : "");
		strcat(list, figure__stage(stage));
	}
	draft__title(d, "Where the bytes were copied");
	draft__note(d, "With %s.%s%s%s", threads,
		    *list ? " Not measured, so not in the bars: " : "", list, *list ? "." : "");
	make_stacks(d, "copies per payload byte", fill_copies);
	if (!d->points)
		draft__no_data(d, "%s", analysis__reason(d->a, METRIC_BYTES_TX_COPY));
}

/* us per message. Sums of the rounds are divided: parts of one whole add up so, medians do not. */
static double per_message(const struct cell *cell, enum metric m)
{
	double ns = 0, messages = 0;

	for (size_t i = 0; i < cell->rows_nr; i++) {
		const double *value = cell->rows[i].value;
		/* Of the round that was timed, which may be a separate one: see times. */
		double sent = isnan(value[METRIC_TIMES_MESSAGES]) ? value[METRIC_TX_MESSAGES]
								  : value[METRIC_TIMES_MESSAGES];

		if (isnan(value[m]) || !(sent > 0))
			continue;
		ns += value[m];
		messages += sent;
	}
	return messages > 0 ? ns / messages / 1000 : (double)NAN;
}

static void add_path_part(struct stack *s, int part, double value)
{
	stack__add(s, path_part__key((enum path_part)part),
		   path_part__heading((enum path_part)part), NULL, value);
}

static void fill_path(const struct analysis *a, struct cell *cell, struct stack *s)
{
	double rest = per_message(cell, METRIC_PATH_TOTAL), value;

	(void)a;
	for (int part = PATH_LOCK; part < PATH_NR; part++) {
		value = per_message(cell, METRIC_PATH(part));
		rest -= isnan(value) ? 0 : value;
		add_path_part(s, part, value);
	}
	if (is_known(s))
		stack__add(s, rest_name, rest_name, NULL, rest);
}

/* The sender's CPU time by parts of its send calls; time outside them is left out. */
static void fill_sampled_path(const struct analysis *a, struct cell *cell, struct stack *s)
{
	const struct profile *p =
		dataset__profile(a->dataset, cell->mode, cell->size, cell->threads);
	double us = per_message(cell, METRIC_CPU_SENDER) * 1e9, all = 0;
	double samples[PATH_NR + 1] = {0}; /* [PATH_NR]: in no send call */

	for (size_t i = 0; p && i < p->nr; i++) {
		if (p->stacks[i].owner != NIO_SAMPLE_SENDER)
			continue;
		samples[call_part__of(p->stacks[i].frames)] += (double)p->stacks[i].count;
		all += (double)p->stacks[i].count;
	}
	if (!(all > 0) || isnan(us))
		return;
	for (int part = PATH_LOCK; part < PATH_NR; part++)
		add_path_part(s, part, us * samples[part] / all);
	stack__add(s, rest_name, rest_name, NULL, us * samples[PATH_SEND_TOTAL] / all);
}

static bool has_path(const struct analysis *a)
{
	for (int part = PATH_LOCK; part < PATH_NR; part++)
		if (analysis__has(a, METRIC_PATH(part)))
			return true;
	return false;
}

static void make_path(struct figure_draft *d, const char *threads)
{
	d->pooled = true;
	if (has_path(d->a)) {
		draft__title(d, "Where the time of a send call goes");
		draft__note(d,
			    "With %s. inline receive: the peer's receive work, run inside the call "
			    "on loopback and veth. preempted: other tasks ran meanwhile. rest: of "
			    "the whole call, what no part has.",
			    threads);
		make_stacks(d, "time per message (us)", fill_path);
	} else {
		draft__title(d, "Where the sender's CPU time in a send call goes, from samples");
		draft__note(d,
			    "With %s. By samples, because the parts of a call are not timed (%s). "
			    "CPU time only, so without what a call sleeps. inline receive: the "
			    "peer's receive work, run inside the call on loopback and veth. rest: "
			    "of the system call, what is outside of tcp_sendmsg.",
			    threads, analysis__reason(d->a, METRIC_PATH_COPY));
		make_stacks(d, "CPU time per message (us)", fill_sampled_path);
	}
	if (!d->points)
		draft__no_data(d, "neither times (%s) nor samples (%s)",
			       analysis__reason(d->a, METRIC_PATH_COPY),
			       analysis__reason(d->a, METRIC_CLASS_S_TX_COPY));
}

/* Both sides together: the tables and the data have the sides. */
static void fill_classes(const struct analysis *a, struct cell *cell, struct stack *s)
{
	_Static_assert((int)CPU_CLASS_NR <= PARTS_MAX, "a part for each class");
	(void)a;
	for (enum cpu_class c = 0; c < CPU_CLASS_NR; c++)
		stack__add(s, cpu_class__key(c), cpu_class__heading(c), cpu_class__colour(c),
			   figure__mean(cell, METRIC_CLASS_BOTH(c)));
}

static void make_classes(struct figure_draft *d, const char *threads)
{
	d->pooled = true;
	draft__title(d, "CPU time by class");
	draft__note(d,
		    "With %s. Sender and receiver together, by samples of rounds of their own; "
		    "means over the rounds, which add up to the CPU time.",
		    threads);
	make_stacks(d, "CPU time, ns per KiB", fill_classes);
	if (!d->points)
		draft__no_data(d, "%s", analysis__reason(d->a, METRIC_CLASS_S_TX_COPY));
}

void figure_stacks__make(struct figure_draft *d, enum figure_id id)
{
	char threads[UNITS_BUF];

	snprintf(threads, sizeof(threads), "%.30s",
		 phrases__threads(figure__reference_threads(d->a)).text);
	if (id == FIGURE_COPIES)
		make_copies(d, threads);
	else if (id == FIGURE_PATH)
		make_path(d, threads);
	else
		make_classes(d, threads);
}
