/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which signals were ignored and which blocked when the program was started, and how many files it
 * might open: a command that it starts for its user gets the same.
 */
#ifndef NETIOTRACE_INHERITED_H
#define NETIOTRACE_INHERITED_H

void inherited__note(void); /* before any of them is changed */

/* In a child, before its exec. */
void inherited__restore(void);

#endif
