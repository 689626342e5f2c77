// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applies the stack rules to stacks from other tools: for each line "SIDE;outermost;...;innermost
 * N" of stdin ("SIDE;[FILE] N" in user mode) prints "SIDE CLASS N".
 *
 *   classify_stacks MODE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/samples.h"
#include "common/mode.h"
#include "model/stack_rules.h"

/* Modifies frames. */
static enum cpu_class class_of(char *frames, bool gathers)
{
	const char *names[NIO_SAMPLE_FRAMES];
	size_t n = 0;

	if (*frames == '[') {
		frames[strcspn(frames, "]")] = '\0';
		return stack_rules__user(frames + 1, gathers);
	}
	while (n < NIO_SAMPLE_FRAMES) {
		char *last = strrchr(frames, ';');

		names[n++] = last ? last + 1 : frames;
		if (!last)
			break;
		*last = '\0';
	}
	return stack_rules__class(names, n).class;
}

int main(int argc, char **argv)
{
	static char line[65536];
	enum mode mode;

	if (argc != 2 || mode__parse(argv[1], &mode)) {
		fprintf(stderr, "usage: classify_stacks MODE <STACKS\n");
		return 2;
	}
	while (fgets(line, sizeof(line), stdin)) {
		char *frames = strchr(line, ';'), *count = strrchr(line, ' ');
		bool gathers;

		if (!frames || !count || count < frames)
			return 1;
		*frames++ = *count++ = '\0';
		gathers = mode__has(mode, MODE_GATHERS) && !strcmp(line, "sender");
		printf("%s %s %lu\n", line, cpu_class__key(class_of(frames, gathers)),
		       strtoul(count, NULL, 10));
	}
	return 0;
}
