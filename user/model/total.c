/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums over rounds; see total.h. */
#include <errno.h>
#include <stddef.h>

#include "total.h"

void total__add_num(struct num *dst, const struct num *src)
{
	if (!dst->known)
		return;
	if (!src->known)
		*dst = *src;
	else
		dst->value += src->value;
}

int total__begin_hist(struct hist **dst, const struct hist *src)
{
	hist__free(*dst);
	*dst = hist__dup(src);
	return *dst || !src ? 0 : -ENOMEM;
}

int total__add_hist(struct hist **dst, const struct hist *src)
{
	if (src && *dst)
		return hist__add(*dst, src);
	hist__free(*dst);
	*dst = NULL;
	return 0;
}
