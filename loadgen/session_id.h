/* SPDX-License-Identifier: GPL-2.0-only */
/* Session tokens and clock ids. */
#ifndef LOADGEN_SESSION_ID_H
#define LOADGEN_SESSION_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

int session_id__make(uint8_t token[PROTOCOL_TOKEN_SIZE]); /* random; 0 or -errno */

/*
 * Identifies CLOCK_MONOTONIC: boot id and time namespace (time_namespaces(7)); zeros: unknown.
 * Machines cloned while running share the id, but not the clock: see
 * pending_sessions__stamp_fits().
 */
void session_id__clock(uint8_t id[PROTOCOL_TOKEN_SIZE]);
bool session_id__same_clock(const uint8_t a[PROTOCOL_TOKEN_SIZE],
			    const uint8_t b[PROTOCOL_TOKEN_SIZE]);

/* Mixes 36 characters of boot_id with the inode number of the namespace. */
void session_id__mix(uint8_t id[PROTOCOL_TOKEN_SIZE], const char *boot, uint64_t time_ns);

#endif
