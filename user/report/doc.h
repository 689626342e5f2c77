/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page as a sequence of headings, paragraphs, tables and pictures, written as HTML or Markdown.
 * Text is plain: the form escapes it. Pure, except for the stream.
 */
#ifndef REPORT_DOC_H
#define REPORT_DOC_H

#include <stdio.h>

/* Prefix of the best mode's number in a table. */
#define DOC_WINNER "\xe2\x98\x85 "

enum doc_part {
	DOC_PARAGRAPH,
	DOC_STRONG, /* an emphasized paragraph */
	DOC_FOLD,   /* closed at first */
	DOC_FOLD_TITLE,
	DOC_PAIR,     /* two pictures beside each other, where there is space */
	DOC_CONTENTS, /* links to the sections */
	DOC_SEE,      /* links to what shows an answer */
	DOC_TABLE_ROW,
	DOC_TABLE_END,
	DOC_PAGE_END,
	DOC_PARTS_NR,
};

/* A heading, a picture or a file to go to. */
struct doc_link {
	const char *text;
	const char *picture; /* the name of its files; NULL: the heading with this text */
	const char *file;    /* a path without special characters; NULL: a heading or picture */
};

struct doc;

/* A format. */
struct doc_form {
	struct doc_mark {
		const char *begin, *end;
		const char *between; /* of links */
	} marks[DOC_PARTS_NR];
	void (*text)(FILE *f, const char *text); /* escaped */
	void (*page)(struct doc *d, const char *title);
	void (*heading)(struct doc *d, int level, const char *text);
	void (*link)(struct doc *d, const struct doc_link *link);
	void (*table)(struct doc *d, const char *const *heads);
	void (*cell)(struct doc *d, const char *text);
	/* name: of its files; svg: the picture itself; alt: its replacement. */
	void (*picture)(struct doc *d, const char *name, const char *svg, const char *alt);
};

extern const struct doc_form doc_html;
extern const struct doc_form doc_markdown;

struct doc {
	const struct doc_form *form;
	FILE *f;
	size_t columns, column; /* of the open table; the one of the next cell */
};

void doc__begin(struct doc *d, enum doc_part part);
void doc__end(struct doc *d, enum doc_part part);
/* A whole part. */
__attribute__((format(printf, 3, 4))) void doc__put(struct doc *d, enum doc_part part,
						    const char *format, ...);
void doc__links(struct doc *d, enum doc_part part, const struct doc_link *links, size_t n);

/* A table: its cells row by row, then the end. */
void doc__table(struct doc *d, const char *const *heads, size_t columns);
__attribute__((format(printf, 2, 3))) void doc__cell(struct doc *d, const char *format, ...);
void doc__table_end(struct doc *d);

/* "All cells" -> "all-cells": the anchor of a heading, as GitHub makes it of Markdown. */
void doc__slug(char *buf, size_t len, const char *text);

#endif
