/* SPDX-License-Identifier: GPL-2.0-only */
/* The attach command: its loop and its outputs. The watching is attach_session.h's. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/log.h"
#include "base/resource_limits.h"
#include "base/atomic_file.h"
#include "base/capabilities.h"
#include "base/command_line.h"
#include "base/privileges.h"
#include "base/terminal.h"
#include "attach_result.h"
#include "screen/curses_screen.h"
#include "top_view.h"
#include "attach_session.h"
#include "expect.h"
#include "write/json.h"
#include "write/output.h"

#define COLUMNS_MIN 40

/* How long a command may take to end after a signal. */
#define COMMAND_END_MS 500

/* Files of the result. */
enum {
	FILE_JSON,
	FILE_LINES, /* written while watching */
	FILE_CSV,
	FILE_FOLDED,
	FILE_NR,
};

struct attach {
	struct attach_options o;
	struct attach_session session;
	struct expect expects[ATTACH_ASSERTIONS_MAX];
	struct loop loop;
	struct attach_file {
		const char *name; /* NULL: not asked for */
		struct atomic_file *file;
	} files[FILE_NR];
	struct rate_line line;
	struct top_view view;
	FILE *out;  /* of text: stdout is the command's, or the document's */
	int signo;  /* that ended it; 0: none */
	int status; /* of the command; -EAGAIN: it goes on */
	int until;  /* a pidfd; -1: none */
	bool lines_failed;
	uint64_t end_ns;
};

static int open_files(struct attach *a)
{
	int code = EXIT_DONE;

	a->files[FILE_JSON].name = a->o.json;
	a->files[FILE_LINES].name = a->o.json_lines;
	a->files[FILE_CSV].name = a->o.csv;
	a->files[FILE_FOLDED].name = a->o.folded;
	for (struct attach_file *f = a->files; f < a->files + FILE_NR && !code; f++)
		code = atomic_file__ask(&f->file, f->name);
	return code;
}

/* Ns since 1970. */
static uint64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void draw(void *arg, struct grid *g, bool utf8)
{
	struct attach *a = arg;

	top_view__draw(g, &a->view, &a->session.found, utf8);
}

/* After a failure, which is reported once, the watching goes on without lines. */
static void write_line(struct attach *a)
{
	struct attach_file *f = &a->files[FILE_LINES];
	json_t *line;
	char *text;
	int err;

	if (!f->name || a->lines_failed)
		return;
	line = attach_result__line(&a->session.found, wall_ns());
	text = json_document__line(line);
	err = atomic_file__append(f->file, text, strlen(text));
	free(text);
	json_decref(line);
	if (err)
		log_error("cannot write %s: %s; no more lines are written.", f->name,
			  strerror(-err));
	a->lines_failed = err != 0;
}

static int refresh(struct attach *a)
{
	int code = attach_session__refresh(&a->session);

	/* The first line names the file in its directory. */
	if (!code && a->files[FILE_LINES].name) {
		capabilities__raise();
		write_line(a);
		capabilities__lower(CAPABILITY_OF_ATTACH);
	}
	if (code || a->o.quiet)
		return code;
	if (curses_screen__is_open())
		curses_screen__draw();
	else
		rate_line__print(a->out, &a->line, &a->session.found);
	return EXIT_DONE;
}

/*
 * true: the watching is over. Keys refresh nothing: rates are of whole intervals, not of the time
 * since a key.
 */
static bool handle_keys(struct attach *a)
{
	int key;

	while ((key = curses_screen__key()) != SCREEN_KEY_NONE)
		if (top_view__key(&a->view, &a->o, key))
			return true;
	attach_session__sort(&a->session);
	curses_screen__draw();
	return false;
}

