/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures with a line per mode: medians with their intervals, the modes relative to two-copy, and
 * histograms of the time of a copy.
 */
#include <math.h>
#include <string.h>

#include "figure_internal.h"
#include "common/units.h"
#include "study/phrases.h"

#define NS_PER_US       1000.0
#define LOG_WORTH_RATIO 20 /* highest / lowest above which an axis is logarithmic */
#define TICS_MAX        7

static void put_bound(FILE *f, double value)
{
	if (isnan(value))
		fputc(',', f);
	else
		fprintf(f, ",%.10g", value);
}

/* A point of the panel in hand; bounds of NaN: it has no interval. Series from 1. */
static void put_point(struct figure_draft *d, enum mode mode, unsigned int series, double x,
		      const double y[3], size_t rounds)
{
	fprintf(d->data, "%u,%s,%u,%.10g,%.10g", d->panels, mode__name(mode), series, x, y[0]);
	put_bound(d->data, y[1]);
	put_bound(d->data, y[2]);
	fprintf(d->data, ",%zu\n", rounds);
	d->modes[mode] = true;
	d->has_intervals |= !isnan(y[1]);
	d->points++;
	d->x_min = fmin(d->x_min, x);
	d->x_max = fmax(d->x_max, x);
	for (int i = 0; i < 3; i++) {
		d->y_min = fmin(d->y_min, y[i]); /* ignores NaN */
		d->y_max = fmax(d->y_max, y[i]);
	}
}

/* A point, if the cell has the number. scale: a unit of the axis. */
static void add_point(struct figure_draft *d, struct cell *cell, enum metric m, double scale,
		      unsigned int series, double x)
{
	struct estimate e = analysis__estimate(d->a, cell, m);
	const double y[] = {e.median / scale, e.low / scale, e.high / scale};

	if (!e.n)
		return;
	put_point(d, cell->mode, series, x, y, e.n);
	if (!d->rounds_min || e.n < d->rounds_min)
		d->rounds_min = e.n;
	if (e.n > d->rounds_max)
		d->rounds_max = e.n;
}

static void begin(struct figure_draft *d)
{
	fputs("panel,mode,series,x,median,low,high,rounds\n", d->data);
}

/* The horizontal axis; the other variable is fixed, or varies by panel. */
enum axis {
	AXIS_SIZES,
	AXIS_THREADS,
};

/* A line of each mode over its cells with the fixed thread count or size. Series from 1. */
static void add_lines(struct figure_draft *d, enum metric m, double scale, unsigned int series,
		      enum axis axis, uint64_t fixed)
{
	for (struct cell *c = d->a->cells; c < d->a->cells + d->a->cells_nr; c++) {
		double threads = c->threads ? c->threads : 1;

		if ((axis == AXIS_SIZES ? c->threads : c->size) == fixed)
			add_point(d, c, m, scale, series,
				  axis == AXIS_SIZES ? (double)c->size : threads);
	}
}

/* The next panel; taken back by end_panel() when it has no point. */
static size_t begin_panel(struct figure_draft *d, const char *before, const char *title)
{
	snprintf(d->panel_title[d->panels], sizeof(d->panel_title[0]), "%.24s%.38s", before, title);
	d->panels++;
	return d->points;
}

static void end_panel(struct figure_draft *d, size_t points_before)
{
	if (d->points == points_before)
		d->panels--;
}

/* Panels for up to max thread counts or sizes, the one that is not the axis. */
static void add_panels(struct figure_draft *d, enum axis axis, const char *before, size_t max,
		       const enum metric *series, unsigned int series_nr, double scale)
{
	const struct analysis *a = d->a;
	size_t all = axis == AXIS_SIZES ? a->threads_nr : a->sizes_nr;
	size_t picked[FIGURE_PANELS_MAX], points, n = pick_indices(all, max, picked);
	char title[UNITS_BUF];
	uint64_t fixed;

	d->is_partial |= n < all;
	for (size_t i = 0; i < n; i++) {
		if (axis == AXIS_SIZES) {
			fixed = a->threads[picked[i]];
			snprintf(title, sizeof(title), "%.30s",
				 phrases__threads(a->threads[picked[i]]).text);
		} else {
			fixed = a->sizes[picked[i]];
			format_size(title, sizeof(title), fixed);
		}
		points = begin_panel(d, before, title);
		for (unsigned int s = 0; s < series_nr; s++)
			add_lines(d, series[s], scale, s + 1, axis, fixed);
		end_panel(d, points);
	}
}

