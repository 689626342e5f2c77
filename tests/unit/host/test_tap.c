/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of /proc/net/packet and /proc/net/ptype as several kernels write them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/tap_parse.h"
#include "support/test.h"

#define LO 1

/* Linux 6.18: tcpdump-like on lo, all protocols on every device, a socket not bound, IPv4 only. */
static const char *const packet_6_18[] = {
	"sk               RefCnt Type Proto  Iface R Rmem   User   Inode\n",
	"0000000002d29012 3      3    0003   1     1 0      0      841229\n",
	"000000007ec29cdb 3      2    0003   0     1 0      0      841230\n",
	"0000000072c41823 2      3    0000   0     0 0      0      841231\n",
	"000000006b7015c7 3      3    0800   0     1 0      0      841232\n",
};

/* Linux 5.10: the heading is narrower; the first socket's device was eth1 (index 7). */
static const char *const packet_5_10[] = {
	"sk       RefCnt Type Proto  Iface R Rmem   User   Inode\n",
	"00000000605d2c64 3      3    0003   7     1 450880 0      16643\n",
	"00000000080e9b80 2      2    0000   0     0 0      0      17404\n",
	"00000000b23b8a00 3      3    0003   -1    0 0      0      17421\n",
};

/* Linux 6.18, the sockets of packet_6_18. */
static const char *const ptype_6_18[] = {
	"Type Device      Function\n", "ALL  lo       packet_rcv\n", "ALL           packet_rcv\n",
	"0800          packet_rcv\n",  "0800          ip_rcv\n",     "0004          llc_rcv\n",
	"86dd          ipv6_rcv\n",
};

/* With af_packet as a module, a ring, a long device name, and the older offset in the symbol. */
static const char *const ptype_other[] = {
	"ALL  eth0     tpacket_rcv [af_packet]\n",
	"ALL  enp0s31f6np12 packet_rcv_fanout [af_packet]\n",
	"ALL           tpacket_rcv+0x0/0xf50 [af_packet]\n",
	"ALL  lo       batadv_recv [other]\n",
};

#define FOR_EACH(line, lines)                   \
	for (const char *const *line = (lines); \
	     line < (lines) + sizeof(lines) / sizeof((lines)[0]); line++)

TEST(sockets_are_read)
{
	struct tap_socket s;

	assert_int_equal(tap_parse__socket(packet_6_18[0], &s), -EINVAL);
	assert_int_equal(tap_parse__socket(packet_6_18[1], &s), 0);
	assert_int_equal(s.protocol, 3);
	assert_int_equal(s.ifindex, 1);
	assert_true(s.running);
	assert_int_equal(s.inode, 841229);
	assert_int_equal(tap_parse__socket(packet_5_10[0], &s), -EINVAL);
	assert_int_equal(tap_parse__socket(packet_5_10[1], &s), 0);
	assert_int_equal(s.ifindex, 7);
	assert_int_equal(s.inode, 16643);
	assert_int_equal(tap_parse__socket(packet_5_10[3], &s), 0);
	assert_int_equal(s.ifindex, -1);
}

/* A further column, as was once proposed for 6.12, does no harm; a row cut short is no row. */
TEST(rows_may_grow_but_not_shrink)
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

TEST(hooks_are_read)
{
	struct tap_hook h;

	assert_int_equal(tap_parse__hook(ptype_6_18[0], &h), -EINVAL);
	assert_int_equal(tap_parse__hook(ptype_6_18[1], &h), 0);
	assert_string_equal(h.device, "lo");
	assert_string_equal(h.function, "packet_rcv");
	assert_int_equal(tap_parse__hook(ptype_6_18[2], &h), 0);
	assert_string_equal(h.device, "");
	assert_string_equal(h.function, "packet_rcv");
	for (int i = 3; i < 7; i++)
		assert_int_equal(tap_parse__hook(ptype_6_18[i], &h), -ENOENT);
	assert_int_equal(tap_parse__hook("", &h), -EINVAL);
	assert_int_equal(tap_parse__hook("\n", &h), -EINVAL);
	assert_int_equal(tap_parse__hook("ALL  lo      \n", &h), -EINVAL);
	assert_int_equal(tap_parse__hook("ALL", &h), -EINVAL);
}

TEST(functions_lose_module_and_offset)
{
	static const struct tap_hook expected[] = {
		{"eth0", "tpacket_rcv"},
		{"enp0s31f6np12", "packet_rcv_fanout"},
		{"", "tpacket_rcv"},
		{"lo", "batadv_recv"},
	};
	const struct tap_hook *e = expected;
	struct tap_hook h;

	FOR_EACH(line, ptype_other)
	{
		assert_int_equal(tap_parse__hook(*line, &h), 0);
		assert_string_equal(h.device, e->device);
		assert_string_equal(h.function, e->function);
		assert_int_equal(tap_hook__is_socket(&h), e != expected + 3);
		e++;
	}
}

TEST(hooks_without_a_device_are_on_every_one)
{
	struct tap_hook h = {.device = "lo"};

	assert_true(tap_hook__taps(&h, "lo"));
	assert_false(tap_hook__taps(&h, "lo0"));
	h.device[0] = '\0';
	assert_true(tap_hook__taps(&h, "eth0"));
}

TEST(names_say_device_and_holder)
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
	/* Any user may name a process. */
	t = (struct tap){.device = "lo", .process = "x\x1b[2J", .inode = 5};
	t.pid = (struct num){.value = 7, .known = true};
	assert_string_equal(tap__name(&t, name), "lo (x?[2J, pid 7)");
}

TEST(names_of_many_are_cut_and_counted)
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
