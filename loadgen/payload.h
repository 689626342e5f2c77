/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that payload is sent from and received into. From a page on it begins at a page, as the
 * buffers of programs that move much do: aligned copies are faster, and as few pages as can be are
 * pinned for it.
 */
#ifndef LOADGEN_PAYLOAD_H
#define LOADGEN_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * size bytes (not 0), each `byte`: touched now, by the thread that is to use them, so that no page
 * is faulted in while measuring, none is shared as the zero page, and each is on the node where it
 * is used. Freed with free(). NULL: there is no memory.
 */
uint8_t *payload__alloc(size_t size, uint8_t byte);

#endif
