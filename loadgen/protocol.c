/* SPDX-License-Identifier: GPL-2.0-only */
/* Encodes, decodes and checks hellos and frames. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "clock.h"
#include "protocol.h"

#define PROTOCOL_MAGIC_HELLO   0x4e494f48u /* "NIOH" */
#define PROTOCOL_MAGIC_FRAME   0x4e494f46u /* "NIOF" */
#define PROTOCOL_VERSION       2
#define PROTOCOL_FLAG_VERIFY   1u
#define PROTOCOL_FLAG_REPLY    2u
#define PROTOCOL_FLAG_UNTAGGED 4u
/* enum receive; older receivers know 0 only. */
#define PROTOCOL_WAY_SHIFT 3
#define PROTOCOL_WAY_BITS  3
#define PROTOCOL_WAY_MASK  ((1u << PROTOCOL_WAY_BITS) - 1)
/* Older receivers close the connection. */
#define PROTOCOL_FLAG_ENCRYPTED (1u << (PROTOCOL_WAY_SHIFT + PROTOCOL_WAY_BITS))
#define PROTOCOL_FLAG_TLS_1_2   (2 * PROTOCOL_FLAG_ENCRYPTED)
#define PROTOCOL_FLAGS          (2 * PROTOCOL_FLAG_TLS_1_2 - 1)

_Static_assert(RECEIVE_NR <= 1 << PROTOCOL_WAY_BITS, "the flags have bits for each way");

struct hello_bytes {
	uint32_t magic;
	uint16_t version;
	uint16_t kind;
	uint8_t token[PROTOCOL_TOKEN_SIZE];
	uint8_t clock_id[PROTOCOL_TOKEN_SIZE];
	uint32_t index;
	uint32_t connections;
	uint32_t size;
	uint16_t flags;
	uint16_t threads;
	uint64_t stamp;
};

struct frame_bytes {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t index;
	uint32_t phase;
	uint64_t messages;
	uint64_t bytes;
};

_Static_assert(sizeof(struct hello_bytes) == PROTOCOL_HELLO_SIZE, "hello layout");
_Static_assert(sizeof(struct frame_bytes) == PROTOCOL_FRAME_SIZE, "frame layout");

void protocol__encode_hello(uint8_t buf[PROTOCOL_HELLO_SIZE], const struct protocol_hello *h)
{
	struct hello_bytes b = {
		.magic = htobe32(PROTOCOL_MAGIC_HELLO),
		.version = htobe16(PROTOCOL_VERSION),
		.kind = htobe16((uint16_t)h->kind),
		.index = htobe32(h->index),
		.connections = htobe32(h->connections),
		.size = htobe32(h->size),
		.flags = htobe16((h->verify ? PROTOCOL_FLAG_VERIFY : 0) |
				 (h->replies ? PROTOCOL_FLAG_REPLY : 0) |
				 (h->untagged ? PROTOCOL_FLAG_UNTAGGED : 0) |
				 (h->encrypted ? PROTOCOL_FLAG_ENCRYPTED : 0) |
				 (h->tls == WORKLOAD_TLS_1_2 ? PROTOCOL_FLAG_TLS_1_2 : 0) |
				 (unsigned int)h->receive << PROTOCOL_WAY_SHIFT),
		.threads = htobe16((uint16_t)h->threads),
		.stamp = htobe64(h->stamp),
	};

	memcpy(b.token, h->token, sizeof(b.token));
	memcpy(b.clock_id, h->clock_id, sizeof(b.clock_id));
	memcpy(buf, &b, sizeof(b));
}

