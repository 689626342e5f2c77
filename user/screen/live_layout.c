/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The picture of the full-screen view of a run: title, progress, status, ledger, cost, the chosen
 * quantity, the answers so far, keys. Pure: a model in, a grid of cells out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "live_chart.h"
#include "live_layout.h"
#include "model/figures.h"
#include "model/verdict.h"
#include "text_cells.h"

#define MODE_COLS   10
#define COPIES_COLS 9
#define GBPS_COLS   7
#define RATE_COLS   10 /* "4.38 GB/s" and a space */
#define FIGURE_COLS 14
#define COST_GAP    3

const struct live_mode *live_layout__running(const struct live_frame *f)
{
	for (size_t i = 0; i < f->modes_nr; i++)
		if (f->modes[i].running)
			return &f->modes[i];
	return NULL;
}

struct real live_layout__figure(const struct live_mode *m, enum perf_derived d)
{
	return perf_derive(&m->total, d, perf_whose__here(&m->total));
}

/* Tables have a row for each mode. Widths are fixed: columns do not move between frames. */
static const struct live_mode *mode_at(const void *frame, size_t row)
{
	return &((const struct live_frame *)frame)->modes[row];
}

static void add(struct text_cells *t, const struct live_frame *f, const char *head, int width,
		text_cell_fn fn, int what)
{
	t->width[text_cells__add(t, head, false, fn, f, what)] = width;
}

/* Words too long for the column give way to the name of --mode. what: whether the mode that runs
 * has a mark. */
static void name_cell(char *cell, const void *of, size_t row, int what)
{
	const struct live_mode *m = mode_at(of, row);
	const char *words = mode__words(m->mode);

	snprintf(cell, TEXT_CELL_MAX, "%c %s", what && m->running ? '>' : ' ',
		 strlen(words) > MODE_COLS ? mode__name(m->mode) : words);
}

static void begin(struct text_cells *t, const struct live_frame *f, const char *head, bool marked)
{
	text_cells__begin(t, 1, f->modes_nr);
	add(t, f, head, MODE_COLS, name_cell, marked);
	t->left[0] = true;
}

/* Clears the table. Returns the row below. */
static int draw_table(struct grid *g, int row, struct text_cells *t, const struct live_frame *f)
{
	for (unsigned int i = 0; i < t->rows; i++, row++) {
		const struct live_mode *m = i ? &f->modes[i - 1] : NULL;
		unsigned int attr = m ? live_chart__attr(m->mode) : GRID_BOLD;
		int col = 0;

		attr |= m && m->running ? GRID_BOLD : GRID_PLAIN;
		for (unsigned int c = 0; c < t->columns; col += t->width[c++])
			if (t->left[c])
				grid__put(g, row, col, g->cols, attr, t->cell[i][c]);
			else if (!m || m->seen)
				grid__put_right(g, row, col, t->width[c], attr, t->cell[i][c]);
	}
	text_cells__clear(t);
	return row;
}

/* "4.38 GB/s". what: the stage. */
static void rate_cell(char *cell, const void *of, size_t row, int what)
{
	const struct run_result *run = &mode_at(of, row)->total;
	double rate = (double)run->stages[what].bytes * 1e9 / (double)run->duration_ns;
	const char *reason;

	if (!figures__stage_known(run, what, &reason) || !isfinite(rate))
		strcpy(cell, "n/a");
	else if (!(rate > 0))
		strcpy(cell, "-");
	else
		strcat(format_bytes_si(cell, TEXT_CELL_MAX, rate), "/s");
}

/* "4.38GB", for a narrow column. */
static void short_rate_cell(char *cell, const void *of, size_t row, int what)
{
	char *space;

	rate_cell(cell, of, row, what);
	space = strchr(cell, ' ');
	if (space) {
		memmove(space, space + 1, strlen(space));
		*strchr(space, '/') = '\0';
	}
}

