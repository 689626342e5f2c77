/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of a run fits on a screen, begins with the answer, and shows no figure that was not
 * measured.
 */
#include "model/remote.h"
#include "model/verdict.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"
#include "support/screen_says.h"

static char *render(const struct result *r, unsigned int columns, unsigned int rows)
{
	return end_text(r, &(struct text_end_form){.columns = columns, .rows = rows});
}

/* The number of lines; none may exceed the columns or end in a blank. */
static unsigned int count_lines(const char *text, unsigned int columns)
{
	unsigned int lines = 0;
	size_t len;

	for (; *text; text += len + 1, lines++) {
		len = strcspn(text, "\n");
		if (len > columns)
			fail_msg("%zu columns: %.*s", len, (int)len, text);
		assert_true(!len || text[len - 1] != ' ');
		assert_int_equal(text[len], '\n');
	}
	return lines;
}

static const struct {
	unsigned int columns, rows, lines;
} screens[] = {
	{80, 0, 30},   {80, 24, 23},  {80, 10, 9},  {40, 24, 23}, {60, 8, 7},
	{100, 30, 29}, {200, 50, 30}, {80, 28, 27}, {40, 10, 9},  {60, 20, 19},
};

static void check_fits(const struct result *r)
{
	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		unsigned int columns = screens[i].columns;
		char *text = render(r, screens[i].columns, screens[i].rows);

		if (count_lines(text, columns) > screens[i].lines)
			fail_msg("%u lines where %u have room:\n%s", count_lines(text, columns),
				 screens[i].lines, text);
		free(text);
	}
}

/* The words of a text: line ends and margins become one blank. */
static char *unwrap(const char *text)
{
	char *flat = malloc(strlen(text) + 1), *to = flat;

	assert_non_null(flat);
	for (; *text; text++)
		if ((*text != ' ' && *text != '\n') || (to > flat && to[-1] != ' '))
			*to++ = *text == '\n' ? ' ' : *text;
	*to = '\0';
	return flat;
}

/* It fits any screen; at 80 columns it has these texts in this order, separated by '|'. */
static void check_says(const struct result *r, const char *words)
{
	char *text = render(r, 80, 0), *flat = unwrap(text), *all = strdup(words), *save = NULL;
	const char *from = flat;

	check_fits(r);
	for (char *word = strtok_r(all, "|", &save); word; word = strtok_r(NULL, "|", &save)) {
		from = strstr(from, word);
		if (!from)
			fail_msg("'%s' is not in, or not in this order:\n%s", word, text);
	}
	free(all);
	free(flat);
	free(text);
}

/* Whether the text of a screen of this size has the words, on one line or more. */
static void check_screen(const struct result *r, unsigned int columns, unsigned int rows,
			 const char *words, bool has)
{
	char *text = render(r, columns, rows);

	check_words(unwrap(text), words, has);
	free(text);
}

static void check_silent(const struct result *r, const char *words)
{
	check_screen(r, 80, 0, words, false);
}

/* Replaces the runs. owned: the result owns the replaced ones. */
static void replace_runs(struct result *r, struct run_result *runs, size_t n, bool owned)
{
	if (owned)
		free(r->runs);
	r->runs = runs;
	r->runs_nr = n;
}

static struct run_result *zerocopy_of(struct result *r)
{
	return &r->summary[2].total;
}

TEST(copied_zero_copy_names_the_cause_in_all_sections)
{
	struct result *r = fresh(3);

	check_says(r, "netiotrace 0.1|Linux 6.18.44, loopback|64 KiB messages, 8 fields, 1 thread"
		      "|RESULT|not zero-copy: all 15 259 sends|same machine|one-copy"
		      "|made by|(5 rounds)|two-copy 3 gather + send + receive 31.4"
		      "|one-copy 2 send + receive 35.2|zero-copy 2 deferred + receive 23.6"
		      "|latency|send copy|CHECKED|3 GB sent = 3 GB received|0 B unaccounted"
		      "|0 events missed|NOT SEEN|unexpected copies|cache misses|--details");
	zerocopy_of(r)->verdict.cause = ZC_CAUSE_UNKNOWN;
	check_says(r, "RESULT|all 15 259 sends|cause was not seen");
}

