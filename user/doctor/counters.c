/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of doctor; see counters.h. */
#include <limits.h>
#include <string.h>

#include "base/append.h"
#include "counters.h"
#include "host/environment.h"
#include "perf/event.h"
#include "perf/proc.h"
#include "diagnosis.h"
#include "common/units.h"

struct counters {
	struct perf_plan plan;
	struct perf_facts facts;
};

static void examine(struct counters *c, const struct environment *env)
{
	memset(c, 0, sizeof(*c));
	perf_plan__init(&c->plan, NULL, 0);
	c->facts.virtual_machine = environment__is_virtual(env);
	perf_event__probe(&c->plan, &c->facts);
	perf_proc__find_known(&c->plan);
}

/* Why a counter has no value; NULL when it has. */
static const char *missing(const struct counters *c, int counter)
{
	return perf_plan__missing(&c->plan, (unsigned int)counter, PERF_WHOLE, &c->facts);
}

static void print_names(FILE *f, unsigned int width, const struct counters *c, const char *reason)
{
	char names[1024] = "";

	for (int i = 0; i < PERF_NR; i++) {
		const char *why = missing(c, i);

		if (why == reason || (why && reason && !strcmp(why, reason)))
			append__text(names, sizeof(names), "%s%s", names[0] ? ", " : "",
				     perf_counter__key((enum perf_counter)i));
	}
	if (!names[0])
		return;
	append__text(names, sizeof(names), reason ? ": n/a" : ": counted");
	doctor__wrap(f, width, 0, 2, names);
	if (reason)
		doctor__wrap(f, width, 0, 6, reason);
}

static bool said_before(const struct counters *c, int counter)
{
	for (int i = 0; i < counter; i++) {
		const char *why = missing(c, i);

		if (why && !strcmp(why, missing(c, counter)))
			return true;
	}
	return false;
}

void doctor_perf__print(FILE *f, unsigned int width, const struct environment *env)
{
	struct counters c;
	unsigned int groups;

	examine(&c, env);
	groups = perf_plan__hardware_groups(&c.plan);
	fprintf(f, "\nperformance counters\n");
	print_names(f, width, &c, NULL);
	for (int i = 0; i < PERF_NR; i++)
		if (missing(&c, i) && !said_before(&c, i))
			print_names(f, width, &c, missing(&c, i));
	if (groups)
		fprintf(f, "  %u registers a group: %u group%s of hardware events%s\n",
			c.plan.registers, groups, plural(groups),
			groups == 1 ? "" : ", which take turns, so that counts are scaled");
}

static json_t *counter_json(const struct counters *c, int counter)
{
	unsigned int q = (unsigned int)counter;
	const char *reason = missing(c, counter);

	return json_pack("{s:s, s:b, s:b, s:b, s:s?}", "counter",
			 perf_counter__key((enum perf_counter)counter), "counted", !reason, "user",
			 !perf_plan__missing(&c->plan, q, PERF_USER, &c->facts), "kernel",
			 !perf_plan__missing(&c->plan, q, PERF_KERNEL, &c->facts), "reason",
			 reason);
}

json_t *doctor_perf__json(const struct environment *env)
{
	json_t *list = json_array();
	struct counters c;

	examine(&c, env);
	for (int i = 0; i < PERF_NR; i++)
		json_array_append_new(list, counter_json(&c, i));
	return json_pack("{s:I, s:I, s:o, s:o}", "registers", (json_int_t)c.plan.registers,
			 "hardware_groups", (json_int_t)perf_plan__hardware_groups(&c.plan),
			 "paranoid",
			 c.facts.paranoid == INT_MIN ? json_null() : json_integer(c.facts.paranoid),
			 "counters", list);
}