/* The mark has its own column, so that the figures are aligned. */
static void copies_cell(char *cell, const void *of, size_t row, int what)
{
	struct copies_figure c = figures__copies(&mode_at(of, row)->total);

	(void)what;
	if (c.value.known)
		snprintf(cell, TEXT_CELL_MAX, "%.2f%s", c.value.value, c.excluded ? "*" : " ");
	else
		strcpy(cell, "n/a ");
}

static void gbps_cell(char *cell, const void *of, size_t row, int what)
{
	struct real gbps = run_result__gbps(&mode_at(of, row)->total);

	(void)what;
	if (gbps.known)
		snprintf(cell, TEXT_CELL_MAX, "%.1f", gbps.value);
	else
		strcpy(cell, "n/a");
}

/* The modes that have run: are they of the sender's side, and which stages were not measured? */
static void draw_scope(struct grid *g, int row, const struct live_frame *f)
{
	unsigned int excluded = 0;
	bool sender_side = false;
	char line[192];

	for (size_t i = 0; i < f->modes_nr; i++) {
		if (!f->modes[i].seen)
			continue;
		excluded |= figures__copies(&f->modes[i].total).excluded;
		sender_side |= f->modes[i].total.sender_side;
	}
	if (!excluded && !sender_side)
		return;
	snprintf(line, sizeof(line), "  %scopies/B%s%s", excluded ? "* " : "",
		 sender_side ? " of the sender's side" : "", excluded ? " without" : "");
	for (int i = 0; i < NIO_STAGE_NR; i++)
		if (excluded & 1u << i)
			append__text(line, sizeof(line), " %s", stage__heading(i));
	append__text(line, sizeof(line), "%s", excluded ? ": not measured" : "");
	grid__put(g, row, 0, g->cols, GRID_DIM, line);
}

/* Why the receiver's column has no figures. Returns the row below. */
static int draw_receiver(struct grid *g, int row, const struct live_frame *f)
{
	const char *reason = NULL;
	char line[192];

	for (size_t i = 0; i < f->modes_nr; i++) {
		const struct live_mode *m = &f->modes[i];

		if (m->seen && m->total.sender_side && (!reason || m->running))
			reason = m->total.stages[NIO_STAGE_RX_COPY].reason;
	}
	if (!reason)
		return row;
	snprintf(line, sizeof(line), "  %s n/a: %s", stage__heading(NIO_STAGE_RX_COPY), reason);
	grid__put(g, row, 0, g->cols, GRID_DIM, line);
	return row + 1;
}

static bool stage_is_shown(const struct live_frame *f, enum nio_stage stage)
{
	bool shown = !stage__is_rare(stage);

	for (size_t i = 0; i < f->modes_nr; i++)
		shown |= f->modes[i].seen && f->modes[i].total.stages[stage].bytes;
	return shown;
}

static int draw_ledger(struct grid *g, int row, const struct live_frame *f)
{
	int stages = 0, width;
	struct text_cells t;

	for (int i = 0; i < NIO_STAGE_NR; i++)
		stages += stage_is_shown(f, i);
	width = (g->cols - MODE_COLS - COPIES_COLS - GBPS_COLS) / stages;
	if (width > RATE_COLS)
		width = RATE_COLS;
	begin(&t, f, width < RATE_COLS ? "  bytes/s" : "  mode", true);
	for (int i = 0; i < NIO_STAGE_NR; i++)
		if (stage_is_shown(f, i))
			add(&t, f, stage__heading(i), width,
			    width < RATE_COLS ? short_rate_cell : rate_cell, i);
	add(&t, f, "copies/B", COPIES_COLS, copies_cell, 0);
	add(&t, f, "Gbit/s", GBPS_COLS, gbps_cell, 0);
	for (size_t i = 0; i < f->modes_nr; i++)
		if (!f->modes[i].seen)
			grid__put(g, row + 1 + (int)i, MODE_COLS + 2, g->cols, GRID_DIM,
				  "not run yet");
	row = draw_table(g, row, &t, f);
	draw_scope(g, row, f);
	return draw_receiver(g, row + 1, f);
}

