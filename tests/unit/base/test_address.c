/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses and ports: accepted, refused, resolved. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "common/address.h"
#include "support/test.h"

static void accepts(const char *text, const char *host, unsigned int port)
{
	struct address a;
	char back[ADDRESS_TEXT_MAX];

	if (address__parse(text, false, &a))
		fail_msg("'%s' is refused", text);
	assert_string_equal(a.host, host);
	assert_int_equal(a.port, port);
	assert_string_equal(address__format(back, sizeof(back), a.host, a.port), text);
}

TEST(addresses_are_parsed_and_written_back)
{
	accepts("192.0.2.7:5201", "192.0.2.7", 5201);
	accepts("[::1]:5201", "::1", 5201);
	accepts("[2001:db8::7]:1", "2001:db8::7", 1);
	accepts("[fe80::1%eth0]:65535", "fe80::1%eth0", 65535);
	accepts("receiver.example:5201", "receiver.example", 5201);
	accepts("r:1", "r", 1);
}

TEST(malformed_addresses_are_refused)
{
	static const char *const bad[] = {"",
					  ":",
					  ":5201",
					  "192.0.2.7",
					  "192.0.2.7:",
					  "192.0.2.7:0",
					  "192.0.2.7:65536",
					  "192.0.2.7:-1",
					  "192.0.2.7:+1",
					  "192.0.2.7: 5201",
					  "192.0.2.7:5201 ",
					  "192.0.2.7:52o1",
					  "::1:5201",
					  "2001:db8::7:5201",
					  "[::1]",
					  "[::1]5201",
					  "[::1]:",
					  "[]:5201",
					  "[192.0.2.7]:5201",
					  "[host]:5201",
					  "[::1:5201",
					  "::1]:5201",
					  "[[::1]]:5201",
					  "a host:5201",
					  "http://host:5201",
					  "user@host:5201",
					  "18446744073709551617:18446744073709551617"};
	struct address a = {"untouched", 7};

	for_each_case(text, bad)
		if (address__parse(*text, false, &a) != -EINVAL)
			fail_msg("'%s' is taken for %s port %u", *text, a.host, a.port);
	assert_string_equal(a.host, "untouched");
	assert_int_equal(a.port, 7);
}

TEST(port_0_is_accepted_for_listening_only)
{
	struct address a;

	assert_int_equal(address__parse("127.0.0.1:0", true, &a), 0);
	assert_int_equal(a.port, 0);
	assert_int_equal(address__parse("127.0.0.1:65536", true, &a), -EINVAL);
}

TEST(host_names_above_the_longest_are_refused)
{
	char text[ADDRESS_HOST_MAX + 8];
	struct address a;

	memset(text, 'a', sizeof(text));
	strcpy(text + ADDRESS_HOST_MAX - 1, ":1");
	assert_int_equal(address__parse(text, false, &a), 0);
	assert_int_equal(strlen(a.host), ADDRESS_HOST_MAX - 1);
	memset(text, 'a', sizeof(text));
	strcpy(text + ADDRESS_HOST_MAX, ":1");
	assert_int_equal(address__parse(text, false, &a), -EINVAL);
}

TEST(numeric_addresses_resolve_to_themselves)
{
	struct address v4 = {"192.0.2.7", 5201}, v6 = {"2001:db8:0::7", 5202};
	struct sockaddr_storage ss;
	const char *why;

	assert_int_equal(address__resolve(&v4, false, &ss, &why), 0);
	assert_int_equal(ss.ss_family, AF_INET);
	assert_int_equal(((struct sockaddr_in *)&ss)->sin_addr.s_addr, inet_addr("192.0.2.7"));
	assert_int_equal(((struct sockaddr_in *)&ss)->sin_port, htons(5201));
	assert_string_equal(v4.host, "192.0.2.7");
	assert_int_equal(address__resolve(&v6, true, &ss, &why), 0);
	assert_int_equal(ss.ss_family, AF_INET6);
	assert_int_equal(((struct sockaddr_in6 *)&ss)->sin6_port, htons(5202));
	assert_string_equal(v6.host, "2001:db8::7");
}

/* The kernel's EINVAL would not say that the device is missing. */
TEST(link_local_address_without_a_device_is_refused_with_a_hint)
{
	struct address without = {"fe80::7", 5201}, with = {"fe80::7%lo", 5201};
	struct sockaddr_storage ss;
	const char *why;

	assert_int_equal(address__resolve(&without, false, &ss, &why), -EHOSTUNREACH);
	assert_non_null(strstr(why, "%eth0"));
	assert_int_equal(address__resolve(&without, true, &ss, &why), -EHOSTUNREACH);
	assert_int_equal(address__resolve(&with, false, &ss, &why), 0);
	assert_null(why);
	assert_string_equal(with.host, "fe80::7%lo");
}

/* Addresses are compared and hashed as whole structures, so unused bytes must be 0. */
TEST(unused_bytes_of_a_resolved_address_are_zero)
{
	struct address a = {"192.0.2.7", 5201};
	struct sockaddr_storage ss, expected;
	struct sockaddr_in *in = (struct sockaddr_in *)&expected;
	const char *why = NULL;

	memset(&ss, 0xff, sizeof(ss));
	memset(&expected, 0, sizeof(expected));
	in->sin_family = AF_INET;
	in->sin_port = htons(5201);
	assert_int_equal(inet_pton(AF_INET, "192.0.2.7", &in->sin_addr), 1);
	assert_int_equal(address__resolve(&a, false, &ss, &why), 0);
	assert_memory_equal(&ss, &expected, sizeof(ss));
}

/* No host name contains two colons in a row, so no resolver is asked. */
TEST(unresolvable_address_has_a_reason)
{
	struct address a = {"2001:db8::7::1", 5201};
	struct sockaddr_storage ss;
	const char *why = NULL;

	assert_int_equal(address__resolve(&a, false, &ss, &why), -EHOSTUNREACH);
	assert_non_null(why);
}
