/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns command lines that are tables; see setting.h. */
#include "setting.h"

#include <string.h>

#include "command_line.h"
#include "common/units.h"
#include "common/word.h"

/* Options without a letter have this key plus their index. */
#define KEY_FIRST 256

struct input {
	const struct setting_command *command;
	void *options;
};

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
	uint64_t value = 0;
	int err = s->kind == SETTING_TIME   ? parse_duration(arg, &value)
		  : s->kind == SETTING_SIZE ? parse_size(arg, &value)
					    : parse_count(arg, s->min, s->max, &value);

	if (err || value < s->min || value > s->max)
		usage_error("--%s takes %s, not '%s'.", s->name, s->range, arg);
	return value;
}

static void store(const struct setting *s, const char *arg, void *options)
{
	void *field = (char *)options + s->offset;

	if (s->take)
		s->take(field, arg);
	switch (s->kind) {
	case SETTING_FLAG:
		*(bool *)field = true;
		break;
	case SETTING_LEVEL:
		++*(int *)field;
		break;
	case SETTING_STRING:
		if (!*arg)
			usage_error("--%s is empty.", s->name);
		*(const char **)field = arg;
		break;
	case SETTING_CHOICE:
		*(unsigned int *)field = index_of(s->arg, arg);
		break;
	case SETTING_UINT:
		*(unsigned int *)field = (unsigned int)number(s, arg);
		break;
	case SETTING_OTHER:
		break;
	default:
		*(uint64_t *)field = number(s, arg);
	}
}

static int key_of(const struct setting_command *c, size_t i)
{
	return c->settings[i].letter ? c->settings[i].letter : KEY_FIRST + (int)i;
}

static _Noreturn void refuse(const char *program, const char *arg)
{
	usage_error("'%s' is one argument too many: %s takes options only. A command comes first "
		    "(netiotrace COMMAND); a program is watched by 'netiotrace attach -- %s'.",
		    arg, program, arg);
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	const struct input *in = state->input;
	const struct setting_command *c = in->command;

	if (key == ARGP_KEY_ARG && !c->operand)
		refuse(state->name, arg);
	if (key == ARGP_KEY_ARG) {
		c->operand(in->options, arg);
		return 0;
	}
	for (size_t i = 0; i < c->nr; i++) {
		if (c->settings[i].kind == SETTING_TITLE || key_of(c, i) != key)
			continue;
		store(&c->settings[i], arg, in->options);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

void setting__parse(const struct setting_command *c, int argc, char **argv, void *options)
{
	struct argp_option rows[SETTINGS_MAX] = {{0}}, *row = rows;
	const struct argp argp = {.options = rows,
				  .parser = take,
				  .args_doc = c->args_doc,
				  .doc = c->doc,
				  .help_filter = c->help_filter};
	struct input in = {c, options};
	int group = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const struct setting *s = &c->settings[i];
		bool title = s->kind == SETTING_TITLE;

		group += title;
		*row++ = (struct argp_option){.name = s->name,
					      .key = title ? 0 : key_of(c, i),
					      .arg = s->arg,
					      .doc = s->help,
					      .group = group};
	}
	command_line__parse(&argp, c->name, argc, argv, &in);
}