/* Why hardware counters are missing in every mode that has run; NULL: one of them has some. */
static const char *no_hardware(const struct live_frame *f)
{
	const char *reason = NULL;

	for (size_t i = 0; i < f->modes_nr; i++) {
		if (!f->modes[i].seen)
			continue;
		reason = perf_derive__no_hardware(&f->modes[i].total);
		if (!reason)
			return NULL;
	}
	return reason;
}

char *live_layout__cost(char *buf, size_t len, struct real v)
{
	if (!v.known)
		snprintf(buf, len, "n/a");
	else if (v.value < 100)
		snprintf(buf, len, "%.2f", v.value);
	else if (v.value < 100000)
		snprintf(buf, len, "%.0f", v.value);
	else
		snprintf(buf, len, "%.0fk", v.value / 1000);
	return buf;
}

static void cost_cell(char *cell, const void *of, size_t row, int what)
{
	live_layout__cost(cell, TEXT_CELL_MAX,
			  live_layout__figure(mode_at(of, row), (enum perf_derived)what));
}

/* CPU time where cycles are not counted; figures of hardware counters unless there are none. */
static int draw_cost(struct grid *g, int row, const struct live_frame *f)
{
	const char *reason = no_hardware(f);
	bool of_sender = false;
	char brief[128];
	struct text_cells t;
	int col;

	for (size_t i = 0; i < f->modes_nr; i++)
		of_sender |= f->modes[i].seen && f->modes[i].total.sender_side;
	begin(&t, f, of_sender ? "  sender's" : "  cost", false);
	if (reason)
		add(&t, f, perf_derived__head(DERIVED_CPU_NS_PER_KIB), FIGURE_COLS, cost_cell,
		    DERIVED_CPU_NS_PER_KIB);
	for (int d = 0; d < DERIVED_NR; d++)
		if (d != DERIVED_CPU_NS_PER_KIB && *perf_derived__head(d) &&
		    !(reason && perf_derived__needs_pmu(d)))
			add(&t, f, perf_derived__head(d), FIGURE_COLS, cost_cell, d);
	col = MODE_COLS + ((int)t.columns - 1) * FIGURE_COLS + COST_GAP;
	/* Its first clause: what to do about it is in the details. */
	snprintf(brief, sizeof(brief), "%.*s", reason ? (int)strcspn(reason, ";(") : 0,
		 reason ? reason : "");
	grid__text(g, row, row + (int)f->modes_nr, col, g->cols - col, GRID_DIM, brief);
	return draw_table(g, row, &t, f);
}

/* clang-format off */
static const char *const help_lines[][2] = {
#define X(id, key, head, side, copies, account, probe, hist, help) {head, help},
	NIO_STAGES(X)
#undef X
#define X(id, key, side, head, none, help) {head, help},
	LATENCIES(X)
#undef X
	{"copies/B", "copies of a byte: gather+send+deferred+receive+other+tls"},
	{"cost", "of both sides together; a deferred copy runs on either's clock"},
	{"bars", "share of a mode's events; sizes: lower bounds, 12.5 % apart"},
	{"- and n/a", "- is a measured zero; n/a was not measured, the column says why"},
	{"q p r", "quit; pause and go on (or space); count from now on"},
	{"left right", "other quantities: times, call parts, CPU time, stages"},
	{"t", "sizes of send, pin, deferred, receive, or times of their events"},
	{"call parts", "mean time inside tcp_sendmsg; outside: the rest of the call"},
	{"CPU time", "samples of a short round after each; both sides together"},
	{NULL, NULL},
};
/* clang-format on */

/*
 * Items three spaces apart, over the rows up to last. What does not fit is left out, but for a
 * first item longer than a row.
 */
struct flow {
	struct grid *g;
	int row, last, col;
};

__attribute__((format(printf, 2, 3))) static void put(struct flow *l, const char *format, ...)
{
	char item[256];
	va_list args;
	int len, at;

	va_start(args, format);
	len = vsnprintf(item, sizeof(item), format, args);
	va_end(args);
	if (l->col && l->row < l->last && l->col + 3 + len > l->g->cols) {
		l->row++;
		l->col = 0;
	}
	at = l->col ? l->col + 3 : 0;
	if (!at && len > l->g->cols) {
		l->row = grid__text(l->g, l->row, l->last, 0, l->g->cols, GRID_PLAIN, item);
		l->col = l->row > l->last ? l->g->cols : 0;
	} else if (len && at + len <= l->g->cols) {
		grid__put(l->g, l->row, at, len, GRID_PLAIN, item);
		l->col = at + len;
	}
}

