/* SPDX-License-Identifier: GPL-2.0-only */
/* The loop of follow: a sample, its names, a pause; see follow.h. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/exit_code.h"
#include "base/launch.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/num.h"
#include "base/resource_limits.h"
#include "base/spawn.h"
#include "base/terminal.h"
#include "common/xalloc.h"
#include "follow.h"
#include "follow_result.h"
#include "kernel/target.h"
#include "processes.h"

#define COLUMNS_MIN    60
#define COMMAND_END_MS 500
#define FEW_CPUS       4 /* fewer: a lower default rate */
#define RATE_DEFAULT   5
#define RATE_FEW_CPUS  2
#define SCAN_NS        1000000000ULL
#define WAIT_NS        20000000ULL   /* for bytes of one direction, polling */
#define IDLE_TRIES     3             /* without a byte, until a direction is tried less often */
#define IDLE_TURNS     8             /* then every so many samples */
#define STOP_NS_MAX    10000000ULL   /* a longer stop ends the sampling */
#define STOP_SHARE     100           /* stops take at most 1/100 of the time */
#define NAMES_NS       5000000000ULL /* for the names of one sample */
#define NAMES_END_NS   300000000ULL  /* the same, after Ctrl-C */

#define EARLY         "Sampling ended early: "
#define STOP_TOO_LONG EARLY "a stop took longer than 10 ms, since the CPUs are busy"
#define CPU_ADDED     EARLY "a CPU came online, which has no watchpoint"
#define STEP_PENDING                                                                           \
	EARLY "an instruction of the program has waited for over 0.1 s for a %s. Process %d, " \
	      "which executes it, ends when that came; SIGKILL to it would end the program"

enum {
	FILE_JSON,
	FILE_FOLDED,
	FILE_NR,
};

struct session {
	struct follow_options o; /* with the default rate filled in */
	struct loop loop;
	struct launch launch;
	struct watchpoints *watch;
	struct worker decoder;
	struct frame_namer *namer;
	struct byte_sampler sampler;
	struct processes processes;
	struct follow_result found;
	struct atomic_file *files[FILE_NR];
	const char *names[FILE_NR];
	FILE *out;
	uint64_t begun_ns, scan_ns, sample_ns;    /* when the next ones are due */
	bool naming;                              /* the names of a sample are awaited */
	uint64_t names_ns;                        /* until then */
	unsigned int turn;                        /* number of the sample */
	unsigned int idle[NIO_FOLLOW_DIRECTIONS]; /* tries in a row without a byte */
	bool sampling;                            /* a sample was begun */
	long cpus;                                /* that are online */
	int signo, status;                        /* as of attach */
	char pending[320];                        /* why a sample stays */
	bool over;
};

static int failed(int err, const char *what)
{
	if (!err)
		return EXIT_DONE;
	log_error("cannot %s: %s.", what, limits__strerror(err));
	return EXIT_RUN_FAILED;
}

static int check_machine(struct session *s)
{
	struct follow_machine m;
	const char *why;

	follow_machine__read(&m);
	why = follow_machine__refusal(&m);
	if (!s->o.rate)
		s->o.rate = m.cpus < FEW_CPUS ? RATE_FEW_CPUS : RATE_DEFAULT;
	if (!why)
		return EXIT_DONE;
	log_error("%s.", why);
	return m.may_trace ? EXIT_KERNEL : EXIT_PRIVILEGES;
}

static int open_files(struct session *s)
{
	int code = EXIT_DONE;

	s->names[FILE_JSON] = s->o.json;
	s->names[FILE_FOLDED] = s->o.folded;
	for (int i = 0; i < FILE_NR && !code; i++)
		code = atomic_file__ask(&s->files[i], s->names[i]);
	return code;
}

/* Without names the copies are still counted. */
static int open_workers(struct session *s)
{
	int err = frame_namer__open(&s->namer);

	if (!err)
		err = loop__add(&s->loop, frame_namer__fd(s->namer));
	if (err)
		log_warning("functions and lines are unknown: %s.", limits__strerror(err));
	return failed(decoder__start(&s->decoder), "start the process that decodes instructions");
}

