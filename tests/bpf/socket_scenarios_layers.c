// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios of socket_scenarios.h: sequence numbers that wrap, and layers over TCP that send in its
 * place.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "socket_scenarios.h"

/* A socket in repair mode with given sequence numbers, not yet connected. */
static int repaired(__u32 sent, __u32 received, struct sockaddr_in *own)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	int out = TCP_SEND_QUEUE, in = TCP_RECV_QUEUE;
	socklen_t len = sizeof(*own);

	*own = (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof(on)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_QUEUE, &out, sizeof(out)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_QUEUE_SEQ, &sent, sizeof(sent)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_QUEUE, &in, sizeof(in)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_QUEUE_SEQ, &received, sizeof(received)))
		skip("TCP_REPAIR");
	if (bind(fd, (void *)own, len) || getsockname(fd, (void *)own, &len))
		fail("bind in repair mode");
	return fd;
}

/* Without a SYN neither side knows the other's window scale: 64 KiB would count as 64 bytes. */
static void agree_on_scale(int fd)
{
	const struct tcp_repair_opt scale = {.opt_code = TCPOPT_WINDOW, .opt_val = 7 | 7 << 16};

	if (setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_OPTIONS, &scale, sizeof(scale)))
		fail("window scale in repair mode");
}

/* Two sockets connected in repair mode, with the sender's sequence numbers about to wrap. */
struct pair pair_before_wrap(void)
{
	const __u32 before = 5000U;
	struct sockaddr_in tx, rx;
	struct pair p = {repaired(-before, 77, &tx), repaired(77, -before, &rx)};
	int off = 0;

	if (connect(p.tx, (void *)&rx, sizeof(rx)) || connect(p.rx, (void *)&tx, sizeof(tx)))
		fail("connect in repair mode");
	agree_on_scale(p.tx);
	agree_on_scale(p.rx);
	if (setsockopt(p.tx, IPPROTO_TCP, TCP_REPAIR, &off, sizeof(off)) ||
	    setsockopt(p.rx, IPPROTO_TCP, TCP_REPAIR, &off, sizeof(off)))
		fail("end of repair mode");
	usleep(50000);
	return p;
}

static void set_repair(int fd, int on)
{
	if (setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof(on)))
		skip("TCP_REPAIR");
}

/*
 * A socket gets 500 bytes as if it had received them, as when a process is restored. A socket
 * closed in repair mode sends nothing, which its peer would not understand.
 */
void play_restore(void)
{
	struct pair p = connect_pair(0);
	int in = TCP_RECV_QUEUE;

	watch(&p, 1);
	send_bytes(p.tx, 1000, 0);
	receive(p.rx, 1000, 0);
	set_repair(p.tx, 1);
	if (setsockopt(p.tx, IPPROTO_TCP, TCP_REPAIR_QUEUE, &in, sizeof(in)))
		fail("TCP_REPAIR_QUEUE");
	send_bytes(p.tx, 500, 0);
	set_repair(p.tx, 0);
	receive(p.tx, 500, 0);
	set_repair(p.tx, 1);
	close(p.tx);
	close(p.rx);
}

/* Both sockets are in a sockmap whose program passes all that is sent. */
void play_sockmap(void)
{
	const struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = SK_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int map = bpf_map_create(BPF_MAP_TYPE_SOCKMAP, NULL, sizeof(__u32), sizeof(__u32), 2, NULL);
	int prog = bpf_prog_load(BPF_PROG_TYPE_SK_MSG, NULL, "GPL", pass, 2, NULL);
	struct pair p = connect_pair(0);
	__u32 key = 0;

	if (map < 0 || prog < 0 || bpf_prog_attach(prog, map, BPF_SK_MSG_VERDICT, 0))
		skip("sockmap");
	if (bpf_map_update_elem(map, &key, &p.tx, BPF_ANY) ||
	    (key++, bpf_map_update_elem(map, &key, &p.rx, BPF_ANY)))
		skip("a socket in a sockmap");
	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 3000, 0);
}

