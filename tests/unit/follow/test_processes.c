/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes are followed, over a made-up /proc: PIDs that are used again. */
#include <string.h>

#include "follow/processes.h"
#include "kernel/target.h"
#include "support/test.h"

#define PID 4242

static uint64_t started[2]; /* of PID and the one after it; 0: there is none */
static int added, removed;

uint64_t target__started(pid_t pid)
{
	return started[pid - PID];
}

pid_t target__tracer(pid_t pid)
{
	(void)pid;
	return 0;
}

int target__comm(pid_t pid, char comm[16])
{
	(void)pid;
	strcpy(comm, "name");
	return 0;
}

int target__by_comm(const char *comm, void (*handle)(void *arg, pid_t pid), void *arg)
{
	(void)comm;
	for (int i = 0; i < 2; i++)
		if (started[i])
			handle(arg, PID + i);
	return 0;
}

int target__descendants(const uint32_t *parents, size_t nr, void (*handle)(void *arg, pid_t pid),
			void *arg)
{
	(void)parents;
	if (nr && started[1])
		handle(arg, PID + 1);
	return 0;
}

int watchpoints__add_process(struct watchpoints *w, pid_t pid)
{
	(void)w;
	(void)pid;
	added++;
	return 0;
}

void watchpoints__remove_process(struct watchpoints *w, pid_t pid)
{
	(void)w;
	(void)pid;
	removed++;
}

static void scan(struct processes *p, uint64_t first, uint64_t second)
{
	started[0] = first;
	started[1] = second;
	added = removed = 0;
	processes__scan(p);
}

TEST(a_pid_that_another_process_has_is_not_followed)
{
	struct follow_options o = {.target = {.pids = {PID}, .pids_nr = 1}};
	struct processes p = {.o = &o};

	scan(&p, 100, 0);
	assert_int_equal(added, 1);
	scan(&p, 100, 0);
	assert_int_equal(added + removed, 0);
	assert_false(processes__are_over(&p));
	/* It ended, and another process has its PID before the next scan. */
	scan(&p, 200, 0);
	assert_int_equal(added, 0);
	assert_int_equal(removed, 1);
	assert_true(processes__are_over(&p));
	scan(&p, 200, 0);
	assert_int_equal(added + removed, 0);
}

TEST(a_child_whose_parent_ended_is_followed_until_it_ends)
{
	struct follow_options o = {.target = {.pids = {PID}, .pids_nr = 1, .children = true}};
	struct processes p = {.o = &o};

	scan(&p, 100, 110);
	assert_int_equal(added, 2);
	scan(&p, 0, 110);
	assert_int_equal(added, 0);
	assert_int_equal(removed, 1);
	assert_false(processes__are_over(&p));
	scan(&p, 0, 120); /* of another process */
	assert_int_equal(added, 0);
	assert_int_equal(removed, 1);
	assert_true(processes__are_over(&p));
}

TEST(a_name_is_followed_in_each_process_that_has_it)
{
	struct follow_options o = {.target = {.comms = {"name"}, .comms_nr = 1}};
	struct processes p = {.o = &o};

	scan(&p, 100, 0);
	scan(&p, 200, 210);
	assert_int_equal(added, 2);
	assert_int_equal(removed, 1);
	scan(&p, 0, 0);
	assert_int_equal(removed, 2);
	assert_false(processes__are_over(&p)); /* others of this name may start */
}
