/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of numbers. A row declares a number once, X(S, type, member, key, unit, half, absent):
 *
 * type    u64, num (may be unknown), real (a ratio: its sum has a rule of its own), or hidden (a
 *         u64 that documents have in a formula only)
 * key     in documents; key and unit: in docs/reference
 * half    in a run between machines, whose receiver sends its half (write/half_document.h): HERE
 *         (nothing reads it by this table), READ (model/remote.c copies it), or ADD (READ, and
 *         added to this side's)
 * absent  what it means that the half of an earlier version lacks the key: UNKNOWN, or ZERO, if
 *         that version could not have counted any; NONE: nothing reads it. Of a u64 always ZERO,
 *         of a real always UNKNOWN
 *
 * A list of rows makes the members of a struct (NUMBER_MEMBER) and a table (NUMBER_ROW; S: the
 * struct), which sums and readers walk. field.h makes rows of documents from the list.
 */
#ifndef MODEL_NUMBER_H
#define MODEL_NUMBER_H

#include "base/num.h"

typedef uint64_t number_u64, number_hidden;
typedef struct num number_num;
typedef struct real number_real;

struct number_row {
	const char *member, *key; /* member NULL: the end of the table */
	size_t at;
	enum number_type { NUMBER_u64, NUMBER_hidden, NUMBER_num, NUMBER_real } type;
	enum number_half { NUMBER_HERE, NUMBER_READ, NUMBER_ADD } half;
	enum number_absent { NUMBER_NONE, NUMBER_UNKNOWN, NUMBER_ZERO } absent;
};

#define NUMBER_MEMBER(S, type, member, ...) number_##type member;
#define NUMBER_ROW(S, type, member, key, unit, half, absent) \
	{#member, key, offsetof(S, member), NUMBER_##type, NUMBER_##half, NUMBER_##absent},

/* Adds numbers of src to dst: all of them (NUMBER_HERE), or those that a half adds (NUMBER_ADD). */
void numbers__add(const struct number_row *rows, enum number_half from, void *dst, const void *src);

/* Makes each number unknown that can be. */
void numbers__forget(const struct number_row *rows, void *dst, const char *reason);

#endif
