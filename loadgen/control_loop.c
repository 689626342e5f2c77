/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits with one poll() for all events of the main thread. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "control_loop.h"

/* A wait in a phase or with a deadline wakes this often, to notice that this process did not run.
 */
#define ROUND_NS (NS_PER_SEC / 4)

enum { AT_COMMANDS, AT_SIGNAL, AT_CONN, AT_WAKE, AT_EXTRA, AT_NR };

/* Whether buf holds a complete line, which poll() does not report. */
static bool control_stdin__pending(const struct control_stdin *c)
{
	return memchr(c->buf, '\n', c->len) != NULL;
}

/* *number: what follows the word, up to max; 0: nothing does. */
static enum control_stdin_command command__parse(const char *line, uint64_t *number,
						 const char **argument)
{
	static const struct {
		const char *word;
		enum control_stdin_command command;
		uint64_t max;
	} words[] = {
		{"start", CONTROL_STDIN_START, 0},
		{"measure", CONTROL_STDIN_MEASURE, UINT32_MAX},
		{"stats", CONTROL_STDIN_STATS, 0},
		{"stop", CONTROL_STDIN_STOP, 0},
		{"refuse", CONTROL_STDIN_REFUSE, UINT32_MAX},
		{"prove", CONTROL_STDIN_PROVE, 0},
		{"half", CONTROL_STDIN_HALF, HALF_MAX},
		{"close", CONTROL_STDIN_CLOSE, 0},
		{"", CONTROL_STDIN_NONE, 0},
	};

	*number = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].word);

		if (strncmp(line, words[i].word, len) || (line[len] && line[len] != ' '))
			continue;
		if (words[i].command == CONTROL_STDIN_PROVE) {
			*argument = line[len] ? line + len + 1 : "";
			return CONTROL_STDIN_PROVE;
		}
		if (!line[len] || !parse_count(line + len + 1, 1, words[i].max, number))
			return words[i].command;
	}
	return CONTROL_STDIN_UNKNOWN;
}

/* Moves text that was read together with its line. */
static enum control_stdin_command control_stdin__fill(struct control_stdin *c)
{
	size_t more = c->text_len - c->have;

	more = more < c->len ? more : c->len;
	memcpy(c->text + c->have, c->buf, more);
	c->have += more;
	c->len -= more;
	memmove(c->buf, c->buf + more, c->len);
	return c->have < c->text_len ? CONTROL_STDIN_NONE : CONTROL_STDIN_HALF;
}

static enum control_stdin_command control_stdin__begin_text(struct control_stdin *c)
{
	c->text_len = c->number;
	c->have = 0;
	free(c->text);
	c->text = xmalloc(c->text_len + 1);
	return control_stdin__fill(c);
}