/* A small terminal loses tables, notes and later sentences, never the verdict. */
TEST(verdict_is_the_last_thing_that_a_small_terminal_loses)
{
	static const struct {
		unsigned int columns, rows;
	} small[] = {{80, 24}, {80, 12}, {60, 20}, {60, 8}, {40, 10}};
	struct result *r = fresh(3);

	r->interrupted = true;
	for (int i = 0; i < 3; i++)
		r->summary[i].rounds = 1;
	for (size_t i = 0; i < ARRAY_LEN(small); i++)
		check_screen(r, small[i].columns, small[i].rows,
			     "RESULT Zero-copy was not zero-copy: all 15 259 sends were copied "
			     "after all, because sender and receiver are on the same machine. ",
			     true);
	check_screen(r, 60, 8, "CHECKED", false);
	check_screen(r, 60, 24, "CHECKED", true);
}

TEST(best_modes_are_named_and_indistinguishable_ones_together)
{
	struct result *r = fresh(3);

	fake_result__rounds(r, MODE_TWOCOPY, 30, 32, 5);
	fake_result__rounds(r, MODE_ONECOPY, 34, 36, 5);
	check_says(r, "RESULT|Fastest: one-copy; cheapest in CPU time: one-copy.");
	fake_result__rounds(r, MODE_TWOCOPY, 34, 36, 5);
	check_says(r, "Fastest: two-copy or one-copy; cheapest");
	fake_result__rounds(r, MODE_ZEROCOPY, 33, 37, 5);
	check_says(r, "Fastest: no difference shown; cheapest");
	/* Ended after 3 of 5 rounds, and after 5 of 12, however far apart these are. */
	for (int i = 0; i < 3; i++)
		fake_result__rounds(r, r->summary[i].mode, 30 + 9 * i, 33 + 9 * i, 3);
	check_says(r, "faster than one-copy by|in 3 rounds; 5 rounds are needed to tell a "
		      "difference from noise. Fastest: too early to say, 5 rounds are needed.");
	check_silent(r, "cheapest");
	for (int i = 0; i < 3; i++)
		fake_result__rounds(r, r->summary[i].mode, 30 + 9 * i, 33 + 9 * i, 5);
	check_says(r, "faster than one-copy by|Fastest: zero-copy; cheapest");
	r->rounds = 12;
	check_says(r, "in 5 rounds; 12 rounds are needed|Fastest: too early to say, 12 rounds");
	r->runs_nr = 0;
	check_silent(r, "Fastest");
}

/* The CPU time of all modes is with softirq work on other tasks, or that of none is. */
TEST(softirq_work_on_other_tasks_is_in_the_CPU_time_of_all_modes_or_none)
{
	struct result *r = fresh(3);
	struct mode_summary *m = &r->summary[2];
	struct cpu_samples *s = &m->total.cpu.by[NIO_SAMPLE_ELSEWHERE];

	m->cpu_ns_per_kib = (struct spread){324, 300, 350, 5};
	/* 997 samples a second, for 1 GiB. */
	*s = (struct cpu_samples){.samples = 451, .classes = {[CPU_CLASS_DEFERRED_COPY] = 451}};
	/* So few samples are of 392 to 473 ns/KiB. */
	check_says(r, "CPU ns/KiB|zero-copy|>= 716|CPU ns/KiB, mean|deferred|zero-copy|515");
	check_silent(r, "process ns");
	m->cpu_ns_per_kib.median = 6240;
	check_silent(r, ">=");
	/* Some of it may be for other sockets. */
	s->lost = 100;
	check_says(r, "CPU ns/KiB|zero-copy|>= 6632");
	m->cpu_ns_per_kib.median = 324;
	/* Of one round it is not known. */
	cpu_time__none(&r->runs[r->runs_nr - 1].cpu, "CPU samples were off");
	check_says(r, "cheapest in CPU time: not known, because softirq work is unknown (CPU "
		      "samples were off).|process ns/KiB|zero-copy|324|process ns/KiB, mean");
	check_silent(r, " 515 ");
}

