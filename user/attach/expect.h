/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --assert of attach: PATH OP NUMBER, where PATH names a number of the document's total
 * ("ledger.copies_per_byte"), or of the document ("health.missed"), or is a short name
 * ("copied_fraction"). Pure.
 */
#ifndef ATTACH_EXPECT_H
#define ATTACH_EXPECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "write/assertion.h"

struct expect {
	struct condition condition;
	bool of_total; /* the path is in the document's total, not in the document */
};

/*
 * Parses text; its path must name a number in document, one of attach. 0, or -errno with the reason
 * in message. Call expect__clear() in any case.
 */
int expect__parse(struct expect *e, const char *text, json_t *document, char *message, size_t len);
void expect__clear(struct expect *e);

/* 1: holds; 0: does not, or is not known, with a sentence in message. */
int expect__check(const struct expect *e, const json_t *document, char *message, size_t len);

/* Is it about how many connections there were? Their number is known where there was none. */
bool expect__counts_connections(const struct expect *e);

/* The reason in message if the value is unknown. */
void expect__unknown(const struct expect *e, const char *why, char *message, size_t len);

#endif
