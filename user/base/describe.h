/* SPDX-License-Identifier: GPL-2.0-only */
/* A command's option table for programs to read: completion and man pages are made from it. */
#ifndef NETIOTRACE_DESCRIBE_H
#define NETIOTRACE_DESCRIBE_H

#include <argp.h>

/* The word that asks a command for it, in place of its options; no help mentions it. */
#define DESCRIBE_OPTION "--describe"

/*
 * Prints a line for each thing a command's --help says, its fields apart by tabs:
 *
 *	usage  ARGUMENTS
 *	doc    TEXT                      above the options; a line break is "\n"
 *	group  TITLE
 *	option SHORT LONG ARGUMENT TEXT  "-q" or nothing, "--quiet", "FILE" or nothing
 *	after  TEXT                      below the options
 *
 * An ARGUMENT of words apart by "|" is one of them.
 */
void describe__print(const struct argp *argp);

/* The options that argp gives every command; the last row has no name. */
const struct argp_option *describe__common(void);

#endif
