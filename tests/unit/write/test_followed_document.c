/* SPDX-License-Identifier: GPL-2.0-only */
/* Documents of follow read back: numbers, the function that copies, and what is no such document.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/test.h"
#include "write/followed_document.h"

static struct followed_document d;

static const char *read_text(const char *text, size_t len)
{
	int fd = memfd_create("document", MFD_CLOEXEC);
	const char *why;

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, len, 0), len);
	why = followed_document__read(fd, &d);
	close(fd);
	return why;
}

#define SENT                                                                                   \
	"{\"per_byte\": 1.5, \"low\": 1.25, \"high\": 1.75, \"followed\": 40, \"unknown\": 2," \
	" \"sites\": [{\"frames\": [{\"function\": \"memcpy\", \"object\": \"libc.so.6\"},"    \
	" {\"function\": null, \"object\": null},"                                             \
	" {\"function\": \"__memmove_avx_unaligned\", \"object\": \"redis\"},"                 \
	" {\"function\": \"memo_gather\", \"object\": \"redis\"},"                             \
	" {\"function\": \"main\", \"object\": \"redis\"}]}]}"
static const char document[] =
	"{\"schema\": \"netiotrace.follow/1\", \"comm\": \"re\\u001bdis\","
	" \"received\": {\"per_byte\": null, \"reason\": \"too few\", \"followed\": 3,"
	" \"unknown\": 0, \"sites\": []}, \"sent\": " SENT "}";

TEST(numbers_reasons_and_the_copying_function_are_read)
{
	assert_null(read_text(document, strlen(document)));
	assert_string_equal(d.comm, "re?dis");
	assert_false(d.received.per_byte.known);
	assert_string_equal(d.received.why, "too few");
	assert_int_equal(d.received.bytes, 3);
	assert_true(d.sent.per_byte.value == 1.5);
	assert_true(d.sent.low == 1.25);
	assert_true(d.sent.high == 1.75);
	assert_int_equal(d.sent.unknown, 2);
	assert_string_equal(d.sent.function, "memo_gather");
}

TEST(copies_of_libc_are_for_their_callers)
{
	static const struct {
		const char *function, *object;
		bool for_others;
	} cases[] = {
		{"memcpy", "redis", true},      {"memmove", "redis", true},
		{"mempcpy", "redis", true},     {"__memmove_avx_unaligned", "redis", true},
		{"__memory", "redis", true},    {"_IO_file_xsputn", "libc.so.6", true},
		{"gather", "libc.so", true},    {"gather", "libc.sa", false},
		{"memcpy_all", "redis", false}, {"__metric", "redis", false},
		{"main", "redis", false},
	};

	for_each_case(c, cases)
		if (followed_document__copies_for_others(c->function, c->object) != c->for_others)
			fail_msg("%s of %s", c->function, c->object);
}

static void assert_refused(const char *text, size_t len)
{
	if (!read_text(text, len))
		fail_msg("accepted: %.*s", (int)len, text);
	assert_string_equal(d.comm, "");
	assert_false(d.sent.per_byte.known);
}

TEST(parts_of_a_document_are_refused)
{
	for (size_t len = 0; len < strlen(document); len++)
		assert_refused(document, len);
}

/* Each value of another type, outside its bounds, or missing. */
TEST(documents_with_values_that_follow_does_not_write_are_refused)
{
	static const char *const changes[][2] = {
		{"netiotrace.follow/1", "netiotrace.result/1"},
		{"\"re\\u001bdis\"", "7"},
		{"\"re\\u001bdis\"", "[]"},
		{"\"comm\"", "\"name\""},
		{"\"received\"", "\"receives\""},
		{"\"sent\"", "\"sends\""},
		{"{\"per_byte\": 1.5", "{\"per_bite\": 1.5"},
		{"1.5", "true"},
		{"1.5", "-0.5"},
		{"1.5", "1e300"},
		{"1.5", "1.8"},
		{"1.5", "1.2"},
		{"1.25", "-1"},
		{"1.25", "null"},
		{"1.75", "\"2\""},
		{"1.75", "1e300"},
		{"40", "-40"},
		{"40", "0"},
		{"40", "4e1"},
		{"40", "18446744073709551616"},
		{"\"unknown\": 2", "\"unknown\": {}"},
		{"\"too few\"", "12"},
		{"\"sites\": []", "\"sites\": {}"},
		{"[{\"frames\"", "[[],{\"frames\""},
		{"\"frames\": [", "\"frames\": 1, \"x\": ["},
		{"\"memcpy\"", "3"},
		{"\"libc.so.6\"", "[\"libc.so.6\"]"},
		{"\"followed\": 3", "\"followed\": 3, \"followed\": 3"},
	};
	char text[sizeof(document) + 64];

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *at = strstr(document, changes[i][0]);

		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - document), document,
			 changes[i][1], at + strlen(changes[i][0]));
		assert_refused(text, strlen(text));
	}
}

TEST(documents_of_endless_length_or_depth_are_refused)
{
	static char text[17 << 20];

	memset(text, '[', sizeof(text));
	assert_refused(text, sizeof(text));
	memset(text, ' ', sizeof(text));
	memcpy(text + sizeof(text) - strlen(document), document, strlen(document));
	assert_refused(text, sizeof(text));
}
