/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The serve command: the load generator's receiver for senders on other machines; it watches
 * nothing and needs no privileges. Prints one line on stdout when clients can connect, then serves
 * one session after another until a signal ends it. One load generator process outlives its
 * sessions.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "load/loadgen_args.h"
#include "load/driver.h"
#include "common/embed.h"
#include "base/log.h"
#include "base/resource_limits.h"
#include "base/capabilities.h"
#include "base/loop.h"
#include "base/atomic_file.h"
#include "base/ready.h"
#include "base/command_line.h"
#include "preflight.h"
#include "host/environment.h"
#include "event_sampling.h"
#include "options.h"
#include "base/commands.h"
#include "receiver_half.h"
#include "common/time_limit.h"
#include "common/units.h"

/* How often the receiver's process is asked for statistics, and how long it may be silent. */
#define PING_NS    5000000000ULL
#define SILENCE_NS 15000000000ULL

EMBED(doc, "user/run/serve.help");

static const struct option_help helps[] = {
	{"congestion", "congestion control of replies to --request-response"},
	{"verify", "refuse senders without --verify (data of other senders are always checked)"},
	{"verbose", "print each session"},
	{0},
};

struct server {
	const struct options *o;
	struct address listen; /* resolved */
	struct loop loop;
	struct driver driver;
	struct receiver_half *half;
	struct ready ready;
	bool listening, stopped;
	uint64_t heard_ns, ping_ns;
	struct awake awake;
};

/* Options that the load generator would refuse after its start. */
static int check(const struct options *o)
{
	struct congestion c;
	char why[512];

	if (environment__own_congestion(&c) ||
	    !congestion__choose(&c, o->workload.congestion, false, why, sizeof(why)))
		return preflight__check_cpus(&o->workload);
	log_error("%s.", why);
	return EXIT_USAGE;
}

static int start(struct server *s)
{
	struct workload workload = s->o->workload;
	struct arglist args = {0};
	char program[PATH_MAX];
	const char *step = "find netio-loadgen beside netiotrace";
	int err;

	if (workload.congestion && strcmp(workload.congestion, "system") == 0)
		workload.congestion = NULL;
	err = loadgen_args__find(program, sizeof(program));
	if (!err) {
		loadgen_args__server(&args, program, &workload, &s->listen);
		err = child__start(&s->driver.child, args.argv, -1, &step);
	}
	if (!err)
		err = loop__add(&s->loop, s->driver.child.out);
	if (err)
		log_error("cannot start the receiver (%s): %s.", step, limits__strerror(err));
	arglist__clear(&args);
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}

static int print_ready(struct server *s)
{
	char text[ADDRESS_TEXT_MAX];

	s->listening = true;
	address__format(text, sizeof(text), s->listen.host, s->driver.report.port);
	printf("ready: listening on %s\n", text);
	/* Closing stdout reports the error, as in every command. */
	return atomic_file__flush_stdout() ? EXIT_RUN_FAILED : ready__notify(&s->ready, text);
}

/* halved: the sender gets a half. */
static void log_session(const struct load_report *r, bool halved)
{
	char bytes[UNITS_BUF], count[UNITS_BUF], time[UNITS_BUF];

	log_info("session: %s in %s message%s received in %s%s",
		 format_bytes_si(bytes, sizeof(bytes), (double)r->app.rx_bytes),
		 format_count(count, sizeof(count), r->app.rx_messages), plural(r->app.rx_messages),
		 format_ns(time, sizeof(time), (double)r->elapsed_ns),
		 halved ? ""
			: "; the sender is netio-loadgen or an older version, and gets no more");
}

/* The exit code after a write to the receiver's process, which returned err. */
static int exit_code_of_write(int err)
{
	/* A process that has ended is reported at the end of its output. */
	if (!err || err == -EPIPE)
		return EXIT_DONE;
	log_error("cannot write to the receiver's process: %s.", strerror(-err));
	return EXIT_RUN_FAILED;
}

/* A session that fails is the sender's to report: here it is a warning, and the next one comes. */
static int handle_event(struct server *s, enum driver_event event)
{
	const struct load_report *report = &s->driver.report;
	int code;

	switch (event) {
	case DRIVER_LISTENING:
		s->half->port = report->port;
		code = print_ready(s);
		capabilities__lower(CAPABILITY_OF_SERVE);
		return code;
	case DRIVER_READY:
		receiver_half__session(s->half, report, s->driver.child.pid);
		return EXIT_DONE;
	case DRIVER_PHASE:
		return exit_code_of_write(receiver_half__begin(s->half, &s->driver));
	case DRIVER_DONE:
		log_session(report, s->half->due);
		return exit_code_of_write(receiver_half__end(s->half, &s->driver));
	case DRIVER_ERROR:
		if (s->listening) {
			receiver_half__drop(s->half);
			log_warning("a session failed: %s", report->message);
			return EXIT_DONE;
		}
		log_error("cannot serve on %s port %u: %s.", s->listen.host, s->listen.port,
			  report->message);
		return EXIT_RUN_FAILED;
	case DRIVER_EOF:
		log_error("the receiver ended unexpectedly.");
		return EXIT_RUN_FAILED;
	default:
		return EXIT_DONE;
	}
}

