/* SPDX-License-Identifier: GPL-2.0-only */
/* The JSON document: its shape, and null for every unknown number. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/test.h"
#include "write/json.h"
#include "model/perf_figures.h"
#include "write/output.h"
#include "support/full_result.h"
#include "support/result_documents.h"

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

/* Every member of some is in others as well; of lists of objects, the first elements. */
static void check_all_in(json_t *some, json_t *others, const char *path)
{
	char name[256];
	const char *key;
	json_t *member, *other;

	json_object_foreach(some, key, member) {
		snprintf(name, sizeof(name), "%s%s%s", path, *path ? "." : "", key);
		other = json_object_get(others, key);
		if (comes_and_goes(name))
			continue;
		if (!other)
			fail_msg("%s is not in both documents", name);
		if (json_is_object(json_array_get(member, 0))) {
			member = json_array_get(member, 0);
			other = json_array_get(other, 0);
		}
		if (json_is_object(member) != json_is_object(other))
			fail_msg("%s is an object in one document only", name);
		check_all_in(member, other, name);
	}
}

TEST(shape_does_not_depend_on_known_numbers)
{
	json_t *full = document_of(true), *empty = document_of(false);

	check_all_in(full, empty, "");
	check_all_in(empty, full, "");
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
			fail_msg("%s is a number in a run that was not measured", name);
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

/* Values as JSON text. */
struct expected {
	const char *path, *value;
};

static void check_values(json_t *document, const struct expected *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *text = json_dumps(at(document, cases[i].path),
					JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));

		if (strcmp(text, cases[i].value) != 0)
			fail_msg("%s is %s, not %s", cases[i].path, text, cases[i].value);
		free(text);
	}
}

/* Clears the run. */
static void check_run(struct run_result *run, const struct expected *cases, size_t n)
{
	json_t *document = json_document__run(run);

	check_values(document, cases, n);
	check_reasons(document, "run");
	json_decref(document);
	run_result__clear(run);
}

TEST(excluded_stages_are_the_unavailable_copies)
{
	static const struct expected cases[] = {
		{"ledger.copies_per_byte_excludes", "[\"other_copy\"]"},
		{"ledger.copies_per_byte", "2.25"},
		{"ledger.other_copy.reason", "\"no tracepoint\""},
		{"ledger.other_copy.bytes", "null"},
		{"ledger.other_copy.sizes", "[]"},
	};
	struct run_result run;

	full_run__fill(&run, MODE_ONECOPY, 1);
	run.stages[NIO_STAGE_OTHER_COPY].quality = QUALITY_UNAVAILABLE;
	run.stages[NIO_STAGE_OTHER_COPY].reason = "no tracepoint";
	run.stages[NIO_STAGE_TX_SPLICE].quality = QUALITY_UNAVAILABLE;
	check_run(&run, cases, ARRAY_LEN(cases));
}

/* The load generator counts its own gathers, with or without BPF. */
TEST(no_ledger_leaves_only_the_gather_stage_known)
{
	static const struct expected cases[] = {
		{"ledger.user_gather.bytes", "77"},
		{"ledger.user_gather.ns", "70"},
		{"ledger.rx_copy.quality", "\"unavailable\""},
		{"ledger.rx_copy.bytes", "null"},
		{"ledger.unaccounted_tx", "null"},
		{"ledger.unaccounted_tx_reason", "\"backend none\""},
		{"kernel_zerocopy.sends", "null"},
		{"kernel_zerocopy.reason", "\"backend none\""},
	};
	struct run_result run;

	run_result__init(&run);
	run.ledger_reason = "backend none";
	run.stages[NIO_STAGE_USER_GATHER] = (struct stage_result){
		.quality = QUALITY_EXACT,
		.bytes = 77,
		.events = 7,
		.event = "message",
		.ns = known(70),
	};
	check_run(&run, cases, ARRAY_LEN(cases));
}

