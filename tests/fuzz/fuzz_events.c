/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --perf-events on an invented machine: the first line is the content of every file of a PMU, the
 * rest is the list of events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "perf/names.h"

#define SPECS 8

static const char *file_text;

static int pmu(const char *name, const char *file, char *text, size_t len)
{
	/* Characters that must not occur in a name that becomes part of a path. */
	FUZZ_CHECK(!strchr(name, '/') && strcmp(name, "..") && *name);
	if (strcmp(file, "type") == 0) {
		snprintf(text, len, "9");
		return 0;
	}
	if (!*file_text)
		return -ENOENT;
	snprintf(text, len, "%s", file_text);
	return 0;
}

static int tracepoint(const char *system, const char *name, uint64_t *id)
{
	FUZZ_CHECK(!strchr(system, '/') && !strchr(name, '/'));
	*id = 7;
	return strcmp(name, "absent") ? 0 : -ENOENT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct perf_lookup lookup = {pmu, tracepoint};
	char *file = fuzz__line(&data, &size), *list = fuzz__string(data, size), message[256] = "";
	struct perf_spec specs[SPECS];
	size_t nr = 0;

	file_text = file;
	if (perf_names__parse_list(list, &lookup, specs, SPECS, &nr, message, sizeof(message))) {
		FUZZ_CHECK(message[0]);
	} else {
		FUZZ_CHECK(nr >= 1 && nr <= SPECS);
		for (size_t i = 0; i < nr; i++) {
			FUZZ_CHECK(specs[i].name[0] && strlen(specs[i].name) < PERF_NAME_MAX);
			perf_spec__pmu(&specs[i]);
		}
	}
	free(file);
	free(list);
	return 0;
}
