/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes from sequence numbers; see tcp_seq.h. Pure. */
#include <stdlib.h>
#include <string.h>
#include <netinet/tcp.h>

#include "bpf/sock_state.h"
#include "tcp_seq.h"

/* A larger difference is a counter that went backward: 2^63 bytes take a century. */
#define BACKWARD (1ULL << 63)

void tcp_seq__begin(struct socket_snapshot *pass, size_t n)
{
	pass->nr = n < TCP_SEQ_SOCKETS_MAX ? n : TCP_SEQ_SOCKETS_MAX;
	memset(pass->sockets, 0, pass->nr * sizeof(*pass->sockets));
	pass->source = pass->reason = NULL;
	pass->zckeys = pass->ordered = false;
}

static int compare_cookies(const void *px, const void *py, void *arg)
{
	const uint16_t *x = px, *y = py;
	const uint64_t *cookies = arg;

	return (cookies[*x] > cookies[*y]) - (cookies[*x] < cookies[*y]);
}

/* Each CPU issues its own cookies. Sorted, since every socket of the namespace is looked up. */
static void order_cookies(struct socket_snapshot *pass, const uint64_t *cookies)
{
	for (size_t i = 0; i < pass->nr; i++)
		pass->order[i] = (uint16_t)i;
	qsort_r(pass->order, pass->nr, sizeof(*pass->order), compare_cookies, (void *)cookies);
	pass->ordered = true;
}

void tcp_seq__add_socket(struct socket_snapshot *pass, const uint64_t *cookies,
			 const struct nio_socket *socket)
{
	size_t low = 0, high = pass->nr;

	if (!socket->cookie)
		return;
	if (!pass->ordered)
		order_cookies(pass, cookies);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cookies[pass->order[mid]] < socket->cookie)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < pass->nr && cookies[pass->order[low]] == socket->cookie)
		pass->sockets[pass->order[low]] = *socket;
}

size_t tcp_seq__unmet(const struct socket_snapshot *pass)
{
	size_t unmet = 0;

	for (size_t i = 0; i < pass->nr; i++)
		unmet += !pass->sockets[i].cookie;
	return unmet;
}

/*
 * The same arithmetic as that of attach. sock_diag does not tell SOCK_DONE: the states show whether
 * the peer's FIN is in bytes_received.
 */
static struct nio_numbers numbers_of(const struct nio_socket *s)
{
	struct nio_tcp tcp = s->tcp;

	tcp.done = tcp.state == TCP_CLOSE_WAIT || tcp.state == TCP_CLOSING ||
		   tcp.state == TCP_LAST_ACK;
	return nio_numbers_of(&tcp);
}

uint64_t tcp_seq__queued(const struct nio_socket *s)
{
	return numbers_of(s).sent;
}

uint64_t tcp_seq__read(const struct nio_socket *s)
{
	return numbers_of(s).read;
}

static const char no_records[] =
	"the record numbers of kTLS are not known: the sockets were not read by iter/task_file, or "
	"have no key that the kernel's software uses";

/* bytes: of the records, with their overhead. */
static void add_records(struct records_sum *sum, uint8_t both, uint8_t flag, uint64_t records,
			uint64_t overhead, uint64_t bytes)
{
	if (!(both & flag))
		sum->reason = no_records;
	else if (overhead && records > bytes / overhead)
		sum->reason = "the record numbers of kTLS do not fit the bytes: the key changed";
	sum->records += records;
	sum->overhead += overhead * records;
}

static const char *add_socket(const struct nio_socket *base, const struct nio_socket *now,
			      struct sequence_sum *sum)
{
	uint64_t queued = tcp_seq__queued(now) - tcp_seq__queued(base);
	uint64_t taken = tcp_seq__read(now) - tcp_seq__read(base);
	uint64_t retrans = now->tcp.bytes_retrans - base->tcp.bytes_retrans;

	if (!base->cookie || !now->cookie)
		return "a watched socket was gone when the sockets were read";
	if (base->tcp.state == TCP_CLOSE || now->tcp.state == TCP_CLOSE)
		return "a watched socket was closed when the sockets were read";
	if (queued >= BACKWARD || taken >= BACKWARD || retrans >= BACKWARD)
		return "a counter of a watched socket went backward";
	sum->queued += queued;
	sum->taken += taken;
	sum->retrans += retrans;
	sum->ids += (uint32_t)(now->zckey - base->zckey);
	sum->pinning &= base->scatter_gather && now->scatter_gather;
	sum->completed &= now->omem == base->omem;
	sum->sent.partial |= (base->tls | now->tls) & NIO_SOCKET_TLS_PARTIAL;
	add_records(&sum->sent, base->tls & now->tls, NIO_SOCKET_TLS_SENDS,
		    now->tls_sent - base->tls_sent, now->tls_overhead, queued);
	sum->received.direct |= (base->tls | now->tls) & NIO_SOCKET_TLS_DIRECT;
	add_records(&sum->received, base->tls & now->tls, NIO_SOCKET_TLS_RECEIVES,
		    now->tls_received - base->tls_received, now->tls_overhead, taken);
	return NULL;
}

const char *tcp_seq__between(const struct socket_snapshot *base, const struct socket_snapshot *now,
			     struct sequence_sum *sum)
{
	const char *why = NULL;

	*sum = (struct sequence_sum){
		.zckeys = base->zckeys && now->zckeys, .pinning = true, .completed = true};
	if (!base->source || !now->source) {
		why = base->source ? now->reason : base->reason;
		why = why ? why : "the sockets were not read";
	} else if (base->nr != now->nr) {
		why = "the two passes are not over the same sockets";
	}
	for (size_t i = 0; i < now->nr && !why; i++)
		why = add_socket(&base->sockets[i], &now->sockets[i], sum);
	if (why || !now->nr)
		sum->sent.reason = sum->received.reason = why ? why : no_records;
	return why;
}