static int hello__check(const struct protocol_hello *h)
{
	if (h->kind != PROTOCOL_CONTROL && h->kind != PROTOCOL_DATA)
		return -ERANGE;
	if (h->connections < 1 || h->connections > LIMIT_CONNECTIONS_MAX ||
	    h->index >= h->connections)
		return -ERANGE;
	if (h->threads < 1 || h->threads > LIMIT_THREADS_MAX || h->threads > h->connections)
		return -ERANGE;
	if (h->size < LIMIT_SIZE_MIN || h->size > LIMIT_SIZE_MAX)
		return -ERANGE;
	if (h->receive >= RECEIVE_NR)
		return -ERANGE;
	/* One key, of one direction; see mode__conflict(). */
	if (h->encrypted && (h->replies || h->receive != RECEIVE_RECV))
		return -ERANGE;
	if (h->tls && !h->encrypted)
		return -ERANGE;
	/* Both need the tag. */
	if (h->untagged || receive__has(h->receive, RECEIVE_HIDES))
		return h->verify || h->replies ? -ERANGE : 0;
	return 0;
}

int protocol__decode_hello(const uint8_t buf[PROTOCOL_HELLO_SIZE], struct protocol_hello *h)
{
	struct protocol_hello out = {0};
	struct hello_bytes b;
	int err;

	memcpy(&b, buf, sizeof(b));
	if (be32toh(b.magic) != PROTOCOL_MAGIC_HELLO)
		return -EPROTO;
	if (be16toh(b.version) != PROTOCOL_VERSION)
		return -EPROTONOSUPPORT;
	if (be16toh(b.flags) & ~PROTOCOL_FLAGS)
		return -ERANGE;
	out.kind = be16toh(b.kind);
	out.index = be32toh(b.index);
	out.connections = be32toh(b.connections);
	out.threads = be16toh(b.threads);
	out.size = be32toh(b.size);
	out.stamp = be64toh(b.stamp);
	out.verify = be16toh(b.flags) & PROTOCOL_FLAG_VERIFY;
	out.replies = be16toh(b.flags) & PROTOCOL_FLAG_REPLY;
	out.untagged = be16toh(b.flags) & PROTOCOL_FLAG_UNTAGGED;
	out.receive = be16toh(b.flags) >> PROTOCOL_WAY_SHIFT & PROTOCOL_WAY_MASK;
	out.encrypted = be16toh(b.flags) & PROTOCOL_FLAG_ENCRYPTED;
	if (be16toh(b.flags) & PROTOCOL_FLAG_TLS_1_2)
		out.tls = WORKLOAD_TLS_1_2;
	memcpy(out.token, b.token, sizeof(out.token));
	memcpy(out.clock_id, b.clock_id, sizeof(out.clock_id));
	err = hello__check(&out);
	if (err)
		return err;
	*h = out;
	return 0;
}

void protocol__encode_frame(uint8_t buf[PROTOCOL_FRAME_SIZE], const struct protocol_frame *f)
{
	struct frame_bytes b = {
		.magic = htobe32(PROTOCOL_MAGIC_FRAME),
		.version = htobe16(PROTOCOL_VERSION),
		.type = htobe16((uint16_t)f->type),
		.index = htobe32(f->index),
		.phase = htobe32(f->phase),
		.messages = htobe64(f->messages),
		.bytes = htobe64(f->bytes),
	};

	memcpy(buf, &b, sizeof(b));
}

void protocol__put_bytes(struct protocol_frame *f, const uint8_t bytes[PROTOCOL_TOKEN_SIZE])
{
	uint64_t half[2];

	memcpy(half, bytes, sizeof(half));
	f->messages = be64toh(half[0]);
	f->bytes = be64toh(half[1]);
}

void protocol__get_bytes(uint8_t bytes[PROTOCOL_TOKEN_SIZE], const struct protocol_frame *f)
{
	const uint64_t half[2] = {htobe64(f->messages), htobe64(f->bytes)};

	memcpy(bytes, half, sizeof(half));
}

