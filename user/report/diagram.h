/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's behaviour in one mode as a drawing (SVG), made from the measured ledger of a cell:
 * an arrow for each stage that ran, with its bytes per payload byte and its time. Pure.
 */
#ifndef REPORT_DIAGRAM_H
#define REPORT_DIAGRAM_H

#include <stdio.h>

#include "study/analysis.h"

/*
 * Writes a standalone <svg> element. Stages that did not run are not drawn; unmeasured ones are
 * named below, with the reason.
 */
void diagram__write(FILE *f, const struct analysis *a, struct cell *cell);

/* Does the cell have a ledger to draw? */
bool diagram__possible(const struct analysis *a, struct cell *cell);

/*
 * Text for an element or attribute: &, <, > and quotes are escaped; characters that must not be
 * printed (printable.h) become '?'. XML allows no control characters.
 */
void xml__put(FILE *f, const char *text);

#endif