static void set_tics(struct figure_draft *d, enum axis axis)
{
	char text[TICS_MAX * 2 * UNITS_BUF] = "", size[UNITS_BUF];
	size_t all = axis == AXIS_SIZES ? d->a->sizes_nr : d->a->threads_nr;
	size_t picked[TICS_MAX], n = pick_indices(all, TICS_MAX, picked), len = 0;

	for (size_t i = 0; i < n; i++) {
		const char *comma = len ? "," : "";
		unsigned int threads = d->a->threads[axis == AXIS_THREADS ? picked[i] : 0];
		uint64_t bytes = d->a->sizes[axis == AXIS_SIZES ? picked[i] : 0];

		if (axis == AXIS_SIZES)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s'%s' %.0f",
						comma, format_size_short(size, sizeof(size), bytes),
						(double)bytes);
		else if (threads)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s'%u' %u", comma,
						threads, threads);
	}
	draft__set_text(d, "xtics", len ? text : "'n/a' 1");
}

static void set_modes(struct figure_draft *d)
{
	char names[MODE_LIST_LEN];
	unsigned int mask = 0;
	size_t longest = 0;

	for (int m = 0; m < MODE_NR; m++) {
		size_t len = d->modes[m] ? strlen(mode__words((enum mode)m)) : 0;

		mask |= (unsigned int)d->modes[m] << m;
		longest = len > longest ? len : longest;
	}
	draft__set_text(d, "modes", mode__list(names, sizeof(names), mask));
	draft__set_number(d, "modes_longest", (double)longest);
}

static void set_panels(struct figure_draft *d)
{
	const char *titles[FIGURE_PANELS_MAX];

	for (unsigned int i = 0; i < d->panels; i++)
		titles[i] = d->panel_title[i];
	draft__set_number(d, "panels", d->panels);
	draft__set_array(d, "panel_title", titles, d->panels);
}

static void finish(struct figure_draft *d, enum axis axis, const char *ylabel, const char *series)
{
	bool ylog = d->y_min > 0 && d->y_max / d->y_min > LOG_WORTH_RATIO;

	set_tics(d, axis);
	draft__set_text(d, "xlabel",
			axis == AXIS_THREADS ? "threads"
			: d->width           ? "message size"
					     : "message size (bytes)");
	draft__set_text(d, "ylabel", ylabel);
	draft__set_text(d, "series", series);
	set_modes(d);
	set_panels(d);
	draft__set_number(d, "ylog", ylog);
	draft__set_number(d, "bars", d->has_intervals);
	draft__set_number(d, "ymax", d->points ? d->y_max : 0);
	d->has_bars = true;
	draft__set_number(d, "xmin", d->points ? d->x_min : 1);
	draft__set_number(d, "xmax", d->points ? d->x_max : 1);
}

/* ---- medians ---- */

/* What a picture shows: the first of its choices that the data has; if none, the last. */
struct line_choice {
	const char *title, *note, *ylabel; /* note NULL: none */
	unsigned int nr;
	enum metric metrics[2];
	const char *panels[2]; /* titles of the panels of each metric; NULL: each panel has all */
	bool is_time;          /* in ns; the label gets the unit */
	bool replaces;         /* the note goes on with the reason that the metric is missing */
};

struct line_figure {
	enum axis axis;
	enum metric metric; /* that it is about */
	const char *words;  /* that CPU time replaces; NULL: nothing replaces it */
	bool of_zerocopy;   /* only modes that pin have it */
	struct line_choice choices[3];
};

