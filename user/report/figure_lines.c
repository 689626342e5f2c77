/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures with a line per mode: medians with their intervals, the modes relative to two-copy, and
 * histograms of the time of a copy.
 */
#include <math.h>
#include <string.h>

#include "figure_draft.h"
#include "common/units.h"
#include "study/phrases.h"

#define NS_PER_US       1000.0
#define LOG_WORTH_RATIO 20 /* highest / lowest above which an axis is logarithmic */

static void put_bound(FILE *f, double value, double scale)
{
	if (isnan(value))
		fputc(',', f);
	else
		fprintf(f, ",%.10g", value / scale);
}

static void widen(double *low, double *high, double value)
{
	if (value < *low)
		*low = value;
	if (value > *high)
		*high = value;
}

/* A point, if the cell has the number. Series from 1; scale: what a unit of the axis is. */
static void add_point(struct figure_draft *d, struct cell *cell, enum metric m, double scale,
		      unsigned int series, double x)
{
	struct estimate e = analysis__estimate(d->a, cell, m);

	if (!e.n)
		return;
	fprintf(d->data, "%u,%s,%u,%.10g,%.10g", d->panels, mode__name(cell->mode), series, x,
		e.median / scale);
	put_bound(d->data, e.low, scale);
	put_bound(d->data, e.high, scale);
	fprintf(d->data, ",%u\n", e.n);
	d->modes[cell->mode] = true;
	d->points++;
	if (!d->rounds_min || e.n < d->rounds_min)
		d->rounds_min = e.n;
	if (e.n > d->rounds_max)
		d->rounds_max = e.n;
	widen(&d->x_min, &d->x_max, x);
	widen(&d->y_min, &d->y_max, e.median / scale);
	if (estimate__has_interval(&e)) {
		widen(&d->y_min, &d->y_max, e.low / scale);
		widen(&d->y_min, &d->y_max, e.high / scale);
	}
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

static size_t axis_nr(const struct analysis *a, enum axis axis)
{
	return axis == AXIS_SIZES ? a->sizes_nr : a->threads_nr;
}

/* A line of each mode, at the fixed-th thread count or size. Series from 1. */
static void add_lines(struct figure_draft *d, enum metric m, double scale, unsigned int series,
		      enum axis axis, size_t fixed)
{
	size_t picked[FIGURE_POINTS_MAX], n = axis_nr(d->a, axis);

	n = pick_indices(n, FIGURE_POINTS_MAX, picked);
	for (int mode = 0; mode < MODE_NR; mode++)
		for (size_t i = 0; i < n; i++) {
			uint64_t size = d->a->sizes[axis == AXIS_SIZES ? picked[i] : fixed];
			unsigned int threads =
				d->a->threads[axis == AXIS_THREADS ? picked[i] : fixed];
			double x = axis == AXIS_SIZES ? (double)size : threads ? threads : 1;

			add_point(d, analysis__cell(d->a, (enum mode)mode, size, threads), m, scale,
				  series, x);
		}
}

/* The next panel; taken back by end_panel() when nothing was put into it. */
static void begin_panel(struct figure_draft *d, const char *before, const char *title)
{
	snprintf(d->panel_title[d->panels], sizeof(d->panel_title[0]), "%s%.31s", before, title);
	d->panels++;
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
	size_t picked[FIGURE_PANELS_MAX];
	size_t n = axis_nr(d->a, axis == AXIS_SIZES ? AXIS_THREADS : AXIS_SIZES);

	n = pick_indices(n, max, picked);
	for (size_t i = 0; i < n; i++) {
		size_t points = d->points;

		begin_panel(d, before,
			    axis == AXIS_SIZES ? phrases__threads(d->a->threads[picked[i]]).text
					       : phrases__size(d->a->sizes[picked[i]]).text);
		for (unsigned int s = 0; s < series_nr; s++)
			add_lines(d, series[s], scale, s + 1, axis, picked[i]);
		end_panel(d, points);
	}
}

static void finish(struct figure_draft *d, const char *xlabel, const char *ylabel,
		   const char *series)
{
	bool ylog = d->y_min > 0 && d->y_max / d->y_min > LOG_WORTH_RATIO;

	draft__set_text(d, "xlabel", xlabel);
	draft__set_text(d, "ylabel", ylabel);
	draft__set_text(d, "series", series);
	draft__set_modes(d);
	draft__set_panels(d);
	draft__set_number(d, "ylog", ylog);
	draft__set_number(d, "ymax", d->points ? d->y_max : 0);
	d->has_bars = true;
	draft__set_number(d, "xmin", d->points ? d->x_min : 1);
	draft__set_number(d, "xmax", d->points ? d->x_max : 1);
}

static const char x_sizes[] = "message size (bytes)";

void figure_lines__throughput(struct figure_draft *d)
{
	static const enum metric series[] = {METRIC_GBPS};

	draft__title(d, "Throughput by message size");
	begin(d);
	add_panels(d, AXIS_SIZES, "", FIGURE_PANELS_MAX, series, 1, 1);
	draft__set_size_tics(d);
	finish(d, x_sizes, "throughput (Gbit/s)", "");
	if (!d->points)
		draft__no_data(d, "%s", analysis__reason(d->a, METRIC_GBPS));
}

/* The unit of a time axis: milliseconds if microseconds needed five digits. */
struct time_unit {
	double ns;
	const char *name;
};

static struct time_unit time_unit_for(const struct analysis *a, const enum metric *series,
				      unsigned int series_nr)
{
	struct estimate e;
	struct cell *peak;
	unsigned int s;

	for (s = 0; s < series_nr; s++) {
		peak = analysis__peak(a, MODE_NR, series[s]);
		e = analysis__estimate(a, peak, series[s]);
		if (e.n && e.median >= 1e4 * NS_PER_US)
			return (struct time_unit){1000 * NS_PER_US, "ms"};
	}
	return (struct time_unit){NS_PER_US, "us"};
}

/* The message latency, or the nearest one in the data. */
static const struct latency_choice {
	enum metric series[2];
	unsigned int series_nr;
	const char *note, *axis, *series_names;
} latency_choices[] = {
	{{METRIC_DELIVERY_P50, METRIC_DELIVERY_P99},
	 2,
	 "Delivery: from before the send to the last byte read.",
	 "delivery",
	 "median p99"},
	{{METRIC_SEND_P50, METRIC_SEND_P99},
	 2,
	 "Time inside the send call: the data has no delivery latency.",
	 "send call",
	 "median p99"},
	{{METRIC_LATENCY}, 1, "The data does not say which latency this is.", "latency", ""},
};

static const struct latency_choice *choose_latency(const struct analysis *a)
{
	size_t i, last = sizeof(latency_choices) / sizeof(latency_choices[0]) - 1;

	for (i = 0; i < last; i++)
		if (analysis__has(a, latency_choices[i].series[0]))
			break;
	return &latency_choices[i];
}

void figure_lines__latency(struct figure_draft *d)
{
	const struct latency_choice *choice = choose_latency(d->a);
	struct time_unit unit = time_unit_for(d->a, choice->series, choice->series_nr);
	char axis[64];

	draft__title(d, "Latency by number of threads");
	draft__note(d, "%s", choice->note);
	begin(d);
	add_panels(d, AXIS_THREADS, "", FIGURE_PANELS_MAX, choice->series, choice->series_nr,
		   unit.ns);
	draft__set_thread_tics(d);
	snprintf(axis, sizeof(axis), "%s (%s)", choice->axis, unit.name);
	finish(d, "threads", axis, choice->series_names);
	if (!d->points)
		draft__no_data(d, "%s", analysis__reason(d->a, METRIC_DELIVERY_P50));
}

/* Fewest and most threads beside each other, for each of two numbers. */
static void add_two_by_two(struct figure_draft *d, const char *const *before,
			   const enum metric *metrics)
{
	add_panels(d, AXIS_SIZES, before[0], FIGURE_PANELS_MAX / 2, &metrics[0], 1, 1);
	add_panels(d, AXIS_SIZES, before[1], FIGURE_PANELS_MAX / 2, &metrics[1], 1, 1);
}

void figure_lines__cache(struct figure_draft *d)
{
	static const enum metric per_kib[] = {METRIC_L1D_MISSES_PER_KIB, METRIC_LLC_MISSES_PER_KIB};
	static const enum metric raw[] = {METRIC_L1D_MISSES, METRIC_LLC_MISSES};
	static const enum metric cpu[] = {METRIC_CPU_S_NS_PER_KIB, METRIC_CPU_R_NS_PER_KIB};
	static const char *const levels[] = {"L1D, ", "LLC, "};
	static const char *const sides[] = {"sender, ", "receiver, "};
	const struct analysis *a = d->a;
	const char *reason = analysis__reason(a, METRIC_L1D_MISSES_PER_KIB);
	const char *ylabel = "misses per KiB";

	begin(d);
	draft__title(d, "Cache misses by message size");
	if (analysis__has(a, METRIC_L1D_MISSES_PER_KIB) ||
	    analysis__has(a, METRIC_LLC_MISSES_PER_KIB)) {
		add_two_by_two(d, levels, per_kib);
	} else if (analysis__has(a, METRIC_L1D_MISSES) || analysis__has(a, METRIC_LLC_MISSES)) {
		draft__note(d, "Misses of a whole run: %s.", reason);
		add_two_by_two(d, levels, raw);
		ylabel = "misses in a run";
	} else {
		draft__title(d, "CPU time of either side by message size, instead of cache misses");
		draft__note(d, "Cache misses are n/a: %s.", reason);
		add_two_by_two(d, sides, cpu);
		ylabel = "CPU time (ns per KiB)";
	}
	draft__set_size_tics(d);
	finish(d, x_sizes, ylabel, "");
	if (!d->points)
		draft__no_data(d, "neither cache misses (%s) nor CPU time (%s)", reason,
			       analysis__reason(a, METRIC_CPU_NS_PER_KIB));
}

void figure_lines__cycles(struct figure_draft *d)
{
	static const enum metric cycles[] = {METRIC_CYCLES_PER_BYTE};
	static const enum metric cpu[] = {METRIC_CPU_NS_PER_KIB};
	const char *reason = analysis__reason(d->a, METRIC_CYCLES_PER_BYTE);
	const char *ylabel = "cycles per byte";

	begin(d);
	if (analysis__has(d->a, METRIC_CYCLES_PER_BYTE)) {
		draft__title(d, "CPU cycles per byte by message size");
		add_panels(d, AXIS_SIZES, "", FIGURE_PANELS_MAX, cycles, 1, 1);
	} else {
		draft__title(d, "CPU time of both sides by message size, instead of cycles per "
				"byte");
		draft__note(d, "Cycles per byte are n/a: %s.", reason);
		add_panels(d, AXIS_SIZES, "", FIGURE_PANELS_MAX, cpu, 1, 1);
		ylabel = "CPU time (ns per KiB)";
	}
	draft__set_size_tics(d);
	finish(d, x_sizes, ylabel, "");
	if (!d->points)
		draft__no_data(d, "neither cycles (%s) nor CPU time (%s)", reason,
			       analysis__reason(d->a, METRIC_CPU_NS_PER_KIB));
}

/* A panel for each copy, those that most of the time goes to first: there is room for four. */
static void add_copy_panels(struct figure_draft *d, bool both)
{
	static const enum cpu_class copies[FIGURE_PANELS_MAX] = {
		CPU_CLASS_TX_COPY, CPU_CLASS_RX_COPY, CPU_CLASS_DEFERRED_COPY, CPU_CLASS_GATHER};

	for (size_t i = 0; i < FIGURE_PANELS_MAX; i++) {
		enum metric m = both ? METRIC_CLASS_BOTH(copies[i])
				     : METRIC_CLASS(NIO_SIDE_SENDER, copies[i]);
		size_t points = d->points;

		begin_panel(d, "", cpu_class__heading(copies[i]));
		add_lines(d, m, 1, 1, AXIS_SIZES, 0); /* the reference thread count */
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
	draft__set_size_tics(d);
	finish(d, x_sizes, "CPU time (ns per KiB)", "");
	if (!d->points)
		draft__no_data(d, "no sample was taken with %s", phrases__threads(threads).text);
	return true;
}

void figure_lines__completion(struct figure_draft *d)
{
	static const enum metric series[] = {METRIC_COMPLETION_P50, METRIC_COMPLETION_P99};
	struct time_unit unit = time_unit_for(d->a, series, 2);
	char axis[64];

	draft__title(d, "Zero-copy completion: from the send to its notification");
	begin(d);
	add_panels(d, AXIS_SIZES, "", FIGURE_PANELS_MAX, series, 2, unit.ns);
	draft__set_size_tics(d);
	snprintf(axis, sizeof(axis), "completion (%s)", unit.name);
	finish(d, x_sizes, axis, "median p99");
	if (!d->points)
		draft__no_data(d, "%s",
			       d->a->has_mode[MODE_ZEROCOPY]
				       ? analysis__reason(d->a, METRIC_COMPLETION_P50)
				       : "the data has no zero-copy run");
}

/* ---- relative to two-copy ---- */

#define RELATIVE_WIDTH 470

/* A mode at a size, as a share of two-copy. Returns the rule's answer. */
static enum difference add_ratio(struct figure_draft *d, enum mode mode, uint64_t size,
				 enum metric m)
{
	struct finding c = figure__compare(d->a, mode, MODE_TWOCOPY, size, m);
	const double bounds[] = {1 + c.change, 1 + c.low, 1 + c.high};

	if (c.difference == DIFFERENCE_UNKNOWN || isnan(c.change))
		return DIFFERENCE_UNKNOWN;
	fprintf(d->data, "1,%s,1,%.10g,%.10g", mode__name(mode), (double)size, bounds[0]);
	put_bound(d->data, bounds[1], 1);
	put_bound(d->data, bounds[2], 1);
	fprintf(d->data, ",%zu\n", d->a->rounds_max);
	for (size_t i = 0; i < 3; i++)
		if (!isnan(bounds[i]))
			widen(&d->y_min, &d->y_max, bounds[i]);
	widen(&d->x_min, &d->x_max, (double)size);
	d->modes[mode] = true;
	d->points++;
	return c.difference;
}

static void make_relative(struct figure_draft *d, enum metric m, const char *what)
{
	size_t picked[FIGURE_POINTS_MAX], n;
	bool bars = false;

	d->width = RELATIVE_WIDTH;
	draft__title(d, "%s relative to two-copy", what);
	begin(d);
	snprintf(d->panel_title[0], sizeof(d->panel_title[0]), "%s",
		 metric__better(m) == BETTER_LOWER ? "lower is better" : "higher is better");
	d->panels = 1;
	d->y_min = d->y_max = 1;
	n = pick_indices(d->a->sizes_nr, FIGURE_POINTS_MAX, picked);
	for (int mode = 0; mode < MODE_NR; mode++)
		for (size_t i = 0; mode != MODE_TWOCOPY && i < n; i++) {
			enum difference is =
				add_ratio(d, (enum mode)mode, d->a->sizes[picked[i]], m);

			bars |= is >= DIFFERENCE_NOISE;
		}
	d->rounds = bars ? "Bars: the interval in which the quotient lies, by the rule under "
			   "\"How this was measured\"."
			 : "No intervals: too few rounds.";
	if (d->a->threads_nr > 1)
		draft__note(d, "All %zu thread counts together.", d->a->threads_nr);
	draft__set_size_tics(d);
	draft__set_number(d, "base", 1);
	finish(d, x_sizes, "two-copy = 1", "");
	if (!d->points)
		draft__no_data(d, "%s",
			       d->a->has_mode[MODE_TWOCOPY] ? analysis__reason(d->a, m)
							    : "the data has no two-copy run");
}

void figure_lines__relative_throughput(struct figure_draft *d)
{
	make_relative(d, METRIC_GBPS, "Throughput");
}

void figure_lines__relative_cpu(struct figure_draft *d)
{
	enum metric m = figure__cost_metric(d->a);

	make_relative(d, m,
		      m == METRIC_CPU_NS_PER_KIB     ? "CPU time per KiB"
		      : m == METRIC_CPU_S_NS_PER_KIB ? "Sender's CPU time per KiB"
						     : "CPU cycles per byte");
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

static void add_panel(struct figure_draft *d, int kind, const char *title, uint64_t size,
		      unsigned int threads)
{
	const struct dataset *data = d->a->dataset;
	size_t i, before = d->points;

	if (d->panels == FIGURE_PANELS_MAX)
		return;
	snprintf(d->panel_title[d->panels], sizeof(d->panel_title[0]), "%s", title);
	d->panels++;
	for (i = 0; i < data->hists_nr; i++)
		if (data->hists[i].kind == kind && data->hists[i].size == size &&
		    data->hists[i].threads == threads)
			add_hist(d, &data->hists[i]);
	if (d->points == before)
		d->panels--;
}

static void add_stage(struct figure_draft *d, enum nio_stage stage, uint64_t size,
		      unsigned int threads, unsigned int *seen)
{
	*seen |= 1U << stage;
	add_panel(d, DATASET_HIST_STAGE + (int)stage, figure__stage(stage), size, threads);
}

static void set_time_tics(struct figure_draft *d)
{
	static const char *const names[] = {"1 ns",   "10 ns", "100 ns", "1 us",   "10 us",
					    "100 us", "1 ms",  "10 ms",  "100 ms", "1 s",
					    "10 s",   "100 s", "1000 s"};
	char text[512] = "", tic[32];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(tic, sizeof(tic), "%s'%s' 1e%zu", i ? "," : "", names[i], i);
		strcat(text, tic);
	}
	draft__set_text(d, "xtics", text);
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

void figure_lines__copy_times(struct figure_draft *d)
{
	/* Those that most of the time goes to come first: there is room for four. */
	static const enum nio_stage order[] = {NIO_STAGE_TX_COPY,       NIO_STAGE_RX_COPY,
					       NIO_STAGE_DEFERRED_COPY, NIO_STAGE_USER_GATHER,
					       NIO_STAGE_TX_PIN,        NIO_STAGE_OTHER_COPY};
	unsigned int threads = figure__reference_threads(d->a);
	uint64_t size = figure__reference_size(d->a);
	unsigned int seen = 0;
	size_t i;

	if (!is_timed(d->a, size, threads) && make_copy_cpu(d))
		return;
	d->pooled = true;
	draft__title(d, "How long a copy takes, by stage");
	draft__note(d, "Messages of %s, %s. Each step is a tenth of a decade.",
		    phrases__size(size).text, phrases__threads(threads).text);
	fputs("panel,mode,ns,share\n", d->data);
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		add_stage(d, order[i], size, threads, &seen);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (!(seen & 1U << s))
			add_stage(d, (enum nio_stage)s, size, threads, &seen);
	draft__set_text(d, "xlabel", "time of one copy");
	draft__set_text(d, "ylabel", "share of events (%)");
	draft__set_number(d, "xmin", d->points ? d->x_min : 1);
	draft__set_number(d, "xmax", d->points ? d->x_max : 10);
	draft__set_modes(d);
	draft__set_panels(d);
	set_time_tics(d);
	if (!d->points)
		draft__no_data(d, "the results have no histogram of the time of a copy: %s",
			       analysis__reason(d->a, METRIC_NS_TX_COPY));
}
