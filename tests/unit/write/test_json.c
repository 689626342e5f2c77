/* SPDX-License-Identifier: GPL-2.0-only */
/* The JSON document: its shape, and that nothing unknown is a number. */
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

	/* Of lists of objects there are as many as there were kinds. */
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

TEST(shape_does_not_depend_on_what_is_known)
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

/* Counts of the load generator are there from the start; nothing else may claim a value. */
static bool may_be_known_in_empty_run(const char *path)
{
	static const char *const prefixes[] = {
		"mode",         "size",      "fields",        "threads",
		"connections",  "round",     "interrupted",   "app.tx_",
		"app.rx_",      "app.tcp.",  "app.zerocopy.", "app.partial_sends",
		"app.eagain",   "app.eintr", "verdict.cause", "verdict.text",
		"app.replies.",
	};
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(path, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
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
			fail_msg("%s is a number in a run nobody measured", name);
	}
}

TEST(an_empty_run_has_no_numbers)
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

/* Reasons of nulls and only of nulls: stages and counters may also explain a number they have. */
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
		/* Of an unknown list the reason stands beside an empty one. */
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

static const struct {
	const char *path;
	json_int_t value;
} integers_of_full_result[] = {
	{"tool.probes", 8},
	{"asked.rounds", 1},
	{"environment.mtu", 65536},
	{"environment.memlock", 8388608},
	{"environment.packet_taps", 1},
	{"environment.taps.0.pid", 4242},
	{"runs.1.size", 65536},
	{"runs.1.app.tx_bytes", 1000000001},
	{"runs.1.app.rx_messages", 15257},
	{"runs.1.app.partial_sends", 4},
	{"runs.1.app.eagain", 5},
	{"runs.1.app.eintr", 6},
	{"runs.1.app.tcp.bytes_acked", 7001},
	{"runs.1.app.tcp.bytes_received", 7002},
	{"runs.1.app.tcp.bytes_retrans", 7003},
	{"runs.1.app.zerocopy.completed", 100},
	{"runs.1.app.zerocopy.enobufs", 3},
	{"runs.1.app.zerocopy.fallback_bytes", 196608},
	{"runs.1.app.latency_ns.slot_wait.p50", 11},
	{"runs.1.app.latency_ns.delivery.p50", 12},
	{"runs.1.app.latency_ns.half_round_trip.p50", 13},
	{"runs.1.app.replies.tx_bytes", 8001},
	{"runs.1.app.replies.tx_messages", 8002},
	{"runs.1.app.replies.rx_bytes", 0},
	{"runs.1.app.replies.rx_messages", 8004},
	{"runs.1.app.replies.errors", 8005},
	{"runs.1.app.latency_ns.completion.max", 24},
	{"runs.1.app.latency_ns.send_call.count", 2},
	{"runs.1.ledger.user_gather.bytes", 1000},
	{"runs.1.ledger.other_copy.bytes", 1006},
	{"runs.1.ledger.tx_copy.events", 101},
	{"runs.1.ledger.tx_pin.ns", 10002},
	{"runs.1.ledger.tx_pin.timed", 92},
	{"runs.1.ledger.tx_pin.ns_p50", 6},
	{"runs.1.ledger.tx_pin.ns_p99", 6},
	{"runs.1.ledger.tx_pin.ns_buckets.0.1", 6},
	{"runs.1.ledger.tx_pin.ns_buckets.0.2", 92},
	{"runs.1.ledger.deferred_copy.places.0.bytes", 900},
	{"runs.1.ledger.deferred_copy.places.1.events", 1},
	{"runs.1.ledger.deferred_copy.places.1.ns", 11},
	{"runs.1.ledger.other_copy.callers.0.bytes", 1006},
	{"runs.1.ledger.other_copy.callers.0.events", 106},
	{"runs.1.ledger.other_copy.callers.0.ns", 10006},
	{"runs.1.ledger.rx_copy.p50", 5},
	{"runs.1.ledger.rx_copy.sizes.0.0", 5},
	{"runs.1.ledger.rx_copy.sizes.0.1", 5},
	{"runs.1.ledger.rx_copy.sizes.0.2", 105},
	{"runs.1.ledger.unaccounted_tx", -12},
	{"runs.1.ledger.unaccounted_rx", 0},
	{"runs.1.kernel_zerocopy.copied", 150},
	{"runs.1.kernel_zerocopy.notifications", 8},
	{"runs.1.kernel_zerocopy.filled", 5},
	{"runs.1.kernel_zerocopy.repeated", 6},
	{"runs.1.kernel_zerocopy.sends_unseen", 7},
	{"runs.1.uncovered.0.bytes", 3000},
	{"runs.1.uncovered.0.events", 2},
	{"runs.1.kernel_zerocopy.completed_bytes", 50001},
	{"runs.1.kernel_zerocopy.completion_ns.p50", 7},
	{"runs.1.kernel_zerocopy.completion_ns.count", 9},
	{"runs.1.kernel_zerocopy.outstanding_bytes.max", 4},
	{"runs.1.kernel_zerocopy.outstanding_bytes.count", 201},
	{"runs.1.kernel_zerocopy.enobufs_optmem", 2},
	{"runs.1.kernel_zerocopy.enobufs_memlock", 1},
	{"runs.1.path_ns.send_total", 20000},
	{"runs.1.path_ns.release", 20007},
	{"runs.1.path_ns.calls", 89},
	{"runs.1.perf.sender.cycles.value", 30000},
	{"runs.1.perf.receiver.task_clock_ns.value", 40000 + PERF_TASK_CLOCK_NS},
	{"runs.1.perf.sender.branches.user", 30106},
	{"runs.1.perf.receiver.cycles.kernel", 40200},
	{"runs.1.perf.events.0.sender.value", 501},
	{"runs.1.perf.events.0.receiver.value", 502},
	{"runs.1.health.missed", 0},
	{"runs.1.health.unmatched", 3},
	{"runs.1.health.anomalies", 4},
	{"summary.1.throughput_gbps.n", 1},
	{"summary.1.unaccounted_tx", -12},
	{"summary.1.total.app.tx_messages", 15258},
};

