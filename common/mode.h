/* SPDX-License-Identifier: GPL-2.0-only */
/* The copy modes: ways of sending the same message that differ in who copies it. */
#ifndef NETIOTRACE_MODE_H
#define NETIOTRACE_MODE_H

enum mode {
	MODE_TWOCOPY,
	MODE_ONECOPY,
	MODE_ZEROCOPY,
	MODE_NR,
};

const char *mode__name(enum mode mode);         /* "twocopy", ...; "?" from outside the enum */
int mode__parse(const char *s, enum mode *out); /* -EINVAL */

#endif
