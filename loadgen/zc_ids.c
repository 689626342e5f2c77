/* SPDX-License-Identifier: GPL-2.0-only */
/* A window of ids in a ring. Comparisons use distances, so that ids may wrap. */
#include <errno.h>

#include "zc_ids.h"

_Static_assert((ZC_IDS_MAX & (ZC_IDS_MAX - 1)) == 0, "ring size is a power of two");

static uint32_t ring(uint32_t id)
{
	return id & (ZC_IDS_MAX - 1);
}

void zc_ids__init(struct zc_ids *z)
{
	/* slot[] and done[] need no initialization, which would touch their pages. */
	z->first = z->next = z->outstanding = 0;
}

bool zc_ids__full(const struct zc_ids *z)
{
	return z->next - z->first == ZC_IDS_MAX;
}

void zc_ids__sent(struct zc_ids *z, uint16_t slot)
{
	z->slot[ring(z->next)] = slot;
	z->done[ring(z->next)] = false;
	z->next++;
	z->outstanding++;
}

static bool zc_ids__known(const struct zc_ids *z, uint32_t lo, uint32_t count)
{
	uint32_t window = z->next - z->first, at = lo - z->first, i;

	if (at >= window || count > window - at)
		return false;
	for (i = 0; i < count; i++)
		if (z->done[ring(lo + i)])
			return false;
	return true;
}

int zc_ids__complete(struct zc_ids *z, uint32_t lo, uint32_t hi,
		     void (*done)(uint16_t slot, void *arg), void *arg)
{
	uint32_t count = hi - lo + 1, i;

	if (!count || !zc_ids__known(z, lo, count))
		return -EPROTO;
	for (i = 0; i < count; i++) {
		z->done[ring(lo + i)] = true;
		z->outstanding--;
		done(z->slot[ring(lo + i)], arg);
	}
	while (z->first != z->next && z->done[ring(z->first)])
		z->first++;
	return 0;
}
