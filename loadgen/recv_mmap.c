/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way mmap: TCP_ZEROCOPY_RECEIVE maps whole pages of the socket into the thread's area, and
 * copies what is smaller. recv() takes what it says it cannot map.
 */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "receive_way.h"
#include "receiver_pool.h"

struct map_area {
	uint8_t *area;   /* RECV_LOOP_CHUNK, of the thread's first socket; serves all its sockets */
	uint32_t mapped; /* bytes of it that are mapped now */
	uint32_t copy;   /* most bytes that the call copies: a page */
	int error;       /* -errno that came with bytes of error_fd; 0: none */
	int error_fd;
};

static uint8_t *map_socket(int fd, size_t len)
{
	return mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
}

/* zc: with address and length; gets what was mapped and copied. 0 or -errno. */
static int zerocopy_receive(int fd, struct tcp_zerocopy_receive *zc)
{
	socklen_t len = sizeof(*zc);

	if (getsockopt(fd, IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, zc, &len))
		return -errno;
	/* Kernels before 5.11 copy nothing and leave these members as they were. */
	if (len < offsetof(struct tcp_zerocopy_receive, flags))
		zc->copybuf_len = 0;
	return 0;
}

/* A socket without a connection suffices. */
static int mmap_way__try(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct tcp_zerocopy_receive zc = {.length = (uint32_t)page};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), err;
	uint8_t *area;

	if (fd < 0)
		return -errno;
	area = map_socket(fd, page);
	err = area == MAP_FAILED ? -errno : 0;
	zc.address = (uintptr_t)area;
	if (!err)
		err = zerocopy_receive(fd, &zc);
	if (area != MAP_FAILED)
		munmap(area, page);
	close(fd);
	return err;
}

static int mmap_way__setup(struct recv_loop *r)
{
	struct map_area *own = xcalloc(1, sizeof(*own));

	r->own = own;
	own->copy = (uint32_t)sysconf(_SC_PAGESIZE);
	own->area = map_socket(r->conns[0].fd, RECV_LOOP_CHUNK);
	return own->area == MAP_FAILED ? -errno : 0;
}

static void mmap_way__teardown(struct recv_loop *r)
{
	struct map_area *own = r->own;

	if (own && own->area != MAP_FAILED)
		munmap(own->area, RECV_LOOP_CHUNK);
	free(own);
}

/* Here, the socket's lock is not held; TCP_ZEROCOPY_RECEIVE would unmap under it. */
static void unmap(struct map_area *own)
{
	if (own->mapped)
		madvise(own->area, own->mapped, MADV_DONTNEED);
	own->mapped = 0;
}

/* At the end of the stream TCP_ZEROCOPY_RECEIVE says EIO: recv() tells whether it is the end. */
static int map_pages(struct recv_loop *r, int fd, struct tcp_zerocopy_receive *zc)
{
	struct map_area *own = r->own;
	int err;

	unmap(own);
	*zc = (struct tcp_zerocopy_receive){
		.address = (uintptr_t)own->area,
		.length = RECV_LOOP_CHUNK,
		.copybuf_address = (uintptr_t)r->buf,
		.copybuf_len = (int32_t)own->copy,
		.flags = TCP_RECEIVE_ZEROCOPY_FLAG_TLB_CLEAN_HINT,
	};
	err = zerocopy_receive(fd, zc);
	if (err) {
		*zc = (struct tcp_zerocopy_receive){0};
		return err == -EIO ? 0 : err;
	}
	own->mapped = zc->length;
	/* The call takes the socket's error away. */
	if (zc->err) {
		own->error = zc->err;
		own->error_fd = fd;
	}
	if (zc->copybuf_len < 0)
		zc->copybuf_len = 0;
	return 0;
}

static ssize_t mmap_way__receive(struct recv_loop *r, int fd, bool wait, struct received *got)
{
	struct map_area *own = r->own;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct tcp_zerocopy_receive zc;
	size_t copied, rest;
	ssize_t n = 0;
	int err;

	if (wait && poll(&p, 1, -1) < 0)
		return -errno;
	err = map_pages(r, fd, &zc);
	if (err)
		return err;
	copied = (size_t)zc.copybuf_len;
	rest = zc.recv_skip_hint;
	if (rest > RECV_LOOP_CHUNK - copied)
		rest = RECV_LOOP_CHUNK - copied;
	/* Nothing at all: perhaps the end of the stream. */
	if (rest || !(own->mapped + copied))
		n = recv(fd, r->buf + copied, rest ? rest : own->copy, MSG_DONTWAIT);
	/* Bytes come first: the next call meets the end again, and an error that the map call took.
	 */
	if (n <= 0 && own->mapped + copied)
		n = 0;
	else if (n < 0)
		return -errno;
	else if (!n && own->error && own->error_fd == fd)
		return own->error;
	*got = (struct received){
		.data = {own->area, r->buf},
		.len = {own->mapped, copied + (size_t)n},
		.uncopied = own->mapped,
	};
	return (ssize_t)(got->len[0] + got->len[1]);
}

const struct receive_way receive_way_mmap = {
	.try = mmap_way__try,
	.try_fails = "the kernel has no TCP_ZEROCOPY_RECEIVE, or no memory for it",
	.try_remedy = "choose another way to receive",
	.setup = mmap_way__setup,
	.teardown = mmap_way__teardown,
	.receive = mmap_way__receive,
};
