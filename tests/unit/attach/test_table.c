/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of connections, processes, ports and cgroups of attach. */
#include <stdlib.h>
#include <string.h>

#include "attach/attach_result.h"
#include "support/test.h"

static struct sock_state closed_stream(uint64_t cookie, uint64_t bytes)
{
	return (struct sock_state){
		.key = cookie,
		.tgid = 7,
		.last_ns = 1,
		.closed_ns = 2,
		.now = {.sent = bytes},
		.comm = "first",
		.stages[NIO_STAGE_TX_COPY].bytes = bytes,
	};
}

/* A refresh with these connections. */
static void refresh(struct table *t, const struct sock_state *list, size_t nr)
{
	table__begin(t);
	for (size_t i = 0; i < nr; i++)
		table__add(t, &list[i]);
	table__end(t);
}

/* The number of connections kept is bounded; the sums include all. */
TEST(table_keeps_the_largest_closed_connections_and_sums_all)
{
	struct table t = {0};
	uint64_t sum = 0;

	table__begin(&t);
	for (uint64_t i = 1; i <= TABLE_CLOSED_MAX + 500; i++) {
		struct sock_state s = closed_stream(i, i);

		table__add(&t, &s);
		sum += i;
	}
	table__end(&t);
	table__sort(&t, SORT_BYTES, 0);
	assert_int_equal(t.closed_nr, TABLE_CLOSED_MAX);
	assert_int_equal(t.closed_left_out, 500);
	assert_int_equal(table__connection(&t, 0)->key, TABLE_CLOSED_MAX + 500);
	assert_int_equal(table__connection(&t, TABLE_CLOSED_MAX - 1)->key, 501);
	assert_null(table__connection(&t, TABLE_CLOSED_MAX));
	assert_int_equal(t.total.socket_tx, sum);
	assert_int_equal(t.processes_nr, 1);
	assert_int_equal(t.processes[0].ledger.socket_tx, sum);
	table__clear(&t);
}

static void assert_divided(const struct socket_ledger *b)
{
	assert_int_equal(b->stages[NIO_STAGE_TX_COPY].bytes, 200000);
	assert_int_equal(b->stages[NIO_STAGE_TX_SPLICE].bytes, 600000);
	assert_int_equal(b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED], 0);
}

/* Bytes without a seen call, by windows in which three quarters of such bytes were spliced. */
TEST(missed_bytes_are_divided_in_each_sum_once_for_each_refresh)
{
	const struct nio_group web = {.started = 3, .cgroup = 5, .tgid = 7, .port = 80};
	double sent[SAMPLED_PARTS] = {[NIO_CALL_PLAIN] = 500, [NIO_CALL_SPLICE] = 1500};
	double moved[SAMPLED_PARTS] = {[NIO_MOVED_COPIED] = 500, [NIO_MOVED_SPLICED] = 1500};
	struct sock_state s[] = {closed_stream(1, 0), closed_stream(2, 0)};
	struct attach_events e = {.sampled = true};
	struct table t = {0};

	for (size_t i = 0; i < 2; i++) {
		s[i].now.sent = 400000;
		s[i].started = 3;
		s[i].cgroup = 5;
		s[i].local_port = 80;
		s[i].flags = SOCK_STATE_PLACED;
	}
	for (uint64_t i = 1; i <= 40; i++) {
		seen_bytes__add(&e.seen, sent, moved, false, 10);
		seen_groups__add(&e.groups, &web, sent, moved, i);
		seen_groups__end(&e.groups, false, 10, i);
	}
	/* A second refresh has no new connection. */
	for (size_t refreshes = 0; refreshes < 2; refreshes++) {
		refresh(&t, s, refreshes ? 0 : 2);
		table__divide_missed(&t, &e);
		assert_divided(&t.total);
		assert_divided(&t.processes[0].ledger);
		assert_divided(&t.processes[0].ports.list[0].ledger);
		assert_divided(&t.groups[GROUP_PORT].list[0].ledger);
		assert_divided(&t.groups[GROUP_CGROUP].list[0].ledger);
	}
	free(e.groups.list);
	table__clear(&t);
}

