/* SPDX-License-Identifier: GPL-2.0-only */
/* The causes of the verdict, each from an invented run that shows its evidence and no other's. */
#include <stdio.h>
#include <string.h>

#include "support/golden.c"
#include "support/test.h"
#include "support/verdict_case.h"

TEST(truly_zerocopy)
{
	const struct verdict *v = judge(remote(), ZC_CAUSE_NONE, ZC_CAUSE_NONE);

	assert_int_equal(v->cause, ZC_CAUSE_NOT_COPIED);
	assert_true(v->copied_fraction.known && v->copied_fraction.value == 0);
	assert_says(v->text, "truly zero-copy: none of 1 000 sends");
}

/* A tap that did no harm is not blamed. */
TEST(truly_zerocopy_beside_a_tap)
{
	struct fixture *f = remote();

	open_tap(f);
	assert_int_equal(judge(f, ZC_CAUSE_NONE, ZC_CAUSE_NONE)->cause, ZC_CAUSE_NOT_COPIED);
}

TEST(local_delivery)
{
	const struct verdict *v = judge(loopback(PINNED), ZC_CAUSE_LOCAL, ZC_CAUSE_NONE);

	assert_int_equal(v->cause, ZC_CAUSE_LOCAL);
	assert_true(v->copied_fraction.value == 1);
	assert_says(v->text, "1 000 of 1 000 sends were copied after all: the path is local (lo)");
	assert_says(v->text, "skb_copy_ubufs");
}

TEST(local_delivery_on_veth)
{
	struct fixture *f = loopback(PINNED);

	strcpy(f->env.path, "veth");
	strcpy(f->env.device, "veth0");
	judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_NONE);
}

/* Another machine's address can turn out to be our own: the device says so. */
TEST(local_delivery_of_a_remote_path)
{
	struct fixture *f = loopback(PINNED);

	strcpy(f->env.path, "remote");
	judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_NONE);
}

TEST(tap_on_a_local_path_adds_a_copy)
{
	struct fixture *f = loopback(2 * PINNED);
	const struct verdict *v;

	open_tap(f);
	v = judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_TAP);
	assert_int_equal(v->cause, ZC_CAUSE_LOCAL);
	assert_says(v->text, "A packet tap was open on lo (tcpdump, pid 4242)");
	assert_says(v->causes[1].evidence, "deferred_copy is 2 GB above the 2 GB pinned");
}

/* The tracepoint backend counts arrivals: it cannot see the copy made for the tap. */
TEST(tap_that_the_backend_does_not_see)
{
	struct fixture *f = loopback(PINNED);

	open_tap(f);
	f->run.stages[NIO_STAGE_DEFERRED_COPY].quality = QUALITY_DERIVED;
	assert_says(judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_TAP)->causes[1].evidence,
		    "not in deferred_copy here (derived)");
}

TEST(tap_without_a_further_copy)
{
	struct fixture *f = loopback(PINNED);

	open_tap(f);
	assert_says(judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_TAP)->causes[1].evidence,
		    "no further copy for it was seen");
}

/* A thousandth of what was pinned, beside what was sent again, may be anything. */
TEST(a_thousandth_is_no_further_copy)
{
	struct fixture *f = loopback(PINNED + PINNED / 1000);

	open_tap(f);
	assert_says(judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_TAP)->causes[1].evidence,
		    "no further copy for it was seen");
	f = loopback(PINNED + PINNED / 1000 + 1);
	open_tap(f);
	assert_says(judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_TAP)->causes[1].evidence, "deferred_copy is");
}

TEST(tap_at_the_receiving_end_adds_none)
{
	struct fixture *f = loopback(PINNED);
	struct tap *t = open_tap(f);

	t->sender = false;
	t->receiver = true;
	strcpy(f->env.path, "veth");
	assert_says(judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_TAP)->causes[1].evidence, "adds none");
}

