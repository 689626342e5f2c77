/* SPDX-License-Identifier: GPL-2.0-only */
/* The details of a run: golden files of the layout, and the sentences for faults. */
#include <stdlib.h>
#include <string.h>

#include "model/remote.h"
#include "model/verdict.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"
#include "support/golden.c"
#include "support/screen_says.h"

static void check_golden(const struct result *r, unsigned int columns, const char *name)
{
	char *text = details_text(r, columns);

	golden__check(name, text);
	free(text);
}

TEST(text_matches_its_golden_files_in_three_widths)
{
	struct result *r = fresh(3);

	check_golden(r, 110, "text-3modes-110");
	check_golden(r, 80, "text-3modes-80");
	check_golden(r, 60, "text-3modes-60");
	fake_result__fentry(r);
	check_golden(r, 110, "text-times-110");
	check_golden(r, 80, "text-times-80");
	check_golden(r, 60, "text-times-60");
}

TEST(one_mode_and_one_round_match_their_golden_file)
{
	struct result *r = fresh(1);

	r->rounds = 1;
	r->summary[0].throughput_gbps = (struct spread){31.4, 31.4, 31.4, 1};
	check_golden(r, 100, "text-1mode-1round");
	assert_silent(r, "completion");
	/* An empty histogram of completions has no table either. */
	r->summary[0].total.app.latency[LATENCY_COMPLETION].hist = hist__new_latency();
	assert_silent(r, "completion");
}

TEST(no_ledger_leaves_throughput_and_the_reason)
{
	static const char reason[] = "backend none was asked for";
	struct result *r = fresh(2);
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
}

/* Paragraphs never exceed the width, tables not from 60 columns on. */
TEST(lines_fit_any_width)
{
	struct result *r = fresh(3);
	const char *line;
	unsigned int w;
	char *text;
	size_t len;

	for (w = 0; w < 320; w++) {
		if (w == 160)
			fake_result__fentry(r);
		text = details_text(r, w % 160);
		for (line = text; *line; line += len + 1) {
			len = strcspn(line, "\n");
			assert_true(len <= (w % 160 < 60 ? 60 : w % 160));
			assert_true(!len || line[len - 1] != ' ');
		}
		free(text);
	}
}

TEST(no_verdict_has_its_reason)
{
	struct result *r = fresh(3);
	struct verdict *v = &r->summary[2].total.verdict;

	v->text[0] = '\0';
	v->copied_fraction = (struct real){.reason = "no zero-copy send completed"};
	assert_says(r, "zero-copy  n/a: no zero-copy send completed.");
	r->summary_nr = 2;
	assert_silent(r, "zero-copy  ");
	r->summary_nr = 3;
}

/* A tap on lo, and a backend that sees its copy: the verdict of the run and the line below it. */
TEST(packet_tap_is_named_in_the_verdict_and_below)
{
	struct result *r = fresh(3);
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
}

TEST(losses_are_named_by_mode_and_explained)
{
	struct result *r = fresh(2);
	struct health *h = &r->summary[1].total.health;

	assert_says(r, "\n8 probes  coverage  missed  dropped  unmatched\n"
		       "two-copy    1.0000       0        0          0\n");
	assert_silent(r, "\nlosses ");
	h->missed.value = 1234;
	h->map_full.value = 5;
	assert_says(r, "one-copy    1.0000   1 234        0          0                  5\n");
	assert_says(r, "\nlosses     Missed: the kernel refused these program runs. Bytes sent and "
		       "received come from sequence numbers and are unaffected");
	assert_says(r, "of these events are missing here. Full maps: there was no room");
	assert_silent(r, "Unmatched: ");
	r->summary[0].total.sequence.source = NULL;
	assert_says(r, "Bytes and times of these events are missing here. Full maps: there");
	r->summary[0].total.health.coverage.value = 0.99999;
	assert_says(r, "two-copy    0.9999 ");
	h->dropped = (struct num){.reason = "not counted here"};
	h->unmatched.value = 3;
	assert_says(r, "one-copy    1.0000   1 234      n/a          3                  5\n");
	assert_says(r, "events dropped (one-copy) n/a: not counted here");
	assert_says(r, "Unmatched: the beginning or the end of these events was not seen.");
}

