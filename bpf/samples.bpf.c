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

/* The layout of struct bpf_pidns_info. */
struct nio_pidns {
	__u32 pid;
	__u32 tgid;
};

/* Sender and receiver process ids, in user space's PID namespace. */
__u32 nio_watched[2];
const volatile __u64 nio_pidns_dev = 0, nio_pidns_ino = 0;

/* Functions that mark a stack of an unwatched task as TCP work; from = 0: unused. */
const volatile struct nio_code nio_tcp_code[NIO_TCP_CODES] = {};

/* Samples lost, by enum nio_sample_owner: no stack, or the ring buffer was full. */
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

static __always_inline bool has_tcp_code(const struct nio_sample *s)
{
	for (__u32 i = 0; i < NIO_SAMPLE_FRAMES; i++) {
		if (i >= s->frames)
			return false;
		for (int c = 0; c < NIO_TCP_CODES; c++)
			if (s->ip[i] >= nio_tcp_code[c].from && s->ip[i] < nio_tcp_code[c].to)
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

/* Takes a sample. A sample of ELSEWHERE is kept only if its stack has TCP work. */
static __always_inline int take(void *ctx, __u32 owner, __u32 tgid, __u64 started)
{
	struct nio_sample *s;
	__u32 zero = 0;
	long bytes;

	s = bpf_map_lookup_elem(&nio_scratch, &zero);
	if (!s)
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
	if (owner == NIO_SAMPLE_ELSEWHERE && !has_tcp_code(s))
		return 0;
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
