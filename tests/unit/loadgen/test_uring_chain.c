/* SPDX-License-Identifier: GPL-2.0-only */
/* Which requests a chain has, and what their results add up to. */
#include <errno.h>

#include "loadgen/uring.h"
#include "support/test.h"

#define SIZE 100

/* The results of a chain of three requests of 100 bytes. */
TEST(bytes_of_a_chain_are_those_before_the_first_short_result)
{
	static const struct {
		int32_t results[3];
		ssize_t sum;
	} cases[] = {
		{{100, 100, 100}, 300},
		{{100, 40, -ECANCELED}, 140},
		{{40, -ECANCELED, -ECANCELED}, 40},
		{{100, -EAGAIN, -ECANCELED}, 100},
		{{-EAGAIN, -ECANCELED, -ECANCELED}, -EAGAIN},
		{{-EPIPE, -ECANCELED, -ECANCELED}, -EPIPE},
		{{0, -ECANCELED, -ECANCELED}, 0},
		/* The last request was refused before the first began. */
		{{-ECANCELED, -ECANCELED, -ENOMEM}, -ENOMEM},
		{{-ECANCELED, -ECANCELED, -ECANCELED}, -EIO},
		/* The stream has a gap. */
		{{40, 100, 100}, -EBADE},
		{{-EAGAIN, 100, -ECANCELED}, -EBADE},
		{{-ECANCELED, -ECANCELED, 1}, -EBADE},
	};

	for_each_case(c, cases) {
		struct uring_link links[3] = {{.size = SIZE}, {.size = SIZE}, {.size = SIZE}};
		struct uring_chain chain = {.links = links, .nr = 3, .pending = 3};

		/* In any order. */
		for (unsigned int i = 3; i--;)
			uring_chain__completed(&chain, i, c->results[i]);
		assert_int_equal(chain.pending, 0);
		assert_int_equal(uring_chain__result(&chain), c->sum);
	}
}

/* Of a group of 4 messages, 1 and 40 bytes of the next are sent. */
TEST(chain_continues_at_the_first_byte_that_is_not_sent)
{
	const struct lg_options s = {.workload.size = SIZE};
	struct iovec rest[4 * 2];
	struct sender_conn f = {.options = &s, .depth = 4, .group = 4, .done = 140, .rest = rest};
	struct uring_chain chain;
	struct message m;

	message__init(&m, 0, SIZE, 2);
	uring_chain__open(&chain, &f);
	assert_int_equal(uring_chain__begin(&chain, &f, 4), 1);
	assert_int_equal(chain.nr, 3);
	for (unsigned int i = 0; i < 3; i++) {
		const struct io_uring_sqe r = uring_chain__request(&chain, &f, i, &m);
		const struct iovec *first = chain.links[i].msg.msg_iov;

		assert_int_equal(chain.links[i].size, i ? 100 : 60);
		assert_int_equal(first->iov_len, i ? 50 : 10);
		assert_ptr_equal(first->iov_base, (char *)m.iov[0].iov_base + (i ? 0 : 40));
		assert_int_equal(!!(r.flags & IOSQE_IO_LINK), i < 2);
		assert_int_equal(!!(r.msg_flags & MSG_WAITALL), true);
	}
	assert_int_equal(uring_chain__begin(&chain, &f, 2), 1);
	assert_int_equal(chain.nr, 2);
	uring_chain__close(&chain);
	message__clear(&m);
}
