/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode ktls: one sendmsg() sends header and fields as they are, and the kernel makes TLS
 * records of them.
 */
#include "ktls.h"
#include "send_mode.h"
#include "sender_conn.h"

static int ktls_mode__try(const struct workload *w)
{
	return ktls__try(w->tls);
}

/* The hello has left in plaintext. */
static int ktls_mode__setup(struct sender_conn *conn)
{
	sender_conn__init_message(conn, &conn->message);
	return ktls__send_key(conn->fd, conn->options->workload.tls);
}

const struct send_mode send_mode_ktls = {
	.try = ktls_mode__try,
	.try_fails = "the kernel has no TLS (CONFIG_TLS) with AES-GCM, or its module is not loaded",
	.try_remedy = "load what is missing: modprobe tls, modprobe gcm",
	.setup = ktls_mode__setup,
	.teardown = sender_conn__clear_message,
	.prepare = sender_conn__fill_message,
	.begin = sender_conn__tag_message,
	.send = sender_conn__send_whole,
};
