/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The sockets and tasks that attach watches: the maps, who is turned away first, and how a socket
 * is taken in at its first use. What events mean is in attach_stages.bpf.h.
 */
#ifndef NETIOTRACE_ATTACH_STREAMS_BPF_H
#define NETIOTRACE_ATTACH_STREAMS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>

#include "streams.h"
#include "kernel.bpf.h"
#include "pidns.bpf.h"
#include "started.bpf.h"

#define AF_INET     2
#define AF_INET6    10
#define IPPROTO_TCP 6
#define SOCK_DONE   1 /* a FIN was received: enum sock_flags */

/* User space sets max_entries. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct nio_stream);
} nio_streams SEC(".maps");

/* An entry of zeroes: one is too large for a program's stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nio_stream);
} nio_blank SEC(".maps");

/* Sockets that found no room, so that each is counted once however often it is used. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, NIO_LEFT_OUT_MAX);
	__type(key, __u64);
	__type(value, __u32);
} nio_left_out SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NIO_TASKS_MAX);
	__type(key, __u32);
	__type(value, struct nio_task);
} nio_tasks SEC(".maps");

/* Made only where it is asked for. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} nio_cgroups SEC(".maps");

__u8 nio_stream_known[NIO_KNOWN_NR];
__u8 nio_task_known[NIO_KNOWN_NR];
__u8 nio_ports[NIO_KNOWN_NR]; /* 1: watched, local or remote */
struct nio_attach_loss nio_attach_losses;
bool nio_armed;        /* user space has taken in the sockets that exist */
__u32 nio_over;        /* enum nio_over */
bool nio_any_pinned;   /* a watched socket sends with MSG_ZEROCOPY */
bool nio_any_unpushed; /* a watched socket sends pages whose calls have no tcp_push */

/* What is asked for. */
const volatile bool nio_by_task = false; /* tasks in nio_tasks, and those that these filters add: */
const volatile bool nio_by_port = false; /* alone: any task; with by_task: both must hold */
const volatile bool nio_follow_children = false;
const volatile bool nio_by_cgroup = false; /* tasks below that of nio_cgroups */
const volatile __u32 nio_comms_nr = 0;
const volatile char nio_comms[NIO_COMMS_MAX][16] = {};
const volatile __u32 nio_own_tgid = 0; /* the collector's */
const volatile bool nio_told = false;  /* messages are seen, before their bytes leave */
/* Tracing programs may ask for cookies: since Linux 5.12. */
const volatile bool nio_may_adopt = false;
/* Completions are seen as the kernel ends sends: notifications tell nothing new. */
const volatile bool nio_completions = false;

static __always_inline bool ends_are_over(void)
{
	return nio_over != NIO_OVER_NOTHING;
}

static __always_inline bool all_is_over(void)
{
	return nio_over == NIO_OVER_ALL;
}

static __always_inline void add_to(__u64 *sum, __u64 value)
{
	__sync_fetch_and_add(sum, value);
}

static __always_inline void add_amount(struct nio_amount *a, __u64 bytes)
{
	add_to(&a->bytes, bytes);
	add_to(&a->events, 1);
}

static __always_inline __u64 cookie_field(const struct sock *sk, bool known)
{
	return NIO_FIELD(known, struct sock, sk, __sk_common.skc_cookie.counter);
}

/* The entry of a cookie, or NULL: most others are turned away by one load. */
static __always_inline struct nio_stream *stream_by_cookie(__u64 cookie)
{
	if (!cookie || !nio_stream_known[nio_known_index(cookie)])
		return NULL;
	return bpf_map_lookup_elem(&nio_streams, &cookie);
}

static __always_inline struct nio_stream *stream_of(const struct sock *sk, bool known)
{
	return stream_by_cookie(cookie_field(sk, known));
}

static __always_inline bool is_tcp(const struct sock *sk, bool known)
{
	__u16 family = NIO_FIELD(known, struct sock, sk, __sk_common.skc_family);
	__u16 protocol;

	if (family != AF_INET && family != AF_INET6)
		return false;
	protocol = NIO_FIELD(known, struct sock, sk, sk_protocol);
	return protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP;
}

static __always_inline bool comm_wanted(const char comm[16])
{
	for (__u32 i = 0; i < NIO_COMMS_MAX; i++) {
		bool same = i < nio_comms_nr;

		for (__u32 c = 0; c < 16 && same; c++) {
			same = comm[c] == nio_comms[i][c];
			if (!comm[c])
				break;
		}
		if (same)
			return true;
	}
	return false;
}

