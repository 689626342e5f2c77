/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict on the sockets of any program. */
#include <string.h>

#include "model/verdict.h"
#include "support/near.h"
#include "support/test.h"

static struct socket_ledger zerocopy_books(uint64_t sends, uint64_t copied)
{
	struct socket_ledger b = {.connections = 1, .zerocopy = 1, .ids = sends};

	b.calls[NIO_CALL_ZEROCOPY] = (struct nio_amount){sends * 65536, sends};
	b.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){sends * 65536, sends};
	b.completed = sends;
	b.copied = copied;
	return b;
}

static const struct verdict *verdict_of(const struct socket_ledger *b)
{
	static struct verdict v;

	verdict__of_sockets(&v, b, true);
	return &v;
}

static void assert_says(const struct verdict *v, const char *what)
{
	if (!strstr(v->text, what))
		fail_msg("'%s' is not in '%s'", what, v->text);
}

TEST(sockets_without_zero_copy_have_no_verdict)
{
	const struct verdict *v = verdict_of(&(struct socket_ledger){.connections = 1});

	assert_string_equal(v->text, "");
	assert_int_equal(v->cause, ZC_CAUSE_NONE);
	assert_false(v->copied_fraction.known);
}

TEST(uncopied_sends_need_no_cause)
{
	struct socket_ledger b = zerocopy_books(100, 0);
	const struct verdict *v = verdict_of(&b);

	assert_int_equal(v->cause, ZC_CAUSE_NOT_COPIED);
	assert_real(v->copied_fraction, 0);
	assert_says(v, "None of 100 zero-copy sends was copied.");
	b.under_xdp = 1;
	v = verdict_of(&b);
	assert_int_equal(v->cause, ZC_CAUSE_UNKNOWN);
	assert_false(v->copied_fraction.known);
	assert_says(v, "The kernel reports none of 100 zero-copy sends as copied, but native XDP");
}

/* 100 zero-copy sends of 64 KiB, of which 36 copied at once, and 5 MB of plain sends. */
TEST(bytes_sent_without_zero_copy_are_those_that_no_zero_copy_call_copied)
{
	struct socket_ledger b = zerocopy_books(100, 0);

	b.stages[NIO_STAGE_TX_PIN].bytes = 64 * 65536;
	b.stages[NIO_STAGE_TX_COPY].bytes = 36 * 65536 + 5000000;
	b.calls[NIO_CALL_PLAIN].bytes = 5000000;
	assert_says(verdict_of(&b), " 5 MB were sent without zero-copy and copied in the");
}

/* Addresses, arrivals and pins show where copies were made. */
TEST(copied_sends_have_the_cause_that_was_seen)
{
	static const struct {
		size_t local;
		uint64_t deferred, pinned;
		enum zc_cause cause;
	} cases[] = {
		{1, 0, 1, ZC_CAUSE_LOCAL},
		{0, 655360, 1, ZC_CAUSE_ARRIVED},
		{0, 0, 0, ZC_CAUSE_NO_SG},
		{0, 0, 1, ZC_CAUSE_UNKNOWN},
	};

	for_each_case(c, cases) {
		struct socket_ledger b = zerocopy_books(10, 10);
		const struct verdict *v;

		b.zerocopy_local = c->local;
		b.stages[NIO_STAGE_DEFERRED_COPY].bytes = c->deferred;
		b.stages[NIO_STAGE_TX_PIN].bytes *= c->pinned;
		v = verdict_of(&b);
		assert_int_equal(v->cause, c->cause);
		assert_int_equal(v->causes_nr, 1);
		assert_says(v, "The kernel reports 10 of 10 zero-copy sends as copied");
	}
}

TEST(no_completions_make_the_cause_depend_on_deferred_copies)
{
	struct socket_ledger b = zerocopy_books(10, 0);
	struct verdict v;

	b.completed = 0;
	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 10 * 65536;
	verdict__of_sockets(&v, &b, false);
	assert_false(v.copied_fraction.known);
	assert_int_equal(v.cause, ZC_CAUSE_ARRIVED);
	assert_says(&v, "does not tell of completions");
}

/* Copies in flight at the end: the bytes seen are a lower bound. */
TEST(unseen_bytes_make_deferred_copies_a_lower_bound)
{
	struct socket_ledger b = zerocopy_books(10, 10);

	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 9 * 65536;
	assert_says(verdict_of(&b), "Of 655 kB pinned, 590 kB were copied later.");
	b.unseen = 65536;
	assert_says(verdict_of(&b), "Of 655 kB pinned, at least 589 kB were copied later.");
}