/* clang-format off */
static const struct line_figure line_figures[FIGURE_NR] = {
	[FIGURE_THROUGHPUT] = {.metric = METRIC_GBPS, .choices = {
		{"Throughput by message size", NULL, "throughput (Gbit/s)", 1, {METRIC_GBPS}},
	}},
	[FIGURE_LATENCY] = {.axis = AXIS_THREADS, .metric = METRIC_DELIVERY_P50, .choices = {
		{"Latency by number of threads", "Delivery: from before the send to the last byte read.",
		 "delivery", 2, {METRIC_DELIVERY_P50, METRIC_DELIVERY_P99}, .is_time = true},
		{"Latency by number of threads",
		 "Time inside the send call: the data has no delivery latency.",
		 "send call", 2, {METRIC_SEND_P50, METRIC_SEND_P99}, .is_time = true},
		{"Latency by number of threads", "The data does not say which latency this is.",
		 "latency", 1, {METRIC_LATENCY}, .is_time = true},
	}},
	[FIGURE_RECV] = {.axis = AXIS_THREADS, .metric = METRIC_RECV_P50, .choices = {
		{"Receive call by number of threads", "Time inside the receive call, waiting included.",
		 "receive call", 2, {METRIC_RECV_P50, METRIC_RECV_P99}, .is_time = true},
	}},
	[FIGURE_CACHE_THREADS] = {.axis = AXIS_THREADS, .metric = METRIC_L1D_MISSES_PER_KIB, .choices = {
		{"Cache misses by number of threads", NULL, "misses per KiB",
		 2, {METRIC_L1D_MISSES_PER_KIB, METRIC_LLC_MISSES_PER_KIB}, {"L1D, ", "LLC, "}},
		{"Cache misses by number of threads", "Misses of a whole run", "misses in a run",
		 2, {METRIC_L1D_MISSES, METRIC_LLC_MISSES}, {"L1D, ", "LLC, "}, .replaces = true},
	}},
	[FIGURE_BYTES_PER_CYCLE] = {.metric = METRIC_BYTES_PER_CYCLE, .choices = {
		{"Payload bytes per CPU cycle by message size", NULL, "bytes per cycle",
		 1, {METRIC_BYTES_PER_CYCLE}},
	}},
	[FIGURE_CACHE] = {.metric = METRIC_L1D_MISSES_PER_KIB, .words = "cache misses", .choices = {
		{"Cache misses by message size", NULL, "misses per KiB",
		 2, {METRIC_L1D_MISSES_PER_KIB, METRIC_LLC_MISSES_PER_KIB}, {"L1D, ", "LLC, "}},
		{"Cache misses by message size", "Misses of a whole run", "misses in a run",
		 2, {METRIC_L1D_MISSES, METRIC_LLC_MISSES}, {"L1D, ", "LLC, "}, .replaces = true},
		{"CPU time of either side by message size, instead of cache misses",
		 "Cache misses are n/a", "CPU time (ns per KiB)",
		 2, {METRIC_CPU_S_NS_PER_KIB, METRIC_CPU_R_NS_PER_KIB}, {"sender, ", "receiver, "},
		 .replaces = true},
	}},
	[FIGURE_CYCLES] = {.metric = METRIC_CYCLES_PER_BYTE, .words = "cycles", .choices = {
		{"CPU cycles per byte by message size", NULL, "cycles per byte",
		 1, {METRIC_CYCLES_PER_BYTE}},
		{"CPU time of the processes by message size, instead of cycles per byte",
		 "Cycles per byte are n/a", "CPU time (ns per KiB)", 1, {METRIC_CPU_NS_PER_KIB},
		 .replaces = true},
	}},
	[FIGURE_COMPLETION] = {.metric = METRIC_COMPLETION_P50, .of_zerocopy = true, .choices = {
		{"Zero-copy completion: from the send to its notification", NULL, "completion",
		 2, {METRIC_COMPLETION_P50, METRIC_COMPLETION_P99}, .is_time = true},
	}},
};
/* clang-format on */

static bool has_any(const struct analysis *a, const struct line_choice *c)
{
	return analysis__has(a, c->metrics[0]) || (c->nr > 1 && analysis__has(a, c->metrics[1]));
}

static const struct line_choice *choose(const struct analysis *a, const struct line_figure *f)
{
	const struct line_choice *c = f->choices;

	while (!has_any(a, c) && c < f->choices + 2 && c[1].nr)
		c++;
	return c;
}

static bool has_zerocopy(const struct analysis *a)
{
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		if (mode__has(mode, MODE_PINS) && a->has_mode[mode])
			return true;
	return false;
}

