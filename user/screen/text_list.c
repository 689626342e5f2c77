/* SPDX-License-Identifier: GPL-2.0-only */
/* Paragraphs of a limited length; see text_list.h. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "text_list.h"

unsigned int text_lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

void text_list__begin(struct text_list *l)
{
	*l = (struct text_list){.text = NULL};
	l->f = xopen_memstream(&l->text, &l->len);
}

void text_list__next(struct text_list *l)
{
	fputc('\0', l->f);
}

/* The first n sentences as one text. *used: how many there were. The caller frees it. */
static char *join(const struct text_list *l, const struct text_list_form *form, size_t n,
		  size_t *used)
{
	const char *sentence = l->text, *last = l->text + l->len, *end = form->end;
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	*used = 0;
	for (; sentence < last; sentence += strlen(sentence) + 1) {
		sentence += strspn(sentence, " ");
		if (!*sentence)
			continue;
		if (*used == n) {
			end = form->cut ? form->cut : form->end;
			break;
		}
		fprintf(f, "%s%s", *used ? form->separator : "", sentence);
		++*used;
	}
	fputs(end ? end : "", f);
	xclose_memstream(f);
	return text;
}

/* Prints up to form->lines lines of a text, unless f is NULL. Returns how many it has. */
static unsigned int print(FILE *f, const char *text, const struct text_list_form *form)
{
	unsigned int margin = form->label ? TEXT_LABEL_WIDTH : 0, width = form->columns - margin;
	unsigned int lines = 0;
	const char *line;
	size_t len;

	while ((len = wrap__next(&text, width, &line))) {
		bool cut = ++lines == form->lines && *text;

		if (!f || lines > form->lines)
			continue;
		if (cut && len > width - 4)
			len = width - 4;
		fprintf(f, "%-*s%.*s%s\n", (int)margin, lines == 1 && margin ? form->label : "",
			(int)len, line, cut ? " ..." : "");
	}
	return lines;
}

unsigned int text_list__end(struct text_list *l, FILE *f, const struct text_list_form *form)
{
	unsigned int lines;
	size_t used;
	char *text;

	xclose_memstream(l->f);
	text = join(l, form, SIZE_MAX, &used);
	while (used > 1 && print(NULL, text, form) > form->lines) {
		free(text);
		text = join(l, form, used - 1, &used);
	}
	lines = used ? print(f, text, form) : 0;
	free(text);
	free(l->text);
	return lines < form->lines ? lines : form->lines;
}
