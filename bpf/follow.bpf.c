// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs of `netiotrace follow`: choose a received or sent payload byte, see who touches it, and
 * hold the thread until user space has asked for its stop. A signal is never sent. x86-64 only.
 */
#include "socket_file.bpf.h"

#include <bpf/bpf_endian.h>

#include "follow_event.h"

#define BPF_RB_NO_WAKEUP (1ULL << 0)
#define USER_CS          0x33 /* of 64-bit programs */
#define JOBCTL_TRAP_STOP (1UL << 19)
#define MSG_PEEK         0x2
#define MSG_TRUNC        0x20
#define MSG_ERRQUEUE     0x2000
#define HOLD_STEPS       (1 << 16)
#define NR_MREMAP        25

/* vmlinux.h has the registers that all architectures have. */
struct pt_regs___x86 {
	unsigned long r10, dx, si, di, orig_ax, ip, cs, sp;
} __attribute__((preserve_access_index));

/* Of the system call interface. */
struct nio_iovec {
	__u64 base, len;
};

struct nio_msghdr {
	__u64 name;
	__u32 name_len, pad;
	__u64 iov, iov_nr;
};

struct nio_perf_event {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs,
		flags, sp, ss;
	__u64 sample_period, addr;
};

NIO_MAP(nio_follow_tgids, HASH, NIO_FOLLOW_TGIDS, 0, __u32, __u8);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18);
} nio_follow_events SEC(".maps");

volatile struct nio_follow nio_follow;
const volatile __u32 nio_follow_ports_nr = 0;
const volatile __u16 nio_follow_ports[NIO_FOLLOW_PORTS] = {};

/* Walks the buffers of one call. */
struct walk {
	__u64 iov;
	__u64 chosen; /* offset of the sample in the call's bytes; ~0: none */
	__u64 done, rest;
	__u64 address; /* of the sample; 0: not found yet */
	__u32 covers;
};

NIO_MAP(nio_follow_walks, PERCPU_ARRAY, 1, 0, __u32, struct walk);

static bool is_stopping(void)
{
	const struct task_struct *t = bpf_get_current_task_btf();

	return t->jobctl & JOBCTL_TRAP_STOP;
}

static long wait_for_stop(__u32 i, void *arg)
{
	const __u64 *end = arg;

	return is_stopping() || bpf_ktime_get_ns() > *end;
}

/* Keeps the thread from user mode until PTRACE_INTERRUPT took effect, at most hold_ns. */
static void hold(__u32 id)
{
	__u64 begin = bpf_ktime_get_ns(), end = begin + nio_follow.hold_ns;

	bpf_loop(HOLD_STEPS, wait_for_stop, &end, 0);
	__sync_fetch_and_add(&nio_follow.holds, 1);
	__sync_fetch_and_add(&nio_follow.held_ns, bpf_ktime_get_ns() - begin);
	if (is_stopping())
		return;
	__sync_fetch_and_add(&nio_follow.timeouts, 1);
	nio_follow.returned[id % NIO_FOLLOW_RETURNS] = id;
}

/* Sends the event and returns the id of the hold; 0: lost. */
static __u32 send_event(const struct nio_follow_event *from, bool held)
{
	struct nio_follow_event *e = bpf_ringbuf_reserve(&nio_follow_events, sizeof(*e), 0);
	__u32 id;

	if (!e) {
		__sync_fetch_and_add(&nio_follow.lost, 1);
		return 0;
	}
	*e = *from;
	id = held ? __sync_fetch_and_add(&nio_follow.ids, 1) + 1 : 0;
	e->id = id;
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return id;
}

static bool port_wanted(const struct sock *sk)
{
	__u16 local = BPF_CORE_READ(sk, __sk_common.skc_num);
	__u16 remote = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));

	for (__u32 i = 0; i < NIO_FOLLOW_PORTS && i < nio_follow_ports_nr; i++)
		if (nio_follow_ports[i] == local || nio_follow_ports[i] == remote)
			return true;
	return !nio_follow_ports_nr;
}

