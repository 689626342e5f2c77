/* SPDX-License-Identifier: GPL-2.0-only */
/* The serve command; see serve.h. One load generator process, which outlives its sessions. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "load/loadgen_args.h"
#include "load/driver.h"
#include "base/log.h"
#include "base/loop.h"
#include "serve.h"
#include "common/units.h"

struct server {
	const struct options *o;
	struct address listen; /* resolved */
	struct loop loop;
	struct driver driver;
	bool listening, stopped;
};

static int start(struct server *s)
{
	struct arglist args = {0};
	char program[PATH_MAX];
	const char *step = "find netio-loadgen beside netiotrace";
	int err;

	err = loadgen_args__find(program, sizeof(program));
	if (!err)
		err = loadgen_args__server(&args, program, &s->o->traffic, &s->listen);
	if (!err)
		err = child__start(&s->driver.child, args.argv, -1, &step);
	if (!err)
		err = loop__add(&s->loop, s->driver.child.out);
	if (err)
		log_error("cannot start the receiver (%s): %s.", step, strerror(-err));
	arglist__clear(&args);
	return err;
}

static int say_ready(struct server *s)
{
	char text[ADDRESS_TEXT_MAX];

	s->listening = true;
	address__format(text, sizeof(text), s->listen.host, s->driver.report.port);
	printf("ready: listening on %s\n", text);
	if (!fflush(stdout))
		return 0;
	log_error("cannot write to stdout: %s.", strerror(errno));
	return -EIO;
}

static void say_session(const struct load_report *r)
{
	char bytes[UNITS_BUF], count[UNITS_BUF], time[UNITS_BUF];

	log_info("session: %s in %s messages received in %s",
		 format_bytes_si(bytes, sizeof(bytes), (double)r->app.rx_bytes),
		 format_count(count, sizeof(count), r->app.rx_messages),
		 format_ns(time, sizeof(time), (double)r->elapsed_ns));
}

/* A session that fails is the sender's to report: here it is a warning, and the next one comes. */
static int take_event(struct server *s, enum driver_event event)
{
	const struct load_report *report = &s->driver.report;

	switch (event) {
	case DRIVER_LISTENING:
		return say_ready(s);
	case DRIVER_DONE:
		say_session(report);
		return 0;
	case DRIVER_ERROR:
		if (s->listening) {
			log_warning("a session failed: %s", report->message);
			return 0;
		}
		log_error("cannot serve on %s port %u: %s.", s->listen.host, s->listen.port,
			  report->message);
		return -EIO;
	case DRIVER_EOF:
		log_error("the receiver ended unexpectedly.");
		return -EIO;
	default:
		return 0;
	}
}

static int read_driver(struct server *s)
{
	enum driver_event event;
	int err;

	do {
		err = driver__next(&s->driver, &event);
		if (err)
			log_error("the receiver said what is not the protocol: %s",
				  s->driver.report.message);
		else
			err = take_event(s, event);
	} while (!err && event != DRIVER_NOTHING);
	return err;
}

static int serve(struct server *s)
{
	int err = 0;

	while (!err && !s->stopped) {
		struct loop_event ev;

		err = loop__wait(&s->loop, &ev, -1);
		if (!err && ev.kind == LOOP_SIGNAL)
			s->stopped = ev.signo != SIGWINCH;
		else if (!err && ev.kind == LOOP_READABLE)
			err = read_driver(s);
	}
	return err;
}

int serve__main(const struct options *o)
{
	struct server s = {.o = o, .listen = o->listen, .loop = LOOP_INIT};
	struct sockaddr_storage ss;
	const char *why;
	int err;

	driver__init(&s.driver, NIO_SIDE_RECEIVER);
	if (address__resolve(&s.listen, true, &ss, &why)) {
		log_error("no address is known for --listen %s: %s.", o->listen.host, why);
		return EXIT_RUN_FAILED;
	}
	err = loop__open(&s.loop);
	if (err)
		log_error("cannot wait for events: %s.", strerror(-err));
	if (!err)
		err = start(&s);
	if (!err)
		err = serve(&s);
	driver__clear(&s.driver);
	loop__close(&s.loop);
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}