/* true: the watching is over. */
static bool handle_event(struct attach *a, const struct loop_event *ev, int *code)
{
	switch (ev->kind) {
	case LOOP_SIGNAL:
		if (curses_screen__signal(ev->signo))
			return false;
		a->signo = ev->signo;
		return true;
	case LOOP_TICK:
		*code = refresh(a);
		return *code != EXIT_DONE || attach_session__lost_cgroup(&a->session);
	case LOOP_READABLE:
		if (ev->fd == STDIN_FILENO)
			return handle_keys(a);
		if (ev->fd == attach_probes__ends_fd(a->session.probes)) {
			attach_session__add_ended(&a->session);
			return false;
		}
		if (ev->fd == a->until)
			return true;
		if (ev->fd != a->session.launch.pidfd)
			return attach_session__lost(&a->session, &a->loop, ev->fd);
		a->status = launch__wait(&a->session.launch, 0);
		return a->status >= 0;
	default:
		return false;
	}
}

static int watch(struct attach *a)
{
	int err = loop__set_timer(&a->loop, a->o.interval_ns, a->o.interval_ns), code = EXIT_DONE;
	bool over = false;

	capabilities__lower(CAPABILITY_OF_ATTACH);
	while (!err && !over && loop__now_ns() < a->end_ns) {
		struct loop_event ev;

		err = loop__wait(&a->loop, &ev, u64__least(a->end_ns, a->session.next_step_ns));
		if (!err)
			over = handle_event(a, &ev, &code);
		attach_session__step(&a->session);
	}
	capabilities__raise();
	return err ? loop__report(err) : code;
}

/* After --duration a command continues. A signal that ends netiotrace is passed on to it. */
static void end_command(struct attach *a)
{
	if (!a->session.launch.pid || a->status >= 0 || !a->signo)
		return;
	if (kill(a->session.launch.pid, a->signo) && errno == EPERM)
		log_error(
			"the command, process %d, goes on: without CAP_KILL it cannot be signalled "
			"from here; end it with kill %d.",
			(int)a->session.launch.pid, (int)a->session.launch.pid);
	else
		a->status = launch__wait(&a->session.launch, COMMAND_END_MS);
}

static int write_folded(FILE *f, struct profile *p)
{
	profile__sort(p);
	for (size_t i = 0; i < p->nr; i++)
		folded__write(f, &p->stacks[i]);
	return ferror(f) ? -EIO : 0;
}

static int write_file(struct attach *a, int i, const json_t *document)
{
	FILE *f = atomic_file__stream(a->files[i].file);

	if (i == FILE_JSON)
		return json_document__write(f, document);
	if (i == FILE_CSV)
		return attach_result__write_csv(f, &a->session.found, document);
	return write_folded(f, &a->session.found.cpu.profile);
}

static int write_files(struct attach *a, const json_t *document)
{
	int code = a->lines_failed ? EXIT_RUN_FAILED : EXIT_DONE;

	for (int i = 0; i < FILE_NR; i++) {
		struct attach_file *f = &a->files[i];

		if (f->name && i != FILE_LINES &&
		    atomic_file__finish(&f->file, write_file(a, i, document), f->name))
			code = EXIT_RUN_FAILED;
	}
	return code;
}

static int check_expects(struct attach *a, const json_t *document)
{
	const char *nothing = attach_session__saw_nothing(&a->session);
	bool by_task = attach_options__by_task(&a->o);
	char message[512];
	int code = EXIT_DONE;

	if (nothing && !a->o.assertions_nr)
		log_warning("%s.", nothing);
	for (size_t i = 0; i < a->o.assertions_nr; i++) {
		const struct expect *e = &a->expects[i];

		/* A port without a connection is an answer. */
		if (nothing && (by_task || !expect__counts_connections(e)))
			expect__unknown(e, nothing, message, sizeof(message));
		else if (expect__check(e, document, message, sizeof(message)))
			continue;
		log_error("%s.", message);
		code = EXIT_ASSERTION;
	}
	return code;
}

static int check_books(const struct attach *a)
{
	if (!attach_result__unbalanced(&a->session.found))
		return EXIT_DONE;
	log_error("the books do not balance: see the first sentence of the text, or "
		  "ledger.unaccounted_tx and _rx.");
	return EXIT_RUN_FAILED;
}

