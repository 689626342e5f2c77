/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a document of netiotrace follow, which anybody may have written. */
#ifndef WRITE_FOLLOWED_DOCUMENT_H
#define WRITE_FOLLOWED_DOCUMENT_H

#include <stdbool.h>

#include "model/result.h"

/* Texts are as printable() makes them. */
struct followed_document {
	char comm[16]; /* of the program; empty: none was seen */
	struct followed received, sent;
};

/* Does a function copy for others, as those of the C library do, also in a static program? */
bool followed_document__copies_for_others(const char *function, const char *object);

/* NULL, or why it is no document of follow, with d empty. */
const char *followed_document__read(int fd, struct followed_document *d);

#endif
