/* SPDX-License-Identifier: GPL-2.0-only */
/* What tells sessions and machines apart. */
#ifndef LOADGEN_SESSION_ID_H
#define LOADGEN_SESSION_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

int session_id__make(uint8_t token[WIRE_TOKEN_SIZE]); /* random; 0 or -errno */

/* This boot of this machine: one boot is one clock. All zero when it cannot be read. */
void session_id__boot(uint8_t id[WIRE_TOKEN_SIZE]);
bool session_id__same_boot(const uint8_t a[WIRE_TOKEN_SIZE], const uint8_t b[WIRE_TOKEN_SIZE]);

#endif
