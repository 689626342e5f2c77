/* SPDX-License-Identifier: GPL-2.0-only */
/* The diagnosis as text: columns, with details wrapped below; see diagnosis.h. */
#include <string.h>

#include "diagnosis.h"
#include "common/units.h"
#include "base/printable.h"

#define INDENT        2
#define STATE_WIDTH   9
#define NAME_WIDTH    20
#define BODY_COLUMN   (INDENT + STATE_WIDTH + NAME_WIDTH)
#define STAGE_WIDTH   19
#define QUALITY_WIDTH 13
/* A narrower terminal has texts below their names, in one column. */
#define FULL_WIDTH    80
#define NARROW_COLUMN 6
#define STAGE_COLUMN  (INDENT + STAGE_WIDTH + QUALITY_WIDTH)

void doctor__wrap(FILE *f, unsigned int width, int from, int column, const char *text)
{
	char shown[1024];
	const char *line, *rest = printable(shown, sizeof(shown), text);
	size_t len;

	if (width < FULL_WIDTH && column > NARROW_COLUMN) {
		fputs(from ? "\n" : "", f);
		column = NARROW_COLUMN;
		from = 0;
	}
	len = wrap__next(&rest, width - (unsigned int)column, &line);
	do {
		fprintf(f, "%*s%.*s\n", len ? column - from : 0, "", (int)len, line);
		from = 0;
	} while (len && (len = wrap__next(&rest, width - (unsigned int)column, &line)));
}

static void print_remedy(FILE *f, unsigned int width, int column, const char *remedy)
{
	if (!remedy[0])
		return;
	column = width < FULL_WIDTH ? NARROW_COLUMN - 3 : column;
	fprintf(f, "%*s-> ", column, "");
	doctor__wrap(f, width, column + 3, column + 3, remedy);
}

static void print_field(FILE *f, unsigned int width, const char *name, const char *value)
{
	fprintf(f, "%*s%-*s", INDENT, "", STATE_WIDTH + NAME_WIDTH, name);
	doctor__wrap(f, width, BODY_COLUMN, BODY_COLUMN, value[0] ? value : "n/a");
}

static void print_machine(FILE *f, unsigned int width, const struct environment *env)
{
	char cpus[16];

	snprintf(cpus, sizeof(cpus), "%u", env->cpus);
	fprintf(f, "machine\n");
	print_field(f, width, "kernel", env->kernel);
	print_field(f, width, "cpu", env->cpu);
	print_field(f, width, "cpus", env->cpus ? cpus : "");
	print_field(f, width, "virtualization", env->virtualization);
}

static void print_check(FILE *f, unsigned int width, const struct check *c)
{
	char body[sizeof(c->value) + sizeof(c->means) + 2];

	snprintf(body, sizeof(body), "%s%s%s", c->value, c->means[0] ? ": " : "", c->means);
	fprintf(f, "%*s%-*s%-*s", INDENT, "", STATE_WIDTH, check_state__key(c->state), NAME_WIDTH,
		c->name);
	if (strlen(c->name) >= NAME_WIDTH && width >= FULL_WIDTH)
		fprintf(f, "\n%*s", BODY_COLUMN, "");
	doctor__wrap(f, width, BODY_COLUMN, BODY_COLUMN, body);
	print_remedy(f, width, BODY_COLUMN, c->remedy);
}

static void print_checks(FILE *f, unsigned int width, const struct diagnosis *d)
{
	const char *group = "";

	for (size_t i = 0; i < d->checks_nr; i++) {
		const struct check *c = &d->checks[i];

		if (strcmp(group, c->group)) {
			group = c->group;
			fprintf(f, "\n%s%s%s\n", group, strcmp(group, "path") ? "" : ": ",
				strcmp(group, "path") ? "" : d->facts.path);
		}
		print_check(f, width, c);
	}
}

static void print_stage(FILE *f, unsigned int width, const struct stage_line *s)
{
	char hook[128], modes[MODE_LIST_LEN];

	snprintf(hook, sizeof(hook), "%s%s%s%s", s->hook ? s->hook : "-", s->modes ? " (" : "",
		 mode__list(modes, sizeof(modes), s->modes), s->modes ? ")" : "");
	fprintf(f, "%*s%-*s%-*s", INDENT, "", STAGE_WIDTH, s->stage, QUALITY_WIDTH,
		quality__name(s->quality));
	doctor__wrap(f, width, STAGE_COLUMN, STAGE_COLUMN, hook);
	if (s->reason)
		doctor__wrap(f, width, 0, STAGE_COLUMN, s->reason);
	print_remedy(f, width, STAGE_COLUMN, s->remedy);
}

static void print_stages(FILE *f, unsigned int width, const struct diagnosis *d,
			 const struct options *o)
{
	char size[UNITS_BUF];

	fprintf(f, "\nstages, for messages of %s, backend %s%s\n",
		format_size(size, sizeof(size), o->workload.size), backend__name(o->backend),
		d->tried ? "" : " (no hook was tried: that needs root)");
	for (size_t i = 0; i < d->stages_nr; i++)
		print_stage(f, width, &d->stages[i]);
}

static void print_attach(FILE *f, unsigned int width, const struct diagnosis *d)
{
	fprintf(f, "\nattach%s\n",
		!d->tried           ? " (no hook was tried: that needs root)"
		: !d->attach_usable ? " (cannot watch with this backend)"
				    : "");
	for (size_t i = 0; i < d->attach_rows_nr; i++)
		print_stage(f, width, &d->attach_lines[i]);
}

static void print_sum(FILE *f, unsigned int width, const struct diagnosis *d)
{
	unsigned int nr[CHECK_UNKNOWN + 1] = {0};
	char text[160];

	for (size_t i = 0; i < d->checks_nr; i++)
		nr[d->checks[i].state]++;
	snprintf(text, sizeof(text), "%s; checks: %u ok, %u limited, %u missing, %u unknown",
		 doctor__answer(d), nr[CHECK_OK], nr[CHECK_LIMITED], nr[CHECK_MISSING],
		 nr[CHECK_UNKNOWN]);
	fputc('\n', f);
	doctor__wrap(f, width, 0, 0, text);
}

void doctor__print(FILE *f, unsigned int width, const struct diagnosis *d, const struct options *o,
		   void (*more)(FILE *f, unsigned int width, const struct environment *env))
{
	print_machine(f, width, &d->facts.env);
	print_checks(f, width, d);
	print_stages(f, width, d, o);
	print_attach(f, width, d);
	if (more)
		more(f, width, &d->facts.env);
	print_sum(f, width, d);
}
