/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The filters of attach by task, port and listener, and the table of watched tasks. */
#ifndef BPF_TASK_FILTER_BPF_H
#define BPF_TASK_FILTER_BPF_H

#include <bpf/bpf_endian.h>

#include "socket_file.bpf.h"
#include "task.bpf.h"

NIO_MAP(nio_tasks, HASH, NIO_TASKS_MAX, 0, __u32, struct nio_task);

/* Created only for --cgroup. */
NIO_MAP(nio_cgroups, CGROUP_ARRAY, 1, 0, __u32, __u32);

__u8 nio_task_known[NIO_KNOWN_NR];
__u8 nio_ports[NIO_KNOWN_NR]; /* 1: local or remote port selected */
struct nio_attach_loss nio_attach_losses;
bool nio_armed; /* new sockets get states */

/* The user's selection. */
const volatile bool nio_by_task = false; /* nio_tasks, and tasks that the filters below add */
const volatile bool nio_by_port = false; /* nio_ports; with nio_by_task both must match */
const volatile bool nio_follow_children = false;
const volatile bool nio_by_cgroup = false; /* tasks in or below the cgroup in nio_cgroups */
const volatile __u32 nio_comms_nr = 0;
const volatile char nio_comms[NIO_COMMS_MAX][16] = {};
const volatile __u32 nio_own_tgid = 0; /* process id of the collector */

__u32 nio_task_full; /* the last process that did not fit into nio_tasks */

