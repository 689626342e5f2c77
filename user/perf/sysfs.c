/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks up PMUs in sysfs and tracepoints in tracefs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "common/units.h"

#define PMUS "/sys/bus/event_source/devices"

/* Reads the first line, without newline. 0 or -errno. */
static int read_line(const char *path, char *text, size_t len)
{
	FILE *f = fopen(path, "re");
	int err = 0;

	if (!f)
		return -errno;
	errno = 0;
	if (!fgets(text, (int)len, f))
		err = errno ? -errno : -ENODATA;
	else
		text[strcspn(text, "\n")] = '\0';
	fclose(f);
	return err;
}

static int sysfs__pmu(const char *pmu, const char *file, char *text, size_t len)
{
	char path[512];

	snprintf(path, sizeof(path), PMUS "/%s/%s", pmu, file);
	return read_line(path, text, len);
}

/* Tries both mount points of tracefs. -ENODEV: not mounted. */
static int sysfs__tracepoint(const char *system, const char *name, uint64_t *id)
{
	static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[512], text[32];
	int err, worst = -ENODEV;

	if (strchr(system, '/') || strchr(name, '/') || *system == '.' || *name == '.')
		return -ENOENT;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", mounts[i], system, name);
		err = read_line(path, text, sizeof(text));
		if (!err)
			return parse_count(text, 0, UINT32_MAX, id);
		snprintf(path, sizeof(path), "%s/events/header_page", mounts[i]);
		if (err == -ENOENT && read_line(path, text, sizeof(text)) == -ENOENT)
			continue; /* nothing is mounted here */
		if (worst == -ENODEV)
			worst = err;
	}
	return worst;
}

const struct perf_lookup perf_lookup_sysfs = {
	.pmu = sysfs__pmu,
	.tracepoint = sysfs__tracepoint,
};
