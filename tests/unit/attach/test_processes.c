// SPDX-License-Identifier: GPL-2.0-only
/* Processes that have one id, one after another: each has books of its own. */

#include "attach/findings.h"
#include "support/test.h"

static struct sock_state stream_of(uint64_t started, uint64_t bytes, bool closed)
{
	struct sock_state s = {
		.key = started,
		.tgid = 7,
		.started = started,
		.last_ns = 1,
		.closed_ns = closed,
		.now = {.sent = bytes},
		.comm = "first",
	};

	s.stages[NIO_STAGE_TX_COPY].bytes = bytes;
	return s;
}

static const struct process *process_at(const struct table *t, uint64_t started)
{
	for (size_t i = 0; i < t->processes_nr; i++)
		if (t->processes[i].started == started)
			return &t->processes[i];
	fail_msg("no process that began at %u", (unsigned int)started);
	return NULL;
}

static uint64_t sent_by(const struct table *t, uint64_t started)
{
	return books__booked(&process_at(t, started)->books, NIO_SIDE_SENDER);
}

static void take_both(struct table *t)
{
	struct sock_state first = stream_of(100, 1000, true), second = stream_of(200, 20, false);

	table__begin(t);
	table__take(t, &first);
	table__take(t, &second);
	table__end(t);
	table__sort(t, SORT_SENT, 0);
}

TEST(an_id_that_is_used_again_is_another_process)
{
	struct nio_task task = {.started = 200, .comm = "second"};
	struct table t = {0};

	take_both(&t);
	assert_int_equal(t.processes_nr, 2);
	assert_int_equal(sent_by(&t, 100), 1000);
	assert_int_equal(sent_by(&t, 200), 20);
	/* The first has gone, though its end was overwritten by the second's beginning. */
	table__take_task(&t, 7, &task);
	assert_true(process_at(&t, 100)->exited);
	assert_false(process_at(&t, 200)->exited);
	assert_string_equal(process_at(&t, 100)->comm, "first");
	assert_string_equal(process_at(&t, 200)->comm, "second");
	/* One that is told of late ends none that began after it. */
	task = (struct nio_task){.started = 100, .exit_ns = 1, .comm = "late"};
	table__take_task(&t, 7, &task);
	assert_false(process_at(&t, 200)->exited);
	/* Others have no part in it. */
	task = (struct nio_task){.started = 300, .comm = "other"};
	table__take_task(&t, 8, &task);
	assert_false(process_at(&t, 200)->exited);
	table__clear(&t);
}

TEST(what_each_has_read_is_its_own)
{
	struct table t = {0};

	take_both(&t);
	table__take_read(&t, 7, 100, 5000, false);
	table__take_read(&t, 7, 100, 9000, false);
	table__take_read(&t, 7, 200, 30, true);
	assert_int_equal(process_at(&t, 100)->read_bytes.value, 4000);
	assert_int_equal(process_at(&t, 200)->read_bytes.value, 30);
	assert_int_equal(table__read_bytes(&t).value, 4030);
	table__clear(&t);
}

TEST(they_are_numbered_by_their_beginnings)
{
	struct nio_task asked = {.started = 50, .asked = 1, .comm = "other"};
	struct findings r = {0};
	char name[PROCESS_LEN];

	take_both(&r.table);
	/* Neither one with another id, nor one that is not listed (it has CPU time only). */
	table__take_task(&r.table, 8, &asked);
	table__process(&r.table, 7, 150);
	assert_int_equal(table__turn(&r.table, process_at(&r.table, 100)), 1);
	assert_int_equal(table__turn(&r.table, process_at(&r.table, 200)), 2);
	assert_int_equal(table__turn(&r.table, process_at(&r.table, 50)), 0);
	assert_string_equal(findings__process(name, &r, process_at(&r.table, 200)),
			    "first 7 (no. 2)");
	assert_string_equal(findings__process(name, &r, process_at(&r.table, 50)), "other 8");
	table__clear(&r.table);
}