static __always_inline void add_to(__u64 *sum, __u64 value)
{
	__sync_fetch_and_add(sum, value);
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

/* named: watched for its name only. Overwrites the entry of an earlier process with this id. */
static __always_inline void watch_task(const struct task_struct *p, __u32 parent,
				       const char comm[16], bool named)
{
	struct nio_task task = {.started = started_of(p),
				.first_ns = bpf_ktime_get_ns(),
				.parent = parent,
				.named = named};
	__u32 tgid = tgid_of(p);

	__builtin_memcpy(task.comm, comm, sizeof(task.comm));
	/* Two programs see a fork. */
	if (bpf_map_update_elem(&nio_tasks, &tgid, &task, BPF_ANY) && nio_task_full != tgid) {
		nio_task_full = tgid;
		add_to(&nio_attach_losses.tasks_full, 1);
	}
	nio_task_known[tgid & (NIO_KNOWN_NR - 1)] = 1;
}

static __always_inline struct nio_task *task_by_tgid(__u32 tgid)
{
	if (!nio_task_known[tgid & (NIO_KNOWN_NR - 1)])
		return NULL;
	return bpf_map_lookup_elem(&nio_tasks, &tgid);
}

/* Does this entry belong to p? Exited processes count: they close their sockets after the event. */
static __always_inline bool is_entry_of(const struct nio_task *task, const struct task_struct *p)
{
	return task && (!task->started || task->started == started_of(p));
}

static __always_inline struct nio_task *task_of(const struct task_struct *p)
{
	struct nio_task *task = task_by_tgid(tgid_of(p));

	return is_entry_of(task, p) ? task : NULL;
}

/* The name of a task's process, not of the task. */
static __always_inline void comm_of(const struct task_struct *p, char comm[16])
{
	p = kernel_read(struct task_struct, p, group_leader);
	bpf_probe_read_kernel(comm, 16, (const char *)p + bpf_core_field_offset(p->comm));
}

static __always_inline void comm_now(char comm[16])
{
	comm_of(task_now(), comm);
}

/* Is the current task watched? *entry: its entry, or NULL. In process context only. */
static __always_inline bool task_wanted(const struct nio_task **entry)
{
	const struct task_struct *p = task_now();
	__u32 tgid = tgid_now();
	char comm[16];

	*entry = task_by_tgid(tgid);
	if (is_entry_of(*entry, p))
		return true;
	*entry = NULL;
	if (!nio_by_cgroup || bpf_current_task_under_cgroup(&nio_cgroups, 0) != 1)
		return false;
	if (!tgid)
		return true;
	comm_now(comm);
	watch_task(p, 0, comm, false);
	return true;
}

/* The mask: the verifier of 6.12 loses the 16-bit bound of a byte-swapped port. */
static __always_inline bool is_marked(const __u8 *table, __u64 port)
{
	asm volatile("%0 &= 0xffff" : "+r"(port));
	return table[port];
}

#define SHUTDOWN_MASK 3 /* RCV_SHUTDOWN | SEND_SHUTDOWN */

/*
 * The local port; 0: none yet. A reset connection has returned its port (tcp_done, which shuts down
 * both directions) but may still be read from: inet_sport keeps the port.
 */
static __always_inline __u16 local_port_of(const struct sock *sk)
{
	__u16 port = kernel_read(struct sock, sk, __sk_common.skc_num);

	if (port || kernel_read(struct sock, sk, sk_shutdown) != SHUTDOWN_MASK)
		return port;
	return bpf_ntohs(BPF_CORE_READ((const struct inet_sock *)sk, inet_sport));
}

static __always_inline bool port_wanted(const struct sock *sk)
{
	__u16 remote = bpf_ntohs(kernel_read(struct sock, sk, __sk_common.skc_dport));

	return !nio_by_port || is_marked(nio_ports, local_port_of(sk)) ||
	       is_marked(nio_ports, remote);
}

/*
 * Where watched tasks listen: a connection that the kernel accepts there may be theirs, before any
 * task has it. A neighbour may listen on the same port, at another address or in another network
 * namespace.
 */

/* A listener, or where a connection was accepted: that socket has the family of its listener. */
struct nio_listener {
	__u32 netns;
	__u16 port, family;
	__u8 address[16]; /* a listener at each address: 0 */
};

/* Also listeners that have ended. */
NIO_MAP(nio_listeners, HASH, NIO_LISTENERS_MAX, 0, struct nio_listener, __u8);

__u8 nio_listens[NIO_KNOWN_NR]; /* by port. 1: some watched task listens */
bool nio_listens_anywhere;      /* a watched task listens where no entry tells */

/* Sockets without a port that began to listen: listen() chooses the port after its event. */
#define NIO_UNBOUND 8 /* a power of 2 */
__u64 nio_unbound[NIO_UNBOUND];
bool nio_any_unbound;

static __always_inline __u32 netns_of(const struct sock *sk)
{
	const struct net *net = kernel_read(struct sock, sk, __sk_common.skc_net.net);

	return kernel_read(struct net, net, ns.inum);
}

static __always_inline struct nio_listener place_of(const struct sock *sk)
{
	struct nio_listener l = {.netns = netns_of(sk),
				 .port = local_port_of(sk),
				 .family = kernel_read(struct sock, sk, __sk_common.skc_family)};

	if (l.family == AF_INET)
		*(__u32 *)l.address = kernel_read(struct sock, sk, __sk_common.skc_rcv_saddr);
	else
		BPF_CORE_READ_INTO(&l.address, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
	return l;
}

/* A watched task listens on sk, whose port is known. */
static __always_inline void note_bound(const struct sock *sk)
{
	struct nio_listener l = place_of(sk);
	__u64 port = l.port;
	__u8 one = 1;

	if (bpf_map_update_elem(&nio_listeners, &l, &one, BPF_ANY))
		nio_listens_anywhere = true;
	asm volatile("%0 &= 0xffff" : "+r"(port));
	nio_listens[port] = 1;
}

/* A watched task begins to listen on sk. */
static __always_inline void note_listener(const struct sock *sk)
{
	__u64 key = (__u64)sk;

	if (kernel_read(struct sock, sk, __sk_common.skc_num)) {
		note_bound(sk);
		return;
	}
	nio_any_unbound = true;
	for (int i = 0; i < NIO_UNBOUND; i++)
		if (!nio_unbound[i] || nio_unbound[i] == key) {
			nio_unbound[i] = key;
			return;
		}
	nio_listens_anywhere = true;
}

/*
 * Notes listener i if it has a port by now. One that has ended keeps none. As a global function, it
 * is checked by the verifier once, not at each call.
 */
__noinline int note_unbound(__u32 i)
{
	const struct sock *sk;

	i &= NIO_UNBOUND - 1;
	sk = (const struct sock *)nio_unbound[i];
	if (!sk || kernel_read(struct sock_common, sk, skc_state) != TCP_LISTEN ||
	    !kernel_read(struct sock, sk, __sk_common.skc_num))
		return 0;
	note_bound(sk);
	nio_unbound[i] = 0;
	return 0;
}

/* Can a connection accepted here belong to a watched task? */
static __always_inline bool listener_wanted(const struct sock *sk)
{
	struct nio_listener l;

	if (!nio_by_task || nio_listens_anywhere)
		return true;
	for (__u32 i = 0; nio_any_unbound && i < NIO_UNBOUND; i++)
		note_unbound(i);
	if (!is_marked(nio_listens, local_port_of(sk)))
		return false;
	l = place_of(sk);
	if (bpf_map_lookup_elem(&nio_listeners, &l))
		return true;
	__builtin_memset(l.address, 0, sizeof(l.address));
	return bpf_map_lookup_elem(&nio_listeners, &l);
}

#endif
