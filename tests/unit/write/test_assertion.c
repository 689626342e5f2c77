/* SPDX-License-Identifier: GPL-2.0-only */
/* Assertions: refused, true, false, and the message if one is false. */
#include <errno.h>
#include <string.h>

#include "support/test.h"
#include "write/assertion.h"
#include "support/full_result.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

TEST(malformed_assertions_are_refused_with_a_message)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"", "no comparison"},
		{"copies_per_byte", "no comparison"},
		{"copies_per_byte = 2", "no comparison"},
		{"copies_per_byte ! 2", "no comparison"},
		{"== 2", "no field before"},
		{"  == 2", "no field before"},
		{"copies_per_byte ==", "not a plain number"},
		{"copies_per_byte === 2", "not a plain number"},
		{"copies_per_byte == 2 3", "not a plain number"},
		{"copies_per_byte == 2x", "not a plain number"},
		{"copies_per_byte == 64k", "not a plain number"},
		{"copies_per_byte == 0x10", "not a plain number"},
		{"copies_per_byte == nan", "not a plain number"},
		{"copies_per_byte == inf", "not a plain number"},
		{"copies_per_byte == true", "not a plain number"},
		{"copies_per_byte == 1e999", "not a plain number"},
		{"copies_per_byte == 2,01", "not a plain number"},
		{"copies_per_bite == 2", "no field 'copies_per_bite'"},
		{"a%%b == 2", "no field 'a%%b'"},
		{"a\nb\033[31m == 2", "'a?b?[31m == 2': there is no field 'a?b?[31m'"},
		{"copies_per_byte\n== \r2x", "'copies_per_byte?== ?2x': ' ?2x' is not a plain"},
		{"threecopy.copies_per_byte == 2", "no field 'threecopy.copies_per_byte'"},
		{"onecopy. == 2", "no field ''"},
		{"onecopy == 2", "no field 'onecopy'"},
		{"onecopy.onecopy.copies_per_byte == 2", "no field"},
		{"ledger..tx_copy == 2", "no field"},
		{"ledger.tx_copy.bytes. == 2", "no field"},
		{"ledger.copies_per_byte.x == 2", "no field"},
		{"summary. == 2", "no field"},
		{"summary.summary.rounds == 2", "no field"},
		{"ledger == 2", "not a number"},
		{"ledger.tx_copy == 2", "not a number"},
		{"ledger.tx_copy.quality == 2", "not a number"},
		{"ledger.tx_copy.reason == 2", "not a number"},
		{"ledger.tx_copy.event == 2", "no field"},
		{"ledger.tx_copy.sizes == 2", "not a number"},
		{"ledger.unaccounted_tx_reason == 2", "not a number"},
		{"mode == 2", "not a number"},
		{"verdict.text == 2", "not a number"},
		{"perf.sender.cycles.reason == 2", "not a number"},
	};
	struct assertion *a = NULL;
	char message[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		message[0] = '\0';
		if (assertion__parse(&a, cases[i].text, message, sizeof(message)) != -EINVAL)
			fail_msg("'%s' was taken", cases[i].text);
		if (!strstr(message, cases[i].said))
			fail_msg("'%s': %s", cases[i].text, message);
	}
	assert_null(a);
	assertion__free(NULL);
}

static int check(const struct result *r, const char *text, char *message, size_t len)
{
	struct assertion *a = NULL;
	int holds;

	message[0] = '\0';
	if (assertion__parse(&a, text, message, len))
		fail_msg("'%s': %s", text, message);
	holds = assertion__check(a, r, message, len);
	assertion__free(a);
	return holds;
}

TEST(unknown_field_is_refused_with_the_nearest_one)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"copies_per_bite == 2",
		 "no field 'copies_per_bite' (did you mean 'copies_per_byte'?)"},
		{"copies <= 2", "no field 'copies' (did you mean 'copies_per_byte'?)"},
		{"onecopy.copies <= 2", "no field 'copies' (did you mean 'copies_per_byte'?)"},
		{"throughput > 5", "(did you mean 'app.throughput_gbps'?)"},
		{"tx_copy.byte == 0", "(did you mean 'ledger.tx_copy.bytes'?)"},
		{"p50 < 1", "no field 'p50': see docs/reference"}, /* several have it */
	};

	for_each_case(c, cases) {
		struct assertion *a;
		char message[512];

		assert_int_equal(assertion__parse(&a, c->text, message, sizeof(message)), -EINVAL);
		if (!strstr(message, c->said))
			fail_msg("%s: '%s' is not in: %s", c->text, c->said, message);
	}
}

