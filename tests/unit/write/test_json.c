/* SPDX-License-Identifier: GPL-2.0-only */
/* The JSON document: its shape, and null for every unknown number. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/json.h"
#include "model/perf_figures.h"
#include "write/output.h"
#include "support/full_result.h"
#include "support/json_names.h"

static json_t *at(json_t *value, const char *path)
{
	char copy[256], *key, *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (key = strtok_r(copy, ".", &save); key; key = strtok_r(NULL, ".", &save))
		value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
					     : json_object_get(value, key);
	if (!value)
		fail_msg("no %s in the document", path);
	return value;
}

static bool comes_and_goes(const char *path)
{
	const char *dot = strrchr(path, '.'), *key = dot ? dot + 1 : path;

	/* Lists of objects have as many elements as there are kinds. */
	return json_key__is_reason(key) || !strcmp(key, "event") || strstr(path, ".places") ||
	       strstr(path, ".callers") || strstr(path, ".uncovered");
}

static void check_all_in(const struct names *some, const struct names *others)
{
	size_t i;

	for (i = 0; i < some->nr; i++)
		if (!comes_and_goes(some->name[i]) && !names__has(others, some->name[i]))
			fail_msg("%s is not in both documents", some->name[i]);
}

TEST(shape_does_not_depend_on_known_numbers)
{
	json_t *full = document_of(true), *empty = document_of(false);
	struct names in_full = {0}, in_empty = {0};

	collect(&in_full, full, "");
	collect(&in_empty, empty, "");
	check_all_in(&in_full, &in_empty);
	check_all_in(&in_empty, &in_full);
	assert_true(in_full.nr > 200);
	names__clear(&in_full);
	names__clear(&in_empty);
	json_decref(full);
	json_decref(empty);
}