static int start_command(struct session *s)
{
	const struct command command = {s->o.target.command, s->o.to_stdout};
	int code;

	if (!command.argv)
		return EXIT_DONE;
	code = failed(spawn__hold(&s->launch, &command), "start the command");
	if (!code)
		code = failed(loop__add(&s->loop, s->launch.pidfd), "wait for the command");
	if (!code)
		code = failed(launch__go(&s->launch, NULL), "run the command");
	s->processes.command = s->launch.pid;
	return code;
}

/* A --pid that does not exist, or is traced, is an error at the start. */
static int check_processes(const struct session *s)
{
	if (s->processes.traced && !s->processes.found)
		return EXIT_RUN_FAILED;
	if (s->o.target.pids_nr && !s->processes.found) {
		log_error("--pid %d: there is no such process.", (int)s->o.target.pids[0]);
		return EXIT_RUN_FAILED;
	}
	if (!s->processes.found)
		log_warning("--comm %s: no process of this name runs now; later ones are followed.",
			    s->o.target.comms_asked[0]);
	return EXIT_DONE;
}

static int open_session(struct session *s)
{
	char why[FOLLOW_WHY] = "";
	int code = target__check_names(&s->o.target, "follow");

	if (!code)
		code = open_workers(s);

	if (!code)
		code = watchpoints__open(&s->watch, s->o.target.ports, s->o.target.ports_nr, why);
	if (*why)
		log_error("%s.", why);
	if (!code)
		code = failed(byte_sampler__open(&s->sampler, s->watch, &s->decoder), "get memory");
	if (!code)
		code = start_command(s);
	if (code)
		return code;
	s->processes.watch = s->watch;
	s->processes.o = &s->o;
	processes__scan(&s->processes);
	return check_processes(s);
}

static void show_progress(struct session *s)
{
	s->found.duration_ns = loop__now_ns() - s->begun_ns;
	if (!s->o.quiet)
		follow_result__print_progress(
			s->out, &s->found,
			(unsigned int)(s->o.duration_ns / 1000 * s->o.rate / 1000000));
	fflush(s->out);
}

/* In turn, but for one that has no bytes. */
static enum nio_follow_direction choose_direction(struct session *s)
{
	enum nio_follow_direction d = ++s->turn % NIO_FOLLOW_DIRECTIONS;

	if (s->idle[d] >= IDLE_TRIES && s->idle[!d] < IDLE_TRIES && s->turn / 2 % IDLE_TURNS)
		d = !d;
	return d;
}

static void begin_sample(struct session *s)
{
	int err;

	s->sample_ns = UINT64_MAX;
	err = byte_sampler__begin(&s->sampler, choose_direction(s), WAIT_NS);
	s->sampling = !err;
	if (!err)
		err = loop__add(&s->loop, s->sampler.over_fd);
	if (!err)
		return;
	failed(err, "follow a byte");
	s->over = true;
}

static void add_sample(struct session *s, const struct follow_place *places)
{
	static const struct follow_place unknown[CHAIN_LINKS_MAX];

	s->naming = false;
	follow_result__add(&s->found, s->sampler.shared, places ? places : unknown);
}

/* A process that does not answer is left behind: it may be stuck in the kernel. */
static void drop_namer(struct session *s)
{
	if (!s->signo)
		log_warning("functions and lines are unknown from here on: files that the program "
			    "maps could not be read in time, or the process that reads them "
			    "ended.");
	loop__remove(&s->loop, frame_namer__fd(s->namer));
	frame_namer__close(s->namer);
	s->namer = NULL;
	if (s->naming)
		add_sample(s, NULL);
}

static void begin_names(struct session *s)
{
	const struct chain *c = &s->sampler.shared->chain;

	s->naming = c->links_nr && frame_namer__ask(s->namer, c);
	s->names_ns = loop__now_ns() + (s->signo ? NAMES_END_NS : NAMES_NS);
	if (!s->naming)
		add_sample(s, NULL);
}

static void end_early(struct session *s, const char *why)
{
	s->found.ended_early = why;
	s->over = true;
}

