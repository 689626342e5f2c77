/* SPDX-License-Identifier: GPL-2.0-only */
/* Which clocks are the same, when messages of an open loop are due, and uid maps. */
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/uid_map.h"
#include "loadgen/pending_sessions.h"
#include "loadgen/sender_pool.h"
#include "loadgen/session.h"
#include "support/test.h"

static const char boot[] = "00112233-4455-6677-8899-aabbccddeeff\n";

/* Two time namespaces of one boot have different clocks. */
TEST(another_time_namespace_is_another_clock)
{
	uint8_t a[PROTOCOL_TOKEN_SIZE], b[PROTOCOL_TOKEN_SIZE];

	session__mix_clock_id(a, boot, 4026531834);
	session__mix_clock_id(b, boot, 4026531834);
	assert_true(session__same_clock(a, b));
	session__mix_clock_id(b, boot, 4026532999);
	assert_false(session__same_clock(a, b));
}

TEST(unknown_clock_equals_no_other)
{
	uint8_t a[PROTOCOL_TOKEN_SIZE], b[PROTOCOL_TOKEN_SIZE];

	session__mix_clock_id(a, "", 1);
	session__mix_clock_id(b, "00112233-4455", 1);
	assert_false(session__same_clock(a, a));
	assert_false(session__same_clock(b, b));
}

/*
 * A clone of a running machine has the same clock ID but another time: its stamp is earlier than
 * WELCOME or later than now.
 */
TEST(stamp_before_WELCOME_or_in_the_future_is_of_another_clock)
{
	assert_true(pending_sessions__stamp_fits(1000, 1000, 1000));
	assert_true(pending_sessions__stamp_fits(1500, 1000, 2000));
	assert_false(pending_sessions__stamp_fits(999, 1000, 2000));
	assert_false(pending_sessions__stamp_fits(2001, 1000, 2000));
	assert_false(pending_sessions__stamp_fits(0, 1000, 2000));
}

/* 3 of 10 connections at 10 per second send 3 per second, without rounding or overflow. */
TEST(message_k_is_due_at_its_share_of_the_rate)
{
	assert_true(sender_pool__due(7, 0, 10, 3, 10) == 7);
	assert_true(sender_pool__due(7, 1, 10, 3, 10) == 7 + 333333333);
	assert_true(sender_pool__due(7, 3, 10, 3, 10) == 7 + 1000000000);
	assert_true(sender_pool__due(0, 3ULL << 40, 1, 1, 1) == (3ULL << 40) * 1000000000);
	/* Those before an end: the first one is due at 0, one due at the end belongs to no phase.
	 */
	assert_true(sender_pool__due_nr(0, 10, 1, 1) == 0);
	assert_true(sender_pool__due_nr(1, 10, 1, 1) == 1);
	assert_true(sender_pool__due_nr(2000000000, 1000, 1, 1) == 2000);
	for (uint64_t ns = 0; ns < 2000000000; ns += 66666667) {
		uint64_t k = sender_pool__due_nr(ns, 7, 3, 10);

		assert_true(!k || sender_pool__due(0, k - 1, 7, 3, 10) < ns);
		assert_true(sender_pool__due(0, k, 7, 3, 10) >= ns);
	}
	assert_true(sender_pool__due(0, 24 * 3600 * 100000000ULL, 100000000, 4096, 4096) ==
		    24 * 3600 * 1000000000ULL);
}

TEST(root_of_a_map_without_the_uid_is_an_ordinary_user)
{
	static const struct {
		const char *map;
		bool root_only;
	} cases[] = {
		/* The initial namespace, and containers with many uids. */
		{"         0          0 4294967295\n", false},
		{"0 100000 65536\n", false},
		{"0 1000 1\n65534 65534 1\n", false},
		/* unshare -r */
		{"         0       1000          1\n", true},
		{"0 1000 1\n5 2000 1\n", true},
		/* The first uid after a range is outside. */
		{"0 1000 65534\n", true},
		{"0 1000 65535\n", false},
		{"0 1000 1\n65535 2000 1\n", true},
		/* Root also outside the namespace. */
		{"0 0 1\n", false},
		{"1000 1000 1\n", false},
		{"", false},
		{"garbage", false},
	};

	for_each_case(c, cases)
		assert_int_equal(uid_map__root_only(c->map, 65534), c->root_only);
}

TEST(ids_that_nobody_has_are_drawn_from_a_range_that_the_map_has)
{
	static const struct {
		const char *map;
		uint32_t first, count;
		bool has;
	} cases[] = {
		{"0 0 4294967295\n", 1879048192, 268304384, true},
		{"0 100000 65536\n", 1879048192, 268304384, false},
		{"0 100000 65536\n", 60706, 478, true},
		{"0 1000 1\n", 60706, 478, false},
		{"0 1000 1\n60000 2000 2000\n", 60706, 478, true},
		{"60000 0 1183\n", 60706, 478, false},
		{"60707 0 5000\n", 60706, 478, false},
		/* The whole range, and one fewer. */
		{"60706 0 478\n", 60706, 478, true},
		{"60706 0 477\n", 60706, 478, false},
		{"4294967290 0 5\n", 4294967290, 10, false},
		{"garbage", 60706, 478, false},
	};
	uid_t uid = 0, other = 0;
	gid_t gid;

	for_each_case(c, cases)
		assert_int_equal(uid_map__has(c->map, c->first, c->count), c->has);
	if (!uid_map__unused(&uid, &gid))
		return; /* this namespace maps too few */
	assert_true(uid > 60000 && uid != 65534 && uid == gid);
	for (int i = 0; i < 20 && (!i || other == uid); i++)
		assert_true(uid_map__unused(&other, &gid));
	assert_true(other != uid);
}

/* This process: its own map, without a cached answer for another one. */
TEST(own_map_is_that_of_proc_self_uid_map)
{
	char map[4096] = "";
	int status;
	pid_t pid;
	FILE *f = fopen("/proc/self/uid_map", "re");

	assert_non_null(f);
	assert_true(fread(map, 1, sizeof(map) - 1, f) > 0);
	fclose(f);
	for (uid_t uid = 0; uid < 3; uid++)
		assert_int_equal(uid_map__own_root_only(uid), uid_map__root_only(map, uid));
	/* A user namespace without any mapping yet. */
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(unshare(CLONE_NEWUSER) ? 0 : uid_map__own_root_only(65534));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
