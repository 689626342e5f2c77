/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of a line of the load generator's protocol, which comes from another process and is not
 * trusted: each is of its type and in its range, or the line is refused with the field named. All
 * return 0, or -EPROTO with the report's message set (-ENOMEM for histograms). Pure.
 */
#ifndef NETIOTRACE_FIELDS_H
#define NETIOTRACE_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "model/load_report.h"

/* Text of another process into the report's message: no control characters, no half character. */
void fields__set_message(struct load_report *r, const char *text);

/* Says in the message why the line is refused: always -EPROTO. */
__attribute__((format(printf, 2, 3))) int fields__refuse(struct load_report *r, const char *fmt,
							 ...);

int fields__u64(struct load_report *r, const json_t *obj, const char *key, uint64_t *out);
int fields__object(struct load_report *r, const json_t *obj, const char *key, const json_t **out);
int fields__array(struct load_report *r, const json_t *obj, const char *key, const json_t **out);
int fields__string(struct load_report *r, const json_t *obj, const char *key, const char **out);

/* Whole numbers of one object by name: the shape of most of the statistics. */
struct number {
	const char *key;
	uint64_t *out;
};

int fields__numbers(struct load_report *r, const json_t *obj, const struct number *numbers,
		    size_t n);

#define NUMBERS(r, obj, ...)                                          \
	fields__numbers(r, obj, (const struct number[]){__VA_ARGS__}, \
			sizeof((const struct number[]){__VA_ARGS__}) / sizeof(struct number))

/* The histogram of a latency, into the report, which owns it. */
int fields__latency(struct load_report *r, const json_t *latency, enum latency_kind kind);

#endif
