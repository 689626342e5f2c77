/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which sockets are TCP sockets, those among the open files of tasks, and their counters. */
#ifndef BPF_SOCKET_FILE_BPF_H
#define BPF_SOCKET_FILE_BPF_H

#include "kernel.bpf.h"
#include "sockets.h"

#define AF_INET     2
#define AF_INET6    10
#define SOCK_STREAM 1
#define IPPROTO_TCP 6
#define S_IFMT      0170000
#define S_IFSOCK    0140000

/*
 * IPPROTO_TCP or IPPROTO_MPTCP: sk is a TCP socket, or an MPTCP socket; 0: another one. All
 * programs decide it here, before they read a field of tcp_sock: a raw socket may have the protocol
 * of TCP (SOCK_RAW), but is smaller. The state comes first: request and TIME_WAIT sockets are
 * sock_common and little more, and have no sk_type. An SMC socket is no TCP socket: it has another
 * protocol or family. The TCP socket that SMC uses is one, and so are TCP sockets of the kernel.
 */
static __always_inline __u16 tcp_protocol_of(const struct sock *sk)
{
	__u8 state = kernel_read(struct sock_common, sk, skc_state);
	__u16 family = kernel_read(struct sock_common, sk, skc_family), protocol;

	if (state == TCP_NEW_SYN_RECV || state == TCP_TIME_WAIT ||
	    (family != AF_INET && family != AF_INET6) ||
	    kernel_read(struct sock, sk, sk_type) != SOCK_STREAM)
		return 0;
	protocol = kernel_read(struct sock, sk, sk_protocol);
	return protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP ? protocol : 0;
}

/* TCP itself, no MPTCP. */
static __always_inline bool is_tcp(const struct sock *sk)
{
	return tcp_protocol_of(sk) == IPPROTO_TCP;
}

/* A TCP connection that is part of an MPTCP connection. sk is a TCP socket. */
static __always_inline bool is_subflow(const struct sock *sk)
{
	return ulp_of(sk) == ULP_MPTCP;
}

/* Not a socket of MPTCP, and no subflow of one. */
static __always_inline bool is_plain(const struct sock *sk)
{
	return is_tcp(sk) && !is_subflow(sk);
}

/* The open file of a file descriptor of the current task, or NULL. */
static __always_inline const struct file *file_of(__u32 fd)
{
	const struct task_struct *task = (const void *)bpf_get_current_task();
	const struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	const struct file *file = NULL;

	if (!table || fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + fd);
	return file;
}

/* The TCP or MPTCP socket of an open file; NULL: none. A file opened with O_PATH has no private
 * data. */
static __always_inline const struct sock *tcp_of(const struct file *file)
{
	const struct socket *socket = kernel_read(struct file, file, private_data);
	const struct inode *inode = kernel_read(struct file, file, f_inode);
	const struct sock *sk;

	if (!socket || (kernel_read(struct inode, inode, i_mode) & S_IFMT) != S_IFSOCK)
		return NULL;
	sk = kernel_read(struct socket, socket, sk);
	return sk && tcp_protocol_of(sk) ? sk : NULL;
}

/* Reads the counters of a socket but for syn. */
static __always_inline void fill_tcp(struct nio_tcp *t, const struct sock *sk)
{
	t->bytes_acked = kernel_read(struct tcp_sock, sk, bytes_acked);
	t->snd_una = kernel_read(struct tcp_sock, sk, snd_una);
	t->write_seq = kernel_read(struct tcp_sock, sk, write_seq);
	t->bytes_received = kernel_read(struct tcp_sock, sk, bytes_received);
	t->rcv_nxt = kernel_read(struct tcp_sock, sk, rcv_nxt);
	t->copied_seq = kernel_read(struct tcp_sock, sk, copied_seq);
	t->bytes_retrans = kernel_read(struct tcp_sock, sk, bytes_retrans);
	t->state = kernel_read(struct sock_common, sk, skc_state);
	t->done = kernel_read(struct sock_common, sk, skc_flags) & (1UL << SOCK_DONE);
}

/* Did the acked and received counters stay as in t while t was read? No lock is held. */
static __always_inline bool held_still(const struct nio_tcp *t, const struct sock *sk)
{
	barrier();
	return t->bytes_acked == kernel_read(struct tcp_sock, sk, bytes_acked) &&
	       t->snd_una == kernel_read(struct tcp_sock, sk, snd_una) &&
	       t->bytes_received == kernel_read(struct tcp_sock, sk, bytes_received) &&
	       t->rcv_nxt == kernel_read(struct tcp_sock, sk, rcv_nxt) &&
	       t->state == kernel_read(struct sock_common, sk, skc_state);
}

#endif
