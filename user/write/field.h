/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One row per field of a JSON object: how it is written, its key, its unit as in docs/reference,
 * and the expression that is its value. FIELDS() makes of a list of rows
 *
 * - NAME_json(), which writes the object (CSV columns and assertions follow from the JSON), and
 * - NAME_fields[], a table of keys and units, which a unit test compares with docs/reference, the
 *   page that the schema is made of.
 *
 * An unknown number is null with "<key>_reason" beside it. In an object with one "reason" for all
 * its nulls, use the bare_ rows, which write no reason of their own.
 */
#ifndef WRITE_FIELD_H
#define WRITE_FIELD_H

#include "json_value.h"

/* clang-format off */
/*
 * Rows are X(kind, key, unit, value), where kind is the end of the name of a json_put_ function, or
 *   X(reason, key, text)                  text that is left out if NULL
 *   X(object, key, NAME, arguments...)    NAME_json(arguments)
 *   X(list, key, NAME, nr, arguments...)  a list of NAME_json(arguments), for each i below nr
 *   X(family, key, stands, NAME, nr, key_of, arguments...)   an object with a member key_of(i) each
 *   X(members, stands, NAME, nr, key_of, arguments...)       the same in the object itself
 *   X(values, key, stands, unit, kind, nr, key_of, value)    an object of values
 *   X(member_values, stands, unit, kind, nr, key_of, value)  values in the object itself
 *   X(document, key, NAME, arguments...)  json_document__NAME(arguments), of another file
 *   X(documents, key, NAME, nr, arguments...)
 *   X(numbers, ROWS, pointer)             rows of a table of numbers (model/number.h)
 *   X(bare_numbers, ROWS, pointer)        the same of u64; NULL: unknown
 *   X(only, key, NAME)                    further fields of one member of a family; writes nothing
 */
#define FIELDS(name, parameters, ROWS)                                              \
	static const struct field name##_fields[] = { ROWS(FIELD_ROW) {0} };        \
	static json_t *name##_json parameters FIELD_BODY(ROWS)

/* The same for other files: NAME_fields[] and json_document__NAME(), which are declared in a header. */
#define DOCUMENT_FIELDS(name, parameters, ROWS)                                     \
	const struct field name##_fields[] = { ROWS(FIELD_ROW) {0} };               \
	json_t *json_document__##name parameters FIELD_BODY(ROWS)

#define FIELD_BODY(ROWS)                                                            \
	{                                                                           \
		json_t *o = json_object();                                          \
                                                                                    \
		ROWS(FIELD_PUT)                                                     \
		return o;                                                           \
	}

#define FIELD_ROW(kind, ...) FIELD_ROW_##kind(__VA_ARGS__)
#define FIELD_PUT(kind, ...) FIELD_PUT_##kind(__VA_ARGS__)

#define FIELD_ROW_VALUE(key_, unit_)             {.key = key_, .unit = unit_},
#define FIELD_ROW_u64(key, unit, ...)            FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_or_null(key, unit, ...)        FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_num(key, unit, ...)            FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_bare(key, unit, ...)           FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_real(key, unit, ...)           FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_bare_real(key, unit, ...)      FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_whole(key, unit, ...)          FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_flag(key, unit, ...)           FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_bool(key, unit, ...)           FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_text(key, unit, ...)           FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_text_or(key, unit, ...)        FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_json(key, unit, ...)           FIELD_ROW_VALUE(key, unit)
#define FIELD_ROW_reason(key_, ...)              {.key = key_, .unit = "text", .is_reason = true},
#define FIELD_ROW_object(key_, name, ...)        {.key = key_, .fields = name##_fields},
#define FIELD_ROW_document                       FIELD_ROW_object
#define FIELD_ROW_documents                      FIELD_ROW_list
#define FIELD_ROW_only(key_, name)               {.key = key_, .fields = name##_fields, .is_more = true},
#define FIELD_ROW_list(key_, name, ...)          {.key = key_, .fields = name##_fields, .is_list = true},
#define FIELD_ROW_family(key_, of, name, ...)    {.key = key_, .fields = name##_fields, .stands = of},
#define FIELD_ROW_members(of, name, ...)         {.fields = name##_fields, .stands = of},
#define FIELD_ROW_values(key_, of, unit_, ...)   {.key = key_, .unit = unit_, .stands = of},
#define FIELD_ROW_member_values(of, unit_, ...)  {.unit = unit_, .stands = of},

#define FIELD_ROW_numbers(ROWS, ...)             ROWS(FIELD_ROW_NUMBER, )
#define FIELD_ROW_bare_numbers                   FIELD_ROW_numbers
#define FIELD_ROW_NUMBER(S, type, member, ...)   FIELD_ROW_##type(__VA_ARGS__)
#define FIELD_ROW_hidden(...)

