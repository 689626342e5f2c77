/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice of a congestion control; see congestion.h. Pure. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "congestion.h"

struct flag congestion__paces(const char *name)
{
	static const char *const unpaced[] = {
		"cubic",    "reno",  "dctcp",     "htcp",     "vegas", "veno", "westwood", "bic",
		"illinois", "hybla", "highspeed", "scalable", "yeah",  "cdg",  "lp",       "nv",
	};

	if (!strncmp(name, "bbr", 3))
		return (struct flag){.value = true, .known = true};
	for (size_t i = 0; i < sizeof(unpaced) / sizeof(unpaced[0]); i++)
		if (!strcmp(name, unpaced[i]))
			return (struct flag){.known = true};
	return (struct flag){.reason = *name ? "a congestion control that is not in the kernel tree"
					     : "the congestion control could not be read"};
}

static bool is_allowed(const struct congestion *c, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = strstr(c->allowed, name); p; p = strstr(p + 1, name))
		if ((p == c->allowed || p[-1] == ' ') && (p[len] == ' ' || !p[len]))
			return true;
	return false;
}

static int choose_asked(struct congestion *c, const char *asked, char *why, size_t len)
{
	/* If the list could not be read, the socket call decides. */
	if (c->allowed[0] && !is_allowed(c, asked) && strcmp(asked, c->system)) {
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
		if (!is_allowed(c, preferred[i]))
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