/* The unit of a time axis: milliseconds if microseconds needed five digits. */
static bool needs_ms(const struct analysis *a, const struct line_choice *c)
{
	for (unsigned int i = 0; i < c->nr; i++) {
		struct cell *peak = analysis__peak(a, MODE_NR, c->metrics[i]);
		struct estimate e = analysis__estimate(a, peak, c->metrics[i]);

		if (e.n && e.median >= 1e4 * NS_PER_US)
			return true;
	}
	return false;
}

void figure_lines__make(struct figure_draft *d, enum figure_id id)
{
	const struct line_figure *f = &line_figures[id];
	const struct line_choice *c = choose(d->a, f);
	const char *reason = analysis__reason(d->a, f->metric);
	bool ms = c->is_time && needs_ms(d->a, c);
	double scale = !c->is_time ? 1 : ms ? 1000 * NS_PER_US : NS_PER_US;
	char ylabel[64];

	draft__title(d, "%s", c->title);
	if (c->replaces)
		draft__note(d, "%s: %s.", c->note, reason);
	else if (c->note)
		draft__note(d, "%s", c->note);
	begin(d);
	if (!c->panels[0])
		add_panels(d, f->axis, "", FIGURE_PANELS_MAX, c->metrics, c->nr, scale);
	for (unsigned int i = 0; c->panels[0] && i < c->nr; i++)
		add_panels(d, f->axis, c->panels[i], FIGURE_PANELS_MAX / 2, &c->metrics[i], 1,
			   scale);
	snprintf(ylabel, sizeof(ylabel), "%s%s", c->ylabel,
		 !c->is_time ? ""
		 : ms        ? " (ms)"
			     : " (us)");
	finish(d, f->axis, ylabel, c->nr > 1 && !c->panels[0] ? "median p99" : "");
	if (d->points)
		return;
	if (f->words)
		draft__no_data(d, "neither %s (%s) nor CPU time (%s)", f->words, reason,
			       analysis__reason(d->a, METRIC_CPU_NS_PER_KIB));
	else
		draft__no_data(d, "%s",
			       f->of_zerocopy && !has_zerocopy(d->a)
				       ? "the data has no zero-copy run"
				       : reason);
}

/* ---- CPU time of copies ---- */

/* A panel for each copy, those that most of the time goes to first: there is room for four. */
static void add_copy_panels(struct figure_draft *d, bool both)
{
	static const enum cpu_class copies[FIGURE_PANELS_MAX] = {
		CPU_CLASS_TX_COPY, CPU_CLASS_RX_COPY, CPU_CLASS_DEFERRED_COPY, CPU_CLASS_GATHER};

	for (size_t i = 0; i < FIGURE_PANELS_MAX; i++) {
		enum metric m = both ? METRIC_CLASS_BOTH(copies[i])
				     : METRIC_CLASS(NIO_SIDE_SENDER, copies[i]);
		size_t points = begin_panel(d, "", cpu_class__heading(copies[i]));

		add_lines(d, m, 1, 1, AXIS_SIZES, figure__reference_threads(d->a));
		end_panel(d, points);
	}
}

static bool make_copy_cpu(struct figure_draft *d)
{
	bool both = analysis__has(d->a, METRIC_CLASS_TX_COPY);
	unsigned int threads = figure__reference_threads(d->a);

	if (!both && !analysis__has(d->a, METRIC_CLASS_S_TX_COPY))
		return false;
	d->figure->template = "lines";
	draft__title(d, "CPU time of each copy by message size, from samples, instead of how long "
			"a copy takes");
	draft__note(d,
		    "With %s%s. Single copies are not timed (%s). A point at 0: no sample fell on "
		    "that copy, not that there was none.",
		    phrases__threads(threads).text, both ? "" : "; the sender's alone",
		    analysis__reason(d->a, METRIC_NS_TX_COPY));
	begin(d);
	add_copy_panels(d, both);
	finish(d, AXIS_SIZES, "CPU time (ns per KiB)", "");
	if (!d->points)
		draft__no_data(d, "no sample was taken with %s", phrases__threads(threads).text);
	return true;
}

/* ---- relative to two-copy ---- */

#define RELATIVE_WIDTH     470
#define RELATIVE_LOW_PANEL 140 /* of two rows of panels */

