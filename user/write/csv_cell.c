/* SPDX-License-Identifier: GPL-2.0-only */
/* A cell of a CSV file; see csv_cell.h. */
#include <stdbool.h>
#include <string.h>

#include "base/printable.h"
#include "csv_cell.h"

void csv_cell__put(FILE *f, const char *text)
{
	bool quoted = strpbrk(text, ",\"\n") != NULL;
	size_t n;

	if (quoted)
		fputc('"', f);
	for (; *text; text += n ? n : 1) {
		n = *text == '\n' ? 1 : printable__length(text);
		if (*text == '"')
			fputc('"', f);
		if (n)
			fwrite(text, 1, n, f);
		else
			fputc('?', f);
	}
	if (quoted)
		fputc('"', f);
}
