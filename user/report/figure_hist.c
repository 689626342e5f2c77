/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of the time that one copy takes, the modes over each other, a panel per stage. */
#include <math.h>
#include <string.h>

#include "figure_text.h"
#include "common/units.h"
#include "study/phrases.h"

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
	add_panel(d, DATASET_HIST_STAGE + (int)stage, stage__key(stage), size, threads);
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

/* Was any copy timed, at the size and thread count shown? */
static bool is_timed(const struct analysis *a, uint64_t size, unsigned int threads)
{
	const struct dataset *d = a->dataset;

	for (size_t i = 0; i < d->hists_nr; i++)
		if (d->hists[i].kind < DATASET_HIST_LATENCY && d->hists[i].size == size &&
		    d->hists[i].threads == threads && d->hists[i].buckets_nr)
			return true;
	return false;
}

void figure_hist__copy_times(struct figure_draft *d)
{
	/* Those that most of the time goes to come first: there is room for four. */
	static const enum nio_stage order[] = {NIO_STAGE_TX_COPY,       NIO_STAGE_RX_COPY,
					       NIO_STAGE_DEFERRED_COPY, NIO_STAGE_USER_GATHER,
					       NIO_STAGE_TX_PIN,        NIO_STAGE_OTHER_COPY};
	unsigned int threads = figure__reference_threads(d->a);
	uint64_t size = figure__reference_size(d->a);
	char size_text[UNITS_BUF], threads_text[UNITS_BUF];
	unsigned int seen = 0;
	size_t i;

	if (!is_timed(d->a, size, threads) && figure_lines__copy_cpu(d))
		return;
	d->pooled = true;
	draft__title(d, "How long a copy takes, by stage");
	draft__note(d, "Messages of %s, %s. Each step is a tenth of a decade.",
		    format_size(size_text, sizeof(size_text), size),
		    phrases__threads(threads_text, sizeof(threads_text), threads));
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
