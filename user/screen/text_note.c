/* SPDX-License-Identifier: GPL-2.0-only */
/* Layout of items and paragraphs; see text_note.h. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "text_note.h"

#define MARGIN     11
#define MARGIN_FIT 9
#define TEXT_MIN   20 /* columns of the text, however few there are */

/* Where the lines of a text go. */
struct note_position {
	const char *label;
	unsigned int margin, width, lines;
};

void text_note__begin(struct text_note *n)
{
	*n = (struct text_note){.text = NULL};
	n->f = xopen_memstream(&n->text, &n->len);
}

void text_note__next(struct text_note *n)
{
	fputc('\0', n->f);
}

/* Prints the lines of a text that have a place, unless f is NULL. Returns how many it has. */
static unsigned int print(FILE *f, const char *text, const struct note_position *p)
{
	unsigned int lines = 0;
	const char *line;
	size_t len;

	while ((len = wrap__next(&text, p->width, &line))) {
		bool cut = ++lines == p->lines && *text;

		if (!f || lines > p->lines)
			continue;
		if (cut && len > p->width - 4)
			len = p->width - 4;
		fprintf(f, "%-*s%.*s%s\n", (int)p->margin, lines == 1 && p->margin ? p->label : "",
			(int)len, line, cut ? " ..." : "");
	}
	return lines;
}

void text_note__end(struct text_note *n, FILE *out, unsigned int width, const char *label)
{
	struct note_position p = {label, MARGIN,
				  width > MARGIN + TEXT_MIN ? width - MARGIN : TEXT_MIN, UINT_MAX};

	xclose_memstream(n->f);
	/* Drops the blank after the last sentence. */
	while (n->len && n->text[n->len - 1] == ' ')
		n->text[--n->len] = '\0';
	print(out, printable__lines(n->text), &p);
	free(n->text);
}

/* The first most sentences as one text. *used: how many there were. The caller frees it. */
static char *join(const struct text_note *n, const struct text_note_form *form, size_t most,
		  size_t *used)
{
	const char *sentence = n->text, *last = n->text + n->len, *end = form->end;
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	*used = 0;
	for (; sentence < last; sentence += strlen(sentence) + 1) {
		sentence += strspn(sentence, " ");
		if (!*sentence)
			continue;
		if (*used == most) {
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

unsigned int text_note__fit(struct text_note *n, FILE *out, const struct text_note_form *form)
{
	unsigned int margin = form->label ? MARGIN_FIT : 0, lines;
	struct note_position p = {form->label, margin, form->columns - margin, form->lines};
	size_t used;
	char *text;

	xclose_memstream(n->f);
	text = join(n, form, SIZE_MAX, &used);
	while (used > 1 && print(NULL, text, &p) > p.lines) {
		free(text);
		text = join(n, form, used - 1, &used);
	}
	lines = used ? print(out, text, &p) : 0;
	free(text);
	free(n->text);
	return lines < p.lines ? lines : p.lines;
}

void text_item__print(FILE *f, unsigned int width, size_t *used, const char *item)
{
	size_t len = strlen(item);

	if (*used && *used + 3 + len > width) {
		fputc('\n', f);
		*used = 0;
	}
	fprintf(f, "%s%s", *used ? "   " : "", item);
	*used += len + (*used ? 3 : 0);
}
