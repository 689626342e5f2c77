/* SPDX-License-Identifier: GPL-2.0-only */
/* Causes of the verdict on a run: a table of runs, each with its evidence and its causes. */
#include <stdio.h>
#include <string.h>

#include "support/golden.c"
#include "support/near.h"
#include "support/test.h"
#include "support/verdict_case.h"

enum where { REMOTE, LOOPBACK, VETH, REMOTE_OF_OWN };
enum tap_of { NO_TAP, TAP, TAP_OF_RECEIVER, TAP_CLOSED };
enum sg { SG, NO_SG, SG_UNKNOWN };
enum other { NOTHING, NOT_EXACT, NO_CHECKSUM, OTHER_COPY, NO_TAP_LIST, NO_DEFERRED, NO_LEDGER };

#define NONE ZC_CAUSE_NONE

/* The golden file has the full text of every verdict. */
static const struct row {
	const char *what;
	enum where where;
	bool copied;       /* every send was copied */
	uint64_t deferred; /* bytes */
	bool unpinned;     /* all bytes were copied in the call */
	enum tap_of tap;
	uint64_t retrans;
	enum sg sg;
	enum other other;
	enum zc_cause first, second, third;
} rows[] = {
	{.what = "nothing copied"},
	{.what = "nothing copied beside a tap", .tap = TAP},
	{"local delivery", LOOPBACK, true, PINNED, .first = ZC_CAUSE_LOCAL},
	{"veth", VETH, true, PINNED, .first = ZC_CAUSE_LOCAL},
	/* An address of another machine may be local after all: the device shows it. */
	{"own address", REMOTE_OF_OWN, true, PINNED, .first = ZC_CAUSE_LOCAL},
	{"tap on a local path", LOOPBACK, true, 2 * PINNED, .tap = TAP, .first = ZC_CAUSE_LOCAL,
	 .second = ZC_CAUSE_TAP},
	/* The tracepoint backend counts arrivals and cannot see the copy for the tap. */
	{"tap that the backend does not see", LOOPBACK, true, PINNED, .tap = TAP,
	 .other = NOT_EXACT, .first = ZC_CAUSE_LOCAL, .second = ZC_CAUSE_TAP},
	{"tap without a further copy", LOOPBACK, true, PINNED, .tap = TAP, .first = ZC_CAUSE_LOCAL,
	 .second = ZC_CAUSE_TAP},
	/* A thousandth of the pinned bytes beside retransmissions is not a copy for the tap. */
	{"a thousandth", LOOPBACK, true, PINNED + PINNED / 1000, .tap = TAP,
	 .first = ZC_CAUSE_LOCAL, .second = ZC_CAUSE_TAP},
	{"more than a thousandth", LOOPBACK, true, PINNED + PINNED / 1000 + 1, .tap = TAP,
	 .first = ZC_CAUSE_LOCAL, .second = ZC_CAUSE_TAP},
	{"tap of the receiver", VETH, true, PINNED, .tap = TAP_OF_RECEIVER, .first = ZC_CAUSE_LOCAL,
	 .second = ZC_CAUSE_TAP},
	{"tap closed before", LOOPBACK, true, PINNED, .tap = TAP_CLOSED, .first = ZC_CAUSE_LOCAL},
	{"retransmissions", LOOPBACK, true, PINNED + 1000000, .retrans = 1000000,
	 .first = ZC_CAUSE_LOCAL, .second = ZC_CAUSE_RETRANSMISSION},
	/* The surplus is then not the tap's. */
	{"retransmissions and a tap", LOOPBACK, true, PINNED + 1000000, .tap = TAP,
	 .retrans = 1000000, .first = ZC_CAUSE_LOCAL, .second = ZC_CAUSE_TAP,
	 .third = ZC_CAUSE_RETRANSMISSION},
	{"retransmissions without a surplus", LOOPBACK, true, PINNED, .retrans = 1000000,
	 .first = ZC_CAUSE_LOCAL},
	{"tap on a remote path", REMOTE, true, PINNED, .tap = TAP, .first = ZC_CAUSE_TAP},
	{"copied on the way out", REMOTE, true, PINNED, .first = ZC_CAUSE_UNKNOWN},
	{"copied, taps unknown", REMOTE, true, PINNED, .other = NO_TAP_LIST,
	 .first = ZC_CAUSE_UNKNOWN},
	{"device without SG", REMOTE, true, .unpinned = true, .sg = NO_SG, .first = ZC_CAUSE_NO_SG},
	{"device not asked", REMOTE, true, .unpinned = true, .sg = SG_UNKNOWN,
	 .first = ZC_CAUSE_NO_SG},
	{"route without SG", REMOTE, true, .unpinned = true, .first = ZC_CAUSE_NO_SG},
	/* Bytes were pinned, as TCP does with software segmentation, and then copied by it. */
	{"flattened", REMOTE, true, .sg = NO_SG, .first = ZC_CAUSE_NO_SG},
	{"flattened for checksums", REMOTE, true, .sg = NO_SG, .other = NO_CHECKSUM,
	 .first = ZC_CAUSE_NO_SG},
	{"flattened, seen", REMOTE, true, .sg = NO_SG, .other = OTHER_COPY,
	 .first = ZC_CAUSE_NO_SG},
	/* Software segmentation copies without reporting it: this is not zero-copy. */
	{"flattened, reported not copied", REMOTE, .sg = NO_SG, .first = ZC_CAUSE_NO_SG},
	{"not copied, device not asked", REMOTE, .sg = SG_UNKNOWN},
	{"copied by nothing seen", REMOTE, true, .first = ZC_CAUSE_UNKNOWN},
	{"deferred copies not measured", REMOTE, true, .other = NO_DEFERRED,
	 .first = ZC_CAUSE_UNKNOWN},
	{"no ledger", REMOTE, true, .other = NO_LEDGER, .first = ZC_CAUSE_UNKNOWN},
};

