/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the fields and aliases of a PMU event into struct perf_spec. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu_event.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

int perf_refuse(char *message, size_t len, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, len, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

bool perf_parse_number(const char *text, int base, uint64_t *out)
{
	char *end;

	if (!*text || strchr("+- \t\n", *text))
		return false;
	errno = 0;
	*out = strtoull(text, &end, base);
	return !errno && !*end;
}

/* Stores value as in "config:0-7,32-35". -ERANGE: too many bits; -EOPNOTSUPP: unknown format. */
static int put_field(struct perf_spec *out, const char *format, uint64_t value)
{
	static const char *const words[] = {"config", "config1", "config2"};
	uint64_t *const where[] = {&out->config, &out->config1, &out->config2};
	const char *colon = strchr(format, ':'), *p;
	unsigned int low, high, bit;
	size_t w;
	int used;

	for (w = 0; colon && w < ARRAY_SIZE(words); w++)
		if (strlen(words[w]) == (size_t)(colon - format) &&
		    !strncmp(format, words[w], (size_t)(colon - format)))
			break;
	if (!colon || w == ARRAY_SIZE(words))
		return -EOPNOTSUPP;
	for (p = colon + 1; *p; p += used + (p[used] == ',')) {
		if (sscanf(p, "%u-%u%n", &low, &high, &used) != 2) {
			if (sscanf(p, "%u%n", &low, &used) != 1)
				return -EOPNOTSUPP;
			high = low;
		}
		if (high > 63 || low > high)
			return -EOPNOTSUPP;
		for (bit = low; bit <= high; bit++, value >>= 1)
			*where[w] |= (value & 1) << bit;
	}
	return value ? -ERANGE : 0;
}

struct pmu_event {
	const char *name, *pmu;
	const struct perf_lookup *lookup;
	struct perf_spec *out;
	char *message;
	size_t len;
};

static int pmu_terms(struct pmu_event *e, char *terms, bool alias);

/* "config=1" needs no format file. */
static bool plain_field(struct pmu_event *e, const char *field, uint64_t value)
{
	if (!strcmp(field, "config"))
		e->out->config |= value;
	else if (!strcmp(field, "config1"))
		e->out->config1 |= value;
	else if (!strcmp(field, "config2"))
		e->out->config2 |= value;
	else
		return false;
	return true;
}

static int pmu_field(struct pmu_event *e, const char *field, uint64_t value)
{
	char file[PERF_NAME_MAX + 16], format[128];
	int err;

	if (plain_field(e, field, value))
		return 0;
	snprintf(file, sizeof(file), "format/%s", field);
	if (e->lookup->pmu(e->pmu, file, format, sizeof(format)))
		return perf_refuse(e->message, e->len, "'%s': PMU '%s' has no field or event '%s'",
				   e->name, e->pmu, field);
	err = put_field(e->out, format, value);
	if (err == -ERANGE)
		return perf_refuse(e->message, e->len, "'%s': the value of '%s' does not fit '%s'",
				   e->name, field, format);
	if (err)
		return perf_refuse(e->message, e->len,
				   "'%s': field '%s' has a format not known: '%s'", e->name, field,
				   format);
	return 0;
}

/* Parses "event=0xd1", "inv" (inv=1), or an alias in the PMU's events directory. */
static int pmu_term(struct pmu_event *e, char *term, bool alias)
{
	char *equals = strchr(term, '='), file[PERF_NAME_MAX + 16], text[256];
	uint64_t value = 1;

	if (equals) {
		*equals = '\0';
		if (!perf_parse_number(equals + 1, 0, &value))
			return perf_refuse(e->message, e->len, "'%s': '%s' is not a number",
					   e->name, equals + 1);
		return pmu_field(e, term, value);
	}
	snprintf(file, sizeof(file), "events/%s", term);
	if (!alias && !e->lookup->pmu(e->pmu, file, text, sizeof(text)))
		return pmu_terms(e, text, true);
	return pmu_field(e, term, value);
}

/* A term becomes part of a path in sysfs: refuse a slash, and a dot at the begin. */
static bool is_term(const char *term)
{
	return *term && *term != '.' && !strchr(term, '/');
}

static int pmu_terms(struct pmu_event *e, char *terms, bool alias)
{
	char *term, *save;
	int err = 0;

	if (!*terms)
		return perf_refuse(e->message, e->len, "'%s': nothing is between the slashes",
				   e->name);
	for (term = strtok_r(terms, ",", &save); term && !err; term = strtok_r(NULL, ",", &save))
		err = is_term(term) ? pmu_term(e, term, alias)
				    : perf_refuse(e->message, e->len, "'%s': '%s' is not a field",
						  e->name, term);
	return err;
}

int pmu_event__find(const char *name, const struct perf_lookup *lookup, struct perf_spec *out,
		    char *message, size_t len)
{
	char copy[PERF_NAME_MAX], type[32], *terms, *end;
	struct pmu_event e = {name, copy, lookup, out, message, len};
	uint64_t value;

	snprintf(copy, sizeof(copy), "%s", name);
	terms = strchr(copy, '/');
	*terms++ = '\0';
	end = strchr(terms, '/');
	if (!end || end[1])
		return perf_refuse(message, len, "'%s' does not end in a slash", name);
	*end = '\0';
	if (!is_term(copy) || lookup->pmu(copy, "type", type, sizeof(type)) ||
	    !perf_parse_number(type, 10, &value) || value > UINT32_MAX)
		return perf_refuse(message, len,
				   "'%s': this machine has no PMU '%s' (they are in "
				   "/sys/bus/event_source/devices)",
				   name, copy);
	out->type = (uint32_t)value;
	return pmu_terms(&e, terms, false);
}
