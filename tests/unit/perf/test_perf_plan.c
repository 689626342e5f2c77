/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of events on invented machines, and reasons for missing ones. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <linux/perf_event.h>

#include "perf/perf_plan.h"
#include "support/test.h"

/* A machine with all events and this number of counter registers. */
static void plan__of(struct perf_plan *plan, unsigned int registers)
{
	perf_plan__init(plan, NULL, 0);
	plan->registers = registers;
	perf_plan__pack(plan);
}

static const struct perf_group *group_of(const struct perf_plan *plan, unsigned int quantity,
					 enum perf_part part)
{
	const struct perf_group *found = NULL;

	for (size_t g = 0; g < plan->groups_nr; g++) {
		for (unsigned int i = 0; i < plan->groups[g].nr; i++) {
			const struct perf_slot *s = &plan->slots[plan->groups[g].slot[i]];

			if (s->quantity != quantity || s->part != part)
				continue;
			assert_null(found);
			found = &plan->groups[g];
		}
	}
	return found;
}

/* Each usable slot is in one group, no group exceeds the registers, none mixes PMUs. */
static void check_groups(const struct perf_plan *plan)
{
	size_t placed = 0, usable = 0;

	for (size_t g = 0; g < plan->groups_nr; g++) {
		const struct perf_group *group = &plan->groups[g];

		assert_true(group->nr > 0);
		assert_true(group->nr <= PERF_GROUP_MAX);
		if (group->pmu == PERF_PMU_CPU)
			assert_true(group->nr <= plan->registers);
		for (unsigned int i = 0; i < group->nr; i++)
			assert_int_equal(perf_spec__pmu(&plan->slots[group->slot[i]].spec),
					 group->pmu);
		placed += group->nr;
	}
	for (size_t i = 0; i < plan->slots_nr; i++)
		usable += !plan->slots[i].err &&
			  (perf_spec__pmu(&plan->slots[i].spec) != PERF_PMU_CPU || plan->registers);
	assert_int_equal(placed, usable);
}

TEST(groups_fit_any_number_of_registers)
{
	struct perf_plan plan;

	for (unsigned int registers = 0; registers <= PERF_REGISTERS_MAX; registers++) {
		plan__of(&plan, registers);
		check_groups(&plan);
		assert_non_null(group_of(&plan, PERF_TASK_CLOCK_NS, PERF_WHOLE));
	}
}

/* 16 hardware events: 4 groups of 4. Events of one ratio are in one group. */
TEST(ratio_has_both_events_in_one_group)
{
	static const unsigned int pairs[][2] = {
		{PERF_CYCLES, PERF_INSTRUCTIONS},
		{PERF_LLC_REFERENCES, PERF_LLC_MISSES},
		{PERF_BRANCHES, PERF_BRANCH_MISSES},
	};
	struct perf_plan plan;

	for (unsigned int registers = 4; registers <= 8; registers++) {
		plan__of(&plan, registers);
		for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
			const struct perf_group *g = group_of(&plan, pairs[i][0], PERF_USER);

			assert_non_null(g);
			assert_ptr_equal(g, group_of(&plan, pairs[i][0], PERF_KERNEL));
			assert_ptr_equal(g, group_of(&plan, pairs[i][1], PERF_USER));
			assert_ptr_equal(g, group_of(&plan, pairs[i][1], PERF_KERNEL));
		}
	}
	plan__of(&plan, 4);
	/* User and kernel mode are separate events, and no register is idle. */
	assert_int_equal(perf_plan__hardware_groups(&plan), (2 * PERF_HARDWARE_NR + 3) / 4);
	plan__of(&plan, 16);
	assert_int_equal(perf_plan__hardware_groups(&plan), (2 * PERF_HARDWARE_NR + 15) / 16);
	plan__of(&plan, 1);
	assert_int_equal(perf_plan__hardware_groups(&plan), 2 * PERF_HARDWARE_NR);
}

/* Software events need no registers and are never multiplexed with hardware events. */
TEST(software_events_have_a_group_of_their_own)
{
	const struct perf_group *g;
	struct perf_plan plan;

	plan__of(&plan, 0);
	assert_int_equal(plan.groups_nr, 1);
	plan__of(&plan, 6);
	g = group_of(&plan, PERF_TASK_CLOCK_NS, PERF_WHOLE);
	assert_int_equal(g->pmu, 0);
	assert_ptr_equal(g, group_of(&plan, PERF_CONTEXT_SWITCHES, PERF_WHOLE));
	assert_ptr_equal(g, group_of(&plan, PERF_PAGE_FAULTS, PERF_KERNEL));
}

