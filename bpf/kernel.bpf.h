/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Kernel constants, types that differ between kernels, and the context a program runs in. */
#ifndef BPF_KERNEL_BPF_H
#define BPF_KERNEL_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "netiotrace.h"

/* Programs of one statement, which may use the arguments and ctx. */
#define NIO_PROG(section, name, statement, args...) \
	SEC("?" section)                            \
	int BPF_PROG(name, ##args)                  \
	{                                           \
		statement;                          \
		return 0;                           \
	}
#define NIO_KPROBE(section, name, statement, args...) \
	SEC("?" section)                              \
	int BPF_KPROBE(name, ##args)                  \
	{                                             \
		statement;                            \
		return 0;                             \
	}
#define NIO_KRETPROBE(section, name, statement, args...) \
	SEC("?" section)                                 \
	int BPF_KRETPROBE(name, ##args)                  \
	{                                                \
		statement;                               \
		return 0;                                \
	}

/* A map. Hash maps of the size 1 get their size from user space. */
#define NIO_MAP(name, kind, entries, flags, key_type, value_type) \
	struct {                                                  \
		__uint(type, BPF_MAP_TYPE_##kind);                \
		__uint(max_entries, entries);                     \
		__uint(map_flags, flags);                         \
		__type(key, key_type);                            \
		__type(value, value_type);                        \
	} name SEC(".maps")

/*
 * Reads a field of an address without a type: a plain load with bpf_rdonly_cast() (Linux 6.2), else
 * a helper call, which costs five times as much.
 */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;
#define kernel_read(type, ptr, field)                                                         \
	(bpf_rdonly_cast                                                                      \
		 ? ((const type *)bpf_rdonly_cast(ptr, bpf_core_type_id_kernel(type)))->field \
		 : BPF_CORE_READ((const type *)(ptr), field))

/* known: TRUSTED where the verifier knows the type of p (tp_btf, fentry, fexit), else PROBE_READ.
 */
#define TRUSTED                          true
#define PROBE_READ                       false
#define NIO_FIELD(known, type, p, field) ((known) ? (p)->field : kernel_read(type, p, field))

/* The iterator over numbers (Linux 6.4): the verifier checks its loop body once. */
struct bpf_iter_num___local {
	__u64 opaque;
};

extern int bpf_iter_num_new(struct bpf_iter_num___local *it, int start, int end) __ksym __weak;
extern int *bpf_iter_num_next(struct bpf_iter_num___local *it) __ksym __weak;
extern void bpf_iter_num_destroy(struct bpf_iter_num___local *it) __ksym __weak;

/* Kernel constants that are not in BTF, or not in vmlinux.h. */
#define NETIF_F_SG                 (1ULL << 0)
#define MSG_SPLICE_PAGES           0x8000000
#define MSG_ZEROCOPY               0x4000000
#define MSG_FASTOPEN               0x20000000
#define SKBFL_ZEROCOPY_ENABLE      (1U << 0)
#define SKBTX_DEV_ZEROCOPY         (1U << 3)
#define SO_EE_ORIGIN_ZEROCOPY      5
#define SO_EE_CODE_ZEROCOPY_COPIED 1
#define TCP_NAGLE_PUSH             4
#define SOFTIRQ_OFFSET             0x100
#define NET_RX_SOFTIRQ             3
#define PACKET_OUTGOING            4
#define IPPROTO_MPTCP              262
#define EEXIST                     17
#define E2BIG                      7
#define PF_IO_WORKER               0x10
#define IFF_BRIDGE_PORT            (1U << 9)  /* enum netdev_priv_flags, unchanged since 3.15 */
#define IFF_OVS_DATAPATH           (1U << 10) /* a port of Open vSwitch */
#define SMP_CACHE_BYTES            64         /* for SKB_TRUESIZE; x86 and arm64 servers */

/* Until 5.14 the zero-copy flag of an skb was in tx_flags; 06b4feb37e64 moved it to flags. */
struct skb_shared_info___tx_flags {
	__u8 tx_flags;
} __attribute__((preserve_access_index));

/* Until 6.0 id, len and zerocopy were in ubuf_info; 6eaab4dfdd30 moved them to ubuf_info_msgzc. */
struct ubuf_info___msgzc {
	union {
		struct {
			__u32 id;
			__u16 len;
			__u16 zerocopy : 1;
		};
	};
} __attribute__((preserve_access_index));

/* The operations (6.12) or the callback (until 6.11) tell the kind of a ubuf_info. */
struct ubuf_info_ops___6_12 {
	void *complete;
} __attribute__((preserve_access_index));

struct ubuf_info___ops {
	const struct ubuf_info_ops___6_12 *ops;
} __attribute__((preserve_access_index));

struct ubuf_info___callback {
	void *callback;
} __attribute__((preserve_access_index));

/* From 6.0 a message can carry its own ubuf_info. */
struct msghdr___ubuf {
	void *msg_ubuf;
} __attribute__((preserve_access_index));

/* Kernel functions, 0: unknown. nio_zerocopy_end ends a MSG_ZEROCOPY send (ubuf_info). */
const volatile __u64 nio_zerocopy_end = 0;
const volatile __u64 nio_tcp_sendmsg = 0;
const volatile __u64 nio_tcp_recvmsg = 0;

/* Since Linux 5.11. Its fields are plain loads. */
enum bpf_func_id___task {
	BPF_FUNC_get_current_task_btf___task = 158,
};

#define has_task_btf() \
	bpf_core_enum_value_exists(enum bpf_func_id___task, BPF_FUNC_get_current_task_btf___task)

static __always_inline const void *task_now(void)
{
	return has_task_btf() ? (const void *)bpf_get_current_task_btf()
			      : (const void *)bpf_get_current_task();
}

/*
 * SOFTIRQ_OFFSET in the preemption count tells whether a softirq is served. arm64 has the count in
 * the task, x86 in a per-CPU variable (from 6.2 to 6.14 in pcpu_hot). Linux 5.10 refuses a program
 * that names a missing variable, so user space supplies the address of pcpu_hot. PREEMPT_RT uses
 * task_struct.softirq_disable_cnt, which no other kernel has (kernel/softirq.c).
 */
struct task_struct___rt {
	int softirq_disable_cnt;
} __attribute__((preserve_access_index));

static __always_inline bool is_realtime(void)
{
	return bpf_core_field_exists(((struct task_struct___rt *)0)->softirq_disable_cnt);
}

static __always_inline bool serves_softirq_rt(void)
{
	const void *task = task_now();

	return kernel_read(struct task_struct___rt, task, softirq_disable_cnt) & SOFTIRQ_OFFSET;
}

/* Offset of pcpu_hot in a per-CPU area, address of the table of areas; 0: unknown or absent. */
const volatile __u64 nio_pcpu_hot = 0;
const volatile __u64 nio_per_cpu_offset = 0;

#if defined(__TARGET_ARCH_arm64)

/* The whole word: the lower half is the count, the upper half is a scheduler flag. */
struct thread_info___arm64 {
	__u64 preempt_count;
} __attribute__((preserve_access_index));

struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
} __attribute__((preserve_access_index));

static __always_inline bool preempt_count_now(__u32 *count)
{
	const void *task = task_now();

	if (!bpf_core_field_exists(((struct task_struct___arm64 *)0)->thread_info.preempt_count))
		return false;
	*count = kernel_read(struct task_struct___arm64, task, thread_info.preempt_count);
	return true;
}

#else

extern const int __preempt_count __ksym __weak;

struct pcpu_hot___6_2 {
	int preempt_count;
} __attribute__((preserve_access_index));

static __always_inline int preempt_count_of_hot(void)
{
	__u64 slot = nio_per_cpu_offset + 8 * bpf_get_smp_processor_id(), area = 0;
	int count = 0;

	bpf_probe_read_kernel(&area, sizeof(area), (const void *)slot);
	area += nio_pcpu_hot + bpf_core_field_offset(struct pcpu_hot___6_2, preempt_count);
	bpf_probe_read_kernel(&count, sizeof(count), (const void *)area);
	return count;
}

static __always_inline bool preempt_count_now(__u32 *count)
{
	if (&__preempt_count)
		*count = *(const int *)bpf_this_cpu_ptr(&__preempt_count);
	else if (bpf_core_type_exists(struct pcpu_hot___6_2) && nio_pcpu_hot)
		*count = preempt_count_of_hot();
	else
		return false;
	return true;
}

#endif

static __always_inline enum nio_context context_now(void)
{
	__u32 count;
	bool softirq;

	if (is_realtime())
		softirq = serves_softirq_rt();
	else if (preempt_count_now(&count))
		softirq = count & SOFTIRQ_OFFSET;
	else
		return NIO_CONTEXT_UNKNOWN;
	return softirq ? NIO_CONTEXT_SOFTIRQ : NIO_CONTEXT_PROCESS;
}

/* `io_uring`: set in threads that submit. `flags`: PF_IO_WORKER in io_uring's own threads. */
struct task_struct___uring {
	unsigned int flags;
	void *io_uring;
} __attribute__((preserve_access_index));

static __always_inline bool uses_io_uring(void)
{
	const void *task = task_now();

	if (!bpf_core_field_exists(((struct task_struct___uring *)0)->io_uring))
		return false;
	return kernel_read(struct task_struct___uring, task, io_uring) ||
	       (kernel_read(struct task_struct___uring, task, flags) & PF_IO_WORKER);
}

static __always_inline __u32 tid_now(void)
{
	return has_task_btf() ? bpf_get_current_task_btf()->pid : bpf_get_current_pid_tgid();
}

/*
 * Identifies the present flow of control: the thread, or the CPU in a softirq, which neither
 * migrates nor nests. The idle tasks share thread id 0, but programs run there in interrupts only.
 * PREEMPT_RT preempts softirqs, so there the serving thread identifies them.
 */
#define FLOW_SOFTIRQ (1ULL << 63)

static __always_inline __u64 flow_now(void)
{
	__u32 tid = tid_now();

	if (tid && context_now() != NIO_CONTEXT_SOFTIRQ)
		return tid;
	return FLOW_SOFTIRQ | (is_realtime() ? tid : bpf_get_smp_processor_id());
}

static __always_inline const void *shinfo_of(const struct sk_buff *skb, bool known)
{
	return NIO_FIELD(known, struct sk_buff, skb, head) +
	       NIO_FIELD(known, struct sk_buff, skb, end);
}

static __always_inline bool is_zerocopy(const void *shinfo)
{
	if (bpf_core_field_exists(((struct skb_shared_info *)0)->flags))
		return kernel_read(struct skb_shared_info, shinfo, flags) & SKBFL_ZEROCOPY_ENABLE;
	return BPF_CORE_READ((const struct skb_shared_info___tx_flags *)shinfo, tx_flags) &
	       SKBTX_DEV_ZEROCOPY;
}

/*
 * Does a MSG_ZEROCOPY send own this ubuf_info? A ubuf_info of io_uring or vhost has no sk_buff
 * around them. True if nio_zerocopy_end is unknown.
 */
static __always_inline bool is_msg_zerocopy(const void *uarg)
{
	const struct ubuf_info_ops___6_12 *ops;

	if (!nio_zerocopy_end)
		return true;
	if (!bpf_core_field_exists(((struct ubuf_info___ops *)0)->ops))
		return (__u64)BPF_CORE_READ((const struct ubuf_info___callback *)uarg, callback) ==
		       nio_zerocopy_end;
	ops = kernel_read(struct ubuf_info___ops, uarg, ops);
	return (__u64)kernel_read(struct ubuf_info_ops___6_12, ops, complete) == nio_zerocopy_end;
}

/*
 * The cookie of the socket that sent with this ubuf_info; 0: none. The ubuf_info is in the cb of an
 * sk_buff charged to that socket (skb_from_uarg). The packet itself has no sk: loopback and veth
 * orphan it.
 */
static __always_inline __u64 cookie_of_uarg(const char *uarg)
{
	const struct sock *sk;

	if (!uarg || !is_msg_zerocopy(uarg))
		return 0;
	sk = kernel_read(struct sk_buff, uarg - bpf_core_field_offset(struct sk_buff, cb), sk);
	return kernel_read(struct sock, sk, __sk_common.skc_cookie.counter);
}

/* The completion of a range of sends. */
struct zc_notification {
	__u32 lo; /* id of the first send; ids wrap */
	__u32 sends;
	bool copied;
};

/* Reads the ubuf_info of a MSG_ZEROCOPY send. -1: an aborted send (len 0). */
static __always_inline int read_uarg(const char *uarg, struct zc_notification *n)
{
	const struct ubuf_info___msgzc *old = (const void *)uarg;
	const struct ubuf_info_msgzc *account = (const void *)uarg;

	if (bpf_core_type_exists(struct ubuf_info_msgzc)) {
		n->lo = BPF_CORE_READ(account, id);
		n->sends = BPF_CORE_READ(account, len);
		n->copied = !BPF_CORE_READ_BITFIELD_PROBED(account, zerocopy);
	} else {
		n->lo = BPF_CORE_READ(old, id);
		n->sends = BPF_CORE_READ(old, len);
		n->copied = !BPF_CORE_READ_BITFIELD_PROBED(old, zerocopy);
	}
	return n->sends ? 0 : -1;
}

/* Reads a zero-copy notification of the error queue from skb->cb. False: it is none. */
static __always_inline bool read_notification(const struct sk_buff *skb, struct zc_notification *n)
{
	const void *serr = (const char *)skb + bpf_core_field_offset(struct sk_buff, cb);

	if (kernel_read(struct sock_exterr_skb, serr, ee.ee_origin) != SO_EE_ORIGIN_ZEROCOPY ||
	    kernel_read(struct sock_exterr_skb, serr, ee.ee_errno))
		return false;
	n->lo = kernel_read(struct sock_exterr_skb, serr, ee.ee_info);
	n->sends = kernel_read(struct sock_exterr_skb, serr, ee.ee_data) - n->lo + 1;
	n->copied =
		kernel_read(struct sock_exterr_skb, serr, ee.ee_code) & SO_EE_CODE_ZEROCOPY_COPIED;
	return true;
}

/* The ubuf_info of an skb with zero-copy pages; NULL: none. */
static __always_inline const char *uarg_of(const struct sk_buff *skb, bool known)
{
	const void *shinfo = shinfo_of(skb, known);

	return is_zerocopy(shinfo) ? kernel_read(struct skb_shared_info, shinfo, destructor_arg)
				   : NULL;
}

/*
 * Is skb from an error queue (skb_is_err_queue)? Packets returned with a timestamp are, and are no
 * payload. Zero-copy notifications are not marked, but are empty.
 */
static __always_inline bool is_of_error_queue(const struct sk_buff *skb, bool known)
{
	if (known)
		return BPF_CORE_READ_BITFIELD(skb, pkt_type) == PACKET_OUTGOING;
	return BPF_CORE_READ_BITFIELD_PROBED(skb, pkt_type) == PACKET_OUTGOING;
}

/*
 * Will this packet pass netif_receive_skb again, with its zero-copy pages, if it stays on this
 * machine? Yes at a port of a bridge or of Open vSwitch, unless a packet tap there makes the kernel
 * copy it now.
 */
static __always_inline bool arrives_once_more(const struct sk_buff *skb)
{
	const struct net_device *dev = skb->dev;
	const void *taps = (const char *)dev + bpf_core_field_offset(struct net_device, ptype_all);

	return BPF_CORE_READ_BITFIELD_PROBED(dev, priv_flags) &
		       (IFF_BRIDGE_PORT | IFF_OVS_DATAPATH) &&
	       (const void *)BPF_CORE_READ(dev, ptype_all.next) == taps;
}

/* The first 4 bytes of the name of the upper layer protocol of a socket; 0: none. */
static __always_inline __u32 ulp_of(const struct sock *sk)
{
	const struct tcp_ulp_ops *ulp = kernel_read(struct inet_connection_sock, sk, icsk_ulp_ops);
	__u32 name = 0;

	if (ulp)
		bpf_probe_read_kernel(&name, sizeof(name),
				      (const char *)ulp +
					      bpf_core_field_offset(struct tcp_ulp_ops, name));
	return name;
}

#define ULP_MPTCP 0x6374706d /* "mptc" as a little-endian word */
#define ULP_KTLS  0x00736c74 /* "tls" */

/* tls_context.tx_conf and rx_conf: no key is set. */
#define TLS_BASE 0

static __always_inline __u32 tls_conf(const char *ctx, bool sends)
{
	const struct tls_context *t = (const struct tls_context *)ctx;

	return sends ? BPF_CORE_READ_BITFIELD_PROBED(t, tx_conf)
		     : BPF_CORE_READ_BITFIELD_PROBED(t, rx_conf);
}

/* Does kTLS serve this direction? Before it has a key, TCP does. */
static __always_inline bool is_by_tls(const struct sock *sk, enum nio_side side)
{
	const char *ctx;

	if (ulp_of(sk) != ULP_KTLS)
		return false;
	if (!bpf_core_type_exists(struct tls_context))
		return true;
	ctx = kernel_read(struct inet_connection_sock, sk, icsk_ulp_data);
	return !ctx || tls_conf(ctx, side == NIO_SIDE_SENDER) != TLS_BASE;
}

/* The layer whose sendmsg or recvmsg a socket has in place of TCP's. */
static __always_inline enum nio_uncovered_kind layer_of(const struct sock *sk, bool known)
{
	__u32 name;

	if (NIO_FIELD(known, struct sock, sk, sk_protocol) == IPPROTO_MPTCP)
		return NIO_UNCOVERED_MPTCP;
	name = ulp_of(sk);
	if (!name)
		return NIO_UNCOVERED_SOCKMAP;
	return name == ULP_KTLS ? NIO_UNCOVERED_KTLS : NIO_UNCOVERED_OTHER;
}

/* NIO_COVERED, or the layer in TCP's place. With unknown addresses, MPTCP and kTLS are. */
static __always_inline enum nio_uncovered_kind path_of(const struct sock *sk, enum nio_side side,
						       bool known)
{
	const struct proto *prot = NIO_FIELD(known, struct sock, sk, __sk_common.skc_prot);
	__u64 tcp = side == NIO_SIDE_SENDER ? nio_tcp_sendmsg : nio_tcp_recvmsg, own;

	if (!tcp && NIO_FIELD(known, struct sock, sk, sk_protocol) == IPPROTO_MPTCP)
		return NIO_UNCOVERED_MPTCP;
	if (!tcp)
		return is_by_tls(sk, side) ? NIO_UNCOVERED_KTLS : NIO_COVERED;
	own = side == NIO_SIDE_SENDER ? (__u64)NIO_FIELD(known, struct proto, prot, sendmsg)
				      : (__u64)NIO_FIELD(known, struct proto, prot, recvmsg);
	return own == tcp ? NIO_COVERED : layer_of(sk, known);
}

/* True: this kernel has MSG_SPLICE_PAGES (it has skb_splice_from_iter). */
const volatile bool nio_splice_pages = false;

/* The flags NIO_SEEN_* of a message. known: TRUSTED or PROBE_READ. */
static __always_inline __u32 call_of_message(const struct msghdr *msg, bool known)
{
	__u32 flags = NIO_FIELD(known, struct msghdr, msg, msg_flags), call = NIO_SEEN_CALL;

	if (nio_splice_pages && (flags & MSG_SPLICE_PAGES))
		call |= NIO_SEEN_SPLICE;
	if (flags & MSG_ZEROCOPY)
		call |= NIO_SEEN_ZEROCOPY;
	if (bpf_core_field_exists(((struct msghdr___ubuf *)0)->msg_ubuf) &&
	    kernel_read(struct msghdr___ubuf, msg, msg_ubuf))
		call |= NIO_SEEN_MSG_UBUF;
	return call;
}

/* Since Linux 5.14. */
struct iov_iter___type {
	u8 iter_type;
} __attribute__((preserve_access_index));

enum iter_type___kind {
	ITER_IOVEC___kind = 1,
	ITER_BVEC___kind = 2,
};

enum message_pieces {
	PIECES_OTHER,
	PIECES_BUFFERS, /* memory of the application */
	PIECES_PAGES,
};

static __always_inline enum message_pieces pieces_of(const struct msghdr *msg)
{
	const struct iov_iter___type *iter =
		(const void *)((const char *)msg + bpf_core_field_offset(struct msghdr, msg_iter));
	__u8 type;

	if (!bpf_core_field_exists(iter->iter_type))
		return PIECES_OTHER;
	type = kernel_read(struct iov_iter___type, iter, iter_type);
	if (type == bpf_core_enum_value(enum iter_type___kind, ITER_BVEC___kind))
		return PIECES_PAGES;
	if (type == bpf_core_enum_value(enum iter_type___kind, ITER_IOVEC___kind))
		return PIECES_BUFFERS;
	return PIECES_OTHER;
}

/* Is this a message of several buffers, as its call begins? Not registered io_uring pages. */
static __always_inline bool is_vector(const struct msghdr *msg)
{
	return kernel_read(struct msghdr, msg, msg_iter.nr_segs) > 1 &&
	       pieces_of(msg) != PIECES_PAGES;
}

/*
 * The same in any loop iteration, when some buffers are gone. Where that is seen (Linux 6.16), one
 * buffer is ITER_UBUF (__import_iovec_ubuf).
 */
static __always_inline bool was_vector(const struct msghdr *msg)
{
	return pieces_of(msg) == PIECES_BUFFERS || is_vector(msg);
}

/*
 * Per-CPU statistics in an mmapable array: one block of rows per CPU. A system call that reads a
 * map stops kprobe programs on its CPU (bpf_prog_active), uncounted until Linux 6.7.
 */
#define BPF_F_NO_PREALLOC (1U << 0)
#define BPF_F_MMAPABLE    (1U << 10)

/* Index of row i in the block of this CPU, which has so many rows. */
static __always_inline __u32 of_this_cpu(__u32 rows, __u32 i)
{
	return bpf_get_smp_processor_id() * rows + i;
}

/* The asm keeps the caller's bounds check separate: verifiers until 6.2 would lose the bound. */
static __always_inline __u64 bucket_of(__u64 value)
{
	__u64 bucket = hist_bucket(value, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);

	asm volatile("" : "+r"(bucket));
	return bucket;
}

#endif
