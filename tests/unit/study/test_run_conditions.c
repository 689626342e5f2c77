/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of a run: their values and differences. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "study/run_conditions.h"
#include "support/read_dataset.h"

static json_t *of(const char *conditions, const char *environment, const char *fields)
{
	json_t *s = conditions ? json_of(conditions) : NULL;
	json_t *e = environment ? json_of(environment) : NULL;
	json_t *f = fields ? json_of(fields) : NULL;
	json_t *o = run_conditions__of(s, e, f);

	assert_non_null(o);
	json_decref(s);
	json_decref(e);
	json_decref(f);
	return o;
}

static void check(json_t *o, const char *name, const char *value)
{
	const char *found = json_string_value(json_object_get(o, name));

	if (!value) {
		assert_null(json_object_get(o, name));
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, value);
}

TEST(setting_values_are_text)
{
	json_t *o = of("{'verify': true, 'rate': 2.5, 'affinity': '', 'busy': null,"
		       " 'list': {'b': 1, 'a': 2}, 'busy_reason': 'no', 'size': 4096,"
		       " 'mode': 'x', 'argv': [1], 'seed': 3, 'fingerprint': 'f'}",
		       "{'kernel': 'Linux 6.12', 'cpus': 4, 'uptime': 5, 'mtu': null}", "8");

	check(o, "verify", "true");
	check(o, "rate", "2.5");
	check(o, "affinity", NULL);
	check(o, "busy", NULL);
	check(o, "busy_reason", NULL);
	check(o, "list", "{\"a\": 2, \"b\": 1}");
	/* Settings that a data set varies, or that do not affect the traffic. */
	check(o, "size", NULL);
	check(o, "mode", NULL);
	check(o, "argv", NULL);
	check(o, "seed", NULL);
	check(o, "fingerprint", NULL);
	check(o, "kernel", "Linux 6.12");
	check(o, "cpus", "4");
	check(o, "uptime", NULL);
	check(o, "mtu", NULL);
	check(o, "fields", "8");
	assert_int_equal(json_object_size(o), 6);
	json_decref(o);
	o = of(NULL, NULL, NULL);
	assert_int_equal(json_object_size(o), 0);
	json_decref(o);
}

TEST(results_that_lack_a_later_setting_had_its_default)
{
	json_t *before = of("{'rcvlowat': null}", NULL, NULL);
	json_t *later =
		of("{'rcvlowat': null, 'receive': 'recv', 'tls': '1.3', 'fixed_buffers': false,"
		   " 'uring_depth': 1}",
		   NULL, NULL);
	json_t *trunc = of("{'rcvlowat': null, 'receive': 'trunc'}", NULL, NULL);

	assert_int_equal(json_object_size(before), json_object_size(later));
	assert_null(run_conditions__difference(before, later, NULL, false));
	assert_string_equal(run_conditions__difference(before, trunc, NULL, false), "receive");
	json_decref(before);
	json_decref(later);
	json_decref(trunc);
}

TEST(first_setting_that_differs_is_named_unless_allowed)
{
	json_t *a = of("{'one': 1, 'two': 2, 'three': 3}", NULL, NULL);
	json_t *b = of("{'two': 20, 'three': 30, 'four': 4}", NULL, NULL);

	assert_string_equal(run_conditions__difference(a, b, NULL, false), "two");
	assert_string_equal(run_conditions__difference(a, b, "", false), "two");
	assert_string_equal(run_conditions__difference(a, b, "two", false), "three");
	assert_string_equal(run_conditions__difference(a, b, "x,two", false), "three");
	assert_string_equal(run_conditions__difference(a, b, "three", false), "two");
	assert_null(run_conditions__difference(a, b, "two,three", false));
	assert_null(run_conditions__difference(a, b, "three,two,", false));
	/* Only whole names match. */
	assert_string_equal(run_conditions__difference(a, b, "tw,twos,wo", false), "two");
	assert_null(run_conditions__difference(a, a, NULL, false));
	json_decref(a);
	json_decref(b);
}

TEST(machine_is_no_setting_of_the_traffic)
{
	json_t *a = of(NULL, "{'virtualization': 'kvm', 'kernel': '6.1', 'mtu': 1}", NULL);
	json_t *b = of(NULL, "{'virtualization': 'no', 'kernel': '6.2', 'mtu': 2}", NULL);

	assert_string_equal(run_conditions__difference(a, b, "mtu", false), "kernel");
	assert_null(run_conditions__difference(a, b, "mtu", true));
	assert_string_equal(run_conditions__difference(a, b, NULL, true), "mtu");
	json_decref(a);
	json_decref(b);
}