/* Is the descriptor a TCP socket that is followed? */
static bool is_followed(__u32 fd)
{
	const struct file *file = file_of(fd);
	const struct sock *sk = file ? tcp_of(file) : NULL;

	return sk && is_tcp(sk) && port_wanted(sk);
}

static void walk_buffer(struct walk *w, __u64 base, __u64 len)
{
	if (len > w->rest)
		len = w->rest;
	if (w->chosen >= w->done && w->chosen < w->done + len)
		w->address = base + (w->chosen - w->done);
	for (int i = 0; i < NIO_FOLLOW_PLACES; i++)
		w->covers |= (__u32)(nio_follow.place[i] - base < len) << i;
	w->done += len;
	w->rest -= len;
}

static long walk_iovec(__u32 i, void *arg)
{
	struct walk *w = bpf_map_lookup_elem(&nio_follow_walks, arg);
	struct nio_iovec v;

	if (!w || bpf_probe_read_user(&v, sizeof(v), (void *)(w->iov + i * sizeof(v))))
		return 1;
	walk_buffer(w, v.base, v.len);
	return !w->rest;
}

/* Is this the address space of the watched bytes? */
static bool is_watched(__u32 tgid)
{
	const struct task_struct *t = bpf_get_current_task_btf();

	return tgid == nio_follow.tgid && (!nio_follow.mm || nio_follow.mm == (__u64)t->mm);
}

enum layout {
	NO_CALL,
	MOVED,
	ONE_BUFFER,
	IOVECS,
	MESSAGE,
};

/* The calls that read and write, by their number on x86-64. */
static enum layout layout_of(__u64 nr, bool *fills)
{
	*fills = true;
	switch (nr) {
	case 0:  /* read */
	case 17: /* pread64 */
	case 45: /* recvfrom */
		return ONE_BUFFER;
	case 19: /* readv */
		return IOVECS;
	case 47: /* recvmsg */
		return MESSAGE;
	}
	*fills = false;
	switch (nr) {
	case 1:  /* write */
	case 18: /* pwrite64 */
	case 44: /* sendto */
		return ONE_BUFFER;
	case 20: /* writev */
		return IOVECS;
	case 46: /* sendmsg */
		return MESSAGE;
	case NR_MREMAP:
		return MOVED;
	}
	return NO_CALL;
}

static void walk_call(struct walk *w, const struct pt_regs___x86 *regs, enum layout layout)
{
	struct nio_msghdr m;
	__u64 nr = regs->dx;
	__u32 zero = 0;

	if (layout == MOVED) {
		w->rest = regs->si;
		walk_buffer(w, regs->di, regs->si);
		return;
	}
	if (layout == ONE_BUFFER) {
		walk_buffer(w, regs->si, w->rest);
		return;
	}
	w->iov = regs->si;
	if (layout == MESSAGE) {
		if (bpf_probe_read_user(&m, sizeof(m), (void *)regs->si))
			return;
		w->iov = m.iov;
		nr = m.iov_nr;
	}
	bpf_loop(nr > NIO_FOLLOW_IOVECS ? NIO_FOLLOW_IOVECS : nr, walk_iovec, &zero, 0);
}

/* Does the call leave received bytes in the socket, drop them without a copy, or get sent ones? */
static bool takes_no_bytes(const struct pt_regs___x86 *regs)
{
	__u64 flags = regs->orig_ax == 45 ? regs->r10 : regs->orig_ax == 47 ? regs->dx : 0;

	return flags & (MSG_PEEK | MSG_TRUNC | MSG_ERRQUEUE);
}