/* A connection whose process does not fit is counted once, not once per refresh. */
TEST(connection_without_room_for_its_process_is_counted_once)
{
	struct sock_state s = closed_stream(1, 100);
	struct table t = {0};

	for (uint32_t i = 1; i <= TABLE_PROCESSES_MAX; i++)
		table__process(&t, i, 0);
	s.tgid = TABLE_PROCESSES_MAX + 1;
	for (int i = 0; i < 3; i++) {
		s.closed_ns = i == 2;
		refresh(&t, &s, 1);
		assert_int_equal(t.processes_left_out, 1);
		assert_int_equal(t.total.socket_tx, 100);
	}
	table__clear(&t);
}

/* Open connections come first, both groups in sort order; sorting is stable. */
TEST(open_connections_sort_before_closed_ones)
{
	static const uint64_t bytes[] = {5, 900, 70};
	struct sock_state list[6];
	struct table t = {0};

	for (uint64_t i = 0; i < 6; i++) {
		list[i] = closed_stream(i, bytes[i % 3]);
		list[i].closed_ns = i < 3;
	}
	refresh(&t, list, 6);
	for (int again = 0; again < 2; again++) {
		static const uint64_t order[] = {4, 5, 3, 1, 2, 0};

		table__sort(&t, SORT_SENT, 0);
		for (size_t i = 0; i < 6; i++)
			assert_int_equal(table__connection(&t, i)->key, order[i]);
		assert_null(table__connection(&t, 6));
	}
	table__clear(&t);
}

/* A closed connection never sorts above one that moves bytes now. */
TEST(connections_that_moved_bytes_last_sort_first)
{
	static const uint64_t bytes[] = {5, 900, 70, 30}, order[] = {2, 0, 1, 3};
	struct sock_state list[4];
	struct table t = {0};

	for (uint64_t i = 0; i < 4; i++) {
		list[i] = closed_stream(i, bytes[i]);
		list[i].tgid = (uint32_t)i + 1;
		list[i].last_ns = i % 2 ? 99 : 100;
	}
	refresh(&t, list, 4);
	table__sort(&t, SORT_SENT, 100);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(table__connection(&t, i)->key, order[i]);
		assert_int_equal(t.processes[i].tgid, order[i] + 1);
	}
	table__clear(&t);
}

static struct sock_state stream_in(uint64_t cgroup, uint64_t bytes, bool closed)
{
	struct sock_state s = closed_stream(1, bytes);

	s.closed_ns = closed;
	s.cgroup = cgroup;
	return s;
}

static uint64_t sent_in(const struct table *t, uint64_t id)
{
	const struct group *g = groups__find(&t->groups[GROUP_CGROUP], id);

	return g ? socket_ledger__booked(&g->ledger, NIO_SIDE_SENDER) : 0;
}

TEST(group_sums_include_open_and_closed_connections)
{
	struct sock_state list[] = {stream_in(10, 20, false), stream_in(30, 3, false),
				    stream_in(10, 100, true)};
	struct table t = {0};

	/* A closed connection is added once, an open one in each refresh. */
	refresh(&t, list, 3);
	refresh(&t, list, 2);
	refresh(&t, list, 2);
	table__sort(&t, SORT_SENT, 0);
	assert_int_equal(t.groups[GROUP_CGROUP].nr, 2);
	assert_int_equal(t.groups[GROUP_CGROUP].list[0].id, 10);
	assert_int_equal(sent_in(&t, 10), 120);
	assert_int_equal(sent_in(&t, 30), 3);
	assert_int_equal(groups__find(&t.groups[GROUP_CGROUP], 10)->ledger.connections, 2);
	table__clear(&t);
}

TEST(connection_is_grouped_by_the_port_of_its_service)
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

