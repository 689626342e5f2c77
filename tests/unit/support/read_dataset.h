/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV texts and documents read into one data set, `set`, which each reading clears first. */
#ifndef SUPPORT_READ_DATASET_H
#define SUPPORT_READ_DATASET_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/import_csv.h"
#include "support/test.h"

static struct dataset set;
static char message[DATASET_MESSAGE_MAX];

static inline int read_begin(void **state)
{
	(void)state;
	set = (struct dataset){0};
	return 0;
}

static inline int read_end(void **state)
{
	(void)state;
	dataset__clear(&set);
	return 0;
}

/* A test that begins with an empty data set. */
#define DATASET_TEST(name) TEST_WITH(name, read_begin, read_end)

static inline int read_csv_as(const struct dataset_names *names, const char *text)
{
	dataset__clear(&set);
	set.names = *names;
	return import_csv(&set, "x.csv", text, strlen(text), message);
}

static inline int read_csv(const char *text)
{
	return read_csv_as(&(struct dataset_names){0}, text);
}

static inline void must_read(const char *text)
{
	if (read_csv(text))
		fail_msg("%s\n%s", message, text);
}

/* Refused with a message that contains the words. */
static inline void must_refuse(const char *text, const char *words)
{
	if (read_csv(text) != -EINVAL)
		fail_msg("not refused: %s", text);
	if (!strstr(message, words))
		fail_msg("'%s' is not in: %s", words, message);
	assert_null(strchr(message, '\n'));
}

/* JSON with ' for ". */
static inline json_t *json_of(const char *text)
{
	char *copy = strdup(text), *quote;
	json_t *o;

	while ((quote = strchr(copy, '\'')))
		*quote = '"';
	o = json_loads(copy, JSON_DECODE_ANY, NULL);
	assert_non_null(o);
	free(copy);
	return o;
}

/* Adds a document to the data set. */
__attribute__((format(printf, 1, 2))) static inline int add_document(const char *format, ...)
{
	char text[2048];
	va_list args;
	json_t *o;
	int err;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	o = json_of(text);
	err = dataset__add_document(&set, "x", o, message);
	json_decref(o);
	return err;
}

/* A document of one run: its members. */
#define RUN(members) "{'schema': 'netiotrace.result/1', 'runs': [{" members "}]}"

/* Of the first row. */
static inline double number(enum metric m)
{
	return set.rows[0].value[m];
}

#endif
