/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the receiver's frames and figures. */
#include <stddef.h>

#include "sender_protocol.h"

#define BIT(type) (1U << PROTOCOL_##type)

bool protocol__takes(enum sender_state state, enum protocol_type type)
{
	static const unsigned int taken[] = {
		[SENDER_GREETING] = BIT(WELCOME) | BIT(REFUSE),
		[SENDER_CONNECTING] = BIT(READY) | BIT(REFUSE),
		[SENDER_IDLE] = BIT(STOP),
		[SENDER_ASKING] = BIT(PHASE_OK) | BIT(STOP),
		[SENDER_SENDING] = BIT(STOP),
		[SENDER_SETTLING] = BIT(MOVING) | BIT(ELAPSED) | BIT(CONFIRM) | BIT(STOP),
		[SENDER_DONE] = 0,
	};

	return taken[state] & 1U << type;
}

const char *protocol__type_name(enum protocol_type type)
{
	static const char *const names[PROTOCOL_TYPE_END] = {
		[PROTOCOL_WELCOME] = "WELCOME", [PROTOCOL_READY] = "READY",
		[PROTOCOL_PHASE] = "PHASE",     [PROTOCOL_PHASE_OK] = "PHASE_OK",
		[PROTOCOL_TOTAL] = "TOTAL",     [PROTOCOL_CONFIRM] = "CONFIRM",
		[PROTOCOL_STOP] = "STOP",       [PROTOCOL_REFUSE] = "REFUSE",
		[PROTOCOL_MOVING] = "MOVING",   [PROTOCOL_ELAPSED] = "ELAPSED",
	};

	return type < PROTOCOL_TYPE_END && names[type] ? names[type] : "?";
}

const char *protocol__state_name(enum sender_state state)
{
	static const char *const names[] = {
		[SENDER_GREETING] = "before WELCOME",
		[SENDER_CONNECTING] = "before READY",
		[SENDER_IDLE] = "between phases",
		[SENDER_ASKING] = "before PHASE_OK",
		[SENDER_SENDING] = "before the totals of a phase",
		[SENDER_SETTLING] = "before CONFIRM",
		[SENDER_DONE] = "after the last CONFIRM",
	};

	return names[state];
}

bool protocol__possible(const struct protocol_phase *p)
{
	uint64_t most = p->confirmed_ns - p->asked_ns, least = 0;

	if (!p->bytes)
		return !p->elapsed_ns;
	if (p->last_call_ns > p->begun_ns)
		least = p->last_call_ns - p->begun_ns;
	least -= least / 100;
	if (least < p->bytes / PROTOCOL_BYTES_PER_NS + 1)
		least = p->bytes / PROTOCOL_BYTES_PER_NS + 1;
	return p->elapsed_ns >= least && p->elapsed_ns <= most + most / 100;
}
