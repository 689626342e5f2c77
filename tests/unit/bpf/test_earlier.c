// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send calls that were in progress before the watching began, and end unseen: the numbers of a
 * socket are what was booked of the others, whoever takes turns with whom. Here the lock goes from
 * call to call as it does in the kernel; what is seen is begins, waits and ends of new calls, and
 * the waits of earlier ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bpf/earlier.h"

/* Near the end of the numbers, so that they wrap. */
#define START 0xffffff00u

struct socket {
	struct nio_stream s;
	uint32_t end;   /* write_seq */
	uint32_t waits; /* sk_write_pending */
	uint32_t booked;
};

/* Numbers begin with the first call that is seen to begin, while `waits` others wait. */
static struct socket watched(uint32_t waits)
{
	return (struct socket){
		.s = {.base_tx.sent = START, .sent_seen = START, .earlier = waits},
		.end = START,
		.waits = waits,
	};
}

static struct nio_call begins(struct socket *k)
{
	struct nio_call call = {0};

	if (nio_earlier_ended(&k->s, k->waits, k->s.beside, false))
		nio_leave_out(&k->s, k->end);
	if (k->s.earlier) {
		call.what = NIO_CALL_BESIDE;
		k->s.beside++;
	}
	return call;
}

static void waits(struct socket *k, struct nio_call *call)
{
	bool counted = call->what & NIO_CALL_BESIDE;

	if (nio_earlier_ended(&k->s, k->waits, k->s.beside - counted, false))
		call->what |= NIO_CALL_MIXED;
	call->queued += k->end - k->s.sent_seen;
	k->s.sent_seen = k->end;
	k->waits++;
}

static void ends(struct socket *k, struct nio_call *call, uint32_t returned)
{
	if (call->what & NIO_CALL_BESIDE)
		k->s.beside--;
	if (nio_earlier_ended(&k->s, k->waits, k->s.beside, false))
		call->what |= NIO_CALL_MIXED;
	if (call->what & NIO_CALL_MIXED)
		nio_leave_out_of(&k->s, call, (int32_t)returned, k->end);
	k->s.sent_seen = k->end;
	k->booked += returned;
}

static void earlier_waits(struct socket *k)
{
	nio_earlier_ended(&k->s, k->waits, k->s.beside, true);
	nio_leave_out(&k->s, k->end);
	k->waits++;
}

/* As user space has it, of calls in progress that queued so much. */
static uint32_t sent(const struct socket *k, uint32_t in_progress)
{
	return k->s.sent_seen - in_progress - k->s.base_tx.sent;
}

static void without_any_nothing_is_left_out(void **state)
{
	struct socket k = watched(0);
	struct nio_call call = begins(&k);

	(void)state;
	k.end += 100;
	waits(&k, &call);
	k.waits--;
	k.end += 400;
	ends(&k, &call, 500);
	/* By something that nobody saw: it stays to be told. */
	k.end += 30;
	call = begins(&k);
	k.end += 10;
	ends(&k, &call, 10);
	assert_int_equal(sent(&k, 0), 540);
	assert_int_equal(k.booked, 510);
}

static void one_that_ends_unseen_before_a_call_begins(void **state)
{
	struct socket k = watched(1);
	struct nio_call call = begins(&k);

	(void)state;
	k.end += 50;
	ends(&k, &call, 50);
	k.waits--;
	k.end += 26;
	call = begins(&k);
	assert_int_equal(k.s.earlier, 0);
	assert_int_equal(call.what, 0);
	k.end += 70;
	ends(&k, &call, 70);
	assert_int_equal(sent(&k, 0), 120);
	assert_int_equal(k.booked, 120);
}

static void one_that_ends_unseen_while_a_call_waits(void **state)
{
	struct socket k = watched(1);
	struct nio_call call = begins(&k);

	(void)state;
	k.end += 50;
	waits(&k, &call);
	k.waits--;
	k.end += 1739;
	k.waits--;
	k.end += 7;
	ends(&k, &call, 57);
	assert_int_equal(sent(&k, 0), 57);
	assert_int_equal(k.booked, 57);
}

/* What the call has queued then, the other's end with it, is subtracted while it is in progress. */
static void the_watching_ends_before_the_call_does(void **state)
{
	struct socket k = watched(1);
	struct nio_call call = begins(&k);

	(void)state;
	k.end += 50;
	waits(&k, &call);
	k.waits--;
	k.end += 26;
	k.waits--;
	k.end += 7;
	waits(&k, &call);
	assert_int_equal(call.what & NIO_CALL_MIXED, NIO_CALL_MIXED);
	assert_int_equal(sent(&k, call.queued), 0);
	/* It returns what it queued itself. */
	k.waits--;
	ends(&k, &call, 57);
	assert_int_equal(sent(&k, 0), 57);
}

static void earlier_ones_that_go_on_and_end_in_turns(void **state)
{
	struct socket k = watched(2);
	struct nio_call a = begins(&k), b;

	(void)state;
	k.end += 10;
	waits(&k, &a);
	k.waits--;
	k.end += 1000;
	earlier_waits(&k);
	assert_int_equal(k.s.earlier, 2);
	b = begins(&k);
	assert_int_equal(k.s.beside, 2);
	k.end += 20;
	waits(&k, &b);
	/* One ends, and the other waits on. */
	k.waits--;
	k.end += 300;
	k.waits--;
	k.end += 4000;
	earlier_waits(&k);
	assert_int_equal(k.s.earlier, 1);
	k.waits--;
	k.end += 1;
	ends(&k, &a, 11);
	k.waits--;
	k.end += 50000;
	k.waits--;
	k.end += 2;
	ends(&k, &b, 22);
	assert_int_equal(k.s.earlier, 0);
	assert_int_equal(k.s.beside, 0);
	assert_int_equal(sent(&k, 0), 33);
	assert_int_equal(k.booked, 33);
}

/* Bytes that nobody booked stay to be told while the earlier call still waits. */
static void none_has_ended(void **state)
{
	struct socket k = watched(1);
	struct nio_call call = begins(&k);

	(void)state;
	k.end += 50;
	ends(&k, &call, 40);
	call = begins(&k);
	k.end += 5;
	ends(&k, &call, 5);
	assert_int_equal(sent(&k, 0), 55);
	assert_int_equal(k.booked, 45);
}

/* Interrupted, before it could queue anything: what its looks found is the other's. */
static void a_call_that_queued_nothing(void **state)
{
	struct socket k = watched(1);
	struct nio_call call = begins(&k);

	(void)state;
	waits(&k, &call);
	k.waits--;
	k.end += 26;
	k.waits--;
	waits(&k, &call);
	k.waits--;
	nio_leave_out_of(&k.s, &call, -4, k.s.sent_seen);
	assert_int_equal(sent(&k, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_any_nothing_is_left_out),
		cmocka_unit_test(one_that_ends_unseen_before_a_call_begins),
		cmocka_unit_test(one_that_ends_unseen_while_a_call_waits),
		cmocka_unit_test(the_watching_ends_before_the_call_does),
		cmocka_unit_test(earlier_ones_that_go_on_and_end_in_turns),
		cmocka_unit_test(none_has_ended),
		cmocka_unit_test(a_call_that_queued_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