/* named: by its name alone. An entry of one that had its id before is overwritten. */
static __always_inline void watch_task(const struct task_struct *p, __u32 parent,
				       const char comm[16], bool named)
{
	struct nio_task task = {.started = started_of(p),
				.first_ns = bpf_ktime_get_ns(),
				.parent = parent,
				.named = named};
	__u32 tgid = tgid_of(p);

	__builtin_memcpy(task.comm, comm, sizeof(task.comm));
	if (bpf_map_update_elem(&nio_tasks, &tgid, &task, BPF_ANY))
		add_to(&nio_attach_losses.tasks_full, 1);
	nio_task_known[tgid & (NIO_KNOWN_NR - 1)] = 1;
}

static __always_inline struct nio_task *task_by_tgid(__u32 tgid)
{
	if (!nio_task_known[tgid & (NIO_KNOWN_NR - 1)])
		return NULL;
	return bpf_map_lookup_elem(&nio_tasks, &tgid);
}

/* Is this the entry of p, and not of one that had its id before? */
static __always_inline bool is_entry_of(const struct nio_task *task, const struct task_struct *p)
{
	return task && !task->exit_ns && (!task->started || task->started == started_of(p));
}

static __always_inline struct nio_task *task_of(const struct task_struct *p)
{
	struct nio_task *task = task_by_tgid(tgid_of(p));

	return is_entry_of(task, p) ? task : NULL;
}

/* The name of the present process, which is not that of the thread that is at work. */
static __always_inline void comm_now(char comm[16])
{
	const struct task_struct *p = (const void *)bpf_get_current_task();

	BPF_CORE_READ_INTO((char(*)[16])comm, p, group_leader, comm);
}

/* Is the present task one that is asked for? Only in process context. */
static __always_inline bool task_wanted(void)
{
	const struct task_struct *p = (const void *)bpf_get_current_task();
	__u32 tgid = tgid_now();
	char comm[16];

	if (is_entry_of(task_by_tgid(tgid), p))
		return true;
	if (!nio_by_cgroup || bpf_current_task_under_cgroup(&nio_cgroups, 0) != 1)
		return false;
	if (!tgid)
		return true;
	comm_now(comm);
	watch_task(p, 0, comm, false);
	return true;
}

/* The verifier of 6.12 does not see that a port that was turned about has 16 bits. */
static __always_inline bool is_marked(__u64 port)
{
	asm volatile("%0 &= 0xffff" : "+r"(port));
	return nio_ports[port];
}

#define SHUTDOWN_MASK 3 /* RCV_SHUTDOWN | SEND_SHUTDOWN */

/*
 * 0: it has none yet. A connection that was reset has given its port back (tcp_done, which shuts
 * both directions down), with bytes that may still be read; where it sent from stands there yet.
 */
static __always_inline __u16 local_port_of(const struct sock *sk, bool known)
{
	__u16 port = NIO_FIELD(known, struct sock, sk, __sk_common.skc_num);

	if (port || NIO_FIELD(known, struct sock, sk, sk_shutdown) != SHUTDOWN_MASK)
		return port;
	return bpf_ntohs(BPF_CORE_READ((const struct inet_sock *)sk, inet_sport));
}

static __always_inline bool port_wanted(const struct sock *sk, bool known)
{
	__u16 local = local_port_of(sk, known);
	__u16 remote = bpf_ntohs(NIO_FIELD(known, struct sock, sk, __sk_common.skc_dport));

	return is_marked(local) || is_marked(remote);
}

/* Is this a socket to take in, in use by the present task? Others: a few instructions. */
static __always_inline bool wanted(const struct sock *sk, bool known)
{
	if (!nio_armed || (nio_by_task && !task_wanted()))
		return false;
	if (!is_tcp(sk, known) || (nio_by_port && !port_wanted(sk, known)))
		return false;
	return tgid_now() != nio_own_tgid;
}

/* Since Linux 5.15; before, a union that may hold other things. Not with every configuration. */
struct sock_cgroup_data___pointer {
	struct cgroup *cgroup;
} __attribute__((preserve_access_index));

struct sock___cgroup {
	struct sock_cgroup_data___pointer sk_cgrp_data;
} __attribute__((preserve_access_index));

/* The id of the cgroup that made the socket, which is what ss names. 0: not told. */
static __always_inline __u64 cgroup_of(const struct sock *sk)
{
	if (!bpf_core_field_exists(((struct sock___cgroup *)0)->sk_cgrp_data.cgroup))
		return 0;
	return BPF_CORE_READ((const struct sock___cgroup *)sk, sk_cgrp_data.cgroup, kn, id);
}

/*
 * Did connect() choose the local port? It marks the bucket of ports it makes by -1
 * (__inet_hash_connect); those of bind() and listen() have 0 or 1, and accepted sockets are in
 * their listener's. A socket without a bucket (MPTCP's) is judged by the numbers: the ports to
 * choose from are high ones.
 */
static __always_inline bool is_caller(const struct sock *sk)
{
	const struct inet_bind_bucket *bucket =
		BPF_CORE_READ((const struct inet_connection_sock *)sk, icsk_bind_hash);

	if (!bucket)
		return BPF_CORE_READ(sk, __sk_common.skc_num) >
		       bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	return BPF_CORE_READ(bucket, fastreuse) < 0;
}

