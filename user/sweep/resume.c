/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a sweep may go on in a directory; see resume.h. */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "resume.h"
#include "settings_file.h"
#include "write/json.h"

static int refuse_to_resume(const struct sweep_dir *dir, const char *difference)
{
	log_error("the sweep in %s was made with other settings (%s): repeat the command in "
		  "%s/command with --resume, or name another directory.",
		  dir->name, difference, dir->name);
	return EXIT_USAGE;
}

static int fail_memory(void)
{
	log_error("out of memory.");
	return EXIT_RUN_FAILED;
}

/* differ: as of sweep_settings__differ(). */
static int judge(const struct sweep_dir *dir, int differ, const char *difference)
{
	if (differ < 0)
		return fail_memory();
	return differ ? refuse_to_resume(dir, difference) : EXIT_DONE;
}

int resume__check_settings(const struct sweep_dir *dir, const struct sweep_options *o)
{
	json_t *settings;
	char difference[256];
	int differ;

	if (!dir->sweep)
		return EXIT_DONE;
	settings = sweep_settings__json(o);
	if (!settings)
		return fail_memory();
	differ = sweep_settings__differ(json_object_get(dir->sweep, "settings"), settings,
					difference, sizeof(difference));
	json_decref(settings);
	return judge(dir, differ, difference);
}

/* A packet tap that has opened or closed meanwhile is no other machine: each run says what was
 * open. */
static int environments_differ(const json_t *before, const json_t *now, char *buf, size_t len)
{
	json_t *b = json_environment__steady(before), *n = json_environment__steady(now);
	int differ = -ENOMEM;

	/* What no object is has no copy. */
	if ((b || !json_is_object(before)) && n)
		differ = sweep_settings__differ(b, n, buf, len);
	json_decref(b);
	json_decref(n);
	return differ;
}

int resume__check_surroundings(const struct sweep_dir *dir, const json_t *sweep)
{
	const json_t *tool = json_object_get(dir->sweep, "tool");
	const json_t *before = json_object_get(tool, "version");
	const json_t *now = json_object_get(json_object_get(sweep, "tool"), "version");
	char difference[256];
	int differ;

	if (!json_equal(before, now)) {
		const char *version = json_string_value(before);

		snprintf(difference, sizeof(difference), "netiotrace %s, now %s",
			 version ? version : "of unknown version", NETIOTRACE_VERSION);
		return refuse_to_resume(dir, difference);
	}
	differ = environments_differ(json_object_get(dir->sweep, "environment"),
				     json_object_get(sweep, "environment"), difference,
				     sizeof(difference));
	return judge(dir, differ, difference);
}
