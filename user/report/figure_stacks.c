/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacked bars, a group per mode and a bar per size: copies by stage, the send call by part. */
#include <math.h>
#include <string.h>

#include "figure_draft.h"
#include "common/units.h"
#include "model/call_part.h"
#include "study/phrases.h"

#define BARS_MAX  8 /* in a group */
#define PARTS_MAX 20

static const char rest_name[] = "rest";

struct stack {
	const char *part[PARTS_MAX];   /* in the data */
	const char *words[PARTS_MAX];  /* in the legend */
	const char *colour[PARTS_MAX]; /* NULL: the template's */
	double value[PARTS_MAX];       /* NaN: unknown */
	size_t nr;
};

static void stack__add(struct stack *s, const char *part, const char *words, const char *colour,
		       double value)
{
	s->part[s->nr] = part;
	s->words[s->nr] = words;
	s->colour[s->nr] = colour;
	s->value[s->nr++] = value;
}

/* A bar without any known part is not drawn. */
static void stack__end(struct stack *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!isnan(s->value[i]))
			return;
	s->nr = 0;
}

struct stacks {
	struct figure_draft *d;
	void (*fill)(const struct analysis *a, struct cell *cell, struct stack *s);
	bool seen[PARTS_MAX];
	struct stack parts; /* of all bars; its values mean nothing */
	double position, last;
	char tics[1024], groups[256];
};

static void add_bar(struct stacks *s, const struct stack *bar, struct cell *cell)
{
	double from = 0;
	char tic[2 * UNITS_BUF], size[UNITS_BUF];
	size_t i;

	s->parts = *bar;
	for (i = 0; i < bar->nr; i++) {
		if (!(bar->value[i] > 0))
			continue;
		s->seen[i] = true;
		fprintf(s->d->data, "%s,%llu,%g,%s,%.10g,%.10g\n", mode__name(cell->mode),
			(unsigned long long)cell->size, s->position, bar->part[i], from,
			from + bar->value[i]);
		from += bar->value[i];
		s->d->points++;
	}
	snprintf(tic, sizeof(tic), "%s'%s' %g", *s->tics ? "," : "",
		 format_size_short(size, sizeof(size), cell->size), s->position);
	if (strlen(s->tics) + strlen(tic) < sizeof(s->tics))
		strcat(s->tics, tic);
	s->last = s->position++;
}

static void add_group(struct stacks *s, enum mode mode, unsigned int threads)
{
	size_t picked[BARS_MAX], i, n = pick_indices(s->d->a->sizes_nr, BARS_MAX, picked);
	double first = s->position;
	struct cell *cell;
	struct stack bar;
	char name[64];

	for (i = 0; i < n; i++) {
		cell = analysis__cell(s->d->a, mode, s->d->a->sizes[picked[i]], threads);
		bar = (struct stack){0};
		if (cell)
			s->fill(s->d->a, cell, &bar);
		if (bar.nr)
			add_bar(s, &bar, cell);
	}
	if (s->position == first)
		return;
	snprintf(name, sizeof(name), "%s%s %g", *s->groups ? " " : "", phrases__mode(mode),
		 (first + s->last) / 2);
	strcat(s->groups, name);
	s->position++; /* a gap between the groups */
}

static void set_parts(struct stacks *s)
{
	char text[512] = "", colours[256] = "";
	const struct stack *p = &s->parts;
	const char *words[PARTS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < p->nr; i++) {
		if (!s->seen[i])
			continue;
		strcat(text, n ? " " : "");
		strcat(text, p->part[i]);
		strcat(colours, *colours ? " " : "");
		strcat(colours, p->colour[i] ? p->colour[i] : "");
		words[n++] = p->words[i];
	}
	draft__set_text(s->d, "parts", text);
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
	for (int stage = 0; stage < NIO_STAGE_NR; stage++)
		if (stage__is_copy((enum nio_stage)stage))
			stack__add(s, stage__key((enum nio_stage)stage),
				   figure__stage((enum nio_stage)stage), NULL,
				   analysis__estimate(a, cell, METRIC_STAGE_CPB(stage)).median);
	stack__end(s);
}

/* The copying stages that no run could measure, for the note. */
static void note_unavailable(struct figure_draft *d, const char *threads)
{
	char list[256] = "";
	int stage;

	for (stage = 0; stage < NIO_STAGE_NR; stage++) {
		if (!stage__is_copy((enum nio_stage)stage) ||
		    analysis__has(d->a, METRIC_STAGE_BYTES(stage)))
			continue;
		strcat(list, *list ? ", " : "");
		strcat(list, figure__stage((enum nio_stage)stage));
	}
	if (*list)
		draft__note(d, "With %s. Not measured, so not in the bars: %s.", threads, list);
	else
		draft__note(d, "With %s.", threads);
}

void figure_stacks__copies(struct figure_draft *d)
{
	struct phrase threads = phrases__threads(figure__reference_threads(d->a));

	draft__title(d, "Where the bytes were copied");
	note_unavailable(d, threads.text);
	make_stacks(d, "copies per payload byte", fill_copies);
	if (!d->points)
		draft__no_data(d, "%s", analysis__reason(d->a, METRIC_BYTES_TX_COPY));
}

