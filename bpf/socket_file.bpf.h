/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The TCP sockets among the open files of tasks (iter/task_file). */
#ifndef BPF_SOCKET_FILE_BPF_H
#define BPF_SOCKET_FILE_BPF_H

#include "kernel.bpf.h"

#define AF_INET     2
#define AF_INET6    10
#define IPPROTO_TCP 6
#define S_IFMT      0170000
#define S_IFSOCK    0140000

static __always_inline bool is_tcp(const struct sock *sk)
{
	__u16 family = kernel_read(struct sock, sk, __sk_common.skc_family);
	__u16 protocol;

	if (family != AF_INET && family != AF_INET6)
		return false;
	protocol = kernel_read(struct sock, sk, sk_protocol);
	return protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP;
}

/* The TCP socket of an open file; NULL: none. A file opened with O_PATH has no private data. */
static __always_inline const struct sock *tcp_of(const struct file *file)
{
	const struct socket *socket = kernel_read(struct file, file, private_data);
	const struct inode *inode = kernel_read(struct file, file, f_inode);
	const struct sock *sk;

	if (!socket || (kernel_read(struct inode, inode, i_mode) & S_IFMT) != S_IFSOCK)
		return NULL;
	sk = kernel_read(struct socket, socket, sk);
	return sk && is_tcp(sk) ? sk : NULL;
}

#endif