TEST(uncopied_zero_copy_is_called_zero_copy)
{
	struct result *r = fresh(3);
	struct verdict *v = &zerocopy_of(r)->verdict;

	zerocopy_of(r)->app.zc.copied = 0;
	v->copied_fraction.value = 0;
	v->cause = ZC_CAUSE_NOT_COPIED;
	check_says(r, "RESULT Zero-copy was zero-copy: none of 15 259 sends");
	/* Completions report no copy, but the device cannot send without one. */
	v->cause = ZC_CAUSE_NO_SG;
	check_says(r, "RESULT Zero-copy was not zero-copy|scatter-gather");
	check_silent(r, "was zero-copy:");
}

TEST(partly_copied_zero_copy_has_the_share)
{
	struct result *r = fresh(3);

	zerocopy_of(r)->app.zc.copied = 3000;
	zerocopy_of(r)->verdict.copied_fraction.value = 0.2;
	check_says(r, "RESULT|partly zero-copy: 3 000 of 15 259 sends (20 %)|same machine");
}

/* A remedy for 12 of 15 259 sends pushed the answer from a screen of 24 rows. */
TEST(few_refused_sends_come_after_the_answer)
{
	struct result *r = fresh(3);

	zerocopy_of(r)->app.zc.enobufs = 12;
	check_says(r, "RESULT|all 15 259 sends|one-copy|12 of 15 271 zero-copy sends fell back");
	zerocopy_of(r)->app.zc.enobufs = 400;
	check_says(r, "RESULT|all 15 259 sends|400 of 15 659 zero-copy sends fell back|Fastest");
}

TEST(refused_sends_name_the_limit_and_a_remedy)
{
	struct result *r = fresh(3);
	struct run_result *zc = zerocopy_of(r);

	r->env.optmem_max = known(2048);
	zc->enobufs_optmem = known(800);
	zc->enobufs_memlock = known(0);
	zc->app.zc.enobufs = 400;
	verdict__give(zc, &r->env);
	check_says(r, "RESULT|all 15 259 sends|400 of 15 659 zero-copy sends fell back|ENOBUFS"
		      "|raise net.core.optmem_max of 2 KiB");
	check_silent(r, "RLIMIT_MEMLOCK");
	zc->enobufs_memlock = known(800);
	zc->enobufs_optmem = known(0);
	r->env.memlock = known(65536);
	verdict__give(zc, &r->env);
	check_says(r, "fell back|raise RLIMIT_MEMLOCK of 64 KiB");
	zc->enobufs_optmem = known(7);
	verdict__give(zc, &r->env);
	check_says(r, "fell back|RLIMIT_MEMLOCK|net.core.optmem_max");
	/* All of them. */
	zc->app.zc = (struct zc_counts){.enobufs = 400};
	verdict__give(zc, &r->env);
	check_says(r, "RESULT|not zero-copy: the kernel refused every|400 of 400");
}

/* A single mode is not compared; its copies are the answer. */
TEST(one_mode_gives_its_copies_as_the_answer)
{
	struct result *r = fresh(2);

	run_result__clear(&r->summary[0].total);
	r->summary[0] = r->summary[1];
	r->summary_nr = r->modes_nr = 1;
	r->runs_nr = 0;
	check_says(r, "RESULT Copies of each byte, the sender's and the receiver's: one-copy "
		      "2.00.|one-copy 2 send + receive");
	check_silent(r, "zero-copy");
	r->rounds = r->summary[0].rounds = 1;
	r->summary[0].throughput_gbps = (struct spread){31.4, 31.4, 31.4, 1};
	check_says(r, "1 round copies|31.4");
	check_silent(r, "median");
	fake_run__fill(&r->summary[1].total, MODE_ONECOPY);
	r->summary_nr = 2;
}

