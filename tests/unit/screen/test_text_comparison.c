/* SPDX-License-Identifier: GPL-2.0-only */
/* The sentences of comparisons, from findings made by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen/text_end.h"
#include "support/test.h"

struct sentence_case {
	struct rank_test t;
	const char *text;
};

#define T(outcome, by, from, to, rounds, other)                                           \
	{                                                                                 \
		.n = (rounds), .m = (other), .change = (by), .low = (from), .high = (to), \
		.difference = DIFFERENCE_##outcome                                        \
	}

/* clang-format off */
static const struct sentence_case sentences[] = {
	{T(LOWER, -0.31, -0.35, -0.28, 5, 5), "Zero-copy was slower than one-copy by 31 % (28 to 35 %)."},
	{T(LOWER, -0.033, -0.101, -0.01, 5, 5), "Zero-copy was slower than one-copy by 3.3 % (1.0 to 11 %)."},
	{T(HIGHER, 1.0, 0.9, 1.13, 5, 5), "Zero-copy was faster than one-copy by 100 % (90 to 113 %)."},
	/* "No difference" leaves out the change. */
	{T(NOISE, -0.03, -0.1, 0.04, 5, 5),
	 "No difference in throughput between zero-copy and one-copy (interval -10 to +4.0 %)."},
	{T(NOISE, -0.2, -0.61, 0.25, 5, 5),
	 "The rounds vary too much to tell zero-copy's throughput from one-copy's (interval -61 to "
	 "+25 %)."},
	{T(POINT, -0.19, NAN, NAN, 1, 1),
	 "Zero-copy was slower than one-copy by 19 % in 1 round; 4 rounds are needed to tell a "
	 "difference from noise."},
	{T(FEW, 0.05, NAN, NAN, 3, 5),
	 "Zero-copy was faster than one-copy by 5.0 % in 3 rounds; 4 rounds are needed to tell a "
	 "difference from noise."},
	{T(UNKNOWN, NAN, NAN, NAN, 0, 0), ""},
};

struct congestion_case {
	struct congestion c; /* system, allowed, chosen, used, choice, available */
	const char *text;
};

static const struct congestion_case congestions[] = {
	{{"cubic", "", "", "", CONGESTION_SYSTEM, ""}, ""},
	{{"bbr", "", "reno", "reno", CONGESTION_ASKED, ""}, ""},
	{{"bbr", "", "cubic", "", CONGESTION_UNPACED, ""}, "cubic, since the system's bbr paces; --congestion system keeps that."},
	{{"bbr", "", "", "", CONGESTION_SYSTEM, ""}, "bbr paces: it holds packets back by a timer"},
	{{"cubic", "", "bbr", "bbr", CONGESTION_ASKED, ""}, "bbr paces: it holds packets back by a timer"},
	/* The control that the socket reports counts. */
	{{"cubic", "", "cubic", "bbr", CONGESTION_ASKED, ""}, "bbr paces: it holds packets back by a timer"},
	{{"homemade", "", "", "", CONGESTION_SYSTEM, ""}, "homemade; whether it paces is not known."},
	{{"", "", "", "", CONGESTION_SYSTEM, ""}, ""},
};
/* clang-format on */

static FILE *begin(char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);

	assert_non_null(f);
	return f;
}

TEST(each_comparison_has_its_sentence)
{
	char *text = NULL;
	size_t len;
	FILE *f;

	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		f = begin(&text, &len);
		text_comparison__write(f, &sentences[i].t, 4);
		fclose(f);
		assert_string_equal(text, sentences[i].text);
		free(text);
	}
}

TEST(each_congestion_control_has_its_sentence)
{
	char *text = NULL;
	size_t len;
	FILE *f;

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
