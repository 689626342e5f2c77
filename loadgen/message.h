/* SPDX-License-Identifier: GPL-2.0-only */
/* One message in memory: header, fields, tag, and the pattern of --verify. */
#ifndef LOADGEN_MESSAGE_H
#define LOADGEN_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * The first bytes of each message: u64 sequence number, u64 time of sending (CLOCK_MONOTONIC, ns),
 * both little-endian.
 */
#define MESSAGE_TAG_SIZE 16

struct message {
	size_t size; /* of header and fields */
	unsigned int iov_nr;
	struct iovec *iov; /* the header, if any, then the fields; each base is an allocation */
};

/* Bytes of field i: size / fields; the last field also has the remainder. */
size_t message__field_size(size_t size, unsigned int fields, unsigned int i);

/* size: of the fields, at least 1 byte each. header: bytes before the fields, or 0. */
void message__init(struct message *m, size_t header, size_t size, unsigned int fields);
void message__clear(struct message *m);

/* The tag may cover the header and several fields. */
void message__put_tag(const struct message *m, uint64_t seq, uint64_t stamp);

void message_tag__encode(uint8_t buf[MESSAGE_TAG_SIZE], uint64_t seq, uint64_t stamp);
void message_tag__decode(const uint8_t buf[MESSAGE_TAG_SIZE], uint64_t *seq, uint64_t *stamp);

/* Copies header and fields to dst, which has m->size bytes. */
void message__gather(const struct message *m, uint8_t *dst);

void message__fill(const struct message *m, uint32_t connection, uint64_t seq);

/* Writes the iovecs after the first `done` bytes of iov[n] to out[n]. Returns their number. */
unsigned int iov__rest(const struct iovec *iov, unsigned int n, size_t done, struct iovec *out);

/*
 * Allocates size bytes, which is not 0, and fills each with `byte`: this avoids page faults and the
 * zero page in the measured phase, and places pages on the caller's NUMA node. Memory of a page or
 * more begins at a page: copies are faster, and fewer pages are pinned. Free with free().
 */
uint8_t *payload__alloc(size_t size, uint8_t byte);

/* Each byte of the pattern depends on connection, sequence number and offset in the message. */
uint64_t pattern__key(uint32_t connection, uint64_t seq);
void pattern__fill(uint8_t *dst, uint64_t key, size_t offset, size_t len);
size_t pattern__mismatches(const uint8_t *src, uint64_t key, size_t offset, size_t len);

#endif