TEST(inexact_stages_have_a_reason)
{
	static const struct expected cases[] = {
		{"ledger.user_gather.reason", "\"one in 64 is timed\""},
		{"ledger.user_gather.bytes", "1000"},
		{"ledger.rx_copy.p50", "null"},
		{"ledger.rx_copy.p50_reason", "\"no event was counted by size\""},
	};
	struct run_result run;

	full_run__fill(&run, MODE_TWOCOPY, 1);
	run.stages[NIO_STAGE_USER_GATHER].quality = QUALITY_SAMPLED;
	run.stages[NIO_STAGE_USER_GATHER].reason = "one in 64 is timed";
	hist__free(run.stages[NIO_STAGE_RX_COPY].sizes);
	run.stages[NIO_STAGE_RX_COPY].sizes = NULL;
	check_run(&run, cases, ARRAY_LEN(cases));
}

/* The sample event, and why it is not cycles; cycles need no reason. */
TEST(cpu_clock_samples_have_the_reason_why_not_cycles)
{
	static const struct expected clock[] = {
		{"cpu.source", "\"cpu-clock\""},
		{"cpu.source_reason", "\"cycles were refused: Busy\""},
	};
	struct run_result run;
	json_t *document;

	full_run__fill(&run, MODE_ZEROCOPY, 1);
	run.cpu.known = true;
	run.cpu.source = CPU_SOURCE_CYCLES;
	document = json_document__run(&run);
	assert_null(json_object_get(at(document, "cpu"), "source_reason"));
	json_decref(document);
	run.cpu.source = CPU_SOURCE_CLOCK;
	snprintf(run.cpu.no_cycles, sizeof(run.cpu.no_cycles), "cycles were refused: Busy");
	document = json_document__run(&run);
	check_values(document, clock, ARRAY_LEN(clock));
	json_decref(document);
	run_result__clear(&run);
}

TEST(missing_times_have_a_reason)
{
	static const struct expected cases[] = {
		{"ledger.tx_copy.ns_reason", "\"no mark\""},
		{"ledger.tx_copy.ns_p99_reason", "\"no mark\""},
		{"ledger.user_gather.ns_p50_reason", "\"only the sum of the times is kept\""},
		{"ledger.rx_copy.ns_p50_reason", "\"no event was timed\""},
		{"ledger.deferred_copy.places_reason", "\"no hook\""},
		{"ledger.deferred_copy.places", "[]"},
		{"kernel_zerocopy.sends_per_notification_reason", "\"nothing completed\""},
		{"kernel_zerocopy.outstanding_bytes.reason", "\"nothing was pinned\""},
	};
	struct run_result run;

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
	check_run(&run, cases, ARRAY_LEN(cases));
}

TEST(huge_NAN_and_scaled_numbers_are_not_misstated)
{
	static const struct expected cases[] = {
		{"path_ns.lock", "1.84467440737e19"},
		{"ledger.copies_per_byte", "null"},
		{"ledger.copies_per_byte_reason", "\"the result is not a number\""},
		{"perf.sender.cycles.scaled", "true"},
		{"perf.sender.cycles.value", "30000"},
	};
	static const struct expected of_environment[] = {
		{"memlock", "null"},
		{"memlock_reason", "\"unlimited\""},
		{"kernel", "null"},
		{"mtu", "null"},
	};
	struct environment env = {.memlock = {.value = UINT64_MAX, .known = true}};
	struct run_result run;
	json_t *document;

	full_run__fill(&run, MODE_TWOCOPY, 1);
	run.path_ns[PATH_LOCK] = known(UINT64_MAX);
	run.copies_per_byte.value = NAN;
	run.perf[NIO_SIDE_SENDER][PERF_CYCLES].reason = "counted 50 % of the time";
	check_run(&run, cases, ARRAY_LEN(cases));
	document = json_document__environment(&env);
	check_values(document, of_environment, ARRAY_LEN(of_environment));
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

/* Spaces make the size: the object ends with the last byte. */
TEST(documents_of_more_than_16_mib_are_not_read)
{
	static char text[(16 << 20) + 1];

	memset(text, ' ', sizeof(text));
	text[0] = '{';
	for (size_t more = 0; more <= 1; more++) {
		size_t len = sizeof(text) - 1 + more;
		int fd = memfd_create("document", MFD_CLOEXEC);
		json_t *document;

		assert_true(fd >= 0);
		text[len - 2] = ' ';
		text[len - 1] = '}';
		assert_int_equal(write(fd, text, len), len);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		document = json_document__read(fd);
		assert_true(more ? !document : json_is_object(document));
		json_decref(document);
		close(fd);
	}
}
