/* SPDX-License-Identifier: MIT */
/*
 * Checks a mapped region once, at the start, and finds the tables in it. Maps nothing itself.
 */
#include "collector/core/view.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int view_init(struct view *view, void *base, uint64_t bytes, char *ret_error)
{
	struct region_header *header = base;
	struct view v = { .header = header };

	if (region_shape_of(bytes, &v.shape)) {
		snprintf(ret_error, VIEW_ERROR_BYTES, "a region of %llu bytes cannot be",
			 (unsigned long long)bytes);
		return -1;
	}
	if (header->magic != REGION_MAGIC || header->version != REGION_VERSION) {
		snprintf(ret_error, VIEW_ERROR_BYTES,
			 "the region is of version %u, this collector reads %u; install both from "
			 "one build",
			 header->magic == REGION_MAGIC ? header->version : 0, REGION_VERSION);
		return -1;
	}
	if (header->families != EVT_FAMILY_LIMIT) {
		snprintf(ret_error, VIEW_ERROR_BYTES,
			 "the region has %u families of events, this collector knows %u; install "
			 "both from one build",
			 header->families, (unsigned int)EVT_FAMILY_LIMIT);
		return -1;
	}
	if (header->bytes != bytes) {
		snprintf(ret_error, VIEW_ERROR_BYTES, "the region claims %llu bytes and has %llu",
			 (unsigned long long)header->bytes, (unsigned long long)bytes);
		return -1;
	}
	v.process = region_processes(base, &v.shape);
	v.ring = region_rings(base, &v.shape);
	v.base_tsc = header->base_tsc;
	v.base_mono = header->base_mono;
	v.base_real = header->base_real;
	v.clock = header->clock == REGION_CLOCK_MONOTONIC ? REGION_CLOCK_MONOTONIC
							  : REGION_CLOCK_TSC;
	v.redact = header->redact;
	*view = v;
	return 0;
}

static unsigned int tier_of(const struct region_shape *shape, uint32_t index)
{
	unsigned int tier = 0;

	while (tier + 1 < REGION_CLASSES && index >= shape->class[tier + 1].first)
		tier++;
	return tier;
}

void view_ring_is_free(const struct view *view, uint32_t index)
{
	unsigned int tier = tier_of(&view->shape, index);

	region_ring_is_free(view->header, tier, index - view->shape.class[tier].first);
}

const uint64_t *view_ring_words(const struct view *view, uint32_t index, uint64_t *ret_words)
{
	const struct region_shape *shape = &view->shape;
	unsigned int tier = tier_of(shape, index);

	*ret_words = shape->class[tier].ring_bytes / sizeof(uint64_t);
	return region_ring_words(view->header, shape, tier, index);
}

void view_say(struct region_header *header, const char *text)
{
	char *to = header->collector_error;

	__atomic_store_n(&to[0], 0, __ATOMIC_RELEASE);
	if (!*text)
		return;
	snprintf(to + 1, sizeof(header->collector_error) - 1, "%s", text + 1);
	__atomic_store_n(&to[0], text[0], __ATOMIC_RELEASE);
}

void view_futex_wake(void *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void view_futex_wait(void *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec wait = { (time_t)(timeout_ns / 1000000000),
				 (long)(timeout_ns % 1000000000) };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &wait, NULL, 0);
}
