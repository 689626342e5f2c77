/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses event names, with the tables of perf-list(1), and PMU events by their files in sysfs. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/read_file.h"
#include "common/units.h"
#include "common/word.h"
#include "names.h"

#define PMUS "/sys/bus/event_source/devices"

struct named {
	const char *name;
	uint32_t type;
	uint64_t config;
};

/* clang-format off */
#define HW(name, id) {name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id}
#define SW(name, id) {name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id}

/* cache, operation << 8, result << 16 (perf_event_open(2)) */
#define CACHE(name, cache, op, result)                                       \
	{name, PERF_TYPE_HW_CACHE,                                           \
	 PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |    \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16}
#define CACHES(name, id)                                                     \
	CACHE(name "-loads", id, READ, ACCESS),                              \
	CACHE(name "-load-misses", id, READ, MISS),                          \
	CACHE(name "-stores", id, WRITE, ACCESS),                            \
	CACHE(name "-store-misses", id, WRITE, MISS),                        \
	CACHE(name "-prefetches", id, PREFETCH, ACCESS),                     \
	CACHE(name "-prefetch-misses", id, PREFETCH, MISS)

static const struct named names[] = {
	HW("cycles", CPU_CYCLES), HW("cpu-cycles", CPU_CYCLES), HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES), HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS), HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES), HW("bus-cycles", BUS_CYCLES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND), HW("ref-cycles", REF_CPU_CYCLES),
	SW("cpu-clock", CPU_CLOCK), SW("task-clock", TASK_CLOCK), SW("page-faults", PAGE_FAULTS),
	SW("faults", PAGE_FAULTS), SW("context-switches", CONTEXT_SWITCHES),
	SW("cs", CONTEXT_SWITCHES), SW("cpu-migrations", CPU_MIGRATIONS),
	SW("migrations", CPU_MIGRATIONS), SW("minor-faults", PAGE_FAULTS_MIN),
	SW("major-faults", PAGE_FAULTS_MAJ), SW("alignment-faults", ALIGNMENT_FAULTS),
	SW("emulation-faults", EMULATION_FAULTS), SW("cgroup-switches", CGROUP_SWITCHES),
	CACHES("L1-dcache", L1D), CACHES("L1-icache", L1I), CACHES("LLC", LL),
	CACHES("dTLB", DTLB), CACHES("iTLB", ITLB), CACHES("branch", BPU), CACHES("node", NODE),
};
/* clang-format on */

/* A name that is being parsed, and where a refusal is written. */
struct parser {
	const char *name;
	const struct perf_lookup *lookup;
	struct perf_spec *out;
	char *message;
	size_t len;
};

/* Writes the sentence. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) static int reject(const struct parser *p, const char *format,
							...)
{
	va_list args;

	va_start(args, format);
	p->message[0] = '\0';
	append__args(p->message, p->len, format, args);
	va_end(args);
	return -EINVAL;
}

/* All of text must be a number without sign; base as of strtoull(). */
static bool parse_number(const char *text, int base, uint64_t *out)
{
	char *end;

	if (!*text || strchr("+- \t\n", *text))
		return false;
	errno = 0;
	*out = strtoull(text, &end, base);
	return !errno && !*end;
}

static bool find_known(const char *name, struct perf_spec *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i].name) != 0)
			continue;
		out->type = names[i].type;
		out->config = names[i].config;
		return true;
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
	return parse_number(name + 1, 16, &out->config);
}

static int find_tracepoint(const struct parser *p, const char *name)
{
	const char *colon = strchr(name, ':');
	char system[PERF_NAME_MAX];
	int err;

	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	p->out->type = PERF_TYPE_TRACEPOINT;
	err = p->lookup->tracepoint(system, colon + 1, &p->out->config);
	if (err == -ENOENT)
		return reject(p, "this kernel has no tracepoint '%s'", name);
	if (err)
		return reject(p,
			      "tracepoint '%s' cannot be looked up (%s): tracefs must be mounted "
			      "and readable",
			      name, strerror(-err));
	return 0;
}

