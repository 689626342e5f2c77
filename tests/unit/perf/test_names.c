/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of performance events on a machine with invented PMUs and tracepoints. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include "perf/names.h"
#include "support/test.h"

/* 120 characters: no file of sysfs has such a name. */
#define TEN       "aaaaaaaaaa"
#define LONG_TERM TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

/* Files of an Intel core PMU and of the msr PMU, as Linux shows them. */
static const struct {
	const char *pmu, *file, *text;
} files[] = {
	{"cpu", "type", "4"},
	{"cpu", "format/event", "config:0-7"},
	{"cpu", "format/umask", "config:8-15"},
	{"cpu", "format/inv", "config:23"},
	{"cpu", "format/cmask", "config:24-31"},
	{"cpu", "format/offcore_rsp", "config1:0-63"},
	{"cpu", "format/split", "config:0-3,32-35"},
	{"cpu", "format/odd", "config7:0-3"},
	{"cpu", "events/cache-misses", "event=0x2e,umask=0x41"},
	{"cpu", "events/loop", "loop"},
	{"msr", "type", "9"},
	{"msr", "format/event", "config:0-63"},
	{"msr", "events/tsc", "event=0x00"},
	{"msr", "events/long", LONG_TERM},
};

static int fake_pmu(const char *pmu, const char *file, char *text, size_t len)
{
	for_each_case(c, files) {
		if (strcmp(c->pmu, pmu) || strcmp(c->file, file))
			continue;
		snprintf(text, len, "%s", c->text);
		return 0;
	}
	return -ENOENT;
}

static int fake_tracepoint(const char *system, const char *name, uint64_t *id)
{
	if (!strcmp(system, "secret"))
		return -EACCES;
	if (strcmp(system, "sched") || strcmp(name, "sched_switch"))
		return -ENOENT;
	*id = 372;
	return 0;
}

static const struct perf_lookup lookup = {fake_pmu, fake_tracepoint};

static struct perf_spec parsed(const char *name)
{
	struct perf_spec spec;
	char message[256];

