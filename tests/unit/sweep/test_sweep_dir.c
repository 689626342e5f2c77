/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of a sweep: which directory may be used, and which of its files count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "support/full_result.h"
#include "support/test.h"
#include "sweep/sweep_dir.h"
#include "sweep/sweep_document.h"
#include "write/json.h"

/* A directory for one test, below the working directory. */
static char scratch[64];

static int make_scratch(void **state)
{
	(void)state;
	snprintf(scratch, sizeof(scratch), "/tmp/netiotrace-test-XXXXXX");
	return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	return system(command);
}

static const char *in_scratch(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	return path;
}

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(in_scratch(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool is_in_scratch(const char *name, const char *text)
{
	FILE *f = fopen(in_scratch(name), "r");
	char there[64] = "";

	assert_non_null(f);
	assert_non_null(fgets(there, sizeof(there), f));
	fclose(f);
	return !strcmp(there, text);
}

static int open_scratch(struct sweep_dir *d, bool resume)
{
	bool said;
	int code;

	*d = (struct sweep_dir)SWEEP_DIR_INIT;
	log_hold();
	code = sweep_dir__open(d, scratch, resume);
	said = ftell(log_stream()) > 0;
	log_release();
	/* Opens the directory; messages go to stderr. */
	assert_int_equal(code != 0, said);
	return code;
}

static void begin(struct sweep_dir *d)
{
	json_t *sweep =
		json_pack("{s:s, s:{s:s}}", "schema", SWEEP_SCHEMA, "environment", "kernel", "6.1");

	assert_int_equal(sweep_dir__begin(d, sweep, "netiotrace sweep"), 0);
	json_decref(sweep);
}

/* The environment is a document with a schema. */
static void check_environment(void)
{
	json_t *o = json_load_file(in_scratch("environment.json"), 0, NULL);

	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "schema")), ENVIRONMENT_SCHEMA);
	assert_string_equal(json_string_value(json_object_get(o, "kernel")), "6.1");
	json_decref(o);
}

TEST_WITH(new_and_own_directories_are_usable, make_scratch, remove_scratch)
{
	struct sweep_dir d;

	assert_int_equal(open_scratch(&d, false), 0);
	assert_null(d.sweep);
	begin(&d);
	sweep_dir__close(&d);
	check_environment();
	assert_int_equal(open_scratch(&d, false), EXIT_USAGE); /* not empty */
	sweep_dir__close(&d);
	assert_int_equal(open_scratch(&d, true), 0);
	assert_non_null(d.sweep);
	sweep_dir__close(&d);
}

TEST_WITH(resuming_makes_no_directory, make_scratch, remove_scratch)
{
	struct sweep_dir d;

	assert_int_equal(rmdir(scratch), 0);
	assert_int_equal(open_scratch(&d, true), EXIT_USAGE);
	sweep_dir__close(&d);
	assert_int_equal(access(scratch, F_OK), -1);
	assert_int_equal(open_scratch(&d, false), 0);
	sweep_dir__close(&d);
}

TEST_WITH(second_sweep_in_a_directory_is_refused, make_scratch, remove_scratch)
{
	struct sweep_dir d, second;

	assert_int_equal(open_scratch(&d, true), 0);
	assert_int_equal(open_scratch(&second, true), EXIT_USAGE);
	sweep_dir__close(&second);
	sweep_dir__close(&d);
	assert_int_equal(open_scratch(&d, true), 0);
	sweep_dir__close(&d);
}

/* Killed before sweep.json was written: starts again, unless the directory has a foreign file. */
TEST_WITH(sweep_killed_before_its_start_begins_again, make_scratch, remove_scratch)
{
	struct sweep_dir d;

	put_file(MANAGED_DIR_MARKER, "netiotrace.files/1 sweep\nenvironment.json\n");
	put_file("environment.json", "{}");
	put_file(".netiotrace-abcdef", "half");
	assert_int_equal(open_scratch(&d, true), 0);
	assert_null(d.sweep);
	assert_int_not_equal(access(in_scratch(".netiotrace-abcdef"), F_OK), 0);
	sweep_dir__close(&d);
	put_file("thesis.tex", "important");
	assert_int_equal(open_scratch(&d, true), EXIT_USAGE);
	sweep_dir__close(&d);
	assert_int_equal(access(in_scratch("thesis.tex"), F_OK), 0);
}

