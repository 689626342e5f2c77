/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocates payload buffers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "payload.h"

/* Round up to whole pages: other data on the last page would be pinned with the payload. */
static void *alloc(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (size < page)
		return malloc(size);
	if (size > SIZE_MAX - page)
		return NULL;
	return aligned_alloc(page, (size + page - 1) / page * page);
}

uint8_t *payload__alloc(size_t size, uint8_t byte)
{
	uint8_t *payload = alloc(size);

	if (payload)
		memset(payload, byte, size);
	return payload;
}
