/* SPDX-License-Identifier: MIT */
/*
 * Prometheus' text format, version 0.0.4: a metric's HELP and TYPE, then its samples. Escapes what
 * the format needs escaped. Without memory the text is cut off and `failed` is set.
 */
#ifndef COLLECTOR_METRICS_EXPOSITION_H
#define COLLECTOR_METRICS_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory is an empty one. */
struct exposition {
	char *text; /* terminated */
	size_t length, room;
	bool failed;
	const char *metric; /* under way */
};

struct exposition_label {
	const char *name, *value; /* an empty value is left out */
};

void exposition_release(struct exposition *e);
void exposition_begin(struct exposition *e, const char *metric, const char *type, const char *help);
/*
 * One sample. `suffix` is "" or, of a histogram, _bucket, _sum or _count. `label` has `count`
 * labels.
 */
void exposition_put_count(struct exposition *e, const char *suffix,
			  const struct exposition_label *label, size_t count, uint64_t value);
/* The same in seconds. */
void exposition_put_ns(struct exposition *e, const char *suffix,
		       const struct exposition_label *label, size_t count, uint64_t ns);

#endif
