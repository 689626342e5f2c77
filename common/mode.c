/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of copy modes. Pure. */
#include <errno.h>
#include <stdio.h>

#include "mode.h"
#include "units.h"
#include "word.h"

static const struct mode_info modes[] = {
#define X(id, name, ...) [MODE_##id] = {#name, __VA_ARGS__},
	MODES(X)
#undef X
};

const struct mode_info *mode__info(enum mode mode)
{
	static const struct mode_info unknown = {"?", "?", 0, 7, 7};

	return (unsigned int)mode < MODE_NR ? &modes[mode] : &unknown;
}

const char *mode__name(enum mode mode)
{
	return mode__info(mode)->name;
}

const char *mode__words(enum mode mode)
{
	return mode__info(mode)->words;
}

bool mode__has(enum mode mode, enum mode_feature feature)
{
	return mode__info(mode)->features & feature;
}

const char *mode__refusal(enum mode mode)
{
	return mode__has(mode, MODE_PINS_BY_URING) ? "ENOMEM" : "ENOBUFS";
}

/* Sender memory for the messages of `connections` connections, bytes. */
static uint64_t mode__memory(enum mode mode, uint64_t size, unsigned int connections,
			     unsigned int depth)
{
	uint64_t messages = depth;

	if (mode__has(mode, MODE_GATHERS))
		messages = 2; /* the fields, and the buffer they are gathered into */
	else if (mode__has(mode, MODE_PINS))
		messages = mode__slots(size, connections, depth);
	return messages * size * connections;
}

int mode__check_memory(enum mode mode, const struct workload *w, uint64_t memory, char *why,
		       size_t len)
{
	char need[UNITS_BUF], each[UNITS_BUF];
	uint64_t size = workload__message_size(w);
	unsigned int connections = workload__connections(w), depth = mode__depth(mode, w);
	uint64_t bytes = mode__memory(mode, size, connections, depth);

	if (bytes <= memory / 2)
		return 0;
	snprintf(why, len,
		 "%s messages of %s on %u connection%s would take %s, more than half of this "
		 "machine's memory: ask for smaller messages or fewer connections%s",
		 mode__name(mode), format_size(each, sizeof(each), size), connections,
		 plural(connections), format_size(need, sizeof(need), bytes),
		 depth > 1 ? ", or lower --uring-depth" : "");
	return -EINVAL;
}

/* Why the mode cannot send this workload; NULL: it can. */
static const char *misfit(enum mode mode, const struct workload *w)
{
	const struct {
		enum mode_feature of;
		bool wrong;
		const char *why;
	} rules[] = {
		{MODE_SENDS_FILE, w->verify,
		 "a mode that sends a file cannot write what --verify checks: leave out --verify"},
		{MODE_SENDS_FILE, w->request_response,
		 "a mode that sends a file cannot number its messages, which --request-response "
		 "needs: leave it out"},
		{MODE_SENDS_FILE, w->header,
		 "a mode that sends a file sends no memory before it: leave out --header"},
		{MODE_SENDS_FILE, w->fields > 1,
		 "a mode that sends a file has no fields: leave out --fields"},
		{MODE_PINS_BY_URING, w->fixed_buffers && (w->fields != 1 || w->header),
		 "--fixed-buffers sends a message from one buffer: give --fields 1, and leave out "
		 "--header"},
		{MODE_ENCRYPTS, w->request_response,
		 "mode ktls has a key for one direction only: leave out --request-response"},
		{MODE_ENCRYPTS, w->receive != RECEIVE_RECV,
		 "mode ktls is measured with --receive recv only: leave out --receive"},
		{MODE_ENCRYPTS, w->fields > WORKLOAD_FIELDS,
		 "mode ktls takes at most 8 fields: kTLS copies what is in more pieces"},
		{MODE_ENCRYPTS, w->rcvlowat,
		 "mode ktls wakes the receiver for each record: leave out --rcvlowat"},
		/* The kernel doubles the size; a record has 16406 bytes. */
		{MODE_ENCRYPTS, w->rcvbuf && w->rcvbuf < 16 << 10,
		 "a record of mode ktls may be larger than so small a buffer: give --rcvbuf 16k or "
		 "more, or leave it out"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (mode__has(mode, rules[i].of) && rules[i].wrong)
			return rules[i].why;
	return NULL;
}

/* "--NAME is for modes A and B: leave it out, or give --mode A". Returns why. */
static const char *refuse_without_mode(const struct option_row *row, char why[MODE_WHY])
{
	const char *of[MODE_NR] = {NULL};
	size_t nr = 0;

	for (int m = 0; m < MODE_NR; m++)
		if (mode__has(m, row->needs))
			of[nr++] = modes[m].name;
	snprintf(why, MODE_WHY, "--%s is for mode%s %s%s%s: leave it out, or give --mode %s",
		 row->name, plural(nr), of[0], nr > 1 ? " and " : "", nr > 1 ? of[1] : "", of[0]);
	return why;
}

const char *mode__conflict(const enum mode *list, size_t nr, const struct workload *w,
			   char why[MODE_WHY])
{
	const char *conflict = workload__conflict(w);
	unsigned int features = 0;

	for (size_t i = 0; i < nr && !conflict; i++)
		conflict = misfit(list[i], w);
	for (size_t i = 0; i < nr; i++)
		features |= mode__info(list[i])->features;
	for (const struct option_row *row = workload_options;
	     nr && !conflict && row < workload_options + WORKLOAD_OPTIONS_NR; row++)
		if (row->needs && !(row->needs & features) && option__number(row, w) > row->min)
			conflict = refuse_without_mode(row, why);
	return conflict;
}

unsigned int mode__fields(enum mode mode, const struct workload *w)
{
	if (mode__has(mode, MODE_SENDS_FILE))
		return 1;
	return w->fields ? w->fields : WORKLOAD_FIELDS;
}

unsigned int mode__depth(enum mode mode, const struct workload *w)
{
	return mode__has(mode, MODE_SUBMITS) && w->uring_depth ? w->uring_depth : 1;
}

int mode__parse(const char *s, enum mode *out)
{
	for (int i = 0; i < MODE_NR; i++) {
		if (same_word(s, modes[i].name)) {
			*out = (enum mode)i;
			return 0;
		}
	}
	return -EINVAL;
}

char *mode__list(char *buf, size_t len, unsigned int mask)
{
	size_t used = 0;

	*buf = '\0';
	for (int m = 0; m < MODE_NR && used < len; m++)
		if (mask & 1U << m)
			used += (size_t)snprintf(buf + used, len - used, "%s%s", used ? " " : "",
						 modes[m].name);
	return buf;
}
