/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep found of this machine, read by analysis/; see advice.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "advice.h"
#include "analysis/analysis.h"
#include "common/xalloc.h"

/* "SIZE ORDER CHANGE" a line; ORDER: 1, -1 or 0, as in struct baseline_point. */
static void read_points(struct baseline *b, const char *text)
{
	for (; b->nr < BASELINE_SIZES_MAX; b->nr++) {
		struct baseline_point *p = &b->points[b->nr];
		int len = 0;

		if (sscanf(text, "%" SCNu64 " %d %lf\n%n", &p->size, &p->order, &p->change, &len) <
			    3 ||
		    !len)
			return;
		text += len;
	}
}

int baseline__read(struct baseline *b, const char *path)
{
	struct words w = {0};
	char *text;

	words__add(&w, xstrdup(path));
	text = analysis__text("baseline", "--baseline", &w);
	words__clear(&w);
	*b = (struct baseline){.path = path};
	if (text)
		read_points(b, text);
	free(text);
	return text ? 0 : -EINVAL;
}
