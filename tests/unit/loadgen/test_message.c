/* SPDX-License-Identifier: GPL-2.0-only */
/* Layout of messages, the pattern, the rest after a partial send, and the receiver's parser. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/splitmix.h"
#include "loadgen/message.h"
#include "loadgen/rx_parser.h"
#include "support/test.h"

TEST(last_field_has_the_remainder)
{
	assert_int_equal(message__field_size(65536, 8, 0), 8192);
	assert_int_equal(message__field_size(100, 8, 0), 12);
	assert_int_equal(message__field_size(100, 8, 6), 12);
	assert_int_equal(message__field_size(100, 8, 7), 16);
	assert_int_equal(message__field_size(64, 64, 63), 1);
	assert_int_equal(message__field_size(65, 64, 63), 2);
	assert_int_equal(message__field_size(777, 1, 0), 777);
}

/* Fields of a page or more have pages of their own: pinning one pins no other data. */
TEST(fields_of_a_page_or_more_are_page_aligned)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct message m;

	message__init(&m, 0, 4 * page + 7, 4);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal((uintptr_t)m.iov[i].iov_base % page, 0);
	message__clear(&m);
}

/* Small fields share pages: a page each would take 1 GB for 4096 connections of 64 fields. */
TEST(small_fields_share_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int inside = 0;
	struct message m;

	message__init(&m, 0, 64 * 16, 64);
	for (unsigned int i = 0; i < 64; i++)
		inside += (uintptr_t)m.iov[i].iov_base % page != 0;
	assert_in_range(inside, 60, 64);
	message__clear(&m);
}

TEST(each_byte_of_a_payload_is_written)
{
	static const size_t sizes[] = {1, 4095, 4096, 4097, 1 << 20};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		uint8_t *payload = payload__alloc(sizes[i], 'x');

		assert_non_null(payload);
		for (size_t b = 0; b < sizes[i]; b++)
			assert_int_equal(payload[b], 'x');
		free(payload);
	}
}

/* The tag spans two of 8 fields, and sixteen of 64. */
TEST(tag_that_spans_fields_is_little_endian_in_order)
{
	static const unsigned int fields[] = {1, 3, 4, 5, 8, 64};
	uint64_t seq, stamp;
	uint8_t flat[64];
	struct message m;
	size_t i;

	for (i = 0; i < ARRAY_LEN(fields); i++) {
		message__init(&m, 0, 64, fields[i]);
		message__put_tag(&m, 0x0102030405060708, 0x1112131415161718);
		message__gather(&m, flat);
		message_tag__decode(flat, &seq, &stamp);
		assert_true(seq == 0x0102030405060708 && stamp == 0x1112131415161718);
		/* little-endian in the stream */
		assert_int_equal(flat[0], 0x08);
		assert_int_equal(flat[8], 0x18);
		message__clear(&m);
	}
}

/* Both machines generate the same: SplitMix64 from the key, each number with its low byte first. */
TEST(pattern_is_splitmix64_from_its_key)
{
	uint64_t key = splitmix__mix(17 + splitmix__mix(4));
	uint64_t next = key - 0x9e3779b97f4a7c15ULL;
	uint8_t data[64];

	assert_true(pattern__key(3, 17) == key);
	pattern__fill(data, key, 0, sizeof(data));
	for (size_t i = 0; i < sizeof(data); i += 8) {
		uint64_t word = splitmix__next(&next);

		for (unsigned int b = 0; b < 8; b++)
			assert_int_equal(data[i + b], word >> (8 * b) & 0xff);
	}
}

TEST(wrong_byte_key_or_offset_is_a_mismatch)
{
	uint64_t key = pattern__key(0, 0);
	uint8_t data[100];
	size_t i;

	pattern__fill(data, key, 5, sizeof(data));
	assert_int_equal(pattern__mismatches(data, key, 5, sizeof(data)), 0);
	for (i = 0; i < sizeof(data); i++) {
		data[i] ^= 1;
		assert_int_equal(pattern__mismatches(data, key, 5, sizeof(data)), 1);
		data[i] ^= 1;
	}
	/* another connection, message, offset */
	assert_true(pattern__mismatches(data, pattern__key(1, 0), 5, sizeof(data)) > 50);
	assert_true(pattern__mismatches(data, pattern__key(0, 1), 5, sizeof(data)) > 50);
	assert_true(pattern__mismatches(data, key, 6, sizeof(data)) > 50);
	assert_true(pattern__mismatches(data, key, 13, sizeof(data)) > 50);
}

TEST(header_and_any_number_of_fields_give_the_same_bytes)
{
	static const size_t headers[] = {0, 1, 15, 16, 100};
	uint8_t expected[200], flat[200];
	uint64_t seq, stamp;
	struct message m;

	for (unsigned int n = 0; n < 64 * ARRAY_LEN(headers); n++) {
		size_t header = headers[n / 64];
		unsigned int fields = 1 + n % 64;

		message__init(&m, header, 77, fields);
		assert_int_equal(m.size, header + 77);
		assert_int_equal(m.iov_nr, fields + (header > 0));
		assert_int_equal(m.iov[0].iov_len,
				 header ? header : message__field_size(77, fields, 0));
		message__fill(&m, 3, 17);
		message__put_tag(&m, 5, 6);
		message__gather(&m, flat);
		pattern__fill(expected, pattern__key(3, 17), 0, m.size);
		message_tag__encode(expected, 5, 6);
		assert_memory_equal(flat, expected, m.size);
		message_tag__decode(flat, &seq, &stamp);
		assert_true(seq == 5 && stamp == 6);
		message__clear(&m);
	}
}

