/* SPDX-License-Identifier: GPL-2.0-only */
/* Amounts in texts; see amount.h. Pure. */
#include <stdio.h>
#include <string.h>

#include "amount.h"

const char *amount__mark(const struct amount *a)
{
	return a->doubt & DOUBT_LEAST ? ">=" : a->doubt & DOUBT_ESTIMATE ? "~" : "";
}

char *amount__bytes(char buf[UNITS_BUF], const struct amount *a)
{
	char bytes[UNITS_BUF];

	if (a->doubt & DOUBT_UNKNOWN)
		return strcpy(buf, "unknown");
	snprintf(buf, UNITS_BUF, "%s%.*s", a->value ? amount__mark(a) : "", UNITS_BUF - 3,
		 format_bytes_si(bytes, sizeof(bytes), (double)a->value));
	return buf;
}
