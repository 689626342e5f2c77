/* SPDX-License-Identifier: GPL-2.0-only */
/* Payload buffers. Page alignment makes copies faster and pins fewer pages. */
#ifndef LOADGEN_PAYLOAD_H
#define LOADGEN_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * size is not 0. Filling each byte now avoids page faults and the zero page in the measured phase,
 * and places pages on the caller's NUMA node. Free with free(). NULL: out of memory.
 */
uint8_t *payload__alloc(size_t size, uint8_t byte);

#endif