/* Addresses, and what else of a socket stays as it is. */
static __always_inline void place_stream(struct nio_stream *s, const struct sock *sk)
{
	s->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	s->local_port = local_port_of(sk, ADDRESS);
	s->remote_port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	s->netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	s->cgroup = cgroup_of(sk);
	if (s->family == AF_INET) {
		BPF_CORE_READ_INTO((__u32 *)s->local, sk, __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO((__u32 *)s->remote, sk, __sk_common.skc_daddr);
	} else {
		BPF_CORE_READ_INTO(&s->local, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
		BPF_CORE_READ_INTO(&s->remote, sk, __sk_common.skc_v6_daddr.in6_u.u6_addr8);
	}
	/* A socket that connects has no port of its own yet. */
	if (!s->local_port)
		return;
	nio_stream_flag(s, NIO_STREAM_PLACED);
	if (is_caller(sk))
		nio_stream_flag(s, NIO_STREAM_CALLER);
}

/* What the application has taken, as a number: the FIN that ends the other side's stream takes one.
 */
static __always_inline __u32 taken_of(const struct sock *sk)
{
	__u32 copied = kernel_read(struct tcp_sock, sk, copied_seq);
	bool fin = kernel_read(struct sock_common, sk, skc_flags) & (1UL << SOCK_DONE);

	return copied - (fin && copied == kernel_read(struct tcp_sock, sk, rcv_nxt));
}

/* The numbers of a socket now. */
static __always_inline void read_numbers(struct nio_numbers *n, const struct sock *sk)
{
	__u8 state = kernel_read(struct sock_common, sk, skc_state);

	n->bytes_acked = kernel_read(struct tcp_sock, sk, bytes_acked);
	n->bytes_received = kernel_read(struct tcp_sock, sk, bytes_received);
	n->bytes_retrans = kernel_read(struct tcp_sock, sk, bytes_retrans);
	n->sent = nio_payload_end(kernel_read(struct tcp_sock, sk, write_seq), state);
	n->taken = taken_of(sk);
}

/* Not with every configuration. */
struct mptcp_sock___token {
	__u32 token;
} __attribute__((preserve_access_index));

#define KEY_OF_TOKEN (1ULL << 63) /* above all cookies */
#define KEY_OF_PAST  (1ULL << 62) /* likewise, with the time */

static __always_inline void leave_out(__u64 cookie)
{
	__u32 one = 1;

	if (!bpf_map_update_elem(&nio_left_out, &cookie, &one, BPF_NOEXIST))
		add_to(&nio_attach_losses.streams_full, 1);
}

/*
 * What the entry of a socket goes by: its cookie. What a socket of MPTCP receives is seen only
 * where the kernel gives no cookie: one that has none goes by the token of its connection. 0: it
 * has neither yet.
 */
static __always_inline __u64 key_of(const struct sock *sk)
{
	__u64 cookie = cookie_field(sk, KNOWN);
	__u32 token;

	if (cookie || sk->sk_protocol != IPPROTO_MPTCP ||
	    !bpf_core_type_exists(struct mptcp_sock___token))
		return cookie;
	token = BPF_CORE_READ((const struct mptcp_sock___token *)sk, token);
	return token ? KEY_OF_TOKEN | token : 0;
}

/*
 * Takes a socket in by its key, unless it is in already. Its numbers begin with the first event of
 * each direction.
 */
static __noinline struct nio_stream *adopt(const struct sock *sk, __u64 key)
{
	__u32 zero = 0;
	struct nio_stream *s = bpf_map_lookup_elem(&nio_blank, &zero);

	if (!s || !key)
		return NULL;
	if (bpf_map_update_elem(&nio_streams, &key, s, BPF_NOEXIST) == -E2BIG) {
		leave_out(key);
		return NULL;
	}
	s = bpf_map_lookup_elem(&nio_streams, &key);
	if (!s || s->cookie)
		return s;
	s->cookie = key;
	s->first_ns = bpf_ktime_get_ns();
	s->tgid = tgid_now();
	s->started = s->tgid ? started_now() : 0;
	comm_now(s->comm);
	place_stream(s, sk);
	nio_stream_known[nio_known_index(key)] = 1;
	return s;
}

/* Of a socket in use by the present task: its entry, made if it is wanted and can be. */
#define stream_in_use(sk)                                                  \
	({                                                                 \
		struct nio_stream *in_use = stream_of(sk, KNOWN);          \
		__u64 key;                                                 \
		if (nio_may_adopt && !in_use && wanted(sk, KNOWN)) {       \
			key = key_of(sk);                                  \
			if (!key)                                          \
				key = bpf_get_socket_cookie((void *)(sk)); \
			in_use = adopt(sk, key);                           \
		}                                                          \
		in_use;                                                    \
	})

#endif
