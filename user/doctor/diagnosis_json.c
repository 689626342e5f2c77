/* SPDX-License-Identifier: GPL-2.0-only */
/* The diagnosis as a document; see diagnosis.h and docs/OUTPUT.md. */
#include <string.h>

#include "diagnosis.h"
#include "write/json.h"

static json_t *check_json(const struct check *c)
{
	json_t *o = json_object();

	json_put(o, "group", json_value__text(c->group));
	json_put(o, "name", json_value__text(c->name));
	json_put(o, "state", json_value__text(check_state__key(c->state)));
	json_put(o, "value", json_value__text(c->value));
	json_put(o, "means", json_value__text(c->means[0] ? c->means : NULL));
	json_put(o, "remedy", json_value__text(c->remedy[0] ? c->remedy : NULL));
	return o;
}

static json_t *stage_json(const struct stage_line *s)
{
	json_t *o = json_object();

	json_put(o, "stage", json_value__text(s->stage));
	json_put(o, "quality", json_value__text(quality__name(s->quality)));
	json_put(o, "backend", json_value__text(s->backend));
	json_put(o, "hook", json_value__text(s->hook));
	json_put(o, "modes", json_value__modes(s->modes));
	json_put(o, "reason", json_value__text(s->reason));
	json_put(o, "remedy", json_value__text(s->remedy[0] ? s->remedy : NULL));
	return o;
}

static const char *answer_name(enum answer a)
{
	return a == ANSWER_YES ? "yes" : a == ANSWER_NO ? "no" : "unknown";
}

/* What the kernel said to each alternative of the plan's table. */
static json_t *hook_json(const struct alternative *alt, const struct offer *offer)
{
	json_t *o = json_object();

	json_put(o, "hook", json_value__text(alt->hook));
	json_put(o, "backend", json_value__text(backend__name(alt->backend)));
	json_put(o, "quality", json_value__text(quality__name(alt->quality)));
	json_put(o, "possible", json_value__text(answer_name(offer->answer)));
	json_put(o, "error", json_value__text(offer->err ? strerror(-offer->err) : NULL));
	return o;
}

static json_t *checks_json(const struct diagnosis *d)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->checks_nr; i++)
		json_array_append_new(array, check_json(&d->checks[i]));
	return array;
}

static json_t *stages_json(const struct diagnosis *d)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->stages_nr; i++)
		json_array_append_new(array, stage_json(&d->stages[i]));
	return array;
}

static json_t *hooks_json(const struct diagnosis *d)
{
	json_t *array = json_array();

	for (size_t i = 0; d->offers && i < plan_alternatives_nr; i++)
		json_array_append_new(array, hook_json(&plan_alternatives[i], &d->offers[i]));
	return array;
}

static json_t *plan_json(const struct diagnosis *d)
{
	json_t *array = json_array();

	for (size_t i = 0; i < d->rows_nr; i++)
		json_array_append_new(array, json_document__plan_row(&d->rows[i]));
	return array;
}

json_t *doctor__document(const struct diagnosis *d)
{
	json_t *doc = json_object();

	json_put(doc, "schema", json_value__text(DOCTOR_SCHEMA));
	json_put(doc, "version", json_value__text(NETIOTRACE_VERSION));
	json_put(doc, "tried", json_boolean(d->tried));
	json_put(doc, "usable", d->tried ? json_boolean(d->usable) : json_null());
	if (!d->tried)
		json_put_reason(doc, "usable", "no hook was tried: that needs root");
	json_put(doc, "environment", json_document__environment(&d->facts.env));
	json_put(doc, "checks", checks_json(d));
	json_put(doc, "stages", stages_json(d));
	json_put(doc, "plan", plan_json(d));
	json_put(doc, "hooks", hooks_json(d));
	return doc;
}