/* The remaining iovecs, concatenated, equal the end of the message. */
TEST(rest_of_iovecs_is_the_end_of_the_message_after_any_byte)
{
	uint8_t flat[100], got[100];
	struct iovec rest[8];
	struct message m;
	size_t done, at;
	unsigned int i, n;

	message__init(&m, 0, sizeof(flat), 8);
	message__fill(&m, 0, 0);
	message__gather(&m, flat);
	for (done = 0; done <= sizeof(flat); done++) {
		n = iov__rest(m.iov, m.iov_nr, done, rest);
		for (i = 0, at = 0; i < n; at += rest[i].iov_len, i++)
			memcpy(got + at, rest[i].iov_base, rest[i].iov_len);
		assert_int_equal(at, sizeof(flat) - done);
		assert_memory_equal(got, flat + done, at);
	}
	assert_int_equal(iov__rest(m.iov, m.iov_nr, sizeof(flat), rest), 0);
	message__clear(&m);
}

#define MESSAGES 5
#define SIZE     100

static void make_stream(uint8_t data[MESSAGES * SIZE], uint32_t connection)
{
	uint64_t i;

	for (i = 0; i < MESSAGES; i++) {
		pattern__fill(data + i * SIZE, pattern__key(connection, i), 0, SIZE);
		message_tag__encode(data + i * SIZE, i, 1000 + i);
	}
}

/* The messages found do not depend on the sizes of the pieces. */
TEST(messages_are_counted_however_the_bytes_are_cut)
{
	uint8_t data[MESSAGES * SIZE];
	struct rx_parser s;
	struct counters t;
	size_t step, at;

	make_stream(data, 7);
	counters__init(&t);
	for (step = 1; step <= sizeof(data); step++) {
		counters__reset(&t);
		rx_parser__init(&s, 7, SIZE, true, true);
		for (at = 0; at < sizeof(data); at += step) {
			size_t n = sizeof(data) - at < step ? sizeof(data) - at : step;

			rx_parser__feed(&s, &t, data + at, n, 5000);
		}
		assert_int_equal(t.messages, MESSAGES);
		assert_int_equal(t.bytes, sizeof(data));
		assert_int_equal(t.verify_errors, 0);
		assert_int_equal(t.hist[COUNTERS_DELIVERY]->count, MESSAGES);
		assert_int_equal(t.hist[COUNTERS_DELIVERY]->max, 4000);
		assert_int_equal(t.hist[COUNTERS_DELIVERY]->min, 3996);
	}
	counters__clear(&t);
}

static uint64_t errors_of(const uint8_t *data, size_t len, bool verify)
{
	struct rx_parser s;
	struct counters t;
	uint64_t errors;

	counters__init(&t);
	rx_parser__init(&s, 7, SIZE, verify, true);
	rx_parser__feed(&s, &t, data, len, 5000);
	errors = t.verify_errors;
	counters__clear(&t);
	return errors;
}

TEST(wrong_byte_needs_verify_but_a_wrong_number_is_always_found)
{
	uint8_t data[MESSAGES * SIZE];
	size_t i;

	make_stream(data, 7);
	for (i = 16; i < SIZE; i++) {
		data[2 * SIZE + i] ^= 0x80;
		assert_int_equal(errors_of(data, sizeof(data), true), 1);
		assert_int_equal(errors_of(data, sizeof(data), false), 0);
		data[2 * SIZE + i] ^= 0x80;
	}
	/* sequence numbers are checked even without --verify */
	data[SIZE] ^= 1;
	assert_int_equal(errors_of(data, sizeof(data), false), 1);
	data[SIZE] ^= 1;
	/* bytes of another connection, and a lost byte */
	make_stream(data, 8);
	assert_int_equal(errors_of(data, sizeof(data), true), MESSAGES);
	make_stream(data, 7);
	assert_true(errors_of(data + 1, sizeof(data) - 1, true) == MESSAGES - 1);
}

TEST(stamps_of_0_the_future_or_another_clock_are_not_delivery_times)
{
	uint8_t data[MESSAGES * SIZE];
	struct rx_parser s;
	struct counters t;

	make_stream(data, 7);
	message_tag__encode(data, 0, 0);
	message_tag__encode(data + SIZE, 1, 5001);
	counters__init(&t);
	rx_parser__init(&s, 7, SIZE, false, true);
	rx_parser__feed(&s, &t, data, sizeof(data), 5000);
	assert_int_equal(t.bad_stamps, 2);
	assert_int_equal(t.hist[COUNTERS_DELIVERY]->count, MESSAGES - 2);
	/* stamps of another machine's clock are ignored */
	counters__reset(&t);
	rx_parser__init(&s, 7, SIZE, false, false);
	rx_parser__feed(&s, &t, data, sizeof(data), 5000);
	assert_int_equal(t.foreign_stamps, MESSAGES);
	assert_int_equal(t.hist[COUNTERS_DELIVERY]->count, 0);
	counters__clear(&t);
}
