/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times as JSON: which round they are of, what a send call is made of, what a stage's time is the
 * time of. docs/OUTPUT.md, "Verdict, time, health".
 */
#include "json.h"
#include "model/time_figures.h"

/* What the times are of: rounds of their own, or the run itself. */
struct timed {
	const char *source; /* NULL: none, and why */
	const char *reason;
	double seconds;
	uint64_t messages, payload, calls;
	struct num missed, map_full, unmatched;
};

static void of_own_round(struct timed *t, const struct times_result *own)
{
	t->source = "own_round";
	t->seconds = (double)own->duration_ns / 1e9;
	t->messages = own->messages;
	t->payload = own->payload;
	t->missed = own->missed;
	t->map_full = own->map_full;
	t->unmatched = own->unmatched;
}

static void of_round(struct timed *t, const struct run_result *run)
{
	t->source = "round";
	t->seconds = (double)run->duration_ns / 1e9;
	t->messages = run->app.tx_messages;
	t->payload = run_result__payload(run);
	t->missed = run->health.missed;
	t->map_full = run->health.map_full;
	t->unmatched = run->health.unmatched;
}

static struct timed timed_of(const struct run_result *run)
{
	struct timed t = {.calls = time_figures__calls(run)};

	if (run->times.source == TIMES_OF_ITS_OWN)
		of_own_round(&t, &run->times);
	else if (run->times.source == TIMES_NOT_TAKEN)
		t.reason = run->times.reason;
	else if (run->path_calls.known)
		of_round(&t, run);
	else
		t.reason = run->path_calls.reason ? run->path_calls.reason : "not measured";
	return t;
}

static int put_count(json_t *o, const char *key, const struct timed *t, uint64_t value)
{
	return json_put(o, key, t->source ? json_value__u64(value) : json_null());
}

static int put_loss(json_t *o, const char *key, const struct timed *t, struct num loss)
{
	if (!t->source)
		return json_put(o, key, json_null());
	return json_put_num(o, key, loss);
}

json_t *json_document__times(const struct run_result *run)
{
	struct timed t = timed_of(run);
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "source", json_value__text(t.source));
	if (!t.source)
		err |= json_put(o, "reason", json_value__text(t.reason));
	err |= json_put(o, "duration_s", t.source ? json_value__real(t.seconds) : json_null());
	err |= put_count(o, "messages", &t, t.messages);
	err |= put_count(o, "send_calls", &t, t.calls);
	err |= put_count(o, "payload_bytes", &t, t.payload);
	err |= put_loss(o, "missed", &t, t.missed);
	err |= put_loss(o, "map_full", &t, t.map_full);
	err |= put_loss(o, "unmatched", &t, t.unmatched);
	return json_finish(o, err);
}

int json_document__put_timed_bytes(json_t *o, const struct run_result *run, enum nio_stage stage)
{
	struct real bytes = time_figures__timed_bytes(run, stage);

	return json_put_num(o, "timed_bytes",
			    (struct num){.value = (uint64_t)(bytes.value + 0.5),
					 .known = bytes.known,
					 .reason = bytes.reason});
}

json_t *json_document__path(const struct run_result *run)
{
	json_t *o = json_object();
	int i, err = 0;

	for (i = 0; i < PATH_NR; i++)
		err |= json_put_num(o, path_part__key((enum path_part)i), run->path_ns[i]);
	err |= json_put_num(o, "calls", run->path_calls);
	err |= json_put(o, "quality", json_value__text(quality__name(run->path_quality)));
	if (run->path_reason)
		err |= json_put(o, "reason", json_value__text(run->path_reason));
	return json_finish(o, err);
}
