/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a document of netiotrace follow. */
#ifndef WRITE_FOLLOWED_DOCUMENT_H
#define WRITE_FOLLOWED_DOCUMENT_H

#include <stdio.h>

#include "model/followed.h"

struct followed_document {
	char comm[16]; /* of the program; empty: none was seen */
	struct followed received, sent;
};

/* 0; -EINVAL: it is no document of follow. */
int followed_document__read(FILE *f, struct followed_document *d);

#endif
