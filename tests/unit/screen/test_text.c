/* SPDX-License-Identifier: GPL-2.0-only */
/* The details of a run: golden files of the layout, and the sentences for faults. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "screen/text.h"
#include "model/verdict.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"
#include "support/golden.c"
#include "support/test.h"

static char *render(const struct result *r, unsigned int columns)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	text_details__print(r, f, columns);
	fclose(f);
	return text;
}

static void check_golden(const struct result *r, unsigned int columns, const char *name)
{
	char *text = render(r, columns);

	golden__check(name, text);
	free(text);
}

static void assert_says(const struct result *r, const char *words)
{
	char *text = render(r, 400), *hit = strstr(text, words);

	if (!hit)
		print_error("'%s' is not in:\n%s", words, text);
	free(text);
	assert_non_null(hit);
}

static void assert_silent(const struct result *r, const char *words)
{
	char *text = render(r, 400), *hit = strstr(text, words);

	if (hit)
		print_error("'%s' is in:\n%s", words, text);
	free(text);
	assert_null(hit);
}

TEST(text_matches_its_golden_files_in_three_widths)
{
	struct result *r = fake_result__new(3);

	check_golden(r, 110, "text-3modes-110");
	check_golden(r, 80, "text-3modes-80");
	check_golden(r, 60, "text-3modes-60");
	fake_result__fentry(r);
	check_golden(r, 110, "text-times-110");
	check_golden(r, 80, "text-times-80");
	check_golden(r, 60, "text-times-60");
	fake_result__free(r);
}

TEST(one_mode_and_one_round_match_their_golden_file)
{
	struct result *r = fake_result__new(1);

	r->rounds = 1;
	r->summary[0].throughput_gbps = (struct spread){31.4, 31.4, 31.4, 1};
	check_golden(r, 100, "text-1mode-1round");
	assert_silent(r, "completion");
	/* An empty histogram of completions has no table either. */
	r->summary[0].total.app.latency[LATENCY_COMPLETION].hist = hist__new_latency();
	assert_silent(r, "completion");
	fake_result__free(r);
}

TEST(no_ledger_leaves_throughput_and_the_reason)
{
	static const char reason[] = "backend none was asked for";
	struct result *r = fake_result__new(2);
	struct run_result *run;
	size_t i;
	int s;

	r->backend = "none";
	r->probes = 0;
	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		run->ledger_known = run->balance_known = false;
		run->ledger_reason = reason;
		for (s = NIO_STAGE_TX_COPY; s < NIO_STAGE_NR; s++) {
			run->stages[s].quality = QUALITY_UNAVAILABLE;
			run->stages[s].reason = reason;
		}
	}
	check_golden(r, 100, "text-no-ledger");
	fake_result__free(r);
}

/* Paragraphs never exceed the width, tables not from 60 columns on. */
TEST(lines_fit_any_width)
{
	struct result *r = fake_result__new(3);
	const char *line;
	unsigned int w;
	char *text;
	size_t len;

	for (w = 0; w < 320; w++) {
		if (w == 160)
			fake_result__fentry(r);
		text = render(r, w % 160);
		for (line = text; *line; line += len + 1) {
			len = strcspn(line, "\n");
			assert_true(len <= (w % 160 < 60 ? 60 : w % 160));
			assert_true(!len || line[len - 1] != ' ');
		}
		free(text);
	}
	fake_result__free(r);
}

/* --details has the sentences that did not fit in RESULT. */
TEST(details_have_all_sentences_of_the_result)
{
	struct result *r = fake_result__new(3);

	assert_says(r,
		    "result     Zero-copy was not zero-copy: all 15 259 sends were copied after");
	assert_says(r, "Zero-copy was slower than one-copy by 32 % (29 to 36 %). Fastest: ");
	fake_result__free(r);
}

TEST(no_verdict_has_its_reason)
{
	struct result *r = fake_result__new(3);
	struct verdict *v = &r->summary[2].total.verdict;

	v->text[0] = '\0';
	v->copied_fraction = (struct real){.reason = "no zero-copy send completed"};
	assert_says(r, "zero-copy  n/a: no zero-copy send completed.");
	r->summary_nr = 2;
	assert_silent(r, "zero-copy  ");
	r->summary_nr = 3;
	fake_result__free(r);
}

