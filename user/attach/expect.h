/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --assert of attach: PATH OP NUMBER, where PATH names a number of the document's total
 * ("ledger.copies_per_byte"), or of the document ("health.missed"), or is a short name
 * ("copied_fraction"). Pure.
 */
#ifndef NETIOTRACE_EXPECT_H
#define NETIOTRACE_EXPECT_H

#include <jansson.h>
#include <stddef.h>

#define EXPECTS_MAX 32

struct expect {
	const char *text; /* as given */
	char path[128];
	char op[3];
	double number;
};

/* 0, or -EINVAL with a sentence in message. text must outlive e. */
int expect__parse(struct expect *e, const char *text, char *message, size_t len);

/* 1: holds; 0: does not, or is not known, with a sentence in message. */
int expect__check(const struct expect *e, const json_t *document, char *message, size_t len);

#endif
