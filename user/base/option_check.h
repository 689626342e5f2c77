/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A look at the options of a command line before argp parses them, so that each mistake is answered
 * by one sentence with its remedy. An option whose argument is "A|B|C" in the table takes one of
 * these words, spelt with or without '-' and '_' (common/word.h).
 */
#ifndef NETIOTRACE_OPTION_CHECK_H
#define NETIOTRACE_OPTION_CHECK_H

#include <argp.h>
#include <stdbool.h>

/*
 * Ends the program with a usage error at the first unknown option, missing argument, or word that
 * the option does not take. command: its name. Stops at "--", and at the
 * first operand of a command that takes none: argp's parser answers that one.
 */
void option_check__line(const struct argp *argp, const char *command, int argc, char *const *argv);

/* Has it arguments that are no options, and not behind "--"? By argp->args_doc. */
bool option_check__takes_operands(const struct argp *argp);

#endif
