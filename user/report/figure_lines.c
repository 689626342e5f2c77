/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures of medians with intervals, a line per mode: what is on which axis, in which panel. */
#include <math.h>
#include <string.h>

#include "figure_text.h"
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

/* One line of each mode over the sizes, at one thread count. */
static void add_sizes(struct figure_draft *d, enum metric m, double scale, unsigned int series,
		      unsigned int threads)
{
	size_t picked[FIGURE_POINTS_MAX], i,
		n = pick_indices(d->a->sizes_nr, FIGURE_POINTS_MAX, picked);
	uint64_t size;
	int mode;

	for (mode = 0; mode < MODE_NR; mode++) {
		for (i = 0; i < n; i++) {
			size = d->a->sizes[picked[i]];
			add_point(d, analysis__cell(d->a, (enum mode)mode, size, threads), m, scale,
				  series, (double)size);
		}
	}
}

static void add_threads(struct figure_draft *d, enum metric m, double scale, unsigned int series,
			uint64_t size)
{
	size_t picked[FIGURE_POINTS_MAX], i,
		n = pick_indices(d->a->threads_nr, FIGURE_POINTS_MAX, picked);
	unsigned int threads;
	int mode;

	for (mode = 0; mode < MODE_NR; mode++) {
		for (i = 0; i < n; i++) {
			threads = d->a->threads[picked[i]];
			add_point(d, analysis__cell(d->a, (enum mode)mode, size, threads), m, scale,
				  series, threads ? threads : 1);
		}
	}
}

/* The next panel; taken back by end_panel() when nothing was put into it. */
static void begin_panel(struct figure_draft *d, const char *before, const char *title)
{
	snprintf(d->panel_title[d->panels], sizeof(d->panel_title[0]), "%s%s", before, title);
	d->panels++;
}

static void end_panel(struct figure_draft *d, size_t points_before)
{
	if (d->points == points_before)
		d->panels--;
}

/* A panel for each of up to max thread counts, one or two series over the sizes. */
static void add_thread_panels(struct figure_draft *d, const char *before, size_t max,
			      const enum metric *series, unsigned int series_nr, double scale)
{
	size_t picked[FIGURE_PANELS_MAX], i, points,
		n = pick_indices(d->a->threads_nr, max, picked);
	unsigned int s, threads;
	char title[UNITS_BUF];

	for (i = 0; i < n; i++) {
		threads = d->a->threads[picked[i]];
		points = d->points;
		begin_panel(d, before, phrases__threads(title, sizeof(title), threads));
		for (s = 0; s < series_nr; s++)
			add_sizes(d, series[s], scale, s + 1, threads);
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
	add_thread_panels(d, "", FIGURE_PANELS_MAX, series, 1, 1);
	draft__set_size_tics(d);
	finish(d, x_sizes, "throughput (Gbit/s)", "");
	if (!d->points)
		draft__no_data(d, "%s", analysis__reason(d->a, METRIC_GBPS));
}

/* What an axis of times is in: milliseconds where microseconds would be five digits. */
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

/* A panel for each of up to four sizes, over the threads. */
static void add_size_panels(struct figure_draft *d, const enum metric *series,
			    unsigned int series_nr, double scale)
{
	size_t picked[FIGURE_PANELS_MAX], i, points;
	size_t n = pick_indices(d->a->sizes_nr, FIGURE_PANELS_MAX, picked);
	char size[UNITS_BUF];
	unsigned int s;

	for (i = 0; i < n; i++) {
		points = d->points;
		begin_panel(d, "", format_size(size, sizeof(size), d->a->sizes[picked[i]]));
		for (s = 0; s < series_nr; s++)
			add_threads(d, series[s], scale, s + 1, d->a->sizes[picked[i]]);
		end_panel(d, points);
	}
}

/* The latency a message has, or the nearest to it that the data knows. */
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
	add_size_panels(d, choice->series, choice->series_nr, unit.ns);
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
	add_thread_panels(d, before[0], FIGURE_PANELS_MAX / 2, &metrics[0], 1, 1);
	add_thread_panels(d, before[1], FIGURE_PANELS_MAX / 2, &metrics[1], 1, 1);
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
		add_thread_panels(d, "", FIGURE_PANELS_MAX, cycles, 1, 1);
	} else {
		draft__title(d, "CPU time of both sides by message size, instead of cycles per "
				"byte");
		draft__note(d, "Cycles per byte are n/a: %s.", reason);
		add_thread_panels(d, "", FIGURE_PANELS_MAX, cpu, 1, 1);
		ylabel = "CPU time (ns per KiB)";
	}
	draft__set_size_tics(d);
	finish(d, x_sizes, ylabel, "");
	if (!d->points)
		draft__no_data(d, "neither cycles (%s) nor CPU time (%s)", reason,
			       analysis__reason(d->a, METRIC_CPU_NS_PER_KIB));
}

/* A panel for each copy, those that most of the time goes to first: there is room for four. */
static void add_copy_panels(struct figure_draft *d, bool both, unsigned int threads)
{
	static const enum cpu_class copies[FIGURE_PANELS_MAX] = {
		CPU_CLASS_TX_COPY, CPU_CLASS_RX_COPY, CPU_CLASS_DEFERRED_COPY, CPU_CLASS_GATHER};

	for (size_t i = 0; i < FIGURE_PANELS_MAX; i++) {
		enum metric m = both ? METRIC_CLASS_BOTH(copies[i])
				     : METRIC_CLASS(NIO_SIDE_SENDER, copies[i]);
		size_t points = d->points;

		begin_panel(d, "", cpu_class__heading(copies[i]));
		add_sizes(d, m, 1, 1, threads);
		end_panel(d, points);
	}
}

bool figure_lines__copy_cpu(struct figure_draft *d)
{
	bool both = analysis__has(d->a, METRIC_CLASS_TX_COPY);
	unsigned int threads = figure__reference_threads(d->a);
	char text[UNITS_BUF];

	if (!both && !analysis__has(d->a, METRIC_CLASS_S_TX_COPY))
		return false;
	d->figure->template = "lines";
	draft__title(d, "CPU time of each copy by message size, from samples, instead of how long "
			"a copy takes");
	draft__note(d,
		    "With %s%s. Single copies are not timed (%s). A point at 0: no sample fell on "
		    "that copy, not that there was none.",
		    phrases__threads(text, sizeof(text), threads),
		    both ? "" : "; the sender's alone", analysis__reason(d->a, METRIC_NS_TX_COPY));
	begin(d);
	add_copy_panels(d, both, threads);
	draft__set_size_tics(d);
	finish(d, x_sizes, "CPU time (ns per KiB)", "");
	if (!d->points)
		draft__no_data(d, "no sample was taken with %s", text);
	return true;
}

void figure_lines__completion(struct figure_draft *d)
{
	static const enum metric series[] = {METRIC_COMPLETION_P50, METRIC_COMPLETION_P99};
	struct time_unit unit = time_unit_for(d->a, series, 2);
	char axis[64];

	draft__title(d, "Zero-copy completion: from the send to its notification");
	begin(d);
	add_thread_panels(d, "", FIGURE_PANELS_MAX, series, 2, unit.ns);
	draft__set_size_tics(d);
	snprintf(axis, sizeof(axis), "completion (%s)", unit.name);
	finish(d, x_sizes, axis, "median p99");
	if (!d->points)
		draft__no_data(d, "%s",
			       d->a->has_mode[MODE_ZEROCOPY]
				       ? analysis__reason(d->a, METRIC_COMPLETION_P50)
				       : "the data has no zero-copy run");
}
