/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the map of watched sockets in batches; see state_map.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "bpf/sock_state.h"
#include "common/xalloc.h"
#include "state_map.h"

#define BATCH 1024

/* A batch of the map, and the memory for the records. */
struct batch {
	__u64 *keys;
	char *heads;
	__u32 size;
	size_t room;
};

static void append(struct batch *b, struct loader_records *out, const void *bytes, size_t size)
{
	if (b->room - out->bytes < size) {
		b->room = b->room ? 2 * b->room : 1 << 18;
		out->list = xreallocarray(out->list, b->room, 1);
	}
	memcpy(out->list + out->bytes, bytes, size);
	out->bytes += size;
}

/* An end that is in the ring buffer is taken there; one that no update has marked, next time. */
static bool is_wanted(const struct sock_state *s)
{
	return s->key && s->first_ns &&
	       (!s->closed_ns || ((s->flags & SOCK_STATE_UNSENT) && s->given));
}

static void take(struct batch *b, const char *head, int events_fd, struct loader_records *out)
{
	struct sock_state s = {0};
	struct sock_events e;

	memcpy(&s, head, SOCK_STATE_HEAD);
	if (!is_wanted(&s))
		return;
	s.has_events = s.has_events && !bpf_map_lookup_elem(events_fd, &s.key, &e);
	append(b, out, &s, SOCK_STATE_HEAD);
	if (s.has_events)
		append(b, out, &e, sizeof(e));
}

static void grow(struct batch *b)
{
	b->size = b->size ? 2 * b->size : BATCH;
	b->keys = xreallocarray(b->keys, b->size, sizeof(*b->keys));
	b->heads = xreallocarray(b->heads, b->size, SOCK_STATE_HEAD);
}

int state_map__read(int sockets_fd, int events_fd, struct loader_records *out)
{
	struct batch b = {0};
	__u32 cursor, *from = NULL;
	int err = 0;

	*out = (struct loader_records){0};
	grow(&b);
	while (!err) {
		__u32 nr = b.size, next;

		err = bpf_map_lookup_batch(sockets_fd, from, &next, b.keys, b.heads, &nr, NULL)
			      ? -errno
			      : 0;
		/* A bucket of the hash is larger than the batch. */
		if (err == -ENOSPC) {
			grow(&b);
			err = 0;
			continue;
		}
		for (__u32 i = 0; (!err || err == -ENOENT) && i < nr; i++)
			take(&b, b.heads + (size_t)i * SOCK_STATE_HEAD, events_fd, out);
		cursor = next;
		from = &cursor;
	}
	free(b.keys);
	free(b.heads);
	return err == -ENOENT ? 0 : err;
}