/* Suggests the nearest known event. */
static int refuse_unknown(const struct parser *p, const char *name)
{
	const char *known[ARRAY_SIZE(names)], *nearest;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		known[i] = names[i].name;
	nearest = choice__nearest(name, known, ARRAY_SIZE(names));
	if (nearest)
		return reject(p, "no event is called '%s'; did you mean '%s'?", name, nearest);
	return reject(p, "no event is called '%s': perf list names them", name);
}

/* The bits of a field, like "0-7,32-35", take value. -ERANGE: too many; -EOPNOTSUPP: unknown. */
static int put_bits(uint64_t *config, const char *bits, uint64_t value)
{
	unsigned int low, high;
	int used;

	for (const char *p = bits; *p; p += used + (p[used] == ',')) {
		if (sscanf(p, "%u-%u%n", &low, &high, &used) != 2) {
			if (sscanf(p, "%u%n", &low, &used) != 1)
				return -EOPNOTSUPP;
			high = low;
		}
		if (high > 63 || low > high)
			return -EOPNOTSUPP;
		for (unsigned int bit = low; bit <= high; bit++, value >>= 1)
			*config |= (value & 1) << bit;
	}
	return value ? -ERANGE : 0;
}

/* The member that the first len bytes of a word name; NULL: none. */
static uint64_t *config_of(struct perf_spec *out, const char *word, size_t len)
{
	static const char *const words[] = {"config", "config1", "config2"};
	/* cppcheck-suppress constVariable ; the members are written */
	uint64_t *const members[] = {&out->config, &out->config1, &out->config2};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && !strncmp(word, words[i], len))
			return members[i];
	return NULL;
}

/* Sets a field as in format/FIELD: "config:0-7". "config=1" needs no such file. */
static int put_field(const struct parser *p, const char *pmu, const char *field, uint64_t value)
{
	char file[PERF_NAME_MAX + 16], format[128], *colon;
	uint64_t *config = config_of(p->out, field, strlen(field));
	int err;

	if (config) {
		*config |= value;
		return 0;
	}
	snprintf(file, sizeof(file), "format/%s", field);
	if (p->lookup->pmu(pmu, file, format, sizeof(format)))
		return reject(p, "'%s': PMU '%s' has no field or event '%s'", p->name, pmu, field);
	colon = strchr(format, ':');
	config = colon ? config_of(p->out, format, (size_t)(colon - format)) : NULL;
	err = config ? put_bits(config, colon + 1, value) : -EOPNOTSUPP;
	if (err == -ERANGE)
		return reject(p, "'%s': the value of '%s' does not fit '%s'", p->name, field,
			      format);
	if (err)
		return reject(p, "'%s': field '%s' has a format not known: '%s'", p->name, field,
			      format);
	return 0;
}

static int parse_terms(const struct parser *p, const char *pmu, char *terms, bool alias);

/* Parses "event=0xd1", "inv" (inv=1), or an alias in the PMU's events directory. */
static int parse_term(const struct parser *p, const char *pmu, char *term, bool alias)
{
	char *equals = strchr(term, '='), file[PERF_NAME_MAX + 16], text[256];
	uint64_t value = 1;

	if (equals) {
		*equals = '\0';
		if (!parse_number(equals + 1, 0, &value))
			return reject(p, "'%s': '%s' is not a number", p->name, equals + 1);
		return put_field(p, pmu, term, value);
	}
	snprintf(file, sizeof(file), "events/%s", term);
	if (!alias && !p->lookup->pmu(pmu, file, text, sizeof(text)))
		return parse_terms(p, pmu, text, true);
	return put_field(p, pmu, term, value);
}

/* A term becomes part of a path in sysfs: refuse a slash, a dot at the begin, a long one. */
static bool is_term(const char *term)
{
	return *term && *term != '.' && strlen(term) < PERF_NAME_MAX && !strchr(term, '/');
}

static int parse_terms(const struct parser *p, const char *pmu, char *terms, bool alias)
{
	char *term, *save;
	int err = 0;

	if (!*terms)
		return reject(p, "'%s': nothing is between the slashes", p->name);
	for (term = strtok_r(terms, ",", &save); term && !err; term = strtok_r(NULL, ",", &save))
		err = is_term(term) ? parse_term(p, pmu, term, alias)
				    : reject(p, "'%s': '%s' is not a field", p->name, term);
	return err;
}

