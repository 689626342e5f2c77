/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiver's side of a session: finds its sender among those who connect, reads what the sender
 * says it sent, and confirms it. Serves one session, or one after another. Knows nothing of
 * messages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acceptor.h"
#include "clock.h"
#include "cpu_time.h"
#include "plane.h"
#include "readers.h"
#include "session.h"
#include "session_id.h"

/* From one connection of a session to the next, and from totals to the last byte. */
#define SETUP_NS (15 * NS_PER_SEC)
#define STALL_NS (8 * NS_PER_SEC)
/* How long the sender may take to close after its last confirmation. */
#define LINGER_NS (5 * NS_PER_SEC)

enum receiver_state {
	RECEIVER_LISTENING, /* no sender yet */
	RECEIVER_SETUP,     /* a sender, its data connections are coming */
	RECEIVER_WAITING,   /* between phases */
	RECEIVER_READING,   /* a phase is under way */
	RECEIVER_SETTLING,  /* its totals are known, not all is read */
	RECEIVER_DONE,
};

struct receiver {
	const struct settings *settings;
	struct herald *report;
	struct session_mode mode;
	enum receiver_state state;
	struct plane plane;
	struct acceptor acceptor;
	struct readers readers;
	struct wire_hello hello; /* of the control connection */
	bool same_clock, measuring, stopping;
	uint32_t phase;
	uint32_t totals;                    /* how many connections' totals are known */
	bool told[WIRE_THREADS_MAX];        /* which */
	uint64_t sent_bytes, sent_messages; /* their sums */
	uint64_t deadline;
	uint64_t begin_ns, cpu_begin;
	bool wrong;
	bool ended; /* no further session is possible */
	struct tcp_counts tcp_begin[WIRE_THREADS_MAX], tcp_end[WIRE_THREADS_MAX];
};

static int receiver__lost(struct receiver *r, int err)
{
	if (err == -ECONNRESET || err == -EPIPE)
		herald__error(r->report, "The sender closed its connection in mid-run");
	else if (err == -EOVERFLOW)
		herald__error(r->report, "More bytes arrived than the sender says it sent");
	else if (err == -EPROTO)
		herald__error(r->report, "The sender does not keep to the protocol");
	else
		herald__error(r->report, "The sender is lost: %s", strerror(-err));
	return err;
}

static void receiver__count_tcp(struct receiver *r, struct tcp_counts *counts)
{
	unsigned int i;

	for (i = 0; i < r->readers.nr; i++)
		tcp_counts__read(r->readers.all[i].fd, &counts[i]);
}

static int receiver__stats(struct receiver *r, bool done)
{
	struct side_stats st = {.interrupted = r->stopping && done, .same_clock = r->same_clock};
	unsigned int i;
	uint64_t end;

	if (tally__init(&st.tally)) {
		herald__error(r->report, "Memory is short for the statistics");
		return -ENOMEM;
	}
	st.tcp.known = true;
	if (r->measuring) {
		readers__read(&r->readers, &st.tally);
		end = done ? st.tally.last_ns : clock__now();
		st.elapsed_ns = end > r->begin_ns ? end - r->begin_ns : 0;
		st.cpu_ns = cpu_time__now() - r->cpu_begin;
		if (!done)
			receiver__count_tcp(r, r->tcp_end);
		for (i = 0; i < r->readers.nr; i++)
			tcp_counts__add_delta(&st.tcp, &r->tcp_end[i], &r->tcp_begin[i]);
	}
	r->report->ops->stats(r->report, &st, done);
	tally__clear(&st.tally);
	return 0;
}

static int receiver__tell(struct receiver *r, const struct wire_frame *f)
{
	int err = channel__send(&r->plane.channel, f);

	return err ? receiver__lost(r, err) : 0;
}

/* Somebody asked this side to stop: the sender ends the phase, or there is none to end. */
static int receiver__stop(struct receiver *r)
{
	const struct wire_frame f = {.type = WIRE_STOP, .phase = r->phase};
	bool again = r->stopping;

	r->stopping = true;
	if (r->state >= RECEIVER_WAITING && r->state < RECEIVER_DONE)
		return again ? 0 : receiver__tell(r, &f);
	if (r->state < RECEIVER_WAITING) {
		r->state = RECEIVER_DONE;
		channel__close(&r->plane.channel);
		return receiver__stats(r, true);
	}
	return 0;
}

