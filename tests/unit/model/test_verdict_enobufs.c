/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends that fell back to copying after ENOBUFS: by which limit, and in which words. */
#include <string.h>

#include "support/golden.c"
#include "support/test.h"
#include "support/verdict_case.h"

TEST(enobufs_of_an_unknown_limit)
{
	struct fixture *f = loopback(PINNED);

	f->run.app.zc.enobufs = 1;
	assert_says(judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_ENOBUFS)->text,
		    "1 further send fell back to copying after ENOBUFS (RLIMIT_MEMLOCK or "
		    "net.core.optmem_max).");
}

/* Each refusal is counted: two of a message that falls back, and those that waiting relieved. */
TEST(enobufs_by_limit)
{
	struct fixture *f = remote();
	const struct verdict *v;

	f->run.app.zc.enobufs = 12;
	f->run.enobufs_memlock = known(50);
	f->run.enobufs_optmem = known(0);
	v = judge(f, ZC_CAUSE_ENOBUFS_MEMLOCK, ZC_CAUSE_NONE);
	assert_int_equal(v->cause, ZC_CAUSE_NOT_COPIED);
	assert_says(v->causes[0].evidence, "12 further sends");
	assert_says(v->causes[0].evidence, "RLIMIT_MEMLOCK, 8 MiB");
	f->run.enobufs_memlock = known(0);
	f->run.enobufs_optmem = known(24);
	v = judge(f, ZC_CAUSE_ENOBUFS_OPTMEM, ZC_CAUSE_NONE);
	assert_says(v->causes[0].evidence, "12 further sends");
	assert_says(v->causes[0].evidence, "net.core.optmem_max, 128 KiB");
	/* More than was refused stays unexplained. */
	f->run.enobufs_optmem = known(5);
	v = judge(f, ZC_CAUSE_ENOBUFS_OPTMEM, ZC_CAUSE_ENOBUFS);
	assert_says(v->causes[0].evidence, "5 further sends");
	assert_says(v->causes[1].evidence, "7 further sends");
}

/* All 100 at the one limit were relieved, and all fell back at the other: no count tells that. */
TEST(enobufs_of_both_limits_are_not_shared_out)
{
	struct fixture *f = remote();
	const struct verdict *v;

	f->run.app.zc.enobufs = 100;
	f->run.enobufs_memlock = known(100);
	f->run.enobufs_optmem = known(200);
	v = judge(f, ZC_CAUSE_ENOBUFS, ZC_CAUSE_NONE);
	assert_says(v->text, "100 further sends fell back to copying after ENOBUFS (RLIMIT_MEMLOCK "
			     "or net.core.optmem_max, which refused 100 and 200 calls, those that "
			     "a wait relieved among them).");
}

/* Nor is a limit named when of the other nothing is known. */
TEST(enobufs_with_one_count_unknown)
{
	struct fixture *f = remote();
	const struct verdict *v;

	f->run.app.zc.enobufs = 12;
	f->run.enobufs_memlock = known(50);
	f->run.enobufs_optmem = (struct num){.reason = "not told apart"};
	v = judge(f, ZC_CAUSE_ENOBUFS, ZC_CAUSE_NONE);
	assert_says(v->text, "12 further sends fell back to copying after ENOBUFS (RLIMIT_MEMLOCK "
			     "or net.core.optmem_max).");
}

/* A limit that is none, or that could not be read, has no figure. */
TEST(enobufs_without_a_figure)
{
	struct fixture *f = remote();
	const struct verdict *v;

	f->run.app.zc.enobufs = 12;
	f->run.enobufs_memlock = known(24);
	f->run.enobufs_optmem = known(0);
	f->env.memlock = known(UINT64_MAX);
	f->env.optmem_max = (struct num){.value = 9, .reason = "not readable"};
	v = judge(f, ZC_CAUSE_ENOBUFS_MEMLOCK, ZC_CAUSE_NONE);
	assert_says(v->text, "sends was copied. 12 further sends");
	assert_says(v->causes[0].evidence, "(pinned pages reached RLIMIT_MEMLOCK)");
	f->run.enobufs_memlock = known(0);
	f->run.enobufs_optmem = known(24);
	v = judge(f, ZC_CAUSE_ENOBUFS_OPTMEM, ZC_CAUSE_NONE);
	assert_says(v->causes[0].evidence,
		    "(outstanding notifications reached net.core.optmem_max)");
}

TEST(nothing_but_enobufs)
{
	struct fixture *f = remote();
	const struct verdict *v;

	f->run.app.zc = (struct zc_counts){.enobufs = 9};
	v = judge(f, ZC_CAUSE_ENOBUFS, ZC_CAUSE_NONE);
	assert_int_equal(v->cause, ZC_CAUSE_ENOBUFS);
	assert_false(v->copied_fraction.known);
	assert_says(v->text, "no zero-copy send completed. 9 further sends");
}

/* The longest of everything still ends in a whole sentence. */
TEST(all_at_once_fits)
{
	struct fixture *f = loopback(3 * PINNED);
	const struct verdict *v = &f->run.verdict;

	for (int i = 0; i < TAPS_MAX; i++)
		strcpy(open_tap(f)->process, "a-name-of-15-ch");
	f->run.app.tcp_bytes_retrans = 123456789;
	f->run.app.zc.enobufs = 3000000000ULL;
	f->run.enobufs_memlock = known(0);
	f->run.enobufs_optmem = known(1000000000);
	verdict__give(&f->run, &f->env);
	print_message("%s\n", v->text);
	assert_int_equal(v->causes_nr, 5);
	assert_says(v->text, "(RLIMIT_MEMLOCK or net.core.optmem_max).");
	f->run.enobufs_memlock = known(3000000000ULL);
	verdict__give(&f->run, &f->env);
	print_message("%s\n", v->text);
	assert_int_equal(v->causes_nr, 4);
	assert_says(v->text, "those that a wait relieved among them).");
}

/* Every word of the verdicts above, and of their evidence. */
TEST(verdicts_are_sentences)
{
	record__check("verdicts-enobufs");
}