/* Bytes without an event, though none was refused: explained, unless events were sampled. */
TEST(low_coverage_is_explained_unless_events_were_refused)
{
	struct result *r = fresh(2);
	struct health *h = &r->summary[1].total.health;

	h->coverage.value = 0.9991;
	assert_says(r, "one-copy    0.9991 ");
	assert_says(r, "Coverage: events of some bytes were not seen, though none was refused");
	h->unmatched.value = 1;
	assert_silent(r, "Coverage: ");
	h->unmatched.value = 0;
	h->missed.value = 1;
	assert_silent(r, "Coverage: ");
	h->missed = (struct num){.reason = "not told"};
	assert_silent(r, "Coverage: ");
}

/* Uncovered bytes are named by mode, side and kind; anomalies are explained. */
TEST(uncovered_bytes_are_named_by_mode_side_and_kind)
{
	struct result *r = fresh(1);
	struct run_result *run = &r->summary[0].total;

	assert_silent(r, "uncovered");
	run->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_MPTCP] =
		(struct nio_uncovered){.bytes = 3000, .events = 2};
	assert_says(r, "3 kB at the receiver through MPTCP, whose subflows are sockets of their");
	run->health.anomalies = (struct num){.value = 2, .known = true};
	assert_says(r, "anomalies\ntwo-copy");
	assert_says(r, "Anomalies: a sequence number was below the one before");
}

TEST(missing_times_share_one_reason)
{
	struct result *r = fresh(2);
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
}

/* Means over a part of the calls are not subtracted from the mean over all. */
TEST(times_of_some_calls_have_their_number_and_reason)
{
	struct result *r = fresh(1);
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
}

TEST(places_of_deferred_copies_are_named_with_shares)
{
	struct result *r = fresh(3);
	struct run_result *run = &r->summary[2].total;

	fake_result__fentry(r);
	assert_says(r, "deferred   zero-copy: ran in softirq on top of nio-sender, on lo.\n");
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
}

TEST(completions_have_latency_and_pinned_bytes)
{
	struct result *r = fresh(3);
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
}

/* The last report of the load generator before the interruption is of another moment. */
TEST(retransmissions_of_a_cut_run_have_no_total)
{
	struct result *r = fresh(1);
	struct run_result *run = &r->summary[0].total;

	run->app.tcp_bytes_retrans = 102000;
	run->app.tx_bytes = 1020000;
	run->not_final = NULL;
	assert_says(r, "two-copy retransmitted 102 kB of 1.02 MB");
	run->not_final = "interrupted before the totals were final";
	run->app.tx_bytes = 0;
	assert_says(r, "two-copy retransmitted 102 kB of n/a sent (interrupted before the totals "
		       "were final)");
	assert_silent(r, "102 kB of 0 B");
}

/* Partly pinned, spliced, and below 0.01: each has its own notation. */
TEST(partly_pinned_and_spliced_bytes_have_their_own_notation)
{
	struct result *r = fresh(1);
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
}

TEST(counters_are_shown_or_have_a_reason)
{
	struct result *r = fresh(2);
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
}

/* Modes sampled by different events name both, with the reason. */
TEST(sample_events_of_all_modes_are_named)
{
	struct result *r = fresh(2);
	struct cpu_result *cpu = &r->summary[0].total.cpu;

	assert_says(r, "4000 samples by cpu-clock at 997 Hz, in separate short rounds");
	cpu->source = CPU_SOURCE_CYCLES;
	assert_says(r, "4000 samples by cycles and cpu-clock at 997 Hz");
	snprintf(cpu->no_cycles, sizeof(cpu->no_cycles), "cycles were refused: Busy");
	assert_says(r, "samples by cycles and cpu-clock (cycles were refused: Busy) at 997 Hz, in");
}

