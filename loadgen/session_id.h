/* SPDX-License-Identifier: GPL-2.0-only */
/* What tells sessions and clocks apart. */
#ifndef LOADGEN_SESSION_ID_H
#define LOADGEN_SESSION_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

int session_id__make(uint8_t token[WIRE_TOKEN_SIZE]); /* random; 0 or -errno */

/*
 * Names the clock of this process's stamps: the kernel's boot id, with the number of the time
 * namespace (time_namespaces(7)) mixed in, whose CLOCK_MONOTONIC may be another. All zero when it
 * cannot be read. Machines cloned while they run share it with different clocks: it is a claim,
 * which stamps have to bear out.
 */
void session_id__clock(uint8_t id[WIRE_TOKEN_SIZE]);
bool session_id__same_clock(const uint8_t a[WIRE_TOKEN_SIZE], const uint8_t b[WIRE_TOKEN_SIZE]);

/* The pure half: 36 characters of boot_id, and the namespace's inode number. */
void session_id__mix(uint8_t id[WIRE_TOKEN_SIZE], const char *boot, uint64_t time_ns);

#endif
