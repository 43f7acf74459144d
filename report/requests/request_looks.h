/* SPDX-License-Identifier: MIT */
/*
 * What samples saw threads do while they had a request: counts of looks by what the thread waited
 * for. A sample stands for several looks while nothing changed, and comes with the last of them; so
 * requests that have ended are kept until the next sample of their thread. Looks lie at equal
 * distances between two samples.
 *
 * The rows that looks belong to are numbers of the caller's. Memory: 24 bytes for each request
 * between two samples of a thread, of at most LOOKS_KEPT; the others have no looks. One thread.
 */
#ifndef REPORT_REQUESTS_REQUEST_LOOKS_H
#define REPORT_REQUESTS_REQUEST_LOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/source.h"

#define LOOKS_KEPT 8192u
#define LOOK_APART_NS 1000000000u /* samples further apart say nothing of the time between */

enum look_of {
	LOOK_RUNS,
	LOOK_GIL,
	LOOK_LOCK,
	LOOK_IO,
	LOOK_SLEEP,
	LOOK_AWAITS, /* waits until one of several files is ready, as an event loop does */
	LOOK_OTHER,
	LOOK_LIMIT,
};

struct look_counts {
	uint64_t at[LOOK_LIMIT];
};

struct request_span {
	uint64_t from_ns, to_ns;
	size_t row;
};

struct looked_thread {
	uint64_t look_ns; /* of its last sample; 0: none */
	struct request_span *span;
	size_t count, room;
};

struct request_looks {
	struct looked_thread *thread; /* by index */
	size_t room;
};

/* A sample, as it comes. */
struct look_event {
	enum look_of of;
	uint64_t time_ns, step_ns, looks; /* the last one was at time_ns */
};

/* Returns false if the sample stands for no time. */
bool request_looks_read(struct request_looks *looks, const struct source_event *event,
			struct look_event *ret_look);
/* How many of its looks lie within that time. */
uint64_t look_event_within(const struct look_event *look, uint64_t from_ns, uint64_t to_ns);

/* A request that its thread had alone has ended. */
void request_looks_keep(struct request_looks *looks, uint32_t thread,
			const struct request_span *span);
/* Takes the thread's kept requests: valid until the next call. */
size_t request_looks_take(struct request_looks *looks, uint32_t thread,
			  const struct request_span **ret_spans);

void request_looks_release(struct request_looks *looks);

static inline uint64_t look_counts_all(const struct look_counts *counts)
{
	uint64_t all = 0;

	for (int i = 0; i < LOOK_LIMIT; i++)
		all += counts->at[i];
	return all;
}

#endif