/* Files with a sweep's names but without a marker are never touched. */
TEST_WITH(foreign_files_with_the_names_of_a_sweep_are_kept, make_scratch, remove_scratch)
{
	struct sweep_dir d;

	put_file("environment.json", "mine");
	put_file("command", "mine");
	put_file(".netiotrace-abcdef", "mine");
	assert_int_equal(open_scratch(&d, true), EXIT_USAGE);
	sweep_dir__close(&d);
	assert_int_equal(open_scratch(&d, false), EXIT_USAGE);
	sweep_dir__close(&d);
	assert_int_equal(access(in_scratch(".netiotrace-abcdef"), F_OK), 0);
	assert_int_equal(access(in_scratch("command"), F_OK), 0);
}

TEST_WITH(foreign_file_is_not_overwritten, make_scratch, remove_scratch)
{
	struct sweep_dir d;
	char *rows[1] = {NULL};

	assert_int_equal(open_scratch(&d, false), 0);
	begin(&d);
	put_file("results.csv", "mine");
	assert_int_not_equal(sweep_dir__write_csv(&d, rows, 1), 0);
	assert_true(is_in_scratch("results.csv", "mine"));
	sweep_dir__close(&d);
}

TEST_WITH(foreign_sweep_json_is_refused, make_scratch, remove_scratch)
{
	static const char *const texts[] = {"", "{", "[]", "{\"schema\":\"netiotrace.result/1\"}",
					    "{\"schema\":7}"};
	struct sweep_dir d;

	for_each_case(text, texts) {
		put_file("sweep.json", *text);
		assert_int_equal(open_scratch(&d, true), EXIT_USAGE);
		sweep_dir__close(&d);
	}
}

static const struct sweep_run zerocopy_run = {MODE_ZEROCOPY, 65536, 4, 1, NULL};

/* The second run of the full result, as a document of that run alone. */
static json_t *document_of(struct full_result *f, const struct sweep_run *run)
{
	struct result r = f->result;
	struct run_result *one = &f->runs[1];

	one->mode = run->mode;
	one->size = run->size;
	one->threads = run->threads;
	one->round = run->round;
	r.runs = one;
	r.runs_nr = 1;
	return json_document__result(&r);
}

TEST_WITH(only_complete_results_of_that_run_count, make_scratch, remove_scratch)
{
	struct sweep_run other = zerocopy_run;
	struct sweep_dir d;
	struct full_result f;
	json_t *document, *found;

	full_result__init(&f);
	document = document_of(&f, &zerocopy_run);
	assert_int_equal(open_scratch(&d, false), 0);
	assert_null(sweep_dir__read(&d, &zerocopy_run));
	assert_int_equal(sweep_dir__write_failure(&d, &zerocopy_run, 1, "it broke"), 0);
	assert_null(sweep_dir__read(&d, &zerocopy_run)); /* a failure is no result */
	assert_int_equal(sweep_dir__write_result(&d, &zerocopy_run, document), 0);
	assert_int_not_equal(access(in_scratch("cells/zerocopy-65536-t4-r1.failed.json"), F_OK), 0);
	found = sweep_dir__read(&d, &zerocopy_run);
	assert_non_null(found);
	json_decref(found);
	other.round = 2;
	assert_null(sweep_dir__read(&d, &other));
	/* A renamed file, or one that a power loss truncated. */
	log_set_verbosity(true, 0);
	assert_int_equal(sweep_dir__write_result(&d, &other, document), 0);
	assert_null(sweep_dir__read(&d, &other));
	put_file("cells/zerocopy-65536-t4-r1.json", "{\"schema\":");
	assert_null(sweep_dir__read(&d, &zerocopy_run));
	log_set_verbosity(false, 0);
	sweep_dir__close(&d);
	json_decref(document);
	full_result__clear(&f);
}