/* A mode in a setting, as a share of two-copy. Returns the rule's answer. */
static enum difference add_ratio(struct figure_draft *d, struct cell *cell, enum metric m)
{
	struct finding c =
		analysis__compare(d->a, cell, analysis__peer(d->a, cell, MODE_TWOCOPY), m);
	const double y[] = {1 + c.change, 1 + c.low, 1 + c.high};

	if (c.difference == DIFFERENCE_UNKNOWN || isnan(c.change))
		return DIFFERENCE_UNKNOWN;
	put_point(d, cell->mode, 1, (double)cell->size, y, d->a->rounds_max);
	return c.difference;
}

/* The panel of a thread count. Returns whether a point has an interval. */
static bool add_ratios(struct figure_draft *d, unsigned int threads, enum metric m)
{
	size_t points = begin_panel(d, "", phrases__threads(threads).text);
	bool bars = false;

	for (struct cell *c = d->a->cells; c < d->a->cells + d->a->cells_nr; c++)
		if (c->mode != MODE_TWOCOPY && c->threads == threads)
			bars |= add_ratio(d, c, m) >= DIFFERENCE_NOISE;
	end_panel(d, points);
	return bars;
}

void figure_lines__relative(struct figure_draft *d, enum figure_id id)
{
	enum metric m = id == FIGURE_RELATIVE_CPU ? analysis__cost(d->a) : METRIC_GBPS;
	size_t picked[FIGURE_PANELS_MAX];
	size_t n = pick_indices(d->a->threads_nr, FIGURE_PANELS_MAX, picked);
	bool bars = false;

	d->width = RELATIVE_WIDTH;
	draft__title(d, "%s relative to two-copy",
		     m == METRIC_GBPS               ? "Throughput"
		     : m == METRIC_CPU_NS_PER_KIB   ? "Process CPU time per KiB"
		     : m == METRIC_CPU_S_NS_PER_KIB ? "Sender's CPU time per KiB"
						    : "CPU cycles per byte");
	draft__note(d, "Two-copy is 1; %s is better.%s",
		    metric__better(m) == BETTER_LOWER ? "lower" : "higher",
		    id == FIGURE_RELATIVE_CPU && analysis__has(d->a, METRIC_SOFTIRQ)
			    ? " Softirq work on other tasks is not in it."
			    : "");
	begin(d);
	d->y_min = d->y_max = 1;
	d->is_partial = n < d->a->threads_nr;
	for (size_t i = 0; i < n; i++)
		bars |= add_ratios(d, d->a->threads[picked[i]], m);
	d->panel_height = d->panels > 2 ? RELATIVE_LOW_PANEL : 0;
	d->rounds = bars ? "Bars: the interval in which the quotient lies, by the rule under "
			   "\"How this was measured\"."
			 : "No intervals: too few rounds.";
	draft__set_number(d, "base", 1);
	finish(d, AXIS_SIZES, "two-copy = 1", "");
	if (!d->points)
		draft__no_data(d, "%s",
			       d->a->has_mode[MODE_TWOCOPY] ? analysis__reason(d->a, m)
							    : "the data has no two-copy run");
}

/* ---- histograms of the time of one copy, a panel per stage ---- */

#define BINS_PER_DECADE 10
#define BINS            (13 * BINS_PER_DECADE) /* up to 10^13 ns */

static double bin_low(int i)
{
	return pow(10, (double)i / BINS_PER_DECADE);
}

/* Spreads a bucket evenly over the bins it touches. Bucket bounds are inclusive. */
static void spread_bucket(const struct dataset_bucket *b, double bins[BINS])
{
	double low = b->low < 1 ? 1 : b->low, high = b->high + 1, from, to;
	int i;

	if (high <= low)
		high = low + 1;
	for (i = 0; i < BINS; i++) {
		from = fmax(low, bin_low(i));
		to = fmin(high, bin_low(i + 1));
		if (to > from)
			bins[i] += b->count * (to - from) / (high - low);
	}
}

static double rebin(const struct dataset_hist *h, double bins[BINS])
{
	double total = 0;
	size_t i;

	memset(bins, 0, BINS * sizeof(*bins));
	for (i = 0; i < h->buckets_nr; i++) {
		spread_bucket(&h->buckets[i], bins);
		total += h->buckets[i].count;
	}
	return total;
}

