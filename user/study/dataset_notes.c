/* SPDX-License-Identifier: GPL-2.0-only */
/* What a data set keeps on how it was read; see dataset.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "dataset.h"

int dataset__note(struct dataset *d, const char *format, ...)
{
	char **notes = reallocarray(d->notes, d->notes_nr + 1, sizeof(*notes)), *text;
	va_list args;
	int len;

	if (!notes)
		return -ENOMEM;
	d->notes = notes;
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	d->notes[d->notes_nr++] = printable__in_place(text);
	return 0;
}

const char *dataset__file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

struct dataset_column *dataset__new_column(struct dataset *d)
{
	struct dataset_column *columns =
		reallocarray(d->columns, d->columns_nr + 1, sizeof(*columns));

	if (!columns)
		return NULL;
	d->columns = columns;
	columns += d->columns_nr++;
	*columns = (struct dataset_column){0};
	return columns;
}

void dataset__clear_notes(struct dataset *d)
{
	for (size_t i = 0; i < d->columns_nr; i++) {
		free(d->columns[i].file);
		free(d->columns[i].name);
		free(d->columns[i].field);
		free(d->columns[i].unit);
		free(d->columns[i].values);
		free(d->columns[i].why);
	}
	for (size_t i = 0; i < d->notes_nr; i++)
		free(d->notes[i]);
	free(d->columns);
	free(d->notes);
	free(d->lacking);
}
