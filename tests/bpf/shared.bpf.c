// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of bpf/ that two contexts can run at once, and those that count losses. shared_run.c
 * runs each alone, since traffic cannot be relied on to cause these cases.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* An unknown name, so that this loads where a kernel keeps no addresses of variables
 * (KALLSYMS_ALL).
 */
#define __preempt_count nio_test_no_such_variable

#include "bpf/copy.bpf.h"

#define TURNS 4096

__u32 test_thread = 0;              /* softirqs on top of it book; 0: none */
__u64 softirqs_booked = 0;          /* number of times they did */
__u64 test_parts[NIO_PATH_NR] = {}; /* of the call that nio_test_call_end ended */

/* The end of a copy of a watched socket without its beginning. */
SEC("raw_tp/end_alone")
int nio_test_end_alone(void *ctx)
{
	other_copy_end(NIO_COPY_BITS, NIO_OTHER_COPY_BITS, true, true);
	return 0;
}

/* A second beginning without the end of the first. */
SEC("raw_tp/begin_twice")
int nio_test_begin_twice(void *ctx)
{
	struct nio_copy copy = {};

	copy_begin(NIO_COPY_BITS, &copy);
	copy_begin(NIO_COPY_BITS, &copy);
	copy_over(NIO_COPY_BITS);
	return 0;
}

/* A copy begins: one more than the map has room for (set by shared_run.c). */
SEC("raw_tp/begin")
int nio_test_begin(void *ctx)
{
	struct nio_copy copy = {};

	copy_begin(NIO_COPY_BITS, &copy);
	return 0;
}

/* Send ctx[0], of 3 bytes, of the socket with cookie ctx[1] is recorded and reported complete. */
SEC("raw_tp/complete")
int nio_test_complete(const __u64 *ctx)
{
	struct zc_notification n = {.lo = ctx[0], .sends = 1};
	struct nio_conn *conn = conn_by_cookie(ctx[1]);
	struct nio_zc_send *send = conn ? zc_send_of(conn, n.lo) : NULL;

	if (!send)
		return 0;
	nio_zc_note(send, conn->cookie, n.lo, 3, 0);
	on_completion(conn->cookie, &n);
	return 0;
}

/* The same, reported complete before its call returns. */
SEC("raw_tp/early")
int nio_test_early(const __u64 *ctx)
{
	struct zc_notification n = {.lo = ctx[0], .sends = 1};
	struct nio_conn *conn = conn_by_cookie(ctx[1]);

	if (!conn)
		return 0;
	on_completion(conn->cookie, &n);
	on_pinned_send(conn, n.lo, 3, 0);
	return 0;
}

/* A send call of this thread begins, in the body of tcp_sendmsg_locked. */
SEC("raw_tp/call_begin")
int nio_test_call_begin(void *ctx)
{
	struct nio_call *call = new_call();

	if (!call)
		return 0;
	call->cookie = 1;
	call->part = NIO_PATH_OTHER;
	call->since = bpf_ktime_get_ns();
	return 0;
}

/* The CPU switches to thread ctx[1], or back to this one if that is 0; ctx[0]: it was preempted. */
SEC("raw_tp/call_switch")
int nio_test_call_switch(const __u64 *ctx)
{
	call_switch(ctx[0], ctx[1] ? ctx[1] : tid_now());
	return 0;
}

/* A receive softirq on top of the thread begins (ctx[0]) or ends. */
SEC("raw_tp/call_softirq")
int nio_test_call_softirq(const __u64 *ctx)
{
	call_softirq(NET_RX_SOFTIRQ, ctx[0]);
	return 0;
}

SEC("raw_tp/call_end")
int nio_test_call_end(void *ctx)
{
	struct nio_call *call = call_of_thread();

	if (!call)
		return 0;
	enter_part(call, NIO_PATH_RELEASE);
	__builtin_memcpy(test_parts, call->ns, sizeof(test_parts));
	return 0;
}

static __always_inline void book_one(void)
{
	book_shared(NIO_STAGE_OTHER_COPY, 1);
}

/* Books in process context, long enough to be interrupted. */
SEC("raw_tp/book")
int nio_test_book(void *ctx)
{
	for (int i = 0; i < TURNS; i++)
		book_one();
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(nio_test_softirq, unsigned int vec)
{
	/* The thread ID of an idle CPU is 0 as well. */
	if (!test_thread || tid_now() != test_thread)
		return 0;
	book_one();
	__sync_fetch_and_add(&softirqs_booked, 1);
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