static int receiver__command(struct receiver *r)
{
	struct console *c = &r->plane.console;

	switch (console__next(c)) {
	case CONSOLE_NONE:
		return 0;
	case CONSOLE_EOF:
		return -ECANCELED;
	case CONSOLE_STATS:
		return receiver__stats(r, false);
	case CONSOLE_STOP:
		return receiver__stop(r);
	default:
		herald__error(r->report, "Command '%s' is not known, or not for a receiver",
			      c->line);
		return -EINVAL;
	}
}

/* A sender that went away before its session began: the next one is waited for. */
static void receiver__forget(struct receiver *r)
{
	channel__close(&r->plane.channel);
	readers__close(&r->readers);
	r->plane.wake_fd = -1;
	r->state = RECEIVER_LISTENING;
}

static int receiver__welcome(struct receiver *r, const struct wire_hello *hello, int fd)
{
	const struct wire_frame f = {.type = WIRE_WELCOME};
	uint8_t boot[WIRE_TOKEN_SIZE];
	int err;

	session_id__boot(boot);
	r->same_clock = session_id__same_boot(boot, hello->boot_id);
	r->hello = *hello;
	r->state = RECEIVER_SETUP;
	r->deadline = clock__now() + SETUP_NS;
	err = channel__open(&r->plane.channel, fd);
	if (!err)
		err = channel__send(&r->plane.channel, &f);
	if (err) {
		receiver__forget(r);
		return 0;
	}
	err = readers__open(&r->readers, hello, hello->verify || r->settings->verify,
			    r->same_clock);
	r->plane.wake_fd = r->readers.wake_fd;
	if (err)
		herald__error(r->report, "%u connections cannot be set up: %s", hello->threads,
			      strerror(-err));
	return err;
}

static int receiver__describe(struct receiver *r)
{
	struct side_config c = {
		.uid = geteuid(),
		.size = r->hello.size,
		.threads = r->hello.threads,
		.verify = r->hello.verify || r->settings->verify,
		.cookies_nr = r->readers.nr,
	};
	int fd = r->readers.all[0].fd;
	unsigned int i;
	int err;

	c.rcvbuf = sock__get(fd, SOL_SOCKET, SO_RCVBUF);
	err = sock__address(fd, false, c.address, sizeof(c.address), &c.port);
	for (i = 0; !err && i < r->readers.nr; i++)
		err = sock__cookie(r->readers.all[i].fd, &c.cookies[i]);
	if (err)
		herald__error(r->report, "A socket cannot be described: %s", strerror(-err));
	else
		r->report->ops->ready(r->report, &c);
	return err;
}

/* All connections are there: nobody else is needed, and of one session nobody else awaited. */
static int receiver__ready(struct receiver *r)
{
	const struct wire_frame f = {.type = WIRE_READY};
	int err;

	if (!r->settings->forever)
		acceptor__close(&r->acceptor);
	err = receiver__describe(r);
	if (err)
		return err;
	err = readers__start(&r->readers, &r->settings->cpus,
			     r->mode.after_sender ? r->readers.nr : 0);
	if (err) {
		herald__error(r->report, "The threads cannot be started: %s", strerror(-err));
		return err;
	}
	r->state = RECEIVER_WAITING;
	r->deadline = UINT64_MAX;
	return receiver__tell(r, &f);
}

/* Whether the connection with this hello is one of our session's data connections. */
static bool receiver__expects(const struct receiver *r, const struct wire_hello *hello)
{
	return r->state == RECEIVER_SETUP && hello->kind == WIRE_DATA &&
	       !memcmp(hello->token, r->hello.token, WIRE_TOKEN_SIZE) &&
	       hello->threads == r->hello.threads && hello->size == r->hello.size;
}

static int receiver__admit(struct receiver *r, const struct wire_hello *hello, int fd)
{
	if (r->state == RECEIVER_LISTENING && hello->kind == WIRE_CONTROL)
		return receiver__welcome(r, hello, fd);
	if (hello->kind == WIRE_CONTROL) {
		acceptor__refuse(fd, WIRE_REFUSAL_BUSY);
		return 0;
	}
	if (!receiver__expects(r, hello) || readers__add(&r->readers, hello->index, fd)) {
		close(fd);
		return 0;
	}
	r->deadline = clock__now() + SETUP_NS;
	return r->readers.connected == r->readers.nr ? receiver__ready(r) : 0;
}

