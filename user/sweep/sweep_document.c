/* SPDX-License-Identifier: GPL-2.0-only */
/* What sweep.json says; see sweep_document.h. */
#include "results_dir.h"
#include "settings_file.h"
#include "sweep_document.h"
#include "write/json.h"

static json_t *tool_json(const struct sweep_options *o)
{
	json_t *tool = json_object(), *argv = json_array();

	for (int i = 0; i < o->run.argc; i++)
		json_array_append_new(argv, json_value__text(o->run.argv[i]));
	json_put(tool, "version", json_value__text(NETIOTRACE_VERSION));
	json_put(tool, "argv", argv);
	return tool;
}

/* Is there such a row already, of other sizes? Then this size is added to that. */
static bool merge_row(json_t *rows, const json_t *row, uint64_t size)
{
	json_t *other, *plain;
	size_t i;

	json_array_foreach(rows, i, other) {
		bool same;

		plain = json_copy(other);
		json_object_del(plain, "sizes");
		same = json_equal(plain, row);
		json_decref(plain);
		if (same)
			return !json_array_append_new(json_object_get(other, "sizes"),
						      json_value__u64(size));
	}
	return false;
}

static void add_rows(json_t *rows, const struct engine *e, uint64_t size)
{
	for (size_t i = 0; i < e->result.plan_nr; i++) {
		json_t *row = json_document__plan_row(&e->result.plan[i]);

		if (merge_row(rows, row, size)) {
			json_decref(row);
			continue;
		}
		json_put(row, "sizes", json_pack("[I]", (json_int_t)size));
		json_array_append_new(rows, row);
	}
}

/* The plan of all modes, for each size: rows as in a result document, and the sizes they serve. */
static json_t *plan_json(const struct sweep_options *o, struct engine *e)
{
	struct options cell = o->run;
	json_t *rows = json_array();

	for (size_t i = 0; i < o->grid.sizes_nr; i++) {
		cell.traffic.size = o->grid.sizes[i];
		engine__use(e, &cell);
		add_rows(rows, e, cell.traffic.size);
	}
	engine__use(e, &o->run);
	return rows;
}

/* Of the sweep, which may be interrupted and resumed: each run's document has the rest. */
static json_t *steady_environment(const struct engine *e)
{
	json_t *all = json_document__environment(&e->result.env);
	json_t *steady = json_environment__steady(all);

	json_decref(all);
	return steady;
}

json_t *sweep_document__make(const struct sweep_options *options, struct engine *e)
{
	json_t *o = json_object();

	json_put(o, "schema", json_value__text(SWEEP_SCHEMA));
	json_put(o, "tool", tool_json(options));
	json_put(o, "environment", steady_environment(e));
	json_put(o, "settings", sweep_settings__json(options));
	json_put(o, "plan", plan_json(options, e));
	return o;
}