TEST(paced_senders_are_named_with_a_remedy)
{
	struct result *r = fresh(3);

	check_silent(r, "paced");
	snprintf(r->env.congestion.used, sizeof(r->env.congestion.used), "bbr");
	check_says(r, "RESULT|copied after all|paced (congestion control bbr)|--congestion cubic"
		      "|one-copy");
}

TEST(result_names_what_else_decided_the_figures)
{
	struct result *r = fresh(3);
	struct machine *m = &r->env.machine;

	r->env.cpus = 2;
	m->load = real__known(2);
	m->others = real__known(0.05);
	m->quota = real__known(2);
	m->throttling.throttled = m->throttling.periods = num__known(0);
	check_silent(r, "quota");
	check_silent(r, "busy");
	check_silent(r, "hypervisor");
	check_silent(r, "ongestion control");
	m->quota = real__known(0.2);
	m->throttling.periods = num__known(104);
	m->throttling.throttled = num__known(102);
	check_says(r, "RESULT|0.20 CPUs|throttled|102 of 104 periods|one-copy");
	m->load = real__known(13);
	check_says(r, "RESULT|102 of 104|busy|load average 13.0 on 2 CPUs|one-copy");
	check_silent(r, "during the rounds");
	m->others = real__known(0.45);
	check_says(r, "load average 13.0|45 % of CPU time during the rounds");
	r->summary[1].total.health.machine_ns = 1000;
	r->summary[1].total.health.machine_stolen_ns = 31;
	check_says(r, "hypervisor|3.1 %|one-copy");
	r = fresh(3);
	snprintf(r->env.congestion.system, sizeof(r->env.congestion.system), "bbr");
	snprintf(r->env.congestion.used, sizeof(r->env.congestion.used), "reno");
	r->env.congestion.choice = CONGESTION_UNPACED;
	check_says(r, "ongestion control reno|bbr|--congestion system");
}

TEST(replies_are_named_with_the_half_round_trip)
{
	struct result *r = fresh(3);

	r->workload.request_response = true;
	for (int i = 0; i < 3; i++)
		r->summary[i].total.app.latency[LATENCY_HALF_ROUND_TRIP].hist = bell(90000, 9000);
	check_says(r, "RESULT|answered|both directions|latency|half round trip");
}

TEST(rounds_in_which_a_process_was_stopped_are_named)
{
	struct result *r = fresh(3);
	struct run_result rounds[2] = {
		{.mode = MODE_ONECOPY, .round = 1, .health.paused_ns = 18000000000},
		{.mode = MODE_TWOCOPY, .round = 1},
	};

	check_silent(r, "was stopped");
	replace_runs(r, rounds, 2, true);
	check_says(r, "RESULT|The load generator was stopped for at least 18|in 1 round: it has no "
		      "throughput.");
	rounds[1].health.paused_ns = 1000000000;
	replace_runs(r, rounds, 2, false);
	check_says(r, "stopped for at least 19|in 2 rounds: they have no throughput.");
	replace_runs(r, NULL, 0, false);
}

/* Words that the screen has are explained as far as there is room, and others are not. */
TEST(words_of_the_screen_are_explained)
{
	struct result *r = fresh(3);

	check_says(r,
		   "WORDS deferred: zero-copy pages copied later|pin: pages referenced, not copied"
		   "|others: --details, docs/GLOSSARY.md.");
	check_screen(r, 80, 28, "WORDS deferred: zero-copy pages", true);
	check_screen(r, 80, 12, "WORDS", false);
	check_silent(r, "(total)");
	r = fresh(2);
	check_says(r, "WORDS rest: CPU time of no other column|delivery: from the send call until "
		      "all is read"
		      "|unaccounted: bytes that no stage explains. Glossary:");
	check_silent(r, "deferred:");
}

