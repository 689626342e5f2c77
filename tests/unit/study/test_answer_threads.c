/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer on threads: shared CPUs first, then the best number, then caches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/planted.h"
#include "support/test.h"

/* Two-copy with 1, 2 and 8 threads: 10, 16 and 12 Gbit/s in total, with misses. */
static void put_threads(struct study *s)
{
	static const unsigned int threads[] = {1, 2, 8};
	static const double total[] = {10, 16, 12};

	for (int i = 0; i < 3; i++)
		put_rounds(s, MODE_TWOCOPY, KIB(4), threads[i], total[i], 0.01);
	for (size_t i = 0; i < s->d.rows_nr; i++) {
		s->d.rows[i].value[METRIC_RX_BYTES] = 1e9;
		s->d.rows[i].value[METRIC_CYCLES] = 1e9 * s->d.rows[i].threads;
		s->d.rows[i].value[METRIC_LLC_MISSES] = 1e6 * s->d.rows[i].threads;
	}
}

static const struct answer_text *ask(struct study *s, const char *pinned, int cpus)
{
	*s = (struct study){0};
	put_threads(s);
	if (pinned)
		s->d.conditions = json_pack("{s:s}", "cpu_sender", pinned);
	if (cpus)
		s->d.environment = json_pack("{s:i}", "cpus", cpus);
	study__finish(s, 1);
	return &s->answers[QUESTION_THREADS];
}

static bool begins(const char *text, const char *words)
{
	return strncmp(text, words, strlen(words)) == 0;
}

/* The limit by CPUs comes first, and caches explain nothing beyond it. */
TEST(threads_above_the_CPUs_name_that_limit_first)
{
	const struct answer_text *answer;
	struct study s;

	answer = ask(&s, "0", 2);
	assert_true(begins(answer->headline,
			   "8 sender threads share 1 CPU: a thread has at most 1/8 "
			   "(0.125) of a CPU"));
	check_says(answer, "Not shown: cache contention, because threads wait for a CPU as well.");
	study__clear(&s);
	answer = ask(&s, "0-1,3", 64);
	assert_true(begins(answer->headline,
			   "8 sender threads share 3 CPUs: a thread has at most 3/8 "
			   "(0.375) of a CPU"));
	study__clear(&s);
	answer = ask(&s, NULL, 4);
	assert_true(begins(answer->headline,
			   "8 sender and as many receiver threads share 4 CPUs of "
			   "the machine: a thread has at most 4/8 (0.5) of a CPU"));
	study__clear(&s);
}

STUDY_TEST(threads_with_a_cpu_each_have_no_limit)
{
	const struct answer_text *answer;

	answer = ask(&study, "0-7", 16);
	assert_true(begins(answer->headline,
			   "Up to 8 threads each sender thread has a CPU of its own "
			   "(8)."));
	assert_false(says(answer, "wait for a CPU"));
}

STUDY_TEST(unknown_number_of_cpus_is_named)
{
	const struct answer_text *answer;

	answer = ask(&study, NULL, 0);
	check_says(answer, "because the number of usable CPUs is unknown");
	check_says(answer, "Not shown: cache contention");
}

/* The highest total is 16; 12 Gbit/s of 8 threads are 0.15 of 10 per thread. */
STUDY_TEST(best_thread_count_is_named)
{
	const struct answer_text *answer;

	answer = ask(&study, "0", 2);
	check_says(answer,
		   "The total is best with 2 threads: x 1.60 of that with 1 thread (median of the "
		   "modes and sizes), higher in 1 of 1 setting, lower in 0, no difference in 0.");
	check_says(answer, "With 8 threads throughput per thread is x 0.150 of that with 1");
	check_says(answer, "two-copy, 4 KiB | 10.00 Gbit/s | +60.0 %");
	/* Eight times the misses and cycles for the same bytes. */
	check_says(answer, "LLC misses per KiB | x 8.00");
	check_says(answer, "LLC misses per thread | x 1.00");
	check_says(answer, "bytes per cycle | x 0.125");
}

/* Of three thread counts, 8 and 1 are compared: 6000 ns are 3 times 2000. */
STUDY_TEST(recv_call_is_stated_where_the_data_has_it)
{
	const struct answer_text *answer = &study.answers[QUESTION_THREADS];

	put_threads(&study);
	for (size_t i = 0; i < study.d.rows_nr; i++)
		study.d.rows[i].value[METRIC_RECV_P50] = study.d.rows[i].threads == 8 ? 6000 : 2000;
	study__finish(&study, 1);
	check_says(answer, "recv call | x 3.00");
	check_says(answer, "a receiver thread with one connection waits for data in it.");
	assert_false(says(answer, "recv call, n/a"));
}

STUDY_TEST(recv_call_is_na_with_a_reason_where_the_data_lacks_it)
{
	const struct answer_text *answer = ask(&study, "0", 2);

	check_says(answer, "Not shown: recv call, n/a (the data set has no such number).");
	assert_false(says(answer, "recv call |"));
}

/* More threads that gain nothing are not the best. */
STUDY_TEST(noise_names_no_better_thread_count)
{
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 10, 0.1);
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 2, 10.1, 0.1);
	study__finish(&study, 1);
	SAYS(THREADS,
	     "No thread count has a higher total than 1 thread, by the median of the modes "
	     "and sizes, outside the noise.");
}
