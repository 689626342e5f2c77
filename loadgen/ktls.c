/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives sockets the key of the mode ktls. */
#include <errno.h>
#include <linux/tcp.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/time_limit.h"
#include "ktls.h"
#include "sock.h"
#include "trial.h"

/* A firewall may drop packets to the own machine; a receiver's main loop waits. */
#define TRY_MS 100

/*
 * The key is public, and each connection uses it for the same record numbers: it protects nothing.
 * It makes the kernel's cipher work.
 */
static int set_key(int fd, int direction, enum workload_tls version)
{
	const struct tls12_crypto_info_aes_gcm_128 key = {
		.info = {.version = version == WORKLOAD_TLS_1_2 ? TLS_1_2_VERSION : TLS_1_3_VERSION,
			 .cipher_type = TLS_CIPHER_AES_GCM_128},
		.key = {1},
	};

	/* EEXIST: the socket has the other direction's key. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) && errno != EEXIST)
		return errno == ENOTCONN ? -ECONNRESET : -errno;
	return setsockopt(fd, SOL_TLS, direction, &key, sizeof(key)) ? -errno : 0;
}

int ktls__send_key(int fd, enum workload_tls version)
{
	return set_key(fd, TLS_TX, version);
}

int ktls__receive_key(int fd, enum workload_tls version)
{
	return set_key(fd, TLS_RX, version);
}

static int try_keys(const struct endpoint *at, enum workload_tls version)
{
	int fd = sock__connect(at, 0, NULL), err;
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	if (fd < 0)
		return fd;
	err = poll(&p, 1, (int)time_limit__ns(TRY_MS)) > 0 ? sock__connected(fd) : -ETIMEDOUT;
	if (!err)
		err = ktls__send_key(fd, version);
	if (!err)
		err = ktls__receive_key(fd, version);
	close(fd);
	return err;
}

static int try_connection(enum workload_tls version)
{
	struct endpoint at = {0};
	int listener, err;

	sock__loopback(&at, 0);
	listener = sock__listen(&at, 0, NULL);
	if (listener < 0)
		return listener;
	err = getsockname(listener, (struct sockaddr *)&at.addr, &at.len) ? -errno
									  : try_keys(&at, version);
	close(listener);
	return err;
}

int ktls__try(enum workload_tls version)
{
	static struct trial trials[WORKLOAD_TLS_NR];
	struct trial *t = &trials[version];

	return trial__is_due(t) ? trial__keep(t, try_connection(version)) : t->err;
}

bool ktls__is_bad_record(int err)
{
	return err == -EBADMSG || err == -EINVAL || err == -EIO || err == -EMSGSIZE;
}