static void open_tap_of(struct fixture *f, enum tap_of which)
{
	struct tap *t = which == NO_TAP ? NULL : open_tap(f);

	if (which == TAP_OF_RECEIVER) {
		t->sender = false;
		t->receiver = true;
	} else if (which == TAP_CLOSED) {
		t->in_run = false;
	}
}

static void set_other(struct fixture *f, enum other other)
{
	struct stage_result *deferred = &f->run.stages[NIO_STAGE_DEFERRED_COPY];

	if (other == NOT_EXACT)
		deferred->quality = QUALITY_DERIVED;
	if (other == NO_CHECKSUM || other == OTHER_COPY)
		f->env.device_tx_checksum.value = false;
	if (other == OTHER_COPY)
		book(&f->run, NIO_STAGE_OTHER_COPY, PINNED);
	if (other == NO_TAP_LIST)
		f->env.taps.known = false;
	f->env.taps.reason = "no such file";
	if (other == NO_DEFERRED)
		*deferred = (struct stage_result){.reason = "no hook"};
	if (other == NO_LEDGER)
		f->run.ledger_known = false;
	f->run.ledger_reason = "the kernel was not watched";
}

static struct fixture *make(const struct row *row)
{
	static const char *const paths[] = {"remote", "loopback", "veth", "remote"};
	static const char *const devices[] = {"eth0", "lo", "veth0", "lo"};
	struct fixture *f = remote();

	strcpy(f->env.path, paths[row->where]);
	strcpy(f->env.device, devices[row->where]);
	if (row->copied)
		copy(f, row->deferred);
	if (row->unpinned) {
		book(&f->run, NIO_STAGE_TX_PIN, 0);
		book(&f->run, NIO_STAGE_TX_COPY, PINNED);
	}
	open_tap_of(f, row->tap);
	f->run.app.tcp_bytes_retrans = row->retrans;
	f->env.device_scatter_gather =
		(struct flag){.value = row->sg == SG, .known = row->sg != SG_UNKNOWN};
	set_other(f, row->other);
	return f;
}

