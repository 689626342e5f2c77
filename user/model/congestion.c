/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice of a congestion control; see congestion.h. Pure. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/word.h"
#include "congestion.h"

struct flag congestion__paces(const char *name)
{
	static const char unpaced[] = "cubic reno dctcp htcp vegas veno westwood bic illinois "
				      "hybla highspeed scalable yeah cdg lp nv";

	if (!strncmp(name, "bbr", 3))
		return (struct flag){.value = true, .known = true};
	if (has_word(unpaced, name))
		return (struct flag){.known = true};
	return (struct flag){.reason = *name ? "a congestion control that is not in the kernel tree"
					     : "the congestion control could not be read"};
}

static int choose_asked(struct congestion *c, const char *asked, char *why, size_t len)
{
	/* If a list could not be read, the socket call decides. */
	if (c->available[0] && !has_word(c->available, asked)) {
		snprintf(why, len,
			 "this kernel has no congestion control '%s'; it has %s. modprobe tcp_%s "
			 "loads it if it is a module",
			 asked, c->available, asked);
		return -ENOENT;
	}
	if (c->allowed[0] && !has_word(c->allowed, asked) && strcmp(asked, c->system)) {
		snprintf(why, len,
			 "congestion control '%s' is not among those programs without privileges "
			 "may use (%s): sysctl -w net.ipv4.tcp_allowed_congestion_control='%s %s'",
			 asked, c->allowed, c->allowed, asked);
		return -EPERM;
	}
	snprintf(c->chosen, sizeof(c->chosen), "%s", asked);
	c->choice = CONGESTION_ASKED;
	return 0;
}

int congestion__choose(struct congestion *c, const char *asked, bool local, char *why, size_t len)
{
	static const char *const preferred[] = {"cubic", "reno"};
	struct flag paces = congestion__paces(c->system);

	c->chosen[0] = '\0';
	c->used[0] = '\0';
	c->choice = CONGESTION_SYSTEM;
	if (asked && strcmp(asked, CONGESTION_OF_SYSTEM))
		return choose_asked(c, asked, why, len);
	if (asked || !local || !paces.known || !paces.value)
		return 0;
	for (size_t i = 0; i < sizeof(preferred) / sizeof(preferred[0]); i++) {
		if (!has_word(c->allowed, preferred[i]))
			continue;
		snprintf(c->chosen, sizeof(c->chosen), "%s", preferred[i]);
		c->choice = CONGESTION_UNPACED;
		return 0;
	}
	return 0;
}

const char *congestion__name(const struct congestion *c)
{
	return c->used[0] ? c->used : c->chosen[0] ? c->chosen : c->system;
}
