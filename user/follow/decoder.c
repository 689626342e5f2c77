/* SPDX-License-Identifier: GPL-2.0-only */
/* Serves decoding without privileges; see decoder.h. */
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "decoder.h"

#define TIMEOUT_MS 200

static void answer_touch(struct taint *t, const struct decoder_request *r, struct decoder_answer *a)
{
	struct insn i;

	a->touch = touch__find(&r->code, r->watch, &i);
	if (a->touch.found && a->touch.reads && !a->touch.string_move)
		a->touch.found = taint__begin(t, r->watch, &i, &r->code.regs, r->around);
	else
		memset(t, 0, sizeof(*t));
}

static void answer_step(struct taint *t, const struct decoder_request *r, struct decoder_answer *a)
{
	struct insn i;

	memcpy(t->places, r->places, sizeof(t->places));
	a->decoded = insn__decode(&i, r->code.bytes + INSN_MAX, r->code.after) &&
		     insn__is_steppable(&i, &r->code.regs);
	if (a->decoded)
		a->step = taint__step(t, &i, &r->code.regs, &a->destination, &a->derived);
	a->system_call = a->decoded && i.head.mnemonic == ZYDIS_MNEMONIC_SYSCALL;
	a->loads = t->loads;
	a->pairs = t->pairs;
	a->distance = t->distance;
	a->store = t->store;
	a->store_distance = t->store_distance;
}

void decoder__answer(struct taint *t, const struct decoder_request *request,
		     struct decoder_answer *answer)
{
	*answer = (struct decoder_answer){.number = request->number};
	if (request->code.before > INSN_MAX || request->code.after > INSN_MAX)
		return;
	if (request->op == DECODER_TOUCH)
		answer_touch(t, request, answer);
	else
		answer_step(t, request, answer);
}

static void serve(int fd)
{
	static struct taint t;
	struct decoder_request request;
	struct decoder_answer answer;

	while (read(fd, &request, sizeof(request)) == sizeof(request)) {
		decoder__answer(&t, &request, &answer);
		if (write(fd, &answer, sizeof(answer)) != sizeof(answer))
			return;
	}
}

int decoder__start(struct worker *w)
{
	static const struct worker_task task = {
		.serve = serve, .pure = true, .urgent = true, .timeout_ms = TIMEOUT_MS};

	return worker__start(w, &task);
}

bool decoder__ask(const struct worker *w, struct decoder_request *request,
		  struct decoder_answer *answer)
{
	static uint64_t number;

	request->number = ++number;
	if (!worker__ask(w, request, sizeof(*request), -1, answer, sizeof(*answer)) ||
	    answer->number != request->number)
		return false;
	/* Hostile code may have taken the decoder over. */
	answer->touch.name[sizeof(answer->touch.name) - 1] = '\0';
	printable__in_place(answer->touch.name);
	return true;
}
