/* SPDX-License-Identifier: GPL-2.0-only */
/* The cells of a report as tables for LaTeX. Pure, except for the stream. */
#ifndef REPORT_LATEX_H
#define REPORT_LATEX_H

#include <stdio.h>

#include "study/analysis.h"

/*
 * Writes tables of medians with their intervals: a row for each cell, two columns for each number
 * that the data has, at most three numbers in a table, which is as wide as a page. LaTeX needs the
 * package booktabs for it. system: the line about the machine.
 */
void latex__write(FILE *f, const struct analysis *a, const char *system);

#endif
