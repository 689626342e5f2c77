/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One message in memory: a size cut into fields, each its own allocation; the header in its first
 * bytes; the pattern that --verify fills in and checks. Pure: knows nothing of sockets.
 */
#ifndef LOADGEN_MESSAGE_H
#define LOADGEN_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* u64 sequence number, u64 time of sending (CLOCK_MONOTONIC ns), both little-endian. */
#define MESSAGE_HEADER_SIZE 16

struct message {
	size_t size;
	unsigned int fields;
	struct iovec *iov; /* fields entries; each base its own allocation */
};

/* Bytes of field i: size / fields, the remainder in the last. */
size_t message__field_size(size_t size, unsigned int fields, unsigned int i);

/* -EINVAL when a field would be empty, -ENOMEM. message__clear() takes a zeroed or cleared one. */
int message__init(struct message *m, size_t size, unsigned int fields);
void message__clear(struct message *m);

/* Writes the header across as many fields as it takes. */
void message__put_header(const struct message *m, uint64_t seq, uint64_t stamp);

void header__encode(uint8_t buf[MESSAGE_HEADER_SIZE], uint64_t seq, uint64_t stamp);
void header__decode(const uint8_t buf[MESSAGE_HEADER_SIZE], uint64_t *seq, uint64_t *stamp);

/* Copies the fields one after the other to dst, which has room for m->size bytes. */
void message__gather(const struct message *m, uint8_t *dst);

/* Fills all fields with the pattern of (connection, seq). */
void message__fill(const struct message *m, uint32_t connection, uint64_t seq);

/*
 * The iovecs that remain when the first `done` bytes of iov[n] are sent, written to out[n]. Returns
 * how many: 0 when done covers everything.
 */
unsigned int iov__rest(const struct iovec *iov, unsigned int n, size_t done, struct iovec *out);

/* The pattern: every byte depends on connection, sequence number and offset in the message. */
uint64_t pattern__key(uint32_t connection, uint64_t seq);
void pattern__fill(uint8_t *dst, uint64_t key, size_t offset, size_t len);
size_t pattern__mismatches(const uint8_t *src, uint64_t key, size_t offset, size_t len);

#endif
