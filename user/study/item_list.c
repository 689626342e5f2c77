/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists in sentences; see item_list.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "item_list.h"

#define ITEMS_MAX 12

void item_list__add(struct item_list *list, const char *format, ...)
{
	size_t len = strlen(list->text);
	va_list args;

	if (list->nr++ >= ITEMS_MAX)
		return;
	snprintf(list->text + len, sizeof(list->text) - len, "%s", len ? ", " : "");
	len = strlen(list->text);
	va_start(args, format);
	vsnprintf(list->text + len, sizeof(list->text) - len, format, args);
	va_end(args);
}

const char *item_list__words(struct item_list *list)
{
	size_t len = strlen(list->text);

	if (!list->nr)
		return "nowhere";
	if (list->nr > ITEMS_MAX)
		snprintf(list->text + len, sizeof(list->text) - len, " and %zu more",
			 list->nr - ITEMS_MAX);
	list->nr = list->nr > ITEMS_MAX ? ITEMS_MAX : list->nr;
	return list->text;
}
