/* SPDX-License-Identifier: GPL-2.0-only */
/* The copy modes as settings of gnuplot: names, words and how each is drawn, from mode.h. */
#include <string.h>

#include "figure_text.h"

#define TEXT_LEN 256

/* What all modes have of one kind, in their order, apart by spaces. */
static void set_each(struct figure_draft *d, const char *name,
		     void (*put)(char *buf, size_t len, const struct mode_info *mode))
{
	char text[TEXT_LEN] = "", one[TEXT_LEN];

	for (int m = 0; m < MODE_NR; m++) {
		put(one, sizeof(one), mode__info((enum mode)m));
		if (strlen(text) + 1 + strlen(one) >= sizeof(text))
			return;
		strcat(text, m ? " " : "");
		strcat(text, one);
	}
	draft__set_text(d, name, text);
}

static void put_words(char *buf, size_t len, const struct mode_info *mode)
{
	snprintf(buf, len, "%s", mode->words);
}

static void put_colour(char *buf, size_t len, const struct mode_info *mode)
{
	snprintf(buf, len, "%s", mode->colour);
}

static void put_point(char *buf, size_t len, const struct mode_info *mode)
{
	snprintf(buf, len, "%u", mode->point);
}

static void put_open_point(char *buf, size_t len, const struct mode_info *mode)
{
	snprintf(buf, len, "%u", mode->open_point);
}

static void put_dash(char *buf, size_t len, const struct mode_info *mode)
{
	snprintf(buf, len, "%u", mode->dash);
}

void draft__set_all_modes(struct figure_draft *d)
{
	char names[MODE_LIST_LEN];

	draft__set_text(d, "all_modes", mode__list(names, sizeof(names), ~0U));
	set_each(d, "all_mode_words", put_words);
	set_each(d, "all_mode_colors", put_colour);
	set_each(d, "all_mode_points", put_point);
	set_each(d, "all_mode_open_points", put_open_point);
	set_each(d, "all_mode_dashes", put_dash);
}

void draft__set_modes(struct figure_draft *d)
{
	char names[MODE_LIST_LEN];
	unsigned int mask = 0;

	for (int m = 0; m < MODE_NR; m++)
		mask |= (unsigned int)d->modes[m] << m;
	draft__set_text(d, "modes", mode__list(names, sizeof(names), mask));
}
