/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns three-way comparison for qsort() and bsearch(). */
#ifndef NETIOTRACE_ORDER_H
#define NETIOTRACE_ORDER_H

/* Below 0, 0 or above 0, for numbers or pointers into one array. Evaluates both twice. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
