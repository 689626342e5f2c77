/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the table of resource limits; see resource_limits.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "common/units.h"
#include "resource_limits.h"

#define MIB (1024 * 1024)

static const int resources[LIMIT_NR] = {
	[LIMIT_FILES] = RLIMIT_NOFILE,   [LIMIT_MEMORY] = RLIMIT_AS,     [LIMIT_DATA] = RLIMIT_DATA,
	[LIMIT_LOCKED] = RLIMIT_MEMLOCK, [LIMIT_THREADS] = RLIMIT_NPROC,
};

/* Measured on 2 CPUs: 60 files, 45 MiB of memory. Each CPU adds some files of counters. */
const struct limit_facts limit_facts[LIMIT_NR] = {
	[LIMIT_FILES] = {"RLIMIT_NOFILE", "open_files", "open files",
			 "raise it with ulimit -n 1024, or LimitNOFILE= of a service", false, 128},
	[LIMIT_MEMORY] = {"RLIMIT_AS", "virtual_memory", "virtual memory",
			  "raise it with ulimit -v unlimited, or LimitAS= of a service", true,
			  128 * MIB},
	[LIMIT_DATA] = {"RLIMIT_DATA", "data_memory", "memory for data",
			"raise it with ulimit -d unlimited, or LimitDATA= of a service", true,
			64 * MIB},
	[LIMIT_LOCKED] = {"RLIMIT_MEMLOCK", "memlock", "locked memory",
			  "raise it with ulimit -l unlimited, or LimitMEMLOCK= of a service", true,
			  0},
	[LIMIT_THREADS] = {"RLIMIT_NPROC", "threads", "threads of this user",
			   "raise it with ulimit -u 4096, or LimitNPROC= of a service", false, 0},
};

bool limits__locked_counts(const char *release)
{
	unsigned int major, minor;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 11));
}

void limits__read(struct limits *l)
{
	struct utsname name;
	struct rlimit limit;

	for (int i = 0; i < LIMIT_NR; i++)
		l->value[i] = getrlimit(resources[i], &limit) || limit.rlim_cur == RLIM_INFINITY
				      ? UINT64_MAX
				      : limit.rlim_cur;
	l->locked_counts = !uname(&name) && limits__locked_counts(name.release);
}

static bool is_set(const struct limits *l, enum limit which)
{
	return l->value[which] != UINT64_MAX;
}

/* The limit that the error alone points to. */
static enum limit by_error(const struct limits *l, int err)
{
	switch (-err) {
	case EMFILE:
		return LIMIT_FILES;
	case ENOMEM:
		return is_set(l, LIMIT_MEMORY) ? LIMIT_MEMORY
		       : is_set(l, LIMIT_DATA) ? LIMIT_DATA
					       : LIMIT_NR;
	case EAGAIN:
		return is_set(l, LIMIT_THREADS) ? LIMIT_THREADS : LIMIT_NR;
	case EPERM:
		return l->locked_counts && is_set(l, LIMIT_LOCKED) ? LIMIT_LOCKED : LIMIT_NR;
	default:
		return LIMIT_NR;
	}
}

enum limit limits__culprit(const struct limits *l, int err)
{
	enum limit found = by_error(l, err);

	for (int i = 0; i < LIMIT_NR && found == LIMIT_NR; i++)
		if (l->value[i] < limit_facts[i].enough)
			found = (enum limit)i;
	return found;
}

char *limits__describe(char *buf, size_t len, const struct limits *l, enum limit which)
{
	const struct limit_facts *f = &limit_facts[which];
	char value[UNITS_BUF];

	if (f->bytes)
		format_size(value, sizeof(value), l->value[which]);
	else
		snprintf(value, sizeof(value), "%llu", (unsigned long long)l->value[which]);
	snprintf(buf, len, "%s (%s) is %s here; %s", f->name, f->what, value, f->remedy);
	return buf;
}

const char *limits__blame(char *buf, size_t len, int err)
{
	struct limits l;
	enum limit which;

	limits__read(&l);
	which = limits__culprit(&l, err);
	return which == LIMIT_NR ? NULL : limits__describe(buf, len, &l, which);
}

const char *limits__strerror(int err)
{
	static char text[400];
	char limit[256];
	struct limits l;
	enum limit which;

	limits__read(&l);
	which = by_error(&l, err);
	if (which == LIMIT_NR)
		return strerror(-err);
	snprintf(text, sizeof(text), "%s; %s", strerror(-err),
		 limits__describe(limit, sizeof(limit), &l, which));
	return text;
}

void limits__raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