TEST(values_are_where_they_belong)
{
	json_t *document = document_of(true);
	size_t i;

	for (i = 0; i < sizeof(integers_of_full_result) / sizeof(integers_of_full_result[0]); i++)
		check_integer(document, integers_of_full_result[i].path,
			      integers_of_full_result[i].value);
	check_text(document, "schema", "netiotrace.result/1");
	check_text(document, "tool.argv.2", "all");
	check_text(document, "plan.0.hook", "tp_btf/sock_send_length");
	check_text(document, "plan.1.quality", "unavailable");
	check_text(document, "runs.0.mode", "twocopy");
	check_text(document, "runs.1.mode", "zerocopy");
	check_text(document, "runs.1.ledger.tx_copy.event", "send call");
	check_text(document, "runs.1.verdict.cause", "local_delivery");
	check_text(document, "runs.1.verdict.causes.0.cause", "local_delivery");
	check_text(document, "runs.1.verdict.causes.0.evidence", "the path is local");
	check_text(document, "environment.taps.0.device", "lo");
	check_text(document, "environment.taps.0.side", "both");
	check_text(document, "environment.taps.0.process", "tcpdump");
	check_text(document, "environment.taps.0.function", "packet_rcv");
	assert_true(json_is_true(at(document, "environment.taps.0.at_start")));
	assert_true(json_is_false(at(document, "environment.taps.0.at_end")));
	assert_true(json_is_true(at(document, "environment.device_scatter_gather")));
	assert_true(json_is_false(at(document, "environment.device_tx_checksum")));
	check_text(document, "runs.1.ledger.deferred_copy.places.0.context", "softirq");
	check_text(document, "runs.1.ledger.deferred_copy.places.0.comm", "nio-sender");
	check_text(document, "runs.1.ledger.deferred_copy.places.0.device", "lo");
	check_text(document, "runs.1.ledger.deferred_copy.places.1.context", "process");
	check_text(document, "runs.1.ledger.other_copy.callers.0.caller", "tcp_collapse");
	check_text(document, "runs.1.path_ns.quality", "sampled");
	check_text(document, "runs.1.path_ns.reason", "only some returns are seen");
	check_real(document, "runs.1.kernel_zerocopy.sends_per_notification", 25);
	check_real(document, "runs.1.duration_s", 1);
	check_real(document, "runs.1.app.throughput_gbps", 8);
	check_real(document, "runs.1.app.cpu_s.sender", 0.1);
	check_real(document, "runs.1.app.cpu_s_per_gb", 0.25);
	check_real(document, "runs.1.app.latency_ns.delivery.mean", 17);
	check_real(document, "runs.1.verdict.copied_fraction", 0.75);
	check_real(document, "runs.1.perf.derived.both.ipc", 70002 / 70000.0);
	check_real(document, "runs.1.perf.derived.sender.cycles_per_byte", 3e-5);
	check_text(document, "runs.1.perf.events.0.name", "LLC-loads:k");
	check_real(document, "runs.1.perf.stages.tx_pin.cycles_per_byte", 2);
	check_text(document, "runs.1.perf.stages.tx_pin.reason", "no such event");
	check_real(document, "runs.1.perf.stages.rx_copy.llc_misses_per_kib", 3);
	check_real(document, "runs.1.perf.stages.send_call.cycles_per_window", 2048);
	check_real(document, "summary.1.throughput_gbps.low", 7);
	check_real(document, "summary.1.copies_per_byte.high", 3);
	check_real(document, "summary.1.copied_fraction", 0.75);
	assert_true(json_is_false(at(document, "runs.1.perf.sender.cycles.scaled")));
	assert_true(json_is_null(at(document, "plan.0.remedy")));
	assert_true(json_is_null(at(document, "runs.1.ledger.deferred_copy.places.1.device")));
	assert_int_equal(json_array_size(at(document, "runs.1.ledger.copies_per_byte_excludes")),
			 0);
	json_decref(document);
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

/* The load generator counts its own gathering, whether the kernel was watched or not. */
TEST(without_a_ledger_only_the_gathering_is_known)
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

TEST(stages_say_why_they_are_less_than_exact)
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

/* Bytes may be exact where no time is taken; a list nobody could fill is not a list of nothing. */
/* Times of the round itself are of its messages, and what was lost in it. */
TEST(times_of_the_round_itself)
{
	struct run_result run;
	json_t *document;

	full_run__fill(&run, MODE_ZEROCOPY, 1);
	run.times.source = TIMES_OF_ROUND;
	run.duration_ns = 2500000000;
	run.health.missed = known(31);
	run.health.map_full = known(32);
	run.health.unmatched = known(33);
	document = json_document__run(&run);
	check_text(document, "times.source", "round");
	check_real(document, "times.duration_s", 2.5);
	check_integer(document, "times.messages", (json_int_t)run.app.tx_messages);
	check_integer(document, "times.payload_bytes", (json_int_t)run_result__payload(&run));
	check_integer(document, "times.missed", 31);
	check_integer(document, "times.map_full", 32);
	check_integer(document, "times.unmatched", 33);
	json_decref(document);
	run_result__clear(&run);
}

/* By what samples are counted, and why not by cycles; by cycles there is nothing to explain. */
TEST(samples_say_why_not_by_cycles)
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

TEST(times_say_why_they_are_missing)
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

TEST(odd_numbers_are_not_misstated)
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

TEST(text_that_is_not_utf8_keeps_its_ascii)
{
	json_t *bad = json_value__text("a\xff"
				       "b"),
	       *good = json_value__text("gr\xc3\xbc\xc3\x9f");

	assert_string_equal(json_string_value(bad), "a?b");
	assert_string_equal(json_string_value(good), "gr\xc3\xbc\xc3\x9f");
	json_decref(bad);
	json_decref(good);
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

/* As far as digits are written. */
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

TEST(what_is_written_can_be_read_back)
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

TEST(a_full_disk_is_noticed)
{
	struct full_result f;
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		skip();
	full_result__init(&f);
	assert_int_equal(output__json(&f.result, full), -ENOSPC);
	fclose(full);
	full_result__clear(&f);
}