	if (perf_names__parse(name, &lookup, &spec, message, sizeof(message)))
		fail_msg("%s: %s", name, message);
	assert_string_equal(spec.name, name);
	return spec;
}

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config, config1;
} good[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0},
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0},
	/* Values that `perf -vv` prints. */
	{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 0},
	{"LLC-loads", PERF_TYPE_HW_CACHE, 0x2, 0},
	{"LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102, 0},
	{"dTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10003, 0},
	{"node-prefetches", PERF_TYPE_HW_CACHE, 0x206, 0},
	{"r1c2", PERF_TYPE_RAW, 0x1c2, 0},
	{"rFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX, 0},
	{"cpu/event=0x2e,umask=0x41/", 4, 0x412e, 0},
	{"cpu/event=46,umask=65,inv,cmask=2/", 4, 0x280412e, 0},
	{"cpu/cache-misses/", 4, 0x412e, 0},
	{"cpu/cache-misses,cmask=1/", 4, 0x100412e, 0},
	{"cpu/event=0xb7,offcore_rsp=0xffffffffffffffff/", 4, 0xb7, UINT64_MAX},
	{"cpu/split=0x7e/", 4, 0x70000000e, 0},
	{"cpu/config=0x1234,config1=5/", 4, 0x1234, 5},
	{"msr/tsc/", 9, 0, 0},
	{"sched:sched_switch", PERF_TYPE_TRACEPOINT, 372, 0},
};

TEST(event_names_give_the_numbers_of_perf)
{
	for_each_case(c, good) {
		struct perf_spec spec = parsed(c->name);

		assert_int_equal(spec.type, c->type);
		assert_int_equal(spec.config, c->config);
		assert_int_equal(spec.config1, c->config1);
		assert_false(spec.exclude_user || spec.exclude_kernel);
	}
}

TEST(modifiers_exclude_user_or_kernel_mode)
{
	static const struct {
		const char *name;
		bool user, kernel; /* excluded */
	} cases[] = {
		{"cycles:u", false, true},
		{"cycles:k", true, false},
		{"cycles:uk", false, false},
		{"r1c2:k", true, false},
		{"sched:sched_switch:u", false, true},
		{"cpu/cache-misses/u", false, true},
		{"cpu/cache-misses/:k", true, false},
		{"msr/tsc/", false, false},
	};
	for_each_case(c, cases) {
		struct perf_spec spec = parsed(c->name);

		assert_int_equal(spec.exclude_user, c->user);
		assert_int_equal(spec.exclude_kernel, c->kernel);
	}
}

TEST(unknown_events_are_refused_with_a_hint)
{
	static const struct {
		const char *name, *words;
	} cases[] = {
		{"", "empty"},
		{"cache-mises", "did you mean 'cache-misses'?"},
		{"instruktions", "did you mean 'instructions'?"},
		{"L1-dcache-load-mises", "did you mean 'L1-dcache-load-misses'?"},
		{"bananas-in-the-cache", "perf list"},
		{"cycles:", "nothing is behind the colon"},
		{"cycles:x", "only u and k"},
		{"cycles:ppp", "only u and k"},
		{"rxyz", "no event is called 'rxyz'"},
		{"r", "no event is called"},
		{"r12345678901234567", "no event is called"},
		{"L1-dcache", "no event is called"},
		{"LLC-load-misses-", "did you mean"},
		{"sched:sched_swich", "no tracepoint 'sched:sched_swich'"},
		{"secret:sched_switch", "tracefs must be mounted"},
		{"gpu/event=1/", "no PMU 'gpu'"},
		{"../cpu/event=1/", "no"},
		{"cpu/event=1", "does not end in a slash"},
		{"cpu//", "nothing is between"},
		{"cpu/nonsense/", "no field or event 'nonsense'"},
		{"msr/long/", "is not a field"},
		{"cpu/event=abc/", "'abc' is not a number"},
		{"cpu/event=/", "is not a number"},
		{"cpu/event=-1/", "is not a number"},
		{"cpu/event=0x100/", "does not fit"},
		{"cpu/odd=1/", "format not known"},
		{"cpu/loop/", "no field or event 'loop'"},
		{"cpu/../../x/", "slash"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 "too long"},
	};
	struct perf_spec spec = {.type = 77};
	char message[256];

	for_each_case(c, cases) {
		*message = '\0';
		assert_int_equal(
			perf_names__parse(c->name, &lookup, &spec, message, sizeof(message)),
			-EINVAL);
		if (!strstr(message, c->words))
			fail_msg("'%s': '%s' does not say '%s'", c->name, message, c->words);
		assert_int_equal(spec.type, 77);
	}
}

TEST(lists_are_split_at_commas_outside_slashes)
{
	static const struct {
		const char *list;
		size_t nr; /* 0: refused, by a message with these words */
		const char *words;
	} cases[] = {
		{"cycles:u,cpu/event=1,umask=2/,cs,sched:sched_switch", 4, NULL},
		{"cs", 1, NULL},
		{"cycles,cs,faults,r1,r2", 0, "at most 4"},
		{"cycles,", 0, "empty"},
		{",cycles", 0, "empty"},
		{"", 0, "empty"},
		{"cs,faults,cs", 0, "'cs' is given twice"},
		{"cpu/event=1,umask=2", 0, "does not end in a slash"},
	};
	struct perf_spec specs[4], first[4];
	char message[256];
	size_t nr;

	for_each_case(c, cases) {
		int err = perf_names__parse_list(c->list, &lookup, specs, 4, &nr, message, 256);

		assert_int_equal(err, c->nr ? 0 : -EINVAL);
		if (c->nr)
			assert_int_equal(nr, c->nr);
		else
			assert_non_null(strstr(message, c->words));
		if (c == cases)
			memcpy(first, specs, sizeof(first));
	}
	assert_string_equal(first[1].name, "cpu/event=1,umask=2/");
	assert_int_equal(first[1].config, 0x201);
	assert_string_equal(first[3].name, "sched:sched_switch");
}

/* Events of different PMUs cannot share a group. */
TEST(events_have_their_PMU)
{
	static const struct {
		const char *name;
		unsigned int pmu;
	} cases[] = {
		{"cs", 0},
		{"sched:sched_switch", 0},
		{"cycles", PERF_PMU_CPU},
		{"LLC-loads", PERF_PMU_CPU},
		{"r1", PERF_PMU_CPU},
		{"cpu/event=1/", PERF_PMU_CPU},
		{"msr/tsc/", 9},
	};
	for_each_case(c, cases) {
		struct perf_spec spec = parsed(c->name);

		assert_int_equal(perf_spec__pmu(&spec), c->pmu);
		assert_int_equal(perf_spec__is_hardware(&spec), c->pmu != 0);
	}
}
