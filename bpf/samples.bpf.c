// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of CPU time: called by a perf event of each CPU, some tens or hundreds of times a second,
 * and never by what is sampled. An object of its own: rounds that are compared do not have it
 * attached. One program of the two is loaded: of a run's two processes, or of a table of tasks.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "pidns.bpf.h"
#include "samples.h"
#include "sock_state.h"

/* Of the kernel's interface (linux/bpf.h), and not in vmlinux.h. */
#define BPF_F_USER_STACK (1ULL << 8)
#define BPF_RB_NO_WAKEUP (1ULL << 0)

/* struct bpf_pidns_info, which the kernel's own header has. */
struct nio_pidns {
	__u32 pid;
	__u32 tgid;
};

/* The processes of both sides as user space numbers them, in its namespace of pids. */
__u32 nio_watched[2];
const volatile __u64 nio_pidns_dev = 0, nio_pidns_ino = 0;

/* What a stack of nobody watched must pass through to be counted; from 0: none. */
const volatile struct nio_code nio_tcp_code[NIO_TCP_CODES] = {};

/* Samples that could not be taken, by whose: no stack, or no room in the ring. */
__u64 nio_samples_lost[NIO_SAMPLE_WHOSE_NR];

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} nio_samples SEC(".maps");

/* The tasks to sample, by tgid: attach puts the table of those it watches in this one's place. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nio_task);
} nio_sampled_tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nio_sample);
} nio_scratch SEC(".maps");

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

static __always_inline bool is_in(const volatile struct nio_code *code, __u64 ip)
{
	return ip >= code->from && ip < code->to;
}

static __always_inline bool is_tcp(const struct nio_sample *s)
{
	for (__u32 i = 0; i < NIO_SAMPLE_FRAMES; i++) {
		if (i >= s->frames)
			return false;
		for (int c = 0; c < NIO_TCP_CODES; c++)
			if (is_in(&nio_tcp_code[c], s->ip[i]))
				return true;
	}
	return false;
}

static __always_inline int lost(__u32 whose)
{
	if (whose < NIO_SAMPLE_WHOSE_NR)
		__sync_fetch_and_add(&nio_samples_lost[whose], 1);
	return 0;
}

/* The stack as it is now, of a task that is watched or (ELSEWHERE) in work of TCP's. */
static __always_inline int take(void *ctx, __u32 whose, __u32 tgid, __u64 started)
{
	struct nio_sample *s;
	__u32 zero = 0;
	long bytes;

	s = bpf_map_lookup_elem(&nio_scratch, &zero);
	if (!s)
		return lost(whose);
	bytes = bpf_get_stack(ctx, s->ip, sizeof(s->ip), 0);
	/* Whether somebody else's was TCP's cannot be told without its stack. */
	if (bytes < 0 || bytes > (long)sizeof(s->ip))
		return whose == NIO_SAMPLE_ELSEWHERE ? 0 : lost(whose);
	s->tgid = tgid;
	s->started = started;
	s->whose = whose;
	s->frames = bytes / sizeof(s->ip[0]);
	s->user_ip = 0;
	if (whose == NIO_SAMPLE_ELSEWHERE && !is_tcp(s))
		return 0;
	if (!s->frames)
		bpf_get_stack(ctx, &s->user_ip, sizeof(s->user_ip), BPF_F_USER_STACK);
	if (bpf_ringbuf_output(&nio_samples, s, NIO_SAMPLE_HEAD + (__u64)bytes, BPF_RB_NO_WAKEUP))
		return lost(whose);
	return 0;
}

/* Of a run: its two processes, and TCP's work on top of others. */
SEC("?perf_event")
int nio_sample(void *ctx)
{
	return take(ctx, whose_now(), 0, 0);
}

/* Of attach: the tasks it watches now. */
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
