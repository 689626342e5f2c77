/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the reading of Accept and Accept-Encoding; see accept.h. */
#include "accept.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static double weight_of(const char *entry, size_t len)
{
	const char *q = memmem(entry, len, ";q=", 3);

	if (!q)
		q = memmem(entry, len, "; q=", 4);
	return q ? strtod(strchr(q, '=') + 1, NULL) : 1;
}

static bool names(const char *entry, const char *name)
{
	size_t len = strlen(name);

	return !strncasecmp(entry, name, len) && (!entry[len] || strchr(" ;,", entry[len]));
}

double accept__weight(const char *header, const char *name)
{
	double weight, best = 0;
	size_t len;

	for (; header && *header; header += len + (header[len] == ',')) {
		header += strspn(header, " ");
		len = strcspn(header, ",");
		weight = names(header, name) ? weight_of(header, len) : 0;
		if (weight > best)
			best = weight;
	}
	return best;
}