/* Of all samples of each side, 3 of 10 are of timers, 1 of locks and 6 of copies. */
TEST(rest_of_the_CPU_time_names_its_largest_class)
{
	struct result *r = fresh(2);

	for (int i = 0; i < 2; i++)
		for (int side = 0; side < NIO_SIDE_NR; side++) {
			struct cpu_samples *s = &r->summary[i].total.cpu.by[side];

			memset(s->classes, 0, sizeof(s->classes));
			s->samples = 1000;
			s->classes[CPU_CLASS_TIMERS] = 300;
			s->classes[CPU_CLASS_LOCK] = 100;
			s->classes[CPU_CLASS_TX_COPY] = 600;
		}
	check_says(r,
		   "WORDS rest: CPU time of no other column, largest: pacing/timers (30 % of|all)");
}

TEST(missed_rate_is_named)
{
	struct result *r = fresh(3);

	r->workload.rate = 1000000000;
	check_says(r, "RESULT|Open loop of 1 000 000 000 messages/s|Not kept: two-copy sent");
}

/* As many as were due within the time of 5 rounds, or one a round less; or more than 1 % less. */
TEST(rate_is_kept_up_to_what_rounding_explains)
{
	struct result *r = fresh(1);
	struct run_result *run = &r->summary[0].total;

	r->workload.rate = 100;
	run->duration_ns = 2000000000;
	run->app.tx_messages = 195;
	check_silent(r, "Not kept");
	run->app.tx_messages = 194;
	check_says(r, "Not kept: two-copy sent 97/s; late messages count with their wait.");
	r->workload.rate = 1000;
	run->app.tx_messages = 1980;
	check_silent(r, "Not kept");
	run->app.tx_messages = 1979;
	check_says(r, "Not kept: two-copy sent 989/s; late");
	/* Also with a number of messages instead of a duration. */
	r->messages = 1979;
	check_says(r, "Not kept: two-copy sent 989/s; late");
	/* What was missed was not kept, and latencies are lower bounds. */
	run->app.tx_messages = 2000;
	hist__free(run->app.latency[LATENCY_MISSED].hist);
	run->app.latency[LATENCY_MISSED].hist = hist__new_latency();
	check_silent(r, "Not kept");
	hist__record_many(run->app.latency[LATENCY_MISSED].hist, 1100000000, 7);
	check_says(r, "Not kept: two-copy sent 1 000/s and missed 7; late messages count with "
		      "their wait, missed ones with what they had waited (>=).|"
		      "two-copy 11.9 / 24.8 >= 89.0 / 186");
	/* The end that a user asked for leaves messages that were just due. */
	run->interrupted = true;
	check_silent(r, "Not kept");
}

/* A round cut short counts in the figures, but not as a round. */
TEST(interrupted_run_names_the_complete_rounds)
{
	struct result *r = fresh(3);
	struct run_result last = {.interrupted = true, .round = 3, .mode = MODE_ONECOPY};

	r->interrupted = true;
	for (int i = 0; i < 3; i++)
		r->summary[i].rounds = i < 2 ? 3 : 2;
	check_says(r,
		   "netiotrace 0.1 INTERRUPTED: 2 of 5 rounds Linux|RESULT Zero-copy was not "
		   "zero-copy: all 15 259 sends|Interrupted after 2 of 5 rounds|(2 to 3 rounds)");
	r->summary[2].rounds = 3;
	replace_runs(r, &last, 1, true);
	check_says(r, "2 of 5 rounds");
	last.interrupted = false;
	check_says(r, "3 of 5 rounds");
	replace_runs(r, NULL, 0, false);
	zerocopy_of(r)->not_final = "interrupted before the totals were final";
	verdict__give(zerocopy_of(r), &r->env);
	zerocopy_of(r)->balance_known = false;
	r->summary[2].copies_per_byte.n = 0;
	check_says(r, "No verdict on zero-copy: interrupted before|zero-copy n/a|CHECKED|2 GB sent"
		      "|0 B unaccounted");
}