/* An event that the CPU lacks costs that event only. */
TEST(missing_event_leaves_the_rest_of_its_group)
{
	const struct perf_facts facts = {.has_pmu = true, .paranoid = 1};
	struct perf_plan plan;

	perf_plan__init(&plan, NULL, 0);
	plan.registers = 4;
	for (size_t i = 0; i < plan.slots_nr; i++)
		if (plan.slots[i].quantity == PERF_LLC_MISSES)
			plan.slots[i].err = -ENOENT;
	perf_plan__pack(&plan);
	check_groups(&plan);
	assert_null(group_of(&plan, PERF_LLC_MISSES, PERF_USER));
	assert_non_null(group_of(&plan, PERF_LLC_REFERENCES, PERF_USER));
	assert_non_null(strstr(perf_plan__missing(&plan, PERF_LLC_MISSES, PERF_WHOLE, &facts),
			       "has no such event"));
	assert_null(perf_plan__missing(&plan, PERF_LLC_REFERENCES, PERF_WHOLE, &facts));
}

TEST(requested_events_come_last)
{
	const struct perf_spec asked[] = {
		{.name = "cycles", .type = PERF_TYPE_HARDWARE},
		{.name = "msr/tsc/", .type = 9},
		{.name = "msr/aperf/", .type = 9, .config = 1},
		{.name = "cs", .type = PERF_TYPE_SOFTWARE, .config = 3},
	};
	struct perf_plan plan;
	unsigned int groups;

	plan__of(&plan, 5);
	groups = perf_plan__hardware_groups(&plan);
	perf_plan__init(&plan, asked, 4);
	plan.registers = 5;
	perf_plan__pack(&plan);
	check_groups(&plan);
	assert_int_equal(group_of(&plan, PERF_NR + 1, PERF_WHOLE)->pmu, 9);
	assert_ptr_not_equal(group_of(&plan, PERF_NR + 1, PERF_WHOLE),
			     group_of(&plan, PERF_NR + 2, PERF_WHOLE));
	assert_int_equal(group_of(&plan, PERF_NR + 3, PERF_WHOLE)->pmu, 0);
	/* In the registers that a group of four left free. */
	assert_int_equal(perf_plan__hardware_groups(&plan), groups);
}

TEST(largest_number_of_requested_events_fits)
{
	struct perf_spec asked[PERF_EVENTS_MAX] = {{.type = PERF_TYPE_RAW}};
	struct perf_plan plan;

	for (int i = 0; i < PERF_EVENTS_MAX; i++)
		asked[i] = (struct perf_spec){.type = i % 2 ? PERF_TYPE_RAW : PERF_TYPE_SOFTWARE};
	for (unsigned int registers = 0; registers <= PERF_REGISTERS_MAX; registers += 3) {
		perf_plan__init(&plan, asked, PERF_EVENTS_MAX);
		plan.registers = registers;
		perf_plan__pack(&plan);
		check_groups(&plan);
	}
}

TEST(reasons_have_the_remedy)
{
	const struct perf_facts vm = {.virtual_machine = true, .paranoid = 2, .may_perf = true};
	const struct perf_facts user = {.has_pmu = true, .paranoid = 2};
	const struct perf_facts container = {.has_pmu = true, .paranoid = INT_MIN};
	const struct perf_facts bare = {.paranoid = 1, .may_perf = true};
	struct perf_plan plan;

	assert_non_null(strstr(perf_plan__reason(-ENOENT, true, &vm), "pmu=on"));
	assert_non_null(strstr(perf_plan__reason(-EOPNOTSUPP, true, &bare), "drives no PMU"));
	assert_non_null(strstr(perf_plan__reason(-EACCES, true, &user), "perf_event_paranoid=1"));
	assert_non_null(strstr(perf_plan__reason(-EPERM, false, &container), "CAP_PERFMON"));
	assert_non_null(strstr(perf_plan__reason(-ENOSYS, false, &bare), "CONFIG_PERF_EVENTS"));
	assert_non_null(strstr(perf_plan__reason(-EMFILE, false, &bare), "ulimit -n"));
	assert_non_null(strstr(perf_plan__reason(-EBUSY, true, &bare), "holds the counters"));
	assert_non_null(perf_plan__reason(-ETIME, true, &bare));
	/* No PMU: one reason for all hardware counters and their parts. */
	perf_plan__init(&plan, NULL, 0);
	for (size_t i = 0; i < plan.slots_nr; i++)
		if (perf_spec__is_hardware(&plan.slots[i].spec))
			plan.slots[i].err = i % 2 ? -ENOENT : -EOPNOTSUPP;
	perf_plan__pack(&plan);
	for (int c = 0; c < PERF_HARDWARE_NR; c++)
		for (int part = PERF_USER; part < PERF_PART_NR; part++)
			assert_string_equal(perf_plan__missing(&plan, c, part, &vm),
					    perf_plan__missing(&plan, 0, PERF_WHOLE, &vm));
	assert_null(perf_plan__missing(&plan, PERF_TASK_CLOCK_NS, PERF_WHOLE, &vm));
	assert_non_null(perf_plan__missing(&plan, PERF_TASK_CLOCK_NS, PERF_USER, &vm));
}