TEST(true_assertions_pass)
{
	static const char *const holding[] = {
		"copies_per_byte == 2.25",
		"copies_per_byte==2.25",
		"  copies_per_byte\t<=  2.25 ",
		"copies_per_byte >= 2.25",
		"copies_per_byte < 2.26",
		"copies_per_byte > 2.24",
		"copies_per_byte != 2",
		"twocopy.copies_per_byte == 2.25",
		"zerocopy.copied_fraction == 0.75",
		"zerocopy.unaccounted_tx == -12",
		"unaccounted_rx == 0",
		"ledger.unaccounted_rx == 0",
		"ledger.tx_copy.bytes == 1001",
		"zerocopy.ledger.tx_copy.bytes == 1.001e3",
		"app.latency_ns.send_call.p99 == 20",
		"app.zerocopy.sends == 101",
		"health.missed == 0",
		"health.unmatched == 3",
		"path_ns.wait == 20004",
		"path_ns.calls == 89",
		"ledger.deferred_copy.ns == 10004",
		"ledger.rx_copy.ns_p99 == 6",
		"kernel_zerocopy.sends_per_notification == 25",
		"kernel_zerocopy.completion_ns.p99 == 7",
		"kernel_zerocopy.enobufs_memlock == 1",
		"perf.sender.cycles.value == 30000",
		"perf.sender.cycles.scaled == 0",
		"interrupted == 0",
		"throughput_gbps == 8",
		"app.throughput_gbps == 8",
		"zerocopy.throughput_gbps == 8",
		"summary.throughput_gbps.low == 7",
		"zerocopy.summary.cpu_s_per_gb == 0.25",
		"summary.total.app.tx_messages == 15258",
	};
	struct full_result f;
	char message[256];

	full_result__init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(holding); i++)
		if (check(&f.result, holding[i], message, sizeof(message)) != 1)
			fail_msg("'%s': %s", holding[i], message);
	full_result__clear(&f);
}

TEST(false_assertions_name_the_value_found)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"copies_per_byte == 2.2", "found 2.25 in twocopy round 1"},
		{"copies_per_byte != 2.25", "found 2.25"},
		{"copies_per_byte < 2.25", "found 2.25"},
		{"copies_per_byte > 2.25", "found 2.25"},
		{"copies_per_byte <= 2.24", "found 2.25"},
		{"copies_per_byte >= 2.26", "found 2.25"},
		{"unaccounted_tx == 0", "found -12"},
		{"zerocopy.copied_fraction == 0",
		 "found 0.75 in zerocopy round 1 (64 KiB, 1 thread)"},
		{"throughput_gbps > 8", "found 8 in the summary of twocopy"},
		{"onecopy.copies_per_byte == 2.25", "mode onecopy did not run"},
		{"onecopy.throughput_gbps == 8", "mode onecopy did not run"},
	};
	struct full_result f;
	char message[256];

	full_result__init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (check(&f.result, cases[i].text, message, sizeof(message)))
			fail_msg("'%s' holds", cases[i].text);
		if (!strstr(message, cases[i].said) || !strstr(message, cases[i].text))
			fail_msg("'%s': %s", cases[i].text, message);
	}
	full_result__clear(&f);
}

/* Every run is checked, not only the first. */
TEST(one_bad_round_makes_the_assertion_false)
{
	struct full_result f;
	char message[256];

	full_result__init(&f);
	f.runs[1].copies_per_byte.value = 3;
	assert_int_equal(check(&f.result, "copies_per_byte == 2.25", message, sizeof(message)), 0);
	assert_non_null(strstr(message, "found 3 in zerocopy"));
	assert_int_equal(
		check(&f.result, "twocopy.copies_per_byte == 2.25", message, sizeof(message)), 1);
	full_result__clear(&f);
}

TEST(throughput_is_the_median)
{
	struct full_result f;
	char message[256];

	full_result__init(&f);
	f.runs[0].duration_ns *= 100;
	assert_int_equal(check(&f.result, "throughput_gbps >= 8", message, sizeof(message)), 1);
	f.result.summary[1].throughput_gbps.n = 0;
	assert_int_equal(check(&f.result, "throughput_gbps >= 8", message, sizeof(message)), 0);
	assert_non_null(strstr(message, "unknown in the summary of zerocopy"));
	full_result__clear(&f);
}

/* Even != is false for an unknown number. */
TEST(unknown_numbers_make_any_assertion_false)
{
	static const char *const texts[] = {
		"copies_per_byte != 2",
		"copies_per_byte >= 0",
		"copied_fraction == 0",
		"unaccounted_tx == 0",
		"health.missed == 0",
		"ledger.other_copy.bytes == 0",
		"app.latency_ns.delivery.p50 < 1e9",
		"perf.sender.cycles.value > 0",
		"perf.sender.cycles.scaled == 0",
	};
	struct run_result run;
	struct result r = {.runs = &run, .runs_nr = 1};
	char message[256];

	run_result__init(&run);
	run.copies_per_byte.reason = "backend none";
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(check(&r, texts[i], message, sizeof(message)), 0);
		assert_non_null(strstr(message, "unknown in twocopy round 0"));
	}
	check(&r, texts[0], message, sizeof(message));
	assert_non_null(strstr(message, ": backend none"));
	check(&r, "ledger.rx_copy.bytes == 0", message, sizeof(message));
	assert_non_null(strstr(message, ": not measured"));
}

TEST(assertion_without_a_run_is_false)
{
	struct result r = {0};
	char message[256];

	assert_int_equal(check(&r, "unaccounted_tx == 0", message, sizeof(message)), 0);
	assert_non_null(strstr(message, "nothing was run"));
	assert_int_equal(check(&r, "throughput_gbps > 0", message, sizeof(message)), 0);
	assert_non_null(strstr(message, "nothing was run"));
}
