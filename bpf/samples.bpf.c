// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples CPU time from a perf event on each CPU, in an object of its own: compared rounds do not
 * attach it. User space loads one program: nio_sample for a run, nio_sample_task for attach.
 */
#include "task.bpf.h"
#include "samples.h"
#include "sock_state.h"

/* From linux/bpf.h; not in vmlinux.h. */
#define BPF_F_USER_STACK (1ULL << 8)
#define BPF_RB_NO_WAKEUP (1ULL << 0)

#define IPPROTO_TCP 6 /* from linux/in.h */

/* The layout of struct bpf_pidns_info. */
struct nio_pidns {
	__u32 pid;
	__u32 tgid;
};

/* Sender and receiver process ids, in user space's PID namespace. */
__u32 nio_watched[2];
const volatile __u64 nio_pidns_dev = 0, nio_pidns_ino = 0;

/* By these functions a stack of an unwatched task is TCP work, and receives; from = 0: unused. */
const volatile struct nio_code nio_codes[NIO_CODES] = {};

struct nio_run nio_run;

/* What a CPU received since a NAPI poll ended. Bit 1: packets of the run; bit 0: others, unknown.
 */
#define NIO_ONLY_OF_RUN 2
NIO_MAP(nio_received, PERCPU_ARRAY, 1, 0, __u32, __u32);

/*
 * Samples lost, by enum nio_sample_owner: no stack, or the ring buffer was full. Of ELSEWHERE also
 * TCP work that may be for other sockets.
 */
__u64 nio_samples_lost[NIO_SAMPLE_OWNER_NR];

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} nio_samples SEC(".maps");

/* The tasks to sample, by process id. attach replaces this map by its nio_tasks. */
NIO_MAP(nio_sampled_tasks, HASH, 1, 0, __u32, struct nio_task);

NIO_MAP(nio_scratch, PERCPU_ARRAY, 1, 0, __u32, struct nio_sample);

static __always_inline __u32 whose_now(void)
{
	struct nio_pidns task = {};

	if (bpf_get_ns_current_pid_tgid(nio_pidns_dev, nio_pidns_ino,
					(struct bpf_pidns_info *)&task, sizeof(task)))
		return NIO_SAMPLE_ELSEWHERE;
	if (task.tgid && task.tgid == nio_watched[NIO_SAMPLE_SENDER])
		return NIO_SAMPLE_SENDER;
	if (task.tgid && task.tgid == nio_watched[NIO_SAMPLE_RECEIVER])
		return NIO_SAMPLE_RECEIVER;
	return NIO_SAMPLE_ELSEWHERE;
}

static __always_inline bool has_code(const struct nio_sample *s, int first, int end)
{
	for (__u32 i = 0; i < NIO_SAMPLE_FRAMES; i++) {
		if (i >= s->frames)
			return false;
		for (int c = first; c < end; c++)
			if (s->ip[i] >= nio_codes[c].from && s->ip[i] < nio_codes[c].to)
				return true;
	}
	return false;
}

static __always_inline int lost(__u32 owner)
{
	if (owner < NIO_SAMPLE_OWNER_NR)
		__sync_fetch_and_add(&nio_samples_lost[owner], 1);
	return 0;
}

