/* SPDX-License-Identifier: GPL-2.0-only */
/* The load generator's command line, a word a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "loadgen/lg_options.h"

#define WORDS_MAX 32

static jmp_buf refused;

/* Replaces the program's, which ends it. */
void lg_options__refuse(const char *format, ...)
{
	char why[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	FUZZ_CHECK(len > 0 && (size_t)len < sizeof(why));
	longjmp(refused, 1);
}

static void check(int argc, char **argv)
{
	struct lg_options s;

	if (setjmp(refused))
		return;
	lg_options__parse(&s, argc, argv);
	if (s.help || s.version)
		return;
	FUZZ_CHECK(s.workload.size >= LIMIT_SIZE_MIN && s.workload.size <= LIMIT_SIZE_MAX);
	FUZZ_CHECK(s.workload.header <= 64 << 10 &&
		   workload__message_size(&s.workload) <= LIMIT_SIZE_MAX);
	FUZZ_CHECK(s.workload.threads >= 1 && s.workload.threads <= LIMIT_THREADS_MAX);
	FUZZ_CHECK(s.cpus.nr <= PROTOCOL_CPUS_MAX && s.cpus_receiver.nr <= PROTOCOL_CPUS_MAX);
	lg_options__descriptors(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char program[] = "netio-loadgen", *argv[WORDS_MAX + 1] = {program}, *given[WORDS_MAX + 1];
	int argc = 1;

	while (size && argc < WORDS_MAX)
		argv[argc++] = fuzz__line(&data, &size);
	memcpy(given, argv, sizeof(given));
	check(argc, argv);
	for (int i = 1; i < argc; i++)
		free(given[i]);
	return 0;
}
