/* SPDX-License-Identifier: GPL-2.0-only */
/* A report while it is made; see report_dir.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report_dir.h"
#include "report_place.h"

static void fill_why(int err, char why[PUBLISHER_WHY])
{
	if (err && !*why)
		snprintf(why, PUBLISHER_WHY, "%s", strerror(-err));
}

static int begin(struct report_dir *d, const char *verb)
{
	d->request = open_memstream(&d->text, &d->len);
	if (!d->request)
		return -ENOMEM;
	fprintf(d->request, "%s%c%s%c", verb, 0, d->target, 0);
	return 0;
}

/* Sends the request. Its answer or -errno. */
static int ask(struct report_dir *d, char why[PUBLISHER_WHY])
{
	int err = fclose(d->request) ? -ENOMEM : 0;

	d->request = NULL;
	*why = '\0';
	if (!err)
		err = publisher__ask(d->publisher, d->text, d->len, why);
	free(d->text);
	d->text = NULL;
	fill_why(err, why);
	return err;
}

int report_dir__open(struct report_dir *d, struct publisher *publisher, const char *target,
		     char why[PUBLISHER_WHY])
{
	int err;

	*d = (struct report_dir){.publisher = publisher, .target = strdup(target)};
	*why = '\0';
	err = d->target ? begin(d, REPORT_PLACE_CHECK) : -ENOMEM;
	if (!err)
		err = ask(d, why);
	if (!err)
		err = begin(d, REPORT_PLACE_WRITE);
	fill_why(err, why);
	if (err)
		report_dir__abort(d);
	return err;
}

int report_dir__add(struct report_dir *d, const char *name, const char *data, size_t len)
{
	fprintf(d->request, "%s%c%zu%c", name, 0, len, 0);
	fwrite(data, 1, len, d->request);
	return ferror(d->request) ? -ENOMEM : 0;
}

int report_dir__add_text(struct report_dir *d, const char *name, const char *text)
{
	return report_dir__add(d, name, text, strlen(text));
}

int report_dir__publish(struct report_dir *d, char why[PUBLISHER_WHY])
{
	int err = ask(d, why);

	report_dir__abort(d);
	return err;
}

void report_dir__abort(struct report_dir *d)
{
	if (d->request)
		fclose(d->request);
	free(d->text);
	free(d->target);
	*d = (struct report_dir){0};
}