/* A mode without a round has no row, and the number of rounds is 0. */
TEST(interruption_in_the_first_round_measures_nothing)
{
	struct result *r = fresh(3);

	r->interrupted = true;
	run_result__clear(&r->summary[2].total);
	r->summary_nr = 2;
	check_says(r, "INTERRUPTED: 0 of 5 rounds|RESULT");
	run_result__clear(&r->summary[0].total);
	run_result__clear(&r->summary[1].total);
	r->summary_nr = 0;
	check_says(r, "RESULT Nothing was measured: interrupted|0 of 5 rounds");
}

TEST(failed_round_is_named_with_its_reason)
{
	struct result *r = fresh(3);

	for (int i = 0; i < 3; i++)
		r->summary[i].rounds = 1;
	memset(r->failure, 'x', sizeof(r->failure) - 1);
	memcpy(r->failure, "zerocopy, round 2 failed: ", 26);
	check_says(r, "FAILED: 1 of 5 rounds|RESULT Zero-copy was not zero-copy|FAILED after 1 of "
		      "5 rounds (zerocopy, round 2 failed: ");
	for (int i = 0; i < 3; i++)
		run_result__clear(&r->summary[i].total);
	r->summary_nr = 0;
	check_says(r, "RESULT Nothing was measured.");
}

TEST(run_without_backend_shows_no_kernel_figures)
{
	static const char reason[] = "backend none was asked for";
	struct result *r = fresh(3);

	for (int i = 0; i < 3; i++) {
		struct run_result *run = &r->summary[i].total;

		run->ledger_known = run->balance_known = false;
		run->ledger_reason = reason;
		for (int s = NIO_STAGE_TX_COPY; s < NIO_STAGE_NR; s++) {
			run->stages[s].quality = QUALITY_UNAVAILABLE;
			run->stages[s].reason = reason;
		}
		run->cpu.known = false;
		snprintf(run->cpu.reason, sizeof(run->cpu.reason), "%s", reason);
		r->summary[i].copies_per_byte = (struct spread){.n = 0};
		verdict__give(run, &r->env);
	}
	check_says(r, "RESULT|Copies are n/a: backend none|two-copy n/a n/a 31.4|one-copy n/a "
		      "n/a|zero-copy n/a n/a"
		      "|CHECKED|3 GB sent = 3 GB received, unaccounted n/a: backend none"
		      "|NOT SEEN send copies, pinned bytes|(backend none was asked for)");
	check_silent(r, "CPU ns/KiB, mean");
	check_silent(r, " 0 events");
}

/* Comes first, also if many rounds are concerned. */
TEST(unbalanced_books_come_first)
{
	struct result *r = fresh(3);
	struct run_result runs[5];

	for (int i = 0; i < 5; i++) {
		fake_run__fill(&runs[i], MODE_ONECOPY);
		runs[i].round = (unsigned int)i + 1;
		runs[i].unaccounted_tx = 1234567;
		runs[i].unaccounted_rx = -7;
	}
	replace_runs(r, runs, 5, true);
	r->summary[1].total.unaccounted_tx = 5 * 1234567;
	r->summary[0].total.unaccounted_tx = -5 * 1234567;
	check_says(r,
		   "THE BOOKS DO NOT BALANCE in round 1 of one-copy|lower bounds|More rounds"
		   "|netiotrace 0.1|CHECKED|UNACCOUNTED: two-copy -6 172 835 B sent, 0 B received; "
		   "one-copy 6 172 835 B");
	check_silent(r, "0 B unaccounted");
	r->runs_nr = 1;
	check_silent(r, "More rounds");
	replace_runs(r, NULL, 0, false);
	for (int i = 0; i < 5; i++)
		run_result__clear(&runs[i]);
}

