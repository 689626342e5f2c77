/* SPDX-License-Identifier: GPL-2.0-only */
/* The diagnosis as a document; see diagnosis.h and docs/reference/doctor.md. */
#include <string.h>

#include "diagnosis.h"
#include "write/json.h"

/* "" is null. */
static json_t *text_or_null(const char *text)
{
	return json_value__text(text[0] ? text : NULL);
}

static json_t *stage_json(const struct stage_line *s)
{
	return json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:s?, s:o}", "stage", s->stage, "quality",
			 quality__name(s->quality), "backend", s->backend, "hook", s->hook, "modes",
			 json_value__modes(s->modes), "reason", s->reason, "remedy",
			 text_or_null(s->remedy));
}

/* The command that can use it. */
static const char *command_of(const struct alternative *alt)
{
	if (alt->object == OBJECT_RUN || alt->declared)
		return "run";
	return alt->probe < PROBE_SOCKETS ? "run, attach" : "attach";
}

/* The kernel's answer to an alternative. */
static json_t *hook_json(const struct alternative *alt, const struct probe_result *probe_result)
{
	static const char *const answers[] = {
		[ANSWER_UNKNOWN] = "unknown",
		[ANSWER_YES] = "yes",
		[ANSWER_NO] = "no",
	};

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?}", "command", command_of(alt), "hook",
			 alt->hook, "backend", backend__name(alt->backend), "quality",
			 quality__name(alt->quality), "possible", answers[probe_result->answer],
			 "error", probe_result->err ? strerror(-probe_result->err) : NULL);
}

static json_t *plan_json(const struct plan_row *rows, size_t nr)
{
	json_t *array = json_array();

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(array, json_document__plan_row(&rows[i]));
	return array;
}

json_t *doctor__document(const struct diagnosis *d)
{
	json_t *checks = json_array(), *stages = json_array(), *hooks = json_array(), *doc;

	for (const struct check *c = d->checks; c < d->checks + d->checks_nr; c++)
		json_array_append_new(checks, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "group",
							c->group, "name", c->name, "state",
							check_state__key(c->state), "value",
							json_value__text(c->value), "means",
							text_or_null(c->means), "remedy",
							text_or_null(c->remedy)));
	for (size_t i = 0; i < d->stages_nr; i++)
		json_array_append_new(stages, stage_json(&d->stages[i]));
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		json_array_append_new(hooks,
				      hook_json(&plan_alternatives[i], &d->probe_results[i]));
	doc = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
			DOCTOR_SCHEMA, "version", NETIOTRACE_VERSION, "tried", d->tried, "usable",
			d->tried ? json_boolean(d->usable) : json_null(), "attach_usable",
			d->tried ? json_boolean(d->attach_usable) : json_null(), "environment",
			json_document__environment(&d->facts.env), "checks", checks, "stages",
			stages, "plan", plan_json(d->rows, d->rows_nr), "attach_plan",
			plan_json(d->attach_rows, d->attach_rows_nr), "hooks", hooks);
	if (!d->tried) {
		json_put_reason(doc, "usable", "no hook was tried: that needs root");
		json_put_reason(doc, "attach_usable", "no hook was tried: that needs root");
	}
	return doc;
}
