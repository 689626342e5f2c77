// SPDX-License-Identifier: GPL-2.0-only
/* Scenarios of socket_scenarios.h: kTLS. */
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket_scenarios.h"

/* kTLS from one socket to the other. The record numbers begin above 0, as after a handshake. */
static void set_tls(int tx, int rx, int version)
{
	const struct tls12_crypto_info_aes_gcm_128 key = {
		.info = {.version = version, .cipher_type = TLS_CIPHER_AES_GCM_128},
		.iv = {1, 2, 3, 4, 5, 6, 7, 8},
		.key = {9},
		.rec_seq = {[7] = 5},
	};

	/* EEXIST: it has the layer for its other direction. */
	if ((setsockopt(tx, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) && errno != EEXIST) ||
	    (setsockopt(rx, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) && errno != EEXIST))
		skip("TCP_ULP tls");
	if (setsockopt(tx, SOL_TLS, TLS_TX, &key, sizeof(key)) ||
	    setsockopt(rx, SOL_TLS, TLS_RX, &key, sizeof(key)))
		skip("TLS_TX, TLS_RX");
}

/* Long enough for a refresh of attach, which reads the numbers of records. */
static void await_refresh(void)
{
	usleep(1300000);
}

void play_ktls(void)
{
	struct pair p = connect_pair(0);

	set_tls(p.tx, p.rx, TLS_1_2_VERSION);
	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 3000, 0);
	await_refresh();
}

static unsigned long long bytes_acked(int fd)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		fail("TCP_INFO");
	return info.tcpi_bytes_acked;
}

/* Reads by splice(), which copies nothing to the application. */
static void receive_by_splice(int fd, size_t bytes)
{
	int pipe_ends[2];
	ssize_t n;

	if (pipe(pipe_ends))
		fail("pipe");
	while (bytes) {
		n = splice(fd, NULL, pipe_ends[1], NULL, bytes, 0);
		if (n <= 0 || read(pipe_ends[0], data, n) != n)
			fail("splice");
		bytes -= n;
	}
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

/*
 * TLS 1.3 after a plain beginning, by send() and sendfile(), with an answer. 40000 bytes are
 * received by recv(), 20000 by splice(). Prints what TCP sent beyond the 60110 bytes: its own
 * count, less the SYN.
 */
void play_ktls13(void)
{
	struct pair p = connect_pair(0);
	int file = memfd_create("file", MFD_CLOEXEC);
	off_t at = 0;

	watch(&p, 1);
	send_bytes(p.tx, 100, 0);
	receive(p.rx, 100, 0);
	set_tls(p.tx, p.rx, TLS_1_3_VERSION);
	set_tls(p.rx, p.tx, TLS_1_3_VERSION);
	send_bytes(p.tx, 40000, 0);
	receive(p.rx, 40000, 0);
	if (file < 0 || write(file, data, 20000) != 20000)
		fail("memfd");
	while (at < 20000)
		if (sendfile(p.tx, file, &at, 20000 - at) <= 0)
			fail("sendfile");
	receive_by_splice(p.rx, 20000);
	send_bytes(p.rx, 10, 0);
	receive(p.tx, 10, 0);
	await_refresh();
	printf("%llu\n", bytes_acked(p.tx) + bytes_acked(p.rx) - 1 - 60110);
	close(file);
}
