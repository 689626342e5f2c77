/* SPDX-License-Identifier: GPL-2.0-only */
/* Walks tables of numbers; see number.h. Pure. */
#include "number.h"

void numbers__add(const struct number_row *rows, enum number_half from, void *dst, const void *src)
{
	for (; rows->member; rows++) {
		void *to = (char *)dst + rows->at;
		const void *more = (const char *)src + rows->at;

		if (rows->half < from)
			continue;
		if (rows->type <= NUMBER_hidden)
			*(uint64_t *)to += *(const uint64_t *)more;
		else if (rows->type == NUMBER_num)
			*(struct num *)to = num__sum(*(struct num *)to, *(const struct num *)more);
	}
}

void numbers__forget(const struct number_row *rows, void *dst, const char *reason)
{
	for (; rows->member; rows++) {
		void *to = (char *)dst + rows->at;

		if (rows->type == NUMBER_num)
			*(struct num *)to = num__unknown(reason);
		else if (rows->type == NUMBER_real)
			*(struct real *)to = real__unknown(reason);
	}
}
