/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns options whose value goes to one field; see setting.h. */
#include "setting.h"

#include <string.h>

#include "command_line.h"
#include "common/units.h"
#include "common/word.h"

static unsigned int index_of(const char *words, const char *arg)
{
	unsigned int i = 0;
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
	return 0;
}

static uint64_t number(const struct setting *s, const char *arg)
{
	uint64_t value;
	int err = s->kind == SETTING_TIME ? parse_duration(arg, &value)
					  : parse_count(arg, s->min, s->max, &value);

	if (err || value < s->min || value > s->max)
		usage_error("%s takes %s, not '%s'.", s->name, s->range, arg);
	return value;
}

bool setting__take(const struct setting *settings, size_t nr, int key, const char *arg,
		   void *options)
{
	const struct setting *s = settings;
	char *field;

	while (s < settings + nr && s->key != key)
		s++;
	if (s == settings + nr)
		return false;
	field = (char *)options + s->offset;
	switch (s->kind) {
	case SETTING_FLAG:
		*(bool *)field = true;
		break;
	case SETTING_LEVEL:
		++*(int *)field;
		break;
	case SETTING_STRING:
		*(const char **)field = arg;
		break;
	case SETTING_CHOICE:
		*(unsigned int *)field = index_of(s->range, arg);
		break;
	default:
		*(uint64_t *)field = number(s, arg);
	}
	return true;
}
