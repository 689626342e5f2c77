/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of two comes first, as qsort() and bsearch() ask. */
#ifndef NETIOTRACE_ORDER_H
#define NETIOTRACE_ORDER_H

/* Below 0, 0 or above 0; of numbers, or of pointers into one array. Evaluates both twice. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
