/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep's zero-copy against its copying; see baseline.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "baseline.h"
#include "study/analysis.h"
#include "study/dataset_files.h"

static struct finding compare(const struct analysis *a, uint64_t size, enum metric m)
{
	return analysis__compare_modes(a, MODE_ZEROCOPY, MODE_ONECOPY, size, m);
}

static int order_of(const struct finding *c)
{
	if (!finding__holds(c))
		return 0;
	return c->difference == DIFFERENCE_HIGHER ? 1 : -1;
}

static void take_points(struct baseline *b, const struct analysis *a)
{
	enum metric m = analysis__has(a, METRIC_CPU_NS_PER_KIB) ? METRIC_CPU_NS_PER_KIB
								: METRIC_CPU_S_NS_PER_KIB;

	for (size_t i = 0; i < a->sizes_nr && b->nr < BASELINE_SIZES_MAX; i++) {
		struct finding c = compare(a, a->sizes[i], m);

		b->points[b->nr++] = (struct baseline_point){a->sizes[i], order_of(&c), c.change};
	}
}

static void analyse(struct baseline *b, const struct dataset *d)
{
	struct analysis a;

	analysis__init(&a, d);
	if (a.has_mode[MODE_ZEROCOPY] && a.has_mode[MODE_ONECOPY])
		take_points(b, &a);
	analysis__clear(&a);
}

int baseline__read(struct baseline *b, const char *path, char *message, size_t len)
{
	char problem[DATASET_MESSAGE_MAX] = "";
	struct dataset d = {0};
	int err;

	dataset_files__hold_only(path);
	err = dataset__load(&d, path, (double)NAN, problem);
	dataset_files__release();
	*b = (struct baseline){.path = path};
	if (!err)
		analyse(b, &d);
	dataset__clear(&d);
	if (!err && !b->nr)
		err = -ENODATA;
	if (err)
		snprintf(message, len, "--baseline %s: %s", path,
			 err == -ENODATA ? "it has no runs of both zerocopy and onecopy."
			 : problem[0]    ? problem
					 : "out of memory.");
	return err;
}

const struct baseline_point *baseline__near(const struct baseline *b, uint64_t size)
{
	const struct baseline_point *p = &b->points[0];

	for (size_t i = 1; i < b->nr && b->points[i].size <= size; i++)
		p = &b->points[i];
	return p;
}

const struct baseline_point *baseline__dearer_to(const struct baseline *b,
						 const struct baseline_point *p)
{
	while (p + 1 < b->points + b->nr && p[1].order == 1)
		p++;
	return p;
}