/* A sockmap with a program that returns a redirection to the socket at key 0. map: r2. */
static int redirecting_map(enum bpf_prog_type type, enum bpf_attach_type how, int helper)
{
	int map = bpf_map_create(BPF_MAP_TYPE_SOCKMAP, NULL, sizeof(__u32), sizeof(__u32), 2, NULL);
	const struct bpf_insn redirect[] = {
		{.code = BPF_LD | BPF_DW | BPF_IMM,
		 .dst_reg = BPF_REG_2,
		 .src_reg = BPF_PSEUDO_MAP_FD,
		 .imm = map},
		{0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4, .imm = BPF_F_INGRESS},
		{.code = BPF_JMP | BPF_CALL, .imm = helper},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int prog = bpf_prog_load(type, NULL, "GPL", redirect, 6, NULL);

	if (map < 0 || prog < 0 || bpf_prog_attach(prog, map, how, 0))
		skip("sockmap");
	return map;
}

static void put_socket(int map, __u32 key, int fd)
{
	if (bpf_map_update_elem(map, &key, &fd, BPF_ANY))
		skip("a socket in a sockmap");
}

/* Received bytes are redirected to their own socket, which reads a quarter of them. */
void play_sockmap_self(void)
{
	int map = redirecting_map(BPF_PROG_TYPE_SK_SKB, BPF_SK_SKB_STREAM_VERDICT,
				  BPF_FUNC_sk_redirect_map);
	struct pair p = connect_pair(0);

	put_socket(map, 0, p.rx);
	watch(&p, 1);
	send_bytes(p.tx, 40000, 0);
	usleep(100000);
	receive(p.rx, 10000, 0);
}

/* Sent bytes are redirected to the queue of the receiver: they never pass through TCP. */
void play_sockmap_ingress(void)
{
	int map = redirecting_map(BPF_PROG_TYPE_SK_MSG, BPF_SK_MSG_VERDICT,
				  BPF_FUNC_msg_redirect_map);
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 1000, 0);
	receive(p.rx, 1000, 0);
	put_socket(map, 0, p.rx);
	put_socket(map, 1, p.tx);
	send_bytes(p.tx, 40000, 0);
	receive(p.rx, 40000, 0);
	usleep(300000); /* until attach has looked at the sockets */
}

struct uring {
	int fd;
	struct io_uring_params params;
	char *sq;
	struct io_uring_sqe *sqes;
};

static void open_uring(struct uring *u)
{
	memset(u, 0, sizeof(*u));
	u->fd = (int)syscall(SYS_io_uring_setup, 4, &u->params);
	if (u->fd < 0)
		skip("io_uring_setup");
	u->sq = mmap(NULL, u->params.sq_off.array + u->params.sq_entries * sizeof(__u32),
		     PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
	u->sqes = mmap(NULL, u->params.sq_entries * sizeof(*u->sqes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, u->fd, IORING_OFF_SQES);
	if (u->sq == MAP_FAILED || (void *)u->sqes == MAP_FAILED)
		fail("mmap of io_uring");
}

/* Submits one request and waits for its completion. */
static void submit(struct uring *u, const struct io_uring_sqe *request)
{
	__u32 *tail = (void *)(u->sq + u->params.sq_off.tail);

	u->sqes[0] = *request;
	*(__u32 *)(void *)(u->sq + u->params.sq_off.array) = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, u->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		skip("io_uring_enter");
}

/* A kernel thread closes the socket, which the ring holds until it ends. */
static void close_with_ring(struct uring *u, int fd)
{
	if (syscall(SYS_io_uring_register, u->fd, IORING_REGISTER_FILES, &fd, 1))
		fail("IORING_REGISTER_FILES");
	close(fd);
	munmap(u->sq, u->params.sq_off.array + u->params.sq_entries * sizeof(__u32));
	munmap(u->sqes, u->params.sq_entries * sizeof(*u->sqes));
	close(u->fd);
	usleep(200000);
}

void play_io_uring(void)
{
	struct pair p = connect_pair(0);
	struct uring u;

	open_uring(&u);
	watch(&p, 1);
	submit(&u, &(struct io_uring_sqe){.opcode = IORING_OP_SEND_ZC,
					  .fd = p.tx,
					  .addr = (uintptr_t)data,
					  .len = 8000});
	usleep(20000);
	if (recv(p.rx, data, 8000, MSG_DONTWAIT | MSG_PEEK) <= 0)
		skip("IORING_OP_SEND_ZC");
	receive(p.rx, 8000, 0);
	close_with_ring(&u, p.tx);
}

/* A kernel thread is the first to use the accepted socket: it closes it. */
void play_closed_by_ring(void)
{
	struct pair p = connect_pair(0);
	struct uring u;

	open_uring(&u);
	watch(&p, 1);
	send_bytes(p.tx, 500, 0);
	close_with_ring(&u, p.rx);
}

/* A write of one registered buffer: the kernel sees several pages. */
void play_registered(void)
{
	const struct iovec buffer = {data, 40000};
	struct pair p = connect_pair(0);
	struct uring u;

	open_uring(&u);
	if (syscall(SYS_io_uring_register, u.fd, IORING_REGISTER_BUFFERS, &buffer, 1))
		skip("IORING_REGISTER_BUFFERS");
	watch(&p, 1);
	submit(&u, &(struct io_uring_sqe){.opcode = IORING_OP_WRITE_FIXED,
					  .fd = p.tx,
					  .addr = (uintptr_t)data,
					  .len = 40000});
	receive(p.rx, 40000, 0);
}