/* A tap on lo, and a backend that sees its copy: the verdict of the run and the line below it. */
TEST(packet_tap_is_named_in_the_verdict_and_below)
{
	struct result *r = fake_result__new(3);
	struct run_result *run = &r->summary[2].total;
	struct tap *t = &r->env.taps.list[0];

	assert_silent(r, "taps ");
	r->env.taps.nr = 1;
	*t = (struct tap){.device = "lo", .process = "tcpdump", .inode = 1, .sender = true};
	t->pid = (struct num){.value = 4242, .known = true};
	t->in_run = t->at_start = t->open = true;
	run->stages[NIO_STAGE_DEFERRED_COPY].bytes *= 2;
	run->app.zc.enobufs = 7;
	verdict__give(run, &r->env);
	check_golden(r, 100, "text-tap-100");
	t->open = false;
	assert_says(
		r,
		"taps       handed every packet: lo (tcpdump, pid 4242) (closed before the end)");
	t->open = true;
	t->at_start = false;
	r->env.taps.more = 3;
	assert_says(r, "lo (tcpdump, pid 4242) (opened after the start) and 3 more");
	fake_result__free(r);
}

TEST(losses_are_named_and_explained)
{
	struct result *r = fake_result__new(2);
	struct health *h = &r->summary[1].total.health;

	assert_says(r, "watching   8 probes, coverage 1.0000, 0 missed, 0 dropped, 0 unmatched\n");
	h->missed.value = 1234;
	h->map_full.value = 5;
	assert_says(r, "1 234 missed, 0 dropped, 0 unmatched, 5 lost to full maps. Missed: ");
	assert_says(r, "Bytes sent and received come from sequence numbers and are unaffected");
	assert_says(r, "of these events are missing here. Full maps: there was no room");
	r->summary[0].total.sequence.source = NULL;
	assert_says(r, "Bytes and times of these events are missing here. Full maps: there");
	r->summary[0].total.health.coverage.value = 0.99999;
	assert_says(r, "8 probes, coverage 0.9999, ");
	r->summary[0].total.health.coverage.value = 1;
	assert_silent(r, "Unmatched: ");
	h->dropped = (struct num){.reason = "not counted here"};
	assert_says(r, "dropped n/a");
	assert_says(r, "(n/a: not counted here)");
	r->summary[0].total.health.dropped.value = 3;
	assert_says(r, "at least 3 dropped");
	fake_result__free(r);
}

/* A loss that affects times only is not called a loss of bytes. */
TEST(unmatched_events_are_explained)
{
	struct result *r = fake_result__new(1);

	r->summary[0].total.health.unmatched.value = 3;
	assert_says(r, "3 unmatched. Unmatched: the beginning or the end of these events was not "
		       "seen.");
	fake_result__free(r);
}

/* Bytes without an event, though none was refused: explained, unless events were sampled. */
TEST(low_coverage_is_explained_unless_events_were_refused)
{
	struct result *r = fake_result__new(2);
	struct health *h = &r->summary[1].total.health;

	h->coverage.value = 0.9991;
	assert_says(r, "coverage 0.9991, 0 missed, 0 dropped, 0 unmatched. Coverage: events of "
		       "some bytes were not seen, though none was refused");
	h->unmatched.value = 1;
	assert_silent(r, "Coverage: ");
	h->unmatched.value = 0;
	h->missed.value = 1;
	assert_silent(r, "Coverage: ");
	h->missed = (struct num){.reason = "not told"};
	assert_silent(r, "Coverage: ");
	fake_result__free(r);
}

/* Uncovered bytes are named by mode, side and kind; anomalies are explained. */
TEST(uncovered_bytes_are_named_by_mode_side_and_kind)
{
	struct result *r = fake_result__new(1);
	struct run_result *run = &r->summary[0].total;

	assert_silent(r, "uncovered");
	run->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_MPTCP] =
		(struct nio_uncovered){.bytes = 3000, .events = 2};
	assert_says(r, "3 kB at the receiver through MPTCP, whose subflows are sockets of their");
	run->health.anomalies = (struct num){.value = 2, .known = true};
	assert_says(r, "2 anomalies");
	assert_says(r, "Anomalies: a sequence number was below the one before");
	fake_result__free(r);
}