static bool begins_with_any(const char *path, const char *const *prefixes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(path, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Counts of the load generator exist from the start; all other numbers must be unknown. */
static bool may_be_known_in_empty_run(const char *path)
{
	static const char *const always[] = {
		"mode",  "size",        "fields",        "threads",      "connections",
		"round", "interrupted", "verdict.cause", "verdict.text", "app.",
	};
	static const char *const measured[] = {"app.throughput", "app.cpu_s", "app.latency_ns",
					       "app.verify_errors"};

	return begins_with_any(path, always, sizeof(always) / sizeof(always[0])) &&
	       !begins_with_any(path, measured, sizeof(measured) / sizeof(measured[0]));
}

static void check_unknown(json_t *value, const char *path)
{
	char name[256];
	const char *key;
	json_t *member;

	json_object_foreach(value, key, member) {
		snprintf(name, sizeof(name), "%s%s%s", path, *path ? "." : "", key);
		if (json_is_object(member))
			check_unknown(member, name);
		else if (json_is_number(member) && !may_be_known_in_empty_run(name))
			fail_msg("%s is a number in an unmeasured run", name);
	}
}

TEST(empty_run_has_no_numbers)
{
	struct run_result run;
	json_t *document;

	run_result__init(&run);
	document = json_document__run(&run);
	check_unknown(document, "");
	assert_string_equal(json_string_value(at(document, "ledger.tx_copy.quality")),
			    "unavailable");
	assert_int_equal(json_array_size(at(document, "ledger.tx_copy.sizes")), 0);
	json_decref(document);
}

/* A null has a reason, and a number has none; stages and counters may explain a number as well. */
static void check_reasons(json_t *object, const char *path)
{
	bool has_reason = json_string_length(json_object_get(object, "reason")) > 0;
	char name[256];
	const char *key;
	json_t *member;

	json_object_foreach(object, key, member) {
		snprintf(name, sizeof(name), "%s_reason", key);
		if (json_is_null(member) && !has_reason &&
		    !json_string_length(json_object_get(object, name)))
			fail_msg("%s.%s is null without a reason", path, key);
		/* An unknown list is empty, with a reason beside it. */
		if (json_is_array(member) && json_array_size(member) == 0)
			continue;
		if (!json_is_null(member) && json_object_get(object, name))
			fail_msg("%s.%s has a value and a reason for having none", path, key);
		if (json_is_object(member))
			check_reasons(member, key);
	}
}

TEST(every_null_has_a_reason)
{
	static const char *const objects[] = {"asked", "environment", "runs.0", "summary.0"};
	json_t *document;
	size_t i;
	int full;

	for (full = 0; full < 2; full++) {
		document = document_of(full);
		for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
			check_reasons(at(document, objects[i]), objects[i]);
		json_decref(document);
	}
}

static void check_integer(json_t *document, const char *path, json_int_t expected)
{
	json_t *value = at(document, path);

	if (!json_is_integer(value) || json_integer_value(value) != expected)
		fail_msg("%s is not %lld", path, (long long)expected);
}

static void check_real(json_t *document, const char *path, double expected)
{
	json_t *value = at(document, path);

	if (!json_is_real(value) || fabs(json_real_value(value) - expected) > 1e-9)
		fail_msg("%s is not %g", path, expected);
}

static void check_text(json_t *document, const char *path, const char *expected)
{
	json_t *value = at(document, path);

	if (!json_is_string(value))
		fail_msg("%s is no text", path);
	assert_string_equal(json_string_value(value), expected);
}

TEST(excluded_stages_are_the_unavailable_copies)
{
	struct run_result run;
	json_t *document, *excluded;

	full_run__fill(&run, MODE_ONECOPY, 1);
	run.stages[NIO_STAGE_OTHER_COPY].quality = QUALITY_UNAVAILABLE;
	run.stages[NIO_STAGE_OTHER_COPY].reason = "no tracepoint";
	run.stages[NIO_STAGE_TX_SPLICE].quality = QUALITY_UNAVAILABLE;
	document = json_document__run(&run);
	excluded = at(document, "ledger.copies_per_byte_excludes");
	assert_int_equal(json_array_size(excluded), 1);
	check_text(excluded, "0", "other_copy");
	check_real(document, "ledger.copies_per_byte", 2.25);
	check_text(document, "ledger.other_copy.reason", "no tracepoint");
	assert_true(json_is_null(at(document, "ledger.other_copy.bytes")));
	assert_int_equal(json_array_size(at(document, "ledger.other_copy.sizes")), 0);
	json_decref(document);
	run_result__clear(&run);
}

/* The load generator counts its own gathers, with or without BPF. */
TEST(no_ledger_leaves_only_the_gather_stage_known)
{
	struct run_result run;
	json_t *document;

	run_result__init(&run);
	run.ledger_reason = "backend none";
	run.stages[NIO_STAGE_USER_GATHER] = (struct stage_result){
		.quality = QUALITY_EXACT,
		.bytes = 77,
		.events = 7,
		.event = "message",
		.ns = known(70),
	};
	document = json_document__run(&run);
	check_integer(document, "ledger.user_gather.bytes", 77);
	check_integer(document, "ledger.user_gather.ns", 70);
	check_text(document, "ledger.rx_copy.quality", "unavailable");
	assert_true(json_is_null(at(document, "ledger.rx_copy.bytes")));
	assert_true(json_is_null(at(document, "ledger.unaccounted_tx")));
	check_text(document, "ledger.unaccounted_tx_reason", "backend none");
	assert_true(json_is_null(at(document, "kernel_zerocopy.sends")));
	check_text(document, "kernel_zerocopy.reason", "backend none");
	json_decref(document);
	run_result__clear(&run);
}

TEST(inexact_stages_have_a_reason)
{
	struct run_result run;
	json_t *document;

	full_run__fill(&run, MODE_TWOCOPY, 1);
	run.stages[NIO_STAGE_USER_GATHER].quality = QUALITY_SAMPLED;
	run.stages[NIO_STAGE_USER_GATHER].reason = "one in 64 is timed";
	hist__free(run.stages[NIO_STAGE_RX_COPY].sizes);
	run.stages[NIO_STAGE_RX_COPY].sizes = NULL;
	document = json_document__run(&run);
	check_text(document, "ledger.user_gather.reason", "one in 64 is timed");
	check_integer(document, "ledger.user_gather.bytes", 1000);
	assert_true(json_is_null(at(document, "ledger.rx_copy.p50")));
	assert_true(json_string_length(at(document, "ledger.rx_copy.p50_reason")) > 0);
	check_reasons(document, "run");
	json_decref(document);
	run_result__clear(&run);
}

/* The sample event, and why it is not cycles; cycles need no reason. */
TEST(cpu_clock_samples_have_the_reason_why_not_cycles)
{
	struct run_result run;
	json_t *document;

	full_run__fill(&run, MODE_ZEROCOPY, 1);
	run.cpu.known = true;
	run.cpu.source = CPU_SOURCE_CLOCK;
	snprintf(run.cpu.no_cycles, sizeof(run.cpu.no_cycles), "cycles were refused: Busy");
	document = json_document__run(&run);
	check_text(document, "cpu.source", "cpu-clock");
	check_text(document, "cpu.source_reason", "cycles were refused: Busy");
	json_decref(document);
	run.cpu.source = CPU_SOURCE_CYCLES;
	run.cpu.no_cycles[0] = '\0';
	document = json_document__run(&run);
	check_text(document, "cpu.source", "cycles");
	assert_null(json_object_get(at(document, "cpu"), "source_reason"));
	json_decref(document);
	run_result__clear(&run);
}

TEST(missing_times_have_a_reason)
{
	struct run_result run;
	json_t *document;

	full_run__fill(&run, MODE_ZEROCOPY, 1);
	run.stages[NIO_STAGE_TX_COPY].ns = run.stages[NIO_STAGE_TX_COPY].timed =
		(struct num){.reason = "no mark"};
	hist__free(run.stages[NIO_STAGE_TX_COPY].times);
	hist__free(run.stages[NIO_STAGE_USER_GATHER].times);
	run.stages[NIO_STAGE_TX_COPY].times = run.stages[NIO_STAGE_USER_GATHER].times = NULL;
	hist__reset(run.stages[NIO_STAGE_RX_COPY].times);
	run.places_nr = 0;
	run.places_reason = "no hook";
	run.notifications = known(0);
	hist__reset(run.pinned.outstanding.hist);
	document = json_document__run(&run);
	check_reasons(document, "run");
	check_text(document, "ledger.tx_copy.ns_reason", "no mark");
	check_text(document, "ledger.tx_copy.ns_p99_reason", "no mark");
	check_text(document, "ledger.user_gather.ns_p50_reason",
		   "only the sum of the times is kept");
	check_text(document, "ledger.rx_copy.ns_p50_reason", "no event was timed");
	check_text(document, "ledger.deferred_copy.places_reason", "no hook");
	assert_int_equal(json_array_size(at(document, "ledger.deferred_copy.places")), 0);
	check_text(document, "kernel_zerocopy.sends_per_notification_reason", "nothing completed");
	check_text(document, "kernel_zerocopy.outstanding_bytes.reason", "nothing was pinned");
	json_decref(document);
	run_result__clear(&run);
}

TEST(huge_NAN_and_scaled_numbers_are_not_misstated)
{
	struct run_result run;
	struct environment env = {.memlock = {.value = UINT64_MAX, .known = true}};
	json_t *document;

	full_run__fill(&run, MODE_TWOCOPY, 1);
	run.path_ns[PATH_LOCK] = known(UINT64_MAX);
	run.copies_per_byte.value = NAN;
	run.perf[NIO_SIDE_SENDER][PERF_CYCLES].reason = "counted 50 % of the time";
	document = json_document__run(&run);
	assert_true(json_real_value(at(document, "path_ns.lock")) > 1.8e19);
	assert_true(json_is_null(at(document, "ledger.copies_per_byte")));
	assert_true(json_string_length(at(document, "ledger.copies_per_byte_reason")) > 0);
	assert_true(json_is_true(at(document, "perf.sender.cycles.scaled")));
	check_integer(document, "perf.sender.cycles.value", 30000);
	json_decref(document);
	run_result__clear(&run);

	document = json_document__environment(&env);
	assert_true(json_is_null(at(document, "memlock")));
	check_text(document, "memlock_reason", "unlimited");
	assert_true(json_is_null(at(document, "kernel")));
	assert_true(json_is_null(at(document, "mtu")));
	json_decref(document);
}

static char *written(const struct result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(output__json(r, f), 0);
	fclose(f);
	return text;
}

/* Equal up to the number of digits written. */
static void check_same(const json_t *a, const json_t *b)
{
	size_t flags = JSON_REAL_PRECISION(JSON_REAL_DIGITS) | JSON_SORT_KEYS;
	char *text = json_dumps(a, flags), *other = json_dumps(b, flags);

	assert_non_null(text);
	assert_non_null(other);
	assert_string_equal(text, other);
	free(text);
	free(other);
}

TEST(written_document_is_read_back)
{
	struct full_result f;
	json_t *document, *read;
	char *text;

	full_result__init(&f);
	text = written(&f.result);
	document = json_document__result(&f.result);
	read = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(read);
	check_same(document, read);
	assert_string_equal(text + strlen(text) - 2, "}\n");
	assert_non_null(strstr(text, "\n      \"app\": {\n"));
	assert_non_null(strstr(text, "\"sizes\": [[5, 5, 101]]"));
	free(text);
	json_decref(document);
	json_decref(read);
	full_result__clear(&f);
}
