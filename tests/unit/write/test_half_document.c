/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiver's half: what is written is read, and no lie gets through. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "support/full_result.h"
#include "support/near.h"
#include "support/test.h"
#include "write/half_document.h"

/* A half whose numbers agree, as a document. */
static char *document(struct full_result *f)
{
	struct run_result *run = &f->runs[0];

	full_result__init(f);
	strcpy(f->result.env.machine.boot_id, "11111111-2222-3333-4444-555555555555");
	run->cpu.softirq_reason = "interrupts apart";
	for (int s = 0; s < NIO_STAGE_NR; s++)
		run->stages[s].ns = known(6 * run->stages[s].times->count);
	return half_document__write(&f->result.env, run);
}

static int read_half(const char *text, struct run_result *run, char why[HALF_WHY])
{
	static struct environment env;

	run_result__init(run);
	return half_document__read(text, run, &env, why);
}

static void expect_refused(const char *text, const char *expected)
{
	struct run_result run;
	char why[HALF_WHY];

	if (!read_half(text, &run, why))
		fail_msg("accepted, not: %s", expected);
	if (!strstr(why, expected))
		fail_msg("\"%s\" does not say: %s", why, expected);
	run_result__clear(&run);
}

static void same_hist(const struct hist *a, const struct hist *b)
{
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->buckets, b->buckets, a->n_buckets * sizeof(a->buckets[0]));
}

TEST(receivers_side_is_read_as_written)
{
	struct full_result f;
	char *text = document(&f), why[HALF_WHY];
	const struct run_result *of = &f.runs[0];
	const struct cpu_samples *samples = &of->cpu.by[NIO_SAMPLE_RECEIVER];
	struct environment env;
	struct run_result run;

	run_result__init(&run);
	if (half_document__read(text, &run, &env, why))
		fail_msg("%s", why);
	assert_int_equal(run.app.rx_bytes, of->app.rx_bytes);
	assert_int_equal(run.app.rx_messages, of->app.rx_messages);
	assert_int_equal(run.app.tcp_bytes_received, of->app.tcp_bytes_received);
	assert_num(run.app.receiver_cpu_ns, of->app.receiver_cpu_ns.value);
	assert_num(run.app.replies.tx_bytes, of->app.replies.tx_bytes.value);
	assert_num(run.app.replies.tx_messages, of->app.replies.tx_messages.value);
	same_hist(run.app.latency[LATENCY_RECV_CALL].hist, of->app.latency[LATENCY_RECV_CALL].hist);
	assert_int_equal(run.app.latency[LATENCY_RECV_CALL].hist->sum,
			 of->app.latency[LATENCY_RECV_CALL].hist->sum);
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		if (s != NIO_STAGE_RX_COPY && s != NIO_STAGE_TLS_COPY && s != NIO_STAGE_OTHER_COPY)
			continue;
		assert_int_equal(run.stages[s].quality, QUALITY_EXACT);
		assert_int_equal(run.stages[s].bytes, of->stages[s].bytes);
		assert_int_equal(run.stages[s].events, of->stages[s].events);
		assert_num(run.stages[s].ns, of->stages[s].ns.value);
		same_hist(run.stages[s].sizes, of->stages[s].sizes);
		same_hist(run.stages[s].times, of->stages[s].times);
	}
	assert_string_equal(run.others[0].caller, "tcp_collapse");
	assert_num(run.sequence.rx_bytes, of->sequence.rx_bytes.value);
	assert_num(run.sequence.tls[NIO_SIDE_RECEIVER].bytes,
		   of->sequence.tls[NIO_SIDE_RECEIVER].bytes.value);
	assert_num(run.sequence.tls[NIO_SIDE_RECEIVER].records,
		   of->sequence.tls[NIO_SIDE_RECEIVER].records.value);
	assert_num(run.sequence.tls[NIO_SIDE_RECEIVER].overhead,
		   of->sequence.tls[NIO_SIDE_RECEIVER].overhead.value);
	for (int c = 0; c < PERF_NR; c++)
		assert_num(run.perf[NIO_SIDE_RECEIVER][c], of->perf[NIO_SIDE_RECEIVER][c].value);
	assert_true(run.cpu.known);
	assert_int_equal(run.cpu.by[NIO_SAMPLE_RECEIVER].samples, samples->samples);
	assert_memory_equal(&run.cpu.by[NIO_SAMPLE_ELSEWHERE], &of->cpu.by[NIO_SAMPLE_ELSEWHERE],
			    sizeof(*samples));
	assert_memory_equal(run.cpu.by[NIO_SAMPLE_RECEIVER].classes, samples->classes,
			    sizeof(samples->classes));
	assert_num(run.health.missed, of->health.missed.value);
	assert_num(run.health.map_full, 2);
	assert_num(run.health.unmatched, of->health.unmatched.value);
	assert_num(run.health.anomalies, of->health.anomalies.value);
	assert_real(run.health.coverage, of->health.coverage.value);
	assert_string_equal(env.machine.host, f.result.env.machine.host);
	assert_string_equal(env.device, f.result.env.device);
	assert_string_equal(env.machine.boot_id, f.result.env.machine.boot_id);
	assert_string_equal(run.cpu.softirq_reason, "on the receiver's machine: interrupts apart");
	run_result__clear(&run);
	free(text);
	full_result__clear(&f);
}