/* Two open and three closed sockets more than there are groups, in two refreshes. */
TEST(sockets_beyond_the_last_group_are_counted_once)
{
	struct table t = {0};

	for (int pass = 0; pass < 2; pass++) {
		table__begin(&t);
		for (uint64_t i = 1; i <= GROUPS_MAX + 5; i++) {
			struct sock_state s = stream_in(i, 1, i <= GROUPS_MAX + 2);

			if (!pass || !s.closed_ns)
				table__add(&t, &s);
		}
		table__end(&t);
	}
	assert_int_equal(t.groups[GROUP_CGROUP].nr, GROUPS_MAX);
	assert_int_equal(groups__left_out(&t.groups[GROUP_CGROUP]), 5);
	assert_int_equal(groups__left_out(&t.groups[GROUP_PORT]), 0);
	assert_int_equal(socket_ledger__booked(&t.total, NIO_SIDE_SENDER), GROUPS_MAX + 5);
	table__clear(&t);
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
	return socket_ledger__booked(&process_at(t, started)->ledger, NIO_SIDE_SENDER);
}

/* Two processes with PID 7, one after the other. */
static void add_both(struct table *t)
{
	struct sock_state list[] = {closed_stream(100, 1000), closed_stream(200, 20)};

	list[0].started = 100;
	list[1].started = 200;
	list[1].closed_ns = 0;
	refresh(t, list, 2);
	table__sort(t, SORT_SENT, 0);
}

TEST(reused_pid_is_another_process)
{
	struct nio_task task = {.started = 200, .comm = "second"};
	struct table t = {0};

	add_both(&t);
	assert_int_equal(t.processes_nr, 2);
	assert_int_equal(sent_by(&t, 100), 1000);
	assert_int_equal(sent_by(&t, 200), 20);
	/* The first process has ended, though the second one's start overwrote its exit event. */
	table__add_task(&t, 7, &task);
	assert_true(process_at(&t, 100)->exited);
	assert_false(process_at(&t, 200)->exited);
	assert_string_equal(process_at(&t, 100)->comm, "first");
	assert_string_equal(process_at(&t, 200)->comm, "second");
	/* A late event of a process does not mark one that started later as ended. */
	task = (struct nio_task){.started = 100, .exit_ns = 1, .comm = "late"};
	table__add_task(&t, 7, &task);
	assert_false(process_at(&t, 200)->exited);
	/* Read bytes belong to one process only. */
	task = (struct nio_task){.started = 300, .comm = "other"};
	table__add_task(&t, 8, &task);
	assert_false(process_at(&t, 200)->exited);
	table__clear(&t);
}

TEST(read_bytes_are_counted_per_process_of_a_reused_pid)
{
	struct table t = {0};

	add_both(&t);
	table__add_read(&t, 7, 100, 5000, false);
	table__add_read(&t, 7, 100, 9000, false);
	table__add_read(&t, 7, 200, 30, true);
	assert_int_equal(process_at(&t, 100)->read_bytes.value, 4000);
	assert_int_equal(process_at(&t, 200)->read_bytes.value, 30);
	table__clear(&t);
}

TEST(processes_of_one_pid_are_numbered_by_start_time)
{
	struct nio_task asked = {.started = 50, .asked = 1, .comm = "other"};
	struct attach_result r = {0};
	struct attach_row row = {.by = BY_PROCESS};
	char name[ROW_NAME_LEN];

	add_both(&r.table);
	/* Another PID, and a process with CPU time only, which is not listed, do not count. */
	table__add_task(&r.table, 8, &asked);
	table__process(&r.table, 7, 150);
	assert_int_equal(table__ordinal(&r.table, process_at(&r.table, 100)), 1);
	assert_int_equal(table__ordinal(&r.table, process_at(&r.table, 200)), 2);
	assert_int_equal(table__ordinal(&r.table, process_at(&r.table, 50)), 0);
	row.process = process_at(&r.table, 200);
	assert_string_equal(attach_row__name(name, &r, &row, true), "first 7 (no. 2) (0)");
	row.process = process_at(&r.table, 50);
	assert_string_equal(attach_row__name(name, &r, &row, true), "other 8 (0)");
	table__clear(&r.table);
}

