// SPDX-License-Identifier: GPL-2.0-only
/* Connections by cgroup and by port: sums that are those of the connections, and no more groups
 * than there is room. */
#include <string.h>

#include "attach/table.h"
#include "support/test.h"

static struct sock_state stream(uint64_t cgroup, uint64_t bytes, bool closed)
{
	struct sock_state s = {.key = 1,
			       .tgid = 7,
			       .last_ns = 1,
			       .closed_ns = closed,
			       .cgroup = cgroup,
			       .now = {.sent = bytes}};

	s.stages[NIO_STAGE_TX_COPY].bytes = bytes;
	return s;
}

static uint64_t sent_by(const struct table *t, uint64_t id)
{
	const struct group *g = groups__find(&t->groups[GROUP_CGROUP], id);

	return g ? books__booked(&g->books, NIO_SIDE_SENDER) : 0;
}

TEST(sums_are_of_open_and_closed)
{
	struct sock_state one = stream(10, 100, true), two = stream(10, 20, false);
	struct sock_state three = stream(30, 3, false);
	struct table t = {0};

	/* A closed one comes once, an open one in each refresh. */
	for (int refresh = 0; refresh < 3; refresh++) {
		table__begin(&t);
		if (!refresh)
			table__take(&t, &one);
		table__take(&t, &two);
		table__take(&t, &three);
		table__end(&t);
	}
	table__sort(&t, SORT_SENT, 0);
	assert_int_equal(t.groups[GROUP_CGROUP].nr, 2);
	assert_int_equal(t.groups[GROUP_CGROUP].list[0].id, 10);
	assert_int_equal(sent_by(&t, 10), 120);
	assert_int_equal(sent_by(&t, 30), 3);
	assert_int_equal(groups__find(&t.groups[GROUP_CGROUP], 10)->books.connections, 2);
	table__clear(&t);
}

TEST(a_port_is_the_service_s)
{
	const struct sock_state accepted = {
		.flags = SOCK_STATE_PLACED, .local_port = 443, .remote_port = 50000};
	const struct sock_state caller = {.flags = SOCK_STATE_PLACED | SOCK_STATE_CALLER,
					  .local_port = 40000,
					  .remote_port = 60000};
	const struct sock_state unplaced = {.local_port = 443, .remote_port = 1};

	assert_int_equal(group__id(GROUP_PORT, &accepted), 443);
	assert_int_equal(group__id(GROUP_PORT, &caller), 60000);
	assert_int_equal(group__id(GROUP_PORT, &unplaced), 0);
}

/* One more than there is room for by each, closed and open, in two refreshes. */
TEST(what_finds_no_room_is_counted_once)
{
	struct table t = {0};

	for (int refresh = 0; refresh < 2; refresh++) {
		table__begin(&t);
		for (uint64_t i = 1; i <= GROUPS_MAX + 5; i++) {
			struct sock_state s = stream(i, 1, i <= GROUPS_MAX + 2);

			if (!refresh || !s.closed_ns)
				table__take(&t, &s);
		}
		table__end(&t);
	}
	assert_int_equal(t.groups[GROUP_CGROUP].nr, GROUPS_MAX);
	assert_int_equal(groups__left_out(&t.groups[GROUP_CGROUP]), 5);
	assert_int_equal(groups__left_out(&t.groups[GROUP_PORT]), 0);
	assert_int_equal(books__booked(&t.total, NIO_SIDE_SENDER), GROUPS_MAX + 5);
	table__clear(&t);
}

/* An open connection of a process that found no room is one, however often it is looked at. */
TEST(processes_without_room_are_counted_once)
{
	struct table t = {0};

	for (uint32_t i = 1; i <= TABLE_PROCESSES_MAX; i++)
		assert_non_null(table__process(&t, i, 0));
	for (int refresh = 0; refresh < 3; refresh++) {
		struct sock_state open = stream(1, 1, false), closed = stream(1, 1, true);

		open.tgid = closed.tgid = TABLE_PROCESSES_MAX + 1;
		table__begin(&t);
		table__take(&t, &open);
		if (!refresh)
			table__take(&t, &closed);
		table__end(&t);
	}
	assert_int_equal(t.processes_left_out, 2);
	table__clear(&t);
}
