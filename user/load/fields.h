/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns fields of an untrusted line of the load generator's protocol. All return 0, -EPROTO with the
 * report's message set, or -ENOMEM (histograms). Pure.
 */
#ifndef NETIOTRACE_FIELDS_H
#define NETIOTRACE_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "model/load_report.h"

/* Sets the message to text of another process, without control or partial characters. */
void fields__set_message(struct load_report *r, const char *text);

/* Sets the message to the reason of the refusal. Always -EPROTO. */
__attribute__((format(printf, 2, 3))) int fields__refuse(struct load_report *r, const char *fmt,
							 ...);

int fields__u64(struct load_report *r, const json_t *obj, const char *key, uint64_t *out);
int fields__object(struct load_report *r, const json_t *obj, const char *key, const json_t **out);
int fields__array(struct load_report *r, const json_t *obj, const char *key, const json_t **out);
int fields__string(struct load_report *r, const json_t *obj, const char *key, const char **out);

/* A whole number of an object, by name. */
struct number {
	const char *key;
	uint64_t *out;
};

int fields__numbers(struct load_report *r, const json_t *obj, const struct number *numbers,
		    size_t n);

#define NUMBERS(r, obj, ...)                                          \
	fields__numbers(r, obj, (const struct number[]){__VA_ARGS__}, \
			sizeof((const struct number[]){__VA_ARGS__}) / sizeof(struct number))

/* Reads a latency histogram into the report, which owns it. */
int fields__latency(struct load_report *r, const json_t *latency, enum latency_kind kind);

#endif