static const struct sock_state file_stream = {
	.tgid = 7,
	.last_ns = 1,
	.flags = SOCK_STATE_PLACED,
	.born_window = 1,
	.window = 1,
};

static struct sock_state at_port(uint16_t port, uint64_t copied, uint64_t spliced)
{
	struct sock_state s = file_stream;

	s.local_port = port;
	s.now.sent = copied + spliced;
	s.stages[NIO_STAGE_TX_COPY].bytes = copied;
	s.stages[NIO_STAGE_TX_SPLICE].bytes = spliced;
	return s;
}

/* Two ports, one with sendfile: bytes and rchar are of one refresh, though more was sent since. */
TEST(program_figures_are_all_from_the_last_refresh_that_read_rchar)
{
	struct advice_program program;
	struct table t = {0};
	uint64_t copied;

	refresh(&t, (struct sock_state[]){at_port(80, 10, 5000), at_port(81, 3000, 0)}, 2);
	table__add_read(&t, 7, 0, 8100, true);
	refresh(&t, (struct sock_state[]){at_port(80, 20, 9000), at_port(81, 9000, 0)}, 2);
	assert_true(table__program(&t, NULL, 81, &program, &copied));
	assert_int_equal(copied, 3000);
	assert_int_equal(program.read.value, 8100);
	assert_int_equal(program.copied, 3010);
	assert_int_equal(program.spliced, 5000);
	assert_true(table__program(&t, NULL, 80, &program, &copied));
	assert_int_equal(copied, 10);
	assert_true(table__program(&t, NULL, 0, &program, &copied));
	assert_int_equal(copied, 3010);
	assert_false(table__program(&t, NULL, 82, &program, &copied));
	table__clear(&t);
}

/* Samples in libcrypto belong to port 443 and say nothing about another port. */
TEST(encryption_samples_belong_to_port_443_if_it_is_watched)
{
	struct advice_program program;
	struct table t = {0};
	uint64_t copied;

	refresh(&t, (struct sock_state[]){at_port(81, 3000, 0)}, 1);
	table__process(&t, 7, 0)->cpu.encrypted = 5;
	assert_true(table__program(&t, NULL, 81, &program, &copied));
	assert_int_equal(program.encrypted, 5);
	refresh(&t, (struct sock_state[]){at_port(81, 3000, 0), at_port(443, 3000, 0)}, 2);
	assert_true(table__program(&t, NULL, 81, &program, &copied));
	assert_int_equal(program.encrypted, 0);
	table__clear(&t);
}

/* The socket left out may belong to any row. */
TEST(sockets_left_out_make_every_sum_unknown)
{
	const struct sock_state s = at_port(81, 3000, 0);
	struct table t = {0};

	table__begin(&t);
	table__add(&t, &s);
	table__end(&t);
	table__set_gaps(&t, 1, 0);
	assert_false(socket_ledger__unaccounted(&t.total, NIO_SIDE_SENDER).known);
	assert_false(socket_ledger__unaccounted(&t.processes[0].ledger, NIO_SIDE_SENDER).known);
	assert_false(socket_ledger__copies_per_byte(&t.groups[GROUP_PORT].list[0].ledger).known);
	refresh(&t, NULL, 0);
	assert_int_equal(t.total.left_out, 0);
	table__clear(&t);
}

static struct attach_verdict verdict_of_row(const struct attach_result *r,
					    const struct attach_row *row)
{
	struct attach_verdict verdict;

	attach_result__verdict(&verdict, r, row);
	return verdict;
}

