/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of netiotrace doctor. */
#ifndef DOCTOR_DOCTOR_OPTIONS_H
#define DOCTOR_DOCTOR_OPTIONS_H

#include "run/options.h"

/* Prints errors and exits with EXIT_USAGE. */
void doctor_options__parse(struct options *o, int argc, char **argv);

#endif
