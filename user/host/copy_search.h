/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns finding what makes this machine's kernel copy payload bytes without an event: packet taps,
 * devices without checksums or scatter-gather, merged receive queues, XDP on socket buffers. In
 * every network namespace that can be visited; others count as without.
 */
#ifndef HOST_COPY_SEARCH_H
#define HOST_COPY_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "model/unseen_copies.h"

/* A counter of one device, or of a network namespace. */
struct copy_place;

struct copy_search {
	struct copy_evidence found; /* since the first look */
	struct copy_place *places;
	size_t places_nr;
	uint32_t *watched; /* network namespaces of watched sockets: inode numbers */
	size_t watched_nr;
	uint64_t due_ns; /* of the next look, CLOCK_MONOTONIC; 0: none was made */
};

/* A watched socket is in this network namespace. */
void copy_search__add(struct copy_search *s, uint32_t netns);

/*
 * Looks, and sets *out; at once, or if looks have taken less than a thousandth of the time, or the
 * last one was 10 s ago: it visits each namespace. Otherwise devices that a look found without
 * offloads may have sent any bytes, as may one of them that is gone. What begins after a look is
 * seen by the next one, and a tap that also ends before it is not; XDP is looked for once.
 */
void copy_search__look(struct copy_search *s, struct copy_evidence *out, bool at_once);

void copy_search__clear(struct copy_search *s);

#endif
