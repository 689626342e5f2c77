/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sweep --preset sigcomm21: one flow between two machines beside the published table of
 * "Understanding Host Network Stack Overheads" (SIGCOMM 2021). The rows of that table differ in
 * settings of both devices. Nothing is changed: the settings in use decide which row a sweep
 * repeats. Pure.
 */
#ifndef SWEEP_SIGCOMM21_H
#define SWEEP_SIGCOMM21_H

#include <jansson.h>
#include <stdio.h>

#include "study/dataset.h"

#define SIGCOMM21_NAME "sigcomm21"

/* Rows of the table; each adds a setting to the one before. */
enum sigcomm21_row {
	SIGCOMM21_NONE,
	SIGCOMM21_TSO_GRO,
	SIGCOMM21_JUMBO,
	SIGCOMM21_ARFS,
	SIGCOMM21_NR,
};

/*
 * The row with the settings in the environment of a result document; SIGCOMM21_NR: none, or a
 * setting is unknown.
 */
enum sigcomm21_row sigcomm21__row(const json_t *environment);

/* Prints the table, the settings, and the commands for other rows. d: the finished runs. */
void sigcomm21__write(FILE *f, unsigned int width, const struct dataset *d);

#endif
