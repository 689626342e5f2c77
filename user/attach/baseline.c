/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep's zero-copy against its copying; see baseline.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "baseline.h"
#include "study/analysis.h"
#include "study/dataset_files.h"

/*
 * Zero-copy's cost against one-copy's at a size: the smallest difference that is certain at a
 * thread count; none where thread counts disagree.
 */
static struct baseline_point point_of(const struct analysis *a, uint64_t size, enum metric m)
{
	struct baseline_point p = {.size = size, .change = (double)NAN};

	for (size_t t = 0; t < a->threads_nr; t++) {
		struct finding f =
			analysis__compare(a, analysis__cell(a, MODE_ZEROCOPY, size, a->threads[t]),
					  analysis__cell(a, MODE_ONECOPY, size, a->threads[t]), m);

		if (!finding__holds(&f))
			continue;
		if (p.order && p.order != f.sign)
			return (struct baseline_point){.size = size, .change = (double)NAN};
		if (!p.order || fabs(f.change) < fabs(p.change))
			p.change = f.change;
		p.order = f.sign;
	}
	return p;
}

static void add_points(struct baseline *b, const struct analysis *a)
{
	enum metric m = analysis__has(a, METRIC_CPU_NS_PER_KIB) ? METRIC_CPU_NS_PER_KIB
								: METRIC_CPU_S_NS_PER_KIB;

	for (size_t i = 0; i < a->sizes_nr && b->nr < BASELINE_SIZES_MAX; i++)
		b->points[b->nr++] = point_of(a, a->sizes[i], m);
}

static void analyse(struct baseline *b, const struct dataset *d)
{
	struct analysis a;

	analysis__init(&a, d);
	if (a.has_mode[MODE_ZEROCOPY] && a.has_mode[MODE_ONECOPY])
		add_points(b, &a);
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
