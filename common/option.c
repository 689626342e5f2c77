/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of options; see option.h. */
#include "option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpu_mask.h"
#include "units.h"
#include "word.h"

static const char name_characters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

/* -1: none of the words. */
static int index_of(const char *words, const char *arg)
{
	int i = 0;
	char word[64];

	for (; *words; i++) {
		size_t len = strcspn(words, "|");

		if (len >= sizeof(word))
			break;
		memcpy(word, words, len);
		word[len] = '\0';
		if (same_word(arg, word))
			return i;
		words += len + (words[len] == '|');
	}
	return -1;
}

static bool is_text(const struct option_row *row, const char *arg)
{
	size_t len = strlen(arg);

	if (row->kind == OPTION_CPUS)
		return !parse_cpu_list(arg, CPUS_MAX, NULL, NULL);
	return row->kind == OPTION_STRING ||
	       (len && len <= row->max && strspn(arg, name_characters) == len);
}

static int parse_number(const struct option_row *row, const char *arg, uint64_t *value)
{
	switch (row->kind) {
	case OPTION_TIME:
		return parse_duration(arg, value);
	case OPTION_SIZE:
		return parse_size(arg, value);
	case OPTION_RATE:
		return parse_rate(arg, row->max, value);
	default:
		return parse_count(arg, row->min, row->max, value);
	}
}

static int store_number(const struct option_row *row, void *field, const char *arg)
{
	uint64_t value = 0;

	if (parse_number(row, arg, &value) || value < row->min || value > row->max)
		return -EINVAL;
	if (row->kind == OPTION_UINT)
		*(unsigned int *)field = (unsigned int)value;
	else
		*(uint64_t *)field = value;
	return 0;
}

static int store_word(const struct option_row *row, void *field, const char *arg)
{
	int index = index_of(row->arg, arg);

	if (index < 0)
		return -EINVAL;
	*(unsigned int *)field = (unsigned int)index;
	return 0;
}

static int store_text(const struct option_row *row, void *field, const char *arg)
{
	if (!is_text(row, arg))
		return -EINVAL;
	*(const char **)field = arg;
	return 0;
}

/* The word comes last: only its end is cut. */
static int refuse(const struct option_row *row, const char *arg, char *why, size_t len)
{
	snprintf(why, len, "--%s takes %s, not '%.100s'", row->name, row->range, arg);
	return -EINVAL;
}

int option__store(const struct option_row *row, void *field, const char *arg, char *why, size_t len)
{
	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		return 0;
	case OPTION_LEVEL:
		++*(int *)field;
		return 0;
	case OPTION_CHOICE:
		return store_word(row, field, arg) ? refuse(row, arg, why, len) : 0;
	case OPTION_STRING:
		if (*arg)
			return store_text(row, field, arg);
		snprintf(why, len, "--%s is empty", row->name);
		return -EINVAL;
	case OPTION_NAME:
	case OPTION_CPUS:
		return store_text(row, field, arg) ? refuse(row, arg, why, len) : 0;
	case OPTION_TITLE:
	case OPTION_OTHER:
		return 0;
	default:
		return store_number(row, field, arg) ? refuse(row, arg, why, len) : 0;
	}
}

const char *option__help(const struct option_row *row, const struct option_help *own)
{
	for (; row->name && own && own->name; own++)
		if (strcmp(row->name, own->name) == 0)
			return own->help;
	return row->help;
}

uint64_t option__number(const struct option_row *row, const void *options)
{
	const void *field = (const char *)options + row->offset;

	if (row->kind == OPTION_FLAG)
		return *(const bool *)field;
	return row->kind == OPTION_UINT || row->kind == OPTION_CHOICE ? *(const unsigned int *)field
								      : *(const uint64_t *)field;
}

const char *option__time(char buf[OPTION_TEXT_MAX], uint64_t ns)
{
	static const struct {
		uint64_t size;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1, "ns"}}, *unit = units;

	while (ns % unit->size)
		unit++;
	snprintf(buf, OPTION_TEXT_MAX, "%" PRIu64 "%s", ns / unit->size, unit->name);
	return buf;
}

const char *option__word(const struct option_row *row, const void *options,
			 char buf[OPTION_TEXT_MAX])
{
	const char *words = row->arg;

	for (uint64_t i = option__number(row, options); i--;)
		words = strchr(words, '|') + 1;
	snprintf(buf, OPTION_TEXT_MAX, "%.*s", (int)strcspn(words, "|"), words);
	return buf;
}

const char *option__text(const struct option_row *row, const void *options,
			 char buf[OPTION_TEXT_MAX])
{
	uint64_t value;

	if (option__is_text(row))
		return *(const char *const *)((const char *)options + row->offset);
	value = option__number(row, options);
	if (!value)
		return NULL;
	if (row->kind == OPTION_FLAG)
		return "";
	if (row->kind == OPTION_CHOICE)
		return option__word(row, options, buf);
	if (row->kind == OPTION_TIME)
		return option__time(buf, value);
	snprintf(buf, OPTION_TEXT_MAX, "%" PRIu64, value);
	return buf;
}
