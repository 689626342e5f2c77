/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns fields of a protocol line, by name and type; see fields.h. */
#include "fields.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fields__set_message(struct load_report *r, const char *text)
{
	size_t i, len = strlen(text);

	if (len >= sizeof(r->message)) {
		len = sizeof(r->message) - 1;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	for (i = 0; i < len; i++) {
		r->message[i] = text[i];
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			r->message[i] = '?';
		/* U+0080 to U+009F are control characters of two bytes. */
		if (text[i] == '\xc2' && (unsigned char)text[i + 1] < 0xa0 && i + 1 < len) {
			r->message[i++] = '?';
			r->message[i] = '?';
		}
	}
	r->message[len] = '\0';
}

int fields__refuse(struct load_report *r, const char *fmt, ...)
{
	char text[2 * sizeof(r->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fields__set_message(r, text);
	return -EPROTO;
}

int fields__u64(struct load_report *r, const json_t *obj, const char *key, uint64_t *out)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_integer(v))
		return fields__refuse(r, "\"%s\" is %s", key, v ? "not a whole number" : "missing");
	if (json_integer_value(v) < 0)
		return fields__refuse(r, "\"%s\" is negative", key);
	*out = json_integer_value(v);
	return 0;
}

int fields__object(struct load_report *r, const json_t *obj, const char *key, const json_t **out)
{
	*out = json_object_get(obj, key);
	if (!json_is_object(*out))
		return fields__refuse(r, "\"%s\" is %s", key, *out ? "not an object" : "missing");
	return 0;
}

int fields__array(struct load_report *r, const json_t *obj, const char *key, const json_t **out)
{
	*out = json_object_get(obj, key);
	if (!json_is_array(*out))
		return fields__refuse(r, "\"%s\" is %s", key, *out ? "not an array" : "missing");
	return 0;
}

int fields__string(struct load_report *r, const json_t *obj, const char *key, const char **out)
{
	const json_t *v = json_object_get(obj, key);

	*out = json_string_value(v);
	if (!*out)
		return fields__refuse(r, "\"%s\" is %s", key, v ? "not a string" : "missing");
	return 0;
}

int fields__numbers(struct load_report *r, const json_t *obj, const struct number *numbers,
		    size_t n)
{
	size_t i;
	int err;

	for (i = 0; i < n; i++) {
		err = fields__u64(r, obj, numbers[i].key, numbers[i].out);
		if (err)
			return err;
	}
	return 0;
}

static int hist__take_bucket(struct load_report *r, struct hist *h, const char *key,
			     const json_t *pair)
{
	const json_t *index = json_array_get(pair, 0), *count = json_array_get(pair, 1);
	json_int_t i = json_integer_value(index), n = json_integer_value(count);

	if (json_array_size(pair) != 2 || !json_is_integer(index) || !json_is_integer(count))
		return fields__refuse(r, "\"%s\": a bucket is not [index, count]", key);
	if (i < 0 || i >= h->n_buckets)
		return fields__refuse(r, "\"%s\": no bucket %lld", key, (long long)i);
	if (n < 0 || h->buckets[i])
		return fields__refuse(r, "\"%s\": bucket %lld is %s", key, (long long)i,
				      n < 0 ? "negative" : "there twice");
	if ((uint64_t)n > UINT64_MAX - h->count)
		return fields__refuse(r, "\"%s\": more events than can be counted", key);
	h->buckets[i] = n;
	h->count += n;
	return 0;
}

static int hist__take_buckets(struct load_report *r, struct hist *h, const char *key,
			      const json_t *obj)
{
	const json_t *buckets;
	size_t i;
	int err;

	err = fields__array(r, obj, "buckets", &buckets);
	if (err)
		return err;
	for (i = 0; i < json_array_size(buckets); i++) {
		err = hist__take_bucket(r, h, key, json_array_get(buckets, i));
		if (err)
			return err;
	}
	return 0;
}

/* Can count numbers in [min, max] have this sum? */
static bool sum__fits(uint64_t sum, uint64_t count, uint64_t min, uint64_t max)
{
	uint64_t least, most;

	return !__builtin_mul_overflow(min, count, &least) && sum >= least &&
	       (__builtin_mul_overflow(max, count, &most) || sum <= most);
}

/* Extremes and sum are exact, as the load generator counted them; buckets are not. */
static int hist__take_extremes(struct load_report *r, struct hist *h, const char *key,
			       const json_t *obj)
{
	uint64_t sum, min, max;
	int err;

	err = NUMBERS(r, obj, {"sum", &sum}, {"min", &min}, {"max", &max});
	if (err)
		return err;
	if (min > max)
		return fields__refuse(r, "\"%s\": min is above max", key);
	if (!sum__fits(sum, h->count, min, max))
		return fields__refuse(r, "\"%s\": no values between min and max have this sum",
				      key);
	h->sum = sum;
	h->min = min;
	h->max = max;
	return 0;
}

static int hist__take(struct load_report *r, struct hist *h, const char *key, const json_t *obj)
{
	uint64_t count, sub_bits;
	int err;

	err = NUMBERS(r, obj, {"count", &count}, {"sub_bits", &sub_bits});
	if (err)
		return err;
	if (sub_bits != h->sub_bits)
		return fields__refuse(r, "\"%s\": sub_bits is not %u", key, h->sub_bits);
	err = hist__take_buckets(r, h, key, obj);
	if (err)
		return err;
	if (h->count != count)
		return fields__refuse(r, "\"%s\": count is not the sum of the buckets", key);
	/* Without values there are no extremes, whatever the line says. */
	return count ? hist__take_extremes(r, h, key, obj) : 0;
}

int fields__latency(struct load_report *r, const json_t *latency, enum latency_kind kind)
{
	const char *key = latency__key(kind);
	const json_t *obj;
	struct hist *h;
	int err;

	err = fields__object(r, latency, key, &obj);
	if (err)
		return err;
	h = hist__new_latency();
	if (!h)
		return -ENOMEM;
	err = hist__take(r, h, key, obj);
	if (err) {
		hist__free(h);
		return err;
	}
	r->app.latency[kind].hist = h;
	return 0;
}
