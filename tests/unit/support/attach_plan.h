/* SPDX-License-Identifier: GPL-2.0-only */
/* A plan of attach in which a hook sees each stage. */
#ifndef SUPPORT_ATTACH_PLAN_H
#define SUPPORT_ATTACH_PLAN_H

#include "attach/attach_result.h"

static const struct plan_row attach_plan[] = {
	{.probe = "send_return", .quality = QUALITY_EXACT},
	{.probe = "message", .quality = QUALITY_EXACT},
	{.probe = "deferred_copy", .quality = QUALITY_EXACT},
	{.probe = "rx_copy", .quality = QUALITY_EXACT},
	{.probe = "taken", .quality = QUALITY_EXACT},
};

#define ATTACH_PLAN .plan = attach_plan, .plan_nr = sizeof(attach_plan) / sizeof(attach_plan[0])

#endif
