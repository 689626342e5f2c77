/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsers of /proc: packet taps, counters of a thread, symbols, the preemption model. Each parser
 * gets the whole input.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_file.h"
#include "fuzz.h"
#include "kernel/symbols.h"
#include "model/preemption.h"
#include "model/tap_parse.h"
#include "perf/watch.h"

static void check_taps(const char *line)
{
	struct tap_socket s;
	struct tap_hook h;

	if (!tap_parse__socket(line, &s))
		tap_socket__taps(&s, 1);
	if (!tap_parse__hook(line, &h)) {
		FUZZ_CHECK(h.function[0] && strlen(h.function) < sizeof(h.function));
		FUZZ_CHECK(strlen(h.device) < sizeof(h.device));
		FUZZ_CHECK(!strpbrk(h.device, " \n"));
		tap_hook__taps(&h, "lo");
		tap_hook__is_socket(&h);
	}
}

static void check_numbers(const char *text)
{
	uint64_t value;

	perf_proc__parse_status(text, &value);
	perf_proc__parse_stat(text, &value);
	perf_proc__parse_schedstat(text, &value);
	perf_proc__parse_sched(text, &value);
}

static void check_files(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH_MAX], line[64];
	struct symbols *symbols;
	int fd = fuzz__file(data, size, path);

	if (!symbols__load_from(&symbols, path)) {
		symbols__name(symbols, 0xffffffff81000010);
		symbols__free(symbols);
	}
	if (!read_file__line(path, line, sizeof(line)))
		FUZZ_CHECK(strlen(line) < sizeof(line) && !strchr(line, '\n'));
	read_file__num(path);
	close(fd);
}

static void check_preemption(const char *text)
{
	const struct preemption_signs signs[] = {
		{.version = text}, {.debugfs = text}, {.cmdline = text}, {.config = text}};

	for (size_t i = 0; i < 4; i++) {
		const char *model = preemption__model(&signs[i]);

		if (model)
			preemption__anywhere(model);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size);

	check_taps(text);
	check_numbers(text);
	check_preemption(text);
	check_files(data, size);
	free(text);
	return 0;
}
