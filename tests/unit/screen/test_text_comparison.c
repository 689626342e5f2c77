/* SPDX-License-Identifier: GPL-2.0-only */
/* The sentences that are made of claims, from claims made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen/text_comparison.h"

struct sentence_case {
	struct comparison c; /* change, rounds, p, outcome */
	bool cause_seen;
	const char *text;
};

/* clang-format off */
static const struct sentence_case sentences[] = {
	{{-0.33, 5, 5, 0.008, COMPARISON_LOWER}, true, " Here it costs 33 % of one-copy's throughput."},
	/* "It costs" names a cause, which was not seen. */
	{{-0.33, 5, 5, 0.008, COMPARISON_LOWER}, false, " Throughput was 33 % below one-copy's."},
	{{-0.033, 5, 5, 0.008, COMPARISON_LOWER}, true, " Here it costs 3.3 % of one-copy's throughput."},
	{{1.0, 5, 5, 0.008, COMPARISON_HIGHER}, true, " Here it brings 100 % more throughput than one-copy."},
	{{0.42, 5, 5, 0.008, COMPARISON_HIGHER}, false, " Here it brings 42 % more throughput than one-copy."},
	{{-0.10, 5, 5, 0.008, COMPARISON_NOISE}, true,
	 " Against one-copy: no difference in throughput outside the rounds' range."},
	{{-0.19, 1, 1, 1, COMPARISON_FEW}, true, " Throughput was 19 % below one-copy's (one round: its spread is not known)."},
	{{0.19, 1, 5, 0.33, COMPARISON_FEW}, true, " Throughput was 19 % above one-copy's (one round: its spread is not known)."},
	{{-0.19, 3, 3, 0.1, COMPARISON_FEW}, true,
	 " Throughput was 19 % below one-copy's in the median (3 rounds: too few to tell it from noise)."},
	{{0.05, 3, 3, 0.1, COMPARISON_FEW}, false,
	 " Throughput was 5.0 % above one-copy's in the median (3 rounds: too few to tell it from noise)."},
	{{0, 0, 0, 0, COMPARISON_NONE}, true, ""},
};

struct congestion_case {
	struct congestion c; /* system, allowed, chosen, used, choice */
	const char *text;
};

static const struct congestion_case congestions[] = {
	{{"cubic", "", "", "", CONGESTION_SYSTEM}, ""},
	{{"bbr", "", "reno", "reno", CONGESTION_ASKED}, ""},
	{{"bbr", "", "cubic", "", CONGESTION_UNPACED}, "cubic, since the system's bbr paces; --congestion system keeps that."},
	{{"bbr", "", "", "", CONGESTION_SYSTEM}, "bbr paces: it holds packets back by a timer"},
	{{"cubic", "", "bbr", "bbr", CONGESTION_ASKED}, "bbr paces: it holds packets back by a timer"},
	/* What the socket says is what counts. */
	{{"cubic", "", "cubic", "bbr", CONGESTION_ASKED}, "bbr paces: it holds packets back by a timer"},
	{{"homemade", "", "", "", CONGESTION_SYSTEM}, "homemade; whether it paces is not known."},
	{{"", "", "", "", CONGESTION_SYSTEM}, ""},
};
/* clang-format on */

static FILE *begin(char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);

	assert_non_null(f);
	return f;
}

static void comparisons(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f;

	(void)state;
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		f = begin(&text, &len);
		text_comparison__write(f, &sentences[i].c, sentences[i].cause_seen);
		fclose(f);
		assert_string_equal(text, sentences[i].text);
		free(text);
	}
}

static void congestion_controls(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f;

	(void)state;
	for (size_t i = 0; i < sizeof(congestions) / sizeof(congestions[0]); i++) {
		f = begin(&text, &len);
		text_congestion__write(f, &congestions[i].c);
		fclose(f);
		assert_int_equal(*text == '\0', *congestions[i].text == '\0');
		assert_int_equal(strncmp(text, congestions[i].text, strlen(congestions[i].text)),
				 0);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons),
		cmocka_unit_test(congestion_controls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
