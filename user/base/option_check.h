/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the check of options before argp parses them: each error gets a remedy. */
#ifndef NETIOTRACE_OPTION_CHECK_H
#define NETIOTRACE_OPTION_CHECK_H

#include <argp.h>
#include <stdbool.h>

/*
 * Exits with a usage error at the first unknown option, missing argument or invalid word. An option
 * with argument "A|B|C" takes one of these words (common/word.h). Stops at "--", and at the first
 * operand of a command without operands, which argp reports.
 */
void option_check__line(const struct argp *argp, const char *command, int argc, char *const *argv);

/* Does the command take operands, other than after "--"? By argp->args_doc. */
bool option_check__takes_operands(const struct argp *argp);

#endif
