/* SPDX-License-Identifier: GPL-2.0-only */
/* Paragraphs of a limited length; see text_list.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "text_list.h"

unsigned int text_lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

int text_list__begin(struct text_list *l)
{
	*l = (struct text_list){.text = NULL};
	l->f = open_memstream(&l->text, &l->len);
	return l->f ? 0 : -ENOMEM;
}

void text_list__next(struct text_list *l)
{
	fputc('\0', l->f);
}

/* The first n sentences as one text. *used: how many there were. Returns NULL without memory. */
static char *join(const struct text_list *l, const struct text_list_form *form, size_t n,
		  size_t *used)
{
	const char *sentence = l->text, *last = l->text + l->len, *end = form->end;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
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
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
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

int text_list__end(struct text_list *l, FILE *f, const struct text_list_form *form)
{
	size_t n = SIZE_MAX, used;
	int err = -ENOMEM;
	char *text;

	if (fclose(l->f))
		goto out;
	do {
		text = join(l, form, n, &used);
		if (!text)
			goto out;
		n = used - 1;
		if (used < 2 || print(NULL, text, form) <= form->lines)
			break;
		free(text);
	} while (1);
	if (used)
		print(f, text, form);
	free(text);
	err = 0;
out:
	free(l->text);
	return err;
}