/* Bytes pinned and copied, others in the same packets, others sent without zero-copy. */
TEST(pinned_and_unpinned_copies_are_named_separately)
{
	struct socket_ledger b = zerocopy_books(100, 100);

	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 30000000;
	b.stages[NIO_STAGE_TX_COPY].bytes = 5000000;
	assert_says(verdict_of(&b), "Of 6.55 MB pinned, 6.55 MB were copied later. Besides, 23.4 "
				    "MB that were not pinned were copied later");
	/* Retransmissions of pinned bytes are no unpinned bytes. */
	b.deferred_again = 20000000;
	assert_says(verdict_of(&b), "20 MB of them were sent again, and copied again. Besides, "
				    "3.45 MB that were not pinned were copied later");
	b.deferred_again = 23446400;
	assert_null(strstr(verdict_of(&b)->text, "Besides"));
	assert_says(verdict_of(&b),
		    "5 MB were sent without zero-copy and copied in the send call.");
	/* A route without scatter-gather copies the zero-copy sends themselves. */
	b.calls[NIO_CALL_ZEROCOPY].bytes += 5000000;
	assert_null(strstr(verdict_of(&b)->text, "without zero-copy"));
}

/* Refused zero-copy is named, with a remedy. */
TEST(refused_zero_copy_has_a_cause_and_a_remedy)
{
	struct socket_ledger b = {.connections = 1, .zc_without_option = 3};

	b.calls[NIO_CALL_ZEROCOPY].events = 3;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_NO_OPTION);
	assert_says(verdict_of(&b), "3 sends with MSG_ZEROCOPY on sockets without SO_ZEROCOPY");
	assert_says(verdict_of(&b), "set SO_ZEROCOPY first");
	b.unwatched = 1;
	assert_says(verdict_of(&b), "About 3 sends with MSG_ZEROCOPY");
	b = (struct socket_ledger){.refused = {[NIO_REFUSAL_ENOBUFS] = 450000}};
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_ENOBUFS);
	assert_says(verdict_of(&b), "450 000 send calls failed with ENOBUFS");
	assert_says(verdict_of(&b), "net.core.optmem_max");
	b = (struct socket_ledger){0};
	b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING] = 8000;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_IO_URING);
	assert_says(verdict_of(&b), "io_uring's SEND_ZC");
}

/* Requests of io_uring have the kernel's report, which is wrong for later ones of a packet. */
TEST(requests_of_io_uring_have_a_verdict_as_far_as_the_kernel_reports)
{
	struct socket_ledger b = {.connections = 1};

	b.calls[NIO_CALL_IO_URING] = b.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){8000, 8};
	b.requests[NIO_REQUEST_NOT_COPIED] = 8;
	b.requests[NIO_REQUEST_MISREPORTED] = 7;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_NOT_COPIED);
	assert_real(verdict_of(&b)->copied_fraction, 0);
	assert_says(verdict_of(&b),
		    "None of 8 zero-copy sends was copied. The program's own flags");
	assert_says(verdict_of(&b), "say that 7 more were copied");
	/* Between windows no message ties a request to its socket. */
	b.unwatched = 1;
	assert_says(verdict_of(&b), "None of 8 seen zero-copy sends was copied.");
	assert_says(verdict_of(&b), "say that at least 7 more were copied");
	b.unwatched = 0;
	b.requests[NIO_REQUEST_COPIED] = 24;
	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 8000;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_ARRIVED);
	assert_real(verdict_of(&b)->copied_fraction, 0.75);
	assert_says(verdict_of(&b), "The kernel reports 24 of 32 zero-copy sends as copied");
	memset(b.requests, 0, sizeof(b.requests));
	b.requests[NIO_REQUEST_UNREPORTED] = 8;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_ARRIVED);
	assert_false(verdict_of(&b)->copied_fraction.known);
	assert_says(verdict_of(&b), "8 zero-copy requests of io_uring ended without a report");
	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 0;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_IO_URING);
	assert_says(verdict_of(&b), "Whether they were copied is not known here");
}

