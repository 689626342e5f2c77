/* SPDX-License-Identifier: GPL-2.0-only */
/* The compare command: what changed between two result sets, and is it outside the noise. */
#ifndef USER_COMPARE_COMPARE_H
#define USER_COMPARE_COMPARE_H

/* argv[1] is "compare". Returns an exit code; 5: a regression beyond --fail-on-regression. */
int compare__main(int argc, char **argv);

#endif