TEST(tap_closed_before_the_run_is_not_named)
{
	struct fixture *f = loopback(PINNED);

	open_tap(f)->in_run = false;
	judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_NONE);
}

TEST(retransmissions_explain_a_surplus)
{
	struct fixture *f = loopback(PINNED + 1000000);
	const struct verdict *v;

	f->run.app.tcp_bytes_retrans = 1000000;
	v = judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_RETRANSMISSION);
	assert_says(v->causes[1].evidence, "1 MB were retransmitted");
	/* Then it is not the tap's. */
	open_tap(f);
	verdict__give(&f->run, &f->env);
	assert_int_equal(v->causes_nr, 3);
	assert_says(v->causes[1].evidence, "no further copy for it was seen");
}

TEST(retransmissions_without_a_surplus_explain_nothing)
{
	struct fixture *f = loopback(PINNED);

	f->run.app.tcp_bytes_retrans = 1000000;
	judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_NONE);
}

TEST(tap_on_a_remote_path_is_the_cause)
{
	struct fixture *f = remote();
	const struct verdict *v;

	copy(f, PINNED);
	open_tap(f);
	v = judge(f, ZC_CAUSE_TAP, ZC_CAUSE_NONE);
	assert_int_equal(v->cause, ZC_CAUSE_TAP);
	assert_says(v->text, "copied after all: a packet tap was open on eth0 (tcpdump, pid 4242)");
}

TEST(copied_on_the_way_out_by_nobody_seen)
{
	struct fixture *f = remote();
	const struct verdict *v;

	copy(f, PINNED);
	v = judge(f, ZC_CAUSE_UNKNOWN, ZC_CAUSE_NONE);
	assert_says(v->text, "the cause was not seen");
	assert_says(v->text, "no packet tap was open on eth0");
	f->env.taps.known = false;
	f->env.taps.reason = "no such file";
	assert_says(judge(f, ZC_CAUSE_UNKNOWN, ZC_CAUSE_NONE)->text,
		    "packet taps could not be looked for: no such file");
}

/* Every send copied in the call: nothing pinned. */
static struct fixture *unpinned(struct flag scatter_gather)
{
	struct fixture *f = remote();

	copy(f, 0);
	book(&f->run, NIO_STAGE_TX_PIN, 0);
	book(&f->run, NIO_STAGE_TX_COPY, PINNED);
	f->env.device_scatter_gather = scatter_gather;
	return f;
}

TEST(no_scatter_gather_in_the_call)
{
	const struct flag no = {.known = true}, yes = {.value = true, .known = true}, unknown = {0};
	const struct verdict *v;

	v = judge(unpinned(no), ZC_CAUSE_NO_SG, ZC_CAUSE_NONE);
	assert_int_equal(v->cause, ZC_CAUSE_NO_SG);
	assert_says(v->text, "eth0) does no scatter-gather (ethtool agrees)");
	v = judge(unpinned(unknown), ZC_CAUSE_NO_SG, ZC_CAUSE_NONE);
	assert_null(strstr(v->text, "ethtool"));
	/* The device would do it: then it is not said that it does not. */
	v = judge(unpinned(yes), ZC_CAUSE_NO_SG, ZC_CAUSE_NONE);
	assert_says(v->text, "something else on the route does not");
}

/* Pinned, as TCP always does where segmentation is in software, then flattened for the device. */
TEST(no_scatter_gather_in_front_of_the_device)
{
	struct fixture *f = remote();

	copy(f, 0);
	f->env.device_scatter_gather.value = false;
	assert_says(judge(f, ZC_CAUSE_NO_SG, ZC_CAUSE_NONE)->text, "ethtool says");
	f->env.device_tx_checksum.value = false;
	assert_says(judge(f, ZC_CAUSE_NO_SG, ZC_CAUSE_NONE)->text,
		    "neither scatter-gather nor checksums (ethtool says)");
	book(&f->run, NIO_STAGE_OTHER_COPY, PINNED);
	assert_says(judge(f, ZC_CAUSE_NO_SG, ZC_CAUSE_NONE)->text, "other_copy is 2 GB.");
}