TEST(each_run_has_the_causes_of_its_evidence)
{
	for_each_case(row, rows) {
		struct fixture *f = make(row);
		const struct verdict *v;

		record("== %s\n", row->what);
		v = verdict_for(f, row->first, row->second, row->third);
		assert_int_equal(v->cause, row->first ? row->first : ZC_CAUSE_NOT_COPIED);
		assert_real(v->copied_fraction, row->copied);
	}
}

/* Measured on a kernel that preempts BPF programs: events missed 5 of 1303 completions. */
TEST(completions_that_events_missed_give_a_range)
{
	static const struct {
		uint64_t app, kernel;
		const char *says;
	} cases[] = {
		{1303, 1298, "between 1 298 and 1 303 of 1 303 sends"},
		{1303, 1303, NULL},
		{1298, 1303, "ended 1 303 zero-copy sends, and the application read of 1 298"},
	};

	for_each_case(c, cases) {
		struct fixture *f = loopback(PINNED);
		const struct verdict *v;

		f->run.app.zc =
			(struct zc_counts){.sends = 1303, .completed = c->app, .copied = c->app};
		f->run.kernel_zc = (struct zc_counts){
			.sends = 1303, .completed = c->kernel, .copied = c->kernel};
		f->run.kernel_zc_known = true;
		v = verdict_for(f, ZC_CAUSE_LOCAL, NONE, NONE);
		assert_true(v->copied_fraction.value == 1);
		if (c->says)
			assert_says(v->text, c->says);
		else
			assert_null(strstr(v->text, "application"));
	}
}

/* Of 8 requests in one packet, the kernel reports 7 as copied where nothing was. */
TEST(stacked_requests_are_judged_by_their_packet)
{
	static const struct {
		bool seen;
		uint64_t reported, copied;
		enum zc_cause cause;
		const char *says, *says_not;
	} cases[] = {
		{true, 875, 0, ZC_CAUSE_NONE, "say that 875 were copied", "This is what"},
		{true, 1, 0, ZC_CAUSE_NONE, "say that 1 was copied", "This is what"},
		{true, 0, 0, ZC_CAUSE_NONE, "none of 1 000 sends was copied", "own flags"},
		{true, 1000, 1000, ZC_CAUSE_UNKNOWN, "1 000 of 1 000 sends", "own flags"},
		{false, 875, 0, ZC_CAUSE_UNKNOWN, "reports to the program", "own flags"},
	};

	for_each_case(c, cases) {
		struct fixture *f = remote();
		const struct verdict *v;

		f->run.mode = MODE_URINGZC;
		f->run.kernel_zc_known = c->seen;
		f->run.kernel_zc = (struct zc_counts){.sends = SENDS,
						      .completed = SENDS,
						      .copied = c->copied,
						      .not_copied = SENDS - c->copied};
		f->run.app.zc.copied = c->reported;
		f->run.app.zc.not_copied = SENDS - c->reported;
		v = verdict_for(f, c->cause, NONE, NONE);
		assert_real(v->copied_fraction,
			    (double)(c->seen ? c->copied : c->reported) / SENDS);
		assert_says(v->text, c->says);
		assert_null(strstr(v->text, c->says_not));
	}
}

/* io_uring's requests have one limit, RLIMIT_MEMLOCK, and another error. */
TEST(ENOMEM_of_requests_names_the_locked_memory)
{
	struct fixture *f = remote();

	f->run.mode = MODE_URINGZC;
	f->run.app.zc.enobufs = 12;
	assert_says(verdict_for(f, ZC_CAUSE_ENOBUFS_MEMLOCK, NONE, NONE)->text, "after ENOMEM");
}

