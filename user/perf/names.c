/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses event names, with the tables of perf-list(1). */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "pmu_event.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NEAR_MAX      3 /* edit distance of a suggestion */

struct named {
	const char *name;
	uint32_t type;
	uint64_t config;
};

#define HW(name, id)                                         \
	{                                                    \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id \
	}
#define SW(name, id)                                         \
	{                                                    \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id \
	}

static const struct named names[] = {
	HW("cycles", CPU_CYCLES),
	HW("cpu-cycles", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	HW("bus-cycles", BUS_CYCLES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("ref-cycles", REF_CPU_CYCLES),
	SW("cpu-clock", CPU_CLOCK),
	SW("task-clock", TASK_CLOCK),
	SW("page-faults", PAGE_FAULTS),
	SW("faults", PAGE_FAULTS),
	SW("context-switches", CONTEXT_SWITCHES),
	SW("cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", CPU_MIGRATIONS),
	SW("migrations", CPU_MIGRATIONS),
	SW("minor-faults", PAGE_FAULTS_MIN),
	SW("major-faults", PAGE_FAULTS_MAJ),
	SW("alignment-faults", ALIGNMENT_FAULTS),
	SW("emulation-faults", EMULATION_FAULTS),
	SW("cgroup-switches", CGROUP_SWITCHES),
};

/* A cache event is a cache and an operation: L1-dcache and -load-misses. */
struct word {
	const char *word;
	uint64_t id;
};

static const struct word caches[] = {
	{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
	{"LLC", PERF_COUNT_HW_CACHE_LL},        {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
	{"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
	{"node", PERF_COUNT_HW_CACHE_NODE},
};

static const struct word operations[] = {
	{"-loads", PERF_COUNT_HW_CACHE_OP_READ},
	{"-load-misses", PERF_COUNT_HW_CACHE_OP_READ},
	{"-stores", PERF_COUNT_HW_CACHE_OP_WRITE},
	{"-store-misses", PERF_COUNT_HW_CACHE_OP_WRITE},
	{"-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH},
	{"-prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH},
};

static bool find_named(const char *name, struct perf_spec *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i].name))
			continue;
		out->type = names[i].type;
		out->config = names[i].config;
		return true;
	}
	return false;
}

/* config of PERF_TYPE_HW_CACHE: cache, operation << 8, result << 16 (perf_event_open(2)). */
static uint64_t cache_config(const struct word *cache, const struct word *operation)
{
	uint64_t result = strstr(operation->word, "misses") ? PERF_COUNT_HW_CACHE_RESULT_MISS
							    : PERF_COUNT_HW_CACHE_RESULT_ACCESS;

	return cache->id | operation->id << 8 | result << 16;
}

static bool find_cache(const char *name, struct perf_spec *out)
{
	for (size_t c = 0; c < ARRAY_SIZE(caches); c++) {
		size_t len = strlen(caches[c].word);

		if (strncmp(name, caches[c].word, len))
			continue;
		for (size_t o = 0; o < ARRAY_SIZE(operations); o++) {
			if (strcmp(name + len, operations[o].word))
				continue;
			out->type = PERF_TYPE_HW_CACHE;
			out->config = cache_config(&caches[c], &operations[o]);
			return true;
		}
	}
	return false;
}

/* "r" and 1 to 16 hexadecimal digits. */
static bool find_raw(const char *name, struct perf_spec *out)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (*name != 'r' || !digits || digits > 16 || name[1 + digits])
		return false;
	out->type = PERF_TYPE_RAW;
	return perf_parse_number(name + 1, 16, &out->config);
}

static int find_tracepoint(const char *name, const struct perf_lookup *lookup,
			   struct perf_spec *out, char *message, size_t len)
{
	const char *colon = strchr(name, ':');
	char system[PERF_NAME_MAX];
	int err;

	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	out->type = PERF_TYPE_TRACEPOINT;
	err = lookup->tracepoint(system, colon + 1, &out->config);
	if (err == -ENOENT)
		return perf_refuse(message, len, "this kernel has no tracepoint '%s'", name);
	if (err)
		return perf_refuse(
			message, len,
			"tracepoint '%s' cannot be looked up (%s): tracefs must be mounted "
			"and readable",
			name, strerror(-err));
	return 0;
}

/* Levenshtein distance; NEAR_MAX + 1 if the lengths differ by more than NEAR_MAX. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[PERF_NAME_MAX + 1], diagonal, above, cost;
	size_t m = strlen(a), n = strlen(b), i, j;

	if (m >= PERF_NAME_MAX || n >= PERF_NAME_MAX || (m > n ? m - n : n - m) > NEAR_MAX)
		return NEAR_MAX + 1;
	for (j = 0; j <= n; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= m; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i;
		for (j = 1; j <= n; j++) {
			above = row[j];
			cost = diagonal + (a[i - 1] != b[j - 1]);
			if (above + 1 < cost)
				cost = above + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
			diagonal = above;
		}
	}
	return row[n];
}

struct suggestion {
	char name[PERF_NAME_MAX];
	unsigned int distance;
};

static void consider(struct suggestion *s, const char *wanted, const char *name)
{
	unsigned int d = distance(wanted, name);

	if (d >= s->distance)
		return;
	s->distance = d;
	snprintf(s->name, sizeof(s->name), "%s", name);
}

static int unknown(const char *name, char *message, size_t len)
{
	struct suggestion s = {.distance = NEAR_MAX + 1};
	char cache[PERF_NAME_MAX];
	size_t i, o;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		consider(&s, name, names[i].name);
	for (i = 0; i < ARRAY_SIZE(caches); i++) {
		for (o = 0; o < ARRAY_SIZE(operations); o++) {
			snprintf(cache, sizeof(cache), "%s%s", caches[i].word, operations[o].word);
			consider(&s, name, cache);
		}
	}
	if (s.distance <= NEAR_MAX)
		return perf_refuse(message, len, "no event is called '%s'; did you mean '%s'?",
				   name, s.name);
	return perf_refuse(message, len, "no event is called '%s': perf list names them", name);
}

/* Removes a modifier like ":u" or ":uk" from the end, but not the name of a tracepoint. */
static int take_modifiers(char *name, struct perf_spec *out, char *message, size_t len)
{
	char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	bool user, kernel;

	/* cpu/event=1/u has no colon. */
	if (slash && slash != strchr(name, '/') && slash[1] && slash[1] != ':')
		colon = slash;
	if (!colon)
		return 0;
	if (colon[1] == '\0' && colon != slash)
		return perf_refuse(message, len, "'%s': nothing is behind the colon", name);
	if (strspn(colon + 1, "uk") != strlen(colon + 1)) {
		if (colon != slash && strlen(colon + 1) > 3)
			return 0; /* the name of a tracepoint */
		return perf_refuse(message, len, "'%s': of the modifiers, only u and k are known",
				   name);
	}
	user = strchr(colon + 1, 'u');
	kernel = strchr(colon + 1, 'k');
	out->exclude_user = kernel && !user;
	out->exclude_kernel = user && !kernel;
	colon[colon == slash] = '\0';
	return 0;
}

int perf_names__parse(const char *name, const struct perf_lookup *lookup, struct perf_spec *out,
		      char *message, size_t len)
{
	struct perf_spec spec = {.type = 0};
	char plain[PERF_NAME_MAX];
	int err;

	if (!*name)
		return perf_refuse(message, len, "the name of an event is empty");
	if (strlen(name) >= sizeof(plain))
		return perf_refuse(message, len, "'%.32s...' is too long for the name of an event",
				   name);
	strcpy(spec.name, name);
	strcpy(plain, name);
	err = take_modifiers(plain, &spec, message, len);
	if (err)
		return err;
	if (strchr(plain, '/'))
		err = pmu_event__find(plain, lookup, &spec, message, len);
	else if (strchr(plain, ':'))
		err = find_tracepoint(plain, lookup, &spec, message, len);
	else if (!find_named(plain, &spec) && !find_cache(plain, &spec) && !find_raw(plain, &spec))
		err = unknown(plain, message, len);
	if (!err)
		*out = spec;
	return err;
}

/* Length of the first name: up to a comma that is not between slashes. */
static size_t first_name(const char *list)
{
	bool inside = false;
	size_t i;

	for (i = 0; list[i] && (inside || list[i] != ','); i++)
		if (list[i] == '/')
			inside = !inside;
	return i;
}

static bool twice(const struct perf_spec *specs, size_t nr)
{
	for (size_t i = 0; i + 1 < nr; i++)
		if (!strcmp(specs[i].name, specs[nr - 1].name))
			return true;
	return false;
}

int perf_names__parse_list(const char *list, const struct perf_lookup *lookup,
			   struct perf_spec *specs, size_t max, size_t *nr, char *message,
			   size_t len)
{
	char name[256];
	size_t end;
	int err;

	for (*nr = 0;; list += end + 1) {
		end = first_name(list);
		if (*nr == max)
			return perf_refuse(message, len, "at most %zu events can be counted", max);
		snprintf(name, sizeof(name), "%.*s", (int)(end < 255 ? end : 255), list);
		err = perf_names__parse(name, lookup, &specs[*nr], message, len);
		if (err)
			return err;
		++*nr;
		if (twice(specs, *nr))
			return perf_refuse(message, len, "event '%s' is given twice", name);
		if (!list[end])
			return 0;
	}
}

bool perf_spec__is_hardware(const struct perf_spec *spec)
{
	return spec->type != PERF_TYPE_SOFTWARE && spec->type != PERF_TYPE_TRACEPOINT &&
	       spec->type != PERF_TYPE_BREAKPOINT;
}

unsigned int perf_spec__pmu(const struct perf_spec *spec)
{
	if (!perf_spec__is_hardware(spec))
		return 0;
	return spec->type < PERF_TYPE_MAX ? PERF_PMU_CPU : spec->type;
}
