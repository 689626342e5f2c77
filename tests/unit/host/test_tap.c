/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of /proc/net/packet and /proc/net/ptype of several kernels. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/tap_parse.h"
#include "support/test.h"

#define LO 1

/* Linux 6.18: like tcpdump on lo, all protocols on every device, an unbound socket, IPv4 only. */
static const char *const packet_6_18[] = {
	"sk               RefCnt Type Proto  Iface R Rmem   User   Inode\n",
	"0000000002d29012 3      3    0003   1     1 0      0      841229\n",
	"000000007ec29cdb 3      2    0003   0     1 0      0      841230\n",
	"0000000072c41823 2      3    0000   0     0 0      0      841231\n",
	"000000006b7015c7 3      3    0800   0     1 0      0      841232\n",
};

/* Linux 5.10: narrower heading; the first socket's device was eth1 (index 7). */
static const char *const packet_5_10[] = {
	"sk       RefCnt Type Proto  Iface R Rmem   User   Inode\n",
	"00000000605d2c64 3      3    0003   7     1 450880 0      16643\n",
	"00000000080e9b80 2      2    0000   0     0 0      0      17404\n",
	"00000000b23b8a00 3      3    0003   -1    0 0      0      17421\n",
};

TEST(packet_sockets_of_two_kernels_are_parsed)
{
	static const struct {
		const char *const *line;
		int err, ifindex;
		unsigned int inode;
	} cases[] = {
		{&packet_6_18[0], -EINVAL, 0, 0}, {&packet_6_18[1], 0, 1, 841229},
		{&packet_5_10[0], -EINVAL, 0, 0}, {&packet_5_10[1], 0, 7, 16643},
		{&packet_5_10[3], 0, -1, 17421},
	};

	for_each_case(c, cases) {
		struct tap_socket s = {0};

		assert_int_equal(tap_parse__socket(*c->line, &s), c->err);
		if (c->err)
			continue;
		assert_int_equal(s.ifindex, c->ifindex);
		assert_int_equal(s.inode, c->inode);
	}
}

/* An additional column, as proposed for 6.12, is ignored; a truncated row is refused. */
TEST(longer_rows_are_parsed_and_shorter_ones_refused)
{
	struct tap_socket s;

	assert_int_equal(tap_parse__socket("0000000002d29012 3 3 0003 1 1 0 0 841229 17\n", &s), 0);
	assert_int_equal(s.inode, 841229);
	assert_int_equal(tap_parse__socket("0000000002d29012 3 3 0003 1 1 0 0\n", &s), -EINVAL);
	assert_int_equal(tap_parse__socket("\n", &s), -EINVAL);
	assert_int_equal(tap_parse__socket("", &s), -EINVAL);
}

static unsigned int count_taps(const char *const *lines, size_t n, int ifindex)
{
	struct tap_socket s;
	unsigned int taps = 0;

	for (size_t i = 0; i < n; i++)
		taps += !tap_parse__socket(lines[i], &s) && tap_socket__taps(&s, ifindex);
	return taps;
}

TEST(only_sockets_for_every_packet_of_the_device_are_taps)
{
	assert_int_equal(count_taps(packet_6_18, 5, LO), 2);
	assert_int_equal(count_taps(packet_6_18, 5, 2), 1);
	assert_int_equal(count_taps(packet_5_10, 4, LO), 0);
	assert_int_equal(count_taps(packet_5_10, 4, 7), 1);
}

TEST(hooks_are_parsed_without_module_and_offset)
{
	static const struct {
		const char *line;
		int err;
		const char *device, *function;
		bool socket;
	} cases[] = {
		{"Type Device      Function\n", -EINVAL, NULL, NULL, false},
		{"ALL  lo       packet_rcv\n", 0, "lo", "packet_rcv", true},
		{"ALL           packet_rcv\n", 0, "", "packet_rcv", true},
		/* af_packet as a module, a ring, a long name, and the older offset. */
		{"ALL  eth0     tpacket_rcv [af_packet]\n", 0, "eth0", "tpacket_rcv", true},
		{"ALL  enp0s31f6np12 packet_rcv_fanout [af_packet]\n", 0, "enp0s31f6np12",
		 "packet_rcv_fanout", true},
		{"ALL           tpacket_rcv+0x0/0xf50 [af_packet]\n", 0, "", "tpacket_rcv", true},
		{"ALL  lo       batadv_recv [other]\n", 0, "lo", "batadv_recv", false},
		/* One protocol only. */
		{"0800          packet_rcv\n", -ENOENT, NULL, NULL, false},
		{"0800          ip_rcv\n", -ENOENT, NULL, NULL, false},
		{"86dd          ipv6_rcv\n", -ENOENT, NULL, NULL, false},
		{"", -EINVAL, NULL, NULL, false},
		{"\n", -EINVAL, NULL, NULL, false},
		{"ALL  lo      \n", -EINVAL, NULL, NULL, false},
		{"ALL", -EINVAL, NULL, NULL, false},
		{"longer than a type packet_rcv\n", -EINVAL, NULL, NULL, false},
	};

	for_each_case(c, cases) {
		struct tap_hook h;

		assert_int_equal(tap_parse__hook(c->line, &h), c->err);
		if (c->err)
			continue;
		assert_string_equal(h.device, c->device);
		assert_string_equal(h.function, c->function);
		assert_int_equal(tap_hook__is_socket(&h), c->socket);
	}
}

TEST(hook_without_a_device_taps_every_device)
{
	struct tap_hook h = {.device = "lo"};

	assert_true(tap_hook__taps(&h, "lo"));
	assert_false(tap_hook__taps(&h, "lo0"));
	h.device[0] = '\0';
	assert_true(tap_hook__taps(&h, "eth0"));
}

TEST(tap_name_has_device_and_process)
{
	struct tap t = {.device = "lo", .process = "tcpdump", .inode = 5};
	char name[TAP_NAME_LEN];

	t.pid = (struct num){.value = 4242, .known = true};
	assert_string_equal(tap__name(&t, name), "lo (tcpdump, pid 4242)");
	t.device[0] = '\0';
	t.pid.known = false;
	assert_string_equal(tap__name(&t, name), "every device (its process could not be seen)");
	t.elsewhere = true;
	assert_string_equal(tap__name(&t, name),
			    "every device of every namespace (its process could not be seen)");
	t = (struct tap){.device = "eth0", .function = "batadv_recv"};
	assert_string_equal(tap__name(&t, name), "eth0 (the kernel's own: batadv_recv)");
	/* Any user can choose the name of a process. */
	t = (struct tap){.device = "lo", .process = "x\x1b[2J", .inode = 5};
	t.pid = (struct num){.value = 7, .known = true};
	assert_string_equal(tap__name(&t, name), "lo (x?[2J, pid 7)");
}

TEST(long_lists_of_taps_are_cut_and_counted)
{
	struct taps taps = {.nr = 6, .more = 2};
	char name[TAPS_NAME_LEN];

	for (unsigned int i = 0; i < taps.nr; i++) {
		struct tap *t = &taps.list[i];

		*t = (struct tap){.device = "lo", .process = "p", .inode = 1, .in_run = i != 1};
		t->pid = (struct num){.value = i, .known = true};
	}
	assert_string_equal(taps__name(&taps, name),
			    "lo (p, pid 0), lo (p, pid 2), lo (p, pid 3) and 4 more");
	taps.more = 0;
	taps.nr = 1;
	assert_string_equal(taps__name(&taps, name), "lo (p, pid 0)");
}