TEST(missing_times_share_one_reason)
{
	struct result *r = fake_result__new(2);
	struct run_result *run = &r->summary[1].total;

	assert_says(r, "\ngather          30.5 ns           -\n");
	assert_says(r, "parts of a send call, time of send, time of deferred, time of receive "
		       "n/a: " FAKE_TIME_REASON "\n");
	r->summary[0].total.stages[NIO_STAGE_RX_COPY].ns.reason = "another reason";
	assert_says(r, "time of receive (two-copy) n/a: another reason\n");
	assert_says(r, "time of receive (one-copy) n/a: " FAKE_TIME_REASON "\n");
	fake_result__fentry(r);
	assert_silent(r, FAKE_TIME_REASON);
	assert_silent(r, "time       ");
	/* An unknown part makes the rest of the call unknown, not the other parts. */
	run->path_ns[PATH_WAIT] = (struct num){.reason = "no such hook"};
	assert_says(r, "wait (one-copy) n/a: no such hook\n");
	r->summary[0].total.path_ns[PATH_WAIT] = run->path_ns[PATH_WAIT];
	assert_says(r, " wait n/a: no such hook\n");
	assert_silent(r, "\noutside");
	fake_result__free(r);
}

/* Means over a part of the calls are not subtracted from the mean over all. */
TEST(times_of_some_calls_have_their_number_and_reason)
{
	struct result *r = fake_result__new(1);
	struct run_result *run = &r->summary[0].total;

	fake_result__fentry(r);
	assert_says(r, "\noutside ");
	run->path_calls.value /= 2;
	run->path_quality = QUALITY_SAMPLED;
	run->path_reason = "some returns";
	assert_says(r, "time       two-copy: parts are of ");
	assert_says(r, " calls (some returns).\n");
	assert_silent(r, "\noutside ");
	run->stages[NIO_STAGE_RX_COPY].timed.value = 0;
	run->stages[NIO_STAGE_RX_COPY].ns.value = 0;
	assert_says(r, "time of receive n/a: no event was timed");
	fake_result__free(r);
}

TEST(places_of_deferred_copies_are_named_with_shares)
{
	struct result *r = fake_result__new(3);
	struct run_result *run = &r->summary[2].total;

	fake_result__fentry(r);
	assert_says(r, "deferred   ran in softirq on top of nio-sender, on lo.\n");
	run->places[1] = (struct place_result){NIO_CONTEXT_PROCESS, "ksoftirqd/0", "",
					       .bytes = run->places[0].bytes / 3};
	run->places_nr = 2;
	assert_says(r, "ran 75.0 % in softirq on top of nio-sender, on lo; 25.0 % in "
		       "ksoftirqd/0.\n");
	run->places[2] = run->places[3] = run->places[1];
	run->places_nr = 4;
	assert_says(r, "; 16.7 % elsewhere.\n");
	run->others[0] = (struct other_result){"tcp_collapse", 1200000, 31, 1};
	run->others[1] = (struct other_result){"tcp_mtu_probe", 1400, 1, 1};
	run->others_nr = 2;
	assert_says(r,
		    "other      zero-copy: tcp_collapse 1.2 MB in 31 copies, tcp_mtu_probe 1.4 kB "
		    "in 1 copy.\n");
	fake_result__free(r);
}

TEST(completions_have_latency_and_pinned_bytes)
{
	struct result *r = fake_result__new(3);
	struct run_result *run = &r->summary[2].total;

	assert_silent(r, "completion pages");
	fake_result__fentry(r);
	assert_says(r,
		    "completion pages were released 60.9 us (p99 126 us) after the call; 512 KiB "
		    "(p99 512 KiB) of a socket pinned after a send; 6.5 sends per "
		    "notification.\n");
	hist__reset(run->pinned.completion.hist);
	run->notifications.value = 15259;
	assert_says(r,
		    "completion 512 KiB (p99 512 KiB) of a socket pinned after a send; 1.0 sends");
	fake_result__free(r);
}

