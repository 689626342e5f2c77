/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences on what shaped the figures; see conditions.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "conditions.h"
#include "model/congestion.h"

#define VALUE_LEN 64
#define CPUS_MAX  8192 /* of any Linux */

/* A member as text; false: it is not there, or null. CSV files have no numbers. */
static bool text_at(const json_t *o, const char *key, char buf[VALUE_LEN])
{
	const json_t *value = json_object_get(o, key);

	if (json_is_string(value) && *json_string_value(value))
		printable(buf, VALUE_LEN, json_string_value(value));
	else if (json_is_number(value))
		snprintf(buf, VALUE_LEN, "%g", json_number_value(value));
	else
		return false;
	return true;
}

static double number_at(const json_t *o, const char *key)
{
	char text[VALUE_LEN];

	return text_at(o, key, text) ? strtod(text, NULL) : 0;
}

static void say_congestion(FILE *f, const struct dataset *d)
{
	char name[VALUE_LEN], system[VALUE_LEN], choice[VALUE_LEN];
	struct flag paces;

	if (!text_at(d->environment, "congestion_control", name))
		return;
	paces = congestion__paces(name);
	if (paces.known && paces.value) {
		fprintf(f,
			"The senders pace: their congestion control %s holds packets back by a "
			"timer, and throughput can be limited by that before it is by copying. Who "
			"copies faster is to be asked of runs with --congestion cubic (or reno). ",
			name);
		return;
	}
	fprintf(f, "The congestion control is %s", name);
	if (text_at(d->environment, "congestion_choice", choice) && !strcmp(choice, "unpaced") &&
	    text_at(d->environment, "system_congestion_control", system))
		fprintf(f, ", since the system's %s paces", system);
	fputs(paces.known ? ". " : "; whether it paces is not known. ", f);
}

static void say_others(FILE *f, const struct dataset *d)
{
	if (!d->others_nr)
		return;
	fputs("Runs with ", f);
	for (size_t i = 0; i < d->others_nr; i++)
		fprintf(f, "%s%s", i ? ", " : "", d->others[i]);
	fputs(" are not in this report. ", f);
}

/* Data sets of others do not say it: nothing is then said of it. */
static void say_cpus(FILE *f, const struct dataset *d)
{
	char senders[VALUE_LEN], receivers[VALUE_LEN];
	bool s = text_at(d->settings, "cpu_sender", senders);
	bool r = text_at(d->settings, "cpu_receiver", receivers);

	if (s)
		fprintf(f, "Senders ran on CPU %s%s", senders, r ? ", " : ". ");
	if (r)
		fprintf(f, "%sreceivers on CPU %s. ", s ? "" : "Pinned were the ", receivers);
}

static void count_cpu(unsigned int cpu, void *arg)
{
	(void)cpu;
	++*(unsigned int *)arg;
}

unsigned int conditions__sender_cpus(const struct dataset *d, bool *pinned)
{
	char senders[VALUE_LEN];
	unsigned int n = 0;
	double cpus = number_at(d->environment, "cpus");

	*pinned = text_at(d->settings, "cpu_sender", senders) &&
		  parse_cpu_list(senders, CPUS_MAX, count_cpu, &n) == 0 && n;
	if (*pinned)
		return n;
	return cpus >= 1 && cpus <= CPUS_MAX ? (unsigned int)cpus : 0;
}

static void say_load(FILE *f, const struct dataset *d)
{
	double load = number_at(d->environment, "load_average");
	double cpus = number_at(d->environment, "cpus");
	char governor[VALUE_LEN];

	if (cpus > 0 && load > cpus)
		fprintf(f,
			"The machine was busy with other work when the first run began (load "
			"average %.1f on %.0f CPUs), which widens every interval. ",
			load, cpus);
	if (text_at(d->environment, "governor", governor) && strcmp(governor, "performance"))
		fprintf(f, "The CPUs' frequency is governed by %s and moves with the load. ",
			governor);
}

char *conditions__text(const struct dataset *d)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	say_congestion(f, d);
	say_others(f, d);
	say_cpus(f, d);
	say_load(f, d);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
	return text;
}
