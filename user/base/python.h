/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the way to the Python interpreter. */
#ifndef BASE_PYTHON_H
#define BASE_PYTHON_H

#include <stdbool.h>

/*
 * Executes /usr/bin/python3, which has the distribution's packages, or else the first python3 of
 * PATH; a relative entry would be searched in the working directory and is passed over, and so is,
 * for_root (root called this program), what another user could replace. argv[0] becomes its path.
 * Call without root. Returns only a failure, -errno; -ENOENT: there is none.
 */
int python__execute(char **argv, bool for_root);

#endif
