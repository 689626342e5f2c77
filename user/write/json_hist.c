/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms and latencies as JSON; see json_hist.h. */
#include "json_hist.h"

/* A bucket as [low, high, count]; high of the open last bucket is null. */
static json_t *bucket_json(const struct hist *h, uint32_t i)
{
	uint64_t high = hist__bucket_high(h, i);
	json_t *bucket = json_array();
	int err;

	err = json_array_append_new(bucket, json_value__u64(hist__bucket_low(h, i)));
	err |= json_array_append_new(bucket,
				     high == UINT64_MAX ? json_null() : json_value__u64(high));
	err |= json_array_append_new(bucket, json_value__u64(h->buckets[i]));
	return json_finish(bucket, err);
}

json_t *json_buckets(const struct hist *h)
{
	json_t *buckets = json_array();
	uint32_t i;
	int err = 0;

	for (i = 0; h && i < h->n_buckets; i++)
		if (h->buckets[i])
			err |= json_array_append_new(buckets, bucket_json(h, i));
	return json_finish(buckets, err);
}

struct num json_quantile(const struct hist *h, double q, const char *reason)
{
	if (!h || !h->count)
		return (struct num){.reason = reason};
	return (struct num){.value = hist__quantile(h, q), .known = true};
}

int json_put_or_null(json_t *object, const char *key, struct num n)
{
	return json_put(object, key, n.known ? json_value__u64(n.value) : json_null());
}

json_t *json_latency(const struct latency_result *l, const char *none)
{
	const struct hist *h = l->hist;
	bool timed = h && h->count;
	const char *reason = h ? none : l->reason;
	json_t *o = json_object();
	int err = 0;

	err |= json_put_or_null(o, "p50", json_quantile(h, 0.5, NULL));
	err |= json_put_or_null(o, "p90", json_quantile(h, 0.9, NULL));
	err |= json_put_or_null(o, "p99", json_quantile(h, 0.99, NULL));
	err |= json_put_or_null(o, "p999", json_quantile(h, 0.999, NULL));
	err |= json_put(o, "max", timed ? json_value__u64(h->max) : json_null());
	err |= json_put(o, "mean", timed ? json_value__real(hist__mean(h)) : json_null());
	err |= json_put(o, "count", h ? json_value__u64(h->count) : json_null());
	err |= json_put(o, "buckets", json_buckets(h));
	if (!timed)
		err |= json_put(o, "reason", json_value__text(reason ? reason : "not measured"));
	return json_finish(o, err);
}
