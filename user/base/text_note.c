/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the layout of items and paragraphs; see text_note.h. */
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "printable.h"
#include "text_note.h"

#define LABEL_WIDTH 11
#define TEXT_MIN    20 /* columns of the text, however few there are */

void text_note__begin(struct text_note *n)
{
	*n = (struct text_note){.text = NULL};
	n->f = xopen_memstream(&n->text, &n->len);
}

void text_note__end(struct text_note *n, FILE *out, unsigned int width, const char *label)
{
	unsigned int room = width > LABEL_WIDTH + TEXT_MIN ? width - LABEL_WIDTH : TEXT_MIN;
	const char *rest, *line;
	size_t len;

	xclose_memstream(n->f);
	/* Drops the blank after the last sentence. */
	while (n->len && n->text[n->len - 1] == ' ')
		n->text[--n->len] = '\0';
	rest = printable__lines(n->text);
	while ((len = wrap__next(&rest, room, &line))) {
		fprintf(out, "%-*s%.*s\n", LABEL_WIDTH, label, (int)len, line);
		label = "";
	}
	free(n->text);
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
