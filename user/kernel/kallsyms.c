/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the kernel's table of symbols; see kallsyms.h. */
#include "kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_LEN 512

/* Where stdio would read 1 KB at a time: so much the kernel gives at once. */
#define BUFFER_SIZE 4096

/* "ffffffff81234567 T name\t[module]" */
static int take_line(char *line, kallsyms_take take, void *arg)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return 0;
	end[3 + strcspn(end + 3, "\t\n")] = '\0';
	return end[3] ? take(arg, address, end[1], end + 3) : 0;
}

int kallsyms__read(const char *file, kallsyms_take take, void *arg)
{
	char line[LINE_MAX_LEN], buffer[BUFFER_SIZE];
	FILE *f = fopen(file, "re");
	int err = 0;

	if (!f)
		return -errno;
	setvbuf(f, buffer, _IOFBF, sizeof(buffer));
	while (!err && fgets(line, sizeof(line), f))
		err = take_line(line, take, arg);
	fclose(f);
	return err;
}