/* From the bin before the first that has something to that after the last, so that both ends fall
 * to 0. */
static void add_hist(struct figure_draft *d, const struct dataset_hist *h)
{
	double bins[BINS], total = rebin(h, bins);
	int i, first = -1, last = -1;

	for (i = 0; i < BINS; i++) {
		if (bins[i] <= 0)
			continue;
		first = first < 0 ? i : first;
		last = i;
	}
	if (first < 0)
		return;
	for (i = first - 1; i <= last + 1; i++)
		fprintf(d->data, "%u,%s,%.6g,%.6g\n", d->panels, mode__name(h->mode), bin_low(i),
			i >= 0 && i < BINS ? 100 * bins[i] / total : 0);
	d->modes[h->mode] = true;
	d->points++;
	d->x_min = fmin(d->x_min, bin_low(first));
	d->x_max = fmax(d->x_max, bin_low(last + 1));
}

static void add_stage(struct figure_draft *d, enum nio_stage stage, uint64_t size,
		      unsigned int threads)
{
	const struct dataset *data = d->a->dataset;
	size_t points;

	if (d->panels == FIGURE_PANELS_MAX)
		return;
	points = begin_panel(d, "", figure__stage(stage));
	for (const struct dataset_hist *h = data->hists; h < data->hists + data->hists_nr; h++)
		if (h->kind == DATASET_HIST_STAGE + (int)stage && h->size == size &&
		    h->threads == threads)
			add_hist(d, h);
	end_panel(d, points);
}

/* Was any copy timed at the shown size and thread count? */
static bool is_timed(const struct analysis *a, uint64_t size, unsigned int threads)
{
	const struct dataset *d = a->dataset;

	for (size_t i = 0; i < d->hists_nr; i++)
		if (d->hists[i].kind < DATASET_HIST_LATENCY && d->hists[i].size == size &&
		    d->hists[i].threads == threads && d->hists[i].buckets_nr)
			return true;
	return false;
}

void figure_lines__copy_times(struct figure_draft *d, enum figure_id id)
{
	/* Those that most of the time goes to come first: there is room for four. */
	static const enum nio_stage first[] = {NIO_STAGE_TX_COPY, NIO_STAGE_RX_COPY,
					       NIO_STAGE_DEFERRED_COPY, NIO_STAGE_USER_GATHER};
	static const char tics[] =
		"'1 ns' 1,'10 ns' 1e1,'100 ns' 1e2,'1 us' 1e3,'10 us' 1e4,'100 us' 1e5,'1 ms' 1e6,"
		"'10 ms' 1e7,'100 ms' 1e8,'1 s' 1e9,'10 s' 1e10,'100 s' 1e11,'1000 s' 1e12";
	unsigned int threads = figure__reference_threads(d->a);
	uint64_t size = figure__reference_size(d->a);
	char size_text[UNITS_BUF];
	unsigned int seen = 0;

	(void)id;
	if (!is_timed(d->a, size, threads) && make_copy_cpu(d))
		return;
	d->pooled = true;
	draft__title(d, "How long a copy takes, by stage");
	draft__note(d, "Messages of %s, %s. Each step is a tenth of a decade.",
		    format_size(size_text, sizeof(size_text), size),
		    phrases__threads(threads).text);
	fputs("panel,mode,ns,share\n", d->data);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		add_stage(d, first[i], size, threads);
		seen |= 1U << first[i];
	}
	for (int stage = 0; stage < NIO_STAGE_NR; stage++)
		if (!(seen & 1U << stage))
			add_stage(d, (enum nio_stage)stage, size, threads);
	draft__set_text(d, "xlabel", "time of one copy");
	draft__set_text(d, "ylabel", "share of events (%)");
	draft__set_number(d, "xmin", d->points ? d->x_min : 1);
	draft__set_number(d, "xmax", d->points ? d->x_max : 10);
	set_modes(d);
	set_panels(d);
	draft__set_text(d, "xtics", tics);
	if (!d->points)
		draft__no_data(d, "the results have no histogram of the time of a copy: %s",
			       analysis__reason(d->a, METRIC_NS_TX_COPY));
}