static int report(struct attach *a)
{
	json_t *document = attach_result__document(&a->session.found);
	int code, next, ledger;

	if (!a->o.quiet && a->line.headed)
		fputc('\n', a->out);
	if (!a->o.quiet)
		attach_result__print(a->out, terminal__text_columns(a->out, COLUMNS_MIN),
				     &a->session.found);
	/* Detaching comes before exit, and waits for a grace period at each function. */
	atomic_file__flush_stdout();
	write_line(a);
	code = write_files(a, document);
	ledger = check_books(a);
	next = check_expects(a, document);
	json_decref(document);
	return code ? code : ledger ? ledger : next;
}

static int run(struct attach *a)
{
	int code = attach_session__open(&a->session, &a->o, &a->loop), restart = EXIT_DONE, failed;

	if (code)
		return code;
	/* The live view needs stdout for itself, and a terminal. */
	if (!a->o.quiet && a->out == stdout)
		curses_screen__open(&a->loop, draw, a);
	a->end_ns = a->o.duration_ns ? a->session.found.begun_ns + a->o.duration_ns : UINT64_MAX;
	code = watch(a);
	while (!code && !restart && a->view.restarts) {
		top_view__clear(&a->view);
		restart = attach_session__restart(&a->session, &a->loop);
		if (!restart)
			code = watch(a);
	}
	/* --duration may have ended while r loaded. */
	if (!a->signo)
		a->signo = loop__ending_signal();
	top_view__clear(&a->view);
	curses_screen__close();
	failed = attach_session__finish(&a->session);
	a->session.found.interrupted = a->signo != 0;
	end_command(a);
	if (!code)
		code = failed ? failed : report(a);
	if (code || restart)
		return code ? code : restart;
	return a->status >= 0 ? a->status : a->signo ? EXIT_SIGNAL_BASE + a->signo : EXIT_DONE;
}

/* Opened before the programs are loaded, which takes seconds. */
static int watch_until(struct attach *a)
{
	int err;

	if (!a->o.until_pid)
		return EXIT_DONE;
	a->until = (int)syscall(SYS_pidfd_open, (pid_t)a->o.until_pid, 0);
	err = a->until < 0 ? -errno : loop__add(&a->loop, a->until);
	if (!err)
		return EXIT_DONE;
	log_error("cannot wait for the end of process %d (--until-pid): %s.", (int)a->o.until_pid,
		  limits__strerror(err));
	return EXIT_RUN_FAILED;
}

/* An empty document tells which fields there are. */
static void parse_expects(struct attach *a)
{
	static const struct attach_options options;
	struct attach_result empty = {.o = &options};
	json_t *document = attach_result__document(&empty);
	char message[512];

	for (size_t i = 0; i < a->o.assertions_nr; i++)
		if (expect__parse(&a->expects[i], a->o.assertions[i], document, message,
				  sizeof(message)))
			usage_error("%s.", message);
	json_decref(document);
}

int attach__main(int argc, char **argv)
{
	static struct attach a = {
		.session = ATTACH_SESSION_INIT, .loop = LOOP_INIT, .status = -EAGAIN, .until = -1};
	int code;

	attach_options__parse(&a.o, argc, argv);
	parse_expects(&a);
	a.out = a.o.target.command || a.o.to_stdout ? stderr : stdout;
	code = privileges__check_trace();
	if (!code)
		code = open_files(&a);
	if (!code)
		code = loop__open(&a.loop);
	if (!code)
		code = watch_until(&a);
	if (!code)
		code = run(&a);
	for (int i = 0; i < FILE_NR; i++)
		atomic_file__abort(a.files[i].file);
	for (size_t i = 0; i < a.o.assertions_nr; i++)
		expect__clear(&a.expects[i]);
	attach_session__close(&a.session);
	if (a.until >= 0)
		close(a.until);
	loop__close(&a.loop);
	return code;
}
