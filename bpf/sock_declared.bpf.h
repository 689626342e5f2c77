/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What a run adds to the programs of attach: it declares its sockets by their cookies, and wants
 * the sums of their events by side, with the sizes, where no system call is needed to read them.
 */
#ifndef BPF_SOCK_DECLARED_BPF_H
#define BPF_SOCK_DECLARED_BPF_H

#include "kernel.bpf.h"
#include "sock_state.h"

/* The sockets are those of nio_cookies, and no others. */
const volatile bool nio_declared = false;

/* sock_state.declared by cookie. User space fills it, and sets max_entries. */
NIO_MAP(nio_cookies, HASH, 1, 0, __u64, __u32);

/*
 * How many states an event may find by this index, at least as many as there are: the kernel soon
 * uses the address of a closed socket again. Of declared sockets: the place of a state, plus 1, at
 * its index or behind it. So a hit is two loads, where a hash map takes 40 ns.
 */
__u32 nio_socket_known[NIO_KNOWN_NR] __attribute__((aligned(64)));

/* The states of declared sockets, from the first one on. User space sets max_entries. */
NIO_MAP(nio_states, ARRAY, 1, 0, __u32, struct sock_state);

#define NIO_STATE_PROBES 8

__u32 nio_states_nr;

/* A row for each side, per CPU (of_this_cpu()). User space sets max_entries. */
NIO_MAP(nio_seen, ARRAY, 1, BPF_F_MMAPABLE, __u32, struct nio_seen);

static __always_inline struct sock_state *state_declared(const void *sk, __u32 low)
{
	__u32 from = nio_known_index(low);

#pragma unroll
	for (__u32 i = 0; i < NIO_STATE_PROBES; i++) {
		__u32 at = nio_socket_known[(from + i) & (NIO_KNOWN_NR - 1)] - 1;
		struct sock_state *s = bpf_map_lookup_elem(&nio_states, &at);

		if (!s || s->key == (__u64)sk)
			return s;
	}
	return NULL;
}

/* A new state, all 0 but for its key. NULL: no room. Only one CPU makes states. */
static __always_inline struct sock_state *declare_state(const void *sk, __u32 low)
{
	__u32 from = nio_known_index(low), nr = nio_states_nr;
	struct sock_state *s = bpf_map_lookup_elem(&nio_states, &nr);

#pragma unroll
	for (__u32 i = 0; s && i < NIO_STATE_PROBES; i++) {
		__u32 *at = &nio_socket_known[(from + i) & (NIO_KNOWN_NR - 1)];

		if (*at)
			continue;
		__builtin_memset(s, 0, SOCK_STATE_HEAD + sizeof(struct nio_declared_rest));
		s->key = (__u64)sk;
		nio_states_nr = *at = nr + 1;
		return s;
	}
	return NULL;
}

/* The counters of a declared socket's events on this CPU. */
static __always_inline struct sock_events *events_of_side(const struct sock_state *s)
{
	__u32 i = of_this_cpu(NIO_SIDE_NR, s->declared & NIO_DECLARED_RECEIVER);
	struct nio_seen *seen = bpf_map_lookup_elem(&nio_seen, &i);

	return seen ? &seen->events : NULL;
}

/* The rest of the row of events_of_side(); only with nio_declared. */
static __always_inline struct nio_seen *seen_with(struct sock_events *e)
{
	return (struct nio_seen *)e;
}

/*
 * Books one event of a stage that one program feeds, in process context: plainly, as no program
 * interrupts it on its CPU that adds to the same (docs/DESIGN.md, "No update is lost").
 */
static __always_inline void add_declared(struct sock_events *e, __u32 stage, __u64 bytes)
{
	__u64 bucket = bucket_of(bytes);

	if (stage >= NIO_STAGE_NR)
		return;
	e->stages[stage].bytes += bytes;
	e->stages[stage].events++;
	if (bucket < NIO_HIST_BUCKETS)
		seen_with(e)->sizes[stage][bucket]++;
}

#endif
