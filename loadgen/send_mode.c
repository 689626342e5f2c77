/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of send modes. */
#include "send_mode.h"

const struct send_mode *send_mode__get(enum mode mode)
{
	static const struct send_mode *const modes[] = {
#define X(id, name, ...) [MODE_##id] = &send_mode_##name,
		MODES(X)
#undef X
	};

	return modes[mode];
}