TEST(copy_modes_have_no_verdict)
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

/* Both limits return ENOBUFS: a limit is named only if the other one is excluded. */
TEST(ENOBUFS_names_a_limit_only_if_it_is_certain)
{
	static const struct num none = {.reason = "not read"};
	static const struct num unlimited = {.value = UINT64_MAX, .known = true};
	const struct {
		uint64_t enobufs;
		struct num memlock, optmem; /* refusals */
		bool figures;               /* figures of the limits are known */
		enum zc_cause first, second;
		uint64_t size; /* of a message; 0: small */
	} cases[] = {
		{1, none, none, true, ZC_CAUSE_ENOBUFS, NONE, 0},
		/* A message of more than RLIMIT_MEMLOCK is refused by it. */
		{1, none, none, true, ZC_CAUSE_ENOBUFS_MEMLOCK, NONE, 1 << 30},
		{1, none, none, false, ZC_CAUSE_ENOBUFS, NONE, 1 << 30},
		{12, num__known(50), num__known(0), true, ZC_CAUSE_ENOBUFS_MEMLOCK, NONE, 0},
		{12, num__known(0), num__known(24), true, ZC_CAUSE_ENOBUFS_OPTMEM, NONE, 0},
		/* More fallbacks than refusals are left unexplained. */
		{12, num__known(0), num__known(5), true, ZC_CAUSE_ENOBUFS_OPTMEM, ZC_CAUSE_ENOBUFS,
		 0},
		/* All 100 may have been retried at one limit and have fallen back at the other. */
		{100, num__known(100), num__known(200), true, ZC_CAUSE_ENOBUFS, NONE, 0},
		{12, num__known(50), none, true, ZC_CAUSE_ENOBUFS, NONE, 0},
		{12, num__known(24), num__known(0), false, ZC_CAUSE_ENOBUFS_MEMLOCK, NONE, 0},
		{12, num__known(0), num__known(24), false, ZC_CAUSE_ENOBUFS_OPTMEM, NONE, 0},
	};

	for_each_case(c, cases) {
		struct fixture *f = remote();

		if (c->size)
			f->run.size = c->size;
		f->run.app.zc.enobufs = c->enobufs;
		f->run.enobufs_memlock = c->memlock;
		f->run.enobufs_optmem = c->optmem;
		if (!c->figures) {
			f->env.memlock = unlimited;
			f->env.optmem_max = none;
		}
		assert_int_equal(verdict_for(f, c->first, c->second, NONE)->cause,
				 ZC_CAUSE_NOT_COPIED);
		/* Without a completion, the limit is the cause. */
		f->run.app.zc = (struct zc_counts){.enobufs = c->enobufs};
		assert_int_equal(verdict_for(f, c->first, c->second, NONE)->cause, c->first);
	}
}

/* The longest text of all causes ends with a whole sentence. */
TEST(all_causes_at_once_fit_the_text)
{
	struct fixture *f = loopback(3 * PINNED);
	const struct verdict *v = &f->run.verdict;

	for (int i = 0; i < TAPS_MAX; i++)
		strcpy(open_tap(f)->process, "a-name-of-15-ch");
	f->run.app.tcp_bytes_retrans = 123456789;
	f->run.app.zc.enobufs = 3000000000ULL;
	f->run.enobufs_memlock = num__known(0);
	f->run.enobufs_optmem = num__known(1000000000);
	verdict__give(&f->run, &f->env);
	assert_int_equal(v->causes_nr, 5);
	assert_says(v->text, "(RLIMIT_MEMLOCK or net.core.optmem_max).");
	f->run.enobufs_memlock = num__known(3000000000ULL);
	verdict__give(&f->run, &f->env);
	assert_int_equal(v->causes_nr, 4);
	assert_says(v->text, "those that a wait relieved among them).");
}

TEST(text_of_verdicts_matches_the_golden_file)
{
	record__check("verdicts");
}
