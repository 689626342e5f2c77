/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of a send call by stack; see call_part.h. */
#include "call_part.h"

#include <string.h>

#include "model/stack_rules.h"

/* Functions whose names begin like this. The first fit counts. */
static const struct {
	const char *name;
	enum path_part part;
} inside[] = {
	/* Receive softirqs: the peer's work on loopback and veth. */
	{"net_rx_action", PATH_INLINE_RECEIVE},
	{"__napi_poll", PATH_INLINE_RECEIVE},
	{"process_backlog", PATH_INLINE_RECEIVE},
	/* Functions whose calls are a part until they return. */
	{"lock_sock", PATH_LOCK},
	{"skb_zerocopy_iter_stream", PATH_PIN},
	{"sk_stream_wait_memory", PATH_WAIT},
	{"tcp_write_xmit", PATH_TRANSMIT},
	{"release_sock", PATH_RELEASE},
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* The part that a function begins; PATH_OTHER: none. */
static enum path_part part_of(const char *name)
{
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		if (begins(name, inside[i].name))
			return inside[i].part;
	return PATH_OTHER;
}

/* "__sys_sendto", "____sys_sendmsg", "__x64_sys_sendmmsg", "__arm64_sys_sendto", ... */
static bool is_send(const char *name)
{
	const char *sys = strstr(name, "sys_send");

	return name[0] == '_' && sys && sys < name + strcspn(name, ";");
}

/* The part after one more frame. */
static enum path_part enter(enum path_part now, const char *name)
{
	enum path_part next = part_of(name);

	if (now == PATH_NR || now == PATH_SEND_TOTAL) {
		if (begins(name, "tcp_sendmsg"))
			return PATH_OTHER;
		return is_send(name) ? PATH_SEND_TOTAL : now;
	}
	return now == PATH_OTHER || next == PATH_INLINE_RECEIVE ? next : now;
}

/* Fills in the begin of each name, separated by ';', innermost first. Returns their number. */
static size_t split(const char *text, const char *names[NIO_SAMPLE_FRAMES])
{
	size_t n = 0;

	for (const char *at = text + strlen(text); n < NIO_SAMPLE_FRAMES; at--) {
		if (at == text || at[-1] == ';')
			names[n++] = at;
		if (at == text)
			break;
	}
	return n;
}

enum path_part call_part__of(const char *frames)
{
	const char *names[NIO_SAMPLE_FRAMES];
	enum path_part now = PATH_NR;
	size_t n = split(frames, names);

	for (size_t i = n; i-- && now != PATH_INLINE_RECEIVE;)
		now = enter(now, names[i]);
	/* No function is the copying alone: it is inlined, or called from several places. */
	if (now == PATH_OTHER && stack_rules__class(names, n).class == CPU_CLASS_TX_COPY)
		now = PATH_COPY;
	return now;
}