int protocol__decode_frame(const uint8_t buf[PROTOCOL_FRAME_SIZE], struct protocol_frame *f)
{
	struct frame_bytes b;

	memcpy(&b, buf, sizeof(b));
	if (be32toh(b.magic) != PROTOCOL_MAGIC_FRAME)
		return -EPROTO;
	if (be16toh(b.version) != PROTOCOL_VERSION)
		return -EPROTONOSUPPORT;
	if (be16toh(b.type) < PROTOCOL_WELCOME || be16toh(b.type) >= PROTOCOL_TYPE_END)
		return -ERANGE;
	f->type = be16toh(b.type);
	f->index = be32toh(b.index);
	f->phase = be32toh(b.phase);
	f->messages = be64toh(b.messages);
	f->bytes = be64toh(b.bytes);
	return 0;
}

#define BIT(type) (1U << PROTOCOL_##type)

static const struct {
	const char *name;
	unsigned int takes;   /* frames of the peer, a bit for each type */
	unsigned int limit_s; /* without progress; 0: none */
} states[] = {
	[SENDER_GREETING] = {"before WELCOME", BIT(WELCOME) | BIT(REFUSE), 5},
	[SENDER_CONNECTING] = {"before READY", BIT(READY) | BIT(REFUSE), 30},
	[SENDER_READY] = {"between phases", BIT(STOP), 0},
	[SENDER_QUIESCED] = {"between phases", BIT(STOP), 0},
	[SENDER_ASKING] = {"before PHASE_OK", BIT(PHASE_OK) | BIT(STOP), 30},
	[SENDER_SENDING] = {"before the totals of a phase", BIT(STOP), 0},
	[SENDER_SETTLING] = {"before CONFIRM",
			     BIT(MOVING) | BIT(ELAPSED) | BIT(CONFIRM) | BIT(STOP), 30},
	[SENDER_DONE] = {"after the last CONFIRM", 0, 0},
	[RECEIVER_LISTENING] = {"before READY", 0, 0},
	[RECEIVER_WAITING] = {"between phases", BIT(PROOF) | BIT(PHASE), 30},
	[RECEIVER_HELD] = {"before PHASE_OK", 0, 30},
	[RECEIVER_READING] = {"in a phase", BIT(TOTAL), 30},
	[RECEIVER_SETTLING] = {"after its totals", 0, 30},
	[RECEIVER_DONE] = {"after the last CONFIRM", 0, 5},
};

bool protocol__accepts(enum protocol_state state, enum protocol_type type)
{
	return states[state].takes & 1U << type;
}

uint64_t protocol__limit_ns(enum protocol_state state)
{
	return states[state].limit_s * NS_PER_SEC;
}

const char *protocol__state_name(enum protocol_state state)
{
	return states[state].name;
}

const char *protocol__type_name(enum protocol_type type)
{
	static const char *const names[PROTOCOL_TYPE_END] = {
#define X(name) [PROTOCOL_##name] = #name,
		PROTOCOL_TYPES(X)
#undef X
	};

	return type < PROTOCOL_TYPE_END && names[type] ? names[type] : "?";
}

/* Bytes in flight on one connection: 1 GiB of window, 2 GiB of buffer (tcp(7), socket(7)). */
#define IN_FLIGHT_MAX (4ULL << 30)

bool protocol__plausible(const struct protocol_frame *total, uint32_t size, uint64_t read_bytes)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(total->messages, (uint64_t)size, &bytes) ||
	    bytes != total->bytes)
		return false;
	return bytes < read_bytes || bytes - read_bytes <= IN_FLIGHT_MAX;
}

bool protocol__possible(const struct protocol_phase *p)
{
	uint64_t most = p->confirmed_ns - p->asked_ns, least = 0;

	if (!p->bytes)
		return !p->elapsed_ns;
	if (p->last_call_ns > p->begun_ns)
		least = p->last_call_ns - p->begun_ns;
	least -= least / 100;
	if (least < p->bytes / PROTOCOL_BYTES_PER_NS + 1)
		least = p->bytes / PROTOCOL_BYTES_PER_NS + 1;
	return p->elapsed_ns >= least && p->elapsed_ns <= most + most / 100;
}