/* One report says nothing of a thousand requests without one. */
TEST(requests_without_a_report_leave_the_fraction_unknown)
{
	struct socket_ledger b = {.connections = 1, .requests = {[NIO_REQUEST_NOT_COPIED] = 1}};

	b.calls[NIO_CALL_IO_URING] = b.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){8000, 8};
	b.requests[NIO_REQUEST_UNREPORTED] = 7;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_IO_URING);
	assert_false(verdict_of(&b)->copied_fraction.known);
	assert_null(strstr(verdict_of(&b)->text, "None"));
	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 7000;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_ARRIVED);
	assert_says(verdict_of(&b), "The kernel reports none of 1 zero-copy send as copied.");
	assert_says(verdict_of(&b), "7 zero-copy requests of io_uring ended without a report");
	assert_says(verdict_of(&b), "Of 8 kB pinned, 7 kB were copied later.");
	b.requests[NIO_REQUEST_COPIED] = 1;
	assert_false(verdict_of(&b)->copied_fraction.known);
	b.unwatched = 1;
	assert_says(verdict_of(&b), "The kernel reports 1 of 2 seen zero-copy sends as copied");
	assert_says(verdict_of(&b), "At least 7 zero-copy requests of io_uring ended");
}

TEST(requests_without_a_report_that_pinned_nothing_were_copied_in_the_call)
{
	struct socket_ledger b = {.connections = 1, .requests = {[NIO_REQUEST_UNREPORTED] = 8}};

	b.calls[NIO_CALL_IO_URING] = b.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){8000, 8};
	for (b.unwatched = 0; b.unwatched < 2; b.unwatched++)
		assert_int_equal(verdict_of(&b)->cause,
				 b.unwatched ? ZC_CAUSE_IO_URING : ZC_CAUSE_NO_SG);
}

/* Services are named if they send in different ways. */
TEST(services_that_send_differently_are_named)
{
	struct verdict_service list[] = {
		{.name = "port 80", .copied.value = 1000, .spliced.value = 2000000},
		{.name = "port 81", .copied.value = 900000, .unknown = 77, .estimate = true},
		{.name = "port 443",
		 .copied.value = 1000,
		 .encrypted = {3000000, 3000000, 3000000}}};
	char text[200] = "";

	verdict__describe_services(text, sizeof(text), list, 3);
	assert_string_equal(text,
			    "Port 80: 2 MB sent by reference (sendfile or splice), port 81: about "
			    "900 kB copied, port 443: 3 MB copied by the cipher of kTLS.");
	list[0].spliced.value = 0;
	text[0] = '\0';
	verdict__describe_services(text, sizeof(text), list, 2);
	assert_string_equal(text, "");
}

TEST(services_that_send_in_two_ways_name_both_and_unseen_bytes_make_them_minimums)
{
	struct verdict_service list[] = {
		{.name = "port 80",
		 .copied.value = 500000,
		 .pinned.value = 500000,
		 .spliced.value = 10},
		{.name = "port 81", .spliced = {900000, 850000, 907700}, .unknown = 7700},
		{.name = "port 82", .unknown = 77}};
	char text[300] = "";

	verdict__describe_services(text, sizeof(text), list, 3);
	assert_string_equal(text,
			    "Port 80: 500 kB copied and 500 kB pinned (zero-copy), port "
			    "81: at least 850 kB sent by reference (sendfile or splice), port 82: "
			    "unknown.");
}

TEST(estimates_of_services_have_their_ends_where_these_are_far_apart)
{
	struct verdict_service list[] = {
		{.name = "port 80", .copied = {900000, 555900, 955100}, .estimate = true},
		{.name = "port 81", .spliced = {900000, 880000, 900000}, .estimate = true},
		{.name = "port 82", .pinned = {8999, 0, 9076}, .unknown = 77}};
	char text[300] = "";

	verdict__describe_services(text, sizeof(text), list, 3);
	assert_string_equal(text, "Port 80: 555 kB to 956 kB copied, port 81: about 900 kB sent by "
				  "reference (sendfile or splice), port 82: an unknown part "
				  "pinned (zero-copy).");
}

/* The calls of these bytes were not seen: no cause is known, and no number is the number pinned. */
TEST(sends_that_were_not_watched_have_no_cause_without_evidence)
{
	struct socket_ledger b = {.socket_tx = 8000,
				  .ids = 4,
				  .completed = 4,
				  .copied = 4,
				  .unwatched = 1,
				  .zerocopy = 1,
				  .pinned_open = 7996};

	b.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){4, 4};
	b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = 7996;
	assert_int_equal(verdict_of(&b)->cause, ZC_CAUSE_UNKNOWN);
	assert_says(verdict_of(&b), "not watched all the time");
	assert_null(strstr(verdict_of(&b)->text, "tap"));
	assert_null(strstr(verdict_of(&b)->text, "pinned"));
	b.stages[NIO_STAGE_DEFERRED_COPY] = (struct nio_amount){6000, 2};
	assert_says(verdict_of(&b), "At least 6 kB were copied later.");
	assert_null(strstr(verdict_of(&b)->text, "Besides"));
}
