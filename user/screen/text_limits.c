/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns sentences of RESULT on what else than copying decided the figures; see text_limits.h. */
#include "text_limits.h"

#include "common/units.h"
#include "model/congestion.h"
#include "model/figures.h"
#include "text_cells.h"

/* Before any mode is called faster: what pacing limits is not a matter of copies. */
void text_limits__pacing(FILE *f, const struct result *r)
{
	const char *name = congestion__name(&r->env.congestion);
	struct flag paces = congestion__paces(name);

	if (paces.known && paces.value)
		fprintf(f,
			"The senders paced (congestion control %s), which can limit throughput "
			"before copying does; --congestion cubic does not pace.",
			name);
}

/* A quota limits throughput and latency; bytes and copies do not depend on it. */
void text_limits__throttling(FILE *f, const struct result *r)
{
	const struct machine *m = &r->env.machine;
	char stopped[UNITS_BUF], periods[UNITS_BUF];

	if (!m->quota.known || !m->throttling.throttled.value)
		return;
	format_count(stopped, sizeof(stopped), m->throttling.throttled.value);
	format_count(periods, sizeof(periods), m->throttling.periods.value);
	fprintf(f,
		"The CPU quota (cgroup, %.2f CPUs) throttled the run in %s of %s periods: it "
		"limits throughput and latency.",
		m->quota.value, stopped, periods);
}

void text_limits__emulator(FILE *f, const struct result *r)
{
	if (figures__are_emulated(r))
		fputs("A machine is emulated: times and rates are the emulator's, and say nothing "
		      "of "
		      "the modes; bytes and copies count.",
		      f);
}

/* From these shares of the machine's CPU time on, they are part of the answer. */
#define MUCH_OTHER  0.1
#define MUCH_STOLEN 0.01

/* The load average before the run, and what others used during its rounds. */
void text_limits__others(FILE *f, const struct result *r)
{
	const struct machine *m = &r->env.machine;
	bool loaded = m->load.known && r->env.cpus && m->load.value > r->env.cpus;
	bool others = m->others.known && m->others.value >= MUCH_OTHER;

	if (!loaded && !others)
		return;
	/* Without the option, a task's time has the interrupts on top of it: also this run's. */
	fprintf(f, "The machine was busy with other work%s:",
		others && !(m->irq_time.known && m->irq_time.value)
			? ", or with interrupts of this run's packets"
			: "");
	if (loaded)
		fprintf(f, " load average %.1f on %u CPU%s before the run%s", m->load.value,
			r->env.cpus, plural(r->env.cpus), others ? "," : "");
	if (others)
		fprintf(f, " %.0f %% of CPU time during the rounds", m->others.value * 100);
	fputc('.', f);
}

void text_limits__steal(FILE *f, const struct result *r)
{
	struct health all = {.machine_ns = 0};
	struct real stolen;

	for (size_t i = 0; i < r->summary_nr; i++)
		numbers__add(health__numbers, NUMBER_HERE, &all, &r->summary[i].total.health);
	stolen = health__stolen(&all);
	if (stolen.known && stolen.value >= MUCH_STOLEN)
		fprintf(f, "The hypervisor took %.1f %% of CPU time during the rounds.",
			stolen.value * 100);
}

void text_limits__congestion(FILE *f, const struct result *r)
{
	const struct congestion *c = &r->env.congestion;

	if (c->choice == CONGESTION_UNPACED)
		fprintf(f,
			"Congestion control %s: the system's %s paces, which would limit "
			"throughput (--congestion system keeps it).",
			congestion__name(c), c->system);
}
