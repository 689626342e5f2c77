/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns greedy line breaking of ASCII text; see wrap.h. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "wrap.h"

/* A line may end at a space, but not after a digit: "92 113 sends", "241 MB". */
static bool may_break(const char *text, size_t i)
{
	return text[i] == ' ' && !(i && isdigit((unsigned char)text[i - 1]));
}

size_t wrap__next(const char **text, size_t width, const char **line)
{
	size_t len, cut;

	*text += strspn(*text, " \n");
	*line = *text;
	len = strcspn(*text, "\n");
	if (!width || len <= width) {
		*text += len;
		return len;
	}
	cut = width;
	while (cut && !may_break(*text, cut))
		cut--;
	if (!cut)
		cut = width;
	*text += cut;
	while (cut && (*line)[cut - 1] == ' ')
		cut--;
	return cut;
}
