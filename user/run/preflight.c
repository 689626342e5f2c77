/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of options against this machine; see preflight.h. */

#include "base/log.h"
#include "base/mounts.h"
#include "common/cpu_mask.h"
#include "common/units.h"
#include "preflight.h"

struct search {
	struct cpu_mask usable;
	unsigned int missing; /* the first CPU named that is not usable */
	bool found;
};

static void look_up(unsigned int cpu, void *arg)
{
	struct search *s = arg;

	if (s->found || cpu_mask__has(&s->usable, cpu))
		return;
	s->missing = cpu;
	s->found = true;
}

static int check_list(const char *name, const char *list)
{
	struct search s = {.found = false};

	/* If they cannot be read, the load generator reports that. */
	if (!list || sched_getaffinity(0, sizeof(s.usable), cpu_mask__set(&s.usable)) ||
	    parse_cpu_list(list, CPUS_MAX, look_up, &s) || !s.found)
		return EXIT_DONE;
	log_error("%s names CPU %u, which this machine does not have or does not let this process "
		  "use: see Cpus_allowed_list in /proc/self/status.",
		  name, s.missing);
	return EXIT_USAGE;
}

int preflight__check_cpus(const struct workload *t)
{
	int code = mounts__check_proc();

	if (!code)
		code = check_list("--cpu-sender", t->sender_cpus);
	return code ? code : check_list("--cpu-receiver", t->receiver_cpus);
}

/* The load generator would refuse it only when everything else has been set up. */
static int check_memory(enum mode mode, const struct workload *t)
{
	char why[256];

	if (!mode__check_memory(mode, t, mode__memory_here(), why, sizeof(why)))
		return EXIT_DONE;
	log_error("%s.", why);
	return EXIT_USAGE;
}

int preflight__check(const struct options *o)
{
	const struct workload *t = &o->workload;
	int code = EXIT_DONE;

	for (size_t i = 0; i < o->modes_nr && !code; i++)
		code = check_memory(o->modes[i], t);
	return code ? code : preflight__check_cpus(t);
}

int preflight__check_cells(const struct options *o, const struct sweep_grid *g)
{
	int code = EXIT_DONE;

	for (size_t m = 0; m < g->modes_nr; m++)
		for (size_t i = 0; i < g->sizes_nr; i++)
			for (size_t t = 0; t < g->threads_nr && !code; t++) {
				struct workload cell = o->workload;

				cell.size = g->sizes[i];
				cell.connections = g->threads[t];
				code = check_memory(g->modes[m], &cell);
			}
	return code ? code : preflight__check_cpus(&o->workload);
}
