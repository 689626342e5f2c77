/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns command lines that are tables; see setting.h. */
#include "setting.h"

#include "command_line.h"

/* Options without a letter have this key plus their index. */
#define KEY_FIRST 256

struct input {
	const struct setting_command *command;
	void *options;
};

static void store(const struct setting_command *c, const struct option_row *row, const char *arg,
		  void *options)
{
	void *field = (char *)options + row->offset;
	char why[512];

	if (row->take)
		row->take(field, arg);
	if (!option__store(row, field, arg, why, sizeof(why)))
		return;
	if (c->refuse)
		c->refuse(row, arg);
	usage_error("%s.", why);
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
		if (c->settings[i].kind == OPTION_TITLE || key_of(c, i) != key)
			continue;
		store(c, &c->settings[i], arg, in->options);
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
		const struct option_row *s = &c->settings[i];
		bool title = s->kind == OPTION_TITLE;

		group += title;
		*row++ = (struct argp_option){.name = s->name,
					      .key = title ? 0 : key_of(c, i),
					      .arg = s->arg,
					      .doc = s->help,
					      .group = group};
	}
	command_line__parse(&argp, c->name, argc, argv, &in);
}
