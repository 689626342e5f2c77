/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which system call takes bytes of a socket without a copy: read from the registers with which the
 * current task entered the kernel. For tcp_rcv_space_adjust, which fires after each advance of
 * copied_seq by the payload of a call.
 */
#ifndef BPF_TAKEN_BPF_H
#define BPF_TAKEN_BPF_H

#include "kernel.bpf.h"
#include "netiotrace.h"
#include "socket_file.bpf.h"

#define SOL_TCP              6
#define MSG_TRUNC            0x20
#define TCP_ZEROCOPY_RECEIVE 35

struct nio_syscall {
	__s32 nr; /* -1: unknown */
	__u32 args[4];
};

#if defined(__TARGET_ARCH_arm64)

#define NR_SENDFILE   71
#define NR_SPLICE     76
#define NR_RECVFROM   207
#define NR_GETSOCKOPT 209
#define NR_RECVMSG    212
#define NR_RECVMMSG   243

#define PSR_MODE32_BIT 0x10 /* a 32-bit task: its calls have other numbers */

struct pt_regs___call {
	__u64 regs[31];
	__u64 pstate, orig_x0;
	__s32 syscallno; /* -1: not in a system call */
} __attribute__((preserve_access_index));

/* Task work of io_uring runs at the end of any call: the registers do not show it. */
static __always_inline void read_syscall(struct nio_syscall *call, const void *regs)
{
	const struct pt_regs___call *r = regs;

	if ((BPF_CORE_READ(r, pstate) & PSR_MODE32_BIT) || uses_io_uring())
		return;
	call->nr = BPF_CORE_READ(r, syscallno);
	call->args[0] = BPF_CORE_READ(r, orig_x0);
	call->args[1] = BPF_CORE_READ(r, regs[1]);
	call->args[2] = BPF_CORE_READ(r, regs[2]);
	call->args[3] = BPF_CORE_READ(r, regs[3]);
}

/* Where a stack ends is not known: its size depends on the size of a page. */
static __always_inline const void *registers_before_5_15(void)
{
	return NULL;
}

#else

#define NR_SENDFILE   40
#define NR_RECVFROM   45
#define NR_RECVMSG    47
#define NR_GETSOCKOPT 55
#define NR_SPLICE     275
#define NR_RECVMMSG   299

#define USER_CS     0x33 /* 64-bit user space */
#define TS_COMPAT   2    /* the call is of the 32-bit interface, which has other numbers */
#define ENOSYS      38

struct pt_regs___call {
	unsigned long r10, dx, si, di, ax, orig_ax, cs;
} __attribute__((preserve_access_index));

struct thread_info___call {
	__u32 status;
} __attribute__((preserve_access_index));

struct task_struct___call {
	struct thread_info___call thread_info;
	void *stack;
} __attribute__((preserve_access_index));

/*
 * The entry of a system call sets ax to -ENOSYS, and its end to the result: task work of io_uring,
 * which runs at the end of any call, sees the result. Interrupts have no positive orig_ax.
 */
static __always_inline void read_syscall(struct nio_syscall *call, const void *regs)
{
	const struct task_struct___call *task = (const void *)bpf_get_current_task();
	const struct pt_regs___call *r = regs;

	if ((BPF_CORE_READ(r, cs) & 0xffff) != USER_CS || (long)BPF_CORE_READ(r, ax) != -ENOSYS ||
	    (BPF_CORE_READ(task, thread_info.status) & TS_COMPAT))
		return;
	call->nr = BPF_CORE_READ(r, orig_ax);
	call->args[0] = BPF_CORE_READ(r, di);
	call->args[1] = BPF_CORE_READ(r, si);
	call->args[2] = BPF_CORE_READ(r, dx);
	call->args[3] = BPF_CORE_READ(r, r10);
}

/* The registers are at the end of the stack. In a stack of another size, cs is not found there. */
#define THREAD_SIZE 16384

static __always_inline const void *registers_before_5_15(void)
{
	const struct task_struct___call *task = (const void *)bpf_get_current_task();
	const char *stack = BPF_CORE_READ(task, stack);

	return stack + THREAD_SIZE - bpf_core_type_size(struct pt_regs);
}

#endif

enum bpf_func_id___call {
	BPF_FUNC_task_pt_regs___call = 175,
};

/* The registers of the current task's entry to the kernel; NULL: unknown. */
static __always_inline const void *entry_registers(void)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id___call, BPF_FUNC_task_pt_regs___call))
		return registers_before_5_15();
	return (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

static __always_inline bool is_socket_of(const struct sock *sk, __u32 fd)
{
	const struct file *file = file_of(fd);

	return file && file == BPF_CORE_READ(sk, sk_socket, file);
}

/* The stage that a call feeds without a copy, from its number and the arguments. A receive call
 * discards only with MSG_TRUNC. */
static __always_inline __u32 stage_of_arguments(const struct nio_syscall *call)
{
	switch (call->nr) {
	case NR_GETSOCKOPT:
		return call->args[1] == SOL_TCP && call->args[2] == TCP_ZEROCOPY_RECEIVE
			       ? NIO_STAGE_RX_MAP
			       : NIO_STAGE_NR;
	case NR_RECVMSG:
		return call->args[2] & MSG_TRUNC ? NIO_STAGE_RX_DISCARD : NIO_STAGE_NR;
	case NR_RECVFROM:
	case NR_RECVMMSG:
		return call->args[3] & MSG_TRUNC ? NIO_STAGE_RX_DISCARD : NIO_STAGE_NR;
	case NR_SPLICE:
	case NR_SENDFILE:
		return NIO_STAGE_RX_SPLICE;
	default:
		return NIO_STAGE_NR;
	}
}

/*
 * The stage of the bytes that the current system call takes from this socket without a copy.
 * NIO_STAGE_NR: unknown: io_uring, a 32-bit task, a reader in the kernel; or a call that copies, so
 * that an event was missed, or the byte is urgent data.
 */
static __noinline __u32 stage_of_syscall(const struct sock *sk)
{
	struct nio_syscall call = {.nr = -1};
	const void *regs = entry_registers();
	__u32 stage, fd;

	if (regs)
		read_syscall(&call, regs);
	stage = stage_of_arguments(&call);
	/* sendfile() into a pipe, since Linux 5.12: its second file is the source. */
	fd = call.nr == NR_SENDFILE ? call.args[1] : call.args[0];
	return stage < NIO_STAGE_NR && is_socket_of(sk, fd) ? stage : NIO_STAGE_NR;
}

/*
 * The TCP socket of the current task's recv(). NULL: another call; *unknown: perhaps that one. For
 * packets that kTLS has decrypted, which name no socket.
 */
static __always_inline const struct sock *receiving_socket(bool *unknown)
{
	struct nio_syscall call = {.nr = -1};
	const void *regs = entry_registers();
	const struct file *file;

	if (regs)
		read_syscall(&call, regs);
	*unknown = call.nr < 0;
	file = call.nr == NR_RECVFROM ? file_of(call.args[0]) : NULL;
	return file ? tcp_of(file) : NULL;
}

#endif