TEST(inexact_stage_has_its_quality_and_reason)
{
	struct result *r = fresh(1);
	struct stage_result *rx = &r->summary[0].total.stages[NIO_STAGE_RX_COPY];

	rx->quality = QUALITY_DERIVED;
	rx->reason = "from tcp_rcv_space_adjust";
	assert_says(r, "receive copies derived: from tcp_rcv_space_adjust");
}

/* An unfilled run claims nothing: every figure is n/a with its reason. */
TEST(unfilled_run_matches_its_golden_file)
{
	struct result *r = fresh(1);

	run_result__clear(&r->summary[0].total);
	r->summary[0].throughput_gbps.n = 0;
	check_golden(r, 100, "text-unfilled");
}

TEST(no_received_payload_prints_no_inf_or_nan)
{
	struct result *r = fresh(1);

	r->summary[0].total.app.rx_bytes = 0;
	assert_silent(r, "inf");
	assert_silent(r, "nan");
	assert_says(r, "no payload was received");
}

static void make_sender_side(struct run_result *run)
{
	remote__begin(run);
	run->app.rx_reason = NULL;
	run->stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	run->stages[NIO_STAGE_RX_COPY].reason = REMOTE_REASON;
}

/* Every cost is the sender's. */
TEST(remote_receiver_leaves_costs_of_the_sender_in_the_text)
{
	static const struct num elsewhere = {.reason = REMOTE_REASON};
	struct result *r = fresh(1);
	struct run_result *run = &r->summary[0].total;

	make_sender_side(run);
	run->perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(run->app.tx_bytes * 2);
	run->perf_asked_nr = 1;
	run->perf_asked[0].name = "task-clock";
	run->perf_asked[0].count[NIO_SIDE_SENDER] = known(run->app.tx_bytes / 512);
	run->perf_asked[0].count[NIO_SIDE_RECEIVER] = elsewhere;
	assert_says(r, "perf       of the sender alone: CPU 123 ns per KiB; "
		       "cycles 2 per byte\n");
	assert_says(r, "events     task-clock 2 per KiB");
}

static void look_in_slices(struct run_result *run)
{
	run->health.phase_ns = 1000;
	run->health.looked_ns = 100;
}

/* A remote receiver has no events. */
TEST(sampled_events_are_explained_by_mode_and_direction)
{
	struct result *r = fresh(3);

	assert_silent(r, "\nsampled ");
	for (size_t i = 0; i < r->summary_nr; i++)
		look_in_slices(&r->summary[i].total);
	assert_says(r, "\nsampled    sizes of these events; the sockets count the bytes "
		       "(--count-calls watches all). two-copy: sending and receiving, "
		       "watched 10 % of the time. one-copy: sending and receiving, ");
	for (size_t i = 0; i < r->summary_nr; i++)
		make_sender_side(&r->summary[i].total);
	assert_says(r, "two-copy: sending, watched 10 % of the time. one-copy: sending,");
	assert_silent(r, "receiving, watched");
	/* No program is attached that could see them. */
	for (size_t i = 0; i < r->summary_nr; i++)
		r->summary[i].total.stages[NIO_STAGE_TX_COPY].no_events = "see plan";
	assert_silent(r, "\nsampled ");
}

/* A range of copies from sampled completions does not mean missed events. */
TEST(range_of_copies_names_its_cause)
{
	struct result *r = fresh(3);
	struct run_result *run = &r->summary[2].total;

	assert_int_equal(run->mode, MODE_ZEROCOPY);
	run->copies_per_byte = (struct real){.value = 2, .known = true};
	run->copies_per_byte_at_most = (struct real){.value = 2.5, .known = true};
	assert_says(r, "zero-copy: events were missed, so between 2.0000 and 2.5000");
	look_in_slices(run);
	assert_says(r, "zero-copy: completions were sampled, so between 2.0000 and 2.5000 copies");
	assert_silent(r, "were missed, so");
}
