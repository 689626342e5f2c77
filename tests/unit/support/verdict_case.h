/* SPDX-License-Identifier: GPL-2.0-only */
/* Invented zero-copy runs, and a comparison of their verdict with the expected causes. */
#ifndef SUPPORT_VERDICT_CASE_H
#define SUPPORT_VERDICT_CASE_H

#include <string.h>

#include "model/verdict.h"
#include "record.h"
#include "support/test.h"

#define PINNED 2000000000ULL
#define SENDS  1000ULL

struct fixture {
	struct run_result run;
	struct environment env;
};

static inline void book(struct run_result *r, enum nio_stage stage, uint64_t bytes)
{
	r->stages[stage].quality = QUALITY_EXACT;
	r->stages[stage].bytes = bytes;
}

/* A zero-copy run on eth0 in which every send was pinned and none copied. */
static inline struct fixture *remote(void)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	run_result__init(&f.run);
	f.run.mode = MODE_ZEROCOPY;
	f.run.ledger_known = true;
	f.run.app.zc.sends = f.run.app.zc.completed = f.run.app.zc.not_copied = SENDS;
	book(&f.run, NIO_STAGE_TX_COPY, 0);
	book(&f.run, NIO_STAGE_TX_PIN, PINNED);
	book(&f.run, NIO_STAGE_DEFERRED_COPY, 0);
	strcpy(f.env.path, "remote");
	strcpy(f.env.device, "eth0");
	f.env.device_scatter_gather = (struct flag){.value = true, .known = true};
	f.env.device_tx_checksum = (struct flag){.value = true, .known = true};
	f.env.memlock = num__known(8 << 20);
	f.env.optmem_max = num__known(128 << 10);
	f.env.taps.known = true;
	return &f;
}

static inline void copy(struct fixture *f, uint64_t deferred)
{
	f->run.app.zc.copied = SENDS;
	f->run.app.zc.not_copied = 0;
	book(&f->run, NIO_STAGE_DEFERRED_COPY, deferred);
}

static inline struct fixture *loopback(uint64_t deferred)
{
	struct fixture *f = remote();

	copy(f, deferred);
	strcpy(f->env.path, "loopback");
	strcpy(f->env.device, "lo");
	return f;
}

static inline struct tap *open_tap(struct fixture *f)
{
	struct tap *t = &f->env.taps.list[f->env.taps.nr++];

	*t = (struct tap){.process = "tcpdump", .inode = 1, .sender = true, .in_run = true};
	strcpy(t->device, f->env.device);
	t->pid = num__known(4242);
	return t;
}

/* Makes the verdict and compares its causes with the expected ones, in order. */
static inline const struct verdict *verdict_for(struct fixture *f, enum zc_cause first,
						enum zc_cause second, enum zc_cause third)
{
	const enum zc_cause expected[] = {first, second, third};
	const struct verdict *v = &f->run.verdict;
	unsigned int n = 0;

	verdict__give(&f->run, &f->env);
	record("%s\n", v->text);
	while (n < 3 && expected[n] != ZC_CAUSE_NONE)
		n++;
	for (unsigned int i = 0; i < v->causes_nr; i++)
		record("- %s: %s\n", zc_cause__key(v->causes[i].cause), v->causes[i].evidence);
	assert_int_equal(v->causes_nr, n);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(v->causes[i].cause, expected[i]);
		assert_true(v->causes[i].evidence[0]);
	}
	/* The text ends with a whole sentence. */
	assert_int_equal(v->text[strlen(v->text) - 1], '.');
	return v;
}

#define assert_says(text, what)                                             \
	do {                                                                \
		if (!strstr(text, what))                                    \
			fail_msg("\"%s\" does not say \"%s\"", text, what); \
	} while (0)

#endif
