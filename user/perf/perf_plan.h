/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan of events: counters of struct run_result and events of --perf-events, in groups. */
#ifndef PERF_PERF_PLAN_H
#define PERF_PERF_PLAN_H

#include "names.h"
#include "model/result.h"

/* The whole of a counter, or its part in one mode. */
enum perf_part {
	PERF_WHOLE,
	PERF_USER,
	PERF_KERNEL,
	PERF_PART_NR,
};

/* Quantity c is counter c of the result; PERF_NR + i is event i of --perf-events. */
#define PERF_QUANTITY_NR (PERF_NR + PERF_EVENTS_MAX)

/* One event, opened for each thread. */
struct perf_slot {
	struct perf_spec spec;
	unsigned int quantity;
	enum perf_part part;
	unsigned int bundle; /* slots of a bundle share a group: ratios use them */
	int err;             /* why the kernel refused the event, -errno; 0: accepted */
	bool proc;           /* not opened: /proc has the count (watch.h) */
};

#define PERF_SLOTS_MAX     (2 * PERF_NR + PERF_EVENTS_MAX)
#define PERF_GROUP_MAX     16
#define PERF_REGISTERS_MAX 16

/* Indices of slots; the first is the leader. The events of a group count at the same time. */
struct perf_group {
	unsigned char slot[PERF_GROUP_MAX];
	unsigned int nr;
	unsigned int pmu; /* perf_spec__pmu() of all slots */
};

struct perf_plan {
	struct perf_slot slots[PERF_SLOTS_MAX];
	size_t slots_nr;
	unsigned int registers; /* counter registers of a group; 0: no hardware counters */
	struct perf_group groups[PERF_SLOTS_MAX];
	size_t groups_nr;
};

/* Adds the slots of every run and of the events asked for. Makes no groups. */
void perf_plan__init(struct perf_plan *plan, const struct perf_spec *asked, size_t asked_nr);

/*
 * Packs accepted slots into groups of one PMU, at most `registers` each. Software events are never
 * multiplexed. A bundle stays together if a group has space.
 */
void perf_plan__pack(struct perf_plan *plan);

/* Whether a slot is in a group. */
bool perf_plan__has_slot(const struct perf_plan *plan, size_t slot);

/* Groups of the CPU's PMU. If there are several, they are multiplexed and counts are scaled. */
unsigned int perf_plan__hardware_groups(const struct perf_plan *plan);

/* Facts about this machine for perf_plan__reason(). */
struct perf_facts {
	bool virtual_machine;
	bool has_pmu;  /* /sys/bus/event_source/devices has a PMU of a CPU */
	int paranoid;  /* kernel.perf_event_paranoid; INT_MIN: unknown */
	bool may_perf; /* CAP_PERFMON or CAP_SYS_ADMIN */
};

/* Why perf_event_open(2) failed (err, -errno), and the remedy: a static string. */
const char *perf_plan__reason(int err, bool hardware, const struct perf_facts *facts);

/* Why a quantity has no value; NULL: a value is possible. */
const char *perf_plan__missing(const struct perf_plan *plan, unsigned int quantity,
			       enum perf_part part, const struct perf_facts *facts);

#endif