static enum control_stdin_command control_stdin__cut_line(struct control_stdin *c, size_t len,
							  size_t skip)
{
	enum control_stdin_command command;

	memcpy(c->line, c->buf, len);
	if (len && c->line[len - 1] == '\r')
		len--;
	c->line[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (c->line[i] < ' ' || c->line[i] > '~')
			c->line[i] = '?';
	c->len -= skip;
	memmove(c->buf, c->buf + skip, c->len);
	command = command__parse(c->line, &c->number, &c->argument);
	return command == CONTROL_STDIN_HALF ? control_stdin__begin_text(c) : command;
}

static enum control_stdin_command control_stdin__read_text(struct control_stdin *c)
{
	ssize_t n = read(c->fd, c->text + c->have, c->text_len - c->have);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return CONTROL_STDIN_NONE;
	if (n <= 0)
		return CONTROL_STDIN_EOF;
	c->have += (size_t)n;
	return c->have < c->text_len ? CONTROL_STDIN_NONE : CONTROL_STDIN_HALF;
}

enum control_stdin_command control_stdin__next(struct control_stdin *c)
{
	const char *end;
	ssize_t n;

	if (c->have < c->text_len)
		return control_stdin__read_text(c);
	if (!control_stdin__pending(c)) {
		n = read(c->fd, c->buf + c->len, sizeof(c->buf) - 1 - c->len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return CONTROL_STDIN_NONE;
		if (n <= 0)
			return CONTROL_STDIN_EOF;
		c->len += (size_t)n;
	}
	end = memchr(c->buf, '\n', c->len);
	if (end)
		return control_stdin__cut_line(c, (size_t)(end - c->buf),
					       (size_t)(end - c->buf) + 1);
	/* No command is this long: refuse the line before its end arrives. */
	if (c->len == sizeof(c->buf) - 1)
		return control_stdin__cut_line(c, c->len, c->len);
	return CONTROL_STDIN_NONE;
}

int control_loop__open(struct control_loop *p, bool commands, bool signals)
{
	sigset_t set;

	*p = (struct control_loop){.signal_fd = -1, .wake_fd = -1, .has_commands = commands};
	p->conn.fd = p->pause.fd = -1;
	p->commands.fd = STDIN_FILENO;
	if (!signals)
		return 0;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	p->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return p->signal_fd < 0 ? -errno : 0;
}

void control_loop__close(struct control_loop *p)
{
	if (p->signal_fd >= 0)
		close(p->signal_fd);
	p->signal_fd = -1;
	control_loop__end_phase(p);
	control_conn__close(&p->conn);
	free(p->commands.text);
	p->commands.text = NULL;
}

void control_loop__begin_phase(struct control_loop *p)
{
	control_loop__end_phase(p);
	pause_watch__open(&p->pause);
	p->paused = 0;
	p->in_phase = true;
}

void control_loop__end_phase(struct control_loop *p)
{
	pause_watch__close(&p->pause);
	p->in_phase = false;
}

static int control_loop__poll(struct pollfd *fds, nfds_t n, uint64_t deadline)
{
	struct timespec ts = {0}, *timeout = NULL;
	uint64_t now;
	int got;

	do {
		if (deadline != UINT64_MAX) {
			now = clock__now();
			ts.tv_sec = deadline > now ? (time_t)((deadline - now) / NS_PER_SEC) : 0;
			ts.tv_nsec = deadline > now ? (long)((deadline - now) % NS_PER_SEC) : 0;
			timeout = &ts;
		}
		got = ppoll(fds, n, timeout, NULL);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static void control_loop__count_missed(struct control_loop *p)
{
	p->missed += awake__missed(&p->awake, clock__now());
}

uint64_t control_loop__missed(struct control_loop *p)
{
	uint64_t missed = p->missed;

	p->missed = 0;
	return missed;
}

/* Returns at an event, at the deadline, or after a pause of this process. */
static int control_loop__sleep(struct control_loop *p, struct pollfd *fds, nfds_t n,
			       uint64_t deadline)
{
	uint64_t now, until, due;
	int got;

	if (deadline == UINT64_MAX && !p->in_phase) {
		got = control_loop__poll(fds, n, deadline);
		p->awake = (struct awake){0};
		return got;
	}
	do {
		control_loop__count_missed(p);
		now = clock__now();
		until = deadline > now + time_limit__ns(ROUND_NS) ? now + time_limit__ns(ROUND_NS)
								  : deadline;
		due = until > now ? until : now;
		awake__sleep(&p->awake, due);
		if (p->in_phase)
			pause_watch__sleep(&p->pause);
		got = control_loop__poll(fds, n, until);
		if (p->in_phase)
			p->paused += pause_watch__wake(&p->pause, due, clock__now());
		control_loop__count_missed(p);
	} while (!got && until < deadline && !p->missed);
	return got;
}

/* Clears the events that poll() would report again. */
static void control_loop__drain(const struct control_loop *p, const struct pollfd *fds)
{
	struct signalfd_siginfo info;
	eventfd_t count;

	while (fds[AT_SIGNAL].revents && read(p->signal_fd, &info, sizeof(info)) > 0)
		;
	while (fds[AT_WAKE].revents && !eventfd_read(p->wake_fd, &count))
		;
}

int control_loop__wait(struct control_loop *p, uint64_t deadline, int extra)
{
	struct pollfd fds[AT_NR] = {
		[AT_COMMANDS] = {.fd = p->has_commands ? p->commands.fd : -1, .events = POLLIN},
		[AT_SIGNAL] = {.fd = p->signal_fd, .events = POLLIN},
		[AT_CONN] = {.fd = p->conn.fd, .events = POLLIN},
		[AT_WAKE] = {.fd = p->wake_fd, .events = POLLIN},
		[AT_EXTRA] = {.fd = extra, .events = POLLIN},
	};
	int got, events = 0, i;

	if (p->has_commands && control_stdin__pending(&p->commands))
		return CONTROL_LOOP_COMMAND;
	got = control_loop__sleep(p, fds, AT_NR, deadline);
	if (got < 0)
		return got;
	control_loop__drain(p, fds);
	for (i = 0; i < AT_NR; i++)
		if (fds[i].revents)
			events |= 1 << i;
	return events;
}
