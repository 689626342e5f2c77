/* SPDX-License-Identifier: GPL-2.0-only */
/* Ids of zero-copy sends, decoding of notifications, and the number of slots. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <linux/errqueue.h>
#include <netinet/in.h>

#include "loadgen/zc_completion.h"
#include "common/mode.h"
#include "support/test.h"

static unsigned int seen[ZC_IDS_MAX];

static void count(uint16_t slot, void *arg)
{
	(void)arg;
	seen[slot]++;
}

static int complete(struct zc_ids *z, uint32_t lo, uint32_t hi)
{
	return zc_ids__complete(z, lo, hi, count, NULL);
}

static void start_at(struct zc_ids *z, uint32_t id, unsigned int sends)
{
	unsigned int i;

	zc_ids__init(z);
	z->first = z->next = id;
	memset(seen, 0, sizeof(seen));
	for (i = 0; i < sends; i++)
		zc_ids__sent(z, (uint16_t)i);
}

TEST(ids_complete_in_any_order)
{
	struct zc_ids z;

	start_at(&z, 0, 10);
	assert_int_equal(complete(&z, 5, 7), 0);
	assert_true(z.outstanding == 7 && z.first == 0);
	assert_int_equal(complete(&z, 0, 4), 0);
	assert_int_equal(z.first, 8);
	assert_int_equal(complete(&z, 8, 9), 0);
	assert_true(z.outstanding == 0 && z.first == 10);
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(seen[i], 1);
}

TEST(ids_wrap_after_2_32)
{
	struct zc_ids z;
	unsigned int i;

	start_at(&z, UINT32_MAX - 2, 6);
	assert_int_equal(z.next, 3);
	assert_int_equal(complete(&z, UINT32_MAX - 1, 1), 0);
	assert_int_equal(z.outstanding, 2);
	assert_int_equal(complete(&z, UINT32_MAX - 2, UINT32_MAX - 2), 0);
	assert_int_equal(z.first, 2);
	assert_int_equal(complete(&z, 2, 2), 0);
	for (i = 0; i < 6; i++)
		assert_int_equal(seen[i], 1);
}

/* Ids that were never sent, or have completed, change nothing. */
TEST(ids_that_are_not_outstanding_are_refused)
{
	static const struct {
		uint32_t lo, hi;
	} ranges[] = {{99, 99}, {104, 104}, {102, 104}, {99, 101}, {103, 100}, {0, UINT32_MAX}};
	struct zc_ids z;

	start_at(&z, 100, 4);
	for_each_case(r, ranges)
		assert_int_equal(complete(&z, r->lo, r->hi), -EPROTO);
	assert_int_equal(z.outstanding, 4);
	assert_int_equal(complete(&z, 101, 102), 0);
	assert_int_equal(complete(&z, 102, 103), -EPROTO);
	assert_int_equal(complete(&z, 101, 101), -EPROTO);
	assert_int_equal(z.outstanding, 2);
	assert_int_equal(seen[3], 0);
}

TEST(ring_of_4096_ids_is_full_until_the_oldest_completes)
{
	struct zc_ids z;

	start_at(&z, UINT32_MAX - 5, ZC_IDS_MAX);
	assert_true(zc_ids__full(&z));
	/* A hole at the beginning keeps the ring full: the window cannot move. */
	assert_int_equal(complete(&z, UINT32_MAX - 4, UINT32_MAX - 4), 0);
	assert_true(zc_ids__full(&z));
	assert_int_equal(complete(&z, UINT32_MAX - 5, UINT32_MAX - 5), 0);
	assert_false(zc_ids__full(&z));
	assert_int_equal(complete(&z, UINT32_MAX - 3, UINT32_MAX - 6 + ZC_IDS_MAX), 0);
	assert_int_equal(z.outstanding, 0);
}

struct record {
	union {
		char buf[CMSG_SPACE(sizeof(struct sock_extended_err))];
		struct cmsghdr align;
	} control;
	struct msghdr msg;
};

static struct sock_extended_err *record__make(struct record *r, int level, int type)
{
	struct cmsghdr *c;

	memset(r, 0, sizeof(*r));
	r->msg.msg_control = r->control.buf;
	r->msg.msg_controllen = sizeof(r->control.buf);
	c = CMSG_FIRSTHDR(&r->msg);
	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(sizeof(struct sock_extended_err));
	return (struct sock_extended_err *)CMSG_DATA(c);
}

TEST(notifications_of_IPv4_and_IPv6_are_decoded)
{
	static const int kinds[2][2] = {{SOL_IP, IP_RECVERR}, {SOL_IPV6, IPV6_RECVERR}};
	struct sock_extended_err *ee;
	struct zc_notice n;
	struct record r;
	int i;

	for (i = 0; i < 2; i++) {
		ee = record__make(&r, kinds[i][0], kinds[i][1]);
		ee->ee_origin = SO_EE_ORIGIN_ZEROCOPY;
		ee->ee_info = 5;
		ee->ee_data = 9;
		assert_int_equal(errqueue__decode(&r.msg, &n), 0);
		assert_int_equal(n.lo, 5);
		assert_int_equal(n.hi, 9);
		assert_false(n.copied);
		ee->ee_code = SO_EE_CODE_ZEROCOPY_COPIED;
		assert_int_equal(errqueue__decode(&r.msg, &n), 0);
		assert_true(n.copied);
	}
}

TEST(other_records_are_skipped_and_malformed_ones_refused)
{
	struct sock_extended_err *ee;
	struct zc_notice n;
	struct record r;

	ee = record__make(&r, SOL_IP, IP_RECVERR);
	ee->ee_origin = SO_EE_ORIGIN_ICMP;
	assert_int_equal(errqueue__decode(&r.msg, &n), -ENOMSG);
	ee->ee_origin = SO_EE_ORIGIN_ZEROCOPY;
	ee->ee_errno = ENOMEM;
	assert_int_equal(errqueue__decode(&r.msg, &n), -EPROTO);
	ee->ee_errno = 0;
	CMSG_FIRSTHDR(&r.msg)->cmsg_len -= 1;
	assert_int_equal(errqueue__decode(&r.msg, &n), -EPROTO);
	CMSG_FIRSTHDR(&r.msg)->cmsg_len += 1;
	r.msg.msg_flags = MSG_CTRUNC;
	assert_int_equal(errqueue__decode(&r.msg, &n), -EPROTO);
	record__make(&r, SOL_SOCKET, SCM_TIMESTAMP);
	assert_int_equal(errqueue__decode(&r.msg, &n), -ENOMSG);
	r.msg.msg_controllen = 0;
	assert_int_equal(errqueue__decode(&r.msg, &n), -ENOMSG);
}

TEST(slots_are_2_to_1024_and_within_256_MiB)
{
	unsigned int threads, n;
	uint64_t size;

	assert_int_equal(mode__slots(64, 1, 1), 1024);
	assert_int_equal(mode__slots(65536, 1, 1), 64);
	assert_int_equal(mode__slots(16 << 20, 1, 1), 2);
	assert_int_equal(mode__slots(65536, 256, 1), 16);
	/* Two for each message that is sent together. */
	assert_int_equal(mode__slots(65536, 1, 8), 64);
	assert_int_equal(mode__slots(1 << 20, 64, 8), 16);
	for (threads = 1; threads <= 256; threads++) {
		for (size = 64; size <= 16 << 20; size *= 2) {
			n = mode__slots(size, threads, 1);
			assert_in_range(n, 2, 1024);
			assert_in_range(mode__slot_batch(n), 1, n);
			assert_true(n == 2 || n * size * threads <= 256 << 20);
		}
	}
}