/* A gap of an unmeasured stage is not a leak; a surplus is not explained by one. */
TEST(gap_of_an_unmeasured_stage_has_its_reason)
{
	struct result *r = fresh(2);
	struct run_result *run = &r->summary[1].total;

	run->stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	run->stages[NIO_STAGE_RX_COPY].reason = "no hook";
	run->unaccounted_rx = (int64_t)run->app.rx_bytes;
	check_says(r, "UNACCOUNTED: one-copy 0 B sent,|B received (a stage of the balance was not");
	run->unaccounted_rx = -1;
	check_silent(r, "a stage of the");
}

/* Kinds of one side, and sides, are separated. */
TEST(bytes_outside_all_stages_are_named)
{
	struct result *r = fresh(1);
	struct nio_uncovered *sent = r->summary[0].total.uncovered[NIO_SIDE_SENDER];
	struct nio_uncovered *received = r->summary[0].total.uncovered[NIO_SIDE_RECEIVER];

	sent[NIO_UNCOVERED_MPTCP] = sent[NIO_UNCOVERED_KTLS] = received[NIO_UNCOVERED_UNSEEN] =
		(struct nio_uncovered){.bytes = 2000, .events = 1};
	check_says(r, "NOT SEEN 2 kB of two-copy through MPTCP,|; 2 kB of two-copy through kTLS,"
		      "|; 2 kB of two-copy taken without a copy that was seen,|; ");
}

TEST(wrong_bytes_come_first)
{
	struct result *r = fresh(3);

	r->summary[1].total.app.verify_errors = known(2);
	check_says(r, "RESULT RECEIVED BYTES DIFFER|2 messages of one-copy|sends");
}

TEST(missed_events_are_counted_or_n_a)
{
	struct result *r = fresh(3);

	r->summary[0].total.health.missed = known(1234);
	check_says(r, "CHECKED|1 234 events missed");
	r->summary[1].total.health.missed = (struct num){.reason = "not told"};
	check_says(r, "CHECKED|events missed n/a");
}

/* Where the details follow, no sentence is left out and what was not seen comes later. */
TEST(details_leave_room_for_all_sentences)
{
	static const struct text_end_form form = {.columns = 80, .rows = 24, .details = true};
	struct result *r = fresh(3);
	char *text;

	r->workload.rate = 1000000000;
	r->workload.request_response = true;
	snprintf(r->env.congestion.used, sizeof(r->env.congestion.used), "bbr");
	check_silent(r, "Open loop of");
	text = end_text(r, &form);
	check_words(unwrap(text), "Open loop of", true);
	check_words(text, "NOT SEEN", false);
}

TEST(remote_receiver_is_named_in_every_section)
{
	struct result *r = fresh(3);

	for (int i = 0; i < 3; i++) {
		struct run_result *run = &r->summary[i].total;

		remote__begin(run);
		run->app.rx_reason = NULL;
		run->stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
		run->stages[NIO_STAGE_RX_COPY].reason = REMOTE_REASON;
		hist__free(run->app.latency[LATENCY_DELIVERY].hist);
		run->app.latency[LATENCY_DELIVERY] =
			(struct latency_result){.reason = REMOTE_REASON};
	}
	check_says(
		r,
		"RESULT|of the sender's side|sender's copies|one-copy 2 send 35.2|latency"
		"|two-copy|n/a|CHECKED|as the receiver reports|NOT SEEN receive copies, delivery "
		"(the receiver is on another machine)");
}

/* Counters that were measured are shown, and not listed as missing. */
TEST(hardware_counters_are_shown_if_measured)
{
	struct result *r = fresh(3);

	check_silent(r, "COUNTED");
	for (int i = 0; i < 3; i++) {
		struct run_result *run = &r->summary[i].total;

		for (int side = 0; side < NIO_SIDE_NR; side++) {
			run->perf[side][PERF_CYCLES] = known(run->app.rx_bytes * (uint64_t)(i + 1));
			run->perf[side][PERF_LLC_MISSES] = known(run->app.rx_bytes / 1024);
		}
	}
	check_says(
		r,
		"COUNTED total of two-copy / one-copy / zero-copy: cycles 2 / 4 / 6 per byte, LLC "
		"misses 2 / 2 / 2 per KiB NOT SEEN");
	check_silent(r, "cache misses");
}