/* nginx with sendfile for port 80, without for port 81, and a file that it reads for port 81. */
TEST(verdict_and_advice_name_the_port_that_copies)
{
	struct attach_result r = {.sees_kinds = true};
	struct attach_row row;
	struct sock_state s = file_stream;
	struct process *p;
	struct attach_verdict verdict;

	refresh(&r.table,
		(struct sock_state[]){at_port(80, 10000, 200000000), at_port(81, 100000000, 0)}, 2);
	table__add_read(&r.table, 7, 0, 300000000, true);
	p = table__process(&r.table, 7, 0);
	for (int i = 0; i < 1000; i++)
		cpu_split__add(
			&p->cpu,
			(struct stack_class){.class = i % 5 ? CPU_CLASS_TCP_IP : CPU_CLASS_TX_COPY},
			false);
	row = attach_row__total(&r);
	verdict = verdict_of_row(&r, &row);
	assert_string_equal(
		verdict.text,
		"Port 80: 200 MB sent by reference (sendfile or splice), port 81: 100 MB "
		"copied.");
	assert_ptr_equal(strstr(verdict.advice, "Port 81: 100 MB were sent by copy"),
			 verdict.advice);
	assert_null(strstr(verdict.advice, "ort 80"));
	assert_true(attach_row__at(&row, &r, BY_PROCESS, 0));
	assert_string_equal(verdict_of_row(&r, &row).advice, verdict.advice);
	for (size_t i = 0; attach_row__at(&row, &r, BY_PORT, i); i++) {
		assert_int_equal(verdict_of_row(&r, &row).advice[0] != '\0', row.id == 81);
		/* The same estimate with an interval that carries nothing. */
		row.ledger.divided[NIO_SIDE_SENDER] = row.ledger.socket_tx;
		row.ledger.stage_margin[NIO_STAGE_TX_COPY].below = row.ledger.socket_tx / 2;
		assert_string_equal(verdict_of_row(&r, &row).advice,
				    row.id == 81 ? "Too few calls were seen for advice on copies: "
						   "--count-calls watches every call."
						 : "");
	}
	/* A connection has advice in the refresh that read its process, and not later. */
	s.local_port = 81;
	s.now.sent = s.stages[NIO_STAGE_TX_COPY].bytes = 50000000;
	row = (struct attach_row){.by = BY_CONNECTION, .socket = &s};
	row.ledger = socket_ledger__of(&s);
	assert_non_null(strstr(verdict_of_row(&r, &row).advice, "50 MB were sent by copy"));
	table__begin(&r.table);
	assert_string_equal(verdict_of_row(&r, &row).advice, "");
	table__clear(&r.table);
}

/* Under 1 % of the looks is not named. */
TEST(verdict_names_tails_that_wait_from_one_look_in_a_hundred_on)
{
	const struct attach_options o = {.interval_ns = 1000000000};
	struct attach_result r = {.o = &o};
	const struct {
		uint32_t waits, looks;
		bool named;
	} cases[] = {{0, 5, false},   {1, 1, true},    {1, 100, true},
		     {1, 101, false}, {1, 199, false}, {2, 200, true}};

	for_each_case(c, cases) {
		struct attach_row row = {.by = BY_CGROUP};

		row.ledger.looks = c->looks;
		row.ledger.tail_waits = c->waits;
		assert_int_equal(strstr(verdict_of_row(&r, &row).text, "waited for more") != NULL,
				 c->named);
	}
}

/* Outside windows only a request of io_uring pins pages that no number of the socket shows. */
TEST(nothing_is_pinned_unseen_where_nothing_uses_io_uring)
{
	const volatile bool rings[] = {false, true};

	for (int i = 0; i < 2; i++) {
		struct table t = {.rings = &rings[i]};
		struct sock_state s = {.now = {.sent = 100}, .stages[NIO_STAGE_TX_COPY].bytes = 90};
		struct socket_ledger b = table__ledger_of(&t, &s);
		struct num pinned = socket_ledger__stage_bytes(&b, NIO_STAGE_TX_PIN);

		assert_int_equal(pinned.known, !rings[i]);
		pinned = socket_ledger__stage_bytes(&b, NIO_STAGE_DEFERRED_COPY);
		assert_int_equal(pinned.known, !rings[i]);
	}
}