/* "cpu/event=0xd1/"; name has a slash. */
static int find_pmu_event(const struct parser *p, char *name)
{
	char type[32], *terms = strchr(name, '/'), *end;
	uint64_t value;

	*terms++ = '\0';
	end = strchr(terms, '/');
	if (!end || end[1])
		return reject(p, "'%s' does not end in a slash", p->name);
	*end = '\0';
	if (!is_term(name) || p->lookup->pmu(name, "type", type, sizeof(type)) ||
	    !parse_number(type, 10, &value) || value > UINT32_MAX)
		return reject(p, "'%s': this machine has no PMU '%s' (they are in " PMUS ")",
			      p->name, name);
	p->out->type = (uint32_t)value;
	return parse_terms(p, name, terms, false);
}

/* Removes a modifier like ":u" or ":uk" from the end, but not the name of a tracepoint. */
static int parse_modifiers(const struct parser *p, char *name)
{
	char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	bool user, kernel;

	/* cpu/event=1/u has no colon. */
	if (slash && slash != strchr(name, '/') && slash[1] && slash[1] != ':')
		colon = slash;
	if (!colon)
		return 0;
	if (colon[1] == '\0' && colon != slash)
		return reject(p, "'%s': nothing is behind the colon", name);
	if (strspn(colon + 1, "uk") != strlen(colon + 1)) {
		if (colon != slash && strlen(colon + 1) > 3)
			return 0; /* the name of a tracepoint */
		return reject(p, "'%s': of the modifiers, only u and k are known", name);
	}
	user = strchr(colon + 1, 'u');
	kernel = strchr(colon + 1, 'k');
	p->out->exclude_user = kernel && !user;
	p->out->exclude_kernel = user && !kernel;
	colon[colon == slash] = '\0';
	return 0;
}

int perf_names__parse(const char *name, const struct perf_lookup *lookup, struct perf_spec *out,
		      char *message, size_t len)
{
	struct perf_spec spec = {.type = 0};
	const struct parser p = {name, lookup, &spec, message, len};
	char plain[PERF_NAME_MAX];
	int err;

	if (!*name)
		return reject(&p, "the name of an event is empty");
	if (strlen(name) >= sizeof(plain))
		return reject(&p, "'%.32s...' is too long for the name of an event", name);
	strcpy(spec.name, name);
	strcpy(plain, name);
	err = parse_modifiers(&p, plain);
	if (err)
		return err;
	if (strchr(plain, '/'))
		err = find_pmu_event(&p, plain);
	else if (strchr(plain, ':'))
		err = find_tracepoint(&p, plain);
	else if (!find_known(plain, &spec) && !find_raw(plain, &spec))
		err = refuse_unknown(&p, plain);
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
	const struct parser p = {list, lookup, specs, message, len};
	char name[256];
	size_t end;
	int err;

	for (*nr = 0;; list += end + 1) {
		end = first_name(list);
		if (*nr == max)
			return reject(&p, "at most %zu events can be counted", max);
		snprintf(name, sizeof(name), "%.*s", (int)(end < 255 ? end : 255), list);
		err = perf_names__parse(name, lookup, &specs[*nr], message, len);
		if (err)
			return err;
		++*nr;
		if (twice(specs, *nr))
			return reject(&p, "event '%s' is given twice", name);
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

static int sysfs__pmu(const char *pmu, const char *file, char *text, size_t len)
{
	char path[512];

	snprintf(path, sizeof(path), PMUS "/%s/%s", pmu, file);
	return read_file__line(path, text, len);
}

/* At the first mount point of tracefs that is in use. -ENODEV: not mounted. */
static int sysfs__tracepoint(const char *system, const char *name, uint64_t *id)
{
	static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[512], text[32];
	int err;

	if (strchr(system, '/') || strchr(name, '/') || *system == '.' || *name == '.')
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		snprintf(path, sizeof(path), "%s/events/header_page", mounts[i]);
		if (read_file__line(path, text, sizeof(text)) == -ENOENT)
			continue;
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", mounts[i], system, name);
		err = read_file__line(path, text, sizeof(text));
		return err ? err : parse_count(text, 0, UINT32_MAX, id);
	}
	return -ENODEV;
}

const struct perf_lookup perf_lookup_sysfs = {
	.pmu = sysfs__pmu,
	.tracepoint = sysfs__tracepoint,
};