/* The sender's own count and what hardware watchpoints found stand side by side. */
TEST(followed_sender_is_shown_beside_its_own_count)
{
	struct result *r = fresh(1);

	check_silent(r, "FOLLOWED");
	r->followed_nr = 1;
	r->followed[0] = (struct followed_mode){.mode = MODE_TWOCOPY,
						.own = real__known(1),
						.sent = {.per_byte = real__known(1.02),
							 .low = 0.93,
							 .high = 1.05,
							 .function = "gather"}};
	check_says(r,
		   "FOLLOWED two-copy: 1.02 (0.93 to 1.05) copies per byte sent, in user space, in "
		   "gather; the sender counts 1.00");
	r->followed[0].sent = (struct followed){.per_byte = real__unknown("no"), .why = "one CPU"};
	check_says(r, "FOLLOWED two-copy: n/a, one CPU");
}

/* A measured 0, "does not apply" and "unknown" look different. */
TEST(zero_inapplicable_and_unknown_cells_differ)
{
	struct result *r = fresh(3);

	check_says(r, "CPU ns/KiB|two-copy 34 43 - - |one-copy - 57 - - |zero-copy - - 25 84 ");
	run_result__clear(&r->summary[0].total);
	r->summary[0].throughput_gbps.n = r->summary[0].copies_per_byte.n = 0;
	r->summary[0].cpu_ns_per_kib.n = 0;
	check_says(r, "two-copy n/a n/a n/a n/a n/a|two-copy n/a n/a -|two-copy n/a n/a n/a");
	check_silent(r, " nan");
}

/* All at once: sentences that do not fit are left out, the important ones stay. */
TEST(everything_at_once_keeps_the_important_sentences)
{
	struct result *r = fresh(3);
	struct run_result *zc = zerocopy_of(r);
	struct run_result run;

	fake_run__fill(&run, MODE_ONECOPY);
	run.unaccounted_tx = INT64_MIN;
	replace_runs(r, &run, 1, true);
	r->interrupted = true;
	r->workload.request_response = true;
	r->workload.rate = 1000000000;
	snprintf(r->env.congestion.used, sizeof(r->env.congestion.used), "bbr");
	memset(r->failure, 'x', sizeof(r->failure) - 1);
	r->summary[1].total.app.verify_errors = known(UINT64_MAX);
	for (int i = 0; i < 3; i++) {
		struct run_result *t = &r->summary[i].total;

		t->app.latency[LATENCY_HALF_ROUND_TRIP].hist = bell(9e9, 9000);
		t->app.replies.errors = UINT64_MAX;
		t->health.missed = known(UINT64_MAX / 4);
		t->app.tcp_bytes_retrans = UINT64_MAX / 4;
		t->unaccounted_tx = t->unaccounted_rx = INT64_MIN;
		r->summary[i].throughput_gbps = (struct spread){1e9, 1e-9, 1e12, 5};
		t->stages[NIO_STAGE_TX_COPY].bytes /= 3;
		for (int s = 0; s < NIO_SIDE_NR; s++)
			for (int k = 0; k < NIO_UNCOVERED_NR; k++)
				t->uncovered[s][k] =
					(struct nio_uncovered){.bytes = 1u << 31, .events = 9};
		for (int c = 0; c < CPU_CLASS_NR; c++)
			t->cpu.by[NIO_SAMPLE_SENDER].classes[c] = 1000 + (uint64_t)c;
	}
	zc->app.zc.enobufs = 1u << 30;
	verdict__give(zc, &r->env);
	check_says(r, "THE BOOKS DO NOT BALANCE|netiotrace|FAILED|RESULT REPLIES DIFFER|CHECKED");
	replace_runs(r, NULL, 0, false);
	run_result__clear(&run);
}