static int read_driver(struct server *s)
{
	enum driver_event event;
	int code;

	do {
		int err = driver__next(&s->driver, &event);

		if (!err && event != DRIVER_NOTHING)
			s->heard_ns = loop__now_ns();
		if (err) {
			log_error("the receiver %s: %s.",
				  err == -EPROTO ? "broke the protocol" : "cannot be read",
				  s->driver.report.message);
			return EXIT_RUN_FAILED;
		}
		code = handle_event(s, event);
	} while (!code && event != DRIVER_NOTHING && !loop__is_to_end());
	return code;
}

/* Waits for an event, the next ping of the receiver's process, or a window. 0 or -errno. */
static int wait_event(struct server *s, struct loop_event *ev)
{
	uint64_t now = loop__now_ns(), until = event_sampling__due(&s->half->r);
	int err;

	until = s->ping_ns < until ? s->ping_ns : until;
	s->heard_ns += awake__missed(&s->awake, now);
	awake__sleep(&s->awake, until > now ? until : now);
	err = loop__wait(&s->loop, ev, until);
	s->heard_ns += awake__missed(&s->awake, loop__now_ns());
	return err;
}

/* Detects a receiver that is stopped and serves no session. */
static int check_deadline(struct server *s)
{
	uint64_t now = loop__now_ns();

	receiver_half__turn(s->half, now);
	if (now < s->ping_ns)
		return EXIT_DONE;
	receiver_half__rest(s->half);
	if (now >= s->heard_ns + time_limit__ns(SILENCE_NS)) {
		log_error("the receiver's process %d does not answer.", (int)s->driver.child.pid);
		return EXIT_RUN_FAILED;
	}
	s->ping_ns = now + time_limit__ns(PING_NS);
	child__send_line(&s->driver.child, "stats");
	return EXIT_DONE;
}

static int serve(struct server *s)
{
	int code = EXIT_DONE;

	s->heard_ns = loop__now_ns();
	s->ping_ns = s->heard_ns + time_limit__ns(PING_NS);
	while (!code && !s->stopped) {
		struct loop_event ev;
		int err = wait_event(s, &ev);

		if (err)
			return loop__report(err);
		if (ev.kind == LOOP_SIGNAL)
			s->stopped = ev.signo != SIGWINCH;
		else if (ev.kind == LOOP_READABLE)
			code = read_driver(s);
		else
			code = check_deadline(s);
	}
	return code;
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct options_command command = {
		.name = "serve",
		.doc = doc,
		.bit = OPTIONS_SERVE,
		.helps = helps,
	};

	options__parse(o, &command, argc, argv);
	if (!o->listen.host[0])
		usage_error("serve needs --listen ADDRESS:PORT, such as 0.0.0.0:5201.");
}

/* What this machine measures is not for everyone: an exit code, reported. */
static int check_secrecy(const struct options *o, const struct sockaddr_storage *ss)
{
	if (o->token || o->insecure || address__is_loopback(ss))
		return EXIT_DONE;
	log_error("--listen %s is no loopback address: give --token FILE, so that only senders "
		  "with the token get what this machine measures, or --insecure.",
		  o->listen.host);
	return EXIT_USAGE;
}

int serve__main(int argc, char **argv)
{
	static struct options o;
	static struct server s = {.o = &o, .loop = LOOP_INIT};
	struct serve_token token;
	struct sockaddr_storage ss;
	const char *why;
	int code;

	parse(&o, argc, argv);
	code = check(&o);
	if (!code)
		code = serve_token__read(&token, o.token);
	if (code)
		return code;
	s.listen = o.listen;
	driver__init(&s.driver, NIO_SIDE_RECEIVER);
	if (address__resolve(&s.listen, true, &ss, &why)) {
		log_error("no address is known for --listen %s: %s.", o.listen.host, why);
		return EXIT_RUN_FAILED;
	}
	code = check_secrecy(&o, &ss);
	if (!code)
		code = ready__open(&s.ready, o.ready_file);
	if (code)
		return code;
	s.half = receiver_half__open(&o, &token);
	code = loop__open(&s.loop);
	if (!code)
		code = start(&s);
	if (!code)
		code = serve(&s);
	capabilities__raise();
	ready__close(&s.ready);
	driver__clear(&s.driver);
	receiver_half__close(s.half);
	loop__close(&s.loop);
	return code;
}
