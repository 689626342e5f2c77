/* SPDX-License-Identifier: GPL-2.0-only */
/* Documents of follow read back: numbers, the function that copies, and what is no such document.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "write/followed_document.h"

static int read_text(struct followed_document *d, const char *text, size_t len)
{
	FILE *f = fmemopen((void *)text, len, "r");
	int err;

	assert_non_null(f);
	err = followed_document__read(f, d);
	fclose(f);
	return err;
}

static const char document[] =
	"{\"schema\": \"netiotrace.follow/1\", \"comm\": \"re\\u001bdis\","
	" \"received\": {\"per_byte\": null, \"reason\": \"too few\", \"followed\": 3},"
	" \"sent\": {\"per_byte\": 1.5, \"low\": 1.25, \"high\": 1.75, \"followed\": 40, "
	"\"unknown\": 2,"
	" \"sites\": [{\"frames\": [{\"function\": \"memcpy\", \"object\": \"libc.so.6\"},"
	" {\"function\": \"gather\", \"object\": \"redis\"}]}]}}";

TEST(numbers_reasons_and_the_copying_function_are_read)
{
	struct followed_document d;

	assert_int_equal(read_text(&d, document, strlen(document)), 0);
	assert_string_equal(d.comm, "re?dis");
	assert_false(d.received.per_byte.known);
	assert_string_equal(d.received.why, "too few");
	assert_int_equal(d.received.bytes, 3);
	assert_true(d.sent.per_byte.value == 1.5);
	assert_true(d.sent.low == 1.25);
	assert_true(d.sent.high == 1.75);
	assert_int_equal(d.sent.unknown, 2);
	assert_string_equal(d.sent.function, "gather");
}

TEST(other_documents_and_parts_of_one_are_refused)
{
	struct followed_document d;

	for (size_t len = 1; len < strlen(document); len++)
		assert_int_equal(read_text(&d, document, len), -EINVAL);
	assert_int_equal(read_text(&d, "{\"schema\": \"netiotrace.result/1\"}", 33), -EINVAL);
	assert_int_equal(read_text(&d, "{\"schema\": \"netiotrace.follow/1\"}", 33), 0);
	assert_false(d.sent.per_byte.known);
}