static void draw_title(struct grid *g, const struct live_frame *f)
{
	struct flow l = {.g = g};
	char kernel[160];

	put(&l, "netiotrace %s", f->version ? f->version : "");
	put(&l, "%s", figures__kernel(kernel, sizeof(kernel), f->env));
	put(&l, "%s", f->env->path);
	if (f->probes)
		put(&l, "%s, %u probe%s", f->backend ? f->backend : "", f->probes,
		    plural(f->probes));
	else
		put(&l, "backend %s", f->backend ? f->backend : "none");
	grid__paint(g, 0, 0, g->cols, GRID_BOLD | GRID_REVERSE);
}

static void draw_progress(struct grid *g, const struct live_frame *f)
{
	struct flow l = {.g = g, .row = 1, .last = 1};
	char load[160];

	put(&l, "%s", figures__load(load, sizeof(load), f->size, f->fields, f->threads));
	if (f->rounds)
		put(&l, "round %u of %u", f->round, f->rounds);
	if (f->planned_ns)
		put(&l, "%.1f of %.1f s", (double)f->elapsed_ns / 1e9, (double)f->planned_ns / 1e9);
	else
		put(&l, "%.1f s", (double)f->elapsed_ns / 1e9);
}

const char *live_layout__phase(enum live_phase phase)
{
	static const char *const phases[] = {
		[LIVE_STARTING] = "starting, nothing is counted yet",
		[LIVE_WARMUP] = "warm-up, nothing is counted yet",
		[LIVE_RUNNING] = "measuring",
		[LIVE_SAMPLING] = "sampling where CPU time goes",
		[LIVE_FOLLOWING] = "following bytes of the sender",
		[LIVE_TIMING] = "timing the parts of send calls",
		[LIVE_DRAINING] = "draining, waiting for what is in flight",
		[LIVE_DONE] = "done",
	};

	return phases[phase];
}

static void draw_status(struct grid *g, const struct live_frame *f, const struct live_model *m)
{
	const struct live_mode *running = live_layout__running(f);
	struct flow l = {.g = g, .row = 2, .last = 2};

	if (m->paused) {
		grid__put(g, 2, 0, g->cols, GRID_BOLD | GRID_REVERSE, " PAUSED ");
		l.col = (int)strlen(" PAUSED ");
	}
	put(&l, "%s%s%s", running ? mode__words(running->mode) : "", running ? ": " : "",
	    live_layout__phase(f->phase));
	if (f->phase == LIVE_RUNNING)
		put(&l, "means of all that each mode has run");
	if (m->since_reset)
		put(&l, "counts since %.1f s", (double)m->base.elapsed_ns / 1e9);
}

/* Kinds of losses with their counts; false: nothing was lost, or nothing is known. */
static bool draw_losses(struct grid *g, int row, int last, const struct health *h)
{
	const struct {
		const struct num *n;
		const char *what;
	} kinds[] = {
		{&h->missed, "program runs missed"},
		{&h->dropped, "events dropped"},
		{&h->map_full, "lost to full maps"},
		{&h->unmatched, "unmatched"},
	};
	char line[256] = "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].n->known && kinds[i].n->value)
			append__text(line, sizeof(line), "%s %" PRIu64 " %s",
				     *line ? "," : "LOSSES:", kinds[i].n->value, kinds[i].what);
	if (*line)
		grid__text(g, row, last, 0, g->cols, GRID_BOLD, line);
	return *line;
}

