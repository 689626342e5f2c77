/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of results.csv; see sweep_csv.h. */
#include <inttypes.h>
#include <math.h>

#include "common/units.h"
#include "study/dataset.h"
#include "sweep_csv.h"

#define NS_PER_US 1e3

static const struct column {
	const char *name;
	enum metric metric;
	double divisor; /* of the metric's unit; the column's is in its name */
} columns[] = {
	{"throughput_gbps", METRIC_GBPS, 1},
	{"copies_per_byte", METRIC_COPIES, 1},
	{"send_p50_us", METRIC_SEND_P50, NS_PER_US},
	{"delivery_p50_us", METRIC_DELIVERY_P50, NS_PER_US},
	{"cpu_ns_per_kib", METRIC_CPU_NS_PER_KIB, 1},
	{"cycles_per_byte", METRIC_CYCLES_PER_BYTE, 1},
	{"l1d_misses", METRIC_L1D_MISSES, 1},
	{"llc_misses", METRIC_LLC_MISSES, 1},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

void sweep_csv__header(FILE *f)
{
	fputs("mode,size,threads,congestion_control,round", f);
	for (const struct column *c = columns; c < columns + COLUMNS; c++)
		fprintf(f, ",%s", c->name);
	fputc('\n', f);
}

static void put_value(FILE *f, double value)
{
	if (isnan(value))
		fputc(',', f);
	else
		fprintf(f, ",%.12g", value);
}

void sweep_csv__row(FILE *f, const json_t *document)
{
	char message[DATASET_MESSAGE_MAX];
	struct dataset d = {.rows_nr = 0};
	const struct dataset_row *row;

	if (!dataset__add_document(&d, "", document, message) && d.rows_nr == 1) {
		dataset__finish(&d, (double)NAN);
		row = &d.rows[0];
		fprintf(f, "%s,%" PRIu64 ",%u,%s,%u", mode__name(row->mode), row->size,
			row->threads, d.congestion ? d.congestion : "", row->round);
		for (const struct column *c = columns; c < columns + COLUMNS; c++)
			put_value(f, row->value[c->metric] / c->divisor);
		fputc('\n', f);
	}
	dataset__clear(&d);
}