/* What the sample says about the next ones. */
static void check_sample(struct session *s, const struct sample *sample)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (sample->stays) {
		snprintf(s->pending, sizeof(s->pending), STEP_PENDING,
			 sample->chain.end == CHAIN_FAULT
				 ? "page of memory (disk, swap, network file system, userfaultfd)"
				 : "CPU",
			 (int)s->sampler.pid);
		end_early(s, s->pending);
	} else if (sample->longest_ns > STOP_NS_MAX) {
		end_early(s, STOP_TOO_LONG);
	} else if (cpus > s->cpus) {
		end_early(s, CPU_ADDED);
	}
	s->cpus = cpus;
}

static void end_sample(struct session *s)
{
	const struct sample *sample = s->sampler.shared;

	if (!s->sampling)
		return;
	loop__remove(&s->loop, s->sampler.over_fd);
	s->sampling = false;
	byte_sampler__end(&s->sampler);
	s->idle[s->sampler.direction] = sample->chain.begun ? 0 : s->idle[s->sampler.direction] + 1;
	begin_names(s);
	/* Random, so that no period of the program is met; later if the stops took long. */
	s->sample_ns =
		loop__now_ns() + u64__most((uint64_t)((0.5 + drand48()) * 1e9 / (double)s->o.rate),
					   sample->stopped_ns * STOP_SHARE);
	check_sample(s, sample);
}

static void handle_event(struct session *s, const struct loop_event *ev)
{
	const struct follow_place *places;

	if (ev->kind == LOOP_SIGNAL && ev->signo != SIGWINCH) {
		s->signo = ev->signo;
		s->over = true;
		s->names_ns = u64__least(s->names_ns, loop__now_ns() + NAMES_END_NS);
	}
	if (ev->kind != LOOP_READABLE)
		return;
	if (s->sampling && ev->fd == s->sampler.over_fd) {
		end_sample(s);
	} else if (s->namer && ev->fd == frame_namer__fd(s->namer)) {
		places = frame_namer__answer(s->namer);
		if (places)
			add_sample(s, places);
		else
			drop_namer(s);
	} else if (s->status < 0 && ev->fd == s->launch.pidfd) {
		s->status = launch__wait(&s->launch, 0);
		s->over = s->over || s->status >= 0;
		if (s->status >= 0)
			loop__remove(&s->loop, ev->fd);
	}
}

static void do_due(struct session *s, uint64_t now)
{
	if (now >= s->scan_ns) {
		processes__scan(&s->processes);
		show_progress(s);
		s->scan_ns = now + SCAN_NS;
		s->over = s->over || processes__are_over(&s->processes);
	}
	if (s->naming && now >= s->names_ns)
		drop_namer(s);
	if (!s->naming && now >= s->sample_ns && !s->over)
		begin_sample(s);
}

/* Whatever the next event is, this is when to look again. */
static int await_event(struct session *s, uint64_t end)
{
	struct loop_event ev;
	int err =
		loop__wait(&s->loop, &ev, u64__least(end, s->naming ? s->names_ns : s->sample_ns));

	if (!err)
		handle_event(s, &ev);
	return err;
}

static int follow(struct session *s)
{
	uint64_t end = s->begun_ns + s->o.duration_ns;
	int err = 0;

	s->sample_ns = s->begun_ns;
	s->scan_ns = s->begun_ns + SCAN_NS;
	while (!err && !s->over && loop__now_ns() < end) {
		err = await_event(s, u64__least(end, s->scan_ns));
		do_due(s, loop__now_ns());
	}
	end_sample(s);
	return err ? loop__report(err) : EXIT_DONE;
}

/* The last names. The debug registers are free by now, for another follow. */
static void await_names(struct session *s)
{
	while (s->naming) {
		int err = await_event(s, s->names_ns);

		if (s->naming && (err || loop__now_ns() >= s->names_ns))
			drop_namer(s);
	}
}

static const char *why_unseen(const struct session *s, enum nio_follow_direction d)
{
	for (size_t i = 0; i < s->processes.nr; i++)
		if (follow_uses_io_uring(s->processes.all[i].pid))
			return "the program uses io_uring, whose receives and sends are not seen";
	if (s->found.of[d].bytes)
		return NULL;
	if (!s->processes.comm[0])
		return "no process was followed";
	return d == NIO_FOLLOW_SENT
		       ? "no TCP payload was sent by a call that follow sees (write, send, sendmsg "
			 "and the like)"
		       : "no TCP payload was received by a call that follow sees (read, recv, "
			 "recvmsg and the like)";
}

