/* SPDX-License-Identifier: GPL-2.0-only */
/* --preset sigcomm21: which row of the published table the settings match, and its figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "support/sweep_case.h"
#include "support/test.h"
#include "sweep/sigcomm21.h"

static json_t *environment(const char *text)
{
	json_t *e = json_loads(text, 0, NULL);

	assert_non_null(e);
	return e;
}

/* TSO and aRFS of the sender, GRO and aRFS of the receiver, both MTUs. */
#define SETTINGS(tso, mtu, arfs, gro, receiver_mtu, receiver_arfs)                              \
	"{\"device\": \"eth0\", \"driver\": \"mlx5_core\", \"mtu\": " #mtu ", \"arfs\": " #arfs \
	", \"offloads\": {\"tso\": " #tso ", \"gso\": true, "                                   \
	"\"gro\": true}, \"receiver\": {\"device\": \"a b\", \"gro\": " #gro                    \
	", \"mtu\": " #receiver_mtu ", \"arfs\": " #receiver_arfs                               \
	", \"arfs_reason\": \"not read there\"}}"

TEST(settings_of_both_devices_decide_the_row)
{
	static const struct {
		enum sigcomm21_row row;
		const char *environment;
	} cases[] = {
		{SIGCOMM21_NONE, SETTINGS(false, 1500, false, false, 1500, false)},
		{SIGCOMM21_TSO_GRO, SETTINGS(true, 1500, false, true, 1500, false)},
		{SIGCOMM21_JUMBO, SETTINGS(true, 9000, false, true, 9000, false)},
		{SIGCOMM21_ARFS, SETTINGS(true, 9000, true, true, 9000, true)},
		/* Between two rows. */
		{SIGCOMM21_NR, SETTINGS(true, 1500, false, false, 1500, false)},
		{SIGCOMM21_NR, SETTINGS(false, 1500, false, true, 1500, false)},
		{SIGCOMM21_NR, SETTINGS(true, 9000, false, true, 1500, false)},
		{SIGCOMM21_NR, SETTINGS(true, 8900, false, true, 8900, false)},
		{SIGCOMM21_NR, SETTINGS(true, 9000, true, true, 9000, false)},
		{SIGCOMM21_NR, SETTINGS(true, 1500, true, true, 1500, true)},
		{SIGCOMM21_NR, SETTINGS(false, 9000, false, false, 9000, false)},
		/* Unknown is neither on nor off. */
		{SIGCOMM21_NR, SETTINGS(false, 1500, false, null, 1500, false)},
		{SIGCOMM21_NR, SETTINGS(true, 9000, false, true, 9000, null)},
		{SIGCOMM21_NR, SETTINGS(true, null, false, true, 1500, false)},
		{SIGCOMM21_NR, "{}"},
	};

	for_each_case(c, cases) {
		json_t *e = environment(c->environment);

		if (sigcomm21__row(e) != c->row)
			fail_msg("row %d: %s", sigcomm21__row(e), c->environment);
		json_decref(e);
	}
}

static void add_run(struct dataset *d, double gbps, double sender_s, double receiver_s)
{
	struct dataset_row *row = dataset__new_row(d);

	row->mode = MODE_ONECOPY;
	row->size = 131072;
	row->threads = 1;
	row->value[METRIC_DURATION] = 2;
	row->value[METRIC_GBPS] = gbps;
	row->value[METRIC_CPU_SENDER] = sender_s;
	row->value[METRIC_CPU_RECEIVER] = receiver_s;
}

static char *text_of(struct dataset *d)
{
	char *text;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);

	sigcomm21__write(f, 100, d);
	xclose_memstream(f);
	return text;
}

#define assert_says(text, what)                                  \
	do {                                                     \
		if (!strstr(text, what))                         \
			fail_msg("no '%s' in:\n%s", what, text); \
	} while (0)

/*
 * 20 Gbit/s and 1.6 busy CPUs of the receiver, of which 0.4 are softirq work on top of other tasks:
 * 12.5 per core. A quarter of its time is copying.
 */
TEST(figures_are_medians_beside_the_row)
{
	struct dataset d = {.environment =
				    environment(SETTINGS(true, 9000, false, true, 9000, false))};
	char *text;

	for (int i = -1; i <= 1; i++)
		add_run(&d, 20 + 5 * i, 1, 2.4);
	dataset__finish(&d, (double)NAN);
	for (size_t i = 0; i < d.rows_nr; i++) {
		double *v = d.rows[i].value;

		for (int c = 0; c < CPU_CLASS_NR; c++)
			v[METRIC_CLASS(NIO_SIDE_RECEIVER, c)] = v[METRIC_OF(ELSEWHERE_S, c)] =
				v[METRIC_OF(ELSEWHERE_R, c)] = 0;
		v[METRIC_CLASS_R_RX_COPY] = v[METRIC_CPU_R_NS_PER_KIB] / 3;
		v[METRIC_CLASS_R_USER] = v[METRIC_CPU_R_NS_PER_KIB] * 2 / 3;
		v[METRIC_ELSEWHERE_R_NETDEV] = v[METRIC_CPU_R_NS_PER_KIB] / 3;
	}
	d.reason[METRIC_CLASS_S_TX_COPY] = xstrdup("no samples here");
	text = text_of(&d);
	assert_says(text,
		    "+ jumbo  published    32.5      27.6      67      114    36.8     44.5\n"
		    "         here         20.0      12.5      50      160     n/a     25.0\n");
	assert_says(text, "the sender's classes: no samples here");
	assert_says(text, "rest               n/a     50.0\n");
	assert_says(text, "netdev             n/a     25.0\n");
	/* A name of another machine is quoted; ntuple is off already; this row needs no command. */
	assert_says(text, "ip link set 'a b' mtu 1500; ethtool -K 'a b' tso off gro off\n");
	assert_null(strstr(text, "+ jumbo  sender"));
	free(text);
	dataset__clear(&d);
}

TEST(settings_that_change_during_the_sweep_match_no_row)
{
	struct dataset d = {
		.environment = environment(SETTINGS(true, 9000, true, true, 9000, null)),
		.environment_varies = true,
	};
	char *text = text_of(&d);

	assert_says(text,
		    "no row   here          n/a       n/a     n/a      n/a     n/a      n/a\n");
	assert_says(text, "receiver's aRFS n/a (not read there)");
	assert_says(text, "tso off gro off ntuple off\n");
	free(text);
	dataset__clear(&d);
}

TEST(preset_is_one_flow)
{
	struct sweep_options o;

	parse(&o, "netiotrace sweep --preset sigcomm21 --connect 192.0.2.7:5201 --rounds 3");
	assert_int_equal(sweep_grid__runs(&o.grid), 3);
	assert_int_equal(o.grid.modes[0], MODE_ONECOPY);
	assert_int_equal(o.sizes[0], 131072);
	assert_int_equal(o.threads[0], 1);
	assert_int_equal(o.run.workload.fields, 1);
	parse(&o, "netiotrace sweep --sizes 1m --preset sigcomm21 --modes zerocopy --fields 2 "
		  "--connect 192.0.2.7:5201");
	assert_int_equal(o.sizes[0], 1 << 20);
	assert_int_equal(o.run.workload.fields, 2);
}
