/* SPDX-License-Identifier: GPL-2.0-only */
/* What both formats of a page have in common; see doc.h. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "doc.h"

void doc__begin(struct doc *d, enum doc_part part)
{
	fputs(d->form->marks[part].begin, d->f);
}

void doc__end(struct doc *d, enum doc_part part)
{
	fputs(d->form->marks[part].end, d->f);
}

void doc__put(struct doc *d, enum doc_part part, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	doc__begin(d, part);
	d->form->text(d->f, text);
	doc__end(d, part);
	free(text);
}

void doc__links(struct doc *d, enum doc_part part, const struct doc_link *links, size_t n)
{
	doc__begin(d, part);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? d->form->marks[part].between : "", d->f);
		d->form->link(d, &links[i]);
	}
	doc__end(d, part);
}

void doc__table(struct doc *d, const char *const *heads, size_t columns)
{
	d->columns = columns;
	d->column = 0;
	d->form->table(d, heads);
}

void doc__cell(struct doc *d, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	if (!d->column)
		doc__begin(d, DOC_TABLE_ROW);
	d->form->cell(d, text);
	free(text);
	if (++d->column < d->columns)
		return;
	doc__end(d, DOC_TABLE_ROW);
	d->column = 0;
}

void doc__table_end(struct doc *d)
{
	doc__end(d, DOC_TABLE_END);
}

void doc__slug(char *buf, size_t len, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < len; text++) {
		if (isalnum((unsigned char)*text) || *text == '-' || *text == '_')
			buf[n++] = (char)tolower((unsigned char)*text);
		else if (*text == ' ')
			buf[n++] = '-';
	}
	buf[n] = '\0';
}