static void read_totals(struct session *s)
{
	volatile struct nio_follow *shared = watchpoints__shared(s->watch);
	struct follow_result *r = &s->found;

	r->duration_ns = loop__now_ns() - s->begun_ns;
	r->interrupted = s->signo != 0;
	memcpy(r->comm, s->processes.comm, sizeof(r->comm));
	r->slots = watchpoints__slots(s->watch);
	for (enum nio_follow_direction d = 0; d < NIO_FOLLOW_DIRECTIONS; d++) {
		r->of[d].bytes = shared->bytes[d];
		r->of[d].calls = shared->calls[d];
		r->of[d].unseen = why_unseen(s, d);
	}
	/* Not by the Ctrl-C that ends both. */
	if (shared->killed && (int)shared->killed_by != s->signo) {
		r->killed = shared->killed;
		r->killed_pid = shared->killed_pid;
		r->killed_by = (int)shared->killed_by;
	}
	r->holds = shared->holds;
	r->held_ns = shared->held_ns;
	r->late = shared->timeouts;
	r->touches_elsewhere = shared->touches_elsewhere;
	r->lost = shared->lost;
}

/* All or, after a failure, none of the later ones. */
static int write_files(struct session *s)
{
	int code = EXIT_DONE;

	for (int i = 0; i < FILE_NR && !code; i++) {
		FILE *f = s->files[i] ? atomic_file__stream(s->files[i]) : NULL;
		int err = 0;

		if (!f)
			continue;
		if (i == FILE_JSON) {
			json_t *document = follow_result__document(&s->found);

			err = json_document__write(f, document);
			json_decref(document);
		} else {
			follow_result__write_folded(f, &s->found);
			err = ferror(f) ? -EIO : 0;
		}
		if (atomic_file__finish(&s->files[i], err, s->names[i]))
			code = EXIT_RUN_FAILED;
	}
	return code;
}

static int report(struct session *s)
{
	if (!s->o.quiet) {
		fputc('\n', s->out);
		follow_result__print(s->out, terminal__text_columns(s->out, COLUMNS_MIN),
				     &s->found);
	}
	atomic_file__flush_stdout();
	return write_files(s);
}

static int run(struct session *s)
{
	int code = open_session(s);

	if (code)
		return code;
	s->begun_ns = loop__now_ns();
	s->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	srand48((long)s->begun_ns);
	if (!s->o.quiet)
		log_info("following");
	code = follow(s);
	read_totals(s);
	if (s->launch.pid && s->status < 0 && s->signo && !kill(s->launch.pid, s->signo))
		s->status = launch__wait(&s->launch, COMMAND_END_MS);
	watchpoints__close(s->watch);
	s->watch = NULL;
	await_names(s);
	follow_result__sort(&s->found);
	if (!code)
		code = report(s);
	if (code)
		return code;
	return s->status >= 0 ? s->status : s->signo ? EXIT_SIGNAL_BASE + s->signo : EXIT_DONE;
}

int follow_session__run(const struct follow_options *o)
{
	struct session *s = xcalloc(1, sizeof(*s));
	int code;

	s->o = *o;
	s->loop = (struct loop)LOOP_INIT;
	s->launch = (struct launch)LAUNCH_INIT;
	s->decoder.fd = -1;
	s->status = -EAGAIN;
	s->found.o = &s->o;
	s->out = o->target.command || o->to_stdout ? stderr : stdout;
	code = check_machine(s);
	if (!code)
		code = open_files(s);
	if (!code)
		code = loop__open(&s->loop);
	if (!code)
		code = run(s);
	for (int i = 0; i < FILE_NR; i++)
		atomic_file__abort(s->files[i]);
	byte_sampler__close(&s->sampler);
	watchpoints__close(s->watch);
	worker__stop(&s->decoder);
	frame_namer__close(s->namer);
	launch__close(&s->launch);
	loop__close(&s->loop);
	follow_result__clear(&s->found);
	free(s);
	return code;
}