/* Values of the round that was timed, which may be a separate one: see times. */
static double messages_timed(const struct dataset_row *row)
{
	double own = row->value[METRIC_TIMES_MESSAGES];

	return isnan(own) ? row->value[METRIC_TX_MESSAGES] : own;
}

/* Sum over the rounds / messages of these rounds: parts of one whole must add up, as medians do
 * not. */
static double per_message(const struct cell *cell, enum metric m)
{
	double ns = 0, messages = 0;
	size_t i;

	for (i = 0; i < cell->rows_nr; i++) {
		double sent = messages_timed(&cell->rows[i]);

		if (isnan(cell->rows[i].value[m]) || !(sent > 0))
			continue;
		ns += cell->rows[i].value[m];
		messages += sent;
	}
	return messages > 0 ? ns / messages / 1000 : (double)NAN;
}

static void fill_path(const struct analysis *a, struct cell *cell, struct stack *s)
{
	double total = per_message(cell, METRIC_PATH_TOTAL), sum = 0, value;

	(void)a;
	for (int part = PATH_LOCK; part < PATH_NR; part++) {
		value = per_message(cell, METRIC_PATH(part));
		sum += isnan(value) ? 0 : value;
		stack__add(s, path_part__key((enum path_part)part),
			   path_part__heading((enum path_part)part), NULL, value);
	}
	stack__end(s);
	if (s->nr)
		stack__add(s, rest_name, rest_name, NULL, total - sum);
}

/* Samples of the sender's by part of a send call; [PATH_NR]: in none. Returns how many there are.
 */
static uint64_t count_parts(const struct analysis *a, const struct cell *cell,
			    uint64_t samples[PATH_NR + 1])
{
	const struct profile *p =
		dataset__profile(a->dataset, cell->mode, cell->size, cell->threads);
	uint64_t all = 0;

	for (size_t i = 0; p && i < p->nr; i++) {
		if (p->stacks[i].whose != NIO_SAMPLE_SENDER)
			continue;
		samples[call_part__of(p->stacks[i].frames)] += p->stacks[i].count;
		all += p->stacks[i].count;
	}
	return all;
}

/* The sender's CPU time by parts of its send calls; time outside them is left out. */
static void fill_sampled_path(const struct analysis *a, struct cell *cell, struct stack *s)
{
	uint64_t samples[PATH_NR + 1] = {0}, all = count_parts(a, cell, samples);
	double us = per_message(cell, METRIC_CPU_SENDER) * 1e9;

	if (!all || isnan(us))
		return;
	for (int part = PATH_LOCK; part < PATH_NR; part++)
		stack__add(s, path_part__key((enum path_part)part),
			   path_part__heading((enum path_part)part), NULL,
			   us * (double)samples[part] / (double)all);
	stack__add(s, rest_name, rest_name, NULL,
		   us * (double)samples[PATH_SEND_TOTAL] / (double)all);
}

static bool has_path(const struct analysis *a)
{
	for (int part = PATH_LOCK; part < PATH_NR; part++)
		if (analysis__has(a, METRIC_PATH(part)))
			return true;
	return false;
}

static void make_exact_path(struct figure_draft *d, const char *threads)
{
	draft__title(d, "Where the time of a send call goes");
	draft__note(
		d,
		"With %s. inline receive: the peer's receive work, run inside the call on "
		"loopback and veth. preempted: other tasks ran meanwhile. rest: of the whole call, "
		"what no part has.",
		threads);
	make_stacks(d, "time per message (us)", fill_path);
}

static void make_sampled_path(struct figure_draft *d, const char *threads)
{
	draft__title(d, "Where the sender's CPU time in a send call goes, from samples");
	draft__note(d,
		    "With %s. By samples, because the parts of a call are not timed (%s). CPU time "
		    "only, so without what a call sleeps. inline receive: the peer's receive work, "
		    "run inside the call on loopback and veth. rest: of the system call, what is "
		    "outside of tcp_sendmsg.",
		    threads, analysis__reason(d->a, METRIC_PATH_COPY));
	make_stacks(d, "CPU time per message (us)", fill_sampled_path);
}

void figure_stacks__path(struct figure_draft *d)
{
	struct phrase threads = phrases__threads(figure__reference_threads(d->a));

	d->pooled = true;
	if (has_path(d->a))
		make_exact_path(d, threads.text);
	else
		make_sampled_path(d, threads.text);
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
	for (int c = 0; c < CPU_CLASS_NR; c++)
		stack__add(s, cpu_class__key((enum cpu_class)c),
			   cpu_class__heading((enum cpu_class)c),
			   cpu_class__colour((enum cpu_class)c),
			   figure__mean(cell, METRIC_CLASS_BOTH(c)));
	stack__end(s);
}

void figure_stacks__classes(struct figure_draft *d)
{
	d->pooled = true;
	draft__title(d, "CPU time by class");
	draft__note(
		d,
		"With %s. Sender and receiver together, by samples of rounds of their own; means "
		"over the rounds, which add up to the CPU time.",
		phrases__threads(figure__reference_threads(d->a)).text);
	make_stacks(d, "CPU time, ns per KiB", fill_classes);
	if (!d->points)
		draft__no_data(d, "%s", analysis__reason(d->a, METRIC_CLASS_S_TX_COPY));
}
