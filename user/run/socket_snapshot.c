/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes over the watched sockets; see socket_snapshot.h. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "host/netns.h"
#include "sock_diag.h"
#include "model/load_report.h"
#include "socket_snapshot.h"

_Static_assert(TCP_SEQ_SOCKETS_MAX >= LOAD_CONNECTIONS_MAX, "a pass holds all connections");

struct pass {
	const struct sockets *s;
	struct socket_snapshot *out;
};

static void add(void *arg, const struct nio_socket *socket)
{
	struct pass *l = arg;

	for (int side = 0; side < NIO_SIDE_NR; side++)
		tcp_seq__add_socket(&l->out[side], l->s->cookies[side], socket);
}

static int visit_sock_diag(void *arg)
{
	return sock_diag__pass(add, arg);
}

/* One pass in each namespace: of a path without namespaces there is one, for both sides. */
static int dump(struct pass *l)
{
	int before = -2, err = 0;

	for (int side = 0; side < NIO_SIDE_NR && !err; side++) {
		int netns = l->s->path->netns[side];

		if (!l->s->nr[side] || netns == before)
			continue;
		err = netns__visit(netns, visit_sock_diag, l);
		before = netns;
	}
	return err;
}

static void begin(const struct pass *l)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		tcp_seq__begin(&l->out[side], l->s->nr[side]);
		l->out[side].reason = "the sockets of this side are on another machine";
	}
}

static bool met_all(const struct pass *l)
{
	return !tcp_seq__unmet(&l->out[NIO_SIDE_SENDER]) &&
	       !tcp_seq__unmet(&l->out[NIO_SIDE_RECEIVER]);
}

static void name_source(const struct pass *l, const char *source, bool zckeys, const char *reason)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		if (!l->s->nr[side])
			continue;
		l->out[side].source = source;
		l->out[side].zckeys = zckeys;
		l->out[side].reason = reason;
	}
}

static int iterate(struct pass *l)
{
	const struct sockets *s = l->s;
	int err = 0;

	if (!s->session)
		return -EOPNOTSUPP;
	for (int side = 0; side < NIO_SIDE_NR && !err; side++)
		if (s->nr[side])
			err = session__each_socket(s->session, s->processes[side], add, l);
	return err ? err : met_all(l) ? 0 : -ENOENT;
}

void sockets__read(const struct sockets *s, struct socket_snapshot out[NIO_SIDE_NR], bool still)
{
	struct pass l = {.s = s, .out = out};
	int err;

	begin(&l);
	err = iterate(&l);
	if (!err) {
		name_source(&l, "iter/task_file", true, NULL);
		return;
	}
	if (!still) {
		name_source(&l, NULL, false, "sock_diag is used only while no bytes move");
		return;
	}
	log_info("no pass of iter/task_file over the sockets: %s", strerror(-err));
	begin(&l);
	err = dump(&l);
	if (err)
		log_info("sock_diag cannot read the sockets: %s", strerror(-err));
	name_source(&l, err ? NULL : "sock_diag", false,
		    err ? "neither iter/task_file nor sock_diag could be read here" : NULL);
}