/* The offset of the wanted sample in the n bytes of this call; ~0: not in it. */
static __u64 choose(__u64 n, bool fills)
{
	__u32 direction = fills ? NIO_FOLLOW_RECEIVED : NIO_FOLLOW_SENT;
	__s64 left;

	__sync_fetch_and_add(&nio_follow.bytes[direction], n);
	__sync_fetch_and_add(&nio_follow.calls[direction], 1);
	if (n > nio_follow.largest[direction])
		nio_follow.largest[direction] = n;
	if (!nio_follow.wanted || nio_follow.direction != direction)
		return ~0ULL;
	left = __sync_fetch_and_add(&nio_follow.bytes_left, -(__s64)n);
	return left > 0 && left <= (__s64)n ? (__u64)left - 1 : ~0ULL;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(nio_follow_call, struct pt_regs___x86 *regs, long ret)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 tgid = id >> 32, zero = 0, held;
	struct nio_follow_event e = {};
	struct walk *w;
	enum layout layout;
	bool fills, tcp, watched;

	/* mremap() returns an address: only a move is of interest. */
	if (ret <= 0 || (regs->orig_ax == NR_MREMAP && (__u64)ret == regs->di) ||
	    !bpf_map_lookup_elem(&nio_follow_tgids, &tgid) || (regs->cs & 0xffff) != USER_CS)
		return 0;
	layout = layout_of(regs->orig_ax, &fills);
	w = bpf_map_lookup_elem(&nio_follow_walks, &zero);
	if (layout == NO_CALL || !w)
		return 0;
	tcp = layout != MOVED && is_followed(regs->di);
	watched = is_watched(tgid);
	*w = (struct walk){.chosen = ~0ULL, .rest = ret};
	if (tcp && !(fills && takes_no_bytes(regs)))
		w->chosen = choose(ret, fills);
	if (!watched && w->chosen == ~0ULL)
		return 0;
	walk_call(w, regs, layout);
	e.tid = (__u32)id;
	e.tgid = tgid;
	e.sample = nio_follow.sample;
	e.ns = bpf_ktime_get_ns();
	e.ip = regs->ip;
	e.sp = regs->sp;
	e.fills = fills;
	e.tcp = tcp;
	if (watched && w->covers) {
		e.kind = layout == MOVED ? NIO_FOLLOW_MOVE : NIO_FOLLOW_COVER;
		e.places = w->covers;
		send_event(&e, false);
	}
	if (w->address) {
		e.kind = NIO_FOLLOW_SAMPLE;
		e.address = w->address;
		nio_follow.mm = (__u64)bpf_get_current_task_btf()->mm;
		nio_follow.chosen_ns = e.ns;
		held = send_event(&e, true);
		if (held)
			hold(held);
	}
	return 0;
}

/* A child that began after the sample has a copy of the memory. */
static void touch_of_other(struct nio_follow_event *e)
{
	const struct task_struct *t = bpf_get_current_task_btf();

	__sync_fetch_and_add(&nio_follow.touches_elsewhere, 1);
	if (!nio_follow.tgid || t->group_leader->start_time < nio_follow.chosen_ns)
		return;
	e->kind = NIO_FOLLOW_CHILD;
	send_event(e, false);
}

SEC("perf_event")
int nio_follow_touch(struct nio_perf_event *ctx)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct nio_follow_event e = {
		.kind = NIO_FOLLOW_TOUCH,
		.tid = (__u32)id,
		.tgid = id >> 32,
		.sample = nio_follow.sample,
		.address = ctx->addr,
		.ip = ctx->ip,
		.sp = ctx->sp,
	};
	__u32 held;

	if (!is_watched(e.tgid)) {
		touch_of_other(&e);
		return 0;
	}
	__sync_fetch_and_add(&nio_follow.touches, 1);
	if (e.tid == nio_follow.stepped)
		return 0;
	e.ns = bpf_ktime_get_ns();
	held = send_event(&e, true);
	if (held)
		hold(held);
	return 0;
}

/* A followed process ends: by a signal? */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(nio_follow_exit, struct task_struct *task)
{
	__u32 tgid = task->tgid, by = task->exit_code & 0x7f;

	/* Several threads of a group that is killed may find no other alive: one deletes the entry.
	 */
	if (!by || task->signal->live.counter || bpf_map_delete_elem(&nio_follow_tgids, &tgid) ||
	    __sync_fetch_and_add(&nio_follow.killed, 1))
		return 0;
	nio_follow.killed_pid = tgid;
	nio_follow.killed_by = by;
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
