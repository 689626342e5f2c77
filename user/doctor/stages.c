/* SPDX-License-Identifier: GPL-2.0-only */
/* From the plan's rows, which are by probe, to lines by stage; see diagnosis.h. Pure. */
#include <string.h>

#include "base/printable.h"
#include "diagnosis.h"

/* Is stage one of those in list, "tx_copy, tx_pin"? */
static bool feeds(const char *list, const char *stage)
{
	size_t len = strlen(stage);

	for (const char *p = list; (p = strstr(p, stage)); p += len)
		if ((p == list || p[-1] == ' ') && (!p[len] || p[len] == ','))
			return true;
	return false;
}

static bool feeds_any_stage(const char *list)
{
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (feeds(list, stage__key(s)))
			return true;
	return false;
}

/* An alternative of the table like that of a plan's row; NULL: none was chosen. */
static const struct alternative *chosen(const struct plan_row *row)
{
	for (size_t i = 0; row->hook && i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (!strcmp(alt->hook, row->hook) &&
		    !strcmp(plan_probes[alt->probe].name, row->probe))
			return alt;
	}
	return NULL;
}

static const char *refused(const struct probe_result *probe_result)
{
	if (probe_result->answer == ANSWER_YES)
		return "which was not asked for: use --backend auto";
	return probe_result->err ? strerror(-probe_result->err) : "not tried";
}

/* Another alternative that measures the same exactly, with the kernel's answer. */
static void describe_better(struct stage_line *line, const struct plan_row *row,
			    const struct probe_result *probe_results)
{
	const struct alternative *mine = chosen(row);

	for (size_t i = 0; mine && i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (alt->object != mine->object || alt->probe != mine->probe ||
		    alt->quality != QUALITY_EXACT)
			continue;
		append__text(line->remedy, sizeof(line->remedy),
			     "exact by backend %s, %s, on a kernel that allows it (here: %s)",
			     backend__name(alt->backend), alt->hook, refused(&probe_results[i]));
		return;
	}
}

static void fill(struct stage_line *line, const char *stage, const struct plan_row *row,
		 const struct probe_result *probe_results, const char *instead)
{
	*line = (struct stage_line){
		.stage = stage,
		.quality = row->quality,
		.backend = row->backend,
		.hook = row->hook,
		.modes = row->modes,
		.reason = row->reason,
	};
	if (row->remedy)
		append__text(line->remedy, sizeof(line->remedy), "%s",
			     instead ? instead : row->remedy);
	else if (row->quality != QUALITY_EXACT && probe_results)
		describe_better(line, row, probe_results);
}

/* Where one probe of a stage has a hook, others without one are choices not taken. */
static size_t lines_of(const char *stage, const struct plan_row *rows, size_t rows_nr,
		       const struct probe_result *probe_results, const char *instead,
		       struct stage_line *lines)
{
	const struct plan_row *without = NULL;
	size_t n = 0;

	for (size_t i = 0; i < rows_nr; i++) {
		if (!feeds(rows[i].stage, stage))
			continue;
		if (rows[i].hook)
			fill(&lines[n++], stage, &rows[i], probe_results, instead);
		else if (!without)
			without = &rows[i];
	}
	if (!n && without)
		fill(&lines[n++], stage, without, probe_results, instead);
	return n;
}

static struct stage_line by_loadgen(const char *stage, const char *who)
{
	return (struct stage_line){.stage = stage, .quality = QUALITY_EXACT, .hook = who};
}

/* A part of a stage unavailable for the same reason: reported once. */
static bool said_of_whole(const struct plan_row *rows, size_t i)
{
	const char *space = strchr(rows[i].stage, ' ');
	size_t len = space ? (size_t)(space - rows[i].stage) : 0;

	if (rows[i].hook || !len || !rows[i].reason)
		return false;
	for (size_t j = 0; j < i; j++)
		if (!rows[j].hook && !strncmp(rows[j].stage, rows[i].stage, len) &&
		    !rows[j].stage[len] && rows[j].reason &&
		    !strcmp(rows[j].reason, rows[i].reason))
			return true;
	return false;
}

size_t doctor__stages(const struct plan_row *rows, size_t rows_nr,
		      const struct probe_result *probe_results, const char *instead,
		      struct stage_line stages[STAGE_LINES_MAX])
{
	size_t n = 0;

	stages[n++] = by_loadgen(stage__key(NIO_STAGE_USER_GATHER), "netio-loadgen's own count");
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (s != NIO_STAGE_USER_GATHER)
			n += lines_of(stage__key(s), rows, rows_nr, probe_results, instead,
				      &stages[n]);
	for (size_t i = 0; i < rows_nr; i++)
		if (!feeds_any_stage(rows[i].stage) && !said_of_whole(rows, i))
			fill(&stages[n++], rows[i].stage, &rows[i], probe_results, instead);
	stages[n++] = by_loadgen("send_call", "netio-loadgen's own clock");
	return n;
}

void doctor__attach_lines(const struct plan_row *rows, size_t rows_nr,
			  const struct probe_result *probe_results, const char *instead,
			  struct stage_line lines[PLAN_ROWS_MAX])
{
	for (size_t i = 0; i < rows_nr; i++)
		fill(&lines[i], rows[i].probe, &rows[i], probe_results, instead);
}