#define FIELD_PUT_numbers(ROWS, pointer)         ROWS(FIELD_PUT_NUMBER, pointer)
#define FIELD_PUT_NUMBER(p, type, member, key, unit, ...) FIELD_PUT_##type(key, unit, (p)->member)
#define FIELD_PUT_hidden(...)
#define FIELD_PUT_bare_numbers(ROWS, pointer)    ROWS(FIELD_PUT_BARE_NUMBER, pointer)
#define FIELD_PUT_BARE_NUMBER(p, type, member, key, ...)                            \
	json_put_bare(o, key, num_if(p, (p) ? (p)->member : 0));
#define FIELD_PUT_u64(key, unit, ...)       json_put_u64(o, key, __VA_ARGS__);
#define FIELD_PUT_or_null(key, unit, ...)   json_put_or_null(o, key, __VA_ARGS__);
#define FIELD_PUT_num(key, unit, ...)       json_put_num(o, key, __VA_ARGS__);
#define FIELD_PUT_bare(key, unit, ...)      json_put_bare(o, key, __VA_ARGS__);
#define FIELD_PUT_real(key, unit, ...)      json_put_real(o, key, __VA_ARGS__);
#define FIELD_PUT_bare_real(key, unit, ...) json_put_bare_real(o, key, __VA_ARGS__);
#define FIELD_PUT_whole(key, unit, ...)     json_put_whole(o, key, __VA_ARGS__);
#define FIELD_PUT_flag(key, unit, ...)      json_put_flag(o, key, __VA_ARGS__);
#define FIELD_PUT_bool(key, unit, ...)      json_put(o, key, json_boolean(__VA_ARGS__));
#define FIELD_PUT_text(key, unit, ...)      json_put(o, key, json_value__text(__VA_ARGS__));
#define FIELD_PUT_text_or(key, unit, ...)   json_put_text_or(o, key, __VA_ARGS__);
#define FIELD_PUT_json(key, unit, ...)      json_put(o, key, __VA_ARGS__);
#define FIELD_PUT_reason(key, ...)          json_put_reason_if(o, key, __VA_ARGS__);
#define FIELD_PUT_object(key, name, ...)    json_put(o, key, name##_json(__VA_ARGS__));
#define FIELD_PUT_document(key, name, ...)  json_put(o, key, json_document__##name(__VA_ARGS__));
#define FIELD_PUT_only(key, name)
#define FIELD_PUT_LIST(key, nr, object)                                             \
	do {                                                                        \
		json_t *list = json_array();                                        \
                                                                                    \
		for (size_t i = 0; i < (nr); i++)                                   \
			json_array_append_new(list, object);                        \
		json_put(o, key, list);                                             \
	} while (0);
#define FIELD_PUT_list(key, name, nr, ...)  FIELD_PUT_LIST(key, nr, name##_json(__VA_ARGS__))
#define FIELD_PUT_documents(key, name, nr, ...)                                     \
	FIELD_PUT_LIST(key, nr, json_document__##name(__VA_ARGS__))
#define FIELD_PUT_family(key, of, name, nr, key_of, ...)                            \
	do {                                                                        \
		json_t *family = json_object();                                     \
                                                                                    \
		for (unsigned int i = 0; i < (nr); i++)                             \
			json_put(family, key_of(i), name##_json(__VA_ARGS__));      \
		json_put(o, key, family);                                           \
	} while (0);
#define FIELD_PUT_members(of, name, nr, key_of, ...)                                \
	for (unsigned int i = 0; i < (nr); i++)                                     \
		json_put(o, key_of(i), name##_json(__VA_ARGS__));
#define FIELD_PUT_values(key, of, unit, kind, nr, key_of, ...)                      \
	do {                                                                        \
		json_t *family = json_object();                                     \
                                                                                    \
		for (unsigned int i = 0; i < (nr); i++)                             \
			json_put_##kind(family, key_of(i), __VA_ARGS__);            \
		json_put(o, key, family);                                           \
	} while (0);
#define FIELD_PUT_member_values(of, unit, kind, nr, key_of, ...)                    \
	for (unsigned int i = 0; i < (nr); i++)                                     \
		json_put_##kind(o, key_of(i), __VA_ARGS__);

/* Rows of run and attach: how CPU time was sampled (const struct cpu_result *c). */
#define CPU_SOURCE_FIELDS(X)                                                        \
	X(text,      "quality",   "text",  quality__name(c->known ? QUALITY_SAMPLED \
	  : QUALITY_UNAVAILABLE))                                                   \
	X(reason,    "reason",    c->known ? NULL : c->reason)                      \
	X(text,      "source",    "text",  c->known ? c->source : NULL)             \
	X(reason,    "source_reason", c->known && c->no_cycles[0] ? c->no_cycles : NULL) \
	X(bare,      "hz",        "1/s",   num_if(c->known, c->hz))                 \
	X(bare_real, "sampled_s", "s",     real_if(c->known, (double)c->duration_ns / 1e9))
/* clang-format on */

#endif
