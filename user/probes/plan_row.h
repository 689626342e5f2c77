/* SPDX-License-Identifier: GPL-2.0-only */
/* A hook as documents show it, and what its numbers are worth. plan.c has the functions. */
#ifndef PROBES_PLAN_ROW_H
#define PROBES_PLAN_ROW_H

#include <stdbool.h>

/* What a number is worth. */
enum quality {
	QUALITY_UNAVAILABLE, /* the zero value: a result that was not filled claims nothing */
	QUALITY_EXACT,
	QUALITY_DERIVED,
	QUALITY_SAMPLED,
};

const char *quality__name(enum quality q); /* "exact", ... */

struct plan_row {
	const char *probe;   /* "send_return" */
	char stage[128];     /* stage keys, separated by commas, or its purpose */
	const char *backend; /* "tracepoint", or NULL: none chosen */
	const char *hook;    /* "tp_btf/sock_send_length", or NULL */
	char programs[128];  /* names of its BPF programs, separated by a space; empty: none */
	enum quality quality;
	const char *reason; /* why less than exact, or why there is none */
	const char *remedy; /* what to do about it, or NULL */
	unsigned int modes; /* those it serves, a mask of 1 << mode; 0: all */
	bool apart;         /* attached in timed rounds only */
};

#endif