/* Nothing of an unwatched receiver becomes 0: the reason is the other machine's. */
TEST(unknown_numbers_stay_unknown_with_the_reason_of_that_machine)
{
	struct run_result of, run;
	struct environment env = {0};
	char *text, why[HALF_WHY];

	run_result__init(&of);
	run_result__no_kernel(&of, "no privileges");
	text = half_document__write(&env, &of);
	if (read_half(text, &run, why))
		fail_msg("%s", why);
	assert_int_equal(run.stages[NIO_STAGE_RX_COPY].quality, QUALITY_UNAVAILABLE);
	assert_string_equal(run.stages[NIO_STAGE_RX_COPY].reason,
			    "on the receiver's machine: no privileges");
	assert_false(run.sequence.rx_bytes.known);
	assert_false(run.app.receiver_cpu_ns.known);
	assert_false(run.cpu.known || run.cpu.softirq_reason);
	for (int c = 0; c < PERF_NR; c++)
		assert_false(run.perf[NIO_SIDE_RECEIVER][c].known);
	run_result__clear(&run);
	run_result__clear(&of);
	free(text);
}

/* A copy of text with the first `old` after the first `after` replaced. The caller frees it. */
static char *replaced(const char *text, const char *after, const char *old, const char *new)
{
	const char *at = strstr(text, after);

	at = at ? strstr(at, old) : NULL;
	if (!at)
		fail_msg("no %s after %s", old, after);
	return xasprintf("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

/* A version without kTLS received none. One that does not count losses may have had some. */
/* What limits the receiver is read as written; what is impossible is unknown, and text is
 * printable. */
TEST(environment_of_the_receiver_is_read_as_written)
{
	struct full_result f;
	char *text = document(&f), why[HALF_WHY], *odd;
	struct environment env;
	struct run_result run;

	run_result__init(&run);
	assert_int_equal(half_document__read(text, &run, &env, why), 0);
	assert_string_equal(env.congestion.system, "cubic");
	assert_string_equal(env.machine.mitigations, "spectre_v1 spectre_v2");
	assert_true(env.machine.irq_time.known && !env.machine.irq_time.value);
	assert_string_equal(env.machine.quota.reason, QUOTA_UNLIMITED);
	assert_string_equal(env.rps.text, "0");
	assert_string_equal(env.sysctls[SYSCTL_tcp_wmem].text, "4096 16384 4194304");
	assert_string_equal(env.sysctls[SYSCTL_rmem_max].text, "212992");
	assert_string_equal(env.sysctls[SYSCTL_wmem_max].text, "");
	assert_string_equal(env.sysctls[SYSCTL_wmem_max].reason,
			    "on the receiver's machine: permission was denied");
	run_result__clear(&run);
	odd = replaced(text, "\"environment\"", "\"4096 16384 4194304\"", "\"\\u001b[2J\\n\"");
	free(text);
	text = replaced(odd, "\"environment\"", "\"rmem_max\":212992", "\"rmem_max\":-1");
	free(odd);
	odd = replaced(text, "\"load_average_end\"", "\"cpu_quota\":null", "\"cpu_quota\":-1e300");
	run_result__init(&run);
	assert_int_equal(half_document__read(odd, &run, &env, why), 0);
	assert_null(strpbrk(env.sysctls[SYSCTL_tcp_wmem].text, "\033\n"));
	assert_string_equal(env.sysctls[SYSCTL_rmem_max].text, "");
	assert_non_null(env.sysctls[SYSCTL_rmem_max].reason);
	assert_false(env.machine.quota.known);
	run_result__clear(&run);
	free(odd);
	odd = replaced(text, "\"load_average_end\"", "\"cpu_quota\":null", "\"cpu_quota\":0.5");
	run_result__init(&run);
	assert_int_equal(half_document__read(odd, &run, &env, why), 0);
	assert_real(env.machine.quota, 0.5);
	run_result__clear(&run);
	free(text);
	free(odd);
	full_result__clear(&f);
}

TEST(what_an_earlier_version_lacks_is_0_or_unknown_with_a_reason)
{
	static const char *const renamed[] = {"\"tls_rx\":{", "\"health\":{", "\"sequence\":{",
					      "\"replies\":{"};
	struct full_result f;
	char *text = document(&f), why[HALF_WHY];
	struct run_result run;

	for_each_case(key, renamed) {
		char *other = xasprintf("\"earlier_%s", *key + 1);
		char *without = replaced(text, "\"run\"", *key, other);

		free(other);
		free(text);
		text = without;
	}
	if (read_half(text, &run, why))
		fail_msg("%s", why);
	assert_num(run.sequence.tls[NIO_SIDE_RECEIVER].bytes, 0);
	assert_num(run.sequence.tls[NIO_SIDE_RECEIVER].records, 0);
	assert_num(run.sequence.tls[NIO_SIDE_RECEIVER].overhead, 0);
	assert_false(run.health.missed.known || run.health.map_full.known);
	assert_false(run.health.unmatched.known || run.health.anomalies.known);
	assert_string_equal(run.health.anomalies.reason, "on the receiver's machine: not measured");
	assert_false(run.app.replies.tx_bytes.known || run.app.replies.tx_messages.known);
	assert_false(run.sequence.rx_bytes.known);
	run_result__clear(&run);
	free(text);
	full_result__clear(&f);
}

TEST(each_quality_is_read_back)
{
	struct full_result f;
	char *text = document(&f);

	for (int q = QUALITY_UNAVAILABLE; q <= QUALITY_SAMPLED; q++) {
		char *quality = xasprintf("\"quality\":\"%s\"", quality__name(q));
		char *changed = replaced(text, "\"rx_copy\"", "\"quality\":\"exact\"", quality);
		struct run_result run;
		char why[HALF_WHY];

		if (read_half(changed, &run, why))
			fail_msg("%s: %s", quality, why);
		assert_int_equal(run.stages[NIO_STAGE_RX_COPY].quality, q);
		run_result__clear(&run);
		free(changed);
		free(quality);
	}
	free(text);
	full_result__clear(&f);
}

TEST(each_lie_is_refused_by_its_name)
{
	static const struct {
		const char *after, *old, *new, *why;
	} lies[] = {
		{"{", "netiotrace.half/1", "netiotrace.result/1", "not a document of this kind"},
		{"\"app\"", "\"rx_bytes\":1000000000", "\"rx_bytes\":-1", "app.rx_bytes"},
		{"\"app\"", "\"rx_bytes\":1000000000", "\"rx_bytes\":1e300", "app.rx_bytes"},
		{"\"app\"", "\"rx_bytes\":1000000000", "\"rx_bytes\":\"1\"", "app.rx_bytes"},
		{"\"app\"", "\"rx_bytes\":1000000000", "\"rx_bytes\":null", "app.rx_bytes"},
		{"\"app\"", "\"rx_bytes\":1000000000", "\"rx_bytes\":1.5", "whole number"},
		{"\"app\"", "\"rx_bytes\":1000000000", "\"rx_bytes\":9007199254740994",
		 "app.rx_bytes"},
		{"\"cpu_s\"", "\"receiver\":0.15", "\"receiver\":1e9", "cpu_s.receiver"},
		{"\"recv_call\"", "\"mean\":18", "\"mean\":1800", "mean"},
		{"\"recv_call\"", "\"buckets\":[[13,13,1]", "\"buckets\":[[13,13,-1]", "bucket"},
		{"\"recv_call\"", "\"buckets\":[[13,13,1]", "\"buckets\":[[-13,13,1]", "bucket"},
		{"\"recv_call\"", "\"buckets\":[[13,13,1]", "\"buckets\":[[65,13,1]", "bucket"},
		{"\"recv_call\"", "\"buckets\":[[13,13,1]", "\"buckets\":[[23,13,1]", "bucket"},
		{"\"recv_call\"", "\"buckets\":[[13,13,1]", "\"buckets\":[[13,13,1e18]", "bucket"},
		{"\"recv_call\"", "\"buckets\":[[13,13,1]", "\"buckets\":[7", "bucket"},
		{"\"recv_call\"", "\"buckets\":[", "\"buckets\":7,\"x\":[", "not a list"},
		{"\"rx_copy\"", "\"quality\":\"exact\"", "\"quality\":\"best\"", "no quality"},
		{"\"rx_copy\"", "\"quality\":\"exact\"", "\"quality\":null", "no quality"},
		{"\"rx_copy\"", "\"bytes_at_most\":", "\"bytes_at_most\":1,\"x\":", "fewer bytes"},
		{"\"health\"", "\"coverage\":0.9375", "\"coverage\":1.5", "above 1"},
		{"\"receiver\":{\"samples\"", "\"cpu_ns\":", "\"cpu_ns\":1,\"x\":", "not add up"},
		{"\"receiver\":{\"samples\"", "\"shifted\":", "\"shifted\":-1,\"x\":", "shifted"},
	};
	struct full_result f;
	char *text = document(&f);

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		char *lie = replaced(text, lies[i].after, lies[i].old, lies[i].new);

		expect_refused(lie, lies[i].why);
		free(lie);
	}
	free(text);
	full_result__clear(&f);
}

TEST(text_that_is_too_long_or_deep_or_no_document_is_refused)
{
	size_t len = HALF_MAX + 1;
	char *text = xmalloc(len + 1);

	memset(text, ' ', len);
	text[len] = '\0';
	expect_refused(text, "too long or too deep");
	memset(text, '[', 17);
	text[17] = '\0';
	expect_refused(text, "too long or too deep");
	/* Brackets in a text are no depth. */
	expect_refused("{\"x\":\"\\\"[[[[[[[[[[[[[[[[[[[[[\"}", "not a document of this kind");
	expect_refused("", "not a document of this kind");
	expect_refused("{\"schema\":\"netiotrace.half/1\"", "not a document of this kind");
	expect_refused("{\"schema\":\"netiotrace.half/1\"}", "missing");
	expect_refused("{\"schema\":\"netiotrace.half/1\",\"run\":[]}", "missing");
	free(text);
}

/* Reasons are kept until the end of the program: a machine cannot fill the memory with them. */
TEST(reasons_are_kept_up_to_a_limit_and_printable)
{
	struct run_result run;
	char why[HALF_WHY];

	for (int i = 0; i < 1000; i++) {
		char *text = xasprintf(
			"{\"schema\":\"netiotrace.half/1\",\"run\":{\"app\":{\"rx_bytes\":1,"
			"\"rx_messages\":1},\"ledger\":{\"rx_copy\":{\"quality\":\"unavailable\","
			"\"reason\":\"\\u001b[31m%d\"},\"other_copy\":{\"quality\":\"unavailable\"}"
			"}}}",
			i);

		if (read_half(text, &run, why))
			fail_msg("%s", why);
		assert_null(strchr(run.stages[NIO_STAGE_RX_COPY].reason, '\033'));
		run_result__clear(&run);
		free(text);
	}
}

TEST(stacks_that_do_not_fit_are_left_out)
{
	struct run_result of, run;
	struct environment env = {0};
	char frames[512], *text, why[HALF_WHY];

	run_result__init(&of);
	of.cpu.known = true;
	of.cpu.source = CPU_SOURCE_CLOCK;
	of.app.receiver_cpu_ns = known(1000000000);
	for (int i = 0; i < 2000; i++) {
		const struct profile_stack stack = {
			.frames = frames, .count = 1, .owner = NIO_SAMPLE_RECEIVER};

		snprintf(frames, sizeof(frames), "%0500d", i);
		cpu_time__add_stack(&of.cpu, &stack, false);
	}
	text = half_document__write(&env, &of);
	assert_true(strlen(text) <= HALF_MAX);
	if (read_half(text, &run, why))
		fail_msg("%s", why);
	assert_int_equal(run.cpu.by[NIO_SAMPLE_RECEIVER].samples, 2000);
	assert_int_equal(run.cpu.profile.nr, 0);
	run_result__clear(&run);
	run_result__clear(&of);
	free(text);
}

TEST(stack_has_at_most_the_samples_of_the_receiver)
{
	char frames[] = "recv;tcp_recvmsg";
	const struct profile_stack stack = {
		.frames = frames, .count = 7, .owner = NIO_SAMPLE_RECEIVER};
	static const char *const impossible[] = {"tcp_recvmsg 8\"", "tcp_recvmsg 0\""};
	struct run_result of, run;
	struct environment env = {0};
	char *text, why[HALF_WHY];

	run_result__init(&of);
	of.cpu.known = true;
	of.cpu.source = CPU_SOURCE_CLOCK;
	of.app.receiver_cpu_ns = known(1000000000);
	cpu_time__add_stack(&of.cpu, &stack, false);
	text = half_document__write(&env, &of);
	if (read_half(text, &run, why))
		fail_msg("%s", why);
	assert_int_equal(run.cpu.profile.nr, 1);
	assert_int_equal(run.cpu.by[NIO_SAMPLE_RECEIVER].samples, 7);
	for_each_case(new, impossible) {
		char *lie = replaced(text, "\"stacks\"", "tcp_recvmsg 7\"", *new);

		expect_refused(lie, "impossible count");
		free(lie);
	}
	run_result__clear(&run);
	run_result__clear(&of);
	free(text);
}
