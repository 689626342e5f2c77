/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives sockets the key of the mode ktls. */
#include <errno.h>
#include <linux/tcp.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ktls.h"
#include "sock.h"

/* A firewall may drop packets to the own machine. */
#define TRY_MS 1000

/*
 * The key is public, and each connection uses it for the same record numbers: it protects nothing.
 * It makes the kernel's cipher work.
 */
static int set_key(int fd, int direction)
{
	static const struct tls12_crypto_info_aes_gcm_128 key = {
		.info = {.version = TLS_1_3_VERSION, .cipher_type = TLS_CIPHER_AES_GCM_128},
		.key = {1},
	};

	/* EEXIST: the socket has the other direction's key. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) && errno != EEXIST)
		return -errno;
	return setsockopt(fd, SOL_TLS, direction, &key, sizeof(key)) ? -errno : 0;
}

int ktls__send_key(int fd)
{
	return set_key(fd, TLS_TX);
}

int ktls__receive_key(int fd)
{
	return set_key(fd, TLS_RX);
}

static int try_keys(const struct endpoint *at)
{
	int fd = sock__connect(at, 0, NULL), err;
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	if (fd < 0)
		return fd;
	err = poll(&p, 1, TRY_MS) > 0 ? sock__connected(fd) : -ETIMEDOUT;
	if (!err)
		err = ktls__send_key(fd);
	if (!err)
		err = ktls__receive_key(fd);
	close(fd);
	return err;
}

int ktls__try(void)
{
	struct endpoint at = {0};
	int listener, err;

	sock__loopback(&at, 0);
	listener = sock__listen(&at, 0, NULL);
	if (listener < 0)
		return listener;
	err = getsockname(listener, (struct sockaddr *)&at.addr, &at.len) ? -errno : try_keys(&at);
	close(listener);
	return err;
}