static int receiver__accept(struct receiver *r)
{
	struct wire_hello hello;
	int fd, err = 0;

	while (!err && r->state < RECEIVER_WAITING) {
		fd = acceptor__next(&r->acceptor, &hello);
		if (fd < 0)
			break;
		err = receiver__admit(r, &hello, fd);
	}
	return err;
}

/*
 * Who comes while a session is under way is told so. At its end nobody is taken: the next sender
 * may be quicker than the end of this one's connection, and waits in the backlog.
 */
static void receiver__turn_away(struct receiver *r)
{
	struct wire_hello hello;
	int fd;

	while ((fd = acceptor__next(&r->acceptor, &hello)) >= 0) {
		if (hello.kind == WIRE_CONTROL)
			acceptor__refuse(fd, WIRE_REFUSAL_BUSY);
		else
			close(fd);
	}
}

static int receiver__begin(struct receiver *r, const struct wire_frame *f)
{
	const struct wire_frame ok = {.type = WIRE_PHASE_OK, .phase = f->phase};

	if (r->state != RECEIVER_WAITING || f->phase != r->phase + 1 || f->index > 1)
		return receiver__lost(r, -EPROTO);
	r->state = RECEIVER_READING;
	r->phase = f->phase;
	r->totals = 0;
	memset(r->told, 0, sizeof(r->told));
	r->sent_bytes = r->sent_messages = 0;
	readers__begin(&r->readers);
	receiver__count_tcp(r, r->tcp_begin);
	r->measuring = f->index;
	r->cpu_begin = cpu_time__now();
	r->begin_ns = clock__now();
	return receiver__tell(r, &ok);
}

static int receiver__total(struct receiver *r, const struct wire_frame *f)
{
	if (r->state != RECEIVER_READING || f->phase != r->phase || f->index >= r->readers.nr ||
	    r->told[f->index] || f->bytes == UINT64_MAX)
		return receiver__lost(r, -EPROTO);
	r->told[f->index] = true;
	r->sent_bytes += f->bytes;
	r->sent_messages += f->messages;
	readers__expect(&r->readers, f->index, f->bytes);
	if (++r->totals == r->readers.nr) {
		r->state = RECEIVER_SETTLING;
		r->deadline = clock__now() + STALL_NS;
	}
	return 0;
}

static int receiver__frame(struct receiver *r)
{
	struct wire_frame f;
	int err = channel__next(&r->plane.channel, &f);

	if (err == -EAGAIN)
		return 0;
	if (err && r->state == RECEIVER_SETUP) {
		receiver__forget(r);
		return 0;
	}
	if (err && r->state == RECEIVER_DONE) {
		channel__close(&r->plane.channel);
		return 0;
	}
	if (err)
		return receiver__lost(r, err);
	if (f.type == WIRE_PHASE)
		return receiver__begin(r, &f);
	if (f.type == WIRE_TOTAL)
		return receiver__total(r, &f);
	return receiver__lost(r, -EPROTO);
}

/* Everything that was sent is read: say so, and after the measured phase report it. */
static int receiver__confirm(struct receiver *r)
{
	struct wire_frame f = {.type = WIRE_CONFIRM, .phase = r->phase};
	struct tally sum;
	int err;

	if (tally__init(&sum)) {
		herald__error(r->report, "Memory is short for the statistics");
		return -ENOMEM;
	}
	readers__read(&r->readers, &sum);
	f.messages = sum.messages;
	f.bytes = sum.bytes;
	f.index = sum.verify_errors < UINT32_MAX ? (uint32_t)sum.verify_errors : UINT32_MAX;
	tally__clear(&sum);
	r->wrong = r->wrong || f.index;
	if (f.messages != r->sent_messages || f.bytes != r->sent_bytes)
		return receiver__lost(r, -EPROTO);
	r->deadline = UINT64_MAX;
	r->state = RECEIVER_WAITING;
	/* Before the sender knows: it closes at once, and tcpi_bytes_received counts its FIN. */
	receiver__count_tcp(r, r->tcp_end);
	err = receiver__tell(r, &f);
	if (err || !r->measuring)
		return err;
	r->state = RECEIVER_DONE;
	r->deadline = clock__now() + LINGER_NS;
	return receiver__stats(r, true);
}

