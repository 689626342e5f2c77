// SPDX-License-Identifier: GPL-2.0-only
/* Shares of the CPU samples of watched processes, and their sentences. */
#include <stdlib.h>
#include <string.h>

#include "attach/cpu_split.h"
#include "support/test.h"

static void add(struct cpu_split *s, enum cpu_class c, int n)
{
	for (int i = 0; i < n; i++)
		cpu_split__add(s, (struct stack_class){.class = c}, false);
}

struct found {
	struct cpu_result cpu;
	struct cpu_split total;
};

static void assert_says(const struct found *found, const char *what)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	cpu_split__print(f, &found->cpu, &found->total);
	fclose(f);
	if (!strstr(text, what))
		fail_msg("'%s' is not in '%s'", what, text);
	free(text);
}

TEST(no_samples_give_no_share)
{
	struct cpu_split s = {0};

	assert_false(cpu_split__part(&s, CPU_CLASS_TX_COPY).share.known);
}

TEST(shares_divide_by_all_samples)
{
	struct cpu_split s = {0};
	struct cpu_part part;

	add(&s, CPU_CLASS_TX_COPY, 1);
	add(&s, CPU_CLASS_FILE_READ, 1);
	add(&s, CPU_CLASS_USER, 2);
	part = cpu_split__part(&s, CPU_CLASS_TX_COPY);
	assert_true(part.share.known && part.share.value == 0.25);
	assert_true(part.low < 0.25 && part.high > 0.25);
	assert_true(cpu_split__part(&s, CPU_CLASS_FILE_READ).share.known);
}

/* What a program copies itself is part of its own time: there is no class for it. */
TEST(classes_of_attach_are_those_of_a_run_without_gather)
{
	for (unsigned int i = 0; i < CPU_SPLIT_NR; i++)
		assert_string_not_equal(cpu_split__key(i), "gather");
	assert_string_equal(cpu_split__key(CPU_SPLIT_NR - 1), "other");
}

TEST(sentence_lists_classes_by_share)
{
	struct found found = {
		.cpu = {.known = true, .source = "cpu-clock", .hz = 49, .duration_ns = 2000000000}};

	assert_says(&found, "0 samples by cpu-clock at 49 Hz in 2 s: too few");
	add(&found.total, CPU_CLASS_TX_COPY, 300);
	add(&found.total, CPU_CLASS_TCP_IP, 695);
	add(&found.total, CPU_CLASS_SKB, 5);
	assert_says(&found, ": TCP/IP 70 % (66 to 73 %), send copy 30 % (27 to 33 %), others 0.5 % "
			    "(intervals of 95 %)");
	add(&found.total, CPU_CLASS_FILE_READ, 1000);
	assert_says(&found, ": file read 50 % (47 to 53 %), TCP/IP 35 % (32 to 37 %), send copy 15 "
			    "% (13 to 17 %), ");
	found.cpu.profile.left_out = 2;
	assert_says(&found, "The stacks of 2 samples were not kept.");
	snprintf(found.cpu.no_cycles, sizeof(found.cpu.no_cycles), "cycles were refused: Busy");
	assert_says(&found, "samples by cpu-clock (cycles were refused: Busy) at 49 Hz in 2 s");
	assert_says(&(struct found){.cpu.reason = "--no-cpu was given"}, "n/a (--no-cpu");
}

/* Half of two samples is anything between 9 and 91 %. */
TEST(shares_are_given_once_their_interval_is_below_20_points)
{
	struct found found = {
		.cpu = {.known = true, .source = "cpu-clock", .hz = 49, .duration_ns = 2000000000}};

	add(&found.total, CPU_CLASS_TX_COPY, 1);
	assert_says(&found, "1 sample by cpu-clock at 49 Hz in 2 s: too few");
	add(&found.total, CPU_CLASS_TCP_IP, 1);
	assert_says(&found, "2 samples by cpu-clock at 49 Hz in 2 s: too few");
	add(&found.total, CPU_CLASS_TX_COPY, 11);
	add(&found.total, CPU_CLASS_TCP_IP, 11);
	assert_says(&found, "24 samples by cpu-clock at 49 Hz in 2 s: too few");
	add(&found.total, CPU_CLASS_TX_COPY, 50);
	add(&found.total, CPU_CLASS_TCP_IP, 50);
	assert_says(&found, "copy 50 % (41 to 59 %), TCP/IP 50 % (41 to 59 %) (intervals of 95 %)");
}
