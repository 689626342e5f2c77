/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the copies of watched sockets' states in batches; see state_map.h. */
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
	struct sock_state *states;
	__u32 size;
	size_t room;
};

static void append(struct batch *b, struct loader_records *out, const struct sock_state *s)
{
	size_t size = s->has_events ? sizeof(*s) : SOCK_STATE_HEAD;

	if (b->room - out->bytes < size) {
		b->room = b->room ? 2 * b->room : 1 << 18;
		out->list = xreallocarray(out->list, b->room, 1);
	}
	memcpy(out->list + out->bytes, s, size);
	out->bytes += size;
}

static void grow(struct batch *b)
{
	b->size = b->size ? 2 * b->size : BATCH;
	b->keys = xreallocarray(b->keys, b->size, sizeof(*b->keys));
	b->states = xreallocarray(b->states, b->size, sizeof(*b->states));
}

int state_map__drain(int snapshots_fd, struct loader_records *out)
{
	struct batch b = {0};
	__u32 cursor, *from = NULL;
	int err = 0;

	*out = (struct loader_records){0};
	grow(&b);
	while (!err) {
		__u32 nr = b.size, next;

		err = bpf_map_lookup_and_delete_batch(snapshots_fd, from, &next, b.keys, b.states,
						      &nr, NULL)
			      ? -errno
			      : 0;
		/* A bucket of the hash is larger than the batch. */
		if (err == -ENOSPC) {
			grow(&b);
			err = 0;
			continue;
		}
		for (__u32 i = 0; (!err || err == -ENOENT) && i < nr; i++)
			append(&b, out, &b.states[i]);
		cursor = next;
		from = &cursor;
	}
	free(b.keys);
	free(b.states);
	return err == -ENOENT ? 0 : err;
}