/* The last report of the load generator before the interruption is of another moment. */
TEST(retransmissions_of_a_cut_run_have_no_total)
{
	struct result *r = fake_result__new(1);
	struct run_result *run = &r->summary[0].total;

	run->app.tcp_bytes_retrans = 102000;
	run->app.tx_bytes = 1020000;
	run->not_final = NULL;
	assert_says(r, "retransmitted: two-copy 102 kB of 1.02 MB");
	run->not_final = "interrupted before the totals were final";
	run->app.tx_bytes = 0;
	assert_says(r, "retransmitted: two-copy 102 kB of n/a sent (interrupted before the totals "
		       "were final)");
	assert_silent(r, "102 kB of 0 B");
	fake_result__free(r);
}

/* Partly pinned, spliced, and below 0.01: each has its own notation. */
TEST(partly_pinned_and_spliced_bytes_have_their_own_notation)
{
	struct result *r = fake_result__new(1);
	struct run_result *run = &r->summary[0].total;
	struct stage_result *tx = &run->stages[NIO_STAGE_TX_COPY];

	tx->bytes = run->app.rx_bytes / 4;
	run->stages[NIO_STAGE_TX_PIN].bytes = run->app.rx_bytes - tx->bytes;
	assert_says(r, " 0.25+pin ");
	tx->bytes = 1;
	assert_says(r, " <0.01+pin ");
	tx->bytes = 0;
	run->stages[NIO_STAGE_TX_SPLICE].bytes = run->stages[NIO_STAGE_TX_PIN].bytes;
	run->stages[NIO_STAGE_TX_PIN].bytes = 0;
	assert_says(r, " spliced ");
	assert_says(r, " spliced;");
	tx->quality = QUALITY_UNAVAILABLE;
	tx->reason = "no hook";
	assert_says(r, "= n/a copied");
	fake_result__free(r);
}

TEST(counters_are_shown_or_have_a_reason)
{
	struct result *r = fake_result__new(2);
	struct run_result *run = &r->summary[0].total;

	assert_says(r, "page faults n/a: no hardware counters: virtual machine");
	assert_says(r, "perf       two-copy / one-copy: CPU 215 / 256 ns per KiB\n");
	run->perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(run->app.rx_bytes * 2);
	assert_silent(r, "cycles 2");
	run->perf[NIO_SIDE_RECEIVER][PERF_CYCLES] = known(run->app.rx_bytes);
	assert_says(r, "cycles 3 / n/a per byte\n");
	assert_says(r, "cycles (one-copy) n/a: no hardware");
	run->app.sender_cpu_ns = (struct num){.reason = "no /proc"};
	assert_says(r, "CPU n/a / 256 ns per KiB");
	assert_says(r, "CPU time (two-copy) n/a: no /proc");
	fake_result__free(r);
}

/* Modes sampled by different events name both, with the reason. */
TEST(sample_events_of_all_modes_are_named)
{
	struct result *r = fake_result__new(2);
	struct cpu_result *cpu = &r->summary[0].total.cpu;

	assert_says(r, "4000 samples by cpu-clock at 997 Hz, in separate short rounds");
	cpu->source = CPU_SOURCE_CYCLES;
	assert_says(r, "4000 samples by cycles and cpu-clock at 997 Hz");
	snprintf(cpu->no_cycles, sizeof(cpu->no_cycles), "cycles were refused: Busy");
	assert_says(r, "samples by cycles and cpu-clock (cycles were refused: Busy) at 997 Hz, in");
	fake_result__free(r);
}

TEST(inexact_stage_has_its_quality_and_reason)
{
	struct result *r = fake_result__new(1);
	struct stage_result *rx = &r->summary[0].total.stages[NIO_STAGE_RX_COPY];

	rx->quality = QUALITY_DERIVED;
	rx->reason = "from tcp_rcv_space_adjust";
	assert_says(r, "receive copies derived: from tcp_rcv_space_adjust");
	fake_result__free(r);
}

/* An unfilled run claims nothing: every figure is n/a with its reason. */
TEST(unfilled_run_matches_its_golden_file)
{
	struct result *r = fake_result__new(1);

	run_result__clear(&r->summary[0].total);
	r->summary[0].throughput_gbps.n = 0;
	check_golden(r, 100, "text-unfilled");
	fake_result__free(r);
}

TEST(no_received_payload_prints_no_inf_or_nan)
{
	struct result *r = fake_result__new(1);

	r->summary[0].total.app.rx_bytes = 0;
	assert_silent(r, "inf");
	assert_silent(r, "nan");
	assert_says(r, "no payload was received");
	fake_result__free(r);
}