/* Software segmentation copies and reports nothing: that is no zero-copy. */
TEST(flattened_and_reported_not_copied)
{
	struct fixture *f = remote();
	const struct verdict *v;

	f->env.device_scatter_gather.value = false;
	v = judge(f, ZC_CAUSE_NO_SG, ZC_CAUSE_NONE);
	assert_int_equal(v->cause, ZC_CAUSE_NO_SG);
	assert_null(strstr(v->text, "truly"));
	assert_says(v->text, "was reported copied, but they were");
	/* Where ethtool could not be asked, the kernel's word stands. */
	f->env.device_scatter_gather = (struct flag){.reason = "not asked"};
	v = judge(f, ZC_CAUSE_NONE, ZC_CAUSE_NONE);
	assert_says(v->text, "truly zero-copy");
}

TEST(copied_by_nothing_seen)
{
	struct fixture *f = remote();

	copy(f, 0);
	judge(f, ZC_CAUSE_UNKNOWN, ZC_CAUSE_NONE);
	f->run.stages[NIO_STAGE_DEFERRED_COPY].quality = QUALITY_UNAVAILABLE;
	f->run.stages[NIO_STAGE_DEFERRED_COPY].reason = "no hook";
	assert_says(judge(f, ZC_CAUSE_UNKNOWN, ZC_CAUSE_NONE)->text, "not measured (no hook)");
	f->run.ledger_known = false;
	f->run.ledger_reason = "the kernel was not watched";
	assert_says(judge(f, ZC_CAUSE_UNKNOWN, ZC_CAUSE_NONE)->text, "was not watched");
}

/* The numbers of a kernel that preempts programs: its events missed 5 of 1303 completions. */
TEST(completions_that_events_missed_are_a_range)
{
	struct fixture *f = loopback(PINNED);
	const struct verdict *v;

	f->run.app.zc = (struct zc_counts){.sends = 1303, .completed = 1303, .copied = 1303};
	f->run.kernel_zc = (struct zc_counts){.sends = 1303, .completed = 1298, .copied = 1298};
	f->run.kernel_zc_known = true;
	v = judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_NONE);
	assert_true(v->copied_fraction.value == 1);
	assert_says(v->text, "missed 5 of");
	assert_says(v->text, "between 1 298 and 1 303 of 1 303 sends");
	/* All seen: not a word of it. */
	f->run.kernel_zc.completed = f->run.kernel_zc.copied = 1303;
	v = judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_NONE);
	assert_null(strstr(v->text, "missed"));
	assert_null(strstr(v->text, "application"));
}

/* An application that did not read of all: both numbers are said. */
TEST(completions_that_were_not_read_are_said)
{
	struct fixture *f = loopback(PINNED);
	const struct verdict *v;

	f->run.app.zc = (struct zc_counts){.sends = 1303, .completed = 1298, .copied = 1298};
	f->run.kernel_zc = (struct zc_counts){.sends = 1303, .completed = 1303, .copied = 1303};
	f->run.kernel_zc_known = true;
	v = judge(f, ZC_CAUSE_LOCAL, ZC_CAUSE_NONE);
	assert_says(v->text, "ended 1 303");
	assert_says(v->text, "the application read of 1 298");
}

TEST(other_modes_have_no_verdict)
{
	struct fixture *f = remote();

	f->run.mode = MODE_ONECOPY;
	f->run.app.zc = (struct zc_counts){0};
	open_tap(f);
	verdict__give(&f->run, &f->env);
	assert_string_equal(f->run.verdict.text, "");
	assert_int_equal(f->run.verdict.causes_nr, 0);
	assert_int_equal(f->run.verdict.cause, ZC_CAUSE_NONE);
}

/* Every word of the verdicts above, and of their evidence. */
TEST(verdicts_are_sentences)
{
	record__check("verdicts");
}
