/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the signals and RLIMIT_NOFILE of program start, for a command started for the user. */
#ifndef BASE_INHERITED_H
#define BASE_INHERITED_H

void inherited__note(void); /* call before changing any of them */

/* Call in a child before its exec. */
void inherited__restore(void);

#endif
