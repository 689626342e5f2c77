/* SPDX-License-Identifier: GPL-2.0-only */
/* The first screen of a report, before its answers; see first_screen.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "answer.h"
#include "first_screen.h"
#include "model/congestion.h"

#define CPUS_MAX 8192 /* of any Linux */

/* A member as text; "": it is not there, or null. CSV files have no numbers. */
static struct phrase text_at(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);
	struct phrase p = {""};

	if (json_is_string(value))
		printable(p.text, sizeof(p.text), json_string_value(value));
	else if (json_is_number(value))
		p = phrases__of("%.15g", json_number_value(value));
	return p;
}

static double number_at(const json_t *o, const char *key)
{
	return strtod(text_at(o, key).text, NULL);
}

static void print_congestion(FILE *f, const struct dataset *d)
{
	struct phrase name = text_at(d->environment, "congestion_control");
	struct phrase system = text_at(d->environment, "system_congestion_control");
	struct flag paces = congestion__paces(name.text);

	if (!*name.text)
		return;
	if (paces.known && paces.value) {
		fprintf(f,
			"The senders pace: their congestion control %s holds packets back by a "
			"timer, and throughput can be limited by that before it is by copying. Who "
			"copies faster is to be asked of runs with --congestion cubic (or reno). ",
			name.text);
		return;
	}
	fprintf(f, "The congestion control is %s", name.text);
	if (*system.text && !strcmp(text_at(d->environment, "congestion_choice").text, "unpaced"))
		fprintf(f, ", since the system's %s paces", system.text);
	fputs(paces.known ? ". " : "; whether it paces is not known. ", f);
}

static void count_cpu(unsigned int cpu, void *arg)
{
	(void)cpu;
	++*(unsigned int *)arg;
}

unsigned int first_screen__sender_cpus(const struct dataset *d, bool *pinned)
{
	double cpus = number_at(d->environment, "cpus");
	unsigned int n = 0;

	*pinned = parse_cpu_list(text_at(d->conditions, "cpu_sender").text, CPUS_MAX, count_cpu,
				 &n) == 0 &&
		  n;
	if (*pinned)
		return n;
	return cpus >= 1 && cpus <= CPUS_MAX ? (unsigned int)cpus : 0;
}

/* What else was on the machine; foreign data sets say little of it. */
static void print_machine(FILE *f, const struct dataset *d)
{
	struct phrase senders = text_at(d->conditions, "cpu_sender");
	struct phrase receivers = text_at(d->conditions, "cpu_receiver");
	struct phrase receive = text_at(d->conditions, "receive");
	struct phrase governor = text_at(d->environment, "governor");
	double load = number_at(d->environment, "load_average");
	double cpus = number_at(d->environment, "cpus");

	if (*senders.text)
		fprintf(f, "Senders ran on CPU %s. ", senders.text);
	if (*receivers.text)
		fprintf(f, "Receivers ran on CPU %s. ", receivers.text);
	if (*receive.text && strcmp(receive.text, "recv"))
		fprintf(f, "Receivers took the bytes with --receive %s. ", receive.text);
	if (cpus > 0 && load > cpus)
		fprintf(f,
			"The machine was busy with other work when the first run began (load "
			"average %.1f on %.0f CPUs), which widens every interval. ",
			load, cpus);
	if (*governor.text && strcmp(governor.text, "performance"))
		fprintf(f, "The CPUs' frequency is governed by %s and moves with the load. ",
			governor.text);
}

char *first_screen__conditions(const struct dataset *d)
{
	struct item_list others = {0};
	char *text;
	size_t len = 0, unsent = 0;
	FILE *f = xopen_memstream(&text, &len);

	print_congestion(f, d);
	for (size_t i = 0; i < d->others_nr; i++)
		item_list__add(&others, "%s", d->others[i]);
	if (others.nr)
		fprintf(f, "Runs with %s are not in this report. ", item_list__words(&others));
	print_machine(f, d);
	for (size_t i = 0; i < d->rows_nr; i++)
		unsent += d->rows[i].value[METRIC_UNSENT] > 0;
	if (unsent)
		fprintf(f,
			"In %zu of %zu runs, messages were due and not sent: delivery and half "
			"round trip are lower bounds there. ",
			unsent, d->rows_nr);
	xclose_memstream(f);
	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
	return text;
}

/* By the lowest and the highest share of copied sends; -1: unknown. */
static const char *verdict_word(double low, double high)
{
	if (high < 0)
		return "Unknown";
	if (high == 0)
		return "Yes";
	return low == 1 ? "No" : "Not always";
}

/* The evidence on a mode, after an answer of its own if that of another mode is unknown. */
static void print_mode(FILE *f, const struct analysis *a, enum mode mode, bool own, bool named)
{
	char *copied = answer__copied(a, mode);
	double completed, fraction = answer__copied_fraction(a, mode, &completed);

	if (own)
		fprintf(f, "%s%s%s%s%c", ftell(f) ? " " : "", verdict_word(fraction, fraction),
			named ? " for " : "", named ? phrases__mode(mode) : "", copied ? '.' : ':');
	if (copied)
		fprintf(f, " %s", copied);
	else
		fprintf(f, " %s.", answer__why_uncounted(a, mode).text);
	free(copied);
}

char *first_screen__zerocopy(const struct analysis *a)
{
	double completed, fraction, low = 1, high = -1;
	size_t len, modes = 0, unknown = 0;
	char *text;
	FILE *f = xopen_memstream(&text, &len);

	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		if (!mode__has(mode, MODE_PINS) || !a->has_mode[mode])
			continue;
		fraction = answer__copied_fraction(a, mode, &completed);
		modes++;
		unknown += fraction < 0;
		low = fmin(low, fraction);
		high = fmax(high, fraction);
	}
	if (!modes)
		fputs("Not measured: the data has no zero-copy run.", f);
	else if (!unknown)
		fprintf(f, "%s.", verdict_word(low, high));
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		if (mode__has(mode, MODE_PINS) && a->has_mode[mode])
			print_mode(f, a, mode, unknown, modes > 1);
	xclose_memstream(f);
	return text;
}

char *first_screen__origin(const struct dataset *d)
{
	struct phrase started = text_at(d->environment, "started");
	struct phrase caches = text_at(d->environment, "caches");
	double memory = number_at(d->environment, "memory");
	char size[UNITS_BUF], *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	if (*started.text)
		fprintf(f, "Measured from %s%s%s%s%s. ", started.text,
			d->version ? " with netiotrace " : "", d->version ? d->version : "",
			d->seed ? ", in an order of runs by seed " : "", d->seed ? d->seed : "");
	if (*caches.text || memory > 0)
		fprintf(f, "Caches: %s. Memory: %s.", *caches.text ? caches.text : "n/a",
			memory > 0 ? format_size(size, sizeof(size), (uint64_t)memory) : "n/a");
	xclose_memstream(f);
	return text;
}
