/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events are opened, in which groups: the counters of struct run_result, in user mode and in
 * the kernel apart where that is possible, and what --perf-events asked for; packed so that each
 * group fits the registers of the CPU. Pure: what the kernel refused comes in, groups come out.
 */
#ifndef NETIOTRACE_PERF_PLAN_H
#define NETIOTRACE_PERF_PLAN_H

#include "names.h"
#include "model/result.h"

/* What an event is a part of: of a counter's whole, or what of it was spent in either mode. */
enum perf_part {
	PERF_WHOLE,
	PERF_USER,
	PERF_KERNEL,
	PERF_PART_NR,
};

/* Counter c of the result is c, event i asked for is PERF_NR + i. */
#define PERF_QUANTITY_NR (PERF_NR + PERF_EVENTS_MAX)

/* One event that is opened for each thread. */
struct perf_slot {
	struct perf_spec spec;
	unsigned int quantity;
	enum perf_part part;
	unsigned int
		bundle; /* slots of one bundle belong into one group: ratios are made of them */
	int err;        /* why the kernel has no such event, negative; 0: it has */
	bool proc;      /* not opened: taken from /proc (proc.h) */
};

#define PERF_SLOTS_MAX     (2 * PERF_NR + PERF_EVENTS_MAX)
#define PERF_GROUP_MAX     16
#define PERF_REGISTERS_MAX 16

/* Slots by index; the first is the leader. They count at the same time or not at all. */
struct perf_group {
	unsigned char slot[PERF_GROUP_MAX];
	unsigned int nr;
	unsigned int pmu; /* perf_spec__pmu() of all of them */
};

struct perf_plan {
	struct perf_slot slots[PERF_SLOTS_MAX];
	size_t slots_nr;
	unsigned int registers; /* that a group may use; 0: there are no hardware counters */
	struct perf_group groups[PERF_SLOTS_MAX];
	size_t groups_nr;
	const char
		*reason; /* why hardware counters are missing, all for one reason; NULL: no such */
};

/* The slots: those of every run, and one for each event asked for. No groups yet. */
void perf_plan__init(struct perf_plan *plan, const struct perf_spec *asked, size_t asked_nr);

/*
 * Makes the groups of what the slots' err and registers say. Software events are a group of their
 * own (they are never multiplexed), and so are those of each PMU; bundles stay together if a group
 * of `registers` has room for one.
 */
void perf_plan__pack(struct perf_plan *plan);

/* Groups of the CPU's own events: above 1 they take turns, and counts are scaled. */
unsigned int perf_plan__hardware_groups(const struct perf_plan *plan);

/* What was found out about this machine, for the words of a reason. */
struct perf_facts {
	bool virtual_machine;
	bool has_pmu;  /* a PMU of a CPU in /sys/bus/event_source/devices */
	int paranoid;  /* kernel.perf_event_paranoid; INT_MIN: cannot be read */
	bool may_perf; /* CAP_PERFMON or CAP_SYS_ADMIN */
};

/* Why an event could not be opened (err, negative), with the remedy: a static string. */
const char *perf_plan__reason(int err, bool hardware, const struct perf_facts *facts);

/* Why quantity q has no value; NULL if it can have one. */
const char *perf_plan__missing(const struct perf_plan *plan, unsigned int quantity,
			       enum perf_part part, const struct perf_facts *facts);

#endif