/* Takes a sample. A sample of ELSEWHERE is kept only if its stack has TCP work for the run. */
static __always_inline int take(void *ctx, __u32 owner, __u32 tgid, __u64 started)
{
	struct nio_sample *s;
	__u32 zero = 0, *received;
	long bytes;

	s = bpf_map_lookup_elem(&nio_scratch, &zero);
	received = bpf_map_lookup_elem(&nio_received, &zero);
	if (!s || !received)
		return lost(owner);
	bytes = bpf_get_stack(ctx, s->ip, sizeof(s->ip), 0);
	/* Without a stack, TCP work of other tasks cannot be recognised. */
	if (bytes < 0 || bytes > (long)sizeof(s->ip))
		return owner == NIO_SAMPLE_ELSEWHERE ? 0 : lost(owner);
	s->tgid = tgid;
	s->started = started;
	s->owner = owner;
	s->frames = bytes / sizeof(s->ip[0]);
	s->user_ip = 0;
	if (owner == NIO_SAMPLE_ELSEWHERE && !has_code(s, 0, NIO_TCP_CODES))
		return 0;
	/*
	 * A softirq that receives works for packets of this NAPI poll. No received packet causes
	 * other work: tasklets, qdiscs of other CPUs.
	 */
	if (owner == NIO_SAMPLE_ELSEWHERE &&
	    (*received != NIO_ONLY_OF_RUN || !has_code(s, NIO_TCP_CODES, NIO_CODES)))
		return lost(owner);
	if (!s->frames)
		bpf_get_stack(ctx, &s->user_ip, sizeof(s->user_ip), BPF_F_USER_STACK);
	if (bpf_ringbuf_output(&nio_samples, s, NIO_SAMPLE_HEAD + (__u64)bytes, BPF_RB_NO_WAKEUP))
		return lost(owner);
	return 0;
}

/* Sampling of a run: both processes, and TCP work on top of other tasks. */
SEC("?perf_event")
int nio_sample(void *ctx)
{
	return take(ctx, whose_now(), 0, 0);
}

/* IPv4 without options or fragments, or IPv6, each with TCP. False also if that is not known. */
static __always_inline bool is_of_run(const struct sk_buff *skb)
{
	__u32 linear =
		kernel_read(struct sk_buff, skb, len) - kernel_read(struct sk_buff, skb, data_len);
	__u32 word[11], address[2], ports; /* an IPv6 header and ports */
	const __u8 *ip = (const __u8 *)word;
	const __u16 *port = (const __u16 *)&ports;

	/* The least of IPv4 and TCP has 40 bytes. */
	if (linear < 40 ||
	    bpf_probe_read_kernel(word, sizeof(word), kernel_read(struct sk_buff, skb, data)))
		return false;
	if (ip[0] == 0x45 && ip[9] == IPPROTO_TCP && !(ip[6] & 0x3f) && !ip[7]) {
		address[0] = word[3];
		address[1] = word[4];
		ports = word[5];
	} else if (ip[0] >> 4 == 6 && ip[6] == IPPROTO_TCP && linear >= sizeof(word)) {
		address[0] = word[5];
		address[1] = word[9];
		ports = word[10];
	} else {
		return false;
	}
	for (int end = 0; end < 2; end++)
		if (nio_run.port && port[end] == nio_run.port &&
		    address[nio_run.of_sender ? !end : end] == nio_run.address)
			return true;
	return false;
}

/*
 * At the start of __netif_receive_skb_core() (net/core/dev.c): before skb_copy_ubufs() copies the
 * pages of a zero-copy packet, and before TCP receives the packet.
 */
SEC("?tp_btf/netif_receive_skb")
int BPF_PROG(nio_receive, const struct sk_buff *skb)
{
	__u32 zero = 0, *received = bpf_map_lookup_elem(&nio_received, &zero);

	if (received)
		*received |= 1 << is_of_run(skb);
	return 0;
}

/*
 * After the poll function of a device or of the backlog. Packets that GRO then passes on, or that
 * are received without a poll (tun), count for the next poll too: its work may then be of no run.
 */
SEC("?tp_btf/napi_poll")
int BPF_PROG(nio_end_poll)
{
	__u32 zero = 0, *received = bpf_map_lookup_elem(&nio_received, &zero);

	if (received)
		*received = 0;
	return 0;
}

/* Sampling of attach: the tasks watched now. */
SEC("?perf_event")
int nio_sample_task(void *ctx)
{
	__u32 tgid = tgid_now();
	struct nio_task *task = bpf_map_lookup_elem(&nio_sampled_tasks, &tgid);

	if (!task || task->exit_ns)
		return 0;
	return take(ctx, NIO_SAMPLE_TASK, tgid, task->started);
}

char LICENSE[] SEC("license")
= "GPL";
