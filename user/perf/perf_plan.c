/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of counters, and the packing of events into groups. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "perf_plan.h"

struct counter {
	uint32_t type;
	uint64_t config;
	bool parts;          /* user and kernel mode are separate events */
	unsigned int bundle; /* 0: software */
};

/* clang-format off */
#define PERF_COUNT_HW_CACHE_READ_MISS(cache)                                        \
	(PERF_COUNT_HW_CACHE_##cache | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define PARTS true
#define WHOLE false

static const struct counter counters[] = {
#define X(id, key, words, head, per, type, config, parts, bundle) \
	[PERF_##id] = {PERF_TYPE_##type, PERF_COUNT_##config, parts, bundle},
	PERF_COUNTERS(X)
#undef X
};

#define X(id, key, words, head, per, type, config, parts, bundle) \
	_Static_assert((bundle > 0) == (PERF_##id < PERF_HARDWARE_NR), "hardware counters first: " key);
PERF_COUNTERS(X)
#undef X
/* clang-format on */

#define BUNDLE_ASKED 16 /* first bundle of the events asked for, one bundle each */

static void add_slot(struct perf_plan *plan, const struct perf_spec *spec, unsigned int quantity,
		     enum perf_part part, unsigned int bundle)
{
	plan->slots[plan->slots_nr++] = (struct perf_slot){
		.spec = *spec, .quantity = quantity, .part = part, .bundle = bundle};
}

static void add_counter(struct perf_plan *plan, enum perf_counter c)
{
	const struct counter *k = &counters[c];
	struct perf_spec spec = {.type = k->type, .config = k->config};

	strcpy(spec.name, perf_counter__key(c));
	if (!k->parts) {
		add_slot(plan, &spec, c, PERF_WHOLE, k->bundle);
		return;
	}
	spec.exclude_kernel = true;
	add_slot(plan, &spec, c, PERF_USER, k->bundle);
	spec.exclude_kernel = false;
	spec.exclude_user = true;
	add_slot(plan, &spec, c, PERF_KERNEL, k->bundle);
}

void perf_plan__init(struct perf_plan *plan, const struct perf_spec *asked, size_t asked_nr)
{
	memset(plan, 0, sizeof(*plan));
	for (int c = 0; c < PERF_NR; c++)
		add_counter(plan, c);
	for (size_t i = 0; i < asked_nr; i++)
		add_slot(plan, &asked[i], PERF_NR + (unsigned int)i, PERF_WHOLE,
			 BUNDLE_ASKED + (unsigned int)i);
}

static bool usable(const struct perf_plan *plan, const struct perf_slot *slot)
{
	return !slot->err && !slot->proc &&
	       (perf_spec__pmu(&slot->spec) != PERF_PMU_CPU || plan->registers);
}

/* Maximum of events in a group. The counters of a PMU other than the CPU's are unknown: one. */
static unsigned int limit_of(const struct perf_plan *plan, unsigned int pmu)
{
	if (!pmu)
		return PERF_GROUP_MAX;
	if (pmu != PERF_PMU_CPU)
		return 1;
	return plan->registers < PERF_GROUP_MAX ? plan->registers : PERF_GROUP_MAX;
}

/* The first group of this PMU with space for n events, else a new group. */
static struct perf_group *group_for(struct perf_plan *plan, unsigned int pmu, unsigned int n)
{
	struct perf_group *g;

	for (size_t i = 0; i < plan->groups_nr; i++) {
		g = &plan->groups[i];
		if (g->pmu == pmu && g->nr + n <= limit_of(plan, pmu))
			return g;
	}
	g = &plan->groups[plan->groups_nr++];
	*g = (struct perf_group){.pmu = pmu};
	return g;
}

bool perf_plan__has_slot(const struct perf_plan *plan, size_t slot)
{
	for (size_t g = 0; g < plan->groups_nr; g++)
		for (unsigned int i = 0; i < plan->groups[g].nr; i++)
			if (plan->groups[g].slot[i] == slot)
				return true;
	return false;
}

/* A bundle that is larger than a group is split into single events. */
static void place_bundle(struct perf_plan *plan, size_t first)
{
	unsigned int pmu = perf_spec__pmu(&plan->slots[first].spec), n = 0;
	unsigned char members[PERF_SLOTS_MAX];
	struct perf_group *g = NULL;
	bool whole;

	for (size_t i = first; i < plan->slots_nr; i++)
		if (plan->slots[i].bundle == plan->slots[first].bundle &&
		    usable(plan, &plan->slots[i]))
			members[n++] = (unsigned char)i;
	whole = n <= limit_of(plan, pmu);
	for (unsigned int i = 0; i < n; i++) {
		if (!i || !whole)
			g = group_for(plan, pmu, whole ? n : 1);
		g->slot[g->nr++] = members[i];
	}
}

void perf_plan__pack(struct perf_plan *plan)
{
	plan->groups_nr = 0;
	for (size_t i = 0; i < plan->slots_nr; i++)
		if (usable(plan, &plan->slots[i]) && !perf_plan__has_slot(plan, i))
			place_bundle(plan, i);
}

unsigned int perf_plan__hardware_groups(const struct perf_plan *plan)
{
	unsigned int n = 0;

	for (size_t g = 0; g < plan->groups_nr; g++)
		n += plan->groups[g].pmu == PERF_PMU_CPU;
	return n;
}

static const char *reason_refused(const struct perf_facts *facts)
{
	if (facts->paranoid > 1 && !facts->may_perf)
		return "kernel.perf_event_paranoid forbids it to ordinary users: run as root, or "
		       "sysctl kernel.perf_event_paranoid=1";
	return "perf_event_open is refused, as in a container: give it CAP_PERFMON, and a seccomp "
	       "profile that allows perf_event_open";
}

static const char *reason_no_hardware(const struct perf_facts *facts)
{
	if (facts->has_pmu)
		return "this CPU's PMU has no such event: see perf list";
	if (facts->virtual_machine)
		return "no hardware counters: virtual machine without a PMU; run on real hardware, "
		       "or give the guest one (QEMU: -cpu host,pmu=on)";
	return "no hardware counters: the kernel drives no PMU of this CPU; look for its driver in "
	       "dmesg";
}

const char *perf_plan__reason(int err, bool hardware, const struct perf_facts *facts)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return reason_refused(facts);
	case -ENOSYS:
		return "this kernel was built without perf events (CONFIG_PERF_EVENTS)";
	case -EMFILE:
	case -ENFILE:
		return "too many files are open: raise ulimit -n, or use fewer --threads";
	case -EBUSY:
		return "another program holds the counters: end it (perf, NMI watchdog, a "
		       "debugger)";
	case -ENOMEM:
		return "memory is short for perf events";
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
	case -EINVAL:
	case -ENXIO:
		return hardware ? reason_no_hardware(facts)
				: "this kernel has no such event: see perf list";
	default:
		return "perf_event_open failed";
	}
}

static const struct perf_slot *slot_of(const struct perf_plan *plan, unsigned int quantity,
				       enum perf_part part)
{
	for (size_t i = 0; i < plan->slots_nr; i++)
		if (plan->slots[i].quantity == quantity && plan->slots[i].part == part)
			return &plan->slots[i];
	return NULL;
}

const char *perf_plan__missing(const struct perf_plan *plan, unsigned int quantity,
			       enum perf_part part, const struct perf_facts *facts)
{
	static const char undivided[] = "the kernel counts user and kernel mode together";
	const struct perf_slot *s = slot_of(plan, quantity, part);
	const char *reason;

	for (size_t i = 0; i < plan->slots_nr; i++)
		if (plan->slots[i].quantity == quantity && plan->slots[i].proc)
			return part == PERF_WHOLE ? NULL : undivided;
	if (s && s->err)
		return perf_plan__reason(s->err, perf_spec__is_hardware(&s->spec), facts);
	if (s)
		return usable(plan, s) ? NULL : perf_plan__reason(-ENOENT, true, facts);
	if (part != PERF_WHOLE)
		return undivided;
	/* A whole that is the sum of both modes. */
	reason = perf_plan__missing(plan, quantity, PERF_USER, facts);
	return reason ? reason : perf_plan__missing(plan, quantity, PERF_KERNEL, facts);
}
