/* SPDX-License-Identifier: GPL-2.0-only */
/* A list in a sentence, "a, b, c and 3 more": as many items as one reads. Pure. */
#ifndef STUDY_ITEM_LIST_H
#define STUDY_ITEM_LIST_H

#include <stddef.h>

/* Start from {0}. What does not fit in is cut. */
struct item_list {
	char text[1024];
	size_t nr;
};

__attribute__((format(printf, 2, 3))) void item_list__add(struct item_list *list,
							  const char *format, ...);
/* "nowhere" when nothing was added. */
const char *item_list__words(struct item_list *list);

#endif