/* Was zero-copy zero-copy so far? Nothing without completions. */
static void put_verdict(struct flow *l, const struct live_mode *m)
{
	const struct zc_counts *n = verdict__completions(&m->total);
	const char *words = mode__words(m->mode);
	bool reports; /* requests that share a packet as copied, too */

	if (!m->seen || !mode__has(m->mode, MODE_PINS) || !n->completed)
		return;
	reports = n == &m->total.app.zc && mode__has(m->mode, MODE_PINS_BY_URING);
	if (m->total.verdict.cause == ZC_CAUSE_NO_SG || (n->copied == n->completed && !reports))
		put(l, "%s: NO, all copied", words);
	else if (n->copied && reports)
		put(l, "%s: %.0f %% reported copied", words,
		    100 * (double)n->copied / (double)n->completed);
	else if (!n->copied)
		put(l, "%s: yes, none copied", words);
	else
		put(l, "%s: partly, %.0f %% copied", words,
		    100 * (double)n->copied / (double)n->completed);
}

/* "fastest one-copy or two-copy", by the rounds that are over; nothing unless two modes have one.
 */
static void put_best(struct flow *l, const struct live_frame *f, const char *what,
		     const struct ranking *r)
{
	char words[128];

	if (r->known < 2)
		return;
	if (r->early) {
		put(l, "%s: too early (%zu of %u rounds)", what, r->rounds, r->needed);
		return;
	}
	if (r->all_tie) {
		put(l, "%s: no difference shown", what);
		return;
	}
	snprintf(words, sizeof(words), "%s %s", what, mode__words(r->best));
	for (size_t i = 0; i < f->modes_nr; i++)
		if (r->ties[f->modes[i].mode])
			append__text(words, sizeof(words), " or %s", mode__words(f->modes[i].mode));
	put(l, "%s", words);
}

/* The answers so far; losses replace them. */
static void draw_answers(struct grid *g, int row, int last, const struct live_frame *f)
{
	struct flow l = {g, row, last, 0};

	if (draw_losses(g, row, last, &f->health))
		return;
	for (size_t i = 0; i < f->modes_nr; i++)
		put_verdict(&l, &f->modes[i]);
	put_best(&l, f, "fastest", &f->fastest);
	if (!f->fastest.early)
		put_best(&l, f, "cheapest", &f->cheapest);
	if (f->health.missed.known)
		put(&l, "nothing missed");
	if (l.col)
		put(&l, "(so far)");
}

static const char keys[] =
	"q quit   p pause   left/right quantity   t sizes/times   r reset   ? help";

static void draw_frame(struct grid *g, const struct live_frame *f, const struct live_model *m,
		       bool utf8)
{
	int bottom = g->rows - 1, roomy = g->rows >= 30, row;

	draw_title(g, f);
	draw_progress(g, f);
	draw_status(g, f, m);
	row = draw_ledger(g, 3 + roomy, f);
	row = draw_cost(g, row + roomy, f) + roomy;
	if (m->quantity == LIVE_CALL_PARTS)
		live_shares__parts(g, row, bottom - 2, f, utf8);
	else if (m->quantity == LIVE_CPU)
		live_shares__cpu(g, row, bottom - 2, f, utf8);
	else
		live_columns__draw(g, row, bottom - 2, f, m->quantity, m->times, utf8);
	draw_answers(g, bottom - 1, bottom - 1, f);
	grid__put(g, bottom, 0, g->cols, GRID_DIM, keys);
}

void live_layout__draw(struct grid *g, struct live_model *m, bool utf8)
{
	static const char *const no_more[][2] = {{NULL, NULL}};
	const struct live_frame *f;
	static struct live_frame copy;
	int below;

	if (m->help.shown) {
		help_page__draw(g, &m->help, "netiotrace: what is shown", help_lines, no_more);
		return;
	}
	below = grid__too_small(g, LIVE_MIN_COLS, LIVE_MIN_ROWS);
	f = live_model__shown(m, &copy);
	if (f && below) {
		draw_answers(g, below, g->rows - 1, f);
	} else if (f) {
		draw_frame(g, f, m, utf8);
	} else if (!below) {
		grid__put(g, 0, 0, g->cols, GRID_PLAIN,
			  "netiotrace: waiting for the first figures");
		grid__put(g, g->rows - 1, 0, g->cols, GRID_DIM, keys);
	}
	live_frame__clear(&copy);
}
