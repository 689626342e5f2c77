/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes targets; see target_json.h. */
#include <string.h>

#include "base/printable.h"
#include "target_json.h"

json_t *target_json__comm(const char comm[16])
{
	char text[17];

	memcpy(text, comm, 16);
	text[16] = '\0';
	return json_value__text(printable__in_place(text));
}

json_t *target_json__pids(const struct target_options *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->pids_nr; i++)
		json_array_append_new(list, json_integer(t->pids[i]));
	return list;
}

json_t *target_json__comms(const struct target_options *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->comms_nr; i++)
		json_array_append_new(list, target_json__comm(t->comms[i]));
	return list;
}

json_t *target_json__ports(const struct target_options *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->ports_nr; i++)
		json_array_append_new(list, json_integer(t->ports[i]));
	return list;
}
