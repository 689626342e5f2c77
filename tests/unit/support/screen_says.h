/* SPDX-License-Identifier: GPL-2.0-only */
/* What the final text and the live views say, for tests of screens. */
#ifndef SUPPORT_SCREEN_SAYS_H
#define SUPPORT_SCREEN_SAYS_H

#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "screen/display.h"
#include "screen/live_layout.h"
#include "screen/text_end.h"
#include "support/fake_result.h"
#include "support/grid_text.h"
#include "support/test.h"

/* A result of the first n modes. It is freed when the next one is made. */
__attribute__((unused)) static struct result *fresh(size_t n)
{
	static struct result *r;

	if (r)
		fake_result__free(r);
	r = fake_result__new(n);
	return r;
}

/* The caller frees the texts. */
__attribute__((unused)) static char *end_text(const struct result *r,
					      const struct text_end_form *form)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	text_end__print(r, f, form);
	xclose_memstream(f);
	return text;
}

__attribute__((unused)) static char *line_text(const struct live_frame *frame)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	display__line(f, frame);
	xclose_memstream(f);
	return text;
}

__attribute__((unused)) static char *view_text(struct live_model *m, int cols, int rows, bool utf8)
{
	struct grid *g = grid__new(rows, cols);
	char *text;

	assert_non_null(g);
	live_layout__draw(g, m, utf8);
	text = grid_text(g);
	grid__free(g);
	return text;
}

/* Fails unless the words are in the text, or if said is false, if they are. Frees the text. */
__attribute__((unused)) static void check_words(char *text, const char *words, bool said)
{
	if (!strstr(text, words) == said)
		fail_msg("'%s' is %sin:\n%s", words, said ? "not " : "", text);
	free(text);
}

#endif
