/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals as events of the loop, and which of them end the program. */
#include <signal.h>
#include <unistd.h>

#include "base/loop.h"
#include "support/test.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static int open_loop(void **state)
{
	static struct loop l;

	l = (struct loop)LOOP_INIT;
	*state = &l;
	return loop__open(&l);
}

static int close_loop(void **state)
{
	loop__close(*state);
	return 0;
}

static void take(struct loop *l, int signo)
{
	struct loop_event ev;

	assert_int_equal(loop__wait(l, &ev, 0), 0);
	assert_int_equal(ev.kind, LOOP_SIGNAL);
	assert_int_equal(ev.signo, signo);
}

/* Started by nohup or in the background, the test ignores some of them, and so would the loop. */
static int open_with_all_signals(void **state)
{
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		signal(ending[i], SIG_DFL);
	return open_loop(state);
}

TEST_WITH(ending_signals_are_pending_until_taken, open_with_all_signals, close_loop)
{
	assert_false(loop__is_to_end());
	assert_int_equal(loop__ending_signal(), 0);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		kill(getpid(), ending[i]);
		assert_true(loop__is_to_end());
		assert_int_equal(loop__ending_signal(), ending[i]);
		take(*state, ending[i]);
		assert_false(loop__is_to_end());
	}
}

static int open_deaf_to_hangup(void **state)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGHUP, SIG_IGN);
	return open_loop(state);
}

static int close_and_hear(void **state)
{
	signal(SIGHUP, SIG_DFL);
	return close_loop(state);
}

TEST_WITH(ignored_SIGHUP_ends_nothing, open_deaf_to_hangup, close_and_hear)
{
	struct loop_event ev;

	kill(getpid(), SIGHUP);
	assert_false(loop__is_to_end());
	assert_int_equal(loop__wait(*state, &ev, 0), 0);
	assert_int_equal(ev.kind, LOOP_TIMEOUT);
	assert_int_equal(loop__catch_pauses(*state, true), 0);
	kill(getpid(), SIGHUP);
	assert_int_equal(loop__catch_pauses(*state, false), 0);
	assert_int_equal(loop__wait(*state, &ev, 0), 0);
	assert_int_equal(ev.kind, LOOP_TIMEOUT);
	/* Other signals count even if ignored: scripts start background jobs ignoring SIGINT. */
	signal(SIGINT, SIG_IGN);
	kill(getpid(), SIGINT);
	signal(SIGINT, SIG_DFL);
	take(*state, SIGINT);
}

TEST_WITH(SIGWINCH_ends_nothing, open_loop, close_loop)
{
	kill(getpid(), SIGWINCH);
	assert_false(loop__is_to_end());
	take(*state, SIGWINCH);
}

TEST_WITH(a_signal_comes_before_a_file_that_was_ready_first, open_loop, close_loop)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(loop__add(*state, ends[0]), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	kill(getpid(), SIGWINCH);
	take(*state, SIGWINCH);
	loop__remove(*state, ends[0]);
	close(ends[0]);
	close(ends[1]);
}

TEST_WITH(wait_without_a_signal_times_out, open_loop, close_loop)
{
	struct loop_event ev;

	assert_int_equal(loop__wait(*state, &ev, 0), 0);
	assert_int_equal(ev.kind, LOOP_TIMEOUT);
}