static int receiver__check_reading(struct receiver *r)
{
	int settled = readers__settled(&r->readers);

	if (r->state == RECEIVER_DONE)
		return 0;
	if (settled < 0)
		return receiver__lost(r, settled);
	return settled && r->state == RECEIVER_SETTLING ? receiver__confirm(r) : 0;
}

static int receiver__expired(struct receiver *r)
{
	if (r->state == RECEIVER_SETUP) {
		receiver__forget(r);
		return 0;
	}
	if (r->state == RECEIVER_SETTLING)
		return receiver__lost(r, -ETIMEDOUT);
	if (r->state == RECEIVER_DONE)
		channel__close(&r->plane.channel);
	return 0;
}

static int receiver__wait(struct receiver *r)
{
	uint64_t deadline = r->state == RECEIVER_LISTENING ? UINT64_MAX : r->deadline;
	struct pollfd fds[ACCEPTOR_FDS_MAX];
	unsigned int n =
		r->state == RECEIVER_DONE ? 0 : acceptor__fds(&r->acceptor, fds, &deadline);
	int events = plane__wait(&r->plane, deadline, fds, n);

	if (events < 0) {
		herald__error(r->report, "Waiting failed: %s", strerror(-events));
		r->ended = true;
	}
	return events;
}

static int receiver__step(struct receiver *r)
{
	int events = receiver__wait(r);
	int err = 0;

	if (events < 0)
		return events;
	if (events & PLANE_SIGNAL) {
		plane__take_signal(&r->plane);
		err = receiver__stop(r);
	}
	if (events & PLANE_WAKE)
		plane__take_wake(&r->plane);
	if (!err && events & PLANE_COMMAND)
		err = receiver__command(r);
	if (!err && events & PLANE_FRAME)
		err = receiver__frame(r);
	if (!err && r->state < RECEIVER_WAITING)
		err = receiver__accept(r);
	else if (!err && r->state < RECEIVER_DONE && r->acceptor.listen_fd >= 0)
		receiver__turn_away(r);
	if (!err && r->state >= RECEIVER_WAITING)
		err = receiver__check_reading(r);
	if (!err && r->state != RECEIVER_LISTENING && clock__now() >= r->deadline)
		err = receiver__expired(r);
	return err;
}

static int receiver__listen(struct receiver *r)
{
	const struct settings *set = r->settings;
	struct side_config c = {.uid = geteuid(), .verify = set->verify};
	int err;

	err = acceptor__open(&r->acceptor, &set->endpoint, set->rcvbuf);
	if (!err)
		err = sock__address(r->acceptor.listen_fd, false, c.address, sizeof(c.address),
				    &c.port);
	if (err) {
		herald__error(r->report, "The address cannot be listened on: %s", strerror(-err));
		return err;
	}
	r->report->ops->listening(r->report, &c);
	return 0;
}

static int receiver__session(struct receiver *r)
{
	int err = 0;

	while (!err && !(r->state == RECEIVER_DONE && r->plane.channel.fd < 0))
		err = receiver__step(r);
	return err;
}

/* Ready for the next sender: nothing of the last session remains. */
static void receiver__reset(struct receiver *r)
{
	receiver__forget(r);
	r->measuring = false;
	r->phase = 0;
}

static int receiver__serve(struct receiver *r)
{
	int err = receiver__session(r);

	/* A session that failed was reported; only the end of stdin, or of waiting, ends it all. */
	while (r->settings->forever && !r->stopping && !r->ended && err != -ECANCELED) {
		receiver__reset(r);
		err = receiver__session(r);
	}
	return err;
}

int receiver__run(const struct settings *settings, struct herald *report, struct session_mode mode)
{
	struct receiver *r = calloc(1, sizeof(*r));
	int err;

	if (!r) {
		herald__error(report, "Memory is short");
		return -ENOMEM;
	}
	r->settings = settings;
	r->report = report;
	r->mode = mode;
	r->acceptor.listen_fd = -1;
	err = plane__open(&r->plane, settings->control, mode.signals);
	if (err) {
		herald__error(report, "Signals cannot be received: %s", strerror(-err));
		goto out;
	}
	err = receiver__listen(r);
	if (!err)
		err = receiver__serve(r);
	if (!err && r->wrong)
		err = 1;
out:
	readers__close(&r->readers);
	acceptor__close(&r->acceptor);
	plane__close(&r->plane);
	free(r);
	return err;
}
