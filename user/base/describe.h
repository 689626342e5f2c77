/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the machine-readable form of a command's options, for completion and man pages. */
#ifndef NETIOTRACE_DESCRIBE_H
#define NETIOTRACE_DESCRIBE_H

#include <argp.h>

/* The argument that asks a command for its description. No help text lists it. */
#define DESCRIBE_OPTION "--describe"

/*
 * Prints one line for each item of a command's --help. Tabs separate the fields:
 *
 *	usage  ARGUMENTS
 *	doc    TEXT                      above the options; a line break is "\n"
 *	group  TITLE
 *	option SHORT LONG ARGUMENT TEXT  "-q" or nothing, "--quiet", "FILE" or nothing
 *	after  TEXT                      below the options
 *
 * An ARGUMENT such as "A|B" takes one of these words.
 */
void describe__print(const struct argp *argp);

/* The options that argp adds to every command; the last row has no name. */
const struct argp_option *describe__common(void);

#endif
