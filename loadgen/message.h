/* SPDX-License-Identifier: GPL-2.0-only */
/* One message in memory: fields, header, and the pattern of --verify. */
#ifndef LOADGEN_MESSAGE_H
#define LOADGEN_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* u64 sequence number, u64 time of sending (CLOCK_MONOTONIC, ns), both little-endian. */
#define MESSAGE_HEADER_SIZE 16

struct message {
	size_t size;
	unsigned int fields;
	struct iovec *iov; /* one for each field; each base is an allocation */
};

/* Bytes of field i: size / fields; the last field has the remainder, too. */
size_t message__field_size(size_t size, unsigned int fields, unsigned int i);

/* 0; -EINVAL if a field would be empty; -ENOMEM. message__clear() also accepts a zeroed message. */
int message__init(struct message *m, size_t size, unsigned int fields);
void message__clear(struct message *m);

/* The header may cover several fields. */
void message__put_header(const struct message *m, uint64_t seq, uint64_t stamp);

void header__encode(uint8_t buf[MESSAGE_HEADER_SIZE], uint64_t seq, uint64_t stamp);
void header__decode(const uint8_t buf[MESSAGE_HEADER_SIZE], uint64_t *seq, uint64_t *stamp);

/* Copies all fields to dst, which has m->size bytes. */
void message__gather(const struct message *m, uint8_t *dst);

void message__fill(const struct message *m, uint32_t connection, uint64_t seq);

/* Writes the iovecs after the first `done` bytes of iov[n] to out[n]. Returns their number. */
unsigned int iov__rest(const struct iovec *iov, unsigned int n, size_t done, struct iovec *out);

/* Each byte of the pattern depends on connection, sequence number and offset in the message. */
uint64_t pattern__key(uint32_t connection, uint64_t seq);
void pattern__fill(uint8_t *dst, uint64_t key, size_t offset, size_t len);
size_t pattern__mismatches(const uint8_t *src, uint64_t key, size_t offset, size_t len);

#endif
