/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the copy modes; see mode.h. Pure. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "mode.h"

static const char *const mode_names[MODE_NR] = {
	[MODE_TWOCOPY] = "twocopy",
	[MODE_ONECOPY] = "onecopy",
	[MODE_ZEROCOPY] = "zerocopy",
};

const char *mode__name(enum mode mode)
{
	return (unsigned int)mode < MODE_NR ? mode_names[mode] : "?";
}

int mode__parse(const char *s, enum mode *out)
{
	int i;

	for (i = 0; i < MODE_NR; i++) {
		if (!strcmp(s, mode_names[i])) {
			*out = (enum mode)i;
			return 0;
		}
	}
	return -EINVAL;
}
