/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data sets of others: what follows from the numbers of a row, and which of them contradict each
 * other. See dataset.h.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset.h"

#define CONTRADICTION 0.02 /* of two numbers that should be one */

/* How often something was so, and the worst of it. */
struct tally {
	size_t rows, worst_line;
	double worst; /* the first over the second, less 1 */
};

struct completing {
	size_t rows;                        /* that are not ours */
	size_t throughput, duration, bytes; /* rows in which it was computed */
	struct tally rate;                  /* bytes / time against the throughput */
	struct tally count;                 /* bytes against messages x size */
};

static void compare(struct tally *t, const struct dataset_row *row, double a, double b)
{
	double off = a / b - 1;

	if (!(b > 0) || !(fabs(off) > CONTRADICTION))
		return;
	t->rows++;
	if (t->rows > 1 && fabs(off) <= fabs(t->worst))
		return;
	t->worst = off;
	t->worst_line = row->line;
}

static double bytes_of(const struct dataset_row *row)
{
	const double *v = row->value;

	return isnan(v[METRIC_RX_BYTES]) ? v[METRIC_TX_BYTES] : v[METRIC_RX_BYTES];
}

static double messages_of(const struct dataset_row *row)
{
	const double *v = row->value;

	return isnan(v[METRIC_RX_MESSAGES]) ? v[METRIC_TX_MESSAGES] : v[METRIC_RX_MESSAGES];
}

static void look_for_contradictions(struct completing *c, const struct dataset_row *row)
{
	const double *v = row->value;
	double bytes = bytes_of(row);

	compare(&c->rate, row, bytes * 8 / 1e9 / v[METRIC_DURATION], v[METRIC_GBPS]);
	compare(&c->count, row, bytes, messages_of(row) * (double)row->size);
}

static bool set_missing(double *value, double to)
{
	if (!isnan(*value) || !isfinite(to))
		return false;
	*value = to;
	return true;
}

static void complete_row(struct completing *c, struct dataset_row *row)
{
	double *v = row->value;
	double bytes;

	look_for_contradictions(c, row);
	if (isnan(bytes_of(row)) && !(v[METRIC_GBPS] * v[METRIC_DURATION] > 0))
		c->bytes += set_missing(&v[METRIC_RX_BYTES], messages_of(row) * (double)row->size);
	bytes = bytes_of(row);
	if (bytes > 0)
		set_missing(&v[METRIC_RX_BYTES], bytes);
	c->throughput += set_missing(&v[METRIC_GBPS], bytes * 8 / 1e9 / v[METRIC_DURATION]);
	c->duration += set_missing(&v[METRIC_DURATION], bytes * 8 / 1e9 / v[METRIC_GBPS]);
}

static int say_contradictions(struct dataset *d, const struct completing *c)
{
	int err = 0;

	if (c->rate.rows)
		err = dataset__note(
			d,
			"In %zu of %zu rows bytes / time differs from the throughput by more than "
			"%.0f %% (the most in line %zu: %+.1f %%). Throughput is read as it is "
			"given, costs per byte use the bytes.",
			c->rate.rows, c->rows, 100 * CONTRADICTION, c->rate.worst_line,
			100 * c->rate.worst);
	if (!err && c->count.rows)
		err = dataset__note(
			d,
			"In %zu of %zu rows the bytes differ from messages x message size by more "
			"than %.0f %% (the most in line %zu: %+.1f %%).",
			c->count.rows, c->rows, 100 * CONTRADICTION, c->count.worst_line,
			100 * c->count.worst);
	return err;
}

static int say_computed(struct dataset *d, const struct completing *c)
{
	static const char form[] = "%s is computed from %s in %zu of %zu rows.";
	int err = 0;

	if (c->bytes)
		err = dataset__note(d, form, "The number of bytes", "messages x message size",
				    c->bytes, c->rows);
	if (!err && c->throughput)
		err = dataset__note(d, form, "Throughput", "bytes / time", c->throughput, c->rows);
	if (!err && c->duration)
		err = dataset__note(d, form, "The time of a run", "bytes / throughput", c->duration,
				    c->rows);
	return err;
}

/* Names of the columns that are not read, apart by commas. Caller frees. NULL: memory. */
static char *unread(const struct dataset *d)
{
	char *text = NULL;
	const char *comma = "";
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (size_t i = 0; i < d->columns_nr; i++) {
		if (d->columns[i].field)
			continue;
		fprintf(f, "%s'%s'", comma, d->columns[i].name);
		comma = ", ";
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static int say_lacking(struct dataset *d)
{
	char *names;
	int n;

	if (!d->columns_nr)
		return 0;
	names = unread(d);
	if (!names)
		return -ENOMEM;
	n = *names ? asprintf(&d->lacking,
			      "no column is read as this number; not read: %s "
			      "(--column NAME=FIELD reads one)",
			      names)
		   : asprintf(&d->lacking, "the data set has no such number");
	free(names);
	if (n >= 0)
		return 0;
	d->lacking = NULL;
	return -ENOMEM;
}

int dataset__complete(struct dataset *d)
{
	struct completing c = {0};
	int err;

	for (size_t i = 0; i < d->rows_nr; i++) {
		if (d->rows[i].ours || !d->rows[i].line)
			continue;
		c.rows++;
		complete_row(&c, &d->rows[i]);
	}
	err = say_contradictions(d, &c);
	if (!err)
		err = say_computed(d, &c);
	return err ? err : say_lacking(d);
}

static bool has_any(const struct dataset *d, const enum metric *list, size_t n)
{
	for (size_t i = 0; i < d->rows_nr; i++)
		for (size_t m = 0; m < n; m++)
			if (!isnan(d->rows[i].value[list[m]]))
				return true;
	return false;
}

int dataset__answerable(const struct dataset *d, char message[DATASET_MESSAGE_MAX])
{
	static const enum metric needed[] = {METRIC_GBPS, METRIC_L1D_MISSES, METRIC_LLC_MISSES,
					     METRIC_CYCLES};
	char *names;

	if (!d->columns_nr || has_any(d, needed, sizeof(needed) / sizeof(needed[0])))
		return 0;
	names = unread(d);
	snprintf(message, DATASET_MESSAGE_MAX,
		 "%.100s: no column holds a throughput, cycles or cache misses, so no question can "
		 "be answered. Not read: %.200s. Say --column NAME=throughput_gbps, or give the "
		 "file with the throughput before this one.",
		 d->columns[0].file, names && *names ? names : "nothing");
	free(names);
	return -ENODATA;
}
